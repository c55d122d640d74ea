"""Options that several sub-commands share."""

from __future__ import annotations

import glob
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from dipc.cli.text import Text
from dipc.errors import InputError
from dipc.mechanisms import Mechanism
from dipc.shipped import paths

Command = TypeVar("Command", bound=Callable[..., Any])


PROGRAMS = "*.dip"


class ProgramName(Text):
    """The name of a shipped program; a shell completes it."""

    name = "name"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in paths() if name.startswith(incomplete)]


class ProgramFile(click.Path):
    """A file, or the name of a shipped program; a shell completes both."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        names = NAME.shell_complete(ctx, param, incomplete)
        if not names:  # the shell completes files by itself, but it cannot mix them with other words
            return super().shell_complete(ctx, param, incomplete)
        files = sorted(map(str, Path().glob(f"{glob.escape(incomplete)}{PROGRAMS}")))
        return [*names, *map(CompletionItem, files)]


NAME = ProgramName()
FILE = ProgramFile(allow_dash=True)


def definition_option(command: Command) -> Command:
    """-D NAME=VALUE."""
    return click.option(
        "-D",
        "definitions",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter of the program, for example -D N=4.",
    )(command)


def program_options(command: Command) -> Command:
    """FILE (or the name of a shipped program) and -D NAME=VALUE."""
    return click.argument("file", type=FILE)(definition_option(command))


def files_argument(command: Command) -> Command:
    """FILE..., each a file, a folder, or the name of a shipped program."""
    return click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)(command)


def expanded(files: Sequence[str]) -> list[str]:
    """The files, with folders replaced by the programs in them."""
    found: list[str] = []
    for file in files:
        inside = sorted(map(str, Path(file).rglob(PROGRAMS))) if Path(file).is_dir() else [file]
        if not inside:
            raise InputError(f"{file}: there is no program ({PROGRAMS}) in this folder")
        found += inside
    return found


def load(file: str, definitions: tuple[str, ...]) -> Mechanism:
    """The program with its parameters set; its warnings go to the standard error."""
    parameters = {}
    for definition in definitions:
        name, equals, value = definition.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.BadParameter(f"`{definition}` is not of the form NAME=VALUE", param_hint="`-D`")
        parameters[name.strip()] = value.strip()
    mechanism = Mechanism.load_file(file, parameters)
    for warning in mechanism.warnings:
        click.echo(warning, err=True)
    return mechanism
