"""The logical core of the kernel: functions of eps, exact signs, and proofs of f >= 0.  It knows no privacy.

**Functions.**  A function of eps > 0 is a finite sum of c * eps^n * exp(a*eps + k + b/eps) with rational
c, a, k, b and integer n; here a dictionary {(n, a, k, b): c}.  Without zero coefficients it is the zero
function only if it is empty, so equal functions are equal dictionaries.  A *scaled* function is the same in
integers: multiplied by a positive integer, with exponents a, k, b in multiples of 1/unit.

**Signs at a rational point** are decided exactly.  The value is a sum of c * exp(x) with different rational
x; by the theorem of Lindemann and Weierstrass it is 0 only if it is empty.  Otherwise bounds of exp (Taylor's
series with its remainder, in integers) are refined until they show the sign.

**f >= 0 on an interval** comes with one of these proofs (why they are right: docs/certificates.md):

    identity   f is 0
    point      the interval is one point, where the sign is decided
    chain      f_0 = f, f_k = f_{k-1}' - a_k f_{k-1}, over the exponents a_1 <= ... <= a_m of f, each as
               often as its polynomial has coefficients (then f_m = 0).  All f_k(r) >= 0 implies f >= 0 on
               [r, inf), for
               f_{k-1}(x) = exp(a_k (x-r)) * (f_{k-1}(r) + int_r^x exp(-a_k (s-r)) f_k(s) ds)
    pieces     points from end to end.  On a piece [a, b] Taylor's theorem, for f times a positive term: at
               one end the derivatives below some order have the right signs, and on all of [a, b] bounds of
               the derivative of this order.  On a piece to infinity, or from 0, the fastest term is larger
               than the sum of all others
    binomial   f = (exp(u) - exp(v)) h has the signs of (u - v) h
    product    f is a positive number times powers of functions; odd powers have proofs of their own
    inverse    a proof for f(1/eps) on the inverse interval
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain as chained
from itertools import pairwise
from typing import Any, Literal, TypeVar, assert_never

from .exponential import MAX_EXPONENT, exp_bounds
from .reading import Refused, integer, require

MAX_POWER = 500  # of eps
MAX_TERMS = 20_000  # of a function
MAX_BITS = 2**16  # spent on a sign
MAX_ORDER = 100  # of a derivative in Taylor's theorem
MAX_SCALE_BITS = 2**17  # of the common denominator of coefficients
MAX_UNIT_BITS = 2**14  # of the common denominator of exponents

ZERO = Fraction(0)
Key = tuple[int, Fraction, Fraction, Fraction]
Function = dict[Key, Fraction]
UNIT: Key = (0, ZERO, ZERO, ZERO)
ONE: Function = {UNIT: Fraction(1)}
Scaled = dict[tuple[int, int, int, int], int]
Term = (
    tuple[Fraction]
    | tuple[Fraction, int]
    | tuple[Fraction, int, Fraction]
    | tuple[Fraction, int, Fraction, Fraction]
    | tuple[Fraction, int, Fraction, Fraction, Fraction]
)
Terms = list[Term]  # a function as it is listed
K = TypeVar("K")
N = TypeVar("N", int, Fraction)


def function(terms: Terms, step: str) -> Function:
    """The listed function: its terms [c, n, a, k, b], zeros at the end left out, ascend in (b, k, a, n)."""
    require(len(terms) <= MAX_TERMS, step, f"more than {MAX_TERMS} terms")
    found: Function = {}
    last: tuple[Fraction, Fraction, Fraction, int] | None = None
    for term in terms:
        zeros: tuple[Any, ...] = (ZERO, 0, ZERO, ZERO, ZERO)
        c, n, a, k, b = tuple[Any, ...](term) + zeros[len(term) :]
        require(term[-1], step, "a term has a zero that must be left out")
        integer(n, step, -MAX_POWER, MAX_POWER)
        require(last is None or last < (b, k, a, n), step, "the terms of a function are not in order")
        last = b, k, a, n
        found[n, a, k, b] = c
    return found


# --- functions of eps --------------------------------------------------------------------------------


def collected(terms: Iterable[tuple[K, N]]) -> dict[K, N]:
    """The sum of the terms."""
    total: dict[K, N] = {}
    for key, c in terms:
        total[key] = total[key] + c if key in total else c
    return total if all(total.values()) else {key: c for key, c in total.items() if c}


def add(*functions: Function) -> Function:
    return collected(chained.from_iterable(f.items() for f in functions))


def multiply(
    f: dict[tuple[int, N, N, N], N], g: dict[tuple[int, N, N, N], N]
) -> dict[tuple[int, N, N, N], N]:
    """The product of two functions, or of two scaled ones."""
    if g == ONE or f == ONE:
        return f if g == ONE else g
    if len(f) * len(g) > 100 * MAX_TERMS:
        raise Refused("arithmetic", "a product has too many terms")
    return collected(
        ((n + m, a + d, k + j, b + i), c * e)
        for (n, a, k, b), c in f.items()
        for (m, d, j, i), e in g.items()
    )


def negative(f: dict[K, N]) -> dict[K, N]:
    return {key: -c for key, c in f.items()}


def normal(f: Function) -> Function:
    """f divided by a positive number and a monomial: the same signs; see :func:`reduced`."""
    unit, (whole,) = scaled_together(f)
    return unscaled(reduced(whole), unit)


def inverted(f: Function) -> Function:
    """The function f(1/eps), in normal form."""
    return normal({(-n, b, k, a): c for (n, a, k, b), c in f.items()})


def derivative(f: Function, s: Fraction = ZERO) -> Function:
    """f' - s f."""
    return collected(
        chained(
            (((n, a, k, b), c * (a - s)) for (n, a, k, b), c in f.items()),
            (((n - 1, a, k, b), c * n) for (n, a, k, b), c in f.items()),
            (((n - 2, a, k, b), -c * b) for (n, a, k, b), c in f.items()),
        )
    )


def chain_of(f: Function) -> Iterator[Function]:
    """The functions f_0, ..., f_{m-1} of the derivative chain."""
    if any(n < 0 or b for n, _, _, b in f):
        raise Refused("derivative chain", "the function has a power or an exponent of 1/eps")
    degrees: dict[Fraction, int] = {}
    for n, a, _, _ in f:
        degrees[a] = max(n, degrees.get(a, 0))
    for a in sorted(degrees):
        for _ in range(degrees[a] + 1):
            yield f
            f = derivative(f, a)
    if f:
        raise Refused("derivative chain", "the last function of the chain is not 0")


def exponent_shown(exponents: Sequence[Fraction]) -> str:
    return " + ".join(f"{x}{unit}" for x, unit in zip(exponents, ("*eps", "", "/eps"), strict=True) if x)


def term_shown(n: int, exponents: Sequence[Fraction], c: Fraction) -> str:
    inner = exponent_shown(exponents)
    parts = ["eps" if n == 1 else f"eps^{n}"] * bool(n) + [f"exp({inner})"] * bool(inner)
    return "*".join([str(c)] * (c != 1 or not parts) + parts)


def function_shown(f: Function) -> str:
    """For example "1/2*eps^2 + -3*exp(1/4*eps)"."""
    return " + ".join(term_shown(key[0], key[1:], c) for key, c in f.items()) or "0"


# --- scaled functions: the same in integers ------------------------------------------------------------


def common_denominator(numbers: Iterable[Fraction], limit: int, step: str) -> int:
    """The least positive integer whose products with all numbers are integers."""
    least = 1
    for x in numbers:
        if least % x.denominator:
            least = math.lcm(least, x.denominator)
            if least.bit_length() > limit:
                raise Refused(step, "their common denominator is too large")
    return least


def unit_of(*functions: Function) -> int:
    """The least unit for which all exponents are multiples of 1/unit."""
    exponents = chained.from_iterable(key[1:] for f in functions for key in f)
    return common_denominator(exponents, MAX_UNIT_BITS, "exponents")


def scale_of(*functions: Function) -> int:
    """The least positive integer that makes all coefficients integers."""
    coefficients = chained.from_iterable(f.values() for f in functions)
    return common_denominator(coefficients, MAX_SCALE_BITS, "coefficients")


def scaled(f: Function, unit: int, scale: int) -> Scaled:
    """f times a positive integer that makes all coefficients integers."""
    return {(n, int(a * unit), int(k * unit), int(b * unit)): int(c * scale) for (n, a, k, b), c in f.items()}


def scaled_together(*functions: Function) -> tuple[int, list[Scaled]]:
    """A unit, and the functions times one positive integer."""
    unit, scale = unit_of(*functions), scale_of(*functions)
    return unit, [scaled(f, unit, scale) for f in functions]


def unscaled(f: Scaled, unit: int) -> Function:
    """The same function with rational exponents."""
    known = {x: Fraction(x, unit) for key in f for x in key[1:]}
    return {(n, known[a], known[k], known[b]): Fraction(c) for (n, a, k, b), c in f.items()}


def combined(parts: Iterable[tuple[int, Scaled]]) -> Scaled:
    """The sum of integers times functions."""
    return collected((key, factor * c) for factor, f in parts for key, c in f.items())


def reduced(f: Scaled) -> Scaled:
    """The function divided by a positive number and a monomial eps^n exp(a*eps + k + b/eps).

    The least exponents become 0 and the coefficients integers without a common factor, so that functions that
    differ by such a positive factor become equal.
    """
    if not f:
        return f
    content = math.gcd(*f.values())
    n, a, k, b = map(min, zip(*f, strict=True))
    return {(m - n, d - a, j - k, i - b): c // content for (m, d, j, i), c in f.items()}


def is_regular(f: Function | Scaled) -> bool:
    """Whether f has neither constants exp(k) nor powers or exponents of 1/eps."""
    return not any(n < 0 or k or b for n, _, k, b in f)


def chain_holds(f: Scaled, unit: int) -> bool:
    """Whether no number of the derivative chain at 0 is negative, for a regular f.

    With eps = unit * x the exponents are integers: f is a sum of polynomials p_a(x) times exp(a x), and one
    step of the chain turns p_a into p_a' + (a - a_k) p_a.  The number is the sum of all p_a(0).
    """
    columns: dict[int, dict[int, int]] = {}
    for (n, a, _, _), c in f.items():
        columns.setdefault(a, {})[n] = c * unit**n
    polynomials = [
        (a, [column.get(n, 0) for n in range(max(column) + 1)]) for a, column in sorted(columns.items())
    ]
    while polynomials:
        first, p = polynomials[0]
        for _ in p:
            if sum(q[0] for _, q in polynomials) < 0:
                return False
            polynomials = [(a, _step(q, a - first)) for a, q in polynomials]
        del polynomials[0]
    return True


def _step(p: list[int], rate: int) -> list[int]:
    """p' + rate * p; p' keeps the length of p."""
    if len(p) == 1:
        return [rate * p[0]]
    return [(i + 1) * above + rate * c for i, (c, above) in enumerate(zip(p, [*p[1:], 0], strict=True))]


# --- exact signs -------------------------------------------------------------------------------------


def value_at(f: Function, r: Fraction) -> dict[Fraction, Fraction]:
    """f(r) as a sum of c * exp(x): {x: c}.  At r = 0 f must have no power or exponent of 1/eps."""
    if r == 0 and any(n < 0 or b for n, _, _, b in f):
        raise Refused("value", "a function with 1/eps has no value at 0")
    return collected((a * r + k + (b / r if b else 0), c * r**n) for (n, a, k, b), c in f.items())


def sign_of(value: dict[Fraction, Fraction]) -> int:
    """The sign of a sum of c * exp(x) with different x and c != 0: 0 only if it is empty."""
    signs = {c > 0 for c in value.values()}
    if len(signs) < 2:
        return 0 if not signs else 1 if signs.pop() else -1
    lowest, top = min([ZERO, *value]), max(value)
    bits = 64
    while bits <= MAX_BITS:
        # Divided by exp(least): what is smaller than that is then between 0 and 1.
        least = lowest if top - lowest <= MAX_EXPONENT else top - min(MAX_EXPONENT, 16 * bits)
        low = high = ZERO
        for x, c in value.items():
            ends = [c * e for e in (exp_bounds(x - least, bits) if x >= least else (ZERO, Fraction(1)))]
            low, high = low + min(ends), high + max(ends)
        if low > 0 or high < 0:
            return 1 if low > 0 else -1
        bits *= 2
    raise Refused("sign", f"a sign is not settled by {MAX_BITS} bits")


def sign_at(f: Function, r: Fraction) -> int:
    return sign_of(value_at(f, r))


def bounds_on(f: Function, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Two rationals around all values on [low, high]: each term by itself, each of its factors at its ends.

    At low = 0 f must have no power or exponent of 1/eps.
    """
    bits = 64 + 2 * math.ceil(1 / (high - low)).bit_length()
    least = greatest = ZERO
    for (n, a, k, b), c in f.items():
        if low == 0 and (n < 0 or b):
            raise Refused("value", "a function with 1/eps has no bounds at 0")
        powers = sorted((low**n, high**n))
        x = sorted((a * low, a * high))
        y = sorted((b / low, b / high)) if b else (ZERO, ZERO)
        smallest = powers[0] * exp_bounds(x[0] + k + y[0], bits)[0]
        largest = powers[1] * exp_bounds(x[1] + k + y[1], bits)[1]
        ends = sorted((c * smallest, c * largest))
        least, greatest = least + ends[0], greatest + ends[1]
    return least, greatest


# --- proofs that a function is not negative on an interval --------------------------------------------


@dataclass(frozen=True)
class Interval:
    """``high`` None is infinity."""

    low: Fraction
    high: Fraction | None
    low_closed: bool
    high_closed: bool

    def has(self, eps: Fraction) -> bool:
        above = eps > self.low or (self.low_closed and eps == self.low)
        return above and (self.high is None or eps < self.high or (self.high_closed and eps == self.high))

    def __str__(self) -> str:
        high = "inf" if self.high is None else self.high
        return f"{'[' if self.low_closed else '('}{self.low}, {high}{']' if self.high_closed else ')'}"


@dataclass(frozen=True)
class Plain:
    """The function is 0, or the interval is a point."""

    kind: Literal["identity", "point"]


@dataclass(frozen=True)
class Chain:
    """A derivative chain from a point on."""

    kind: Literal["chain"]
    at: Fraction


Taylor = tuple[Literal["low", "high"], int, Terms]  # the end, the order of the derivative, the term


@dataclass(frozen=True)
class Pieces:
    """A proof for each piece between two points; None is infinity."""

    kind: Literal["pieces"]
    points: list[Fraction | None]
    pieces: list[Taylor | Literal["tail"]]


@dataclass(frozen=True)
class Binomial:
    """A difference of two exponentials times another function."""

    kind: Literal["binomial"]
    binomial: Terms
    cofactor: Terms
    proof: Proof


@dataclass(frozen=True)
class Factor:
    """A factor with its power; without a proof the power is even."""

    function: Terms
    power: int
    proof: Proof | None


@dataclass(frozen=True)
class Product:
    """A positive number times powers of functions."""

    kind: Literal["product"]
    scale: Fraction
    factors: list[Factor]


@dataclass(frozen=True)
class Inverse:
    """A proof about 1/eps."""

    kind: Literal["inverse"]
    proof: Proof


Proof = Plain | Chain | Pieces | Binomial | Product | Inverse


def prove(f: Function, on: Interval, proof: Proof, step: str, strict: bool = False) -> None:
    """Check that the proof shows f >= 0 on the interval (f > 0 if strict), for f in normal form.

    The proofs speak of the open interval.  f is continuous, so that f >= 0 holds at its ends as well, and
    f > 0 there is decided by :func:`sign_at`.
    """
    zero = not strict and proof.kind == "identity"
    require(f or zero, step, "the zero function is not positive, and has the proof 'identity' only")
    single = on.low == on.high
    require(not (f and single) or proof.kind == "point", step, "at one point only 'point' is expected")
    match proof:
        case Plain("identity"):
            require(not f, step, "the function is not 0")
        case Plain():
            right = single and sign_at(f, on.low) >= 0
            require(right, step, "the interval is more than a point, or the function is negative there")
        case Chain():
            check_chain(f, on, proof.at, step)
        case Pieces():
            check_pieces(f, on, proof, step, strict)
        case Binomial():
            check_binomial(f, on, proof, step, strict)
        case Product():
            check_product(f, on, proof, step, strict)
        case Inverse():
            low, high = ZERO if on.high is None else 1 / on.high, 1 / on.low if on.low else None
            turned = Interval(low, high, on.high_closed, on.low_closed)
            prove(inverted(f), turned, proof.proof, step, strict)
        case _:
            assert_never(proof)
    ends = (on.low if on.low_closed else None, on.high if on.high_closed else None)
    if strict and any(sign_at(f, end) <= 0 for end in ends if end is not None):
        raise Refused(step, "the function is not positive at an end of the interval")


def check_chain(f: Function, on: Interval, r: Fraction, step: str) -> None:
    """If all numbers were 0, f would be 0; so f > 0 on (r, inf)."""
    require(0 <= r <= on.low, step, "the chain starts inside the interval")
    if r == 0 and is_regular(f):
        unit, (whole,) = scaled_together(f)
        holds = chain_holds(whole, unit)
    else:
        holds = all(sign_at(link, r) >= 0 for link in chain_of(f))
    require(holds, step, "a number of the chain is negative")


def check_pieces(f: Function, on: Interval, proof: Pieces, step: str, strict: bool) -> None:
    """Each piece proves f > 0 on the open piece; at the points between f >= 0, and is looked at if strict."""
    ends = cut(proof.points, on, step)
    require(len(proof.pieces) == len(ends), step, "there is not one proof for every piece")
    for i, ((a, b), piece) in enumerate(zip(ends, proof.pieces, strict=True)):
        here = f"{step}, piece {i}"
        if piece == "tail" and b is None and a > 0:
            check_tail(f, a, here)
        elif piece == "tail" and b is not None and a == 0:
            check_tail(inverted(f), 1 / b, here)
        elif b is not None and piece != "tail":
            check_taylor(f, a, b, piece, here)
        else:
            raise Refused(here, "it is not proved by Taylor's theorem, nor a tail at an open end")
        if strict and i and sign_at(f, a) <= 0:
            raise Refused(here, "the function is not positive where it begins")


def cut(points: Sequence[Fraction | None], on: Interval, step: str) -> list[tuple[Fraction, Fraction | None]]:
    """The pieces between points that go from one end of the interval to the other."""
    whole = len(points) > 1 and (points[0], points[-1]) == (on.low, on.high)
    require(whole, step, "the points do not go from one end of the interval to the other")
    pieces = []
    for a, b in pairwise(points):
        if a is None or (b is not None and b <= a):
            raise Refused(step, "the points are not ascending")
        pieces.append((a, b))
    return pieces


def check_taylor(f: Function, a: Fraction, b: Fraction, piece: Taylor, step: str) -> None:
    """f > 0 inside [a, b], from g = f * (a positive term) and its derivatives at one end, r.

    For x in [a, b] there is a y in between with

        g(x) = sum_{i<j} g^(i)(r) (x-r)^i / i! + g^(j)(y) (x-r)^j / j!

    If x is to the left of r, odd derivatives must have the other sign.
    """
    end, order, terms = piece
    r, direction = (a, 1) if end == "low" else (b, -1)
    times = function(terms, step)
    require(len(times) == 1 and min(times.values()) > 0, step, "a single positive term is expected")
    g = multiply(f, times)
    for i in range(integer(order, step, 0, MAX_ORDER)):
        if sign_at(g, r) * direction**i < 0:
            raise Refused(step, f"derivative {i} has the wrong sign at {r}")
        g = derivative(g)
    low, high = bounds_on(g, a, b)
    if (low if direction**order > 0 else -high) <= 0:
        raise Refused(step, f"derivative {order} has perhaps the wrong sign somewhere in [{a}, {b}]")


def check_tail(f: Function, r: Fraction, step: str) -> None:
    """f > 0 on [r, inf): with x = 1/eps in (0, R], R = 1/r, and the greatest a and then n, f is

        eps^n exp(a eps) * ( q(x) + the sum of all c x^(n-n_i) exp(k_i + b_i x - d_i/x) ),  d_i = a - a_i > 0.

    If x = 0 is a zero of q of order m then q(x) >= x^m min q^(m) / m!  The terms over x^m increase in x.
    """
    a = max(key[1] for key in f)
    n = max(key[0] for key in f if key[1] == a)
    q: Function = {(n - m, b, k, ZERO): c for (m, d, k, b), c in f.items() if d == a}
    m = 0
    while sign_at(q, ZERO) == 0:
        q, m = derivative(q), m + 1
    least = bounds_on(q, ZERO, 1 / r)[0]
    rest = ZERO
    for (power, rate, k, b), c in f.items():
        s, d = n - m - power, a - rate
        if d:
            if s < 0 and d < -s / r:
                raise Refused(step, "a term does not fall from here on")
            rest += abs(c) / r**s * exp_bounds(max(b, ZERO) / r + k - d * r, 64)[1]
    if least <= rest * math.factorial(m):
        raise Refused(step, "the fastest term is not larger than the others")


def check_binomial(f: Function, on: Interval, proof: Binomial, step: str, strict: bool) -> None:
    """exp(u) - exp(v) has the sign of u - v, and of eps*(u - v), which is a polynomial."""
    g, h = function(proof.binomial, step), function(proof.cofactor, step)
    two = len(g) == 2 and len({n for n, *_ in g}) == 1 and sum(g.values()) == 0
    require(two, step, "the binomial is not a difference of two exponentials")
    require(h and normal(multiply(g, h)) == f, step, "the product is not the function")
    prove(normal(multiply(binomial_signs(g), h)), on, proof.proof, step, strict)


def binomial_signs(g: Function) -> Function:
    """The polynomial (a eps + k + b/eps) eps for every exponential, with its coefficient."""
    return collected(
        (((i, ZERO, ZERO, ZERO), c * x) for (_, a, k, b), c in g.items() for i, x in ((2, a), (1, k), (0, b)))
    )


def check_product(f: Function, on: Interval, proof: Product, step: str, strict: bool) -> None:
    """All factors are >= 0, or have an even power."""
    some = proof.scale > 0 and proof.factors
    require(some, step, "a positive number and some factors are expected")
    total: Function = {UNIT: proof.scale}
    for i, factor in enumerate(proof.factors):
        here = f"{step}, factor {i}"
        g = function(factor.function, here)
        require(g and g == normal(g), here, "a factor is not in normal form")
        for _ in range(integer(factor.power, here, 1, MAX_POWER)):
            total = multiply(total, g)
        if factor.proof is not None:
            prove(g, on, factor.proof, here, strict)
        elif factor.power % 2 or strict:
            raise Refused(here, "a factor has no proof")
    require(total == f, step, "the product of the factors is not the function")


# --- facts ---------------------------------------------------------------------------------------------

CHAIN_AT_0 = Chain("chain", ZERO)


class Facts:
    """Which f >= 0 are proved on which intervals, and which of them are of any use.

    All functions are scaled with one unit.
    """

    def __init__(self, unit: int) -> None:
        self.unit = unit
        self.known: dict[frozenset[object], list[tuple[Interval, int]]] = {}
        self.used: set[int] = set()
        self.count = 0

    def prove(self, f: Scaled, on: Interval, proof: Proof, step: str) -> int:
        """Check the proof of f >= 0 on the interval; the number of the new fact."""
        f = reduced(f)
        known = self.known.setdefault(frozenset(f.items()), [])
        new = all((on.low, on.high) != (other.low, other.high) for other, _ in known)
        require(new, step, "it is listed twice")
        if proof == CHAIN_AT_0 and f and is_regular(f) and on.low != on.high:
            require(chain_holds(f, self.unit), step, "a number of the chain is negative")
        else:
            prove(unscaled(f, self.unit), on, proof, step)
        known.append((on, self.count))
        self.count += 1
        return self.count - 1

    def require(self, f: Scaled, low: Fraction, high: Fraction | None, step: str) -> None:
        """Refuse unless f >= 0 is known on (low, high), and so at both ends."""
        for on, number in self.known.get(frozenset(reduced(f).items()), ()):
            if on.low <= low and (on.high is None or (high is not None and high <= on.high)):
                self.used.add(number)
                return
        raise Refused(step, "an inequality is needed that is not among the proved ones")
