"""``dipc new``: a program to start from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import click

from dipc.cli.options import writable
from dipc.cli.terminal import say
from dipc.errors import InputError
from dipc.shipped import header

FOLDER = Path(__file__).parent.parent / "templates"
SUFFIX = ".dip"
DEFAULT = "count"


@cache
def templates() -> Mapping[str, Path]:
    """The templates by name."""
    return {path.stem: path for path in sorted(FOLDER.glob(f"*{SUFFIX}"))}


def title_of(path: Path) -> str:
    """The title of a template."""
    title = header(path.read_text(encoding="utf-8"))["title"]
    return title.removeprefix("NAME: ")


class _New(click.Command):
    """Its help page lists the templates."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Templates"):
            formatter.write_dl([(name, title_of(path)) for name, path in templates().items()])
        super().format_epilog(ctx, formatter)


@click.command(
    cls=_New,
    short_help="Write a program to start from.",
    epilog="""\b
Examples:
  dipc new mine                           writes mine.dip; and then: dipc check mine.dip
  dipc new mine --template noisy-max
  dipc new mine --template sparse --stdout | dipc check -
""",
)
@click.argument("name")
@click.option(
    "-t",
    "--template",
    type=click.Choice(list(templates())),
    default=DEFAULT,
    show_default=True,
    help="The program to start from.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the program instead of writing a file.")
def new(name: str, template: str, force: bool, to_stdout: bool) -> int:
    """Write NAME.dip, a program with comments to start from."""
    path = Path(name if name.endswith(SUFFIX) else name + SUFFIX)
    text = filled(templates()[template].read_text(encoding="utf-8"), path.stem)
    if to_stdout:
        say(text, end="")
        return 0
    try:
        with writable(path).open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{path}: the file exists", hint="overwrite it with --force") from None
    say(f"wrote {path}, and now: dipc check {_quoted(str(path))}")
    return 0


def filled(text: str, name: str) -> str:
    """The template with its name.

    >>> filled("# NAME: a coin\\n# dipc check NAME.dip", "my coin")
    '# my coin: a coin\\n# dipc check "my coin.dip"'
    """
    return text.replace("NAME.dip", _quoted(f"{name}.dip")).replace("NAME", name)


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w./\\-]+", name) else f'"{name}"'
