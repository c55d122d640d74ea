"""What an answer for every size is about: the declared inputs, sets and start values, at each size.

The right least t of each program is found by hand.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from flint import fmpq

import dipc
from dipc.dipwhile.allsizes import confirm, pipeline
from dipc.dipwhile.allsizes.finite import event
from dipc.dipwhile.allsizes.strategies import Solved
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict, BrokenFrom, LeastT, Open, ProvedForAll
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import LimitReached, Source
from dipc.models.values import Atom
from tests.dipwhile.allsizes.asking import proved

HEAD = """param N = 2{params}
input {inputs}
output {outputs}
adjacent {adjacent}
private {claim}
{body}
"""


def program(
    body: str,
    claim: str = "0*eps",
    *,
    params: str = "",
    inputs: str = "q[N] in reals",
    outputs: str = "o in {0, 1} = 0",
    adjacent: str = "linf 1",
) -> str:
    return HEAD.format(**locals())


PUBLISHED = "x <- Lap(5*eps, q[1])\no <- disc(x, 0, 1)"

# --- names of sizes are no atoms -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "sets"),
    [(", M = 3", "p[M] in {0, 1}, s in {N}, r in {M}"), (", M = N", "p[N] in {0, 1}, s in {N}, r in {M}")],
)
def test_the_name_of_a_size_in_a_set_is_a_number(params: str, sets: str) -> None:
    """s and r are equal where N = M, and then the query is published."""
    text = program(
        f"if s = r then\n{PUBLISHED}\nend",
        params=params,
        inputs=f"q[N] in {{0, 1}}, {sets}",
        adjacent="hamming 1",
    )
    found = proved(text)
    assert isinstance(found, BrokenFrom)
    assert found.least.low == 5


@pytest.mark.parametrize(("start", "t"), [("K", 5), ("K + 1", 0)])
def test_the_name_of_a_size_as_a_start_value_is_a_number(start: str, t: int) -> None:
    """Two outputs that start with N are equal, and the query is published; N and N + 1 differ."""
    text = program(
        f"if w = v then\n{PUBLISHED}\nend",
        "5*eps",
        params=", K = N",
        outputs=f"w in reals = N, v in reals = {start}, o in {{0, 1}} = 0",
    )
    found = proved(text)
    assert isinstance(found, ProvedForAll)
    assert found.least.high == 5
    assert t == 0 or not isinstance(proved(text.replace("private 5*eps", "private 4*eps")), ProvedForAll)


def test_a_start_value_may_be_computed_from_a_size() -> None:
    """The first query above the threshold, N + 1 if there is none."""
    body = FIRST_ABOVE.replace("Lap(eps/2, q[i])", "Lap(eps/4, q[i])").replace("w <-", "first <-")
    found = proved(program(body, "eps for all N", outputs="first in 1..N + 1 = N + 1"))
    assert isinstance(found, ProvedForAll)
    assert found.least.high == 1


ATOMS_OF = {"evaluate", "evaluate_set", "evaluate_value", "evaluate_integer", "evaluate_range", "members"}


def test_only_one_module_evaluates_declarations() -> None:
    """A call elsewhere could take the name of a size for an atom."""
    folder = Path(str(confirm.__file__)).parent
    for path in sorted(folder.glob("*.py")):
        found = {
            alias.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module == "dipc.dipwhile.syntax.constants"
            for alias in node.names
        }
        assert path.stem == "declared" or not found & ATOMS_OF, path


# --- real cells beside integer cells --------------------------------------------------------------


@pytest.mark.parametrize(
    ("distance", "rates", "inputs", "t"),
    [
        ("3/2", ("eps", "2*eps"), "a[N] in reals, n in integers", "5/2"),
        ("5/2", ("eps", "3*eps"), "n in integers, a[N] in reals", "13/2"),
        ("1", ("eps", "2*eps"), "a[N] in reals, n in integers", "2"),
        ("2", ("3*eps", "2*eps"), "a[N] in reals, n in integers", "6"),
        ("1/2", ("eps", "2*eps"), "a[N] in reals, n in integers", "1/2"),
    ],
)
def test_reals_take_what_integers_leave_over(
    distance: str, rates: tuple[str, str], inputs: str, t: str
) -> None:
    text = program(
        f"o <- Lap({rates[0]}, a[1])\np <- Lap({rates[1]}, n)",
        f"{t}*eps",
        inputs=inputs,
        outputs="o in reals, p in reals",
        adjacent=f"l1 {distance}",
    )
    found = proved(text)
    assert isinstance(found, ProvedForAll)
    assert found.least.exact and found.least.high == fmpq(*map(int, t.split("/")))
    assert found.confirmed.sizes == ((1,), (2,))
    assert isinstance(proved(text.replace(f"private {t}*eps", "private 1/4*eps")), BrokenFrom)


def test_reals_in_a_loop_take_what_an_integer_leaves_over() -> None:
    text = program(
        "for i in 1..N do o[i] <- Lap(eps, q[i]) end\np <- Lap(2*eps, n)",
        "7/3*eps for all N",
        inputs="q[N] in reals, n in integers",
        outputs="o[N] in reals, p in reals",
        adjacent="l1 4/3",
    )
    found = proved(text)
    assert isinstance(found, ProvedForAll)
    assert (found.least.low, found.least.high) == (fmpq(7, 3), fmpq(7, 3))


# --- other inputs than those declared -------------------------------------------------------------


@pytest.mark.parametrize("domain", ["[0, 1]", "[0, 1/2]", "reals"])
def test_integer_noise_on_reals_is_refused(domain: str) -> None:
    """0 and 1/2 are neighbours whose means are integers: t = 1, and not what is true of integers."""
    text = program(
        "x <- DLap(eps, 2*q[1])\nif x > 0 then o <- 1 end", inputs=f"q[N] in {domain}", adjacent="linf 1/2"
    )
    found = proved(text)
    assert isinstance(found, Open)
    assert "declare the input `in integers`" in found.reason


# --- outputs in levels, start values at the size in question ------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "start", "body"),
    [
        ("q[N] in {0, 1}", "5", "if q[1] > 0 then y <- 5; o <- y end"),
        ("q[N] in reals", "1/2", "x <- Lap(eps, q[1])\nif x > 0 then o <- 0.5 end"),
        ("q[N] in {0, 1}", "5", "x <- Lap(eps, q[1])\nif x > 0 then y <- 5; o <- y end"),
        ("q[N] in reals", "N", "x <- Lap(eps, q[1])\nif x > 0 then o <- N end"),
    ],
)
def test_an_output_that_keeps_its_start_value_says_nothing(inputs: str, start: str, body: str) -> None:
    for claim in ("0*eps", "eps/2", "eps"):
        found = proved(program(body, claim, inputs=inputs, outputs=f"o in reals = {start}"))
        assert not isinstance(found, BrokenFrom)
        assert found.least is None or found.least.low == 0


FIRST_ABOVE = (
    "t <- Lap(eps/2, 0)\nfor i in 1..N do\n  r <- Lap(eps/2, q[i])\n  if r >= t then w <- i; exit end\nend"
)


@pytest.mark.parametrize("declared", [1, 2, 3, 5, 7])
def test_the_answer_does_not_depend_on_the_declared_size(declared: int) -> None:
    text = program(FIRST_ABOVE, "3/2*eps", inputs="q[N] in {0, 1}", outputs="w in 1..N = N")
    found = proved(text.replace("N = 2", f"N = {declared}"))
    assert isinstance(found, ProvedForAll)
    assert found.least == LeastT(fmpq(3, 2), fmpq(3, 2), 4)


@pytest.mark.parametrize(("size", "t"), [(1, "0"), (2, "1"), (3, "1"), (4, "3/2")])
def test_the_least_t_of_one_size(size: int, t: str) -> None:
    text = program(FIRST_ABOVE, "3/2*eps", inputs="q[N] in {0, 1}", outputs="w in 1..N = N")
    found = proved(text, N=size)
    assert found.least is not None
    assert found.least.low <= fmpq(*map(int, t.split("/"))) <= (found.least.high or 9)


# --- a proof is confirmed -----------------------------------------------------------------------------


def test_a_proof_is_confirmed_at_the_smallest_sizes() -> None:
    found = proved("svt1")
    assert isinstance(found, ProvedForAll)
    assert (found.confirmed.names, found.confirmed.sizes) == (("N",), ((1,), (2,)))


def test_all_combinations_of_sizes_are_tried() -> None:
    text = program(PUBLISHED, "5*eps for all N, M", params=", M = 3", inputs="q[N] in reals, p[M] in reals")
    found = proved(text)
    assert isinstance(found, ProvedForAll)
    assert found.confirmed.sizes == ((1, 1), (1, 2), (2, 1), (2, 2))


@pytest.mark.parametrize("text", ["svt1", program(PUBLISHED, inputs="q[N] in [0, 1]", adjacent="all")])
def test_a_wrong_proof_is_contradicted(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is wrong with the automaton or the linear program, the exact engine does not share it."""
    real = pipeline.strategies

    def wrong(*given: object) -> Solved:
        found = real(*given)  # type: ignore[arg-type]
        assert isinstance(found, Solved)
        return Solved(fmpq(1, 8), found.strategies)

    monkeypatch.setattr(pipeline, "strategies", wrong)
    found = proved(text, "eps/8")
    assert isinstance(found, Open) and "N = 1: q = [" in found.reason


def test_a_proof_survives_the_end_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*given: object) -> LeastT:
        raise LimitReached("the time limit was reached")

    monkeypatch.setattr(pipeline, "attained", late)
    answer = dipc.load("svt1").prove()
    assert answer.status == "private"
    assert "least t    at most 1: (ε)-private\n" in str(answer)


def test_what_takes_too_long_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confirm, "SECONDS", 0.0)
    found = proved("svt1")
    assert isinstance(found, ProvedForAll)
    assert found.confirmed.sizes == ()
    assert "confirmed" not in str(dipc.load("svt1").prove())


# --- outputs that stand for events ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "level", "shown"),
    [
        ("bot", -1, "o[1] <= -1"),
        ("bot", 0, "-1 < o[1] <= 0"),
        ("bot", 1, "o[1] > 0"),
        ("bot", "bot", "o[1] = bot"),
    ],
)
def test_a_level_is_shown_as_what_it_stands_for(start: str, level: int | str, shown: str) -> None:
    body = "x <- Lap(eps, q[1])\no[1] <- x\nw <- 1"
    outputs = f"o[N] in reals = {start}, w in {{0, 1}} = 0"
    asked = parse(Source("text.dip", program(body, outputs=outputs)))
    value = Atom(level) if isinstance(level, str) else fmpq(level)
    assert event(asked, (("o", (value,)), ("w", fmpq(1)))) == f"{shown}, w = 1"


def test_a_counterexample_shows_events() -> None:
    text = program("o <- Lap(eps, q[1])", "eps/2", outputs="o in reals")
    answer = dipc.load(text).prove()
    assert answer.counterexample is not None
    assert answer.counterexample.events == ("o <= -1",)
    for shown in (str(answer), repr(answer.counterexample), str(answer.counterexample)):
        assert "o <= -1" in shown
        assert "o = -1" not in shown and "o=-1" not in shown
    assert dipc.load("svt4").prove().counterexample.events == ()


# --- what an adversary found --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "t"),
    [
        ("abs(q'[i] - q[i]) <= 1 and abs(q'[i] - q[i]) <= 2", 1),
        ("abs(q'[i] - q[i]) <= 2 and abs(q'[i] - q[i]) <= 1", 1),
        ("q'[i] - q[i] <= 1 and q'[i] - q[i] <= 2 and q[i] <= q'[i]", 1),
    ],
)
def test_bounds_of_a_conjunction_are_intersected(bounds: str, t: int) -> None:
    text = program("x <- Lap(eps, q[1])\no <- disc(x, 0, 1)", "2*eps", adjacent=f"forall i in 1..N: {bounds}")
    found = proved(text)
    assert isinstance(found, ProvedForAll)
    assert (found.least.low, found.least.high) == (t, t)


def test_bounds_that_allow_nothing_are_no_distance() -> None:
    bounds = "1 <= q'[i] - q[i] and q'[i] - q[i] <= -1"
    text = program("x <- Lap(eps, q[1])\no <- disc(x, 0, 1)", "2*eps", adjacent=f"forall i in 1..N: {bounds}")
    found = proved(text)
    assert isinstance(found, Open)
    assert "not a distance" in found.reason


@pytest.mark.parametrize(
    ("outputs", "body"),
    [
        ("o in [0, 1] = 0", "x <- Lap(eps, q[1])\nif x > 0 then o <- 5 end"),
        ("o in [0, 1] = 0", "o <- Lap(eps, q[1])"),
        ("o in integers = 1/2", "x <- Lap(eps, q[1])\nif x > 0 then o <- 5 end"),
    ],
)
def test_runs_whose_output_leaves_its_set_refute_nothing(outputs: str, body: str) -> None:
    for claim in ("0*eps", "eps/2"):
        assert isinstance(proved(program(body, claim, outputs=outputs)), Open)


def test_a_run_whose_output_leaves_its_set_is_an_outcome() -> None:
    for body in ("x <- Lap(eps, q[1])\nif x > 0 then o <- 5 end", "o <- Lap(eps, q[1])"):
        found = proved(program(body, "2*eps", outputs="o in [0, 1] = 0"))
        assert isinstance(found, ProvedForAll)
        assert found.least.high == 1
    assert isinstance(proved(program("o <- q[1]\no <- 0", "2*eps", outputs="o in [0, 1] = 0")), Open)
    found = proved(program("o <- 0", "2*eps", outputs="o in integers = 1/2"))
    assert isinstance(found, Open)
    assert found.reason == "the start value of `o` may be outside its set"


def test_an_interval_that_is_kept_can_be_refuted() -> None:
    text = program("x <- Lap(eps, q[1])\nif x > 0 then o <- 1 end", "eps/2", outputs="o in [0, 1] = 0")
    assert isinstance(proved(text), BrokenFrom)


def test_a_size_at_which_the_program_is_none_is_not_private() -> None:
    text = program(
        "o <- Exp(eps, v in {0, 1, N}, v*q[1])",
        "5/4*eps for all N",
        inputs="q[N] in integers",
        outputs="o in {0, 1, N} = N",
        adjacent="l1 3/2",
    )
    found = proved(text)
    assert isinstance(found, BrokenFrom)
    assert (found.size, found.known_least) == (2, False)


# --- cells that are not known ---------------------------------------------------------------------

CELLS = "r <- Lap(eps, q[1])\nfor i in 1..N do if r > i then out[i] <- 1 end end\n"


@pytest.mark.parametrize("right", ["bot", "1"])
def test_a_cell_that_is_not_known_may_be_an_atom(right: str) -> None:
    text = program(
        f"{CELLS}if out[1] = {right} then o <- 1 end",
        "eps",
        outputs="out[N] in {bot, 1} = bot, o in {0, 1} = 0",
    )
    found = proved(text)
    assert isinstance(found, ProvedForAll)
    assert found.least.exact and found.least.high == 1


# --- sums -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("total", "t"), [("sum(q)", 1), ("sum(j in 1..N: 2*q[j])", 2)])
def test_a_sum_over_all_cells(total: str, t: int) -> None:
    found = proved(program(f"x <- Lap(eps, {total})\no <- disc(x, 0, 1)", "2*eps", adjacent="l1 1"))
    assert isinstance(found, ProvedForAll)
    assert found.least.exact and found.least.high == t


# --- loops over numbers ---------------------------------------------------------------------------

DRAWN = "for i in 1..N do noisy[i] <- Lap(eps/2, q[i]) end\n"


def in_loops(body: str) -> AllSizesVerdict:
    return proved(program(body, "8*eps", inputs="q[N] in {0, 1}", outputs="out[2] in 0..N = 0"))


def test_an_array_is_drawn_in_a_loop_over_numbers() -> None:
    found = in_loops(f"for k in 1..2 do\n{DRAWN}out[k] <- argmax(noisy)\nend")
    assert isinstance(found, ProvedForAll)
    assert found.least.exact and found.least.high == 2


@pytest.mark.parametrize(
    "body",
    [
        f"for k in 1..2 do\n{DRAWN}end\nout[1] <- argmax(noisy)",
        f"{DRAWN}for k in 1..2 do\nout[k] <- argmax(noisy)\nend",
    ],
)
def test_an_array_is_drawn_in_the_loop_that_reads_it(body: str) -> None:
    found = in_loops(body)
    assert isinstance(found, Open)
    assert "`noisy` is drawn in another loop than the one that reads it" in found.reason


def test_the_winner_of_an_array_has_a_value_and_an_index() -> None:
    found = in_loops(f"{DRAWN}out[1] <- argmax(noisy)\nx <- max(noisy)")
    assert isinstance(found, ProvedForAll)
    assert found.least.exact and found.least.high == 1


def test_the_least_of_an_array_is_not_its_winner() -> None:
    found = in_loops(f"{DRAWN}x <- max(noisy)\ny <- min(noisy)")
    assert isinstance(found, Open)
    assert found.reason == "`noisy` may have no value here"
