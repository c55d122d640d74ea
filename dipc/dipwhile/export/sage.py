"""Sage: exact identities in QQ(eps, z), and the question answered again by isolating roots.

Only a minimal Sage is needed: polynomials over QQ, their fraction field, and RealBallField.  The script is a
second, short decision procedure: the derivative chain of Budan and Fourier, with exact signs at rational
points (equal exponents are collected first; what is left is not zero by Lindemann-Weierstrass, so growing
precision ends).
"""

from __future__ import annotations

from collections.abc import Iterator

from dipc.dipwhile.export.checks import System, checks, roots
from dipc.dipwhile.export.questions import ClaimExport, Inequality
from dipc.export.operators import PLAIN
from dipc.signs.eps_range import EpsRange
from dipc.signs.limits import Unsettled

CLOSING = """
print("passed:", results.count(True))
print("failures:", results.count(False))
sys.exit(int(not all(results)))
"""


def sage(question: ClaimExport) -> str:
    """A script that prints PASS or FAIL for every check, and ends with the number of failures."""
    heading = map(SYSTEM.comment, question.heading())
    return "\n".join([*heading, *checks(question, SYSTEM), CLOSING])


def _isolation(number: int, requirement: Inequality, budgets: EpsRange) -> Iterator[str]:
    """The question by root isolation, if no derivative chain answers it: the same roots, found again."""
    f = requirement.function
    if requirement.chain_start == 0 or f.has_inverse or f.has_constants or budgets.is_point:
        return
    try:
        known = list(roots(f, budgets))
    except Unsettled:
        return
    yield f"found = roots(f, {budgets.low}, {budgets.high})"
    yield f"known = [{', '.join(f'({low}, {high})' for low, high in known)}]"
    yield (
        f'check("{number}: roots", found is None or len(found) == len(known) '
        "and all(a < d and c <= b for (a, b), (c, d) in zip(found, known)))"
    )


SYSTEM = System(
    dialect=PLAIN,
    comment="# {}".format,
    prelude="prelude.sage",
    entry="    K({}),  {}",
    separator="\n",
    law='law{n} = [\n{entries}\n]\ncheck("law {n} sums to 1", sum(law{n}) == 1)\n',
    sides="left = K({left})\nright = K({right})\nf = R({f})",
    equal='check("{n}: both sides are equal", left == right)\n',
    factor='factor = K({factor})\ncheck("{n}: right - left is f times factor", right - left == f*factor)',
    chain="links, exponents, rest = chain(f)\n"
    'check("{n}: derivative chain", rest == 0 and exponents == [{exponents}] '
    "and [link(0, 1, 1, 1) for link in links] == [{values}])",
    sign='check("{n}: signs at {point}", sign(f, {point}) == {sign} '
    "and sign(factor.numerator(), {point})*sign(factor.denominator(), {point}) == 1)",
    signs={-1: "-1", 0: "0", 1: "1"},
    more=_isolation,
)
