"""``dipc model show`` and ``dipc model export``: a Markov model as text, as a picture, for other tools."""

from __future__ import annotations

import click

from dipc.cli import options
from dipc.cli.terminal import write
from dipc.cli.work import work
from dipc.dpctl.commands.model import Asked, on_a_model
from dipc.dpctl.model import MarkovModel
from dipc.dpctl.picture import dot, svg
from dipc.dpctl.records import state_rows
from dipc.dpctl.verdict import Witness
from dipc.errors import InputError
from dipc.export.markov_picture import FORMATS
from dipc.report.answer import answer_text
from dipc.report.document import plain_document, text


def loaded(asked: Asked) -> MarkovModel:
    """The model; what was skipped in its file is a note."""
    found = asked.load()
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    return found


@click.command(
    short_help="Show the states, or draw them.",
    epilog="""\b
Examples:
  dipc model show survey.dpm
  dipc model show survey.dpm --to svg -o survey.svg
  dipc model show survey.dpm --to svg --why "D[1, 0](X out_1)" -o survey.svg
""",
)
@on_a_model
@options.output(help="Write to this file.")
@click.option(
    "--to", type=click.Choice(["text", "svg", "dot"]), default="text", help="How: text if not given."
)
@click.option("--why", metavar="FORMULA", help="Draw in colour why this formula fails.")
@options.limits
@options.json()
def show(asked: Asked, output: str | None, to: str, why: str | None) -> int:
    """Show the states of MODEL with their transitions, labels and neighbours.

    In a picture neighbours are joined by dashed lines. With --why the state and the neighbour that refute
    FORMULA are in colour, and so is the way from them: along the word of actions, or to a state that the
    formula names.
    """
    options.refuse_overwriting(output, asked.file)
    if why is not None and to == "text":
        raise click.UsageError("--why is about a picture: add --to svg or --to dot")
    if asked.as_json and to != "text":
        raise click.UsageError("--json is about the text: leave out --to")
    draw = svg if to == "svg" else dot
    with work(f"drawing {asked.name}", *asked.limits) as running:
        found = loaded(asked)
        if to == "text":
            document = plain_document(state_rows(found))
            content = answer_text("model show", state_rows(found)) if asked.as_json else text(document)
        else:
            content = running.held(lambda: draw(found.model, None if why is None else witness_of(found, why)))
    write(content, output)
    return 0


def witness_of(found: MarkovModel, formula: str) -> Witness:
    """Why a formula fails.  Raises :class:`InputError` if it does not."""
    verdict = found.check(formula)
    if verdict.witness is None:
        raise InputError(
            f"there is nothing to colour: the verdict is `{verdict.status}`", hint="leave out --why"
        )
    return verdict.witness


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
def export(asked: Asked, output: str | None, to: str) -> int:
    """Write MODEL in another format.

    \b
    drn, prism   for the model checkers Storm and PRISM, with z = exp(eps)
    dpm          our own format: of a program, the chain from inputs to outputs
    csv          a table of transitions
    dot, svg     a picture
    """
    return write_export(asked, to, output)


def write_export(asked: Asked, to: str, output: str | None) -> int:
    """Write the model to a file or the standard output."""
    options.refuse_overwriting(output, asked.file)
    with work(f"export of {asked.name}", *asked.limits):
        content = loaded(asked).export(to)
    write(content, output)
    return 0
