"""``dipc pufferfish``: what an adversary with prior knowledge learns from a hidden Markov model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

import click

from dipc.claims.rows import Node, record
from dipc.claims.wording import Record, pretty
from dipc.cli import options, tasks
from dipc.cli.asking import Asking, present, reported, say_notes, show_rows, write_certificate
from dipc.cli.group import Group
from dipc.cli.outcome import Result, worst
from dipc.cli.terminal import say, show_table
from dipc.cli.work import asking, reading, work
from dipc.clock import Progress
from dipc.errors import InputError, Source
from dipc.lazily import lazily
from dipc.numbers.exact import rational
from dipc.pufferfish.hmm import AnyQuestion, HiddenMarkovModel, PufferfishQuestion
from dipc.pufferfish.programs import ProgramQuestion
from dipc.pufferfish.reading import Replaced
from dipc.pufferfish.records import (
    brief_counterexample,
    budget_rows,
    claim_text,
    epsilon_text,
    least_constant,
    sequence_text,
    verdict_rows,
)
from dipc.pufferfish.verdict import Budget, PufferfishVerdict, Undecided, Violated
from dipc.report.answer import envelope
from dipc.report.document import time_row
from dipc.shipped import expected_verdict, holds_program, located_hidden, name_of, source_of
from dipc.systems import offered

if TYPE_CHECKING:
    import dipc.pufferfish.certify as written
else:
    written = lazily("dipc.pufferfish.certify")

PROGRAM = ".dip"


@click.group(
    cls=Group,
    homes={
        "check": "pufferfish.commands.pufferfish:check",
        "budget": "pufferfish.commands.pufferfish:budget",
        "distribution": "pufferfish.commands.files:distribution",
        "export": "pufferfish.commands.files:export",
        "plot": "pufferfish.commands.files:plot",
        "report": "pufferfish.commands.files:report",
    },
    epilog="""\b
Examples:
  dipc pufferfish check ex3
  dipc pufferfish budget above --horizon 9
  dipc pufferfish distribution ex3 --given sick
""",
)
def pufferfish() -> None:
    """Decide Pufferfish privacy of hidden Markov models: for every prior, exactly, with counterexamples.

    A FILE is a model (*.hmm) or a program with a prior (*.dip), the name of a shipped one (see 'dipc
    programs') or - for the standard input.
    """


@dataclass(frozen=True, kw_only=True)
class Given(options.About):
    """The model in question, and what the options that several commands have say about it."""

    fixed: tuple[str, ...] = ()
    compared: tuple[tuple[str, str], ...] = ()
    horizon: str | None = None
    claim: str | None = None

    @property
    def is_restricted(self) -> bool:
        """Whether something else is asked than the file asks."""
        given = (self.definitions, self.fixed, self.compared)
        return any(given) or any(x is not None for x in (self.horizon, self.at, self.claim))

    @cached_property
    def source(self) -> Source:
        """The text, which the standard input gives once only."""
        return source_of(self.file, located_hidden)

    @property
    def is_program(self) -> bool:
        """Whether the question is about a program, not a hidden Markov model."""
        return holds_program(self.file, self.source)

    def load(self, given: str | None = None) -> PufferfishQuestion:
        """The question about the model, with what options set; about ``given`` alone if that is not None."""
        model = HiddenMarkovModel(self.source, options.defined((*self.definitions, *self.fixed)))
        compare = [", ".join(pair) for pair in self.compared]
        at = None if self.at is None else rational(self.at, "eps")
        with reading(self.name):
            return PufferfishQuestion(model, Replaced(compare, self.horizon, self.claim, at, given))

    def load_program(self) -> ProgramQuestion:
        """The question about the program.  Raises :class:`InputError` for what only models have."""
        if self.compared or self.horizon is not None:
            message = "--compare and --horizon are about hidden Markov models (*.hmm)"
            raise InputError(message, hint="a program names its pairs by `secret A vs B`")
        (read_secrets,) = offered("secrets")
        with reading(self.name):
            secrets = read_secrets(self.source, options.defined(self.definitions))
        return ProgramQuestion(secrets).fix(**options.defined(self.fixed))

    def posed(self) -> AnyQuestion:
        """The question about a model or a program."""
        return self.load_program() if self.is_program else self.load()

    @property
    def of_program(self) -> dict[str, str | None]:
        """What the methods of a question about a program take: a model is read with its claim and eps."""
        return {"claim": self.claim, "at": self.at} if self.is_program else {}


def about_models(command: Callable[..., int]) -> Callable[..., int]:
    """The options of a question; they and FILE, if there is one, become the first argument."""
    collected = options.gathered(Given, command)
    for option in (
        options.memory_limit(),
        options.time_limit(),
        click.option(
            "--horizon", metavar="K|any", help="The number of observations, or 'any' for every one."
        ),
        click.option(
            "--fix", "fixed", multiple=True, metavar="NAME=VALUE", help="Fix a parameter: --fix p=1/2."
        ),
        options.definitions(help="Set a number of the model, for example -D N=4."),
    ):
        collected = option(collected)
    return collected


comparing = click.option(
    "--compare", "compared", nargs=2, multiple=True, metavar="A B", help="Instead of the file's pairs."
)


FILE = click.argument("file", metavar="FILE", type=options.HIDDEN_MODEL)


# --- check -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HiddenOutcome(Result):
    """The check of a question."""

    kind = "pufferfish check"
    verdict: PufferfishVerdict | None = None

    @property
    def claim(self) -> str:
        """The claim in short."""
        found = self.verdict.question.claim if self.verdict is not None else None
        return pretty(claim_text(found)) if found is not None else ""

    @property
    def short_witness(self) -> str:
        match self.verdict:
            case Violated(counterexample=shown):
                return brief_counterexample(shown)
            case Undecided(reason=reason):
                return reason
        return ""

    @property
    def asked(self) -> Record:
        return {"model": self.file}

    @property
    def rows(self) -> Iterator[Node]:
        assert self.verdict is not None
        yield from verdict_rows(self.verdict)
        yield from self.expectation
        yield time_row(self.seconds)


@pufferfish.command(
    short_help="Prove a claim, or refute it by a counterexample.",
    epilog="""\b
Examples:
  dipc pufferfish check ex3                     a model that comes with dipc
  dipc pufferfish check ex3 --claim "ln(4)"
  dipc pufferfish check above --horizon any
  dipc pufferfish check ex3 --fix p=1/3 --compare sick healthy
  dipc pufferfish check models/ --expect --junit report.xml
""",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=options.HIDDEN_MODEL)
@about_models
@comparing
@options.claim(help="Decide this instead of the file's claim, for example 'ln(2), 1/100'.")
@options.at(help="The eps of a claim t*eps about a model without eps: --at 1/2.")
@tasks.options
@options.expect()
@options.certificate(metavar="OUT")
@options.junit()
@options.json(help="Print one JSON record; for several files, a list.")
@options.quiet()
def check(asked: Given, files: tuple[str, ...], junit: str | None, workers: tasks.Workers) -> int:
    """Prove the claim of each FILE for every prior and all sequences, or give an exact counterexample.

    Exit status: 0 private, 1 violated, 2 broken input, 3 undecided or over a limit, 130 interrupted.
    Of several files the worst counts: 2, then 1, then 3, then 0.  With --expect an expected
    verdict counts as 0, and another one that is decided as 1.
    """
    if asked.expect and asked.is_restricted:
        raise click.UsageError("the expected verdict is about the file as it stands: leave out other options")
    asked, single = replace(asked, file=files[0]), options.is_one(files)
    models = list(files) if single else options.expanded(files, options.HIDDEN, _is_question)
    for target in (junit, asked.certificate_file):
        options.refuse_overwriting(target, *models)
    if asked.certificate_file is not None and not single:
        raise click.UsageError("a certificate is about one question: give one file")
    questions = Asking[str, HiddenOutcome](
        "model",
        asked.style,
        lambda file, progress: _decided(replace(asked, file=file), progress),
        lambda file, seconds, error: HiddenOutcome(name_of(file), seconds, error=error),
        workers=workers,
    )
    with reported(
        junit, "dipc pufferfish check", lambda error: HiddenOutcome(files[0], 0.0, error=error)
    ) as outcomes:
        if single:
            outcomes.append(questions.one(files[0], f"reading {asked.name}"))
            present(outcomes[0], asked.style)
            write_certificate(
                outcomes[0],
                lambda verdict: written.question_certificate(verdict.question, verdict),
                asked.certificate_file,
            )
        else:
            outcomes += questions.several(models)
    return worst(outcome.status for outcome in outcomes)


def _is_question(file: str) -> bool:
    """Whether a file in a folder is a model, or a program that says what an attacker knows or claims."""
    return not file.endswith(PROGRAM) or any(asks(file) for asks in offered("asks about secrets"))


def _decided(asked: Given, progress: Progress) -> HiddenOutcome:
    """The verdict on one question.  If Ctrl-C is pressed it is undecided."""
    start = monotonic()
    with asking(*asked.limits, progress) as running:
        question = asked.posed()
        expected = expected_verdict(asked.source) if asked.expect else None
        verdict = question.check(**asked.of_program)
    return HiddenOutcome(asked.name, monotonic() - start, verdict, running.error, expected)


# --- budget ------------------------------------------------------------------------------------------


@pufferfish.command(
    short_help="Find the least c, and the epsilon ln(c).",
    epilog="""\b
Examples:
  dipc pufferfish budget ex3
  dipc pufferfish budget weather --horizon any
  dipc pufferfish budget above --horizon 11 --curve    for every horizon
""",
)
@FILE
@about_models
@comparing
@click.option("--curve", is_flag=True, help="The least c and its sequence for each horizon up to this.")
@options.json()
def budget(asked: Given, curve: bool) -> int:
    """Find the least c for which FILE is private, exactly, with a sequence of observations that reaches it.

    \b
    Exit status: 0, or 3 if the least c is only known to lie in an interval.
    """
    start = monotonic()
    with work(f"computing the least c of {asked.name}", *asked.limits):
        found = list(asked.load().curve()) if curve and not asked.is_program else [asked.posed().budget()]
    seconds = monotonic() - start
    if curve:
        _show_curve(found, seconds, asked.as_json)
    else:
        show_rows("pufferfish budget", [*budget_rows(found[0]), time_row(seconds)], asked.as_json)
    say_notes(found[-1].notes)
    return 0 if all(each.exact for each in found) else 3


def _show_curve(found: Sequence[Budget], seconds: float, as_json: bool) -> None:
    if as_json:
        answers = ([*budget_rows(each), time_row(seconds)] for each in found)
        records = [envelope("pufferfish budget", record(answer)) for answer in answers]
        say(json.dumps(records, indent=2))
        return
    with_eps = found[0].question.parameters.eps_name is not None
    rows = [
        (
            str(each.question.horizon),
            least_constant(each),
            *([] if with_eps else [epsilon_text(each)]),
            sequence_text(each.reached.sequence) if each.reached else "",
        )
        for each in found
    ]
    show_table(("horizon", *(("least t",) if with_eps else ("least c", "epsilon")), "sequence"), rows)
