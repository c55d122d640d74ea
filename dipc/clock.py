"""Time: the limits, the progress that is shown, and the seconds of every stage.

Limits are checked between steps; work in :func:`dipc.child.held` is ended inside one, too.  Memory is that
of the process at its peak, as the system reports it; where the system does not (Windows), that limit is
refused.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import inf
from numbers import Rational
from time import monotonic, process_time
from types import FrameType
from typing import Any

from dipc.errors import InputError, LimitReached, WrongType, described

Progress = Callable[[str, int, int | None], None]  # stage, done, of how many (if known)

Tick = Callable[[], None]  # called now and then; may raise LimitReached

INTERVAL = 0.05  # seconds between two reports of progress
TIME, MEMORY = "the time limit was reached", "the memory limit was reached"


def silent(stage: str, done: int, total: int | None) -> None:
    """No progress is shown."""


def unlimited() -> None:
    """The tick of work without limits."""


def how_far(stage: str, done: int, total: int | None) -> str:
    """Progress in words, such as ``inequalities: 12 of 300``; where nothing is counted yet, the stage."""
    if total is None:
        return f"{stage}: {done}" if done else stage
    return f"{stage}: {done} of {total}"


# --- limits ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Limits:
    """What each question may take, and who hears of its progress.

    ``deadline`` is that of the work that the questions are a part of, a value of :func:`time.monotonic`.
    """

    seconds: float = inf
    megabytes: float = inf
    progress: Progress = silent
    deadline: float = inf


NONE = Limits()

_in_force = ContextVar("limits", default=NONE)


def in_force() -> Limits:
    """The limits of questions that are asked here."""
    return _in_force.get()


@contextmanager
def put_in_force(given: Limits) -> Iterator[None]:
    """``with put_in_force(given): ask()``: these limits, and no others."""
    token = _in_force.set(given)
    try:
        yield
    finally:
        _in_force.reset(token)


@contextmanager
def limits(
    *, seconds: float | None = None, megabytes: float | None = None, progress: Progress | None = None
) -> Iterator[None]:
    """``with dipc.limits(seconds=60, megabytes=500): answer = program.check()``.

    Each question inside has ``seconds`` of its own, and ends when the process needs more than so many
    ``megabytes``; a question is a call of a function or method of dipc, such as ``check`` or ``load``.
    ``progress`` is called with the stage, what is done, and of how much (None: not known).  What is left out
    stays as it is outside; ``float("inf")`` is no limit.

    A question over a limit is undecided, or raises :class:`LimitReached`.  Limits hold inside one long step
    of arithmetic, too: where the system can fork, questions are then answered by a child process.
    """
    found = in_force()
    if seconds is not None:
        found = replace(found, seconds=_number("seconds", seconds))
    if megabytes is not None:
        found = replace(found, megabytes=_number("megabytes", megabytes))
    if progress is not None:
        if not callable(progress):
            raise WrongType(f"progress must be a function, not the {type(progress).__name__} {progress}")
        found = replace(found, progress=progress)
    with put_in_force(found):
        yield


@contextmanager
def as_one() -> Iterator[Clock]:
    """``with as_one() as clock: load(); check()``: the questions inside have the time of one, together."""
    clock = Clock()
    with put_in_force(clock.rest()):
        yield clock


def _number(name: str, value: object) -> float:
    """A limit: a number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float | Rational):
        shown = f"`{value}`" if isinstance(value, str) else described(value)
        raise WrongType(f"{name} must be a number or None, not {shown}", hint=f"for example {name}=60")
    try:
        limit = float(value)
    except OverflowError:
        limit = -inf if str(value).startswith("-") else inf
    if not limit >= 0:
        raise InputError(f"{name} must not be negative or nan: {value}")
    return limit


# --- clocks ----------------------------------------------------------------------------------


class Clock:
    """The clock of a question, which runs from its creation, with the limits in force (or those given)."""

    def __init__(self, given: Limits | None = None) -> None:
        given = in_force() if given is None else given
        self.laps: dict[str, float] = {}
        self._last = monotonic()
        end = min(self._last + given.seconds, given.deadline)
        self.deadline = None if end == inf else end
        self.memory = None if given.megabytes == inf else given.megabytes
        self.known: Any = None
        self._progress = given.progress
        self._found: Callable[[object], None] | None = None
        self._shown = self._last
        self._doing: tuple[str, int, int | None] = ("starting", 0, None)

    def __reduce__(self) -> tuple[type[Clock], tuple[()]]:
        return Clock, ()  # it stays in its process

    @property
    def doing(self) -> str:
        """The progress at the last tick, for example ``inequalities: 12 of 300``."""
        return how_far(*self._doing)

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.deadline is not None or self.memory is not None

    def rest(self) -> Limits:
        """What is left of the limits, for the questions that this one consists of."""
        megabytes, deadline = (inf if x is None else x for x in (self.memory, self.deadline))
        return Limits(megabytes=megabytes, progress=self._progress, deadline=deadline)

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Show progress that was made elsewhere; looks at no limit."""
        self._doing = stage, done, total
        self._progress(stage, done, total)

    def found(self, answer: object) -> None:
        """Keep an answer as ``known``: it stands if a limit ends the work before there is a better one."""
        self.known = answer
        if self._found is not None:
            self._found(answer)

    def relay(self, progress: Progress, found: Callable[[object], None]) -> None:
        """From now on, report to ``progress``, the beginning of every stage, too, and to ``found``."""
        self._progress, self._found = progress, found

    def lap(self, stage: str) -> None:
        """The time since the last lap was spent in ``stage``."""
        now = monotonic()
        self.laps[stage] = self.laps.get(stage, 0.0) + now - self._last
        self._last = now

    def tick(self, stage: str, done: int = 0, total: int | None = None) -> None:
        """Record progress; cheap enough to call often.  Raises :class:`LimitReached` beyond a limit."""
        begun = self._found is not None and stage != self._doing[0]
        self._doing = stage, done, total
        now = monotonic()
        if begun or now - self._shown > INTERVAL:
            self._shown = now
            self._progress(stage, done, total)
        if self.deadline is not None and now > self.deadline:
            raise LimitReached(TIME)
        if self.memory is not None and peak_memory() > self.memory:
            raise LimitReached(MEMORY)


@contextmanager
def processor_time(seconds: float, otherwise: str) -> Iterator[None]:
    """``with processor_time(3, "it takes too long"): work()``: raises :class:`LimitReached` inside the work.

    Only in a main thread, and where the system has such timers; elsewhere nothing ends the work.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise LimitReached(otherwise)

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class Busy(Clock):
    """Within another clock, so many seconds of the processor: a busy machine changes nothing.

    What looks at ``deadline`` only has ten times as long.
    """

    def __init__(self, outer: Clock, seconds: float) -> None:
        super().__init__(Limits(10 * seconds, deadline=inf if outer.deadline is None else outer.deadline))
        self._outer, self._until = outer, process_time() + seconds

    def tick(self, stage: str, done: int = 0, total: int | None = None) -> None:
        """As of the outer clock; raises :class:`LimitReached` beyond the seconds of this one, too."""
        self._outer.tick(stage, done, total)
        self._doing = stage, done, total
        if process_time() > self._until:
            raise LimitReached(TIME)


def peak_memory() -> float:
    """The peak memory of this process, in megabytes."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        raise InputError("this system does not report memory usage: no memory limit") from None
    peak = getrusage(RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
