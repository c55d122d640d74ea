"""The kept parser tables: the same parser, and never a reason to fail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lark import Lark

from dipc.dipwhile.syntax import tables
from dipc.dipwhile.syntax.parser import GRAMMAR, STARTS

TEXT = GRAMMAR.read_text(encoding="utf-8")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    return tmp_path / "dipc"


def refuse(*arguments: object, **more: object) -> None:
    raise AssertionError("built anew")


def lexed(parser: Lark) -> list[tuple[str, str]]:
    return [
        (token.type, str(token)) for token in parser.lex("x <- 1 # c\nprivate eps/2, 1e-3 for eps in (0, 1]")
    ]


def test_the_second_time_they_are_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tables.parser(TEXT, STARTS)
    (file,) = cache.iterdir()
    assert file.suffix == ".tables"
    monkeypatch.setattr(Lark, "save", refuse)
    read = tables.parser(TEXT, STARTS)
    assert read is not built
    assert lexed(read) == lexed(built)
    assert read.parse("x", start="expression") == built.parse("x", start="expression")


def test_another_grammar_has_other_tables(cache: Path) -> None:
    assert tables.cache_file(TEXT, STARTS) != tables.cache_file(TEXT + "\n", STARTS)
    assert tables.cache_file(TEXT, STARTS) != tables.cache_file(TEXT, STARTS[:1])


@pytest.mark.parametrize("content", [b"", b"\x80", b"not tables", b"\x80\x05N."])
def test_a_broken_file_is_replaced(cache: Path, content: bytes) -> None:
    path = tables.cache_file(TEXT, STARTS)
    path.parent.mkdir()
    path.write_bytes(content)
    lexed(tables.parser(TEXT, STARTS))
    assert len(path.read_bytes()) > 10_000


def test_no_place_to_write(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.write_text("a file, no folder", encoding="utf-8")
    lexed(tables.parser(TEXT, STARTS))
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    lexed(tables.parser(TEXT, STARTS))


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    lexed(tables.parser(TEXT, STARTS))
