"""``dipc programs``: the programs and models that come with dipc."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from dipc.cli.options import any_shipped_names
from dipc.cli.terminal import say, show_table
from dipc.shipped import Shipped, describe, hidden_models, models, paths


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
