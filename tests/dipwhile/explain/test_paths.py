"""Paths: what is on them, and that nothing is lost or counted twice."""

from __future__ import annotations

from collections import Counter
from itertools import product

from campaigns import drawn
from flint import fmpq
from hypothesis import given, note
from strategies import discrete_programs, looping_programs, programs

import dipc
from dipc.dipwhile.convert import to_input, to_outcome
from dipc.dipwhile.explain.paths import Event, Found, Walk
from dipc.dipwhile.explain.shifts import Alignment, alignment
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.semantics.adjacency import Input, InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.errors import Unsupported
from dipc.numbers.quotient import Quotient

BUDGETS = (fmpq(1, 100), fmpq(1, 2), fmpq(2), fmpq(9))


MOST = 16  # paths, else a program is left out


def found_on(program: str, inputs: str, output: str, most: int | None = None, **parameters: int) -> Found:
    mechanism = Mechanism.load(program, **parameters)
    core = mechanism.program
    return Walk(core, to_input(core, inputs)).paths([to_outcome(core, output)], most)


def check_sums(mechanism: Mechanism, inputs: Input, tally: Counter[str]) -> Found | None:
    """The paths to each outcome have its probability together, whether asked for alone or with the others."""
    walk = Walk(mechanism.program, inputs)
    everything = walk.paths(most=MOST)
    if not everything.complete:
        tally["many"] += 1
        return None
    law = Explorer(mechanism.program).law(inputs)
    sums = {outcome: Quotient.of(0) for outcome in law}
    for path in everything.paths:
        assert path.probability
        sums[path.outcome] = sums[path.outcome] + path.probability
    assert {o: p for o, p in sums.items() if p} == {o: p for o, p in law.items() if p}
    for outcome in law:
        alone = walk.paths([outcome])
        assert alone.complete
        assert alone.paths == tuple(path for path in everything.paths if path.outcome == outcome)
    signatures = [path.signature for path in everything.paths]
    assert len(set(signatures)) == len(signatures), "two paths make the same random choices"
    tally["whole"] += 1
    tally["several"] += len(everything.paths) > 2
    return everything


def check_shifts(left: Found, right: Found, tally: Counter[str]) -> None:
    """Twins exist, and the bound of each shift holds, at some budgets."""
    twins = {path.signature: path for path in right.paths}
    for path in left.paths:
        twin = twins.get(path.signature)
        found = None if twin is None else alignment(path, twin)
        if twin is None or found is None:
            continue
        slack = found.bound * twin.probability - path.probability
        assert all(slack.sign_at(eps) >= 0 for eps in BUDGETS), (path, twin, found)
        tally["shifts"] += 1
        tally["costs"] += bool(found.cost)


def law_for(source: object, examples: int) -> Counter[str]:
    """Both laws on random programs, with what was met."""
    tally: Counter[str] = Counter()

    @drawn(examples)
    @given(source)  # type: ignore[arg-type]
    def law(text: str) -> None:
        note(text)
        try:
            mechanism = dipc.load(text)
            inputs = list(InputSpace(mechanism.program))[:2]
            found = [check_sums(mechanism, u, tally) for u in inputs]
            for left, right in product(found, repeat=2):
                if left is not None and right is not None and left is not right:
                    check_shifts(left, right, tally)
        except Unsupported:
            tally["unsupported"] += 1

    law()
    return tally


def test_paths_with_real_noise() -> None:
    tally = law_for(programs(), 15)
    assert tally["several"] > 5, tally
    assert tally["costs"] > 5, tally


def test_paths_with_integer_noise() -> None:
    tally = law_for(discrete_programs(), 12)
    assert tally["several"] > 5, tally
    assert tally["costs"] > 5, tally


def test_paths_through_loops() -> None:
    assert law_for(looping_programs(), 10)["whole"] > 5


# --- single programs -----------------------------------------------------------------------------


def test_samples_keep_their_names_when_others_die() -> None:
    text = """
    input q in {0, 1}; output o in {0, 1}; adjacent all
    a <- Lap(eps, 0); b <- Lap(2*eps, q); c <- a > b
    s <- Lap(3*eps, 5)
    if s < b then o <- 1 else o <- 0 end
    """
    (path, *_) = Walk(dipc.load(text).program, {("q", 0): fmpq(0)}).paths().paths
    ((last,),) = [step.conditions for step in path.steps if step.taken is not None]
    assert {i for i, _ in last.coefficients} == {1, 2}, "b and s, not a"


def test_no_more_paths_than_asked_for() -> None:
    whole = found_on("nmax3", "q=[0,0,0]", "out=0")
    first = found_on("nmax3", "q=[0,0,0]", "out=0", most=2)
    assert (len(whole.paths) > 2, whole.complete, first.complete) == (True, True, False)
    assert first.paths == whole.paths[:2]


def test_how_far_choices_can_be_followed() -> None:
    mechanism = Mechanism.load("svt5", N=2)
    core = mechanism.program
    u, v = (to_input(core, text) for text in ("q=[-1,0]", "q=[-1,-1]"))
    (path,) = Walk(core, u).paths([to_outcome(core, "out=[bot,top]")]).paths
    stop = Walk(core, v).follow(path)
    assert stop.step is path.choices[-1]
    assert (stop.path, stop.reached) == (None, True)
    itself = Walk(core, u).follow(path)
    assert (itself.step, itself.path) == (None, path)


def test_a_step_that_is_not_reached() -> None:
    core = Mechanism.load("opendp_2922").program
    (path,) = Walk(core, to_input(core, "q=1")).paths([to_outcome(core, "out=present")]).paths
    stop = Walk(core, to_input(core, "q=0")).follow(path)
    assert stop.step is not None
    assert (stop.step.event, stop.reached, stop.other) == (Event.NOISE, False, None)


# --- shifts ----------------------------------------------------------------------------------------


def shift_of(program: str, u: str, v: str, output: str, **parameters: int) -> Alignment:
    left, right = (found_on(program, inputs, output, **parameters).paths[0] for inputs in (u, v))
    found = alignment(left, right)
    assert found is not None
    return found


def test_the_threshold_pays_once() -> None:
    """Lyu, Su and Li's Algorithm 4: all queries rise, and the threshold with them."""
    found = shift_of("svt4", "q=[-1,-1,0]", "q=[0,0,-1]", "out=[bot,bot,top]")
    assert [(str(s.by), str(s.cost)) for s in found.shifts] == [
        ("1", "1/4"),
        ("1", "0"),
        ("1", "0"),
        ("1", "3/2"),
    ]
    assert found.cost == fmpq(7, 4)


def test_a_cheapest_shift_is_cheaper_than_all_small_ones() -> None:
    """The linear program against all shifts by halves up to 2."""
    core = Mechanism.load("svt4", N=2).program
    u, v = to_input(core, "q=[-1,0]"), to_input(core, "q=[0,-1]")
    (left,), (right,) = (Walk(core, w).paths([to_outcome(core, "out=[bot,top]")]).paths for w in (u, v))
    found = alignment(left, right)
    assert found is not None
    grid = [fmpq(i, 2) for i in range(-4, 5)]
    costs = []
    for by in product(grid, repeat=3):
        pairs = zip(left.conditions, right.conditions, strict=True)
        if all(sum(c * by[i] for i, c in a.coefficients) >= a.constant - b.constant for a, b in pairs):
            drift = [b.law.mean - a.law.mean for a, b in zip(left.samples, right.samples, strict=True)]
            costs.append(
                sum(s.law.rate * abs(d - m) for s, d, m in zip(left.samples, by, drift, strict=True))
            )
    assert min(costs) == found.cost


def test_one_sided_noise_is_not_moved_below_its_start() -> None:
    text = """
    input q in {0, 1}; output o in {no, yes}; adjacent all
    r <- LapPlus(eps, q)
    if r > 3 then o <- yes else o <- no end
    """
    core = dipc.load(text).program
    paths = {
        (q, path.outcome[0].name): path
        for q in (0, 1)
        for path in Walk(core, {("q", 0): fmpq(q)}).paths().paths
    }
    up = alignment(paths[0, "yes"], paths[1, "yes"])
    assert up is not None
    assert (up.shifts[0].by, up.cost) == (1, 0)
    assert alignment(paths[0, "no"], paths[1, "no"]) is None, "values below 1 have no place to go"
    down = alignment(paths[1, "yes"], paths[0, "yes"])
    assert down is not None
    assert (down.shifts[0].by, down.cost) == (0, 1)


def test_finite_choices_are_a_factor() -> None:
    found = shift_of("rand1", "q=[true]", "q=[false]", "out=[true]", N=1)
    assert (found.shifts, str(found.factor)) == ((), "exp(eps)")


def test_a_rate_that_falls_with_eps() -> None:
    found = shift_of("hist2", "q=[-1]", "q=[0]", "out=[-1]", N=1)
    assert (found.inverse, found.cost, str(found.bound)) == (True, 1, "exp(1/eps)")
