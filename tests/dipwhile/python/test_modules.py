"""Mechanisms of Python files on the command line: ``file.py``, ``file.py:name``, ``module:name``, folders."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from answers import contents
from test_cli import Capture, run

import dipc
from dipc.errors import InputError

TWO = """import dipc

print("imported")
N = 2

@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def coin(q):
    return q if flip(exp(eps)/(1 + exp(eps))) else 1 - q

@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in 0..N-1", adjacent="linf 1", private="eps")
def largest(q):
    # expect: private
    return argmax([Lap(eps/2, x) for x in q])
"""
BAD = """import dipc

@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps/2")
def bad(q):
    # expect: violated
    return q if flip(exp(eps)/(1 + exp(eps))) else 1 - q

def bare(x):
    return x if flip(exp(eps)/(1 + exp(eps))) else 1 - x
"""
BARE = ("--inputs", "x in {0, 1}", "--outputs", "out in {0, 1}", "--adjacent", "all")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "two.py").write_text(TWO, encoding="utf-8")
    (tmp_path / "bad.py").write_text(BAD, encoding="utf-8")
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def test_one_function(capsys: Capture) -> None:
    code, out, err = run(capsys, "check", "two.py:coin")
    assert (code, err) == (0, "imported\n")
    assert out.startswith("program  two.py:coin\n")
    assert "verdict" in out
    assert run(capsys, "check", "two:coin", "--quiet")[:2] == (0, "private\n")
    assert run(capsys, "check", "bad.py", "--quiet")[:2] == (1, "violated\n")
    assert run(capsys, "check", "two.py:largest", "-D", "N=3", "--quiet")[:2] == (0, "private\n")


def test_all_functions_of_a_file_and_of_a_folder(capsys: Capture, folder: Path) -> None:
    code, out, _ = run(capsys, "check", "two.py", "--quiet")
    assert (code, out) == (0, "two.py:coin: private\ntwo.py:largest: private\n")
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "other.py").write_text("raise SystemExit\n" + BAD, encoding="utf-8")
    (folder / "setup.py").write_text("raise SystemExit('never imported')\n", encoding="utf-8")
    code, out, _ = run(capsys, "check", ".", "--quiet")
    assert (code, out) == (1, "bad.py:bad: violated\ntwo.py:coin: private\ntwo.py:largest: private\n")
    assert run(capsys, "check", "two.py:largest", "bad.py", "--expect", "--quiet")[0] == 0


def test_other_commands(capsys: Capture, folder: Path) -> None:
    for arguments in (
        ("budget", "two.py:coin"),
        ("distribution", "two.py:coin", "--input", "q=1"),
        ("regions", "bad.py"),
        ("prove", "two.py:largest"),
        ("export", "two.py:coin", "--to", "latex"),
        ("model", "show", "two.py:coin"),
        ("check", "two.py:coin", "--certificate", "coin.json"),
        ("verify", "coin.json", "--program", "two.py:coin", "--deep"),
        ("report", "two.py:coin"),
    ):
        code, _, err = run(capsys, *arguments)
        assert code in (0, 1, 3), (arguments, err)
    assert (folder / "coin.html").exists()


def test_one_of_several_is_named(capsys: Capture) -> None:
    code, out, err = run(capsys, "budget", "two.py")
    assert (code, out) == (2, "")
    assert "two.py: there are 2 mechanisms in this file" in err
    assert "one of: two.py:coin, two.py:largest" in err


def test_a_function_without_decorator(capsys: Capture) -> None:
    assert run(capsys, "check", "bad.py:bare", *BARE, "--claim", "eps", "--quiet")[:2] == (0, "private\n")
    assert run(capsys, "check", "bad.py:bare", *BARE, "--claim", "eps/2", "--quiet")[:2] == (1, "violated\n")
    code, _, err = run(capsys, "check", "bad.py:bare")
    assert code == 2
    assert "`bare` in bad.py is not declared as a mechanism" in err
    assert "--inputs" in err
    assert "declares its inputs and outputs itself" in run(capsys, "check", "bad.py:bad", *BARE)[2]
    assert "a program declares this itself" in run(capsys, "check", "svt1", *BARE)[2]


@pytest.mark.parametrize(
    ("text", "name", "lines"),
    [
        (
            "import dipc\nx = 1/0\n",
            "a.py:f",
            ["a.py:2:1: error: ZeroDivisionError: division by zero", "    x = 1/0"],
        ),
        ("def f(:\n", "a.py", ["a.py:1:1: error: ", "    def f(:"]),
        ("import no_such\n", "a.py:f", ["a.py:1:1: error: ModuleNotFoundError: No module named 'no_such'"]),
        ("raise SystemExit\n", "a.py:f", ["a.py:1:1: error: SystemExit"]),
        (BAD.replace("flip(", "flop("), "a.py", ["a.py:6:17: error: unknown name `flop`"]),
        ("f = 1\n", "a.py:f", ["error: `f` in a.py is the int 1, not a mechanism"]),
        (BAD, "a.py:bat", ["error: a.py: there is no function `bat`", "    help: did you mean `bad`?"]),
        ("", "a.py", ["error: a.py: there is no mechanism in this file"]),
        ("", "none.py:f", ["error: none.py: no such file or program"]),
        ("", "no_such.module:f", ["error: no_such.module: ModuleNotFoundError: No module named 'no_such'"]),
    ],
)
def test_mistakes_show_the_users_line_only(
    capsys: Capture, folder: Path, text: str, name: str, lines: list[str]
) -> None:
    (folder / "a.py").write_text(text, encoding="utf-8")
    code, out, err = run(capsys, "check", name)
    assert (code, out) == (2, "")
    for line in lines:
        assert any(shown.startswith(line) for shown in err.splitlines()), err
    assert "Traceback" not in err
    assert str(Path(dipc.__file__).parent) not in err


def test_in_python() -> None:
    assert dipc.load("two.py:largest", N=3).parameters == {"N": "3"}
    assert dipc.load("two.py:coin") is dipc.load("two.py:coin")
    assert dipc.load("two.py:coin")(1, eps=5) in (0, 1)
    assert dipc.assert_private("two.py:coin").status == "private"


def test_it_is_never_formatted(capsys: Capture) -> None:
    code, _, err = run(capsys, "format", "bad.py")
    assert code == 2
    assert "bad.py is Python" in err
    assert Path("bad.py").read_text(encoding="utf-8") == BAD


def test_json_is_not_disturbed(capsys: Capture) -> None:
    record = contents(run(capsys, "check", "two.py:coin", "--json")[1])
    assert record["verdict"] == "private"
    assert record["program"] == "two.py:coin"


def test_files_of_a_package_are_imported_under_its_name(folder: Path) -> None:
    inside = folder / "package"
    inside.mkdir()
    (inside / "__init__.py").write_text("", encoding="utf-8")
    (inside / "sizes.py").write_text("N = 1\n", encoding="utf-8")
    (inside / "mine.py").write_text(TWO.replace("N = 2", "from .sizes import N"), encoding="utf-8")
    assert dipc.load("package/mine.py:largest").parameters == {"N": "1"}
    assert dipc.load("package.mine:largest") is dipc.load("package/mine.py:largest")
    with pytest.raises(InputError, match="there are 2 mechanisms"):
        dipc.load("package/mine.py")


def test_a_refused_function_leaves_the_others_alone(
    capsys: Capture, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its error is met by those who ask about it, and by the import in a plain script."""
    text = TWO.replace("argmax([Lap(eps/2, x) for x in q])", "no_such(q)")
    (folder / "mixed.py").write_text(text, encoding="utf-8")
    assert run(capsys, "check", "mixed.py:coin", "--quiet")[:2] == (0, "private\n")
    assert "mixed.py:13:12: error: unknown name `no_such`" in run(capsys, "check", "mixed.py:largest")[2]
    assert "there are 2 mechanisms in this file" in run(capsys, "budget", "mixed.py")[2]
    code, out, _ = run(capsys, "check", "mixed.py", "--quiet")
    assert (code, out) == (2, "mixed.py:coin: private\nmixed.py:largest: error\n")
    assert "error" in (out := run(capsys, "check", "mixed.py")[1]) and "`no_such`; help: " in out
    (folder / "uses.py").write_text(text + "largest([0, 1], eps=1)\n", encoding="utf-8")
    assert "unknown name `no_such`" in run(capsys, "check", "uses.py:coin")[2]
    (folder / "alone.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(InputError, match="no_such"):
        import_module("alone")
