"""Many questions at once, as tasks of joblib: in processes of this machine, or on a cluster of dask.

A task is one whole question.  The answers are the same however many work on them, and come in the same order.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial, wraps
from time import monotonic
from typing import Any, Protocol, TypeVar

import click

from dipc.cli.failures import INTERRUPTED, Interrupted, kind_of
from dipc.cli.options import Count
from dipc.cli.work import Bar
from dipc.clock import Progress
from dipc.errors import InputError
from dipc.version import __version__

Thing = TypeVar("Thing")
Found = TypeVar("Found")

ADDRESS = re.compile(r"dask://([^/\s]+:[0-9]+)", re.ASCII)
PATIENCE = 10  # seconds until a scheduler has to answer


@dataclass(frozen=True, slots=True)
class Workers:
    """Who answers: this process, so many processes, or the workers of a cluster."""

    jobs: int = 1
    cluster: str | None = None

    def answers(self, task: Callable[[Thing], Found], things: Sequence[Thing]) -> Iterator[Found]:
        """The answers in the order of the things, as they come.

        Raises :class:`InputError` if a package is missing, or the cluster does not answer.

        >>> list(Workers().answers(abs, [-1, 2]))
        [1, 2]
        """
        if self.cluster is None and (self.jobs == 1 or len(things) == 1):
            return map(task, things)
        return self._tasks(task, things)

    def _tasks(self, task: Callable[[Thing], Found], things: Sequence[Thing]) -> Iterator[Found]:
        try:
            from joblib import Parallel, delayed, parallel_config
        except ImportError:
            message = "several jobs need the package joblib, which is not installed"
            raise InputError(message, hint="pip install joblib, or leave the option --jobs out") from None
        with ExitStack() as open_meanwhile:
            if self.cluster is None:  # Ctrl-C reaches all processes of a terminal; only the first one answers
                ignored = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
                chosen = parallel_config("loky", n_jobs=self.jobs, initializer=ignored)
            else:
                client = open_meanwhile.enter_context(_client(self.cluster))
                chosen = parallel_config("dask", n_jobs=-1, client=client)
            with chosen:
                parallel = Parallel(return_as="generator", batch_size=1)
            yield from parallel(delayed(task)(thing) for thing in things)


ALONE = Workers()


def _client(address: str) -> Any:
    """The client of a cluster whose workers have this version of dipc.  Raises :class:`InputError`."""
    try:
        from dask.distributed import Client
    except ImportError:
        message = "a cluster needs the package dask, which is not installed"
        raise InputError(message, hint="pip install 'dask[distributed]'") from None
    match = ADDRESS.fullmatch(address)
    assert match is not None
    try:
        client = Client(f"tcp://{match[1]}", timeout=PATIENCE, set_as_default=False)
        versions = set(client.run(_version, on_error="return").values())
    except (OSError, TimeoutError) as error:
        message = f"no scheduler of dask answers at {address}: {error}"
        raise InputError(message, hint="start one: dask scheduler, and dask worker on each machine") from None
    if versions - {__version__}:
        client.close()
        hint = "install the same version on every machine"
        raise InputError(f"the workers at {address} do not all have dipc {__version__}", hint=hint)
    return client


def _version() -> str:
    """The version of dipc where this is run."""
    return __version__


def _address(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and ADDRESS.fullmatch(value) is None:
        raise click.BadParameter(f"`{value}` is not of the form dask://HOST:PORT", ctx, param)
    return value


def options(command: Callable[..., int]) -> Callable[..., int]:
    """``--jobs`` and ``--cluster``, which become the argument ``workers`` of the command."""

    @wraps(command)
    def with_workers(*given: Any, jobs: int, cluster: str | None, **more: Any) -> int:
        return command(*given, workers=Workers(jobs, cluster), **more)

    number, where = "Ask K questions at a time.", "Ask on a cluster of dask: dask://HOST:PORT."
    jobs = click.option("--jobs", type=Count(least=1), default=1, metavar="K", help=number)
    return jobs(click.option("--cluster", metavar="ADDRESS", callback=_address, help=where)(with_workers))


# --- one question after the other, or several at a time ------------------------------------------


class Ended(Protocol):
    """An answer."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""


Row = TypeVar("Row", bound=Ended)
Question = Callable[[Thing, Progress], Row]
Failed = Callable[[Thing, float, BaseException], Row]


def in_turn(
    noun: str,
    question: Question[Thing, Row],
    failed: Failed[Thing, Row],
    things: Sequence[Thing],
    workers: Workers,
) -> Iterator[Row]:
    """The answers as they come.  An error in one question does not stop the others; Ctrl-C does."""
    with Bar(f"{noun}s") as bar:
        progress = bar.show if workers == ALONE else unseen
        answers = workers.answers(partial(_answered, question, failed, progress), things)
        for done, thing in enumerate(things):
            bar.show(f"{noun}s", done, len(things))
            try:
                outcome = next(answers)
            except KeyboardInterrupt:
                outcome = failed(thing, 0.0, Interrupted("interrupted"))
            yield outcome
            if outcome.interrupted:
                break


def _answered(
    question: Question[Thing, Row], failed: Failed[Thing, Row], progress: Progress, thing: Thing
) -> Row:
    """The answer about one thing; an error is one, too."""
    start = monotonic()
    try:
        return question(thing, progress)
    except (Exception, KeyboardInterrupt) as error:  # each has its own row
        shown = Interrupted("interrupted") if kind_of(error)[1] == INTERRUPTED else error
        return failed(thing, monotonic() - start, shown)


def unseen(stage: str, done: int, total: int | None) -> None:
    """The progress of a question in another process."""
