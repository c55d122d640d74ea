"""Deliberate bugs in the front end, which the deep check shares with everything else.

With each bug, dipc calls a program private that violates its claim (or that has a loop which does not
terminate for every eps), and ``dipc verify`` agrees.  The second reader must find it.  An ordinary test
catches each bug as well: to run these tests, each with its bug injected, use
``python tests/dipwhile/syntax/test_deliberate_bugs.py`` (about a minute).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq
from lark import Token, v_args
from lark.tree import Meta
from reader import plain, read

import dipc
from dipc.dipwhile.syntax import ast, build, parser, tables
from dipc.dipwhile.syntax.build import Builder
from dipc.errors import DipcError, Source

ASSEMBLE, NOISE_PARAMETERS = build.assemble, build.noise_parameters

ROOT = Path(__file__).parents[3]

# --- the bugs ------------------------------------------------------------------------------------------

Injection = Callable[[pytest.MonkeyPatch], None]


def grammar_with(*changes: tuple[str, str]) -> Injection:
    """The parser of a changed grammar."""

    def inject(patch: pytest.MonkeyPatch) -> None:
        grammar = tables.GRAMMAR.read_text(encoding="utf-8")
        for old, new in changes:
            assert grammar.count(old) == 1, old
            grammar = grammar.replace(old, new)
        patch.setattr(parser, "_lark", cache(lambda: tables.built(grammar)))

    return inject


def builder(kind: type[Builder]) -> Injection:
    """A builder with one wrong method."""
    return lambda patch: patch.setattr(parser, "Builder", v_args(inline=True, meta=True)(kind))


def scale_is_a_rate(patch: pytest.MonkeyPatch) -> None:
    """``Lap(scale = s, mean = m)`` has the rate s."""

    def wrong(kind: str, place: Any, arguments: list[Any]) -> Any:
        renamed = [("rate" if keyword == "scale" else keyword, *rest) for keyword, *rest in arguments]
        return NOISE_PARAMETERS(kind, place, renamed)  # type: ignore[arg-type]

    patch.setattr(build, "noise_parameters", wrong)


def exponents_lose_their_sign(patch: pytest.MonkeyPatch) -> None:
    """``1e-3`` is 1000."""
    right = build.rational
    patch.setattr(build, "rational", lambda digits, span: right(digits.replace("e-", "e"), span))


def less_or_equal_is_less(patch: pytest.MonkeyPatch) -> None:
    """``<=`` is ``<``."""
    patch.setitem(build.OPERATORS, "<=", ast.Op.LT)


def the_last_statement_is_lost(patch: pytest.MonkeyPatch) -> None:
    """A program without its last line."""
    patch.setattr(build, "assemble", lambda items, span: ASSEMBLE(items[:-1], span))


class WithoutElif(Builder):
    def if_(self, meta: Meta, first: Any, *parts: Any) -> ast.If:
        return super().if_(meta, first, parts[-1])


class LinfIsHamming(Builder):
    def named_adjacency(self, meta: Meta, kind: Token, distance: ast.Expr | None) -> ast.Adjacency:
        return super().named_adjacency(meta, Token("METRIC", kind.replace("linf", "hamming")), distance)


class FirstLinkOnly(Builder):
    def chain(self, meta: Meta, *parts: Any) -> ast.Expr:
        return super().chain(meta, *parts[:3])


class OpenEnd(Builder):
    def interval(self, meta: Meta, opening: Token, low: ast.Expr, high: Any, closing: Token) -> ast.Interval:
        return super().interval(meta, opening, low, high, Token("RPAR", ")"))


class ShortRanges(Builder):
    def for_(self, meta: Meta, variable: Token, low: ast.Expr, high: ast.Expr, body: ast.Block) -> ast.For:
        one = ast.Number(fmpq(1), span=high.span)
        shorter = ast.Binary(ast.Op.SUB, high, one, span=high.span)
        return super().for_(meta, variable, low, shorter, body)


class WithoutPrimes(Builder):
    def name(self, meta: Meta, name: Token) -> ast.Name:
        return super().name(meta, Token("NAME", name.rstrip("'")))


# --- programs that show them ---------------------------------------------------------------------------

HEAD = "input q in {0, 1}; output o in {0, 1} = 0; adjacent all; private eps\n"


@dataclass(frozen=True)
class Bug:
    """What is wrong, the bug itself, a program that is private only with it, and the test that fails."""

    wrong: str
    inject: Injection
    program: str
    caught: str
    otherwise: str = "violated"

    def __str__(self) -> str:
        return self.wrong


PARSER = "dipwhile/syntax/test_parser.py"
BUGS = [
    Bug(
        "`scale =` is read as a rate",
        scale_is_a_rate,
        HEAD + "x <- DLap(scale = eps, mean = q); if x >= 1 then o <- 1 end",
        f"{PARSER}::test_scale_becomes_a_rate",
    ),
    Bug(
        "every `elif` is dropped",
        builder(WithoutElif),
        HEAD + "if q > 1 then o <- 0 elif q = 1 then o <- 1 else o <- 0 end",
        "test_programs.py::test_header_and_expected_verdict",
    ),
    Bug(
        "`linf` is read as `hamming`",
        builder(LinfIsHamming),
        "input q[2] in {0, 1}; output o[2] in {0, 1} = 0; adjacent linf 1; private eps\n"
        "for i in 1..2 do x <- DLap(eps, q[i]); if x >= 1 then o[i] <- 1 end end",
        "test_programs.py::test_smallest_counterexample",
    ),
    Bug(
        "`<=` is read as `<`",
        less_or_equal_is_less,
        HEAD + "if q <= 0 then o <- 1 end",
        f"{PARSER}::test_two_spellings_of_one_program",
    ),
    Bug(
        "unary minus binds tighter than `^`",
        grammar_with(
            (
                "?factor: MINUS factor                                     -> unary\n"
                "       | primary\n"
                "       | primary POWER factor ",
                "?signed: MINUS signed -> unary\n       | primary\n?factor: signed\n"
                "       | signed POWER factor ",
            )
        ),
        HEAD + "if -q^2 < 0 then o <- 1 end",
        f"{PARSER}::test_power_binds_tighter_than_minus_and_to_the_right",
    ),
    Bug(
        "`or` binds tighter than `and`",
        grammar_with(
            ("| expression OR conjunction", "| expression AND conjunction"),
            ("| conjunction AND negation", "| conjunction OR negation"),
        ),
        HEAD + "if q = 1 or q = 0 and q > 1 then o <- 1 end",
        f"{PARSER}::test_two_spellings_of_one_program",
    ),
    Bug(
        "`-` associates to the right",
        grammar_with(("| arith (PLUS | MINUS) term ", "| term (PLUS | MINUS) arith ")),
        HEAD + "if 1 - q - 1 < 0 then o <- 1 end",
        f"{PARSER}::test_two_spellings_of_one_program",
    ),
    Bug(
        "`a < b < c` keeps its first link only",
        builder(FirstLinkOnly),
        HEAD + "if 0 <= q <= 0 then o <- 1 end",
        f"{PARSER}::test_two_spellings_of_one_program",
    ),
    Bug(
        "the closed end of `eps in (0, 1]` is open",
        builder(OpenEnd),
        "input q in {0, 1}; output o in {0, 1} = 0; adjacent all; private eps for eps in (0, 1]\n"
        "go <- 1\nwhile go = 1 do o <- choose({0: 1/2, 1: 1/2}); go <- choose({0: 1 - eps, 1: eps}) end",
        f"{PARSER}::test_claims",
        otherwise="refused",
    ),
    Bug(
        "`for` omits the last number of its range",
        builder(ShortRanges),
        HEAD + "for i in 0..1 do if q = i and i = 1 then o <- 1 end end",
        f"{PARSER}::test_the_normative_example",
    ),
    Bug(
        "`1e-3` is read as `1e3`",
        exponents_lose_their_sign,
        HEAD + "if q > 1e-3 then o <- 1 end",
        f"{PARSER}::test_two_spellings_of_one_program",
    ),
    Bug(
        "`q'` loses its prime, `q'[1]` does not",
        builder(WithoutPrimes),
        "input q in 0..2, r[1] in {0}; output o in {0, 1} = 0; adjacent q + q' = 2 and r[1] = r'[1]\n"
        "private eps\n"
        "x <- DLap(eps, q); if x >= 1 then o <- 1 end",
        "dipwhile/semantics/test_adjacency.py::test_neighbours_are_those_of_the_oracle",
    ),
    Bug(
        "a comment swallows the next line",
        grammar_with((r"#[^\n]*/", r"#[^\n]*(?:\n[^\n]*)?/")),
        HEAD + "o <- 0  # at first\no <- q",
        f"{PARSER}::test_the_normative_example",
    ),
    Bug(
        "the last statement is lost",
        the_last_statement_is_lost,
        HEAD + "o <- 0\no <- q",
        f"{PARSER}::test_the_normative_example",
    ),
]


def status_of(text: str) -> str:
    try:
        return dipc.load(text).check().status
    except DipcError:
        return "refused"


@pytest.mark.parametrize("bug", BUGS, ids=str)
def test_the_second_reader_finds_it(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    assert status_of(bug.program) == bug.otherwise
    bug.inject(monkeypatch)
    assert status_of(bug.program) == "private"
    assert read(bug.program) != plain(parser.parse(Source("p.dip", bug.program)))


def test_without_a_bug_the_readers_agree() -> None:
    """The differences are due to the bugs, not to the constructs."""
    for bug in BUGS:
        assert read(bug.program) == plain(parser.parse(Source("p.dip", bug.program)))


# --- the ordinary tests --------------------------------------------------------------------------------


def main(numbers: list[str]) -> int:
    """Run the ordinary test of a bug; without a number, of every bug, each in a process of its own."""
    if numbers:
        bug = BUGS[int(numbers[0])]
        bug.inject(pytest.MonkeyPatch())
        options = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
        return pytest.main([*options, *(numbers[1:] or [str(ROOT / "tests" / bug.caught)])])
    missed = 0
    for number, bug in enumerate(BUGS):
        run = subprocess.run([sys.executable, __file__, str(number)], capture_output=True, text=True)
        caught = run.returncode == pytest.ExitCode.TESTS_FAILED
        print("caught" if caught else "NOT CAUGHT", bug.wrong, bug.caught, sep="  ")
        missed += not caught
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
