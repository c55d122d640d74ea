"""Core programs as ``Core.v`` defines them, and their text in Coq."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

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
class Statement:
    """A ``command``: a constructor with the cell ``x`` that it sets and its expressions.

    ``options`` are values with their probabilities or scores; ``blocks`` are those inside it.
    """

    head: str
    x: str = ""
    terms: tuple[Term, ...] = ()
    options: tuple[tuple[Term, Term], ...] = ()
    blocks: tuple[Block, ...] = ()


Block = tuple[Statement, ...]


def size(block: Block) -> int:
    """The number of statements, those inside others included."""
    return sum(1 + sum(map(size, statement.blocks)) for statement in block)


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
    terms = statement.terms
    given = [listed(terms)] if statement.head == "Uniform" else [inside(term) for term in terms]
    given += [rows(statement.options, indent)] if statement.options else []
    line = indent + " ".join(filter(None, [statement.head, statement.x, *given]))
    for block in statement.blocks:
        yield f"{line} ("
        yield from lines(block, indent + "  ")
        line = f"{indent})"
    yield line


def rows(pairs: Iterable[tuple[Term, Term]], indent: str) -> str:
    """A list of options, one on a line."""
    inner = f"\n{indent}  "
    return f"[{inner}{f';{inner}'.join(f'{a} ~> {b}' for a, b in pairs)}]"
