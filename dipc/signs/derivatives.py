"""The derivative chain of an exponential polynomial: one list of numbers that proves a sign.

List the exponents of f in ascending order, each as often as its polynomial has coefficients
(degree + 1): a_1 <= ... <= a_m.  Put

    f_0 = f,      f_k = f_{k-1}' - a_k f_{k-1},      f_m = 0.

**Sign.**  If f_k(r) >= 0 for k = 0 .. m-1 then f >= 0 on [r, inf), because

    f_{k-1}(x) = exp(a_k (x - r)) * ( f_{k-1}(r) + integral_r^x exp(-a_k (s - r)) f_k(s) ds ).

At r = 0 the numbers f_k(0) are rational: a proof that anybody can check with a pencil.

**Roots** (Budan-Fourier; Laguerre 1883 for exponential polynomials).  Let V(r) count the sign changes
in f_0(r), ..., f_{m-1}(r), zeros left out.  Then f has V(a) - V(b) roots in (a, b], counted with
multiplicity, or fewer by an even number.  V is 0 for large r, because the last exponents win.

The sign just right of r of an f_k that vanishes at r is that of f_{k+1} (by the integral above): that is
why zeros are left out, and why V(0) speaks of (0, b] even if f vanishes at 0 to high order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import lcm

from flint import fmpq, fmpz, fmpz_poly

from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.polynomial import primitive
from dipc.signs.eps_range import EpsRange
from dipc.signs.proofs import Chain, Inverse


def chain_values(f: ExpPoly) -> Iterator[tuple[fmpq, fmpq]]:
    """``(a_k, f_{k-1}(0))`` for k = 1 .. m, for f without exp(k), exp(b/eps) and negative powers."""
    unit, scale, polynomials = _integer_form(f)
    factor = fmpq(1, scale)
    for exponent, value in _steps(polynomials):
        yield fmpq(exponent, unit), value * factor
        factor = factor / unit


def chain_proves(f: ExpPoly) -> bool:
    """Whether the chain at 0 proves f >= 0 on [0, inf), for f as above: the fast path of every proof."""
    _, _, polynomials = _integer_form(f)
    return all(value >= 0 for _, value in _steps(polynomials))


def chain_proof(f: ExpPoly, eps_range: EpsRange) -> Chain | Inverse | None:
    """The chain that proves f >= 0 on the range, in eps or in 1/eps, if there is one; f is in normal form."""
    if not f.has_inverse:
        return _chain_from(f, eps_range.low)
    if f.has_rates:
        return None
    chain = _chain_from(primitive(f.at_inverse()), eps_range.inverse.low)
    return chain and Inverse(chain)


def _chain_from(f: ExpPoly, low: fmpq) -> Chain | None:
    """The derivative chain at 0, where it is quick, or else at ``low``, the least eps."""
    if f.has_inverse:
        return None
    if not f.has_constants:
        if chain_proves(f):
            return Chain(fmpq(0))
        if not low:
            return None
    return Chain(low) if all(link.sign_at(low) >= 0 for link in derivative_chain(f)) else None


def chain_exponents(f: ExpPoly) -> list[fmpq]:
    """a_1, ..., a_m."""
    unit, items = f.canonical()
    degree: dict[int, int] = {}
    for n, a, _, _ in items:
        degree[a] = max(degree.get(a, 0), n)
    return [fmpq(a, unit) for a in sorted(degree) for _ in range(degree[a] + 1)]


def derivative_chain(f: ExpPoly) -> list[ExpPoly]:
    """f_0, ..., f_{m-1}, for any f without exp(b/eps) and negative powers of eps."""
    chain = []
    for a in chain_exponents(f):
        chain.append(f)
        f = f.derivative() - f * a
    return chain


def variations(chain: list[ExpPoly], point: fmpq) -> int:
    """V(point), exactly."""
    return changes(f.sign_at(point) for f in chain)


MANY = 64  # terms from which on a polynomial in z is shifted as a whole


def variations_from(f: ExpPoly, low: fmpq) -> int:
    """A bound on the number of roots above ``low``, equal to it up to an even number.

    It is V(low).  A dense polynomial in z = exp(eps/u) has at eps > 0 the roots z > 1: there, in place of the
    derivatives, the coefficients in powers of z - 1 do (Budan and Fourier), which are found at once.
    """
    _, items = f.canonical()
    rates = [a for _, a, _, _ in items]
    pure = not any(n or k or b for n, _, k, b in items)
    if low or f.has_constants:
        return variations(derivative_chain(f), low)
    if not pure or not MANY <= max(rates) - min(rates) < 4 * len(items):
        _, _, polynomials = _integer_form(f)
        return changes(value for _, value in _steps(polynomials))
    scale, coefficients = lcm(*(int(c.q) for c in items.values())), [0] * (max(rates) - min(rates) + 1)
    for (_, a, _, _), c in items.items():
        coefficients[a - min(rates)] = int((c * scale).p)
    shifted = fmpz_poly(coefficients)(fmpz_poly([1, 1])).coeffs()
    return changes(shifted)


def changes(numbers: Iterable[fmpz | int]) -> int:
    """The sign changes in a sequence, zeros left out."""
    return sum(a != b for a, b in pairwise([c > 0 for c in numbers if c]))


def _integer_form(f: ExpPoly) -> tuple[int, int, dict[int, fmpz_poly]]:
    """``f(unit * t) = sum_a p_a(t) exp(a t) / scale`` with integer a and integer polynomials p_a."""
    unit, items = f.canonical()
    scale = lcm(1, *(int(c.q) for c in items.values()))
    columns: dict[int, dict[int, int]] = {}
    for (n, a, _, _), c in items.items():
        columns.setdefault(a, {})[n] = int((c * scale).p) * unit**n
    polynomials = {
        a: fmpz_poly([column.get(n, 0) for n in range(max(column) + 1)])
        for a, column in sorted(columns.items())
    }
    return unit, scale, polynomials


def _steps(polynomials: dict[int, fmpz_poly]) -> Iterator[tuple[int, fmpz]]:
    """``(a_k, f_{k-1}(0))`` for k = 1 .. m, in the scaled variable t.

    Without powers of t it is ``f_{k-1}(0) = sum_j c_j (a_j - a_1) ... (a_j - a_{k-1})``.
    """
    if all(len(p) == 1 for p in polynomials.values()):
        left = [(a, p[0]) for a, p in polynomials.items()]
        while left:
            exponent = left[0][0]
            yield exponent, sum((c for _, c in left), fmpz(0))
            left = [(a, c * (a - exponent)) for a, c in left[1:]]
        return
    for exponent in list(polynomials):
        while exponent in polynomials:
            yield exponent, sum((p[0] for p in polynomials.values()), fmpz(0))
            following = {}
            for a, p in polynomials.items():
                image = p.derivative() if a == exponent else p.derivative() + (a - exponent) * p
                if image:
                    following[a] = image
            polynomials = following
