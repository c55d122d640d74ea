"""The factor e^epsilon of D, exactly: a function of eps, or the root of a number."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flint import arb, fmpq

from dipc.dpctl.formula import Exponent
from dipc.errors import InternalError, Unsupported
from dipc.numbers.exppoly import ExpPoly, whole
from dipc.numbers.quotient import Quotient

ROOTS = "others, such as 1/2*ln 3, are for `check` on chains, where neither the model nor the formula has eps"


def power_of_e(epsilon: Exponent) -> Quotient:
    """``e^epsilon`` as a function of eps.  Raises :class:`Unsupported` if it is the root of one.

    >>> power_of_e(Exponent(fmpq(1), fmpq(0), ((fmpq(2), fmpq(3)),)))
    8*exp(eps)
    """
    if epsilon.root != 1:
        raise Unsupported("the first parameter of this D is not an integer multiple of ln", hint=ROOTS)
    return Quotient(ExpPoly.exp(epsilon.rate)) * Scale.of(replace(epsilon, rate=fmpq(0))).power()


@dataclass(frozen=True, slots=True)
class Scale:
    """The factor e^epsilon of D: the ``root``-th root of ``base * exp(constant)``."""

    base: fmpq
    constant: fmpq
    root: int

    @staticmethod
    def of(epsilon: Exponent) -> Scale:
        """The factor for an exponent without eps.

        >>> Scale.of(Exponent(fmpq(0), fmpq(1), ((fmpq(3), fmpq(1, 2)), (fmpq(2), fmpq(-1)))))
        Scale(base=3/4, constant=2, root=2)
        """
        if epsilon.rate:
            raise InternalError(f"the factor of {epsilon} depends on eps")
        base, root = fmpq(1), epsilon.root
        for number, power in epsilon.logarithms:
            base *= number ** whole(power * root)
        return Scale(base, epsilon.constant * root, root)

    def enclose(self) -> arb:
        """A ball around the factor."""
        if self.root == 1:
            return arb(self.base) * arb(self.constant).exp()
        return ((arb(self.base).log() + arb(self.constant)) / self.root).exp()

    def power(self) -> Quotient:
        """The factor to the power of ``root``."""
        return Quotient(ExpPoly.of(self.base, constant=self.constant))


UNSCALED = Scale(fmpq(1), fmpq(0), 1)
