"""The epsilon of a claim, where it may have logarithms: such as ``2*eps + ln 3``."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly, Term, whole
from dipc.numbers.quotient import Quotient


@dataclass(frozen=True, slots=True)
class Exponent:
    """``rate*eps + constant + sum of power * ln(base)``: the epsilon of a claim, linear in eps.

    ``logarithms`` are pairs (base, power), each base > 0 and not 1, each power a whole number and not 0, no
    base twice.
    """

    rate: fmpq
    constant: fmpq
    logarithms: tuple[tuple[fmpq, fmpq], ...] = ()

    @property
    def factor(self) -> Quotient:
        """``e^epsilon`` as a function of eps.

        >>> Exponent(fmpq(1), fmpq(0), ((fmpq(2), fmpq(3)),)).factor
        8*exp(eps)
        """
        number = prod((base ** whole(power) for base, power in self.logarithms), start=fmpq(1))
        return Quotient(ExpPoly.of(number, rate=self.rate, constant=self.constant))


def exponent_text(epsilon: Exponent) -> str:
    """An exponent as text.

    >>> exponent_text(Exponent(fmpq(2), fmpq(0), ((fmpq(2), fmpq(1)),)))
    '2*eps + ln 2'
    """
    parts = [f"{'' if epsilon.rate == 1 else f'{epsilon.rate}*'}eps"] if epsilon.rate else []
    parts += [str(epsilon.constant)] if epsilon.constant else []
    for base, power in epsilon.logarithms:
        number = f"ln {base}" if base.q == 1 else f"ln({base})"
        parts.append(number if power == 1 else f"{power}*{number}")
    return " + ".join(parts).replace("+ -", "- ") or "0"


def logarithm_text(value: Quotient) -> str:
    """The logarithm of a function.

    >>> from dipc.numbers.exppoly import ExpPoly
    >>> [logarithm_text(Quotient(f)) for f in (ExpPoly.of(3), ExpPoly.exp(2), 1 + ExpPoly.exp(1))]
    ['ln(3)', '2*eps', 'ln(1 + exp(eps))']
    """
    (first, *others) = value.numerator.terms()
    if value.denominator == 1 and not others and first == Term(fmpq(1), 0, first.rate, first.constant):
        return exponent_text(Exponent(first.rate, first.constant))
    return f"ln({value})"
