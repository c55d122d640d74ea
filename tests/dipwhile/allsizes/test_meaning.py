"""A program that is proved for every size means something for every size and all inputs."""

from __future__ import annotations

import os
import re
from random import Random

import pytest
from campaigns import some
from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.dipwhile.allsizes.meaning import doubt_about
from dipc.dipwhile.allsizes.verdict import Open, ProvedForAll
from dipc.dipwhile.pipeline import check_for_all_budgets
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.syntax.compile import read
from dipc.errors import InputError, Source
from dipc.signs.eps_range import EpsRange
from tests.dipwhile.allsizes.asking import asked, proved

HEAD = """param N = 3{more}
input q[N] in {inputs}
output o in {{0, 1}} = 0, out[N] in {{0, 1}} = 0, {output}
adjacent linf 1
private eps for all N
r <- {noise}(eps, q[1])
if r > 0 then o <- 1 end
"""


def program(body: str, output: str = "k in 0..3 = 0", more: str = "") -> str:
    """A program that is private, and reads the sizes only in its last part."""
    noise, inputs = ("DLap", "integers") if "DLap" in body else ("Lap", "reals")
    return HEAD.format(output=output, more=more, noise=noise, inputs=inputs) + body + "\n"


def run_at(text: str, size: int) -> None:
    """Run the program as `dipc check` does, on one input.  Raises :class:`InputError`."""
    finite = re.sub("in (reals|integers|\\[0, 1\\])", "in {0, 1}", text).replace(" for all N", "")
    core = read(Source("text.dip", finite), {"N": fmpq(size)})
    explorer = Explorer(core)
    explorer.law(InputSpace(core).at(0))
    check_for_all_budgets(explorer.left_open, SignOracle(EpsRange.positive()))


ROUNDS = "for i in 1..N do {} end"
MEANINGLESS = [
    ("x <- 1/(10 - N)", 10, "`1/(10 - N)` may divide by zero"),
    (ROUNDS.format("x <- 1/(9 - i)"), 9, "`1/(9 - i)` may divide by zero"),
    (ROUNDS.format("x <- mod(i, 9 - i)"), 9, "`mod(i, 9 - i)` may divide by zero"),
    (ROUNDS.format("x <- (9 - i)^(-1)"), 9, "`(9 - i)^-1` may divide by zero"),
    (ROUNDS.format("x <- floor(1/(9 - i))"), 9, "`1/(9 - i)` may divide by zero"),
    ("x <- q[3]", 2, "`q[3]` may be outside its array"),
    ("x <- q[N - 2]", 2, "`q[N - 2]` may be outside its array"),
    (ROUNDS.format("if i > 3 then x <- q[i + 1] end"), 4, "`q[i + 1]` may be outside its array"),
    (ROUNDS.format("if i > 3 then out[i + 1] <- 1 end"), 4, "`out[i + 1]` may be outside its array"),
    (ROUNDS.format("if i = 7 then out[i/2] <- 1 end"), 7, "the index of `out[i/2]` may not be an integer"),
    (ROUNDS.format("a[i] <- 0; if i > 4 then a[i - 5] <- 0 end"), 5, "`a[i - 5]` may be outside its array"),
    (ROUNDS.format("if i = 9 then out[i] <- 7 end"), 9, "not be in the set of the output `out`"),
    (ROUNDS.format("k <- i"), 4, "not be in the set of the output `k`"),
    ("m <- 0; for i in 1..N do m <- i end\nfor i in 1..N do x <- 1 end\nk <- m", 4, "the output `k`"),
    (ROUNDS.format("b <- flip(i/9)"), 10, "the probability `1 - i/9` may be outside of [0, 1]"),
    (ROUNDS.format("if i = 9 then b <- flip(eps) end"), 9, "may be outside of [0, 1]"),
    (ROUNDS.format("if i = 9 then b <- choose {1: 1/2, 2: 1/4} end"), 9, "may not sum to 1"),
    (ROUNDS.format("if i = 9 then b <- flip(1/(eps - 1)) end"), 9, "may be outside of [0, 1]"),
    ("for i in 1..N/3 do x <- 1 end", 4, "the bound `N/3` may not be an integer"),
    ("k <- 1; w <- Exp(eps/8, v in 1..N - 2, 1)", 2, "the set `1..N - 2` may be empty"),
    (
        ROUNDS.format("if i = 7 then m <- 10/i; z <- DLap(eps, m) end"),
        7,
        "mean of `DLap` may not be an integer",
    ),
    ("if N > 5 then x <- 0; while x = 0 do x <- 0 end end", 6, "this loop may never end"),
    ("while N >= 1 do x <- 1 end", 1, "this loop may never end"),
    (ROUNDS.format("while i < 1 or i <= N do x <- 1 end"), 1, "this loop may never end"),
    (ROUNDS.format("noisy[i] <- Lap(eps, q[i] + 1/(9 - i))"), 9, "`1/(9 - i)` may divide by zero"),
    (
        "m <- N\n" + ROUNDS.format("x <- 1/m; if i <= 3 then y <- 1 else m <- i - 4 end"),
        5,
        "`1/m` may divide by zero",
    ),
    (ROUNDS.format("if i = 9 then x <- out[i] + (9 - i)^(-1) end"), 9, "may divide by zero"),
]


@pytest.mark.parametrize("body, size, doubt", MEANINGLESS)
def test_what_fails_at_one_size_is_not_proved(body: str, size: int, doubt: str) -> None:
    text = program(body)
    with pytest.raises(InputError):
        run_at(text, size)
    found = proved(text)
    assert isinstance(found, Open)
    assert found.reason.startswith(
        "it is not shown for every size and input that the program means something"
    )
    assert doubt in found.reason


DECLARED = [
    ("k in 0..3 = 0", ", M = 1/(7 - N)", 7, "`1/(7 - N)` may divide by zero"),
    ("k[M] in 0..3 = 0", ", M = N - 1", 1, "the size `M` of `k` may not be an integer from 1 on"),
    ("k[(N + 1)/2] in 0..3 = 0", "", 2, "of `k` may not be an integer from 1 on"),
    ("k in 1..N - 1 = 1", "", 1, "the set `1..N - 1` may be empty"),
    ("k in 1..N = 2", "", 1, "the value may not be in the set of the output `k`"),
]


@pytest.mark.parametrize("output, more, size, doubt", DECLARED)
def test_what_is_declared_exists_for_every_size(output: str, more: str, size: int, doubt: str) -> None:
    text = program("x <- 0", output, more)
    with pytest.raises(InputError):
        run_at(text, size)
    found = proved(text)
    assert isinstance(found, Open)
    assert doubt in found.reason


@pytest.mark.parametrize(
    "output, body, size",
    [
        ("k in 0..3", "if N < 5 then k <- 1 end", 5),
        ("k[N] in 0..3", ROUNDS.format("k[i] <- 0; if i = 4 then exit end"), 5),
        ("k[N] in 0..3", ROUNDS.format("if i != 4 then k[i] <- 0 end"), 4),
        ("k[N] in 0..3", "for i in 2..N do k[i] <- 0 end; if N < 4 then k[1] <- 0 end", 5),
        ("k[2] in 0..3", "k[1] <- 0; if N < 4 then k[2] <- 0 end", 4),
    ],
)
def test_every_output_has_a_value_in_the_end(output: str, body: str, size: int) -> None:
    text = program(body, output)
    with pytest.raises(InputError):
        run_at(text, size)
    found = proved(text)
    assert isinstance(found, Open)
    assert "the output `k` may have no value when the program ends" in found.reason


@pytest.mark.parametrize(
    "output, body",
    [
        ("k[N] in {bot, 0} = bot", "if N > 5 then x <- k[N] + 1 end"),
        ("k[N] in {bot, true} = bot", "if N > 5 then if k[N] then o <- 0 end end"),
        (
            "k in {bot, true} = bot",
            ROUNDS.format("if i = 9 then b <- bot else b <- true end\nif b then x <- 1 end"),
        ),
        ("k[N] in 0..3", "for i in 1..N do if i > 4 then x <- k[N - i + 1] end\nk[i] <- 0 end"),
    ],
)
def test_what_is_read_is_of_its_kind_and_has_a_value(output: str, body: str) -> None:
    found = proved(program(body, output))
    assert isinstance(found, Open)
    assert "means something: `" in found.reason


@pytest.mark.parametrize(
    "output, more, body",
    [
        ("k in 0..3 = 0", "", "if N >= 3 then x <- q[3] end"),
        ("k in 0..3 = 0", "", ROUNDS.format("if i > 1 then x <- q[i - 1] end")),
        ("k in 0..3 = 0", "", ROUNDS.format("if i != 9 then x <- 1/(9 - i) end")),
        ("k in 0..3 = 0", "", ROUNDS.format("for j in 1..i do out[j] <- 0 end")),
        ("k in 0..3 = 0", "", "x <- q[floor((N + 1)/2)]"),
        ("k in 0..3 = 0", "", ROUNDS.format("b <- flip(1/3); a[i] <- 1; x <- a[i]")),
        ("k in 0..3 = 0", "", "x <- choose {1: 1, 0: 0}\nif x = 0 then y <- 1/(N - 4) end"),
        ("k in 1..N = 1", "", "m <- 1; for i in 1..N do m <- i end\nfor i in 1..N do x <- 1 end\nk <- m"),
        ("k in [0, 1] = 0", "", "k <- 1/2"),
        ("k in integers = 0", "", "k <- 12"),
        ("k[M] in 0..3 = 0", ", M = floor((N + 1)/2)", "for i in 1..M do k[i] <- 1 end"),
        ("k[M] in 0..3", ", M = N + 1", "for i in 1..M do k[i] <- 1 end"),
        ("k[2] in 0..3", "", "k[2] <- 1; if N > 3 then k[1] <- 1 else k[1] <- 2 end"),
        ("k in 0..3", "", "for i in 1..N do if i > 5 then k <- 1 else k <- 2 end end"),
    ],
)
def test_what_always_means_something_is_proved(output: str, more: str, body: str) -> None:
    assert isinstance(proved(program(body, output, more)), ProvedForAll)


def test_an_atom_is_not_a_real_number() -> None:
    text = program("if N > 5 then x <- a_or_b[N]; k <- x end", "a_or_b[N] in {bot, 0} = bot, k in reals = 0")
    found = proved(text)
    assert isinstance(found, Open)
    assert "the value may not be in the set of the output `k`" in found.reason
    numbers = text.replace("{bot, 0} = bot", "{1, 0} = 1")
    assert isinstance(proved(numbers), ProvedForAll)


def test_the_habits_of_variables_are_not_those_of_inputs() -> None:
    """A scalar input is never assigned: nothing watches its bounds."""
    text = """param N = 3
input q[N] in reals, x in {-5, 0, 4}
output o in {0, 1} = 0
adjacent (forall i in 1..N: abs(q'[i] - q[i]) <= 1) and abs(x - x') <= 0
private eps for all N
y <- x
for i in 1..N do
  r <- Lap(eps, q[i])
end
z <- 1/(x + 1/2)
"""
    found = proved(text)
    assert isinstance(found, Open)
    assert "`1/(x + 0.5)` may divide by zero" in found.reason


def test_a_divisor_that_vanishes_for_an_input_that_nobody_tried() -> None:
    text = """param N = 3
input q[N] in reals, x in 1..1000
output o in {0, 1} = 0
adjacent (forall i in 1..N: abs(q'[i] - q[i]) <= 1) and abs(x - x') <= 0
private eps for all N
z <- 1/(x - 37)
"""
    found = proved(text)
    assert isinstance(found, Open)
    assert "`1/(x - 37)` may divide by zero" in found.reason


@pytest.mark.parametrize("condition", ["i = 1 or s > best", "s > best or i = 1"])
def test_a_condition_is_read_from_left_to_right(condition: str) -> None:
    """In its first round the loop keeps `s`; the second condition asks for `best` before that."""
    text = program(
        ROUNDS.format(f"s <- Lap(eps, 0); if {condition} then best <- s; k <- i end"),
        "k in 1..N = 1, pub in reals = 0",
    )
    found = proved(text)
    if condition.startswith("i"):
        assert isinstance(found, ProvedForAll)
    else:
        with pytest.raises(InputError, match="`best` is read before it has a value"):
            run_at(text, 2)
        assert isinstance(found, Open)
        assert found.reason == "`best` may have no value here"


# --- random programs -------------------------------------------------------------------------

GROUPS = int(os.environ.get("DIPC_LAW_EXAMPLES", 4))
"""Groups of forty programs; docs/contributing.md names the variable."""


def random_body(random: Random) -> str:
    """Statements with indices, divisors and probabilities that depend on sizes and loops."""

    def linear(names: tuple[str, ...]) -> str:
        one, two = random.choice(names), random.choice((*names, "0"))
        forms = [one, one, f"{one} + {random.randint(-2, 2)}", f"{one} - {two}", f"{two} - {one} + 1"]
        forms += [f"floor({one}/2)", f"ceil({one}/2)", f"{one}/2", f"{random.randint(1, 5)}"]
        return random.choice(forms).replace("+ -", "- ")

    def action(names: tuple[str, ...]) -> str:
        value = linear(names)
        actions = [f"x <- q[{value}]", f"out[{value}] <- 1", f"x <- 1/({value})", f"k <- {value}"]
        actions += [f"b <- flip(({value})/4)", f"a[{value}] <- 1", f"m <- {value}", f"o <- {value}"]
        return random.choice(actions)

    def guarded(names: tuple[str, ...]) -> str:
        if random.random() < 0.3:
            return action(names)
        guard = f"{linear(names)} {random.choice(('<', '<=', '>', '>=', '=', '!='))} {linear(names)}"
        return f"if {guard} then {action(names)} end"

    low, high = random.choice(("1", "1", "2")), random.choice(("N", "N", "N - 1", "N + 1"))
    lines = ["m <- 1", guarded(("N",)), f"for i in {low}..{high} do", guarded(("N", "i", "m"))]
    if random.random() < 0.3:
        lines += ["for j in 1..i do", guarded(("i", "j", "N")), "end"]
    return "\n".join([*lines, "end", guarded(("N", "m"))])


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_size_fails_of_what_is_beyond_doubt(group: int) -> None:
    """The check of the meaning against runs at small sizes."""
    doubted, certain = 0, 0
    for seed in some(range(40 * group, 40 * group + 40), 15):
        text = program(random_body(Random(seed)))
        try:
            question = asked(text)
            question.automaton(Clock())
        except InputError:
            continue
        if doubt_about(question, Clock()) is not None:
            doubted += 1
            continue
        certain += 1
        for size in range(1, 8):
            run_at(text, size)
    assert doubted and certain


def test_probabilities_at_the_budgets_of_the_claim_only() -> None:
    text = program("b <- flip(eps)").replace("private eps", "private eps for eps in (0, 1]")
    assert isinstance(proved(text), ProvedForAll)
    assert isinstance(proved(text, "eps for eps in (0, 1]"), ProvedForAll)
    with pytest.raises(InputError, match="exceeds 1"):
        proved(text, "eps for eps in (0, 2]")


def test_a_number_for_the_size_leaves_the_doubts_of_this_size() -> None:
    text = program("x <- 1/(10 - N)")
    assert isinstance(proved(text, N=4), ProvedForAll)
    assert isinstance(proved(text), Open)
