"""Is f >= 0 for every eps in a range?  Three layers, the cheapest first.

1. f is the zero function: an *identity*.
2. The derivative chain at the least eps: a finite list of non-negative numbers is the proof.
3. The sign table, by isolating roots.
"""

from __future__ import annotations

from flint import fmpq

from dipc.errors import LimitReached
from dipc.frozen import frozen
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import primitive
from dipc.numbers.quotient import Quotient
from dipc.signs.derivatives import chain_proof
from dipc.signs.eps_range import EpsRange
from dipc.signs.proofs import Identity, Point, Proof, SignTable
from dipc.signs.roots import Root, Unsettled
from dipc.signs.tables import roots_within, sign_table, surely_not_zero


@frozen
class Holds:
    """f >= 0 on the whole range, with the proof of it, which is about f in normal form.

    Where roots were isolated, :func:`dipc.signs.search.proof` finds one that the kernel can check.
    """

    proof: Proof


@frozen
class Fails:
    """f < 0 at ``sample``, a point of the range."""

    sample: fmpq


@frozen
class Unclear:
    """The sign of f is not settled in [low, high]."""

    low: fmpq
    high: fmpq


Answer = Holds | Fails | Unclear

# Tried before roots are isolated: most false claims fail at one of these.
PROBES = tuple(fmpq(p, q) for p, q in ((1, 1), (1, 8), (1, 64), (8, 1), (64, 1), (512, 1)))

# Tried when the roots are not settled.
MORE_PROBES = tuple(fmpq(m) * fmpq(2) ** e for e in range(-12, 12) for m in (4, 5, 6, 7))

MARGIN = fmpq(1, 2**40)


def nonnegative(f: ExpPoly, budgets: EpsRange) -> Answer:
    """Whether f >= 0 on the whole range.

    >>> nonnegative(2 - ExpPoly.exp(1), EpsRange.positive())
    Fails(sample=1)
    >>> nonnegative(ExpPoly.exp(1) - 1 - ExpPoly.of(1, 1), EpsRange.positive())
    Holds(proof=Chain(at=0))
    """
    if not f:
        return Holds(Identity())
    if budgets.is_point:
        return Fails(budgets.low) if f.sign_at(budgets.low) < 0 else Holds(Point())
    f = without_monomial(f)
    if chain := chain_proof(f, budgets):
        return Holds(chain)
    for probe in PROBES:
        if probe in budgets and f.sign_at(probe) < 0:
            return Fails(probe)
    try:
        cells = sign_table([f], budgets)
    except Unsettled as doubt:
        return _around(doubt, f, budgets)
    bad = [cell for cell in cells if cell.signs[0] < 0]
    return Fails(bad[0].sample) if bad else Holds(SignTable())


def _around(doubt: Unsettled, f: ExpPoly, budgets: EpsRange) -> Answer:
    """The answer where a doubt remains: f is decided on both sides of it."""
    refuted = (p for p in MORE_PROBES if p in budgets and f.sign_at(p) < 0)
    if (point := next(refuted, None)) is not None:
        return Fails(point)
    if doubt.high - doubt.low > MARGIN:
        return Unclear(doubt.low, doubt.high)
    # At the very ends of the doubt f is too close to 0 for its sign to be settled.
    low, high = max(doubt.low - MARGIN, budgets.low), doubt.high + MARGIN
    answers = []
    if budgets.low < low:
        answers.append(nonnegative(f, EpsRange(budgets.low, low, budgets.low_closed, True)))
    if budgets.high is None or high < budgets.high:
        answers.append(nonnegative(f, EpsRange(high, budgets.high, True, budgets.high_closed)))
    for answer in answers:
        if isinstance(answer, Fails):
            return answer
        if isinstance(answer, Unclear):
            low, high = min(low, answer.low), max(high, answer.high)
    return Unclear(low, high if budgets.high is None else min(high, budgets.high))


def without_monomial(f: ExpPoly) -> ExpPoly:
    """f divided by a positive number, a power of eps and an exponential: same signs for eps > 0.

    Inequalities that differ by such a factor become equal.
    """
    return primitive(f) if f else f


def sign_if_constant(f: ExpPoly, budgets: EpsRange) -> int | None:
    """The sign of f if constant, and not 0, on the whole range; else None.  Raises :class:`Unsettled`."""
    number = f.as_rational()
    if number is not None:
        return (number > 0) - (number < 0) or None
    cells = sign_table([f], budgets)
    signs = {cell.signs[0] for cell in cells}
    signs.update(f.sign_at(end) for end in budgets.closed_ends)
    # Two intervals of one sign still have a root between them.
    return signs.pop() if len(signs) == 1 and len(cells) == 1 and 0 not in signs else None


def sign_of_denominator(value: Quotient, budgets: EpsRange) -> int | None:
    """The sign of the denominator on the whole range; None if the function has no value at some eps of it.

    Where numerator and denominator may vanish together, it may have one: :class:`LimitReached`.
    """
    sign = sign_if_constant(value.denominator, budgets)
    if sign is None:
        roots = roots_within(value.denominator, budgets.low, budgets.high)
        points = [Root(value.denominator, end, end) for end in budgets.closed_ends]
        zeros = [*roots, *(point for point in points if not value.denominator.sign_at(point.low))]
        if not any(surely_not_zero(value.numerator, zero) for zero in zeros):
            raise LimitReached("it is not settled whether a fraction has a value where its denominator is 0")
    return sign
