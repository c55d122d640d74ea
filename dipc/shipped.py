"""The programs that come with dipc, and how to find the text for a name on the command line.

They live in the folder ``programs`` of a checkout and are installed inside the package.
"""

from __future__ import annotations

import ast
import errno
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from dipc.errors import InputError, Source, Span
from dipc.suggest import did_you_mean
from dipc.systems import SYSTEMS, System

PACKAGE = Path(__file__).parent
FOLDERS = (PACKAGE / "programs", PACKAGE.parent / "programs")  # as installed, in a checkout
STDIN = "-"
REFERENCE = re.compile(r"(.*\.py)(?::([^\W\d]\w*))?|([^\W\d][\w.]*):([^\W\d]\w*)")
"""``file.py``, ``file.py:name`` and ``module:name``."""
FOREIGN = ("site-packages", "node_modules", "__pycache__")
"""Folders of other people's code."""
HIDDEN_FOLDER = "hidden_markov"
EVERY_SIZE_FOLDER = "every_size"


class NoSuchProgram(InputError, FileNotFoundError):
    """Neither a file nor a shipped program has this name."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A shipped program with the information in its header."""

    name: str
    path: Path
    title: str
    source: str
    expect: str

    @property
    def family(self) -> str:
        """The folder it is in."""
        return self.path.parent.name

    @property
    def is_model(self) -> bool:
        """Whether it is a Markov model."""
        return self.name in models()

    @property
    def is_hidden(self) -> bool:
        """Whether it is a question of Pufferfish privacy: a hidden Markov model, or a program."""
        return self.family == HIDDEN_FOLDER

    @property
    def is_for_every_size(self) -> bool:
        """Whether it is a program that only ``dipc prove`` takes."""
        return self.family == EVERY_SIZE_FOLDER


HEADER = re.compile(r"^# (source): *(.*\S)\s*$", re.MULTILINE)
EXPECT = re.compile(r"^[ \t]*#[ \t]*expect[ \t]*:[ \t]*(\S*).*$", re.MULTILINE)
EXPECT_ALL = re.compile(r"^[ \t]*#[ \t]*expect for all sizes[ \t]*:[ \t]*(\S*).*$", re.MULTILINE)
COMMENT = re.compile(r"#.*")
DECLARED = re.compile(r"(?:^|;)\s*(?:input|output)\s+\w", re.MULTILINE)
"""What programs declare, and no model does."""
MODEL_KINDS = {suffix: (f"a {s.noun}", s.taken_by) for s in SYSTEMS if s.taken_by for suffix in s.suffixes}
"""What files are that hold no program, and what takes them."""
VERDICTS = ("private", "violated", "undecided")


def header(text: str) -> dict[str, str]:
    """What the comments of a program say about it: its title (the first line) and its source."""
    first = re.match(r"# *(?!\w+:)(.*\S)", text)
    return ({"title": first[1]} if first else {}) | dict(HEADER.findall(text))


def expected_verdict(source: Source, comment: re.Pattern[str] = EXPECT) -> str | None:
    """The verdict that a program announces in a comment ``# expect: violated``; None without one.

    Only the first word counts.  ``EXPECT_ALL`` is the comment ``# expect for all sizes: private``, about the
    answer of ``dipc prove``.  Raises :class:`InputError` if it is not a verdict.

    >>> expected_verdict(Source("a.dip", "# expect: violated from N = 2 on"))
    'violated'
    """
    found = list(comment.finditer(source.text))
    for match in found:
        if match[1] not in VERDICTS:
            *most, last = (f"`# expect: {verdict}`" for verdict in VERDICTS)
            hint = f"write {', '.join(most)} or {last}"
            raise InputError(f"there is no verdict `{match[1]}`", Span(source, *match.span(1)), hint)
    if len({match[1] for match in found}) > 1:
        hint = "keep one line"
        raise InputError("two different verdicts are expected", Span(source, *found[1].span()), hint)
    return found[0][1] if found else None


@cache
def catalogue(*patterns: str) -> Mapping[str, Path]:
    """The shipped files that fit one of these patterns, by name."""
    folders = [folder for folder in FOLDERS if folder.is_dir()][:1]
    return {path.stem: path for each in patterns for folder in folders for path in sorted(folder.glob(each))}


def ending(*suffixes: str) -> Mapping[str, Path]:
    """The shipped files with one of these suffixes, by name."""
    return catalogue(*(f"*/*{suffix}" for suffix in suffixes))


paths = partial(ending, ".dip")
"""The shipped programs by name."""
models = partial(ending, ".drn", ".dpm")
"""The shipped Markov models by name."""
hidden_models = partial(ending, ".hmm")
"""The shipped hidden Markov models by name."""
hidden_programs = partial(catalogue, f"{HIDDEN_FOLDER}/*.dip")
"""The shipped programs that are questions of Pufferfish privacy, by name."""
every_size_programs = partial(catalogue, f"{EVERY_SIZE_FOLDER}/*.dip")
"""The shipped programs that only ``dipc prove`` takes, by name."""
papers = partial(catalogue, "*/*.toml")
"""What the papers print, beside our questions, by a short name of the paper; no programs."""


def describe(name: str) -> Shipped:
    """A shipped program.  Raises :class:`NoSuchProgram`."""
    path = located(name) if name in paths() else {**models(), **hidden_models()}.get(name)
    if path is None:
        raise located.unknown(name)
    source = source_of(path, Path)
    comment = EXPECT_ALL if name in every_size_programs() else EXPECT
    said, expect = header(source.text), None if name in models() else expected_verdict(source, comment)
    return Shipped(name, path, said.get("title", ""), said.get("source", ""), expect or "")


@dataclass(frozen=True, slots=True)
class Locator:
    """Finds the file of a name: that file, else the shipped model or program of this name.

    ``suffixes`` are those of the files that it is for.  Raises :class:`NoSuchProgram`, and
    :class:`InputError` for a model of another kind.
    """

    kind: str
    suffixes: tuple[str, ...]

    def __call__(self, file: str | Path) -> Path:
        path = Path(file)
        found = path if path.exists() else {**ending(*MODEL_KINDS), **ending(*self.suffixes)}.get(str(file))
        if found is None:
            raise self.unknown(str(file))
        if found.suffix in MODEL_KINDS and found.suffix not in self.suffixes:
            what, hint = MODEL_KINDS[found.suffix]
            raise InputError(f"{file} is {what}", hint=hint)
        return found

    def unknown(self, name: str) -> NoSuchProgram:
        """The error for a name that cannot be found; it suggests the nearest program or file."""
        path, message = Path(name), f"{name}: no such file or {self.kind}"
        if "=" in name:
            return NoSuchProgram(message, hint=f"set a parameter with `-D {name}`")
        files = [file for suffix in self.suffixes for file in path.parent.glob(f"*{suffix}")]
        known = [*map(str, files), *ending(*self.suffixes)]
        hints = (did_you_mean(text, known) for text in (name, path.stem))
        near = next((hint for hint in hints if hint.startswith("did you mean")), None)
        return NoSuchProgram(message, hint=near or "`dipc programs` lists the programs that come with dipc")


located = Locator("program", (".dip",))
located_model = Locator("model", (".dip", ".drn", ".dpm", ".csv"))
located_hidden = Locator("hidden Markov model", (".dip", ".hmm"))


def source_of(file: str | Path, locate: Callable[[str | Path], Path] = located) -> Source:
    """The text of a program: from a file, a shipped program, or the standard input (``-``).

    ``locate`` finds the file: :func:`located`, :func:`located_model` or :func:`located_hidden`.

    Windows line endings and a byte order mark are dropped.  Raises :class:`InputError`, or :class:`OSError`
    if the file cannot be read.
    """
    if file == STDIN:
        return Source("<stdin>", _decoded(given_bytes(), "<stdin>"))
    if is_python(file):
        return python_mechanism(str(file)).source  # type: ignore[no-any-return]
    path = locate(file)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a program", str(file))
    return Source(str(file), _decoded(path.read_bytes(), str(file)))


def is_python(file: str | Path) -> bool:
    """Whether a name means a mechanism in Python.

    >>> is_python("mine.py"), is_python("mine.py:f"), is_python("package.mine:f"), is_python("mine.dip")
    (True, True, True, False)
    """
    return REFERENCE.fullmatch(str(file)) is not None and (
        str(file).endswith(".py") or not Path(file).exists()
    )


def reference(name: str) -> tuple[str, str]:
    """The file or module that a name of a Python mechanism begins with, and its function ("" for any).

    >>> reference("a/mine.py:f"), reference("mine.py"), reference("package.mine:f")
    (('a/mine.py', 'f'), ('mine.py', ''), ('package.mine', 'f'))
    """
    found = REFERENCE.fullmatch(name)
    assert found is not None
    return found[1] or found[3], found[2] or found[4] or ""


def python_mechanism(name: str, declarations: Mapping[str, str] | None = None) -> Any:
    """The mechanism that a name means; ``declarations`` are for a function without a decorator."""
    return SYSTEMS[0].offer("python")(name, declarations)


def decorated(path: Path) -> list[str]:
    """The functions of a Python file that ``@dipc.mechanism(...)`` stands above, by its text alone."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return []
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and _is_decorated(node)]


def _is_decorated(node: ast.FunctionDef) -> bool:
    for decorator in node.decorator_list:
        match decorator:
            case ast.Call(ast.Attribute(attr="mechanism") | ast.Name("mechanism")):
                return True
    return False


def decorated_below(folder: Path) -> Iterator[str]:
    """The names of the mechanisms in the Python files of a folder, but for hidden ones and libraries."""
    for path in sorted(folder.rglob("*.py")):
        inside = path.relative_to(folder).parts
        if not any(part in FOREIGN or part.startswith(".") for part in inside):
            yield from (f"{path}:{name}" for name in decorated(path))


def mechanisms_in(files: Sequence[str]) -> list[str]:
    """The files, with each Python file replaced by the names of the mechanisms in it."""
    found: list[str] = []
    for file in files:
        is_file = file.endswith(".py") and Path(file).is_file()
        names = decorated(Path(file)) if is_file else []
        found += [f"{file}:{name}" for name in names] or [file]
    return found


def stem_of(file: str) -> str:
    """How files are named that are made from a program: after it, or its function."""
    return (reference(file)[1] if is_python(file) else "") or Path(file).stem


def name_of(file: str) -> str:
    """A file as messages call it."""
    return "<stdin>" if file == STDIN else file


def holds_program(file: str | Path, source: Source) -> bool:
    """Whether what was read from ``file`` is a program and no model, on the standard input by its text.

    >>> holds_program("-", Source("<stdin>", "param N = 2; input q in {0, 1}"))
    True
    >>> holds_program("-", Source("<stdin>", "observe input, output  # input q"))
    False
    """
    if file == STDIN:
        return DECLARED.search(COMMENT.sub("", source.text)) is not None
    if is_python(file):
        return True
    return located_hidden(file).suffix == ".dip"


def given_bytes(most: int = -1) -> bytes:
    """The standard input, or the first of its bytes.  Raises :class:`InputError` if it is closed."""
    if sys.stdin is None:
        raise InputError("<stdin>: the standard input is closed")
    return sys.stdin.buffer.read(most)


def _decoded(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: the file is not UTF-8 text (byte {error.start})") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def system_of(name: str) -> System:
    """The system of a file or a shipped program: by its ending or its name; the first if in doubt."""
    owners = (s for s in SYSTEMS if name.endswith(s.suffixes) or (s is not SYSTEMS[0] and _ships(s, name)))
    return next(owners, SYSTEMS[0])


def asked_by(name: str) -> str | None:
    """The command that decides the claim of a file or a shipped program; None if it is none of these."""
    system = system_of(name)
    path = ending(*system.suffixes).get(name)
    if path is None:
        return system.asks[""] if name.endswith(system.suffixes) else None
    return system.asks.get(path.parent.name, system.asks[""])


def _ships(system: System, name: str) -> bool:
    return name in ending(*system.suffixes) and not Path(name).exists()


def load(program: str | Path, **parameters: Any) -> Any:
    """A :class:`~dipc.Mechanism`, or of a model its object: a :class:`~dipc.HiddenMarkovModel`.

    ``program`` is the name of a file, the text of a program, or the name of a shipped program or model;
    ``parameters`` override its parameters.  Raises :class:`InputError`, :class:`LimitReached`, or
    :class:`OSError` if the file cannot be read.
    """
    name = str(program)
    is_text = not isinstance(program, str | Path) or "\n" in name
    return (SYSTEMS[0] if is_text else system_of(name)).offer("load")(program, **parameters)
