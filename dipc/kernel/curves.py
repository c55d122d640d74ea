"""The statement about a Markov chain whose probabilities are functions of eps, for every eps of a range.

The chain, the formula and the probabilities of each ``A U B`` are those of :mod:`.chains`, with quotients of
functions of eps in the place of numbers.  The range is cut into pieces.  On a piece every sign that matters
is listed with a proof, in the order in which the evaluation asks for it: f >= 0, or -f > 0, for all its eps.

**Why the functions are the probabilities.**  All denominators are proved positive on the piece, and so are
the listed transitions.  So at each eps of the piece the chain has the listed graph, and what is said of
numbers in :mod:`.chains` holds for the values of the functions: equations between functions are identities.
Formulas that need refined chains are refused: there weights may vanish at some eps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from . import chains, facts, formulas
from .chains import Evaluation, read_chain
from .facts import Function, Interval, Proof
from .formulas import Ends, Kind, Quotient, Rated
from .privacy import shown
from .reading import Refused, digest, integer, require
from .schema import write

# --- the format ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sign:
    """f >= 0 on the piece, or f < 0 on all of it, with a proof of this."""

    nonnegative: bool
    proof: Proof


@dataclass(frozen=True)
class Until:
    """The probabilities of ``A U B`` with their ranks: see :class:`.chains.Until`."""

    values: list[Quotient]
    ranks: list[int | None]


@dataclass(frozen=True)
class Piece:
    """A part of the range."""

    on: Interval
    signs: list[Sign]
    untils: list[Until]


@dataclass(frozen=True)
class Statement:
    """The chain (its rows have the places of their ``numbers``), the formula and the states asked about."""

    format: str
    version: int
    statement: Literal["curves"]
    model: str
    states: list[str]
    numbers: list[Quotient]
    rows: list[list[tuple[int, int]]]
    labels: dict[str, list[int]]
    neighbours: list[tuple[int, int]]
    asked: list[int]
    formula: list[tuple[Kind, str | int | Ends | Rated | None, list[int]]]


@dataclass(frozen=True)
class Listed(Statement):
    """A certificate: a state "holds" if the formula does for every eps of the pieces, and else "fails"."""

    pieces: list[Piece]
    answers: list[Literal["holds", "fails"]]


# --- signs --------------------------------------------------------------------------------------------


class Signs(formulas.Signs):
    """The signs of functions on a piece, each proved once, in the order in which they are asked for."""

    def __init__(self, on: Interval, listed: Sequence[Sign], step: str) -> None:
        self.on, self.step = on, step
        self._rest, self._known = iter(listed), dict[frozenset[Any], bool]()

    def item(self, f: Function) -> Sign:
        """What is listed about a function."""
        found = next(self._rest, None)
        if found is None:
            raise Refused(self.step, "a sign is not listed")
        return found

    def nonnegative(self, f: Function) -> bool:
        """True if f >= 0 on the piece, False if f < 0 on all of it."""
        if len(f) <= 1:
            return all(c > 0 for c in f.values())
        f = facts.normal(f)
        key = frozenset(f.items())
        if key not in self._known:
            item, step = self.item(f), f"{self.step}, sign {len(self._known)}"
            signed = f if item.nonnegative else facts.normal(facts.negative(f))
            facts.prove(signed, self.on, item.proof, step, strict=not item.nonnegative)
            self._known[key] = item.nonnegative
        return self._known[key]

    def functions(self, listed: Quotient, step: str) -> tuple[Function, Function]:
        above, below = (facts.function(part, step) for part in listed)
        return above, below

    def end(self) -> None:
        """Nothing more is listed."""
        require(next(self._rest, None) is None, self.step, "there are more signs than the formula needs")


class Curves(Evaluation):
    """The evaluation on one piece."""

    def __init__(self, listed: Statement, signs: Signs, until: Any) -> None:
        numbers = [signs.curve(number, f"number {i}") for i, number in enumerate(listed.numbers)]
        last = len(numbers) - 1
        rows = [
            [(t, numbers[integer(i, f"row {s}", 0, last)]) for t, i in row]
            for s, row in enumerate(listed.rows)
        ]
        chain = read_chain(listed, rows, lambda p: bool(p) and signs.positive(p.above))
        super().__init__(chain, formulas.read_formula(listed.formula, signs), until, signs)

    def split(self, level: Any, i: int) -> Iterator[Any]:
        raise Refused("formula", "it needs a refined chain")


# --- a certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate(chains.Certificate):
    """A certificate that was checked, about every eps of ``on``."""

    on: Interval

    def statement(self) -> str:
        if self.on.low == self.on.high:
            return shown(f"{super().statement()} for eps = {self.on.low}")
        return shown(f"{super().statement()} (holds: for every eps in {self.on}; fails: for some such eps)")

    @property
    def sha256(self) -> str:
        parts = ("states", "numbers", "rows", "labels", "neighbours")
        return digest({name: write(getattr(self.listed, name)) for name in parts})


def checked(listed: Listed) -> Certificate:
    """All phases but the digest."""
    on = whole([piece.on for piece in listed.pieces])
    found: list[Evaluation] = []
    for number, piece in enumerate(listed.pieces):
        signs = Signs(piece.on, piece.signs, f"piece {number}")
        evaluation = Curves(listed, signs, finder(piece, signs))
        signs.end()
        require(
            evaluation.untils == len(piece.untils), f"piece {number}", "there are more untils than needed"
        )
        found.append(evaluation)
    chain, formula = found[0].chain, formulas.formula_shown(found[0].nodes)
    return Certificate(listed, chain, formula, chains.answered(listed, found), on)  # type: ignore[arg-type]


def finder(piece: Piece, signs: Signs) -> Any:
    """What is listed for each ``A U B``."""
    rest: Iterator[Until] = iter(piece.untils)

    def find(rows: Any, left: Any, right: Any) -> Any:
        item = next(rest, None)
        if item is None:
            return None
        return chains.Until([signs.curve(p, "until") for p in item.values], item.ranks)  # type: ignore[misc]

    return find


def whole(pieces: Sequence[Interval]) -> Interval:
    """The interval that consecutive pieces make up."""
    require(pieces, "pieces", "there are none")
    for on in pieces:
        some = (
            on.low >= 0 and (on.low > 0 or not on.low_closed) and (on.high is not None or not on.high_closed)
        )
        full = on.high is None or on.low < on.high or (on.low == on.high and on.low_closed and on.high_closed)
        require(some and full, "pieces", "a piece is empty, or has an eps <= 0")
    for left, right in pairwise(pieces):
        meet = left.high == right.low and (left.high_closed or right.low_closed)
        require(meet, "pieces", "they do not go from one end to the other without a gap")
    first, last = pieces[0], pieces[-1]
    return Interval(first.low, last.high, first.low_closed, last.high_closed)
