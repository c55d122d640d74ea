"""The file for a certificate: the theorems about what it lists, with the library that they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dipc.export.coq.constants import in_numbers
from dipc.export.coq.library import MODULES, imported
from dipc.export.coq.listing import COQ, Listing, refuse_other_terms
from dipc.export.coq.terms import comment
from dipc.export.coq.wide import WideListing, is_wide
from dipc.kernel.privacy import Certificate

BOTH = ("Definition proved := conj laws_sound claim.", "Print Assumptions proved.")


def theorem(certificate: Certificate, library: bool = True) -> str:
    """The text of a Coq file; without the library it needs that to be compiled as ``Dipc``.

    Raises :class:`Unsupported` for what the library cannot prove.
    """
    listing = listing_of(certificate)
    first = heading(certificate, listing.names())
    modules = [*imported((*MODULES, "Distributions", *listing.more), library), "Import ListNotations."]
    return "\n".join([*first, COQ, *modules, *listing.proof(), *listing.laws_sound(), *BOTH, ""])


def listing_of(certificate: Certificate) -> Listing:
    """What the certificate lists, as its functions and its delta need it."""
    if certificate.violated and is_wide(certificate):
        return WideListing(certificate)
    listing = Listing(*in_numbers(certificate))
    refuse_other_terms(listing.certificate)
    return listing


def heading(certificate: Certificate, explained: Iterable[str]) -> Iterator[str]:
    """A comment with the statement in words, and what numbers stand for."""
    yield f"(* {comment(certificate.statement())}"
    yield f"   program text: SHA-256 {certificate.program.sha256}"
    yield "   not proved here: that the inputs, adjacency and distributions listed are those of the program"
    *names, last = map(comment, explained)
    yield from (*names, f"{last} *)")
