"""``dipc distribution``: every output of one input with its exact probability."""

from __future__ import annotations

import json

import click

from dipc.cli.options import load, program_options
from dipc.mechanism import show_valuation
from dipc.report.record import valuation_record
from dipc.report.words import pretty
from dipc.syntax.parser import parse_valuation


@click.command()
@program_options
@click.option("--input", "given", default="", metavar="TEXT", help="The input, for example 'q=[0,1,1]'.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON record.")
def distribution(file: str, definitions: tuple[str, ...], given: str, as_json: bool) -> int:
    """Print every output of FILE on one input with its exact probability, a function of eps."""
    mechanism = load(file, definitions)
    values = parse_valuation(given, "--input") if given.strip() else {}
    law = mechanism.distribution(**values)
    if as_json:
        record = {
            "program": file,
            "parameters": mechanism.parameters,
            "input": {k: [str(x) for x in v] if isinstance(v, tuple) else str(v) for k, v in values.items()},
            "distribution": [
                {"output": valuation_record(output), "probability": str(p)} for output, p in law.items()
            ],
        }
        click.echo(json.dumps(record, indent=2))
        return 0
    width = max(len(show_valuation(output)) for output in law)
    for output, p in law.items():
        click.echo(pretty(f"{show_valuation(output):<{width}}  {p}"))
    return 0
