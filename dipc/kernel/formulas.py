"""Formulas of dpCTL* as a certificate lists them.

A formula is a list of nodes ``[kind, detail, operands]``, each after its operands; the last one is the
formula.  The constants in it are quotients of sums of c * exp(k), which are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from . import facts
from .facts import ONE, UNIT, ZERO, Function, Terms, multiply
from .reading import Refused, integer, require, width

MAX_COUNT = 10**9  # of X^count and U<=count
MAX_WORD = 200  # characters of a name
MAX_SHOWN = 20_000  # characters of a formula
RESERVED = {
    "P", "Pmax", "Pmin", "D", "X", "F", "G", "U", "W", "R", "true", "false", "not", "and", "or", "forall",
    "in", "subset", "from", "for", "eps", "inf", "exp", "ln",
}  # fmt: skip


# --- the format ---------------------------------------------------------------------------------------

Kind = Literal["true", "false", "name", "not", "and", "or", "X", "U", "P", "D"]
Quotient = tuple[Terms, Terms]  # a constant: numerator and denominator


@dataclass(frozen=True)
class Ends:
    """The interval of a P."""

    low: Quotient
    high: Quotient
    low_closed: bool
    high_closed: bool


@dataclass(frozen=True)
class Budget:
    """Epsilon of a D, a constant and a sum of power * ln(base) for pairs [base, power], and delta."""

    constant: Fraction
    logarithms: list[tuple[Fraction, Fraction]]
    delta: Quotient


@dataclass(frozen=True)
class Rated(Budget):
    """The same with a multiple of eps."""

    rate: Fraction


Detail = str | int | Ends | Budget | None  # what an operator needs besides its operands
ListedNode = tuple[Kind, Detail, list[int]]

# --- names --------------------------------------------------------------------------------------------


def check_word(name: str, step: str) -> None:
    """It is the name of a state or label."""
    good = 0 < len(name) <= MAX_WORD and '"' not in name
    require(good, step, f"a name has 1 to {MAX_WORD} characters, and no quotation mark")


def word_shown(name: str) -> str:
    """A name, in quotation marks where it could be read as something else."""
    return name if name.isidentifier() and name not in RESERVED else f'"{name}"'


# --- numbers ------------------------------------------------------------------------------------------


class Curve:
    """A quotient of functions of eps (or constants), the denominator positive."""

    def __init__(self, above: Function, below: Function = ONE) -> None:
        self.above, self.below = above, below

    @staticmethod
    def of(value: object) -> Curve:
        """A number, or a curve."""
        if isinstance(value, Curve):
            return value
        assert isinstance(value, Fraction | int)
        return Curve({UNIT: Fraction(value)} if value else {})

    def __add__(self, other: Any) -> Curve:
        right = Curve.of(other)
        if self.below == right.below:
            return Curve(facts.add(self.above, right.above), self.below)
        above = facts.add(multiply(self.above, right.below), multiply(right.above, self.below))
        return Curve(above, multiply(self.below, right.below))

    __radd__ = __add__

    def __rsub__(self, other: Any) -> Curve:
        return Curve(facts.negative(self.above), self.below).__add__(other)

    def __mul__(self, other: Any) -> Curve:
        right = Curve.of(other)
        return Curve(multiply(self.above, right.above), multiply(self.below, right.below))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return not self.difference(Curve.of(other))

    def __bool__(self) -> bool:
        return bool(self.above)

    def __str__(self) -> str:
        above, below = facts.function_shown(self.above), facts.function_shown(self.below)
        return above if self.below == ONE else f"({above}) / ({below})"

    __hash__ = None  # type: ignore[assignment]

    def difference(self, other: Curve) -> Function:
        """A function with the signs of this minus the other."""
        return facts.add(multiply(self.above, other.below), facts.negative(multiply(other.above, self.below)))


class Signs:
    """The signs of constants, which are exact."""

    def nonnegative(self, f: Function) -> bool:
        """Whether f >= 0."""
        return facts.sign_at(f, Fraction(1)) >= 0

    def positive(self, f: Function) -> bool:
        """Whether f > 0."""
        return not self.nonnegative(facts.negative(f))

    def functions(self, listed: Quotient, step: str) -> tuple[Function, Function]:
        """The numerator and the denominator of a listed number: constants."""
        above, below = (facts.function(f, step) for f in listed)
        constant = not any(n or a or b for f in (above, below) for n, a, _, b in f)
        require(constant, step, "a constant is expected")
        return above, below

    def curve(self, listed: Quotient, step: str) -> Curve:
        """A listed number."""
        above, below = self.functions(listed, step)
        require(below and self.positive(below), step, "a denominator is not positive")
        return Curve(above, below)


class Within(NamedTuple):
    """The interval of a P."""

    low: Curve
    high: Curve
    low_closed: bool
    high_closed: bool

    def has(self, p: Curve, signs: Signs) -> bool:
        """Whether a probability is inside."""
        ends = (p.difference(self.low), self.low_closed), (self.high.difference(p), self.high_closed)
        return all(signs.nonnegative(f) if closed else signs.positive(f) for f, closed in ends)

    def __str__(self) -> str:
        return f"P in {'[('[not self.low_closed]}{self.low}, {self.high}{'])'[not self.high_closed]}"


class Private(NamedTuple):
    """The parameters of a D: ``scale`` is exp(epsilon); ``written`` is epsilon as text."""

    scale: Function
    delta: Curve
    written: str

    def holds(self, p: Curve, q: Curve, signs: Signs) -> bool:
        """Whether p <= exp(epsilon) q + delta."""
        return signs.nonnegative((Curve(self.scale) * q + self.delta).difference(p))

    def __str__(self) -> str:
        return f"D[{self.written}, {self.delta}]"


# --- nodes --------------------------------------------------------------------------------------------


class Node(NamedTuple):
    """A part of the formula: an operator, the numbers of its operands, and what else it needs.

    That is a name, the count of an ``X``, the bound of an ``U`` or None, :class:`Within` or :class:`Private`.
    """

    kind: str
    operands: tuple[int, ...]
    detail: Any
    is_state: bool


OPERANDS = dict.fromkeys(("true", "false", "name"), 0) | dict.fromkeys(("not", "X", "P", "D"), 1) | {"U": 2}
"""How many operands; "and" and "or" have one or more."""


def read_formula(listed: Sequence[Any], signs: Signs | None = None) -> list[Node]:
    """The nodes, all of them needed; the last one is a state formula; ``signs`` are those of its numbers."""
    signs = signs or Signs()
    nodes: list[Node] = []
    for i, (kind, detail, operands) in enumerate(listed):
        step = f"formula, node {i}"
        for j in operands:
            integer(j, step, 0, i - 1)
        count = OPERANDS.get(kind, max(1, len(operands)))
        require(len(operands) == count, step, "it has another number of operands")
        inner = all(nodes[j].is_state for j in operands)
        is_state = kind in "PD" or (kind not in "XU" and inner)
        nodes.append(Node(kind, tuple(operands), read_detail(kind, detail, step, signs), is_state))
    used = {j for node in nodes for j in node.operands}
    whole = nodes and nodes[-1].is_state and len(used) == len(nodes) - 1
    require(whole, "formula", "it is empty, a path formula, or has a part that is not needed")
    return nodes


def read_detail(kind: Kind, detail: Detail, step: str, signs: Signs) -> Any:
    """What an operator needs besides its operands."""
    match kind, detail:
        case "name", str():
            check_word(detail, step)
            return detail
        case "X", int():
            return integer(detail, step, 1, MAX_COUNT)
        case "U", int():
            return integer(detail, step, 0, MAX_COUNT)
        case "P", Ends():
            low, high = (signs.curve(end, step) for end in (detail.low, detail.high))
            return Within(low, high, detail.low_closed, detail.high_closed)
        case "D", Budget():
            return read_private(detail, step, signs)
        case "true" | "false" | "not" | "and" | "or" | "U", None:
            return None
    raise Refused(step, "the operator has another detail, or none")


def read_private(listed: Budget, step: str, signs: Signs) -> Private:
    """Powers are whole, and epsilon and delta are not negative."""
    rate = listed.rate if isinstance(listed, Rated) else ZERO
    constant, logarithms, scale = listed.constant, listed.logarithms, Fraction(1)
    for base, exponent in logarithms:
        defined = base > 0 and exponent.denominator == 1
        require(defined, step, "a logarithm of a number <= 0, or a power that is not whole")
        small = abs(exponent) * width(base) + width(scale) <= facts.MAX_UNIT_BITS
        require(small, step, "the factor exp(epsilon) is too large")
        scale *= base ** int(exponent)
    factor = {(0, rate, constant, ZERO): scale}
    delta = signs.curve(listed.delta, step)
    least = facts.add(factor, facts.negative(ONE))
    positive = signs.nonnegative(least) and signs.nonnegative(delta.above)
    require(positive, step, "epsilon or delta is negative")
    parts = [f"{rate}*eps"] * bool(rate)
    parts += [str(constant)] * bool(constant or not (parts or logarithms))
    parts += [f"ln({base})" if exponent == 1 else f"{exponent}*ln({base})" for base, exponent in logarithms]
    return Private(factor, delta, " + ".join(parts).replace("+ -", "- "))


def formula_shown(nodes: Sequence[Node]) -> str:
    """The formula as dipc reads it; refused if it is too long for a statement, which has all of it."""
    written: list[str] = []
    for kind, operands, detail, _ in nodes:
        inner = [written[j] for j in operands]
        length = sum(map(len, inner)) + 6 * len(inner)
        if length > MAX_SHOWN:
            raise Refused("formula", f"more than {MAX_SHOWN} characters, which no statement shows")
        groups = [f"({part})" for part in inner]
        match kind:
            case "name":
                result = word_shown(detail)
            case "not":
                result = f"!{groups[0]}"
            case "and" | "or":
                result = f" {'&|'[kind == 'or']} ".join(groups)
            case "X":
                result = f"X{f'^{detail}' if detail > 1 else ''} {groups[0]}"
            case "U":
                bound = "" if detail is None else f"<={detail}"
                result = (
                    f"F{bound} {groups[1]}" if inner[0] == "true" else f"{groups[0]} U{bound} {groups[1]}"
                )
            case "P" | "D":
                result = f"{detail} {groups[0]}" if kind == "P" else f"{detail}{groups[0]}"
            case _:
                result = kind
        written.append(result)
    return written[-1]
