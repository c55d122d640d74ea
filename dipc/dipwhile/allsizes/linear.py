"""The linear program of a set of edges: constants that move the samples, and what a run may still spend.

Unknowns are ``potential[place] >= 0``, ``delta[place, variable]`` and, for each sample, two numbers
``up, down >= 0``: its shift is ``change of the mean + up - down``, and it costs ``rate * (up + down)``, which
is at least ``rate * abs(shift - change of the mean)``.  One-sided noise never moves down.

Every solution is a proof (section 6 of the mathematics: a shift that is constant on a path is injective).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import ZERO, Edge, Form, Sample
from dipc.models.simplex import CONSTANT, Infeasible, Least, Row, Terms, added, least

ONE = fmpq(1)
NONE_EXIST, NONE_FOUND = "no integer shifts exist", "no integer shifts were found"
MAX_BRANCHES = 200
"""How many programs are solved at most to make the shifts of integer noise integers."""


class Bound(NamedTuple):
    """The shift of a sample of an edge is ``>= value``, or ``<= value`` if ``above``."""

    edge: int
    sample: int
    value: fmpq
    above: bool


@dataclass(frozen=True, slots=True)
class Strategy:
    """A solution for some edges of an automaton, with the least ``cost`` of a run.

    ``edges`` are their numbers, ascending.  ``potentials``: what may be spent from a place on, for each place
    that an edge begins or ends in.  ``deltas``: the difference of each live variable there.  ``shifts``: for
    each of ``edges`` the shifts of its samples.  ``carrying`` are the edges (by position) without which a run
    might be cheaper, as far as the multipliers of the program show.
    """

    edges: tuple[int, ...]
    potentials: dict[int, fmpq]
    deltas: dict[int, dict[str, fmpq]]
    shifts: tuple[tuple[fmpq, ...], ...]
    cost: fmpq = field(default=ZERO, compare=False)
    carrying: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class NoShift:
    """No constants will do.  ``carrying`` edges contradict each other, unless ``reason`` says more."""

    carrying: tuple[int, ...]
    reason: str = ""

    @property
    def cost(self) -> None:
        """Infinite."""


def cheapest(edges: Sequence[Edge], start: int, clock: Clock) -> Strategy | NoShift:
    """The least potential of ``start`` for some edges together; shifts of integer noise are integers.

    Sums of potentials and moves break ties, so that samples move only where they must.
    """
    found = relaxed(edges, start)
    if isinstance(found, NoShift) or _fractional(edges, found) is None:
        return found
    return _branched(edges, start, found, clock)


def relaxed(edges: Sequence[Edge], start: int, bounds: Sequence[Bound] = ()) -> Strategy | NoShift:
    """As :func:`cheapest`, but shifts of integer noise may be fractions: a lower bound."""
    program = _Program(edges)
    rows = [*program.rows(), *(Row(program.bound(bound)) for bound in bounds)]
    goal = program.potential(start)
    numbered = program.numbers
    found = least(
        rows,
        [{goal: ONE}, {j: ONE for key, j in numbered.items() if key[0] != "delta"}],
        {j for key, j in numbered.items() if key[0] == "delta"},
    )
    carrying = sorted({i for i, y in zip(program.owners, found.multipliers, strict=False) if y})
    if isinstance(found, Infeasible):
        return NoShift(tuple(carrying))
    return program.solution(start, found, tuple(carrying))


def cost_of_run(edges: Iterable[Edge]) -> fmpq | None:
    """The least cost of one run along these edges, however often one is repeated; None if no shift exists.

    Shifts of integer noise may be fractions: then this is a lower bound.
    """
    apart = [replace(edge, source=k, target=k + 1) for k, edge in enumerate(edges)]  # unknowns of its own
    return relaxed(apart, 0).cost


class _Program:
    """The rows, and the numbers of the unknowns."""

    def __init__(self, edges: Sequence[Edge]) -> None:
        self.edges = edges
        self.numbers: dict[tuple[str, int, int | str], int] = {}
        self.owners: list[int] = []  # the edge, by position, that each row is from
        self._shifts: list[list[Terms]] = []
        for i, edge in enumerate(edges):
            self._shifts.append([])
            for k, sample in enumerate(edge.samples):  # its mean is over earlier samples
                terms = self._value(sample.mean, i, edge)
                for j, sign in zip(self._move(i, k, sample), (ONE, -ONE), strict=False):
                    added(terms, {j: ONE}, sign)
                self._shifts[i].append(terms)

    def potential(self, place: int) -> int:
        return self._number("potential", place, "")

    def rows(self) -> Iterator[Row]:
        for i, edge in enumerate(self.edges):
            self.owners += [i] * (len(edge.guards) + len(edge.sets) + 1)
            for guard in edge.guards:
                yield Row(self._value(guard.form, i, edge), guard.equal)
            for name, form in edge.sets:
                terms = self._value(form, i, edge)
                added(terms, {self._delta(edge.target, name): ONE}, -ONE)
                yield Row(terms, True)
            spent = {CONSTANT: -edge.cost} if edge.cost else {}
            added(spent, {self.potential(edge.source): ONE}, ONE)
            added(spent, {self.potential(edge.target): ONE}, -ONE)
            for k, sample in enumerate(edge.samples):
                added(spent, dict.fromkeys(self._move(i, k, sample), ONE), -sample.rate)
            yield Row(spent)

    def bound(self, bound: Bound) -> Terms:
        sign = -ONE if bound.above else ONE
        terms = {CONSTANT: -sign * bound.value}
        added(terms, self._shifts[bound.edge][bound.sample], sign)
        return terms

    def solution(self, start: int, found: Least, carrying: tuple[int, ...]) -> Strategy:
        places = {start, *(place for edge in self.edges for place in (edge.source, edge.target))}
        values, known = found.values, found.values | {CONSTANT: ONE}
        deltas: dict[int, dict[str, fmpq]] = {place: {} for place in sorted(places)}
        own_deltas = ((p, str(name), j) for (kind, p, name), j in self.numbers.items() if kind == "delta")
        for place, name, j in sorted(own_deltas):
            deltas[place][name] = values.get(j, ZERO)
        shifts = (
            tuple(sum((a * known.get(j, ZERO) for j, a in shift.items()), ZERO) for shift in own)
            for own in self._shifts
        )
        potentials = {place: values.get(self.potential(place), ZERO) for place in deltas}
        numbers = tuple(range(len(self.edges)))
        return Strategy(numbers, potentials, deltas, tuple(shifts), found.cost, carrying)

    def _move(self, i: int, k: int, sample: Sample) -> tuple[int, ...]:
        """The numbers of ``up`` and ``down``."""
        ways = ("up",) if sample.kind == "LapPlus" else ("up", "down")
        return tuple(self._number(way, i, k) for way in ways)

    def _value(self, form: Form, i: int, edge: Edge) -> Terms:
        terms = {CONSTANT: form.constant} if form.constant else {}
        for s, a in form.terms:
            own = self._shifts[i][s] if isinstance(s, int) else {self._delta(edge.source, s): ONE}
            added(terms, own, a)
        return terms

    def _delta(self, place: int, name: str) -> int:
        return self._number("delta", place, name)

    def _number(self, kind: str, where: int, what: int | str) -> int:
        return self.numbers.setdefault((kind, where, what), len(self.numbers))


def _fractional(edges: Sequence[Edge], found: Strategy) -> Bound | None:
    """The first shift of integer noise that is not an integer."""
    for i, edge in enumerate(edges):
        for k, (sample, shift) in enumerate(zip(edge.samples, found.shifts[i], strict=True)):
            if sample.kind == "DLap" and shift.q != 1:
                return Bound(i, k, shift, False)
    return None


def _branched(edges: Sequence[Edge], start: int, root: Strategy, clock: Clock) -> Strategy | NoShift:
    """Branch and bound, the cheapest first: the first solution in integers is the least one."""
    waiting: list[tuple[Strategy, tuple[Bound, ...]]] = [(root, ())]
    for done in range(MAX_BRANCHES):
        if not waiting:
            return NoShift(root.carrying, NONE_EXIST)
        clock.tick("integer shifts", done)
        found, bounds = waiting.pop(min(range(len(waiting)), key=lambda n: (waiting[n][0].cost, -n)))
        wrong = _fractional(edges, found)
        if wrong is None:
            return found
        floor = fmpq(wrong.value.p // wrong.value.q)
        for half in (wrong._replace(value=floor, above=True), wrong._replace(value=floor + 1)):
            below = relaxed(edges, start, (*bounds, half))
            if isinstance(below, Strategy):
                waiting.append((below, (*bounds, half)))
    return NoShift(root.carrying, NONE_FOUND)
