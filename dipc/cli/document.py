"""Documents on the command line: text for people, or one JSON record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from dipc.cli.terminal import say
from dipc.report.document import Document, Row, as_json, data, section_lines
from dipc.report.words import program_line


def program_rows(file: str, parameters: Mapping[str, str]) -> Iterator[Row]:
    """The program with its parameters: what a document begins with."""
    yield Row(*program_line(file, parameters), "program", file)
    yield data("parameters", dict(parameters))


def show(document: Document, json: bool) -> None:
    """Print a document; headings stand out on a terminal."""
    if json:
        say(as_json(document))
        return
    for section in document:
        if section.heading:
            say()
            say(click.style(section.heading, bold=True))
        for line in section_lines(section):
            say(line)
