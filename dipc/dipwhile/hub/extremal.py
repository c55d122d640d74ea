"""The adjacent inputs that decide a claim by output: extremal pairs, one of each orbit.

**Monotone by structure.**  ``F(y - m)`` falls with m, ``1 - F(y - m)`` grows.  So the probability of a run
falls with the mean of each spoke below a hub and grows with that of each spoke above; with the mean of a hub
it grows if all its spokes are below and falls if all are above (a shift of y moves the mean to the spokes).
A constant that a sample is compared with counts as one of those below it, or above it.
All factors and weights are >= 0, and the probability of an output is a sum over its runs.  Where a sample is
compared on both sides, nothing is known, and only equal means are comparable.

**Extremal moves.**  Let a cell be (a, b) in (u, u'), and (a', b') another move that costs no more of the
distance, such that in each of its roles it makes P(u)(o) no smaller and P(u')(o) no greater.  Then with p, q
for (a, b) and p' >= p, q' <= q for (a', b')

    x q - p  =  x (q - q') + (x q' - p') + (p' - p)  >=  x q' - p'          for every factor x = exp(epsilon):

if a claim with delta = 0 holds of the pair with (a', b'), then of that with (a, b).  Moves are replaced cell
by cell, so every pair is dominated by one in which each cell has a move that no other one dominates, and a
cell without a role does not move.  All pairs have the same epsilon, so this is a proof; every pair listed
here is a pair of adjacent inputs, so a violation is one.

**Orbits.**  Cells of one domain may be permuted together in u and u' in every named distance.  So of each
shape of outputs one is compared, and of its cells with equal roles only how many make which move counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from dipc.clock import Tick
from dipc.dipwhile.hub.conditions import Unfit
from dipc.dipwhile.hub.integrals import ABOVE, BELOW, HUB, WITHIN
from dipc.dipwhile.hub.shapes import Cells, Roles, Shape, Shapes
from dipc.dipwhile.hub.symbolic import Execution
from dipc.dipwhile.semantics.adjacency import Distance, InputSpace
from dipc.dipwhile.semantics.neighbours import WithinDistance
from dipc.dipwhile.semantics.pairs import Ranks
from dipc.dipwhile.semantics.valuations import output_valuation
from dipc.dipwhile.syntax.core import CoreAdjacency
from dipc.errors import InternalError
from dipc.models.laws import Case, Pairs, Vector
from dipc.models.values import Valuation
from dipc.numbers.quotient import Quotient

MOST_PAIRS = 20_000  # to compare for one output, times its runs

Move = tuple[int, int, int]  # the places of the values in u and u', and what is left of the distance then
Chosen = tuple[tuple[Move, int], ...]  # for some cells with equal roles: how many make which move


def found(space: InputSpace, relation: CoreAdjacency, tick: Tick) -> HubNeighbours | None:
    """The extremal pairs of a program, in a named distance; None if it is not of the class."""
    if space.program.unit:
        return None
    try:
        return HubNeighbours(space, Distance(space, relation), tick)
    except Unfit:
        return None


class HubNeighbours(WithinDistance):
    """The extremal pairs of adjacent inputs, for claims by output.  Raises :class:`Unfit`."""

    shortcut = "extremal pairs, one integral over a hub each"

    def __init__(self, space: InputSpace, relation: Distance, tick: Tick) -> None:
        super().__init__(space, relation)
        self._distance, self._tick = relation, tick
        self._shapes = Shapes(space, Execution(space, tick))
        self.left_open = self._shapes.left_open
        self._shapes.check_totals(space)
        self._choices = {shape: self._chosen(shape, cells) for shape, cells in dict(self._shapes.of).items()}

    @cached_property
    def outcomes(self) -> list[Valuation]:
        """The outcomes, each with a positive probability on every input."""
        return [output_valuation(self.space.program, outcome) for outcome in self._shapes.outcomes]

    def by_output(self) -> Iterator[Case]:
        """Of each shape of outputs the extremal pairs, one of each orbit."""
        first = {shape: number for number, (shape, _) in reversed(list(enumerate(self._shapes.of)))}
        for shape, number in first.items():
            cells = self._shapes.of[number][1]
            for chosen in self._choices[shape]:
                self._tick()
                left, right = (self._probability(shape, chosen, side) for side in (0, 1))
                yield Case((number,), (left,), (right,), Pairs(self._rank(cells, chosen), 1))

    def by_law(self, limit: int | None = None) -> Iterator[Case]:
        """Not known here."""
        raise InternalError("extremal pairs are for claims by output")

    def laws(self, rank: int) -> tuple[Vector, Vector]:
        """The probabilities of all outputs for both inputs."""
        _, left, right = Ranks(self.space).parts(rank)
        return self.law(self.space.digits(left)), self.law(self.space.digits(right))

    def law(self, digits: list[int]) -> Vector:
        """The probabilities of all outputs for the input with these values, by their places."""
        found = []
        for shape, cells in self._shapes.of:
            assigned = [
                (roles, digits[place], 1)
                for (roles, _), own in zip(shape.cells, cells, strict=True)
                for place in own
            ]
            found.append(self._shapes.probability(shape, assigned))
        return tuple(found)

    # --- pairs -----------------------------------------------------------------------------------

    def _chosen(self, shape: Shape, cells: tuple[Cells, ...]) -> list[tuple[Chosen, ...]]:
        """The extremal moves of all cells with roles, up to permutations of those with the same.

        Raises :class:`Unfit` if they are so many that little is known to be monotone.
        """
        found: list[tuple[tuple[Chosen, ...], int]] = [((), self._distance.start)]
        for (roles, number), places in zip(shape.cells, cells, strict=True):
            moves = self._extremal(shape, roles, places[0])
            found = [
                ((*before, chosen), left)
                for before, rest in found
                for chosen, left in self._shared_out(moves, number, rest)
            ]
            if len(found) * max(1, len(shape.runs)) > MOST_PAIRS:
                raise Unfit
        return [chosen for chosen, _ in found]

    def _shared_out(self, moves: list[Move], number: int, left: int) -> list[tuple[Chosen, int]]:
        """All ways in which so many cells make these moves, with what is left of the distance."""
        open_ways: list[tuple[Chosen, int, int]] = [((), number, left)]
        found: list[tuple[Chosen, int]] = []
        for move in moves:
            self._tick()
            cost = self._distance.start - move[2]
            ways = [
                ((*chosen, (move, many)) if many else chosen, rest - many, left - many * cost)
                for chosen, rest, left in open_ways
                for many in range(rest + 1)
                if many * cost <= left
            ]
            found += [(chosen, left) for chosen, rest, left in ways if not rest]
            open_ways = [way for way in ways if way[1]]
        return found

    def _extremal(self, shape: Shape, roles: Roles, place: int) -> list[Move]:
        """The moves of a cell that no other one dominates; of those that dominate each other the first."""
        moves = self._distance.moves(place, self._distance.start)
        means = [(self._direction(shape, star, role), self._shapes.roles[role].means) for star, role in roles]

        def dominates(one: Move, other: Move) -> bool:
            (a, b, left), (a2, b2, left2) = one, other
            return left >= left2 and all(
                (m[a] == m[a2] and m[b] == m[b2])
                if not direction
                else (direction * (m[a] - m[a2]) >= 0 and direction * (m[b2] - m[b]) >= 0)
                for direction, m in means
            )

        kept: list[Move] = []
        for move in moves:
            if not any(dominates(other, move) for other in kept):
                kept = [other for other in kept if not dominates(move, other)] + [move]
        return kept

    def _direction(self, shape: Shape, star: int, role: int) -> int:
        """1 if the probability grows with the mean of a role, -1 if it falls, 0 if that is not known."""
        kind, (low, high) = self._shapes.roles[role].kind, self._shapes.roles[role].limits
        stars = [constant for run in shape.runs for constant in run]
        of_cells = (r for roles, _ in shape.cells for s, r in roles if s == star)
        others = {self._shapes.roles[r].kind for r in (*stars[star], *of_cells)} - {HUB}
        sides = {HUB: others, ABOVE: {BELOW}, BELOW: {ABOVE}, WITHIN: {WITHIN}}[kind]
        sides |= {BELOW} if low is not None else set()
        sides |= {ABOVE} if high is not None else set()
        return {frozenset({BELOW}): 1, frozenset({ABOVE}): -1}.get(frozenset(sides), 0)

    def _probability(self, shape: Shape, chosen: tuple[Chosen, ...], side: int) -> Quotient:
        assigned = (
            (roles, move[side], number)
            for (roles, _), moves in zip(shape.cells, chosen, strict=True)
            for move, number in moves
        )
        return self._shapes.probability(shape, assigned)

    def _rank(self, cells: tuple[Cells, ...], chosen: tuple[Chosen, ...]) -> int:
        """The pair in which cells make the moves in order; those without roles have their first values."""
        ranks, rank = Ranks(self.space), 0
        for places, moves in zip(cells, chosen, strict=True):
            each = (move for move, number in moves for _ in range(number))
            rank += sum(ranks.step(place, a, b) for place, (a, b, _) in zip(places, each, strict=True))
        return rank
