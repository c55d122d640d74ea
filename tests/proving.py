"""The search for proofs in the kernel's terms, so that the kernel can judge what it finds."""

from __future__ import annotations

from typing import Any

from rationals import flint

from dipc.certificate.format import Json, listed_proof, to_function
from dipc.kernel import facts
from dipc.kernel.facts import Function, Interval
from dipc.kernel.schema import read, write
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.signs.eps_range import EpsRange
from dipc.signs.limits import NoProof
from dipc.signs.roots import irreducible
from dipc.signs.search import proof

__all__ = ["NoProof", "budgets", "factored", "proof_of", "prove", "to_exppoly"]


def to_exppoly(f: Function) -> ExpPoly:
    """The kernel's function as one of dipc."""
    return ExpPoly.from_terms(
        [Term(flint(c), n, flint(a), flint(k), flint(b)) for (n, a, k, b), c in f.items()]
    )


def budgets(on: Interval) -> EpsRange:
    """The kernel's interval as a range of dipc."""
    high = None if on.high is None else flint(on.high)
    return EpsRange(flint(on.low), high, on.low_closed, on.high_closed)


def proof_of(f: Function, on: Interval, strict: bool = False) -> Json:
    """A proof of f >= 0 (f > 0, if strict) on the interval, as in a certificate."""
    g = to_exppoly(f)
    return write(listed_proof(proof(g, budgets(on), strict), g))


def prove(f: Function, on: Interval, proof: Json, step: str, strict: bool = False) -> None:
    """Check a proof as it stands in a certificate, by the kernel.  Raises :class:`Refused`."""
    kind: Any = facts.Proof
    facts.prove(f, on, read(kind, proof, step), step, strict)


def factored(f: Function) -> list[tuple[Function, int]]:
    """The irreducible factors with their powers."""
    return [(to_function(g), power) for g, power in irreducible(to_exppoly(f))]
