"""The epsilon of a claim, where it may have logarithms: such as ``2*eps + ln 3``."""

from __future__ import annotations

import re
from math import prod

from flint import arb, fmpq

from dipc.claims.wording import digits_of
from dipc.frozen import frozen
from dipc.numbers.exact import smallest_base
from dipc.numbers.exppoly import ExpPoly, Term, whole
from dipc.numbers.quotient import Quotient

ZERO = fmpq(0)


@frozen
class Exponent:
    """``rate*eps + constant + sum of power * ln(base)``: the epsilon of a claim.

    ``logarithms`` are pairs (base, power), each base > 0 and not 1, each power a whole number and not 0, no
    base twice.  ``functions`` are the same with functions of eps as bases, such as 1 + exp(eps).
    """

    rate: fmpq
    constant: fmpq = ZERO
    logarithms: tuple[tuple[fmpq, fmpq], ...] = ()
    functions: tuple[tuple[Quotient, fmpq], ...] = ()

    @property
    def multiple(self) -> fmpq | None:
        """The t of ``t*eps``; None for another epsilon."""
        return None if self.constant or self.logarithms or self.functions else self.rate

    @property
    def factor(self) -> Quotient:
        """``e^epsilon`` as a function of eps.

        >>> Exponent(fmpq(1), fmpq(0), ((fmpq(2), fmpq(3)),)).factor
        8*exp(eps)
        """
        number = prod((base ** whole(power) for base, power in self.logarithms), start=fmpq(1))
        found = Quotient(ExpPoly.of(number, rate=self.rate, constant=self.constant))
        for base, power in self.functions:
            part = base ** whole(abs(power))
            found = found * part if power > 0 else found / part
        return found


def exponent_text(epsilon: Exponent) -> str:
    """An exponent as text.

    >>> exponent_text(Exponent(fmpq(2), fmpq(0), ((fmpq(2), fmpq(1)),)))
    '2*eps + ln 2'
    """
    parts = [str(ExpPoly.of(epsilon.rate, 1))] if epsilon.rate else []
    parts += [str(epsilon.constant)] if epsilon.constant else []
    for base, power in (*epsilon.logarithms, *epsilon.functions):
        number = f"ln {base}" if isinstance(base, fmpq) and base.q == 1 else f"ln({base})"
        parts.append(number if power == 1 else f"{power}*{number}")
    return " + ".join(parts).replace("+ -", "- ") or "0"


def logarithm_text(value: Quotient) -> str:
    """The logarithm of a function.

    >>> [logarithm_text(Quotient(f)) for f in (ExpPoly.of(3), ExpPoly.exp(2), 1 + ExpPoly.exp(1))]
    ['ln(3)', '2*eps', 'ln(1 + exp(eps))']
    """
    (first, *others) = value.numerator.terms()
    if value.denominator == 1 and not others and first == Term(fmpq(1), 0, first.rate, first.constant):
        return exponent_text(Exponent(first.rate, first.constant))
    return f"ln({value})"


def number_text(factor: Quotient) -> str:
    """The logarithm of a function at eps = 1, and what it is in decimals unless it is rational.

    >>> number_text(Quotient.of(fmpq(68586))), number_text(Quotient.of(fmpq(21, 19) ** 8))
    ('ln 68586 = 11.1358', '8 ln(21/19) = 0.8007')
    >>> number_text(Quotient(ExpPoly.exp(fmpq(2, 5)))), number_text(Quotient(1 + ExpPoly.exp(1)))
    ('2/5', 'ln(1 + exp(1)) = 1.3133')
    """
    (first, *others) = factor.numerator.terms()
    if factor.denominator == 1 and not others and first.coefficient == 1 and not first.power:
        return str(first.rate + first.constant + first.inverse)
    number = factor.as_rational()
    text = "ln({})".format(re.sub(r"\beps\b", "1", str(factor)))
    if number is not None:
        base, power = smallest_base(fmpq(number.p, number.q))
        name = f"ln {base}" if base.q == 1 else f"ln({base})"
        text = name if power == 1 else f"{power} {name}"
    return f"{text} = {_rounded(factor)}"


def _rounded(factor: Quotient) -> str:
    """Its logarithm at eps = 1: four decimals, or four digits if it is small."""

    def value() -> arb:
        return factor.enclose(arb(1)).log()

    size = value()
    return digits_of(value, 4 + len(str(int(size.floor().unique_fmpz() or 0))) if size > 1 else 4)
