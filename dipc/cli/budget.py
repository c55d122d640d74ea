"""``dipc budget``, ``dipc profile`` and ``dipc regions``: how tight a bound is, and where a claim breaks."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import click

from dipc.cli import options
from dipc.cli.document import program_rows, show
from dipc.cli.work import work
from dipc.mechanisms import Mechanism
from dipc.report.document import Row, plain_document
from dipc.report.tightness import Tight, rows_of


def tightness_options(command: Callable[..., int]) -> Callable[..., int]:
    """FILE, -D, and what ``budget``, ``profile`` and ``regions`` have in common."""
    return options.program(options.pair()(options.time_limit()(options.json()(command))))


width_option = click.option(
    "--width",
    default="1e-10",
    show_default=True,
    metavar="W",
    help="How narrow to enclose a number that is not found exactly.",
)


@click.command(
    short_help="Find the least privacy budget that is enough.",
    epilog="""\b
Examples:
  dipc budget svt1
  dipc budget svt1 -D N=4 --for "(0, 1]"
  dipc budget svt1 --at 1/2
  dipc budget svt1 --epsilon-curve --json
""",
)
@tightness_options
@options.interval()
@options.at()
@width_option
@click.option("--epsilon-curve", is_flag=True, help="Also the exact privacy loss as a function of eps.")
def budget(asked: options.Asked, width: str, epsilon_curve: bool, as_json: bool) -> int:
    """Find the least t such that FILE is (t*eps)-private for every eps.

    A rational t is exact, any other enclosed.  The report says where t is attained or approached, and which
    inputs and output need it.
    """

    def answer(mechanism: Mechanism, **given: Any) -> list[Tight]:
        found: list[Tight] = [mechanism.budget(width=width, **given)]
        if epsilon_curve:
            found.append(mechanism.loss_curve(**given))
        return found

    return _answered(answer, asked, as_json)


@click.command(
    short_help="Find the least delta that is enough.",
    epilog="""\b
Examples:
  dipc profile sparse --epsilon "eps/2"
  dipc profile svt1 --epsilon "eps/4" --for "[1, 2]"
  dipc profile svt1 --epsilon "eps/4" --at 3/2 --json
""",
)
@tightness_options
@options.interval()
@options.at()
@width_option
@click.option(
    "--epsilon", metavar="TEXT", help="For example 'eps/2'; by default that of the program's claim."
)
def profile(asked: options.Asked, width: str, epsilon: str | None, as_json: bool) -> int:
    """Find the least delta such that FILE is (t*eps, delta)-private, for each eps and for every eps."""

    def answer(mechanism: Mechanism, **given: Any) -> list[Tight]:
        return [mechanism.profile(epsilon, width=width, **given)]

    return _answered(answer, asked, as_json)


@click.command(
    short_help="Find all eps at which a claim is violated.",
    epilog="""\b
Examples:
  dipc regions hist2
  dipc regions sparse --claim "eps/2, exp(-3)"
  dipc regions svt4 -D N=2 --json
""",
)
@tightness_options
@options.claim()
def regions(asked: options.Asked, as_json: bool) -> int:
    """Find all eps at which FILE violates its claim, over all adjacent inputs and all outputs."""

    def answer(mechanism: Mechanism, **given: Any) -> list[Tight]:
        return [mechanism.violating_budgets(asked.claim, **given)]

    return _answered(answer, asked, as_json)


def _answered(answer: Callable[..., list[Tight]], asked: options.Asked, as_json: bool) -> int:
    """Load, compute with a progress bar and a limit, and print."""
    start = monotonic()
    mechanism = asked.load()
    with work(f"reading {asked.file}", asked.time_limit) as running:
        limits = {"time_limit": asked.time_limit, "progress": running.progress}
        found = answer(mechanism, **limits, **asked.restrictions)
    seconds = monotonic() - start
    rows = [row for one in found for row in rows_of(one)]
    time = Row("time", f"{seconds:.2f} s", "seconds", round(seconds, 6))
    show(plain_document([*program_rows(asked.file, mechanism.parameters), *rows, time]), as_json)
    return 0
