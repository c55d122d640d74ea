"""Independent noise, and the probability that it satisfies linear inequalities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dipc.certificate.slow.functions import Mass, NotCovered
from dipc.certificate.slow.inequalities import Row
from dipc.certificate.slow.integrals import real_mass
from dipc.certificate.slow.sums import integer_mass
from dipc.kernel.facts import Function

KINDS = ("Lap", "LapPlus", "DLap")


@dataclass(frozen=True)
class Sample:
    """Centred noise ``Lap``, ``LapPlus`` or ``DLap`` of rate ``rate * eps``, or ``rate / eps`` if inverse.

    >>> Sample("Gauss", Fraction(1))
    Traceback (most recent call last):
    dipc.certificate.slow.functions.NotCovered: noise of the kind Gauss
    """

    kind: str
    rate: Fraction
    inverse: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise NotCovered(f"noise of the kind {self.kind}")

    @property
    def integer(self) -> bool:
        return self.kind == "DLap"


def measure(rows: Iterable[Row], samples: Sequence[Sample]) -> Mass:
    """The probability that independent samples satisfy every row.

    Samples that no row mentions are dropped (their mass is 1), and samples that no chain of rows
    connects are independent.  Connected samples are put in an order of their own, so that permuted
    inputs have the same integral.

    >>> half = Fraction(1, 2)
    >>> X, Y = Sample("Lap", Fraction(1)), Sample("Lap", half)
    >>> measure([(1, -1, 0)], [X, Y]).pair() == ({(0, 0, 0, 0): half}, {(0, 0, 0, 0): 1})  # P(X >= Y)
    True
    >>> measure([(1, -1)], [X]).numerator  # P(X >= 1) = exp(-eps)/2
    {(0, Fraction(-1, 1), Fraction(0, 1), Fraction(0, 1)): Fraction(1, 2)}
    """
    mass = Mass()
    for joined, together in connected(rows):
        used = in_order(joined, together, samples)
        short = frozenset((*(r[i] for i in used), r[-1]) for r in together)
        mass = mass.times(measure_of(short, tuple(samples[i] for i in used)))
    return mass


def in_order(joined: Iterable[int], rows: Iterable[Row], samples: Sequence[Sample]) -> list[int]:
    """The samples by their kind and rate, and then by the rows that mention them.

    >>> in_order([0, 1], [(1, 0, 2), (0, 1, 1)], [Sample("Lap", Fraction(1))] * 2)
    [1, 0]
    """

    def appearance(i: int) -> tuple[object, ...]:
        s = samples[i]
        return s.kind, s.rate, s.inverse, sorted((r[i], r[-1], sorted(r[:-1])) for r in rows if r[i])

    return sorted(joined, key=appearance)


def connected(rows: Iterable[Row]) -> list[tuple[set[int], set[Row]]]:
    """The rows in groups without a common variable, each with its variables.

    >>> connected([(1, 0, 2), (0, 1, 3)])
    [({0}, {(1, 0, 2)}), ({1}, {(0, 1, 3)})]
    """
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
    result = Mass(turned(mass.numerator))
    for factor in mass.factors.elements():
        result = result.over(turned(dict(factor)))
    return result


def turned(f: Function) -> Function:
    return {(-n, b, k, a): c for (n, a, k, b), c in f.items()}
