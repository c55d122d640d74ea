"""``dipc plot``: the privacy loss, the privacy profile and the distributions as a figure."""

from __future__ import annotations

from pathlib import Path

import click

from dipc.cli.interrupt import INTERRUPTED
from dipc.cli.options import SECONDS, TARGET, both_inputs, load, program_options
from dipc.cli.terminal import say
from dipc.cli.work import say_how_long, work
from dipc.errors import InputError
from dipc.report.curve_panels import SHOWN_DIGITS
from dipc.report.figures import WHAT, plot_mechanism
from dipc.report.study import PATIENCE, Attempts

FORMATS = (".png", ".svg", ".pdf")


@click.command(
    short_help="Plot privacy loss, profile and distributions.",
    epilog="""\b
Examples:
  dipc plot svt4 -o svt4.png
  dipc plot svt1 --what loss --to 20 -o loss.svg
  dipc plot sparse --what profile -o sparse.pdf
  dipc plot svt1 --what distributions --pair "q=[0,0,0]" "q=[1,1,1]" --at 1/2
""",
)
@program_options
@click.option("-o", "--output", metavar="OUT", type=TARGET, help="The file: .png, .svg or .pdf [NAME.png].")
@click.option(
    "--what", type=click.Choice([*WHAT, "all"]), default="all", show_default=True, help="What to show."
)
@click.option("--claim", metavar="TEXT", help="Instead of the program's claim, for example 'eps/2, exp(-2)'.")
@click.option("--for", "budgets", metavar="INTERVAL", help="The budgets of the claim, for example '(0, 1]'.")
@click.option("--pair", nargs=2, metavar="U V", help="Only these two inputs: --pair 'q=[0,1]' 'q=[1,1]'.")
@click.option("--at", metavar="EPS0", help="The budget of the distributions, for example --at 1/2.")
@click.option("--from", "low", metavar="EPS", help="Where the axis of budgets begins.")
@click.option("--to", "high", metavar="EPS", help="Where it ends.")
@click.option("--log/--linear", "log", default=None, help="Its scale; linear if not told otherwise.")
@click.option(
    "--digits",
    type=click.IntRange(1, 50),
    default=SHOWN_DIGITS,
    show_default=True,
    metavar="N",
    help="Significant digits beside the bars.",
)
@click.option(
    "--time-limit",
    type=SECONDS,
    default=PATIENCE,
    show_default=True,
    metavar="SECONDS",
    help="Leave out what takes longer.",
)
def plot(
    file: str,
    definitions: tuple[str, ...],
    output: str | None,
    what: str,
    claim: str | None,
    budgets: str | None,
    pair: tuple[str, str] | None,
    at: str | None,
    low: str | None,
    high: str | None,
    log: bool | None,
    digits: int,
    time_limit: float,
) -> int:
    """Draw FILE: what it loses against what it claims, for every eps.

    \b
    loss            the privacy loss against the claimed t*eps, and the factor t that is needed
    profile         the least delta at each eps against the claimed one
    distributions   of two neighbours, at one eps and for all
    region          a counterexample, and the budgets that it breaks the claim for

    The budgets that break the claim are shaded, and their ends are written exactly, or to 10 digits.  The
    neighbours are those of the counterexample, or those that need the most budget.
    """
    target = Path(output or f"{Path(file).stem if file != '-' else 'plot'}.png")
    if target.suffix.lower() not in FORMATS:
        raise InputError(
            f"{target}: a figure is written as {', '.join(FORMATS)}", hint=f"for example -o {target.stem}.png"
        )
    mechanism = load(file, definitions)
    with work(f"plotting {file}") as running:
        attempts = Attempts(time_limit, running.within, running.progress)
        figure = plot_mechanism(
            mechanism, what, claim,
            pair=both_inputs(pair), at=at, budgets=budgets, low=low, high=high, log=log, digits=digits,
            attempts=attempts,
        )  # fmt: skip
        figure.savefig(target, dpi=160, metadata={"Date": None} if target.suffix == ".svg" else None)
    for note in attempts.notes:
        click.echo(f"left out: {note.part}: {note.why}", err=True)
    say_how_long(attempts.notes)
    say(f"wrote {target}")
    return INTERRUPTED if running.stop.pressed else 0
