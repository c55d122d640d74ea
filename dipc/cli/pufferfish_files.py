"""``dipc pufferfish export`` and ``dipc pufferfish plot``: a question for other tools, and as a figure."""

from __future__ import annotations

import click

from dipc.cli import options
from dipc.cli.pufferfish import FILE, Asked, about_models
from dipc.cli.terminal import say, write
from dipc.cli.work import work
from dipc.export.hidden import FORMATS, WITHDRAWN
from dipc.report.hidden_figures import POINTS, WHAT

FIGURES = (".svg", ".pdf", ".png")


@click.command(
    short_help="Write the question or the model for another tool.",
    epilog="""\b
Examples:
  dipc pufferfish export ex3 --to smtlib -o ex3.smt2
  dipc pufferfish export above --horizon 9 --to smtlib
  dipc pufferfish export ex5 --to redlog -o ex5.red
  dipc pufferfish export ex3 --fix p=1/2 --to drn
  dipc pufferfish export ex2 --to svg -o ex2.svg
""",
)
@FILE
@about_models
@options.claim(help="Ask about this instead of the file's claim.")
@options.at(help="The eps of a claim t*eps about a model without eps: --at 1/2.")
@options.output(help="Write to this file.")
@click.option("--to", required=True, type=options.Format(FORMATS, WITHDRAWN), help="The format.")
def export(asked: Asked, output: str | None, to: str) -> int:
    """Write FILE in another format.

    \b
    smtlib       a query for each ordered pair: sat is a violation, unsat a proof
    redlog       one formula for all parameters: quantifier elimination in REDUCE
    drn, prism   an equivalent Markov chain for the model checkers Storm and PRISM
    dot, svg     a picture of this chain

    The states of the chain are the compared distributions and pairs of a state and an observation, labelled
    with the observation.
    """
    options.refuse_overwriting(output, asked.file)
    with work(f"export of {asked.name}", *asked.limits):
        if asked.is_program:
            content = asked.load_program().export(to, claim=asked.claim, at=asked.at)
        else:
            content = asked.load().export(to)
    write(content, output)
    return 0


@click.command(
    short_help="Draw the least epsilon against the horizon or parameters.",
    epilog="""\b
Examples:
  dipc pufferfish plot ex3 -o ex3.svg
  dipc pufferfish plot above --horizon 9 -o above.svg
  dipc pufferfish plot above --horizon 5 --what delta -o delta.svg
  dipc pufferfish plot ex5 --fix pC=1/2 -o map.png       two parameters: a map
""",
)
@FILE
@about_models
@options.claim(help="Draw this claim instead of the file's.")
@options.at(help="The eps of a claim t*eps about a model without eps: --at 1/2.")
@options.output(required=True, help="The figure to write: *.svg, *.pdf or *.png.")
@click.option("--what", type=click.Choice(WHAT), default=WHAT[0], show_default=True, help="What to draw.")
@click.option(
    "--points",
    type=options.Count(least=2, most=1000),
    default=POINTS,
    show_default=True,
    metavar="N",
    help="Into so many parts the range of a parameter is divided.",
)
def plot(asked: Asked, output: str, points: int, what: str) -> int:
    """Draw the least epsilon of FILE for each horizon and, with one or two parameters, at their values.

    Of a program, eps may be one of the two; --fix and --at leave fewer, and without any the least delta is
    drawn for each epsilon.

    \b
    loss       the least epsilon
    delta      the least delta for each epsilon, without parameters
    witness    both probabilities of the counterexample, for one parameter

    Each point is exact; the claim is a dashed line.
    """
    target = options.picture(output, FIGURES)
    options.refuse_overwriting(output, asked.file)
    with work(f"plotting {asked.name}", *asked.limits):
        if asked.is_program:
            figure = asked.load_program().plot(what=what, points=points, claim=asked.claim, at=asked.at)
        else:
            figure = asked.load().plot(what=what, points=points)
        options.save(figure, target)
    say(f"wrote {target}")
    return 0
