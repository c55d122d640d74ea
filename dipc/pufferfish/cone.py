"""Cones of futures: a bound on the quotients of all horizons, with proofs that are checked by multiplication.

Here f_w(s) = P(w | the next state is drawn from s), so f_(ow) = M_o f_w with M_o(s, u) = p(s, u) o(u, o).
The cone C = {f >= 0 : f(u) <= d(u, v) f(v)} contains the vector of ones if d >= 1; if every M_o maps C into
itself, all f_w lie in C, and the greatest quotient over C bounds all horizons.  Each condition is a linear
program, whose dual solution is the proof.  (Compare the skewed bisimilarity distances of Chistikov, Murawski
and Purser.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from flint import fmpq

from dipc.clock import Clock
from dipc.models.simplex import greatest_ratio
from dipc.pufferfish.beliefs import ONE, ZERO, Belief, Ratio, Sparse, Steps, exceeds, greatest

UNIT = 10**6
"""The numbers d are rounded up to multiples of 1/UNIT."""

HUGE = fmpq(10**9)
"""Greater numbers d are infinite: no condition."""

ROUNDS, TRIES, SLACK = 25, 12, fmpq(1001, 1000)

Pairs = dict[tuple[int, int], fmpq]


@dataclass(frozen=True)
class Cone:
    """All f >= 0 with f(u) <= bounds[u, v] f(v); a missing bound is infinite."""

    size: int
    bounds: Pairs

    @cached_property
    def generators(self) -> list[list[fmpq]]:
        """The vectors h with h . f <= 0, in the order of the bounds."""
        return [
            [ONE if s == u else -d if s == v else ZERO for s in range(self.size)]
            for (u, v), d in self.bounds.items()
        ]

    def ratio(self, above: Sparse, below: Sparse) -> tuple[Ratio, tuple[fmpq, ...]]:
        """The greatest (above . f)/(below . f), and the multipliers of the generators that prove it."""
        if not above:
            return ZERO, (ZERO,) * len(self.generators)
        left, right = ([part.get(s, ZERO) for s in range(self.size)] for part in (above, below))
        return greatest_ratio(left, right, self.generators) or (None, ())

    def bound(self, steps: Steps, belief: Belief) -> Ratio:
        """No continuation of a belief has a greater quotient."""
        left, right = steps.filtered(belief.a), steps.filtered(belief.b)
        return greatest(self.ratio(part, right.get(o, {}))[0] for o, part in left.items())


def matrices(steps: Steps) -> list[list[Sparse]]:
    """M_o by rows, for every observation o."""
    rows = [steps.filtered(steps.transitions[s]) for s in range(steps.size)]
    return [[row.get(o, {}) for row in rows] for o in range(len(steps.names))]


def closed_cone(steps: Steps, clock: Clock) -> Cone | None:
    """A cone that every M_o maps into itself and that contains the ones; None if none was found."""
    maps = matrices(steps)
    cone = Cone(steps.size, dict.fromkeys(permutations(range(steps.size), 2), ONE))
    for turn in range(ROUNDS + TRIES):
        needed = {pair: _needed(cone, maps, *pair, clock) for pair in cone.bounds}
        if all(not exceeds(ratio, cone.bounds[pair]) for pair, ratio in needed.items()):
            return cone
        slack = ONE if turn < ROUNDS else SLACK
        wider = {pair: _rounded(ratio, cone.bounds[pair], slack) for pair, ratio in needed.items()}
        cone = Cone(steps.size, {pair: d for pair, d in wider.items() if d is not None})
    return None


def _needed(cone: Cone, maps: list[list[Sparse]], u: int, v: int, clock: Clock) -> Ratio:
    clock.tick("cone")
    return greatest(cone.ratio(rows[u], rows[v])[0] for rows in maps)


def _rounded(ratio: Ratio, old: fmpq, slack: fmpq) -> Ratio:
    if ratio is None:
        return None
    wider = max(old, (ratio * slack * UNIT).ceil() / fmpq(UNIT))
    return wider if wider <= HUGE else None
