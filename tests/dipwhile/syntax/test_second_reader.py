"""The second reader reads what the parser reads: shipped, random, scribbled and damaged programs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from random import Random

import pytest
from campaigns import many
from dipwhile.syntax.programs import PROGRAMS
from dipwhile.syntax.scribble import scribbled
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reader import Refused, plain, read

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import InputError, Source

ROOT = Path(__file__).parents[3]
TEXTS = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("programs/**/*.dip"))]
TEXTS.append("""\
param p in (0, 1), N = 2, r in [0, 1 - p)
input q[N] in {0, 1}; output out in {0, 1}
prior belief
  q[1] <- choose {1: p, 0: 1 - p}; same <- flip(r)
  if same then q[2] <- q[1] else q[2] <- uniform {0, 1} end
end
prior
  for i in 1..N do q[i] <- 0 end
end
for i in 1..N do for j in 1..N do
  secret q[i] = 0 vs
    q[j] = 1
end; secret q[i] = 1 -> true end
secret sum(q) = 1 -> q[1] = 0
private ln(2)
for i in 1..N do if q[i] = 1 then out <- 1 end end
""")
TEXTS.append(
    "output o in {0, 1}; accurate o = 1 or o = 0,\n1/2 when true for eps in (0, 1]; "
    "accurate <- 0; o <- accurate"
)
PIECES = [
    " ",
    "\n",
    ";",
    "-",
    "'",
    "(",
    ")",
    "{",
    ",",
    "..",
    "=",
    "<",
    " not ",
    " in ",
    "1",
    "e",
    "x",
    "if ",
    "end ",
    " in reals",
    " in [0, 1]",
    " for all N",
    " vs ",
    "->",
    "secret ",
    "prior ",
]


def tree(text: str) -> object:
    """What the parser reads; None if it refuses."""
    try:
        return plain(parse(Source("p.dip", text)))
    except InputError:
        return None


def second(text: str) -> object:
    try:
        return read(text)
    except Refused:
        return None


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text.split("\n", 1)[0][:40])
def test_shipped_programs(text: str) -> None:
    assert read(text) == tree(text)


@settings(max_examples=many(30, campaign=1000))
@given(PROGRAMS, st.integers(0, 2**32))
def test_random_programs_and_layouts(program: ast.Program, seed: int) -> None:
    assume(program.body or program.params or program.inputs or program.outputs)
    assert read(scribbled(program, Random(seed))) == plain(program)


@settings(max_examples=many(50, campaign=2000))
@given(st.sampled_from(TEXTS), st.integers(0, 2**32))
def test_damaged_programs(text: str, seed: int) -> None:
    """A text that both read is read alike; what the parser refuses need not be refused here."""
    random = Random(seed)
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(text))
        text = (
            text[:place] + random.choice(PIECES) * random.randint(0, 1) + text[place + random.randint(0, 2) :]
        )
    known = tree(text)
    if known is not None:
        assert second(text) == known


PAIRS = [
    ("a <- b = c", "a <- b != c"),
    ("a <- Lap(scale = eps, mean = 0)", "a <- Lap(rate = eps, mean = 0)"),
    ("a <- -x^2", "a <- (-x)^2"),
    ("a <- x - y - z", "a <- x - (y - z)"),
    ("a <- x or y and z", "a <- (x or y) and z"),
    ("if x then a <- 1 elif y then a <- 2 end", "if x then a <- 1 end"),
    ("private eps for eps in (0, 1]; exit", "private eps for eps in (0, 1); exit"),
    ("adjacent linf 1; exit", "adjacent hamming 1; exit"),
    ("input q in reals; exit", "input q in integers; exit"),
    ("input reals in reals..3", "input reals in reals"),
    ("input q in [0, 1]", "input q in 0..1"),
    ("private eps for all N; exit", "private eps; exit"),
    ("private eps for eps in (0, 1) for all N, M; exit", "private eps for eps in (0, 1) for all N; exit"),
    ("a <- q'", "a <- q"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_different_programs_have_different_trees(one: str, other: str) -> None:
    assert read(one) == tree(one)
    assert read(other) == tree(other)
    assert read(one) != read(other)


@pytest.mark.parametrize(
    "claim",
    [
        "range 2*eps",
        "range (eps)",
        "range eps",
        "range range*eps",
        "renyi 2, eps for eps in (0, 1]",
        "range*eps, 1/range",
        "renyi",
    ],
)
def test_measures_of_claims(claim: str) -> None:
    text = f"param range = 2; output o in {{0}}; private {claim}; o <- 0"
    assert read(text) == tree(text)


def test_every_field_of_every_node_is_compared() -> None:
    """A field that :func:`plain` forgot would be compared by nobody."""
    nodes = [node for node in vars(ast).values() if isinstance(node, type) and issubclass(node, ast.Node)]
    assert len(nodes) > 25
    for node in nodes:
        names = [field.name for field in dataclasses.fields(node) if field.init and field.name != "span"]
        if node in (ast.Node, ast.Number):
            continue
        assert plain(node(*names)) == (node.__name__, *names)


@pytest.mark.parametrize(
    "text",
    [
        "a <- " + "(" * 5000 + "1" + ")" * 5000,
        "a <- " + "-" * 5000 + "1",
        "if x then " * 3000,
        "a <- 1e99999",
        "a",
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="line 1"):
        read(text)
