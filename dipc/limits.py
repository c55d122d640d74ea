"""Work within limits that hold inside one long step, too.

The library looks at the clock between its steps; but a single product of polynomials can take minutes, and
nothing in the process can end it.  So work with a limit is done in a child process (a fork, where the system
has it), which sends back its result.  The child looks at the clock as ever, has a timer for long steps in
Python, and ends on its own with all that it knows.  Where it does not, the parent ends it: a second after the
time limit, or at a tenth more memory than it may have.

Inside such a child, on systems without ``fork``, and in Python without a limit the work is done in place;
there, limits are checked, and Ctrl-C is heard, between steps only.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly, fmpz_mpoly, fmpz_mpoly_ctx, fmpz_poly

from dipc.clock import Clock, peak_memory
from dipc.errors import DipcError, LimitReached

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")

GRACE = 0.2  # seconds after which a timer interrupts Python code that did not look at the clock
HARD = 1.0  # seconds after which the process is ended
STEP = 0.05  # seconds between two looks at the memory of the child
INTERVAL = 0.1  # seconds between two rings of the timer
MORE = 1.1  # so much of the memory limit, and the process is ended
LEAST = 2.0**25  # bytes that there are in any case, to say that there are no more
MOST = 1.15  # so much of it, and the system gives no more

TIME, MEMORY = "the time limit was reached", "the memory limit was reached"

BREAKING = (signal.SIGINT, signal.SIGALRM, signal.SIGPROF) if hasattr(os, "fork") else ()
"""What breaks into work: not into a fork, where Python prints what is raised and goes on."""

_supervising = 0  # how many calls here wait for a child: their limits are those that count
_inside = False  # whether this process is such a child


def held(clock: Clock, work: Callable[[], T], shared: Sequence[object] = (), *, always: bool = False) -> T:
    """The result of the work, which looks at the clock; its errors are raised here.

    ``shared`` are objects that the result refers to instead of containing copies of them.  What the work
    changes in other objects is lost.  With ``always`` a child does the work even without a limit: Ctrl-C ends
    a long step.  Raises :class:`LimitReached` when a limit of the clock is exceeded.

    >>> held(Clock(60), lambda: 6 * 7)
    42
    >>> held(Clock(0.1), lambda: sum(1 for _ in iter(int, 1)))
    Traceback (most recent call last):
    dipc.errors.LimitReached: the time limit was reached
    """
    if not (clock.limited or always) or _inside or not hasattr(os, "fork"):
        return work()
    found: T = _Child(clock, work, shared).answer()
    return found


def supervising() -> bool:
    """Whether a child is at work, so that other timers of this process must wait."""
    return _supervising > 0


# --- the child -------------------------------------------------------------------------------


def _run(
    clock: Clock,
    work: Callable[[], object],
    shared: Sequence[object],
    pipe: Connection,
    listen: Callable[[], None],
) -> None:
    """Do the work in the child, once it listens to signals, and send what comes of it."""
    global _inside
    _inside = True

    def send(kind: str, value: object) -> None:
        pipe.send_bytes(_packed((kind, value), shared))

    clock.relay(lambda *progress: send("progress", progress))
    with suppress(BrokenPipeError):
        try:
            listen()
            with timer(clock):
                found = work()
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing may break into what is sent
            send("returned", found)
        except MemoryError:
            send("raised", LimitReached(MEMORY if clock.memory is not None else "the memory ran out"))
        except BaseException as error:
            if not isinstance(error, DipcError):
                error.add_note(traceback.format_exc())
            send("raised", error)


@contextmanager
def timer(clock: Clock) -> Iterator[None]:
    """``with timer(clock): work()`` raises :class:`LimitReached` in Python code that never ticks.

    Only in the main thread, and where the system has such signals.
    """

    def ring(number: int, frame: FrameType | None) -> None:
        if clock.deadline is not None and monotonic() > clock.deadline + GRACE:
            reason = TIME
        elif clock.memory is not None and peak_memory() > clock.memory:
            reason = MEMORY
        else:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        if not supervising():  # else the limits of the child count, and what comes of it is an answer
            raise LimitReached(reason)

    def start() -> None:
        signal.setitimer(signal.ITIMER_REAL, INTERVAL, INTERVAL)

    before = signal.signal(signal.SIGALRM, ring)
    start()
    try:
        with striking_again(start):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def striking_again(again: Callable[[], None]) -> Iterator[None]:
    """Inside, ``again`` is called when a limit was raised in vain.

    A signal may arrive in a callback of a weak reference or in ``__del__``, where Python swallows exceptions.
    """
    before = sys.unraisablehook

    def swallowed(lost: sys.UnraisableHookArgs) -> None:
        if type(lost.exc_value) is LimitReached:
            again()
        else:
            before(lost)

    sys.unraisablehook = swallowed
    try:
        yield
    finally:
        sys.unraisablehook = before


def _restrict(clock: Clock) -> None:
    """Let the system enforce the limits, should the parent be gone or memory grow at once."""
    import resource

    if clock.deadline is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = used.ru_utime + used.ru_stime + clock.deadline - monotonic() + 3 * HARD + 1
        _lower(resource.RLIMIT_CPU, max(1, seconds))
    if clock.memory is not None:
        quiet = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):  # flint says on both that it aborts
            os.dup2(quiet, stream)
        if (used_pages := _pages("self")) is not None:
            resident, private = used_pages
            _lower(resource.RLIMIT_DATA, private + max(LEAST, MOST * clock.memory * 2**20 - resident))


def _lower(what: int, limit: float) -> None:
    import resource

    _, most = resource.getrlimit(what)
    if most == resource.RLIM_INFINITY or limit < most:
        with suppress(ValueError, OSError, OverflowError):  # the system has no limits that great
            resource.setrlimit(what, (int(limit), most))


def _pages(process: str) -> tuple[int, int] | None:
    """The resident memory of a process and what it has for data, in bytes; None if that is not known."""
    with suppress(OSError, ValueError, IndexError):
        numbers = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
        size = os.sysconf("SC_PAGE_SIZE")
        return int(numbers[1]) * size, int(numbers[5]) * size
    return None


# --- the parent ------------------------------------------------------------------------------


class _Child:
    """A child at work; it leads a process group of its own, so that its helpers end with it."""

    def __init__(self, clock: Clock, work: Callable[[], Any], shared: Sequence[object]) -> None:
        from multiprocessing import Pipe

        self._clock, self._shared = clock, shared
        self._pipe, theirs = Pipe(duplex=False)
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, BREAKING)  # until somebody waits for the child
        try:
            with warnings.catch_warnings():  # of other threads: the child has none of them
                warnings.simplefilter("ignore", DeprecationWarning)
                self._process = os.fork()
        except BaseException:
            self._listen()
            raise
        if self._process == 0:
            try:
                os.setpgid(0, 0)
                self._pipe.close()
                _restrict(clock)
                _run(clock, work, shared, theirs, self._listen)
            finally:
                os._exit(0)
        theirs.close()
        self._ended: int | None = None
        # A child that begins too late ends on its own, with what is known without any work.
        self._latest = None if clock.deadline is None else max(clock.deadline, monotonic()) + HARD

    def _listen(self) -> None:
        """Let signals through again."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)

    def answer(self) -> Any:
        """What the work returned or raised."""
        global _supervising
        _supervising += 1
        try:
            self._listen()
            kind, value = self._message()
        except LimitReached as limit:  # Ctrl-C in the command line, too: the child may know how far it came
            kind, value = self._last_words(limit)
        finally:
            self._end()
            _supervising -= 1
        if kind == "raised":
            raise value
        return value

    def _message(self, until: float | None = None) -> tuple[str, Any]:
        """The result; raises :class:`LimitReached` if a limit is exceeded."""
        while True:
            if self._pipe.poll(STEP):
                try:
                    kind, value = _unpacked(self._pipe.recv_bytes(), self._shared)
                except EOFError:
                    self._wait()
                    self._died()
                if kind != "progress":
                    return kind, value
                self._clock.report(*value)
            elif self._wait(os.WNOHANG) and not self._pipe.poll(0):
                self._died()
            self._look(until)

    def _look(self, until: float | None) -> None:
        now, clock = monotonic(), self._clock
        late = self._latest is not None and now > self._latest
        if late or (until is not None and now > until):
            raise Ended(TIME)
        used = None if clock.memory is None else _pages(str(self._process))
        if used is not None and clock.memory is not None and used[0] > MORE * clock.memory * 2**20:
            raise Ended(MEMORY)

    def _last_words(self, limit: LimitReached) -> tuple[str, Any]:
        """What an interrupted child still has to say."""
        if not isinstance(limit, Ended) and self._ended is None:
            with suppress(LimitReached, ProcessLookupError):
                os.kill(self._process, signal.SIGINT)
                kind, value = self._message(monotonic() + HARD)
                if not isinstance(value, KeyboardInterrupt):
                    return kind, value
        return "raised", limit

    def _wait(self, flags: int = 0) -> bool:
        """Whether the child has ended."""
        if self._ended is None:
            try:
                process, status = os.waitpid(self._process, flags)
            except ChildProcessError:  # this system forgets children
                process, status = self._process, 0
            if process:
                self._ended = os.waitstatus_to_exitcode(status)
        return self._ended is not None

    def _died(self) -> NoReturn:
        """Raise the reason why there is no result."""
        number = -(self._ended or 0)
        if number == getattr(signal, "SIGXCPU", None):
            raise Ended(TIME)
        if self._clock.memory is not None:
            raise Ended(MEMORY)
        name = signal.Signals(number).name if number > 0 else "no result"
        raise Ended(f"the computation broke off ({name})")

    def _end(self) -> None:
        """Leave nothing behind."""
        self._pipe.close()
        if self._ended is None:
            for end in (os.killpg, os.kill):  # the group is not there before the child has made it
                with suppress(ProcessLookupError, PermissionError):
                    end(self._process, signal.SIGKILL)
            self._wait()


class Ended(LimitReached):
    """The child did not end on its own."""


# --- what goes through the pipe ---------------------------------------------------------------


def _coefficients(kind: Any) -> Callable[[Any], Any]:
    return lambda polynomial: (kind, (polynomial.coeffs(),))


def _polynomial(context: Any, terms: dict[Any, fmpq]) -> Any:
    return context.from_dict(terms)


def _terms(polynomial: Any) -> Any:
    return _polynomial, (polynomial.context(), polynomial.to_dict())


def _context(context: Any) -> Any:
    return type(context).get, (context.names(), context.ordering())


REDUCED: dict[type, Callable[[Any], Any]] = {
    fmpz_poly: _coefficients(fmpz_poly),
    fmpq_poly: _coefficients(fmpq_poly),
    **dict.fromkeys((fmpz_mpoly, fmpq_mpoly), _terms),
    **dict.fromkeys((fmpz_mpoly_ctx, fmpq_mpoly_ctx), _context),
    Clock: lambda clock: (Clock, ()),
}
"""How to take apart what `pickle` cannot: the numbers of flint; and a clock, which stays here."""


class _Pickler(pickle.Pickler):
    """Packs the numbers of flint, and refers to shared objects."""

    dispatch_table = REDUCED

    def __init__(self, file: BytesIO, shared: Sequence[object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._positions = {id(thing): position for position, thing in enumerate(shared)}

    def persistent_id(self, thing: Any) -> int | None:
        return self._positions.get(id(thing))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BytesIO, shared: Sequence[object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, position: Any) -> object:
        return self._shared[position]


def _packed(thing: object, shared: Sequence[object]) -> bytes:
    file = BytesIO()
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    try:
        _Pickler(file, shared).dump(thing)
    finally:
        sys.setrecursionlimit(before)
    return file.getvalue()


def _unpacked(data: bytes, shared: Sequence[object]) -> Any:
    return _Unpickler(BytesIO(data), shared).load()
