"""Which checker a certificate needs: the field ``statement`` tells; without it, it is about privacy."""

from __future__ import annotations

from typing import Any

from . import chains, privacy
from .reading import MAX_STEPS


def check(
    data: bytes, program: bytes | None = None, steps: int = MAX_STEPS
) -> privacy.Certificate | chains.Certificate:
    """Check the bytes of a certificate of any kind.  Raises :class:`~.reading.Refused`.

    ``program`` is the text that a certificate of privacy has to be about.
    """

    def phases(read: Any) -> privacy.Certificate | chains.Certificate:
        about_chain = isinstance(read, dict) and "statement" in read
        return chains.checked(read, program) if about_chain else privacy.checked(read, program)

    return privacy.sealed(data, steps, phases)
