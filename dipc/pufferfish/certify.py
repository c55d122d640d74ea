"""Certificates of Pufferfish privacy of hidden Markov models: how they are written and compared.

The levels of vectors are those of :mod:`dipc.kernel.pufferfish`, walked by its own code.  What is searched
for is which vectors are settled, kept, or dominated by others: without parameters by linear programs, perhaps
over a cone; with parameters, by multiples, and by signs of polynomials on the class, which factors and the
boxes of :mod:`dipc.signs.boxes` prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mpoly

from dipc.certificate.format import accepted, fraction
from dipc.clock import Clock
from dipc.errors import InputError, InternalError, LimitReached, Unsupported
from dipc.kernel import hidden
from dipc.kernel import pufferfish as kernel
from dipc.kernel.facts import negative
from dipc.kernel.hidden import Vector
from dipc.kernel.polynomials import Factors, Polynomial, Sign, Terms, Tree, added, composed, number
from dipc.kernel.pufferfish import Dominated, Item, Kept, OverCone, Settled
from dipc.kernel.reading import Refused
from dipc.kernel.schema import FORMAT, VERSION
from dipc.models.hmm import added as summed
from dipc.models.mixtures import Claim, Side
from dipc.models.simplex import combination
from dipc.numbers.exact import ends
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish import pumps
from dipc.pufferfish.beliefs import ONE, ZERO, Sparse
from dipc.pufferfish.classes import ParameterClass, definite_sign
from dipc.pufferfish.clearing import Cleared
from dipc.pufferfish.cone import Cone, closed_cone
from dipc.pufferfish.horizons import BRIEFLY, CONE_CELLS
from dipc.pufferfish.question import Question, Range, claimed
from dipc.pufferfish.rational import Rational
from dipc.pufferfish.verdict import Counterexample, PufferfishVerdict, Violated
from dipc.signs.boxes import Holds, nonnegative_on_box
from dipc.signs.eps_range import simplest_between

Json = Any
Multipliers = dict[int, fmpq]

FEW_CELLS = 12
"""Combinations of several vectors are sought for so many states at most; else multiples of one."""

MOST, MOST_WITH_PARAMETERS = 5_000, 2_000
"""So many vectors are kept at most: the kernel refuses longer proofs."""

CLOSE = 60
"""A rational number is sought up to this power of 1/2 near the one that was found."""

WHOLE = [-1]
"""The tree of a polynomial without negative coefficients on the cube."""


def question_certificate(question: Question, verdict: PufferfishVerdict, clock: Clock | None = None) -> Json:
    """A certificate, without its digest, of a verdict about a question.

    Raises :class:`InputError` if nothing was decided or compared, :class:`Unsupported` for what certificates
    do not cover, and :class:`LimitReached` if no proof was found or the kernel would refuse it.
    """
    if verdict.status == "undecided":
        raise InputError("no certificate: nothing was decided")
    clock = clock or Clock()
    asked = listed(question, clock)
    with accepted():
        posed = hidden.Question(asked)
        proof = _proof(question, posed, verdict, clock)
        status: Any = verdict.status
        certificate = kernel.Listed(**vars(asked), verdict=status, proof=proof)
        kernel.checked(certificate)
    return certificate


def _proof(
    question: Question, posed: hidden.Question, verdict: PufferfishVerdict, clock: Clock
) -> kernel.Private | kernel.Violated:
    if isinstance(verdict, Violated):
        return _violation(question, posed, verdict.counterexample, clock)
    return _private(question, posed, clock)


def certifiable(question: Question) -> Claim:
    """The claim, if certificates cover it and the question.  Raises :class:`InputError`."""
    claim = claimed(question.claim)
    if claim.delta:
        raise Unsupported("certificates of Pufferfish privacy with delta > 0")
    if not question.parameters.rational:
        raise Unsupported("certificates of models with eps outside of exp, exp(1/2), or a range of eps")
    if claim.constant or (claim.rate and not question.parameters.eps_name):
        raise Unsupported(f"certificates of Pufferfish privacy with the claim {claim.text}: c = exp(...)")
    return claim


# --- the question ---------------------------------------------------------------------------------------


def listed(question: Question, clock: Clock | None = None) -> hidden.Statement:
    """What a certificate lists of a question: everything but the verdict and its proof."""
    claim, model, family = certifiable(question), question.model, question.parameters
    problem = Cleared(question, clock or Clock())
    if not problem.pairs:
        raise InputError("no certificate: nothing was compared")
    functions = _Functions(problem)
    sides = [functions.side(side) for pair in problem.pairs for side in pair]
    known = [side for i, side in enumerate(sides) if side not in sides[:i]]
    numbers = list(map(known.index, sides))
    return hidden.Statement(
        format=FORMAT,
        version=VERSION,
        statement="pufferfish",
        model=question.name,
        states=list(model.states),
        observations=list(model.observations),
        parameters=[_range(*each) for each in zip(family.names, family.ranges, strict=True)],
        conditions=[_terms(_whole(g, "a condition with a divisor")) for g in family.conditions],
        eps=_eps(question, claim),
        emissions=[functions.row(row) for row in model.emissions],
        transitions=[functions.row(row) for row in model.transitions],
        sides=known,
        divisors=functions.divisors,  # of all rows above and of the sides
        pairs=list(zip(numbers[::2], numbers[1::2], strict=True)),
        horizon=question.horizon,
        c=fraction(claim.factor),
    )


def other_question(certificate: kernel.Certificate, question: Question) -> list[str]:
    """What a certificate has otherwise than a question: its states, rows, sides, pairs, horizon or c."""
    expected, found = listed(question), certificate.listed
    parts = [name for name in kernel.QUESTION if getattr(found, name) != getattr(expected, name)]
    if len(found.parameters) != len(expected.parameters):
        parts = ["parameters"]
    return [f"the {name} (the file has others)" for name in parts]


def _eps(question: Question, claim: Claim) -> hidden.Eps | None:
    family = question.parameters
    if family.eps_name is None:
        return None
    return hidden.Eps(family.names.index(family.eps_name), family.eps_unit, fraction(claim.rate))


def _range(name: str, bounds: Range) -> hidden.Range:
    low, high = (_terms(_whole(end, "a range with a divisor")) for end in (bounds.low, bounds.high))
    return hidden.Range(name, low, high, bounds.low_closed, bounds.high_closed)


def _whole(f: Parametric, what: str) -> fmpq_mpoly:
    if not f.denominator.is_constant():
        raise Unsupported(f"certificates of hidden Markov models with {what}")
    return f.numerator / f.denominator.leading_coefficient()


def _terms(f: fmpq_mpoly) -> Terms:
    return sorted((list(map(int, powers)), fraction(c)) for powers, c in f.to_dict().items())


class _Functions:
    """Rational functions as they are listed; their divisors, which are positive on the class."""

    def __init__(self, problem: Cleared) -> None:
        anchor = problem.family.anchor
        if anchor is None:
            raise InternalError("a class without a point")
        self.point = problem.family.values(anchor)
        self.zero = problem.question.parameters.ring.of(0)
        self.divisors: list[Terms] = []

    def side(self, side: Side) -> hidden.Side:
        """A side; its weights sum to 1 if their sum is a number."""
        weights = summed(side.weights)
        total = sum(weights.values(), self.zero)
        scale = self.zero + 1 if total.as_rational() is None else total
        row = self.row((s, weight / scale) for s, weight in weights.items())
        return hidden.Side(side.name, side.prior, row)

    def row(self, weights: Iterable[tuple[int, Parametric]]) -> hidden.Row:
        """The entries of a row."""
        return [(place, self.function(p)) for place, p in sorted(weights, key=lambda item: item[0])]

    def function(self, f: Parametric) -> hidden.Function:
        """A number, or the numerator and the number of the divisor."""
        if (constant := f.as_rational()) is not None:
            return Fraction(int(constant.p), int(constant.q))
        if f.denominator.is_constant():
            return _terms(_whole(f, "")), None
        value = Parametric(f.ring, f.denominator, f.ring.of(1).denominator).at(self.point).as_rational()
        sign = -1 if value is not None and value < 0 else 1
        divisor = _terms(f.denominator * sign)
        if divisor not in self.divisors:
            self.divisors.append(divisor)
        return _terms(f.numerator * sign), self.divisors.index(divisor)


# --- violations -----------------------------------------------------------------------------------------


def _violation(
    question: Question, posed: hidden.Question, shown: Counterexample, clock: Clock
) -> kernel.Violated:
    """The pair, the point and the sequence of a counterexample, and its pump if it has one."""
    names, sides = [*question.model.observations, hidden.SILENCE], posed.asked.sides
    found = [(sides[left].name, sides[left].prior, sides[right].name) for left, right in posed.asked.pairs]
    if (asked := (shown.secret, shown.prior, shown.against)) not in found:
        raise InternalError("a counterexample about a pair that is not compared")
    pair, sequence = found.index(asked), [names.index(name) for name in shown.sequence]
    pump = None if shown.pump is None else _pump(Rational(question, clock), pair)
    for point in _points(question, posed, shown):
        proof = kernel.Violated(pair, list(map(fraction, point)), sequence, pump)
        if shown.epsilon is None:
            return proof
        with suppress(Refused):
            kernel.check_violation(posed, proof)
            return proof
    raise LimitReached("no certificate: no rational exp(-eps/m) was found near the violation")


def _points(question: Question, posed: hidden.Question, shown: Counterexample) -> Iterator[list[fmpq]]:
    """The point of a counterexample; with eps, points with a rational exp(-eps/m) near it."""
    names, eps = question.parameters.names, posed.asked.eps
    if eps is None or shown.epsilon is None:
        yield [shown.parameters[name] for name in names]
        return
    wanted = near(arb.exp, -shown.epsilon / (eps.unit * posed.powers.denominator))
    for power in range(1, CLOSE):
        low, high = wanted - wanted / 2**power, min(wanted + wanted / 2**power, (wanted + 1) / 2)
        u = simplest_between(low, high)
        yield [u if place == eps.parameter else shown.parameters[name] for place, name in enumerate(names)]


def near(function: Callable[[arb], arb], x: fmpq) -> fmpq:
    """A rational number near the value of a function; it decides nothing."""
    with ctx.workprec(4 * CLOSE):
        low, _ = ends(function(arb(x)))
    return fmpq(low.numerator, low.denominator)


def _pump(problem: Rational, pair: int) -> kernel.Pump:
    """The pump that the verdict shows for a pair, with the vectors that prove it."""
    found = pumps.find(problem.steps, [problem.sides[pair]], problem.clock)
    if found is None:
        raise InternalError("a pump that is not found again")
    left, right = ([(s, fraction(p)) for s, p in sorted(part.items())] for part in (found.x, found.y))
    growth, other = fraction(found.growth), fraction(found.other_growth)
    return kernel.Pump(list(found.prefix), list(found.word), left, right, growth, other)


# --- privacy --------------------------------------------------------------------------------------------


def _private(question: Question, posed: hidden.Question, clock: Clock) -> kernel.Private:
    """A proof of privacy; over a cone if it is for every horizon, and would be long without."""
    if question.parameters.names:
        return _walked(question, posed, clock, _Polynomials(question, posed, clock))
    problem = Rational(question, clock)
    has_cone = question.horizon is None and problem.steps.size <= CONE_CELLS
    try:
        return _walked(question, posed, clock, _Numbers(problem, BRIEFLY if has_cone else MOST))
    except LimitReached:
        cone = closed_cone(problem.steps, clock) if has_cone else None
        if cone is None:
            raise
    return _walked(question, posed, clock, _Numbers(problem, MOST, cone))


def _walked(
    question: Question, posed: hidden.Question, clock: Clock, prover: _Numbers | _Polynomials
) -> kernel.Private:
    """What the kernel needs on its walk."""
    levels = kernel.Levels(posed, prover)
    levels.check(prover.cone)
    point = _witness(question, posed, clock)
    return kernel.Private(point, levels.signs, prover.cone, levels.closed, levels.items)


def _witness(question: Question, posed: hidden.Question, clock: Clock) -> list[Fraction]:
    """A point of the class where everything is defined, and no side is impossible."""
    eps = posed.asked.eps
    family = ParameterClass(question.parameters, clock)
    anchor = family.anchor or ()
    aside = [fmpq(place + 1, len(anchor) + 2) for place in range(len(anchor))]
    for power in range(CLOSE):
        u = tuple(x + (y - x) / 2**power for x, y in zip(anchor, aside, strict=True))
        values = family.values(u)
        point = [fraction(values[each.name]) for each in posed.asked.parameters]
        if eps is not None:
            point[eps.parameter] = fraction(u[eps.parameter])
        with suppress(Refused):
            posed.model_at(posed.point(point)[0])
            return point
    raise LimitReached("no certificate: no rational point of the class was found where all is defined")


class _Numbers:
    """The search without parameters, perhaps over a cone."""

    def __init__(self, problem: Rational, most: int, cone: Cone | None = None) -> None:
        self.most, self.clock, self.size = most, problem.clock, problem.steps.size
        self.steps, bounds = problem.steps, cone.bounds if cone else {}
        self.bounds: list[Sparse] = [{u: ONE, v: -d} for (u, v), d in bounds.items()]
        self.cone = [(u, v, fraction(d)) for (u, v), d in bounds.items()]
        self.kept: list[Sparse] = []

    def sign(self, f: Polynomial) -> Sign:
        """None: it is a number."""
        return None

    def closed(self, rows: Sequence[Vector]) -> OverCone:
        """The dual solutions of linear programs."""
        proof = self._over_cone(list(map(_sparse, rows)))
        if proof is None:
            raise InternalError("a cone that is not closed")
        return proof

    def items(self, level: Sequence[Vector], kept: Sequence[Vector]) -> list[Item]:
        """Those over the cone, the kept ones that are needed, and those that they dominate."""
        vectors = list(map(_sparse, level))
        settled = [self._over_cone(self._seen(x)) if self.bounds else None for x in vectors]
        rest = [x for x, item in zip(vectors, settled, strict=True) if item is None]
        fresh = [rest[i] for i in self._needed(rest)]
        self.kept += fresh
        if len(self.kept) > self.most:
            raise LimitReached(f"no certificate: a proof takes more than {self.most} vectors")

        def item_of(x: Sparse) -> Item:
            is_kept = any(x is y for y in fresh)
            return Kept(None) if is_kept else _dominated(self._combination(x, self.kept))

        return [item or item_of(x) for x, item in zip(vectors, settled, strict=True)]

    def _seen(self, x: Sparse) -> list[Sparse]:
        return [part for _, part in sorted(self.steps.filtered(x).items())]

    def _over_cone(self, parts: Sequence[Sparse]) -> OverCone | None:
        """The multipliers for every observation, if the bounds of the cone settle all of them."""
        found = [self._combination(part, self.bounds) for part in parts]
        return None if None in found else OverCone(list(map(_dominated, found)))

    def _needed(self, level: Sequence[Sparse]) -> list[int]:
        """The places of those that the others, with what was kept before, do not dominate."""
        needed: list[int] = []
        strengths = [sum(x.values(), ZERO) / sum(map(abs, x.values()), ZERO) for x in level]
        for i in sorted(range(len(level)), key=strengths.__getitem__, reverse=True):
            self.clock.tick("certificate", len(self.kept) + len(needed))
            if _multiple(level[i], [*self.kept, *(level[j] for j in needed)]) is None:
                needed.append(i)
        for i in list(needed):
            self.clock.tick("certificate", len(self.kept) + len(needed))
            others = [level[j] for j in needed if j != i]
            if self._combination(level[i], [*self.kept, *others]) is not None:
                needed.remove(i)
        return sorted(needed)

    def _combination(self, x: Sparse, others: Sequence[Sparse]) -> Multipliers | None:
        """Multipliers >= 0 with which others dominate x, if some were found."""
        found = _multiple(x, others)
        if found is not None or self.size > FEW_CELLS:
            return found
        cells = range(self.size)
        columns = [[y.get(s, ZERO) for s in cells] for y in others]
        columns += [[-ONE if s == t else ZERO for s in cells] for t in cells]
        solution = combination(columns, [x.get(s, ZERO) for s in cells])
        return None if solution is None else {j: x for j, x in enumerate(solution[: len(others)]) if x}


def _sparse(x: Vector) -> Sparse:
    """A vector of numbers."""
    values = ((s, number(f) or 0) for s, f in x.items())
    return {s: fmpq(value.numerator, value.denominator) for s, value in values}


def _dominated(multipliers: Multipliers | None) -> Dominated:
    """The item with these multipliers."""
    if multipliers is None:
        raise InternalError("a vector that nothing dominates")
    return Dominated([(j, fraction(factor), None) for j, factor in multipliers.items()], [])


def _multiple(x: Sparse, kept: Sequence[Sparse]) -> Multipliers | None:
    """A multiple of one vector."""
    for j, y in enumerate(kept):
        least = max((x[s] / y[s] for s in y if y[s] > 0 and s in x), default=ZERO)
        if least > 0 and all(x.get(s, ZERO) <= least * y.get(s, ZERO) for s in {**x, **y}):
            return {j: least}
    return None


class _Polynomials:
    """The search with parameters, for signs on the class."""

    def __init__(self, question: Question, posed: hidden.Question, clock: Clock) -> None:
        self.ring: Ring = question.parameters.ring
        self.cone: list[tuple[int, int, Fraction]] = []
        self.clock, self.kept = clock, list[Vector]()
        images = posed.images()
        self.conditions = [self.flint(composed(g, images, posed.size)) for g in posed.conditions]

    def flint(self, f: Polynomial) -> fmpq_mpoly:
        """A polynomial of the kernel as one of python-flint."""
        return self.ring.polynomial({tuple(key): fmpq(c.numerator, c.denominator) for key, c in f.items()})

    def sign(self, f: Polynomial) -> Sign:
        """By the whole cube, or by factors.  Raises :class:`LimitReached`."""
        return _simple(self.flint(f)) or self._by_factors(self.flint(f))

    def _by_factors(self, f: fmpq_mpoly) -> Factors:
        """Factors without a say are left out; the product of the others is proved by boxes."""
        scale, factors = f.factor()
        one = f.context().constant(1)
        rest = one if scale > 0 else -one
        listed: list[tuple[fmpq_mpoly, int, Tree | None]] = [(one * abs(scale), 1, WHOLE)]
        for factor, power in factors:
            sign = definite_sign(factor)
            if sign is not None:
                listed.append((factor * sign, power, WHOLE))
                rest = rest * sign**power
                continue
            even = power - power % 2
            listed += [(factor, even, None)] if even else []
            rest = rest * factor if power % 2 else rest
        listed.append((rest, 1, self._tree(rest)))
        return Factors([(_terms(factor), power, tree) for factor, power, tree in listed])

    def _tree(self, f: fmpq_mpoly) -> Tree:
        found = nonnegative_on_box(f, self.conditions, tick=lambda: self.clock.tick("certificate"))
        match found:
            case Holds(proof) if proof is not None:
                return list(proof.boxes)
        what = f"boxes do not show that {f} >= 0 in the unit cube"
        raise LimitReached(f"no certificate: {what}; answers of root isolation have none")

    def closed(self, rows: Sequence[Vector]) -> OverCone:
        """Never asked for."""
        raise InternalError("a cone with parameters")

    def items(self, level: Sequence[Vector], kept: Sequence[Vector]) -> list[Item]:
        """Settled by the whole cube, else multiples of kept ones, else kept."""
        found = []
        for x in level:
            self.clock.tick("certificate", len(self.kept))
            item: Item | None = self._settled(x) or self._multiple(x)
            if item is None:
                item = Kept(self.sign(negative(added(x.values()))))
                self.kept.append(x)
            if len(self.kept) > MOST_WITH_PARAMETERS:
                what = f"a proof takes more than {MOST_WITH_PARAMETERS} vectors"
                raise LimitReached(f"no certificate: {what}")
            found.append(item)
        return found

    def _settled(self, x: Vector) -> Settled | None:
        signs = [_simple(self.flint(negative(f))) for f in x.values()]
        if None in signs:
            return None
        return Settled([sign for sign, f in zip(signs, x.values(), strict=True) if number(f) is None])

    def _multiple(self, x: Vector) -> Dominated | None:
        """x as a multiple of a kept vector, by a polynomial without negative coefficients on the cube."""
        own: dict[int, fmpq_mpoly] = {s: self.flint(f) for s, f in x.items()}
        for j, other in enumerate(self.kept):
            if other.keys() != x.keys():
                continue
            first = next(iter(x))
            factor, rest = divmod(own[first], self.flint(other[first]))
            if rest or (sign := _simple(factor)) is None:
                continue
            if all(own[s] == factor * self.flint(f) for s, f in other.items()):
                return Dominated([(j, _terms(factor), sign)], [])
        return None


def _simple(f: fmpq_mpoly) -> Tree | None:
    """The proof that no coefficient is negative on the whole cube."""
    return WHOLE if not f or definite_sign(f) == 1 else None
