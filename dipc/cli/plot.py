"""``dipc plot``: the privacy loss, the privacy profile and the distributions as a figure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dipc.cli import options
from dipc.cli.interrupt import INTERRUPTED
from dipc.cli.terminal import say
from dipc.cli.work import say_left_out, work
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
@options.program
@options.output(help="The file: .png, .svg or .pdf [NAME.png].")
@click.option(
    "--what", type=click.Choice([*WHAT, "all"]), default="all", show_default=True, help="What to show."
)
@options.claim()
@options.interval(help="The range of eps of the claim, for example '(0, 1]'.")
@options.pair()
@options.at(help="The eps of the distributions, for example --at 1/2.")
@click.option("--from", "low", metavar="EPS", help="Where the axis of eps begins.")
@click.option("--to", "high", metavar="EPS", help="Where it ends.")
@click.option("--log/--linear", "log", default=None, help="Its scale; linear by default.")
@click.option(
    "--digits",
    type=click.IntRange(1, 50),
    default=SHOWN_DIGITS,
    show_default=True,
    metavar="N",
    help="Significant digits beside the bars.",
)
@options.time_limit(default=PATIENCE, show_default=True, help="Leave out what takes longer.")
def plot(asked: options.Asked, output: str | None, what: str, **more: Any) -> int:
    """Draw FILE: what it loses against what it claims, for every eps.

    \b
    loss            the privacy loss against the claimed t*eps, and the factor t that is needed
    profile         the least delta at each eps against the claimed one
    distributions   of two adjacent inputs, at one eps and for all
    region          a counterexample, and the eps at which it violates the claim

    The eps that violate the claim are shaded, with their ends exactly or to 10 digits.  The inputs are those
    of the counterexample, or those that need the most budget.
    """
    target = Path(output or f"{Path(asked.file).stem if asked.file != '-' else 'plot'}.png")
    if target.suffix.lower() not in FORMATS:
        raise InputError(
            f"{target}: a figure is written as {', '.join(FORMATS)}", hint=f"for example -o {target.stem}.png"
        )
    mechanism = asked.load()
    with work(f"plotting {asked.file}") as running:
        attempts = Attempts(asked.time_limit, running.within, running.progress)
        more |= asked.restrictions
        figure = plot_mechanism(mechanism, what, asked.claim, attempts=attempts, **more)
        figure.savefig(target, dpi=160, metadata={"Date": None} if target.suffix == ".svg" else None)
    say_left_out(attempts.notes)
    say(f"wrote {target}")
    return INTERRUPTED if running.stop.pressed else 0
