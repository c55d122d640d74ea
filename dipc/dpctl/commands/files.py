"""``dipc model show`` and ``dipc model export``: a Markov model as text, and for other tools."""

from __future__ import annotations

import click

from dipc.cli import options
from dipc.cli.terminal import write
from dipc.cli.work import work
from dipc.dpctl.commands.model import Given, on_a_model
from dipc.dpctl.model import MarkovModel
from dipc.dpctl.records import state_rows
from dipc.export.markov_picture import FORMATS
from dipc.report.answer import answer_text
from dipc.report.document import plain_document, text


def loaded(asked: Given) -> MarkovModel:
    """The model; what was skipped in its file is a note."""
    found = asked.load()
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    return found


@click.command(
    short_help="Show the states.",
    epilog="""\b
Examples:
  dipc model show survey.dpm
""",
)
@on_a_model
@options.output(help="Write to this file.")
@options.limits
@options.json()
def show(asked: Given, output: str | None) -> int:
    """Show the states of MODEL with their transitions, labels and neighbours."""
    options.refuse_overwriting(output, asked.file)
    with work(f"showing {asked.name}", *asked.limits):
        rows = list(state_rows(loaded(asked)))
    write(answer_text("model show", rows) if asked.as_json else text(plain_document(rows)), output)
    return 0


@click.command(
    short_help="Write the model for another tool.",
    epilog="""\b
Examples:
  dipc model export survey.dpm --to drn -o survey.drn
  dipc model export svt4 -D N=2 --to dpm
  dipc model export chain.drn -D "z=exp(eps)" --to prism
""",
)
@on_a_model
@options.output(help="Write to this file.")
@click.option("--to", required=True, type=click.Choice(list(FORMATS)), help="The format.")
@options.limits
def export(asked: Given, output: str | None, to: str) -> int:
    """Write MODEL in another format.

    \b
    drn, prism   for the model checkers Storm and PRISM, with z = exp(eps)
    dpm          our own format: of a program, the chain from inputs to outputs
    csv          a table of transitions
    dot, svg     a picture
    """
    options.refuse_overwriting(output, asked.file)
    with work(f"export of {asked.name}", *asked.limits):
        content = loaded(asked).export(to)
    write(content, output)
    return 0
