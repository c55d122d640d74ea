"""``dipc verify``: check a certificate."""

from __future__ import annotations

import json
import signal
import zlib
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import click

from dipc.cli import options
from dipc.cli.failures import INTERRUPTED
from dipc.cli.terminal import say
from dipc.cli.work import BARE, work
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.excerpts import MOST_ANSWERED, shortened
from dipc.kernel.privacy import shown
from dipc.kernel.reading import (
    MAX_BYTES,
    Refused,
    Unfinished,
    decompressed,
    file_bytes,
    unpacked,
)
from dipc.kernel.schema import FORMAT
from dipc.kernel.statements import check as checked
from dipc.report.answer import envelope
from dipc.shipped import STDIN, given_bytes, name_of, source_of
from dipc.systems import statement_system

ACCEPTED, REFUSED, CONDITIONAL = 0, 1, 3

SECONDS = 600
MEGABYTES = 4000 if hasattr(signal, "setitimer") else None  # where the system reports memory usage
"""Without options, a file that was made to keep the check busy is given up beyond these limits."""

STATEMENTS = ("accepted: ", "IF ")
"""How the lines begin that say what was proved."""

HOW_TO_MAKE_ONE = "make one: dipc check FILE --certificate c.json"
OTHER_PROGRAM = "program: the given program"
"""How the kernel's reasons begin that say more with the names of files."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The statement that a certificate has to make."""

    file: str
    program: str | None
    claim: str | None
    model: str | None
    formula: str | None
    neighbours: str | None
    definitions: dict[str, str]
    expect: str | None
    deep: bool
    as_json: bool


@click.command(
    epilog="""\b
Examples:
  dipc verify svt1.json --program svt1     is it about this program, and true?
  dipc verify svt4.json --program svt4 -D N=2 --expect violated
  dipc verify svt1.json --program svt1 --claim "2*eps"
  dipc verify svt1.json                    about the program text in the file
  dipc verify large.json --no-deep            only what the kernel can know
  dipc verify survey.json --model survey.dpm --formula "D[ln 3, 0](X out_1)"
""",
)
@click.argument("file", type=click.Path(allow_dash=True))
@click.option(
    "--program", type=options.FILE, metavar="FILE", help="Refuse unless it is about the text of this program."
)
@options.definitions(help="Ask for this parameter instead of the program's, for example -D N=4.")
@options.claim(help="Ask for this claim instead of the program's, for example 'eps/2, exp(-2)'.")
@click.option(
    "--model",
    type=options.FILE,
    metavar="FILE",
    help="Refuse unless it is about this Markov model; -D sets its numbers.",
)
@click.option("--neighbours", metavar="TEXT", help="Instead of the model's own: 'a ~ b, c ~ d'.")
@click.option(
    "--formula", metavar="TEXT", help="Ask for this formula instead of the properties of the model."
)
@click.option(
    "--expect",
    type=click.Choice(["private", "violated", "holds", "fails"]),
    help="Ask for this verdict; without it: private; holds, of a formula or of accuracy.",
)
@click.option(
    "--deep/--no-deep",
    default=True,
    show_default=True,
    help="Derive the distributions anew from the program text, and compare the statement with it.",
)
@options.json(help="Print one JSON record: the verdict, and the lines that are printed without it.")
@options.time_limit(default=SECONDS, show_default=True)
@options.memory_limit(default=MEGABYTES, show_default=True)
def verify(
    definitions: tuple[str, ...],
    time_limit: float,
    memory_limit: float | None,
    **given: Any,
) -> int:
    """Check the certificate FILE, written by 'dipc check --certificate' or 'dipc model check --certificate'.

    FILE is - for a certificate on the standard input.

    It is accepted if it is right and makes the expected statement: the program's own claim, with its own
    parameters, is private.  --claim, -D and --expect ask for another one.  Without --program, the statement
    is about the program text in the certificate, whose SHA-256 is printed.

    With --no-deep, or where the deep check does not cover a program, the statement is conditional: IF the
    listed distributions are those of the program THEN ...  So it always is without dipc: python -m
    dipc.kernel FILE, or python on a copy of the folder dipc/kernel.

    A certificate about a Markov model is compared with the file in --model, and its formula with --formula or
    else the 'property' lines of the file.  Without --model it is about the model in the certificate.

    One about a hidden Markov model, or a program with priors, is compared with the .hmm or .dip file in
    --model: the numbers, parameters, pairs, horizon and claim.

    For the statement about every size of a program, the automaton is built again from the program text, and
    compared edge by edge; for N = 1, 2, 3 the exact engine confirms the proof, and how sums and extrema were
    rewritten.

    Exit status: 0 accepted, 1 refused or another statement, 2 an option is wrong or the file cannot be
    read as a certificate, 3 conditional: not everything was compared with the program text; or over a limit.
    """
    defined = options.defined(definitions)
    wanted = Expected(definitions=defined, **given)
    asked = (wanted.claim, wanted.model, wanted.formula)
    if not wanted.deep and (definitions or any(each is not None for each in asked)):
        names = "-D, --claim, --model and --formula"
        raise click.UsageError(f"{names} are compared by the deep check: leave out --no-deep")
    start = monotonic()
    data = given_bytes(MAX_BYTES + 1) if wanted.file == STDIN else file_bytes(Path(wanted.file))
    source = None if wanted.program is None else source_of(wanted.program).text.encode("utf-8-sig")
    with work(f"verifying {name_of(wanted.file)}", time_limit, memory_limit) as running:
        try:
            status, said = running.held(lambda: _verified(data, source, wanted, running.clock))
        except LimitReached as limit:
            if running.clock.known is None:
                raise
            status, said = running.clock.known
            said += f"not derived: {limit}\n"
    # A statement is printed whole: no condition of it is left out.
    lines = [x if x.startswith(STATEMENTS) else shortened(x, MOST_ANSWERED) for x in said.splitlines()]
    for line in [_record(wanted, status, lines, monotonic() - start)] if wanted.as_json else lines:
        say(line)
    return INTERRUPTED if running.stop.pressed else status


def _record(wanted: Expected, status: int, lines: list[str], seconds: float) -> str:
    """The verdict as JSON."""
    asked = {"certificate": wanted.file, "expected": wanted.expect, "deep": wanted.deep}
    asked |= {name: getattr(wanted, name) for name in ("program", "model", "claim", "formula")}
    word = {ACCEPTED: "accepted", REFUSED: "refused", CONDITIONAL: "conditional"}[status]
    answer = {"verdict": word, "lines": lines, "seconds": round(seconds, 3)}
    return json.dumps(envelope("verify", {**asked, **answer}), indent=2)


def _verified(data: bytes, source: bytes | None, wanted: Expected, clock: Clock) -> tuple[int, str]:
    """The exit status and what there is to say."""
    with redirect_stdout(StringIO()) as said:
        try:
            found = checked(data, source)
            clock.tick("the deep check")
            status: int = statement_system(found).offer("judge")(found, wanted, clock)
            return status, said.getvalue()
        except RecursionError:
            say("refused: deep: too deeply nested")
            return REFUSED, said.getvalue()
        except Refused as refused:
            if limit := _limit_behind(refused):
                raise limit from None
            if problem := _no_certificate(data):
                message = f"{name_of(wanted.file)} is not a certificate ({problem})"
                raise InputError(message, hint=HOW_TO_MAKE_ONE) from None
            if isinstance(refused, Unfinished):
                say(f"undecided: {shown(str(refused))}")
                return CONDITIONAL, said.getvalue()
            why = shown(str(refused))
            if str(refused).startswith(OTHER_PROGRAM):
                why += f", but {wanted.program}"
            say(f"refused: {why}")
            return REFUSED, said.getvalue()


def _limit_behind(refused: Refused) -> LimitReached | None:
    """The time or memory limit that struck in the kernel, which refuses whatever it cannot finish."""
    error: BaseException | None = refused
    while error is not None and str(error) not in BARE:
        error = error.__context__
    return error if isinstance(error, LimitReached) else None


def _no_certificate(data: bytes) -> str:
    """Why a file that was refused is not a certificate at all; empty if it is one, which is wrong."""
    try:
        read = unpacked(data)
    except Refused as limit:  # on numbers or sizes that no certificate has, but JSON may
        return "" if f'"{FORMAT}"'.encode() in decompressed(data) else str(limit).removeprefix("reading: ")
    except RecursionError:
        return "nested too deep"
    except (ValueError, EOFError, OSError, zlib.error):
        return "not JSON, or only a part of it" if data else "the file is empty"
    right = isinstance(read, dict) and read.get("format") == FORMAT
    return "" if right else f'JSON, but not an object with "format": "{FORMAT}"'


# --- what the systems share ---------------------------------------------------------------------------


class Certified(Protocol):
    """A certificate that the kernel accepted."""

    @property
    def sha256(self) -> str:
        """The hash of what it lists."""

    def statement(self) -> str:
        """What was proved."""

    def conditional(self) -> str:
        """What was proved if what it lists is right."""


def other_status(status: str, wanted: Expected) -> list[str]:
    """What is wrong if another verdict is wanted."""
    expected = wanted.expect or ("holds" if status in ("holds", "fails") else "private")
    return [] if status == expected else [f"the claim is {status} (expected: {expected})"]


def judged_model(
    certificate: Certified,
    wanted: Expected,
    differences: Sequence[str],
    contents: str,
) -> int:
    """Print what a certificate about a model states, and the SHA-256 of its ``contents``."""
    if differences:
        say(f"accepted, but for another statement: {shown('; '.join(differences))}")
    proved = wanted.deep and not differences
    say(f"accepted: {certificate.statement()}" if proved else certificate.conditional())
    where = "in the certificate (no --model given)" if wanted.model is None else name_of(wanted.model)
    say(f"model: {where}, SHA-256 of its {contents} {certificate.sha256}")
    if differences:
        return REFUSED
    return ACCEPTED if wanted.deep else CONDITIONAL
