"""Sage: exact identities in QQ(eps, z), and the question answered again by isolating roots.

Only a minimal Sage is needed: polynomials over QQ, their fraction field, and RealBallField.  The script is a
second, short decision procedure: the derivative chain of Budan and Fourier, with exact signs at rational
points (equal exponents are collected first; what is left is not zero by Lindemann-Weierstrass, so growing
precision ends).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import fmpq

from dipc.export.evidence import numbers, roots, samples
from dipc.export.inequalities import Inequality
from dipc.export.operators import ARITHMETIC, Dialect, Style, unit_of, write
from dipc.export.subject import ClaimExport, requirement_text, valuation_text
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.limits import Unsettled

SAGE = Dialect(ARITHMETIC)

PRELUDE = '''\
import sys

R = QQ['eps,z,w,v']     # z = exp(eps/u), w = exp(1/u), v = exp(1/(u*eps))
K = Frac(R)
eps, z, w, v = R.gens()
u = {unit}
fails = 0
passes = 0


def check(name, holds):
    global fails, passes
    if holds:
        passes += 1
        print("PASS", name)
    else:
        fails += 1
        print("FAIL", name)


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
print("passed:", passes)
print("failures:", fails)
sys.exit(int(1 if fails else 0))
"""


def sage(question: ClaimExport) -> str:
    """A script that prints PASS or FAIL for every check, and ends with the number of failures."""
    functions = [p for law in question.laws for _, p in law.law]
    functions += [f for r in question.requirements for f in (r.probability, r.bound)]
    style = Style(unit_of(functions))
    lines = [f"# {line}" for line in question.heading()]
    lines.append(PRELUDE.format(unit=style.unit))
    for number, named in enumerate(question.laws, start=1):
        lines.append(f"# the output law on {valuation_text(named.input) or 'no input'}")
        lines.append(f"law{number} = [")
        lines += [f"    K({_function(p, style)}),  # {valuation_text(output)}" for output, p in named.law]
        lines += ["]", f'check("law {number} sums to 1", sum(law{number}) == 1)', ""]
    for number, requirement in enumerate(question.requirements, start=1):
        lines += _requirement(number, requirement, question.goal.budgets, style)
    lines.append(CLOSING)
    return "\n".join(lines)


def _requirement(number: int, requirement: Inequality, budgets: EpsRange, style: Style) -> Iterator[str]:
    f = requirement.function
    yield f"# {number}. {requirement_text(requirement)}"
    yield f"left = K({_function(requirement.probability, style)})"
    yield f"right = K({_function(requirement.bound, style)})"
    yield f"f = R({write(style.polynomial(f), SAGE)})"
    if not f:
        yield f'check("{number}: both sides are equal", left == right)\n'
        return
    yield f"factor = K({_function(requirement.margin / Quotient(f), style)})"
    yield f'check("{number}: right - left is f times factor", right - left == f*factor)'
    chain = numbers(requirement)
    if chain is not None:
        exponents, values = chain
        yield "links, exponents, rest = chain(f)"
        yield (
            f'check("{number}: derivative chain", rest == 0 and exponents == {_list(exponents)} '
            f"and [link(0, 1, 1, 1) for link in links] == {_list(values)})"
        )
    for point, sign in samples(f, budgets):
        yield (
            f'check("{number}: signs at {point}", sign(f, {point}) == {sign} '
            f"and sign(factor.numerator(), {point})*sign(factor.denominator(), {point}) == 1)"
        )
    if chain is None:
        yield from _isolation(number, f, budgets)
    yield ""


def _isolation(number: int, f: ExpPoly, budgets: EpsRange) -> Iterator[str]:
    """The question by root isolation: the same roots, found again."""
    if f.has_inverse or f.has_constants or budgets.is_point:
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


def _function(value: Quotient, style: Style) -> str:
    return write(style.function(value), SAGE)


def _list(numbers: Sequence[fmpq]) -> str:
    return "[" + ", ".join(map(str, numbers)) + "]"
