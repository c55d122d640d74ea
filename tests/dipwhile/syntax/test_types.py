"""Kinds: what is accepted (the refusals stand in broken/) and which variables hold what."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from flint import fmpq

from dipc.dipwhile.syntax.arrays import assignments
from dipc.dipwhile.syntax.certain import check_certain
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import Instruction, Variable, value_of
from dipc.dipwhile.syntax.everywhere import as_code
from dipc.dipwhile.syntax.fragment import RULES
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.types import Kinding, assigned_kinds, infer
from dipc.errors import FragmentError, InputError, Source, Span
from dipc.models.values import Value

HEAD = "input q[2] in {0, 1}, s in {bot, 1}\noutput o in {bot, top} = bot\nr <- Lap(eps/2, q[1])\n"


@pytest.mark.parametrize(
    "body",
    [
        "if r >= 1 and r < 3 then o <- top end",
        "if 2*r - q[1] + 1/2 < 3 then o <- top end",
        "x <- q[1]; x <- q[x + 1]",
        "b <- flip(1/(q[1] + 2))",
        "m <- q[1]; t <- Lap(eps, m)",
        "x <- 0; if q[1] = 0 then x <- r end; if x > 0 then o <- top end",
        "best <- 0; for i in 1..2 do v <- Lap(eps, q[i]); if i = 1 or v > best then best <- v end end",
        "if s = bot then o <- top end",
        "if s = 1 then o <- top end",
        "if s = q[1] then o <- top end",
        "o <- choose {bot: exp(eps)/(1 + exp(eps)), top: 1/(1 + exp(eps))}",
        "o <- uniform {bot, top}",
        "x <- uniform {left, right}; if x = left then o <- top end",
        "x <- 0; while x < 3 do x <- x + 1 end",
        "b <- true; while b do b <- flip(1/2) end",
        "x <- q[1]*r; y <- r/2",
        "for i in 1..2 do a[i] <- Lap(eps, q[i]) end; w <- argmax(a); if w = 1 then o <- top end",
        "b <- r = 1",
        "x <- max(q) + sum(q) + min(1, q[2])",
        "t <- Lap(3/eps, q[1])",
    ],
)
def test_accepted(body: str) -> None:
    assert read(Source("p.dip", HEAD + body)).code


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("x <- Gaussian(0, 1)", 1),
        ("b <- true; while b do r <- Lap(eps, 0) end", 2),
        ("b <- true; while b do t <- r + 1 end", 2),
        ("t <- Lap(eps*r, 0)", 3),
        ("t <- Lap(eps, r)", 3),
        ("b <- flip(r)", 3),
        ("x <- q[r]", 3),
        ("x <- disc(r, r)", 3),
        ("t <- r*r", 4),
        ("t <- r^2", 4),
        ("t <- 1/r", 4),
        ("x <- mod(r, 2)", 4),
        ("z <- DLap(eps, 0); b <- r < z", 5),
        ("z <- DLap(eps, 0); t <- r + z", 5),
        ("o <- r", 6),
    ],
)
def test_rules(body: str, rule: int) -> None:
    with pytest.raises(FragmentError) as caught:
        read(Source("p.dip", HEAD + body))
    assert f"rule {rule}: {RULES[rule].statement}" in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        "x <- -true", "x <- bot + 1", "x <- top < bot", "b <- 1 and true", "b <- true and 1",
        "b <- false or bot", "b <- not bot", "x <- abs(true)", "x <- argmax(q[1])", "x <- max(q, q)",
        "x <- sum(true)", "x <- q", "q <- 1", "o[1] <- bot", "x <- o[1]", "x[1] <- 1; x <- 2",
        "x <- 1; x[1] <- 2", "o <- 1", "o <- flip(1/2)", "o <- uniform {bot, 1}", "x <- 2^q[1]",
        "x <- 0^-1", "b <- flip(true)", "b <- flip(bot)", "x <- q[true]", "x <- q[3/2]", "while 1 do end",
        "a[0] <- 1", "x <- disc(r, bot)", "x <- forall i in 1..q[1]: true", "for i in 1..1/2 do end",
        "for i in 1..1/0 do end", "x <- mod(1, 0)", "true <- 1", "for s in 1..2 do end", "x <- q'",
        "if eps > 1 then end", "a[1] <- 0; if a[1] then end", "x <- 1; a[x] <- 1; while a[x] do end",
        "b[2] <- 1; b[1] <- s; if b[1] + 1 > b[2] and b[1] then end",
    ],
)  # fmt: skip
def test_refused(body: str) -> None:
    with pytest.raises(InputError) as caught:
        read(Source("p.dip", HEAD + body))
    assert caught.value.span is not None
    assert caught.value.hint


def fixed_point(code: Sequence[Instruction], declared: Kinding, local: Iterable[str]) -> Kinding:
    """The kinds of all variables, by going through the whole code until nothing changes."""
    kinding = dict.fromkeys(local, Kinds.NOTHING) | dict(declared)
    while True:
        before = dict(kinding)
        for instruction in assignments(code):
            if (name := target_name(instruction.target)) not in declared:
                kinding[name] |= assigned_kinds(value_of(instruction), kinding)
        if kinding == before:
            return kinding


@pytest.mark.parametrize("seed", range(30))
def test_kinds_are_the_least_fixed_point(seed: int) -> None:
    chance = random.Random(seed)
    values = [
        "x@",
        "x@ + x&",
        "-x@",
        "1",
        "x@ = x&",
        "Lap(eps, x@)",
        "choose {x@: 1/2, x&: 1/2}",
        "max(x@, x&)",
    ]
    values += ["x@", "top", "true", "q", "not x@", "uniform {x@, 1, a}", "DLap(eps, 0)"]
    body = "".join(
        f"x{chance.randint(1, 9)} <- "
        + chance.choice(values).replace("@", str(i)).replace("&", str(j))
        + "\n"
        for i, j in (chance.choices(range(1, 10), k=2) for _ in range(chance.randint(5, 25)))
    )
    code = as_code(parse(Source("<text>", body)).body)
    declared = {"q": Kinds.NUMBER, "x1": Kinds.BOOLEAN}
    local = {f"x{i}" for i in range(2, 10)}
    assert infer(code, declared, local) == fixed_point(code, declared, local)


class Unsearched(tuple[Value, ...]):
    """Values that are not searched one by one."""

    def __contains__(self, value: object) -> bool:
        raise AssertionError("a search through all values")


def test_members_are_looked_up() -> None:
    """The values of a `choose` are looked for in the set of the output, which is not searched for each."""
    source = Source("<text>", "output out in 0..3; out <- choose {1: 1/2, 3: 1/2}")
    code = read(source).code
    domain = Unsearched(fmpq(value) for value in range(4))
    check_certain(code, {}, {"out": Variable("out", None, domain, None, Span(source, 0, 0))})
    with pytest.raises(InputError, match="which is not in its set"):
        check_certain(code, {}, {"out": Variable("out", None, domain[:3], None, Span(source, 0, 0))})
