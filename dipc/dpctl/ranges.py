"""The numbers of a formula must exist, and those of D must not be negative, wherever it is asked about.

An epsilon is linear in eps, so its least value is at an end of the range.  There it is a number ``c`` plus
logarithms, whose sign is that of ``product of base^power - exp(-c)``: exactly decided.
"""

from __future__ import annotations

from dataclasses import replace

from flint import fmpq

from dipc.claims.exponent import Exponent
from dipc.errors import InputError, LimitReached, Span
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import about
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, nonnegative
from dipc.signs.tables import End, pieces


def check_value(value: Quotient, span: Span, eps_range: EpsRange) -> None:
    """Raise :class:`InputError` unless a number exists on the whole range."""
    if (pole := some_root(value.denominator, eps_range)) is not None:
        raise InputError(f"{value} has no value at eps {about(pole)}", span)


def check_epsilon(epsilon: Exponent, text: str, span: Span, eps_range: EpsRange) -> None:
    """Raise :class:`InputError` if an epsilon, written as ``text``, is negative somewhere on the range."""
    if (bad := negative_at(epsilon, eps_range)) is not None:
        raise _negative(f"epsilon = {text}", bad if epsilon.rate else None, span)


def check_delta(delta: Quotient, span: Span, eps_range: EpsRange) -> None:
    """Raise :class:`InputError` if a delta is negative somewhere on the range."""
    answer = nonnegative(delta.numerator * delta.denominator, eps_range)
    if isinstance(answer, Fails):
        raise _negative(f"delta = {delta}", None if delta.is_constant else answer.sample, span)
    if not isinstance(answer, Holds):
        raise LimitReached(f"{span.place}: the sign of delta = {delta} could not be settled")


def _negative(what: str, eps: fmpq | None, span: Span) -> InputError:
    if eps is None:
        return InputError(f"{what} is negative", span, "the parameters of D must not be negative")
    hint = "the parameters of D must not be negative: limit eps by `for eps in`"
    return InputError(f"{what} is negative at eps = {eps}", span, hint)


def some_root(f: ExpPoly, eps_range: EpsRange) -> End:
    """The first point of a range at which a function may vanish; None if there is none.

    >>> f = ExpPoly.of(1, 1) - 2
    >>> some_root(f, EpsRange(fmpq(0), fmpq(2))), some_root(f, EpsRange(fmpq(0), fmpq(2), False, True))
    (None, 2)
    """
    if f.as_rational() is not None:
        return None
    found = (p for p in pieces([f], eps_range) if any(0 in signs for signs in p.readings))
    return next((p.low if p.sample is None else p.sample for p in found), None)


def negative_at(epsilon: Exponent, eps_range: EpsRange) -> fmpq | None:
    """A point of the range at which an exponent is negative; None if there is none.

    >>> epsilon = Exponent(fmpq(1), fmpq(0), ((fmpq(2), fmpq(-1)),))                   # eps - ln 2
    >>> negative_at(epsilon, EpsRange(fmpq(1, 2), fmpq(1))), negative_at(epsilon, EpsRange(fmpq(1), None))
    (5/8, None)
    """
    end = eps_range.low if epsilon.rate >= 0 else eps_range.high
    inside = eps_range.inside
    if end is not None and (end in eps_range or not _is_negative(epsilon, end)):
        return end if _is_negative(epsilon, end) else None
    while not _is_negative(epsilon, inside):
        inside = 2 * inside if end is None else (inside + end) / 2
    return inside


def _is_negative(epsilon: Exponent, eps: fmpq) -> bool:
    constant = replace(epsilon, rate=fmpq(0), constant=epsilon.rate * eps + epsilon.constant)
    return (constant.factor - 1).sign_at(fmpq(1)) < 0
