"""A claim in SMT-LIB 2: one query per different inequality.

A query asks for a budget that breaks the inequality: ``unsat`` is a proof.  Solvers reason better about one
variable z = exp(eps/u) than about many exponentials, so the queries are polynomial inequalities in eps and z,
both sides multiplied by the (positive) denominators.
"""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from dipc.dipwhile.export.questions import ClaimExport, Inequality, requirement_text
from dipc.export.operators import EPS, GENERATORS, Apply, Style, Tree, condition, write
from dipc.export.smtlib import SMTLIB, STRICT
from dipc.numbers.polynomial import common_unit
from dipc.signs.inequality import Fails, Holds, Unclear

EXPECTED = {Holds: "unsat", Fails: "sat", Unclear: "unknown"}


def smtlib(question: ClaimExport) -> str:
    """All queries, each between ``push`` and ``pop``."""
    lines = [f"; {line}" for line in question.heading()]
    lines += [
        "; each query asks for a budget that breaks one inequality: unsat means that it holds",
        STRICT,
        "(set-logic ALL)",
        "(declare-const eps Real)",
        f"(assert {write(condition(question.goal.budgets), SMTLIB)})",
    ]
    for place, requirement in enumerate(question.requirements, start=1):
        lines += ["", *_query(place, requirement)]
    return "\n".join(lines) + "\n"


def _query(number: int, requirement: Inequality) -> Iterator[str]:
    f = requirement.function
    unit = common_unit(f)
    yield f"; {number}. {requirement_text(requirement)}"
    yield f"; dipc: {EXPECTED[type(requirement.answer)]}"
    yield "(push 1)"
    inverse = Apply("/", (fmpq(1), Apply("*", (fmpq(unit), EPS))))
    exponents: tuple[Tree, ...] = Apply("/", (EPS, fmpq(unit))), fmpq(1, unit), inverse
    rates = zip(*(term[2:] for term in f.terms()), strict=True)
    for name, exponent, occurring in sorted(zip(GENERATORS, exponents, rates, strict=False)):
        if any(occurring):
            yield f"(declare-const {name} Real)"
            yield f"(assert (= {name} {write(Apply('exp', (exponent,)), SMTLIB)}))"
            yield f"(assert (> {name} 1)) ; follows, and helps solvers"
    yield f"(assert {write(Apply('<', (Style(unit).polynomial(f), fmpq(0))), SMTLIB)})"
    yield "(check-sat)"
    yield "(pop 1)"
