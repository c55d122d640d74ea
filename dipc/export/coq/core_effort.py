"""What Coq will compute of a core program, computed here first, so that no file is written that Coq refuses.

The functions mirror those of ``Samples.v`` and ``Laws.v``; Coq trusts none of them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import assert_never

from dipc.errors import Unsupported
from dipc.export.coq.core_syntax import (
    Assign,
    Block,
    Choose,
    Exponential,
    Flip,
    If,
    Noise,
    Statement,
    Term,
    Uniform,
    number,
)
from dipc.kernel.facts import ONE, UNIT, Function, add, multiply, negative

MOST_SAMPLES = 200  # on each side of the mean
MOST_STATES = 20_000
EPS_KEY = (1, Fraction(0), Fraction(0), Fraction(0))

Memory = tuple[Fraction, ...]
Quotient = tuple[Function, Function]
ARITHMETIC: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "Added": operator.add,
    "Reduced": operator.sub,
    "Times": operator.mul,
    "Divided": lambda a, b: a / b if b else Fraction(0),
    "Maximum": max,
    "Minimum": min,
    "Equal": lambda a, b: Fraction(a == b),
    "Less": lambda a, b: Fraction(a < b),
    "AtMost": lambda a, b: Fraction(a <= b),
    "And": lambda a, b: Fraction(bool(a and b)),
    "Or": lambda a, b: Fraction(bool(a or b)),
}


class Walk:
    """All states that a program reaches.

    ``positive`` is called with what must be positive, and raises :class:`Unsupported` if Coq cannot prove it;
    ``rates`` are the rates of the exponential functions that are met.
    """

    def __init__(self, cells: Iterable[str], positive: Callable[[Function], None]) -> None:
        self.places: Mapping[str, int] = {cell: i for i, cell in enumerate(cells)}
        self.positive = positive
        self.rates: set[Fraction] = set()

    def value(self, e: Term, s: Memory) -> Fraction:
        """``value_in``."""
        match e.head, e.parts:
            case ("Number", (Fraction() as value,)):
                return value
            case ("Cell", (str() as name,)):
                return s[self.places[name]]
            case ("Cond", (Term() as c, Term() as a, Term() as b)):
                return self.value(a if self.value(c, s) else b, s)
            case ("Floor", (Term() as a,)):
                return Fraction(floor(self.value(a, s)))
            case ("Not", (Term() as a,)):
                return Fraction(not self.value(a, s))
        left, right = (self.value(part, s) for part in e.subterms)
        return ARITHMETIC[e.head](left, right)

    def law(self, w: Term, s: Memory) -> Quotient:
        """``law_of``."""
        if w.head == "Eps":
            return {EPS_KEY: Fraction(1)}, ONE
        if w.head == "Const":
            (e,) = w.subterms
            value = self.value(e, s)
            return whole(value.numerator), whole(value.denominator)
        laws = [self.law(part, s) for part in w.subterms]
        if w.head == "Exp":
            return self.exponential(*laws[0])
        return self.combined(w.head, *laws)

    def combined(self, head: str, left: Quotient, right: Quotient) -> Quotient:
        """A sum, difference, product or quotient."""
        (f, d), (g, e) = left, right
        match head:
            case "Product":
                return multiply(f, g), multiply(d, e)
            case "Quotient":
                self.positive(g)
                return multiply(f, e), multiply(d, g)
            case "Difference":
                g = negative(g)
        return (add(f, g), d) if d == e else (add(multiply(f, e), multiply(g, d)), multiply(d, e))

    def exponential(self, f: Function, d: Function) -> Quotient:
        """``exp_of``."""
        if not f:
            return ONE, ONE
        if f.keys() != {EPS_KEY} or d.keys() != {UNIT}:
            raise Unsupported("Coq knows exponential functions of multiples of eps only")
        rate = f[EPS_KEY] / d[UNIT]
        self.rates.add(rate)
        return {(0, rate, Fraction(0), Fraction(0)): Fraction(1)}, ONE

    def run(self, block: Block, states: set[Memory]) -> set[Memory]:
        """The states after a block."""
        for statement in block:
            states = {after for s in states for after in self.step(statement, s)}
            if len(states) > MOST_STATES:
                raise Unsupported(f"the program has more than {MOST_STATES} states for Coq")
        return states

    def step(self, statement: Statement, s: Memory) -> Iterable[Memory]:
        """The states after a statement."""
        match statement:
            case Assign(x, e):
                return [self.put(s, x, self.value(e, s))]
            case If(condition, yes, no):
                return self.run(yes if self.value(condition, s) else no, {s})
            case Noise():
                return self.noise(statement, s)
            case Uniform(x, values):
                return [self.put(s, x, value) for value in values]
            case Choose() | Flip() | Exponential():
                return self.drawn(statement.x, options_of(statement), s)
            case _:
                assert_never(statement)

    def put(self, s: Memory, x: str, value: Fraction) -> Memory:
        """``write``."""
        place = self.places[x]
        return (*s[:place], value, *s[place + 1 :])

    def drawn(self, x: str, options: Iterable[tuple[Term, Term]], s: Memory) -> Iterator[Memory]:
        """The states that have a probability other than 0."""
        for e, w in options:
            if self.law(w, s)[0]:
                yield self.put(s, x, self.value(e, s))

    def noise(self, noise: Noise, s: Memory) -> set[Memory]:
        """``reach``, and the states of all samples up to there."""
        met = [Fraction(0), *constants(noise.rest)]
        low, high = min(met) - 1, max(met) + 1
        if not all(tame(noise.x, up, noise.rest) for up in (True, False)):
            raise Unsupported("Coq knows noise that is compared with numbers only")
        self.positive(self.law(noise.rate, s)[0])
        self.law(Term("Exp", (noise.rate,)), s)
        mean = self.value(noise.mean, s)
        most = max(ceil(high - mean), ceil(mean - low), 0) + 1
        if most > MOST_SAMPLES:
            raise Unsupported(f"noise needs more than {MOST_SAMPLES} samples on a side for Coq")
        samples = {self.put(s, noise.x, mean + i) for i in range(-most, most + 1)}
        return {self.put(r, noise.x, Fraction(0)) for r in self.run(noise.rest, samples)}


def whole(n: int) -> Function:
    """A constant function."""
    return {UNIT: Fraction(n)} if n else {}


def options_of(statement: Choose | Flip | Exponential) -> Iterator[tuple[Term, Term]]:
    """The values that a statement draws, with their probabilities, as ``Core.v`` defines them."""
    match statement:
        case Choose(_, options):
            yield from options
        case Flip(_, p):
            yield number(1), p
            yield number(0), Term("Difference", (Term("Const", (number(1),)), p))
        case Exponential(_, rate, scores):
            weights = [Term("Exp", (Term("Product", (rate, score)),)) for _, score in scores]
            total = Term("Const", (number(0),))
            for weight in reversed(weights):
                total = Term("Sum", (weight, total))
            for (value, _), weight in zip(scores, weights, strict=True):
                yield value, Term("Quotient", (weight, total))


# --- noise that is compared with numbers only ---------------------------------------------------------------

COMPARED = frozenset({"Maximum", "Minimum", "Equal", "Less", "AtMost"})


def terms_of(block: Block) -> Iterator[Term]:
    """The expressions of values in a block."""
    for statement in block:
        match statement:
            case Assign(_, e):
                yield e
            case If(condition, yes, no):
                yield condition
                yield from (*terms_of(yes), *terms_of(no))
            case Noise(_, _, mean, rest):
                yield mean
                yield from terms_of(rest)
            case Choose(_, options) | Exponential(_, _, options):
                yield from (value for value, _ in options)
            case Flip() | Uniform():
                pass
            case _:
                assert_never(statement)


def constants(block: Block) -> Iterator[Fraction]:
    """The numbers with which a block compares."""

    def inside(e: Term) -> Iterator[Fraction]:
        for part in e.subterms:
            if e.head in COMPARED and part.constant is not None:
                yield part.constant
            yield from inside(part)

    for e in terms_of(block):
        yield from inside(e)


def kind(x: str, up: bool, e: Term) -> bool | None:
    """``kind``, for x beyond all constants: True for a value that does not change, False if it is so too."""
    if e.head == "Cell":
        return e.parts != (x,)
    kinds = [kind(x, up, part) for part in e.subterms]
    if all(kinds):
        return True
    beyond = [part for part, known in zip(e.subterms, kinds, strict=True) if known is False]
    numbers = [part for part in e.subterms if part.constant is not None]
    if e.head not in COMPARED or len(beyond) != 1 or len(numbers) != 1:
        return None
    return {"Maximum": not up, "Minimum": up}.get(e.head, True)


def tame(x: str, up: bool, block: Block) -> bool:
    """``tame``."""
    return all(tame_statement(x, up, statement) for statement in block)


def tame_statement(x: str, up: bool, statement: Statement) -> bool:
    """Whether a statement does the same for all x beyond all constants."""

    def fixed(*terms: Term) -> bool:
        return all(kind(x, up, term) is True for term in terms)

    match statement:
        case If(condition, yes, no):
            return fixed(condition) and tame(x, up, yes) and tame(x, up, no)
        case Assign(y, e) | Flip(y, e):
            return x != y and fixed(e)
        case Noise(y, rate, mean, rest):
            return x != y and fixed(rate, mean) and tame(x, up, rest)
        case Choose(y, options):
            return x != y and fixed(*(term for option in options for term in option))
        case Exponential(y, rate, options):
            return x != y and fixed(rate, *(term for option in options for term in option))
        case Uniform(y):
            return x != y
        case _:
            assert_never(statement)
