"""``dipc new``: programs to start from."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import click

from dipc.cli.options import writable
from dipc.cli.terminal import say
from dipc.errors import InputError
from dipc.files import write_file
from dipc.shipped import header

FOLDER = Path(__file__).parent.parent / "templates"
SUFFIX = ".dip"
DEFAULT = "count"


@cache
def templates() -> Mapping[str, Path]:
    """The templates by name."""
    return {path.stem: path for path in sorted(FOLDER.glob(f"*{SUFFIX}"))}


class _New(click.Command):
    """Its help page lists the templates."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        heads = {name: header(path.read_text(encoding="utf-8")) for name, path in templates().items()}
        with formatter.section("Templates"):
            formatter.write_dl([(name, head["title"].removeprefix("NAME: ")) for name, head in heads.items()])
        super().format_epilog(ctx, formatter)


@click.command(
    cls=_New,
    epilog="""\b
Examples:
  dipc new mine                    writes mine.dip; then: dipc check mine.dip
  dipc new mine --template noisy-max
  dipc new mine --template sparse --stdout | dipc check -
""",
)
@click.argument("name")
@click.option(
    "-t",
    "--template",
    type=click.Choice(list(templates())),
    metavar="NAME",
    default=DEFAULT,
    show_default=True,
    help="The program to start from.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option("--stdout", "to_stdout", is_flag=True, help="Print the program instead of writing a file.")
def new(name: str, template: str, force: bool, to_stdout: bool) -> int:
    """Write NAME.dip, a program with comments to start from."""
    if not name.strip(" .") or not name.isprintable():
        raise InputError(f"`{name}` is no name of a program", hint="for example: dipc new mine")
    path = Path(name if name.endswith(SUFFIX) else name + SUFFIX)
    text = filled(templates()[template].read_text(encoding="utf-8"), path.stem)
    if to_stdout:
        say(text, end="")
        return 0
    try:
        write_file(writable(path), text, new=not force)
    except FileExistsError:
        raise InputError(f"{path}: the file exists", hint="overwrite it with --force") from None
    say(f"wrote {path}, and now: dipc check {shlex.quote(str(path))}")
    return 0


def filled(text: str, name: str) -> str:
    """The template with its name."""
    return text.replace("NAME.dip", shlex.quote(f"{name}.dip")).replace("NAME", name)
