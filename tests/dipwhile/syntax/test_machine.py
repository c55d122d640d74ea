"""The parser that builds at once, against lark's own trees and transformer."""

from __future__ import annotations

import random
from typing import Any

import pytest
from lark.exceptions import UnexpectedCharacters

from dipc.dipwhile.syntax import lexer, machine, parser
from dipc.dipwhile.syntax.ast import Expr, Node
from dipc.dipwhile.syntax.build import Builder
from dipc.dipwhile.syntax.layout import WORDS, layout
from dipc.dipwhile.syntax.names import check_names, collect_names
from dipc.dipwhile.syntax.pieces import Piece, pieces
from dipc.dipwhile.syntax.walk import operands, parts, preorder
from dipc.errors import InputError, Source
from dipc.models.arithmetic import lexed
from dipc.shipped import paths, source_of


def by_lark(source: Source, start: str) -> str:
    lark = parser._lark()
    return shown(parser.explained(lark, start, layout(lexed(lark, source.text)), Builder(source)).tree)


def at_once(source: Source, start: str) -> str:
    lark = parser._lark()
    return shown(machine.built(lark, start, layout(pieces(lark, source.text)), Builder(source)).tree)


def shown(tree: Any) -> str:
    """A tree with the place of every node in the text."""
    nodes = preorder(tree, parts) if isinstance(tree, Node) else ()
    return "\n".join([repr(tree), *(f"{node.span.start} {node.span.end}" for node in nodes)])


def same_tokens(text: str) -> bool:
    """Whether the lexer finds lark's tokens; it may refuse what lark and the check of spelling refuse."""
    lark = parser._lark()
    try:
        ours = [
            (token.type, str(token), token.start_pos, token.end_pos) for token in lexer.tokens(lark, text)
        ]
    except lexer.Rejected:
        with pytest.raises((UnexpectedCharacters, InputError)):
            list(parser.spelt(lexed(lark, text), Source("<text>", text)))
        with pytest.raises(lexer.Rejected):
            list(pieces(lark, text))
        return True
    same = ours == [(token.type, str(token), token.start_pos, token.end_pos) for token in lexed(lark, text)]
    return same and in_pieces(text) == [token for token in ours if token[0] != "_SEP"]


def in_pieces(text: str) -> list[tuple[str, str, int | None, int | None]]:
    """The tokens of the pieces of a text, without separators and what is a word by its place."""
    found = pieces(parser._lark(), text)
    tokens = (one for token in found for one in (token.tokens() if isinstance(token, Piece) else (token,)))
    names = dict.fromkeys(WORDS, "NAME")
    return [
        (names.get(token, token.type), str(token), token.start_pos, token.end_pos)
        for token in tokens
        if token.type != "_SEP"
    ]


@pytest.mark.parametrize("name", paths())
def test_tokens_of_shipped_programs(name: str) -> None:
    assert same_tokens(source_of(name).text)


@pytest.mark.parametrize("seed", range(40))
def test_random_tokens(seed: int) -> None:
    chance = random.Random(seed)
    pieces = [
        *"xyz'()[]{}<>=:;.,+-*/^!≠≤≥←ε²µ#$ 0123\n\r\t",
        "if",
        "ifs",
        "1.5",
        "1e-3",
        "..",
        "<-",
        "q'",
        "and",
        "; x12 <- 0.5\n",
    ]
    for _ in range(20):
        some = pieces if chance.random() < 1 / 2 else [piece for piece in pieces if piece not in "²µ!$.'"]
        assert same_tokens("".join(chance.choices(some, k=chance.randint(1, 30))))


def test_misspelt_names_are_refused() -> None:
    for name, meant in (("x²", "x2"), ("µ", "mu"), ("ϵ", "eps")):
        with pytest.raises(InputError, match="look like others") as error:
            parser.parse(Source("<text>", f"output b in {{0}}; {name} <- 1; b <- 0"))
        assert meant in error.value.hint


@pytest.mark.parametrize("name", paths())
def test_shipped_programs(name: str) -> None:
    source = source_of(name)
    assert at_once(source, "program") == by_lark(source, "program")  # with every place in the text


WHOLE = (
    *(
        "x <- 1",
        "x <- -1.5 + y*(z - 2)",
        "y <- not b",
        "z <- a[i + 1] < 2 = b",
        "x <- max(a, (b), 2)",
        "",
        "exit",
    ),
    *(
        "x <- Lap(scale = 2/eps, mean = q)",
        "b <- flip(1/2)",
        "x <- choose {0: 1/2, 1: 1/2,}",
        "x <- uniform 1..3",
    ),
    *(
        "a[2] <- sum(i in 1..3: q[i])",
        "if b then exit end",
        "x <- " + " + ".join("abcdefghijklmnopqrstuvwxyz"),
    ),
)
OPENING = ("if x > 1 then", "for i in 1..3 do", "while b do", "if not b then x <- 1 else", "if b then else")
BROKEN = (
    "x <-",
    "<- 1",
    "else",
    "elif b then",
    "end",
    "while x < 3 do",
    "x <- 1 y",
    "end end",
    "if b then end (",
)


@pytest.mark.parametrize("seed", range(60))
def test_lines_said_again(seed: int) -> None:
    """Programs of the same few lines, with and without a meaning: runs of tokens are looked at once only."""
    chance = random.Random(seed)
    some = chance.sample(WHOLE, 4) + (chance.sample(BROKEN, 1) if seed % 4 == 0 else [])
    lines = [chance.choice(some) for _ in range(12)]
    for word in OPENING:
        start = chance.randrange(len(lines))
        lines[start:start] = [word, chance.choice(WHOLE), chance.choice(some), "end"]
    source = Source("<text>", chance.choice("\n;").join(lines))
    try:
        expected = by_lark(source, "program")
    except InputError:
        with pytest.raises((InputError, lexer.Rejected)):
            at_once(source, "program")
    else:
        assert at_once(source, "program") == expected


def depth(tree: Any) -> int:
    """How many levels of nodes are in a tree, a chain of operators being one."""
    inside = operands(tree) if isinstance(tree, Expr) else parts(tree)
    return 1 + max(map(depth, inside), default=0)


@pytest.mark.parametrize(
    "text",
    (
        "x <- 1",
        "x <- -(-(-(1 + 2*3)))",
        "x <- a < b < c and not b",
        "if b then if b then if b then exit end end end",
    ),
)
def test_rules_are_nested_half_as_deep_as_nodes_at_least(text: str) -> None:
    """So a tree of rules that are not nested deep is not looked at again: see ``parser.SHALLOW``."""
    lark = parser._lark()
    source = Source("<text>", text)
    made = machine.built(lark, "program", layout(pieces(lark, text)), Builder(source))
    assert depth(made.tree) <= 2 * made.depth


@pytest.mark.parametrize("start", ["claim", "expression", "valuation"])
def test_other_texts(start: str) -> None:
    texts = {
        "claim": ("eps", "eps/2, exp(-2) for eps in (0, 1]", "(eps)", "2*(eps + 1) for eps in [1, inf)"),
        "expression": ("1", "((a))", "-(1 - x[i + 1])^2", "max(a, b, (c))", "sum(i in 1..3: q[i]) < 2 = b"),
        "valuation": ("q = [0, -1/2]; x = top", "q = 1", "", "a = [1], b = 2"),
    }
    for text in texts[start]:
        source = Source("<text>", text)
        try:
            expected = by_lark(source, start)
        except InputError:
            with pytest.raises((InputError, lexer.Rejected)):
                at_once(source, start)
        else:
            assert at_once(source, start) == expected


@pytest.mark.parametrize("seed", range(40))
def test_broken_programs(seed: int) -> None:
    """Programs without some of their words: both refuse them, or both give the same."""
    chance = random.Random(seed)
    words = source_of(chance.choice(list(paths()))).text.split(" ")
    for _ in range(chance.choice((1, 1, 3))):
        del words[chance.randrange(len(words))]
    source = Source("<text>", " ".join(words))
    try:
        expected = by_lark(source, "program")
    except InputError as error:
        with pytest.raises(InputError) as other:
            parser._parse(source, "program")
        assert str(other.value) == str(error)
    else:
        assert at_once(source, "program") == expected


@pytest.mark.parametrize("size", [2_000, 20_000])
def test_work_is_linear(size: int) -> None:
    """The names of a program are looked up, not gone through: a set is made once."""
    text = "output out in {0}\n" + "".join(f"x{i} <- 0\n" for i in range(size)) + "out <- 0\n"
    program = parser.parse(Source("<text>", text))
    names = collect_names(program)
    check_names(program, names)
    assert names.everything is names.everything and names.variables is names.variables
