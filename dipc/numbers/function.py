"""The views that every exact function of eps has: values, digits, formulas, plots.

Nothing here decides anything.  A value at a budget is exact, :meth:`FunctionOfEps.at`; digits and floats are
taken from balls around the exact value and are correctly rounded.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self, TypeVar

from flint import arb, ctx, fmpq

import dipc.views as views
from dipc.errors import InputError, WrongType
from dipc.numbers.exact import Exact, Number, ends, rational, rounded
from dipc.numbers.formulas import HTML, LATEX, TEXT, Notation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rounded = TypeVar("Rounded")


def budget(eps: Number) -> fmpq:
    """A budget that a user gives: a rational number that is not negative."""
    point = rational(eps, "eps")
    if point < 0:
        raise InputError(f"a budget must not be negative: eps = {point}")
    return point


class FunctionOfEps:
    """The views that :class:`ExpPoly`, :class:`Quotient` and :class:`Surd` share.

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
        precision = 64
        while True:
            with ctx.workprec(precision):
                ball = value.enclose(arb(1))
                if ball.is_finite() and ball.rel_accuracy_bits() > 4 * digits:
                    return ball
            precision *= 2

    def decimal(self, eps: Number | None = None, digits: int = 10) -> str:
        """The value with ``digits`` significant digits, correctly rounded; fewer if it is exactly that."""
        digits, value = _positive(digits), self._value(eps)
        place = _decimal_place(value)
        found = value._rounded(digits, lambda number: rounded(number, digits), place)
        with localcontext(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)):
            return str(found.scaleb(place)).replace("E", "e")

    def __float__(self) -> float:
        """The nearest float to a constant; for a function take its value first: ``float(p.at("1/2"))``."""
        value = self._value(None)
        if abs(place := _decimal_place(value)) > FLOATS:
            if place > 0:
                raise OverflowError(f"a number of about 10^{place} is too large for a float")
            return 0.0
        # The quotient of two integers is correctly rounded.
        return value._rounded(17, lambda number: number.numerator / number.denominator)

    def _rounded(self, digits: int, rule: Callable[[Fraction], Rounded], place: int = 0) -> Rounded:
        """A constant over 10^place by a monotone rule of rounding: the same at both ends of a small ball."""
        exact = self.as_rational()
        if exact is not None:
            return rule(Fraction(exact.numerator, exact.denominator) / Fraction(10) ** place)
        while True:
            ball = self.ball(None, digits + 2)
            with ctx.workprec(8 * digits + 128 + place.bit_length()):
                low, high = map(rule, ends(ball / arb(10) ** place if place else ball))
            if low == high:
                return low
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
        """A plot for the budgets from ``low`` to ``high``; see :func:`dipc.report.plots.plot_functions`."""
        return views.plot(self, low, high, **options)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable


FLOATS = 400  # a power of 10 that is too large for a float, and its inverse too small


def _decimal_place(value: FunctionOfEps) -> int:
    """0, or for a constant with a great exponent about the power of 10 that it is next to.

    ``exp(-10^12)`` has 4*10^11 zeros: it is never written out as a fraction.
    """
    ball = value.ball(digits=1)
    mantissa, exponent = ball.mid().man_exp()
    bits = int(exponent) + int(mantissa).bit_length()
    return 0 if abs(bits) < 4 * FLOATS else bits * 30103 // 100000


def _positive(digits: int) -> int:
    if digits < 1:
        raise InputError(f"the number of digits must be positive, not {digits}")
    return digits
