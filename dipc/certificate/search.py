"""Finding the proofs that :mod:`dipc.kernel.facts` checks.

The cheapest first: the derivative chain at 0 or at the least budget, also in 1/eps; then the irreducible
factors, where even powers need no proof and differences of two exponentials become polynomials; and for the
factors that are left pieces.

Pieces are found by bisection, between two tails.  An irreducible f that is not negative has no root inside
the interval, but for rational ones if there are constants exp(k), or both exp(a*eps) and exp(b/eps).  There
the interval is cut, and Taylor's theorem begins with the first derivative that is not 0.  Away from the roots
bounds get as good as one likes: that is why bisection ends.  Very small or very many pieces are given up.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

from flint import fmpq

from dipc.certificate.format import Json, fraction, terms, to_exppoly, to_function
from dipc.errors import LimitReached
from dipc.kernel import facts
from dipc.kernel.facts import ONE, ZERO, Function, Interval, Rooted
from dipc.kernel.reading import Refused
from dipc.numbers.polynomial import common_unit, factors_of, join, split
from dipc.signs.eps_range import simplest_between
from dipc.signs.limits import LEAST_WIDTH, Unsettled
from dipc.signs.roots import positive_roots
from dipc.signs.tables import decimal

MAX_PIECES = 5000
MAX_HALVINGS = 300  # of the beginning of a tail
ORDERS = 3  # tried on a piece, beyond those in which f is 0
NARROW = fmpq(1, 2**10)  # below it rational roots are guessed


class NoProof(LimitReached):
    """No proof was found of what was decided by other means."""


def proof_of(f: Function, on: Interval, strict: bool = False) -> Json:
    """A proof of f >= 0 (f > 0 if strict) on the interval, for f in normal form.  Raises :class:`NoProof`.

    >>> exp, one = {(0, Fraction(1), ZERO, ZERO): Fraction(1)}, {facts.UNIT: Fraction(-1)}
    >>> proof_of(facts.add(exp, one), Interval(ZERO, None, False, False))       # exp(eps) - 1
    {'kind': 'chain', 'at': '0'}
    """
    if not f:
        return {"kind": "identity"}
    if on.low == on.high:
        return {"kind": "point"}
    if _sign_inside(f, on) < 0:
        raise negative(on)
    return _chain(f, on) or _product(f, on, strict)


def negative(on: Interval) -> NoProof:
    return NoProof(f"no certificate: a function is negative somewhere in {on} that was found not to be")


# --- in one step ----------------------------------------------------------------------------------


def _chain(f: Function, on: Interval) -> Json | None:
    """The chain at 0 or at the least budget, in eps or in 1/eps, if one of them is a proof."""
    if not any(b for *_, b in f):
        points = (ZERO, on.low) if on.low else (ZERO,)
        return next((proof for at in points if (proof := _chain_at(f, at))), None)
    if any(a for _, a, _, _ in f):
        return None
    turned = _turned(on)
    proof = _chain(facts.inverted(f), turned)
    return proof and {"kind": "inverse", "proof": proof}


def _turned(on: Interval) -> Interval:
    """The inverse interval."""
    low = ZERO if on.high is None else 1 / on.high
    return Interval(low, 1 / on.low if on.low else None, on.high_closed, on.low_closed)


def _chain_at(f: Function, at: Fraction) -> Json | None:
    """The chain at one point, if no number of it is negative."""
    if any(facts.sign_at(link, at) < 0 for link in facts.chain_of(f)):
        return None
    return {"kind": "chain", "at": str(at)}


# --- factors ----------------------------------------------------------------------------------------


def _product(f: Function, on: Interval, strict: bool) -> Json:
    """The irreducible factors, those with odd powers (all, if strict) with a proof."""
    factors = [(g if _sign_inside(g, on) > 0 else facts.negative(g), n) for g, n in factored(f)]
    chains = [_chain(g, on) if n % 2 or strict else None for g, n in factors]
    for (g, n), proof in zip(factors, chains, strict=True):
        if (n % 2 or strict) and proof is None and _is_binomial(g):
            return _without_binomial(f, g, factors, on, strict)
    items = []
    product = ONE
    for (g, n), proof in zip(factors, chains, strict=True):
        if (n % 2 or strict) and proof is None:
            proof = _pieces(g, on, strict)
        items.append({"function": terms(g), "power": n, "proof": proof})
        product = facts.multiply(product, _power(g, n))
    key, c = next(iter(f.items()))
    scale = c / product[key]
    if scale < 0:
        raise negative(on)
    if items[0]["power"] == 1 and len(items) == 1 and scale == 1:
        return items[0]["proof"]
    return {"kind": "product", "scale": str(scale), "factors": items}


def _is_binomial(g: Function) -> bool:
    """Whether g is a difference of two exponentials."""
    return len(g) == 2 and len({n for n, *_ in g}) == 1 and sum(g.values()) == 0


def _without_binomial(
    f: Function, g: Function, factors: list[tuple[Function, int]], on: Interval, strict: bool
) -> Json:
    """exp(u) - exp(v) has the sign of the polynomial eps*(u - v)."""
    cofactor = ONE
    for h, power in factors:
        cofactor = facts.multiply(cofactor, _power(h, power - (h == g)))
    if facts.normal(facts.multiply(g, cofactor)) != f:
        cofactor = facts.negative(cofactor)
    signs = facts.normal(facts.multiply(facts.binomial_signs(g), cofactor))
    return {
        "kind": "binomial",
        "binomial": terms(g),
        "cofactor": terms(cofactor),
        "proof": proof_of(signs, on, strict),
    }


def _power(f: Function, n: int) -> Function:
    result = ONE
    for _ in range(n):
        result = facts.multiply(result, f)
    return result


def factored(f: Function) -> list[tuple[Function, int]]:
    """The irreducible factors of a function in normal form, each in normal form, with their powers."""
    g = to_exppoly(f)
    unit = common_unit(g)
    _, found = factors_of(split(g, unit).polynomial)
    return [(facts.normal(to_function(join(p, unit))), int(power)) for p, power in found]


# --- pieces -------------------------------------------------------------------------------------------


def _pieces(f: Function, on: Interval, strict: bool) -> Json:
    """Pieces from end to end, found by bisection between the tails."""
    points: list[Fraction | None] = [on.low]
    pieces: list[Json] = []
    left, right = on.low, on.high
    irregular = any(b for *_, b in f)
    if right is None:
        right = _tail(f, max(left, Fraction(1)))
    if left == 0 and irregular:
        left = min(1 / _tail(facts.inverted(f), 1 / min(right, Fraction(1))), right)
        points.append(left)
        pieces.append("tail")
    pending = [(left, right)] if left < right else []
    while pending:
        a, b = pending.pop()
        piece = _taylor(f, a, b)
        if piece is not None:
            points.append(b)
            pieces.append(piece)
        elif b - a < b * fraction(LEAST_WIDTH) or len(points) + len(pending) > MAX_PIECES:
            near = decimal(fmpq(a.numerator, a.denominator), 10)
            raise NoProof(f"no certificate: an inequality is too close to 0 at eps = {near}")
        else:
            middle = _middle(f, a, b)
            if facts.sign_at(f, middle) < strict:
                raise negative(on)
            pending += [(middle, b), (a, middle)]
    if on.high is None:
        points.append(None)
        pieces.append("tail")
    return {"kind": "pieces", "points": [p if p is None else str(p) for p in points], "pieces": pieces}


def _tail(f: Function, start: Fraction) -> Fraction:
    """A point from which on the fastest term is larger than all others."""
    for _ in range(MAX_HALVINGS):
        try:
            facts.check_tail(f, start, "")
        except Refused:
            start *= 2
        else:
            return start
    raise NoProof("no certificate: a function is positive only for very large or very small eps")


def _taylor(f: Function, a: Fraction, b: Fraction) -> Json | None:
    """A piece by Taylor's theorem, if one of a few orders will do."""
    times = _scale(f, (a + b) / 2) if a else ONE
    g = facts.multiply(f, times)
    signs: dict[str, list[int]] = {"low": [], "high": []}
    zeros = order = 0
    while order <= zeros + ORDERS:
        least, greatest = facts.bounds_on(g, a, b)
        for end, direction in (("low", 1), ("high", -1)):
            good = all(sign * direction**i >= 0 for i, sign in enumerate(signs[end]))
            if good and (least if direction**order > 0 else -greatest) > 0:
                return [end, order, terms(times)]
        signs["low"].append(facts.sign_at(g, a))
        signs["high"].append(facts.sign_at(g, b))
        order += 1
        zeros = max(order if not any(column) else 0 for column in signs.values()) or zeros
        g = facts.derivative(g)
    return None


def _scale(f: Function, x: Fraction) -> Function:
    """One over the term that is about the greatest at a point (a choice that decides nothing)."""

    def size(term: tuple[facts.Key, Fraction]) -> Fraction:
        (n, a, k, b), c = term
        return _log(abs(c)) + n * _log(x) + (a * x + k + b / x) * Fraction(13, 9)

    (n, a, k, b), _ = max(f.items(), key=size)
    return {(-n, -a, -k, -b): Fraction(1)}


def _log(x: Fraction) -> int:
    """About the logarithm to base 2."""
    return x.numerator.bit_length() - x.denominator.bit_length()


def _middle(f: Function, a: Fraction, b: Fraction) -> Fraction:
    """A point between: a rational root, or the middle, or the geometric mean of ends of different size."""
    if b - a < fraction(NARROW):
        guess = fraction(simplest_between(*(fmpq(x.numerator, x.denominator) for x in (a, b))))
        if a < guess < b and facts.sign_at(f, guess) == 0:
            return guess
    if a and b > 4 * a:
        return a * (1 << (math.floor(b / a).bit_length() // 2))
    return (a + b) / 2


def _sign_inside(f: Function, on: Interval) -> int:
    """The sign at a point inside at which f, not the zero function, is not 0."""
    point, sign = inside(on), 0
    while not sign:
        sign = facts.sign_at(f, point)
        point = (on.low + point) / 2
    return sign


def inside(on: Interval) -> Fraction:
    """A point inside."""
    return on.low + 1 if on.high is None else (on.low + on.high) / 2


# --- with a square root -------------------------------------------------------------------------------


def rooted_proof(f: Rooted, g: Function, on: Interval, strict: bool = False) -> Json:
    """A proof of f >= 0 (f > 0 if strict) on the interval, for f with sqrt(g), g >= 0.

    A piece holds at most one root of the functions that matter, so that one of the kinds proves it: next to a
    root of one part the other one is larger; if the norm has a root but f has none, both parts are positive.
    """
    if not f.root:
        return proof_of(facts.normal(f.plain), on, strict)
    if on.low == on.high:
        return {"kind": "point"}
    whole = _rooted_piece(f, g, on, strict)
    if whole is not None:
        ends = [str(on.low), None if on.high is None else str(on.high)]
        return {"kind": "rooted", "points": ends, "pieces": [whole]}
    points = [on.low, *_separators(f, g, on), on.high]
    pieces = []
    for i, (a, b) in enumerate(pairwise(points)):
        assert a is not None
        inner = Interval(a, b, i > 0 or on.low_closed, i < len(points) - 2 or on.high_closed)
        piece = _rooted_piece(f, g, inner, strict)
        if piece is None:
            raise NoProof(
                f"no certificate: no proof was found of an inequality with a square root in {inner}"
            )
        pieces.append(piece)
    return {"kind": "rooted", "points": [p if p is None else str(p) for p in points], "pieces": pieces}


def _rooted_piece(f: Rooted, g: Function, on: Interval, strict: bool) -> Json | None:
    samples = [inside(on), *(p for p in (on.low, on.high) if p)]
    for kind, parts in facts.ROOTED.items():
        first, second = map(facts.normal, parts(f, g))
        if any(facts.sign_at(h, p) < 0 for h in (first, second) for p in samples) or (strict and not second):
            continue
        try:
            return {"by": kind, "proofs": [proof_of(first, on), proof_of(second, on, strict)]}
        except NoProof:
            pass
    return None


def _separators(f: Rooted, g: Function, on: Interval) -> list[Fraction]:
    """Points inside between the roots of both parts and of the norm, and rational roots."""
    product = ONE
    for part in (f.plain, f.root, facts.norm(f, g)):
        product = facts.multiply(product, part or ONE)
    low, high = (None if x is None else fmpq(x.numerator, x.denominator) for x in (on.low, on.high))
    assert low is not None
    try:
        roots = positive_roots(to_exppoly(product), low, high)
    except Unsettled as doubt:
        raise NoProof(
            f"no certificate: roots in [{doubt.low}, {doubt.high}] could not be told apart"
        ) from None
    points = {fraction(root.low) for root in roots if root.is_rational}
    for left, right in pairwise(roots):
        if not left.is_rational and not right.is_rational:
            points.add(fraction(simplest_between(left.high, right.low)))
    return sorted(points)
