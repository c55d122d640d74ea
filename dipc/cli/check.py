"""``dipc check``: prove a claim, or refute it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from time import monotonic

import click

from dipc.certificate.format import write
from dipc.certificate.produce import certificate
from dipc.cli.alarm import alarm
from dipc.cli.options import load, program_options
from dipc.cli.progress import Bar
from dipc.decision.verdict import Verdict
from dipc.report.record import verdict_record
from dipc.report.words import Line, verdict_lines
from dipc.syntax.parser import parse_valuation

EXIT_STATUS = {"private": 0, "violated": 1, "undecided": 3}
COLOURS = {"private": "green", "violated": "red", "undecided": "yellow"}


@click.command()
@program_options
@click.option(
    "--claim",
    metavar="TEXT",
    help="Decide this instead of the program's claim, for example 'eps/2, exp(-2)'.",
)
@click.option("--at", metavar="EPS0", help="Decide for this eps only, for example --at 1/2.")
@click.option("--pair", nargs=2, metavar="U V", help="Only these two inputs: --pair 'q=[0,1]' 'q=[1,1]'.")
@click.option(
    "--time-limit", type=click.FloatRange(min=0), metavar="SECONDS", help="Stop undecided after this time."
)
@click.option(
    "--memory-limit", type=click.FloatRange(min=0), metavar="MB", help="Stop undecided beyond this memory."
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, metavar="K", help="Decide in K processes.")
@click.option(
    "--certificate",
    "certificate_file",
    type=click.Path(),
    metavar="FILE",
    help="Write a certificate, for 'dipc verify'; compressed if the name ends in .gz.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record.")
@click.option("--quiet", is_flag=True, help="Print the verdict only.")
def check(
    file: str,
    definitions: tuple[str, ...],
    claim: str | None,
    at: str | None,
    pair: tuple[str, str] | None,
    time_limit: float | None,
    memory_limit: float | None,
    jobs: int,
    certificate_file: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Prove the claim of FILE for every eps, or give an exact counterexample.

    \b
    Exit status: 0 private, 1 violated, 2 broken input, 3 undecided or over a limit.
    """
    if pair and certificate_file is not None:
        raise click.UsageError("a certificate is about all neighbours: leave out --pair or --certificate")
    start = monotonic()
    mechanism = load(file, definitions)
    seconds = {"reading": monotonic() - start}
    with Bar() as bar, alarm(time_limit):
        verdict = mechanism.check(
            claim,
            at=at,
            pair=(parse_valuation(pair[0], "--pair (first)"), parse_valuation(pair[1], "--pair (second)"))
            if pair
            else None,
            time_limit=time_limit,
            memory_limit=memory_limit,
            progress=bar.show,
            jobs=jobs,
        )
    seconds["total"] = monotonic() - start
    if as_json:
        record = verdict_record(verdict, file, mechanism.parameters, seconds)
        click.echo(json.dumps(record, indent=2))
    elif quiet:
        click.echo(verdict.status)
    else:
        show(file, mechanism.parameters, verdict, seconds["total"])
    for note in verdict.notes:
        click.echo(f"note: {note}", err=True)
    if certificate_file is not None:
        write(certificate(mechanism.program, verdict), certificate_file)
    return EXIT_STATUS[verdict.status]


def show(file: str, parameters: dict[str, str], verdict: Verdict, seconds: float) -> None:
    """The verdict for people."""
    settings = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    lines: list[Line] = [("program", f"{file}" + (f"  ({settings})" if settings else ""))]
    lines += verdict_lines(verdict)
    lines.append(("time", f"{seconds:.2f} s"))
    print_lines(
        (h, _coloured(text, COLOURS[verdict.status]) if h == "verdict" else text) for h, text in lines
    )


def print_lines(lines: Iterable[Line]) -> None:
    """Headings and what stands behind them, in two columns."""
    lines = list(lines)
    width = max(len(heading) for heading, _ in lines)
    for heading, text in lines:
        click.echo(_encodable(f"{heading:<{width}}  {text}"))


def _coloured(text: str, colour: str) -> str:
    """Coloured, unless the user or the terminal wants none (https://no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return click.style(text, fg=colour, bold=True)


def _encodable(line: str) -> str:
    """The line without Greek letters and signs where the terminal cannot show them."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        line.encode(encoding)
    except UnicodeEncodeError:
        return line.replace("ε", "eps").replace("≤", "<=").replace("δ", "delta")
    return line
