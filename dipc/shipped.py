"""The programs that come with dipc, and how a name on the command line leads to a text.

They stand in the folder ``programs`` of a checkout and are installed inside the package.
"""

from __future__ import annotations

import errno
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dipc.dipwhile.syntax.suggest import did_you_mean
from dipc.errors import InputError, Source

PACKAGE = Path(__file__).parent
FOLDERS = (PACKAGE / "programs", PACKAGE.parent / "programs")  # as installed, in a checkout
STDIN = "-"
PYTHON = ".py"


class NoSuchProgram(InputError, FileNotFoundError):
    """Neither a file nor a shipped program has this name."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A shipped program and what its header says."""

    name: str
    path: Path
    title: str
    source: str
    expect: str

    @property
    def family(self) -> str:
        """The folder that it stands in."""
        return self.path.parent.name


HEADER = re.compile(r"^# (source|expect|tightest): *(.*\S)\s*$", re.MULTILINE)


def header(text: str) -> dict[str, str]:
    """What the comments of a program say about it: its title (the first line), source and expected verdict.

    >>> header("# A coin\\n# expect: violated  \\noutput b in {0, 1}")
    {'title': 'A coin', 'expect': 'violated'}
    """
    first = re.match(r"# *(?!\w+:)(.*\S)", text)
    return ({"title": first[1]} if first else {}) | dict(HEADER.findall(text))


@cache
def paths() -> Mapping[str, Path]:
    """The shipped programs by name.

    >>> paths()["svt1"].name
    'svt1.dip'
    """
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    found = sorted(folder.glob("*/*.dip")) if folder else []
    return {path.stem: path for path in found}


def describe(name: str) -> Shipped:
    """A shipped program.  Raises :class:`NoSuchProgram`.

    >>> describe("svt1").expect
    'private'
    """
    path = paths().get(name)
    if path is None:
        raise unknown(name)
    said = header(path.read_text(encoding="utf-8"))
    return Shipped(name, path, said.get("title", ""), said.get("source", ""), said.get("expect", ""))


def located(file: str | Path) -> Path:
    """The file of this name, else the shipped program of this name.

    >>> located("svt1").parent.name
    'svt'
    >>> located("svt11")
    Traceback (most recent call last):
    dipc.shipped.NoSuchProgram: error: svt11: no such file or program
        help: did you mean `svt1`?
    """
    path = Path(file)
    if path.exists():
        return path
    shipped = paths().get(str(file))
    if shipped is None:
        raise unknown(str(file))
    return shipped


def unknown(name: str) -> NoSuchProgram:
    """The error for a name that leads nowhere; it names the nearest program or file."""
    path = Path(name)
    if "=" in name:
        return NoSuchProgram(f"{name}: no such file or program", hint=f"a parameter is set by `-D {name}`")
    known = [*map(str, path.parent.glob("*.dip")), *paths()]
    hints = (did_you_mean(text, known) for text in (name, path.stem))
    near = next((hint for hint in hints if hint.startswith("did you mean")), None)
    return NoSuchProgram(
        f"{name}: no such file or program",
        hint=near or "`dipc programs` lists the programs that come with dipc",
    )


def source_of(file: str | Path) -> Source:
    """The text of a program: from a file, a shipped program, or the standard input (``-``).

    Windows line ends and a byte order mark are dropped.  Raises :class:`InputError`, or :class:`OSError`
    if the file cannot be read.
    """
    if file == STDIN:
        return Source("<stdin>", _decoded(sys.stdin.buffer.read(), "<stdin>"))
    path = located(file)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a program", str(file))
    if path.suffix == PYTHON:
        raise InputError(
            f"{file} is a Python file, not a program in dipc's language",
            hint="a mechanism in it is checked by `dipc.assert_private(...)` in a test: see docs/python.md",
        )
    return Source(str(file), _decoded(path.read_bytes(), str(file)))


def _decoded(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: the file is not UTF-8 text (byte {error.start})") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")
