"""``dipc distribution``: every output of one input with its exact probability."""

from __future__ import annotations

import json
from typing import Any

import click
from flint import fmpq

from dipc.claims.wording import decimal_at, pretty
from dipc.cli import options
from dipc.cli.terminal import columns, say
from dipc.cli.work import Bar
from dipc.dipwhile.convert import to_eps
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.pipeline import goal_of
from dipc.models.values import show_valuation, valuation_record

DIGITS = 10


@click.command(
    short_help="Print the exact probability of every output.",
    epilog="""\b
Examples:
  dipc distribution svt1 --input "q=[0,1,1]"
  dipc distribution svt1 --input "q=[0,1,1]" --at 1/2
  dipc distribution svt1 --input "q=[0,1,1]" --at 1/2 --digits 50 --json
""",
)
@options.program
@click.option(
    "--input",
    "values",
    type=options.Valuation("--input"),
    default="",
    metavar="TEXT",
    help="The input, for example 'q=[0,1,1]'.",
)
@options.at(help="The value at this eps, in decimals and exactly: --at 1/2.")
@click.option(
    "--digits",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help=f"How many significant digits --at shows; {DIGITS} if not given.",
)
@options.json()
def distribution(asked: options.Asked, values: options.Values, digits: int | None, as_json: bool) -> int:
    """Print every output of FILE on one input with its exact probability, a function of eps.

    With --at every probability is shown at one eps: exactly, and in decimals that are correctly rounded
    except for the last digit.
    """
    if digits is not None and asked.at is None:
        raise click.UsageError("--digits is about the decimals at one eps: add --at EPS0")
    with Bar(f"distribution of {asked.file}"):
        mechanism = asked.load()
        law = mechanism.distribution(**values)
        budget = None if asked.at is None else to_eps(asked.at)
        if budget is not None and mechanism.program.claim is not None:
            goal_of(mechanism.program.claim, budget)  # elsewhere a probability may be undefined
    if as_json:
        record = {
            "program": asked.file,
            "parameters": mechanism.parameters,
            "input": {k: [str(x) for x in v] if isinstance(v, tuple) else str(v) for k, v in values.items()},
            **({} if budget is None else {"at": str(budget)}),
            "distribution": records(law, budget, digits or DIGITS),
        }
        say(json.dumps(record, indent=2))
    else:
        show(law, budget, digits or DIGITS)
    return 0


def records(law: Distribution, budget: fmpq | None, digits: int) -> list[dict[str, Any]]:
    """The outputs for machines."""
    found: list[dict[str, Any]] = []
    for output, p in law.items():
        found.append({"output": valuation_record(output), "probability": str(p)})
        if budget is not None:
            found[-1]["value"] = {"exact": str(p.at(budget)), "decimal": decimal_at(p, budget, digits)}
    return found


def show(law: Distribution, budget: fmpq | None, digits: int) -> None:
    """The outputs for people: at a budget with decimals and exact values, else as functions of eps."""
    rows = []
    for output, p in law.items():
        exact = [pretty(str(p))] if budget is None else [decimal_at(p, budget, digits), f"=  {p.at(budget)}"]
        rows.append([show_valuation(output), *exact])
    for line in columns(rows):
        say(line)
