"""A unit for the exponents of a core program, and whether Coq knows its noise.  Coq trusts none of this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import lcm
from typing import assert_never

from dipc.dipwhile.export.coq.core_syntax import (
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
)
from dipc.errors import Unsupported

MOST_SAMPLES = 200  # on each side of the mean: noise is compared with smaller numbers
UNKNOWN = 0  # a denominator; products with it and common multiples of it are unknown as well


class Denominators:
    """Common denominators of all values that each cell takes; ``unit`` is one of all rates of exp."""

    def __init__(self, cells: Mapping[str, int]) -> None:
        self.cells = dict(cells)
        self.unit = 1

    def of(self, e: Term) -> int:
        """A common denominator of the values of an expression."""
        match e.head, e.parts:
            case ("Number", (Fraction() as value,)):
                return value.denominator
            case ("Cell", (str() as name,)):
                return self.cells[name]
            case ("Cond", (_, Term() as a, Term() as b)) | (
                "Added" | "Reduced" | "Maximum" | "Minimum",
                (Term() as a, Term() as b),
            ):
                return lcm(self.of(a), self.of(b))
            case ("Times", (Term() as a, Term() as b)):
                return self.of(a) * self.of(b)
            case ("Divided", (Term() as a, Term() as b)):
                return self.over(self.of(a), b)
        return 1  # truth values, and whole numbers

    def over(self, denominator: int, e: Term) -> int:
        """That of a quotient by an expression."""
        return UNKNOWN if e.constant is None else denominator * abs(e.constant.numerator)

    def rate(self, w: Term) -> tuple[int, int] | None:
        """The power of eps in a multiple of one, and the denominator; None for 0."""
        match w.head, w.subterms:
            case ("Eps", ()):
                return 1, 1
            case ("Const", (e,)):
                return None if e.constant == 0 else (0, self.of(e))
            case ("Sum" | "Difference", parts):
                found = [rate for rate in map(self.rate, parts) if rate is not None]
                if len({power for power, _ in found}) < 2:
                    return (found[0][0], lcm(*(d for _, d in found))) if found else None
            case ("Product", (a, b)):
                left, right = self.rate(a), self.rate(b)
                return (left[0] + right[0], left[1] * right[1]) if left and right else None
            case ("Quotient", (a, Term("Const", (Term() as e,)))):
                left = self.rate(a)
                return left and (left[0], self.over(left[1], e))
        raise Unsupported("Coq knows exponential functions of multiples of eps only")

    def weight(self, w: Term) -> None:
        """Note the rates of the exponential functions in a weight."""
        for part in w.subterms if w.head in OF_WEIGHTS else ():
            self.weight(part)
        if w.head == "Exp" and (found := self.rate(*w.subterms)) is not None:
            power, denominator = found
            if power != 1 or denominator == UNKNOWN:
                raise Unsupported("Coq knows exponential functions of known multiples of eps only")
            self.unit = lcm(self.unit, denominator)

    def put(self, x: str, *values: int) -> None:
        """Note the values that a cell may take."""
        self.cells[x] = lcm(self.cells[x], *values)

    def run(self, block: Block) -> None:
        """Note what a block does, after all that comes before it."""
        for statement in block:
            match statement:
                case Assign(x, e):
                    self.put(x, self.of(e))
                case If(_, yes, no):
                    self.run(yes)
                    self.run(no)
                case Noise(x, rate, mean, rest):
                    require_tame(statement)
                    self.weight(Term("Exp", (rate,)))
                    self.put(x, self.of(mean))
                    self.run(rest)
                case Uniform(x, values):
                    self.put(x, *(value.denominator for value in values))
                case Flip(_, p):
                    self.weight(p)
                case Choose(x, options):
                    self.put(x, *(self.of(value) for value, _ in options))
                    for _, p in options:
                        self.weight(p)
                case Exponential(x, rate, scores):
                    self.put(x, *(self.of(value) for value, _ in scores))
                    for _, score in scores:
                        self.weight(Term("Exp", (Term("Product", (rate, score)),)))
                case _:
                    assert_never(statement)


OF_WEIGHTS = frozenset({"Sum", "Difference", "Product", "Quotient"})


def require_tame(noise: Noise) -> None:
    """Raise :class:`Unsupported` unless the rest of a block does the same for all samples far away."""
    if not all(tame(noise.x, up, noise.rest) for up in (True, False)):
        raise Unsupported("Coq knows noise that is compared with numbers only")
    if any(abs(c) >= MOST_SAMPLES for c in constants(noise.rest)):
        raise Unsupported(f"Coq knows noise that is compared with numbers below {MOST_SAMPLES}")


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
