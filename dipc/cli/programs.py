"""``dipc programs`` and ``dipc new``: the programs that come with dipc, and programs to start from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import click

from dipc.cli.options import any_shipped_names, writable
from dipc.cli.terminal import say, show_table
from dipc.errors import InputError
from dipc.files import write_file
from dipc.shipped import Shipped, describe, header, hidden_models, models, paths

FOLDER = Path(__file__).parent.parent / "templates"
SUFFIX = ".dip"
DEFAULT = "count"


@click.command(
    epilog="""\b
Examples:
  dipc programs                     all of them, with what they show
  dipc programs --long              also where they come from
  dipc programs svt1                the text of one
  dipc programs svt1 > mine.dip     a copy to edit
  dipc programs svt1 --path         where it is installed
""",
)
@click.argument("name", required=False, shell_complete=any_shipped_names)
@click.option("--path", "as_path", is_flag=True, help="Print where the file is.")
@click.option("--long", "with_source", is_flag=True, help="Also show where each comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def programs(name: str | None, as_path: bool, with_source: bool, as_json: bool) -> int:
    """List the programs and (hidden) Markov models that come with dipc, or print the one called NAME.

    Every command that takes a FILE or a MODEL also takes one of these names: dipc check svt1
    """
    chosen = [describe(each) for each in ([name] if name else (*paths(), *models(), *hidden_models()))]
    if as_json:
        keys = ("name", "family", "title", "source", "expect", "path")
        found = [{key: str(getattr(program, key)) for key in keys} for program in chosen]
        if name:
            found[0]["text"] = chosen[0].path.read_text(encoding="utf-8")
        say(json.dumps(found[0] if name else found, indent=2, ensure_ascii=True))
    elif as_path:
        for program in chosen:
            say(str(program.path))
    elif name:
        say(chosen[0].path.read_text(encoding="utf-8"), end="")
    else:
        _show_tables(chosen, with_source)
    return 0


def _show_tables(chosen: Sequence[Shipped], with_source: bool) -> None:
    """The programs, below them those for every size, the Markov models, and the hidden ones."""
    models = [each for each in chosen if each.is_model]
    every_size = [each for each in chosen if each.is_for_every_size]
    hidden = [each for each in chosen if each.is_hidden]
    programs = [each for each in chosen if each not in (*models, *every_size, *hidden)]
    headings = ("name", "expected", "title", "source")[: 4 if with_source else 3]
    _show_expected(programs, headings)
    if every_size:
        say()
        _show_expected(every_size, ("for every size", *headings[1:]))
    if models:
        say()
        heads = ("model", "title", "source")[: 3 if with_source else 2]
        lines = [(each.name, each.title, each.source) for each in models]
        show_table(heads, [line[: len(heads)] for line in lines])
    if hidden:
        say()
        _show_expected(hidden, ("hidden model", *headings[1:]))


def _show_expected(chosen: Sequence[Shipped], headings: Sequence[str]) -> None:
    rows = [(each.name, each.expect, each.title, each.source) for each in chosen]
    show_table(headings, [row[: len(headings)] for row in rows], answers=1)


# --- programs to start from ------------------------------------------------------------------


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
    say(f"wrote {path}, and now: dipc check {_quoted(str(path))}")
    return 0


def filled(text: str, name: str) -> str:
    """The template with its name."""
    return text.replace("NAME.dip", _quoted(f"{name}.dip")).replace("NAME", name)


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[\w./\\-]+", name) else f'"{name}"'
