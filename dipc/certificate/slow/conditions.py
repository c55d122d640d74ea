"""What a run has learnt about its samples: linear inequalities, and whether they can hold together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dipc.certificate.slow.functions import NotCovered
from dipc.certificate.slow.inequalities import Row, has_interior, integer_row, row
from dipc.certificate.slow.noise import Sample
from dipc.certificate.slow.values import Linear

Condition = tuple[tuple[tuple[int, int], ...], int]
"""``sum of c_j X_j + constant >= 0`` with integer coefficients, as ``(((j, c_j), ...), constant)``."""


def condition_of(value: Linear, strict: bool, samples: Sequence[Sample]) -> Condition:
    """value >= 0, or value > 0: for real noise the same.

    >>> from fractions import Fraction
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
    return samples[condition[0][0][0]].integer


def opposite(condition: Condition, samples: Sequence[Sample]) -> Condition:
    """The complement; not x >= 0 is -x >= 0 for real noise, -x >= 1 for an integer.

    >>> from fractions import Fraction
    >>> opposite((((0, 1),), 3), [Sample("DLap", Fraction(1))])
    (((0, -1),), -4)
    """
    coefficients, shift = condition
    return tuple((j, -c) for j, c in coefficients), -shift - about_integers(condition, samples)


def possible(conditions: Iterable[Condition], samples: Sequence[Sample]) -> bool:
    """Can all of them hold?  (For integer noise: perhaps.)

    An integer inequality ``c x + c_0 >= 0`` is relaxed to ``c x + c_0 > -1``.  A path that is not possible
    after all gets the mass 0 in the end.
    """
    width = len(samples)
    relaxed = set()
    for condition in conditions:
        *slopes, shift = as_row(condition, width)
        relaxed.add((*slopes, shift + about_integers(condition, samples)))
    support = {
        tuple(int(i == j) for j in range(width + 1))
        for i, sample in enumerate(samples)
        if sample.kind == "LapPlus"
    }
    return has_interior(frozenset(relaxed | support))


def without_implied(conditions: Iterable[Condition], samples: Sequence[Sample]) -> frozenset[Condition]:
    """The conditions without those that follow from the others.

    >>> from fractions import Fraction
    >>> sorted(without_implied([(((0, 1),), -1), (((0, 1),), 0)], [Sample("Lap", Fraction(1))]))
    [(((0, 1),), -1)]
    """
    kept = set(conditions)
    for condition in sorted(kept):
        if not possible({*(kept - {condition}), opposite(condition, samples)}, samples):
            kept.remove(condition)
    return frozenset(kept)
