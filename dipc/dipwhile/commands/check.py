"""``dipc check``: prove a claim, or refute it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from dipc.claims.exponent import logarithm_text
from dipc.claims.privacy import Goal
from dipc.claims.verdict import Undecided
from dipc.claims.wording import pretty
from dipc.cli import options, tasks
from dipc.cli.asking import Asking, claims_table, present, reported, say_notes, write_certificate
from dipc.cli.outcome import Outcome, worst
from dipc.cli.terminal import say
from dipc.cli.work import Bar, asking
from dipc.clock import Progress, as_one, limits
from dipc.dipwhile.commands import options as program_options
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.pipeline import announced
from dipc.dipwhile.semantics.adjacency import INSTEAD
from dipc.dipwhile.syntax.parser import is_accurate, parse
from dipc.errors import DipcError
from dipc.lazily import lazily
from dipc.numbers.quotient import Quotient
from dipc.shipped import STDIN, expected_verdict, is_python, mechanisms_in

if TYPE_CHECKING:
    import dipc.dipwhile.allsizes.question as all_sizes
    import dipc.dipwhile.certify.privacy as produce
else:
    produce = lazily("dipc.dipwhile.certify.privacy")
    all_sizes = lazily("dipc.dipwhile.allsizes.question")


FEW = 30  # different inequalities, up to which the curve is computed for a claim of t*eps
PATIENCE = 2  # seconds for the curve that a violated claim is shown with


@click.command(
    epilog="""\b
Examples:
  dipc check svt1                             a program that comes with dipc
  dipc check mine.dip -D N=4 --at 1/2         another parameter, one budget
  dipc check mine.dip --claim "eps/2, exp(-2) for eps in (0, 1]"
  dipc check mine.dip --certificate mine.json  then: dipc verify mine.json
  dipc check mine.py:noisy_sum                a function in Python
  dipc check first.dip second.dip folder/     a table of several
  dipc check folder/ --jobs 4                 four at a time
  dipc check examples/ --expect --junit report.xml  for continuous integration
  dipc new mine --stdout | dipc check -       a program from another program
""",
)
@program_options.files()
@options.definitions()
@options.claim(help="Decide this instead of the program's claim, for example 'eps/2, exp(-2)'.")
@options.at(help="Decide for this eps only, for example --at 1/2.")
@program_options.pair()
@program_options.declared("inputs", "q[3] in {0, 1}")
@program_options.declared("outputs", "out in {0, 1}")
@program_options.declared("adjacent", "linf 1")
@options.time_limit(help="Give up after this many seconds (verdict: undecided).")
@options.memory_limit(help="Give up beyond this memory (verdict: undecided).")
@tasks.options
@options.certificate()
@options.expect()
@options.junit()
@options.json(help="Print one JSON record; for several files, a list.")
@options.verbose()
@options.quiet()
def check(files: tuple[str, ...], junit: str | None, workers: tasks.Workers, **given: Any) -> int:
    """Prove the claim of each FILE for every eps, or give an exact counterexample.

    A FILE is a file, the name of a shipped program (see 'dipc programs'), a folder (all programs in it) or -
    for the standard input.  Mechanisms in Python are mine.py (all in this file), mine.py:name and
    module:name; the file is imported, so its code is run.

    A program that claims privacy and accuracy has a row for each.

    Exit status: 0 private, 1 violated, 2 broken input, 3 undecided or over a limit, 130 interrupted.
    Of several programs the worst counts: 2, then 1, then 3, then 0.  With --expect an expected
    verdict counts as 0, and another one that is decided as 1.
    """
    files = tuple(mechanisms_in(files))
    wanted, single = program_options.Given(file=files[0], **given), options.is_one(files)
    _refuse_contradictions(wanted, single)
    programs = list(files) if single else _expanded(files)
    asked = [each for file in programs for each in _claims(replace(wanted, file=file))]
    for target in (junit, wanted.certificate_file):
        options.refuse_overwriting(target, *programs)
    questions = Asking[program_options.Given, Outcome](
        "program" if len(asked) == len(programs) else "claim",
        wanted.style,
        lambda each, progress: without_evidence(decided(each, progress)[0]),
        lambda each, seconds, error: Outcome(file=each.file, seconds=seconds, error=error),
        lambda outcomes, _: claims_table(outcomes, "program"),
        workers,
    )
    with reported(junit, "dipc check", lambda error: Outcome(files[0], 0.0, error=error)) as outcomes:
        alone = single and len(asked) == 1
        outcomes += [_single(wanted)] if alone else questions.several(asked)
    return worst(outcome.status for outcome in outcomes)


ELSEWHERE = {
    "pufferfish check": ("claims something about secrets", "claim something about secrets"),
    "prove": ("is for every size", "are for every size"),
}
"""What is said of programs in folders that are for other commands: of one, and of several."""


def _expanded(files: Sequence[str]) -> list[str]:
    """The files, and the programs in folders that are not for another command."""
    others: dict[str, list[str]] = {command: [] for command in ("check", *ELSEWHERE)}

    def wanted(file: str) -> bool:
        others[command := program_options.command_of(file)].append(file)
        return command == "check"

    hint = "for claims about secrets: dipc pufferfish check; for every size: dipc prove"
    programs = options.expanded(files, wanted=wanted, hint=hint, python=True)
    for command, (one, more) in ELSEWHERE.items():
        if found := others[command]:
            what = f"1 program {one}" if len(found) == 1 else f"{len(found)} programs {more}"
            say_notes([f"{what}, for `dipc {command}`: {', '.join(found)}"])
    return programs


def _claims(wanted: program_options.Given) -> list[program_options.Given]:
    """The question; of a program with two claims one for each, unless it is about one of them only."""
    about_one = any(x is not None for x in (wanted.claim, wanted.pair, wanted.certificate_file))
    about_one = about_one or wanted.file == STDIN or is_python(wanted.file)
    claims = () if about_one else program_options.claims_of(wanted.file)
    return [replace(wanted, claim=c, expect=wanted.expect and c == claims[0]) for c in claims] or [wanted]


def _refuse_contradictions(wanted: program_options.Given, single: bool) -> None:
    if wanted.certificate_file is not None and wanted.pair:
        raise click.UsageError("a certificate is about all neighbours: leave out --pair or --certificate")
    if wanted.certificate_file is not None and not single:
        raise click.UsageError("a certificate is about one program: give one file")
    if wanted.declarations and not single:
        raise click.UsageError("declarations are about one function: give one, as in mine.py:name")
    if wanted.expect and (wanted.definitions or wanted.claim is not None or wanted.restrictions):
        why = "the expected verdict is about the program as it stands"
        raise click.UsageError(f"{why}: leave out --expect, or -D, --claim, --at and --pair")


# --- one program ---------------------------------------------------------------------------------


def _single(wanted: program_options.Given) -> Outcome:
    """Check one program and show the verdict; its errors are those of the command."""
    with Bar(f"reading {wanted.name}") as bar:
        outcome, mechanism = decided(wanted, bar.show, bar)
    present(outcome, wanted.style)
    if wanted.style == "text":
        for more in (for_every_size(wanted, mechanism, outcome), what_holds(wanted, mechanism, outcome)):
            if more is not None:
                say(more)
    if outcome.word == "undecided" and INSTEAD in outcome.remark and not is_python(wanted.file):
        say_notes(feasible(wanted, mechanism))
    write_certificate(
        outcome, lambda verdict: produce.certificate(mechanism.program, verdict), wanted.certificate_file
    )
    return outcome


def for_every_size(wanted: program_options.Given, mechanism: Mechanism, outcome: Outcome) -> str | None:
    """The command that asks about every size what was proved at one, if it has sizes."""
    proved = outcome.verdict if outcome.word == "private" and not outcome.interrupted else None
    followed = proved is not None and isinstance(proved.claim, Goal) and proved.claim.t is not None
    if not followed or wanted.declarations or wanted.restrictions or wanted.file == STDIN:
        return None
    sizes = [
        name for name in all_sizes.free_sizes(parse(mechanism.source)) if name not in mechanism.overrides
    ]
    options_given = [f"-D {given}" for given in wanted.definitions]
    options_given += [] if wanted.claim is None else [f"--claim {shlex.quote(wanted.claim)}"]
    command = " ".join(["dipc prove", wanted.file, *options_given])
    return f"for every {' and '.join(sizes)}: {command}" if sizes else None


def what_holds(wanted: program_options.Given, mechanism: Mechanism, outcome: Outcome) -> str | None:
    """The claim that holds where another one was violated: the curve of the loss.

    After a claim of t*eps it is shown if it is a sum of exponentials, as amplification by sampling is.
    None if the question is another one, and where the curve takes long or there is none.
    """
    goal = None if outcome.verdict is None else outcome.verdict.goal
    if outcome.word != "violated" or outcome.interrupted or not isinstance(goal, Goal):
        return None
    few = outcome.verdict is not None and outcome.verdict.counts.distinct <= FEW
    if goal.delta or goal.text or not mechanism.program.with_eps or (goal.t is not None and not few):
        return None
    asked = wanted.restrictions
    restrictions = asked if "at" in asked else {**asked, "budgets": goal.range_text}
    try:
        with limits(seconds=PATIENCE):
            segments = mechanism.loss_curve(**restrictions).segments
    except DipcError:
        return None
    if any(segment.value is None for segment in segments):
        return None
    value = segments[0].value or Quotient.one()
    is_sum = value.denominator == 1 and len([*value.numerator.terms()]) > 1
    if goal.t is not None and (len(segments) > 1 or not is_sum):
        return None
    if len(segments) > 1:
        return f"what holds is a curve of {len(segments)} segments: see dipc budget --epsilon-curve"
    where = goal.brief_range.replace(" on ", " for eps in ")
    return pretty(f"what holds is private {logarithm_text(value)}{where}")


PROBE = 2.0  # seconds


def feasible(wanted: program_options.Given, mechanism: Mechanism) -> Iterator[str]:
    """The greatest size that is decided soon, if the program has one size: all smaller ones are tried."""
    sizes = all_sizes.free_sizes(parse(mechanism.source))
    decided: tuple[int, float] | None = None
    with limits(seconds=PROBE), as_one(), suppress(DipcError):
        for size in count(1) if len(sizes) == 1 else ():
            start = monotonic()
            smaller = Mechanism.load_file(mechanism.source, {**mechanism.overrides, sizes[0]: size})
            if isinstance(smaller.check(wanted.claim, **wanted.restrictions), Undecided):
                break
            decided = size, monotonic() - start
    if decided is not None:
        yield f"{sizes[0]} = {decided[0]} is decided in {decided[1]:.1f} s"


def decided(
    wanted: program_options.Given, progress: Progress, bar: Bar | None = None
) -> tuple[Outcome, Mechanism]:
    """The verdict on one program.  If Ctrl-C is pressed it is undecided and says what was settled."""
    start = monotonic()
    with asking(*wanted.limits, progress) as running:
        mechanism = wanted.load()
        expected = expected_verdict(mechanism.commented) if wanted.expect else None
        reading = monotonic() - start
        if bar is not None and wanted.pair is None and not is_accurate(wanted.claim):
            bar.announce(lambda: announced(mechanism.explored))
        verdict = mechanism.check(wanted.claim, **wanted.restrictions)
    total, set_to = monotonic() - start, mechanism.parameters
    outcome = Outcome(wanted.name, total, verdict, running.error, expected, set_to, reading, wanted.pair)
    return outcome, mechanism


def without_evidence(outcome: Outcome) -> Outcome:
    """The outcome, small enough to be sent: without what a certificate is made of."""
    if outcome.verdict is None:
        return outcome
    return replace(outcome, verdict=replace(outcome.verdict, evidence=None))
