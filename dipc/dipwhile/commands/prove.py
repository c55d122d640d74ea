"""``dipc prove``: a claim for every size and all inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from dipc.claims.rows import Node, Row, data
from dipc.claims.wording import pretty
from dipc.cli import options, tasks
from dipc.cli.asking import Asking, present, reported, write_certificate
from dipc.cli.outcome import Result, worst
from dipc.cli.terminal import say, write
from dipc.cli.work import asking
from dipc.clock import Progress
from dipc.dipwhile.allsizes.answer import AllSizesAnswer, answered
from dipc.dipwhile.allsizes.verdict import BrokenFrom, ProvedForAll
from dipc.dipwhile.commands import options as program_options
from dipc.dipwhile.records.every_size import answer_rows, proof_document, short_reason
from dipc.errors import InputError
from dipc.lazily import lazily
from dipc.report.document import text
from dipc.shipped import EXPECT_ALL, expected_verdict, mechanisms_in

if TYPE_CHECKING:
    import dipc.dipwhile.certify.every_size as sizes
    import dipc.dipwhile.certify.privacy as produce
    import dipc.dipwhile.export.coq.every_size as coq_sizes
    import dipc.dipwhile.export.coupling as coupling
else:
    produce = lazily("dipc.dipwhile.certify.privacy")
    sizes, coupling = map(lazily, ("dipc.dipwhile.certify.every_size", "dipc.dipwhile.export.coupling"))
    coq_sizes = lazily("dipc.dipwhile.export.coq.every_size")


@dataclass(frozen=True, kw_only=True)
class Given(program_options.Given):
    """What is asked about a program, and how the answer is shown."""

    details: bool = False
    to: str = "text"
    output: str | None = None


@dataclass(frozen=True, slots=True)
class SizesOutcome(Result):
    """The proof of a program, or why there is none."""

    kind = "prove"
    verdict: AllSizesAnswer | None = None

    @property
    def claim(self) -> str:
        """The claim in short."""
        goal = self.verdict.question.goal if self.verdict is not None else None
        return pretty(goal.brief()) if goal is not None else ""

    @property
    def short_witness(self) -> str:
        return short_reason(self.verdict) if self.verdict is not None else ""

    @property
    def rows(self) -> Iterator[Node]:
        assert self.verdict is not None
        yield from answer_rows(self.verdict, self.file)
        yield data("seconds", {"total": round(self.seconds, 6)})
        yield from self.expectation
        yield Row("time", f"{self.seconds:.2f} s")


@click.command(
    epilog="""\b
Examples:
  dipc prove svt1                   for every N, and all real q
  dipc prove svt1 -D N=4            for N = 4 only
  dipc prove svt1 -D c=2 --claim "3/2*eps"
  dipc prove svt1 --details         the proof as a table, as a paper prints it
  dipc prove svt1 --to latex -o svt1.tex
  dipc prove svt1 --to coq -o svt1.v           then: coqc svt1.v
  dipc prove svt1 --certificate svt1.json      then: dipc verify svt1.json
  dipc prove svt1 svt2 nmax1        a table of several
""",
)
@program_options.files()
@options.definitions(help="Set a parameter; that of a size makes it a number, for example -D N=4.")
@options.claim(help="Prove this instead of the program's claim, for example '3/2*eps'.")
@options.time_limit(help="Give up after this many seconds (verdict: undecided).")
@options.memory_limit(help="Give up beyond this memory (verdict: undecided).")
@options.certificate()
@click.option("--details", is_flag=True, help="Also print the proof as a table.")
@click.option(
    "--to",
    type=click.Choice(["text", "latex", "coq"]),
    default="text",
    show_default=True,
    help="Print a proof as LaTeX, or as a theorem that Coq checks.",
)
@options.output(help="Write what --to prints to this file.")
@tasks.options
@options.expect(help="Compare each verdict with the file's comment '# expect for all sizes: violated'.")
@options.junit()
@options.json(help="Print one JSON record; for several files, a list.")
@options.quiet()
def prove(files: tuple[str, ...], junit: str | None, workers: tasks.Workers, **given: Any) -> int:
    """Prove the claim of each FILE for every size and all inputs, and find the least t; or refute it.

    A parameter that is the size of an input array stands for every integer >= 1, and numbers of the input
    for all reals (all integers, if the noise is discrete).  A FILE is as for 'dipc check'.

    Exit status: 0 private, 1 violated, 2 broken input, 3 undecided or over a limit, 130 interrupted.
    Of several programs the worst counts: 2, then 1, then 3, then 0.
    """
    files = tuple(mechanisms_in(files))
    wanted, single = Given(file=files[0], **given), options.is_one(files)
    _refuse_contradictions(wanted, single)
    programs = list(files) if single else options.expanded(files, python=True)
    for target in (junit, wanted.certificate_file, wanted.output):
        options.refuse_overwriting(target, *programs)
    questions = Asking[str, SizesOutcome](
        "program",
        wanted.style,
        lambda file, progress: decided(replace(wanted, file=file), progress),
        lambda file, seconds, error: SizesOutcome(file=file, seconds=seconds, error=error),
        workers=workers,
    )
    with reported(junit, "dipc prove", lambda error: SizesOutcome(files[0], 0.0, error=error)) as outcomes:
        if single:
            outcomes.append(questions.one(files[0], f"reading {wanted.name}"))
            _show(outcomes[0], wanted)
        else:
            outcomes += questions.several(programs)
    return worst(outcome.status for outcome in outcomes)


def _refuse_contradictions(wanted: Given, single: bool) -> None:
    alone = {
        "--certificate": wanted.certificate_file,
        "--details": wanted.details,
        "--to": wanted.to != "text",
    }
    for option in (name for name, given in alone.items() if given and not single):
        raise click.UsageError(f"{option} is about one program: give one file")
    if wanted.to != "text" and wanted.style != "text":
        raise click.UsageError(f"--to {wanted.to} replaces the text: leave out --json and --quiet")
    if wanted.output is not None and wanted.to == "text":
        raise click.UsageError("-o is for a proof in another language: add --to latex or --to coq")
    if wanted.to == "coq":
        options.refuse_no_module(wanted.output)
    if wanted.expect and (wanted.definitions or wanted.claim is not None):
        why = "the expected verdict is about the program as it stands"
        raise click.UsageError(f"{why}: leave out --expect, or -D and --claim")


# --- one program ---------------------------------------------------------------------------------


def _show(outcome: SizesOutcome, wanted: Given) -> None:
    """Print the answer, and write its certificate."""
    found = outcome.verdict
    assert found is not None
    if wanted.to != "text" and isinstance(found.verdict, ProvedForAll):
        export = coq_sizes.coq if wanted.to == "coq" else coupling.latex
        write(export(found.question, found.verdict), wanted.output)
    else:
        present(outcome, wanted.style)
        if wanted.details and wanted.style == "text" and isinstance(found.verdict, ProvedForAll):
            say(f"\n{text(proof_document(found.verdict))}")
    write_certificate(outcome, _certificate, wanted.certificate_file)


def _certificate(found: AllSizesAnswer) -> Any:
    """The certificate of a proof, or of the finite program that the counterexample is about."""
    asked = found.question
    match found.verdict:
        case ProvedForAll() as proved if asked.goal is not None:
            return sizes.sizes_certificate(asked, proved)
        case BrokenFrom(violated=violated, program=program) if program is not None:
            return produce.certificate(program, violated)
        case _:
            raise InputError(f"there is no certificate: the verdict is {found.status}")


def decided(wanted: Given, progress: Progress) -> SizesOutcome:
    """The answer about one program.  If Ctrl-C is pressed it is undecided."""
    start = monotonic()
    with asking(*wanted.limits, progress) as running:
        asked = wanted.question()
        expected = expected_verdict(asked.source, EXPECT_ALL) if wanted.expect else None
        found = answered(asked, running.clock)
    return SizesOutcome(wanted.name, monotonic() - start, found, running.error, expected)
