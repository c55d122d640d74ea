"""Printing and parsing are inverse to each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import many
from dipwhile.syntax.programs import EXPRESSIONS, PROGRAMS
from flint import fmpq
from hypothesis import assume, given, settings

from dipc.dipwhile.syntax.ast import Expr, Number, Program
from dipc.dipwhile.syntax.parser import parse, parse_expression
from dipc.dipwhile.syntax.printer import show_expr, show_program
from dipc.errors import Source

SHIPPED = sorted((Path(__file__).parents[3] / "programs").glob("**/*.dip"))


@settings(max_examples=many(32, campaign=2000), deadline=None)
@given(EXPRESSIONS)
def test_expression_round_trip(expr: Expr) -> None:
    assert parse_expression(show_expr(expr)) == expr


@settings(max_examples=many(20, campaign=1000), deadline=None)
@given(PROGRAMS)
def test_program_round_trip(program: Program) -> None:
    assume(program.body or program.params or program.inputs or program.outputs)
    assert parse(Source("p.dip", show_program(program))) == program


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_programs_round_trip(path: Path) -> None:
    program = parse(Source(path.name, path.read_text(encoding="utf-8")))
    shown = show_program(program)
    assert parse(Source(path.name, shown)) == program
    assert show_program(parse(Source(path.name, shown))) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("((a + b) + c)", "a + b + c"),
        ("a + (b + c)", "a + (b + c)"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a*b)/c", "a*b/c"),
        ("-(a^2)", "-a^2"),
        ("(-a)^2", "(-a)^2"),
        ("2^(3^4)", "2^3^4"),
        ("(2^3)^4", "(2^3)^4"),
        ("not (a and b)", "not (a and b)"),
        ("not (a = b)", "not a = b"),
        ("(a < b) = c", "(a < b) = c"),
        ("a < b < c", "a < b and b < c"),
        ("(forall i in 1..3: a) and b", "(forall i in 1..3: a) and b"),
        ("0.250", "0.25"),
        ("1e-3", "0.001"),
    ],
)
def test_minimal_parentheses(written: str, shown: str) -> None:
    assert show_expr(parse_expression(written)) == shown


def test_numbers_without_a_finite_decimal() -> None:
    third = Number(fmpq(-1, 3))
    assert show_expr(third) == "-1/3"
