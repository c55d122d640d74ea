"""Formulas of dpCTL*: state formulas and path formulas in one tree.

Source: Liu, Wang, Zhang, *Model checking differentially private properties*, sections 4 and 5.  The tree is
the core: derived operators are expanded by the parser, ``F f = true U f``, ``G f = not F not f``,
``f W g = not (not g U (not f and not g))``, ``f R g = not (not f U not g)``; ``X^k`` is a Next of that count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from dipc.claims.exponent import Exponent
from dipc.errors import Span
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Proposition:
    """A label or the name of a state."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """Negation."""

    operand: Formula


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of any number of operands."""

    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction of any number of operands."""

    operands: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Next:
    """``X^count operand``, count >= 1: a path formula."""

    operand: Formula
    count: int = 1


@dataclass(frozen=True, slots=True)
class EachNext:
    """``X^k operand`` for every k in N: the path formula of a D that must hold for all of them."""

    operand: Formula


@dataclass(frozen=True, slots=True)
class Until:
    """``left U right``, or ``left U<=bound right``: a path formula."""

    left: Formula
    right: Formula
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of probabilities; its ends may depend on eps."""

    low: Quotient
    high: Quotient
    low_closed: bool = True
    high_closed: bool = True


@dataclass(frozen=True, slots=True)
class Probability:
    """``P in interval (path)``: the probability of a path; in a decision process for every scheduler."""

    interval: Interval
    path: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Privacy:
    """``D[epsilon, delta](path)``: every neighbour t of the state s satisfies
    Pr_s(path) <= e^epsilon * Pr_t(path) + delta, and the same with s and t exchanged."""

    epsilon: Exponent
    delta: Quotient
    path: Formula
    span: Span | None = field(default=None, compare=False, repr=False)


Formula = Truth | Proposition | Not | And | Or | Next | EachNext | Until | Probability | Privacy


@dataclass(frozen=True, slots=True)
class Query:
    """``P=? (f)``, ``Pmax=?``, ``Pmin=?`` (kind P, Pmax, Pmin), ``D[?, d](f)`` (kind "epsilon": the least
    epsilon for ``delta``) or ``D[e, ?](f)`` (kind "delta": the least delta for ``epsilon``)."""

    kind: str
    path: Formula
    epsilon: Exponent | None = None
    delta: Quotient | None = None


ALL = EpsRange.positive()
EPS = "eps"


@dataclass(frozen=True, slots=True)
class Property:
    """A formula or a query with what was asked: the states (default: the start states of the model) and the
    range of eps.  ``text`` is the formula as it was written; ``name`` that of a ``property`` line.

    With another ``variable`` all this is about the parameter of that name, and not about eps."""

    formula: Formula | Query
    text: str
    states: tuple[str, ...] | None = None
    eps_range: EpsRange = ALL
    name: str | None = None
    variable: str = EPS


def operands(formula: Formula) -> tuple[Formula, ...]:
    """The operands of a Boolean or temporal operator; P and D have none."""
    match formula:
        case Not(operand) | Next(operand) | EachNext(operand):
            return (operand,)
        case And(several) | Or(several):
            return several
        case Until(left, right):
            return left, right
        case Truth() | Proposition() | Probability() | Privacy():
            return ()


def parts(formula: Formula) -> Iterator[Formula]:
    """A formula and all formulas in it, also those inside P and D."""
    yield formula
    for inner in (formula.path,) if isinstance(formula, Probability | Privacy) else operands(formula):
        yield from parts(inner)


def outermost(formula: Formula, wanted: Callable[[Formula], bool]) -> Iterator[Formula]:
    """The largest operands, the formula itself included, that meet a condition; none inside P and D."""
    if wanted(formula):
        yield formula
    else:
        for operand in operands(formula):
            yield from outermost(operand, wanted)


def depends_on_eps(formula: Formula | Query) -> bool:
    """Whether eps occurs in a formula or a query."""
    inner = [formula, *parts(formula.path)] if isinstance(formula, Query) else parts(formula)
    for part in inner:
        match part:
            case Privacy(epsilon, delta) | Query(_, _, epsilon, delta):
                if (epsilon and epsilon.rate) or not (delta is None or delta.is_constant):
                    return True
            case Probability(interval) if not (interval.low.is_constant and interval.high.is_constant):
                return True
    return False


def is_state_formula(formula: Formula) -> bool:
    """Whether the truth of a formula depends on the first state of a path only."""
    return not isinstance(formula, Next | EachNext | Until) and all(map(is_state_formula, operands(formula)))
