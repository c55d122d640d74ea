"""delta > 0 for a class of parameters: no set of sequences may be too likely.

With g_w = A_w Z' - c A'_w Z, the claim is that the sum of max(0, g_w) over all w of a length is at most
delta Z Z'.  Most g_w have one sign on the whole class; of the others every subset is tried, as the greatest
sum is that over some subset.  The differences are polynomials, decided as other inequalities are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import NamedTuple

from flint import fmpq, fmpq_mpoly

from dipc.errors import LimitReached
from dipc.pufferfish.beliefs import ZERO, Word
from dipc.pufferfish.clearing import Cleared, Constant, Polynomials
from dipc.pufferfish.parameters import BITS, DEPTH_OF_ANY, corners, decided, shown_near
from dipc.pufferfish.question import Claim
from dipc.pufferfish.verdict import Counterexample, Private, PufferfishVerdict, Undecided, Violated
from dipc.signs.boxes import Fails, Point, Unclear

MOST_MIXED = 10
"""Of so many sequences whose g_w changes its sign on the class all subsets are tried."""

MOST_SEQUENCES = 3000


class _Leaf(NamedTuple):
    """All sequences that begin with the word: g = below - c0 * above, up to a common positive factor."""

    word: Word
    above: fmpq_mpoly
    below: fmpq_mpoly


@dataclass
class _Sum:
    """The sequences of a pair that may add to the sum; ``total`` is Z Z', up to the same factor."""

    total: fmpq_mpoly
    fixed: list[_Leaf] = field(default_factory=list)
    mixed: list[_Leaf] = field(default_factory=list)
    ended: bool = True


def check(problem: Cleared, claim: Claim) -> PufferfishVerdict:
    """Decide a claim with delta > 0 on the whole class.  Raises :class:`LimitReached`."""
    constant, doubts = Constant(claim), list[str]()
    for number in range(len(problem.pairs)):
        found = _explored(problem, number, constant.bounds(BITS[1])[0])
        answer = _violation(problem, claim, number, found)
        if isinstance(answer, Counterexample):
            return Violated(**problem.common, counterexample=answer)
        doubts += answer
    if not doubts:
        return Private(**problem.common)
    stricter = decided(problem, replace(claim, delta=ZERO))
    return stricter if isinstance(stricter, Private) else Undecided(**problem.common, reason=doubts[0])


def _explored(problem: Cleared, number: int, c0: fmpq) -> _Sum:
    """The tree of the observations, as far as the sign of g may change below a node."""
    horizon, sides, nodes = problem.question.horizon, problem.sides[number], list[_Leaf]()
    zero = 0 * sides.above
    frontier: list[tuple[Word, Polynomials, Polynomials]] = [((), sides.left, sides.right)]
    found, depth, pending = _Sum(sides.above * sides.below), 0, list[_Leaf]()
    while frontier and depth < (horizon or DEPTH_OF_ANY):
        depth, pending = depth + 1, []
        found.total = found.total * problem.growth
        nodes = [_Leaf(w, *(f * problem.growth for f in both)) for w, *both in nodes]
        children = [child for node in frontier for child in problem.successors(*node)]
        frontier = []
        for word, a, b in children:
            cells = (
                (sides.above * b.get(s, zero), sides.below * a.get(s, zero)) for s in a.keys() | b.keys()
            )
            signs = {problem.definite_sign_of(g) for y, x in cells if (g := x - c0 * y)}
            if signs <= {-1}:
                continue
            leaf = _Leaf(word, sides.above * sum(b.values(), zero), sides.below * sum(a.values(), zero))
            if signs == {1} or a.keys() | b.keys() == {problem.steps.silent}:
                nodes.append(leaf)
            else:
                pending.append(leaf)
                frontier.append((word, a, b))
        if len(nodes) + len(frontier) > MOST_SEQUENCES:
            raise LimitReached(f"more than {MOST_SEQUENCES} sequences may add to the sum")
    found.ended = horizon is not None or not frontier
    for leaf in (*nodes, *pending):
        sign = problem.definite_sign_of(leaf.below - c0 * leaf.above)
        if sign != -1:
            (found.mixed if sign is None else found.fixed).append(leaf)
    return found


def _violation(problem: Cleared, claim: Claim, number: int, found: _Sum) -> Counterexample | list[str]:
    """A violation by some sequences of a pair, or what is not settled about them."""
    constant = Constant(claim)

    def wrong(u: Point) -> bool:
        return _is_exceeded(constant, claim.delta, found, _chosen(constant, found, u), u)

    for u in corners(problem.family):
        inside = problem.family.inside(u, wrong) if wrong(u) else None
        if inside is not None:
            return _counterexample(problem, claim, number, found, inside)
    pair = problem.pairs[number]
    what = f"{pair.left.name} against {pair.right.name}"
    if not found.ended:
        return [f"{what}: sequences of more than {DEPTH_OF_ANY} observations are not settled"]
    if len(found.mixed) > MOST_MIXED:
        return [f"{what}: on the class {len(found.mixed)} sequences are more likely now here, now there"]
    c0, zero = constant.bounds(BITS[1])[0], 0 * found.total
    rest = claim.delta * found.total - sum((f.below - c0 * f.above for f in found.fixed), zero)
    for some in chain.from_iterable(combinations(found.mixed, n) for n in range(len(found.mixed) + 1)):
        f = rest - sum((leaf.below - c0 * leaf.above for leaf in some), zero)
        match problem.family.nonnegative(f, wrong):
            case Fails(point):
                return _counterexample(problem, claim, number, found, point)
            case Unclear():
                words = ", ".join(" ".join(problem.steps.text(f.word)) for f in (*found.fixed, *some))
                return [f"{what}: the sum over {words} is not settled"]
    return []


def _chosen(constant: Constant, found: _Sum, u: Point) -> list[_Leaf]:
    """The sequences with g > 0 at a point, those with the greatest quotients first."""
    some = [f for f in (*found.fixed, *found.mixed) if constant.is_below(f.above(*u), f.below(*u))]
    return sorted(some, key=lambda f: f.above(*u) / f.below(*u))


def _is_exceeded(constant: Constant, delta: fmpq, found: _Sum, some: Sequence[_Leaf], u: Point) -> bool:
    above = sum((f.above(*u) for f in some), ZERO)
    return constant.is_below(above, sum((f.below(*u) for f in some), ZERO) - delta * found.total(*u))


def _counterexample(problem: Cleared, claim: Claim, number: int, found: _Sum, u: Point) -> Counterexample:
    constant = Constant(claim)
    some = _chosen(constant, found, u)
    enough = next(
        n for n in range(1, len(some) + 1) if _is_exceeded(constant, claim.delta, found, some[:n], u)
    )
    return shown_near(problem, claim, number, [f.word for f in some[:enough]], u)
