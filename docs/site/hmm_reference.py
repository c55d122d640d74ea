"""The reference of `.hmm` files in docs/pufferfish.md: every declaration and expression, with a refused line.

The site has it (hooks.py); ``python docs/site/hmm_reference.py`` prints it.  The functions come from their
table; tests/pufferfish/test_hmm_reference.py reads every example, finds the construct in its tree, compares
every message, and fails if a construct of dipc/pufferfish/hmm.lark is not described.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dipc.pufferfish.expressions import FUNCTIONS
from dipc.pufferfish.reading import DECLARATIONS, WORDS

ROOT = Path(__file__).parents[2]
GRAMMAR = ROOT / "dipc" / "pufferfish" / "hmm.lark"
PLACE = "<!-- the reference of .hmm files -->\n"
"""Where docs/pufferfish.md has the reference."""

MODEL = """observe a, b
state s emits {a: 1/3, b: 2/3} next stop
state t emits {a: 2/3, b: 1/3} next stop
compare s, t
"""
"""The file to which the lines of the examples are added."""


class Construct(NamedTuple):
    """What a construct means, lines that contain it, and a line that is refused with its message."""

    form: str
    meaning: str
    example: str
    refused: str
    message: str
    parts: tuple[str, ...] = ()  # rules of the grammar that this row also explains


CONSTRUCTS = {
    "free": Construct(
        "param NAME in (LOW, HIGH)",
        "A parameter of which only the range is known; `[` and `]` include an end. The ends may use earlier "
        "parameters. Answers are for all values. `--fix p=1/2` makes it a number.",
        "param p in (0, 1), q in [0, 1 - p]",
        "param p in (1, 0)",
        "the range of `p` is empty",
        parts=("params", "interval"),
    ),
    "fixed": Construct(
        "let NAME = NUMBER, param NAME = NUMBER",
        "A number, which may use earlier ones; `-D NAME=VALUE` replaces it.",
        "let n = 3; param half = n/6",
        "let n = m",
        "no number is called `m`",
    ),
    "where": Construct(
        "where CONDITION, ...",
        "More conditions on parameters: polynomials, with `<=` or `>=`.",
        "param p in (0, 1), q in (0, 1); where p + q <= 1",
        "param p in (0, 1); where p < 1/2",
        "a condition in `where` is written with <= or >=",
    ),
    "table": Construct(
        "table NAME[SET, ...] = (ENTRY, ...)",
        "Numbers by their indices, row by row; `NAME[i, j]` is one of them.",
        "table G[0..1, 0..1] = ((2/3, 1/3), (1/3, 2/3)); let x = G[0, 1]",
        "table G[0..1] = (1, 2, 3)",
        "3 entries for the 2 indices 0..1",
        parts=("tuple", "index"),
    ),
    "observe": Construct(
        "observe NAME, LOW..HIGH, FAMILY, ...",
        "All that can be observed, in this order.",
        "observe top, 0..2, ask(i) for i in 1..2",
        "observe a",
        "the observation `a` is declared twice",
        parts=("numbered",),
    ),
    "state": Construct(
        "state FAMILY emits DISTRIBUTION next DISTRIBUTION",
        "A state, or one for every value of the variables: what it shows, and where it goes. After `next "
        "stop` nothing is shown any more.",
        "state n(i) for i in 1..2 emits {a: i/3, b: 1 - i/3} next {n(i): 1/2, s: 1/2}; horizon 2",
        "state u emits c next stop",
        "there is no observation `c`",
        parts=("family",),
    ),
    "weighted": Construct(
        "{VALUE: PROBABILITY for BINDERS, ...}",
        "A distribution. Probabilities of equal values add; without `:` it is 1. They must sum to 1 for all "
        "parameters.",
        "start u {s: 1/4 for i in 1..2, t: 1/2}",
        "start u {s: 1/2, t: 1/3}",
        "the probabilities of start u sum to 5/6, not 1",
        parts=("item",),
    ),
    "sure": Construct(
        "VALUE",
        "A distribution: this value has probability 1.",
        "start u s",
        "start u x",
        "there is no state `x`",
    ),
    "prior": Construct(
        "prior NAME DISTRIBUTION",
        "What an adversary may believe about the first state.",
        "param p in (0, 1); prior v {s: p, t: 1 - p}; secret x {s}; secret y {t}; compare x, y",
        "prior v s; compare v, s",
        "there is no secret, distribution or state `v`",
    ),
    "secret": Construct(
        "secret NAME {STATES}",
        "An event: the first state is one of these. It needs a prior.",
        "prior v {s: 1/2, t: 1/2}; secret x {s, t}",
        "secret x {s}",
        "the secret `x` needs a prior",
        parts=("families",),
    ),
    "start": Construct(
        "start NAME DISTRIBUTION",
        "A distribution of the first state, to be compared as it is.",
        "start u {s: 1/3, t: 2/3}; compare u, s",
        "start s t",
        "the name `s` is declared twice",
    ),
    "compare": Construct(
        "compare A, B, compare A -> B",
        "Two secrets, distributions or first states that nobody shall tell apart; with `->` only A is "
        "compared with B. Secrets are compared under each prior.",
        "compare s -> t; compare s, t",
        "compare s, s",
        "`s` is compared with itself",
        parts=("compared",),
    ),
    "horizon": Construct(
        "horizon K, horizon any",
        "The number of observations, or every number. Without it: until all states have stopped.",
        "horizon 3",
        "horizon 0",
        "a horizon is at least 1, not 0",
    ),
    "private": Construct(
        "private EPSILON, DELTA for eps in INTERVAL",
        "The claim. Epsilon is a sum of `t*eps`, numbers and `q*ln(r)`; delta, by default 0, is a number; "
        "the interval, by default `(0, inf)`, is for models in which eps occurs.",
        "private 2*ln(2) + 1/3, 1/10",
        "private -1",
        "epsilon is negative",
        parts=("claim", "ln"),
    ),
    "binders": Construct(
        "for NAME in SET, ... if CONDITION",
        "One entry for all values of the variables for which the condition holds.",
        "state n(i, j) for i in 1..2, j in 1..2 if i != j emits a next stop",
        "state n(i) for i in 1..2 if i emits a next stop",
        "a condition is true or false, not 2",
        parts=("binder",),
    ),
    "range": Construct(
        "LOW..HIGH",
        "All integers from one to the other.",
        "state n(i) for i in 0..2 emits a next stop",
        "state n(i) for i in 0..1/2 emits a next stop",
        "the end of a range must be an integer, not 1/2",
    ),
    "listed": Construct(
        "{VALUE, ...}",
        "These numbers.",
        "state n(i) for i in {1, 1/2, -3} emits a next stop",
        "param p in (0, 1); state n(i) for i in {p} emits a next stop",
        "a value of a set must be a number",
    ),
    "chain": Construct(
        "A < B <= C = D",
        "A comparison: `=`, `!=`, `<`, `<=`, `>`, `>=`. Among numbers it counts as 1 or 0.",
        "let x = 2*(1 < 3 <= 3)",
        "param p in (0, 1); let x = (p < 1)",
        "a compared value must be a number",
    ),
    "conjunction": Construct(
        "C and D",
        "Both hold.",
        "let x = (1 < 2 and 2 < 3)",
        "let x = (1 and 2)",
        "a condition is true or false, not 2",
    ),
    "disjunction": Construct(
        "C or D",
        "One of them holds.",
        "let x = (1 > 2 or 2 < 3)",
        "let x = (3 or 1)",
        "a condition is true or false, not 3",
    ),
    "negation": Construct(
        "not C",
        "It does not hold.",
        "let x = (not 1 > 2)",
        "let x = (not 2)",
        "a condition is true or false, not 2",
    ),
    "call": Construct(
        "FUNCTION(X, ...)",
        "A function of numbers, see below; or a member of a family, such as `n(1)`.",
        "let x = mod(7, 3) + max(1, 2)",
        "let x = mod(1, 0)",
        "division by zero",
    ),
    "power": Construct(
        "X^K",
        "An integer power.",
        "let x = (1/2)^3",
        "let x = 2^(1/2)",
        "a power needs an integer exponent and a base without logarithms",
    ),
    "exp": Construct(
        "exp(a*eps + k + b/eps)",
        "A function of eps, with rational a, k and b. eps may also occur as itself; answers are for all eps.",
        "state u emits {a: 1/(1 + exp(-eps)), b: 1/(1 + exp(eps))} next stop",
        "state u emits {a: exp(-eps^2), b: 1 - exp(-eps^2)} next stop",
        "the argument of exp must be linear in eps",
        parts=("eps",),
    ),
}
"""The constructs by their name in the grammar, in the order of the page."""

USAGE = {
    "abs": "`abs(x)`", "ceil": "`ceil(x)`, the least integer that is not below x",
    "floor": "`floor(x)`, the greatest integer that is not above x", "max": "`max(x, y, ...)`",
    "min": "`min(x, y, ...)`", "mod": "`mod(a, b)`, with the sign of b", "sum": "`sum(x, y, ...)`",
    "count": "`count(c, d, ...)`, how many conditions hold",
    "disc": "`disc(x, a, b, ...)`, the first of a, b, ... that is not below x, else the last",
}  # fmt: skip


def reference() -> Iterator[str]:
    """The lines of the reference."""
    yield "A file consists of declarations, separated by line ends or `;`. `#` begins a comment. Numbers are"
    yield "exact: `0.1` is 1/10."
    yield ""
    yield "| write | meaning | for example | refused |"
    yield "|---|---|---|---|"
    for it in CONSTRUCTS.values():
        yield f"| `{it.form}` | {it.meaning} | `{it.example}` | `{it.refused}`: {it.message} |"
    yield ""
    yield "The examples are added to this file:"
    yield ""
    yield f"```hmm\n{MODEL}```"
    yield ""
    yield f"Functions: {'; '.join(USAGE[name] for name in sorted(FUNCTIONS))}."
    yield ""
    reserved = sorted({*DECLARATIONS, *WORDS, "eps", "exp", "inf", "ln"})
    yield f"Reserved words: {', '.join(f'`{word}`' for word in reserved)}."


def written() -> str:
    """The whole reference."""
    return "\n".join(reference()) + "\n"


if __name__ == "__main__":
    print(written(), end="")
