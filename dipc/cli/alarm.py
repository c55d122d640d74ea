"""A time limit that also interrupts one long computation.

The library looks at the clock between its steps, but a single integral or polynomial may take longer.  The
command line owns its process and can ask the system for a signal.  Where there is none (on Windows, or
outside the main thread), only the library's own limit works.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from dipc.errors import LimitReached

GRACE = 0.2  # seconds in which the library can end on its own, with all that it knows


@contextmanager
def handled(number: int, handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """``with handled(SIGINT, act): work()`` calls ``act`` on the signal; nothing outside the main thread."""
    if not _in_main_thread():
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """``with alarm(10): work()`` raises :class:`LimitReached` inside ``work`` a little after 10 seconds."""
    if seconds is None or not hasattr(signal, "setitimer") or not _in_main_thread():
        yield
        return
    with handled(signal.SIGALRM, _ring):
        signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _ring(number: int, frame: FrameType | None) -> None:
    raise LimitReached("the time limit was reached")
