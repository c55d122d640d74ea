"""Long work, with a progress bar, a time limit and Ctrl-C; whatever ends it early says how far it came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click

from dipc.cli.alarm import alarm
from dipc.cli.interrupt import Interrupted, Stop, interruptible
from dipc.cli.progress import Bar
from dipc.clock import Progress
from dipc.errors import LimitReached
from dipc.report.study import Note

BARE = ("interrupted", "the time limit was reached")
"""Messages that say nothing about the work itself."""


@dataclass(frozen=True, slots=True)
class Work:
    """``progress`` receives how far the work is; ``stop`` knows whether Ctrl-C was pressed."""

    progress: Progress
    stop: Stop

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """A part of the work with its own limit; after Ctrl-C no further part begins."""
        if self.stop.pressed:
            raise Interrupted("not tried: interrupted")
        with alarm(seconds):
            yield


def say_left_out(notes: Iterable[Note]) -> None:
    """Which parts are missing and why, and what to do about those that took too long."""
    notes = dict.fromkeys(notes)
    for note in notes:
        click.echo(f"left out: {note.part}: {note.why}", err=True)
    if any("time limit" in note.why or "did not end" in note.why for note in notes):
        click.echo("    help: --time-limit SECONDS gives every part more time", err=True)


@contextmanager
def work(doing: str, seconds: float | None = None) -> Iterator[Work]:
    """``with work("reading svt1", 10) as w: find(progress=w.progress)``.

    An error that ends it early says where it was:

    >>> with work("reading") as w:
    ...     w.progress("inequalities", 12, 300)
    ...     raise LimitReached("the time limit was reached")
    Traceback (most recent call last):
    ...
    dipc.errors.LimitReached: the time limit was reached (inequalities: 12 of 300)
    """
    with Bar(doing) as bar, alarm(seconds), interruptible() as stop:
        try:
            yield Work(bar.show, stop)
        except LimitReached as limit:
            where = f" ({bar.doing})" if str(limit) in BARE else ""
            kind = Interrupted if stop.pressed else LimitReached
            raise kind(f"{limit}{where}") from None
