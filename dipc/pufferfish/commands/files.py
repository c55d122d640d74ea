"""``dipc pufferfish distribution``, ``export``, ``plot`` and ``report``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import click
from flint import fmpq

from dipc.claims.wording import Record, decimal_at, pretty
from dipc.cli import options
from dipc.cli.failures import INTERRUPTED, Interrupted
from dipc.cli.terminal import columns, say, write
from dipc.cli.work import say_left_out, work
from dipc.clock import Clock, limits
from dipc.errors import InputError
from dipc.files import write_file
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.commands.pufferfish import FILE, Given, about_models, comparing
from dipc.pufferfish.export.hmm import FORMATS
from dipc.pufferfish.hmm import AnyQuestion, spoken
from dipc.pufferfish.laws import Function, Law, as_function, spelled
from dipc.pufferfish.page import report_question_html
from dipc.pufferfish.panels import POINTS, WHAT
from dipc.pufferfish.question import Question
from dipc.report.answer import envelope
from dipc.report.attempts import Attempts
from dipc.report.page import target_of
from dipc.shipped import STDIN

FIGURES = (".svg", ".pdf", ".png")
ONE = fmpq(1)


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
@click.option("--to", required=True, type=click.Choice(FORMATS), help="The format.")
def export(asked: Given, output: str | None, to: str) -> int:
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
        content = asked.posed().export(to, **asked.of_program)
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
def plot(asked: Given, output: str, points: int, what: str) -> int:
    """Draw the least epsilon of FILE for each horizon and, with one or two parameters, at their values.

    If probabilities depend on eps, it may be one of the two.  Of a program, --fix and --at leave fewer, and
    without any the least delta is drawn for each epsilon.

    \b
    loss     the least epsilon
    delta    the least delta for each epsilon, without parameters

    Each point is exact; the claim is a dashed line.
    """
    target = options.picture(output, FIGURES)
    options.refuse_overwriting(target, asked.file)
    with work(f"plotting {asked.name}", *asked.limits):
        options.save(asked.posed().plot(what=what, points=points, **asked.of_program), target)
    say(f"wrote {target}")
    return 0


@click.command(
    short_help="Write a page about the question.",
    epilog="""\b
Examples:
  dipc pufferfish report ex3 -o ex3.html
  dipc pufferfish report ex5 --fix pC=1/2
""",
)
@FILE
@about_models
@comparing
@options.claim(help="Write about this claim instead of the file's.")
@options.at(help="The eps of a claim t*eps about a model without eps: --at 1/2.")
@options.output(help="The page to write [NAME.html].")
@click.option("--title", metavar="TEXT", help="The heading; by default the name of the model.")
def report(asked: Given, output: str | None, title: str | None) -> int:
    """Write a page about FILE: the verdict, the counterexample, the least c, plots, and files to check it.

    The page is one file that loads nothing and runs no script.  The limits are for each part; what takes
    longer is left out, with a note.
    """
    name = "report" if asked.file == STDIN else asked.file
    target = target_of(name, output)
    with (
        work(f"report of {asked.name}") as running,
        limits(seconds=asked.time_limit, megabytes=asked.memory_limit),
    ):

        def first() -> None:
            if running.stop.pressed:
                raise Interrupted("not tried: interrupted")

        attempts = Attempts(first)
        page = report_question_html(asked.posed(), title=title, attempts=attempts, **asked.of_program)
        write_file(target, page)
    say_left_out(attempts.notes)
    say(f"wrote {target}")
    return INTERRUPTED if running.stop.pressed else 0


# --- probabilities -------------------------------------------------------------------------------


@click.command(
    short_help="Print the exact probability of every sequence.",
    epilog="""\b
Examples:
  dipc pufferfish distribution ex3 --given sick
  dipc pufferfish distribution ex5                  every secret of a program
  dipc pufferfish distribution above --given "init(1, 0)" --horizon 2
  dipc pufferfish distribution ex3 --given sick --sequence "2"
""",
)
@FILE
@about_models
@click.option("--given", metavar="NAME", help="A secret, a distribution or a first state.")
@click.option("--sequence", metavar="TEXT", help="This sequence only: --sequence 'a b'.")
@options.at(help="Of a program: the value at this eps, for example --at 1/2.")
@options.json()
def distribution(asked: Given, given: str | None, sequence: str | None) -> int:
    """Print P(sequence | NAME) for all sequences of the horizon with a positive probability, exactly.

    A state that stops is silent from then on: its sequences are shorter.  For a program the sequences are its
    outputs, and without --given those for every secret are printed.
    """
    with work(f"distribution of {asked.name}", *asked.limits) as running:
        posed = asked.load_program() if asked.is_program else asked.load(given)
        question, rows = running.held(lambda: _found(posed, asked.at, given, sequence, running.clock))
    if asked.as_json:
        head = {"model": asked.name, "given": given, "horizon": question.horizon}
        own = ("given",) if asked.is_program else ()
        records = [dict.fromkeys(own, row[0]) | _record(question, *row[1:]) for row in rows]
        say(json.dumps(envelope("pufferfish distribution", {**head, "distribution": records}), indent=2))
        return 0
    groups = dict.fromkeys((name, prior) for name, prior, _, _ in rows)
    for name, prior in groups:
        if asked.is_program:
            say(f"given {name}" + (f"   (prior {prior})" if prior else ""))
        elif len(groups) > 1:
            say(f"prior {prior}")
        for line in _aligned([_columns(question, *row[2:]) for row in rows if row[:2] == (name, prior)]):
            say(line)
    return 0


Probability = tuple[str, str | None, tuple[str, ...], Function]
"""What is given, under which prior, a sequence and its probability."""
Found = tuple[Question, list[Probability]]


def _found(
    posed: AnyQuestion, at: str | None, given: str | None, sequence: str | None, clock: Clock
) -> Found:
    """P(sequence | given) for every prior (of a program for every secret), and all sequences or one."""
    question, laws = posed.laws(given, at, clock)
    return question, [
        (name, prior, word, as_function(p, question.parameters))
        for (name, prior), law in laws.items()
        for word, p in _of_law(question, law, sequence, clock)
    ]


def _of_law(
    question: Question, law: Law, sequence: str | None, clock: Clock
) -> Iterator[tuple[tuple[str, ...], Parametric]]:
    if sequence is not None:
        word = law.named([sequence] if question.of_program else spoken(sequence))
        yield word, law.probability(word)
    elif question.horizon is None:
        raise InputError("there are infinitely many sequences", hint="give a horizon: --horizon 3")
    else:
        yield from law.sequences(question.horizon, clock)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of two or three cells."""
    width = max(map(len, rows), default=0)
    return columns([[*row, *[""] * (width - len(row))] for row in rows]) if rows else []


def _decimal(p: Function) -> str | None:
    return decimal_at(p, ONE) if isinstance(p, Quotient) and p.is_constant else None


def _columns(question: Question, word: Sequence[str], p: Function) -> list[str]:
    decimal, text = _decimal(p), spelled(p, question.parameters)
    return [" ".join(word), *([pretty(text)] if decimal is None else [decimal, f"=  {text}"])]


def _record(question: Question, prior: str | None, word: Sequence[str], p: Function) -> Record:
    probability = {"exact": spelled(p, question.parameters), "decimal": _decimal(p)}
    return {"prior": prior, "sequence": list(word), "probability": probability}
