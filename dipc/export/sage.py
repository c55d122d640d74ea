"""Sage: exact identities in QQ(eps, z), and the question answered again by isolating roots.

Only a minimal Sage is needed: polynomials over QQ, their fraction field, and RealBallField.  The script is a
second, short decision procedure: the derivative chain of Budan and Fourier, with exact signs at rational
points (equal exponents are collected first; what is left is not zero by Lindemann-Weierstrass, so growing
precision ends).
"""

from __future__ import annotations

from collections.abc import Iterator

from dipc.export.checks import System, checks
from dipc.export.evidence import roots
from dipc.export.inequalities import Inequality
from dipc.export.operators import PLAIN
from dipc.export.subject import ClaimExport
from dipc.signs.eps_range import EpsRange
from dipc.signs.limits import Unsettled

PRELUDE = '''\
import sys

R = QQ['eps,z,w,v']     # z = exp(eps/u), w = exp(1/u), v = exp(1/(u*eps))
K = Frac(R)
eps, z, w, v = R.gens()
u = {unit}
results = []


def check(name, holds):
    results.append(bool(holds))
    print("PASS" if holds else "FAIL", name)


def sign(f, r):
    """The exact sign of a polynomial f at a rational eps = r."""
    r = QQ(r)
    value = dict()
    for (n, a, k, b), c in f.dict().items():
        e = (a*r + k + (b/r if b else 0))/u
        value[e] = value.get(e, QQ(0)) + c*r**n
    value = [(e, c) for e, c in value.items() if c != 0]
    if not value:
        return 0
    bits = 64
    while True:
        B = RealBallField(bits)
        ball = sum(B(c)*B(e).exp() for e, c in value)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        bits *= 2


def chain(f):
    """f_0 = f, f_k = f_(k-1)' - a_k f_(k-1), with the exponents a_k in ascending order, until 0."""
    links, exponents = [], []
    for a in sorted(set(m[1] for m in f.dict())):
        for _ in range(max(m[0] for m in f.dict() if m[1] == a) + 1):
            links.append(f)
            exponents.append(a/u)
            f = f.derivative(eps) + z/u*f.derivative(z) - a/u*f if f else f
            f = R(f)
    return links, exponents, f


def changes(links, r):
    signs = [s for s in (sign(f, r) for f in links) if s]
    return sum(1 for s, t in zip(signs, signs[1:]) if s != t)


def roots(f, low, high):
    """Intervals (a, b] with one root each of f in (low, high), high None: infinity.  None: not settled."""
    links, _, rest = chain(f)
    assert rest == 0
    if high is None:
        high = low + 1
        while changes(links, high) or not sign(f, high):
            high *= 2
    pending, found = [(QQ(low), QQ(high))], []
    while pending:
        a, b = pending.pop()
        bound = changes(links, a) - changes(links, b)
        if bound == 0:
            continue
        if bound == 1:
            if b != high or sign(f, b):
                found.append((a, b))
        elif b - a < 1/2**64:
            return None
        else:
            pending += [(a, (a + b)/2), ((a + b)/2, b)]
    return sorted(found)

'''

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
    prelude=PRELUDE,
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
