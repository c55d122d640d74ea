"""Mathematica: self-checks that also run under Mathics3, then the question for Mathematica itself.

Probabilities are rational functions in eps and z = Exp[eps/q]; z is put in where a number is needed.  Of what
both systems have, ``Together[a - b] === 0`` and ``N[.., 50]`` are reliable (``Expand`` of exponentials is not
under Mathics), so only these are used.  ``Resolve`` and ``Reduce`` exist in Mathematica only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import fmpq

from dipc.export.evidence import numbers, samples
from dipc.export.inequalities import Inequality
from dipc.export.operators import (
    AND,
    ARITHMETIC,
    COMPARISONS,
    EPS,
    EXACT,
    LEAF,
    NOT,
    OR,
    SUM,
    Apply,
    Dialect,
    Infix,
    Pattern,
    Style,
    condition,
    unit_of,
    write,
)
from dipc.export.subject import ClaimExport, requirement_text, valuation_text
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Unclear

MATHEMATICA = Dialect(
    ARITHMETIC
    | COMPARISONS
    | {
        "exp": Pattern("Exp[{0}]"),
        "=": Infix(" == ", COMPARISONS["="].level, SUM, SUM),
        "and": Infix(" && ", AND, AND, NOT),
        "or": Infix(" || ", OR, OR, AND),
        "not": Pattern("!{0}", NOT, LEAF),
        "true": Pattern("True"),
        "false": Pattern("False"),
        "forall": Pattern("ForAll[{0}, {1}, {2}]"),
        "exists": Pattern("Exists[{0}, {1}, {2}]"),
    }
)

PRELUDE = """\
fails = 0; passes = 0;
check[name_, holds_] := If[TrueQ[holds], passes = passes + 1; Print["PASS ", name], fails = fails + 1; \
Print["FAIL ", name]];
value[f_] := f /. {{z -> Exp[eps/q], w -> Exp[1/q], v -> Exp[1/(q*eps)]}};
at[f_, r_] := N[value[f] /. eps -> r, 50];
(* f' - a f, for a polynomial f in eps and z = Exp[eps/q] *)
next[f_, a_] := Expand[D[f, eps] + z/q*D[f, z] - a*f];
atZero[f_] := f /. {{eps -> 0, z -> 1}};
q = {unit};
"""

CLOSING = """\
Print["passed: ", passes];
Print["failures: ", fails];
Exit[If[fails > 0, 1, 0]]
"""

RELATIONS = {-1: "< 0", 0: "== 0", 1: "> 0"}


def mathematica(question: ClaimExport) -> str:
    """A script that prints PASS or FAIL for every check, and ends with the number of failures."""
    functions = [p for law in question.laws for _, p in law.law]
    functions += [f for r in question.requirements for f in (r.probability, r.bound)]
    style = Style(unit_of(functions))
    lines = ["(*", *(f"   {comment(line)}" for line in question.heading()), "*)"]
    lines.append(PRELUDE.format(unit=style.unit))
    lines += _laws(question, style)
    for number, requirement in enumerate(question.requirements, start=1):
        lines += _requirement(number, requirement, question.goal.budgets, style)
    lines += _questions(question)
    lines.append(CLOSING)
    return "\n".join(lines)


def _laws(question: ClaimExport, style: Style) -> Iterator[str]:
    for number, named in enumerate(question.laws, start=1):
        where = valuation_text(named.input) or "no input"
        yield f"(* the output law on {comment(where)} *)"
        entries = ",\n".join(
            f"  {_function(p, style)} (* {comment(valuation_text(output))} *)" for output, p in named.law
        )
        yield f"law{number} = {{\n{entries}\n}};"
        yield f'check["law {number} sums to 1", Together[Apply[Plus, law{number}] - 1] === 0];\n'


def _requirement(number: int, requirement: Inequality, budgets: EpsRange, style: Style) -> Iterator[str]:
    f = requirement.function
    yield f"(* {number}. {comment(requirement_text(requirement))} *)"
    yield f"left[{number}] = {_function(requirement.probability, style)};"
    yield f"right[{number}] = {_function(requirement.bound, style)};"
    yield f"f[{number}] = {write(style.polynomial(f), MATHEMATICA)};"
    if f:
        factor = _function(requirement.margin / Quotient(f), style)
        yield f"factor[{number}] = {factor};"
        yield (
            f'check["{number}: right - left is f times factor", '
            f"Together[right[{number}] - left[{number}] - f[{number}]*factor[{number}]] === 0];"
        )
    else:
        yield f'check["{number}: both sides are equal", Together[right[{number}] - left[{number}]] === 0];'
        return
    if (chain := numbers(requirement)) is not None:
        exponents, values = chain
        yield f'check["{number}: derivative chain", Module[{{c = FoldList[next, f[{number}], '
        yield f"  {_list(exponents)}]}},"
        yield f"  Map[atZero, Most[c]] === {_list(values)} && Last[c] === 0]];"
    for point, sign in samples(f, budgets):
        if sign:
            yield (
                f'check["{number}: signs at {point}", '
                f"at[f[{number}], {point}] {RELATIONS[sign]} && at[factor[{number}], {point}] > 0];"
            )
    yield ""


def _questions(question: ClaimExport) -> Iterator[str]:
    if not question.requirements:
        return
    yield "(* The question itself, for Mathematica: True, or False and where it fails. *)"
    yield 'If[!StringMatchQ[$Version, "Mathics*"],'
    among = condition(question.goal.budgets)
    parts = []
    for number, requirement in enumerate(question.requirements, start=1):
        sides = EXACT.requirement(requirement)
        claim = write(Apply("forall", (EPS, among, sides)), MATHEMATICA)
        parts.append(f'  Print["{number}: ", Resolve[{claim}, Reals]]')
        if isinstance(requirement.answer, Fails | Unclear):
            broken = write(Apply("and", (among, Apply("not", (sides,)))), MATHEMATICA)
            parts.append(f'  Print["{number} fails for: ", Reduce[{broken}, eps, Reals]]')
    yield ";\n".join(parts)
    yield "];\n"


def _function(value: Quotient, style: Style) -> str:
    return write(style.function(value), MATHEMATICA)


def _list(numbers: Sequence[fmpq]) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"


def comment(text: str) -> str:
    """A text that cannot end the comment it stands in."""
    return text.replace("*)", "* )").replace("(*", "( *")
