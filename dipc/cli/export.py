"""``dipc export``: carry the question, or the chain, to another tool."""

from __future__ import annotations

from pathlib import Path

import click

from dipc.cli import options
from dipc.cli.terminal import say
from dipc.cli.work import Bar
from dipc.export.formats import CHAINS, QUESTIONS


@click.command(
    short_help="Carry the question to another tool.",
    epilog="""\b
Examples:
  dipc export svt1 --to mathematica -o svt1.wl
  dipc export svt1 --to latex --pair "q=[0,0,0]" "q=[1,1,1]"
  dipc export svt1 --to svg --input "q=[0,1]" -D N=2 -o chain.svg
""",
)
@options.program
@click.option(
    "--to", required=True, type=click.Choice([*QUESTIONS, *CHAINS]), help="The language to export to."
)
@options.output(help="Write to this file.")
@options.claim(help="Export this instead of the program's claim.")
@options.pair()
@click.option(
    "--input",
    "given",
    type=options.Valuation("--input"),
    metavar="TEXT",
    help="The input of the chain, or of the distribution shown.",
)
def export(asked: options.Asked, to: str, output: str | None, given: options.Values | None) -> int:
    """Write the claim of FILE, or its Markov chain on one input, in another language.

    \b
    mathematica, sage   a script that checks itself and decides the claim again
    smtlib              one query with exp for each distinct inequality
    latex               program, distributions, and one inequality with its proof
    dot, svg            the Markov chain on --input, as a drawing
    drn, prism          the same chain, for the model checkers Storm and PRISM
    """
    options.refuse_overwriting(output, asked.file)
    with Bar(f"export of {asked.file}"):
        text = asked.load().export(to, claim=asked.claim, input=given, **asked.restrictions)
    if output is None:
        say(text, end="")
    else:
        Path(output).write_text(text, encoding="utf-8")
    return 0
