"""The views that every exact function of eps has: values, digits, formulas, plots.

Nothing here decides anything.  A value at a budget is exact, :meth:`FunctionOfEps.at`; digits and floats are
taken from balls around the exact value and are correctly rounded.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, TypeVar

from flint import arb, fmpq

import dipc.views as views
from dipc.errors import InputError, WrongType
from dipc.numbers.exact import Exact, Number, ends, magnitude, rational, rounded, sharp
from dipc.numbers.formulas import HTML, LATEX, TEXT, Notation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rounded = TypeVar("Rounded", Decimal, float)


def budget(eps: Number) -> fmpq:
    """A budget that a user gives: a rational number that is not negative."""
    point = rational(eps, "eps")
    if point < 0:
        raise InputError(f"a budget must not be negative: eps = {point}")
    return point


class FunctionOfEps:
    """The views that :class:`ExpPoly` and :class:`Quotient` share.

    >>> from dipc.numbers.exppoly import ExpPoly
    >>> from dipc.numbers.quotient import Quotient
    >>> p = Quotient(ExpPoly.exp(1)) / Quotient(1 + ExpPoly.exp(1))
    >>> p.at("1/2"), p.at(0)
    ((exp(1/2))/(1 + exp(1/2)), 1/2)
    >>> p.decimal("1/2"), p.decimal("1/2", 20), float(p.at("1/2"))
    ('0.6224593312', '0.62245933120185456464', 0.6224593312018546)
    """

    __slots__ = ()
    __array_ufunc__ = None  # numpy's numbers leave arithmetic to us, where a float is refused

    @abstractmethod
    def at(self, eps: Number) -> FunctionOfEps:
        """The exact value at a rational budget: a function without eps, its limit where it is 0/0."""

    @abstractmethod
    def as_rational(self) -> Exact | None:
        """The rational number this is, or None."""

    @property
    @abstractmethod
    def is_constant(self) -> bool:
        """Whether eps does not occur."""

    @abstractmethod
    def sign_at(self, point: fmpq) -> int:
        """The exact sign at a rational point."""

    @abstractmethod
    def enclose(self, eps: arb) -> arb:
        """A ball around the values on the ball ``eps``, at the precision of the context."""

    @abstractmethod
    def formula(self, notation: Notation) -> str:
        """The function in a notation of :mod:`dipc.numbers.formulas`."""

    @abstractmethod
    def to_sympy(self) -> Any:
        """The function in sympy, exact, of the positive symbol ``eps``."""

    def __call__(self, eps: Number) -> FunctionOfEps:
        return self.at(eps)

    # --- digits ------------------------------------------------------------------------------

    def ball(self, eps: Number | None = None, digits: int = 30) -> arb:
        """A ball of python-flint that contains the value, with at least ``digits`` digits.

        A constant needs no ``eps``.  A ball prints with the precision of flint's context, not its own;
        :meth:`decimal` gives text.
        """
        value, digits = self._value(eps), _positive(digits)
        if not value.sign_at(fmpq(1)):
            return arb(0)
        return sharp(lambda: value.enclose(arb(1)), 4 * digits)

    def decimal(self, eps: Number | None = None, digits: int = 10) -> str:
        """The value with ``digits`` significant digits, correctly rounded; fewer if it is exactly that."""
        digits, value = _positive(digits), self._value(eps)
        if value.as_rational() is None and abs(magnitude(value.ball(digits=1))) > FAR:
            return _far_decimal(value, digits)
        return str(value._rounded(None, digits, lambda value: rounded(value, digits))).replace("E", "e")

    def __float__(self) -> float:
        """The nearest float to a constant; for a function take its value first: ``float(p.at("1/2"))``."""
        if self._value(None).as_rational() is None and abs(bits := magnitude(self.ball(digits=1))) > FAR:
            if bits > 0:
                raise OverflowError("the number is too large for a float")
            return self.sign_at(fmpq(1)) / (1 << FAR)
        # The quotient of two integers is correctly rounded.
        return self._rounded(None, 17, lambda value: value.numerator / value.denominator)

    def _rounded(self, eps: Number | None, digits: int, rule: Callable[[Fraction], Rounded]) -> Rounded:
        """The value by a monotone rule of rounding: the same at both ends of a small ball."""
        value = self._value(eps)
        exact = value.as_rational()
        if exact is not None:
            return rule(Fraction(exact.numerator, exact.denominator))
        while True:
            low, high = map(rule, ends(value.ball(None, digits + 2)))
            if low == high:
                return low
            if digits > MANY_DIGITS:
                tie = (Fraction(low) + Fraction(high)) / 2
                difference: Any = value - fmpq(tie.numerator, tie.denominator)  # type: ignore[operator]
                sign = difference.sign_at(fmpq(1))
                return low if sign < 0 else high if sign > 0 else rule(tie)
            digits *= 2

    def _value(self, eps: Number | None) -> FunctionOfEps:
        if eps is not None:
            return self.at(eps)
        if not self.is_constant:
            raise WrongType(
                f"a function of eps has no value on its own: {self}", hint='name a budget: p.at("1/2")'
            )
        return self

    # --- views -------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return self.formula(TEXT)

    def latex(self) -> str:
        """The function as LaTeX."""
        return self.formula(LATEX)

    def html(self) -> str:
        """The function as HTML."""
        return self.formula(HTML)

    def _repr_latex_(self) -> str:
        return rf"$\displaystyle {self.latex()}$"

    def plot(self, low: Number | None = None, high: Number | None = None, **options: Any) -> Figure:
        """A plot at eps from ``low`` to ``high``, by :func:`dipc.dipwhile.panels.plots.plot_functions`."""
        return views.plot(self, low, high, **options)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable


MANY_DIGITS = 1000  # beyond which it is asked on which side of the tie between two texts a number lies
FAR = 2**16  # bits before or behind the point, from which on a number is not written out


def _far_decimal(value: FunctionOfEps, digits: int) -> str:
    """A constant with a great exponent to ``digits`` significant digits, correctly rounded."""
    more = digits + 10
    while True:
        mantissa, _, exponent = value.ball(None, more + 2).str(more, radius=False).partition("e")
        # The last of these digits may be wrong by one.
        ulp = Fraction(1, 10 ** (more - 1))
        low, high = (rounded(Fraction(mantissa) + step, digits) for step in (-ulp, ulp))
        if low == high:
            sign, (first, *rest), _ = low.as_tuple()
            tail = "." + "".join(map(str, rest)) if rest else ""
            return f"{'-' * sign}{first}{tail}e{int(exponent or 0) + low.adjusted():+d}"
        more *= 2


def _positive(digits: int) -> int:
    if digits < 1:
        raise InputError(f"the number of digits must be positive, not {digits}")
    return digits
