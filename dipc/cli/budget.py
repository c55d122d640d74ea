"""``dipc budget``, ``dipc profile`` and ``dipc regions``: how tight a bound is, and where a claim breaks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

import click

from dipc.claims.wording import Line, Record
from dipc.cli import options
from dipc.cli.terminal import say
from dipc.cli.work import work
from dipc.mechanisms import Mechanism
from dipc.report.tightness import (
    budget_lines,
    budget_record,
    curve_lines,
    curve_record,
    profile_lines,
    profile_record,
    regions_lines,
    regions_record,
)
from dipc.report.words import aligned, program_line


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

    def answer(mechanism: Mechanism, **given: Any) -> tuple[list[Line], Record]:
        found = mechanism.budget(width=width, **given)
        lines, record = list(budget_lines(found)), budget_record(found)
        if epsilon_curve:
            curve = mechanism.loss_curve(**given)
            lines += curve_lines(curve, "loss", logarithm=True)
            record["loss"] = curve_record(curve, logarithm=True)
        return lines, record

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

    def answer(mechanism: Mechanism, **given: Any) -> tuple[list[Line], Record]:
        found = mechanism.profile(epsilon, width=width, **given)
        return list(profile_lines(found)), profile_record(found)

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

    def answer(mechanism: Mechanism, **given: Any) -> tuple[list[Line], Record]:
        found = mechanism.violating_budgets(asked.claim, **given)
        return list(regions_lines(found)), regions_record(found)

    return _answered(answer, asked, as_json)


Answer = Callable[..., tuple[list[Line], Record]]


def _answered(answer: Answer, asked: options.Asked, as_json: bool) -> int:
    """Load, compute with a progress bar and a limit, and print."""
    start = monotonic()
    mechanism = asked.load()
    with work(f"reading {asked.file}", asked.time_limit) as running:
        limits = {"time_limit": asked.time_limit, "progress": running.progress}
        lines, record = answer(mechanism, **limits, **asked.restrictions)
    seconds = monotonic() - start
    if as_json:
        head: Record = {"program": asked.file, "parameters": mechanism.parameters}
        say(json.dumps({**head, **record, "seconds": round(seconds, 6)}, indent=2))
    else:
        for line in aligned(_framed(asked.file, mechanism, lines, seconds)):
            say(line)
    return 0


def _framed(file: str, mechanism: Mechanism, lines: Iterable[Line], seconds: float) -> list[Line]:
    return [program_line(file, mechanism.parameters), *lines, ("time", f"{seconds:.2f} s")]
