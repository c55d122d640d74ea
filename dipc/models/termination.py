"""Do the loops end with probability 1 for *every* eps?

Whether a loop can be left is a property of its graph, the same for every eps at which no probability on an
edge vanishes.  At the others some edges are missing.  The paper guesses which (Appendix A); here the roots of
the probabilities are isolated, and at each root the graph without the vanishing edges is examined.

Where the loop ends, :func:`dipc.models.linear.visits` is right at such an eps too: the equations have one
solution there, the limit of the solutions around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dipc.errors import InputError, Span
from dipc.frozen import frozen
from dipc.models.graph import reachable, reaching
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import about
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import RootCluster, sign_table


@frozen
class Loop:
    """The graph of one pass through a loop, kept to find where vanishing probabilities make it endless."""

    head: int
    edges: tuple[tuple[int, int, Quotient], ...]
    exits: frozenset[int]
    span: Span

    def never_ends_without(self, vanishing: Iterable[Quotient]) -> bool:
        """Whether a part that is never left can be reached where these probabilities are 0."""
        gone, places = set(vanishing), {place for edge in self.edges for place in edge[:2]}
        rows: list[list[tuple[int, Quotient]]] = [[] for _ in range(1 + max(places, default=self.head))]
        for s, t, p in self.edges:
            if p not in gone:
                rows[s].append((t, p))
        reached = reachable(rows, [self.head])
        return not reached <= reaching(rows, self.exits & reached, reached)


def check_termination(loop: Loop, budgets: EpsRange) -> None:
    """Raise :class:`InputError` if the loop does not end with probability 1 for some eps in the range.

    Roots too close to be separated are examined both together and one by one: refusing too much is safe.
    """
    probabilities = list(dict.fromkeys(p for _, _, p in loop.edges if p.numerator.as_rational() is None))
    for place, vanishing in _vanishing(probabilities, budgets):
        candidates = [vanishing, *([p] for p in vanishing)] if len(vanishing) > 1 else [vanishing]
        if any(loop.never_ends_without(candidate) for candidate in candidates):
            raise InputError(
                f"this loop does not end with probability 1 at eps {place}, where {vanishing[0]} is 0",
                loop.span,
                "restrict the claim to other budgets: private ... for eps in (low, high)",
            )


def _vanishing(probabilities: list[Quotient], budgets: EpsRange) -> Iterator[tuple[str, list[Quotient]]]:
    """Every eps at which some probabilities are 0, with those probabilities."""
    numerators = [p.numerator for p in probabilities]
    if not numerators:
        return
    for cell in sign_table(numerators, budgets):
        if isinstance(cell.high, RootCluster):
            yield about(cell.high), [probabilities[i] for i in sorted(cell.high.members)]
    for end in budgets.closed_ends:
        gone = [p for p in probabilities if p.numerator.sign_at(end) == 0]
        if gone:
            yield about(end), gone
