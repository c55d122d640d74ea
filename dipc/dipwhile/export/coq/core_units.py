"""A unit for the exponents of a core program, and whether Coq knows its noise.  Coq trusts none of this."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain
from math import lcm

from dipc.dipwhile.export.coq.core_syntax import Block, Statement, Term
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
            self.note(statement)
            for inner in statement.blocks:
                self.run(inner)

    def note(self, statement: Statement) -> None:
        """Note the values and the weights of a statement."""
        terms, options = statement.terms, statement.options
        if options:
            self.put(statement.x, *(self.of(value) for value, _ in options))
        match statement.head:
            case "Assign" | "Uniform":
                self.put(statement.x, *map(self.of, terms))
            case "Noise":
                require_tame(statement)
                rate, mean = terms
                self.weight(Term("Exp", (rate,)))
                self.put(statement.x, self.of(mean))
            case "Flip" | "Choose":
                for p in (*terms, *(p for _, p in options)):
                    self.weight(p)
            case "Exponential":
                for _, score in options:
                    self.weight(Term("Exp", (Term("Product", (*terms, score)),)))


OF_WEIGHTS = frozenset({"Sum", "Difference", "Product", "Quotient"})


def require_tame(noise: Statement) -> None:
    """Raise :class:`Unsupported` unless the rest of a block does the same for all samples far away."""
    (rest,) = noise.blocks
    if not all(tame(noise.x, up, rest) for up in (True, False)):
        raise Unsupported("Coq knows noise that is compared with numbers only")
    if any(abs(c) >= MOST_SAMPLES for c in constants(rest)):
        raise Unsupported(f"Coq knows noise that is compared with numbers below {MOST_SAMPLES}")


# --- noise that is compared with numbers only ---------------------------------------------------------------

COMPARED = frozenset({"Maximum", "Minimum", "Equal", "Less", "AtMost"})


def terms_of(statement: Statement) -> tuple[Term, ...]:
    """The expressions of a statement itself."""
    return (*statement.terms, *chain.from_iterable(statement.options))


def constants(block: Block) -> Iterator[Fraction]:
    """The numbers with which a block compares."""

    def inside(e: Term) -> Iterator[Fraction]:
        for part in e.subterms:
            if e.head in COMPARED and part.constant is not None:
                yield part.constant
            yield from inside(part)

    for statement in block:
        yield from chain.from_iterable(map(inside, terms_of(statement)))
        yield from chain.from_iterable(map(constants, statement.blocks))


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
    """``tame``: whether a block does the same for all x beyond all constants."""
    return all(
        statement.x != x
        and all(kind(x, up, term) is True for term in terms_of(statement))
        and all(tame(x, up, inner) for inner in statement.blocks)
        for statement in block
    )
