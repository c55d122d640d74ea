"""A proof of one inequality, written out for people: with numbers that can be checked by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from dipc.certificate.format import proof_as_json
from dipc.export.evidence import Link, links
from dipc.export.inequalities import Inequality
from dipc.export.latex import chosen_inequality
from dipc.export.subject import ClaimExport
from dipc.numbers.quotient import Quotient
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
class Proof:
    """An inequality with its proof: the links of a chain, or a proof of another kind as in a certificate."""

    requirement: Inequality
    links: tuple[Link, ...] = ()
    kind: str = ""
    written: str = ""

    @property
    def positive(self) -> Quotient:
        """The right side minus the left side is this times the function that is proved nonnegative."""
        return self.requirement.margin / Quotient(self.requirement.function)


def proofs(question: ClaimExport) -> Iterator[Proof]:
    """The inequality with the longest chain that fits on a page, and the hardest of those without a chain."""
    if any(isinstance(r.answer, Fails) for r in question.requirements):
        return
    chosen = chosen_inequality(question)
    if chosen is not None and not chosen.function:
        yield Proof(chosen, kind=KINDS["identity"])
    elif chosen is not None and chosen.chain_start == 0:
        yield Proof(chosen, tuple(links(chosen.function, fmpq(0))))
    found = [(r, question.oracle.proof_of(r.function)) for r in question.requirements if r.chain_start != 0]
    written = [(r, proof_as_json(proof, r.function)) for r, proof in found if r.function]
    if written:
        hardest, proof = max(written, key=lambda pair: len(json.dumps(pair[1])))
        text = json.dumps(proof)
        kind = KINDS.get(proof["kind"], proof["kind"])
        yield Proof(hardest, (), kind, text if len(text) <= LONGEST else "")
