"""A verdict as a theorem: its certificate is written, checked by the kernel, and put into Coq's words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dipc.claims.verdict import Undecided, Verdict
from dipc.dipwhile.certify.privacy import certificate as written
from dipc.dipwhile.export.coq.core import core_theorem
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.export.coq.library import MODULES, imported
from dipc.export.coq.listing import COQ, Listing, refuse_other_terms
from dipc.export.coq.terms import comment
from dipc.kernel import privacy as kernel
from dipc.kernel.privacy import Certificate
from dipc.kernel.reading import Refused

BOTH = ("Definition proved := conj laws_sound claim.", "Print Assumptions proved.")


def coq(program: CoreProgram, verdict: Verdict) -> str:
    """A file that Coq checks by itself, with nothing of dipc: ``coqc NAME.v``.

    The theorem is about the core of the program, whose laws Coq computes, if it is in the fragment of
    ``Core.v``; else about the listed laws.

    Raises :class:`InputError` if the verdict is not about privacy of all adjacent inputs,
    :class:`LimitReached` if nothing was decided within the limits, and :class:`Unsupported` for what the
    library cannot prove.
    """
    if isinstance(verdict, Undecided):
        raise LimitReached(f"there is no theorem, as the claim is undecided: {verdict.reason}")
    listed = written(program, verdict)
    if not isinstance(listed, kernel.Private | kernel.Violated):
        message = f"there is no theorem for the claim {verdict.claim}, only for (epsilon, delta)-privacy"
        raise InputError(message)
    try:
        checked = kernel.checked(listed)
    except Refused as refused:
        raise LimitReached(f"there is no theorem, as the certificate would be refused: {refused}") from None
    try:
        return core_theorem(program, checked)
    except Unsupported:
        return theorem(checked)


def theorem(certificate: Certificate, library: bool = True) -> str:
    """The text of a Coq file; without the library it needs that to be compiled as ``Dipc``.

    Raises :class:`Unsupported` for what the library cannot prove.
    """
    refuse_other_terms(certificate)
    listing = Listing(certificate)
    first = heading(certificate, listing.names())
    modules = [*imported((*MODULES, "Distributions", *listing.more), library), "Import ListNotations."]
    return "\n".join([*first, COQ, *modules, *listing.proof(), *listing.laws_sound(), *BOTH, ""])


def heading(certificate: Certificate, explained: Iterable[str]) -> Iterator[str]:
    """A comment with the statement in words, and what numbers stand for."""
    yield f"(* {comment(certificate.statement())}"
    yield f"   program text: SHA-256 {certificate.program.sha256}"
    yield "   not proved here: that the inputs, adjacency and distributions listed are those of the program"
    *names, last = map(comment, explained)
    yield from (*names, f"{last} *)")
