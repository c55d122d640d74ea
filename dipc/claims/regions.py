"""The values of eps at which a claim is violated, as maximal intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly
from dipc.signs.ends import runs, shown
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import Piece, RootCluster, pieces


class Region(NamedTuple):
    """An interval of budgets with a simple rational in it, and whether its ends belong to it."""

    low: RootCluster | fmpq | None
    high: RootCluster | fmpq | None
    sample: fmpq
    low_closed: bool
    high_closed: bool


def violated_regions(slacks: Sequence[ExpPoly], budgets: EpsRange) -> list[Region]:
    """The maximal intervals on which one of the functions is negative, each with a simple rational in it.

    Intervals that meet at a border at which some function stays negative are merged.  An end belongs to its
    interval if it belongs to the budgets and some function is negative there.  Raises :class:`Unsettled`.
    """

    def violated(piece: Piece) -> bool:
        return all(min(signs, default=0) < 0 for signs in piece.readings)

    regions = []
    for (low, high, *closed), run in runs(pieces(slacks, budgets), violated):
        sample = next((each.sample for each in run if not each.is_point), run[0].sample)
        assert sample is not None  # a violation that is one eps is so in a range of one eps only
        regions.append(Region(low, high, sample, *closed))
    return regions


def region_words(region: Region) -> str:
    """An interval of budgets, its ends exact or rounded inwards."""
    return shown(region).words()
