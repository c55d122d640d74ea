"""Ctrl-C ends a check like a limit: what was settled by then is said.

Python's own KeyboardInterrupt would fly past the place that knows how far the check was.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dipc.errors import LimitReached

INTERRUPTED = 130  # the exit status of a process that Ctrl-C ended, by convention


class Interrupted(LimitReached):
    """The user does not want to wait any longer."""


class Stop:
    """Whether Ctrl-C was pressed."""

    pressed = False

    def press(self, number: int, frame: FrameType | None) -> None:
        self.pressed = True
        raise Interrupted("interrupted")


@contextmanager
def interruptible() -> Iterator[Stop]:
    """``with interruptible() as stop: work()``: Ctrl-C raises :class:`Interrupted` inside ``work``.

    >>> with interruptible() as stop:
    ...     try:
    ...         signal.raise_signal(signal.SIGINT)
    ...     except LimitReached as limit:
    ...         print(limit, stop.pressed)
    interrupted True
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
