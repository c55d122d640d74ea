"""Probabilities in a chain without eps, whose exact values may have thousands of digits.

Inequalities between them are settled by the first of these that can:

1. balls of 128 bits, which are proved enclosures: the elimination never subtracts, so they stay narrow; in a
   large chain bounds that one exact sweep over a guess proves (:mod:`dipc.models.inductive`);
2. balls of 256, 512 and 1024 bits, on the classes of the coarsest bisimulation that the open ones can reach:
   the states of one class have equal probabilities;
3. exact probabilities there, and exact signs: only they settle that two sides happen to be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from flint import arb, ctx, fmpq

from dipc.clock import Tick
from dipc.dpctl.formula import Formula, Not
from dipc.dpctl.paths import States, exact, probabilities
from dipc.models.graph import reachable
from dipc.models.inductive import bounds
from dipc.models.linear import Rows, increase
from dipc.models.lumping import bisimulation
from dipc.numbers.quotient import Quotient

K = TypeVar("K", fmpq, Quotient)
Pair = tuple[int, int | None]  # a state and its neighbour, if there is one
Number = TypeVar("Number", arb, Quotient)

FIRST = 128
MORE = (256, 512, 1024)  # bits
LARGE = 500  # so many states are worth the import of scipy
SMALL = 64  # so few states are solved exactly at once

ONE = Quotient.one()
HERE = fmpq(1)  # any eps: nothing depends on it


@dataclass(frozen=True, slots=True)
class Part(Generic[K]):
    """A part of a chain, or its classes: ``place[s]`` is the state that stands for the state s."""

    rows: Rows[K]
    known: Mapping[Formula, States]
    place: Mapping[int, int]

    def around(self, states: Iterable[int]) -> Part[K]:
        """What can be reached from these states."""
        kept = sorted(reachable(self.rows, {self.place[s] for s in states}))
        if len(kept) == len(self.rows):
            return self
        number = {s: place for place, s in enumerate(kept)}
        return self._renamed([[(number[t], p) for t, p in self.rows[s]] for s in kept], number)

    def lumped(self, tick: Tick) -> Part[K]:
        """The classes of the coarsest bisimulation."""
        truths = self.known.values()
        marks = [tuple(s in truth for truth in truths) for s in range(len(self.rows))]
        classes = bisimulation(self.rows, marks, tick)
        rows: list[dict[int, K]] = [{} for _ in range(max(classes) + 1)]
        for s, number in enumerate(classes):
            if not rows[number]:
                for t, p in self.rows[s]:
                    increase(rows[number], classes[t], p)
        return self._renamed([list(row.items()) for row in rows], dict(enumerate(classes)))

    def _renamed(self, rows: Rows[K], number: Mapping[int, int]) -> Part[K]:
        known = {f: frozenset(number[s] for s in truth if s in number) for f, truth in self.known.items()}
        return Part(rows, known, {s: number[p] for s, p in self.place.items() if p in number})

    def balls(self, path: Formula, tick: Tick, guess: bool = False) -> list[arb]:
        """Enclosures of the probabilities of a path formula, at the precision of the context.

        ``guess``: those of a large chain are rather proved by a sweep, and are wider.
        """
        rows = _Balls(self.rows)
        solve = partial(self._by_sweep, tick=tick) if guess and len(self.rows) >= LARGE else None
        return probabilities(rows, arb(1), path, self.known, tick, solve)

    def _by_sweep(self, left: States, right: States, holds: bool, tick: Tick) -> list[arb] | None:
        """The probabilities of ``left U right``, or of its negation, if a guess can be proved."""
        rows: Any = self.rows
        if not isinstance(rows[0][0][1], fmpq) or (found := bounds(rows, left, right, tick)) is None:
            return None
        values = found.balls()
        return values if holds else [1 - value for value in values]

    def exactly(self, path: Formula, tick: Tick) -> list[Quotient]:
        """The probabilities of a path formula."""
        return [ONE * value for value in exact(self.rows, path, self.known, tick)]


class _Balls(Sequence[Sequence[tuple[int, arb]]]):
    """Rows of balls, each made when it is asked for: a sweep asks for none."""

    def __init__(self, rows: Rows[Any]) -> None:
        self._rows, self._found = rows, dict[int, Sequence[tuple[int, arb]]]()

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        if place not in self._found:
            self._found[place] = [(t, _ball(p)) for t, p in self._rows[place]]
        return self._found[place]


class Values(Generic[K]):
    """The probabilities of a path formula; ``together`` are states whose exact values are found at once."""

    def __init__(
        self, path: Formula, rows: Rows[K], known: Mapping[Formula, States], together: States, tick: Tick
    ) -> None:
        self._path, self._together, self._tick = path, together, tick
        self._whole: Part[K] = Part(rows, known, {s: s for s in range(len(rows))})
        self._found: dict[int, Quotient] = {}
        self._balls: dict[int, arb] = {}

    def __getitem__(self, state: int) -> Quotient:
        if state not in self._found:
            states = self._together | {state}
            part = self._whole.around(states).lumped(self._tick)
            values = part.exactly(self._path, self._tick)
            self._found |= {s: values[part.place[s]] for s in states}
        return self._found[state]

    def near(self, states: Iterable[int]) -> list[arb] | None:
        """The balls that comparisons of these states needed; None if exact values take no long time."""
        found = [self._balls.get(s) for s in states]
        return None if None in found else [ball for ball in found if ball is not None]

    def signs(
        self, pairs: Collection[Pair], constant: Quotient, factor: Quotient = ONE
    ) -> Mapping[Pair, int]:
        """The signs of factor*Pr_t + constant - Pr_s for pairs (s, t); of constant - Pr_s without t.

        At 1 this is a matter of the graph: Pr_s(f) < 1 if and only if Pr_s(not f) > 0.
        """
        found: dict[Pair, int]
        if constant == ONE and all(t is None for _, t in pairs):
            other = Values(Not(self._path), self._whole.rows, self._whole.known, frozenset(), self._tick)
            found = {pair: -sign for pair, sign in other.signs(pairs, Quotient.of(0)).items()}
            self._balls |= {s: 1 - ball for s, ball in other._balls.items()}
            return found
        found = {}
        part, open_pairs = self._whole, list(pairs)
        for bits in (FIRST, *MORE):
            part = part.around(_states(open_pairs))
            if bits != FIRST and len(part.rows) <= SMALL:
                break
            with ctx.workprec(bits):
                balls = part.balls(self._path, self._tick, guess=bits == FIRST)
                if len(self._whole.rows) >= LARGE:
                    self._balls |= {s: balls[part.place[s]] for s in _states(open_pairs)}
                gaps = _gaps(part, balls, _ball(factor), _ball(constant))
                found |= {pair: s for pair in open_pairs if (s := _sign(gaps(*pair))) is not None}
            if not (open_pairs := [pair for pair in open_pairs if pair not in found]):
                return found
            if bits == FIRST:
                part = part.around(_states(open_pairs)).lumped(self._tick)
        exact_gaps = _gaps(part, part.exactly(self._path, self._tick), factor, constant)
        return found | {pair: exact_gaps(*pair).sign_at(HERE) for pair in open_pairs}


def _gaps(
    part: Part[K], values: list[Number], factor: Number, constant: Number
) -> Callable[[int, int | None], Number]:
    """The difference of the two sides for a pair; that of states of one class does not cancel."""
    place, more = part.place, factor - 1

    def gap(s: int, t: int | None) -> Number:
        if t is None:
            return constant - values[place[s]]
        if place[s] == place[t]:
            return more * values[place[t]] + constant
        return factor * values[place[t]] + (constant - values[place[s]])

    return gap


def _sign(ball: arb) -> int | None:
    """The sign of all numbers of a ball, if it is one."""
    return 1 if ball > 0 else -1 if ball < 0 else 0 if ball == 0 else None


def _ball(number: fmpq | Quotient) -> arb:
    return number.enclose(arb(1)) if isinstance(number, Quotient) else arb(number)


def _states(pairs: Iterable[Pair]) -> set[int]:
    return {s for pair in pairs for s in pair if s is not None}
