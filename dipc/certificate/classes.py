"""Certificates of Pufferfish privacy for classes of parameters: how they are written.

The levels of vectors are those of :mod:`dipc.kernel.classes`, computed by its own code.  What is searched for
are signs of polynomials on the class, by factors and by the boxes of :mod:`dipc.signs.boxes`, and which
vectors are settled, or multiples of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from flint import arb, fmpq, fmpq_mpoly

from dipc.clock import Clock
from dipc.errors import InputError, InternalError, LimitReached, Unsupported
from dipc.kernel import classes as kernel
from dipc.kernel import parameters as reading
from dipc.kernel.facts import negative
from dipc.kernel.models import SILENCE
from dipc.kernel.polynomials import Polynomial
from dipc.kernel.privacy import FORMAT, VERSION
from dipc.kernel.reading import Refused
from dipc.models.hmm import added
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish.classes import ParameterClass, definite_sign
from dipc.pufferfish.clearing import Cleared
from dipc.pufferfish.parameters import CLOSE, near
from dipc.pufferfish.question import Pair, Question, Range, claimed
from dipc.pufferfish.verdict import Counterexample, PufferfishVerdict, Violated
from dipc.signs.boxes import Holds, nonnegative_on_box
from dipc.signs.eps_range import simplest_between

Json = Any

MOST = 2_000
"""So many vectors are kept at most: the kernel refuses longer proofs."""

WHOLE = [-1]
"""The tree of a polynomial without negative coefficients on the cube."""


def class_certificate(question: Question, verdict: PufferfishVerdict, clock: Clock) -> Json:
    """A certificate, without its digest, of a verdict about a question with parameters.

    Raises :class:`Unsupported` for what certificates do not cover, and :class:`LimitReached` if boxes do not
    show a sign, or the kernel would refuse the proof.
    """
    certificate = listed_class(question, clock)
    certificate["verdict"] = verdict.status
    with accepted():
        asked = reading.read_question(certificate)
        if isinstance(verdict, Violated):
            certificate["proof"] = _violation(question, asked, certificate, verdict.counterexample)
        else:
            certificate["proof"] = _proof(question, asked, clock)
    with accepted():
        kernel.checked({**certificate, "digest": ""})
    return certificate


@contextmanager
def accepted() -> Iterator[None]:
    """What the kernel refuses is a limit of ours.  Raises :class:`LimitReached`."""
    try:
        yield
    except Refused as refused:
        raise LimitReached(f"no certificate: it would be refused: {refused}") from None


def listed_class(question: Question, clock: Clock) -> dict[str, Json]:
    """What a certificate says about a question with parameters: everything but the verdict and its proof."""
    claim, model, family = claimed(question.claim), question.model, question.parameters
    problem = Cleared(question, clock, claim.rate)
    if not problem.pairs:
        raise InputError("no certificate: nothing was compared")
    functions = _Functions(problem)
    starts = [[functions.row(added(side.weights).items()) for side in pair] for pair in problem.pairs]
    sides, pairs = numbered(problem.pairs, starts)
    return {
        "format": FORMAT,
        "version": VERSION,
        "statement": "class",
        "model": question.name,
        "states": list(model.states),
        "observations": list(model.observations),
        "parameters": [_range(*each) for each in zip(family.names, family.ranges, strict=True)],
        "conditions": [_polynomial(_whole(g, "a condition with a divisor")) for g in family.conditions],
        "eps": _eps(question),
        "emissions": [functions.row(row) for row in model.emissions],
        "transitions": [functions.row(row) for row in model.transitions],
        "sides": sides,
        "divisors": functions.divisors,  # of all rows above and of the sides
        "pairs": pairs,
        "horizon": question.horizon,
        "c": str(claim.factor),
    }


def numbered(pairs: Sequence[Pair], starts: Sequence[Sequence[Json]]) -> tuple[list[Json], list[list[int]]]:
    """The sides of pairs, each once, and the pairs of their numbers; ``starts`` are the rows of the sides."""
    sides: dict[str, tuple[int, Json]] = {}
    found = []
    for pair, rows in zip(pairs, starts, strict=True):
        both = zip(pair, rows, strict=True)
        items = [{"name": side.name, "prior": side.prior, "start": row} for side, row in both]
        found.append([sides.setdefault(str(item), (len(sides), item))[0] for item in items])
    return [item for _, item in sides.values()], found


def _eps(question: Question) -> Json:
    family, claim = question.parameters, question.claim
    if family.eps_name is None or claim is None:
        return None
    place = family.names.index(family.eps_name)
    return {"parameter": place, "unit": family.eps_unit, "rate": str(claim.rate)}


def _range(name: str, bounds: Range) -> Json:
    low, high = (_polynomial(_whole(end, "a range with a divisor")) for end in (bounds.low, bounds.high))
    closed = {"low_closed": bounds.low_closed, "high_closed": bounds.high_closed}
    return {"name": name, "low": low, "high": high, **closed}


def _whole(f: Parametric, what: str) -> fmpq_mpoly:
    if not f.denominator.is_constant():
        raise Unsupported(f"certificates of hidden Markov models with {what}")
    return f.numerator / f.denominator.leading_coefficient()


def _polynomial(f: fmpq_mpoly) -> Json:
    terms = sorted((tuple(map(int, powers)), c) for powers, c in f.to_dict().items())
    return [[list(powers), str(c)] for powers, c in terms]


class _Functions:
    """Rational functions as they are listed; their divisors, which are positive on the class."""

    def __init__(self, problem: Cleared) -> None:
        anchor = problem.family.anchor
        if anchor is None:
            raise InternalError("a class without a point")
        self.point = problem.family.values(anchor)
        self.divisors: list[Json] = []

    def row(self, weights: Iterable[tuple[int, Parametric]]) -> Json:
        """The entries of a row."""
        return [[place, self.function(p)] for place, p in sorted(weights, key=lambda item: item[0])]

    def function(self, f: Parametric) -> Json:
        """The numerator, and the number of the divisor."""
        if f.denominator.is_constant():
            return [_polynomial(_whole(f, "")), None]
        value = Parametric(f.ring, f.denominator, f.ring.of(1).denominator).at(self.point).as_rational()
        sign = -1 if value is not None and value < 0 else 1
        divisor = _polynomial(f.denominator * sign)
        if divisor not in self.divisors:
            self.divisors.append(divisor)
        return [_polynomial(f.numerator * sign), self.divisors.index(divisor)]


def _violation(
    question: Question, asked: reading.Question, certificate: dict[str, Json], shown: Counterexample
) -> Json:
    """The pair, the point and the sequence of a counterexample."""
    names = [*question.model.observations, SILENCE]
    sides, found = certificate["sides"], (shown.secret, shown.prior, shown.against)
    for number, (left, right) in enumerate(certificate["pairs"]):
        if (sides[left]["name"], sides[left]["prior"], sides[right]["name"]) == found:
            sequence = [names.index(name) for name in shown.sequence]
            for point in _points(question, asked, shown):
                proof = {"pair": number, "point": list(map(str, point)), "sequence": sequence}
                if shown.epsilon is None:
                    return proof
                with suppress(Refused):
                    kernel.check_violation(asked, proof)
                    return proof
            raise LimitReached("no certificate: no rational exp(-eps/m) was found near the violation")
    raise InternalError("a counterexample about a pair that is not compared")


def _witness(question: Question, asked: reading.Question, clock: Clock) -> list[str]:
    """A point of the class where everything is defined, and no side is impossible."""
    eps = asked.family.eps
    family = ParameterClass(question.parameters, clock, eps.powers.denominator if eps else 1)
    anchor = family.anchor or ()
    aside = [fmpq(place + 1, len(anchor) + 2) for place in range(len(anchor))]
    for power in range(CLOSE):
        u = tuple(x + (y - x) / 2**power for x, y in zip(anchor, aside, strict=True))
        values = family.values(u)
        point = [str(values[each.name]) for each in asked.family.ranges]
        if eps is not None:
            point[eps.place] = str(u[eps.place])
        with suppress(Refused):
            kernel.check_point(asked, point)
            return point
    raise LimitReached("no certificate: no rational point of the class was found where all is defined")


def _points(question: Question, asked: reading.Question, shown: Counterexample) -> Iterator[list[fmpq]]:
    """The point of a counterexample; with eps, points with a rational exp(-eps/m) near it."""
    names, eps = question.parameters.names, asked.family.eps
    if eps is None or shown.epsilon is None:
        yield [shown.parameters[name] for name in names]
        return
    wanted = near(arb.exp, -shown.epsilon / (eps.unit * eps.powers.denominator))
    for power in range(1, CLOSE):
        low, high = wanted - wanted / 2**power, min(wanted + wanted / 2**power, (wanted + 1) / 2)
        u = simplest_between(low, high)
        yield [u if place == eps.place else shown.parameters[name] for place, name in enumerate(names)]


class _Signs:
    """The search for proofs that polynomials are nonnegative on the class."""

    def __init__(self, problem: kernel.Problem, ring: Ring, clock: Clock) -> None:
        self.ring, self.clock = ring, clock
        self.conditions = [self.flint(problem.pulled(g)) for g in problem.question.family.conditions]

    def flint(self, f: Polynomial) -> fmpq_mpoly:
        """A polynomial of the kernel as one of python-flint."""
        return self.ring.polynomial({tuple(key): fmpq(c.numerator, c.denominator) for key, c in f.items()})

    def simple(self, f: fmpq_mpoly) -> Json | None:
        """The proof that no coefficient is negative on the whole cube."""
        return WHOLE if not f or definite_sign(f) == 1 else None

    def prove(self, f: fmpq_mpoly) -> Json:
        """A proof.  Raises :class:`LimitReached` if there is none by boxes."""
        return self.simple(f) or self._by_factors(f)

    def _by_factors(self, f: fmpq_mpoly) -> Json:
        """Factors without a say are left out; the product of the others is proved by boxes."""
        scale, factors = f.factor()
        one = f.context().constant(1)
        rest = one if scale > 0 else -one
        listed: list[tuple[fmpq_mpoly, int, Json]] = [(one * abs(scale), 1, WHOLE)]
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
        return {"factors": [[_polynomial(factor), power, tree] for factor, power, tree in listed]}

    def _tree(self, f: fmpq_mpoly) -> Json:
        found = nonnegative_on_box(f, self.conditions, tick=lambda: self.clock.tick("certificate"))
        match found:
            case Holds(proof) if proof is not None:
                return list(proof.boxes)
        what = f"boxes do not show that {f} >= 0 in the unit cube"
        raise LimitReached(f"no certificate: {what}; answers of root isolation have none")


def _proof(question: Question, asked: reading.Question, clock: Clock) -> Json:
    """The signs, and the items of the kernel's enumeration."""
    problem = kernel.Problem(asked)
    signs = _Signs(problem, question.parameters.ring, clock)
    needed = [*problem.divisors, *problem.numerators()]
    return {
        "point": _witness(question, asked, clock),
        "signs": [signs.prove(signs.flint(f)) for f in needed],
        "items": list(_items(problem, signs, clock)),
    }


def _items(problem: kernel.Problem, signs: _Signs, clock: Clock) -> Iterator[Json]:
    horizon, kept, depth = problem.question.horizon, list[reading.Vector](), 0
    level = [x for x in problem.differences() if x]
    while level:
        fresh = []
        for x in level:
            clock.tick("certificate", len(kept))
            settled = [signs.simple(signs.flint(negative(f))) for f in x.values()]
            item = _multiple(x, kept, signs) if None in settled else {"settled": settled}
            if item is None:
                item = {"kept": signs.prove(signs.flint(negative(kernel.total(x))))}
                kept.append(x)
                fresh.append(x)
            if len(kept) > MOST:
                raise LimitReached(f"no certificate: a proof takes more than {MOST} vectors")
            yield item
        if depth == horizon:
            return
        level = [y for x in fresh for y in problem.after(x) if y]
        depth += 1


def _multiple(x: reading.Vector, kept: Sequence[reading.Vector], signs: _Signs) -> Json | None:
    """The first vector of which x is a multiple by a polynomial without negative coefficients on the cube."""
    own: dict[int, fmpq_mpoly] = {s: signs.flint(f) for s, f in x.items()}
    for j, other in enumerate(kept):
        if other.keys() != x.keys():
            continue
        first = next(iter(x))
        factor, rest = divmod(own[first], signs.flint(other[first]))
        if rest or (sign := signs.simple(factor)) is None:
            continue
        if all(own[s] == factor * signs.flint(f) for s, f in other.items()):
            return {"multiple": [j, _polynomial(factor), sign]}
    return None
