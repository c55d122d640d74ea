"""Exact samplers on fair random bits: no float decides.

The probability of each outcome is the number that is asked for, not one near it:

- Bernoulli(a/b) by a uniform integer below b;
- Bernoulli(exp(-x)) by von Neumann's alternating series, and the two-sided geometric distribution from it
  (Canonne, Kamath, Steinke, *The Discrete Gaussian for Differential Privacy*, 2020, algorithms 1 and 2);
- Bernoulli(p) for other p, such as exp(eps)/(1 + exp(eps)): a uniform number is drawn bit by bit until it
  lies on one side of a rigorous enclosure of p, which gets narrower with it.

Their running time depends on what they draw, and so may leak to somebody with a clock.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import log
from typing import Any

from flint import arb, ctx, fmpq

from dipc.errors import WrongType
from dipc.numbers.quotient import Quotient

Exact = Fraction | Quotient
"""A probability: a rational number, or one with powers of e."""

DIGITS = 53
"""The bits of a uniform number from which continuous noise is made: those of a float."""


@dataclass(frozen=True, slots=True)
class Coins:
    """Fair random bits: ``bits(k)`` is an integer of k of them.

    >>> import random
    >>> coins = Coins(random.Random(1).getrandbits)
    >>> sorted({coins.below(3) for _ in range(100)})
    [0, 1, 2]
    """

    bits: Callable[[int], int]

    def below(self, number: int) -> int:
        """Each of 0 to ``number - 1`` with the same probability."""
        length = (number - 1).bit_length()
        drawn = self.bits(length) if length else 0
        while drawn >= number:
            drawn = self.bits(length)
        return drawn

    def flip(self, probability: Exact) -> bool:
        """True with a probability from 0 to 1."""
        if isinstance(probability, Quotient):
            return self._below_real(probability)
        return self.below(probability.denominator) < probability.numerator

    def _below_real(self, number: Quotient) -> bool:
        """Whether a uniform number from 0 to 1 is below an irrational number."""
        drawn, count = 0, 0
        while True:
            drawn, count = 2 * drawn + self.bits(1), count + 1
            bound = enclosure(number, count + 64)
            with ctx.workprec(count + 64):
                if arb(fmpq(drawn + 1, 2**count)) <= bound:
                    return True
                if arb(fmpq(drawn, 2**count)) >= bound:
                    return False

    def exp_minus(self, x: Fraction) -> bool:
        """True with probability exp(-x), for x >= 0."""
        whole = x.numerator // x.denominator
        return all(self._exp_minus(Fraction(1)) for _ in range(whole)) and self._exp_minus(x - whole)

    def _exp_minus(self, x: Fraction) -> bool:
        """The same for x from 0 to 1: how long flips of x, x/2, x/3, ... succeed is even so often."""
        length = 0
        while self.flip(x / (length + 1)):
            length += 1
        return length % 2 == 0

    def two_sided(self, rate: Fraction) -> int:
        """An integer i with a probability proportional to exp(-rate*abs(i))."""
        above, below = rate.numerator, rate.denominator
        while True:
            part = self.below(below)
            if not self.exp_minus(Fraction(part, below)):
                continue
            rounds = 0
            while self._exp_minus(Fraction(1)):
                rounds += 1
            size = (part + below * rounds) // above
            negative = self.bits(1) == 1
            if size or not negative:
                return -size if negative else size

    def by_weight(self, exponents: Sequence[Fraction]) -> int:
        """A position with a probability proportional to exp of the number there."""
        largest = max(exponents)
        while True:
            place = self.below(len(exponents))
            if self.exp_minus(largest - exponents[place]):
                return place

    def one_of(self, probabilities: Sequence[Any]) -> int:
        """A position with the exact probability there; they add up to 1."""
        rest: Any = Fraction(1)
        for place, probability in enumerate(probabilities[:-1]):
            if self.flip(simple(probability / rest)):
                return place
            rest = simple(rest - probability)
        return len(probabilities) - 1

    def exponential(self) -> float:
        """A float with nearly the density exp(-x) for x >= 0: inversion, from 53 bits.

        This is not the real exponential distribution.  It takes at most 2**53 values, none above 36.74, and
        the sum with another number is rounded.  Which floats can come out depends on that number, so that
        the last bits may reveal it (Mironov, *On Significance of the Least Significant Bits for Differential
        Privacy*, 2012).
        """
        return -log((self.bits(DIGITS) + 1) / 2**DIGITS)


@lru_cache(1000)
def enclosure(number: Quotient, precision: int) -> arb:
    """A ball that contains a number."""
    with ctx.workprec(precision):
        return number.enclose(arb(1))


def simple(number: Exact) -> Exact:
    """The number, as a fraction if it is one."""
    found = number.as_rational() if isinstance(number, Quotient) else None
    return number if found is None else Fraction(int(found.p), int(found.q))


def coins(rng: Any = None) -> Coins:
    """The bits of a generator (of ``random`` or numpy), by default those of ``secrets``."""
    if rng is None:
        return Coins(secrets.randbits)
    if callable(bits := getattr(rng, "getrandbits", None)):
        return Coins(bits)
    if callable(draw := getattr(rng, "bytes", None)):
        return Coins(lambda k: int.from_bytes(draw((k + 7) // 8), "little") >> -k % 8)
    hint = "for example rng=random.Random(1) or rng=numpy.random.default_rng(1)"
    raise WrongType(f"`rng` has no random bits: it is a {type(rng).__name__}", hint=hint)
