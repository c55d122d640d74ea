"""Rational numbers of Python and of flint as each other."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq


def fraction(value: Any) -> Fraction:
    """A number of flint, or a constant function, as a fraction."""
    number = value.as_rational() if hasattr(value, "as_rational") else value
    return Fraction(int(number.numerator), int(number.denominator))


def flint(value: Fraction | int | str) -> fmpq:
    """A fraction, or its text, as a number of flint."""
    return fmpq(*Fraction(value).as_integer_ratio())
