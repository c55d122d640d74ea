"""Run every command and every Python session in the documents; each must print what the document shows.

A block that begins with ``# NAME.dip``, ``# NAME.dpm``, ``# NAME.hmm`` or ``# NAME.py`` is saved under that
name for the commands of the document.  In a ```console block a line ``$ command`` is run by a shell, in a
folder with the shipped programs; the lines after it are its output.  A ```python block is a session, with
``>>>``.  A ```py block is a file of tests, which are called.  Everything except times is compared.

To refresh the outputs: run `python tests/test_docs.py`, or `python tests/test_docs.py theory.md` for one
document, and review the diff critically.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from itertools import groupby
from pathlib import Path

import pytest

import dipc
from dipc.cli.main import status
from dipc.errors import Source
from dipc.models.reading import read_model
from dipc.pufferfish.reading import read_question
from dipc.shipped import models, paths

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```([\w-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMES = [
    (re.compile(r"^(time +)\d+\.\d\d s$", re.MULTILINE), r"\1T"),
    (re.compile(r" +\d+\.\d\d s(?=  |$)", re.MULTILINE), "  T"),
    (re.compile(r'^( +"\w+": )\d+\.\d+(e-\d+)?(,?)$', re.MULTILINE), r"\1T\3"),
]


def blocks(path: Path, language: str) -> list[str]:
    return [body for name, body in FENCE.findall(path.read_text(encoding="utf-8")) if name == language]


def prose(path: Path) -> str:
    """A document without its code, in which `D[1, 0](X out)` looks like a link."""
    return re.sub(r"`[^`\n]+`", "", FENCE.sub("", path.read_text(encoding="utf-8")))


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with the output that follows it."""
    for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = piece.partition("\n")
        yield command, output


def without_times(text: str) -> str:
    for pattern, replacement in TIMES:
        text = pattern.sub(replacement, text)
    return text.rstrip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "programs").symlink_to(ROOT / "programs")
    return tmp_path


def save_programs(path: Path, folder: Path) -> None:
    for language in ("dip", "dip-broken", "dpm", "dpm-broken", "hmm", "py"):
        for text in blocks(path, language):
            name = re.match(r"# (\w+\.(?:dip|dpm|hmm|py))", text)
            if name:
                (folder / name[1]).write_text(text, encoding="utf-8")


# `dipc` in a command is the package of this checkout, in this Python, whatever is installed.
PRELUDE = f'dipc() {{ {shlex.quote(sys.executable)} -m dipc "$@"; }}\n'


PLAIN = re.compile(
    r"""(dipc\ (?:[^'"|<>&;$`*?~{}()\n\\] | '[^']*' | "[^"$`\\]*")*)  # no work for a shell
        (?:(2>&1|2>/dev/null|2>\ \w+\.txt)(?:\ |$))? (?:;\ (echo\ \$\?) | \|\ (grep\ .*))?""",
    re.VERBOSE,
)
LOOP = re.compile(r"for (\w+) in ([\w ]+); do (dipc [^;|<>]*); done")


def printed(command: str, folder: Path) -> str:
    """What a command prints on stdout and stderr; a plain call of dipc needs no process.

    Neither does one whose status or lines are shown, or a loop.
    """
    if loop := LOOP.fullmatch(command):
        name, values, call = loop.groups()
        calls = (re.sub(rf"\$(?:{name}\b|{{{name}}})", value, call) for value in values.split())
        return "".join(printed(call, folder) for call in calls)
    plain = PLAIN.fullmatch(command)
    if plain is None:
        return shell(command, folder)
    call, errors, echo, grep = plain.groups()
    out, err = Captured(), Captured()
    apart = errors != "2>&1" if errors else grep
    with chdir(folder), redirect_stdout(out), redirect_stderr(err if apart else out):
        code = status(shlex.split(call)[1:])
    if errors and errors.endswith(".txt"):
        (folder / errors.split()[1]).write_text(err.text, encoding="utf-8")
    if grep:
        return ("" if errors else err.text) + shell(grep, folder, out.text)
    return f"{out.text}{code}\n" if echo else out.text


class Captured(io.TextIOWrapper):
    """A stream that keeps what is written."""

    def __init__(self) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding="utf-8", write_through=True)

    @property
    def text(self) -> str:
        """What was written."""
        return self._bytes.getvalue().decode("utf-8")


def shell(command: str, folder: Path, given: str = "") -> str:
    """What a shell prints; ``given`` is its standard input."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
    }
    run = subprocess.run(
        PRELUDE + command,
        shell=True,
        cwd=folder,
        env=environment,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return run.stdout


CONSOLE = [
    pytest.param(path, block, id=f"{path.name}-{number}")
    for path in DOCUMENTS
    for number, block in enumerate(blocks(path, "console"), 1)
]
SESSIONS = [
    pytest.param(path, block, id=f"{path.name}-{number}")
    for path in DOCUMENTS
    for number, block in enumerate(blocks(path, "python"), 1)
]


@pytest.mark.parametrize(("path", "block"), CONSOLE)
def test_console(path: Path, block: str, folder: Path) -> None:
    save_programs(path, folder)
    assert "$ " in block, "a console block without a command"
    for command, output in commands(block):
        assert without_times(printed(command, folder)) == without_times(output), command


def test_a_process_prints_the_same(folder: Path) -> None:
    for command in (
        "dipc check svt1",
        "dipc check 'none.dip'; echo $?",
        "dipc budget svt1 --at 1/2 | grep 'least'",
        "dipc check none.dip 2>&1 | grep 'error'",
        "for i in 1; do dipc check svt$i -D N=${i} --quiet; done",
        "dipc -x",
    ):
        assert without_times(printed(command, folder)) == without_times(shell(command, folder))


@pytest.mark.parametrize(("path", "block"), SESSIONS)
def test_python(path: Path, block: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_programs(path, folder)
    monkeypatch.chdir(folder)
    test = doctest.DocTestParser().get_doctest(block, {}, path.name, str(path), 0)
    assert test.examples, "a python block must be a session with >>>"
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert not said, "".join(said)


FILES = [
    pytest.param(block, id=f"{path.name}-{number}")
    for path in DOCUMENTS
    for number, block in enumerate(blocks(path, "py"), 1)
]


@pytest.mark.parametrize("block", FILES)
def test_python_file(block: str, folder: Path) -> None:
    """A ```py block is a file of tests."""
    file = folder / "test_shown.py"
    file.write_text(block, encoding="utf-8")
    shown = runpy.run_path(str(file))
    tests = [value for name, value in shown.items() if name.startswith("test_")]
    assert tests or re.match(r"# \w+\.py\n", block), "a py block without a test"
    for test in tests:
        test()


READERS: dict[str, Callable[[Source], object]] = {
    "dip": lambda source: dipc.load(source.text),
    "dpm": read_model,
    "hmm": read_question,
}
"""What reads a block: a whole program, a whole model, a whole model with a question."""


@pytest.mark.parametrize("language", READERS)
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_program_and_model_shown_is_one(path: Path, language: str) -> None:
    for text in blocks(path, language):
        READERS[language](Source(path.name, text))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"(?<!\\)\]\(([^)#\s]+)[^)]*\)", prose(path)):
        if not re.match(r"[a-z]+:", target):
            assert (path.parent / target).exists(), target


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("material")
    site = tmp_path / "site"
    build = ["mkdocs", "build", "--strict", "-f", "docs/site/mkdocs.yml", "--site-dir", str(site)]
    run = subprocess.run(
        [sys.executable, "-m", *build],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "NO_MKDOCS_2_WARNING": "1",
            "DIPC_REPORTS": "warner,survey",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    text = {page.relative_to(site): page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    pages = {Path(page.stem, "index.html") for page in (ROOT / "docs").glob("*.md")}
    shipped = {
        Path("source", path.relative_to(ROOT), "index.html")
        for path in (*paths().values(), *models().values())
    }
    assert {Path("index.html"), *pages, *shipped} - text.keys() == set()
    assert {page.name for page in (site / "reports").glob("*.html")} == {"warner.html"}
    assert [page.parent.name for page, shown in text.items() if "Full report" in shown] == ["warner.dip"]
    assert "tight" in text[Path("source/programs/chains/survey.dpm/index.html")]
    assert "Reference: the grammar" in text[Path("language/index.html")]
    everything = "".join(text.values())
    assert 'class="kd">input</span>' in everything, "programs are not highlighted"
    assert not re.findall(r'<(?:script|link|img)[^>]* (?:src|href)="https?:[^"]*"', everything)


CONTRIBUTING = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")


def test_the_files_that_contributors_are_sent_to_exist() -> None:
    named = set(re.findall(r"`((?:dipc|tests|docs|programs)/[\w./-]+)`", CONTRIBUTING))
    missing = {name for name in named if "NAME" not in name and not (ROOT / name).exists()}
    assert len(named) > 40
    assert not missing


@pytest.mark.parametrize(
    ("name", "file"), sorted(set(re.findall(r"`(\w+)` in\s+`([\w./-]+)`", CONTRIBUTING)))
)
def test_the_places_that_contributors_are_sent_to_exist(name: str, file: str) -> None:
    definition = rf"^\s*(?:def |class |)_?{name}\b(?:\(|:| =)"
    assert re.search(definition, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_reading_order_is_in_order() -> None:
    """As many files as announced; after the map, each part before those that use it."""
    rows = re.findall(r"^\| (\d+) \| \[([\w./]+)\]\(\.\./\2\)", CONTRIBUTING, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 31))
    parts = [file.split("/")[1] for _, file in rows[1:]]
    order = [
        "errors.py",
        "kernel",
        "numbers",
        "signs",
        "integration",
        "models",
        "claims",
        "dipwhile",
    ]
    assert [part for part, _ in groupby(parts)] == order


def refresh(path: Path) -> None:
    """Write what the commands of a document print into it."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "programs").symlink_to(ROOT / "programs")
        save_programs(path, folder)
        for block in blocks(path, "console"):
            shown = (
                f"$ {command}\n{current(command, output, folder)}" for command, output in commands(block)
            )
            new = "".join(shown)
            text = text.replace(f"```console\n{block}```", f"```console\n{new}```")
    path.write_text(text, encoding="utf-8")


def current(command: str, output: str, folder: Path) -> str:
    if without_times(printed(command, folder)) == without_times(output):
        return output
    now = shell(command, folder)  # its times are those of a process that has just begun
    if "Traceback" in now or "not found" in now:
        raise SystemExit(f"{command}\n{now}")
    return f"{now.rstrip()}\n".lstrip("\n")


if __name__ == "__main__":
    names = sys.argv[1:]
    for document in DOCUMENTS:
        if not names or document.name in names:
            refresh(document)
