"""Long work, with a progress bar, limits and Ctrl-C; whatever ends it early says how far it came.

The limits of the command line are those of :func:`dipc.limits`, for all questions of a command together.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

import click

from dipc.child import held
from dipc.cli.failures import Interrupted
from dipc.cli.terminal import is_terminal
from dipc.clock import MEMORY, TIME, Clock, Progress, as_one, how_far, limits
from dipc.errors import LimitReached

if TYPE_CHECKING:
    from rich.progress import Progress as Display
    from rich.progress import TaskID

    from dipc.report.attempts import Note

PATIENCE = 1.0  # seconds before a bar appears
T = TypeVar("T")

BARE = ("interrupted", TIME, MEMORY)
"""Messages that say nothing about the work itself."""


# --- Ctrl-C ----------------------------------------------------------------------------------


class Stop:
    """Whether Ctrl-C was pressed."""

    pressed = False

    def press(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        self.pressed = True
        raise Interrupted("interrupted")


@contextmanager
def interruptible() -> Iterator[Stop]:
    """``with interruptible() as stop: work()``: Ctrl-C raises :class:`Interrupted` inside ``work``.

    Python's own KeyboardInterrupt would bypass the code that knows how far a check was.  Outside the main
    thread there are no signals.
    """
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, stop.press)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


# --- progress --------------------------------------------------------------------------------


class Bar:
    """``with Bar("reading svt1") as bar: work(progress=bar.show)``, on the stderr of a terminal.

    A timer opens the display, so that a single long step is announced as well.
    """

    def __init__(self, doing: str, patience: float = PATIENCE) -> None:
        self.doing = doing
        self._about: Callable[[], str] | None = None
        self._stages: dict[str, tuple[int, int | None]] = {doing: (0, None)}
        self._display: Display | None = None
        self._tasks: dict[str, TaskID] = {}
        self._lock = threading.RLock()
        self._timer = threading.Timer(patience, self._open)
        self._timer.daemon = True

    def __enter__(self) -> Bar:
        if is_terminal(sys.stderr):
            self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        with self._lock:
            if self._display is not None:
                self._display.stop()
                self._display = None
            self._stages.clear()

    def show(self, stage: str, done: int, total: int | None) -> None:
        """Report ``done`` of ``total`` steps of a stage; None: the total is unknown."""
        with self._lock:
            self.doing = how_far(stage, done, total)
            self._stages[stage] = done, total
            if self._display is not None:
                self._draw(self._display, stage)

    def announce(self, about: Callable[[], str]) -> None:
        """Say what the work goes through, where a display opens."""
        with self._lock:
            self._about = about
            if self._display is not None:
                self._display.console.print(about(), highlight=False)

    def _draw(self, display: Display, stage: str) -> None:
        done, total = self._stages[stage]
        if stage not in self._tasks:
            self._tasks[stage] = display.add_task(stage, total=total)
        display.update(self._tasks[stage], completed=done, total=total)

    def _open(self) -> None:
        from rich import progress
        from rich.console import Console

        columns = (progress.BarColumn(), progress.MofNCompleteColumn(), progress.TimeElapsedColumn())
        with self._lock:
            if not self._stages:  # the work has ended in the meantime
                return
            console = Console(stderr=True)
            display = progress.Progress("{task.description}", *columns, console=console, transient=True)
            for stage in self._stages:
                self._draw(display, stage)
            if self._about is not None:
                console.print(self._about(), highlight=False)
            display.start()
            self._display = display


# --- all of it -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """``stop`` knows whether Ctrl-C was pressed; the ``clock`` has the limits."""

    clock: Clock
    stop: Stop

    def held(self, compute: Callable[[], T]) -> T:
        """What is computed, where the limits and Ctrl-C hold inside one long step, too."""
        return held(self.clock, compute, always=True)

    @property
    def error(self) -> Interrupted | None:
        """Why a verdict is not the last word: Ctrl-C was pressed."""
        return Interrupted("interrupted") if self.stop.pressed else None


def say_left_out(notes: Iterable[Note]) -> None:
    """Which parts are missing and why, and what to do about those that took too long."""
    notes = dict.fromkeys(notes)
    for note in notes:
        click.echo(f"left out: {note.part}: {note.why}", err=True)
    if any("time limit" in note.why or "did not end" in note.why for note in notes):
        click.echo("    help: --time-limit SECONDS gives every part more time", err=True)


@contextmanager
def asking(seconds: float | None, memory: float | None, progress: Progress | None = None) -> Iterator[Work]:
    """``with asking(10, None): load(); check()``: the limits are for both together, and Ctrl-C ends them."""
    with (
        limits(seconds=seconds, megabytes=memory, progress=progress),
        as_one() as clock,
        interruptible() as stop,
    ):
        yield Work(clock, stop)


@contextmanager
def reading(file: str) -> Iterator[None]:
    """``with reading("svt1"): load()``: a limit that runs out says where."""
    try:
        yield
    except LimitReached as limit:
        if str(limit) in BARE:
            limit.args = (f"{limit} (reading {file})",)
        raise


@contextmanager
def work(doing: str, seconds: float | None = None, memory: float | None = None) -> Iterator[Work]:
    """``with work("reading svt1", 10): load()``, with a progress bar.

    An error that ends it early says where it was:

    >>> with work("reading") as running:
    ...     running.clock.report("inequalities", 12, 300)
    ...     raise LimitReached("the time limit was reached")
    Traceback (most recent call last):
    ...
    dipc.errors.LimitReached: the time limit was reached (inequalities: 12 of 300)
    """
    with Bar(doing) as bar, asking(seconds, memory, bar.show) as running:
        try:
            yield running
        except LimitReached as limit:
            where = f" ({bar.doing})" if str(limit) in BARE else ""
            kind = Interrupted if running.stop.pressed else LimitReached
            raise kind(f"{limit}{where}") from None
