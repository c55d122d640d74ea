"""The terminal: colour, tables, any encoding of what is read and printed."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Any, TextIO

import click

from dipc.excerpts import MOST_SAID, shortened
from dipc.files import write_file

COLOURS = {
    "private": "green",
    "holds": "green",
    "true": "green",
    "violated": "red",
    "fails": "red",
    "false": "red",
    "undecided": "yellow",
    "error": "magenta",
}
"""The colour of each answer."""

ASCII = {
    "ε": "eps",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "←": "<-",
    "δ": "delta",
    "…": "...",
    "→": "->",
    "·": "*",
    "≈": "~",
    **{chr(0x2080 + digit): str(digit) for digit in range(10)},
}
"""What replaces a character that the terminal cannot show."""

HANDLER = "dipc"
STDERR = 2


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(ASCII.get(c, c.encode("ascii", "backslashreplace").decode()) for c in signs), error.end


codecs.register_error(HANDLER, _replaced)


def encodable(text: str, encoding: str | None = None) -> str:
    """The text as the terminal can show it.

    >>> encodable("0 < ε ≤ 1", "ascii"), encodable("Č", "latin-1")
    ('0 < eps <= 1', '\\\\u010c')
    """
    encoding = encoding or getattr(sys.stdout, "encoding", None) or "ascii"
    return text.encode(encoding, HANDLER).decode(encoding)


def make_robust() -> None:
    """From now on a character that the terminal cannot show is replaced, and never an error."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=HANDLER)
            setattr(sys, name, _opened_again(stream))


class Output(io.FileIO):
    """The standard output or the standard error.

    What a closed pipe does not take is dropped: the exit status is still that of the verdict.  Any other
    failure is an error, once; but none on the standard error, where remarks must not change the status.
    """

    broken = False

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if not (self.broken or isinstance(error, BrokenPipeError) or self.fileno() == STDERR):
                self.broken = True
                raise OSError(error.errno, error.strerror, "<stdout>") from None
            return memoryview(data).nbytes


def _opened_again(stream: TextIOWrapper) -> TextIOWrapper:
    """The stream as such a file, unless it is none (the console of Windows, a test's)."""
    if not isinstance(getattr(stream.buffer, "raw", stream.buffer), io.FileIO):
        return stream
    stream.flush()
    file = Output(stream.fileno(), "wb", closefd=False)
    return TextIOWrapper(
        io.BufferedWriter(file), stream.encoding, stream.errors, line_buffering=stream.line_buffering
    )


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream, which the process may lack, is a terminal."""
    return stream is not None and stream.isatty()


class Text(click.types.StringParamType):
    """Text of the language: UTF-8, even where the locale is another one and bytes arrive as surrogates.

    >>> TEXT.convert("\\udcce\\udcb5/2", None, None), TEXT.convert("eps/2", None, None)
    ('ε/2', 'eps/2')
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(super().convert(value, param, ctx))
        try:
            return text.encode("ascii", "surrogateescape").decode("utf-8")
        except UnicodeError:
            return text


TEXT = Text()


def set_colour(context: click.Context, option: click.Parameter, value: bool | None) -> None:
    """What ``--color`` and ``--no-color`` do; without them, no colour where none is wanted (no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if value is not None or plain:
        context.color = bool(value)  # else that of the group around the command


def colour_option() -> click.Option:
    """``--color/--no-color``, for every command."""
    use = "Use colour or not. By default: on a terminal, unless NO_COLOR is set."
    return click.Option(
        ["--color/--no-color"], default=None, expose_value=False, is_eager=True, callback=set_colour, help=use
    )


def answer(status: str) -> str:
    """A verdict in its colour."""
    return click.style(status, fg=COLOURS.get(status.lower()), bold=True)


def say(text: str = "", end: str = "\n") -> None:
    """Print a line; click removes the colours where there are none."""
    click.echo(encodable(text) + end, nl=False)


def write(content: str, file: str | None) -> None:
    """Print a text, or write it to a file."""
    if file is None:
        say(content, end="" if content.endswith("\n") else "\n")
    else:
        write_file(file, content)


Row = Sequence[str]


def show_table(headings: Row, rows: Sequence[Row], answers: int | None = None) -> None:
    """A table: drawn by rich on a terminal, else plain columns.  ``answers``: the column with verdicts.

    Long cells lose their middle.
    """
    rows = [[shortened(cell, MOST_SAID) for cell in row] for row in rows]
    colour = getattr(click.get_current_context(silent=True), "color", None)
    if colour or is_terminal(sys.stdout):
        _drawn(headings, rows, answers, colour is not False)
    else:
        for line in columns([headings, *rows]):
            say(line)


def columns(rows: Sequence[Row]) -> list[str]:
    """The rows as aligned lines."""
    shown = [[encodable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in shown]


def _drawn(headings: Row, rows: Sequence[Row], answers: int | None, colour: bool) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        cells = [Text(encodable(cell)) for cell in row]
        if answers is not None:
            cells[answers].stylize(f"bold {COLOURS.get(row[answers].split()[0].lower(), 'default')}")
        table.add_row(*cells)
    console = Console(force_terminal=colour or None, no_color=not colour, highlight=False)
    console.print(table)
