"""How much was examined to reach a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from dipc.claims.cases import Findings
from dipc.claims.claim import Claim
from dipc.models.laws import Neighbours
from dipc.signs.inequality import Fails, Unclear
from dipc.signs.proofs import Chain, Identity, Inverse, Point, SignTable


@dataclass(frozen=True, slots=True)
class Counts:
    """What was examined: for a violation, up to the counterexample in the order of pairs and outputs.

    ``pairs`` are ordered; ``inequalities`` are counted for every pair, ``distinct`` are those that differ by
    more than a positive factor.  Of the distinct ones ``by_chain`` were proved by the derivative chain,
    ``identities`` are equalities for every eps, ``by_roots`` needed root isolation, and ``at_point`` were
    decided by the sign at the only eps in question.  ``broken`` ones do not hold, ``open`` ones are not
    settled.

    If a limit was reached, ``pairs`` are those settled with all their inequalities, and ``inequalities``
    are all that were settled, for these pairs and others.
    """

    inputs: int
    pairs: int
    outputs: int
    inequalities: int
    distinct: int
    identities: int = 0
    by_chain: int = 0
    by_roots: int = 0
    at_point: int = 0
    broken: int = 0
    open: int = 0


def counts_of(neighbours: Neighbours, claim: Claim, findings: Findings) -> Counts:
    """All that was examined; for a violation, what going through the pairs one by one would examine."""
    found = findings.violation
    if found is None:
        return _counted(neighbours, neighbours.count(), findings.inequalities, findings)
    pairs = neighbours.count(found.pair)
    if claim.by_output:
        inequalities = (pairs - 1) * len(neighbours.outcomes) + found.outputs[0] + 1
    else:
        earlier = neighbours.by_law(found.pair)
        inequalities = sum(case.pairs.number * findings.asked[case.left, case.right] for case in earlier)
    return _counted(neighbours, pairs, inequalities, findings)


def counts_so_far(inputs: int, neighbours: Neighbours | None, findings: Findings) -> Counts:
    """What was settled before a limit: pairs with all their outputs, and all equal inequalities."""
    if neighbours is None:
        return Counts(inputs, 0, 0, 0, 0)
    return _counted(neighbours, neighbours.count(findings.open - 1), findings.inequalities, findings)


def _counted(neighbours: Neighbours, pairs: int, inequalities: int, findings: Findings) -> Counts:
    return Counts(
        inputs=neighbours.inputs,
        pairs=pairs,
        outputs=len(neighbours.outcomes),
        inequalities=inequalities,
        distinct=len(findings.distinct),
        identities=findings.by(Identity),
        by_chain=findings.by(Chain, Inverse),
        by_roots=findings.by(SignTable),
        at_point=findings.by(Point),
        broken=findings.of(Fails),
        open=findings.of(Unclear),
    )
