"""The statement about a hidden Markov model with parameters: it is private for every value of them, or not.

The question is that of :mod:`~.hidden`, for every point of a class (:mod:`~.parameters`); if one of the
parameters stands for exp(-eps/unit), the claim is c = c0 exp(rate eps).  Weights of first states need not sum
to 1: a distribution is that of the weights divided by their sum, wherever that is not 0.  *Private* means
P(w | left) <= c P(w | right) for all pairs, all sequences w up to the horizon, and all points of the class at
which every number is defined and both sums of weights are positive.

**A violation** is a point of the class, in rational numbers, and a sequence; the rest is computed there.

**A proof of privacy** lists a point of the class at which every number is defined and no side is impossible:
the class is not empty.  All signs are those of polynomials in the coordinates u of the cube, where all
conditions are met (:mod:`~.polynomials`).  Checked: every row of the model sums to 1 identically; every
divisor is >= 0, so positive where it is not 0; every numerator is >= 0.  Emissions and transitions times the
product of their divisors are polynomials; so are the weights of a side, left or right, times those of theirs.
Z and Z' are their sums.  Let x be the vector u^a Z' left - c0 Z right; the pair is private if x . g_w <= 0
for all w, where g_w(s) >= 0 is P(w | the next state is s).  As in :mod:`~.hidden`, vectors are enumerated by
levels: those of the pairs, and (x o) for every x that is kept.  Each one is

* *settled*: the negative of every entry is >= 0;
* a *multiple* b x_i of a vector x_i kept at this level or before, with a polynomial b >= 0;
* or *kept*: the negative of the sum of its entries is >= 0; it is followed by (x o), except at the horizon.

*This is a proof*: x . g_w <= 0 for every x of level d and every w with d + |w| <= horizon, by induction on
|w| at each point.  If x is settled, use g_w >= 0.  If x is kept and w is empty, it is the sum; if w = o v,
x . g_w is (x o) . g_v divided by the divisors, which are positive.  A multiple of x_i, whose level is not
greater, follows from it, for the same w.  Without a horizon this covers all w, once a level keeps nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from . import hidden
from .facts import ZERO, negative
from .models import SILENCE, Certified, Model, brief, check_form, told
from .parameters import Function, Functions, Question, Vector, clear, read_question
from .polynomials import (
    Cube,
    Polynomial,
    bernstein,
    composed,
    constant,
    plus,
    read_polynomial,
    times,
    value_at,
    variable,
)
from .reading import Refused, array, integer, rational, record

MODEL = "states observations parameters conditions eps divisors emissions transitions sides pairs horizon c"
FIELDS = f"format version statement model {MODEL} verdict proof digest"


# --- privacy ------------------------------------------------------------------------------------------


class Problem:
    """A question in the coordinates of the cube."""

    def __init__(self, question: Question) -> None:
        family, size = question.family, question.family.size
        self.question, self.size, self.images = question, size, family.images()
        self.cube = Cube(size, [bernstein(self.pulled(g), size, "conditions") for g in family.conditions])
        self.divisors = [self.pulled(d) for d in question.divisors]
        n, m = len(question.states), len(question.observations)
        one = Function(constant(Fraction(1), size), None)
        self.emissions = self.cleared([*question.emissions, {m: one}])
        self.transitions = self.cleared([*(row or {n: one} for row in question.transitions), {n: one}])

    def pulled(self, f: Polynomial) -> Polynomial:
        """In the coordinates u."""
        return composed(f, self.images, self.size)

    def cleared(self, rows: Sequence[Functions]) -> list[Vector]:
        """Entries without divisors."""
        pulled = [{s: Function(self.pulled(f.above), f.divisor) for s, f in row.items()} for row in rows]
        return clear(pulled, self.divisors, self.size)[0]

    def numerators(self) -> list[Polynomial]:
        """Those that need a sign: each once, in the order of their occurrence; not the constants."""
        found: dict[frozenset[tuple[bytes, Fraction]], Polynomial] = {}
        unit = bytes(self.size)
        for f in self.question.functions():
            if f.above.keys() == {unit}:
                if f.above[unit] < 0:
                    raise Refused("signs", "a number is negative")
                continue
            found.setdefault(frozenset(f.above.items()), f.above)
        return [self.pulled(f) for f in found.values()]

    def differences(self) -> Iterator[Vector]:
        """Of every pair: u^a Z' left - c0 Z right."""
        eps, c = self.question.family.eps, self.question.c
        scale = constant(Fraction(1), self.size)
        if eps is not None:
            scale = variable(eps.place, self.size, eps.powers.numerator)
        starts = [self.cleared([side.weights])[0] for side in self.question.sides]
        for left, right in self.question.pairs:
            above = times(scale, total(starts[right]))
            x = {s: times(above, f) for s, f in starts[left].items()}
            for s, f in starts[right].items():
                x[s] = plus(x.get(s, {}), times(total(starts[left]), f), -c)
            yield present(x)

    def after(self, x: Vector) -> Iterator[Vector]:
        """The vector after each observation, in their order."""
        parts: dict[int, Vector] = {}
        for s, f in x.items():
            for o, p in self.emissions[s].items():
                part, seen = parts.setdefault(o, {}), times(f, p)
                for t, q in self.transitions[s].items():
                    part[t] = plus(part.get(t, {}), times(seen, q))
        for _, part in sorted(parts.items()):
            yield present(part)


def total(x: Vector) -> Polynomial:
    """The sum of the entries."""
    return reduce(plus, x.values(), constant(ZERO, 0))


def present(x: Vector) -> Vector:
    """Without entries that are zero; in the order of states."""
    return {s: x[s] for s in sorted(x) if x[s]}


def check_signs(problem: Problem, proofs: Any) -> None:
    """Divisors and numerators are >= 0."""
    needed = [*problem.divisors, *problem.numerators()]
    if len(array(proofs, "signs")) != len(needed):
        raise Refused("signs", "there is not one for every divisor and numerator")
    for i, (f, proof) in enumerate(zip(needed, proofs, strict=True)):
        problem.cube.check_sign(f, proof, f"sign {i}")


def check_private(question: Question, proof: Any) -> None:
    """Signs, and the levels of differences."""
    listed, problem = record(proof, "proof", "point", "signs", "items"), Problem(question)
    check_signs(problem, listed["signs"])
    items, kept, used, depth = array(listed["items"], "proof"), list[Vector](), 0, 0
    level = [x for x in problem.differences() if x]
    while level:
        own = items[used : used + len(level)]
        used += len(level)
        if len(own) < len(level):
            raise Refused("proof", f"it ends at level {depth}")
        fresh = [x for x, item in zip(level, own, strict=True) if isinstance(item, dict) and "kept" in item]
        kept += fresh
        for x, item in zip(level, own, strict=True):
            check_item(problem, x, item, kept, f"level {depth}")
        if depth == question.horizon:
            break
        level = [x for parent in fresh for x in problem.after(parent) if x]
        depth += 1
    if used < len(items):
        raise Refused("proof", "there is more than is needed")
    check_point(question, listed["point"])


def check_item(problem: Problem, x: Vector, item: Any, kept: Sequence[Vector], step: str) -> None:
    """A vector is kept, settled, or a multiple."""
    kind = next((name for name in ("kept", "settled") if isinstance(item, dict) and name in item), "multiple")
    proof = record(item, step, kind)[kind]
    if kind == "kept":
        return problem.cube.check_sign(negative(total(x)), proof, step)
    if len(array(proof, step)) != (len(x) if kind == "settled" else 3):
        raise Refused(step, "an entry is missing")
    if kind == "settled":
        for f, sign in zip(x.values(), proof, strict=True):
            problem.cube.check_sign(negative(f), sign, step)
        return None
    other = kept[integer(proof[0], step, 0, len(kept) - 1)]
    factor = read_polynomial(proof[1], problem.size, step)
    if x != {s: times(factor, f) for s, f in other.items()}:
        raise Refused(step, "it is not this multiple")
    return problem.cube.check_sign(factor, proof[2], step)


# --- points of the class ------------------------------------------------------------------------------


def read_point(question: Question, value: Any) -> tuple[list[Fraction], Fraction]:
    """A listed point of the class, and exp(-rate eps) there."""
    family, scale = question.family, Fraction(1)
    point = [rational(x, "point") for x in array(value, "point")]
    if len(point) != family.size:
        raise Refused("point", "there is not one number for every parameter")
    if family.eps is not None:
        u, powers = point[family.eps.place], family.eps.powers
        if not 0 < u < 1:
            raise Refused("point", "exp(-eps/unit) is not between 0 and 1")
        point[family.eps.place], scale = u**powers.denominator, u**powers.numerator
    family.check_point(point)
    return point, scale


def check_point(question: Question, value: Any) -> None:
    """The claim is about something: at a listed point of the class all is defined, and no side impossible."""
    point, _ = read_point(question, value)
    model_at(question, point)
    for side in question.sides:
        normalised(values_at(question, side.weights, point))


# --- violations ---------------------------------------------------------------------------------------


def check_violation(question: Question, proof: Any) -> str:
    """The listed sequence breaks the claim at the listed point: how, in words."""
    listed, family = record(proof, "proof", "pair", "point", "sequence"), question.family
    pair = question.pairs[integer(listed["pair"], "proof", 0, len(question.pairs) - 1)]
    point, scale = read_point(question, listed["point"])
    model, sides = model_at(question, point), [question.sides[i] for i in pair]
    starts = [normalised(values_at(question, side.weights, point)) for side in sides]
    sequence = hidden.read_sequence(listed["sequence"], len(question.observations), question.horizon)
    left, right = (model.probability(start, sequence) for start in starts)
    if left * scale <= question.c * right:
        raise Refused("proof", "the sequence does not break the claim")
    shows = told([side.name for side in sides], (left, right), [*question.observations, SILENCE], sequence)
    values = ", ".join(f"{r.name} = {brief(x)}" for r, x in zip(family.ranges, point, strict=True))
    return f"at {values} {shows}"


def values_at(question: Question, row: Functions, point: Sequence[Fraction]) -> dict[int, Fraction]:
    """A row where the parameters are numbers."""
    found = {}
    for s, f in row.items():
        divisor = Fraction(1) if f.divisor is None else value_at(question.divisors[f.divisor], point)
        if not divisor:
            raise Refused("point", "a divisor is 0 there")
        found[s] = value_at(f.above, point) / divisor
    if any(x < 0 for x in found.values()):
        raise Refused("point", "a probability is negative there")
    return {s: x for s, x in found.items() if x}


def normalised(start: dict[int, Fraction]) -> dict[int, Fraction]:
    """Weights divided by their sum."""
    scale = sum(start.values(), ZERO)
    if not scale:
        raise Refused("point", "a side is impossible there")
    return {s: x / scale for s, x in start.items()}


def model_at(question: Question, point: Sequence[Fraction]) -> Model:
    """The model where the parameters are numbers; its rows sum to 1 for all of them."""
    n, m = len(question.states), len(question.observations)
    stays = [(n, Fraction(1))]
    emissions = [list(values_at(question, row, point).items()) for row in question.emissions]
    transitions = [list(values_at(question, row, point).items()) or stays for row in question.transitions]
    names = question.states, question.observations
    return Model(*names, [*emissions, [(m, Fraction(1))]], [*transitions, stays])


# --- the certificate ----------------------------------------------------------------------------------


class Certificate(Certified[Question]):
    """A certificate about a class of parameters that was checked."""

    fields = MODEL
    listed = "model, class and pairs"
    meant = "states, observations, parameters, functions, distributions, pairs, horizon and claim"


def checked(data: Any, file: bytes | None = None) -> Certificate:
    """All phases but the digest."""
    check_form(data, FIELDS, "class", file)
    question = read_question(data)
    if data["verdict"] == "violated":
        return Certificate(data, question, check_violation(question, data["proof"]))
    check_private(question, data["proof"])
    return Certificate(data, question, "")
