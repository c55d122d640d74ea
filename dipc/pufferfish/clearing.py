"""Questions with parameters without fractions: for every pair and sequence, c * above >= below on the class.

With the unnormalised probabilities A, A' of the sequence and the weights Z, Z' of both sides, Definition 2 of
the paper is c A' Z - A Z' >= 0 on the whole class: where Z or Z' is 0, both products are.  Here above = A' Z
and below = A Z', up to a common factor >= 0.  The common denominators of the model multiply every sequence of
one length alike; they have one sign on the class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, ClassVar, NamedTuple, cast

from flint import arb, ctx, fmpq, fmpq_mpoly

from dipc.clock import Clock
from dipc.errors import InternalError, LimitReached
from dipc.models.hmm import HiddenMarkovModel, added
from dipc.models.mixtures import Claim, Pair
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ZERO, Steps, Word
from dipc.pufferfish.classes import ParameterClass, check_class, definite_sign
from dipc.pufferfish.problem import Constant, Problem, violating
from dipc.pufferfish.question import Parameters, Question
from dipc.pufferfish.verdict import Counterexample
from dipc.signs.boxes import Answer, Fails, Holds, Point, Side, Unclear

LARGEST = 10**6

BITS = (24, 53, 128, 400)
"""Precisions of the rational bounds of a transcendental c."""

Sign = Callable[[fmpq_mpoly, fmpq_mpoly], int | None]
"""The sign of below - c * above on the whole class, if it has one; 0 if it is 0 everywhere."""

Polynomials = dict[int, fmpq_mpoly]
"""A vector over states: the entries that are not zero."""


class Inequality(NamedTuple):
    """``c * above >= below`` is the claim for a pair and a set of sequences: of one, unless delta > 0."""

    pair: int
    words: tuple[Word, ...]
    above: fmpq_mpoly
    below: fmpq_mpoly

    @property
    def only_axis(self) -> int | None:
        """The coordinate that it depends on, if it is only one."""
        degrees = zip(self.above.degrees(), self.below.degrees(), strict=True)
        axes = [axis for axis, both in enumerate(degrees) if max(both) > 0]
        return axes[0] if len(axes) == 1 else None


@dataclass(frozen=True, slots=True)
class _Belief:
    pair: int
    a: Polynomials
    b: Polynomials
    word: Word = ()


@dataclass(frozen=True, slots=True)
class _Sides:
    """Cleared weights, and their sums: that of the left is that of ``above``."""

    left: Polynomials
    right: Polynomials
    above: fmpq_mpoly
    below: fmpq_mpoly


class Cleared(Problem):
    """A question, its class, and its model with polynomials in the coordinates u of the class."""

    has_eps: ClassVar[bool] = False
    """Whether numbers are functions of eps; else a common factor of even power may be left out."""

    def __init__(self, question: Question, clock: Clock) -> None:
        """Raises :class:`InputError`, :class:`LimitReached`."""
        super().__init__(question, clock)
        self._one = question.parameters.ring.of(1).numerator
        self.family = self._class()
        self._signs: dict[Any, int | None] = {}
        self.stated: list[Inequality] = []
        self.steps = self._steps(question.model)
        self.sides = [self._cleared_sides(pair) for pair in self.pairs]

    def _class(self) -> ParameterClass:
        """The class of the parameters, checked."""
        return check_class(self.question, self.clock)

    @property
    def _point(self) -> Point:
        anchor = self.family.anchor
        assert anchor is not None
        return anchor

    def _steps(self, model: HiddenMarkovModel[Parametric]) -> Any:
        steps: Any = Steps(cast(Any, model))
        steps.emissions = self._cleared(steps.emissions)
        steps.transitions = self._cleared(steps.transitions)
        return steps

    def _cleared(self, rows: Sequence[Mapping[int, Any]]) -> list[Polynomials]:
        """All entries times one polynomial, positive on the class."""
        of, image = self.question.parameters.ring.of, self.family.image
        lifted = [
            {i: image(p if isinstance(p, Parametric) else of(p)) for i, p in row.items()} for row in rows
        ]
        return cleared(lifted, self._one, self._sign_inside)

    def _sign_inside(self, f: fmpq_mpoly) -> int:
        """The sign of a polynomial that has one on the whole class."""
        return 1 if f(*self._point) > 0 else -1

    def _cleared_sides(self, pair: Pair) -> _Sides:
        left, right = (self._cleared([added(side.weights)])[0] for side in pair)
        above, below = (sum(part.values(), ZERO) * self._one for part in (left, right))
        return _Sides(left, right, above, below)

    def levels(self, claim: Claim | None = None) -> Iterator[list[Inequality]]:
        """For every length the inequalities that are new; with a claim, settled beliefs are left out.

        Ends where nothing new can follow.  Raises :class:`LimitReached`.
        """
        seen: set[Any] = set()
        stated: set[Any] = set()
        sign = None if claim is None else self.sign(claim)
        frontier = [_Belief(i, sides.left, sides.right) for i, sides in enumerate(self.sides)]
        while frontier:
            children = [
                _Belief(belief.pair, *self._reduced(a, b), word)
                for belief in frontier
                for word, a, b in self.successors(belief.word, belief.a, belief.b)
            ]
            new = [child for child in children if not _known(child.pair, (child.a, child.b), seen)]
            found = [self._inequality(child) for child in new]
            level = [f for f in found if not _known(None, ({0: f.below}, {0: f.above}), stated)]
            self.stated += level
            yield level
            frontier = [belief for belief in new if sign is None or not self._is_settled(belief, sign)]
            if len(seen) > LARGEST:
                raise LimitReached(f"more than {LARGEST} beliefs")

    def successors(
        self, word: Word, a: Polynomials, b: Polynomials
    ) -> Iterator[tuple[Word, Polynomials, Polynomials]]:
        """The beliefs after one more observation that is possible on the left."""
        left, right = self.steps.filtered(a), self.steps.filtered(b)
        for o in sorted(left):
            self.clock.tick("sequences", len(word) + 1)
            moved = (self.steps.moved(part.get(o, {})) for part in (left, right))
            after, other = ({s: f for s, f in vector.items() if f} for vector in moved)
            if after:
                yield (*word, o), after, other

    @property
    def growth(self) -> fmpq_mpoly:
        """The factor of all probabilities for every observation: the common denominators."""
        silent, steps = self.steps.silent, self.steps
        (shown,), (moved,) = steps.emissions[silent].values(), steps.transitions[silent].values()
        return cast(fmpq_mpoly, shown * moved)

    def _reduced(self, a: Polynomials, b: Polynomials) -> tuple[Polynomials, Polynomials]:
        """Both vectors without a common factor that is >= 0 on the whole class."""
        scale, factors = _content([*a.values(), *b.values()]).factor()
        common = self._one * abs(scale)
        for factor, power in factors:
            sign = 1 if power % 2 == 0 and not self.has_eps else self.definite_sign_of(factor)
            common = common * (factor * sign) ** power if sign else common
        return {s: f / common for s, f in a.items()}, {s: f / common for s, f in b.items()}

    def definite_sign_of(self, f: fmpq_mpoly) -> int | None:
        """1 (-1) if f >= 0 (<= 0) on the whole class, as far as Bernstein coefficients tell; else None."""
        key = _key(f)
        if key not in self._signs:
            self._signs[key] = self._sign_of(f)
        return self._signs[key]

    def _sign_of(self, f: fmpq_mpoly) -> int | None:
        return definite_sign(f)

    def _inequality(self, belief: _Belief) -> Inequality:
        sides = self.sides[belief.pair]
        above = sum(belief.b.values(), ZERO) * sides.above
        below = sum(belief.a.values(), ZERO) * sides.below
        first, second = self._reduced({0: below}, {0: above} if above else {})
        return Inequality(belief.pair, (belief.word,), second.get(0, above), first[0])

    def _is_settled(self, belief: _Belief, sign: Sign) -> bool:
        """Whether c Z b >= Z' a in every state, so that no continuation breaks the claim."""
        sides, zero = self.sides[belief.pair], 0 * self._one
        cells = ((sides.above * belief.b.get(s, zero), sides.below * x) for s, x in belief.a.items())
        return all(sign(*cell) in (-1, 0) for cell in cells)

    # --- answers -----------------------------------------------------------------------------------

    def sign(self, claim: Claim) -> Sign:
        """The signs of differences, as far as Bernstein coefficients tell."""
        low, high = Constant(claim).bounds(BITS[1])

        def found(above: fmpq_mpoly, below: fmpq_mpoly) -> int | None:
            most, least = (below - c0 * above for c0 in (low, high))
            if not (most or least):
                return 0
            if self.definite_sign_of(most) == -1:
                return -1
            return 1 if self.definite_sign_of(least) == 1 else None

        return found

    def decide(self, claim: Claim, f: Inequality) -> Answer:
        """Whether an inequality holds on the class; a witness is computed anew.

        For a transcendental c both rational neighbours are asked: ``above`` is nonnegative, so the lower one
        proves and the upper one refutes.  The least c of a sequence is algebraic, so some precision settles
        it.
        """
        constant, wrong = Constant(claim), partial(self.is_violated, claim, f)
        for bits in BITS[:1] if constant.is_rational else BITS:
            low, high = constant.bounds(bits)
            answer = self.family.nonnegative(low * f.above - f.below, wrong if low == high else None)
            if low == high or isinstance(answer, Holds):
                return answer
            answer = self.family.nonnegative(high * f.above - f.below, wrong)
            if isinstance(answer, Fails):
                return answer
        return Unclear(())

    def breaks(self, claim: Claim, f: Inequality, u: Point) -> bool:
        """Whether an inequality does not hold at a point, which may lie outside of the class."""
        return Constant(claim).is_broken(f.above(*u), f.below(*u))

    def strength(self, f: Inequality, u: Point) -> tuple[bool, fmpq]:
        """What the inequalities that do not hold at a point are ordered by: the quotient there."""
        above, below = f.above(*u), f.below(*u)
        return (not above, below / above if above else ZERO)

    def violated(self, claim: Claim, f: Inequality, u: Point) -> Counterexample | None:
        """The probabilities at a point of the class, if they break the claim: computed anew."""
        return self._violated(claim, f, self.values(u), None)

    def _violated(
        self, claim: Claim, f: Inequality, values: Mapping[str, fmpq], eps: fmpq | None
    ) -> Counterexample | None:
        """The same where parameters and eps have values; of several sequences the likeliest that suffice."""
        value = partial(number_at, self.question.parameters, values, eps)
        found = probabilities(self.question.model, self.pairs[f.pair], f.words, value)
        left = right = Quotient.of(0)
        words: list[Word] = []
        for word, p, q in sorted(found, key=lambda each: _share(*each[1:])):
            words, left, right = [*words, word], left + p, right + q
            shown = violating(claim, self.reached(f.pair, words, (left, right), values, eps))
            if shown is not None:
                return shown
        return None

    def counterexample(self, claim: Claim, f: Inequality, u: Point) -> Counterexample:
        """The same, which must break the claim."""
        shown = self.violated(claim, f, u)
        if shown is None:
            raise InternalError("a counterexample that does not violate the claim")
        return shown

    def is_violated(self, claim: Claim, f: Inequality, u: Point) -> bool:
        """Whether the probabilities at a point of the class break the claim."""
        return self.violated(claim, f, u) is not None

    def nearby(self, claim: Claim, f: Inequality, u: Point) -> Counterexample | None:
        """A violation in the class near a point of its closure, if the inequality does not hold there."""
        if not self.breaks(claim, f, u):
            return None
        point = self.family.inside(u, partial(self.is_violated, claim, f))
        return None if point is None else self.violated(claim, f, point)

    def unsettled_on(self, f: Inequality, box: Sequence[Side]) -> str:
        """What is open, in words."""
        names, pair = self.question.parameters.names, self.pairs[f.pair]
        sides = (f"{name} in [{low}, {high}]" for name, (low, high) in zip(names, box, strict=False))
        words = ", ".join(" ".join(self.steps.text(word)) for word in f.words)
        what = f"the sequence {words}" if len(f.words) == 1 else f"the sum over {words}"
        where = f" on the box {', '.join(sides)} of the unit cube" if box else ""
        return f"{pair.left.name} against {pair.right.name}: {what} is not settled{where}"

    def values(self, u: Point) -> dict[str, fmpq]:
        """The parameters at a point, without those that are functions of eps."""
        return self.family.values(u)

    def limit(self, p: Parametric, u: Point) -> Quotient:
        """What a function tends to on the way from the centre of the class to a point."""
        return Quotient.of(self.family.limit(p, u))


def cleared(
    rows: Sequence[Mapping[int, Parametric]], one: fmpq_mpoly, sign: Callable[[fmpq_mpoly], int]
) -> list[Polynomials]:
    """All entries times one polynomial, which is made positive by its ``sign``."""
    common = one
    for p in {p for row in rows for p in row.values()}:
        common = common * (p.denominator / common.gcd(p.denominator))
    common = common * sign(common)
    return [{i: p.numerator * (common / p.denominator) for i, p in row.items()} for row in rows]


def probabilities(
    model: HiddenMarkovModel[Parametric],
    pair: Pair,
    words: Sequence[Word],
    value: Callable[[Parametric], Any],
) -> list[tuple[Word, Any, Any]]:
    """P(word | left) and P(word | right) where the parameters have values; none if a side is impossible."""
    rows = (
        tuple(tuple((place, value(p)) for place, p in row) for row in part)
        for part in (model.emissions, model.transitions)
    )
    steps: Any = Steps(HiddenMarkovModel(model.states, model.observations, *rows))
    sides: list[Any] = [{s: value(x) for s, x in added(side.weights).items()} for side in pair]
    totals = [sum(side.values(), ZERO) for side in sides]
    if not all(totals):
        return []
    return [
        (word, *(steps.probability(side, word) / total for side, total in zip(sides, totals, strict=True)))
        for word in words
    ]


def number_at(
    parameters: Parameters, values: Mapping[str, fmpq], eps: fmpq | None, p: Parametric
) -> Quotient:
    """A function where the parameters are numbers, and eps is one if it is given."""
    found = parameters.function_of_eps(p.at(values))
    return found if eps is None else found.at(eps)


def _share(left: Quotient, right: Quotient) -> float:
    """About P(right)/P(left): the order of the sequences decides nothing."""
    with ctx.workprec(64):
        below, above = (x.enclose(arb(1)) for x in (left, right))
        return float((above / below).mid()) if left else inf


def _content(polynomials: Sequence[fmpq_mpoly]) -> fmpq_mpoly:
    common = polynomials[0]
    for f in polynomials[1:]:
        if common.is_constant():
            break
        common = common.gcd(f)
    return common


def _key(f: fmpq_mpoly) -> Any:
    return frozenset(f.to_dict().items())


def _known(group: int | None, vectors: Iterable[Polynomials], seen: set[Any]) -> bool:
    """Whether the same vectors, but for one positive number, were seen before; else they are added."""
    a, b = vectors
    scale = 1 / abs(next(iter(a.values())).leading_coefficient())
    key = group, *(frozenset((s, _key(f * scale)) for s, f in v.items() if f) for v in (a, b))
    if key in seen:
        return True
    seen.add(key)
    return False
