"""What ``dipc verify --deep`` asks of every finite draw: its probabilities are >= 0, and their sum is 1.

Sums and signs are those of the kernel.  A proof is searched by the main route, which may find what it likes:
the kernel checks it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from dipc.certificate.kernel import (
    Function,
    Interval,
    Refused,
    function_shown,
    negative,
    normal,
    prove,
    sign_at,
)
from dipc.certificate.search import NoProof, proof_of
from dipc.certificate.slow.functions import Draw, Mass, NotCovered, Pair, total

STEP = "deep: draws"
SAMPLES = 64


def check_draws(draws: Iterable[Draw], on: Interval) -> None:
    """Refuse a draw whose numbers are no probabilities for some budgets of the interval.

    >>> from dipc.certificate.slow.functions import EPS, constant
    >>> p, one = ({EPS: Fraction(1)}, constant(1)), constant(1)                # eps and 1 - eps
    >>> q = ({**negative(p[0]), **one}, one)
    >>> check_draws([(p, q)], Interval(Fraction(0), Fraction(1), False, True))
    >>> check_draws([(p, q)], Interval(Fraction(0), None, False, False))
    Traceback (most recent call last):
    dipc.certificate.kernel.Refused: deep: draws: a probability drawn with is negative: (-1*eps + 1) / (1)

    Raises :class:`~dipc.certificate.slow.functions.NotCovered` if neither is shown.
    """
    for draw in draws:
        numerator, denominator = total([Mass(p).over(q) for p, q in draw]).pair()
        if numerator != denominator:
            raise Refused(STEP, "the probabilities of a draw do not sum to 1")
        for probability in draw:
            check_probability(probability, on)


def check_probability(probability: Pair, on: Interval) -> None:
    """Refuse a number that is negative or not defined for some budgets of the interval."""
    numerator, denominator = map(normal, probability)
    if _is_positive(negative(denominator), on):
        numerator, denominator = negative(numerator), negative(denominator)
    shown = f"({function_shown(probability[0])}) / ({function_shown(probability[1])})"
    for f, strict, what in ((denominator, True, "is not defined"), (numerator, False, "is negative")):
        try:
            prove(f, on, proof_of(f, on, strict), STEP, strict)
        except (NoProof, Refused):
            if any(sign_at(f, eps) < strict for eps in samples(on)):
                raise Refused(STEP, f"a probability drawn with {what}: {shown}") from None
            raise NotCovered(f"a draw with {shown}, which is not proved to be a probability") from None


def _is_positive(f: Function, on: Interval) -> bool:
    return all(sign_at(f, eps) > 0 for eps in samples(on))


def samples(on: Interval) -> list[Fraction]:
    """Budgets in the interval, to find a contradiction at.

    >>> all(eps in (Fraction(1, 2), 1) or Fraction(1, 2) < eps < 1
    ...     for eps in samples(Interval(Fraction(1, 2), Fraction(1), True, True)))
    True
    """
    if on.high is None:
        return [on.low + Fraction(2) ** k for k in range(-SAMPLES // 4, SAMPLES // 8)]
    inner = [on.low + (on.high - on.low) * Fraction(k, SAMPLES) for k in range(SAMPLES + 1)]
    return [eps for eps in inner if on.has(eps)]
