"""Syntax trees: a program as written, before anything is checked.

Every node is a frozen dataclass with a ``span`` that equality and hashing ignore, so that
``parse(print(p)) == p``.  The unions :data:`Expr`, :data:`Domain`, :data:`Distribution`,
:data:`Statement` and :data:`Adjacency` are closed: a ``match`` over one of them ends in ``assert_never``.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from flint import fmpq

from dipc.errors import Source, Span
from dipc.frozen import frozen

NOWHERE = Span(Source("<generated>", ""), 0, 0)


@frozen
class Node:
    """Base of all nodes, with their place in the text."""

    span: Span = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


# --- expressions -----------------------------------------------------------------------------


@frozen
class Number(Node):
    """An exact rational number."""

    value: fmpq

    def __hash__(self) -> int:  # the hash of a fraction itself takes nine times as long
        return hash((self.value.p, self.value.q))


@frozen
class Name(Node):
    """A scalar variable, a whole array (as an argument of ``sum``), a parameter, or an atom (``true``)."""

    name: str
    primed: bool = False  # ``q'``, the neighbouring input, which only an adjacency formula may mention


@frozen
class Index(Node):
    """``array[index]``, counted from 1."""

    array: str
    index: Expr
    primed: bool = False


@frozen
class Eps(Node):
    """The privacy parameter."""


class Op(Enum):
    """Operators; the value is the spelling."""

    __hash__ = object.__hash__  # each is there once; that of `Enum` is written in Python, and is asked a lot

    NEG = "neg"  # unary minus
    NOT = "not"
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    POW = "^"
    AND = "and"
    OR = "or"
    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


ARITHMETIC = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.POW})
EQUALITY = frozenset({Op.EQ, Op.NE})
COMPARISONS = EQUALITY | {Op.LT, Op.LE, Op.GT, Op.GE}
NEGATED = {Op.GE: Op.LT, Op.GT: Op.LE, Op.LE: Op.GT, Op.LT: Op.GE, Op.EQ: Op.NE, Op.NE: Op.EQ}
CONNECTIVES = frozenset({Op.AND, Op.OR})
SUMS = frozenset({Op.ADD, Op.SUB})
PRODUCTS = frozenset({Op.MUL, Op.DIV})

STRENGTH: dict[Op, frozenset[Op]] = {
    **{op: frozenset({op}) for op in CONNECTIVES},
    **dict.fromkeys(SUMS, SUMS),
    **dict.fromkeys(PRODUCTS, PRODUCTS),
}
"""The operators that a chain without brackets may mix; others need brackets."""


@frozen
class Unary(Node):
    """Minus or negation."""

    op: Op  # NEG or NOT
    operand: Expr


@frozen
class Binary(Node):
    """Arithmetic, comparison or Boolean connective; ``a < b < c`` is parsed as ``a < b and b < c``."""

    op: Op
    left: Expr
    right: Expr

    def spine(self, operators: frozenset[Op] = frozenset(Op)) -> tuple[Expr, list[Binary]]:
        """What a chain such as ``a + b + c`` begins with, and its nodes from the left to this one.

        Left operands belong to it while their operator is one of these.
        """
        links = [self]
        node = self.left
        while isinstance(node, Binary) and node.op in operators:
            links.append(node)
            node = node.left
        return node, links[::-1]

    # A chain leans left and may be long: comparing and hashing walk it without recursion.

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Binary):
            return NotImplemented
        mine: Expr = self
        its: Expr = other
        while isinstance(mine, Binary) and isinstance(its, Binary) and mine is not its:
            if mine.op is not its.op or mine.right != its.right:
                return False
            mine, its = mine.left, its.left
        return mine is its or mine == its

    def __hash__(self) -> int:
        if not isinstance(self.left, Binary):  # most are no chains
            return hash((self.left, self.op, self.right))
        first, links = self.spine()
        return hash((first, *((node.op, node.right) for node in links)))


@frozen
class Call(Node):
    """``function(arguments)``: max, min, abs, sum, argmax, argmin, disc, exp, floor, ceil, mod."""

    function: str
    arguments: tuple[Expr, ...]


@frozen
class Fold(Node):
    """``forall|exists|count|sum variable in low..high: body``."""

    kind: str
    variable: str
    low: Expr
    high: Expr
    body: Expr


Expr = Number | Name | Index | Eps | Unary | Binary | Call | Fold


# --- sets and distributions ------------------------------------------------------------------


@frozen
class SetOf(Node):
    """``{a, b, c}``."""

    members: tuple[Expr, ...]


@frozen
class Range(Node):
    """``low..high``, the integers from low to high inclusive."""

    low: Expr
    high: Expr


FiniteSet = SetOf | Range


@frozen
class Reals(Node):
    """``reals``, all real numbers; this and the next two are for ``dipc prove`` only."""


@frozen
class Integers(Node):
    """``integers``, all integers."""


@frozen
class Between(Node):
    """``[low, high]``, all real numbers from low to high."""

    low: Expr
    high: Expr


Unlisted = Reals | Integers | Between
Domain = FiniteSet | Unlisted


@frozen
class Noise(Node):
    """``kind(rate, mean)`` for a kind in :data:`dipc.dipwhile.syntax.distributions.NOISE`.

    ``rate`` is always the rate: the parser turns ``scale = s`` into ``rate = 1/s``.
    """

    kind: str
    rate: Expr
    mean: Expr


@frozen
class Choose(Node):
    """``choose {value: probability, ...}``."""

    options: tuple[tuple[Expr, Expr], ...]


@frozen
class Flip(Node):
    """``flip(p)``: true with probability p."""

    probability: Expr


@frozen
class Uniform(Node):
    """``uniform SET``."""

    support: FiniteSet


@frozen
class ExpMechanism(Node):
    """``Exp(rate, v in SET, score)``: v with probability proportional to exp(rate * score)."""

    rate: Expr
    variable: str
    support: FiniteSet
    score: Expr


Distribution = Noise | Choose | Flip | Uniform | ExpMechanism


# --- statements ------------------------------------------------------------------------------


@frozen
class Assign(Node):
    """``target <- value``; the target is a Name or an Index."""

    target: Name | Index
    value: Expr | Distribution


@frozen
class If(Node):
    """``if c1 then b1 elif c2 then b2 ... else b end``."""

    branches: tuple[tuple[Expr, Block], ...]
    otherwise: Block


@frozen
class For(Node):
    """``for variable in low..high do body end``."""

    variable: str
    low: Expr
    high: Expr
    body: Block


@frozen
class While(Node):
    """``while condition do body end``."""

    condition: Expr
    body: Block


@frozen
class Exit(Node):
    """``exit``."""


Statement = Assign | If | For | While | Exit
Block = tuple[Statement, ...]


# --- made by rewriting for every size, never by the parser ---------------------------------------


@frozen
class Assume(Node):
    """The choices before are those for which this condition holds."""

    condition: Binary


@frozen
class Pick(Node):
    """``winner`` for some value of ``low..high``; then ``before`` for the smaller, ``after`` for the others.

    Or, if ``text`` says that this may be, ``none`` for every value.  Else an empty range, which has no value
    to pick, is a failure.
    """

    variable: str
    low: Expr
    high: Expr
    winner: Block
    before: Block
    after: Block
    none: Block = ()
    text: str = ""


Rewritten = Assume | Pick


# --- declarations ----------------------------------------------------------------------------


@frozen
class Param(Node):
    """``param name = value``."""

    name: str
    value: Expr


@frozen
class Declaration(Node):
    """An input or output variable: ``size`` is None for a scalar, ``start`` the start value."""

    name: str
    size: Expr | None
    domain: Domain
    start: Expr | None = None


@frozen
class NamedAdjacency(Node):
    """``linf d``, ``l1 d``, ``hamming d`` (distance at most d) or ``all`` (every pair)."""

    kind: str  # "linf" | "l1" | "hamming" | "all"
    distance: Expr | None


@frozen
class FormulaAdjacency(Node):
    """A Boolean expression over an input and its neighbour."""

    formula: Expr


Adjacency = NamedAdjacency | FormulaAdjacency


@frozen
class Interval(Node):
    """The values of eps that a claim covers; ``high`` None means infinity."""

    low: Expr
    high: Expr | None
    low_closed: bool
    high_closed: bool


@frozen
class Claim(Node):
    """``private epsilon [, delta] [for eps in interval] [for all sizes]``; no interval means (0, inf).

    ``private range epsilon`` and ``private renyi order, epsilon`` have a ``measure``, and no delta.

    ``sizes`` are parameters; for every integer >= 1 in their places the claim is made, to ``dipc prove``.
    """

    epsilon: Expr
    delta: Expr | None = None
    interval: Interval | None = None
    sizes: tuple[Name, ...] = ()
    measure: str | None = None
    order: Expr | None = None


@frozen
class AccurateClaim(Node):
    """``accurate good, beta [when condition] [for eps in interval]``."""

    good: Expr
    beta: Expr
    condition: Expr | None = None
    interval: Interval | None = None


# --- what an attacker may know: read by ``dipc pufferfish`` only --------------------------------


@frozen
class Unknown(Node):
    """``param name in interval``: a parameter of which only a range is known; for priors."""

    name: str
    interval: Interval


@frozen
class Prior(Node):
    """``prior [name] body end``: the body draws the inputs."""

    name: str | None
    body: Block


@frozen
class Secret(Node):
    """``secret left vs right``, or ``left -> right`` (``one_way``): Boolean expressions over the inputs."""

    left: Expr
    right: Expr
    one_way: bool


@frozen
class SecretFor(Node):
    """``for variable in low..high do`` secrets ``end``."""

    variable: str
    low: Expr
    high: Expr
    body: tuple[Secrets, ...]


Secrets = Secret | SecretFor


# --- sentences about eps: read by ``dipc decide`` -----------------------------------------------


@frozen
class Sentence(Node):
    """``forall eps in interval: body``; an implication ``a -> b`` in the body has become ``not a or b``."""

    quantifier: str  # "forall" | "exists"
    interval: Interval | None
    body: Expr


# --- programs ------------------------------------------------------------------------------------


@frozen
class Program(Node):
    """A whole program as written."""

    params: tuple[Param, ...]
    inputs: tuple[Declaration, ...]
    outputs: tuple[Declaration, ...]
    adjacency: Adjacency | None
    claim: Claim | None
    body: Block
    unknowns: tuple[Unknown, ...] = ()
    priors: tuple[Prior, ...] = ()
    secrets: tuple[Secrets, ...] = ()
    accurate: AccurateClaim | None = None
