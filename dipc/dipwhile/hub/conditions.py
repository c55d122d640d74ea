"""What a run says of its samples: comparisons as intervals, stars, and runs that are one.

**Intervals.**  A comparison of two samples bounds their difference: ``above - below >= offset``.  Integer
samples can tie, so strict and weak comparisons are different offsets; real samples are equal with
probability 0.  All comparisons of the same two samples are one interval, and a run with an empty one (of real
samples: with a single point) has probability 0.  Where the interval is one point, x_a = x_b + c, every other
interval of b is one of a, moved by c.  So of equal samples the first one is compared with others.

**Runs that are one.**  The probability of some runs is the integral of the sum of w_r 1[B_r], w_r being the
probability of the run's finite draws and B_r its comparisons.  Two rules keep this function of the samples:

* If the sum of w_r 1[R_r] is a constant w where C holds, then the runs with the comparisons C and R_r are
  one with C and the weight w.  To see that, all samples are told apart: a comparison that is open splits them
  into two cases, in each of which a run is certain, impossible, or open.
* If moreover each run compares a sample k with one sample h_r, all in the same way ``k - h_r >= c``, and
  C and R_r imply that h_r is the greatest of all h, then ``k - h_r >= c`` says the same as that for all h
  (likewise with the least and ``<=``).  So the runs are one with C and these comparisons.

This is how an extreme is folded while it is drawn, ties and how they are broken included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from flint import fmpq

from dipc.dipwhile.syntax.distributions import NOISE
from dipc.numbers.quotient import Quotient

MOST_FOLDED = 256  # runs with the same outputs at one place
MOST_CASES = 4096  # in which samples are told apart, for one place

Chain = tuple[Any, ...]  # () or (the chain before, its last element): lists that share their beginnings
Interval = tuple[fmpq | None, fmpq | None]  # None: no bound
Bounds = dict[tuple[int, int], Interval]  # of the first sample minus the second, which has a greater number
Lower = tuple[int, int, fmpq]  # one sample minus another one is at least that
Known = dict[tuple[int, int], fmpq]  # the same, closed under sums


class Unfit(Exception):
    """The program is not in the class."""


class Sample(NamedTuple):
    """``kind(rate*eps, mean)``, the mean for each value of its cell, or the only one if it reads none."""

    kind: str
    place: int
    rate: fmpq
    cell: int | None
    means: tuple[fmpq, ...]

    @property
    def integer(self) -> bool:
        """Whether two such samples can be equal."""
        return NOISE[self.kind].integer if self.kind in NOISE else self.kind == INTEGER_ZERO

    @property
    def one_sided(self) -> bool:
        """Whether some values are impossible."""
        return self.kind in NOISE and len(NOISE[self.kind].shifts) == 1


INTEGER_ZERO = "0 among integers"
ZEROS = [Sample(kind, -1, fmpq(0), None, (fmpq(0),)) for kind in ("0 among reals", INTEGER_ZERO)]
"""What is compared with constants: the first samples of every program."""


class Condition(NamedTuple):
    """``sample above - sample below >= offset``."""

    above: int
    below: int
    offset: fmpq


NO_LIMITS: Interval = None, None


class Member(NamedTuple):
    """A sample of a star: the hub minus it is in the interval, and it is within limits; None for the hub."""

    sample: int
    interval: Interval | None
    limits: Interval


class Run(NamedTuple):
    """What a run has assigned to outputs and its conditions, last ones first; the weight of its draws."""

    outputs: Chain
    conditions: Chain
    weight: Quotient


Weighted = tuple[Bounds, Quotient]


def elements(chain: Chain) -> Iterator[Any]:
    """The elements of a chain, the last one first."""
    while chain:
        chain, element = chain
        yield element


def bounds_of(conditions: Iterable[Condition], samples: Sequence[Sample]) -> Bounds | None:
    """The intervals of all differences that are compared; None if one is empty."""
    found: Bounds = {}
    for above, below, offset in conditions:
        if not _narrowed(found, above, below, (offset, None), samples):
            return None
    while (equal := _equal(found)) is not None:
        (one, other), distance = equal
        for pair in [pair for pair in found if other in pair and pair != (one, other)]:
            low, high = found.pop(pair)
            shift = distance if pair[0] == other else -distance
            moved = tuple(None if end is None else end + shift for end in (low, high))
            first, second = (one if end == other else end for end in pair)
            if not _narrowed(found, first, second, moved, samples):
                return None
    return found if _possible(found, samples) else None


def _narrowed(found: Bounds, one: int, other: int, interval: Any, samples: Sequence[Sample]) -> bool:
    """Whether there is something left of the interval of a difference within this one."""
    low, high = interval
    if one > other:
        one, other, low, high = other, one, *_negated(interval)
    if (known := found.get((one, other))) is not None:
        low = max((end for end in (low, known[0]) if end is not None), default=None)
        high = min((end for end in (high, known[1]) if end is not None), default=None)
    found[one, other] = low, high
    if low is None or high is None:
        return True
    return bool(low <= high if samples[one].integer else low < high)


def _negated(interval: Interval) -> Interval:
    low, high = interval
    return None if high is None else -high, None if low is None else -low


def _possible(found: Bounds, samples: Sequence[Sample]) -> bool:
    """Whether samples can be between constants and between each other; without constants they always can."""
    if not limits(found):
        return True
    known = _closed(lower for pair, interval in found.items() for lower in _lower(pair, interval))
    sums = ((known[y, x] + low, samples[x].integer) for (x, y), low in known.items() if (y, x) in known)
    return all(total <= 0 if integer else total < 0 for total, integer in sums)


def _equal(found: Bounds) -> tuple[tuple[int, int], fmpq] | None:
    """Two equal samples, of which the second is compared with others, and their distance."""
    for pair, (low, high) in found.items():
        if low is None or high is None or low != high:
            continue
        if sum(pair[1] in ends for ends in found) > 1:
            return pair, low
    return None


def limits(bounds: Bounds) -> dict[int, Interval]:
    """The intervals of the samples that are compared with constants."""
    return {sample: _negated(interval) for (zero, sample), interval in bounds.items() if zero < len(ZEROS)}


def stars(bounds: Bounds, samples: Sequence[Sample]) -> list[list[Member]]:
    """The hubs, each with its spokes, in the order of the hubs.

    Raises :class:`Unfit` if two samples with other comparisons are compared, or if a sample is compared with
    a cell beside it, and without; also if a constant may make the comparisons impossible.
    """
    limited = limits(bounds)
    often = Counter(end for pair in bounds if pair[0] >= len(ZEROS) for end in pair)
    known = {*often, *limited} if limited else often
    if len({samples[sample].place for sample in known}) < len(known):
        raise Unfit
    hubs: dict[int, list[Member]] = {sample: [] for sample in limited if sample not in often}
    for (one, other), interval in bounds.items():
        if one < len(ZEROS):
            continue
        if often[one] > 1 and often[other] > 1:
            raise Unfit
        if often[other] > often[one]:
            one, other, interval = other, one, _negated(interval)
        # of two that are alone the first is the hub
        hubs.setdefault(one, []).append(Member(other, interval, limited.get(other, NO_LIMITS)))
    found = [
        [Member(hub, None, limited.get(hub, NO_LIMITS)), *spokes] for hub, spokes in sorted(hubs.items())
    ]
    for star in found if limited else ():
        several = {member.sample for member in star}
        if not several.isdisjoint(limited) and any(samples[sample].one_sided for sample in several):
            raise Unfit
    return found


class Folding:
    """Runs at one place with the same variables and outputs, as few as the rules make of them."""

    def __init__(self, runs: Sequence[Run], samples: Sequence[Sample]) -> None:
        self._samples, self._cases = samples, 0
        found: dict[object, Weighted] = {}
        for run in runs:
            if (bounds := bounds_of(elements(run.conditions), samples)) is not None:
                key = frozenset(bounds.items())
                found[key] = bounds, found[key][1] + run.weight if key in found else run.weight
        listed = list(found.values())
        if 1 < len(listed) <= MOST_FOLDED:
            one = self._one(listed) or self._extreme(listed)
            listed = listed if one is None else [one]
        self.runs = [Run(runs[0].outputs, _chain(bounds), weight) for bounds, weight in listed]

    def _one(self, runs: Sequence[Weighted]) -> Weighted | None:
        """The runs as one with what they have in common, by the first rule."""
        common = dict(frozenset.intersection(*(frozenset(bounds.items()) for bounds, _ in runs)))
        rest = [
            ([lower for pair in bounds if pair not in common for lower in _lower(pair, bounds[pair])], weight)
            for bounds, weight in runs
        ]
        known = _closed(lower for pair, own in common.items() for lower in _lower(pair, own))
        weight = self._constant(rest, known)
        return None if weight is None else (common, weight)

    def _extreme(self, runs: Sequence[Weighted]) -> Weighted | None:
        """The runs as one that compares the last sample with several others, by the second rule."""
        if not all(bounds for bounds, _ in runs):
            return None
        last = max((end for pair in runs[0][0] for end in pair), key=lambda end: self._samples[end].place)
        ways: dict[Interval, None] = {}
        others: list[int] = []
        rest: list[Weighted] = []
        for bounds, weight in runs:
            pairs = [pair for pair in bounds if last in pair]
            if len(pairs) != 1:
                return None
            own = bounds[pairs[0]]
            ways[own if pairs[0][0] == last else _negated(own)] = None
            others.append(sum(pairs[0]) - last)
            rest.append(({pair: each for pair, each in bounds.items() if pair != pairs[0]}, weight))
        (interval, *more) = ways
        if more or None not in interval:
            return None
        for best, (bounds, _) in zip(others, rest, strict=True):
            known = _closed(lower for pair, each in bounds.items() for lower in _lower(pair, each))
            ends = [(best, other) if interval[1] is None else (other, best) for other in others]
            if not all(_implied(known, (*pair, fmpq(0))) for pair in ends):
                return None
        if (found := self._one(rest)) is None:
            return None
        common, weight = found
        for other in others:
            _narrowed(common, last, other, interval, self._samples)
        return common, weight

    def _constant(self, runs: Sequence[tuple[list[Lower], Quotient]], known: Known) -> Quotient | None:
        """The sum of the weights of the runs that are certain, if it is the same in all cases."""
        self._cases += 1
        if self._cases > MOST_CASES:
            return None
        left: list[tuple[list[Lower], Quotient]] = []
        for lowers, weight in runs:
            unsure = [lower for lower in lowers if not _implied(known, lower)]
            if not any(_implied(known, self._denied(lower)) for lower in unsure):
                left.append((unsure, weight))
        first = next((unsure[0] for unsure, _ in left if unsure), None)
        if first is None:
            return sum((weight for _, weight in left), Quotient.of(0))
        found = self._constant(left, _with(known, first))
        if found is None or found != self._constant(left, _with(known, self._denied(first))):
            return None
        return found

    def _denied(self, lower: Lower) -> Lower:
        one, other, least = lower
        return other, one, 1 - least if self._samples[one].integer else -least


def _chain(bounds: Bounds) -> Chain:
    chain: Chain = ()
    for pair, interval in bounds.items():
        for lower in _lower(pair, interval):
            chain = chain, Condition(*lower)
    return chain


def _lower(pair: tuple[int, int], interval: Interval) -> list[Lower]:
    """An interval as lower bounds of one sample minus another one."""
    (one, other), (low, high) = pair, interval
    return ([] if low is None else [(one, other, low)]) + ([] if high is None else [(other, one, -high)])


def _closed(lowers: Iterable[Lower]) -> Known:
    """All that follows from some lower bounds."""
    known: Known = {}
    for lower in lowers:
        known = _with(known, lower)
    return known


def _with(known: Known, lower: Lower) -> Known:
    """All that follows from one more lower bound."""
    one, other, least = lower
    above = [(one, fmpq(0)), *((x, low) for (x, y), low in known.items() if y == one)]
    below = [(other, fmpq(0)), *((y, low) for (x, y), low in known.items() if x == other)]
    found = dict(known)
    for x, up in above:
        for y, down in below:
            low = up + least + down
            if x != y and ((x, y) not in found or found[x, y] < low):
                found[x, y] = low
    return found


def _implied(known: Known, lower: Lower) -> bool:
    one, other, least = lower
    return known[one, other] >= least if (one, other) in known else one == other and least <= 0
