"""Long work, with a progress bar, limits and Ctrl-C; whatever ends it early says how far it came.

The library looks at the clock between its steps, and :mod:`dipc.limits` holds its computations inside one
step.  What is done in this process itself, such as reading a program, is interrupted by a signal.  Where
there is none (on Windows, or outside the main thread), only the library's own limit works.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

import click

import dipc.limits as limits
from dipc.cli.terminal import is_terminal
from dipc.clock import Clock, Progress, how_far
from dipc.errors import LimitReached

if TYPE_CHECKING:
    from rich.progress import Progress as Display
    from rich.progress import TaskID

    from dipc.report.study import Note

INTERRUPTED = 130  # the exit status of a process that Ctrl-C ended, by convention
PATIENCE = 1.0  # seconds before a bar appears
T = TypeVar("T")

BARE = ("interrupted", limits.TIME, limits.MEMORY)
"""Messages that say nothing about the work itself."""


# --- signals ---------------------------------------------------------------------------------


def in_main_thread() -> bool:
    """Whether signals can be handled here."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def handled(number: int, handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """``with handled(SIGINT, act): work()`` calls ``act`` on the signal; nothing outside the main thread."""
    with ExitStack() as stack:
        if in_main_thread():
            stack.callback(signal.signal, number, signal.signal(number, handler))
        yield


@contextmanager
def alarm(seconds: float | None, memory: float | None = None) -> Iterator[None]:
    """``with alarm(10): work()`` raises :class:`LimitReached` inside ``work`` a little after 10 seconds.

    Or beyond so many megabytes.
    """
    with limits.timer(clock) if signals() and (clock := Clock(seconds, memory)).limited else nullcontext():
        yield


@contextmanager
def busy_alarm(seconds: float) -> Iterator[None]:
    """The same after so much time of the processor: a busy machine changes nothing."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise LimitReached(limits.TIME)

    def soon() -> None:
        signal.setitimer(signal.ITIMER_PROF, limits.INTERVAL)

    with ExitStack() as stack:
        if signals():
            stack.enter_context(handled(signal.SIGPROF, ring))
            stack.enter_context(limits.striking_again(soon))
            stack.callback(signal.setitimer, signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_PROF, seconds)
        yield


def signals() -> bool:
    """Whether there are timers here that send signals."""
    return hasattr(signal, "setitimer") and in_main_thread()


@contextmanager
def reading(file: str, seconds: float | None, memory: float | None) -> Iterator[None]:
    """``with reading("svt1", 10, None): load()`` reads within the limits."""
    try:
        with alarm(seconds, memory):
            yield
    except LimitReached as limit:
        raise LimitReached(f"{limit} (reading {file})" if str(limit) in BARE else str(limit)) from None


class Interrupted(LimitReached):
    """The user does not want to wait any longer."""


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

    Python's own KeyboardInterrupt would bypass the code that knows how far a check was.
    """
    stop = Stop()
    with handled(signal.SIGINT, stop.press):
        yield stop


# --- progress --------------------------------------------------------------------------------


class Bar:
    """``with Bar("reading svt1") as bar: work(progress=bar.show)``, on the stderr of a terminal.

    A timer opens the display, so that a single long step is announced as well.
    """

    def __init__(self, doing: str, patience: float = PATIENCE) -> None:
        self.doing = doing
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
            display.start()
            self._display = display


# --- all of it -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Work:
    """``stop`` knows whether Ctrl-C was pressed; the ``clock`` has the limits."""

    clock: Clock
    stop: Stop

    @property
    def progress(self) -> Progress:
        """Receives how far the work is."""
        return self.clock.report

    def held(self, compute: Callable[[], T]) -> T:
        """What is computed, where the limits and Ctrl-C hold inside one long step, too."""
        return limits.held(self.clock, compute, always=True)

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
def work(doing: str, seconds: float | None = None, memory: float | None = None) -> Iterator[Work]:
    """``with work("reading svt1", 10) as w: find(progress=w.progress)``.

    An error that ends it early says where it was:

    >>> with work("reading") as w:
    ...     w.progress("inequalities", 12, 300)
    ...     raise LimitReached("the time limit was reached")
    Traceback (most recent call last):
    ...
    dipc.errors.LimitReached: the time limit was reached (inequalities: 12 of 300)
    """
    with Bar(doing) as bar, alarm(seconds, memory), interruptible() as stop:
        try:
            yield Work(Clock(seconds, memory, bar.show), stop)
        except LimitReached as limit:
            where = f" ({bar.doing})" if str(limit) in BARE else ""
            kind = Interrupted if stop.pressed else LimitReached
            raise kind(f"{limit}{where}") from None
