"""Work within limits that hold inside one long step, too.

The library looks at the clock between its steps; but a single product of polynomials can take minutes, and
nothing in the process can end it.  So work with a limit is done in a child process (a fork, where the system
has it), which sends back its result, and before that its progress and answers that it has found.  The child
looks at the clock as ever, and ends on its own with all that it knows.  Where it does not, the parent ends it
a second after the time limit.  The system refuses it more memory than it may have.

Without a limit, inside such a child, and on systems without ``fork`` the work is done in place; there, limits
are checked between steps only.
"""

from __future__ import annotations

import copyreg
import os
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from flint import fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly, fmpz_mpoly, fmpz_mpoly_ctx, fmpz_poly

from dipc.clock import MEMORY, TIME, Clock, put_in_force
from dipc.errors import DipcError, LimitReached

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")

GRACE = 1.0  # seconds after the time limit, and the child is ended
LONG = 3600.0  # seconds: the system cannot wait for any number of them
DEEP = 20_000  # chains are nested as deep as this when they are packed

_inside = False  # whether this process is such a child


def held(clock: Clock, work: Callable[[], T], shared: Sequence[object] = (), *, always: bool = False) -> T:
    """The result of the work, which looks at the clock; its errors are raised here.

    ``shared`` are objects that the result refers to instead of containing copies of them.  What the work
    changes in other objects is lost.  With ``always`` a child does the work even without a limit: Ctrl-C ends
    a long step.  Raises :class:`LimitReached` when a limit of the clock is exceeded; then what it reported to
    ``clock.found`` is ``clock.known``.

    >>> from dipc.clock import Limits
    >>> held(Clock(Limits(60)), lambda: 6 * 7)
    42
    >>> held(Clock(Limits(0)), lambda: sum(1 for _ in iter(int, 1)))
    Traceback (most recent call last):
    dipc.errors.LimitReached: the time limit was reached
    """
    if not (clock.limited or always):
        return work()
    if _inside or not hasattr(os, "fork"):
        with put_in_force(clock.rest()):
            return work()
    from multiprocessing import Pipe

    ours, theirs = Pipe(duplex=False)
    with warnings.catch_warnings():  # of other threads: the child has none of them
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            ours.close()
            _run(clock, work, shared, theirs)
        finally:
            os._exit(0)
    theirs.close()
    try:
        kind, value = _answer(clock, shared, ours)
    except LimitReached as limit:
        limit.args = (_in_full(limit, clock),)
        raise
    finally:
        ours.close()
        status = _end(child)
    if kind == "died":
        raise LimitReached(_in_full(_why(clock, status), clock))
    if kind == "raised":
        raise value
    found: T = value
    return found


def _in_full(why: object, clock: Clock) -> str:
    """Why the work ended early, and what is known by then."""
    return f"{why}: {clock.known}" if isinstance(clock.known, LimitReached) else str(why)


def _answer(clock: Clock, shared: Sequence[object], pipe: Connection) -> tuple[str, Any]:
    """What the child ``returned`` or ``raised``, or that it ``died``.  Raises :class:`LimitReached`."""
    latest = inf if clock.deadline is None else max(clock.deadline, monotonic()) + GRACE
    while (left := latest - monotonic()) > 0:
        if not pipe.poll(min(left, LONG)):
            continue
        try:
            data = pipe.recv_bytes()
        except (EOFError, OSError):  # between two messages, or within one
            return "died", None
        kind, value = _Unpickler(BytesIO(data), shared).load()
        match kind:
            case "progress":
                clock.report(*value)
            case "found":
                clock.found(value)
            case _:
                return kind, value
    raise LimitReached(TIME)


def _end(child: int) -> int:
    """Leave nothing of the child behind; its exit code, negative if a signal ended it."""
    for end in (os.killpg, os.kill):  # the group is not there before the child has made it
        with suppress(ProcessLookupError, PermissionError):
            end(child, signal.SIGKILL)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except ChildProcessError:  # this system forgets children
        return 0


def _why(clock: Clock, status: int) -> str:
    """Why a child died without an answer."""
    if status == -getattr(signal, "SIGXCPU", 0):
        return TIME
    if clock.memory is not None:
        return MEMORY
    return f"the computation broke off ({signal.Signals(-status).name if status < 0 else 'no result'})"


def _run(clock: Clock, work: Callable[[], object], shared: Sequence[object], pipe: Connection) -> None:
    """Do the work in the child, in a process group that ends as a whole, and send what comes of it."""
    global _inside
    _inside = True

    def send(kind: str, value: object) -> None:
        file = BytesIO()
        _Pickler(file, shared).dump((kind, value))
        pipe.send_bytes(file.getvalue())

    def progress(*made: object) -> None:
        send("progress", made)

    with suppress(BrokenPipeError):
        try:
            os.setpgid(0, 0)
            sys.setrecursionlimit(max(sys.getrecursionlimit(), DEEP))
            _restrict(clock)
            clock.relay(progress, lambda answer: send("found", answer))
            with put_in_force(clock.rest()):
                found = work()
            send("returned", found)
        except MemoryError:
            send("raised", LimitReached(MEMORY if clock.memory is not None else "the memory ran out"))
        except BaseException as error:
            if isinstance(error, SystemError) and clock.memory is not None:
                error = LimitReached(MEMORY)  # a MemoryError that C code lost
            if not isinstance(error, DipcError):
                error.add_note(traceback.format_exc())
            send("raised", error)


def _restrict(clock: Clock) -> None:
    """Let the system enforce the limits, should the parent be gone or memory grow at once."""
    import resource

    if clock.deadline is not None:
        _lower(resource.RLIMIT_CPU, max(1, clock.deadline - monotonic() + 3 * GRACE))
    if clock.memory is not None:
        quiet = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):  # flint says on both that it aborts
            os.dup2(quiet, stream)
        _lower(resource.RLIMIT_DATA, clock.memory * 2**20)


def _lower(what: int, limit: float) -> None:
    import resource

    _, most = resource.getrlimit(what)
    if most == resource.RLIM_INFINITY or limit < most:
        with suppress(ValueError, OSError, OverflowError):  # the system has no limits that great
            resource.setrlimit(what, (int(limit), most))


# --- what goes through the pipe ---------------------------------------------------------------


_PARTS: dict[tuple[type, ...], Callable[[Any], tuple[Any, ...]]] = {
    (fmpz_poly, fmpq_poly): lambda polynomial: (type(polynomial), (polynomial.coeffs(),)),
    (fmpz_mpoly, fmpq_mpoly): lambda sum: (sum.context().from_dict, (sum.to_dict(),)),
    (fmpz_mpoly_ctx, fmpq_mpoly_ctx): lambda ring: (type(ring).get, (ring.names(), ring.ordering())),
}
for _kinds, _parts in _PARTS.items():
    for _kind in _kinds:
        copyreg.pickle(_kind, _parts)


class _Pickler(pickle.Pickler):
    """Refers to shared objects by their places."""

    def __init__(self, file: BytesIO, shared: Sequence[object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._places = {id(thing): place for place, thing in enumerate(shared)}

    def persistent_id(self, thing: Any) -> int | None:
        return self._places.get(id(thing))


class _Unpickler(pickle.Unpickler):
    """Finds shared objects at their places."""

    def __init__(self, file: BytesIO, shared: Sequence[object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, place: Any) -> object:
        return self._shared[place]
