"""The kernel: checks a certificate of dipc, alone.

    python kernel.py CERTIFICATE [--program FILE]

One file, the standard library only, nothing of dipc: what this file accepts is proved, whoever wrote it.
It prints ``accepted: ...`` and ends with 0, or prints ``refused: STEP: REASON`` and ends with 1.  All work is
counted, so that no file takes it for ever: see ``--steps``.

**Functions.**  A function of the budget eps > 0 is a finite sum of c * eps^n * exp(a*eps + k + b/eps) with
rational c, a, k, b and integer n; here a dictionary {(n, a, k, b): c}.  Without zero coefficients it is the
zero function only if it is empty, so that equal functions are equal dictionaries.  A probability is a
quotient of two, with a denominator that is proved positive.

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

and f + h sqrt(g) >= 0, if delta has a square root, from the signs of f, h and f^2 - h^2 g, on pieces.

**A claim** (t*eps, delta) holds at eps if delta is at least the sum of the positive ones among
P(u)(o) - exp(t*eps) P(u')(o), over the outcomes o, for all neighbours u and u'.
"""

from __future__ import annotations

import argparse
import contextvars
import gzip
import hashlib
import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain as chained
from itertools import combinations, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = "dipc certificate"
VERSION = 1

MAX_STEPS = 10**8  # of one or two microseconds
MAX_BYTES = 64 * 2**20
MAX_CELLS = 1000  # of the input, or the output
MAX_PAIRS = 1_000_000
MAX_DIGITS = 4000  # of a number
MAX_POWER = 500  # of eps
MAX_TERMS = 20_000  # of a function
MAX_EXPONENT = 100_000  # of exp
MAX_BITS = 2**16  # spent on a sign
MAX_ORDER = 100  # of a derivative in Taylor's theorem
MAX_UNSURE = 12  # outcomes of unknown sign on one piece

ZERO = Fraction(0)
Key = tuple[int, Fraction, Fraction, Fraction]
Function = dict[Key, Fraction]
UNIT: Key = (0, ZERO, ZERO, ZERO)
ONE: Function = {UNIT: Fraction(1)}
Domain = tuple["Fraction | str", ...]


class Refused(Exception):
    """The certificate is refused: at which step, and why."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}")


class Meter:
    """The steps that are left."""

    def __init__(self, limit: int) -> None:
        self.limit = self.left = limit


METER: contextvars.ContextVar[Meter | None] = contextvars.ContextVar("METER", default=None)


def spend(steps: int) -> None:
    """Count work; only :func:`check` sets a limit."""
    meter = METER.get()
    if meter is not None:
        meter.left -= steps
        if meter.left < 0:
            raise Refused("work", f"more than {meter.limit} steps (option --steps)")


def weight(*numbers: Fraction) -> int:
    """The steps of arithmetic with numbers of this size: greatest common divisors take the square of it."""
    size = 0
    for x in numbers:
        size += x.numerator.bit_length() + x.denominator.bit_length()
    return 16 + (size * size >> 18)


# --- reading: nothing is believed ------------------------------------------------------------------


def unpacked(data: bytes) -> Any:
    """The JSON value of a file, which may be compressed by gzip."""
    step = "reading"
    if data[:2] == b"\x1f\x8b":
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Refused(step, f"more than {MAX_BYTES} bytes")

    def whole(digits: str) -> int:
        if len(digits) > 10:
            raise Refused(step, "an integer of more than 10 digits")
        return int(digits)

    def unexpected(word: str) -> None:
        raise Refused(step, f"the number {word[:20]} is no integer")

    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(items)) != len(items):
            raise Refused(step, "a field occurs twice")
        return dict(items)

    return json.loads(
        data.decode("utf-8"),
        parse_int=whole,
        parse_float=unexpected,
        parse_constant=unexpected,
        object_pairs_hook=unique,
    )


def record(value: Any, step: str, *fields: str) -> dict[str, Any]:
    """An object with exactly these fields."""
    if not isinstance(value, dict):
        raise Refused(step, "an object is expected")
    for name in [*(set(fields) - set(value)), *(set(value) - set(fields))]:
        raise Refused(step, f"the field '{name[:40]}' is {'missing' if name in fields else 'not known'}")
    return value


def array(value: Any, step: str) -> list[Any]:
    if not isinstance(value, list):
        raise Refused(step, "a list is expected")
    return value


def text(value: Any, step: str) -> str:
    if not isinstance(value, str):
        raise Refused(step, "a string is expected")
    return value


def flag(value: Any, step: str) -> bool:
    if not isinstance(value, bool):
        raise Refused(step, "true or false is expected")
    return value


def integer(value: Any, step: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise Refused(step, f"an integer from {low} to {high} is expected")
    return value


def rational(value: Any, step: str) -> Fraction:
    """A number in lowest terms: "3", "-1/2"."""
    written = text(value, step)
    if len(written) > MAX_DIGITS or not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", written):
        raise Refused(step, f"'{written[:40]}' is no rational number of a permitted size")
    spend(weight() + (len(written) ** 2 >> 14))
    if written.endswith("/0") or str(Fraction(written)) != written:
        raise Refused(step, f"'{written[:40]}' is not in lowest terms")
    return Fraction(written)


def name_of(value: Any, step: str) -> str:
    if not re.fullmatch(r"[^\W\d]\w{0,200}", text(value, step)):
        raise Refused(step, f"'{value[:40]}' is no name")
    return str(value)


def value_of(value: Any, step: str) -> Fraction | str:
    """The value of an input or output: a number or a name."""
    return rational(value, step) if re.match(r"[-0-9]", text(value, step)) else name_of(value, step)


def places(values: Any, domains: Sequence[Domain], step: str) -> list[int]:
    """The place of every value in its set."""
    if len(array(values, step)) != len(domains):
        raise Refused(step, "there is not one value for every cell")
    known = [value_of(value, step) for value in values]
    spend(sum(map(len, domains)))
    if any(value not in domain for value, domain in zip(known, domains, strict=True)):
        raise Refused(step, "a value is outside its set")
    return [domain.index(value) for value, domain in zip(known, domains, strict=True)]


def pair_of(value: Any, step: str) -> list[Any]:
    if len(array(value, step)) != 2:
        raise Refused(step, "a list of two is expected")
    return list(value)


def function(value: Any, step: str) -> Function:
    """A list of terms [c, n, a, k, b], zeros at the end left out, ascending in (b, k, a, n)."""
    f: Function = {}
    last: tuple[Fraction, Fraction, Fraction, int] | None = None
    if len(array(value, step)) > MAX_TERMS:
        raise Refused(step, f"more than {MAX_TERMS} terms")
    for term in value:
        if not 1 <= len(array(term, step)) <= 5:
            raise Refused(step, "a term has one to five numbers")
        n = integer(term[1], step, -MAX_POWER, MAX_POWER) if len(term) > 1 else 0
        c, a, k, b = (rational(term[i], step) if len(term) > i else ZERO for i in (0, 2, 3, 4))
        if not (c, n, a, k, b)[len(term) - 1]:
            raise Refused(step, "a term has a zero that must be left out")
        if last is not None and (b, k, a, n) <= last:
            raise Refused(step, "the terms of a function are not in order")
        last = (b, k, a, n)
        f[n, a, k, b] = c
    return f


# --- functions of eps --------------------------------------------------------------------------------


def collected(terms: Iterable[tuple[Key, Fraction]]) -> Function:
    """The sum of the terms."""
    spend(weight())
    total: Function = {}
    for key, c in terms:
        total[key] = total[key] + c if key in total else c
        spend(weight(total[key], *key[1:]))
    return {key: c for key, c in total.items() if c}


def constant(c: Fraction) -> Function:
    return {UNIT: c} if c else {}


def add(*functions: Function) -> Function:
    return collected(chained.from_iterable(f.items() for f in functions))


def multiply(f: Function, g: Function) -> Function:
    if g == ONE or f == ONE:
        return f if g == ONE else g
    if len(f) * len(g) > 100 * MAX_TERMS:
        raise Refused("arithmetic", "a product has too many terms")
    return collected(
        ((n + m, a + d, k + j, b + i), c * e)
        for (n, a, k, b), c in f.items()
        for (m, d, j, i), e in g.items()
    )


def negative(f: Function) -> Function:
    return {key: -c for key, c in f.items()}


def normals(functions: Sequence[Function]) -> list[Function]:
    """The functions divided by one positive number and one monomial eps^n exp(a*eps + k + b/eps).

    The least exponents become 0 and the coefficients integers without a common factor, so that functions that
    differ by such a positive factor become equal.
    """
    keys = [key for f in functions for key in f]
    if not keys:
        return list(functions)
    n, a, k, b = (min(key[i] for key in keys) for i in range(4))
    numbers = [c for f in functions for c in f.values()]
    spend(weight(*numbers))
    content = Fraction(math.gcd(*(c.numerator for c in numbers)), math.lcm(*(c.denominator for c in numbers)))
    return [
        collected(((int(m - n), d - a, j - k, i - b), c / content) for (m, d, j, i), c in f.items())
        for f in functions
    ]


def normal(f: Function) -> Function:
    """f divided by a positive number and a monomial: the same signs."""
    return normals([f])[0]


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


def chain_of(f: Function) -> Iterator[tuple[Fraction, Function]]:
    """The exponents a_1 <= ... <= a_m and the functions f_0, ..., f_{m-1} of the derivative chain."""
    if any(n < 0 or b for n, _, _, b in f):
        raise Refused("derivative chain", "the function has a power or an exponent of 1/eps")
    degrees: dict[Fraction, int] = {}
    for n, a, _, _ in f:
        degrees[a] = max(n, degrees.get(a, 0))
    for a in sorted(degrees):
        for _ in range(degrees[a] + 1):
            yield a, f
            f = derivative(f, a)
    if f:
        raise Refused("derivative chain", "the last function of the chain is not 0")


# --- exact signs -------------------------------------------------------------------------------------


def exp_bounds(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Two positive rationals around exp(x) that differ by about 2^-bits of their size."""
    if not -MAX_EXPONENT <= x <= MAX_EXPONENT:
        raise Refused("exp", f"an exponent is not between -{MAX_EXPONENT} and {MAX_EXPONENT}")
    spend(weight(x) + ((bits + 64) ** 2 >> 10))
    low, high = exp_of_positive(abs(x), bits)
    return (low, high) if x >= 0 else (1 / high, 1 / low)


@lru_cache(maxsize=10_000)
def exp_of_positive(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """The same for x >= 0: exp(x) = exp(x/2^h)^(2^h) with x/2^h <= 1/2, by Taylor's series.

    Every step rounds outwards to multiples of 2^-w.
    """
    halvings = max(0, math.ceil(x).bit_length() + 1)
    w = bits + 2 * halvings + 16
    low_x = (x.numerator << w) // (x.denominator << halvings)  # in units of 2^-w, as all that follows
    high_x = low_x + 1
    low_term = high_term = low = high = 1 << w
    i = 0
    while high_term > 1:
        i += 1
        low_term = (low_term * low_x >> w) // i
        high_term = (high_term * high_x >> w) // i + 1
        low += low_term
        high += high_term
    high += 2 * high_term  # the rest of the series is below 2 y^i/i!, as y <= 1/2
    for _ in range(halvings):
        low = low * low >> w
        high = (high * high >> w) + 1
    return Fraction(low, 1 << w), Fraction(high, 1 << w)


def value_at(f: Function, r: Fraction) -> dict[Fraction, Fraction]:
    """f(r) as a sum of c * exp(x): {x: c}.  At r = 0 f must have no power or exponent of 1/eps."""
    total: dict[Fraction, Fraction] = {}
    for (n, a, k, b), c in f.items():
        if r == 0 and (n < 0 or b):
            raise Refused("value", "a function with 1/eps has no value at 0")
        spend(weight(r) * (1 + n * n) + weight(a, k, b, c))
        x = a * r + k + (b / r if b else 0)
        total[x] = total.get(x, ZERO) + c * r**n
        spend(weight(total[x]))
    return {x: c for x, c in total.items() if c}


def sign_of(value: dict[Fraction, Fraction]) -> int:
    """The sign of a sum of c * exp(x) with different x and c != 0: 0 only if it is empty."""
    signs = {c > 0 for c in value.values()}
    if len(signs) < 2:
        return 0 if not signs else 1 if signs.pop() else -1
    least = min([ZERO, *value])
    bits = 64
    while bits <= MAX_BITS:
        low = high = ZERO
        for x, c in value.items():
            ends = [c * e for e in exp_bounds(x - least, bits)]
            low, high = low + min(ends), high + max(ends)
            spend(weight(low, high))
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
        spend((weight(low) + weight(high)) * (1 + n * n) + weight(a, k, b, c))
        powers = sorted((low**n, high**n))
        x = sorted((a * low, a * high))
        y = sorted((b / low, b / high)) if b else (ZERO, ZERO)
        smallest = powers[0] * exp_bounds(x[0] + k + y[0], bits)[0]
        largest = powers[1] * exp_bounds(x[1] + k + y[1], bits)[1]
        ends = sorted((c * smallest, c * largest))
        least, greatest = least + ends[0], greatest + ends[1]
        spend(weight(least, greatest))
    return least, greatest


# --- proofs that a function is not negative on an interval --------------------------------------------


class Interval(NamedTuple):
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


def prove(f: Function, on: Interval, proof: Any, step: str, strict: bool = False) -> None:
    """Check that the proof shows f >= 0 on the interval (f > 0 if strict), for f in normal form.

    The proofs speak of the open interval.  f is continuous, so that f >= 0 holds at its ends as well, and
    f > 0 there is decided by :func:`sign_at`.
    """
    kind = text(proof.get("kind") if isinstance(proof, dict) else None, step)
    if kind not in PROOFS:
        raise Refused(step, f"the proof '{kind[:40]}' is not known")
    if not f and (strict or kind != "identity"):
        raise Refused(step, "the zero function is not positive, and has the proof 'identity' only")
    if f and on.low == on.high and kind != "point":
        raise Refused(step, "at one point only the proof 'point' is expected")
    fields, rule = PROOFS[kind]
    rule(f, on, record(proof, step, "kind", *fields), step, strict)
    ends = (on.low if on.low_closed else None, on.high if on.high_closed else None)
    if strict and any(sign_at(f, end) <= 0 for end in ends if end is not None):
        raise Refused(step, "the function is not positive at an end of the interval")


def by_identity(f: Function, on: Interval, proof: dict[str, Any], step: str, strict: bool) -> None:
    if f:
        raise Refused(step, "the function is not 0")


def by_point(f: Function, on: Interval, proof: dict[str, Any], step: str, strict: bool) -> None:
    if on.low != on.high or sign_at(f, on.low) < 0:
        raise Refused(step, "the interval is more than a point, or the function is negative there")


def by_chain(f: Function, on: Interval, proof: dict[str, Any], step: str, strict: bool) -> None:
    """If all numbers were 0, f would be 0; so f > 0 on (r, inf)."""
    r = rational(proof["at"], step)
    if not 0 <= r <= on.low:
        raise Refused(step, "the chain starts inside the interval")
    values = []
    exponents = array(proof["exponents"], step)
    for i, (a, link) in enumerate(chain_of(f)):
        if exponents[i : i + 1] != [str(a)]:
            raise Refused(step, "the exponents of the chain are not those of the function")
        values.append(value_at(link, r))
        if sign_of(values[-1]) < 0:
            raise Refused(step, "a number of the chain is negative")
    if len(exponents) != len(values):
        raise Refused(step, "the exponents of the chain are not those of the function")
    if array(proof["values"], step) != [written(value) for value in values]:
        raise Refused(step, "the numbers of the chain are not those of the function")


def by_pieces(f: Function, on: Interval, proof: dict[str, Any], step: str, strict: bool) -> None:
    """Each piece proves f > 0 on the open piece; at the points between f >= 0, and is looked at if strict."""
    ends = cut(proof["points"], on, step)
    pieces = array(proof["pieces"], step)
    if len(pieces) != len(ends):
        raise Refused(step, "there is not one proof for every piece")
    for i, ((a, b), piece) in enumerate(zip(ends, pieces, strict=True)):
        here = f"{step}, piece {i}"
        if piece == "tail" and b is None and a > 0:
            check_tail(f, a, here)
        elif piece == "tail" and b is not None and a == 0:
            check_tail(inverted(f), 1 / b, here)
        elif b is not None and isinstance(piece, list):
            check_taylor(f, a, b, piece, here)
        else:
            raise Refused(here, "it is not proved by Taylor's theorem, nor a tail at an open end")
        if strict and i and sign_at(f, a) <= 0:
            raise Refused(here, "the function is not positive where it begins")


def cut(points: Any, on: Interval, step: str) -> list[tuple[Fraction, Fraction | None]]:
    """The pieces between points that go from one end of the interval to the other."""
    known = [None if p is None else rational(p, step) for p in array(points, step)]
    if len(known) < 2 or (known[0], known[-1]) != (on.low, on.high):
        raise Refused(step, "the points do not go from one end of the interval to the other")
    pieces = []
    for a, b in pairwise(known):
        if a is None or (b is not None and b <= a):
            raise Refused(step, "the points are not ascending")
        pieces.append((a, b))
    return pieces


def check_taylor(f: Function, a: Fraction, b: Fraction, piece: list[Any], step: str) -> None:
    """f > 0 inside [a, b], from g = f * (a positive term) and its derivatives at one end, r.

    For x in [a, b] there is a y in between with

        g(x) = sum_{i<j} g^(i)(r) (x-r)^i / i! + g^(j)(y) (x-r)^j / j!

    If x is to the left of r, odd derivatives must have the other sign.
    """
    if len(piece) != 3 or piece[0] not in ("low", "high"):
        raise Refused(step, "an end, an order and a term are expected")
    r, direction = (a, 1) if piece[0] == "low" else (b, -1)
    order = integer(piece[1], step, 0, MAX_ORDER)
    times = function(piece[2], step)
    if len(times) != 1 or min(times.values()) <= 0:
        raise Refused(step, "a single positive term is expected")
    g = multiply(f, times)
    for i in range(order):
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
            spend(weight(c) + weight(r) * (1 + s * s))
            rest += abs(c) / r**s * exp_bounds(max(b, ZERO) / r + k - d * r, 64)[1]
    if least <= rest * math.factorial(m):
        raise Refused(step, "the fastest term is not larger than the others")


def by_binomial(f: Function, on: Interval, proof: dict[str, Any], step: str, strict: bool) -> None:
    """exp(u) - exp(v) has the sign of u - v, and of eps*(u - v), which is a polynomial."""
    g, h = function(proof["binomial"], step), function(proof["cofactor"], step)
    if len(g) != 2 or len({n for n, *_ in g}) != 1 or sum(g.values()) != 0:
        raise Refused(step, "the binomial is no difference of two exponentials")
    if not h or normal(multiply(g, h)) != f:
        raise Refused(step, "the product is not the function")
    signs = normal(multiply(binomial_signs(g), h))
    prove(signs, on, proof["proof"], step, strict)


def binomial_signs(g: Function) -> Function:
    """The polynomial (a eps + k + b/eps) eps for every exponential, with its coefficient."""
    return collected(
        (((i, ZERO, ZERO, ZERO), c * x) for (_, a, k, b), c in g.items() for i, x in ((2, a), (1, k), (0, b)))
    )


def by_product(f: Function, on: Interval, proof: dict[str, Any], step: str, strict: bool) -> None:
    scale = rational(proof["scale"], step)
    total: Function = {UNIT: scale}
    if scale <= 0 or len(array(proof["factors"], step)) < 1:
        raise Refused(step, "a positive number and some factors are expected")
    for i, item in enumerate(proof["factors"]):
        here = f"{step}, factor {i}"
        factor = record(item, here, "function", "power", "proof")
        g = function(factor["function"], here)
        power = integer(factor["power"], here, 1, MAX_POWER)
        if not g or g != normal(g):
            raise Refused(here, "a factor is not in normal form")
        for _ in range(power):
            total = multiply(total, g)
        if factor["proof"] is not None or power % 2 or strict:
            prove(g, on, factor["proof"], here, strict)
    if total != f:
        raise Refused(step, "the product of the factors is not the function")


def by_inverse(f: Function, on: Interval, proof: dict[str, Any], step: str, strict: bool) -> None:
    low = ZERO if on.high is None else 1 / on.high
    high = 1 / on.low if on.low else None
    turned = Interval(low, high, on.high_closed, on.low_closed)
    prove(inverted(f), turned, proof["proof"], step, strict)


Rule = Callable[[Function, Interval, dict[str, Any], str, bool], None]
PROOFS: dict[str, tuple[tuple[str, ...], Rule]] = {
    "identity": ((), by_identity),
    "point": ((), by_point),
    "chain": (("at", "exponents", "values"), by_chain),
    "pieces": (("points", "pieces"), by_pieces),
    "binomial": (("binomial", "cofactor", "proof"), by_binomial),
    "product": (("scale", "factors"), by_product),
    "inverse": (("proof",), by_inverse),
}


class Rooted(NamedTuple):
    """plain + root * sqrt(g), with a function g >= 0 that is the same throughout a certificate."""

    plain: Function
    root: Function


def norm(f: Rooted, g: Function) -> Function:
    """plain^2 - root^2 g."""
    return add(multiply(f.plain, f.plain), negative(multiply(multiply(f.root, f.root), g)))


def sign_rooted(f: Rooted, g: Function, r: Fraction) -> int:
    """If both parts have one sign (or are 0) that is it, else that of the larger one."""
    plain, root = sign_at(f.plain, r), sign_at(f.root, r) * sign_at(g, r)
    return plain * sign_at(norm(f, g), r) if plain * root < 0 else plain or root


ROOTED: dict[str, Callable[[Rooted, Function], tuple[Function, Function]]] = {
    "both": lambda f, g: (f.root, f.plain),
    "plain": lambda f, g: (f.plain, norm(f, g)),
    "root": lambda f, g: (f.root, negative(norm(f, g))),
}
"""For each kind two functions: f >= 0 where the first is >= 0 and the second is, f > 0 where this is > 0."""


def prove_rooted(f: Rooted, g: Function, on: Interval, proof: Any, step: str, strict: bool = False) -> None:
    """Check that the proof shows f >= 0 on the interval (f > 0 if strict): on pieces, each with a kind."""
    if not f.root:
        return prove(normal(f.plain), on, proof, step, strict)
    if on.low == on.high:
        if proof != {"kind": "point"} or sign_rooted(f, g, on.low) < strict:
            raise Refused(step, "it is not positive, or the proof is not 'point'")
        return None
    record(proof, step, "kind", "points", "pieces")
    pieces = cut(proof["points"], on, step)
    if proof["kind"] != "rooted" or len(array(proof["pieces"], step)) != len(pieces):
        raise Refused(step, "a proof 'rooted' of all pieces is expected")
    for i, ((a, b), item) in enumerate(zip(pieces, proof["pieces"], strict=True)):
        here = f"{step}, piece {i}"
        piece = record(item, here, "by", "proofs")
        if text(piece["by"], here) not in ROOTED:
            raise Refused(here, f"it is by one of {', '.join(ROOTED)}")
        # Where pieces meet both of them count, so that a strict proof leaves no point out.
        inner = Interval(a, b, i > 0 or on.low_closed, i < len(pieces) - 1 or on.high_closed)
        first, second = ROOTED[piece["by"]](f, g)
        proofs = pair_of(piece["proofs"], here)
        prove(normal(first), inner, proofs[0], f"{here}, first")
        prove(normal(second), inner, proofs[1], f"{here}, second", strict)
    return None


def written(value: dict[Fraction, Fraction]) -> str | list[list[str]]:
    """A number {x: c} as in a certificate: a rational, or the list of all [c, x]."""
    if set(value) <= {ZERO}:
        return str(value.get(ZERO, ZERO))
    return [[str(c), str(x)] for x, c in sorted(value.items())]


# --- what a certificate speaks of ----------------------------------------------------------------------


class Ratio(NamedTuple):
    """A function of eps over a denominator, given by its place in the list of denominators."""

    numerator: Function
    denominator: int


class Surd(NamedTuple):
    """above / below, two functions with sqrt(radicand)."""

    above: Rooted
    below: Rooted
    radicand: Function


Delta = Ratio | Surd


def total(parts: Iterable[Ratio], denominators: Sequence[Function]) -> tuple[Function, Function]:
    """A sum as one quotient: the numerator, and the product of all denominators that occur."""
    sums: dict[int, Function] = {}
    for f, d in parts:
        sums[d] = add(sums[d], f) if d in sums else f
    lifted = []
    below = ONE
    for d, f in sums.items():
        for other in sums:
            if other != d:
                f = multiply(f, denominators[other])
        lifted.append(f)
        below = multiply(below, denominators[d])
    return add(*lifted), below


def sum_with(parts: Iterable[Ratio], times: int, delta: Delta, denominators: Sequence[Function]) -> Rooted:
    """The sum of the parts and times * delta, multiplied by something positive."""
    factor = constant(Fraction(times))
    if isinstance(delta, Ratio):
        more = Ratio(multiply(factor, delta.numerator), delta.denominator)
        return Rooted(total([*parts, more], denominators)[0], {})
    f, d = total(parts, denominators)
    plain, root = (
        add(multiply(f, c), multiply(multiply(factor, d), a))
        for a, c in zip(delta.above, delta.below, strict=True)
    )
    return Rooted(plain, root)


def excess(p: Iterable[Ratio], q: Iterable[Ratio], t: Fraction) -> list[Ratio]:
    """The parts of  exp(t*eps) q - p ."""
    factor: Function = {(0, t, ZERO, ZERO): Fraction(1)}
    larger = [Ratio(multiply(factor, f), d) for f, d in q]
    return [*larger, *(Ratio(negative(f), d) for f, d in p)]


class Facts:
    """Which f >= 0, f in normal form, are proved on which intervals, and which of them are of any use."""

    def __init__(self) -> None:
        self.known: dict[tuple[frozenset[tuple[Key, Fraction]], ...], list[tuple[Interval, int]]] = {}
        self.used: set[int] = set()

    def add(self, f: Rooted, on: Interval, number: int) -> None:
        self.known.setdefault(tuple(frozenset(part.items()) for part in f), []).append((on, number))

    def require(self, f: Rooted, low: Fraction, high: Fraction | None, step: str) -> None:
        """Refuse unless f >= 0 is known on (low, high), and so at both ends."""
        for on, number in self.known.get(tuple(frozenset(part.items()) for part in normals(f)), ()):
            spend(1)
            if on.low <= low and (on.high is None or (high is not None and high <= on.high)):
                self.used.add(number)
                return
        raise Refused(step, "an inequality is needed that is not among the proved ones")


def neighbours(domains: Sequence[Domain], kind: str, distance: Fraction) -> list[tuple[int, int]]:
    """The pairs of inputs within the distance, each input by its place: the last cell varies fastest."""
    found = [(0, 0, ZERO)]
    for domain in domains:
        spend(len(domain) ** 2 * (1 + len(found)) * weight())
        costs = [(i, j, cost(kind, x, y)) for i, x in enumerate(domain) for j, y in enumerate(domain)]
        larger = (
            (u * len(domain) + i, v * len(domain) + j, max(spent, more) if kind == "linf" else spent + more)
            for u, v, spent in found
            for i, j, more in costs
        )
        found = list(islice((pair for pair in larger if pair[2] <= distance), MAX_PAIRS + 1))
        if len(found) > MAX_PAIRS:
            raise Refused("adjacency", f"more than {MAX_PAIRS} pairs of inputs")
    return [(u, v) for u, v, _ in found]


def cost(kind: str, x: Fraction | str, y: Fraction | str) -> Fraction:
    """The distance of two values of one input cell."""
    if kind == "all" or x == y:
        return ZERO
    if kind == "hamming":
        return Fraction(1)
    if isinstance(x, str) or isinstance(y, str):
        raise Refused("adjacency", "names have no distance")
    return abs(x - y)


def as_read(file: bytes) -> str:
    """The text of a program file as dipc reads it.

    Only these ends of lines are alike.  To ``str.splitlines`` a form feed or U+2028 ends a line too, while
    for dipc a comment goes on there: the two texts may be two programs.
    """
    return file.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


class Certificate:
    """A certificate and its checks, in the order of :func:`check`: each refuses or goes on."""

    def __init__(self, data: Any) -> None:
        self.violated = isinstance(data, dict) and "violation" in data
        fields = (
            "format version program parameters claim inputs outputs adjacency outcomes denominators functions"
        )
        parts = "violation" if self.violated else "inequalities cases"
        self.data = record(data, "format", *fields.split(), "laws", *parts.split(), "digest")
        if data["format"] != FORMAT or type(data["version"]) is not int or data["version"] != VERSION:
            raise Refused("format", f"only '{FORMAT}' version {VERSION} is known")

    def items(self, name: str) -> list[Any]:
        return array(self.data[name], name)

    def check_program(self, file: bytes | None) -> None:
        program = record(self.data["program"], "program", "name", "text", "sha256")
        self.name, source = text(program["name"], "program"), text(program["text"], "program")
        if program["sha256"] != hashlib.sha256(source.encode("utf-8")).hexdigest():
            raise Refused("program", "the hash is not that of the text")
        if file is not None and as_read(file) != source.replace("\r\n", "\n"):
            raise Refused(
                "program", f"the given program is not the one in the certificate, {self.name[:60]!r}"
            )
        if not isinstance(self.data["parameters"], dict):
            raise Refused("parameters", "an object is expected")
        self.parameters = {
            name_of(k, "parameters"): rational(v, "parameters") for k, v in self.data["parameters"].items()
        }

    def check_claim(self) -> None:
        step = "claim"
        claim = record(self.data["claim"], step, "t", "delta", "interval")
        ends = record(claim["interval"], step, "low", "high", "low_closed", "high_closed")
        self.t = rational(claim["t"], step)
        self.on = Interval(
            rational(ends["low"], step),
            None if ends["high"] is None else rational(ends["high"], step),
            flag(ends["low_closed"], step),
            flag(ends["high_closed"], step),
        )
        low, high, low_closed, high_closed = self.on
        if low < 0 or (low == 0 and low_closed) or (high is None and high_closed):
            raise Refused(step, "the interval holds more than positive numbers")
        if high is not None and (high < low or (high == low and not (low_closed and high_closed))):
            raise Refused(step, "the interval is empty")
        if self.violated:
            violation = record(
                self.data["violation"], "violation", "input", "neighbour", "outcomes", "eps", "numbers"
            )
            self.eps = rational(violation["eps"], "violation")
            if not self.on.has(self.eps):
                raise Refused("violation", "the claim does not speak of this eps")

    def check_sets(self) -> None:
        """The sets of the inputs and outputs, cell by cell, and the outcomes."""
        self.inputs, self.outputs = self.domains("inputs"), self.domains("outputs")
        outcomes = [tuple(places(o, self.outputs, "outcomes")) for o in self.items("outcomes")]
        if not outcomes or len(set(outcomes)) != len(outcomes):
            raise Refused("outcomes", "there are none, or one occurs twice")
        self.outcomes = len(outcomes)

    def domains(self, which: str) -> list[Domain]:
        domains: list[Domain] = []
        names = set()
        for item in self.items(which):
            variable = record(item, which, "name", "size", "domain")
            names.add(name_of(variable["name"], which))
            domain = tuple(value_of(v, which) for v in array(variable["domain"], which))
            if not domain or len(set(domain)) != len(domain):
                raise Refused(which, "a set is empty or names a value twice")
            size = variable["size"]
            domains += [domain] * (1 if size is None else integer(size, which, 1, MAX_CELLS))
            if len(domains) > MAX_CELLS:
                raise Refused(which, f"more than {MAX_CELLS} cells")
        if len(names) != len(self.data[which]):
            raise Refused(which, "a name occurs twice")
        return domains

    def check_functions(self) -> None:
        """Denominators are positive, and probabilities sum to 1 for every input."""
        on = Interval(self.eps, self.eps, True, True) if self.violated else self.on
        self.denominators = [ONE]
        for i, item in enumerate(self.items("denominators"), start=1):
            step = f"denominator {i}"
            f = function(record(item, step, "function", "proof")["function"], step)
            spend(len(self.denominators))
            if f != normal(f) or f in self.denominators:
                raise Refused(step, "it is not in normal form, or occurs twice")
            prove(f, on, item["proof"], step, strict=True)
            self.denominators.append(f)
        self.functions = [self.ratio(p, f"function {i}") for i, p in enumerate(self.items("functions"))]
        delta = self.data["claim"]["delta"]
        self.delta = self.surd(delta, on) if isinstance(delta, dict) else self.ratio(delta, "claim")
        if len({(d, frozenset(f.items())) for f, d in self.functions}) != len(self.functions):
            raise Refused("functions", "a function is listed twice")
        last = len(self.functions) - 1
        self.laws = [[integer(i, "laws", 0, last) for i in array(law, "laws")] for law in self.items("laws")]
        if len(self.laws) != (2 if self.violated else math.prod(map(len, self.inputs))):
            raise Refused("laws", "there is not one law for every input")
        if any(len(law) != self.outcomes for law in self.laws):
            raise Refused("laws", "there is not one probability for every outcome")
        for law in {tuple(sorted(law)) for law in self.laws}:
            parts = [self.functions[i] for i in law]
            if total([*parts, Ratio(negative(ONE), 0)], self.denominators)[0]:
                raise Refused("laws", "the probabilities of an input do not sum to 1")
        if {i for law in self.laws for i in law} != set(range(last + 1)):
            raise Refused("functions", "a function is not used")
        listed = [*self.functions, *([self.delta] if isinstance(self.delta, Ratio) else [])]
        if {d for _, d in listed} | {0} != set(range(len(self.denominators))):
            raise Refused("denominators", "a denominator is not used")

    def ratio(self, value: Any, step: str) -> Ratio:
        numerator, denominator = pair_of(value, step)
        f = function(numerator, step)
        return Ratio(f, integer(denominator, step, 0, len(self.denominators) - 1 if f else 0))

    def surd(self, value: Any, on: Interval) -> Surd:
        """A delta with a square root: the radicand is not negative, and the denominator positive."""
        step = "claim"
        delta = record(value, step, "above", "below", "radicand", "proofs")
        g = function(delta["radicand"], step)
        above, below = (
            Rooted(*(function(f, step) for f in pair_of(delta[x], step))) for x in ("above", "below")
        )
        if not g or not (above.root or below.root):
            raise Refused(step, "delta has no square root")
        proofs = record(delta["proofs"], step, "radicand", "below")
        prove(normal(g), on, proofs["radicand"], f"{step}, radicand")
        prove_rooted(below, g, on, proofs["below"], f"{step}, below", strict=True)
        return Surd(above, below, g)

    @property
    def radicand(self) -> Function:
        return self.delta.radicand if isinstance(self.delta, Surd) else {}

    def check_adjacency(self) -> None:
        """Which pairs the claim is about."""
        step = "adjacency"
        adjacency = record(self.data[step], step, "kind", "distance", "pairs")
        self.kind = text(adjacency["kind"], step)
        if self.kind == "formula" and adjacency["distance"] is None:
            last = math.prod(map(len, self.inputs)) - 1
            listed = [pair_of(pair, step) for pair in array(adjacency["pairs"], step)]
            once = [(integer(u, step, 0, last), integer(v, step, u, last)) for u, v in listed]
            if once != sorted(set(once)):
                raise Refused(step, "the pairs are not in order")
            self.pairs = [*once, *((v, u) for u, v in once if u != v)]
        elif self.kind in ("linf", "l1", "hamming") and adjacency["pairs"] is None:
            self.distance = rational(adjacency["distance"], step)
            self.pairs = [] if self.violated else neighbours(self.inputs, self.kind, self.distance)
        elif self.kind == "all" and adjacency["distance"] is None and adjacency["pairs"] is None:
            self.distance = ZERO
            self.pairs = [] if self.violated else neighbours(self.inputs, self.kind, self.distance)
        else:
            raise Refused(step, "it is not known, or has a field that is not its own")

    # --- a proof ---

    def check_inequalities(self) -> None:
        self.facts = Facts()
        for i, item in enumerate(self.items("inequalities")):
            step = f"inequality {i}"
            inequality = record(item, step, "function", "on", "proof", *["root"] * ("root" in item))
            root = function(inequality.get("root", []), step)
            f, on = Rooted(function(inequality["function"], step), root), self.on
            if list(f) != normals(f) or bool(root) != ("root" in item):
                raise Refused(step, "the function is not in normal form")
            if root and not self.radicand:
                raise Refused(step, "delta has no square root")
            if inequality["on"] is not None:
                low, high = pair_of(inequality["on"], step)
                on = Interval(
                    rational(low, step), None if high is None else rational(high, step), False, False
                )
                if on.low < 0 or (on.high is not None and on.high <= on.low):
                    raise Refused(step, "its interval is empty, or not positive")
            prove_rooted(f, self.radicand, on, inequality["proof"], step)
            self.facts.add(f, on, i)

    def check_coverage(self) -> None:
        """Every pair of neighbours and every outcome is covered, and nothing is superfluous."""
        spend(len(self.pairs) * self.outcomes)
        compared = (zip(self.laws[u], self.laws[v], strict=True) for u, v in self.pairs)
        if isinstance(self.delta, Surd) or self.delta.numerator:
            spend(len(self.pairs) * self.outcomes * weight())
            self.check_cases({tuple(sorted(pairs)) for pairs in compared})
        elif self.items("cases"):
            raise Refused("cases", "there are none if delta is 0")
        else:
            for i, j in {pair for pairs in compared for pair in pairs}:
                f = self.slack([(i, j)])
                self.facts.require(f, self.on.low, self.on.high, f"functions {i} and {j}")
        for number in range(len(self.data["inequalities"])):
            if number not in self.facts.used:
                raise Refused(f"inequality {number}", "it is not needed, or listed twice")

    def slack(self, pairs: Iterable[tuple[int, int]]) -> Rooted:
        """exp(t*eps) Q(S) - P(S) + delta, S given by the functions of its outcomes, without denominator."""
        pairs = list(pairs)
        p, q = [self.functions[i] for i, _ in pairs], [self.functions[j] for _, j in pairs]
        return sum_with(excess(p, q, self.t), 1, self.delta, self.denominators)

    def check_cases(self, needed: set[tuple[tuple[int, int], ...]]) -> None:
        seen = set()
        for number, item in enumerate(self.items("cases")):
            step = f"case {number}"
            case = record(item, step, "functions", "points", "signs")
            last = len(self.functions) - 1
            pairs = tuple(
                (integer(i, step, 0, last), integer(j, step, 0, last))
                for i, j in (pair_of(pair, step) for pair in array(case["functions"], step))
            )
            if pairs not in needed or pairs in seen:
                raise Refused(step, "no neighbours have these functions, or it is listed twice")
            seen.add(pairs)
            points = [None if p is None else rational(p, step) for p in array(case["points"], step)]
            pieces = list(pairwise(points)) if len(points) > 1 else [(self.on.low, self.on.low)]
            if (points[:1], points[-1]) != ([self.on.low], self.on.high) or len(pieces) != len(
                array(case["signs"], step)
            ):
                raise Refused(step, "the points do not go from one end of the interval to the other")
            for (low, high), signs in zip(pieces, case["signs"], strict=True):
                if low is None or (high is not None and high <= low and len(points) > 1):
                    raise Refused(step, "the points are not ascending")
                self.check_piece(pairs, text(signs, step), low, high, step)
        if seen != needed:
            raise Refused("cases", "some neighbours are not covered")

    def check_piece(
        self, pairs: Sequence[tuple[int, ...]], signs: str, low: Fraction, high: Fraction | None, step: str
    ) -> None:
        """Whichever outcomes the sum of the positive differences is over on this piece, delta is enough."""
        if len(signs) != len(pairs) or not set(signs) <= set("+-?") or signs.count("?") > MAX_UNSURE:
            raise Refused(step, "the signs are not a string of +, - and a few ?")
        for (i, j), sign in zip(pairs, signs, strict=True):
            least = total(excess([self.functions[i]], [self.functions[j]], self.t), self.denominators)[0]
            if sign != "?" and least:
                signed = Rooted(least if sign == "-" else negative(least), {})
                self.facts.require(signed, low, high, step)
        sure = [pair for pair, sign in zip(pairs, signs, strict=True) if sign == "+"]
        unsure = [pair for pair, sign in zip(pairs, signs, strict=True) if sign == "?"]
        for more in chained.from_iterable(combinations(unsure, n) for n in range(len(unsure) + 1)):
            self.facts.require(self.slack((i, j) for i, j in [*sure, *more]), low, high, step)

    # --- a violation ---

    def check_violation(self) -> None:
        step = "violation"
        violation = self.data[step]
        u = places(violation["input"], self.inputs, step)
        v = places(violation["neighbour"], self.inputs, step)
        if not self.adjacent(u, v):
            raise Refused(step, "the two inputs are no neighbours")
        if u == v and self.laws[0] != self.laws[1]:
            raise Refused(step, "one input has two distributions")
        chosen = [integer(o, step, 0, self.outcomes - 1) for o in array(violation["outcomes"], step)]
        if not chosen or chosen != sorted(set(chosen)):
            raise Refused(step, "there are no outcomes, or they are not in order")
        p, q = ([self.functions[law[o]] for o in chosen] for law in self.laws)
        larger = excess([], q, self.t)
        losing = [*p, *(Ratio(negative(f), d) for f, d in larger)]
        if self.sign([*excess(p, q, self.t)], 1) >= 0:
            raise Refused(step, "the claim is not broken")
        parts: dict[str, tuple[list[Ratio], int]] = {
            "probability": (p, 0),
            "neighbour_probability": (q, 0),
            "bound": (larger, 1),
            "excess": (losing, -1),
        }
        numbers = record(violation["numbers"], step, *parts)
        for name, (ratios, times) in parts.items():
            digits, place = pair_of(numbers[name], step)
            low, unit = rational(digits, step), Fraction(10) ** integer(place, step, -MAX_POWER, MAX_POWER)
            if low.denominator != 1:
                raise Refused(step, f"the number '{name}' is not written as m * 10^e")
            for bound, wanted in ((low, (0, 1)), (low + 1, (-1,))):
                if self.sign([*ratios, Ratio(constant(-bound * unit), 0)], times) not in wanted:
                    raise Refused(step, f"the number '{name}' is not right")

    def sign(self, parts: list[Ratio], times: int) -> int:
        """The sign of the sum of the parts and times * delta at the eps of the violation."""
        return sign_rooted(sum_with(parts, times, self.delta, self.denominators), self.radicand, self.eps)

    def adjacent(self, u: list[int], v: list[int]) -> bool:
        if self.kind == "formula":
            return (self.place(u), self.place(v)) in self.pairs
        costs = [cost(self.kind, d[i], d[j]) for d, i, j in zip(self.inputs, u, v, strict=True)]
        return (max(costs, default=ZERO) if self.kind == "linf" else sum(costs, ZERO)) <= self.distance

    def place(self, digits: list[int]) -> int:
        """The place of an input among all, the last cell varying fastest."""
        place = 0
        for domain, digit in zip(self.inputs, digits, strict=True):
            place = place * len(domain) + digit
        return place

    def summary(self) -> list[str]:
        """What was proved, and what is trusted."""
        settings = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        about = f"program {self.name!r}" + (f" with {settings}" if settings else "")
        claim = f"({self.t}*eps, {delta_shown(self.delta, self.denominators)})-private"
        if self.violated:
            proved = f"not {claim}: violated at eps = {self.eps}"
        else:
            proved = f"{claim} for every eps in {self.on}: {len(self.pairs)} ordered pairs of neighbours, "
            proved += f"{self.outcomes} outcomes, {len(self.data['inequalities'])} inequalities"
        trusted = (
            "that the listed inputs, outputs, neighbours and distributions are those of the program text"
        )
        return [f"accepted: {about} is {proved}", f"trusted: {trusted}; everything else was recomputed"]


# --- the program -----------------------------------------------------------------------------------------


def check(data: bytes, program: bytes | None = None, steps: int = MAX_STEPS) -> Certificate:
    """Check the bytes of a certificate, and that it is about the program.  Raises :class:`Refused`."""
    outer = METER.set(Meter(steps))
    try:
        certificate = Certificate(unpacked(data))
        certificate.check_program(program)
        certificate.check_claim()
        certificate.check_sets()
        certificate.check_functions()
        certificate.check_adjacency()
        if certificate.violated:
            certificate.check_violation()
        else:
            certificate.check_inequalities()
            certificate.check_coverage()
        if certificate.data["digest"] != digest(certificate.data):
            raise Refused("digest", "the certificate is not as it was written")
        return certificate
    except Refused:
        raise
    except RecursionError:
        raise Refused("reading", "too deeply nested") from None
    except Exception as error:  # a file that is broken in a way not thought of is refused as well
        raise Refused("reading", f"{type(error).__name__}: {str(error)[:200]}") from None
    finally:
        METER.reset(outer)


def digest(data: dict[str, Any]) -> str:
    """The hash of everything else in a certificate, in a standard form: finds changes made by accident."""
    rest = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def term_shown(n: int, exponents: Sequence[Fraction], c: Fraction) -> str:
    inner = [f"{x}{unit}" for x, unit in zip(exponents, ("*eps", "", "/eps"), strict=True) if x]
    parts = ["eps" if n == 1 else f"eps^{n}"] * bool(n) + [f"exp({' + '.join(inner)})"] * bool(inner)
    return "*".join([str(c)] * (c != 1 or not parts) + parts)


def function_shown(f: Function) -> str:
    """For example "1/2*eps^2 + -3*exp(1/4*eps)"."""
    return " + ".join(term_shown(key[0], key[1:], c) for key, c in f.items()) or "0"


def delta_shown(delta: Delta, denominators: Sequence[Function]) -> str:
    """For example "exp(-2)" or "(1 + eps) / (1 + exp(eps))"."""
    if isinstance(delta, Ratio):
        above = function_shown(delta.numerator)
        return (
            f"({above}) / ({function_shown(denominators[delta.denominator])})" if delta.denominator else above
        )
    parts = [[function_shown(f) for f in rooted] for rooted in (delta.above, delta.below)]
    above, below = (f"({plain}) + ({root})*sqrt({function_shown(delta.radicand)})" for plain, root in parts)
    return above if parts[1] == ["1", "0"] else f"({above}) / ({below})"


def main(arguments: Sequence[str]) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description="Check a certificate of dipc.")
    parser.add_argument("certificate")
    parser.add_argument("--program", help="refuse unless the certificate is about the text of this file")
    parser.add_argument(
        "--steps", type=int, default=MAX_STEPS, help="refuse after so much work (%(default)s)"
    )
    given = parser.parse_args(arguments)
    try:
        program = None if given.program is None else Path(given.program).read_bytes()
        lines = check(Path(given.certificate).read_bytes(), program, given.steps).summary()
    except OSError as error:
        lines = [f"refused: reading: {error.strerror}: {error.filename}"]
    except Refused as refused:
        lines = [f"refused: {refused}"]
    print(*lines, sep="\n")
    return 0 if lines[0].startswith("accepted") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
