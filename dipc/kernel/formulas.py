"""Formulas of dpCTL* as a certificate lists them.

A formula is a list of nodes ``[kind, detail, operands]``, each after its operands; the last one is the
formula.  The constants in it are quotients of sums of c * exp(k), which are compared exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from . import facts
from .facts import ONE, ZERO, Function, Terms
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


# --- constants ----------------------------------------------------------------------------------------


class Number(NamedTuple):
    """A constant: a quotient of sums of c * exp(k), the denominator positive."""

    above: Function
    below: Function

    def less(self, x: Fraction) -> Function:
        """The number minus x, times the denominator."""
        return facts.add(self.above, times(-x, self.below))

    def __str__(self) -> str:
        above, below = facts.function_shown(self.above), facts.function_shown(self.below)
        return above if self.below == ONE else f"({above}) / ({below})"


def times(x: Fraction, f: Function) -> Function:
    """x f."""
    return {key: x * c for key, c in f.items()} if x else {}


def sign(f: Function) -> int:
    """The exact sign of a constant."""
    return facts.sign_at(f, Fraction(1))


def read_number(listed: Quotient, step: str) -> Number:
    """A constant."""
    above, below = (facts.function(f, step) for f in listed)
    constant = not any(n or a or b for f in (above, below) for n, a, _, b in f)
    require(constant, step, "a constant is expected")
    require(sign(below) > 0, step, "a denominator is not positive")
    return Number(above, below)


class Within(NamedTuple):
    """The interval of a P."""

    low: Number
    high: Number
    low_closed: bool
    high_closed: bool

    def has(self, p: Fraction) -> bool:
        below, above = sign(self.low.less(p)), sign(self.high.less(p))
        return (below < 0 or (below == 0 and self.low_closed)) and (
            above > 0 or (above == 0 and self.high_closed)
        )

    def __str__(self) -> str:
        return f"P in {'[('[not self.low_closed]}{self.low}, {self.high}{'])'[not self.high_closed]}"


class Private(NamedTuple):
    """The parameters of a D: ``scale`` is exp(epsilon), c * exp(k); ``written`` is epsilon as text."""

    scale: Function
    delta: Number
    written: str

    def holds(self, p: Fraction, q: Fraction) -> bool:
        """Whether p <= exp(epsilon) q + delta."""
        rest, q_scaled = self.delta.less(p), times(q, self.delta.below)
        return sign(facts.add(facts.multiply(self.scale, q_scaled), rest)) >= 0

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


def read_formula(listed: Sequence[Any], detail_of: Callable[..., Any] | None = None) -> list[Node]:
    """The nodes, all of them needed; the last one is a state formula; ``detail_of`` reads their details."""
    detail_of = detail_of or read_detail
    nodes: list[Node] = []
    for i, (kind, detail, operands) in enumerate(listed):
        step = f"formula, node {i}"
        for j in operands:
            integer(j, step, 0, i - 1)
        count = OPERANDS.get(kind, max(1, len(operands)))
        require(len(operands) == count, step, "it has another number of operands")
        inner = all(nodes[j].is_state for j in operands)
        is_state = kind in "PD" or (kind not in "XU" and inner)
        nodes.append(Node(kind, tuple(operands), detail_of(kind, detail, step), is_state))
    used = {j for node in nodes for j in node.operands}
    whole = nodes and nodes[-1].is_state and len(used) == len(nodes) - 1
    require(whole, "formula", "it is empty, a path formula, or has a part that is not needed")
    return nodes


def read_detail(kind: Kind, detail: Detail, step: str) -> Any:
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
            low, high = (read_number(end, step) for end in (detail.low, detail.high))
            return Within(low, high, detail.low_closed, detail.high_closed)
        case "D", Budget():
            return read_private(detail, step)
        case "true" | "false" | "not" | "and" | "or" | "U", None:
            return None
    raise Refused(step, "the operator has another detail, or none")


def read_private(listed: Budget, step: str, signed: bool = True) -> Private:
    """Powers are whole, and epsilon and delta are not negative, if ``signed``."""
    constant, logarithms, delta = listed.constant, listed.logarithms, read_number(listed.delta, step)
    scale = Fraction(1)
    for base, exponent in logarithms:
        defined = base > 0 and exponent.denominator == 1
        require(defined, step, "a logarithm of a number <= 0, or a power that is not whole")
        small = abs(exponent) * width(base) + width(scale) <= facts.MAX_UNIT_BITS
        require(small, step, "the factor exp(epsilon) is too large")
        scale *= base ** int(exponent)
    factor = {(0, ZERO, constant, ZERO): scale}
    positive = sign(facts.add(factor, facts.negative(ONE))) >= 0 and sign(delta.above) >= 0
    require(positive or not signed, step, "epsilon or delta is negative")
    parts = [str(constant)] * bool(constant or not logarithms)
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
