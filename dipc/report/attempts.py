"""The parts of a plot or a page, each within its limits: one that fails is left out with a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TypeVar

from dipc.child import held
from dipc.clock import Clock, in_force, limits, unlimited
from dipc.errors import DipcError, InternalError

PATIENCE = 20.0  # seconds for a part

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Note:
    """A part that was left out, and why."""

    part: str
    why: str


@dataclass
class Attempts:
    """Runs the parts, each within the limits in force, and notes failures; if ``strict``, it raises them.

    ``first`` is called before each part, and raises :class:`LimitReached` if no more should begin.
    """

    first: Callable[[], None] = unlimited
    strict: bool = False
    notes: list[Note] = field(default_factory=list)

    def __call__(self, part: str, work: Callable[[], T], shared: Sequence[object] | None = ()) -> T | None:
        """The result of the work, or None with a note.

        ``shared`` is what the result only refers to, see :func:`dipc.child.held`; None for work that is
        held itself.
        """
        try:
            self.first()
            with limits(seconds=PATIENCE if in_force().seconds == inf else None):
                return work() if shared is None else held(Clock(), work, shared)
        except InternalError:
            raise
        except DipcError as error:
            if self.strict:
                raise
            self.notes.append(Note(part, str(error).partition("\n")[0].removeprefix("error: ")))
            return None
