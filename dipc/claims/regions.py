"""The values of eps at which a claim is violated, as maximal intervals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly
from dipc.signs.ends import shown
from dipc.signs.eps_range import EpsRange
from dipc.signs.roots import Unsettled
from dipc.signs.tables import End, OpenInterval, Piece, RootCluster, pieces, sign_table


class Region(NamedTuple):
    """An interval of budgets with a simple rational in it, and whether its ends belong to it."""

    low: RootCluster | fmpq | None
    high: RootCluster | fmpq | None
    sample: fmpq
    low_closed: bool
    high_closed: bool


class _Stretch(NamedTuple):
    """A point or an open interval, and whether the claim is surely violated on all of it."""

    low: End
    high: End
    sample: fmpq | None
    violated: bool


def violated_regions(slacks: Sequence[ExpPoly], budgets: EpsRange) -> list[Region]:
    """The maximal intervals on which one of the functions is negative, each with a simple rational in it.

    Intervals that meet at a border at which some function stays negative are merged.  An end belongs to its
    interval if it belongs to the budgets and some function is negative there.
    """

    def closed(end: End) -> bool:
        return isinstance(end, fmpq) and end in budgets and any(f.sign_at(end) < 0 for f in slacks)

    regions = []
    for violated, found in groupby(_stretches(slacks, budgets), key=lambda each: each.violated):
        run = list(found)
        if violated:
            low, high = run[0].low, run[-1].high
            sample = next(each.sample for each in run if each.sample is not None)
            regions.append(Region(low, high, sample, closed(low), closed(high)))
    return regions


def _stretches(slacks: Sequence[ExpPoly], budgets: EpsRange) -> list[_Stretch]:
    """The cells of the signs, from left to right, with what is between them."""
    cells = sign_table(slacks, budgets)
    found = [_stretch(cells[0])]
    for before, after in pairwise(cells):
        inner = _between(slacks, before, after)
        following = _stretch(after)
        if len(inner) > 1:  # they begin in the cell before and end in the one after
            found[-1] = found[-1]._replace(high=inner[0].high)
            following = following._replace(low=inner[-1].low)
            inner = inner[1:-1]
        found += [*inner, following]
    return found


def _between(slacks: Sequence[ExpPoly], left: OpenInterval, right: OpenInterval) -> list[_Stretch]:
    """The border of two cells, or if it is that of several roots, what is from one sample to the other."""
    border = left.high
    assert isinstance(border, RootCluster)
    others = (sign for i, sign in enumerate(left.signs) if i not in border.members)
    whole = _Stretch(border, border, None, any(sign < 0 for sign in others))
    if whole.violated or len(border.roots) == 1:
        return [whole]
    close = [slacks[i] for i in sorted(border.members)]
    try:
        found = pieces(close, EpsRange(left.sample, right.sample))
    except Unsettled:
        return [whole]
    return [_stretch(piece) for piece in found]


def _stretch(piece: Piece) -> _Stretch:
    violated = all(min(signs, default=0) < 0 for signs in piece.readings)
    return _Stretch(piece.low, piece.high, piece.sample, violated)


def region_words(region: Region) -> str:
    """An interval of budgets, its ends exact or rounded inwards."""
    return shown(region).words()
