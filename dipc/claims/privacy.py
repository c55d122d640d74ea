"""From output laws to a verdict (DiPC, Definition 1 and Theorem 9, without its 2^|V| output sets).

**delta = 0.**  For every ordered pair (u, u') of neighbours and every output o

    exp(t eps) P(u')(o) - P(u)(o) >= 0        for every eps of the claim.

**delta > 0.**  With g_o = P(u)(o) - exp(t eps) P(u')(o), privacy at one eps means that delta is at least the
sum of the positive g_o: the worst set of outputs is S = {o : g_o(eps) > 0}.  Between the roots of the g_o
that set is constant, so only few sets occur.  For each of them delta - sum_{o in S} g_o >= 0 is checked on
*all* budgets: privacy implies it for every S, and the sets that occur imply privacy.  So roots of different
g_o need not be compared exactly: where they are too close, every set that might occur is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from flint import fmpq

from dipc.claims.verdict import Goal
from dipc.errors import InputError, LimitReached, Span
from dipc.models.laws import Vector
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.numbers.surd import Number, Surd
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import (
    Answer,
    Fails,
    Holds,
    Unclear,
    nonnegative,
    sign_if_constant,
    without_monomial,
)
from dipc.signs.proofs import Proof, SignTable
from dipc.signs.radicals import Function, Radical
from dipc.signs.roots import Unsettled
from dipc.signs.search import proof
from dipc.signs.tables import OpenInterval, RootCluster, pieces, sign_table


class SignOracle:
    """Answers inequalities between functions of eps, each only once."""

    def __init__(self, budgets: EpsRange) -> None:
        self.budgets = budgets
        self.answers: dict[Function, Answer] = {}
        self._denominators: dict[Function, int] = {}
        self._proofs: dict[Function, Proof] = {}

    def nonnegative(self, value: Number) -> Answer:
        """Whether value >= 0 on all budgets."""
        return self.decide(self.normal_form(value))

    def normal_form(self, value: Number) -> Function:
        """A function with the signs of ``value``, the same for all that differ by a positive factor.

        (With a square root, for some that do.)
        """
        f = self.signs_of(value)
        return without_monomial(f) if isinstance(f, ExpPoly) else f

    def signs_of(self, value: Number) -> Function:
        """A function with the signs of ``value``; see :meth:`numerator`."""
        if isinstance(value, Quotient):
            return self.numerator(value)
        above, below = (self._radical(*pair, value.radicand) for pair in (value.above, value.below))
        return above if self._sign_of(below) > 0 else -above

    def _radical(self, a: Quotient, b: Quotient, g: Quotient) -> Function:
        """``(a + b sqrt(g)) da db dg``, with da, db, dg > 0 the denominators of a, b and g."""
        da, db, dg = (x.denominator * self._sign_of(x.denominator) for x in (a, b, g))
        pa, pb, pg = (self.numerator(x) for x in (a, b, g))
        # sqrt(pg/dg) = sqrt(pg*dg)/dg
        return Radical(pa * db * dg, pb * da, pg * dg) if b else pa

    def decide(self, f: Function) -> Answer:
        """Whether f >= 0 on all budgets."""
        answer = self.answers.get(f)
        if answer is None:
            answer = self.answers[f] = nonnegative(f, self.budgets)
        return answer

    def proof_of(self, f: Function) -> Proof:
        """The proof of f >= 0 that a certificate can hold, found once; f is one that holds.

        Raises :class:`~dipc.signs.limits.NoProof`.
        """
        found = self._proofs.get(f)
        if found is None:
            match self.decide(f):
                case Holds(known) if not isinstance(known, SignTable):
                    found = known
                case _:
                    found = proof(f, self.budgets)
            self._proofs[f] = found
        return found

    def numerator(self, value: Quotient) -> ExpPoly:
        """A function with the signs of ``value``: its numerator, up to the sign of the denominator.

        Raises :class:`InputError` if the denominator has a root at a budget of the claim.
        """
        return value.numerator * self._sign_of(value.denominator)

    def positive(self, value: Quotient) -> ExpPoly:
        """The denominator of ``value``, positive on all budgets; the other side of :meth:`numerator`."""
        return value.denominator * self._sign_of(value.denominator)

    def _sign_of(self, denominator: Function) -> int:
        sign = self._denominators.get(denominator)
        if sign is None:
            sign = sign_if_constant(denominator, self.budgets)
            if sign is None:
                raise InputError(
                    f"a probability is undefined for some eps in {self.budgets}: {denominator} vanishes",
                    hint="restrict the claim: private ... for eps in (low, high)",
                )
            self._denominators[denominator] = sign
        return sign


class Checked(NamedTuple):
    """One inequality: for which places of the vectors, in normal form, with the answer.

    ``inequality`` is None if the outputs that matter could not even be found.
    """

    outputs: tuple[int, ...]
    inequality: Function | None
    answer: Answer


class PrivacyInequalities:
    """The inequalities of one claim for two vectors of probabilities."""

    def __init__(self, goal: Goal, judge: SignOracle) -> None:
        self.goal = goal
        self.judge = judge
        self._factor = Quotient(goal.factor)
        self._bounds: dict[Quotient, Quotient] = {}
        self._margins: dict[tuple[Quotient, Quotient], Quotient] = {}

    def examine(self, left: Vector, right: Vector) -> list[Checked]:
        """All inequalities, up to the first that fails."""
        questions = []
        for question in self._with_delta(left, right) if self.goal.delta else self._pure(left, right):
            questions.append(question)
            if isinstance(question.answer, Fails):
                break
        return questions

    def margin(self, p: Quotient, q: Quotient) -> Quotient:
        """``exp(t eps) q - p``."""
        margin = self._margins.get((p, q))
        if margin is None:
            bound = self._bounds.get(q)
            if bound is None:
                bound = self._bounds[q] = self._factor * q
            margin = self._margins[p, q] = bound - p
        return margin

    def margins(self, left: Vector, right: Vector) -> list[ExpPoly]:
        """Functions with the signs of the margins of all outputs."""
        return [self.judge.numerator(self.margin(p, q)) for p, q in zip(left, right, strict=True)]

    def slack(self, left: Vector, right: Vector, outputs: Iterable[int]) -> Number:
        """``exp(t eps) P(u')(outputs) + delta - P(u)(outputs)``: negative where the claim is broken."""
        margins = sum((self.margin(left[o], right[o]) for o in outputs), Quotient.of(0))
        delta = self.goal.delta
        return margins + delta if isinstance(delta, Quotient) else delta + margins

    def _pure(self, left: Vector, right: Vector) -> Iterator[Checked]:
        for o, (p, q) in enumerate(zip(left, right, strict=True)):
            yield self._question((o,), self.margin(p, q))

    def _with_delta(self, left: Vector, right: Vector) -> Iterator[Checked]:
        try:
            sets = worst_sets(self.margins(left, right), self.goal.budgets)
        except Unsettled as doubt:
            yield Checked(tuple(range(len(left))), None, Unclear(doubt.low, doubt.high))
            return
        for chosen in sets:
            yield self._question(chosen, self.slack(left, right, chosen))

    def _question(self, outputs: tuple[int, ...], value: Number) -> Checked:
        f = self.judge.normal_form(value)
        return Checked(outputs, f, self.judge.decide(f))


def worst_sets(margins: Sequence[ExpPoly], budgets: EpsRange) -> list[tuple[int, ...]]:
    """The sets {o : margin_o < 0} over all budgets (perhaps empty), and a few more next to close roots.

    >>> worst_sets([2 - ExpPoly.exp(1), 3 - ExpPoly.exp(1)], EpsRange.positive())   # roots ln 2 and ln 3
    [(), (0,), (0, 1)]
    """
    sets: dict[tuple[int, ...], None] = {}
    for cell in sign_table(margins, budgets):
        unsure: frozenset[int] = frozenset()
        if isinstance(cell.high, RootCluster) and len(cell.high.roots) > 1:
            unsure = cell.high.members
        if len(unsure) > 12:
            raise Unsettled(cell.sample, cell.sample)
        for signs in product(*((-1, 1) if o in unsure else (s,) for o, s in enumerate(cell.signs))):
            sets[tuple(o for o, s in enumerate(signs) if s < 0)] = None
    return list(sets)


class Region(NamedTuple):
    """An interval of budgets with a simple rational in it, and whether its ends belong to it."""

    low: RootCluster | fmpq | None
    high: RootCluster | fmpq | None
    sample: fmpq
    low_closed: bool
    high_closed: bool


def violated_regions(slacks: Sequence[Function], budgets: EpsRange) -> list[Region]:
    """The maximal intervals on which one of the functions is negative, each with a simple rational in it.

    Two intervals that only share a border at which some function stays negative are one.  An end belongs to
    its interval if it is an end of the budgets that does, and some function is negative there.
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
    """Whether it is proved that some function is negative wherever one goes from a cell to the next."""
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


def check_delta(goal: Goal, judge: SignOracle, span: Span) -> None:
    """That the claimed delta makes sense for all budgets: without this a claim could only seem to hold."""
    if isinstance(goal.delta, Surd):
        radicand = goal.delta.radicand
        require_nonnegative(radicand, judge, span, f"{radicand}, under the square root in delta, is negative")
    if goal.delta:
        require_nonnegative(goal.delta, judge, span, f"the claimed delta {goal.delta} is negative")


def require_nonnegative(value: Number, judge: SignOracle, span: Span, otherwise: str) -> None:
    match judge.nonnegative(value):
        case Fails(sample):
            raise InputError(
                f"{otherwise} at eps = {sample}",
                span,
                "mend it, or restrict the claim: private ... for eps in (low, high)",
            )
        case Unclear(low, high):
            raise LimitReached(f"it is not settled whether {otherwise} for eps in [{low}, {high}]")
