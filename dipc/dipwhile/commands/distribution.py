"""``dipc distribution`` and ``dipc decide``: exact probabilities of one input, and sentences about eps."""

from __future__ import annotations

import json

import click
from flint import fmpq

from dipc.claims.wording import decimal_at, pretty
from dipc.cli import options
from dipc.cli.terminal import answer, columns, say
from dipc.cli.work import work
from dipc.dipwhile.commands import options as program_options
from dipc.dipwhile.convert import to_eps
from dipc.dipwhile.distribution import Distribution
from dipc.dipwhile.pipeline import goal_of
from dipc.dipwhile.sentences import decide as decision_of
from dipc.excerpts import MOST_ANSWERED, shortened
from dipc.models.values import show_valuation
from dipc.report.answer import envelope
from dipc.signs.ends import union_in_brackets
from dipc.signs.sentence import Quantifier

DIGITS = 10
EXIT_STATUS = {"true": 0, "false": 1, "undecided": 3}


@click.command(
    epilog="""\b
Examples:
  dipc distribution svt1 --input "q=[0,1,1]"
  dipc distribution svt1 --input "q=[0,1,1]" --at 1/2
  dipc distribution svt1 --input "q=[0,1,1]" --at 1/2 --digits 50 --json
""",
)
@program_options.program
@program_options.values(
    "--input", "values", metavar="TEXT", default="", help="The input, for example 'q=[0,1,1]'."
)
@options.at(help="The value at this eps, in decimals and exactly: --at 1/2.")
@click.option(
    "--digits",
    type=options.Count(least=1, most=10_000),
    metavar="N",
    help=f"How many significant digits --at shows; {DIGITS} if not given.",
)
@options.limits
@options.json()
def distribution(asked: program_options.Given, values: program_options.Values, digits: int | None) -> int:
    """Print every output of FILE on one input with its exact probability, a function of eps.

    With --at every probability is shown at one eps: exactly, and in decimals that are correctly rounded
    except for the last digit.
    """
    if digits is not None and asked.at is None:
        raise click.UsageError("--digits is about the decimals at one eps: add --at EPS0")
    with work(f"distribution of {asked.name}", *asked.limits) as running:
        mechanism = asked.load()
        law = running.held(lambda: mechanism.distribution(**values))
        budget = None if asked.at is None else to_eps(asked.at)
        if budget is not None and mechanism.program.claim is not None:
            goal_of(mechanism.program.claim, budget)  # elsewhere a probability may be undefined
    if asked.as_json:
        record = {
            "program": asked.name,
            "parameters": mechanism.parameters,
            "input": {k: [str(x) for x in v] if isinstance(v, tuple) else str(v) for k, v in values.items()},
            **({} if budget is None else {"at": str(budget)}),
            "distribution": law.records(budget, digits or DIGITS),
        }
        say(json.dumps(envelope("distribution", record), indent=2))
    else:
        show(law, budget, digits or DIGITS)
    return 0


def show(law: Distribution, budget: fmpq | None, digits: int) -> None:
    """The outputs for people: at a budget with decimals and exact values, else as functions of eps."""
    rows = []
    for output, p in law.items():
        exact = [pretty(str(p))] if budget is None else [decimal_at(p, budget, digits), f"=  {p.at(budget)}"]
        rows.append([show_valuation(output), *exact])
    for line in columns(rows):
        say(line)


@click.command(
    epilog="""\b
Examples:
  dipc decide "forall eps > 0: exp(eps) >= 1 + eps"
  dipc decide "exists eps in (0, 1]: exp(eps) = 2"
  dipc decide "forall eps >= 1: eps^2 >= eps and not eps < 1" --json
""",
)
@click.argument("sentence")
@options.limits
@options.json()
def decide(sentence: str, time_limit: float | None, memory_limit: float | None, as_json: bool) -> int:
    """Decide SENTENCE, for example 'forall eps > 0: 2 - exp(-eps) >= eps/(1 + eps)'.

    \b
    forall|exists eps [> a | >= a | < b | <= b | = a | in (a, b]]:
    and then comparisons joined by and, or, not, ->
    Functions are built from numbers, eps and exp with + - * / ^.
    Exit status: 0 true, 1 false, 2 broken input, 3 undecided.
    """
    with work("deciding", time_limit, memory_limit) as running:
        decision = running.held(lambda: decision_of(sentence))
    witness, regions = decision.witness, decision.regions
    if as_json:
        record = {
            "sentence": str(decision.sentence),
            "decision": decision.status,
            "witness": None if witness is None else {"low": str(witness.low), "high": str(witness.high)},
            "holds_for": None if regions is None else list(decision.holds_for or ()),
            "holds_for_ends": None if regions is None else [region.record() for region in regions],
            "reason": decision.reason or None,
        }
        say(json.dumps(envelope("decide", record), indent=2))
        return EXIT_STATUS[decision.status]
    say(answer(decision.status))
    if witness is not None:
        heading = "witness" if decision.sentence.quantifier is Quantifier.EXISTS else "counterexample"
        exact = witness.exact is not None
        around = "" if exact else f"  (in ({witness.low}, {witness.high}))"
        say(f"{heading}: eps {'=' if exact else '≈'} {witness}{around}")
    if regions is not None:
        say(f"holds for: {shortened(union_in_brackets(regions) or 'no eps', MOST_ANSWERED)}")
    if decision.reason:
        say(f"reason: {decision.reason}")
    return EXIT_STATUS[decision.status]
