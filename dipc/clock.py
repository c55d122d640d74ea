"""Time: the limits, the progress that is shown, and the seconds of every stage.

Limits are checked between steps; work in :func:`dipc.limits.held` is ended inside one, too.  Memory is that
of the process at its peak, as the system reports it; where the system does not (Windows), that limit is
refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container
from math import inf
from numbers import Rational
from time import monotonic, process_time
from typing import Any

from dipc.errors import InputError, LimitReached, WrongType

Progress = Callable[[str, int, int | None], None]  # stage, done, of how many (if known)

Tick = Callable[[], None]  # called now and then; may raise LimitReached

INTERVAL = 0.05  # seconds between two reports of progress


def silent(stage: str, done: int, total: int | None) -> None:
    """No progress is shown."""


def unlimited() -> None:
    """The tick of work without limits."""


def how_far(stage: str, done: int, total: int | None) -> str:
    """Progress in words, such as ``inequalities: 12 of 300``; where nothing is counted yet, the stage."""
    if total is None:
        return f"{stage}: {done}" if done else stage
    return f"{stage}: {done} of {total}"


class Clock:
    """Runs from its creation; the limits are in seconds and megabytes, infinite ones as good as none."""

    def __init__(
        self, limit: float | None = None, memory: float | None = None, progress: Progress = silent
    ) -> None:
        self.laps: dict[str, float] = {}
        self._last = monotonic()
        self.deadline = None if limit is None or limit == inf else self._last + limit
        self.memory = None if memory == inf else memory
        self._progress = progress
        self._relayed = False
        self._shown = self._last
        self._doing: tuple[str, int, int | None] = ("starting", 0, None)

    @property
    def doing(self) -> str:
        """The progress at the last tick, for example ``inequalities: 12 of 300``."""
        return how_far(*self._doing)

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.deadline is not None or self.memory is not None

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Show progress that was made elsewhere; looks at no limit."""
        self._doing = stage, done, total
        self._progress(stage, done, total)

    def relay(self, progress: Progress) -> None:
        """From now on, report to ``progress`` instead: the beginning of every stage, too."""
        self._progress, self._relayed = progress, True

    def lap(self, stage: str) -> None:
        """The time since the last lap was spent in ``stage``."""
        now = monotonic()
        self.laps[stage] = self.laps.get(stage, 0.0) + now - self._last
        self._last = now

    def tick(self, stage: str, done: int = 0, total: int | None = None) -> None:
        """Record progress; cheap enough to call often.  Raises :class:`LimitReached` beyond a limit."""
        begun = self._relayed and stage != self._doing[0]
        self._doing = stage, done, total
        now = monotonic()
        if begun or now - self._shown > INTERVAL:
            self._shown = now
            self._progress(stage, done, total)
        if self.deadline is not None and now > self.deadline:
            raise LimitReached("the time limit was reached")
        if self.memory is not None and peak_memory() > self.memory:
            raise LimitReached("the memory limit was reached")


class Busy(Clock):
    """Within another clock, so many seconds of the processor: a busy machine changes nothing.

    What looks at ``deadline`` only has ten times as long.
    """

    def __init__(self, outer: Clock, seconds: float) -> None:
        super().__init__()
        late = monotonic() + 10 * seconds
        self.deadline = late if outer.deadline is None else min(late, outer.deadline)
        self._outer, self._until = outer, process_time() + seconds

    def tick(self, stage: str, done: int = 0, total: int | None = None) -> None:
        """As of the outer clock; raises :class:`LimitReached` beyond the seconds of this one, too."""
        self._outer.tick(stage, done, total)
        self._doing = stage, done, total
        if process_time() > self._until:
            raise LimitReached("the time limit was reached")


LIMITS = ("time_limit", "memory_limit", "progress")
"""The options of a clock."""

Limits = tuple[object, object, Progress]
"""Seconds and megabytes, or None, and who is told about the progress."""

NO_LIMITS: Limits = (None, None, silent)


def to_limit(value: object, what: str) -> float | None:
    """A limit on seconds or megabytes: a number that is not negative, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | Rational):
        shown = f"`{value}`" if isinstance(value, str) else f"the {type(value).__name__} {value}"
        raise WrongType(f"{what} must be a number or None, not {shown}", hint=f"for example {what}=60")
    try:
        limit = float(value)
    except OverflowError:
        limit = -inf if str(value).startswith("-") else inf
    if not limit >= 0:
        raise InputError(f"{what} must not be negative or nan: {value}")
    return limit


def to_clock(time_limit: object = None, memory_limit: object = None, progress: Progress = silent) -> Clock:
    """A clock with these limits, which starts now."""
    if not callable(progress):
        raise WrongType(f"progress must be a function, not the {type(progress).__name__} {progress}")
    return Clock(to_limit(time_limit, "time_limit"), to_limit(memory_limit, "memory_limit"), progress)


def limits_in(given: dict[str, Any], own: Container[str] = ()) -> Clock:
    """A clock with the limits among keyword arguments, which are taken out; ``own`` names are no limits.

    >>> given = {"N": 3, "time_limit": 60, "memory_limit": 7}
    >>> limits_in(given, own={"memory_limit"}).limited, given
    (True, {'N': 3, 'memory_limit': 7})
    """
    return to_clock(**{name: given.pop(name) for name in LIMITS if name in given and name not in own})


def peak_memory() -> float:
    """The peak memory of this process, in megabytes."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        raise InputError("this system does not report memory usage: no memory limit") from None
    peak = getrusage(RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)
