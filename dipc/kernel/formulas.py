"""Formulas of dpCTL* as a certificate lists them.

A formula is a list of nodes ``[kind, detail, operand, ...]``, each after its operands; the last one is the
formula.  The constants in it are quotients of sums of c * exp(k), which are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from . import facts, reading
from .facts import ONE, ZERO, Function
from .reading import Refused, array, flag, integer, pair_of, rational, record, text

MAX_COUNT = 10**9  # of X^count and U<=count
MAX_WORD = 200  # characters of a name
MAX_SHOWN = 20_000  # characters of a formula
RESERVED = {
    "P", "Pmax", "Pmin", "D", "X", "F", "G", "U", "W", "R", "true", "false", "not", "and", "or", "forall",
    "in", "subset", "from", "for", "eps", "inf", "exp", "ln",
}  # fmt: skip


def word(value: Any, step: str) -> str:
    """The name of a state or label."""
    if not text(value, step) or len(value) > MAX_WORD or '"' in value:
        raise Refused(step, f"a name has 1 to {MAX_WORD} characters, and no quotation mark")
    return str(value)


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


def read_number(value: Any, step: str) -> Number:
    above, below = (facts.function(f, step) for f in pair_of(value, step))
    if any(n or a or b for f in (above, below) for n, a, _, b in f):
        raise Refused(step, "a constant is expected")
    if sign(below) <= 0:
        raise Refused(step, "a denominator is not positive")
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


# How many operands, None if any number
OPERANDS = dict.fromkeys(("true", "false", "name"), 0) | dict.fromkeys(("not", "X", "P", "D"), 1) | {"U": 2}
"""How many operands; "and" and "or" have one or more."""


def read_formula(value: Any) -> list[Node]:
    """The nodes, all of them needed; the last one is a state formula."""
    nodes: list[Node] = []
    for i, item in enumerate(array(value, "formula")):
        nodes.append(read_node(item, nodes, f"formula, node {i}"))
    used = {j for node in nodes for j in node.operands}
    if not nodes or not nodes[-1].is_state or len(used) < len(nodes) - 1:
        raise Refused("formula", "it is empty, a path formula, or has a part that is not needed")
    return nodes


def read_node(item: Any, before: Sequence[Node], step: str) -> Node:
    """A node ``[kind, detail, operand, ...]``; the detail is null where there is none."""
    kind = text((array(item, step) or [None])[0], step)
    if kind not in (*OPERANDS, "and", "or") or len(item) < 2:
        raise Refused(step, "the operator is not known")
    operands = tuple(integer(j, step, 0, len(before) - 1) for j in item[2:])
    if len(operands) != OPERANDS.get(kind, max(1, len(operands))):
        raise Refused(step, "it has another number of operands")
    inner = all(before[j].is_state for j in operands)
    is_state = kind in "PD" or (kind not in "XU" and inner)
    return Node(kind, operands, read_detail(kind, item[1], step), is_state)


def read_detail(kind: str, value: Any, step: str) -> Any:
    match kind:
        case "name":
            return word(value, step)
        case "X":
            return integer(value, step, 1, MAX_COUNT)
        case "U":
            return None if value is None else integer(value, step, 0, MAX_COUNT)
        case "P":
            given = record(value, step, "low", "high", "low_closed", "high_closed")
            low, high = (read_number(given[end], step) for end in ("low", "high"))
            return Within(low, high, flag(given["low_closed"], step), flag(given["high_closed"], step))
        case "D":
            return read_private(record(value, step, "constant", "logarithms", "delta"), step)
    if value is not None:
        raise Refused(step, "the operator has no detail")
    return None


def read_private(given: dict[str, Any], step: str) -> Private:
    """Epsilon is a constant and a sum of power * ln(base), given as pairs [base, power]; powers are whole."""
    constant, delta = rational(given["constant"], step), read_number(given["delta"], step)
    pairs = [pair_of(pair, step) for pair in array(given["logarithms"], step)]
    logarithms = [(rational(base, step), rational(exponent, step)) for base, exponent in pairs]
    scale = Fraction(1)
    for base, exponent in logarithms:
        if base <= 0 or exponent.denominator != 1:
            raise Refused(step, "a logarithm of a number <= 0, or a power that is not whole")
        if abs(exponent) * reading.width(base) + reading.width(scale) > facts.MAX_UNIT_BITS:
            raise Refused(step, "the factor exp(epsilon) is too large")
        scale *= base ** int(exponent)
    factor = {(0, ZERO, constant, ZERO): scale}
    if sign(facts.add(factor, facts.negative(ONE))) < 0 or sign(delta.above) < 0:
        raise Refused(step, "epsilon or delta is negative")
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
