"""The parser that builds at once, against lark's own trees and transformer."""

from __future__ import annotations

import random

import pytest
from lark.exceptions import UnexpectedCharacters

from dipc.dipwhile.syntax import lexer, machine, parser
from dipc.dipwhile.syntax.build import Builder
from dipc.dipwhile.syntax.layout import layout
from dipc.dipwhile.syntax.names import check_names, collect_names
from dipc.errors import InputError, Source
from dipc.models.arithmetic import lexed
from dipc.shipped import paths, source_of


def by_lark(source: Source, start: str) -> str:
    lark = parser._lark()
    return repr(parser.explained(lark, start, layout(lexed(lark, source.text)), Builder(source)))


def at_once(source: Source, start: str) -> str:
    lark = parser._lark()
    return repr(machine.built(lark, start, layout(lexer.tokens(lark, source.text)), Builder(source)))


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
        return True
    return ours == [(token.type, str(token), token.start_pos, token.end_pos) for token in lexed(lark, text)]


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
