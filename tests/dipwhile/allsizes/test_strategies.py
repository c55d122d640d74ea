"""Strategies: checked by multiplication, and against scipy on the inequalities as they are written."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from campaigns import some
from dipwhile.allsizes.automata import (
    above_threshold,
    automaton,
    edge,
    form,
    lap,
    layered,
    random_automaton,
    used_later,
    violations,
)
from flint import fmpq
from rationals import fraction

from dipc.clock import Clock, Limits
from dipc.dipwhile.allsizes.automaton import Guard
from dipc.dipwhile.allsizes.linear import NONE_FOUND, NoShift, Strategy, cheapest
from dipc.dipwhile.allsizes.runs import layered_value, run_value
from dipc.dipwhile.allsizes.strategies import TOO_MANY, Solved, Unsolved, covers, strategies
from dipc.errors import LimitReached


class Literally:
    """The inequalities of section 3 as they are written there, solved with floats."""

    def __init__(self, edges):
        self.numbers, self.at_least, self.equal = {}, [], []
        for i, one in enumerate(edges):
            self.add(i, one)

    def add(self, i, one):
        spent = {"one": one.cost}
        for n, sample in enumerate(one.samples):
            move = plus({("shift", i, n): 1}, self.moved(sample.mean, i, one.source), -1)
            self.at_least.append(plus({("k", i, n): 1}, move, -sample.rate))
            self.at_least.append(plus({("k", i, n): 1}, move, sample.rate))
            if sample.kind == "LapPlus":
                self.at_least.append(move)
            spent[("k", i, n)] = 1
        for guard in one.guards:
            (self.equal if guard.equal else self.at_least).append(self.moved(guard.form, i, one.source))
        for name, set_to in one.sets:
            self.equal.append(plus(self.moved(set_to, i, one.source), {(one.target, name): 1}, -1))
        self.at_least.append(
            plus(plus({one.source: 1}, {one.target: 1}, -1), spent, -1),
        )
        self.at_least += [{one.source: 1}, {one.target: 1}]

    def moved(self, form, i, place):
        terms = {(("shift", i, s) if isinstance(s, int) else (place, s)): a for s, a in form.terms}
        return terms | {"one": form.constant}

    def least(self, goal, whole):
        for row in (*self.at_least, *self.equal, {goal: 1}):
            for name in row.keys() - {"one"}:
                self.numbers.setdefault(name, len(self.numbers))
        wide = len(self.numbers)
        above = [[-x for x in self.vector(row)] for row in self.at_least] or [[0] * wide]
        below = [float(fraction(row.get("one", 0))) for row in self.at_least] or [0]
        equal = [self.vector(row) for row in self.equal] or [[0] * wide]
        to = [-float(fraction(row.get("one", 0))) for row in self.equal] or [0]
        kinds = [int(whole and isinstance(name, tuple) and name[0] == "shift") for name in self.numbers]
        from scipy.optimize import linprog  # takes a second: not while tests are collected

        found = linprog(
            self.vector({goal: 1}), above, below, equal, to, bounds=(None, None), integrality=kinds
        )
        assert found.status in (0, 2), found.message
        return None if found.status else found.fun

    def vector(self, row):
        found = [0.0] * len(self.numbers)
        for name, a in row.items():
            if name != "one":
                found[self.numbers[name]] = float(fraction(a))
        return found


NEAR = 1e-6


def near(exact, number):
    return number is None if exact is None else abs(float(fraction(exact)) - number) < NEAR


def plus(row, other, factor):
    return {name: row.get(name, 0) + factor * other.get(name, 0) for name in dict.fromkeys((*row, *other))}


def by_scipy(edges, start=0, whole=False):
    """The least potential of the start, or None; ``whole``: shifts are integers."""
    return Literally(edges).least(start, whole)


def runs(automaton, longest=6):
    """All runs of at most so many edges that cannot go on, or stop there."""
    waiting = [((), automaton.start)]
    while waiting:
        run, place = waiting.pop()
        after = [(i, e.target) for i, e in enumerate(automaton.edges) if e.source == place]
        if not after or len(run) == longest:
            yield run
        else:
            waiting += [((*run, i), target) for i, target in after]


def unrolled(automaton, run):
    return [replace(automaton.edges[i], source=n, target=n + 1) for n, i in enumerate(run)]


@pytest.mark.parametrize("count", (1, 2, 3))
def test_above_threshold(count):
    asked = above_threshold(count)
    found = strategies(asked, fmpq(1), Clock())
    assert isinstance(found, Solved) and found.t == 1 and len(found.strategies) == 1
    assert not list(violations(asked, found.strategies[0]))
    assert found.strategies[0].shifts[0] == (1,)
    assert run_value(asked, [0, 1, 2, 1, 2, 4]) <= 1


def test_no_noise_on_the_queries():
    asked = above_threshold(query=fmpq(0), forever=True)
    found = strategies(asked, None, Clock())
    assert isinstance(found, Unsolved) and set(found.edges) <= set(range(5)) and len(found.edges) >= 2
    assert run_value(asked, [0, 1, 4]) is None and run_value(asked, [0, 1]) == fmpq(1, 2)


def test_every_round_costs():
    asked = above_threshold(query=fmpq(1, 4), forever=True)
    found = strategies(asked, None, Clock())
    assert isinstance(found, Unsolved) and set(found.edges) - {0} and not found.reason
    values = [run_value(asked, [0, *[1, 4] * n]) for n in (1, 2, 4, 8)]
    assert values == sorted(set(values)) and all(values)


def test_a_sample_whose_use_is_decided_later_needs_strategies_of_its_own():
    asked = used_later()
    assert by_scipy(asked.edges) is None
    found = strategies(asked, None, Clock())
    assert isinstance(found, Solved) and found.t == 1 and len(found.strategies) == 2
    assert covers(asked, found.strategies)
    assert {one.edges for one in found.strategies} == {(0, 1, 4), (0, 2, 3)}
    assert not any(covers(asked, (one,)) for one in found.strategies)
    assert not covers(asked, ())


@pytest.mark.parametrize("seed", some(range(150), 25))
def test_strategies_of_random_automata(seed):
    asked = random_automaton(seed)
    together = by_scipy(asked.edges)
    found = strategies(asked, None, Clock())
    values = [run_value(asked, run) for run in Random(seed).choices(list(runs(asked)), k=5)]
    if isinstance(found, Unsolved):
        assert together is None and found.edges and not found.reason
        return
    assert together is None or float(fraction(found.t)) <= together + NEAR
    assert covers(asked, found.strategies)
    assert found.t == max(one.potentials[0] for one in found.strategies)
    for one in found.strategies:
        assert not list(violations(asked, one))
        assert near(one.potentials[0], by_scipy([asked.edges[i] for i in one.edges]))
    assert all(value is not None and value <= found.t for value in values)


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_without_cycles_the_strategies_cost_as_much_as_the_dearest_run(seed):
    asked = random_automaton(seed, places=5, cycles=False)
    costs = [by_scipy(unrolled(asked, run)) for run in runs(asked)]
    greatest = None if None in costs else max(costs)
    found, run = strategies(asked, None, Clock()), layered_value(asked, Clock())
    assert (found.t if isinstance(found, Solved) else None) == run.cost and near(run.cost, greatest)
    assert run.run in set(runs(asked)) and run_value(asked, run.run) == run.cost


@pytest.mark.parametrize("seed", some(range(150), 25))
def test_integer_noise_moves_by_integers(seed):
    asked = random_automaton(seed, kinds=("DLap",))
    whole = cheapest(asked.edges, 0, Clock())
    if not (isinstance(whole, NoShift) and whole.reason == NONE_FOUND):
        assert near(getattr(whole, "cost", None), by_scipy(asked.edges, whole=True))
    found = strategies(asked, None, Clock())
    if isinstance(found, Solved):
        assert not any(problem for one in found.strategies for problem in violations(asked, one))


def test_integer_noise_is_branched():
    """2 x = 1 + y has integers, 2 x = 1 has none; x >= 1/2 is rounded up."""
    odd = edge(0, 1, [lap(1, kind="DLap")], [Guard(form(-1, s0=2), True)])
    found = strategies(automaton(["", ""], [odd]), None, Clock())
    assert found == Unsolved((0,), "no integer shifts exist")
    up = edge(0, 1, [lap(1, kind="DLap")], [form(-1, s0=2)])
    found = strategies(automaton(["", ""], [up]), None, Clock())
    assert isinstance(found, Solved) and found.t == 1 and found.strategies[0].shifts == ((1,),)


def test_what_is_enough_is_not_improved():
    """x for both ways costs 2 and moves by 1; for one way alone it costs nothing or 1."""
    edges = [edge(0, 1, [lap(1)], sets={"x": form(s0=1)})]
    edges.append(edge(1, 2, guards=[form(-1, x=1)], decisions=["a"]))
    edges.append(edge(1, 3, [lap(1)], guards=[Guard(form(x=1, s0=1), True)], decisions=["b"]))
    asked = automaton(["", "x", "", ""], edges)
    enough, best = strategies(asked, fmpq(2), Clock(), least=False), strategies(asked, fmpq(2), Clock())
    assert isinstance(enough, Solved) and enough.t == 2 and len(enough.strategies) == 1
    assert isinstance(best, Solved) and best.t == 1 and len(best.strategies) == 2
    assert strategies(asked, fmpq(1), Clock(), least=False) == best


def test_too_many_chains_are_a_reason(monkeypatch):
    monkeypatch.setattr("dipc.dipwhile.allsizes.strategies.MAX_CHAINS", 1)
    found = strategies(used_later(), None, Clock())
    assert isinstance(found, Unsolved) and found.reason == TOO_MANY and found.edges
    monkeypatch.undo()
    monkeypatch.setattr("dipc.dipwhile.allsizes.strategies.MAX_MERGED", 0)
    found = strategies(used_later(), None, Clock())
    assert isinstance(found, Solved) and len(found.strategies) == 4 and covers(used_later(), found.strategies)


def test_the_time_limit_is_kept():
    with pytest.raises(LimitReached):
        strategies(used_later(), None, Clock(Limits(0)))
    with pytest.raises(LimitReached):
        layered_value(layered(above_threshold(), 3), Clock(Limits(0)))


def test_a_missing_edge_is_not_covered():
    asked = above_threshold()
    solved = strategies(asked, None, Clock())
    (one,) = solved.strategies
    assert covers(asked, (one,))
    for n in range(len(one.edges)):
        edges = one.edges[:n] + one.edges[n + 1 :]
        assert not covers(asked, (Strategy(edges, one.potentials, one.deltas, one.shifts),))
