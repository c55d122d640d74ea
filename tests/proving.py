"""The search for proofs in the kernel's terms, so that the kernel can judge what it finds."""

from __future__ import annotations

from dipc.certificate.format import Json, to_exppoly, to_function
from dipc.certificate.kernel import Function, Interval, Rooted
from dipc.certificate.produce import proved, proved_rooted
from dipc.signs.limits import NoProof
from dipc.signs.roots import irreducible

__all__ = ["NoProof", "factored", "proof_of", "rooted_proof"]


def proof_of(f: Function, on: Interval, strict: bool = False) -> Json:
    """A proof of f >= 0 (f > 0, if strict) on the interval, as in a certificate."""
    return proved(f, on, strict)


def rooted_proof(f: Rooted, g: Function, on: Interval, strict: bool = False) -> Json:
    """The same for a function with the square root of g."""
    return proved_rooted(f, g, on, strict)


def factored(f: Function) -> list[tuple[Function, int]]:
    """The irreducible factors with their powers."""
    return [(to_function(g), power) for g, power in irreducible(to_exppoly(f))]
