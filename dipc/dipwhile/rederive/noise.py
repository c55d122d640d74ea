"""Independent noise: what a run has learnt about it as linear inequalities, and their probability."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce

from dipc.dipwhile.rederive.functions import Mass, NotCovered
from dipc.dipwhile.rederive.inequalities import Row, arranged, has_interior, integer_row, row
from dipc.dipwhile.rederive.integrals import real_mass
from dipc.dipwhile.rederive.sums import integer_mass
from dipc.dipwhile.rederive.values import Linear
from dipc.kernel.facts import Function

KINDS = ("Lap", "LapPlus", "DLap")


@dataclass(frozen=True, order=True)
class Sample:
    """Centred noise ``Lap``, ``LapPlus`` or ``DLap`` of rate ``rate * eps``, or ``rate / eps`` if inverse."""

    kind: str
    rate: Fraction
    inverse: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise NotCovered(f"noise of the kind {self.kind}")

    @property
    def integer(self) -> bool:
        """Are its values integers?"""
        return self.kind == "DLap"


Condition = tuple[tuple[tuple[int, int], ...], int]
"""``sum of c_j X_j + constant >= 0`` with integer coefficients, as ``(((j, c_j), ...), constant)``."""


def condition_of(value: Linear, strict: bool, samples: Sequence[Sample]) -> Condition:
    """value >= 0, or value > 0: for real noise the same.

    >>> z = Linear(((0, Fraction(1, 2)),), Fraction(1))
    >>> condition_of(z, True, [Sample("DLap", Fraction(1))])  # z/2 + 1 > 0 is z + 1 >= 0
    (((0, 1),), 1)
    """
    places, coefficients = zip(*value.coefficients, strict=True)
    kinds = {samples[j].integer for j in places}
    if len(kinds) > 1:
        raise NotCovered("integer noise compared with real noise")
    numbers = (*coefficients, value.constant)
    *slopes, shift = integer_row(numbers, strict) if kinds == {True} else row(numbers)
    return tuple(zip(places, slopes, strict=True)), shift


def as_row(condition: Condition, width: int) -> Row:
    """The condition over the first ``width`` samples."""
    coefficients, shift = dict(condition[0]), condition[1]
    return (*(coefficients.get(j, 0) for j in range(width)), shift)


def about_integers(condition: Condition, samples: Sequence[Sample]) -> bool:
    """Is the condition about integer noise?"""
    return samples[condition[0][0][0]].integer


def opposite(condition: Condition, samples: Sequence[Sample]) -> Condition:
    """The complement; not x >= 0 is -x >= 0 for real noise, -x >= 1 for an integer."""
    coefficients, shift = condition
    return tuple((j, -c) for j, c in coefficients), -shift - about_integers(condition, samples)


def possible(conditions: Iterable[Condition], samples: Sequence[Sample]) -> bool:
    """Can all of them hold?  (For integer noise: perhaps; an impossible path gets the mass 0 in the end.)

    An integer inequality ``c x + c_0 >= 0`` is relaxed to ``c x + c_0 > -1``.
    """
    positive = ((((i, 1),), 0) for i, sample in enumerate(samples) if sample.kind == "LapPlus")
    relaxed = (
        (slopes, shift + about_integers((slopes, shift), samples))
        for slopes, shift in itertools.chain(conditions, positive)
    )
    return has_interior(frozenset(as_row(condition, len(samples)) for condition in relaxed))


def without_implied(conditions: Iterable[Condition], samples: Sequence[Sample]) -> frozenset[Condition]:
    """The conditions without those that follow from the others."""
    kept = set(conditions)
    for condition in sorted(kept):
        if not possible({*(kept - {condition}), opposite(condition, samples)}, samples):
            kept.remove(condition)
    return frozenset(kept)


def measure(rows: Iterable[Row], samples: Sequence[Sample]) -> Mass:
    """The probability that independent samples satisfy every row.

    Samples that no row mentions have mass 1, and samples that no chain of rows connects are independent.

    >>> measure([(1, -1)], [Sample("Lap", Fraction(1))]).numerator  # P(X >= 1) = exp(-eps)/2
    {(0, Fraction(-1, 1), Fraction(0, 1), Fraction(0, 1)): Fraction(1, 2)}
    """
    mass = Mass()
    for joined, together in connected(rows):
        order, short = arranged(joined, together, samples.__getitem__)
        mass = mass.times(measure_of(short, tuple(samples[i] for i in order)))
    return mass


def connected(rows: Iterable[Row]) -> list[tuple[set[int], set[Row]]]:
    """The rows in groups without a common variable, each with its variables."""
    groups: list[tuple[set[int], set[Row]]] = []
    for r in dict.fromkeys(rows):
        joined, together = {i for i, c in enumerate(r[:-1]) if c}, {r}
        for group in [group for group in groups if group[0] & joined]:
            groups.remove(group)
            joined |= group[0]
            together |= group[1]
        groups.append((joined, together))
    return groups


@lru_cache(maxsize=100_000)
def measure_of(rows: frozenset[Row], samples: tuple[Sample, ...]) -> Mass:
    """:func:`measure` for samples that all occur."""
    if len({sample.inverse for sample in samples}) > 1:
        raise NotCovered("noise of rate a*eps compared with noise of rate a/eps")
    if len({sample.integer for sample in samples}) > 1:
        raise NotCovered("integer noise compared with real noise")
    rates = [sample.rate for sample in samples]
    if samples[0].integer:
        mass = integer_mass(rows, rates)
    else:
        mass = Mass(real_mass(rows, rates, [sample.kind == "Lap" for sample in samples]))
    return at_inverse(mass) if samples[0].inverse else mass


def at_inverse(mass: Mass) -> Mass:
    """The mass as a function of 1/eps."""

    def turned(f: Function) -> Function:
        return {(-n, b, k, a): c for (n, a, k, b), c in f.items()}

    factors = (turned(dict(factor)) for factor in mass.factors.elements())
    return reduce(Mass.over, factors, Mass(turned(mass.numerator)))
