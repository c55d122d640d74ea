"""``dipc budget``, ``dipc profile`` and ``dipc regions``: how tight a bound is, and where a claim breaks."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any

import click

from dipc.cli.document import program_rows, show
from dipc.cli.options import SECONDS, Command, both_inputs, load, program_options
from dipc.cli.work import work
from dipc.mechanisms import Mechanism
from dipc.report.document import Row, plain_document
from dipc.report.tightness import Tight, rows_of


def tightness_options(command: Command) -> Command:
    """FILE, -D, and what ``budget``, ``profile`` and ``regions`` have in common."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON record."),
        click.option("--time-limit", type=SECONDS, metavar="SECONDS", help="Give up after this time."),
        click.option(
            "--pair", nargs=2, metavar="U V", help="Only these two inputs: --pair 'q=[0,1]' 'q=[1,1]'."
        ),
    ):
        command = option(command)
    return program_options(command)


budgets_option = click.option(
    "--for",
    "budgets",
    metavar="INTERVAL",
    help="The budgets, for example '(0, 1]'; by default those of the program's claim, else all eps > 0.",
)
at_option = click.option("--at", metavar="EPS0", help="For this eps only, for example --at 1/2.")
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
@budgets_option
@at_option
@width_option
@click.option("--epsilon-curve", is_flag=True, help="Also the exact privacy loss as a function of eps.")
def budget(
    file: str,
    definitions: tuple[str, ...],
    budgets: str | None,
    at: str | None,
    width: str,
    epsilon_curve: bool,
    **common: Any,
) -> int:
    """Find the least t such that FILE is (t*eps)-private for every eps.

    It is exact where it is rational, else enclosed, and it is told where it is attained, or approached, and
    which inputs and output need it.
    """

    def answer(mechanism: Mechanism, **options: Any) -> list[Tight]:
        found: list[Tight] = [mechanism.budget(at=at, budgets=budgets, width=width, **options)]
        if epsilon_curve:
            found.append(mechanism.loss_curve(at=at, budgets=budgets, **options))
        return found

    return _answered(answer, file, definitions, **common)


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
@budgets_option
@at_option
@width_option
@click.option(
    "--epsilon", metavar="TEXT", help="For example 'eps/2'; by default that of the program's claim."
)
def profile(
    file: str,
    definitions: tuple[str, ...],
    budgets: str | None,
    at: str | None,
    width: str,
    epsilon: str | None,
    **common: Any,
) -> int:
    """Find the least delta such that FILE is (t*eps, delta)-private, for each eps and for every eps."""

    def answer(mechanism: Mechanism, **options: Any) -> list[Tight]:
        return [mechanism.profile(epsilon, at=at, budgets=budgets, width=width, **options)]

    return _answered(answer, file, definitions, **common)


@click.command(
    short_help="Find all budgets at which a claim breaks.",
    epilog="""\b
Examples:
  dipc regions hist2
  dipc regions sparse --claim "eps/2, exp(-3)"
  dipc regions svt4 -D N=2 --json
""",
)
@tightness_options
@click.option("--claim", metavar="TEXT", help="Instead of the program's claim, for example 'eps/2, exp(-2)'.")
def regions(file: str, definitions: tuple[str, ...], claim: str | None, **common: Any) -> int:
    """Find all budgets at which FILE breaks its claim, over all pairs of neighbours and all outputs."""

    def answer(mechanism: Mechanism, **options: Any) -> list[Tight]:
        return [mechanism.violating_budgets(claim, **options)]

    return _answered(answer, file, definitions, **common)


def _answered(
    answer: Callable[..., list[Tight]],
    file: str,
    definitions: tuple[str, ...],
    as_json: bool,
    time_limit: float | None,
    pair: tuple[str, str] | None,
) -> int:
    """Load, compute with a progress bar and a limit, and print."""
    start = monotonic()
    mechanism = load(file, definitions)
    both = both_inputs(pair)
    with work(f"reading {file}", time_limit) as running:
        found = answer(mechanism, pair=both, time_limit=time_limit, progress=running.progress)
    seconds = monotonic() - start
    rows = [row for one in found for row in rows_of(one)]
    time = Row("time", f"{seconds:.2f} s", "seconds", round(seconds, 6))
    show(plain_document([*program_rows(file, mechanism.parameters), *rows, time]), as_json)
    return 0
