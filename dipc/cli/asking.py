"""Asking one question or several: what all commands with verdicts do around an answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from dipc.claims.rows import Node, lines
from dipc.cli.outcome import Result, summary, write_report
from dipc.cli.tasks import ALONE, Workers, in_turn
from dipc.cli.terminal import answer, say, show_table
from dipc.cli.work import Bar
from dipc.clock import Progress
from dipc.excerpts import MOST_ANSWERED, MOST_SAID, clipped, shortened
from dipc.lazily import lazily
from dipc.report.answer import answer_text
from dipc.report.document import Document, aligned, plain_document, section_lines

if TYPE_CHECKING:
    import dipc.certificate.format as certificates
else:
    certificates = lazily("dipc.certificate.format")

Found = TypeVar("Found", bound=Result)
Thing = TypeVar("Thing")


def claims_table(outcomes: Sequence[Result], noun: str) -> None:
    """A row for each file."""
    heads = (noun, "claim", "verdict", "time", "counterexample or reason")
    rows = [(o.file, o.claim, o.answer, f"{o.seconds:.2f} s", o.remark.replace("\n", " ")) for o in outcomes]
    show_table(heads, rows, answers=2)


@dataclass(frozen=True)
class Asking(Generic[Thing, Found]):
    """What a command asks about each of several things, called ``noun``, in a style.

    ``failed`` makes an outcome of a thing, the seconds and an error.
    """

    noun: str
    style: str
    question: Callable[[Thing, Progress], Found]
    failed: Callable[[Thing, float, BaseException], Found]
    table: Callable[[Sequence[Found], str], None] = claims_table
    workers: Workers = ALONE

    def one(self, thing: Thing, doing: str) -> Found:
        """The answer about one thing, which is not yet shown; its errors are those of the command."""
        with Bar(doing) as bar:
            return self.question(thing, bar.show)

    def several(self, things: Sequence[Thing]) -> list[Found]:
        """Ask about one thing after the other, and show a table, a word each or JSON."""
        outcomes = list(in_turn(self.noun, self.question, self.failed, things, self.workers))
        if self.style == "json":
            say(json.dumps([outcome.record for outcome in outcomes], indent=2))
        elif self.style == "quiet":
            for outcome in outcomes:
                say(f"{shortened(outcome.label, MOST_SAID)}: {answer(outcome.word)}")
        else:
            self.table(outcomes, self.noun)
            say(summary(outcomes, len(things), self.noun))
        return outcomes


@contextmanager
def reported(
    junit: str | None, command: str, failed: Callable[[BaseException], Found]
) -> Iterator[list[Found]]:
    """``with reported("out.xml", "dipc check", ...) as outcomes``: they are reported, and so is an error."""
    outcomes: list[Found] = []
    try:
        yield outcomes
    except Exception as error:
        outcomes.append(failed(error))
        raise
    finally:
        if junit is not None:
            write_report(outcomes, junit, command)


# --- how answers are shown -----------------------------------------------------------------------


def present(outcome: Result, style: str) -> None:
    """The verdict as ``text``, as ``json`` or in a word (``quiet``), its notes on the standard error."""
    assert outcome.verdict is not None
    if style == "json":
        say(json.dumps(outcome.record, indent=2))
    elif style == "quiet":
        say(answer(outcome.word))
    else:
        _show(outcome)
    say_notes(outcome.verdict.notes)


def _show(outcome: Result) -> None:
    """The verdict for people."""
    shown = list(lines(outcome.rows))
    for (heading, text), line in zip(shown, aligned(shown), strict=True):
        word, *where = text.split(" ", 1)
        coloured = " ".join([answer(word), *where])
        say(line.removesuffix(text) + coloured if heading == "verdict" else line)


def show_rows(kind: str, rows: Iterable[Node], as_json: bool) -> None:
    """Print rows as a document; ``kind`` is that of the JSON, see :mod:`dipc.report.answer`."""
    show_document(kind, plain_document(rows), as_json)


def show_document(kind: str, document: Document, as_json: bool) -> None:
    """Print a document; headings stand out on a terminal."""
    if as_json:
        say(answer_text(kind, chain.from_iterable(section.rows for section in document)))
        return
    for section in document:
        if section.heading:
            say()
            say(click.style(section.heading, bold=True))
        for line in section_lines(section):
            say(line)


def say_notes(notes: Iterable[str]) -> None:
    """Notes are not part of the answer."""
    for note in notes:
        click.echo(f"note: {clipped(note, MOST_ANSWERED)}", err=True)


def write_certificate(outcome: Result, made: Callable[[Any], Any], file: str | None) -> None:
    """Write what is made of the verdict, if a file is named and something was decided."""
    if file is None or outcome.verdict is None or outcome.interrupted:
        return
    if outcome.word == "undecided":  # which the exit status says
        click.echo("no certificate is written: nothing was decided", err=True)
    else:
        certificates.write(made(outcome.verdict), file)
