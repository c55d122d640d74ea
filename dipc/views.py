"""Views of results that are made further up: plots and HTML.

A function of eps or a verdict has a method ``plot``, but must not import what draws: it calls the generic
function here, and :mod:`dipc.report` registers how (``functools.singledispatch``).
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@singledispatch
def plot(value: object, low: Any = None, high: Any = None, **options: Any) -> Figure:
    """A figure of ``value`` for the budgets from ``low`` to ``high``."""
    raise TypeError(f"there is no plot of a {type(value).__name__}")


@singledispatch
def html(value: object) -> str:
    """``value`` for a notebook."""
    raise TypeError(f"there is no HTML view of a {type(value).__name__}")
