"""Options that several sub-commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dipc.mechanism import Mechanism

Command = TypeVar("Command", bound=Callable[..., Any])


def program_options(command: Command) -> Command:
    """FILE and -D NAME=VALUE."""
    command = click.option(
        "-D",
        "definitions",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a parameter of the program, for example -D N=4.",
    )(command)
    return click.argument("file", type=click.Path())(command)


def load(file: str, definitions: tuple[str, ...]) -> Mechanism:
    """The program with its parameters set."""
    parameters = {}
    for definition in definitions:
        name, equals, value = definition.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.BadParameter(f"'{definition}' is not of the form NAME=VALUE", param_hint="-D")
        parameters[name.strip()] = value.strip()
    return Mechanism.load_file(file, parameters)
