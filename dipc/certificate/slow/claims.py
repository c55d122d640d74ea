"""Claims of the slow route: what a program claims, exactly compared."""

from __future__ import annotations

from dipc.certificate.slow.functions import EPS, constant, same
from dipc.certificate.slow.programs import Known, claimed_interval, value_of
from dipc.certificate.slow.values import as_pair
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO
from dipc.kernel.privacy import Certificate
from dipc.kernel.sizes import Certificate as EverySize


def is_claim_of(certificate: Certificate | EverySize, claim: ast.Claim, known: Known) -> bool:
    """Is the certificate about this claim, with the same epsilon, delta and interval?"""
    listed, t, table = certificate.claim, certificate.claim.t, certificate.table
    if tuple(listed.on) != claimed_interval(claim, known):
        return False
    epsilon = as_pair(value_of(claim.epsilon, known))
    delta = as_pair(value_of(claim.delta, known) if claim.delta else ZERO)
    listed_delta = table.delta.numerator, table.denominators[table.delta.denominator]
    return same(epsilon, ({EPS: t} if t else {}, constant(1))) and same(delta, listed_delta)
