"""Ctrl-C ends a check like a limit: the result says what was settled by then.

Python's own KeyboardInterrupt would bypass the code that knows how far the check was.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dipc.cli.alarm import handled
from dipc.errors import LimitReached

INTERRUPTED = 130  # the exit status of a process that Ctrl-C ended, by convention


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

    >>> with interruptible() as stop:
    ...     try:
    ...         signal.raise_signal(signal.SIGINT)
    ...     except LimitReached as limit:
    ...         print(limit, stop.pressed)
    interrupted True
    """
    stop = Stop()
    with handled(signal.SIGINT, stop.press):
        yield stop
