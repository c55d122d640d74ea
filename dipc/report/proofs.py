"""A proof of one inequality, written out for people, with numbers that can be checked by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dipc.certificate.format import to_exppoly, to_function
from dipc.certificate.kernel import normal
from dipc.certificate.produce import interval
from dipc.certificate.search import proof_of
from dipc.export.evidence import ChainProof, chain_proof
from dipc.export.inequalities import Inequality
from dipc.export.latex import chosen_inequality
from dipc.export.subject import ClaimExport
from dipc.numbers.exact import rational as exact
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.report.mathml import mathml, rational
from dipc.signs.derivatives import derivative_chain
from dipc.signs.inequality import Fails

LONGEST = 3000  # characters of a proof that is shown as in the certificate

KINDS = {
    "identity": "both sides are equal for every ε",
    "point": "the sign at the one budget that the claim is about, by exact arithmetic",
    "chain": "a derivative chain that begins at the least budget",
    "inverse": "a derivative chain in 1/ε",
    "product": "a product of factors, each with a proof of its own",
    "pieces": "the budgets are cut into pieces, and Taylor’s theorem bounds the function from below on each",
    "binomial": "exponentials increase: the exponents are compared in place of the exponentials",
}
"""The kinds of proofs in a certificate, in words."""


@dataclass(frozen=True, slots=True)
class Link:
    """A function f_k of the chain with its value at 0 and the next exponent, as formulas."""

    function: str
    value: str
    exponent: str


@dataclass(frozen=True, slots=True)
class Proof:
    """An inequality with its proof: the links of a chain, or a proof of another kind as in a certificate.

    ``left <= right`` is the claim for the pair of inputs and the outputs; ``positive * f`` is the difference,
    both empty if that is 0.
    """

    requirement: Inequality
    left: str
    right: str
    positive: str
    f: str
    links: tuple[Link, ...]
    kind: str = ""
    written: str = ""


def proofs(question: ClaimExport) -> Iterator[Proof]:
    """The inequality with the longest chain that fits on a page, and the hardest of those without a chain."""
    if any(isinstance(r.answer, Fails) for r in question.requirements):
        return
    chosen = chosen_inequality(question)
    if chosen is not None and not chosen[0].function:
        sides = mathml(chosen[0].probability), mathml(chosen[0].bound)
        yield Proof(chosen[0], *sides, "", "", (), KINDS["identity"])
    elif chosen is not None and chosen[1] is not None:
        yield _by_chain(*chosen)
    others = [r for r in question.requirements if r.function and chain_proof(r.function) is None]
    if others:
        found = [(requirement, *_certified(question, requirement)) for requirement in others]
        yield _otherwise(*max(found, key=lambda proved: len(json.dumps(proved[2]))))


def _certified(question: ClaimExport, requirement: Inequality) -> tuple[ExpPoly, Any]:
    """The function in normal form with its proof."""
    f = normal(to_function(requirement.function))
    return to_exppoly(f), proof_of(f, interval(question.goal.budgets))


def _by_chain(requirement: Inequality, proof: ChainProof | None) -> Proof:
    assert proof is not None
    rows = zip(derivative_chain(requirement.function), proof.values, proof.exponents, strict=True)
    links = tuple(Link(mathml(f), rational(value), rational(a)) for f, value, a in rows)
    return Proof(requirement, *_sides(requirement, requirement.function), links)


def _otherwise(requirement: Inequality, f: ExpPoly, proof: Any) -> Proof:
    """As in the certificate; a chain at 0 with exp(k) in its numbers is written out as well."""
    sides = _sides(requirement, f)
    if proof["kind"] == "chain" and proof["at"] == "0":
        rows = zip(derivative_chain(f), proof["exponents"], strict=True)
        links = tuple(Link(mathml(g), mathml(g.at(0)), rational(exact(a, "an exponent"))) for g, a in rows)
        return Proof(requirement, *sides, links)
    text = json.dumps(proof)
    short = text if len(text) <= LONGEST else ""
    return Proof(requirement, *sides, (), KINDS.get(proof["kind"], proof["kind"]), short)


def _sides(requirement: Inequality, f: ExpPoly) -> tuple[str, str, str, str]:
    return (
        mathml(requirement.probability),
        mathml(requirement.bound),
        mathml(requirement.margin / Quotient(f)),
        mathml(f),
    )
