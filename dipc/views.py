"""Views of results: texts, plots and HTML.

A function of eps or a verdict has a method ``plot``, but must not import the code that draws.  It calls the
generic function here, for which :mod:`dipc.report` registers implementations (``functools.singledispatch``).
"""

from __future__ import annotations

from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@singledispatch
def plot(value: object, low: Any = None, high: Any = None, **options: Any) -> Figure:
    """A figure of ``value`` for eps from ``low`` to ``high``."""
    raise TypeError(f"there is no plot of a {type(value).__name__}")


class Plotted:
    """A result that can be drawn."""

    __slots__ = ()

    def plot(self, low: Any = None, high: Any = None, **options: Any) -> Figure:
        """A figure for eps from ``low`` to ``high``."""
        return plot(self, low, high, **options)


@singledispatch
def page(value: object, file: str | Path | None = None, **options: Any) -> Path:
    """Write a page of HTML about ``value`` and return its path."""
    raise TypeError(f"there is no report about a {type(value).__name__}")


@singledispatch
def html(value: object) -> str:
    """``value`` for a notebook."""
    raise TypeError(f"there is no HTML view of a {type(value).__name__}")


@singledispatch
def short(value: object) -> str:
    """``value`` in one line, for the prompt."""
    return f"{type(value).__name__}(...)"


@singledispatch
def text(value: object) -> str:
    """``value`` as the terminal prints it."""
    return short(value)


@singledispatch
def record(value: object) -> dict[str, Any]:
    """``value`` as dictionaries, lists, texts and numbers."""
    raise TypeError(f"there is no record of a {type(value).__name__}")


class Recorded:
    """A result for other programs."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """What the command line prints about it with ``--json``, but for the question."""
        return record(self)


class Shown(Recorded):
    """A result that displays itself: briefly at the prompt, in full when printed, as a table in a notebook.

    >>> Shown()
    Shown(...)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return short(self)

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        return html(self)
