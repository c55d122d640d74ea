"""Options that several sub-commands share."""

from __future__ import annotations

import glob
import logging
import os
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import partial, wraps
from io import BytesIO
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from dipc.errors import InputError
from dipc.files import write_file
from dipc.numbers.exact import DIGITS, plain_digits
from dipc.shipped import STDIN, decorated_below, hidden_models, hidden_programs, models, name_of, paths

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PROGRAMS = "*.dip"
HIDDEN = ("*.hmm", PROGRAMS)
MODELS = ("*.dpm", "*.drn", "*.csv", PROGRAMS)
STDOUT = "/dev/stdout"


def beginning(*catalogues: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    """For shell completion: the names in catalogues of shipped files that begin like what was typed."""

    def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        found = (name for catalogue in catalogues for name in catalogue())
        return [name for name in dict.fromkeys(found) if name.startswith(incomplete)]

    return names


any_shipped_names = beginning(models, paths, hidden_models, hidden_programs)


class ShippedFile(click.Path):
    """A file that matches a pattern, or a name in catalogues of shipped files; with shell completion."""

    def __init__(self, patterns: Sequence[str], *catalogues: Callable[[], Iterable[str]]) -> None:
        super().__init__(allow_dash=True)
        self.patterns, self.names = patterns, beginning(*catalogues)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = self.names(ctx, param, incomplete)
        if not names:  # the shell completes files itself, but cannot mix them with other words
            return super().shell_complete(ctx, param, incomplete)
        start = glob.escape(incomplete)
        files = sorted(str(file) for each in self.patterns for file in Path().glob(f"{start}{each}"))
        return [*map(CompletionItem, (*names, *files))]


class Target(click.Path):
    """A file to write, or ``-``: refused before anything is computed if it cannot be written."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = str(super().convert(value, param, ctx))
        if not path:
            self.fail("the name of the file is empty", param, ctx)
        return writable(STDOUT if path == "-" else path)


Written = TypeVar("Written", str, Path)


def writable(path: Written) -> Written:
    """The path of a file that can be written; otherwise raises :class:`InputError`."""
    target, folder = Path(path), Path(path).parent
    if not folder.exists():
        hint = f"create it: mkdir -p {shlex.quote(str(folder))}"
        raise InputError(f"{path}: there is no folder {folder}", hint=hint)
    if not folder.is_dir():
        raise InputError(f"{path}: {folder} is not a folder")
    if target.is_dir():
        raise InputError(f"{path}: this is a folder", hint="name a file in it")
    if not os.access(target if target.exists() else folder, os.W_OK):
        raise InputError(f"{path}: this cannot be written", hint="choose another folder")
    return path


FIGURES = (".png", ".svg", ".pdf")


def picture(name: str, formats: Sequence[str] = FIGURES) -> Path:
    """The file of a picture.  Raises :class:`InputError` if it is of none of these formats."""
    target = Path(name)
    if target.suffix.lower() not in formats:
        hint = f"for example -o {target.stem}{formats[0]}"
        raise InputError(f"{target}: a figure is written as {', '.join(formats)}", hint=hint)
    return target


def save(figure: Figure, target: Path) -> None:
    """Write a figure, without the date."""
    data, form = BytesIO(), target.suffix[1:].lower()
    figure.savefig(data, format=form, dpi=160, metadata={"Date": None} if form == "svg" else None)
    write_file(target, data.getvalue())


COQ_FILE = re.compile(r"[A-Za-z]\w*\.v", re.ASCII)


def refuse_no_module(output: str | None) -> None:
    """Raise :class:`InputError` if Coq could not read a file of this name."""
    if output not in (None, STDOUT) and not COQ_FILE.fullmatch(Path(output).name):
        hint = "letters, digits and _, with a letter first, and .v at the end; for example -o claim.v"
        raise InputError(f"{output}: Coq does not take a file of this name", hint=hint)


def refuse_overwriting(target: str | Path | None, *files: str) -> None:
    """Raise :class:`InputError` if an output would replace a program."""
    for file in files if target is not None and Path(target).exists() else ():
        if Path(file).exists() and Path(file).samefile(str(target)):
            raise InputError(f"{target}: this is the program itself", hint="write to another file")


def _digits(kind: click.IntRange | click.FloatRange, value: Any, param: click.Parameter | None) -> Any:
    """The value; refuse a text with other digits than ours, which Python would read."""
    if isinstance(value, str) and not plain_digits(value):
        kind.fail(f"{value!r} is not a {kind.name}: {DIGITS}", param)
    return value


class Amount(click.FloatRange):
    """A nonnegative number; messages call it by its name."""

    def __init__(self, name: str) -> None:
        super().__init__(min=0)
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Also refuse what is no number at all."""
        amount = super().convert(_digits(self, value, param), param, ctx)
        return self.fail("nan is not a number", param, ctx) if isnan(amount) else amount


class Count(click.IntRange):
    """A natural number of some size; messages call it by its name."""

    def __init__(self, name: str = "whole number", least: int = 0, most: int | None = None) -> None:
        super().__init__(least, most)
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(_digits(self, value, param), param, ctx)


FILE = ShippedFile((PROGRAMS,), paths)
MODEL = ShippedFile(MODELS, models, paths)
HIDDEN_MODEL = ShippedFile(HIDDEN, hidden_models, hidden_programs)
TARGET = Target()
SECONDS = Amount("number of seconds")
MEGABYTES = Amount("number of megabytes")
STEPS = Count("number of actions")


# Options that several commands have; a command may change their help or their default.
option = partial(partial, click.option)
definitions = option(
    "-D",
    "definitions",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the program, for example -D N=4.",
)
claim = option(
    "--claim", metavar="TEXT", help="Instead of the program's claim, for example 'eps/2, exp(-2)'."
)
at = option("--at", metavar="EPS0", help="For this eps only, for example --at 1/2.")
time_limit = option("--time-limit", type=SECONDS, metavar="SECONDS", help="Give up after this many seconds.")
memory_limit = option("--memory-limit", type=MEGABYTES, metavar="MB", help="Give up beyond this memory.")
output = option("-o", "--output", metavar="OUT", type=TARGET)
junit = option("--junit", type=TARGET, metavar="OUT", help="Write a JUnit report (XML).")
verbose = option(
    "--verbose",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, param, value: listen(ctx) if value else None,
    help="Say on the standard error which shortcuts were taken.",
)
quiet = option("--quiet", is_flag=True, help="Print the verdict only.")
expect = option(
    "--expect",
    is_flag=True,
    help="Compare each verdict with the file's comment '# expect: violated' (or private, undecided).",
)
certificate = option(
    "--certificate",
    "certificate_file",
    type=TARGET,
    metavar="FILE",
    help="Write a certificate, for 'dipc verify'; compressed if the name ends in .gz.",
)


def listen(ctx: click.Context) -> None:
    """Show what dipc logs until the command ends."""
    logger, handler = logging.getLogger("dipc"), logging.StreamHandler()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    ctx.call_on_close(lambda: logger.removeHandler(handler))


def limits(command: Callable[..., int]) -> Callable[..., int]:
    """Both limits."""
    return time_limit()(memory_limit()(command))


json = option("--json", "as_json", is_flag=True, help="Print one JSON record.")


@dataclass(frozen=True, kw_only=True)
class About:
    """What all commands about a file have in common: the file, its numbers, limits, and how answers look."""

    file: str = STDIN
    definitions: tuple[str, ...] = ()
    at: str | None = None
    time_limit: float | None = None
    memory_limit: float | None = None
    as_json: bool = False
    quiet: bool = False
    expect: bool = False
    certificate_file: str | None = None

    @property
    def name(self) -> str:
        """The file as messages call it."""
        return name_of(self.file)

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The limits in seconds and megabytes."""
        return self.time_limit, self.memory_limit

    @property
    def style(self) -> str:
        """How a verdict is shown."""
        return "json" if self.as_json else "quiet" if self.quiet else "text"


def gathered(kind: type[Any], command: Callable[..., int]) -> Callable[..., int]:
    """The command: its options that are fields of the dataclass ``kind`` become its first argument."""

    @wraps(command)
    def collected(**given: Any) -> int:
        common = {field.name: given.pop(field.name) for field in fields(kind) if field.name in given}
        return command(kind(**common), **given)

    return collected


def is_one(files: Sequence[str]) -> bool:
    """Whether there is one answer, not a table."""
    return len(files) == 1 and not Path(files[0]).is_dir()


def expanded(
    files: Sequence[str],
    patterns: Sequence[str] = (PROGRAMS,),
    wanted: Callable[[str], bool] = lambda file: True,
    hint: str = "",
    python: bool = False,
) -> list[str]:
    """The files, with folders replaced by the programs (or other files) in them that are wanted.

    With ``python``, these are the mechanisms in Python files, too.

    Raises :class:`InputError` for a folder with none, with the hint if it has some that are not wanted.
    """
    found: list[str] = []
    for file in files:
        inside, names = [file], []
        if Path(file).is_dir():
            names = sorted({str(path) for pattern in patterns for path in Path(file).rglob(pattern)})
            names += decorated_below(Path(file)) if python else ()
            inside = list(filter(wanted, names))
        if not inside:
            what = "program" if patterns[0] == PROGRAMS else "model"
            raise InputError(
                f"{file}: there is no {what} ({patterns[0]}) in this folder", hint=hint if names else ""
            )
        found += inside
    return found


def defined(definitions: tuple[str, ...], hint: str = "`-D`") -> dict[str, str]:
    """The parameters that ``-D NAME=VALUE`` sets, as text."""
    parameters: dict[str, str] = {}
    for definition in definitions:
        name, equals, value = definition.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.BadParameter(f"`{definition}` is not of the form NAME=VALUE", param_hint=hint)
        if parameters.setdefault(name.strip(), value.strip()) != value.strip():
            raise click.BadParameter(f"`{name.strip()}` is set twice", param_hint=hint)
    return parameters
