"""Texts on the command line, whatever the locale."""

from __future__ import annotations

from typing import Any

import click


class Text(click.types.StringParamType):
    """Text of the language: UTF-8, even where the locale is another one and bytes arrive as surrogates."""

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
