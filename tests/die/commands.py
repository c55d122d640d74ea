"""The commands of the loaded die."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import click
from dipc.die.die import Die, Verdict, certificate

from dipc.claims.rows import Node, Row
from dipc.cli import options
from dipc.cli.asking import present, write_certificate
from dipc.cli.outcome import Result
from dipc.files import write_file
from dipc.report.document import html, plain_document
from dipc.report.page import TEMPLATES


@dataclass(frozen=True, slots=True)
class Outcome(Result):
    kind = "check"
    verdict: Verdict | None = None

    @property
    def rows(self) -> Iterator[Node]:
        assert self.verdict is not None
        yield Row("die", self.file, "program", self.file)
        yield Row("verdict", self.verdict.status.upper(), "verdict", self.verdict.status)
        yield Row("worst", str(self.verdict.worst), "worst", str(self.verdict.worst))


@click.command()
@click.argument("file")
@options.certificate()
@options.json()
def check(file: str, certificate_file: str | None, as_json: bool) -> int:
    """Decide whether one roll of the die in FILE tells it from a fair one."""
    outcome = Outcome(file, 0.0, Die.load(file).check())
    present(outcome, "json" if as_json else "text")
    write_certificate(outcome, certificate, certificate_file)
    return outcome.status


@click.command()
@click.argument("file")
@options.output(required=True)
def report(file: str, output: str) -> int:
    """Write a page about the die in FILE."""
    body = html(plain_document(Outcome(file, 0.0, Die.load(file).check()).rows))
    style = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    write_file(output, f"<!DOCTYPE html>\n<title>{escape(file)}</title><style>{style}</style>{body}\n")
    return 0
