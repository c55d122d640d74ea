"""Reading and formatting take work in proportion to the text, whatever it is made of.

The work is counted in lines of Python; what such a line may hide, such as copying a list, is timed.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

import pytest
from flint import fmpq
from lark import Token
from patience import quickest

from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.syntax import types
from dipc.dipwhile.syntax.arrays import assignments
from dipc.dipwhile.syntax.certain import check_certain
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import Instruction, Variable, value_of
from dipc.dipwhile.syntax.everywhere import as_code
from dipc.dipwhile.syntax.format import Line, _with_gaps, formatted
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.dipwhile.syntax.layout import layout
from dipc.dipwhile.syntax.mistakes import brackets
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.parser import parse, raw_tokens
from dipc.dipwhile.syntax.situation import Situation, depths
from dipc.errors import InputError, Source, Span
from dipc.models.values import Value

DECLARED = "param N = 3\ninput q[N] in {0, 1}\noutput out in {0, 1} = 0\nadjacent all\nprivate eps\n"


def program(declared: str = "", body: str = "", members: str = "0, 1") -> str:
    return declared + DECLARED.replace("= 0\n", "\n").replace("out in {0, 1}", f"out in {{{members}}}") + body


def repeated(text: str, size: int, sign: str = "\n") -> str:
    """The text for i = 1, 2, ... with `@` replaced by i, and `&` by i + 1."""
    return sign.join(text.replace("@", str(i)).replace("&", str(i + 1)) for i in range(1, size + 1)) + "\n"


def lines(text: str) -> Callable[[int], str]:
    return lambda size: program(body=repeated(text, size))


def joined(before: str, part: str, sign: str, after: str = "\n") -> Callable[[int], str]:
    return lambda size: program(body=before + repeated(part, size, sign).strip() + after)


def listing(part: str, sign: str = ", ") -> Callable[[int], str]:
    """The members of the set of the output."""
    return lambda size: program(members=repeated(part, size, sign).strip())


TEXTS: dict[str, Callable[[int], str]] = {
    "assignments": lines("x <- @"),
    "variables": lines("x@ <- @"),
    "arrays": lines("a[@] <- @"),
    "copies": lambda size: program(body="x1 <- 0\n" + repeated("x& <- x@", size)),
    "copies of what follows": lambda size: program(body=repeated("x@ <- x&", size) + f"x{size + 1} <- 0\n"),
    "inputs": lambda size: program(repeated("input p@ in {0, 1}", size)),
    "outputs": lambda size: program(repeated("output o@ in {0, 1} = 0", size)),
    "numbers of a set": listing("@"),
    "atoms of a set": listing("a@"),
    "params": lambda size: program(repeated("param P@ = @", size)),
    "params from params": lambda size: program("param P1 = 0\n" + repeated("param P& = P@ + 1", size)),
    "choose": joined("x <- choose {", "@: 1/100", ", ", "}\n"),
    "choose of atoms": joined("x <- choose {", "a@: 1/100", ", ", "}\n"),
    "uniform": joined("x <- uniform {", "@", ", ", "}\n"),
    "samples": lines("r@ <- Lap(eps/@, q[1])"),
    "discrete": joined("r <- Lap(eps, 0)\nx <- disc(r, ", "@", ", ", ")\n"),
    "ifs": lines("if q[1] = 0 then x <- @ else x <- 0 end"),
    "elifs": lambda size: program(
        body="if q[1] = 0 then\n" + repeated("elif q[2] = @ then x <- 0", size) + "end\n"
    ),
    "whiles": lambda size: program(body="x <- 0\n" + repeated("while x < @ do x <- x + 1 end", size)),
    "fors": lines("for i in 1..2 do x <- i end"),
    "a long for": lambda size: program(body=f"for i in 1..{size} do x <- i end\n"),
    "exits": lines("if q[1] = @ then exit end"),
    "sums": joined("x <- ", "q[1]", " + "),
    "ands": joined("b <- ", "q[1] = @", " and "),
    "comparisons": joined("b <- ", "@", " < "),
    "arguments": joined("x <- max(", "q[1]", ", ", ")\n"),
    "folds": lambda size: program(body=f"x <- sum(i in 1..{size}: i*q[1])\n"),
    "comments": lines("x <- @ # why\n# and how"),
    "empty lines": lines(""),
    "semicolons": joined("", "x <- @", "; "),
    "letters of another alphabet": lines("größe@ <- @"),
    "open brackets": lambda size: program(body="x <- " + "(" * size),
    "an unknown sign": lambda size: program(body=repeated("x <- @", size) + "x <- $\n"),
    "an unknown name": lambda size: program(body=repeated("x@ <- @", size) + "x <- nowhere_near\n"),
    "a bracket too many": lambda size: program(body=repeated("x <- (@)", size) + "x <- 1)\n"),
}


def work(job: Callable[[], Any]) -> int:
    """How many lines of Python are run, those of a comprehension once for each element."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        job()
    except InputError:
        pass
    finally:
        sys.settrace(before)
    return count


SIZE = 40


@pytest.mark.parametrize("what", TEXTS)
@pytest.mark.parametrize("job", [read, formatted])
def test_work_is_linear(job: Callable[[Source], object], what: str) -> None:
    once, twice, more = (Source("<text>", TEXTS[what](times * SIZE)) for times in (1, 2, 3))
    with suppress(InputError):
        job(more)  # fills the caches
    first, second, third = (work(partial(job, text)) for text in (once, twice, more))
    assert third - second <= 1.1 * (second - first) + 200


MIXED = """x <- q[1] + @  # why
# and how
if x > @ then y <- 1 else y <- 0 end
r <- Lap(eps/2, q[1])
if r > @ then b <- 1 end
"""


@pytest.mark.parametrize("job", [read, formatted])
def test_time_is_linear(job: Callable[[Source], object]) -> None:
    little, much = (Source("<text>", program(body=repeated(MIXED, size))) for size in (50, 400))
    assert quickest(lambda: job(much)) < 8 * 2 * max(quickest(lambda: job(little)), 0.005)


def test_lines_are_not_copied_for_each_line() -> None:
    """What follows a line is looked at in its place: such copies outweigh the rest from 10,000 lines on."""
    line = Line((Token("NAME", "x"), Token("ARROW", "<-"), Token("NUMBER", "1")))

    def seconds(size: int) -> float:
        return quickest(lambda: list(_with_gaps(iter([line] * size))))

    assert seconds(32_000) < 8 * 2 * max(seconds(4_000), 0.005)


def fixed_point(code: Sequence[Instruction], declared: types.Kinding, local: Iterable[str]) -> types.Kinding:
    """The kinds of all variables, by going through the whole code until nothing changes."""
    kinding = dict.fromkeys(local, Kinds.NOTHING) | dict(declared)
    while True:
        before = dict(kinding)
        for instruction in assignments(code):
            if (name := target_name(instruction.target)) not in declared:
                kinding[name] |= types.assigned_kinds(value_of(instruction), kinding)
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
    assert types.infer(code, declared, local) == fixed_point(code, declared, local)


@pytest.mark.parametrize("seed", range(30))
def test_unclosed_brackets(seed: int) -> None:
    """The bracket of the message is the last one after which the brackets never close, comments aside."""
    chance = random.Random(seed)
    text = "output b in {0}\nx <- " + "".join(chance.choices("((()) 1+", k=12))
    tokens = list(layout(raw_tokens(text)))
    end = Token("$END", "", len(text), end_pos=len(text))
    situation = Situation(Source("<text>", text), tokens, end, frozenset())
    expected = [b for b in situation.brackets if 0 not in depths(text[b.start_pos :])]
    found = [error.span.start for error in brackets(situation) if error.span is not None]
    assert found == [bracket.start_pos for bracket in expected[-1:]]


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


def test_strides() -> None:
    """The stride of an input is the number of values of those after it."""
    text = "input p in 1..2; input q[2] in 1..3; input r in 1..5; output o in {0}; adjacent all; o <- 0"
    assert InputSpace(read(Source("<text>", text))).strides == [45, 15, 5, 1]
    assert InputSpace(read(Source("<text>", "output o in {0}; o <- 0"))).strides == []
