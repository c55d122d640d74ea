"""Runs as products of stars, and outputs up to a permutation of cells.

The comparisons of a run are a graph on its samples.  Each connected component must be a **star**: a hub, and
spokes that are compared with the hub and with nothing else.  Components are independent, so the
probability of a run is its weight times a product of integrals (:mod:`dipc.dipwhile.hub.integrals`), and that
of an output the sum over its runs.  A sample without a comparison contributes the factor 1.

A cell plays **roles**: being (in) the mean of the hub, or of a spoke below it, above it or within an interval
around it, in certain stars, with certain rates and means for its values.  The probability of an output for an
input depends on how many cells with the same roles have which value.  So two outputs with the same numbers of
cells for all roles, the same constant parts and weights, have the same **shape**: one is the other with
permuted cells.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from flint import fmpq

from dipc.dipwhile.hub.conditions import Interval, Weighted, stars
from dipc.dipwhile.hub.integrals import ABOVE, BELOW, HUB, WITHIN, Factor, Integrals, Powers
from dipc.dipwhile.hub.symbolic import Execution
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import check_total
from dipc.dipwhile.semantics.valuations import in_order
from dipc.numbers.quotient import Quotient

Roles = tuple[
    tuple[int, int], ...
]  # of one cell: the star (of its output) and the role in it, by their numbers
Cells = tuple[int, ...]  # places of cells
ONE = Quotient.one()


class Role(NamedTuple):
    """The kind of a factor, its rate, and its mean for each value of a cell, or the only one."""

    kind: int
    noise: str
    rate: fmpq
    means: tuple[fmpq, ...]
    width: fmpq  # of the interval that begins at the mean
    limits: Interval  # of the sample, by constants


class Shape(NamedTuple):
    """An output up to a permutation of cells: its runs with the constant roles of each star, and cells."""

    weights: tuple[Quotient, ...]
    runs: tuple[tuple[tuple[int, ...], ...], ...]
    cells: tuple[tuple[Roles, int], ...]  # how many play which roles


Assigned = Iterable[tuple[Roles, int, int]]  # roles, the place of a value in the domain, how many have it


class Shapes:
    """The shapes of all outputs, and the probability of each for an input."""

    def __init__(self, space: InputSpace, execution: Execution) -> None:
        self._execution = execution
        self._domains = space.domains
        self._numbers: dict[object, int] = {}
        self._members: dict[tuple[object, ...], tuple[int | None, int]] = {}
        self.roles: list[Role] = []
        self.left_open = execution.left_open
        self.outcomes = in_order(space.program, execution.outcomes)
        self.of = [self._shape(execution.outcomes[outcome]) for outcome in self.outcomes]
        each = [[Factor(r.kind, r.noise, r.rate, mean, *r[4:]) for mean in r.means] for r in self.roles]
        factors = {str(factor): factor for own in each for factor in own}
        numbers = {name: number for number, name in enumerate(factors)}
        self._factors = [[numbers[str(factor)] for factor in own] for own in each]
        listed = list(factors.values())
        self._kinds = [factor.kind for factor in listed]
        self._integrals = Integrals(listed)
        self._products: dict[tuple[tuple[int, Powers], ...], Quotient] = {}

    # --- from runs to shapes -------------------------------------------------------------------

    def _shape(self, runs: list[Weighted]) -> tuple[Shape, tuple[Cells, ...]]:
        cells: dict[int, list[tuple[int, int]]] = defaultdict(list)
        weights: list[Quotient] = []
        constant: list[tuple[tuple[int, ...], ...]] = []
        star = 0
        for bounds, weight in runs:
            fixed: list[tuple[int, ...]] = []
            for samples in stars(bounds, self._execution.samples):
                members = [self._member(*sample) for sample in samples]
                for place, role in members:
                    if place is not None:
                        cells[place].append((star, role))
                fixed.append(tuple(sorted([role for place, role in members if place is None])))
                star += 1
            weights.append(weight)
            constant.append(tuple(fixed))
        groups: dict[Roles, list[int]] = {}
        for place in sorted(cells):
            groups.setdefault(tuple(sorted(cells[place])), []).append(place)
        listed = sorted(groups.items())
        shape = Shape(
            tuple(weights), tuple(constant), tuple((roles, len(places)) for roles, places in listed)
        )
        return shape, tuple(tuple(places) for _, places in listed)

    def _member(self, sample: int, interval: Interval | None, limits: Interval) -> tuple[int | None, int]:
        """The cell of a sample, and its role: the hub minus it is in the interval; None for a hub."""
        ends = limits if interval is None else (*interval, *limits)
        key = sample, *(end if end is None else (end.p, end.q) for end in ends)
        known = self._members.get(key)
        if known is None:
            own = self._execution.samples[sample]
            kind, shift, width = HUB, fmpq(0), fmpq(0)
            match interval:
                case (None, fmpq() as high):
                    kind, shift = ABOVE, high
                case (fmpq() as low, None):
                    kind, shift = BELOW, low
                case (fmpq() as low, fmpq() as high):
                    kind, shift, width = WITHIN, low, high - low
            least, most = (None if end is None else end + shift for end in limits)
            role = Role(kind, own.kind, own.rate, tuple(m + shift for m in own.means), width, (least, most))
            domain = "" if own.cell is None else str(self._domains[own.cell])
            number = self._numbers.setdefault((str(role), domain), len(self.roles))
            if number == len(self.roles):
                self.roles.append(role)
            known = self._members[key] = own.cell, number
        return known

    # --- probabilities -------------------------------------------------------------------------

    def probability(self, shape: Shape, assigned: Assigned) -> Quotient:
        """The probability of an output of this shape whose cells have these values."""
        often: dict[int, Counter[int]] = defaultdict(Counter)
        for roles, value, number in assigned:
            for star, role in roles:
                often[star][self._factors[role][value]] += number
        total, star = Quotient.of(0), 0
        for weight, run in zip(shape.weights, shape.runs, strict=True):
            found: list[tuple[int, Powers]] = []
            for constant in run:
                often[star].update(self._factors[role][0] for role in constant)
                (hub,) = (factor for factor in often[star] if self._kinds[factor] == HUB)
                found.append((hub, tuple(sorted((f, n) for f, n in often[star].items() if f != hub and n))))
                star += 1
            product = self._product(tuple(sorted(found)))
            total = total + (product if weight == ONE else weight * product)
        return total

    def _product(self, stars: tuple[tuple[int, Powers], ...]) -> Quotient:
        """The product of integrals, remembered with all its beginnings."""
        if (known := self._products.get(stars)) is not None:
            return known
        product = ONE
        for end, star in enumerate(stars, start=1):
            if stars[:end] not in self._products:
                own = self._integrals.probability(*star)
                self._products[stars[:end]] = product * own if end > 1 else own
            product = self._products[stars[:end]]
        return product

    def check_totals(self, space: InputSpace) -> None:
        """The probabilities sum to 1: for inputs whose cells have the first values, the second, ..."""
        sizes = [len(domain) for domain in space.domains]
        shapes = Counter(shape for shape, _ in self.of)
        places = dict(self.of)  # cells with equal roles have equal domains
        for k in range(max(sizes, default=1)):
            total = Quotient.of(0)
            for shape, number in shapes.items():
                each = zip(shape.cells, places[shape], strict=True)
                assigned = [(roles, min(k, sizes[own[0]] - 1), many) for (roles, many), own in each]
                total = total + self.probability(shape, assigned) * number
            check_total(total)
