"""``dipc accuracy`` and ``dipc expect``: how good the outputs are."""

from __future__ import annotations

from time import monotonic
from typing import Any

import click

from dipc.cli import options
from dipc.cli.asking import show_rows
from dipc.dipwhile.commands import options as program_options
from dipc.dipwhile.commands.tightness import computed, width_option
from dipc.report.document import time_row
from dipc.report.greatest import accuracy_rows, expectation_rows
from dipc.report.words import program_rows


@click.command(
    epilog="""\b
Examples:
  dipc accuracy nmax1 --of "q[out] = max(q)"
  dipc accuracy truncated_geometric --of "abs(out - q) <= 1" --beta 1/20
  dipc accuracy nmax1 --of "q[out] = max(q)" --when "gap(argmax(q)) > 1"
""",
)
@program_options.program
@click.option("--of", "good", metavar="GOOD", required=True, help="When an output is good: a condition.")
@click.option("--when", metavar="C", help="Only inputs with this condition, which may compare gap(E).")
@click.option(
    "--beta", metavar="BETA", help="Also the budgets at which this probability of an error is kept."
)
@program_options.interval()
@options.at()
@width_option
@options.json()
@options.limits
def accuracy(asked: program_options.Given, good: str, when: str | None, beta: str | None, width: str) -> int:
    """Find the least beta such that FILE has a good output with probability 1 - beta or more.

    GOOD may depend on the inputs and the outputs.  gap(E) is the least distance to an input at which the
    expression E has another value.
    """
    start = monotonic()
    more: dict[str, Any] = {"beta": beta, "width": width}
    mechanism, found = computed(asked, lambda m, **given: m.accuracy(good, when, **more, **given))
    rows = [*program_rows(asked.name, mechanism.parameters), *accuracy_rows(found)]
    show_rows("accuracy", [*rows, time_row(monotonic() - start)], asked.as_json)
    return 0


@click.command(
    epilog="""\b
Examples:
  dipc expect truncated_geometric --of "out - q"
  dipc expect truncated_geometric --of "abs(out - q)" --input "q=0" --at 1
""",
)
@program_options.program
@click.option("--of", "measure", metavar="E", required=True, help="A number, of the inputs and outputs.")
@program_options.values("--input", "values", metavar="U", help="Only this input, for example 'q=[0,1]'.")
@program_options.interval()
@options.at()
@options.json()
@options.limits
def expect(asked: program_options.Given, measure: str, values: program_options.Values | None) -> int:
    """Find the expectation of a number on each input of FILE, a function of eps, and the greatest of all."""
    start = monotonic()
    mechanism, found = computed(asked, lambda m, **given: m.expect(measure, input=values, **given))
    rows = [*program_rows(asked.name, mechanism.parameters), *expectation_rows(found)]
    show_rows("expect", [*rows, time_row(monotonic() - start)], asked.as_json)
    return 0
