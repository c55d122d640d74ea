"""The page about a question of Pufferfish privacy: the verdict, the least c, plots, the chain, and files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import inf
from pathlib import Path, PurePath
from typing import Any

import dipc.views as views
from dipc.certificate.format import dumps
from dipc.claims.wording import pretty
from dipc.clock import Clock, in_force, limits
from dipc.errors import Source
from dipc.export.markov_picture import Step, svg
from dipc.files import write_file
from dipc.models.chain import MarkovChain
from dipc.numbers.exact import Number
from dipc.pufferfish import pipeline
from dipc.pufferfish.certify import question_certificate
from dipc.pufferfish.export.hmm import chain_of
from dipc.pufferfish.hmm import AnyQuestion, HiddenMarkovModel, PufferfishQuestion
from dipc.pufferfish.panels import fixed, panels_of
from dipc.pufferfish.programs import ProgramQuestion
from dipc.pufferfish.question import Question
from dipc.pufferfish.records import asked_text, budget_rows, point_text, title_text, verdict_rows
from dipc.pufferfish.verdict import Budget, PufferfishVerdict, Reached
from dipc.report.attempts import PATIENCE, Attempts
from dipc.report.page import (
    Answer,
    Download,
    check_again,
    download,
    drawing,
    left_out,
    load,
    page,
    plain_stem,
    plots,
    rows,
    section,
    target_of,
)
from dipc.suggest import options_only

MOST_STATES = 60  # of a chain that is drawn
NAME = re.compile(r"[^\s(),]+(?:\([^()]*\))?")
NO_CLAIM = Answer("no claim", "none", "")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a page is about; ``asked`` has the probabilities."""

    question: AnyQuestion
    asked: Question
    claim: str | None
    at: Number | None

    @property
    def source(self) -> Source:
        """The text of the model or the program."""
        return self.question.source

    def budget(self) -> Budget:
        """The least c."""
        if isinstance(self.question, ProgramQuestion):
            return self.question.budget(at=self.at)
        return pipeline.budget(self.asked, Clock())


@options_only
def report_question_html(
    question: AnyQuestion,
    claim: str | None = None,
    *,
    at: Number | None = None,
    title: str | None = None,
    attempts: Attempts | None = None,
) -> str:
    """A page about a question and the claim, by default its own.

    ``title`` is the heading, by default the name of the model; ``at`` is the only eps.  The limits
    (:func:`dipc.limits`, 20 seconds if there is none) are for each part; a part that takes longer is left out
    with a note.  Raises :class:`InputError`.
    """
    load()
    attempts = attempts or Attempts()
    subject = Subject(question, question.asking(claim, at, Clock()), claim, at)
    verdict = None
    if subject.asked.claim is not None:
        with limits(seconds=PATIENCE if in_force().seconds == inf else None):
            verdict = question.check(claim, at=at)
    sections = list(_sections(subject, verdict, attempts))
    name = PurePath(subject.source.name).name.strip("<>")
    heading = pretty(title_text(subject.asked))
    return page(title or name, heading, [_answer(verdict)], [*sections, left_out(attempts.notes)])


def _answer(verdict: PufferfishVerdict | None) -> Answer:
    if verdict is None or verdict.question.claim is None:
        return NO_CLAIM
    text = asked_text(verdict.question, verdict.question.claim)
    return Answer(verdict.status, verdict.status, text, verdict.notes)


def _sections(subject: Subject, verdict: PufferfishVerdict | None, attempts: Attempts) -> Iterator[str]:
    if verdict is not None:
        yield section("The answer", rows(verdict_rows(verdict)))
    least = attempts("the least c", subject.budget, None)
    if least is not None:
        yield section("The least c", rows(budget_rows(least)))
    shown = verdict.counterexample if verdict is not None else None
    reached = least.reached if least is not None else None
    panels = attempts("the plots", lambda: panels_of(subject.asked, Clock()))
    if panels and len(panels) > 1 and subject.asked.horizon == 1:
        panels = [panel for panel in panels if panel.kind != "horizon"]  # a single point
    if panels:
        yield section("Plots", plots(panels))
    yield attempts("the drawing", lambda: _drawing(subject, shown or reached)) or ""
    yield section("The text", f'<pre class="box" tabindex="0">{escape(subject.source.text.strip())}</pre>')
    yield _again(subject, verdict, attempts)


# --- the chain -----------------------------------------------------------------------------------


def _drawing(subject: Subject, shown: Reached | None) -> str:
    """The chain, at the parameters of a counterexample or of the least c; its way is in colour."""
    model, heading = subject.asked, "The chain"
    free = [name for name in model.parameters.names if name != model.parameters.eps_name]
    if free and not model.parameters.symbols and shown is not None and shown.parameters:
        model, heading = fixed(model, shown.parameters), f"The chain at {point_text(shown.parameters)}"
    chain = chain_of(model)
    if len(chain.names) > MOST_STATES:
        return ""
    ends, way = [], list[Step]()
    if shown is not None:
        names = [f"{side}{prior}" for side in (shown.secret, shown.against) for prior in _priors(shown)]
        ends = [place for place, name in enumerate(chain.names) if name in names]
        way = list(_way(chain, ends, shown.sequence))
    words = (
        "<p>From each of the compared distributions the model goes to a state with an observation. "
        "In colour: the observations that tell both sides apart.</p>\n"
    )
    return section(heading, words + drawing(svg(chain, ends, way), f"The chain of {subject.source.name}"))


def _priors(shown: Reached) -> tuple[str, ...]:
    """How the name of a side may end in the chain."""
    return ("", f" (prior {shown.prior})") if shown.prior is not None else ("",)


def _way(chain: MarkovChain[Any], ends: Sequence[int], sequence: Sequence[str]) -> Iterator[Step]:
    """The transitions that show this sequence."""
    here = set(ends)
    for observation in sequence:
        seen = chain.labels.get(observation, frozenset())
        steps = [(s, None, t) for s in here for t, _ in chain.rows[s] if t in seen]
        yield from steps
        here = {t for _, _, t in steps}


# --- commands and files --------------------------------------------------------------------------


def _again(subject: Subject, verdict: PufferfishVerdict | None, attempts: Attempts) -> str:
    """How to check the verdict with the files of the page."""
    stem, text = plain_stem(subject.source.name), subject.source.text
    is_program = isinstance(subject.question, ProgramQuestion)
    file = f"{stem}{'.dip' if is_program else '.hmm'}"
    about = "the program" if is_program else "the model"
    set_to = list(_options(subject))
    words = shlex.join([file, *set_to])
    commands = [(f"dipc pufferfish {'budget' if verdict is None else 'check'} {words}", "decide again")]
    files: list[Download] = [download(file, about, text.encode(), "")]
    if verdict is None or verdict.status == "undecided":
        return check_again(commands, files)
    found = attempts("the certificate", lambda: dumps(question_certificate(verdict.question, verdict)))
    if found is not None:
        command = f"dipc pufferfish check {words} --certificate {stem}.json"
        files.append(download(f"{stem}.json", "the certificate", found.encode(), command))
        if not {"--compare", "--horizon", "--at"}.intersection(set_to):
            given = shlex.join(["-D" if word == "--fix" else word for word in set_to])
            expected = "--expect violated" if verdict.status == "violated" else ""
            verify = " ".join(filter(None, (f"dipc verify {stem}.json --model {file}", given, expected)))
            commands.append((verify, f"check the certificate against {about}"))
        commands.append((f"python -m dipc.kernel {stem}.json", "check it with one folder of dipc"))
    return check_again(commands, files)


def _options(subject: Subject) -> Iterator[str]:
    """What was set from outside, as options of ``dipc pufferfish check``."""
    question = subject.question
    claim, at = subject.claim, subject.at
    if isinstance(question, ProgramQuestion):
        for name, value in question.secrets.parameters:
            yield from ("-D", f"{name}={value}")
        numbers: Any = question.fixed
    else:
        assert isinstance(question, PufferfishQuestion)
        numbers, asked = question.model.parameters, question.asked
        claim, at = claim or asked.claim, asked.at if at is None else at
        for pair in asked.compare:
            yield from ("--compare", *NAME.findall(pair))
        yield from () if asked.horizon is None else ("--horizon", asked.horizon)
    for name, value in numbers.items():
        yield from ("--fix", f"{name}={value}")
    yield from () if claim is None else ("--claim", claim)
    yield from () if at is None else ("--at", str(at))


@views.page.register(AnyQuestion)
def _page(question: AnyQuestion, file: str | Path | None = None, **options: Any) -> Path:
    """Write the page; raises :class:`InputError` unless ``file`` is named as one."""
    if isinstance(question, HiddenMarkovModel):
        question = question.question()
    target = target_of(question.source.name, file)
    write_file(target, report_question_html(question, **options))
    return target
