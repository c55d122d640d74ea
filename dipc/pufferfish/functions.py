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
from itertools import count
from typing import Any

from flint import fmpq, fmpq_mpoly

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.models.mixtures import Claim
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ZERO
from dipc.pufferfish.classes import (
    SMALLER,
    ParameterClass,
    Test,
    class_of,
    definite_sign,
    probabilities_of,
    require_defined,
)
from dipc.pufferfish.clearing import Cleared, Inequality, Sign
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import Counterexample
from dipc.signs import boxes
from dipc.signs.boxes import HALF, NONNEGATIVE, Answer, Fails, Point, Unclear
from dipc.signs.function_boxes import Coefficients, bernstein, value_at
from dipc.signs.inequality import Fails as FailsAt
from dipc.signs.inequality import Holds as HoldsForAll
from dipc.signs.inequality import sign_if_constant, without_monomial

MOST_BOXES = 2_000
MOST_POWER = 60
"""Of x = exp(-eps/unit), if this is a parameter."""


class Functions(Cleared):
    """A question whose numbers are functions of eps, and its class of the other parameters."""

    has_eps = True  # at a single eps, or at an end of the range, nothing may be left of an inequality

    def __init__(self, question: Question, clock: Clock) -> None:
        """Raises :class:`InputError` and :class:`LimitReached`."""
        self.oracle = SignOracle(question.parameters.budgets)
        super().__init__(question, clock)

    def decide(self, claim: Claim, f: Inequality) -> Answer:
        """Whether an inequality holds on the class, for every eps; a witness is computed anew."""
        wrong = partial(self.is_violated, claim, f)
        answer = self.nonnegative(self.difference(claim, f), wrong)
        return self._by_polynomials(claim, f, wrong) if isinstance(answer, Unclear) else answer

    def _by_polynomials(self, claim: Claim, f: Inequality, wrong: Test) -> Answer:
        """The answer with x = exp(-eps/unit) as one more parameter, if the powers of x are moderate."""
        parameters = self.question.parameters
        power = claim.rate * parameters.eps_unit
        if not parameters.rational or claim.constant or max(power.p, power.q) > MOST_POWER:
            return Unclear(())
        above, below = with_root(self.question, f, power)
        return self.family.nonnegative(claim.factor * above - below, wrong)

    def breaks(self, claim: Claim, f: Inequality, u: Point) -> bool:
        return self.sample(value_at(self.difference(claim, f), u)) is not None

    def strength(self, f: Inequality, u: Point) -> tuple[bool, fmpq]:
        """Quotients are functions of eps: the first inequality counts."""
        return False, ZERO

    def violated(self, claim: Claim, f: Inequality, u: Point) -> Counterexample | None:
        eps, parameters = self.sample(value_at(self.difference(claim, f), u)), self.question.parameters
        shown = None if eps is None else self._violated(claim, f, self.values(u), eps)
        is_known = parameters.eps_name is not None or parameters.budgets.is_point
        return shown if is_known or shown is None else replace(shown, epsilon=None)

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

    def difference(self, claim: Claim, f: Inequality) -> Coefficients:
        """c * above - below."""
        found = {powers: -x for powers, x in self.split(f.below).items()}
        for powers, x in self.split(f.above).items():
            found[powers] = found.get(powers, ExpPoly()) + claim.c * x
        return found

    def sign(self, claim: Claim) -> Sign:
        def found(above: fmpq_mpoly, below: fmpq_mpoly) -> int | None:
            f = self.difference(claim, Inequality(0, (), above, below))
            values = [x for x in bernstein(f, len(self._point)).coefficients if x]
            for sign in (-1, 1) if values else ():
                if all(isinstance(self.answer(x * -sign), HoldsForAll) for x in values):
                    return sign
            return None if values else 0

        return found

    def split(self, f: fmpq_mpoly) -> dict[tuple[int, ...], ExpPoly]:
        """A polynomial in the coordinates: generators that are functions of eps become these."""
        return self.question.parameters.split(f)

    def nonnegative(self, f: Coefficients, wrong: Test | None = None) -> Answer:
        """Whether f >= 0 on the class, for every eps; a witness has f < 0 for some eps, and is ``wrong``."""
        conditions, number = self.family.conditions, count(1)
        accept = partial(self.family.inside, wrong=wrong or (lambda u: bool(self.sample(value_at(f, u)))))
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

    def _class(self) -> ParameterClass:
        """The class, after the checks of :func:`~dipc.pufferfish.classes.check_class`."""
        question = self.question
        ranges, conditions = question.parameters.ranges, question.parameters.conditions
        known = (*conditions, *(end for bounds in ranges for end in bounds[:2]))
        if not all(self._is_of_parameters(part) for g in known for part in (g.numerator, g.denominator)):
            raise Unsupported("a range or a condition that depends on eps")
        self.family = class_of(question, self.clock)
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


def with_root(question: Question, f: Inequality, power: fmpq) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    """Both sides for c = exp(rate * eps), where x = exp(-eps/unit) becomes x^q: polynomials.

    ``power`` is rate * unit = p/q: the claim is multiplied by x^p.
    """
    parameters = question.parameters
    gens = [g.numerator for g in parameters.ring.gens]
    place = parameters.names.index(parameters.eps_name or "")
    x, gens[place] = gens[place], gens[place] ** int(power.q)
    return f.above.compose(*gens), f.below.compose(*gens) * x ** int(power.p)
