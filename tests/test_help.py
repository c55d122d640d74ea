"""Help pages and shell completion."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete

from dipc.cli.group import ENTRIES, SECTIONS
from dipc.cli.main import SHELLS, cli, status
from dipc.shipped import paths

ROOT = Path(__file__).parent.parent
ALL = {name: command for name in ENTRIES if (command := cli.get_command(click.Context(cli), name))}  # type: ignore[attr-defined]
COMMANDS = sorted(ALL)

Capture = pytest.CaptureFixture[str]


def examples(command: str) -> list[str]:
    """The commands in the examples of a help page, without what is said about them."""
    text = (ALL[command].epilog or "").partition("Examples:")[2]
    lines = [line.strip() for line in text.splitlines()]
    return [re.split(r" {2,}", line)[0] for line in lines if line.startswith("dipc ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples(command: str, capsys: Capture) -> None:
    assert len(examples(command)) >= 2
    assert status([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Examples:" in out
    assert "--color / --no-color" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_first_page_shows_the_first_example(command: str) -> None:
    assert ENTRIES[command].example == examples(command)[0]


def test_the_first_page_imports_no_command() -> None:
    code = "import sys; from dipc.cli.main import status; status(['--help']); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(run.stdout.splitlines()[-1].split())
    assert (
        "dipc.cli.group" in loaded and not {"dipc.dipwhile.commands.check", "flint", "lark", "rich"} & loaded
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_are_valid(command: str) -> None:
    """Every example can be parsed: commands, options and values exist."""
    for line in examples(command):
        words = shlex.split(line)
        while "|" in words and words.index("|"):
            check_words(words[: words.index("|")])
            words = words[words.index("|") + 1 :]
        check_words(words)


def check_words(words: list[str]) -> None:
    arguments = list(takewhile(lambda word: word not in ("<", ">", ">>"), words))
    assert arguments[0] == "dipc"
    with cli.make_context("dipc", arguments[1:]) as context:
        name, inner, rest = cli.resolve_command(context, arguments[1:])
        assert isinstance(inner, click.Command)
        inner.make_context(name, rest, parent=context)


def test_the_first_page(capsys: Capture) -> None:
    assert status(["--help"]) == 0
    out = capsys.readouterr().out
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\S.*\.\n +dipc ", out, re.MULTILINE), name
    assert "First steps:" in out
    headings = re.findall(r"^(\w[^\n:]*):$", out, re.MULTILINE)
    assert headings[1:] == [h for h in SECTIONS if any(ENTRIES[name].section == h for name in COMMANDS)]
    assert max(map(len, out.splitlines())) <= 80


def test_help_fits_a_terminal() -> None:
    def pages(command: click.Command, above: click.Context | None = None) -> Iterator[str]:
        context = click.Context(command, above, command.name, terminal_width=80, max_content_width=80)
        yield command.get_help(context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from pages(inner, context)

    assert [line for page in pages(cli) for line in page.splitlines() if len(line) > 80] == []


# --- completion ----------------------------------------------------------------------------------


def offered(words: list[str], incomplete: str) -> list[CompletionItem]:
    return ShellComplete(cli, {}, "dipc", "_DIPC_COMPLETE").get_completions(words, incomplete)


def values(words: list[str], incomplete: str) -> set[str]:
    return {item.value for item in offered(words, incomplete) if item.type == "plain"}


def test_commands_programs_and_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "distribution" in values([], "di")
    assert values(["check"], "svt1") == {"svt1"}
    assert values(["check", "svt1"], "nmax") == {name for name in paths() if name.startswith("nmax")}
    assert values(["programs"], "hist") == {"hist1", "hist2"}
    assert values(["export", "svt1", "--to"], "ma") == {"mathematica"}
    assert "noisy-max" in values(["new", "x", "--template"], "")
    assert [item.type for item in offered(["check"], "qq")] == ["file"]
    (tmp_path / "svt1_mine.dip").touch()
    assert values(["check"], "svt1") == {"svt1", "svt1_mine.dip"}


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts(shell: str, capsys: Capture) -> None:
    assert status(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert f"{shell}_complete" in out
    interpreter = shutil.which(shell)
    if interpreter is not None:
        subprocess.run([interpreter, "-n"], input=out, text=True, check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(tmp_path: Path, capsys: Capture) -> None:
    """The script in a real bash, with a dipc that is this one."""
    status(["completion", "bash"])
    script = capsys.readouterr().out
    fake = tmp_path / "dipc"
    fake.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dipc "$@"\n', encoding="utf-8")
    fake.chmod(0o755)
    asked = 'COMP_WORDS=(dipc check svt_); COMP_CWORD=2; _dipc_completion dipc; echo "${COMPREPLY[@]}"'
    run = subprocess.run(
        ["bash", "-c", f"{script}\n{asked}"],
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.split() == ["svt_bottoms", "svt_numeric"]


def test_a_file_decides_the_system(capsys: Capture, tmp_path: Path) -> None:
    """Only files do: what options are given is not one, whatever its ending."""
    assert status(["check", "ex3"]) == 1 and "Pufferfish private" in capsys.readouterr().out
    assert status(["check", "--json", "survey"]) == 1 and '"formula"' in capsys.readouterr().out
    out = tmp_path / "chain.drn"
    assert status(["export", "svt1", "-D", "N=1", "--to", "drn", "--input", "q=[0]", "-o", str(out)]) == 0
    assert "@nr_states" in out.read_text(encoding="utf-8")
    assert status(["prove", "ex3"]) == 2 and "`dipc pufferfish` takes it" in capsys.readouterr().err
    assert status(["check", "svt1", "ex3"]) == 2
