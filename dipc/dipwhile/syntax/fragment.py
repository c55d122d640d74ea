"""The rules of the decidable fragment, numbered, each with its reason.

DiPWhile is the language of the paper "Deciding Differential Privacy for Programs with Finite
Inputs and Outputs"; for programs outside it, privacy is undecidable or not expressible in the
theory of the reals with exponentiation.  A program that breaks rule n is refused by
:func:`violation`, with that number in the message.
"""

from __future__ import annotations

from dipc.dipwhile.syntax.distributions import NOISE
from dipc.errors import FragmentError, Span
from dipc.frozen import frozen


@frozen
class Rule:
    """What a program must obey, and why."""

    statement: str
    reason: str


RULES: dict[int, Rule] = {
    1: Rule(
        f"noise is {', '.join(NOISE)}, Exp or a finite choice",
        "their probabilities are expressions in exp(eps); those of other noise are not",
    ),
    2: Rule(
        "no random variable is assigned inside a `while`",
        "with random variables in a loop, privacy is undecidable (DiPC paper, Section 6.1)",
    ),
    3: Rule(
        "rates, means, probabilities, indices and bounds do not depend on random variables",
        "compound noise leaves the class of densities that can be integrated exactly",
    ),
    4: Rule(
        "random expressions are linear",
        "products, quotients and roundings of random variables have no density in the class",
    ),
    5: Rule(
        "real and integer random variables are not combined in one expression",
        "sums over integers and integrals over reals have no common closed form",
    ),
    6: Rule(
        "an output takes values in a finite set",
        "a verdict compares the probabilities of all outputs, so there must be finitely many",
    ),
    7: Rule(
        "a rate is a*eps or a/eps with a positive rational number a",
        "only then are the probabilities expressions in eps and exp(eps)",
    ),
    8: Rule(
        "inputs and outputs range over finite sets",
        "every pair of neighbouring inputs and every output is compared",
    ),
}


def violation(rule: int, message: str, span: Span, hint: str = "") -> FragmentError:
    """The error for breaking a rule."""
    stated = f"rule {rule}: {RULES[rule].statement},\n          because {RULES[rule].reason}"
    return FragmentError(message, span, f"{hint}\n          {stated}" if hint else stated)
