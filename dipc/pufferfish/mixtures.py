"""Mixtures of output laws: is every event as likely under one as under the other, up to a factor c?

With A, A' the probabilities of an output with each event, and Z, Z' those of the events, the claim for a pair
and an output is f = c A' Z - A Z' >= 0 for all parameters and all eps.  If the laws are rational, or rational
functions of exp(-eps/m), this is a hidden Markov model that shows one output (:func:`question_of`).

Otherwise f is a polynomial in the parameters whose coefficients are functions of eps.  On a box of the cube
that the class is the image of, f is a combination of Bernstein polynomials, so f >= 0 if all Bernstein
coefficients are, for every eps.  Where one is not, the values at the corners and in the centre may show a
violation; else the box is bisected.  A zero inside the class may have no end: then the answer is Undecided.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise, product
from math import comb, lcm, prod
from time import monotonic
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mpoly

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.errors import InputError, InternalError, LimitReached, Unsupported
from dipc.models.hmm import HiddenMarkovModel, Weights
from dipc.models.laws import Vector
from dipc.models.mixtures import Compared, Drawn, Ends, Exponent, Mixture, Mixtures
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric, Ring
from dipc.numbers.quotient import Quotient
from dipc.pufferfish import pipeline
from dipc.pufferfish.classes import ParameterClass, check_class
from dipc.pufferfish.question import ZERO, Claim, Pair, Parameters, Question, Range, Side
from dipc.pufferfish.verdict import Budget, Counterexample, Private, PufferfishVerdict, Undecided, Violated
from dipc.signs.boxes import Fails as FailsAt
from dipc.signs.boxes import Holds as HoldsEverywhere
from dipc.signs.boxes import Point
from dipc.signs.boxes import Side as Interval
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds
from dipc.suggest import did_you_mean

MOST_BOXES = 2_000
NOTHING = "nothing was compared"


def check(
    mixtures: Mixtures, epsilon: Exponent, eps_range: EpsRange, clock: Clock, delta: fmpq = ZERO
) -> PufferfishVerdict:
    """Decide whether no mixture is more than ``exp(epsilon)`` times as likely as the other, plus delta.

    The laws and the claim are for every eps of the range.  A limit that runs out is an Undecided verdict.
    Raises :class:`InputError` for a claim below 0 or that does not fit, and for a class that is empty or on
    which a probability of a prior is negative.
    """
    start = monotonic()
    if eps_range.is_point:
        mixtures, epsilon = at(mixtures, epsilon, eps_range.inside)
    claim = Claim(epsilon.text, epsilon.factor, epsilon.constant, epsilon.rate, delta)
    oracle = SignOracle(eps_range)
    question = question_of(mixtures, claim, eps_range)
    try:
        _check_claim(mixtures, claim, oracle)
        check_drawn(mixtures, clock)
        verdict = (
            pipeline.check(question, clock)
            if question
            else _Functions(mixtures, claim, oracle, clock).check()
        )
    except LimitReached as limit:
        shell = _shell(mixtures, claim)
        verdict = Undecided(question=shell, pairs=len(shell.pairs), reason=f"{limit} ({clock.doing})")
    return replace(verdict, seconds=monotonic() - start)


def as_model(mixtures: Mixtures, epsilon: Exponent, eps_range: EpsRange, delta: fmpq = ZERO) -> Question:
    """The question as one about a hidden Markov model that shows one output.

    Raises :class:`~dipc.errors.Unsupported` if the laws are not rational functions of exp(-eps/m).
    """
    claim = Claim(epsilon.text, epsilon.factor, epsilon.constant, epsilon.rate, delta)
    question = question_of(mixtures, claim, eps_range)
    if question is None:
        raise Unsupported("models of programs whose probabilities are not rational functions of exp(-eps/m)")
    return question


def budget(mixtures: Mixtures, eps_range: EpsRange, clock: Clock) -> Budget:
    """The least c of mixtures whose laws do not depend on eps, or only on one eps.

    Raises :class:`InputError` as :func:`check`, and :class:`~dipc.errors.Unsupported` for other laws.
    """
    if eps_range.is_point:
        mixtures, _ = at(mixtures, Exponent("0", fmpq(1), ZERO, ZERO), eps_range.inside)
    question = question_of(mixtures, None, eps_range)
    if question is None:
        raise Unsupported("the least epsilon of a program whose probabilities depend on eps")
    check_drawn(mixtures, clock)
    return pipeline.budget(question, clock)


def fixed(mixtures: Mixtures, values: Mapping[str, fmpq]) -> Mixtures:
    """The mixtures with numbers for some parameters.

    Raises :class:`InputError` for an unknown name, and for a number outside the range of its parameter.
    """
    for name in values.keys() - set(mixtures.ring.names):
        raise InputError(f"there is no parameter `{name}`", hint=did_you_mean(name, mixtures.ring.names))
    for name, ends in zip(mixtures.ring.names, mixtures.ranges, strict=True):
        if name in values and not _is_within(values[name], ends, values):
            low, high = ends.low.at(values), ends.high.at(values)
            interval = f"{'(['[ends.low_closed]}{low}, {high}{')]'[ends.high_closed]}"
            raise InputError(f"{name} = {values[name]} is outside of its range {interval}")
    ring = Ring([name for name in mixtures.ring.names if name not in values])

    def new(f: Parametric) -> Parametric:
        return _lifted(f.at(values), ring)

    ranges = (
        Ends(new(ends.low), new(ends.high), *ends[2:])
        for name, ends in zip(mixtures.ring.names, mixtures.ranges, strict=True)
        if name not in values
    )
    pairs = (
        Compared(_changed(left, new), _changed(right, new), prior) for left, right, prior in mixtures.pairs
    )
    drawn = (Drawn(new(p), place) for p, place in mixtures.drawn)
    return replace(mixtures, ring=ring, ranges=tuple(ranges), pairs=tuple(pairs), drawn=tuple(drawn))


def _is_within(x: fmpq, ends: Ends, values: Mapping[str, fmpq]) -> bool:
    """Whether a number is in a range; the parameters that its ends depend on must have numbers, too."""
    low, high = (end.at(values).as_rational() for end in (ends.low, ends.high))
    if low is None or high is None:
        hint = "fix those as well"
        raise InputError(f"whether {x} is in its range depends on other parameters", hint=hint)
    above = low < x or (ends.low_closed and low == x)
    return above and (x < high or (ends.high_closed and x == high))


def _changed(mixture: Mixture, change: Callable[[Parametric], Parametric]) -> Mixture:
    weights = ((law, change(w)) for law, w in mixture.weights)
    return mixture._replace(weights=tuple((law, w) for law, w in weights if w))


def at(mixtures: Mixtures, epsilon: Exponent, eps: fmpq) -> tuple[Mixtures, Exponent]:
    """The mixtures and the claim at one eps."""
    laws = tuple(tuple(p.at(eps) for p in law) for law in mixtures.laws)
    constant = epsilon.constant + epsilon.rate * eps
    return replace(mixtures, laws=laws), epsilon._replace(constant=constant, rate=ZERO)


def _check_claim(mixtures: Mixtures, claim: Claim, oracle: SignOracle) -> None:
    if claim.rate and all(p.is_constant for law in mixtures.laws for p in law):
        hint = "write a number such as ln(2), or choose a single eps with `--at`"
        raise InputError(f"the claim {claim.text}: no probability of the program depends on eps", hint=hint)
    match oracle.nonnegative(Quotient(claim.c - 1)):
        case Fails(eps):
            hint = "claims have epsilon >= 0, that is c = exp(epsilon) >= 1"
            where = f" at eps = {eps}" if claim.rate else ""
            raise InputError(f"the claimed epsilon {claim.text} is negative{where}", hint=hint)
        case Holds():
            return
    raise LimitReached(f"it is not settled whether the claimed epsilon {claim.text} is negative")


# --- as a hidden Markov model ----------------------------------------------------------------


def question_of(mixtures: Mixtures, claim: Claim | None, eps_range: EpsRange) -> Question | None:
    """A model with a state for every law, which shows one output; None if the laws are not of that kind.

    The range of eps must be that of the laws; all eps > 0 for laws that depend on eps.
    """
    values = [p for law in mixtures.laws for p in law]
    rate = claim.rate if claim else ZERO
    if all(p.as_rational() is not None for p in values):
        return _question(mixtures, claim, mixtures.ring, 0)
    if eps_range != EpsRange.positive() or not all(map(_is_exponential, values)):
        return None
    units = (t.rate.q for p in values for f in (p.numerator, p.denominator) for t in f.terms())
    name = "x"
    while name in mixtures.ring.names:
        name += "_"
    return _question(mixtures, claim, Ring((name, *mixtures.ring.names)), lcm(int(rate.q), *map(int, units)))


def _is_exponential(p: Quotient) -> bool:
    terms = (t for f in (p.numerator, p.denominator) for t in f.terms())
    return not any(t.power or t.constant or t.inverse for t in terms)


def _question(mixtures: Mixtures, claim: Claim | None, ring: Ring, unit: int) -> Question:
    emissions = tuple(_emitted(law, ring, unit) for law in mixtures.laws)
    rest = partial(_lifted, ring=ring)
    ranges = [Range(rest(r.low), rest(r.high), *r[2:]) for r in mixtures.ranges]
    eps = [Range(ring.of(0), ring.of(1), False, False)] if unit else []
    parameters = Parameters(ring, (*eps, *ranges), (), ring.names[0] if unit else None, unit or 1)
    model = HiddenMarkovModel(mixtures.examples, mixtures.outputs, emissions, ((),) * len(emissions))
    pairs = tuple(
        Pair(*(_side(mixture, pair.prior, rest) for mixture in pair[:2])) for pair in mixtures.pairs
    )
    return Question(model, parameters, pairs, 1, claim, mixtures.name)


def _shell(mixtures: Mixtures, claim: Claim) -> Question:
    """The question without its probabilities, which are functions of eps that no model has."""
    blank = replace(mixtures, laws=((),) * len(mixtures.laws))
    return _question(blank, claim, mixtures.ring, 0)


def _side(mixture: Mixture, prior: str | None, lifted: Any) -> Side:
    return Side(mixture.name, prior, tuple((law, lifted(w)) for law, w in mixture.weights))


def _lifted(f: Parametric, ring: Ring) -> Parametric:
    """A polynomial in another ring that has the parameters it depends on."""
    gens = dict(zip(ring.names, ring.gens, strict=True))
    total = ring.of(0)
    for powers, coefficient in f.numerator.to_dict().items():
        present = zip(f.ring.names, powers, strict=False)  # a ring without names has one power, 0
        factors = (gens[name] ** int(power) for name, power in present if power)
        total = total + prod(factors, start=ring.of(coefficient))
    return total


def _emitted(law: Vector, ring: Ring, unit: int) -> Weights[Parametric]:
    return tuple(
        (o, _in_x(p.numerator, ring, unit) / _in_x(p.denominator, ring, unit)) for o, p in enumerate(law) if p
    )


def _in_x(f: ExpPoly, ring: Ring, unit: int) -> Parametric:
    """A function of exp(eps) with x = exp(-eps/unit); the first parameter of the ring."""
    terms = (
        ring.gens[0] ** int(-t.rate * unit) * t.coefficient if t.rate else ring.of(t.coefficient)
        for t in f.terms()
    )
    return sum(terms, ring.of(0))


def check_drawn(mixtures: Mixtures, clock: Clock) -> None:
    """Refuse an empty class, and probabilities of a prior that are negative on it."""
    family = ParameterClass(_parameters(mixtures), clock)
    for p, place in mixtures.drawn:
        match family.nonnegative(family.pulled(p)):
            case FailsAt(point):
                value = p.at(family.values(point))
                where = f" at {family.text(point)}" if mixtures.ring.names else ""
                raise InputError(
                    f"{place} {p} is {value}{where}", hint="choose smaller ranges of the parameters"
                )
            case HoldsEverywhere():
                continue
        raise LimitReached(f"{place} {p}: it is not settled whether it is negative")


def _parameters(mixtures: Mixtures) -> Parameters:
    return Parameters(mixtures.ring, tuple(Range(*ends) for ends in mixtures.ranges))


# --- functions of eps ------------------------------------------------------------------------


Coefficients = dict[tuple[int, ...], Quotient]
"""A polynomial in the coordinates of the cube: the exponents of its monomials, with functions of eps."""


class _Box(NamedTuple):
    """A box with the Bernstein coefficients of f on it; the last axis moves fastest."""

    sides: tuple[Interval, ...]
    shape: tuple[int, ...]
    values: list[Quotient]

    def lines(self, axis: int) -> Iterator[slice]:
        """The places of the coefficients along an axis."""
        step = prod(self.shape[axis + 1 :])
        whole = step * self.shape[axis]
        for start in range(0, len(self.values), whole):
            yield from (slice(first, start + whole, step) for first in range(start, start + step))

    def corners(self) -> Iterator[tuple[Point, Quotient]]:
        """The corners, with the value of f there."""
        ends = product(*(((0, 0), (1, size - 1)) for size in self.shape))
        for corner in ends:
            place = 0
            for size, (_, index) in zip(self.shape, corner, strict=True):
                place = place * size + index
            point = tuple(side[end] for side, (end, _) in zip(self.sides, corner, strict=True))
            yield point, self.values[place]

    @property
    def centre(self) -> Point:
        """The point in the middle."""
        return tuple((low + high) / 2 for low, high in self.sides)

    def halves(self) -> tuple[_Box, _Box] | None:
        """Both halves across the longest side on which f depends (de Casteljau); None if on none."""
        axes = [axis for axis, size in enumerate(self.shape) if size > 1]
        if not axes:
            return None
        axis = max(axes, key=lambda axis: self.sides[axis][1] - self.sides[axis][0])
        low, high = self.values.copy(), self.values.copy()
        for line in self.lines(axis):
            low[line], high[line] = _halved(self.values[line])
        (start, end), middle = self.sides[axis], self.centre[axis]
        first, second = (
            (*self.sides[:axis], side, *self.sides[axis + 1 :]) for side in ((start, middle), (middle, end))
        )
        return _Box(first, self.shape, low), _Box(second, self.shape, high)


def _halved(line: list[Quotient]) -> tuple[list[Quotient], list[Quotient]]:
    low, high, half = [], [], fmpq(1, 2)
    while line:
        low.append(line[0])
        high.append(line[-1])
        line = [(a + b) * half for a, b in pairwise(line)]
    return low, high[::-1]


def bernstein(f: Coefficients, axes: int) -> _Box:
    """The coefficients of f on the whole cube."""
    shape = tuple(max((powers[axis] for powers in f), default=0) + 1 for axis in range(axes))
    zero = Quotient.of(0)
    values = [f.get(powers, zero) for powers in product(*map(range, shape))]
    box = _Box(((fmpq(0), fmpq(1)),) * axes, shape, values)
    for axis, size in enumerate(shape):
        rows = [[fmpq(comb(j, i), comb(size - 1, i)) for i in range(j + 1)] for j in range(size)]
        for line in box.lines(axis):
            old = values[line]
            values[line] = [sum((old[i] * w for i, w in enumerate(row)), zero) for row in rows]
    return box


class _Violation(NamedTuple):
    pair: Compared
    output: int
    point: Point
    eps: fmpq


@dataclass
class _Functions:
    """The general case: laws and claim are functions of eps, weights polynomials in the parameters."""

    mixtures: Mixtures
    claim: Claim
    oracle: SignOracle
    clock: Clock
    doubts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.question = _shell(self.mixtures, self.claim)
        self.family = check_class(self.question, self.clock)
        self.axes = max(1, len(self.mixtures.ring.names))

    def check(self) -> PufferfishVerdict:
        possible = [pair for pair in self.mixtures.pairs if all(side.weights for side in pair[:2])]
        notes = tuple(dict.fromkeys(_notes(self.mixtures.pairs))) + (() if possible else (NOTHING,))
        common: dict[str, Any] = {"question": self.question, "pairs": len(possible), "notes": notes}
        if self.claim.delta:
            return Undecided(**common, reason="delta > 0 is not decided for programs with functions of eps")
        for pair in possible:
            for output in range(len(self.mixtures.outputs)):
                if found := self.violation(pair, output):
                    return Violated(**common, counterexample=self.counterexample(found))
        return Undecided(**common, reason=self.doubts[0]) if self.doubts else Private(**common)

    def violation(self, pair: Compared, output: int) -> _Violation | None:
        """A violation by this output, if there is one; what is not settled is added to the doubts."""
        f = self.inequality(pair, output)
        queue, boxes = deque([bernstein(f, self.axes)]), 1
        while queue:
            self.clock.tick("boxes", boxes)
            box = queue.popleft()
            if all(isinstance(self.oracle.nonnegative(value), Holds) for value in dict.fromkeys(box.values)):
                continue
            for point, value in (*box.corners(), (box.centre, _value(f, box.centre))):
                if self.fails(value) and (
                    inside := self.family.inside(point, lambda u: self.fails(_value(f, u)))
                ):
                    answer = self.oracle.nonnegative(_value(f, inside))
                    assert isinstance(answer, Fails)
                    return _Violation(pair, output, inside, answer.sample)
            halves = box.halves()
            boxes += 2
            if halves is None or boxes > MOST_BOXES:
                what = f"{pair.left.name} against {pair.right.name}, {self.mixtures.outputs[output]}"
                self.doubts.append(f"the sign of an inequality could not be settled: {what}")
                return None
            queue.extend(halves)
        return None

    def fails(self, value: Quotient) -> bool:
        """Whether a function of eps is negative somewhere."""
        return isinstance(self.oracle.nonnegative(value), Fails)

    def inequality(self, pair: Compared, output: int) -> Coefficients:
        """``c A' Z - A Z'`` as a polynomial in the coordinates of the cube."""
        left, right = ([(law, self.pulled(w)) for law, w in side.weights] for side in pair[:2])
        total, other = (_sum(w for _, w in weights) for weights in (left, right))
        terms = [(w * total, self.claim.c * self.mixtures.laws[law][output]) for law, w in right]
        terms += [(w * other, -self.mixtures.laws[law][output]) for law, w in left]
        f: Coefficients = {}
        for polynomial, function in terms:
            for powers, coefficient in polynomial.to_dict().items():
                key = tuple(map(int, powers))
                f[key] = f.get(key, Quotient.of(0)) + function * coefficient
        return f

    def pulled(self, weight: Parametric) -> fmpq_mpoly:
        image = self.family.image(weight)
        scale = image.denominator.leading_coefficient()
        if not image.denominator.is_constant():
            raise InternalError("a weight that is not a polynomial")
        return image.numerator / scale

    def counterexample(self, found: _Violation) -> Counterexample:
        pair, values, eps = found.pair, self.family.values(found.point), found.eps
        left, right = (self.probability(side, found.output, values).at(eps) for side in pair[:2])
        bound = right * self.claim.c.at(eps)
        if (left - bound).sign_at(ZERO) <= 0:
            raise InternalError("a counterexample that does not violate the claim")
        constant = self.oracle.budgets.is_point or all(
            p.is_constant for law in self.mixtures.laws for p in law
        )
        return Counterexample(
            secret=pair.left.name,
            against=pair.right.name,
            prior=pair.prior,
            sequence=(self.mixtures.outputs[found.output],),
            parameters=values,
            epsilon=None if constant and not self.oracle.budgets.is_point else eps,
            probability=left,
            other_probability=right,
            bound=bound,
            excess=left - bound,
        )

    def probability(self, side: Mixture, output: int, values: dict[str, fmpq]) -> Quotient:
        """P(output | event) at a point of the class."""
        weights = [(law, _number(w.at(values))) for law, w in side.weights]
        whole = sum((w for _, w in weights), ZERO)
        return sum((self.mixtures.laws[law][output] * (w / whole) for law, w in weights), Quotient.of(0))


def _sum(polynomials: Iterable[fmpq_mpoly]) -> fmpq_mpoly:
    first, *rest = polynomials
    return sum(rest, first)


def _value(f: Coefficients, point: Point) -> Quotient:
    factors = (
        (c, prod((x**n for x, n in zip(point, powers, strict=True)), start=fmpq(1)))
        for powers, c in f.items()
    )
    return sum((c * x for c, x in factors if x), Quotient.of(0))


def _number(f: Parametric) -> fmpq:
    value = f.as_rational()
    if value is None:
        raise InternalError(f"{f} is not a number")
    return fmpq(value.p, value.q)


def _notes(pairs: Sequence[Compared]) -> Iterator[str]:
    for pair in pairs:
        for side in pair[:2]:
            if not side.weights:
                under = f" under the prior {pair.prior}" if pair.prior else ""
                yield f"{side.name} has probability 0{under}: its pairs are not compared"
