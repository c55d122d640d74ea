"""Syntax highlighting covers every keyword and sign of the grammar, without error tokens or drift."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import textmate
from campaigns import many
from dipwhile.syntax.programs import PROGRAMS
from hypothesis import given, settings
from pygments import lex
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Error, Keyword, Name, Operator, Token, Whitespace

from dipc.dipwhile.editors import words
from dipc.dipwhile.editors.pygments_lexer import DipLexer
from dipc.dipwhile.syntax.ast import Program
from dipc.dipwhile.syntax.functions import FUNCTIONS
from dipc.dipwhile.syntax.layout import METRICS, WORDS
from dipc.dipwhile.syntax.parser import raw_tokens
from dipc.dipwhile.syntax.printer import show_program
from dipc.dipwhile.syntax.tables import GRAMMAR
from dipc.shipped import paths

GRAMMAR_TEXT = re.sub(r"^\s*//.*$", "", GRAMMAR.read_text(encoding="utf-8"), flags=re.MULTILINE)
LITERALS = sorted(set(re.findall(r'"([^"]+)"', GRAMMAR_TEXT)))
KEYWORDS = sorted({text for text in LITERALS if text.isidentifier()} | set(WORDS))
SIGNS = [text for text in LITERALS if not text.isidentifier()]
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in paths().items()}


def kinds(text: str) -> list[tuple[object, str]]:
    return [(kind, piece) for kind, piece in lex(text, DipLexer(ensurenl=False)) if kind is not Whitespace]


def test_the_grammar_was_read() -> None:
    assert {"param", "Exp", "while", "eps", "Lap", "forall"} <= set(KEYWORDS)
    assert {"<-", ":=", "←", "≤", "..", "{"} <= set(SIGNS)


@pytest.mark.parametrize("word", KEYWORDS)
def test_every_keyword_is_highlighted(word: str) -> None:
    ((kind, piece),) = kinds(word)
    assert piece == word
    assert kind not in (Name, Error)
    assert scope_of(word) not in (None, "variable.other.dip")
    assert kinds(word + "x")[0][0] is Name, "a longer word is a name"
    assert kinds(word + "'")[0][0] is Name, "a primed word is a name"
    assert scope_of(word + "x") == scope_of(word + "'") == "variable.other.dip"


@pytest.mark.parametrize("sign", SIGNS)
def test_every_sign_is_highlighted(sign: str) -> None:
    ((kind, piece),) = kinds(sign)
    assert piece == sign
    assert kind is not Error
    assert scope_of(sign) is not None


def test_no_word_is_highlighted_that_the_language_does_not_have() -> None:
    known = {*words.DECLARATIONS, *words.CONTROL, *words.DISTRIBUTIONS, *words.LOGIC, *words.BUDGET, "inf"}
    assert known == set(KEYWORDS)


def test_functions() -> None:
    for function in FUNCTIONS:
        assert kinds(f"{function}(a)")[0] == (Name.Function, function)
        assert scope_of(function) == "variable.other.dip"
    assert kinds("max(a)")[0][0] is Name.Function
    assert kinds("max <- 1")[0][0] is Name


@pytest.mark.parametrize("metric", METRICS)
def test_metrics_are_words_after_adjacent_only(metric: str) -> None:
    assert kinds(f"adjacent {metric}")[1] == (Keyword.Type, metric)
    assert kinds(f"{metric} <- 1")[0] == (Name, metric)


def test_comments_and_budget() -> None:
    assert kinds("x # if ε <-")[1] == (Comment.Single, "# if ε <-")
    assert kinds("ε")[0][0] is kinds("eps")[0][0] is Name.Builtin.Pseudo
    assert kinds("a and b")[1][0] is Operator.Word


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_shipped_programs(name: str) -> None:
    agrees(TEXTS[name])


@settings(max_examples=many(30, campaign=600), deadline=None)
@given(PROGRAMS)
def test_random_programs(program: Program) -> None:
    agrees(show_program(program))


def agrees(text: str) -> None:
    """No error, nothing lost, and the tokens are those of the parser."""
    found = list(lex(text, DipLexer(stripnl=False, ensurenl=False)))
    assert "".join(piece for _, piece in found) == text
    assert not [piece for kind, piece in found if kind in Error]
    ours = [piece for kind, piece in found if kind is not Whitespace and kind not in Token.Comment]
    theirs = [str(token) for token in raw_tokens(text) if token.strip()]
    assert ours == theirs


# --- TextMate ------------------------------------------------------------------------------------


def scope_of(text: str) -> str | None:
    """What the TextMate grammar calls a whole text."""
    for pattern in textmate.grammar()["patterns"]:
        found = re.match(pattern["match"], text)
        if found and found.group():
            return pattern.get("name") if found.end() == len(text) else None
    return None


def test_the_file_is_up_to_date() -> None:
    assert textmate.FILE.read_text(encoding="utf-8") == textmate.text()
    assert json.loads(textmate.text())["scopeName"] == "source.dip"


def test_scopes() -> None:
    assert scope_of("12.5e-3") == "constant.numeric.dip"
    assert scope_of("# x") == "comment.line.number-sign.dip"
    assert scope_of("←") == "keyword.operator.assignment.dip"
    metric = textmate.grammar()["patterns"][0]
    assert re.match(metric["match"], "adjacent l1")
    assert not re.match(metric["match"], "adjacent l12")


def test_the_entry_point_is_declared() -> None:
    """What `pygmentize file.dip` looks up, if dipc is installed."""
    import tomllib

    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pygments.lexers"] == {
        "dip": "dipc.dipwhile.editors.pygments_lexer:DipLexer"
    }
    assert callable(get_lexer_for_filename)
