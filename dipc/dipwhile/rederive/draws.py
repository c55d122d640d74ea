"""Finite draws: their probabilities are >= 0 and defined for every eps in question, and their sum is 1."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from dipc.dipwhile.rederive.functions import Draw, Mass, NotCovered, Pair, surely_positive, total
from dipc.dipwhile.rederive.values import MAX_SHOWN_BITS
from dipc.kernel import facts
from dipc.kernel.reading import Refused

STEP = "deep: draws"
SAMPLES = 64
HALVINGS = 12


def check_draws(draws: Iterable[Draw], on: facts.Interval) -> None:
    """Refuse a draw whose numbers are not probabilities for some eps in question; NotCovered if unclear."""
    for draw in draws:
        numerator, denominator = total([Mass(p).over(q) for p, q in draw]).pair()
        if numerator != denominator:
            raise Refused(STEP, "the probabilities of a draw do not sum to 1")
        for probability in draw:
            check_probability(probability, on)


def check_probability(probability: Pair, on: facts.Interval) -> None:
    """Refuse a number that is negative or not defined for some eps of the interval."""
    numerator, denominator = probability
    shown = pair_shown(probability)
    signs = [(facts.sign_at(numerator, eps), facts.sign_at(denominator, eps)) for eps in samples(on)]
    if any(above * below < 0 for above, below in signs):
        raise Refused(STEP, f"a probability is negative: {shown}")
    if any(above and not below for above, below in signs):
        raise Refused(STEP, f"a probability is not defined: {shown}")
    if all(below < 0 for _, below in signs):
        numerator, denominator = facts.negative(numerator), facts.negative(denominator)
    if not (surely(denominator, on, True) and surely(numerator, on, False)):
        raise NotCovered(f"a draw with {shown}, of which it is not shown that it is always a probability")


def pair_shown(pair: Pair) -> str:
    """A quotient for messages."""
    numbers = [x for f in pair for (_, *exponents), c in f.items() for x in (c, *exponents)]
    if any(max(abs(c.numerator), c.denominator).bit_length() > MAX_SHOWN_BITS for c in numbers):
        return "a quotient with numbers of thousands of digits"
    return " / ".join(f"({facts.function_shown(f)})" for f in pair)


def surely(f: facts.Function, on: facts.Interval, strict: bool) -> bool:
    """Is f >= 0 (f > 0 if strict) proved on the interval?  ``False`` says nothing.

    By the chain of derivatives at 0 or at the lower end; on an interval with an end also by bounds on pieces.
    """
    if not f:
        return not strict
    if on.low == on.high:
        return facts.sign_at(f, on.low) >= strict
    f = facts.normal(f)
    closed = [end for end, has in ((on.low, on.low_closed), (on.high, on.high_closed)) if has]
    if any(facts.sign_at(f, end) < strict for end in closed if end is not None):
        return False
    if any(surely_positive(f, at) for at in {Fraction(0), on.low}):
        return True
    return on.high is not None and positive_on(f, on.low, on.high, strict, HALVINGS)


def positive_on(f: facts.Function, low: Fraction, high: Fraction, strict: bool, halvings: int) -> bool:
    """Is f >= 0 (f > 0) on [low, high] by bounds, or by the sign at an end and a derivative with one sign?"""
    if any(b for *_, b in f) and not low:
        return False
    least = facts.bounds_on(f, low, high)[0]
    if least > 0 or (least == 0 and not strict):
        return True
    slope = facts.bounds_on(facts.derivative(f), low, high)
    if (slope[0] >= 0 and facts.sign_at(f, low) >= strict) or (
        slope[1] <= 0 and facts.sign_at(f, high) >= strict
    ):
        return True
    middle = (low + high) / 2
    return halvings > 0 and all(
        positive_on(f, *ends, strict, halvings - 1) for ends in ((low, middle), (middle, high))
    )


def samples(on: facts.Interval) -> list[Fraction]:
    """Numbers in the interval at which to look for a contradiction."""
    if on.high is None:
        return [on.low + Fraction(2) ** k for k in range(-SAMPLES // 4, SAMPLES // 8)]
    inner = [on.low + (on.high - on.low) * Fraction(k, SAMPLES) for k in range(SAMPLES + 1)]
    return list(dict.fromkeys(eps for eps in inner if on.has(eps)))
