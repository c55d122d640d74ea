"""Finding the proofs that :mod:`dipc.certificate.kernel` checks.

The cheapest first: the derivative chain at 0, the chain at the least budget, counting roots from end to end,
and for the rest the irreducible factors, each with a chain or a *cover*: points between which V does not
change, or bounds exclude a root.

A cover is found by bisection.  An irreducible f without constants exp(k) has simple roots only, and none
inside the interval; so V(a) - V(b) > 0 on a small interval comes from a root of a later function of the
chain, where f is not 0 and tight bounds show it.  That is why bisection ends; with constants it is given up
after some thousand pieces, and there is no certificate.
"""

from __future__ import annotations

from fractions import Fraction

from dipc.certificate import kernel
from dipc.certificate.format import Json, terms, to_exppoly, to_function
from dipc.certificate.kernel import ONE, ZERO, Function, Interval
from dipc.errors import LimitReached
from dipc.probability.polynomial import common_unit, join, split

MAX_PIECES = 5000


class NoProof(LimitReached):
    """No proof was found of what was decided by other means."""


def proof_of(f: Function, on: Interval, strict: bool = False) -> Json:
    """A proof of f >= 0 (f > 0 if strict) on the interval, for f in normal form.  Raises :class:`NoProof`.

    >>> exp, one = {(0, Fraction(1), ZERO, ZERO): Fraction(1)}, {kernel.UNIT: Fraction(-1)}
    >>> proof_of(kernel.add(exp, one), Interval(ZERO, None, False, False))       # exp(eps) - 1
    {'kind': 'chain', 'at': '0', 'exponents': ['0', '1'], 'values': ['0', '1']}
    """
    if not f:
        return {"kind": "identity"}
    if on.low == on.high:
        return {"kind": "point"}
    if any(b for _, _, _, b in f):
        if any(a for _, a, _, _ in f):
            return _enclosed(f, on)
        low = ZERO if on.high is None else 1 / on.high
        turned = Interval(low, 1 / on.low if on.low else None, on.high_closed, on.low_closed)
        return {"kind": "inverse", "proof": proof_of(kernel.inverted(f), turned, strict)}
    return _chain(f, on) or _counted(f, on) or _product(f, on, strict)


def _chain(f: Function, on: Interval) -> Json | None:
    """The chain at 0 or at the least budget, if one of them is a proof."""
    exponents, links = kernel.derivatives(f)
    for at in (ZERO, on.low) if on.low else (ZERO,):
        values = [kernel.value_at(link, at) for link in links]
        if all(kernel.sign_of(value) >= 0 for value in values):
            return {
                "kind": "chain",
                "at": str(at),
                "exponents": [str(a) for a in exponents],
                "values": [kernel.written(value) for value in values],
            }
    return None


def _counted(f: Function, on: Interval) -> Json | None:
    """A cover in one piece, if V does not change from end to end."""
    links = kernel.derivatives(f)[1]
    after = 0 if on.high is None else kernel.variations(links, on.high)
    if kernel.variations(links, on.low) != after or kernel.sign_at(f, _sample(on)) <= 0:
        return None
    high = None if on.high is None else str(on.high)
    return {"kind": "cover", "points": [str(on.low), high], "by": ["variations"]}


def _product(f: Function, on: Interval, strict: bool) -> Json:
    """The irreducible factors, those with odd powers (all, if strict) with a proof."""
    factors = factored(f)
    sample = _sample(on)
    scale = Fraction(1)
    items = []
    for g, power in factors:
        if kernel.sign_at(g, sample) < 0:
            g = kernel.negative(g)
        proof = None
        if power % 2 or strict:
            proof = _chain(g, on) or _cover(g, on)
        items.append({"function": terms(g), "power": power, "proof": proof})
    total = ONE
    for (g, power), item in zip(factors, items, strict=True):
        g = kernel.function(item["function"], "")
        for _ in range(power):
            total = kernel.multiply(total, g)
    key, c = next(iter(f.items()))
    scale = c / total[key]
    if scale < 0:
        raise NoProof("a function is negative that was found not to be")
    if items[0]["power"] == 1 and len(items) == 1 and scale == 1:
        return items[0]["proof"]
    return {"kind": "product", "scale": str(scale), "factors": items}


def factored(f: Function) -> list[tuple[Function, int]]:
    """The irreducible factors of a function in normal form, each in normal form, with their powers."""
    g = to_exppoly(f)
    unit = common_unit(g)
    _, factors = split(g, unit).polynomial.factor()
    return [(kernel.normal(to_function(join(p, unit))), int(power)) for p, power in factors]


def _cover(f: Function, on: Interval) -> Json:
    """Points from end to end between which f has no root."""
    links = kernel.derivatives(f)[1]
    counted: dict[Fraction, int] = {}

    def variations(point: Fraction) -> int:
        if point not in counted:
            counted[point] = kernel.variations(links, point)
        return counted[point]

    last, points, methods = on.high, [str(on.low)], []
    if last is None:
        last = on.low + 1
        while variations(last):
            last *= 2
    pending = [(on.low, last)]
    while pending:
        a, b = pending.pop()
        at_end = b == on.high and kernel.sign_at(f, b) == 0
        if variations(a) - variations(b) <= at_end:
            methods.append("variations")
        elif _excludes_zero(f, a, b):
            methods.append("enclosure")
        elif len(points) + len(pending) > MAX_PIECES:
            raise NoProof(f"no certificate: an inequality needs more than {MAX_PIECES} pieces")
        else:
            pending += [((a + b) / 2, b), (a, (a + b) / 2)]
            continue
        points.append(str(b))
    infinite: list[str | None] = [None] if on.high is None else []
    return {
        "kind": "cover",
        "points": [*points, *infinite],
        "by": [*methods, *(["variations"] * len(infinite))],
    }


def _enclosed(f: Function, on: Interval) -> Json:
    """A cover by bounds alone, for functions with exp(a*eps) and exp(b/eps)."""
    if on.high is None or not on.low:
        raise NoProof(
            "no certificate: inequalities with both exp(a*eps) and exp(b/eps) can be certified for budgets "
            "between two positive numbers only, for example: private eps for eps in [1/100, 100]"
        )
    points, pending = [str(on.low)], [(on.low, on.high)]
    while pending:
        a, b = pending.pop()
        if _excludes_zero(f, a, b):
            points.append(str(b))
        elif len(points) + len(pending) > MAX_PIECES:
            raise NoProof(f"no certificate: an inequality needs more than {MAX_PIECES} pieces")
        else:
            pending += [((a + b) / 2, b), (a, (a + b) / 2)]
    return {"kind": "cover", "points": points, "by": ["enclosure"] * (len(points) - 1)}


def _excludes_zero(f: Function, a: Fraction, b: Fraction) -> bool:
    low, high = kernel.bounds_on(f, a, b)
    return not low <= 0 <= high


def _sample(on: Interval) -> Fraction:
    """A point inside."""
    return on.low + 1 if on.high is None else (on.low + on.high) / 2
