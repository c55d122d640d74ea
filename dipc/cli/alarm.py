"""A time limit that also interrupts one long computation.

The library looks at the clock between its steps; a single integral or a single polynomial may take longer.
The command line owns its process, so that it may ask the system for a signal.  Where there is none (Windows,
or outside the main thread), only the first kind of limit works.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dipc.errors import LimitReached

GRACE = 0.2  # seconds that the library has to end by itself, with all that it knows


@contextmanager
def alarm(seconds: float | None) -> Iterator[None]:
    """``with alarm(10): work()`` raises :class:`LimitReached` inside ``work`` a little after 10 seconds."""
    if seconds is None or not _available():
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _available() -> bool:
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


def _ring(number: int, frame: FrameType | None) -> None:
    raise LimitReached("the time limit was reached")
