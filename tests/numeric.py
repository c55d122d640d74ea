"""Functions of eps evaluated to 40 digits, and random functions, for the tests of the exact core."""

from __future__ import annotations

from functools import reduce

import mpmath
from flint import fmpq
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.quotient import Quotient

mpmath.mp.dps = 40
CLOSE = mpmath.mpf(10) ** -25

POINTS = tuple(fmpq(p, q) for p, q in ((1, 7), (1, 2), (1, 1), (5, 3), (4, 1)))


def fixed(examples: int) -> settings:
    """The same examples in every run."""
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def high(number: fmpq | int) -> mpmath.mpf:
    number = fmpq(number)
    return mpmath.mpf(int(number.p)) / int(number.q)


def value(f: ExpPoly | Quotient, eps: fmpq | mpmath.mpf) -> mpmath.mpf:
    """f(eps), term by term."""
    if isinstance(f, Quotient):
        return value(f.numerator, eps) / value(f.denominator, eps)
    x = high(eps) if isinstance(eps, fmpq) else eps
    return mpmath.fsum(
        high(t.coefficient)
        * x**t.power
        * mpmath.exp(high(t.rate) * x + high(t.constant) + high(t.inverse) / x)
        for t in f.terms()
    )


def value_of_pieces(f: Piecewise, y: mpmath.mpf, eps: fmpq) -> mpmath.mpf:
    """f(y) at eps; the breakpoints lie at eps times ``f.breaks``."""
    x = high(eps)
    piece = f.pieces[sum(high(b) * x < y for b in f.breaks)]
    return mpmath.fsum(
        high(c) * x**n * y**m * mpmath.exp((k * y + q * x) / f.unit) for (m, k, n, q), c in piece.items()
    )


def near(x: mpmath.mpf, y: mpmath.mpf) -> bool:
    return abs(x - y) <= CLOSE * (1 + abs(x) + abs(y))


def real_link(constant: fmpq | int, *coefficients: int) -> Linear:
    """``sum c_i y_i + constant > 0`` in normal form."""
    form = Linear.make({i: fmpq(c) for i, c in enumerate(coefficients)}, fmpq(constant))
    assert isinstance(form, Linear)
    return form.condition(strict=True)


def integer_link(constant: fmpq | int, *coefficients: int) -> Linear:
    """``sum c_i z_i + constant >= 0`` in normal form."""
    form = Linear.make({i: fmpq(c) for i, c in enumerate(coefficients)}, fmpq(constant), integer=True)
    assert isinstance(form, Linear)
    return form.condition(strict=False)


def rationals(most: int = 3) -> st.SearchStrategy[fmpq]:
    """Small rationals, often equal to each other."""
    return st.builds(fmpq, st.integers(-most, most), st.sampled_from((1, 1, 1, 2, 3)))


def exppolys(
    *, constants: bool = False, inverses: bool = False, powers: int = 2, size: int = 3
) -> st.SearchStrategy[ExpPoly]:
    """Sums of at most ``size`` terms."""
    nothing = st.just(fmpq(0))
    term = st.builds(
        Term,
        rationals(),
        st.integers(0, powers),
        rationals(2),
        rationals(2) if constants else nothing,
        rationals(2) if inverses else nothing,
    )
    return st.lists(term, max_size=size).map(ExpPoly.from_terms)


def product_of(functions: list[ExpPoly]) -> ExpPoly:
    return reduce(lambda f, g: f * g, functions, ExpPoly.of(1))
