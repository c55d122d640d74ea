"""What the parser accepts, and that it never fails in an unfriendly way."""

from __future__ import annotations

import random

import pytest
from campaigns import many
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Token

from dipc.dipwhile.syntax.ast import (
    Assign,
    Binary,
    Name,
    Noise,
    Number,
    Op,
    Program,
    Range,
    Uniform,
)
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.layout import layout
from dipc.dipwhile.syntax.mistakes import brackets
from dipc.dipwhile.syntax.parser import parse, parse_claim, parse_expression, parse_valuation, raw_tokens
from dipc.dipwhile.syntax.printer import show_program
from dipc.dipwhile.syntax.situation import Situation, depths
from dipc.errors import DipcError, InputError, Source
from dipc.excerpts import MOST
from dipc.models.values import Atom

NORMATIVE = """\
# Sparse Vector Technique, Lyu/Su/Li Algorithm 1
param  N = 3, c = 1, T = 0, Delta = 1          # rational constants; overridden by  -D N=4
input  q[N] in {-1, 0, 1}                      # private; arrays are indexed from 1; also  in -1..1
output out[N] in {bot, top} = bot              # public; "= v" is the start value
adjacent linf 1                                # |q[i]-q'[i]| <= 1 for all i
private eps for eps in (0, inf)

rT <- Lap(eps/(2*Delta), T)
count <- 0
for i in 1..N do
  r <- Lap(eps/(4*c*Delta), q[i])
  b <- r >= rT
  if b then
    out[i] <- top; count <- count + 1
    if count >= c then exit end
  else
    out[i] <- bot
  end
end
"""


def program(text: str) -> Program:
    return parse(Source("p.dip", text))


def value(text: str) -> object:
    """The right-hand side of the only statement."""
    (statement,) = program(text).body
    assert isinstance(statement, Assign)
    return statement.value


def test_the_normative_example() -> None:
    parsed = program(NORMATIVE)
    assert [param.name for param in parsed.params] == ["N", "c", "T", "Delta"]
    assert len(parsed.body) == 3
    assert len(read(Source("p.dip", NORMATIVE)).code) == 30


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x <- 1; y <- 2", "x <- 1\ny <- 2"),
        ("x <- 1\r\ny <- 2\r\n", "x <- 1\ny <- 2"),
        ("\n;;x <- 1;\n\n", "x <- 1"),
        ("x := 1", "x <- 1"),
        ("x ← 1", "x <- 1"),
        ("x <- Lap(ε, 0)", "x <- Lap(eps, 0)"),
        ("x <- a ≤ b and c ≥ d and e ≠ f", "x <- a <= b and c >= d and e != f"),
        ("x <- a < b < c", "x <- a < b and b < c"),
        ("x <- a or b and c", "x <- a or (b and c)"),
        ("x <- a - b - c", "x <- (a - b) - c"),
        ("x <- (1 +\n 2)", "x <- (1 + 2)"),
        ("x <- a\nand b or\nc", "x <- a and b or c"),
        ("x <- max(a,\n b)", "x <- max(a, b)"),
        ("input a in {0,\n1},\nb in 0..1", "input a in {0, 1}\ninput b in 0..1"),
        ("param a = 1, b = 2", "param a = 1\nparam b = 2"),
        (
            "if q = 0 then b <- flip(1/2) else b <- true end",
            "if q = 0\nthen\nb <- flip(1/2)\nelse\nb <- true\nend",
        ),
        ("while a\ndo\nend", "while a do end"),
        ("x <- Lap(scale = 2/eps, mean = q)", "x <- Lap(mean = q, scale = 2/eps)"),
        ("x <- Lap(rate = eps, mean = q)", "x <- Lap(eps, q)"),
        ("x <- Lap(eps, mean = q)", "x <- Lap(eps, q)"),
        ("x <- uniform({0, 1})", "x <- uniform {0, 1}"),
        ("x <- uniform (1..3)", "x <- uniform 1..3"),
        ("x <- choose({0: 1/2, 1: 1/2})", "x <- choose {\n0: 1/2,\n1: 1/2,\n}"),
        ("x <- 0.25", "x <- 25e-2"),
        ("\tx <- 1 # comment ; \n# another", "x <- 1"),
    ],
)
def test_two_spellings_of_one_program(one: str, other: str) -> None:
    assert program(one) == program(other)


def test_scale_becomes_a_rate() -> None:
    assert value("x <- Lap(scale = 2/eps, mean = 0)") == Noise(
        "Lap",
        Binary(Op.DIV, Number(fmpq(1)), parse_expression("2/eps")),
        Number(fmpq(0)),
    )


def test_ranges_and_decimals_do_not_meet() -> None:
    assert value("x <- uniform 1..N") == Uniform(Range(Number(fmpq(1)), Name("N")))


def test_words_are_names_elsewhere() -> None:
    assert program("count <- 1; all <- 2; l1 <- 3; mean <- 4; sum <- count").body


def test_valuations() -> None:
    assert parse_valuation("q=[0,1,1]") == {"q": (fmpq(0), fmpq(1), fmpq(1))}
    assert parse_valuation("q = [bot, top]; x = -1/2") == {"q": (Atom("bot"), Atom("top")), "x": fmpq(-1, 2)}
    assert parse_valuation("x=0.5, y=true") == {"x": fmpq(1, 2), "y": Atom("true")}
    assert parse_valuation("q=(0, 1), r=(2)") == {"q": (fmpq(0), fmpq(1)), "r": (fmpq(2),)}


@pytest.mark.parametrize("text", ["q", "q=", "q=[0", "x=1; x=2", "x=1/0", "q=[]", "", "x = 1 + 1"])
def test_broken_valuations(text: str) -> None:
    with pytest.raises(InputError):
        parse_valuation(text)


def test_spans() -> None:
    text = "output b in {0, 1}\nb <- (1 + 22)*3"
    (statement,) = program(text).body
    assert isinstance(statement, Assign)
    assert isinstance(statement.value, Binary)
    assert statement.value.right.span.place == "p.dip:2:15"
    assert text[statement.value.left.span.start : statement.value.left.span.end].strip("()") == "1 + 22"


# --- long and deep ---------------------------------------------------------------------------


def test_five_thousand_statements() -> None:
    text = "output b in {0, 1} = 0\n" + "x <- 1\n" * 5000
    assert len(read(Source("p.dip", text)).code) == 5001
    assert program(show_program(program(text))) == program(text)


@pytest.mark.parametrize(
    "text",
    [
        "x <- " + "(" * 5000 + "1" + ")" * 5000 + "+ y",
        "x <- " + "(" * 3000 + "1",
        "x <- 1" + "^1" * 3000,
        "b <- " + "forall i in 1..1: " * 3000 + "true",
        "x <- " + "-" * 5000 + "1",
        "x <- " + "1 + (" * 3000 + "1" + ")" * 3000,
        "x <- " + "not " * 3000 + "true",
        "x <- " + "a[" * 3000 + "1" + "]" * 3000,
        "if true then\n" * 3000 + "x <- 1\n" + "end\n" * 3000,
        "x <- 1" + "0" * 5000,
        "x <- 1e999999999",
        "x <- 2^(10^9)",
        "x <- ((2^1000)^1000)^1000",
        "for i in 1..10^9 do for j in 1..10^9 do end end",
        "x <- sum(i in 1..10^9: i)",
        "x <- sum(i in 1..1000: sum(j in 1..1000: sum(k in 1..1000: i*j*k)))",
        "if" * 3000,
        "else " * 3000,
    ],
    ids=range(18),
)
def test_no_text_is_too_large_to_refuse(text: str) -> None:
    with pytest.raises(DipcError) as caught:
        read(Source("p.dip", "output b in {0, 1} = 0\n" + text))
    assert len(str(caught.value)) <= MOST


# --- robustness ------------------------------------------------------------------------------


@settings(max_examples=many(30, campaign=1000), deadline=None)
@given(st.text(max_size=60))
def test_any_text_raises_dipc_errors_only(text: str) -> None:
    for reader in (lambda t: read(Source("p.dip", t)), parse_claim, parse_expression, parse_valuation):
        try:
            reader(text)
        except DipcError as error:
            assert str(error)


DECLARED = "output o in {0, 1}\no <- 0\nx <- 0\nb <- true\n"

NESTED = {
    "branches": (99, lambda n: "if x > 0 then " * n + "x <- 1" + " end" * n),
    "loops": (
        99,
        lambda n: "".join(f"for i{k} in 1..1 do " for k in range(n)) + "x <- 1" + " end" * n,
    ),
    "signs": (199, lambda n: "x <- " + "-" * n + "x"),
    "negations": (199, lambda n: "b <- " + "not " * n + "b"),
    "calls": (199, lambda n: "x <- " + "abs(" * n + "x" + ")" * n),
    "second arguments": (199, lambda n: "x <- " + "max(1, " * n + "x" + ")" * n),
    "comparisons": (198, lambda n: "b <- " + "not (" * n + "x > 1" + ")" * n),
}
"""How often something is nested at most, and the text."""


@pytest.mark.parametrize("what", NESTED)
def test_the_deepest_nesting_is_read_and_no_level_more(what: str) -> None:
    most, text = NESTED[what]
    read(Source("<text>", DECLARED + text(most)))
    with pytest.raises(InputError, match="levels deep"):
        read(Source("<text>", DECLARED + text(most + 1)))


@pytest.mark.parametrize("seed", range(30))
def test_unclosed_brackets(seed: int) -> None:
    """The bracket of the message is the last one after which the brackets never close, comments aside."""
    chance = random.Random(seed)
    text = "output b in {0}\nx <- " + "".join(chance.choices("((()) 1+", k=12))
    tokens = list(layout(raw_tokens(text)))
    end = Token("$END", "", len(text), end_pos=len(text))
    situation = Situation(Source("<text>", text), tokens, end, frozenset())
    expected = [b for b in situation.brackets if 0 not in depths(text[b.start_pos :])]
    found = [error.span.start for error in brackets(situation) if error.span is not None]
    assert found[:1] == [bracket.start_pos for bracket in expected[-1:]]  # the first error counts
