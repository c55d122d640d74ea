"""A class of parameters, and whether a polynomial is nonnegative on all of it.

The class is the image of the unit cube: a parameter with the range (low, high) is low + (high - low) u, and
the ends may depend on the parameters before it.  A polynomial in the parameters becomes one in u.  Its
factors of even power, and those with nonnegative Bernstein coefficients, change no sign and are left out; the
rest is decided by the boxes of :mod:`dipc.signs.boxes`, and where these do not end in one parameter, by
isolated roots.

Open and closed ranges have the same verdict, because polynomials are continuous; only a witness must lie in
the class itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, pairwise
from math import prod
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.models.mixtures import sides_of
from dipc.numbers.parametric import Parametric
from dipc.pufferfish.laws import spelled
from dipc.pufferfish.question import Parameters, Question
from dipc.signs.boxes import (
    HALF,
    Answer,
    Fails,
    Holds,
    Point,
    Unclear,
    bernstein,
    isolated_roots,
    nonnegative_on_box,
)

MOVES = 200
SMALLER = "choose a smaller range of the parameters"
Test = Callable[[Point], bool]


class ParameterClass:
    """Points of the unit cube (``u``), and the values of the parameters there."""

    def __init__(self, parameters: Parameters, clock: Clock) -> None:
        self.parameters, self.clock = parameters, clock
        self.images: list[Parametric] = list(parameters.ring.gens)
        self._rests: dict[Any, fmpq_mpoly] = {}
        for place, (low, high, *_) in enumerate(parameters.ranges):
            bounds = self.image(low), self.image(high)
            self.images[place] = bounds[0] + (bounds[1] - bounds[0]) * self.images[place]
        self._reference: Point = (HALF,) * self._ring_size
        self.conditions = tuple(self.pulled(g) for g in parameters.conditions)
        self.open_ends = [(not r.low_closed, not r.high_closed) for r in parameters.ranges]
        self.open_ends += [(True, True)] * (self._ring_size - len(parameters.ranges))
        if self.conditions and self.anchor is not None:
            self._reference = self.anchor

    @property
    def _ring_size(self) -> int:
        return max(1, len(self.parameters.ring.names))

    @cached_property
    def anchor(self) -> Point | None:
        """A point of the class, the centre if that is one; None if there is none.

        Raises :class:`LimitReached` if that is not settled.
        """
        if self.contains(self._reference):
            return self._reference

        def anchored(point: Point) -> Point | None:
            moves = (self._between(point, self._reference, power) for power in range(MOVES))
            return next(filter(self.contains, chain(moves, [point])), None)

        nowhere = self.parameters.ring.of(-1).numerator
        match nonnegative_on_box(nowhere, self.conditions, anchored, tick=self._tick):
            case Fails(point):
                return point
            case Holds():
                return None
            case Unclear():
                raise LimitReached("it is not settled whether the `where` conditions can hold together")

    def _tick(self) -> None:
        self.clock.tick("boxes")

    def pulled(self, f: Parametric) -> fmpq_mpoly:
        """A polynomial in u with the signs of f; the denominator of f has one sign on the class."""
        image = self.image(f)
        below = image.denominator(*self._reference)
        if not below:
            raise InputError(f"`{f.denominator}` vanishes at {self.text(self._reference)}", hint=SMALLER)
        return image.numerator if below > 0 else -image.numerator

    def image(self, f: Parametric) -> Parametric:
        """A function of the parameters as a function of u."""
        if all(g.denominator.is_constant() for g in self.images):
            above, below = (part.compose(*(g.numerator for g in self._all_images)) for part in _parts(f))
            return Parametric(f.ring, above, below)
        top, bottom = (self._composed(part) for part in _parts(f))
        return top / bottom

    @property
    def _all_images(self) -> Sequence[Parametric]:
        return self.images or [self.parameters.ring.of(0)]

    def _composed(self, f: fmpq_mpoly) -> Parametric:
        total = self.parameters.ring.of(0)
        for powers, coefficient in f.to_dict().items():
            factors = (g ** int(power) for g, power in zip(self._all_images, powers, strict=True) if power)
            total = prod(factors, start=self.parameters.ring.of(coefficient)) + total
        return total

    def values(self, u: Point) -> dict[str, fmpq]:
        """The parameters at a point of the cube; ZeroDivisionError if a bound is not defined there."""
        at = dict(zip(self.parameters.names, u, strict=False))
        return {name: number(g.at(at)) for name, g in zip(self.parameters.names, self.images, strict=False)}

    def text(self, u: Point) -> str:
        """The parameters at a point, in words."""
        values = zip(self.parameters.ring.gens, self.values(u).values(), strict=False)
        return ", ".join(f"{spelled(x, self.parameters)} = {value}" for x, value in values)

    def contains(self, u: Point) -> bool:
        """Whether a point of the closed cube belongs to the class."""
        try:
            values = self.values(u)
            for x, bounds in zip(values.values(), self.parameters.ranges, strict=False):
                if not bounds.is_around(x, number(bounds.low.at(values)), number(bounds.high.at(values))):
                    return False
            return all(g(*u) >= 0 for g in self.conditions)
        except ZeroDivisionError:
            return False

    @staticmethod
    def _between(point: Point, centre: Point, power: int) -> Point:
        """On the way to the centre: all of it (power 0), or only 2^-power of it."""
        return tuple(x + (y - x) / 2**power for x, y in zip(point, centre, strict=True))

    def limit(self, f: Parametric, u: Point) -> fmpq:
        """The limit of a function of the parameters at a point of the closed cube, from the centre."""
        t = f.ring.gens[0]
        line = [x + (y - x) * t for x, y in zip(u, self.anchor or self._reference, strict=True)]
        above, below = (g.compose(*(x.numerator for x in line)) for g in _parts(self.image(f)))
        return number(Parametric(f.ring, above, below).at({self.parameters.names[0]: fmpq(0)}))

    def inside(self, point: Point, wrong: Test) -> Point | None:
        """The centre, or this point of the closed cube, or one between, in the class and ``wrong``."""
        anchor = self.anchor
        if anchor is None:
            return None
        moves = (self._between(point, anchor, power) for power in range(1, MOVES))
        return next((u for u in (anchor, point, *moves) if self.contains(u) and wrong(u)), None)

    def nonnegative(self, f: fmpq_mpoly, wrong: Test | None = None) -> Answer:
        """Whether f, a polynomial in u, is >= 0 on the class.

        A witness lies inside; it satisfies ``wrong`` (that is f < 0 if not given).
        """
        accept = partial(self.inside, wrong=wrong or (lambda u: bool(f(*u) < 0)))
        rest = self.rest(f)
        answer = nonnegative_on_box(rest, self.conditions, accept, tick=self._tick)
        if not isinstance(answer, Unclear):
            return answer
        axes = {axis for g in (rest, *self.conditions) for axis, power in enumerate(g.degrees()) if power > 0}
        if len(axes) == 1:
            return self._by_roots(rest, axes.pop(), accept) or answer
        return answer

    def rest(self, f: fmpq_mpoly) -> fmpq_mpoly:
        """f without factors that have no effect on its sign: where the rest is >= 0, f is."""
        key = frozenset(f.to_dict().items())
        if key not in self._rests:
            self._rests[key] = self._without_definite_factors(f) if f else f
        return self._rests[key]

    def _without_definite_factors(self, f: fmpq_mpoly) -> fmpq_mpoly:
        scale, factors = f.factor()
        rest = f.context().constant(1 if scale > 0 else -1)
        for factor, power in factors:
            if power % 2:
                sign = definite_sign(factor)
                rest = rest * (factor if sign is None else sign)
        return rest

    def _by_roots(
        self, f: fmpq_mpoly, axis: int, accept: Callable[[Point], Point | None]
    ) -> Holds | Fails | None:
        """One parameter: a sample of each cell between the roots of f and of the conditions."""
        rest = (HALF,) * (self._ring_size - 1)
        line, *conditions = (restricted(g, axis, rest) for g in (f, *self.conditions))
        roots = isolated_roots(squarefree([line, *conditions]))
        ends = [fmpq(0), *(end for root in roots for end in root), fmpq(1)]
        samples = [(low + high) / 2 for low, high in zip(ends[::2], ends[1::2], strict=True)]
        inside = [x for x in samples if all(g(x) >= 0 for g in conditions)]
        if (bad := next((x for x in inside if line(x) < 0), None)) is not None:
            found = accept(tuple(bad if i == axis else HALF for i in range(self._ring_size)))
            return Fails(found) if found else None
        outside = (pair for pair in pairwise(samples) if not any(x in inside for x in pair))
        negative = (pair for pair in outside if any(line(x) < 0 for x in pair))
        return Holds(None) if all(_excluded(*pair, conditions) for pair in negative) else None

    def nowhere_zero(self, f: fmpq_mpoly) -> Answer:
        """Whether f > 0 or f < 0 on the whole class; a witness has f = 0, or the sign that f rarely has."""
        for factor, _ in f.factor()[1] if f else [(f, 1)]:
            signed = factor if factor(*(self.anchor or self._reference)) > 0 else -factor
            accept = partial(self.inside, wrong=partial(lambda g, u: bool(g(*u) <= 0), signed))
            answer = nonnegative_on_box(signed, self.conditions, accept, self.open_ends, self._tick)
            if not isinstance(answer, Holds):
                return answer
        return Holds(None)


def _parts(f: Parametric) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    return f.numerator, f.denominator


def number(f: Parametric) -> fmpq:
    """The rational number that a function without parameters is."""
    value = f.as_rational()
    if value is None:
        raise ZeroDivisionError(f"{f} is not a number")
    return fmpq(value.p, value.q)


def definite_sign(f: fmpq_mpoly) -> int | None:
    """1 (-1) if no Bernstein coefficient on the unit cube is negative (positive): f >= 0 (f <= 0) there."""
    tensor = bernstein(f)
    if tensor is None:
        return None
    if min(tensor.coefficients) >= 0:
        return 1
    return -1 if max(tensor.coefficients) <= 0 else None


def restricted(f: fmpq_mpoly, axis: int, rest: Sequence[fmpq]) -> fmpq_mpoly:
    """A polynomial in one variable: f on the line through ``rest`` (the other coordinates) along an axis."""
    context: Any = fmpq_mpoly_ctx.get(("u",), Ordering.lex)
    values = [context.constant(x) for x in rest]
    line: fmpq_mpoly = f.compose(*values[:axis], context.gens()[0], *values[axis:], ctx=context)
    return line


def squarefree(polynomials: Sequence[fmpq_mpoly]) -> fmpq_mpoly:
    """A square-free polynomial with the roots of all that are not zero."""
    factors = [g for f in polynomials if f for g, _ in f.factor()[1]]
    distinct = [g for i, g in enumerate(factors) if g not in factors[:i]]
    return prod(distinct, start=polynomials[0].context().constant(1))


def _excluded(low: fmpq, high: fmpq, conditions: Sequence[fmpq_mpoly]) -> bool:
    """Whether the only root between two samples does not satisfy all the conditions."""
    cores = [squarefree([g]) for g in conditions if g(low) < 0]
    return any(core(low) * core(high) >= 0 for core in cores)


def class_of(question: Question, clock: Clock) -> ParameterClass:
    """The class of a question's parameters.

    Raises :class:`InputError` if a range is empty, or if no point meets the ``where`` conditions;
    :class:`LimitReached` if that is not settled.
    """
    parameters = question.parameters
    for place in range(len(parameters.ranges)):
        _check_range(question, place, clock)
    free = ParameterClass(replace(parameters, conditions=()), clock)
    for g in parameters.conditions:
        require_defined(free, g, f"the condition {g} >= 0")
    family = ParameterClass(parameters, clock)
    if family.anchor is None:
        problem = "no values of the parameters meet all the `where` conditions"
        raise InputError(problem, hint="leave one out, or choose a larger range")
    return family


def check_class(question: Question, clock: Clock) -> ParameterClass:
    """The class, with everything on it as it should be.

    Raises as :func:`class_of`, and if a divisor vanishes on the class or a probability is negative there.
    """
    family, seen = class_of(question, clock), set()
    for what, p in probabilities_of(question):
        if p not in seen:
            seen.add(p)
            require_defined(family, p, what)
            match family.nonnegative(family.pulled(p)):
                case Fails(point):
                    value = number(p.at(family.values(point)))
                    raise InputError(f"{what} is {value} at {family.text(point)}", hint=SMALLER)
                case Unclear():
                    raise LimitReached(f"it is not settled whether {what} is nonnegative")
    return family


def _check_range(question: Question, place: int, clock: Clock) -> None:
    parameters = question.parameters
    name, bounds = parameters.names[place], parameters.ranges[place]
    start = question.place(name)
    before = ParameterClass(replace(parameters, ranges=parameters.ranges[:place], conditions=()), clock)
    for end in bounds[:2]:
        if any(power > 0 for part in _parts(end) for power in part.degrees()[place:]):
            raise InputError(f"{start}the bound {end} of {name} uses {name} or a later parameter")
        require_defined(before, end, f"{start}the bound {end} of {name}")
    width = bounds.high - bounds.low
    if not width and not (bounds.low_closed and bounds.high_closed):
        raise InputError(f"{start}the range of {name} is empty")
    match before.nonnegative(before.pulled(width)):
        case Fails(point):
            where = f" at {before.text(point)}" if place and not width.numerator.is_constant() else ""
            empty = f"{start}the range of {name} is empty{where}"
            raise InputError(f"{empty}: {bounds.low} is above {bounds.high}")
        case Unclear():
            raise LimitReached(f"it is not settled whether the range of {name} can be empty")


def require_defined(family: ParameterClass, f: Parametric, what: str) -> None:
    """Raise :class:`InputError` where the denominator vanishes, :class:`LimitReached` if that is open."""
    below = Parametric(f.ring, f.denominator, f.ring.of(1).denominator)
    if f.denominator.is_constant():
        return
    match family.nowhere_zero(family.pulled(below)):
        case Fails(point):
            value = number(below.at(family.values(point)))
            how = f"changes its sign: it is {value}" if value else "vanishes"
            message = f"{what}: the divisor {below} {how} at {family.text(point)}"
            raise InputError(message, hint=SMALLER)
        case Unclear():
            raise LimitReached(f"{what}: it is not settled whether the divisor {below} vanishes")


def probabilities_of(question: Question) -> Iterator[tuple[str, Parametric]]:
    """All probabilities, and what they are."""
    model, text = question.model, partial(spelled, parameters=question.parameters)
    for state, shown, following in zip(model.states, model.emissions, model.transitions, strict=True):
        start = question.place(state)
        for place, p in shown:
            yield f"{start}the probability {text(p)} of {model.observations[place]} in state {state}", p
        for place, p in following:
            yield f"{start}the probability {text(p)} of {model.states[place]} after {state}", p
    for side in sides_of(question.pairs).values():
        whose = side.prior or side.name
        for place, p in side.weights:
            yield f"{question.place(whose)}the probability {text(p)} of {model.states[place]} in {whose}", p
