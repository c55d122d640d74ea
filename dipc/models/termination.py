"""Do the loops end with probability 1 for *every* budget?

Whether a loop can be left is a property of its graph, the same for all eps at which no probability on an
edge vanishes.  At the others some edges are missing.  The paper guesses which (Appendix A); here the roots of
the probabilities are isolated, and the graph without the vanishing edges is examined at each of them.

Where the loop ends, the visits of :mod:`dipc.models.linear` are right at such an eps too: the equations have
one solution there, which is therefore the limit of the solutions around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from dipc.errors import InputError
from dipc.models.graph import Loop
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import RootCluster, end_as_text, sign_table


def check_termination(loop: Loop, budgets: EpsRange) -> None:
    """Raise :class:`InputError` if the loop does not end with probability 1 for some eps of the budgets.

    Roots too close to be separated are taken together and one by one: refusing too much is safe.
    """
    probabilities = list(dict.fromkeys(p for _, _, p in loop.edges if p.numerator.as_rational() is None))
    for place, vanishing in _vanishing(probabilities, budgets):
        candidates = [vanishing, *([p] for p in vanishing)] if len(vanishing) > 1 else [vanishing]
        if any(loop.never_ends_without(candidate) for candidate in candidates):
            raise InputError(
                f"this loop does not end with probability 1 at eps = {place}, where {vanishing[0]} is 0",
                loop.span,
                "restrict the claim to other budgets: private ... for eps in (low, high)",
            )


def _vanishing(probabilities: list[Quotient], budgets: EpsRange) -> Iterator[tuple[str, list[Quotient]]]:
    """The budgets at which some of the probabilities are 0, with those that are."""
    numerators = [p.numerator for p in probabilities]
    if not numerators:
        return
    for cell in sign_table(numerators, budgets):
        if isinstance(cell.high, RootCluster):
            yield end_as_text(cell.high), [probabilities[i] for i in sorted(cell.high.members)]
    for end in _own_ends(budgets):
        gone = [p for p in probabilities if p.numerator.sign_at(end) == 0]
        if gone:
            yield str(end), gone


def _own_ends(budgets: EpsRange) -> list[fmpq]:
    """The ends that belong to the budgets."""
    ends = []
    if budgets.low_closed:
        ends.append(budgets.low)
    if budgets.high is not None and budgets.high_closed:
        ends.append(budgets.high)
    return ends
