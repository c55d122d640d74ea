"""Options that several sub-commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dipc.mechanism import Mechanism

Command = TypeVar("Command", bound=Callable[..., Any])


class Text(click.types.StringParamType):
    """Text of the language.  In a locale that is not UTF-8 its bytes arrive as surrogates: they are UTF-8."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return recovered(str(super().convert(value, param, ctx)))


TEXT = Text()


def recovered(text: str) -> str:
    """The UTF-8 text behind surrogate escapes; other text as it is.

    >>> recovered("\\udcce\\udcb5/2"), recovered("eps/2")
    ('ε/2', 'eps/2')
    """
    try:
        return text.encode("ascii", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return text


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
    """The program with its parameters set; its warnings go to the standard error."""
    parameters = {}
    for definition in definitions:
        name, equals, value = definition.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise click.BadParameter(f"'{definition}' is not of the form NAME=VALUE", param_hint="'-D'")
        parameters[name.strip()] = value.strip()
    mechanism = Mechanism.load_file(file, parameters)
    for warning in mechanism.warnings:
        click.echo(warning, err=True)
    return mechanism
