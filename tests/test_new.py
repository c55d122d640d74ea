"""``dipc new``: every template is a formatted program whose verdict is the expected one."""

from __future__ import annotations

from pathlib import Path

import pytest

import dipc
from dipc.cli.main import status
from dipc.dipwhile.commands.new import DEFAULT, templates
from dipc.dipwhile.syntax.format import formatted
from dipc.errors import Source
from dipc.shipped import expected_verdict

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("template", sorted(templates()))
def test_templates(template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["new", "mine", "--template", template]) == 0
    assert capsys.readouterr().out == "wrote mine.dip, and now: dipc check mine.dip\n"
    text = (tmp_path / "mine.dip").read_text(encoding="utf-8")
    assert "NAME" not in text
    assert text.startswith("# mine: ")
    assert text.count("#") >= 6, "a template explains itself"
    assert dipc.load(tmp_path / "mine.dip").check().status == expected_verdict(Source("mine.dip", text))
    raw = templates()[template].read_text(encoding="utf-8")
    assert formatted(Source(template, raw)) == raw


def test_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.dip").write_text("precious", encoding="utf-8")
    assert status(["new", "mine.dip"]) == 2
    assert "--force" in capsys.readouterr().err
    assert (tmp_path / "mine.dip").read_text(encoding="utf-8") == "precious"
    assert status(["new", "mine", "--force"]) == 0
    assert "precious" not in (tmp_path / "mine.dip").read_text(encoding="utf-8")


def test_names_with_spaces_and_folders(tmp_path: Path, capsys: Capture) -> None:
    assert status(["new", str(tmp_path / "my own")]) == 0
    assert "'" in capsys.readouterr().out
    assert (tmp_path / "my own.dip").read_text(encoding="utf-8").startswith("# my own: ")
    assert status(["new", str(tmp_path / "nowhere" / "mine")]) == 2


def test_to_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["new", "mine", "--stdout"]) == 0
    assert capsys.readouterr().out.startswith("# mine: ")
    assert not list(tmp_path.iterdir())


def test_the_help_page_lists_them(capsys: Capture) -> None:
    assert DEFAULT in templates()
    assert status(["new", "--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"\n  {name}  " in out for name in templates())
    assert status(["new", "mine", "--template", "nonsense"]) == 2
    for name in ("", " ", ".", "a\nb"):
        assert status(["new", name]) == 2
