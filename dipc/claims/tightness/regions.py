"""Every eps at which a claim is violated, over all pairs of adjacent inputs and all sets of outputs."""

from __future__ import annotations

from dataclasses import dataclass

import dipc.views as views
from dipc.claims.privacy import Goal, PrivacyInequalities
from dipc.claims.regions import Region, violated_regions
from dipc.claims.tightness.losses import Losses
from dipc.signs.inequality import Fails, Unclear
from dipc.signs.limits import Unsettled
from dipc.signs.radicals import Function


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
    if goal.delta:
        slacks = [comparison.slack(c.left, c.right, chosen) for c, chosen in losses.worst_sets(goal)]
    else:
        slacks = [comparison.slack(c.left, c.right, (0,)) for c in losses.by_output()]
    broken: dict[Function, None] = {}
    for done, slack in enumerate(slacks):
        losses.clock.tick("inequalities", done, len(slacks))
        f = losses.judge.normal_form(slack)
        match losses.judge.decide(f):
            case Fails():
                broken[f] = None
            case Unclear(low, high):
                raise Unsettled(low, high)
    return Regions(goal, tuple(violated_regions(list(broken), goal.budgets)) if broken else ())
