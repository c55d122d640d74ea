"""``dipc decide``: whether a sentence about eps is true."""

from __future__ import annotations

import json

import click

from dipc.cli import options
from dipc.cli.terminal import answer, say
from dipc.cli.work import Bar
from dipc.dipwhile.sentences import decide as decision_of
from dipc.signs.sentence import Quantifier

EXIT_STATUS = {"true": 0, "false": 1, "undecided": 3}


@click.command(
    short_help="Decide a sentence about eps.",
    epilog="""\b
Examples:
  dipc decide "forall eps > 0: exp(eps) >= 1 + eps"
  dipc decide "exists eps in (0, 1]: exp(eps) = 2"
  dipc decide "forall eps >= 1: eps^2 >= eps and not eps < 1" --json
""",
)
@click.argument("sentence")
@options.json()
def decide(sentence: str, as_json: bool) -> int:
    """Decide SENTENCE, for example 'forall eps > 0: 2 - exp(-eps) >= eps/(1 + eps)'.

    \b
    forall|exists eps [> a | >= a | < b | <= b | = a | in (a, b]]: comparisons joined by and, or, not, ->
    Functions are built from numbers, eps and exp with + - * / ^.
    Exit status: 0 true, 1 false, 2 broken input, 3 undecided.
    """
    with Bar("deciding"):
        decision = decision_of(sentence)
    witness, holds_for = decision.witness, decision.holds_for
    if as_json:
        record = {
            "sentence": str(decision.sentence),
            "decision": decision.status,
            "witness": None if witness is None else {"low": str(witness.low), "high": str(witness.high)},
            "holds_for": None if holds_for is None else list(holds_for),
            "reason": decision.reason,
        }
        say(json.dumps(record, indent=2))
        return EXIT_STATUS[decision.status]
    say(answer(decision.status))
    if witness is not None:
        heading = "witness" if decision.sentence.quantifier is Quantifier.EXISTS else "counterexample"
        rounded = "" if witness.exact is not None else f"  (in ({witness.low}, {witness.high}))"
        say(f"{heading}: eps = {witness}{rounded}")
    if holds_for is not None:
        say(f"holds for: {' or '.join(holds_for) or 'no eps'}")
    if decision.reason:
        say(f"reason: {decision.reason}")
    return EXIT_STATUS[decision.status]
