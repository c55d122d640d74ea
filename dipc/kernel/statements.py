"""What a certificate may be about: a union, whose members are told apart by their fields."""

from __future__ import annotations

from typing import Any, assert_never

from . import chains, curves, measures, privacy, processes, pufferfish, sizes
from .reading import require, sealed
from .schema import check_version, read

Listed = (
    privacy.Private
    | privacy.Violated
    | measures.Proved
    | measures.Violated
    | chains.Listed
    | curves.Listed
    | processes.Listed
    | pufferfish.Listed
    | sizes.Listed
)
Certificate = privacy.Certificate | chains.Certificate | pufferfish.Certificate | sizes.Certificate
WRITERS = {
    "chain": "model check",
    "curves": "model check",
    "process": "model check",
    "sizes": "prove",
    "pufferfish": "pufferfish check",
    "hidden": "pufferfish check",
    "class": "pufferfish check",
}
"""The commands that write new ones for old versions; without the field ``statement`` it is ``check``."""


def check(data: bytes, program: bytes | None = None) -> Certificate:
    """Check the bytes of a certificate of any kind.  Raises :class:`~.reading.Refused`.

    ``program`` is the text that a certificate about a program has to be about.
    """
    return sealed(data, lambda found: checked(found, program))


def checked(data: Any, program: bytes | None = None) -> Certificate:
    """All phases but the digest."""
    about = data.get("statement") if isinstance(data, dict) else None
    command = WRITERS.get(about, "check") if isinstance(about, str) else "check"
    check_version(data, f"dipc {command} FILE --certificate c.json")
    kind: Any = Listed
    listed: Listed = read(kind, data)
    match listed:
        case privacy.Private() | privacy.Violated():
            return privacy.checked(listed, program)
        case measures.Proved() | measures.Violated():
            return measures.checked(listed, program)
        case sizes.Listed():
            return sizes.checked(listed, program)
        case chains.Listed():
            refuse_program(program, "Markov chain")
            return chains.checked(listed)
        case curves.Listed():
            refuse_program(program, "Markov chain")
            return curves.checked(listed)
        case processes.Listed():
            refuse_program(program, "Markov decision process")
            return processes.checked(listed)
        case pufferfish.Listed():
            refuse_program(program, "hidden Markov model")
            return pufferfish.checked(listed)
        case _:
            assert_never(listed)


def refuse_program(program: bytes | None, about: str) -> None:
    """A certificate about something else is not one about a program."""
    require(program is None, "program", f"the certificate is about a {about}, not about a program")
