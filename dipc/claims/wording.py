"""How claims and their witnesses show numbers: to people in lines, to machines in records."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from dipc.numbers.exact import ends, rational, sharp
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import DIGITS, outwards

Line = tuple[str, str]  # a heading and the text beside it
Record = dict[str, Any]  # JSON

MOST_DIGITS = 100  # that tell two numbers apart


def pretty(text: str) -> str:
    """Greek letters for people.

    >>> pretty("(eps/2)-private"), pretty("steps = 2")
    ('(ε/2)-private', 'steps = 2')
    """
    return re.sub(r"\beps\b", "ε", text)


def number_text(value: Quotient, eps: fmpq, digits: int = DIGITS) -> str:
    """The value at eps in decimals, and the function itself."""
    return pretty(f"{decimal_at(value, eps, digits)}  =  {value}")


def number_record(value: Quotient, eps: fmpq, digits: int = DIGITS) -> Record:
    """The function itself, and its value at eps in decimals."""
    return {"exact": str(value), "decimal": decimal_at(value, eps, digits)}


def digits_apart(one: Quotient, other: Quotient, eps: fmpq) -> int:
    """How many digits tell two numbers apart at eps; as many as usual, if even a hundred do not.

    >>> third = Quotient.of(fmpq(1, 3))
    >>> digits_apart(third, third * 2, fmpq(1)), digits_apart(third, third + fmpq(1, 10**98), fmpq(1))
    (10, 100)
    """
    several = range(DIGITS, MOST_DIGITS + 1, 5)
    apart = (n for n in several if decimal_at(one, eps, n) != decimal_at(other, eps, n))
    return next(apart, DIGITS)


def decimal_at(value: Quotient, eps: fmpq, digits: int = DIGITS) -> str:
    """The value at a rational eps to ``digits`` significant digits, correctly rounded but for the last."""
    return digits_of(lambda: value.enclose(arb(eps)), digits) if value.sign_at(eps) else "0"


def digits_of(enclosed: Callable[[], arb], digits: int) -> str:
    """A number that is not 0, given as a ball at the precision of the context, to ``digits`` digits."""
    return str(sharp(enclosed, 4 * digits).str(digits, radius=False))


def greater(more: Quotient, bound: Quotient) -> Any:
    """The inequality ``more > bound`` in sympy, of the symbol ``eps``."""
    from sympy import Gt

    return Gt(more.to_sympy(), bound.to_sympy(), evaluate=False)


def rounded_outwards(value: fmpq, up: bool) -> str:
    """A number, if it is long then rounded outwards.

    >>> rounded_outwards(fmpq(1, 3), True), rounded_outwards(fmpq(10**12 + 1, 10**13), False)
    ('1/3', '0.1')
    """
    return str(value) if len(str(value)) <= 12 else outwards(value, up)


def within(value: Quotient, kind: str) -> tuple[fmpq, fmpq]:
    """Rational numbers around a number without eps, or around its logarithm."""
    exact = value.as_rational()
    if kind != "epsilon" and exact is not None:
        return exact, exact
    if value == 1:
        return fmpq(0), fmpq(0)

    def enclosed() -> arb:
        ball = value.enclose(arb(1))
        return ball.log() if kind == "epsilon" else ball

    low, high = ends(sharp(enclosed, 64))
    return rational(low, "an end"), rational(high, "an end")
