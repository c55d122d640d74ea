"""The distinct pairs of output probabilities of adjacent inputs, and every eps at which they violate a claim.

The privacy loss of an output o between adjacent inputs u and u' at eps is ``ln(P(u)(o)/P(u')(o))``.  Pairs
of inputs with the same two probabilities have the same loss: each is kept once, with the first pair of inputs
and the output that have it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import dipc.views as views
from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal, PrivacyInequalities
from dipc.claims.ratios import Measure, Ratio, vanishes
from dipc.claims.regions import Region, violated_regions
from dipc.clock import Clock
from dipc.models.laws import Case, Neighbours, Vector, cases_in_order, mass
from dipc.models.values import Valuation
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.inequality import Fails, Unclear
from dipc.signs.limits import Unsettled


@dataclass(frozen=True, slots=True)
class Witness:
    """Two adjacent inputs and some outputs, with the probabilities of these outputs on both.

    Of a bounded range, ``other`` is the same about the outputs that these are compared with; of a Renyi
    divergence, ``total`` is the sum over all outputs.
    """

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    probability: Quotient
    neighbour_probability: Quotient
    other: Witness | None = None
    total: Quotient | None = None

    @property
    def ratio(self) -> Quotient | None:
        """The ratio whose logarithm is lost; None if it is infinite."""
        if self.total is not None:
            return self.total
        over = Quotient.one() if self.other is None else self.other.neighbour_probability
        under = Quotient.one() if self.other is None else self.other.probability
        below = self.neighbour_probability * under
        return self.probability * over / below if below else None


class Demand(NamedTuple):
    """A ratio that the least t bounds, and the pairs of inputs that have it."""

    ratio: Ratio
    case: Case


class Losses:
    """The distinct pairs of output probabilities of adjacent inputs, for the eps range of ``judge``."""

    def __init__(self, neighbours: Neighbours, judge: SignOracle, clock: Clock) -> None:
        self.budgets = judge.budgets
        self.clock = clock
        self.judge = judge
        self._neighbours = neighbours

    def by_output(self) -> list[Case]:
        """A case for each distinct pair of probabilities of one output, in the order of the pairs.

        Pairs whose first probability is 0 are left out: they lose nothing.
        """
        found: dict[tuple[Quotient, Quotient], Case] = {}
        for case in cases_in_order(self._neighbours, by_output=True):
            self.clock.tick("neighbours", len(found), None)
            found.setdefault((case.left[0], case.right[0]), case)
        possible = {key: case for key, case in found.items() if key[0]}
        if not self.budgets.is_point:
            return list(possible.values())
        point = self.budgets.low  # where a function that is nonzero elsewhere may vanish
        return [case for (p, _), case in possible.items() if self.judge.numerator(p).sign_at(point)]

    def by_law(self) -> list[Case]:
        """A case for each distinct pair of laws, in the order of the pairs."""
        found: dict[tuple[Vector, Vector], Case] = {}
        for case in cases_in_order(self._neighbours, by_output=False):
            found.setdefault((case.left, case.right), case)
        return list(found.values())

    def demands(self, measure: Measure | None) -> list[Demand]:
        """The different ratios of a measure, by default of the privacy loss, of all adjacent inputs.

        Raises :class:`LimitReached`.
        """
        if measure is None:
            return [Demand(Ratio(case.left[0], case.right[0], (0,)), case) for case in self.by_output()]
        found: dict[Quotient | None, Demand] = {}
        cases = self.by_law()
        for done, case in enumerate(cases):
            self.clock.tick("likelihood ratios", done, len(cases))
            for each in measure.ratios(case.left, case.right, self.judge):
                found.setdefault(each.p / each.q if each.q else None, Demand(each, case))
        return list(found.values())

    def needing(self, demand: Demand, measure: Measure | None) -> Witness:
        """The first pair of inputs of a ratio: both groups of outputs, or the sum over all of them."""
        ratio, case = demand
        first = self.witness(case, ratio.outputs)
        if ratio.others:
            return replace(first, other=self.witness(case, ratio.others))
        if measure is None or vanishes(ratio.q, self.budgets):
            return first
        return replace(first, total=ratio.p / ratio.q)

    def worst_sets(self, goal: Goal) -> list[tuple[Case, tuple[int, ...]]]:
        """Distinct pairs of laws with their worst sets of outputs, those not empty.

        A worst set has the greatest ``P(u) - exp(t eps) P(u')`` at some eps.  Raises :class:`Unsettled`.
        """
        comparison = PrivacyInequalities(goal, self.judge)
        found = self.by_law()
        chosen = []
        for done, case in enumerate(found):
            self.clock.tick("worst sets of outputs", done, len(found))
            sets = comparison.worst_sets(case.left, case.right)
            chosen += [(case, some) for some in sets if some]
        return chosen

    def witness(self, case: Case, places: tuple[int, ...] = (0,)) -> Witness:
        """The first pair of inputs of a case, with the outputs at these places of its vectors."""
        outcomes = self._neighbours.outcomes
        first = case.pairs.first
        (u, v), (left, right) = self._neighbours.pair(first), self._neighbours.laws(first)
        outputs = [case.outputs[k] for k in places]
        return Witness(
            input=u,
            neighbour=v,
            outputs=tuple(outcomes[o] for o in outputs),
            probability=mass(left, outputs),
            neighbour_probability=mass(right, outputs),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Regions(views.Shown):
    """The maximal intervals of eps on which the claim is violated: none if it holds."""

    goal: Goal
    regions: tuple[Region, ...]


def violating_budgets(goal: Goal, losses: Losses) -> Regions:
    """Where the claim is violated.  Raises :class:`LimitReached`, also if a sign is not settled.

    ``losses`` must be for the eps range of ``goal``, whose delta is not negative there
    (:meth:`dipc.claims.privacy.Goal.validate`).
    """
    comparison = PrivacyInequalities(goal, losses.judge)
    sets = losses.worst_sets(goal) if goal.delta else [(case, (0,)) for case in losses.by_output()]
    broken: dict[ExpPoly, None] = {}
    for done, (case, chosen) in enumerate(sets):
        losses.clock.tick("inequalities", done, len(sets))
        f = losses.judge.normal_form(comparison.slack(case.left, case.right, chosen))
        match losses.judge.decide(f):
            case Fails():
                broken[f] = None
            case Unclear(low, high):
                raise Unsettled(low, high)
    return Regions(goal, tuple(violated_regions(list(broken), goal.budgets)) if broken else ())
