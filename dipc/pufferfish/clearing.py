"""Questions with parameters without fractions: for every pair and sequence, c * above >= below on the class.

With the unnormalised probabilities A, A' of the sequence and the weights Z, Z' of both sides, Definition 2 of
the paper is c A' Z - A Z' >= 0 on the whole class: where Z or Z' is 0, both products are.  Here above = A' Z
and below = A Z', up to a common factor >= 0.  The common denominators of the model multiply every sequence of
one length alike; they have one sign on the class.  With eps in the model, c = c0 exp(r eps), and below is
multiplied by exp(-r eps), a power of the parameter x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

from flint import fmpq, fmpq_mpoly

from dipc.clock import Clock
from dipc.errors import InternalError, LimitReached
from dipc.models.hmm import HiddenMarkovModel, added
from dipc.models.mixtures import Pair
from dipc.numbers.parametric import Parametric
from dipc.pufferfish.beliefs import ZERO, Steps, Word
from dipc.pufferfish.classes import ParameterClass, check_class, definite_sign, number
from dipc.pufferfish.problem import Problem
from dipc.pufferfish.question import Question
from dipc.signs.boxes import Point

LARGEST = 10**6
MOST_POWER = 10**5

Polynomials = dict[int, fmpq_mpoly]
"""A vector over states: the entries that are not zero."""


class Inequality(NamedTuple):
    """``c0 * above >= below`` is the claim for a pair and a sequence."""

    pair: int
    word: Word
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

    squares_go: ClassVar[bool] = True
    """Whether a common factor that vanishes somewhere may be left out if its power is even."""

    def __init__(self, question: Question, clock: Clock, rate: fmpq = ZERO) -> None:
        """``rate`` is that of eps in the claim.  Raises :class:`InputError`, :class:`LimitReached`."""
        super().__init__(question, clock)
        exponent = rate * question.parameters.eps_unit
        self.root, self.eps_power = int(exponent.q), int(exponent.p)
        if max(self.root, self.eps_power) > MOST_POWER:
            raise LimitReached(f"the claim has powers of exp(-eps) above {MOST_POWER}")
        self._one = question.parameters.ring.of(1).numerator
        self.family = self._class(self.root)
        self._signs: dict[Any, int | None] = {}
        self.stated: list[Inequality] = []
        self.steps = self._steps(question.model)
        self.sides = [self._cleared_sides(pair) for pair in self.pairs]

    def _class(self, power: int) -> ParameterClass:
        """The class of the parameters, checked."""
        return check_class(self.question, self.clock, power)

    @property
    def _point(self) -> Point:
        anchor = self.family.anchor
        assert anchor is not None
        return anchor

    @property
    def _eps_place(self) -> int:
        parameters = self.question.parameters
        if parameters.eps_name is None:
            raise InternalError("a claim in eps about a model without eps")
        return parameters.names.index(parameters.eps_name)

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
        below = sum(right.values(), ZERO) * self._one
        if self.eps_power:
            below = below * self._one.context().gens()[self._eps_place] ** self.eps_power
        return _Sides(left, right, sum(left.values(), ZERO) * self._one, below)

    def levels(self, c0: fmpq | None = None) -> Iterator[list[Inequality]]:
        """For every length the inequalities that are new; with ``c0``, settled beliefs are left out.

        Ends where nothing new can follow.  Raises :class:`LimitReached`.
        """
        seen: set[Any] = set()
        stated: set[Any] = set()
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
            frontier = [belief for belief in new if c0 is None or not self._is_settled(belief, c0)]
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
            sign = 1 if power % 2 == 0 and self.squares_go else self.definite_sign_of(factor)
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
        return Inequality(belief.pair, belief.word, second.get(0, above), first[0])

    def _is_settled(self, belief: _Belief, c0: fmpq) -> bool:
        """Whether c0 Z b >= Z' a in every state, so that no continuation breaks the claim."""
        sides = self.sides[belief.pair]
        zero = 0 * self._one
        differences = (
            c0 * sides.above * belief.b.get(s, zero) - sides.below * x for s, x in belief.a.items()
        )
        return all(definite_sign(f) == 1 for f in differences)

    def numbers(self, f: Inequality, u: Point) -> tuple[fmpq, fmpq] | None:
        """P(word | left) times exp(-r eps), and P(word | right), at a point; None if a side is impossible."""
        values, pair = self.family.values(u), self.pairs[f.pair]
        found = probabilities(self.question.model, pair, f.word, lambda p: number(p.at(values)))
        if not found or not self.eps_power:
            return found
        return found[0] * u[self._eps_place] ** self.eps_power, found[1]


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
    model: HiddenMarkovModel[Parametric], pair: Pair, word: Word, value: Callable[[Parametric], Any]
) -> tuple[Any, Any] | None:
    """P(word | left) and P(word | right) where the parameters have values; None if a side is impossible."""
    rows = (
        tuple(tuple((place, value(p)) for place, p in row) for row in part)
        for part in (model.emissions, model.transitions)
    )
    steps: Any = Steps(HiddenMarkovModel(model.states, model.observations, *rows))
    found = []
    for side in pair:
        start = {s: value(x) for s, x in added(side.weights).items()}
        total = sum(start.values(), ZERO)
        if not total:
            return None
        found.append(steps.probability(start, word) / total)
    return found[0], found[1]


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
