"""Exponential polynomials: the ring in which every probability lives.

An exponential polynomial is a finite sum

    f(eps) = sum_j  c_j * eps^n_j * exp(a_j * eps + k_j + b_j / eps)     (c, a, k, b rational, n integer).

They are the numerators and denominators of the paper's pseudo-rational functions (DiPC, Definition 20),
with constants ``exp(k)`` added, because a claimed delta may contain them, and the *inverse* exponents
``b/eps`` of noise whose rate is a/eps.

Two facts make the ring exact.  As *functions*, the ``eps^n exp(a eps + b/eps)`` are linearly independent
over the reals, and the ``exp(k)`` are so over the rationals (Lindemann-Weierstrass); so a sum with
its equal terms collected is zero only if it has no term: equality is a comparison of dictionaries.
At a rational point r > 0 all exponents are rational, and the same theorem decides whether f(r) = 0, see
:meth:`ExpPoly.sign_at`.

Exponents are stored as integers over one common ``unit`` per polynomial, because hashing
rationals is twenty times slower than hashing integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import gcd, lcm, prod
from numbers import Rational
from typing import Any, NamedTuple, TypeVar

from flint import Ordering, arb, ctx, fmpq, fmpq_mpoly_ctx

from dipc.errors import InputError, InternalError
from dipc.numbers.exact import Exact, Number, scalar
from dipc.numbers.formulas import Notation, sympy_sum
from dipc.numbers.function import FunctionOfEps, budget
from dipc.numbers.residues import residue

Key = tuple[int, int, int, int]  # power of eps, rate * unit, constant * unit, inverse * unit
K = TypeVar("K")
Items = dict[Key, fmpq]  # a sum of terms: exponents with their coefficients, none of which is 0


class Term(NamedTuple):
    """``coefficient * eps^power * exp(rate * eps + constant + inverse / eps)``."""

    coefficient: fmpq
    power: int
    rate: fmpq
    constant: fmpq
    inverse: fmpq = fmpq(0)


def whole(number: fmpq) -> int:
    """The integer that a rational is; an exponent that does not fit its unit is a bug."""
    if number.q != 1:
        raise InternalError(f"{number} is not an integer")
    return int(number.p)


class ExpPoly(FunctionOfEps):
    """An exponential polynomial in the privacy budget eps.  Immutable.

    >>> f = ExpPoly.exp(1) - ExpPoly.exp(fmpq(1, 2)) * 2 + 1          # (exp(eps/2) - 1)^2
    >>> f
    1 - 2*exp(1/2*eps) + exp(eps)
    >>> f == (ExpPoly.exp(fmpq(1, 2)) - 1) ** 2
    True
    >>> f.sign_at(fmpq(0)), f.sign_at(fmpq(1, 10**9))
    (0, 1)
    """

    __slots__ = ("_canonical", "_hash", "_items", "_primitive", "_unit")

    def __init__(self, items: Mapping[Key, fmpq] | None = None, unit: int = 1) -> None:
        """Internal: ``items`` without zero coefficients, exponents in units of 1/unit."""
        self._items: Items = dict(items) if items else {}
        self._unit = unit
        self._canonical: tuple[int, Items] | None = None
        self._hash: int | None = None
        self._primitive = False  # known to be, see dipc.numbers.polynomial

    # --- construction ------------------------------------------------------------------------

    @staticmethod
    def of(
        coefficient: fmpq | int,
        power: int = 0,
        rate: fmpq | int = 0,
        constant: fmpq | int = 0,
        inverse: fmpq | int = 0,
    ) -> ExpPoly:
        """The single term ``coefficient * eps^power * exp(rate * eps + constant + inverse / eps)``."""
        if not (rate or constant or inverse):
            return ExpPoly({(power, 0, 0, 0): fmpq(coefficient)} if coefficient else {})
        return ExpPoly.from_terms([Term(fmpq(coefficient), power, fmpq(rate), fmpq(constant), fmpq(inverse))])

    @staticmethod
    def exp(rate: fmpq | int, constant: fmpq | int = 0, inverse: fmpq | int = 0) -> ExpPoly:
        """``exp(rate * eps + constant + inverse / eps)``."""
        return ExpPoly.of(1, 0, rate, constant, inverse)

    @staticmethod
    def from_terms(terms: list[Term]) -> ExpPoly:
        """The sum of the terms."""
        unit = 1
        for term in terms:
            unit = lcm(unit, int(term.rate.q), int(term.constant.q), int(term.inverse.q))
        return ExpPoly(
            collected(((n, whole(a * unit), whole(k * unit), whole(b * unit)), c) for c, n, a, k, b in terms),
            unit,
        )

    # --- inspection --------------------------------------------------------------------------

    def terms(self) -> Iterator[Term]:
        """The terms, ordered by inverse, constant, rate and power."""
        unit, items = self.canonical()
        for key in sorted(items, key=lambda key: key[::-1]):
            n, a, k, b = key
            yield Term(items[key], n, fmpq(a, unit), fmpq(k, unit), fmpq(b, unit))

    def canonical(self) -> tuple[int, Items]:
        """``(unit, items)`` with the smallest unit: equal functions have equal canonical forms."""
        if self._canonical is None:
            common = self._unit
            for _, a, k, b in self._items:
                common = gcd(common, a, k, b)
                if common == 1:
                    break
            items = self._items
            if common != 1:
                items = {(n, a // common, k // common, b // common): c for (n, a, k, b), c in items.items()}
            self._canonical = (self._unit // common, items)
        return self._canonical

    def __len__(self) -> int:
        return len(self._items)

    def __bool__(self) -> bool:
        return bool(self._items)

    @property
    def has_constants(self) -> bool:
        """Whether some ``exp(k)`` with k != 0 occurs."""
        return any(key[2] for key in self._items)

    @property
    def has_rates(self) -> bool:
        """Whether some ``exp(a*eps)`` with a != 0 occurs."""
        return any(key[1] for key in self._items)

    @property
    def has_inverse(self) -> bool:
        """Whether some ``exp(b/eps)`` with b != 0 occurs."""
        return any(key[3] for key in self._items)

    def as_rational(self) -> Exact | None:
        """The rational number this is, or None."""
        if len(self._items) > 1:
            return None
        number = self._items.get((0, 0, 0, 0)) if self._items else 0
        return None if number is None else Exact(number)

    @property
    def is_constant(self) -> bool:
        """Whether eps does not occur."""
        return not any(n or a or b for n, a, _, b in self._items)

    def at_one(self) -> ExpPoly:
        """The value at eps = 1, a constant."""
        parts = (ExpPoly.exp(0, t.rate + t.constant + t.inverse) * t.coefficient for t in self.terms())
        return sum(parts, ExpPoly.of(0))

    def as_term(self) -> Term | None:
        """The only term, or None if there are none or several."""
        return next(self.terms()) if len(self._items) == 1 else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ExpPoly):
            return self is other or self.canonical() == other.canonical()
        if isinstance(other, fmpq | Rational):
            return self.as_rational() == scalar(other)
        return NotImplemented

    @property
    def residue(self) -> int | None:
        """The value in a finite field, see :mod:`dipc.numbers.residues`."""
        return residue(*self.canonical())

    def __hash__(self) -> int:
        """Equal for equal functions; that of a rational number for a constant that is one."""
        if self._hash is None:
            number = self.as_rational()
            self._hash = hash((self.residue or 0) if number is None else number)
        return self._hash

    # --- arithmetic --------------------------------------------------------------------------

    def in_unit(self, unit: int) -> Items:
        """The items with exponents in units of 1/unit, a multiple of the canonical unit."""
        own, items = self._unit, self._items
        if unit % own:
            own, items = self.canonical()
            if unit % own:
                raise InternalError(f"exponents in units of 1/{own} do not fit units of 1/{unit}")
        if unit == own:
            return items
        factor = unit // own
        return {(n, a * factor, k * factor, b * factor): c for (n, a, k, b), c in items.items()}

    def _lift(self, other: ExpPoly | fmpq | int) -> ExpPoly | None:
        """A function or a number in this form; None for another kind of function."""
        if isinstance(other, ExpPoly):
            return other
        return None if isinstance(other, FunctionOfEps) else ExpPoly.of(scalar(other))

    def __add__(self, other: ExpPoly | fmpq | int) -> ExpPoly:
        right = self._lift(other)
        if right is None:
            return NotImplemented
        unit = lcm(self._unit, right._unit)
        return ExpPoly(plus(self.in_unit(unit), right.in_unit(unit)), unit)

    def __neg__(self) -> ExpPoly:
        return ExpPoly({key: -c for key, c in self._items.items()}, self._unit)

    def __sub__(self, other: ExpPoly | fmpq | int) -> ExpPoly:
        right = self._lift(other)
        return NotImplemented if right is None else self + -right

    def __mul__(self, other: ExpPoly | fmpq | int) -> ExpPoly:
        if not isinstance(other, ExpPoly):
            if isinstance(other, FunctionOfEps):
                return NotImplemented
            other = scalar(other)
            return ExpPoly({key: c * other for key, c in self._items.items()} if other else {}, self._unit)
        unit = lcm(self._unit, other._unit)
        return ExpPoly(times(self.in_unit(unit), other.in_unit(unit)), unit)

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: fmpq | int) -> ExpPoly:
        return -self + other

    def __pow__(self, exponent: int) -> ExpPoly:
        if exponent < 0:
            raise InputError("a negative power is not an exponential polynomial", hint="use a Quotient")
        return prod([self] * exponent, start=ExpPoly.of(1))

    def at_inverse(self) -> ExpPoly:
        """The function ``eps -> f(1/eps)``: powers change sign, a and b change places."""
        return ExpPoly({(-n, b, k, a): c for (n, a, k, b), c in self._items.items()}, self._unit)

    # --- values ------------------------------------------------------------------------------

    def at(self, eps: Number) -> ExpPoly:
        """The exact value at a rational point, as a sum of ``c * exp(k)`` (an ExpPoly without eps).

        At 0 it is the limit, if there is one.

        >>> (ExpPoly.exp(1) * 3 + ExpPoly.of(1, 1)).at(2)
        2 + 3*exp(2)
        >>> (ExpPoly.of(1, -1, 2) - ExpPoly.of(1, -1)).at(0)          # (exp(2*eps) - 1)/eps
        2
        """
        above, below = ratio_at(self, ExpPoly.of(1), budget(eps))
        number = below.as_rational()
        if number is None:
            raise InternalError(f"{below} is not a rational number")
        return above * (1 / number)

    def _at(self, point: fmpq) -> ExpPoly:
        """The value at a point where no term has a pole."""
        terms = ((c * point**n, a * point + k + (b / point if b else b)) for c, n, a, k, b in self.terms())
        return ExpPoly.from_terms([Term(c, 0, fmpq(0), exponent) for c, exponent in terms])

    def sign_at(self, point: fmpq) -> int:
        """The exact sign at a rational point: -1, 0 or 1.

        By Lindemann-Weierstrass a sum of ``c exp(k)`` with distinct rational k and c != 0 is not
        zero, so growing precision finds its sign: the loop ends, and no cut-off is needed.
        """
        value = self._at(point)
        signs = {1 if c > 0 else -1 for c in value._items.values()}
        precision = 64
        while len(signs) > 1:
            with ctx.workprec(precision):
                ball = value.enclose(arb(0))
                signs = {1} if ball > 0 else {-1} if ball < 0 else signs
            precision *= 2
        return signs.pop() if signs else 0

    def enclose(self, eps: arb) -> arb:
        """A ball around the values on the ball ``eps``, at the precision of the context."""
        total = arb(0)
        for c, n, a, k, b in self.terms():
            value = arb(c)
            if n:
                value *= eps**n
            if b:
                value *= (arb(a) * eps + arb(k) + arb(b) / eps).exp()
            elif a or k:
                value *= (arb(a) * eps + arb(k)).exp()
            total += value
        return total

    def derivative(self) -> ExpPoly:
        """df/d eps.

        >>> ExpPoly.of(1, 2, fmpq(1, 2)).derivative()                      # eps^2 exp(eps/2)
        2*eps*exp(1/2*eps) + 1/2*eps^2*exp(1/2*eps)
        """
        unit, items = self.canonical()
        result = {key: c * fmpq(key[1], unit) for key, c in items.items() if key[1]}
        for (n, a, k, b), c in items.items():
            if n:
                key = (n - 1, a, k, b)
                result[key] = result.get(key, fmpq(0)) + c * n
            if b:
                key = (n - 2, a, k, b)
                result[key] = result.get(key, fmpq(0)) - c * fmpq(b, unit)
        return ExpPoly({key: c for key, c in result.items() if c}, unit)

    # --- views -------------------------------------------------------------------------------

    def formula(self, notation: Notation) -> str:
        """The function in a notation, the terms in the order of the text."""
        return notation.polynomial(self.terms())

    def to_sympy(self) -> Any:
        """The function in sympy: ``exp(eps/2) - 1``."""
        return sympy_sum(self.terms())


def ratio_at(above: ExpPoly, below: ExpPoly, point: fmpq) -> tuple[ExpPoly, ExpPoly]:
    """Constants v and w, not 0, such that ``above / below`` tends to v / w at a point >= 0 (at 0 from above).

    Where both vanish, this is de l'Hopital's rule: the first derivatives that do not both vanish.  A
    function that is not zero has such a derivative everywhere, so the search ends.  At 0 powers of eps
    are cleared first, and only the largest exponents b/eps matter.
    """
    if not above:
        return ExpPoly(), ExpPoly.of(1)
    if not point:
        above, below = _ready_for_zero(above, below)
    while True:
        v, w = above._at(point), below._at(point)
        if w:
            return v, w
        if v:
            raise InputError(f"the function has no finite value at eps = {point}")
        above, below = above.derivative(), below.derivative()


def _ready_for_zero(above: ExpPoly, below: ExpPoly) -> tuple[ExpPoly, ExpPoly]:
    """Two functions without poles at 0 whose quotient has the same limit there."""
    (b, top), (b2, bottom) = _largest_inverse(above), _largest_inverse(below)
    if b > b2:
        raise InputError("the function has no finite value at eps = 0")
    if b < b2:
        return ExpPoly(), ExpPoly.of(1)
    shift = ExpPoly.of(1, -min(0, *(term.power for f in (top, bottom) for term in f.terms())))
    return top * shift, bottom * shift


def _largest_inverse(f: ExpPoly) -> tuple[fmpq, ExpPoly]:
    """The largest b, and the terms with exp(b/eps) without it."""
    largest = max(term.inverse for term in f.terms())
    kept = [term._replace(inverse=fmpq(0)) for term in f.terms() if term.inverse == largest]
    return largest, ExpPoly.from_terms(kept)


# --- sums of terms, also those of :mod:`dipc.integration.piecewise` ---------------------------


def collected(terms: Iterable[tuple[K, fmpq]]) -> dict[K, fmpq]:
    """The sum of the terms."""
    result: dict[K, fmpq] = {}
    for key, c in terms:
        old = result.get(key)
        result[key] = c if old is None else old + c
    return {key: c for key, c in result.items() if c}


def plus(left: Items, right: Items) -> Items:
    """The sum."""
    if not right:
        return left
    result = dict(left)
    for key, c in right.items():
        old = result.get(key)
        total = c if old is None else old + c
        if total:
            result[key] = total
        else:
            del result[key]
    return result


def times(left: Items, right: Items) -> Items:
    """The product: exponents add."""
    if min(len(left), len(right)) > LONG:
        return _long_product(left, right)
    result: Items = {}
    for (n, a, k, b), c in left.items():
        for (n2, a2, k2, b2), c2 in right.items():
            key = n + n2, a + a2, k + k2, b + b2
            result[key] = result[key] + c * c2 if key in result else c * c2
    return {key: c for key, c in result.items() if c}


LONG = 32  # terms, beyond which FLINT is faster


def _long_product(left: Items, right: Items) -> Items:
    """The product of polynomials with many terms."""
    ring = fmpq_mpoly_ctx.get(("eps", "z", "w", "v"), Ordering.lex)
    lows = [[min(key[i] for key in items) for i in range(4)] for items in (left, right)]
    f, g = (
        ring.from_dict(
            {tuple(e - least for e, least in zip(key, low, strict=True)): c for key, c in items.items()}
        )
        for items, low in zip((left, right), lows, strict=True)
    )
    n0, a0, k0, b0 = (sum(each) for each in zip(*lows, strict=True))
    return {
        (int(n) + n0, int(a) + a0, int(k) + k0, int(b) + b0): c
        for (n, a, k, b), c in (f * g).to_dict().items()
    }
