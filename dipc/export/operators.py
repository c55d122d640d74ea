"""One table of operators for all dialects.

What is exported is first a tree of numbers, symbols and named operators; a :class:`Dialect` says how each
operator is written, and :func:`write` is the loop over the tree.  Adding a dialect is adding a table.

Functions of eps come in two styles:

* *exact*: with the exponential function, ``exp(1/4*eps)``;
* *rational*: as rational functions in ``eps`` and ``z = exp(eps/u)``, and, where they occur, ``w = exp(1/u)``
  and ``v = exp(1/(u*eps))``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import lcm

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.polynomial import common_unit
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

# --- trees -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator of the tables: + neg * / ^ exp, a comparison, and or not forall."""

    operator: str
    arguments: tuple[Tree, ...] = ()


Tree = fmpq | Symbol | Apply

EPS = Symbol("eps")
GENERATORS = ("z", "w", "v")  # exp(eps/u), exp(1/u), exp(1/(u eps))


def total(parts: Iterable[Tree]) -> Tree:
    """The sum; a single part is itself."""
    summands = tuple(parts)
    return summands[0] if len(summands) == 1 else Apply("+", summands) if summands else fmpq(0)


def product(parts: Iterable[Tree]) -> Tree:
    """The product without factors 1."""
    factors = tuple(part for part in parts if not (isinstance(part, fmpq) and part == 1))
    return factors[0] if len(factors) == 1 else Apply("*", factors) if factors else fmpq(1)


def scaled(coefficient: fmpq, factors: Iterable[Tree]) -> Tree:
    """A product with a number; a minus sign goes in front of the whole."""
    if coefficient < 0:
        return Apply("neg", (product([-coefficient, *factors]),))
    return product([coefficient, *factors])


def power(base: Tree, exponent: int) -> Tree:
    """``base ^ exponent``; a first power is the base."""
    return base if exponent == 1 else Apply("^", (base, fmpq(exponent)))


def ratio(above: Tree, below: Tree) -> Tree:
    """``above / below``, without a denominator 1."""
    return above if isinstance(below, fmpq) and below == 1 else Apply("/", (above, below))


# --- functions of eps ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Style:
    """How exponentials are written: None, or over generators with this unit u."""

    unit: int | None = None

    def function(self, value: Quotient) -> Tree:
        """A function of eps, all powers positive and all coefficients integers, numerator over denominator.

        >>> p = Quotient(ExpPoly.exp(fmpq(1, 2)) - ExpPoly.of(fmpq(1, 3), 1)) / Quotient(ExpPoly.exp(1))
        >>> write(EXACT.function(p), PLAIN), write(Style(2).function(p), PLAIN)
        ('(3*exp(-1/2*eps) - eps*exp(-eps))/3', '(3*z - eps)/(3*z^2)')
        """
        above, below = cleared(value, only_powers=self.unit is None)
        return ratio(self.polynomial(above), self.polynomial(below))

    def polynomial(self, f: ExpPoly) -> Tree:
        """A sum of terms, those with the highest exponents first."""
        return total(self.term(t) for t in reversed(list(f.terms())))

    def term(self, term: Term) -> Tree:
        """One term of a sum."""
        c, n, a, k, b = term
        powers = [power(EPS, n)] if n else []
        if self.unit is None:
            parts = ((a, EPS), (k, fmpq(1)), (b, ratio(fmpq(1), EPS)))
            exponent = [scaled(rate, [unit]) for rate, unit in parts if rate]
            return scaled(c, [*powers, *([Apply("exp", (total(exponent),))] if exponent else [])])
        for name, rate in zip(GENERATORS, (a, k, b), strict=True):
            if rate:
                powers.append(power(Symbol(name), int((rate * self.unit).p)))
        return scaled(c, powers)


EXACT = Style()


def condition(budgets: EpsRange) -> Tree:
    """That eps lies in the interval."""
    parts: list[Tree] = [Apply(">=" if budgets.low_closed else ">", (EPS, budgets.low))]
    if budgets.high is not None:
        parts.append(Apply("<=" if budgets.high_closed else "<", (EPS, budgets.high)))
    return Apply("and", tuple(parts)) if len(parts) > 1 else parts[0]


def unit_of(functions: Iterable[Quotient]) -> int:
    """The least u in which all exponents are integers."""
    return common_unit(*(f for q in functions for f in (q.numerator, q.denominator)))


def cleared(value: Quotient, only_powers: bool) -> tuple[ExpPoly, ExpPoly]:
    """Numerator and denominator with integer coefficients and without negative powers.

    With ``only_powers`` exponentials are left as they are.
    """
    above, below = value.numerator, value.denominator
    terms = [*above.terms(), *below.terms()]
    scale = lcm(*(int(term.coefficient.q) for term in terms))
    lows = [min(term[i] for term in terms) if i == 1 or not only_powers else 0 for i in range(1, 5)]
    n, a, k, b = (min(low, 0) for low in lows)
    factor = ExpPoly.of(scale, -int(n), -fmpq(a), -fmpq(k), -fmpq(b))
    return above * factor, below * factor


def tidy(tree: Tree, small: bool = False) -> Tree:
    """The tree with slashes, not fractions, in exponents (``small``) and with signs in front of products."""
    match tree:
        case Symbol():
            return tree
        case Apply("exp", (argument,)):
            return Apply("exp", (tidy(argument, small=True),))
        case Apply("*", (Apply("neg", (first,)), *others)):
            return Apply("neg", (tidy(Apply("*", (first, *others)), small),))
        case Apply("*", (*others, Apply("/", (fmpq() as one, below)))) if one == 1:
            return tidy(Apply("/", (product(others), below)), small)
        case Apply("*", (fmpq() as c, *others)) if small and c.q != 1:
            above = scaled(fmpq(c.p), [tidy(factor, small) for factor in others])
            return Apply("slash", (above, fmpq(c.q)))
        case Apply(operator, arguments):
            kind = "slash" if small and operator == "/" else operator
            return Apply(kind, tuple(tidy(argument, small) for argument in arguments))
        case _:
            return tree if not small or tree.q == 1 else Apply("slash", (fmpq(tree.p), fmpq(tree.q)))


# --- dialects --------------------------------------------------------------------------------

OR, AND, NOT, COMPARISON, SUM, PRODUCT, POWER, LEAF = range(8)


@dataclass(frozen=True, slots=True)
class Infix:
    """Arguments with a sign in between; the first must have level ``left``, the others ``right``."""

    sign: str
    level: int
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text with places ``{0}``, ``{1}`` ...; ``inner`` is the level that arguments must have."""

    text: str
    level: int = LEAF
    inner: int = OR


Rule = Infix | Pattern | Callable[..., str]
Number = Callable[[fmpq], tuple[str, int]]  # a text and its level


def plain_number(value: fmpq) -> tuple[str, int]:
    """``-3/4``, which binds like a product, and like a sum if it is negative."""
    return str(value), SUM if value < 0 else LEAF if value.q == 1 else PRODUCT


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language writes numbers, symbols and operators."""

    rules: Mapping[str, Rule]
    number: Number = plain_number
    symbols: Mapping[str, str] = field(default_factory=dict)


ARITHMETIC: dict[str, Rule] = {
    "+": Infix(" + ", SUM, SUM, SUM),
    "neg": Pattern("-{0}", SUM, PRODUCT),
    "*": Infix("*", PRODUCT, PRODUCT, PRODUCT),
    "/": Infix("/", PRODUCT, PRODUCT, POWER),
    "^": Infix("^", POWER, LEAF, LEAF),
    "exp": Pattern("exp({0})"),
}

PLAIN = Dialect(ARITHMETIC)
"""dipc's own language."""


def logic(conjunction: str, disjunction: str, negation: str, signs: Mapping[str, str]) -> dict[str, Rule]:
    """Rules for ``and``, ``or``, ``not`` and comparisons; ``signs`` are those spelled differently."""
    comparisons: dict[str, Rule] = {
        sign: Infix(f" {signs.get(sign, sign)} ", COMPARISON, SUM, SUM)
        for sign in ("<", "<=", "=", "!=", ">=", ">")
    }
    return comparisons | {
        "and": Infix(conjunction, AND, AND, NOT),
        "or": Infix(disjunction, OR, OR, AND),
        "not": Pattern(negation, NOT, NOT),
    }


def latex_number(value: fmpq) -> tuple[str, int]:
    """A number in TeX, fractions upright, and its level."""
    size = abs(value)
    text = str(size.p) if size.q == 1 else f"\\tfrac{{{size.p}}}{{{size.q}}}"
    return (f"-{text}", SUM) if value < 0 else (text, LEAF)


LATEX = Dialect(
    ARITHMETIC
    | logic(r" \land ", r" \lor ", r"\lnot {0}", {"<=": r"\le", ">=": r"\ge", "!=": r"\ne"})
    | {
        "*": Infix(r" \, ", PRODUCT, PRODUCT, PRODUCT),
        "/": Pattern(r"\frac{{{0}}}{{{1}}}"),
        "^": Pattern("{0}^{{{1}}}", POWER, LEAF),
        "exp": Pattern("e^{{{0}}}", POWER),
        "slash": Infix("/", PRODUCT, PRODUCT, POWER),
        "-": Infix(" - ", SUM, SUM, PRODUCT),
        "index": Pattern("{0}_{{{1}}}"),
        "prime": Pattern("{0}'"),
        ",": Infix(", ", OR, OR, OR),
        "call": Pattern("{0}({1})"),
        "range": Pattern(r"{0}, \dots, {1}"),
        "abs": Pattern(r"\lvert {0} \rvert"),
        "set": Pattern(r"\{{{0}\}}"),
        "element": Infix(r" \in ", COMPARISON, SUM, OR),
        "colon": Infix(r" : ", OR, OR, OR),
    },
    latex_number,
    {"eps": r"\varepsilon"},
)
"""TeX, for formulas and for programs."""


def write(tree: Tree, dialect: Dialect) -> str:
    """The text of a tree."""
    return _write(tree, dialect)[0]


def _write(tree: Tree, dialect: Dialect) -> tuple[str, int]:
    match tree:
        case Symbol(name):
            return dialect.symbols.get(name, name), LEAF
        case Apply(operator, arguments):
            shown = [_write(argument, dialect) for argument in arguments]
            match dialect.rules[operator]:
                case Infix(sign, level, left, right):
                    parts = [_within(shown[0], left), *(_within(part, right) for part in shown[1:])]
                    text = sign.join(parts)
                    return (text.replace("+ -", "- ") if operator == "+" else text), level
                case Pattern(text, level, inner):
                    return text.format(*(_within(part, inner) for part in shown)), level
                case rule:
                    return rule(*(text for text, _ in shown)), LEAF
        case _:
            return dialect.number(tree)


def _within(part: tuple[str, int], level: int) -> str:
    text, own = part
    return text if own >= level else f"({text})"
