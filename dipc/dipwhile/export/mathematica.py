"""Mathematica: self-checks that also run under Mathics3, then the question for Mathematica itself.

Probabilities are rational functions in eps and z = Exp[eps/q]; z is put in where a number is needed.  Of what
both systems have, ``Together[a - b] === 0`` and ``N[.., 50]`` are reliable (``Expand`` of exponentials is not
under Mathics), so only these are used.  ``Resolve`` and ``Reduce`` exist in Mathematica only.
"""

from __future__ import annotations

from collections.abc import Iterator

from dipc.dipwhile.export.checks import System, checks
from dipc.dipwhile.export.questions import ClaimExport
from dipc.export.operators import ARITHMETIC, EPS, EXACT, Apply, Dialect, Pattern, condition, logic, write
from dipc.signs.inequality import Fails, Unclear

MATHEMATICA = Dialect(
    ARITHMETIC
    | logic(" && ", " || ", "!({0})", {"=": "=="})
    | {"exp": Pattern("Exp[{0}]"), "forall": Pattern("ForAll[{0}, {1}, {2}]")}
)

CLOSING = """\
Print["passed: ", passes];
Print["failures: ", fails];
Exit[If[fails > 0, 1, 0]]
"""


def mathematica(question: ClaimExport) -> str:
    """A script that prints PASS or FAIL for every check, and ends with the number of failures."""
    heading = ["(*", *(f"   {safe(line)}" for line in question.heading()), "*)"]
    return "\n".join([*heading, *checks(question, SYSTEM), *_questions(question), CLOSING])


def safe(text: str) -> str:
    """A text that cannot end the comment it stands in."""
    return text.replace("*)", "* )").replace("(*", "( *")


SYSTEM = System(
    dialect=MATHEMATICA,
    comment=lambda text: f"(* {safe(text)} *)",
    prelude="prelude.wl",
    entry="  {} {}",
    separator=",\n",
    law='law{n} = {{\n{entries}\n}};\ncheck["law {n} sums to 1", Together[Apply[Plus, law{n}] - 1] === 0];\n',
    sides="left[{n}] = {left};\nright[{n}] = {right};\nf[{n}] = {f};",
    equal='check["{n}: both sides are equal", Together[right[{n}] - left[{n}]] === 0];',
    factor="factor[{n}] = {factor};\n"
    'check["{n}: right - left is f times factor", '
    "Together[right[{n}] - left[{n}] - f[{n}]*factor[{n}]] === 0];",
    chain='check["{n}: derivative chain", Module[{{c = FoldList[next, f[{n}], \n  {{{exponents}}}]}},\n'
    "  Map[atZero, Most[c]] === {{{values}}} && Last[c] === 0]];",
    sign='check["{n}: signs at {point}", at[f[{n}], {point}] {sign} && at[factor[{n}], {point}] > 0];',
    signs={-1: "< 0", 1: "> 0"},
)


def _questions(question: ClaimExport) -> Iterator[str]:
    if not question.requirements:
        return
    yield "(* The question itself, for Mathematica: True, or False and where it fails. *)"
    yield 'If[!StringMatchQ[$Version, "Mathics*"],'
    among = condition(question.goal.budgets)
    parts = []
    for number, requirement in enumerate(question.requirements, start=1):
        sides = Apply("<=", (EXACT.function(requirement.probability), EXACT.function(requirement.bound)))
        claim = write(Apply("forall", (EPS, among, sides)), MATHEMATICA)
        parts.append(f'  Print["{number}: ", Resolve[{claim}, Reals]]')
        if isinstance(requirement.answer, Fails | Unclear):
            broken = write(Apply("and", (among, Apply("not", (sides,)))), MATHEMATICA)
            parts.append(f'  Print["{number} fails for: ", Reduce[{broken}, eps, Reals]]')
    yield ";\n".join(parts)
    yield "];\n"
