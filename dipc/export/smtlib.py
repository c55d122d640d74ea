"""SMT-LIB 2 with the exponential function: one query per different inequality.

A query asks for a budget that breaks the inequality: ``unsat`` is a proof.  ``exp`` is not part of a standard
logic; cvc5 and dReal know it (MetiTarski too, in its own syntax).  Solvers reason better about one variable
z = exp(eps/u) than about many exponentials, so the queries are polynomial inequalities in eps and z, both
sides multiplied by the (positive) denominators.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from dipc.export.inequalities import Inequality
from dipc.export.operators import (
    EPS,
    Apply,
    Dialect,
    Pattern,
    Style,
    Symbol,
    Tree,
    condition,
    write,
)
from dipc.export.subject import ClaimExport, requirement_text
from dipc.numbers.polynomial import common_unit
from dipc.signs.inequality import Fails, Holds, Unclear


def prefix(operator: str) -> Pattern:
    """``(operator arguments)``."""
    return Pattern(f"({operator} {{all}})")


def number(value: fmpq) -> tuple[str, int]:
    """Integers, quotients and minus signs are applications too."""
    size = abs(value)
    text = str(size.p) if size.q == 1 else f"(/ {size.p} {size.q})"
    return (f"(- {text})" if value < 0 else text), Pattern("").level


SMTLIB = Dialect(
    {
        "+": prefix("+"),
        "neg": prefix("-"),
        "*": prefix("*"),
        "/": prefix("/"),
        "exp": prefix("exp"),
        **{sign: prefix(sign) for sign in ("<", "<=", "=", ">=", ">")},
        "!=": prefix("distinct"),
        "and": prefix("and"),
        "or": prefix("or"),
        "not": prefix("not"),
        "true": Pattern("true"),
        "false": Pattern("false"),
        "forall": Pattern("(forall (({0} Real)) (=> {1} {2}))"),
        "exists": Pattern("(exists (({0} Real)) (and {1} {2}))"),
    },
    number,
)

EXPECTED = {Holds: "unsat", Fails: "sat", Unclear: "unknown"}


def smtlib(question: ClaimExport, number: int | None = None) -> str:
    """All queries between ``push`` and ``pop``, or only the one with this number (from 1)."""
    lines = [f"; {line}" for line in question.heading()]
    lines += [
        "; each query asks for a budget that breaks one inequality: unsat means that it holds",
        "(set-logic ALL)",
        "(declare-const eps Real)",
        f"(assert {write(condition(question.goal.budgets), SMTLIB)})",
    ]
    for place, requirement in enumerate(question.requirements, start=1):
        if number is None or number == place:
            lines += ["", *_query(place, requirement)]
    return "\n".join(lines) + "\n"


def _query(number: int, requirement: Inequality) -> Iterator[str]:
    f = requirement.function
    unit = common_unit(f)
    yield f"; {number}. {requirement_text(requirement)}"
    yield f"; dipc: {EXPECTED[type(requirement.answer)]}"
    yield "(push 1)"
    exponents: dict[str, Tree] = {
        "z": Apply("/", (EPS, fmpq(unit))),
        "w": fmpq(1, unit),
        "v": Apply("/", (fmpq(1), Apply("*", (fmpq(unit), EPS)))),
    }
    polynomial = without_powers(Style(unit).polynomial(f))
    for name in sorted(symbols(polynomial) & exponents.keys()):
        yield f"(declare-const {name} Real)"
        yield f"(assert (= {name} {write(Apply('exp', (exponents[name],)), SMTLIB)}))"
        yield f"(assert (> {name} 1)) ; follows, and helps solvers"
    yield f"(assert {write(Apply('<', (polynomial, fmpq(0))), SMTLIB)})"
    yield "(check-sat)"
    yield "(pop 1)"


def symbols(tree: Tree) -> set[str]:
    """The names in a tree."""
    match tree:
        case Symbol(name):
            return {name}
        case Apply(_, arguments):
            return set().union(*map(symbols, arguments))
        case _:
            return set()


def without_powers(tree: Tree) -> Tree:
    """Powers as repeated products: SMT-LIB has none."""
    match tree:
        case Apply("^", (base, exponent)) if isinstance(exponent, fmpq):
            return Apply("*", (without_powers(base),) * int(exponent.p))
        case Apply(operator, arguments):
            return Apply(operator, tuple(map(without_powers, arguments)))
        case _:
            return tree
