"""Runs that fail are outcomes: they show that, and the outputs so far."""

from __future__ import annotations

import os
import re
from random import Random

import pytest
from campaigns import some
from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.dipwhile.allsizes.question import Question
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
FAILING = [
    ("x <- 1/(10 - N)", 10),
    (ROUNDS.format("x <- 1/(9 - i)"), 9),
    (ROUNDS.format("x <- mod(i, 9 - i)"), 9),
    (ROUNDS.format("x <- (9 - i)^(-1)"), 9),
    (ROUNDS.format("x <- floor(1/(9 - i))"), 9),
    ("x <- q[3]", 2),
    ("x <- q[N - 2]", 2),
    (ROUNDS.format("if i > 3 then x <- q[i + 1] end"), 4),
    (ROUNDS.format("if i > 3 then out[i + 1] <- 1 end"), 4),
    (ROUNDS.format("if i = 7 then out[i/2] <- 1 end"), 7),
    (ROUNDS.format("a[i] <- 0; if i > 4 then a[i - 5] <- 0 end"), 5),
    (ROUNDS.format("if i = 9 then out[i] <- 7 end"), 9),
    (ROUNDS.format("k <- i"), 4),
    ("m <- 0; for i in 1..N do m <- i end\nfor i in 1..N do x <- 1 end\nk <- m", 4),
    (ROUNDS.format("b <- flip(i/9)"), 10),
    (ROUNDS.format("if i = 9 then b <- flip(eps) end"), 9),
    (ROUNDS.format("if i = 9 then b <- choose {1: 1/2, 2: 1/4} end"), 9),
    (ROUNDS.format("if i = 9 then b <- flip(1/(eps - 1)) end"), 9),
    ("for i in 1..N/3 do x <- 1 end", 4),
    ("k <- 1; w <- Exp(eps/8, v in 1..N - 2, 1)", 2),
    (
        ROUNDS.format("if i = 7 then m <- 10/i; z <- DLap(eps, m) end"),
        7,
    ),
    ("if N > 5 then x <- 0; while x = 0 do x <- 0 end end", 6),
    ("while N >= 1 do x <- 1 end", 1),
    (ROUNDS.format("while i < 1 or i <= N do x <- 1 end"), 1),
    (ROUNDS.format("noisy[i] <- Lap(eps, q[i] + 1/(9 - i))"), 9),
    (
        "m <- N\n" + ROUNDS.format("x <- 1/m; if i <= 3 then y <- 1 else m <- i - 4 end"),
        5,
    ),
    (ROUNDS.format("if i = 9 then x <- out[i] + (9 - i)^(-1) end"), 9),
]


@pytest.mark.parametrize("body, size", FAILING)
def test_what_fails_at_some_size_is_refused_at_a_small_one_and_else_an_outcome(body: str, size: int) -> None:
    text = program(body)
    with pytest.raises(InputError) as caught:
        run_at(text, size)
    if size <= 2:
        with pytest.raises(InputError) as refused:
            proved(text)
        assert same_words(refused.value.message, caught.value.message)
        return
    if "noisy" in body:
        found = proved(text)
        assert isinstance(found, Open)
        assert "private or random values are kept in `noisy`" in found.reason
    elif "N/3" in body:
        with pytest.raises(InputError, match="is not an integer"):
            proved(text)
    else:
        assert isinstance(proved(text), ProvedForAll)
        assert may_fail(asked(text)) or "while" in body  # a run without an end shows nothing


def same_words(one: str, other: str) -> bool:
    """Whether messages say the same, of different sizes."""
    return re.sub(r"-?\d+", "0", one) == re.sub(r"-?\d+", "0", other)


def may_fail(question: Question) -> bool:
    """Whether some path ends with a failure."""
    edges = question.automaton(Clock()).edges
    return any(text.startswith("the run fails: ") for edge in edges for text in edge.decisions)


DECLARED = [
    ("k in 0..3 = 0", ", M = 1/(7 - N)", 7),
    ("k[M] in 0..3 = 0", ", M = N - 1", 1),
    ("k[(N + 1)/2] in 0..3 = 0", "", 2),
    ("k in 1..N - 1 = 1", "", 1),
    ("k in 1..N = 2", "", 1),
]


@pytest.mark.parametrize("output, more, size", DECLARED)
def test_sizes_at_which_there_is_no_program(output: str, more: str, size: int) -> None:
    text = program("x <- 0", output, more)
    with pytest.raises(InputError) as caught:
        run_at(text, size)
    if size > 2:
        assert isinstance(proved(text), ProvedForAll)
        return
    with pytest.raises(InputError) as refused:
        proved(text)
    assert refused.value.message == caught.value.message


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
def test_an_output_without_a_value_in_the_end_is_an_outcome(output: str, body: str, size: int) -> None:
    text = program(body, output)
    with pytest.raises(InputError):
        run_at(text, size)
    assert isinstance(proved(text), ProvedForAll)


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
def test_what_is_read_is_of_another_kind_or_has_no_value(output: str, body: str) -> None:
    text = program(body, output)
    assert isinstance(proved(text), ProvedForAll)
    assert may_fail(asked(text))


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


LEAKS = {
    "what is overwritten is seen by a run that fails before": "w <- q[1]\nx <- 1/(N - 4)\nw <- 0",
    "what is kept over a loop is seen, too": "w <- q[1]\nfor i in 1..N do x <- 1/(i - 4) end\nw <- 0",
    "a cell is seen by a run that fails before it is overwritten": "w <- 0\nq2[1] <- q[1]\n"
    "x <- 1/(N - 4)\nq2[1] <- 0",
    "a run may fail where an array is drawn": "w <- q[1]\n"
    "for i in 1..N do noisy[i] <- Lap(eps, q[i] + 1/(i - 4)) end\nw <- 0\nk <- disc(max(noisy), 0, 1)",
    "a record that does not last may be outside its set": "b <- Lap(eps, 0)\nw <- 0\nfor i in 1..N do\n"
    "  s <- Lap(eps, q[i])\n  if s > b then b <- s; k <- i end\nend",
}


@pytest.mark.parametrize("name", LEAKS)
def test_what_a_failing_run_shows_is_not_proved(name: str) -> None:
    found = proved(
        program(LEAKS[name], "w in reals = 0, q2[N] in reals = 0, k in {0, 1, 2, 3, 5} = 0"), "3*eps"
    )
    assert not isinstance(found, ProvedForAll)


def test_a_record_that_does_not_last_at_one_size() -> None:
    body = "b <- Lap(eps, 0)\nfor i in 1..N do\n  s <- Lap(eps, q[i])\n  if s > b then b <- s; {} end\nend"
    text = program(body, "w in [0, 1] = 0, k in 0..N = 0")
    assert isinstance(proved(text.replace("{}", "k <- i"), "4*eps", N=4), ProvedForAll)
    found = proved(text.replace("{}", "w <- (i - 3)*(i - 3)"), "4*eps", N=4)
    assert isinstance(found, Open)
    assert "among draws that are looked at in another order" in found.reason


@pytest.mark.parametrize(
    "body, reason",
    [
        (
            "w <- q[1]\nw <- 0",
            "whether the value is in the set of the output `w` may depend on private values",
        ),
        ("x <- DLap(eps, q[1]/2)", "whether the mean of `DLap` is an integer may depend on private values"),
        (
            "y <- q[1]/2\nfor i in 1..N do z <- DLap(eps, y) end",
            "whether the mean of `DLap` is",
        ),
    ],
)
def test_what_fails_for_one_input_only_is_refused_by_name(body: str, reason: str) -> None:
    text = program(body, "w in {0, 1} = 0").replace("in reals", "in integers")
    found = proved(text, "4*eps")
    assert isinstance(found, Open)
    assert found.reason.startswith(reason)
    assert found.span is not None
    assert found.span.line > 6


def test_integers_stay_integers() -> None:
    body = "x <- DLap(eps, 2*q[1] + sum(q))\ny <- q[1]\nfor i in 1..N do z <- DLap(eps, i) end"
    assert not may_fail(asked(program(body).replace("linf", "l1")))


def test_a_round_is_one_of_some_consecutive_integers() -> None:
    assert not may_fail(asked(program(ROUNDS.format("if i <= 3 then k <- i end"), "k in {0, 1, 2, 3}")))


def test_an_atom_is_not_a_real_number() -> None:
    text = program("if N > 5 then x <- a_or_b[N]; k <- x end", "a_or_b[N] in {bot, 0} = bot, k in reals = 0")
    assert may_fail(asked(text))
    assert isinstance(proved(text.replace("{bot, 0} = bot", "{1, 0} = 1")), ProvedForAll)


UNWATCHED = """param N = 3
input q[N] in reals, x in {}
output o in {{0, 1}} = 0
adjacent (forall i in 1..N: abs(q'[i] - q[i]) <= 1) and abs(x - x') <= 0
private eps for all N
{}
"""


@pytest.mark.parametrize(
    ("values", "body"),
    [
        ("{-5, 0, 4}", "y <- x\nfor i in 1..N do\n  r <- Lap(eps, q[i])\nend\nz <- 1/(x + 1/2)"),
        ("1..1000", "z <- 1/(x - 37)"),
    ],
)
def test_a_divisor_that_vanishes_for_a_value_that_nobody_watched(values: str, body: str) -> None:
    """A scalar input is never assigned, so that nothing knows its bounds; not all its values are tried."""
    assert may_fail(asked(UNWATCHED.format(values, body)))


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
def test_no_size_fails_where_no_path_does(group: int) -> None:
    """The paths that fail against runs at small sizes."""
    failing, certain = 0, 0
    for seed in some(range(40 * group, 40 * group + 40), 15):
        text = program(random_body(Random(seed)))
        try:
            fails = may_fail(asked(text))
        except InputError:
            continue
        failing += fails
        certain += not fails
        if not fails:
            for size in range(1, 8):
                run_at(text, size)
    assert failing and certain


def test_probabilities_at_the_budgets_of_the_claim_only() -> None:
    text = program("b <- flip(eps)").replace("private eps", "private eps for eps in (0, 1]")
    assert isinstance(proved(text), ProvedForAll)
    assert isinstance(proved(text, "eps for eps in (0, 1]"), ProvedForAll)
    with pytest.raises(InputError, match="exceeds 1"):
        proved(text, "eps for eps in (0, 2]")


def test_a_number_for_the_size_leaves_the_failures_of_this_size() -> None:
    text = program("x <- 1/(10 - N)")
    assert not may_fail(asked(text, N=4))
    assert may_fail(asked(text))
