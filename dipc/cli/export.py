"""``dipc export``: carry the question, or the chain, to another tool."""

from __future__ import annotations

from pathlib import Path

import click

from dipc.cli.options import TARGET, load, program_options, refuse_overwriting
from dipc.cli.progress import Bar
from dipc.cli.terminal import say
from dipc.dipwhile.syntax.parser import parse_valuation
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
@program_options
@click.option(
    "--to", required=True, type=click.Choice([*QUESTIONS, *CHAINS]), help="The language to export to."
)
@click.option("-o", "--output", metavar="OUT", type=TARGET, help="Write to this file.")
@click.option("--claim", metavar="TEXT", help="Export this instead of the program's claim.")
@click.option("--pair", nargs=2, metavar="U V", help="Only these two inputs: --pair 'q=[0,1]' 'q=[1,1]'.")
@click.option(
    "--input", "given", metavar="TEXT", help="The input of the chain, or of the distribution shown."
)
def export(
    file: str,
    definitions: tuple[str, ...],
    to: str,
    output: str | None,
    claim: str | None,
    pair: tuple[str, str] | None,
    given: str | None,
) -> int:
    """Write the claim of FILE, or its Markov chain on one input, in another language.

    \b
    mathematica, sage   a script that checks itself and asks the question again
    smtlib              one query with exp for each different inequality
    latex               program, distributions, and one inequality with its proof
    dot, svg            the Markov chain on --input, as a drawing
    drn, prism          the same chain, for the model checkers Storm and PRISM
    """
    refuse_overwriting(output, file)
    with Bar(f"export of {file}"):
        mechanism = load(file, definitions)
        text = mechanism.export(
            to,
            claim=claim,
            pair=(parse_valuation(pair[0]), parse_valuation(pair[1])) if pair else None,
            input=parse_valuation(given) if given is not None else None,
        )
    if output is None:
        say(text, end="")
    else:
        Path(output).write_text(text, encoding="utf-8")
    return 0
