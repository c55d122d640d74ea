"""Which checker a certificate needs: the field ``statement`` tells; without it, it is about privacy."""

from __future__ import annotations

from typing import Any

from . import chains, privacy, pufferfish, sizes

Certificate = privacy.Certificate | chains.Certificate | pufferfish.Certificate | sizes.Certificate


def check(data: bytes, program: bytes | None = None) -> Certificate:
    """Check the bytes of a certificate of any kind.  Raises :class:`~.reading.Refused`.

    ``program`` is the text that a certificate of privacy has to be about.
    """

    def phases(read: Any) -> Certificate:
        if not isinstance(read, dict) or "statement" not in read:
            return privacy.checked(read, program)
        match read["statement"]:
            case pufferfish.STATEMENT | "hidden" | "class":  # the last two in version 2
                return pufferfish.checked(read, program)
            case "sizes":
                return sizes.checked(read, program)
        return chains.checked(read, program)

    return privacy.sealed(data, phases)
