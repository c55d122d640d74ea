"""A violated inequality made into an exact counterexample that people can read and check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import fmpq

from dipc.claims.cases import Finding
from dipc.claims.privacy import PrivacyInequalities, Region, violated_regions, worst_sets
from dipc.claims.verdict import Counterexample
from dipc.models.laws import Vector
from dipc.models.values import Valuation
from dipc.numbers.quotient import Quotient
from dipc.signs.roots import Unsettled
from dipc.signs.tables import end_as_text


class PairOfLaws(NamedTuple):
    """The inputs u and u' with the probabilities of all outcomes on them."""

    outcomes: Sequence[Valuation]
    inputs: tuple[Valuation, Valuation]
    laws: tuple[Vector, Vector]


def counterexample(comparison: PrivacyInequalities, finding: Finding, laws: PairOfLaws) -> Counterexample:
    """The finding with a simple eps0, exact numbers, and all budgets at which the pair breaks the claim."""
    goal, (left, right) = comparison.goal, laws.laws
    outputs, sample = _simplest(comparison, finding, laws)
    p = sum((left[o] for o in outputs), Quotient.of(0))
    q = sum((right[o] for o in outputs), Quotient.of(0))
    bound = q * Quotient(goal.factor)
    regions = _violated_for(comparison, laws)
    excess = p - bound
    return Counterexample(
        input=laws.inputs[0],
        neighbour=laws.inputs[1],
        outputs=tuple(laws.outcomes[o] for o in outputs),
        epsilon=sample,
        probability=p,
        neighbour_probability=q,
        bound=bound + goal.delta if isinstance(goal.delta, Quotient) else goal.delta + bound,
        excess=excess - goal.delta if isinstance(goal.delta, Quotient) else -goal.delta + excess,
        violated_for=tuple((end_as_text(region.low), end_as_text(region.high)) for region in regions),
        closed_ends=tuple((region.low_closed, region.high_closed) for region in regions),
    )


def _simplest(
    comparison: PrivacyInequalities, finding: Finding, laws: PairOfLaws
) -> tuple[tuple[int, ...], fmpq]:
    """The outputs with the simplest budget at which they break the claim.

    With delta > 0 the outputs are the worst set at that budget.
    """
    slack = comparison.slack(*laws.laws, finding.outputs)
    try:
        regions = violated_regions([comparison.judge.signs_of(slack)], comparison.goal.budgets)
    except Unsettled:
        return finding.outputs, finding.sample
    sample = regions[0].sample
    if not comparison.goal.delta:
        return finding.outputs, sample
    margins = comparison.margins(*laws.laws)
    return tuple(o for o, margin in enumerate(margins) if margin.sign_at(sample) < 0), sample


def _violated_for(comparison: PrivacyInequalities, laws: PairOfLaws) -> list[Region]:
    """All budgets at which some set of outputs of this pair breaks the claim; empty if not settled."""
    goal, judge = comparison.goal, comparison.judge
    try:
        if goal.delta:
            sets = worst_sets(comparison.margins(*laws.laws), goal.budgets)
        else:
            sets = [(o,) for o in range(len(laws.outcomes))]
        slacks = [judge.signs_of(comparison.slack(*laws.laws, chosen)) for chosen in sets]
        return violated_regions(slacks, goal.budgets)
    except Unsettled:
        return []
