"""``dipc model``: formulas of dpCTL* on Markov models; ``show`` and ``export`` are in other files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os.path import isdir
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import click

from dipc.claims.rows import Node, data
from dipc.claims.wording import Record, pretty
from dipc.cli import options, tasks
from dipc.cli.asking import Asking, present, reported, say_notes, show_rows, write_certificate
from dipc.cli.group import Group
from dipc.cli.outcome import Result, worst
from dipc.cli.terminal import show_table
from dipc.cli.work import asking, reading, work
from dipc.clock import Progress
from dipc.dpctl.model import MarkovModel, load_model
from dipc.dpctl.pipeline import ModelValue
from dipc.dpctl.records import brief_witness, rows_of
from dipc.dpctl.verdict import ModelVerdict, Undecided
from dipc.dpctl.words import DEPTH
from dipc.errors import DipcError, InputError, Source
from dipc.lazily import lazily
from dipc.models.reading import PropertyLine, read_formulas
from dipc.report.document import time_row
from dipc.shipped import models, source_of
from dipc.systems import MODELS as SYSTEM

if TYPE_CHECKING:
    import dipc.dpctl.certify as chains
else:
    chains = lazily("dipc.dpctl.certify")

STATE = re.compile(r'"[^"]*"|(?:[^,"\[]|\[[^\]]*\])+')
NO_LINE = PropertyLine("", Source("", ""), None)
HINT = "give one: dipc model check {} 'P>=1/2 (F goal)'; or write `property NAME: FORMULA` into the file"


@click.group(
    cls=Group,
    homes={
        "check": "dpctl.commands.model:check",
        "value": "dpctl.commands.model:value",
        "budget": "dpctl.commands.model:budget",
        "regions": "dpctl.commands.model:regions",
        "show": "dpctl.commands.files:show",
        "export": "dpctl.commands.files:export",
    },
    epilog="""\b
Examples:
  dipc model check survey.dpm "D[ln 3, 0](X out_1)"
  dipc model value survey.dpm "D[?, 0](X out_1)"
  dipc model regions survey.dpm "D[eps, 0](X out_1)"
""",
)
def model() -> None:
    """Decide formulas of dpCTL* on Markov chains and decision processes: for every eps, with witnesses.

    A MODEL is a file (*.dpm, *.drn, *.csv; *.dip for the outputs of a program; with stormpy also *.pm,
    *.prism, *.nm and *.jani), the name of a shipped model or program, or - for the standard input.
    """


@dataclass(frozen=True, kw_only=True)
class Given(options.About):
    """The model in question, and what the options that several commands have say about it."""

    neighbours: str | None = None
    states: str | None = None
    depth: int = DEPTH
    all_schedulers: bool = False
    exact: bool = False

    def restrictions(self, model: MarkovModel) -> Record:
        """What the methods of a model take: the states, eps, and how to search."""
        start = None if self.states is None else list(states_in(self.states, model.family.names))
        found = {"at": self.at, "start": start, "depth": self.depth, "all_schedulers": self.all_schedulers}
        return found | ({"exact": True} if self.exact else {})

    def load(self) -> MarkovModel:
        """The model with its parameters and neighbours set."""
        with reading(self.name):
            found = load_model(self.file, options.defined(self.definitions))
            return found if self.neighbours is None else found.with_neighbours(self.neighbours)

    def later(self, passed: float) -> Given:
        """The same after so many seconds, which are off the limit."""
        return self if self.time_limit is None else replace(self, time_limit=max(0, self.time_limit - passed))


def states_in(text: str, names: Sequence[str]) -> Iterator[str]:
    """The states in a list: with quotes or without, blanks in brackets do not matter.

    >>> list(states_in('a, "b, c", q=[0,1]', ["q=[0, 1]"]))
    ['a', 'b, c', 'q=[0, 1]']
    """
    known = {name.replace(" ", ""): name for name in names}
    for written in STATE.findall(text):
        if name := written.strip().strip('"'):
            yield name if name in names else known.get(name.replace(" ", ""), name)


def on_a_model(command: Callable[..., int]) -> Callable[..., int]:
    """MODEL, -D and ``--neighbours``; they and other options of :class:`Given` become the first argument."""

    own = click.option("--neighbours", metavar="TEXT", help="Instead of the model's own: 'a ~ b, c ~ d'.")
    found = own(options.gathered(Given, command))
    found = options.definitions(help="Set a number of the model, for example -D z='exp(eps)'.")(found)
    return click.argument("file", metavar="MODEL", type=options.MODEL)(found)


def about_formulas(command: Callable[..., int]) -> Callable[..., int]:
    """A model, and the options of a question about it."""
    start = click.option("--from", "states", metavar="STATES", help="Ask at these states: --from 'a, b'.")
    depth = click.option(
        "--depth",
        type=options.STEPS,
        default=DEPTH,
        metavar="N",
        help=f"Search words of up to N actions for D on decision processes; {DEPTH} if not given.",
    )
    stronger = click.option(
        "--all-schedulers",
        is_flag=True,
        help="Ask D over all schedulers, which see the states (Proposition 2), instead of words of actions.",
    )
    at, limit, memory, as_json = options.at(), options.time_limit(), options.memory_limit(), options.json()
    return on_a_model(start(at(limit(memory(depth(stronger(as_json(command))))))))


# --- check -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FormulaOutcome(Result):
    """The check of a formula; ``line`` says what was asked."""

    kind = "model check"
    verdict: ModelVerdict | None = None
    line: PropertyLine = NO_LINE
    among: bool = False  # others about other models

    @property
    def formula(self) -> str:
        return self.verdict.property.text if self.verdict is not None else self.line.source.text.strip()

    @property
    def label(self) -> str:
        name = self.line.name or self.formula
        return f"{self.file}: {name}" if self.among else name

    @property
    def short_witness(self) -> str:
        if self.verdict is None or self.verdict.witness is None:
            return self.verdict.reason if self.verdict is not None else ""
        return brief_witness(self.verdict)

    @property
    def test_case(self) -> tuple[str, str]:
        return self.file, self.line.name or self.formula or self.file

    @property
    def asked(self) -> Record:
        return {"model": self.file, "name": self.line.name or None, "formula": self.formula}

    @property
    def rows(self) -> Iterator[Node]:
        assert self.verdict is not None
        yield from rows_of(self.verdict, self.file)
        yield from self.expectation
        yield time_row(self.seconds)


class Question(NamedTuple):
    """A formula about a model, or why the model cannot be read."""

    asked: Given
    found: MarkovModel | None
    line: PropertyLine
    error: Exception | None = None


@model.command(
    short_help="Prove a formula, or refute it by a witness.",
    epilog="""\b
Examples:
  dipc model check survey.dpm "D[ln 3, 0](X out_1)"
  dipc model check survey.dpm                the `property` lines of the file
  dipc model check survey.dpm --formulas laws.txt --expect
  dipc model check first.dpm second.dpm models/ --expect   all properties
  dipc model check survey.dpm "D[eps, 0](X out_1)" --at 1/2 --from "plus"
  dipc model check chain.drn --neighbours "0 ~ 1" "D[eps, 0](F goal)"
""",
)
@about_formulas
@click.argument("formulas", metavar="[FORMULA]...", nargs=-1)
@click.option(
    "--formulas",
    "file_of_formulas",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Also those in FILE, one 'NAME: FORMULA' a line.",
)
@click.option("--exact", is_flag=True, help="Fractions for the numbers of a witness in a large chain, too.")
@options.expect(help="Compare each verdict with its comment '# expect: fails' (or holds, undecided).")
@tasks.options
@options.junit()
@options.certificate(metavar="OUT")
@options.quiet()
def check(
    asked: Given,
    formulas: tuple[str, ...],
    file_of_formulas: str | None,
    junit: str | None,
    workers: tasks.Workers,
) -> int:
    """Decide each FORMULA of dpCTL* at the start states of MODEL, for every eps.

    Without a FORMULA: the `property` lines of the model.  The name of a file (*.dpm, *.drn), of a shipped
    model, or of a folder with a slash (models/) is another MODEL.  In a folder those models are left out for
    which there is no formula.

    Exit status: 0 holds, 1 fails, 2 broken input, 3 undecided or over a limit, 130 interrupted.
    Of several formulas the worst counts: 2, then 1, then 3, then 0.  With --expect an expected
    verdict counts as 0, and another one that is decided as 1.
    """
    if asked.expect and (formulas or asked.at is not None or asked.states is not None):
        raise click.UsageError(
            "the expected verdict is about a file as it stands: leave out --expect, or FORMULA, --at "
            "and --from"
        )
    files, formulas = _models_and_formulas(asked.file, formulas)
    for target in (junit, asked.certificate_file):
        options.refuse_overwriting(target, *files)
    failed = partial(FormulaOutcome, asked.name, 0.0, None)
    with reported(junit, "dipc model check", failed) as outcomes:
        if among := not options.is_one(files):
            posed = list(_posed_about_several(asked, files, formulas, file_of_formulas))
        else:
            posed = list(_posed(asked, formulas, file_of_formulas))
        if asked.certificate_file is not None and len(posed) != 1:
            raise click.UsageError("a certificate is about one formula: give one")
        questions = Asking[Question, FormulaOutcome](
            "formula",
            asked.style,
            lambda each, progress: _decided(each, among, progress),
            lambda each, seconds, error: FormulaOutcome(
                each.asked.name, seconds, error=error, line=each.line, among=among
            ),
            _show_table,
            workers,
        )
        if len(posed) == 1 and not among:
            outcomes.append(questions.one(posed[0], f"checking {asked.name}"))
            present(outcomes[0], asked.style)
        else:
            outcomes += questions.several(posed)
        about = Path(asked.name).name
        write_certificate(
            outcomes[0], lambda each: chains.verdict_certificate(each, about), asked.certificate_file
        )
    return worst(outcome.status for outcome in outcomes)


def _models_and_formulas(first: str, texts: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The models and the formulas among these arguments: a word alone is a proposition, not a folder.

    >>> _models_and_formulas("a.dpm", ["F goal", "b.drn", "models", "survey"])
    (['a.dpm', 'b.drn', 'survey'], ('F goal', 'models'))
    """
    named = [
        text
        for text in texts
        if text.endswith(SYSTEM.suffixes) or text in models() or ("/" in text and isdir(text))
    ]
    return [first, *named], tuple(text for text in texts if text not in named)


def _posed(asked: Given, formulas: Sequence[str], file_of_formulas: str | None) -> Iterator[Question]:
    """What is asked about one model."""
    start = monotonic()
    with work(f"reading {asked.name}", *asked.limits):
        found = asked.load()
    asked = asked.later(monotonic() - start)
    for line in _lines(found, formulas, file_of_formulas, asked):
        yield Question(asked, found, line)


def _posed_about_several(
    asked: Given, files: Sequence[str], formulas: Sequence[str], file_of_formulas: str | None
) -> Iterator[Question]:
    """What is asked about models in files and folders; an error in one does not stop the others."""
    several = options.expanded(files, [f"*{ending}" for ending in SYSTEM.suffixes if ending != ".csv"])
    given = formulas or file_of_formulas is not None
    for file in several:
        one = replace(asked, file=file)
        try:
            if file not in files and not given and not one.load().properties:
                continue
            yield from _posed(one, formulas, file_of_formulas)
        except (DipcError, OSError) as error:
            yield Question(one, None, NO_LINE, error)


def _lines(found: MarkovModel, formulas: Sequence[str], file: str | None, asked: Given) -> list[PropertyLine]:
    """What is asked: the formulas of the command line and of a file, else those of the model."""
    lines = [PropertyLine("", Source("<formula>", text), None) for text in formulas]
    if file is not None:
        lines += read_formulas(source_of(file))
    if not lines and file is None:
        lines += found.properties
    if not lines:
        if file is not None:
            raise InputError(f"{file}: there is no formula in this file", hint="write one: NAME: FORMULA")
        raise InputError(f"{asked.file}: there is no formula to check", hint=HINT.format(asked.file))
    return lines if asked.expect else [line._replace(expected=None) for line in lines]


def _decided(posed: Question, among: bool, progress: Progress) -> FormulaOutcome:
    """The verdict on one formula.  If Ctrl-C is pressed it is undecided."""
    asked, found, line, error = posed
    if found is None:
        assert error is not None
        raise error
    with asking(*asked.limits, progress) as running:
        verdict = found.check(line, **asked.restrictions(found))
    return FormulaOutcome(asked.name, verdict.seconds, verdict, running.error, line.expected, line, among)


def _show_table(outcomes: Sequence[FormulaOutcome], noun: str) -> None:
    """A row for each formula, with names if one has a name, and with models if there are several."""
    heads = ("model", "name", noun, "verdict", "time", "witness or reason")
    rows = [
        (o.file, o.line.name, pretty(o.formula), o.answer, f"{o.seconds:.2f} s", o.remark.replace("\n", " "))
        for o in outcomes
    ]
    shown = [o.among for o in outcomes][:1] == [True], any(o.line.name for o in outcomes)
    chosen = [column for column in range(len(heads)) if column > 1 or shown[column]]
    cells = [[row[column] for column in chosen] for row in rows]
    show_table([heads[column] for column in chosen], cells, answers=chosen.index(3))


# --- value and regions -------------------------------------------------------------------------------


@model.command(
    short_help="Find probabilities, the least epsilon or the least delta.",
    epilog="""\b
Examples:
  dipc model value survey.dpm "P=? (X out_1)"
  dipc model value survey.dpm "D[?, 0](X out_1)"       the least epsilon
  dipc model value survey.dpm "D[eps, ?](X out_1)" --at 1/2
""",
)
@about_formulas
@click.argument("query")
def value(asked: Given, query: str) -> int:
    """Answer a QUERY at the start states of MODEL, exactly, for every eps.

    \b
    P=? (f)        the probability of f; on decision processes Pmin=? and Pmax=?
    D[?, d] (f)    the least epsilon for which D[epsilon, d] (f) holds
    D[e, ?] (f)    the least delta for which D[e, delta] (f) holds
    """
    return _answered(asked, query, lambda loaded: loaded.value, query)


def _answered(
    asked: Given, what: str, method: Callable[[MarkovModel], Callable[..., ModelValue]], text: str | None
) -> int:
    """Show the answer that a method of the model gives."""
    start = monotonic()
    with work(f"computing {what}", *asked.limits):
        loaded = asked.load()
        found = method(loaded)(text, **asked.restrictions(loaded))
    seconds = data("seconds", round(monotonic() - start, 6))
    show_rows("model value", [*rows_of(found, asked.name), seconds], asked.as_json)
    say_notes(found.notes)
    return 0 if all(segment.found for segments in found.values.values() for segment in segments) else 3


@model.command(
    short_help="Find the least epsilon of a formula.",
    epilog="""\b
Examples:
  dipc model budget survey.dpm "D[eps, 0](X out_1)"
""",
)
@about_formulas
@click.argument("formula", required=False)
def budget(asked: Given, formula: str | None) -> int:
    """Find the least epsilon for which FORMULA, of the form D[epsilon, d] (f), holds at the start states.

    It is the answer to the query D[?, d] (f) of `dipc model value`.  Without a FORMULA it is that of the only
    `property` line of MODEL.
    """
    return _answered(asked, f"the least epsilon of {asked.name}", lambda loaded: loaded.budget, formula)


@model.command(
    short_help="Find all eps at which a formula holds.",
    epilog="""\b
Examples:
  dipc model regions survey.dpm "D[eps, 0](X out_1)"
  dipc model regions survey.dpm "P>=1/2 (X out_1) for eps in (0, 2]" --json
""",
)
@about_formulas
@click.argument("formula")
def regions(asked: Given, formula: str) -> int:
    """Find for each start state of MODEL all eps at which FORMULA holds."""
    start = monotonic()
    with work(f"checking {formula}", *asked.limits) as running:
        loaded = asked.load()
        found = loaded.regions(formula, **asked.restrictions(loaded))
        if running.error is not None:
            raise running.error
    show_rows("model regions", [*rows_of(found, asked.name), time_row(monotonic() - start)], asked.as_json)
    say_notes(found.verdict.notes)
    return 3 if isinstance(found.verdict, Undecided) else 0
