"""Runs as products of stars, and outputs up to a permutation of cells.

The conditions of a run are a graph on its samples.  Each connected component must be a **star**: a hub, and
spokes that are compared with the hub and with nothing else, once.  Components are independent, so the
probability of a run is a product of integrals (:mod:`dipc.dipwhile.hub.integrals`), and that of an output the
sum over its runs.  A sample without a condition contributes the factor 1.

A cell plays **roles**: being (in) the mean of the hub or of a spoke below or above it, in certain stars, with
certain rates and means for its values.  The probability of an output for an input depends on how many cells
with the same roles have which value.  So two outputs with the same numbers of cells for all roles, and the
same constant parts, have the same **shape**: one is the other with permuted cells.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from flint import fmpq

from dipc.dipwhile.hub.integrals import ABOVE, BELOW, HUB, Factor, Integrals
from dipc.dipwhile.hub.symbolic import Chain, Execution
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.valuations import in_order
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

Roles = tuple[
    tuple[int, int], ...
]  # of one cell: the star (of its output) and the role in it, by their numbers
Cells = tuple[int, ...]  # places of cells


class Role(NamedTuple):
    """The kind of a factor, its rate, and its mean for each value of a cell, or the only one."""

    kind: int
    noise: str
    rate: fmpq
    means: tuple[fmpq, ...]


class Shape(NamedTuple):
    """An output up to a permutation of cells: the stars of each run by their constant roles, and cells."""

    runs: tuple[tuple[tuple[int, ...], ...], ...]
    cells: tuple[tuple[Roles, int], ...]  # how many play which roles


Assigned = Iterable[tuple[Roles, int, int]]  # roles, the place of a value in the domain, how many have it


class Shapes:
    """The shapes of all outputs, and the probability of each for an input."""

    def __init__(self, space: InputSpace, execution: Execution) -> None:
        self._execution = execution
        self._domains = space.domains
        self._numbers: dict[object, int] = {}
        self._members: dict[tuple[int, int], tuple[int | None, int]] = {}
        self.roles: list[Role] = []
        self.outcomes = in_order(space.program, execution.outcomes)
        self.of = [self._shape(execution.outcomes[outcome]) for outcome in self.outcomes]
        each = [[Factor(r.kind, r.noise, r.rate, mean) for mean in r.means] for r in self.roles]
        factors = {str(factor): factor for own in each for factor in own}
        numbers = {name: number for number, name in enumerate(factors)}
        self._factors = [[numbers[str(factor)] for factor in own] for own in each]
        listed = list(factors.values())
        self._kinds = [factor.kind for factor in listed]
        self._integrals = Integrals(listed)

    # --- from runs to shapes -------------------------------------------------------------------

    def _shape(self, runs: list[Chain]) -> tuple[Shape, tuple[Cells, ...]]:
        cells: dict[int, list[tuple[int, int]]] = defaultdict(list)
        constant: list[tuple[tuple[int, ...], ...]] = []
        star = 0
        for run in runs:
            fixed: list[tuple[int, ...]] = []
            for hub, spokes in sorted(self._execution.stars(run).items()):
                members = [self._member(sample, condition) for sample, condition in ((hub, -1), *spokes)]
                for place, role in members:
                    if place is not None:
                        cells[place].append((star, role))
                fixed.append(tuple(sorted([role for place, role in members if place is None])))
                star += 1
            constant.append(tuple(fixed))
        groups: dict[Roles, list[int]] = {}
        for place in sorted(cells):
            groups.setdefault(tuple(sorted(cells[place])), []).append(place)
        listed = sorted(groups.items())
        shape = Shape(tuple(constant), tuple((roles, len(places)) for roles, places in listed))
        return shape, tuple(tuple(places) for _, places in listed)

    def _member(self, sample: int, condition: int) -> tuple[int | None, int]:
        """The cell of a sample, and its role in a condition; for a hub, which is in several, -1."""
        known = self._members.get((sample, condition))
        if known is None:
            own = self._execution.samples[sample]
            kind, shift = HUB, fmpq(0)
            if condition >= 0:
                above, _, offset = self._execution.conditions[condition]
                kind, shift = (ABOVE, -offset) if sample == above else (BELOW, offset)
            role = Role(kind, own.kind, own.rate, tuple(mean + shift for mean in own.means))
            domain = "" if own.cell is None else str(self._domains[own.cell])
            number = self._numbers.setdefault((str(role), domain), len(self.roles))
            if number == len(self.roles):
                self.roles.append(role)
            known = self._members[sample, condition] = own.cell, number
        return known

    # --- probabilities -------------------------------------------------------------------------

    def probability(self, shape: Shape, assigned: Assigned) -> Quotient:
        """The probability of an output of this shape whose cells have these values."""
        often: dict[int, Counter[int]] = defaultdict(Counter)
        for roles, value, number in assigned:
            for star, role in roles:
                often[star][self._factors[role][value]] += number
        total, star = ExpPoly(), 0
        for run in shape.runs:
            product = ExpPoly.of(1)
            for constant in run:
                often[star].update(self._factors[role][0] for role in constant)
                (hub,) = (factor for factor in often[star] if self._kinds[factor] == HUB)
                spokes = tuple(sorted((f, n) for f, n in often[star].items() if f != hub and n))
                product = product * self._integrals.probability(hub, spokes)
                star += 1
            total = total + product
        return Quotient(total)
