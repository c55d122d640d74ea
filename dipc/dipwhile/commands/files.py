"""``dipc plot``, ``dipc report`` and ``dipc export``: a program as a figure, a page or another text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dipc.cli import options
from dipc.cli.failures import INTERRUPTED, Interrupted
from dipc.cli.terminal import say, write
from dipc.cli.work import say_left_out, work
from dipc.clock import limits
from dipc.dipwhile.commands import options as program_options
from dipc.dipwhile.export.formats import CHAINS, QUESTIONS, VERDICTS
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.panels.figures import SHOWN_DIGITS, WHAT, plot_mechanism
from dipc.dipwhile.panels.page import report_html
from dipc.files import write_file
from dipc.report.attempts import PATIENCE, Attempts
from dipc.report.page import refuse_no_page
from dipc.shipped import STDIN, stem_of


@click.command(
    epilog="""\b
Examples:
  dipc plot svt4 -o svt4.png
  dipc plot svt1 --what loss --to 20 -o loss.svg
  dipc plot sparse --what profile -o sparse.pdf
  dipc plot svt1 --what distributions --pair "q=[0,0,0]" "q=[1,1,1]" --at 1/2
""",
)
@program_options.program
@options.output(help="The file: .png, .svg or .pdf [NAME.png].")
@click.option(
    "--what", type=click.Choice([*WHAT, "all"]), default="all", show_default=True, help="What to show."
)
@options.claim()
@program_options.interval(help="The range of eps of the claim, for example '(0, 1]'.")
@program_options.pair()
@options.at(help="The eps of the distributions, for example --at 1/2.")
@click.option("--from", "low", metavar="EPS", help="Where the axis of eps begins.")
@click.option("--to", "high", metavar="EPS", help="Where it ends.")
@click.option("--log/--linear", "log", default=None, help="Its scale; linear by default.")
@click.option(
    "--digits",
    type=options.Count(least=1, most=50),
    default=SHOWN_DIGITS,
    show_default=True,
    metavar="N",
    help="Significant digits beside the bars.",
)
@options.time_limit(default=PATIENCE, show_default=True, help="Leave out what takes longer.")
@options.memory_limit(help="Leave out what needs more.")
def plot(asked: program_options.Given, output: str | None, what: str, **more: Any) -> int:
    """Draw FILE: what it loses against what it claims, for every eps.

    \b
    loss            the privacy loss against the claimed t*eps, and the t needed
    profile         the least delta at each eps against the claimed one
    distributions   of two adjacent inputs, at one eps and for all
    region          a counterexample, and the eps at which it violates the claim

    The eps that violate the claim are shaded, with their ends exactly or to 10 digits.  The inputs are those
    of the counterexample, or those that need the most budget.
    """
    stem = stem_of(asked.file) if asked.file != STDIN else "plot"
    target = options.picture(output or f"{stem}.png")

    def draw(mechanism: Mechanism, attempts: Attempts) -> None:
        given = more | asked.restrictions
        options.save(plot_mechanism(mechanism, what, asked.claim, attempts=attempts, **given), target)

    return _written(asked, target, f"plotting {asked.name}", draw)


@click.command(
    epilog="""\b
Examples:
  dipc report svt4 -o svt4.html
  dipc report svt1 -D N=4 --title "SVT, four queries"
  dipc report sparse --claim "eps/2, exp(-3)" --time-limit 60
""",
)
@program_options.program
@options.output(help="The page to write [NAME.html].")
@click.option("--title", metavar="TEXT", help="The heading; by default the name of the program.")
@options.claim()
@options.at(help="The eps at which distributions are shown, for example 1/2.")
@options.time_limit(
    default=PATIENCE, show_default=True, help="For each part; what takes longer is left out, with a note."
)
@options.memory_limit(help="For each part, too.")
def report(asked: program_options.Given, output: str | None, title: str | None) -> int:
    """Write a page about FILE: the verdict, the counterexample or a proof, plots, and files to check it.

    The page is one file that loads nothing and runs no script.  The exit status is 0 if the page was written,
    whatever the verdict (for that, use `dipc check`).  After Ctrl-C the page is written with what is known,
    and the exit status is 130.
    """
    target = Path(output or ("report.html" if asked.file == STDIN else f"{stem_of(asked.file)}.html"))
    refuse_no_page(target)
    options.refuse_overwriting(target, asked.file)

    def write(mechanism: Mechanism, attempts: Attempts) -> None:
        page = report_html(mechanism, asked.claim, title=title, at=asked.at, attempts=attempts)
        write_file(target, page)

    return _written(asked, target, f"report of {asked.name}", write)


def _written(
    asked: program_options.Given, target: Path, doing: str, write: Callable[[Mechanism, Attempts], None]
) -> int:
    """Write the file, with a limit for each part, and say what was left out."""
    with work(doing) as running, limits(seconds=asked.time_limit, megabytes=asked.memory_limit):
        mechanism = asked.load()

        def first() -> None:
            if running.stop.pressed:
                raise Interrupted("not tried: interrupted")

        attempts = Attempts(first)
        write(mechanism, attempts)
    say_left_out(attempts.notes)
    say(f"wrote {target}")
    return INTERRUPTED if running.stop.pressed else 0


@click.command(
    epilog="""\b
Examples:
  dipc export svt1 --to mathematica -o svt1.wl
  dipc export svt1 --to latex --pair "q=[0,0,0]" "q=[1,1,1]"
  dipc export svt1 --to coq -o svt1.v              and then: coqc svt1.v
  dipc export svt1 --to svg --input "q=[0,1]" -D N=2 -o chain.svg
""",
)
@program_options.program
@click.option(
    "--to",
    required=True,
    type=click.Choice([*QUESTIONS, *VERDICTS, *CHAINS]),
    help="The language to export to.",
)
@options.output(help="Write to this file.")
@options.claim(help="Export this instead of the program's claim.")
@program_options.pair()
@program_options.values(
    "--input", "given", metavar="TEXT", help="The input of the chain, or of the distribution shown."
)
@options.limits
def export(
    asked: program_options.Given, to: str, output: str | None, given: program_options.Values | None
) -> int:
    """Write the claim of FILE, or its Markov chain on one input, in another language.

    \b
    mathematica, sage   a script that checks itself and decides the claim again
    smtlib              one query with exp for each distinct inequality
    latex               program, distributions, and one inequality with its proof
    coq                 the verdict as a theorem, with all that Coq needs
    dot, svg            the Markov chain on --input, as a drawing
    drn, prism          the same chain, for the model checkers Storm and PRISM
    """
    options.refuse_overwriting(output, asked.file)
    if to in VERDICTS:
        if asked.pair is not None or given is not None:
            raise click.UsageError("a theorem is about all adjacent inputs: leave out --pair and --input")
        options.refuse_no_module(output)
    with work(f"export of {asked.name}", *asked.limits):
        text = asked.load().export(to, claim=asked.claim, input=given, **asked.restrictions)
    write(text, output)
    return 0
