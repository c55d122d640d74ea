"""The listed laws are distributions: a second theorem about the same model, see Distributions.v.

That the probabilities of a law add up to 1 is an identity; that none is negative is proved like the claim,
or at the eps of a violation.  Where these fail the theorem says only that the sums are 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from dipc.errors import Unsupported
from dipc.export.coq.bounds import terms_needed
from dipc.export.coq.effort import Effort
from dipc.export.coq.terms import CLOSING, interval, rational
from dipc.kernel.facts import Function
from dipc.kernel.privacy import Certificate

ONLY_SUMS = "(* Not proved here: that no probability is negative.  dipc has found no proof. *)"


Proof = Callable[[Certificate, Sequence[Function]], tuple[str, str]]
"""Given numerators: on which eps they are >= 0, and the rest of the theorem that says so."""


def laws_sound(certificate: Certificate, proof_of: Proof) -> Iterator[str]:
    """The theorem about ``listed``, with its proof."""
    word = "distributions"
    try:
        on, proof = proof_of(certificate, [f for f, _ in certificate.table.functions])
    except Unsupported:
        yield ONLY_SUMS
        word, (on, proof) = "totals", proof_of(certificate, [])
    yield f"Theorem laws_sound : {word} listed {on}."
    yield "Proof."
    yield f"  apply ({word}_{proof})."
    yield from CLOSING


def proved(certificate: Certificate, numerators: Sequence[Function], pieces: bool) -> tuple[str, str]:
    """On which eps the numerators are >= 0, all denominators being > 0, and what shows it.

    Raises :class:`Unsupported` if they cannot be shown to be.
    """
    eps, on, signs = certificate.claim.eps, certificate.claim.on, with_denominators(certificate, numerators)
    if eps is not None:
        return f"(only {rational(eps)})", f"at_sound listed {terms_at(eps, signs)} _"
    effort = Effort(on, pieces)
    if not all(effort.proves(f, strict) for f, strict in signs):
        raise Unsupported("a probability is not shown to be >= 0")
    effort.settle()
    return interval(on), f"check_sound listed _ {effort}"


def with_denominators(
    certificate: Certificate, numerators: Sequence[Function]
) -> list[tuple[Function, bool]]:
    """What has to be >= 0, or (``True``) > 0."""
    return [*((f, False) for f in numerators), *((f, True) for f in certificate.table.denominators)]


def terms_at(eps: Fraction, signs: Sequence[tuple[Function, bool]]) -> int:
    """How many terms of exp show the signs at eps.  Raises :class:`Unsupported`."""
    return max(terms_needed(f, eps, strict) for f, strict in signs)
