"""``dipc verify``: check a certificate."""

from __future__ import annotations

from pathlib import Path

import click

from dipc.certificate.rederive import rederive
from dipc.certificate.slow.functions import NotCovered
from dipc.cli.options import FILE
from dipc.cli.progress import Bar
from dipc.cli.terminal import say
from dipc.kernel.privacy import check as checked
from dipc.kernel.reading import MAX_STEPS, Refused
from dipc.shipped import located

ACCEPTED, REFUSED, NOT_COVERED = 0, 1, 3

NOT_JSON = ("reading: JSONDecodeError", "reading: UnicodeDecodeError")
HOW_TO_MAKE_ONE = "    help: make one: dipc check FILE --certificate c.json"
OTHER_PROGRAM = "program: the given program"
"""How the kernel's reasons begin that say more with the names of files."""


@click.command(
    short_help="Check a certificate.",
    epilog="""\b
Examples:
  dipc check svt1 --certificate svt1.json     writes a certificate
  dipc verify svt1.json                       checks it
  dipc verify svt1.json --program svt1 --deep
""",
)
@click.argument("file", type=click.Path())
@click.option("--program", type=FILE, metavar="FILE", help="Refuse unless it is about this program.")
@click.option("--steps", type=int, default=MAX_STEPS, show_default=True, help="Refuse after so much work.")
@click.option("--deep", is_flag=True, help="Also derive the distributions anew from the program text.")
def verify(file: str, program: str | None, steps: int, deep: bool) -> int:
    """Check the certificate FILE, written by 'dipc check --certificate'.

    The same check without dipc: python -m dipc.kernel FILE, or python on a copy of the folder dipc/kernel.

    \b
    Exit status: 0 accepted, 1 refused, 2 a file cannot be read, 3 --deep does not cover the program.
    """
    data = Path(file).read_bytes()
    source = None if program is None else located(program).read_bytes()
    with Bar(f"verifying {file}"):
        try:
            return _verified(data, source, steps, deep)
        except Refused as refused:
            say(f"refused: {_reason(str(refused), file, program)}")
            return REFUSED


def _reason(refused: str, file: str, program: str | None) -> str:
    """Why a certificate is refused, with the names of the files that were given.

    >>> print(_reason("reading: JSONDecodeError: Expecting value", "mine.dip", None))
    mine.dip is not a certificate (not JSON)
        help: make one: dipc check FILE --certificate c.json
    """
    if refused.startswith(NOT_JSON):
        return f"{file} is not a certificate (not JSON)\n{HOW_TO_MAKE_ONE}"
    if refused.startswith(OTHER_PROGRAM):
        return f"{refused}, but {program}"
    return refused


def _verified(data: bytes, source: bytes | None, steps: int, deep: bool) -> int:
    """Check, say what came of it, and give the exit status.  Raises :class:`Refused`."""
    try:
        certificate = checked(data, source, steps)
        accepted, trusted = certificate.summary()
        if deep:
            trusted = f"derived: {rederive(certificate)}; nothing but the meaning of programs is trusted"
    except NotCovered as limit:
        say(f"{accepted}\n{trusted}\nnot derived: the slow route does not cover {limit}")
        return NOT_COVERED
    say(f"{accepted}\n{trusted}")
    return ACCEPTED
