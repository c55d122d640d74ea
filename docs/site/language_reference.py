"""The reference section of docs/language.md, made from the grammar and the tables of the language.

The site has it (hooks.py); ``python docs/site/language_reference.py`` prints it.  The forms come from
dipc/dipwhile/syntax/grammar.lark, the functions and the rules of the fragment from their tables; this file
says what each construct means, with an example.  tests/test_language_reference.py parses every example,
finds the construct in it, and fails if a construct of the grammar is not described.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dipc.dipwhile.syntax.fragment import RULES
from dipc.dipwhile.syntax.functions import FUNCTIONS, OTHER_NAMES
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.dipwhile.syntax.layout import METRICS, WORDS
from dipc.dipwhile.syntax.tables import GRAMMAR

ROOT = Path(__file__).parents[2]
PLACE = "<!-- the reference -->\n"
"""Where docs/language.md has the reference."""


@dataclass(frozen=True)
class Construct:
    """What a construct of the grammar means, with an example that contains it."""

    title: str
    text: str
    example: str
    start: str = "program"
    parts: tuple[str, ...] = ()  # rules of the grammar that this entry also explains


CONSTRUCTS = {
    "program": Construct(
        "A program",
        "Declarations, then statements, separated by newlines or `;`.",
        "output b in {true, false}; b <- flip(1/2)",
    ),
    "param_list": Construct(
        "Parameters",
        "Rational constants. A parameter may use earlier ones; `-D NAME=VALUE` on the command line "
        "overrides them.",
        "param N = 3, half = N/2",
        parts=("param",),
    ),
    "unknown": Construct(
        "Unknown parameters",
        "Numbers of which only a range is known, for the probabilities of a prior; the ends may use earlier "
        "ones. `dipc check` ignores them, priors and secrets; they are for `dipc pufferfish`.",
        "param p in (0, 1), r in [0, 1 - p]",
    ),
    "input_list": Construct(
        "Inputs",
        "Private values, each from a finite set; `q[N]` is an array with cells `q[1]` to `q[N]`.",
        "input q[2] in {0, 1}, vip in {true, false}",
        parts=("declaration",),
    ),
    "output_list": Construct(
        "Outputs",
        "What an observer sees. `= v` is the initial value; an output without one must be assigned on "
        "every path.",
        "output out[2] in {bot, top} = bot, n in 0..2",
    ),
    "set_of": Construct(
        "A set, by its members",
        "Rational numbers, `true`, `false`, and atoms: any other names, which are equal only to themselves.",
        "input q in {-1, 0, 1/2, none}",
    ),
    "range": Construct("A range", "All integers from the first to the last.", "input q in -2..2"),
    "numbers": Construct(
        "All numbers",
        "`reals` or `integers`, for `dipc prove` only; both are words only here. An output in `reals` may "
        "hold a random value, and its initial value may be an atom.",
        "input q[2] in reals, n in integers; output out[2] in reals = bot",
    ),
    "between": Construct(
        "All real numbers of an interval",
        "For `dipc prove` only; both ends belong to it.",
        "input q in [-1/2, 1]",
    ),
    "named_adjacency": Construct(
        "Adjacency by a metric",
        f"One of {', '.join(f'`{metric}`' for metric in METRICS)}. `linf d`: every cell differs by at "
        "most d; `l1 d`: the differences add up to at most d; `hamming d`: at most d cells differ, d an "
        "integer; "
        "`all`: any two inputs.",
        "adjacent hamming 1",
    ),
    "formula_adjacency": Construct(
        "Adjacency by a formula",
        "`q` is one input, `q'` the other. dipc takes the symmetric closure of the relation.",
        "adjacent abs(q - q') <= 1 and (vip = vip')",
    ),
    "claim": Construct(
        "The claim",
        "`t*eps`, optionally followed by a delta and an interval of eps; by default delta is 0 and the "
        "claim is for all eps > 0. For `dipc pufferfish` only, epsilon may be a number or contain `ln`.",
        "private eps/2, exp(-2) for eps in (0, 1]",
    ),
    "accurate": Construct(
        "A claim of accuracy",
        "Outputs are good with probability 1 - BETA or more, on every input with the condition.",
        "accurate abs(out - q) <= 1, 1/20 when gap(q) > 1 for eps in [1, inf)",
    ),
    "sizes": Construct(
        "A claim for every size",
        "The claim is made for every integer >= 1 in the place of these parameters, each of them the size of "
        "an input array. For `dipc prove` only; `all` is a word only here.",
        "private eps for eps in (0, 1] for all N, M",
    ),
    "interval": Construct(
        "An interval",
        "Rational ends; `(` and `)` exclude an end, `[` and `]` include it; `inf` may be the upper one.",
        "private 2*eps for eps in [1/2, inf)",
    ),
    "prior": Construct(
        "Priors",
        "What an attacker may believe: a program that draws every cell of every input, with local variables, "
        "`flip`, `choose`, `uniform`, `for` and `if`. It must not use noise, `while`, `exit`, `eps` or "
        "outputs. Its probabilities are polynomials in the parameters. The name is optional; a program may "
        "have several priors.",
        "input q in {0, 1}\nprior biased\n  q <- choose {1: 1/3, 0: 2/3}\nend",
    ),
    "secret": Construct(
        "Secrets",
        "Two Boolean expressions over the inputs that an attacker must not tell apart; with `->`, only the "
        "first is compared with the second.",
        "secret q[1] = 0 vs q[1] = 1\nsecret sum(q) > 1 -> q[2] = 0",
    ),
    "secret_for": Construct(
        "Loop of secrets",
        "The secrets for every value of a variable with constant bounds.",
        "for i in 1..3 do secret q[i] = 0 vs q[i] = 1 end",
    ),
    "assign": Construct(
        "Assignment",
        "Assigns an expression or a sample. The first assignment declares a variable. Also `:=` and `←`.",
        "x <- 1 - q; noisy[2] <- Lap(eps, x)",
    ),
    "if_": Construct(
        "Conditional",
        "The conditions are tried in order. A condition may compare random variables.",
        "if r >= 1 then x <- 1 elif r >= 0 then x <- 2 else x <- 3 end",
        parts=("branch", "block"),
    ),
    "for_": Construct(
        "Loop with constant bounds",
        "The loop is unrolled. Random variables may be assigned in it.",
        "for i in 1..3 do r[i] <- Lap(eps, q[i]) end",
    ),
    "while_": Construct(
        "Loop with a condition",
        "It must terminate with probability 1, which dipc decides. The loop may read random variables, but "
        "not assign them.",
        "while x = 0 do x <- uniform {0, 1, 2} end",
    ),
    "exit_": Construct(
        "Exit", "The program ends here, with the outputs as they are.", "if x > 0 then exit end"
    ),
    "noise": Construct(
        "Noise",
        "`Lap` is Laplace noise, `LapPlus` one-sided exponential noise, `DLap` discrete Laplace noise. The "
        "first argument is the rate `a*eps` or `a/eps`, the second one the mean (for `LapPlus`, the least "
        "value). By name: `rate` or `scale`, and `mean`.",
        "r <- Lap(eps/2, q); s <- DLap(scale = 2/eps, mean = 0); t <- LapPlus(eps, 1/2)",
        parts=("noise_argument",),
    ),
    "exp_mechanism": Construct(
        "Exponential mechanism",
        "A member v of the set, with probability proportional to exp(rate · score).",
        "best <- Exp(eps/2, v in {1, 2, 3}, score[v])",
    ),
    "choose": Construct(
        "Finite choice",
        "Values with their probabilities, functions of eps that must sum to 1 and lie in [0, 1] for "
        "every eps of the claim. The probabilities of equal values add up.",
        "x <- choose {q: exp(eps)/(1 + exp(eps)), 1 - q: 1/(1 + exp(eps))}",
        parts=("options", "option"),
    ),
    "flip": Construct("Coin", "`true` with the given probability.", "heads <- flip((1 + eps)/2)"),
    "uniform": Construct("Uniform choice", "Each member, with equal probability.", "x <- uniform 1..6"),
    "binary": Construct(
        "Binary operators",
        "From loosest to tightest: `or`; `and`; `+` and `-`; `*` and `/`; `^` with a constant exponent, "
        "which binds to the right. `or`, `and` take Booleans, the others numbers; random variables may be "
        "added, and multiplied by values that are not random.",
        "x <- 2*r - s/3 + 2^3; b <- b1 and b2 or b3",
    ),
    "unary": Construct("Unary operators", "`-` of a number, `not` of a Boolean.", "x <- -y; b <- not c"),
    "chain": Construct(
        "Comparison",
        "`=`, `!=` compare any values, `<`, `<=`, `>`, `>=` numbers; `a < b <= c` is `a < b and b <= c`. "
        "Also `≠`, `≤`, `≥`.",
        "b <- -1 < r <= q[1]",
    ),
    "fold": Construct(
        "Over a range",
        "`forall`, `exists` and `count` of a condition, `sum` of numbers, over all integers of a range with "
        "constant bounds.",
        "b <- forall i in 1..3: q[i] = 0; n <- count(i in 1..3: r[i] > 0); s <- sum(i in 1..3: q[i])",
        parts=("binder",),
    ),
    "call": Construct(
        "Function call", "See the table of functions below.", "out <- argmax(noisy); m <- max(x, y, 3)"
    ),
    "number": Construct(
        "Number",
        "Exact: `0.25` is 1/4, and `1e-3` is 1/1000. A fraction is a quotient.",
        "x <- 0.25 + 1e-3 + 1/3",
    ),
    "name": Construct(
        "Name",
        "A variable, a parameter, or an atom; with `'`, in an adjacency only, the other input. ASCII "
        "letters, digits and `_`.",
        "adjacent q = q'; x_2 <- y",
    ),
    "index": Construct(
        "Cell of an array",
        "Indexed from 1. Any expression with finitely many values can be an index.",
        "x <- q[first + 1]",
    ),
    "eps": Construct(
        "The privacy parameter",
        "`eps` or `ε`. It is allowed only in rates, probabilities and the claim: values and control flow "
        "are the same for every eps.",
        "b <- flip(exp(-ε))",
    ),
    "sentence": Construct(
        "A sentence about eps",
        "The argument of `dipc decide`: for all or for some values of eps, comparisons of functions of eps, "
        "joined by `and`, `or`, `not`, `->`.",
        "exists eps > 1/2: exp(eps) = 2",
        start="sentence",
        parts=("budgets",),
    ),
    "implies": Construct(
        "Implication", "In sentences only.", "forall eps: exp(eps) < 3 -> eps <= 2", start="sentence"
    ),
    "valuation": Construct(
        "Values on the command line",
        "The arguments of `--input` and `--pair`: names with values, separated by commas, `;` or newlines.",
        "q = [0, 1], vip = true",
        start="valuation",
        parts=("binding", "literals"),
    ),
    "numeral": Construct(
        "A number on the command line", "Fractions are allowed.", "x = -1/2", start="valuation"
    ),
    "atom": Construct(
        "An atom on the command line", "Also `true` and `false`.", "answer = yes", start="valuation"
    ),
}
"""The constructs by their name in the grammar, in the order of the page."""

REFUSED = {
    1: "output o in {0, 1}; r <- Gauss(eps, 0); o <- disc(r, 0, 1)",
    2: "output o in {0}; r <- Lap(eps, 0); while r < 1 do r <- Lap(eps, 0) end; o <- 0",
    3: "output o in {0, 1}; r <- Lap(eps, 0); s <- Lap(eps, r); o <- disc(s, 0, 1)",
    4: "output o in {0, 1}; r <- Lap(eps, 0); o <- disc(r*r, 0, 1)",
    5: "output o in {0, 1}; r <- Lap(eps, 0); z <- DLap(eps, 0); if r < z then o <- 0 else o <- 1 end",
    6: "output o in {0, 1}; o <- Lap(eps, 0)",
    7: "output o in {0, 1}; r <- Lap(eps^2, 0); o <- disc(r, 0, 1)",
    8: "output o in {0, 1}; input q in 0..inf; o <- 0",
}
"""For each rule of the fragment, a program that breaks it."""


class Form(NamedTuple):
    """One alternative of a rule of the grammar."""

    section: str
    rule: str
    alias: str
    text: str


def forms(grammar: str) -> Iterator[Form]:
    """Every alternative of every rule, under its name in syntax trees.

    >>> [(f.rule, f.alias, f.text) for f in forms('?a: "x" b  -> two\\n  | c\\nb: "y"')]
    [('a', 'two', '"x" b'), ('a', 'a', 'c'), ('b', 'b', '"y"')]
    """
    section = rule = ""
    for line in grammar.splitlines():
        if heading := re.match(r"// --- (.*?) -*$", line):
            section = heading[1]
        elif start := re.match(r"[?]?([a-z_]+): *(.*)", line):
            rule = start[1]
            yield form(section, rule, start[2])
        elif more := re.match(r" +\| (.*)", line):
            yield form(section, rule, more[1])


def form(section: str, rule: str, alternative: str) -> Form:
    text, _, alias = alternative.partition("->")
    return Form(section, rule, alias.strip() or rule, text.strip())


def reference(grammar: str) -> Iterator[str]:
    """The lines of the reference."""
    known = list(forms(grammar))
    described: set[str] = set()
    for section in dict.fromkeys(f.section for f in known):
        names = [name for name in CONSTRUCTS if section_of(name, known) == section]
        if names:
            yield f"### Reference: {section.split(',')[0] or 'programs'}"
            yield ""
        for name in names:
            yield from construct(name, known)
            described.add(name)
    yield from functions()
    yield from words()
    yield from rules()
    yield from the_grammar()


def section_of(name: str, known: list[Form]) -> str:
    return next(f.section for f in known if f.alias == name)


def construct(name: str, known: list[Form]) -> Iterator[str]:
    """One construct: its forms in the grammar, its meaning, an example."""
    it = CONSTRUCTS[name]
    yield f"#### {it.title}"
    yield ""
    yield it.text
    yield ""
    yield "```text"
    for f in known:
        if f.alias in (name, *it.parts) and f.text:
            yield f"{f.rule}: {f.text}"
    yield "```"
    yield ""
    yield "```dip-part"
    yield from (it.example.split("; ") if it.start == "program" else [it.example])
    yield "```"
    yield ""


KINDS: dict[Kinds | None, str] = {
    Kinds.NUMERIC: "numbers, including random ones",
    Kinds.NUMBER: "numbers",
    Kinds.BOOLEAN: "Booleans",
    None: "same as the arguments",
}


def functions() -> Iterator[str]:
    """The table of functions."""
    yield "### Reference: functions"
    yield ""
    yield "| call | arguments | result |"
    yield "|---|---|---|"
    for function in FUNCTIONS.values():
        yield f"| `{function.usage}` | {KINDS[function.takes]} | {KINDS[function.gives]} |"
    yield ""
    yield "`exp` is allowed in probabilities and in the claim. Names from other languages are refused with a"
    yield "message that gives the name used here:"
    others = [f"`{name}` ({hint})" for name, hint in OTHER_NAMES.items() if hint.startswith("here")]
    yield f"{', '.join(others)}."
    yield ""


def words() -> Iterator[str]:
    """The reserved words."""
    reserved = sorted({*re.findall(r'"([a-z]\w*)"', GRAMMAR.read_text(encoding="utf-8")), *WORDS})
    yield "### Reference: reserved words"
    yield ""
    yield f"{', '.join(f'`{word}`' for word in reserved)}."
    yield ""


def rules() -> Iterator[str]:
    """The rules of the decidable fragment."""
    yield "### Reference: the rules of the decidable fragment"
    yield ""
    yield "A program that breaks a rule is refused, with the number of the rule and its reason."
    yield ""
    for number, rule in RULES.items():
        yield f"**Rule {number}**: {rule.statement}, because {rule.reason}. Refused:"
        yield ""
        yield "```dip-broken"
        yield from REFUSED[number].split("; ")
        yield "```"
        yield ""


def the_grammar() -> Iterator[str]:
    """The grammar, word for word."""
    yield "### Reference: the grammar"
    yield ""
    yield f"```lark\n{GRAMMAR.read_text(encoding='utf-8')}```"


def written() -> str:
    """The whole reference."""
    return "\n".join(reference(GRAMMAR.read_text(encoding="utf-8"))) + "\n"


if __name__ == "__main__":
    print(written(), end="")
