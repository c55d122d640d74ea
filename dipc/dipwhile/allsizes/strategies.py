"""Strategies: how far the samples move on every edge, so that every run costs at most t.

The linear program of a set of edges: rational constants ``potential[place] >= 0`` (what may still be
spent, in units of eps), ``delta[place, variable]`` and ``shift[edge, sample]``.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import fmpq


@dataclass(frozen=True, slots=True)
class Strategy:
    """A solution for some edges of an automaton.

    ``edges`` are their numbers, ascending.  ``potentials``: what may be spent from a place on, for each place
    that an edge begins or ends in.  ``deltas``: the difference of each live variable there.  ``shifts``: for
    each of ``edges`` the shifts of its samples.
    """

    edges: tuple[int, ...]
    potentials: dict[int, fmpq]
    deltas: dict[int, dict[str, fmpq]]
    shifts: tuple[tuple[fmpq, ...], ...]
