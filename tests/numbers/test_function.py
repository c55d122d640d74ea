"""Values, digits and formulas of exact functions, against mpmath at 50 digits."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from campaigns import many
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from rationals import flint

from dipc.errors import InputError, WrongType
from dipc.numbers.exact import Exact, rational, rounded
from dipc.numbers.exppoly import ExpPoly, Term, ratio_at
from dipc.numbers.quotient import Quotient

Z = Quotient(ExpPoly.exp(1))
EPS = Quotient(ExpPoly.of(1, 1))

small = st.fractions(min_value=-3, max_value=3, max_denominator=4)
budgets = st.fractions(min_value=Fraction(1, 12), max_value=6, max_denominator=12)


@st.composite
def polynomials(draw: Any, inverse: bool = False) -> ExpPoly:
    terms = draw(
        st.lists(
            st.tuples(small, st.integers(-1, 3), small, small, small if inverse else st.just(Fraction(0))),
            min_size=1,
            max_size=4,
        )
    )
    return ExpPoly.from_terms([Term(flint(c), n, flint(a), flint(k), flint(b)) for c, n, a, k, b in terms])


def by_mpmath(f: ExpPoly, eps: Fraction) -> Any:
    def m(x: Any) -> Any:
        return mpmath.mpf(int(x.p)) / int(x.q)

    e = mpmath.mpf(eps.numerator) / eps.denominator
    return mpmath.fsum(m(c) * e**n * mpmath.exp(m(a) * e + m(k) + m(b) / e) for c, n, a, k, b in f.terms())


@settings(deadline=None, max_examples=many(12, campaign=300))
@given(polynomials(inverse=True), polynomials(), budgets)
def test_values_and_sympy_agree_with_mpmath(f: ExpPoly, g: ExpPoly, eps: Fraction) -> None:
    if not g or not g.at(eps):
        return
    q = Quotient(f, g)
    with mpmath.workdps(60):
        expected = by_mpmath(f, eps) / by_mpmath(g, eps)
        assert mpmath.almosteq(mpmath.mpf(q.decimal(eps, 50)), expected, 1e-45, 1e-45)
        ball = q.ball(eps, 30)
        assert ball.rad() <= abs(ball.mid()) * arb(10) ** -30
        shown = q.to_sympy().subs(sympy.Symbol("eps", positive=True), sympy.Rational(str(eps)))
        assert mpmath.almosteq(mpmath.mpf(str(sympy.N(shown, 50))), expected, 1e-40, 1e-40)


def from_sympy(expr: Any) -> Quotient:
    """A sum of products of numbers, powers of eps and exp: what ``to_sympy`` of an ExpPoly gives."""
    eps = sympy.Symbol("eps", positive=True)
    total = ExpPoly()
    for summand in sympy.Add.make_args(sympy.expand(expr, power_exp=False)):
        number, rest = summand.as_coeff_Mul()
        c, n, exponent = fmpq(int(number.p), int(number.q)), 0, sympy.Integer(0)
        for factor in sympy.Mul.make_args(rest):
            if isinstance(factor, sympy.exp):
                exponent += factor.args[0]
            elif factor != 1:
                n += int(factor.as_base_exp()[1])
                assert factor.as_base_exp()[0] == eps
        exponent = sympy.expand(exponent)
        a, k, b = (exponent.coeff(eps, i) for i in (1, 0, -1))
        total += ExpPoly.of(c, n, *(fmpq(int(x.p), int(x.q)) for x in (a, k, b)))
    return Quotient(total)


@settings(deadline=None, max_examples=many(25, campaign=60))
@given(polynomials(inverse=True))
def test_sympy_round_trip(f: ExpPoly) -> None:
    assert from_sympy(f.to_sympy()) == Quotient(f)


@pytest.mark.parametrize(
    ("f", "eps", "value"),
    [
        ((Z - 1) / EPS, 0, 1),
        ((Z - 1 - EPS) / EPS**2, 0, Fraction(1, 2)),
        ((Z - 1) / (Z * Z - 1), 0, Fraction(1, 2)),
        (Quotient(ExpPoly.exp(1, -1) - 1) / (EPS - 1), 1, 1),  # (exp(eps - 1) - 1)/(eps - 1)
        (Quotient(ExpPoly.exp(0, 0, -1)), 0, 0),  # exp(-1/eps)
        (Quotient(ExpPoly.exp(0, 0, -1) + 1) / (EPS + 2), 0, Fraction(1, 2)),
        (1 / (1 + Quotient(ExpPoly.exp(0, 0, 1))), 0, 0),
        (Quotient.of(0), 0, 0),
    ],
)
def test_removable_singularities(f: Quotient, eps: int, value: Fraction) -> None:
    assert f.at(eps) == value
    assert float(f.at(eps)) == float(value)


@pytest.mark.parametrize("f", [1 / EPS, Quotient(ExpPoly.exp(0, 0, 1)), 1 / (Z - 1)])
def test_no_limit_at_zero(f: Quotient) -> None:
    with pytest.raises(InputError, match="no finite value at eps = 0"):
        f.at(0)


def test_ratio_of_two_zeros_of_high_order() -> None:
    f = (ExpPoly.exp(1) - 1) ** 6
    v, w = ratio_at(f, ExpPoly.of(1, 6), fmpq(0))
    assert v.as_rational() / w.as_rational() == 1  # type: ignore[operator]


def test_exact_values() -> None:
    p = Z / (1 + Z)
    assert p(0) == Fraction(1, 2) and isinstance(p(0).as_rational(), Exact)
    assert Fraction(p(0).as_rational()) == Fraction(1, 2)
    assert repr(p.at("1/2")) == "(exp(1/2))/(1 + exp(1/2))"
    assert p.at(Fraction(1, 2)) == p.at(fmpq(1, 2)) == p.at("0.5")
    assert p.at(np.int64(2)) == p.at(2)
    assert p.at(2).is_constant and not p.is_constant


@pytest.mark.parametrize("digits", [1, 5, 10, 17, 60])
def test_decimals_are_rounded_correctly(digits: int) -> None:
    with mpmath.workdps(200):
        expected = mpmath.nstr(mpmath.exp(mpmath.mpf(3) / 7), digits, strip_zeros=False)
    assert Z.decimal("3/7", digits) == expected.removesuffix(".")


def test_decimals_round_at_the_last_digit_and_not_before() -> None:
    """exp(eps) with eps so small that 1 + eps is just below, and just above, a tie of ten digits."""
    assert Z.decimal(fmpq(499999, 10**15), 10) == "1.000000000"
    assert Z.decimal(fmpq(500001, 10**15), 10) == "1.000000001"
    assert Quotient.of(fmpq(1, 8)).decimal(digits=2) == "0.12"  # a tie: to the even digit
    assert Quotient.of(0).decimal() == "0"
    assert Z.decimal(-0, 5) == "1"


@settings(deadline=None)
@given(st.fractions(min_value=0, max_value=700))
def test_floats_are_the_nearest(eps: Fraction) -> None:
    with mpmath.workdps(400):
        expected = float(mpmath.exp(mpmath.mpf(eps.numerator) / eps.denominator))
    assert float(Z.at(eps)) == expected


def test_floats_of_rationals() -> None:
    assert float(Quotient.of(fmpq(1, 3))) == 1 / 3
    with pytest.raises(WrongType, match="has no value on its own"):
        float(Z)


@pytest.mark.parametrize("f", [ExpPoly.exp(1), Z])
@pytest.mark.parametrize("combine", ["f*x", "x*f", "f+x", "x+f", "f-x", "x-f"])
@pytest.mark.parametrize("x", [0.5, np.float64(0.5), "1/2", None])
def test_arithmetic_refuses_floats(f: Any, combine: str, x: Any) -> None:
    with pytest.raises(TypeError):
        eval(combine, {"f": f, "x": x})


@pytest.mark.parametrize("half", [Fraction(1, 2), fmpq(1, 2), Exact(1, 2)])
def test_arithmetic_takes_rationals(half: Any) -> None:
    for f in (ExpPoly.exp(1), Z):
        assert f * half == half * f and f * half + f * half == f
        assert f + half - half == f and half - f + f == half
    assert Z / half == Z * 2 and half / Z == half * (1 / Z)
    assert Z * np.int64(3) == 3 * Z


def test_kinds_of_functions_mix() -> None:
    f = ExpPoly.exp(1)
    assert f + Z == Z + f == 2 * Z
    assert f - Z == 0


def test_equality_and_hash() -> None:
    assert Quotient.of(fmpq(1, 2)) == Fraction(1, 2) == ExpPoly.of(fmpq(1, 2))
    assert {hash(Quotient.of(3)), hash(ExpPoly.of(3))} == {hash(3)}
    assert hash(Quotient(ExpPoly.exp(1))) == hash(ExpPoly.exp(1)) and ExpPoly.exp(1) == Z
    assert Quotient.of(fmpq(1, 2)) != 0.5 and Z != 1 and (Z == "exp(eps)") is False
    assert len({Z, ExpPoly.exp(1), 1 / (1 / Z)}) == 1


@pytest.mark.parametrize("f", [ExpPoly.exp(1) - 1, Z / (1 + Z)])
def test_copies(f: Any) -> None:
    assert pickle.loads(pickle.dumps(f)) == f
    assert copy.deepcopy(f) is f and copy.copy(f) is f


@pytest.mark.parametrize(
    ("f", "latex", "html"),
    [
        (
            Z / (1 + Z),
            r"\frac{e^{\varepsilon}}{1 + e^{\varepsilon}}",
            "(e<sup>ε</sup>) / (1 + e<sup>ε</sup>)",
        ),
        (ExpPoly.exp(fmpq(-1, 2)), r"e^{-\varepsilon/2}", "e<sup>−ε/2</sup>"),
        (ExpPoly.of(-1, 2, fmpq(-3, 4), -2), r"-\varepsilon^{2}\,e^{-3\varepsilon/4 - 2}", None),
        (ExpPoly.of(fmpq(-2, 3), 0, 0, 0, fmpq(5, 2)), r"-\tfrac{2}{3}\,e^{5/(2\varepsilon)}", None),
        (ExpPoly.exp(0, 0, -1), r"e^{-1/\varepsilon}", "e<sup>−1/ε</sup>"),
        (ExpPoly(), "0", "0"),
    ],
)
def test_formulas(f: Any, latex: str, html: str | None) -> None:
    assert f.latex() == latex
    assert f._repr_latex_() == rf"$\displaystyle {latex}$"
    if html is not None:
        assert f.html() == html


@pytest.mark.parametrize("value", [0.5, True, None, [1], b"1"])
def test_numbers_that_are_not_exact(value: Any) -> None:
    with pytest.raises(WrongType, match="eps must be an exact number"):
        rational(value, "eps")


def test_numbers_that_are_no_numbers() -> None:
    for text in ("", "x", "inf", "nan"):
        with pytest.raises(InputError, match="must be a rational number"):
            rational(text, "eps")
    with pytest.raises(InputError, match="division by zero"):
        rational("1/0", "eps")
    with pytest.raises(InputError, match="must not be negative"):
        Z.at(-1)


def test_rounded() -> None:
    assert str(rounded(Fraction(123456), 3)) == "1.23E+5"
    assert str(rounded(Fraction(1, 7) ** 400, 3)) == "9.14E-339"
