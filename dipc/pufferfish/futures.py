"""Backward: the probabilities of all words from every state, of which only extreme ones are kept.

g_w(s) = P(w | the first state is s): g of the empty word is 1, and g_(ow) = N_o g_w is linear.  A quotient
(pi . g)/(tau . g) over the cone of some g >= 0 is greatest at an extreme ray (the mediant inequality), and
N_o maps the cone of some rays into the cone of their images.  So at each level only the extreme rays of all
images are kept, each with its word; they serve all pairs at once.

With two cells the extreme rays are found by sorting, with three by the convex hull in the plane, with more by
exact linear programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from flint import fmpq

from dipc.clock import Clock
from dipc.models.simplex import combination
from dipc.pufferfish.beliefs import (
    NONE,
    ONE,
    ZERO,
    Extreme,
    Ratio,
    Sides,
    Sparse,
    Steps,
    Word,
    exceeds,
    quotient,
)


class Ray(NamedTuple):
    """A positive multiple of the function g of a word."""

    cells: tuple[fmpq, ...]
    word: Word


class Backward:
    """The matrices N_o(s, u) = o(s, o) p(s, u), by rows."""

    def __init__(self, steps: Steps) -> None:
        self._size = steps.size
        self._rows: list[list[tuple[int, list[tuple[int, fmpq]]]]] = []
        for o in range(len(steps.names)):
            emitting = ((s, steps.emissions[s].get(o)) for s in range(self._size))
            rows = [
                (s, [(u, p * q) for u, q in steps.transitions[s].items()])
                for s, p in emitting
                if p is not None
            ]
            self._rows.append(rows)

    def images(self, rays: Iterable[Ray]) -> Iterator[Ray]:
        """N_o g for every observation o and every ray g, in the order of the words."""
        known = list(rays)
        for o, rows in enumerate(self._rows):
            for ray in known:
                cells = [ZERO] * self._size
                for s, row in rows:
                    cells[s] = sum((p * ray.cells[u] for u, p in row), ZERO)
                if scale := sum(cells, ZERO):
                    yield Ray(tuple(x / scale for x in cells), (o, *ray.word))


def levels(steps: Steps, horizon: int, clock: Clock) -> Iterator[list[Ray]]:
    """The extreme rays of the words of one observation, of two, ..., of ``horizon``."""
    backward, rays = Backward(steps), [Ray((ONE,) * steps.size, ())]
    for depth in range(1, horizon + 1):
        clock.tick("horizon", depth, horizon)
        rays = extreme(backward.images(rays), clock)
        yield rays


def extreme(rays: Iterable[Ray], clock: Clock) -> list[Ray]:
    """The extreme rays of a cone (of equal ones the first), each scaled to the sum 1."""
    first: dict[tuple[fmpq, ...], Ray] = {}
    for ray in rays:
        first.setdefault(ray.cells, ray)
    found = list(first.values())
    if not found or len(found[0].cells) > 3:
        return _by_programs(found, clock)
    corners = _corners([(ray.cells[0], ray.cells[-1 if len(ray.cells) < 3 else 1]) for ray in found])
    return [ray for i, ray in enumerate(found) if i in corners]


def _corners(points: Sequence[tuple[fmpq, fmpq]]) -> set[int]:
    """The corners of the convex hull of different points in the plane, by Andrew's monotone chain."""
    order = sorted(range(len(points)), key=points.__getitem__)
    return {i for way in (order, order[::-1]) for i in _half(points, way)}


def _half(points: Sequence[tuple[fmpq, fmpq]], order: Sequence[int]) -> list[int]:
    chain: list[int] = []
    for i in order:
        while len(chain) > 1 and _turn(points[chain[-2]], points[chain[-1]], points[i]) <= 0:
            chain.pop()
        chain.append(i)
    return chain


def _turn(a: tuple[fmpq, fmpq], b: tuple[fmpq, fmpq], c: tuple[fmpq, fmpq]) -> fmpq:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _by_programs(rays: list[Ray], clock: Clock) -> list[Ray]:
    kept = rays
    for ray in rays:
        clock.tick("extreme rays", len(kept), len(rays))
        others = [other for other in kept if other is not ray]
        if combination([other.cells for other in others], ray.cells) is not None:
            kept = others
    return kept


def dot(weights: Sparse, cells: Sequence[fmpq]) -> fmpq:
    """The sum of the cells with these weights."""
    return sum((x * cells[s] for s, x in weights.items()), ZERO)


def best_of(best: Extreme, number: int, sides: Sides, rays: Iterable[Ray]) -> Extreme:
    """The best so far, or the first ray with a greater quotient."""
    for ray in rays:
        ratio = quotient(dot(sides[0], ray.cells), dot(sides[1], ray.cells))
        if exceeds(ratio, best.ratio):
            best = Extreme(number, ratio, ray.word)
    return best


def worst(steps: Steps, pairs: Sequence[Sides], horizon: int, clock: Clock) -> list[Extreme]:
    """For every pair the greatest quotient of the words of at most ``horizon`` observations."""
    best = [Extreme(number, ZERO, ()) for number in range(len(pairs))]
    for rays in levels(steps, horizon, clock):
        best = [best_of(old, i, sides, rays) for i, (old, sides) in enumerate(zip(best, pairs, strict=True))]
    return best


def violation(
    steps: Steps, pairs: Sequence[Sides], horizon: int, above: Callable[[Ratio], bool], clock: Clock
) -> Extreme | None:
    """A shortest word with a quotient ``above`` the claim; of these the greatest quotient, the first pair."""
    for rays in levels(steps, horizon, clock):
        found = NONE
        for number, sides in enumerate(pairs):
            found = best_of(found, number, sides, rays)
        if above(found.ratio):
            return found
    return None
