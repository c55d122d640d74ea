"""The numbers of a formula must exist, and those of D must not be negative, wherever it is asked about.

An epsilon is negative where its exponential is less than 1.
"""

from __future__ import annotations

from dipc.claims.exponent import Exponent
from dipc.errors import InputError, LimitReached, Span
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import about
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Answer, Fails, Unclear, nonnegative
from dipc.signs.tables import End, pieces

MORE = ": limit eps by `for eps in`"


def check_value(value: Quotient, span: Span, eps_range: EpsRange) -> None:
    """Raise :class:`InputError` unless a number exists on the whole range."""
    if (pole := some_root(value.denominator, eps_range)) is not None:
        raise InputError(f"{value} has no value at eps {about(pole)}", span)


def check_epsilon(epsilon: Exponent, text: str, span: Span, eps_range: EpsRange) -> None:
    """Raise :class:`InputError` if an epsilon, written as ``text``, is negative somewhere on the range."""
    _check_sign(epsilon.factor - 1, f"epsilon = {text}", span, eps_range)


def check_delta(delta: Quotient, span: Span, eps_range: EpsRange) -> None:
    """Raise :class:`InputError` if a delta is negative somewhere on the range."""
    _check_sign(delta, f"delta = {delta}", span, eps_range)


def _check_sign(value: Quotient, what: str, span: Span, eps_range: EpsRange) -> None:
    match sign_on(value, eps_range):
        case Fails(sample):
            constant = value.is_constant
            where = "" if constant else f" at eps = {sample}"
            hint = "the parameters of D must not be negative" + ("" if constant else MORE)
            raise InputError(f"{what} is negative{where}", span, hint)
        case Unclear():
            raise LimitReached(f"{span.place}: the sign of {what} could not be settled")


def sign_on(value: Quotient, eps_range: EpsRange) -> Answer:
    """Whether a number is >= 0 on a range on which it exists.

    >>> from flint import fmpq
    >>> factor = Exponent(fmpq(1), fmpq(0), ((fmpq(2), fmpq(-1)),)).factor              # of eps - ln 2
    >>> sign_on(factor - 1, EpsRange(fmpq(1, 2), fmpq(1)))
    Fails(sample=2/3)
    """
    return nonnegative(value.numerator * value.denominator, eps_range)


def some_root(f: ExpPoly, eps_range: EpsRange) -> End:
    """The first point of a range at which a function may vanish; None if there is none.

    >>> from flint import fmpq
    >>> f = ExpPoly.of(1, 1) - 2
    >>> some_root(f, EpsRange(fmpq(0), fmpq(2))), some_root(f, EpsRange(fmpq(0), fmpq(2), False, True))
    (None, 2)
    """
    if f.as_rational() is not None:
        return None
    found = (p for p in pieces([f], eps_range) if any(0 in signs for signs in p.readings))
    return next((p.low if p.sample is None else p.sample for p in found), None)
