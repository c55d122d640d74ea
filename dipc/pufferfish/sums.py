"""delta > 0 for a class of parameters: no set of sequences may be too likely.

With g_w = A_w Z' - c A'_w Z, the claim is that the sum of max(0, g_w) over all w of a length is at most
delta Z Z'.  Most g_w have one sign on the whole class; of the others every subset is tried, as the greatest
sum is that over some subset.  That the sum over a set is small enough is an inequality like those of single
sequences, and decided as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations

from flint import fmpq, fmpq_mpoly

from dipc.errors import LimitReached
from dipc.models.mixtures import Claim
from dipc.pufferfish.beliefs import ZERO, Word
from dipc.pufferfish.clearing import Cleared, Inequality, Polynomials, Sign
from dipc.pufferfish.parameters import DEPTH_OF_ANY, corners, decided
from dipc.pufferfish.verdict import Counterexample, Private, PufferfishVerdict, Undecided, Violated
from dipc.signs.boxes import Fails, Unclear

MOST_MIXED = 10
"""Of so many sequences whose g_w changes its sign on the class all subsets are tried."""

MOST_SEQUENCES = 3000


@dataclass
class Sum:
    """The sequences of a pair that may add to the sum; ``total`` is Z Z', up to the same factor.

    Each stands for all that begin with it: g = below - c * above, up to a common positive factor.
    """

    number: int
    total: fmpq_mpoly
    fixed: list[Inequality] = field(default_factory=list)
    mixed: list[Inequality] = field(default_factory=list)
    ended: bool = True

    def subsets(self) -> Iterator[tuple[Inequality, ...]]:
        """All subsets of the mixed sequences, small ones first."""
        sizes = range(len(self.mixed) + 1)
        return chain.from_iterable(combinations(self.mixed, n) for n in sizes)

    def together(self, some: Sequence[Inequality], delta: fmpq) -> Inequality:
        """That the sum over some of the sequences is at most delta."""
        zero = 0 * self.total
        above, below = sum((f.above for f in some), zero), sum((f.below for f in some), zero)
        words = tuple(word for f in some for word in f.words)
        return Inequality(self.number, words, above, below - delta * self.total)


def check(problem: Cleared, claim: Claim) -> PufferfishVerdict:
    """Decide a claim with delta > 0 on the whole class.  Raises :class:`LimitReached`."""
    doubts, sign = list[str](), problem.sign(claim)
    for number in range(len(problem.pairs)):
        answer = _violation(problem, claim, explored(problem, number, sign))
        if isinstance(answer, Counterexample):
            return Violated(**problem.common, counterexample=answer)
        doubts += answer
    if not doubts:
        return Private(**problem.common)
    stricter = decided(problem, replace(claim, delta=ZERO))
    return stricter if isinstance(stricter, Private) else Undecided(**problem.common, reason=doubts[0])


def explored(problem: Cleared, number: int, sign: Sign) -> Sum:
    """The tree of the observations, as far as the sign of g may change below a node."""
    horizon, sides, nodes = problem.question.horizon, problem.sides[number], list[Inequality]()
    zero = 0 * sides.above
    frontier: list[tuple[Word, Polynomials, Polynomials]] = [((), sides.left, sides.right)]
    found, depth, pending = Sum(number, sides.above * sides.below), 0, list[Inequality]()
    while frontier and depth < (horizon or DEPTH_OF_ANY):
        depth, pending = depth + 1, []
        found.total = found.total * problem.growth
        nodes = [f._replace(above=f.above * problem.growth, below=f.below * problem.growth) for f in nodes]
        children = [child for node in frontier for child in problem.successors(*node)]
        frontier = []
        for word, a, b in children:
            cells = (
                (sides.above * b.get(s, zero), sides.below * a.get(s, zero)) for s in a.keys() | b.keys()
            )
            signs = {sign(y, x) for y, x in cells} - {0}
            if signs <= {-1}:
                continue
            above, below = sides.above * sum(b.values(), zero), sides.below * sum(a.values(), zero)
            leaf = Inequality(number, (word,), above, below)
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


def _violation(problem: Cleared, claim: Claim, found: Sum) -> Counterexample | list[str]:
    """A violation by some sequences of a pair, or what is not settled about them."""
    for u in corners(problem.family):
        some = [f for f in (*found.fixed, *found.mixed) if problem.breaks(claim, f, u)]
        if shown := problem.nearby(claim, found.together(some, claim.delta), u):
            return shown
    if doubt := _open(problem, found):
        return [doubt]
    for mixed in found.subsets():
        f = found.together((*found.fixed, *mixed), claim.delta)
        match problem.decide(claim, f):
            case Fails(point):
                return problem.counterexample(claim, f, point)
            case Unclear(box):
                return [problem.unsettled_on(f, box)]
    return []


def _open(problem: Cleared, found: Sum) -> str:
    """Why the sums of a pair cannot all be asked about; empty if they can."""
    what = ""
    if not found.ended:
        what = f"sequences of more than {DEPTH_OF_ANY} observations are not settled"
    elif len(found.mixed) > MOST_MIXED:
        what = f"on the class {len(found.mixed)} sequences are more likely now here, now there"
    left, right = problem.pairs[found.number]
    return what and f"{left.name} against {right.name}: {what}"
