"""Numbers of the public interface: only exact ones are accepted, and results are ordinary rationals too."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from numbers import Rational

from flint import arb, ctx, fmpq

from dipc.errors import InputError, WrongType, described

Number = fmpq | Rational | int | str
"""A rational number as users give it; ``numbers.Rational`` includes Fraction and the integers of numpy."""

LONGEST = 1000  # digits of a number, written out
EXACT_HINT = 'write a string such as "1/10", a fractions.Fraction or an integer'


class Exact(fmpq):
    """An fmpq that other libraries accept as a rational number.

    >>> Fraction(Exact(3, 4)), Exact(3, 4) == fmpq(3, 4), Exact(3, 4)
    (Fraction(3, 4), True, 3/4)
    """

    @property
    def numerator(self) -> int:  # type: ignore[override]
        return int(self.p)

    @property
    def denominator(self) -> int:  # type: ignore[override]
        return int(self.q)

    def as_integer_ratio(self) -> tuple[int, int]:
        return self.numerator, self.denominator

    def __reduce__(self) -> tuple[type[Exact], tuple[int, int]]:
        return Exact, self.as_integer_ratio()


Rational.register(Exact)


def rational(value: Number, what: str) -> fmpq:
    """A rational number; a float is refused, because 0.1 is not 1/10.

    >>> rational("3/4", "eps"), rational("0.25", "eps"), rational(Fraction(1, 3), "eps")
    (3/4, 1/4, 1/3)
    >>> rational("1/10^3", "eps") == rational("1e-3", "eps") == rational("0.1/1e2", "eps")
    True
    >>> rational(0.5, "eps")
    Traceback (most recent call last):
    dipc.errors.WrongType: error: eps must be an exact number, not the float 0.5
        help: write a string such as "1/10", a fractions.Fraction or an integer
    """
    if isinstance(value, fmpq):
        return value
    if isinstance(value, Rational) and not isinstance(value, bool):
        return fmpq(int(value.numerator), int(value.denominator))
    if isinstance(value, str):
        try:
            if re.search(r"[eE][+-]?0*[1-9]\d{3}", value.replace("_", "")) or len(value) > 2 * LONGEST:
                if re.fullmatch(r"\s*[+-]?(?:[\d\s/^.()]|[eE][+-]?|(?<=\()-)+", value, re.ASCII):
                    raise InputError(f"{what}: a number of more than {LONGEST} digits")
                raise ValueError(value)
            return rational(_read(value), what)
        except ZeroDivisionError:
            problem = f": `{value}` is a division by zero"
        except ValueError:
            shown = f"`{value}`" if value.strip() else "an empty text"
            problem = f" must be a rational number, not {shown}"
        digits = "" if plain_digits(value) else f"{DIGITS}: "
        raise InputError(f"{what}{problem}", hint=f"{digits}for example 3/4, 0.75 or 1/10^3")
    raise WrongType(f"{what} must be an exact number, not {described(value)}", hint=EXACT_HINT)


def plain_digits(text: str) -> bool:
    """Whether a number is written without what only Python reads: other digits than ours, and ``1_000``.

    >>> plain_digits("1e-3"), plain_digits("\uff13"), plain_digits("1_000")
    (True, False, False)
    """
    return text.isascii() and "_" not in text


DIGITS = "digits are 0 to 9, without `_`"
"""What to write instead."""


def _read(text: str) -> Fraction:
    """A decimal number or a quotient of such; its parts may be powers: ``1/10^13``, as in the language."""
    if not plain_digits(text):
        raise ValueError(text)
    if "^" not in text and "/" not in text:
        return Fraction(text)
    text = text.strip()
    sign, size = -1 if text.startswith("-") else 1, text.removeprefix("-" if text.startswith("-") else "+")
    top, _, bottom = size.partition("/")
    return sign * _power(top) / _power(bottom) if bottom else sign * _power(size)


POWER = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?)(?:\^\(?(-?[0-9]{1,4})\)?)?\s*")


def _power(text: str) -> Fraction:
    found = POWER.fullmatch(text)
    if found is None:
        raise ValueError(text)
    base, exponent = Fraction(found[1]), int(found[2] or 1)
    if max(len(str(base.numerator)), len(str(base.denominator))) * abs(exponent) > LONGEST:
        raise InputError(f"`{text.strip()}` has more than {LONGEST} digits")
    return base**exponent


def scalar(value: fmpq | int | Rational) -> fmpq | int:
    """A number that meets an exact function in arithmetic."""
    if isinstance(value, fmpq | int):
        return value
    if isinstance(value, Rational):
        return rational(value, "a number")
    raise WrongType(
        f"exact functions of eps cannot be combined with {described(value)}",
        hint="in arithmetic write a fractions.Fraction or an integer: p*Fraction(1, 2)",
    )


LEAST_RADIUS = arb(2) ** -(2**17)  # of a ball whose ends are written as fractions, if it is not 0


def ends(ball: arb) -> tuple[Fraction, Fraction]:
    """The ends of a finite ball, exactly (``ball.lower()`` would round to the precision of the context).

    A radius that is too small to be written as a fraction, that of 1 + exp(-10^20), is made larger.
    """
    radius = ball.rad()
    exact = (ball.mid().fmpq(), (LEAST_RADIUS if 0 < radius < LEAST_RADIUS else radius).fmpq())
    middle, width = (Fraction(int(x.p), int(x.q)) for x in exact)
    return middle - width, middle + width


def sharp(enclosed: Callable[[], arb], bits: int) -> arb:
    """A ball around a number that is not 0, with more accurate bits than these.

    ``enclosed`` gives a ball at the precision of the context.
    """
    precision = 64
    while True:
        with ctx.workprec(precision):
            ball = enclosed()
            if ball.is_finite() and ball.rel_accuracy_bits() > bits:
                return ball
        precision *= 2


def smallest_base(number: fmpq) -> tuple[fmpq, int]:
    """The smallest number of which this one, greater than 0, is a whole power, and the power.

    >>> smallest_base(fmpq(8, 27)), smallest_base(fmpq(12))
    ((2/3, 3), (12, 1))
    """
    for power in range(max(number.p, number.q).bit_length(), 1, -1):
        above, below = number.p.root(power), number.q.root(power)
        if above**power == number.p and below**power == number.q:
            return fmpq(above, below), power
    return number, 1


def magnitude(ball: arb) -> int:
    """The number of bits before the point, less than 0 for a small number: of the middle of a ball, not 0."""
    mantissa, exponent = (int(x) for x in ball.mid().man_exp())
    return mantissa.bit_length() + exponent


def rounded(value: Fraction, digits: int) -> Decimal:
    """To ``digits`` significant digits, a tie to the even one: 2/3 to 4 digits is 0.6667."""
    with localcontext() as context:
        context.prec = digits
        context.Emax, context.Emin = MAX_EMAX, MIN_EMIN
        return Decimal(value.numerator) / Decimal(value.denominator)


def positive(value: Number) -> fmpq:
    """One privacy parameter: a positive rational.  Raises :class:`InputError`."""
    if (eps := rational(value, "eps")) <= 0:
        raise InputError(f"the privacy parameter must be positive, not eps = {eps}")
    return eps


def modulo(left: fmpq, right: fmpq) -> fmpq | None:
    """``mod(a, b)`` has the sign of b."""
    return left - right * (left / right).floor() if right != 0 else None


ON_NUMBERS: dict[str, tuple[int, Callable[..., fmpq | None]]] = {
    "abs": (1, abs),
    "floor": (1, lambda value: fmpq(value.floor())),
    "ceil": (1, lambda value: fmpq(value.ceil())),
    "mod": (2, modulo),
    "max": (0, lambda *values: max(values)),
    "min": (0, lambda *values: min(values)),
    "sum": (0, lambda *values: sum(values, fmpq(0))),
}
"""How many arguments a function has (0: any number), and its value on numbers, if it has one."""
