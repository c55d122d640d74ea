"""``dipc programs``: the programs that come with dipc."""

from __future__ import annotations

import json

import click

from dipc.cli.options import NAME
from dipc.cli.terminal import say, show_table
from dipc.shipped import Shipped, describe, paths


@click.command(
    short_help="List the programs that come with dipc.",
    epilog="""\b
Examples:
  dipc programs                     all of them, with what they show
  dipc programs --long              also where they come from
  dipc programs svt1                the text of one
  dipc programs svt1 > mine.dip     a copy to edit
  dipc programs svt1 --path         where it is installed
""",
)
@click.argument("name", required=False, type=NAME)
@click.option("--path", "as_path", is_flag=True, help="Print where the file is.")
@click.option("--long", "with_source", is_flag=True, help="Also show where each comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def programs(name: str | None, as_path: bool, with_source: bool, as_json: bool) -> int:
    """List the programs that come with dipc, or print the one called NAME.

    Every command that takes a FILE also takes one of these names: dipc check svt1
    """
    chosen = [describe(each) for each in ([name] if name else paths())]
    if as_json:
        found = [record(program, with_text=name is not None) for program in chosen]
        say(json.dumps(found[0] if name else found, indent=2, ensure_ascii=True))
    elif as_path:
        for program in chosen:
            say(str(program.path))
    elif name:
        say(chosen[0].path.read_text(encoding="utf-8"), end="")
    else:
        headings = ("name", "expected", "title", "source")[: 4 if with_source else 3]
        rows = [(program.name, program.expect, program.title, program.source) for program in chosen]
        show_table(headings, [row[: len(headings)] for row in rows], answers=1)
    return 0


def record(program: Shipped, with_text: bool) -> dict[str, str]:
    """The record of a program."""
    known = {
        "name": program.name,
        "family": program.family,
        "title": program.title,
        "source": program.source,
        "expect": program.expect,
        "path": str(program.path),
    }
    return known | ({"text": program.path.read_text(encoding="utf-8")} if with_text else {})
