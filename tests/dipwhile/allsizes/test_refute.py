"""Lower bounds and counterexamples, against the exact engine on grids of inputs."""

from __future__ import annotations

import random

import pytest
from campaigns import spared
from flint import fmpq

from dipc.claims.tightness.least_epsilon import budget
from dipc.clock import Clock
from dipc.dipwhile.allsizes.finite import program_at
from dipc.dipwhile.allsizes.search import Search
from dipc.dipwhile.allsizes.verdict import BrokenFrom, Open, ProvedForAll
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import losses_of
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.printer import show_program
from dipc.errors import Source
from dipc.signs.eps_range import EpsRange
from tests.dipwhile.allsizes.asking import GAP, asked, proved, source

QUARTERS: dict[str, tuple[int | fmpq, ...]] = {
    "svt1": (1, 2, 3, 4),
    "svt4": (1, 6, 7, 7),
    "svt6": (2, 4, 6, 8),
    "nmax1": (0, 4, 4, 4),
    "svt_numeric": (fmpq(5, 2), 3, fmpq(7, 2), 4),
}


@pytest.mark.parametrize("program", QUARTERS)
def test_sizes(program: str) -> None:
    """The table of t(N): an upper bound over all runs, and a lower bound by one of them."""
    search = Search(asked(program), Clock())
    for n, quarters in enumerate(QUARTERS[program], 1):
        layer = search.layer(n)
        assert layer is not None and layer.run is not None
        assert layer.bound == fmpq(quarters) / 4
        assert search.lower_bound(n) == layer.bound


def on_grid(text: str, n: int, values: str) -> fmpq | None:
    """The least t of the exact engine for inputs on a grid; None if no t is enough."""
    made = text.replace("in reals", f"in {values}", 1).replace("N = 2", f"N = {n}", 1)
    least = budget(losses_of(Explored(read(Source("grid.dip", made))), EpsRange.positive(), Clock())).least
    return None if least.infinite else least.low


def a_program(rng: random.Random, told: str = "yes") -> str:
    """Noisy comparisons that are published, or hidden behind the start value."""
    rates = [rng.choice(["eps", "eps/2", "eps/4", "2*eps"]) for _ in range(2)]
    mean = rng.choice(["q[i]", "-q[i]", "2*q[i]", "q[1]", "q[i] + q[1]"])
    kind = rng.choice(["Lap", "Lap", "LapPlus"])
    test = rng.choice(["r >= x", "r < x", "r - x > 1", "r >= q[i]", "q[i] >= 0"])
    leave = rng.choice(["exit", "x <- Lap(eps, 0)", "count <- count + 1"])
    return f"""
param N = 2
input q[N] in reals
output out[N] in {{no, yes}} = no
adjacent {rng.choice(["linf 1", "l1 1"])}
count <- 0
x <- Lap({rates[0]}, 0)
for i in 1..N do
  r <- {kind}({rates[1]}, {mean})
  if {test} then
    out[i] <- {told}
    {leave}
  end
end
"""


@pytest.mark.parametrize("seed", spared(range(60), {*range(60)} - {0, 4, 8, 10, 18, 22, 28, 36, 44, 54}))
def test_against_the_engine(seed: int) -> None:
    """No grid needs more than t(N), and a lower bound is one: wide grids reach it."""
    text = a_program(random.Random(seed))
    search = Search(asked(text), Clock())
    for n in (1, 2):
        layer = search.layer(n)
        assert layer is not None and layer.run is not None
        (low, shown), needed = layer.concrete.lower_bound(layer.run), on_grid(text, n, "-3..3")
        assert layer.bound is None or (needed is not None and needed <= layer.bound)
        if shown:
            assert low == layer.bound
            assert needed is None if low is None else needed == low


@pytest.mark.parametrize("seed", spared(range(30), {*range(30)} - {0, 2, 5, 8, 11, 14, 17, 20, 23, 26}))
def test_hidden_decisions_against_the_engine(seed: int) -> None:
    """Where outputs hide decisions, a lower bound is still one: some inputs need it."""
    text = a_program(random.Random(seed), rng_told(seed))
    search = Search(asked(text), Clock())
    layer = search.layer(2)
    assert layer is not None and layer.run is not None
    (low, shown), needed = layer.concrete.lower_bound(layer.run), on_grid(text, 2, "-3..3")
    assert layer.bound is None or (needed is not None and needed <= layer.bound)
    if shown and needed is not None:
        assert low is not None and low <= needed


def rng_told(seed: int) -> str:
    """What a comparison publishes: nothing, or only in the second round."""
    return ("no", "no; if i = 2 then out[i] <- yes end")[seed % 2]


HIDDEN = """
param N = 2
input q[N] in reals
output out[N] in {no, yes} = no
adjacent linf 1
private eps/2 for all N
for i in 1..N do
  r <- Lap(eps, q[i])
  s <- Lap(eps/4, 0)
  if r >= s then out[i] <- no else out[i] <- no end
end
"""


def test_hidden_decisions() -> None:
    """Several paths with the same outputs: what a path costs is not needed."""
    search = Search(asked(HIDDEN), Clock())
    layer = search.layer(1)
    assert layer is not None and layer.run is not None
    assert layer.bound == fmpq(1, 4)
    assert len(list(layer.concrete.alike(layer.run.labels or {}, layer.run.outputs))) == 2


def test_a_choice_from_a_table_shows_no_lower_bound() -> None:
    """Its loss does not grow with the distance of the inputs."""
    layer = Search(asked("kary"), Clock()).layer(1)
    assert layer is not None and layer.concrete.lower_bound(layer.run) == (fmpq(0), False)


TWO_DRAWS = HIDDEN.replace("for i", "x <- Lap(eps/2, 0)\nfor i").replace(
    "s <- Lap(eps/4, 0)\n  if r >= s then out[i] <- no else out[i] <- no end",
    "s <- Lap(eps, q[i])\n  if r >= x and s > x then out[i] <- yes end",
)


def test_every_draw_of_a_run_is_another_number() -> None:
    """If s were x, no input would take the run."""
    layer = Search(asked(TWO_DRAWS), Clock()).layer(1)
    assert layer is not None and layer.concrete.lower_bound(layer.run) == (layer.bound, True)


OUTSIDE = """
input q in reals
output o in [1, 5] = 1
adjacent linf 1
x <- Lap(eps, q)
if x > 0 and x <= 5 then o <- x end
o <- 1
"""


@pytest.mark.parametrize(("text", "some"), [("nmax1", False), (OUTSIDE, True)])
def test_which_runs_leave_the_set_of_an_output(text: str, some: bool) -> None:
    """The winner of a maximum is in 1..N; a real number above 0 need not be 1."""
    decisions = [word for edge in asked(text).automaton(Clock()).edges for word in edge.decisions]
    assert any(word.startswith("the run fails") for word in decisions) is some


@pytest.mark.parametrize(
    ("first", "later", "fails"),
    [("1", "i", False), ("2", "i", True), ("1", "i + 1", True), ("1", "i - 1", True)],
)
def test_a_number_up_to_a_size(first: str, later: str, fails: bool) -> None:
    """2 is not in 1..N where N = 1; neither is N + 1, nor 0."""
    text = HIDDEN.replace("for i", f"k <- {first}\nfor i").replace("if r >= s", f"k <- {later}; if r >= s")
    edges = asked(f"{text}out[k] <- yes\n").automaton(Clock()).edges
    assert any(word.startswith("the run fails") for edge in edges for word in edge.decisions) is fails


IMPOSSIBLE = """
param N = 2
input q[N] in reals
output out[N] in {no, yes} = no
adjacent linf 1
private eps for all N
for i in 1..N do
  r <- Lap(2*eps, q[i])
  if r >= 0 and q[i] >= 1 and q[i] <= 0 then out[i] <- yes end
end
"""


def test_a_run_that_no_input_takes() -> None:
    verdict = proved(IMPOSSIBLE)
    assert not isinstance(verdict, BrokenFrom)


BOUNDED = """
param N = 2
input q[N] in [0, 1/4]
output out[N] in reals
adjacent hamming 1
for i in 1..N do
  out[i] <- Lap(eps, q[i])
end
"""


def test_bounded_inputs_have_no_asymptotics() -> None:
    layer = Search(asked(BOUNDED), Clock()).layer(1)
    assert layer is not None and layer.run is not None
    assert layer.bound == fmpq(1, 4)
    assert layer.concrete.lower_bound(layer.run) == (fmpq(0), False)


def test_levels() -> None:
    """Outputs without a finite set, in levels; the program is one for `dipc check`, with its text."""
    program = program_at(asked(GAP), {"N": 2}, {"q": {fmpq(0), fmpq(5)}})
    assert [variable.domain for variable in program.inputs] == [(fmpq(0), fmpq(5))]
    assert "disc(out_exact, -1, 0, 1)" in program.source.text
    assert show_program(parse(program.source)) == program.source.text


@pytest.mark.parametrize("program", ["svt4", "nmax4", "partial_sum_wrong", GAP.replace("r - rT", "r")])
def test_certificate_of_a_pair(program: str) -> None:
    verdict = proved(program)
    assert isinstance(verdict, BrokenFrom) and verdict.program is not None
    assert certificate(verdict.program, verdict.violated).claim


def test_declared_inputs() -> None:
    verdict = proved("svt3_quarter")
    assert isinstance(verdict, BrokenFrom)
    assert verdict.cycle == "every `bot` costs 1/4*eps or moves rT"
    assert proved("svt4").private_on_declared is False  # type: ignore[union-attr]


def test_a_claim_of_one_size() -> None:
    """With a number for the size the claim is about that size alone."""
    assert isinstance(proved("svt6", N=2), ProvedForAll)
    verdict = proved("svt1", N=4)
    assert isinstance(verdict, ProvedForAll) and verdict.least.attained_at == 4
    verdict = proved("svt6", N=3)
    assert isinstance(verdict, BrokenFrom) and verdict.size == 3


def test_a_loop_without_bound() -> None:
    """`retry` has cycles at every size: nothing hangs, and the engine is asked."""
    verdict = proved("retry")
    assert isinstance(verdict, Open)
    assert verdict.checked == "private with q in {true, false}: `dipc check`"
    assert source("retry").text


FAR = """
param N = 3
input q[N] in {0, 1}
output out[N] in {no, yes}
adjacent linf 1
private eps
for i in 1..N do
  if q[i] >= 5 then out[i] <- yes else out[i] <- no end
end
"""


def test_private_on_the_declared_inputs() -> None:
    """The claim breaks outside of the declared set, at an input that the run allows."""
    verdict = proved(FAR)
    assert isinstance(verdict, BrokenFrom)
    assert (verdict.size, verdict.known_least, verdict.private_on_declared) == (1, True, True)
    assert verdict.least.unbounded
    pair = verdict.violated.counterexample
    values = {value[0] for _, value in (*pair.input, *pair.neighbour) if isinstance(value, tuple)}
    assert min(values, key=str) < 5 <= max(values, key=str)  # type: ignore[operator]
