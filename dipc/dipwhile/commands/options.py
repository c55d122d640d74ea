"""Options that several commands about programs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dipc.child import held
from dipc.cli.options import FILE, About, defined, definitions, gathered, option
from dipc.cli.terminal import Text
from dipc.cli.work import reading
from dipc.clock import Clock
from dipc.dipwhile.convert import to_rational
from dipc.dipwhile.mechanisms import Mechanism, in_python
from dipc.dipwhile.syntax.compile import Asks, asks
from dipc.dipwhile.syntax.parser import parse_valuation
from dipc.errors import InputError
from dipc.lazily import lazily
from dipc.shipped import is_python, source_of

if TYPE_CHECKING:
    import dipc.dipwhile.allsizes.question as about
else:
    about = lazily("dipc.dipwhile.allsizes.question")

MOST_WARNINGS = 20  # that are shown
Values = Mapping[str, Any]


class Valuation(Text):
    """Values of variables; ``name`` is the option that messages point to."""

    def __init__(self, name: str) -> None:
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = super().convert(value, param, ctx)
        return parse_valuation(text, self.name) if text.strip() else {}


def values(name: str, *names: str, metavar: str, **more: Any) -> Callable[[Any], Any]:
    """An option for the values of variables."""
    return click.option(name, *names, type=Valuation(name), metavar=metavar, **more)


PAIR = (Valuation("--pair (first)"), Valuation("--pair (second)"))
files = partial(click.argument, "files", metavar="FILE...", nargs=-1, required=True, type=FILE)
pair = option("--pair", type=PAIR, metavar="U V", help="Only these two inputs: --pair 'q=[0,1]' 'q=[1,1]'.")
interval = option(
    "--for",
    "budgets",
    metavar="INTERVAL",
    help="The range of eps, for example '(0, 1]'; by default that of the program's claim, else all eps > 0.",
)


@dataclass(frozen=True, kw_only=True)
class Given(About):
    """The program in question, and what the options that several commands have say about it."""

    claim: str | None = None
    pair: tuple[Values, Values] | None = None
    budgets: str | None = None
    inputs: str | None = None
    outputs: str | None = None
    adjacent: str | None = None

    @property
    def declarations(self) -> dict[str, str]:
        """What a decorator would declare of a function that has none."""
        given = {"inputs": self.inputs, "outputs": self.outputs, "adjacent": self.adjacent}
        return {name: text for name, text in given.items() if text is not None}

    @property
    def restrictions(self) -> dict[str, Any]:
        """What was given of ``pair``, ``at`` and ``budgets``, as the methods of a mechanism take it."""
        found = {"pair": self.pair, "at": self.at, "budgets": self.budgets}
        return {name: value for name, value in found.items() if value is not None}

    def question(self, needs_claim: bool = True) -> about.Question:
        """The program and its claim, about every size, for ``dipc prove``."""
        source, given = source_of(self.file), defined(self.definitions)
        overrides = {name: to_rational(value, f"the parameter `{name}`") for name, value in given.items()}
        say_whose(self.file)
        with reading(self.name):
            asked = partial(about.question, source, overrides, self.claim, needs_claim=needs_claim)
            return held(Clock(), asked, (source,))

    def _read(self) -> Mechanism:
        if self.declarations:
            return in_python(self.file, defined(self.definitions), self.declarations)
        return Mechanism.load_file(self.file, defined(self.definitions))

    def load(self) -> Mechanism:
        """The program with its parameters set; warnings go to the standard error."""
        if self.declarations and not is_python(self.file):
            names = " and ".join(f"--{name}" for name in self.declarations)
            raise click.UsageError(f"{names}: a program declares this itself; for a function: mine.py:name")
        with reading(self.name):
            mechanism = self._read()
        say_whose(self.file)
        for warning in mechanism.warnings[:MOST_WARNINGS]:
            click.echo(warning, err=True)
        if (more := len(mechanism.warnings) - MOST_WARNINGS) > 0:
            click.echo(f"and {more} more warnings", err=True)
        return mechanism


def declared(what: str, example: str) -> Callable[[Any], Any]:
    """The option for a declaration of a function that has no decorator."""
    text = f"The {what} of a Python function without decorator, for example '{example}'."
    return click.option(f"--{what}", metavar="TEXT", help=text)


def say_whose(file: str) -> None:
    """A note if a shipped program was read, but there is a file of nearly the same name."""
    if not Path(file).exists() and Path(f"{file}.dip").exists():
        note = f"note: this is the {file} that comes with dipc; yours is {file}.dip"
        click.echo(note, err=True)


def program(command: Callable[..., int]) -> Callable[..., int]:
    """FILE and -D; they and the other options of :class:`Given` become the first argument of the command."""

    return click.argument("file", type=FILE)(definitions()(gathered(Given, command)))


def asks_of(file: str) -> Asks:
    """What the program in a file can be asked; nothing special if it cannot be read."""
    try:
        return asks(source_of(file))
    except (InputError, OSError):
        return Asks()


def command_of(file: str) -> str:
    """The command that decides the claim of a file; ``check`` finds the system of a model by itself."""
    asked = asks_of(file)
    if asked.every_size:
        return "prove"
    return "pufferfish check" if asked.claims_number and asked.has_prior else "check"


def claims_of(file: str) -> tuple[str, ...]:
    """The claims of the program in a file, of privacy and of accuracy; none if it does not make both.

    Only a program with the word is read here, where no limit holds.
    """
    try:
        source = source_of(file)
    except (InputError, OSError):
        return ()
    return asks(source).claims if "accurate" in source.text else ()


def asks_about_secrets(file: str) -> bool:
    """Whether the program in a file says what an attacker knows, or claims a number."""
    asked = asks_of(file)
    return asked.claims_number or asked.has_prior
