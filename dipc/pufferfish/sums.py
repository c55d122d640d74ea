"""delta > 0 for a class of parameters: no set of sequences may be too likely.

With g_w = A_w Z' - c A'_w Z, the claim is that the sum of max(0, g_w) over all w of a length is at most
delta Z Z'.  Most g_w have one sign on the whole class; of the others every subset is tried, as the greatest
sum is that over some subset.  The differences are polynomials, decided as other inequalities are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from typing import NamedTuple

from flint import fmpq, fmpq_mpoly

from dipc.errors import LimitReached
from dipc.models.mixtures import Claim
from dipc.pufferfish.beliefs import ZERO, Word
from dipc.pufferfish.clearing import Cleared, Polynomials
from dipc.pufferfish.parameters import BITS, DEPTH_OF_ANY, corners, decided, shown_near
from dipc.pufferfish.problem import Constant
from dipc.pufferfish.verdict import Counterexample, Private, PufferfishVerdict, Undecided, Violated
from dipc.signs.boxes import Fails, Point, Unclear

MOST_MIXED = 10
"""Of so many sequences whose g_w changes its sign on the class all subsets are tried."""

MOST_SEQUENCES = 3000


class Leaf(NamedTuple):
    """All sequences that begin with the word: g = below - c0 * above, up to a common positive factor."""

    word: Word
    above: fmpq_mpoly
    below: fmpq_mpoly


Sign = Callable[[fmpq_mpoly, fmpq_mpoly], int | None]
"""The sign of below - c * above on the whole class, if it has one; 0 if it is 0 everywhere."""


@dataclass
class Sum:
    """The sequences of a pair that may add to the sum; ``total`` is Z Z', up to the same factor."""

    total: fmpq_mpoly
    fixed: list[Leaf] = field(default_factory=list)
    mixed: list[Leaf] = field(default_factory=list)
    ended: bool = True

    def subsets(self) -> Iterator[tuple[Leaf, ...]]:
        """All subsets of the mixed sequences, small ones first."""
        sizes = range(len(self.mixed) + 1)
        return chain.from_iterable(combinations(self.mixed, n) for n in sizes)


def check(problem: Cleared, claim: Claim) -> PufferfishVerdict:
    """Decide a claim with delta > 0 on the whole class.  Raises :class:`LimitReached`."""
    constant, doubts = Constant(claim), list[str]()
    c0 = constant.bounds(BITS[1])[0]

    def sign(above: fmpq_mpoly, below: fmpq_mpoly) -> int | None:
        return problem.definite_sign_of(g) if (g := below - c0 * above) else 0

    for number in range(len(problem.pairs)):
        found = explored(problem, number, sign)
        answer = _violation(problem, claim, number, found)
        if isinstance(answer, Counterexample):
            return Violated(**problem.common, counterexample=answer)
        doubts += answer
    if not doubts:
        return Private(**problem.common)
    stricter = decided(problem, replace(claim, delta=ZERO))
    return stricter if isinstance(stricter, Private) else Undecided(**problem.common, reason=doubts[0])


def explored(problem: Cleared, number: int, sign: Sign) -> Sum:
    """The tree of the observations, as far as the sign of g may change below a node."""
    horizon, sides, nodes = problem.question.horizon, problem.sides[number], list[Leaf]()
    zero = 0 * sides.above
    frontier: list[tuple[Word, Polynomials, Polynomials]] = [((), sides.left, sides.right)]
    found, depth, pending = Sum(sides.above * sides.below), 0, list[Leaf]()
    while frontier and depth < (horizon or DEPTH_OF_ANY):
        depth, pending = depth + 1, []
        found.total = found.total * problem.growth
        nodes = [Leaf(w, *(f * problem.growth for f in both)) for w, *both in nodes]
        children = [child for node in frontier for child in problem.successors(*node)]
        frontier = []
        for word, a, b in children:
            cells = (
                (sides.above * b.get(s, zero), sides.below * a.get(s, zero)) for s in a.keys() | b.keys()
            )
            signs = {sign(y, x) for y, x in cells} - {0}
            if signs <= {-1}:
                continue
            leaf = Leaf(word, sides.above * sum(b.values(), zero), sides.below * sum(a.values(), zero))
            if signs == {1} or a.keys() | b.keys() == {problem.steps.silent}:
                nodes.append(leaf)
            else:
                pending.append(leaf)
                frontier.append((word, a, b))
        if len(nodes) + len(frontier) > MOST_SEQUENCES:
            raise LimitReached(f"more than {MOST_SEQUENCES} sequences may add to the sum")
    found.ended = horizon is not None or not frontier
    for leaf in (*nodes, *pending):
        which = sign(leaf.above, leaf.below)
        if which != -1:
            (found.mixed if which is None else found.fixed).append(leaf)
    return found


def _violation(problem: Cleared, claim: Claim, number: int, found: Sum) -> Counterexample | list[str]:
    """A violation by some sequences of a pair, or what is not settled about them."""
    constant = Constant(claim)

    def wrong(u: Point) -> bool:
        return _is_exceeded(constant, claim.delta, found, _chosen(constant, found, u), u)

    for u in corners(problem.family):
        inside = problem.family.inside(u, wrong) if wrong(u) else None
        if inside is not None:
            return _counterexample(problem, claim, number, found, inside)
    if doubt := problem_of(problem, number, found):
        return [doubt]
    c0, zero = constant.bounds(BITS[1])[0], 0 * found.total
    rest = claim.delta * found.total - sum((f.below - c0 * f.above for f in found.fixed), zero)
    for some in found.subsets():
        f = rest - sum((leaf.below - c0 * leaf.above for leaf in some), zero)
        match problem.family.nonnegative(f, wrong):
            case Fails(point):
                return _counterexample(problem, claim, number, found, point)
            case Unclear():
                return [open_sum(problem, number, (*found.fixed, *some))]
    return []


def both(found: Sum, some: Sequence[Leaf]) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    """The sums of ``above`` and of ``below`` over some sequences."""
    zero = 0 * found.total
    return sum((f.above for f in some), zero), sum((f.below for f in some), zero)


def problem_of(problem: Cleared, number: int, found: Sum) -> str:
    """Why the sums of a pair cannot all be asked about; empty if they can."""
    if not found.ended:
        return f"{_pair(problem, number)}: sequences of more than {DEPTH_OF_ANY} observations are not settled"
    if len(found.mixed) > MOST_MIXED:
        where = f"on the class {len(found.mixed)} sequences are more likely now here, now there"
        return f"{_pair(problem, number)}: {where}"
    return ""


def open_sum(problem: Cleared, number: int, some: Sequence[Leaf]) -> str:
    """What is not settled, in words."""
    words = ", ".join(" ".join(problem.steps.text(f.word)) for f in some)
    return f"{_pair(problem, number)}: the sum over {words} is not settled"


def _pair(problem: Cleared, number: int) -> str:
    pair = problem.pairs[number]
    return f"{pair.left.name} against {pair.right.name}"


def _chosen(constant: Constant, found: Sum, u: Point) -> list[Leaf]:
    """The sequences with g > 0 at a point, those with the greatest quotients first."""
    some = [f for f in (*found.fixed, *found.mixed) if constant.is_broken(f.above(*u), f.below(*u))]
    return sorted(some, key=lambda f: f.above(*u) / f.below(*u))


def _is_exceeded(constant: Constant, delta: fmpq, found: Sum, some: Sequence[Leaf], u: Point) -> bool:
    above = sum((f.above(*u) for f in some), ZERO)
    return constant.is_broken(above, sum((f.below(*u) for f in some), ZERO) - delta * found.total(*u))


def _counterexample(problem: Cleared, claim: Claim, number: int, found: Sum, u: Point) -> Counterexample:
    constant = Constant(claim)
    some = _chosen(constant, found, u)
    enough = next(
        n for n in range(1, len(some) + 1) if _is_exceeded(constant, claim.delta, found, some[:n], u)
    )
    return shown_near(problem, claim, number, [f.word for f in some[:enough]], u)
