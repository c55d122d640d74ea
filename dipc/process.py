"""What the process of a command needs before anything else is imported: Ctrl-C that ends it without a
traceback, and the three standard streams.

Nothing of dipc is imported here, and of Python only what is quick to load.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

INTERRUPTED = 130  # the exit status of a process that Ctrl-C ended, by convention

Handler = Callable[[int, FrameType | None], object]


def leave(number: int, frame: FrameType | None) -> None:
    """The handler of Ctrl-C while nothing is computed: end at once.

    In the middle of an import an exception would do harm: some are swallowed there, others become a failed
    import, and Python ends with a traceback.
    """
    with suppress(OSError):
        os.write(2, b"error: interrupted: nothing was decided\n")
    os._exit(INTERRUPTED)


def leave_at_once() -> None:
    """From now on Ctrl-C ends the process, unless it is ignored or handled otherwise."""
    _switch(signal.default_int_handler, leave)


@contextmanager
def leaving() -> Iterator[None]:
    """``with leaving(): import_module(name)``: inside, Ctrl-C ends the process."""
    with _switched(signal.default_int_handler, leave):
        yield


@contextmanager
def raising() -> Iterator[None]:
    """``with raising(): work()``: inside, Ctrl-C is Python's :class:`KeyboardInterrupt` again."""
    with _switched(leave, signal.default_int_handler):
        yield


@contextmanager
def deaf_children() -> Iterator[None]:
    """``with deaf_children(): start()``: what begins inside never hears Ctrl-C, which goes to a whole group.

    They inherit that it is blocked: what they do on their own comes after Python's start, which would end
    with a traceback.  Here it is answered at the end.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # which lets Ctrl-C through again when it has started its process
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


@contextmanager
def _switched(old: Handler, new: Handler) -> Iterator[None]:
    switched = _switch(old, new)
    try:
        yield
    finally:
        if switched:
            _switch(new, old)


def _switch(old: Handler, new: Handler) -> bool:
    """Replace one handler by another; whether it was there.  Only the main thread of Python can do that."""
    if signal.getsignal(signal.SIGINT) is not old:
        return False
    try:
        signal.signal(signal.SIGINT, new)
    except ValueError:
        return False
    return True


def open_closed_streams() -> None:
    """Give the process the standard streams that it was started without.

    Otherwise the next file to be opened would become its standard output.  What is printed is dropped; the
    standard input stays None in ``sys``, so that whoever wants to read it can say that it is closed.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: the stream's own
            os.set_inheritable(number, True)
            if name != "stdin":
                file = io.FileIO(number, "w", closefd=False)
                setattr(sys, name, io.TextIOWrapper(io.BufferedWriter(file), encoding="utf-8"))
