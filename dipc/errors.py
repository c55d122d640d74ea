"""The errors dipc raises; each says whose turn it is.

======================  =========================================================================
:class:`InputError`     the program, claim or option is broken: the user's turn
:class:`WrongType`      an :class:`InputError` that is a TypeError too: a float where numbers are exact
:class:`FragmentError`  the program lies outside the decidable fragment: rewrite it; no later
                        version will accept it (the general problem is undecidable)
:class:`Unsupported`    decidable, but this version does not do it yet: a later version may
:class:`LimitReached`   a time or size limit ran out before the question was settled
:class:`InternalError`  dipc contradicts itself: our turn; never a verdict
======================  =========================================================================

A verdict is never an exception: see :mod:`dipc.claims.verdict`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dipc.excerpts import clipped, excerpt, shortened

MOST_NAMED = 200
"""How many characters of the name of a source are shown."""

CLAIM_NAME = "the claim"
"""The name in messages of a claim from outside the program; the command line says `--claim`."""

COMPARISON_NAME = "the comparison"
HORIZON_NAME = "the horizon"
"""The names in messages of texts in the place of lines of a model: `--compare` and `--horizon`."""

EPSILON_NAME = "the epsilon"
"""The name in messages of an epsilon without a delta; the command line says `--epsilon`."""


@dataclass(frozen=True, slots=True)
class Source:
    """A program text and the name it is reported under."""

    name: str
    text: str


class Span(NamedTuple):
    """The characters ``start`` to ``end`` (exclusive) of a source.

    >>> Span(Source("a.dip", "x <- 1\\ny <- z"), 12, 13).place
    'a.dip:2:6'
    """

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """The line of the first character, counted from 1."""
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """The column of the first character, counted from 1."""
        return self.start - (self.source.text.rfind("\n", 0, self.start) + 1) + 1

    @property
    def place(self) -> str:
        """File, line and column, as compilers write them."""
        return f"{shortened(self.source.name, MOST_NAMED)}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """The source line, or a window of a long one, with carets under the offending characters."""
        first = self.source.text.rfind("\n", 0, self.start) + 1
        last = self.source.text.find("\n", self.start)
        line = self.source.text[first : last if last >= 0 else None].rstrip("\r")
        return "\n".join(f"    {part}" for part in excerpt(line, self.start - first, self.end - first))


class DipcError(Exception):
    """Base class of everything dipc raises on purpose; its message is as long as a reader can read."""

    def __init__(self, message: str = "") -> None:
        super().__init__(clipped(message))


class InputError(DipcError):
    """Something the user wrote is wrong; says where, what, and how to fix it."""

    label = "error"

    def __init__(self, message: str, span: Span | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = clipped(message)
        self.span = span
        self.hint = clipped(hint)

    def __str__(self) -> str:
        place = f"{self.span.place}: " if self.span else ""
        lines = [f"{place}{self.label}: {self.message}"]
        if self.span and self.span.source.text.strip():
            lines.append(self.span.excerpt())
        if self.hint:
            lines.append(f"    help: {self.hint}")
        return "\n".join(lines)


class WrongType(InputError, TypeError):
    """A value of an unsupported type, such as a float where a number must be exact."""


def check_type(value: object, kinds: type | tuple[type, ...], expected: str, hint: str = "") -> None:
    """Raise :class:`WrongType` for a value of another type."""
    if not isinstance(value, kinds):
        raise WrongType(f"{expected}, not {described(value)}", hint=hint)


def described(value: object) -> str:
    """A value of another type than is wanted, as messages call it.

    >>> described(0.5), described(None)
    ('the float 0.5', 'None')
    """
    return "None" if value is None else f"the {type(value).__name__} {value}"


class FragmentError(InputError):
    """The program is outside DiPWhile, where privacy is undecidable."""

    label = "outside the decidable fragment"


class Unsupported(InputError):
    """A decidable feature that this version does not have."""

    label = "not yet supported"


class LimitReached(DipcError):
    """A limit on time or size ran out; what was settled before remains valid."""


class InternalError(DipcError):
    """dipc found a contradiction in its own results; please report it."""
