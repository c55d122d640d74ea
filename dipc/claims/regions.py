"""The values of eps at which a claim is violated, as maximal intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly
from dipc.signs.ends import shown
from dipc.signs.eps_range import EpsRange
from dipc.signs.radicals import Function
from dipc.signs.roots import Unsettled
from dipc.signs.tables import OpenInterval, RootCluster, pieces, sign_table


class Region(NamedTuple):
    """An interval of budgets with a simple rational in it, and whether its ends belong to it."""

    low: RootCluster | fmpq | None
    high: RootCluster | fmpq | None
    sample: fmpq
    low_closed: bool
    high_closed: bool


def violated_regions(slacks: Sequence[Function], budgets: EpsRange) -> list[Region]:
    """The maximal intervals on which one of the functions is negative, each with a simple rational in it.

    Intervals that meet at a border at which some function stays negative are merged.  An end belongs to its
    interval if it belongs to the budgets and some function is negative there.
    """
    regions: list[Region] = []
    joined = False
    cells = sign_table(slacks, budgets)
    for cell, following in zip(cells, (*cells[1:], None), strict=True):
        negative = {i for i, s in enumerate(cell.signs) if s < 0}
        if negative:
            low_closed, high_closed = (
                isinstance(end, fmpq) and end in budgets and any(f.sign_at(end) < 0 for f in slacks)
                for end in (cell.low, cell.high)
            )
            if joined:
                regions[-1] = regions[-1]._replace(high=cell.high, high_closed=high_closed)
            else:
                regions.append(Region(cell.low, cell.high, cell.sample, low_closed, high_closed))
        joined = bool(negative) and following is not None and _joined(slacks, cell, following)
    return regions


def _joined(slacks: Sequence[Function], left: OpenInterval, right: OpenInterval) -> bool:
    """Whether some function is proved negative at every point between one cell and the next."""
    border = left.high
    assert isinstance(border, RootCluster)
    if any(s < 0 for i, s in enumerate(left.signs) if i not in border.members):
        return True
    if len(border.roots) == 1:
        return False
    close = [f for i in sorted(border.members) if isinstance(f := slacks[i], ExpPoly)]
    try:
        between = pieces(close, EpsRange(left.sample, right.sample, True, True))
    except Unsettled:
        return False
    return all(min(signs, default=0) < 0 for piece in between for signs in piece.readings)


def region_words(region: Region) -> str:
    """An interval of budgets, its ends exact or rounded inwards."""
    return shown(region).words()
