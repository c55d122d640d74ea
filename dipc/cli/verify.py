"""``dipc verify``: check a certificate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from dipc.certificate.rederive import Statement, compared, rederive
from dipc.certificate.slow.values import fraction
from dipc.cli import options
from dipc.cli.terminal import say
from dipc.cli.work import Bar
from dipc.dipwhile.convert import to_rational
from dipc.errors import LimitReached
from dipc.kernel.privacy import Certificate, shown
from dipc.kernel.privacy import check as checked
from dipc.kernel.reading import MAX_STEPS, Refused, file_bytes, metered
from dipc.shipped import source_of

ACCEPTED, REFUSED, CONDITIONAL = 0, 1, 3

NOT_JSON = ("reading: JSONDecodeError", "reading: UnicodeDecodeError")
HOW_TO_MAKE_ONE = "    help: make one: dipc check FILE --certificate c.json"
OTHER_PROGRAM = "program: the given program"
"""How the kernel's reasons begin that say more with the names of files."""

LISTED = "inputs, outputs, adjacency, distributions"
NOTHING_DERIVED = f"claim, parameters, {LISTED}"
"""What only the deep check compares with the program text."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The statement that a certificate has to make."""

    file: str
    program: str | None
    claim: str | None
    parameters: dict[str, Fraction]
    expect: str
    deep: bool


@click.command(
    short_help="Check a certificate.",
    epilog="""\b
Examples:
  dipc verify svt1.json --program svt1        is it about this program, and true?
  dipc verify svt4.json --program svt4 -D N=2 --expect violated
  dipc verify svt1.json --program svt1 --claim "2*eps"
  dipc verify svt1.json                       about the program text in the file
  dipc verify large.json --no-deep            only what the kernel can know
""",
)
@click.argument("file", type=click.Path())
@click.option(
    "--program", type=options.FILE, metavar="FILE", help="Refuse unless it is about the text of this program."
)
@options.definitions(help="Ask for this parameter instead of the program's, for example -D N=4.")
@options.claim(help="Ask for this claim instead of the program's, for example 'eps/2, exp(-2)'.")
@click.option(
    "--expect",
    type=click.Choice(["private", "violated"]),
    default="private",
    show_default=True,
    help="Ask for this verdict.",
)
@click.option("--steps", type=int, default=MAX_STEPS, show_default=True, help="Refuse after so much work.")
@click.option(
    "--deep/--no-deep",
    default=True,
    show_default=True,
    help="Derive the distributions anew from the program text, and compare the statement with it.",
)
def verify(definitions: tuple[str, ...], steps: int, **given: Any) -> int:
    """Check the certificate FILE, written by 'dipc check --certificate'.

    It is accepted if it is right and makes the expected statement: the program's own claim, with its own
    parameters, is private.  --claim, -D and --expect ask for another one.  Without --program, the statement
    is about the program text in the certificate, whose SHA-256 is printed.

    With --no-deep, or where the deep check does not cover a program, the statement is conditional: IF the
    listed distributions are those of the program THEN ...  So it always is without dipc: python -m
    dipc.kernel FILE, or python on a copy of the folder dipc/kernel.

    \b
    Exit status: 0 accepted, 1 refused or another statement, 2 a file or an option cannot be read,
    3 conditional: not everything was compared with the program text.
    """
    parameters = {n: fraction(to_rational(v, n)) for n, v in options.defined(definitions).items()}
    wanted = Wanted(parameters=parameters, **given)
    if not wanted.deep and (definitions or wanted.claim is not None):
        raise click.UsageError("-D and --claim are compared by the deep check: leave out --no-deep")
    data = file_bytes(Path(wanted.file))
    source = None if wanted.program is None else source_of(wanted.program).text.encode("utf-8-sig")
    with Bar(f"verifying {wanted.file}"):
        try:
            with metered(steps):  # of the deep check; the kernel's own meter has the same limit
                return _judged(checked(data, source, steps), wanted)
        except Refused as refused:
            why = shown(str(refused))
            if str(refused).startswith(NOT_JSON):
                why = f"{wanted.file} is not a certificate (not JSON)\n{HOW_TO_MAKE_ONE}"
            elif str(refused).startswith(OTHER_PROGRAM):
                why += f", but {wanted.program}"
            say(f"refused: {why}")
            return REFUSED


def _judged(certificate: Certificate, wanted: Wanted) -> int:
    """Compare an accepted certificate with what is wanted; say what came of it, and give the exit status.

    Raises :class:`Refused`.
    """
    other = f"the claim is {certificate.status} (expected: {wanted.expect})"
    differences = [] if certificate.status == wanted.expect else [other]
    statement, unknown, limit, derived = Statement([], []), NOTHING_DERIVED, None, None
    try:
        if wanted.deep:
            statement, unknown = compared(certificate, wanted.parameters, wanted.claim), LISTED
            differences += statement.differences
            derived = None if differences else rederive(certificate, statement.text)
    except LimitReached as reached:
        limit = reached
    if differences:
        say(f"accepted, but for another statement: {shown('; '.join(differences))}")
    if derived is None:
        say(certificate.conditional())
        say(f"not checked: whether these are those of the program text: {unknown}")
        if certificate.adjacency.pairs is not None:
            say("not recomputed: the pairs of the adjacency formula")
    else:
        say(f"accepted: {certificate.statement()}")
        say(f"derived: {derived}; nothing but the meaning of programs is trusted")
    where = "in the certificate (no --program given)" if wanted.program is None else wanted.program
    say(f"program text: {where}, SHA-256 {certificate.program.sha256}")
    if statement.overridden:
        say(f"overridden: {shown('; '.join(statement.overridden))}")
    if limit is not None:
        say(f"not derived: the deep check does not cover {shown(str(limit))}")
    if differences:
        return REFUSED
    return CONDITIONAL if derived is None else ACCEPTED
