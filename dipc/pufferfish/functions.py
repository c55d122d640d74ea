"""Models whose numbers are functions of eps: claims for every eps, and the least t of a claim ``t*eps``.

An inequality c * above >= below is a polynomial in the coordinates of the class; its coefficients are
functions of eps.  On a box it is a combination of Bernstein polynomials, so it holds if all Bernstein
coefficients are nonnegative for every eps.  Where one is not, the values at the corners and in the centre may
show a violation; else the box is bisected.  A zero inside the class may have no end: then the answer is
Unclear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from typing import Any

from flint import fmpq, fmpq_mpoly

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.models.mixtures import Claim
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish import sums
from dipc.pufferfish.beliefs import ZERO
from dipc.pufferfish.classes import (
    SMALLER,
    ParameterClass,
    check_class,
    definite_sign,
    probabilities_of,
    require_defined,
)
from dipc.pufferfish.clearing import Cleared, Inequality
from dipc.pufferfish.parameters import DEPTH_OF_ANY, LONGER, reached_at, unsettled_on
from dipc.pufferfish.problem import counterexample
from dipc.pufferfish.question import Question, claimed
from dipc.pufferfish.verdict import Counterexample, Private, PufferfishVerdict, Undecided, Violated
from dipc.signs import boxes
from dipc.signs.boxes import HALF, NONNEGATIVE, Answer, Fails, Point, Unclear
from dipc.signs.eps_range import EpsRange
from dipc.signs.function_boxes import Coefficients, bernstein, value_at
from dipc.signs.inequality import Fails as FailsAt
from dipc.signs.inequality import Holds as HoldsForAll
from dipc.signs.inequality import sign_if_constant, without_monomial

MOST_BOXES = 2_000
MOST_POWER = 60
"""Of x = exp(-eps/unit), if this is a parameter."""


class Functions(Cleared):
    """A question whose numbers are functions of eps, and its class of the other parameters."""

    squares_go = False  # at a single eps, or at an end of the range, nothing may be left of the inequality

    def __init__(self, question: Question, clock: Clock) -> None:
        """Raises :class:`InputError` and :class:`LimitReached`."""
        self.oracle = SignOracle(question.parameters.budgets)
        super().__init__(question, clock)

    def decide(self, c: ExpPoly, f: Inequality, rate: fmpq | None = None) -> Answer:
        """Whether c * above >= below on the class, for every eps; ``rate``, if c = exp(rate * eps)."""
        answer = self.nonnegative(self.difference(c, f))
        if rate is None or not isinstance(answer, Unclear):
            return answer
        return self._by_polynomials(rate, f) or answer

    def _by_polynomials(self, rate: fmpq, f: Inequality) -> Answer | None:
        """The answer with x = exp(-eps/unit) as one more parameter, if the powers of x are moderate."""
        parameters = self.question.parameters
        power = rate * parameters.eps_unit
        all_eps = not parameters.functions and parameters.budgets == EpsRange.positive()
        if not all_eps or max(power.p, power.q) > MOST_POWER:
            return None
        gens = list(parameters.ring.gens)
        x = gens[place := parameters.names.index(parameters.eps_name or "")].numerator
        images = [g.numerator ** (int(power.q) if i == place else 1) for i, g in enumerate(gens)]
        above, below = (g.compose(*images) for g in (f.above, f.below))
        return self.family.nonnegative(above - below * x ** int(power.p))

    def value(self, f: fmpq_mpoly, point: Point) -> ExpPoly:
        """A polynomial at a point: a function of eps."""
        return value_at(self.split(f), point)

    def limit(self, p: Parametric, point: Point) -> Quotient:
        """The function of eps that p tends to on the way from the centre of the class to a point."""
        axes, ring = self.question.parameters.free_axes, self.question.parameters.ring
        line = list(ring.gens)
        for axis in axes:
            line[axis] = (self._point[axis] - point[axis]) * ring.gens[axes[0]] + point[axis]
        image, images = self.family.image(p), [g.numerator for g in line]
        near = Parametric(ring, image.numerator.compose(*images), image.denominator.compose(*images))
        at_end = near.at({ring.names[axis]: ZERO for axis in axes[:1]})
        return self.question.parameters.function_of_eps(at_end)

    def difference(self, c: ExpPoly, f: Inequality) -> Coefficients:
        """c * above - below."""
        found = {powers: -x for powers, x in self.split(f.below).items()}
        for powers, x in self.split(f.above).items():
            found[powers] = found.get(powers, ExpPoly()) + c * x
        return found

    def sign(self, c: ExpPoly, above: fmpq_mpoly, below: fmpq_mpoly) -> int | None:
        """1 (-1) if c * above <= below (>=) on the class for every eps; 0 if both are equal, else None."""
        f = self.difference(c, Inequality(0, (), above, below))
        values = [x for x in bernstein(f, len(self._point)).coefficients if x]
        for sign in (-1, 1) if values else ():
            if all(isinstance(self.answer(x * -sign), HoldsForAll) for x in values):
                return sign
        return None if values else 0

    def split(self, f: fmpq_mpoly) -> dict[tuple[int, ...], ExpPoly]:
        """A polynomial in the coordinates: generators that are functions of eps become these."""
        return self.question.parameters.split(f)

    def nonnegative(self, f: Coefficients) -> Answer:
        """Whether f >= 0 on the class, for every eps; a witness has f < 0 for some eps."""
        conditions, number = self.family.conditions, count(1)
        accept = partial(self.family.inside, wrong=lambda u: self.sample(value_at(f, u)) is not None)
        search = _Search(f, conditions, accept, None, lambda: self.clock.tick("boxes", next(number)), self)
        return search.run(*(bernstein(g, len(self._point)) for g in (f, *map(self.split, conditions))))

    def answer(self, value: ExpPoly) -> Any:
        """Whether a function is nonnegative for every eps."""
        return self.oracle.decide(without_monomial(value))

    def sample(self, value: ExpPoly) -> fmpq | None:
        """An eps for which a function is negative, if there is one."""
        answer = self.answer(value)
        return answer.sample if isinstance(answer, FailsAt) else None

    # --- the model -----------------------------------------------------------------------------------

    def _class(self, power: int) -> ParameterClass:
        """The class, after the checks of :func:`~dipc.pufferfish.classes.check_class`."""
        question = self.question
        ranges, conditions = question.parameters.ranges, question.parameters.conditions
        known = (*conditions, *(end for bounds in ranges for end in bounds[:2]))
        if not all(self._is_of_parameters(part) for g in known for part in (g.numerator, g.denominator)):
            raise Unsupported("a range or a condition that depends on eps")
        self.family = check_class(question.without_numbers(), self.clock)
        for p, what in {p: what for what, p in probabilities_of(question)}.items():
            self._require_defined(what, p.denominator)
            image = self.family.image(p)
            numerator = image.numerator * self._sign_inside(image.denominator)
            match self.nonnegative(self.split(numerator)):
                case Fails(point):
                    eps = self.sample(self.value(numerator, point))
                    raise InputError(f"{what} is negative at {self.text(point, eps)}", hint=SMALLER)
                case Unclear():
                    raise LimitReached(f"it is not settled whether {what} is nonnegative")
        return self.family

    def _is_of_parameters(self, f: fmpq_mpoly) -> bool:
        return all(x.as_rational() is not None for x in self.split(f).values())

    def text(self, point: Point, eps: fmpq | None) -> str:
        """The parameters at a point, and eps."""
        return ", ".join(f"{name} = {x}" for name, x in self.values(point, eps).items())

    def values(self, point: Point, eps: fmpq | None = None) -> dict[str, fmpq]:
        """The parameters at a point; and eps, if it is given."""
        known = self.family.values(point)
        known.pop(self.question.parameters.eps_name or "", None)
        return known if eps is None else known | {"eps": eps}

    def _require_defined(self, what: str, divisor: fmpq_mpoly) -> None:
        """No factor of a divisor vanishes: each has Bernstein coefficients > 0 only, or < 0 only."""
        ring = self.question.parameters.ring
        for factor, _ in divisor.factor()[1]:
            if self._is_of_parameters(factor):
                require_defined(self.family, Parametric(ring, self._one, factor), what)
            elif self._sign_of(self.family.image(Parametric(ring, factor, self._one)).numerator) is None:
                raise LimitReached(f"{what}: it is not settled whether the divisor {factor} vanishes")

    def _sign_inside(self, f: fmpq_mpoly) -> int:
        """The sign of a function that has one on the whole class."""
        value = self.value(f, self._point)
        return value.sign_at(self.oracle.budgets.inside)

    def _sign_of(self, f: fmpq_mpoly) -> int | None:
        """1 (-1) if all Bernstein coefficients are positive (negative) for every eps.

        Those of a polynomial in the parameters alone may be 0: it vanishes on the border of the cube only.
        """
        if self._is_of_parameters(f):
            return definite_sign(f)
        values = bernstein(self.split(f), len(self._point)).coefficients
        signs = {sign_if_constant(without_monomial(x), self.oracle.budgets) for x in values}
        return signs.pop() if len(signs) == 1 else None


@dataclass
class _Search(boxes.Search):
    problem: Functions
    most = MOST_BOXES

    def settled(self, box: boxes.Box) -> int | None:
        for i, tensor in enumerate(box.conditions):  # their coefficients are numbers
            if all(value.sign_at(HALF) < 0 for value in dict.fromkeys(tensor.coefficients)):
                return NONNEGATIVE - 1 - i
        answers = map(self.problem.answer, dict.fromkeys(box.tensor.coefficients))
        return NONNEGATIVE if all(isinstance(answer, HoldsForAll) for answer in answers) else None

    def witness(self, box: boxes.Box) -> Point | None:
        centre = box.middle_of([None] * len(box.sides))
        for point, value in (*box.corners(), (centre, value_at(self.f, centre))):
            if self.problem.sample(value) is not None and (shown := self.accept(point)) is not None:
                return shown
        return None


def check(question: Question, clock: Clock) -> PufferfishVerdict:
    """Decide a claim about functions of eps.  Raises :class:`InputError` and :class:`LimitReached`."""
    claim, problem = claimed(question.claim), Functions(question, clock)
    found = _by_sequence(problem, replace(claim, delta=ZERO))
    return found if not claim.delta or isinstance(found, Private) else _by_sums(problem, claim)


def _by_sequence(problem: Functions, claim: Claim) -> PufferfishVerdict:
    """Decide a claim with delta = 0."""
    common, horizon, doubts = problem.common, problem.question.horizon, list[str]()
    levels = problem.levels()
    for level in islice(levels, horizon or DEPTH_OF_ANY):
        for f in level:
            match problem.decide(claim.c, f):
                case Fails(point):
                    return Violated(**common, counterexample=_counterexample(problem, claim, f, point))
                case Unclear(box):
                    doubts.append(unsettled_on(problem, f, box))
    if horizon is None and next(levels, None) is not None:
        doubts.append(LONGER)
    return Undecided(**common, reason=doubts[0]) if doubts else Private(**common)


def _by_sums(problem: Functions, claim: Claim) -> PufferfishVerdict:
    """Decide a claim with delta > 0.

    With g_w = A_w Z' - c A'_w Z, the sum of g_w over every set of w is at most delta Z Z'.  Those with
    g_w >= 0 on the whole class, for every eps, are in the worst set, those with g_w <= 0 are not; of the
    others every subset is tried.
    """
    doubts, sign = list[str](), partial(problem.sign, claim.c)
    for number in range(len(problem.pairs)):
        found = sums.explored(problem, number, sign)
        if doubt := sums.problem_of(problem, number, found):
            doubts.append(doubt)
            continue
        for some in found.subsets():
            chosen = (*found.fixed, *some)
            above, below = sums.both(found, chosen)
            f = Inequality(number, (), above, below - claim.delta * found.total)
            match problem.nonnegative(difference := problem.difference(claim.c, f)):
                case Fails(point):
                    eps, words = problem.sample(value_at(difference, point)), [leaf.word for leaf in chosen]
                    reached = reached_at(problem, (number, words), problem.values(point), eps)
                    return Violated(**problem.common, counterexample=counterexample(claim, reached))
                case Unclear():
                    doubts.append(sums.open_sum(problem, number, chosen))
    return Undecided(**problem.common, reason=doubts[0]) if doubts else Private(**problem.common)


def _counterexample(problem: Functions, claim: Claim, f: Inequality, point: Point) -> Counterexample:
    """The numbers at a point of the class, with an eps for which they violate the claim."""
    eps, parameters = (
        problem.sample(value_at(problem.difference(claim.c, f), point)),
        problem.question.parameters,
    )
    reached = reached_at(problem, (f.pair, [f.word]), problem.values(point), eps)
    shown = counterexample(claim, reached)
    parameters = problem.question.parameters
    known = parameters.eps_name is not None or parameters.budgets.is_point
    return shown if known else replace(shown, epsilon=None)
