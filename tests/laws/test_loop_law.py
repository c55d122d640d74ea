"""Law: a loop is the limit of its unrollings.

With K rounds written out, and an output ``open`` for runs that are not done by then, the probability of
every output lies between that of the unrolling and that plus the probability of ``open``.  The unrolling
never meets the equations by which loops are solved.
"""

from __future__ import annotations

from campaigns import drawn
from flint import arb, ctx, fmpq
from hypothesis import given, note
from strategies import LOOP_HEAD, looping, loops

import dipc

ROUNDS = 8
POINTS = (fmpq(1, 2), fmpq(3))


@drawn(15)
@given(loops())
def test_a_loop_is_the_limit_of_its_unrollings(loop: tuple[str, str]) -> None:
    condition, body = loop
    head = LOOP_HEAD
    endless = looping(loop)
    finite = (
        f"{head}for i in 1..{ROUNDS} do if {condition} then\n  {body}\nend end\n"
        f"if {condition} then o <- open else o <- x end"
    )
    note(endless)
    exact, unrolled = (
        {str(k[0][1]): p for k, p in dipc.load(t).distribution().items()} for t in (endless, finite)
    )
    zero = dipc.Quotient.of(0)
    left_open = unrolled.pop("open", zero)
    for output in exact.keys() | unrolled.keys():
        missing = exact.get(output, zero) - unrolled.get(output, zero)
        for eps in POINTS:
            assert not value(missing, eps) < 0
            assert not value(left_open - missing, eps) < 0


def value(p: dipc.Quotient, eps: fmpq) -> arb:
    """A ball around the value; a function that is exactly 0 at eps gives 0."""
    if p.numerator.sign_at(eps) == 0:
        return arb(0)
    with ctx.workprec(400):
        return p.numerator.enclose(arb(eps)) / p.denominator.enclose(arb(eps))
