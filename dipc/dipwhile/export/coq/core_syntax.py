"""Core programs as ``Core.v`` defines them, and their text in Coq."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from dipc.export.coq.terms import listed
from dipc.export.coq.terms import number as written

INFIX = {
    "Added": "+",
    "Reduced": "-",
    "Times": "*",
    "Divided": "/",
    "Sum": "+",
    "Difference": "-",
    "Product": "*",
    "Quotient": "/",
}


@dataclass(frozen=True, slots=True)
class Term:
    """An ``expr`` or a ``weight``: a constructor with its arguments.

    The argument of ``Number`` is a number, that of ``Cell`` the name of a cell.
    """

    head: str
    parts: tuple[Term | Fraction | str, ...] = ()

    def __str__(self) -> str:
        """The Coq text, in the scope of its type.

        >>> str(Term("Added", (Term("Cell", ("v_q",)), number(Fraction(-1, 2)))))
        'v_q + (-1 # 2)'
        """
        match self.head, self.parts:
            case ("Number", (Fraction() as value,)):
                return written(value)
            case ("Cell", (str() as name,)):
                return name
            case ("Const", (Term(head) as part,)):
                return f"({part})%expr" if head in INFIX else str(part)
            case (head, (a, b)) if head in INFIX:
                return f"{inside(a, level(self))} {INFIX[head]} {inside(b, level(self) - 1)}"
            case (head, parts):
                return " ".join((head, *map(inside, parts)))

    @property
    def constant(self) -> Fraction | None:
        """The number that a ``Number`` is."""
        match self.head, self.parts:
            case ("Number", (Fraction() as value,)):
                return value
        return None

    @property
    def subterms(self) -> tuple[Term, ...]:
        """The arguments that are terms."""
        return tuple(part for part in self.parts if isinstance(part, Term))


def level(term: Term) -> int:
    """How loosely the text of a term holds together: 0 closed, 1 application, 2 product, 3 sum."""
    match term.head, term.parts:
        case (head, _) if head in INFIX:
            return 3 if INFIX[head] in "+-" else 2
        case ("Const", (Term(head) as part,)):
            return 0 if head in INFIX else level(part)
        case ("Number" | "Cell" | "Eps", _):
            return 0
    return 1


def inside(part: Term | Fraction | str, most: int = 0) -> str:
    """The text of a part where one of this level is expected."""
    return f"({part})" if isinstance(part, Term) and level(part) > most else str(part)


def number(value: Fraction | int) -> Term:
    """A constant expression."""
    return Term("Number", (Fraction(value),))


# --- statements -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assign:
    """``x`` becomes the value of an expression."""

    x: str
    value: Term


@dataclass(frozen=True, slots=True)
class If:
    """One of two blocks."""

    condition: Term
    yes: tuple[Statement, ...]
    no: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """``x`` becomes each of the values with its probability."""

    x: str
    options: tuple[tuple[Term, Term], ...]


@dataclass(frozen=True, slots=True)
class Flip:
    """``x`` becomes 1 with a probability, else 0."""

    x: str
    probability: Term


@dataclass(frozen=True, slots=True)
class Uniform:
    """``x`` becomes one of the values."""

    x: str
    values: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Exponential:
    """``x`` becomes each of the values with a probability proportional to exp(rate score)."""

    x: str
    rate: Term
    scores: tuple[tuple[Term, Term], ...]


@dataclass(frozen=True, slots=True)
class Noise:
    """``x`` becomes mean plus two-sided geometric noise in the rest of the block, and is dropped after it."""

    x: str
    rate: Term
    mean: Term
    rest: tuple[Statement, ...]


Statement = Assign | If | Choose | Flip | Uniform | Exponential | Noise
Block = tuple[Statement, ...]


def size(block: Block) -> int:
    """The number of statements, those inside others included."""
    return sum(1 + sum(map(size, blocks(statement))) for statement in block)


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks in a statement."""
    match statement:
        case If(_, yes, no):
            return yes, no
        case Noise(rest=rest):
            return (rest,)
    return ()


def lines(block: Block, indent: str = "  ") -> Iterator[str]:
    """The Coq text of a block, each statement on a line of its own."""
    if not block:
        yield f"{indent}Skip"
    for statement in block[:-1]:
        *most, last = texts(statement, indent)
        yield from (*most, f"{last};;")
    for statement in block[-1:]:
        yield from texts(statement, indent)


def texts(statement: Statement, indent: str) -> Iterator[str]:
    """The lines of a statement."""
    match statement:
        case Assign(x, value):
            yield f"{indent}Assign {x} {inside(value)}"
        case Choose(x, options):
            yield f"{indent}Choose {x} {rows(options, indent)}"
        case Flip(x, probability):
            yield f"{indent}Flip {x} {inside(probability)}"
        case Uniform(x, values):
            yield f"{indent}Uniform {x} {listed(map(written, values))}"
        case Exponential(x, rate, scores):
            yield f"{indent}Exponential {x} {inside(rate)} {rows(scores, indent)}"
        case If(condition, yes, no):
            yield f"{indent}If {inside(condition)} ("
            yield from lines(yes, indent + "  ")
            yield f"{indent}) ("
            yield from lines(no, indent + "  ")
            yield f"{indent})"
        case Noise(x, rate, mean, rest):
            yield f"{indent}Noise {x} {inside(rate)} {inside(mean)} ("
            yield from lines(rest, indent + "  ")
            yield f"{indent})"
        case _:
            assert_never(statement)


def rows(pairs: Iterable[tuple[Term, Term]], indent: str) -> str:
    """A list of options, one on a line."""
    inner = f"\n{indent}  "
    return f"[{inner}{f';{inner}'.join(f'{a} ~> {b}' for a, b in pairs)}]"
