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
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from . import chains, facts, formulas
from .chains import Evaluation, read_chain
from .facts import ONE, ZERO, Function, Interval, Proof
from .formulas import Ends, Kind, Quotient
from .privacy import shown
from .reading import Refused, digest, integer, require
from .schema import write

# --- the format ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rated:
    """Epsilon of a D, rate * eps + constant + a sum of power * ln(base), and delta."""

    rate: Fraction
    constant: Fraction
    logarithms: list[tuple[Fraction, Fraction]]
    delta: Quotient


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
class Asked:
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
class Listed(Asked):
    """A certificate: a state "holds" if the formula does for every eps of the pieces, and else "fails"."""

    pieces: list[Piece]
    answers: list[Literal["holds", "fails"]]


# --- numbers ------------------------------------------------------------------------------------------


class Curve:
    """A quotient of functions of eps whose denominator is positive on the piece."""

    def __init__(self, above: Function, below: Function = ONE) -> None:
        self.above, self.below = above, below

    @staticmethod
    def of(value: object) -> Curve:
        """A number, or a curve."""
        if isinstance(value, Curve):
            return value
        assert isinstance(value, Fraction | int)
        return Curve(formulas.times(Fraction(value), ONE))

    def __add__(self, other: Any) -> Curve:
        right = Curve.of(other)
        if self.below == right.below:
            return Curve(facts.add(self.above, right.above), self.below)
        above = facts.add(product(self.above, right.below), product(right.above, self.below))
        return Curve(above, product(self.below, right.below))

    __radd__ = __add__

    def __rsub__(self, other: Any) -> Curve:
        return Curve(facts.negative(self.above), self.below).__add__(other)

    def __mul__(self, other: Any) -> Curve:
        right = Curve.of(other)
        return Curve(product(self.above, right.above), product(self.below, right.below))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        right = Curve.of(other)
        return product(self.above, right.below) == product(right.above, self.below)

    def __bool__(self) -> bool:
        return bool(self.above)

    __hash__ = None  # type: ignore[assignment]


def product(*functions: Function) -> Function:
    """The product of functions."""
    found = ONE
    for f in functions:
        found = facts.multiply(found, f) if found != ONE else f
    return found


# --- signs --------------------------------------------------------------------------------------------


class Signs:
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

    def positive(self, f: Function) -> bool:
        """Whether f > 0 on the piece."""
        return not self.nonnegative(facts.negative(f))

    def curve(self, listed: Quotient, step: str) -> Curve:
        """A listed number."""
        above, below = (facts.function(part, step) for part in listed)
        require(below and self.positive(below), step, "a denominator is not positive")
        return Curve(above, below)

    def end(self) -> None:
        """Nothing more is listed."""
        require(next(self._rest, None) is None, self.step, "there are more signs than the formula needs")


class Private(NamedTuple):
    """The parameters of a D: ``scale`` is exp(epsilon); ``written`` is epsilon as text."""

    scale: Function
    delta: Curve
    written: str

    def __str__(self) -> str:
        return f"D[{self.written}, {curve_shown(self.delta)}]"


class Within(NamedTuple):
    """The interval of a P."""

    low: Curve
    high: Curve
    ends: Ends

    def __str__(self) -> str:
        left, right = "(["[self.ends.low_closed], ")]"[self.ends.high_closed]
        return f"P in {left}{curve_shown(self.low)}, {curve_shown(self.high)}{right}"


def curve_shown(number: Curve) -> str:
    """A number of the formula as text."""
    above, below = facts.function_shown(number.above), facts.function_shown(number.below)
    return above if number.below == ONE else f"({above}) / ({below})"


class Curves(Evaluation):
    """The evaluation on one piece."""

    def __init__(self, listed: Asked, signs: Signs, until: Any) -> None:
        self.signs = signs
        numbers = [signs.curve(number, f"number {i}") for i, number in enumerate(listed.numbers)]
        last = len(numbers) - 1
        rows = [
            [(t, numbers[integer(i, f"row {s}", 0, last)]) for t, i in row]
            for s, row in enumerate(listed.rows)
        ]
        chain = read_chain(listed, rows, lambda p: bool(p) and signs.positive(p.above))
        super().__init__(chain, formulas.read_formula(listed.formula, self.detail), until)

    def detail(self, kind: Kind, detail: Any, step: str) -> Any:
        """What an operator needs besides its operands."""
        match detail:
            case Ends():
                low, high = (self.signs.curve(end, step) for end in (detail.low, detail.high))
                require(kind == "P", step, "the operator has another detail")
                return Within(low, high, detail)
            case Rated():
                require(kind == "D", step, "the operator has another detail")
                return self.private(detail, step)
        return formulas.read_detail(kind, detail, step)

    def private(self, listed: Rated, step: str) -> Private:
        """Epsilon and delta are not negative."""
        none = formulas.Budget(ZERO, listed.logarithms, ([], [(Fraction(1),)]))
        (scale,) = formulas.read_private(none, step, signed=False).scale.values()
        factor = {(0, listed.rate, listed.constant, ZERO): scale}
        delta = self.signs.curve(listed.delta, step)
        least = facts.add(factor, facts.negative(ONE))
        positive = self.signs.nonnegative(least) and self.signs.nonnegative(delta.above)
        require(positive, step, "epsilon or delta is negative")
        parts = [f"{listed.rate}*eps"] * bool(listed.rate)
        parts += [str(listed.constant)] * bool(listed.constant or not (parts or listed.logarithms))
        parts += [f"{power}*ln({base})" for base, power in listed.logarithms]
        return Private(factor, delta, " + ".join(parts).replace("+ -", "- "))

    def split(self, level: Any, i: int) -> Iterator[Any]:
        raise Refused("formula", "it needs a refined chain")

    def within(self, detail: Within, p: Any) -> bool:
        above = self.difference(Curve.of(p), detail.low)
        below = self.difference(detail.high, Curve.of(p))
        ends = (above, detail.ends.low_closed), (below, detail.ends.high_closed)
        return all(self.signs.nonnegative(f) if closed else self.signs.positive(f) for f, closed in ends)

    def close(self, detail: Private, p: Any, q: Any) -> bool:
        return self.signs.nonnegative(
            self.difference(Curve(detail.scale) * Curve.of(q) + detail.delta, Curve.of(p))
        )

    @staticmethod
    def difference(x: Curve, y: Curve) -> Function:
        """A function with the signs of x - y."""
        return facts.add(product(x.above, y.below), facts.negative(product(y.above, x.below)))


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
    chain, nodes = found[0].chain, found[0].nodes
    occur = chain.labels.keys() <= {node.detail for node in nodes if node.kind == "name"}
    require(occur, "labels", "one of them does not occur in the formula")
    holds = [all(s in each.truth[len(nodes) - 1] for each in found) for s in chain.asked]
    right = listed.answers == ["holds" if here else "fails" for here in holds]
    require(right, "answers", "they are not those that were computed")
    return Certificate(listed, chain, formulas.formula_shown(nodes), holds, on)  # type: ignore[arg-type]


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
