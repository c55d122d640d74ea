"""The file for a certificate: the theorems about what it lists, with the library that they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dipc.export.coq.library import MODULES, imported
from dipc.export.coq.listing import COQ, Listing, refuse_other_terms
from dipc.export.coq.terms import comment
from dipc.kernel.privacy import Certificate

BOTH = ("Definition proved := conj laws_sound claim.", "Print Assumptions proved.")


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
