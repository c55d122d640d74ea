"""Integrating hidden samples out of a product of weights and links, one sample at a time.

Let v be a sample whose links bound it by expressions of *one* other sample each.

* **Leaf**: all of them of the same sample w.  The integral is a piecewise function of w
  (:func:`dipc.integration.weight.over_leaf`).
* **Split**: of several samples.  With lower bounds L_1, L_2, ... and upper bounds U_1, U_2, ... the product
  is split by which L_j is greatest and which U_k is least: links between the other samples.  On each part

      integral of weight_v from L_j to U_k   =   F(U_k) - F(L_j),

  two products: in the first the weight of U_k's sample is multiplied by F(U_k), in the second that of L_j's
  sample by F(L_j).  (For integers F(L_j - 1), and ties go to the first bound.)

So every system of comparisons between *pairs* of samples stays a sum of products of functions of one
variable.  Links that follow from others are dropped first: they hide trees.
A comparison of three or more samples is left to :mod:`dipc.integration.polyhedral`, or to
:mod:`dipc.integration.lattice`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from flint import fmpq

from dipc.errors import Unsupported
from dipc.integration.halfspaces import feasible
from dipc.integration.linear import Linear
from dipc.integration.weight import Weight, over_leaf
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

Links = frozenset[Linear]  # conditions in normal form on two or more samples

EASY = 4  # parts into which a product is split while other samples may still become hidden


@dataclass(frozen=True, slots=True)
class Factors:
    """``coefficient * prod weights * [links]``; ``hidden`` samples are to be integrated out."""

    coefficient: Quotient
    weights: Mapping[int, Weight]
    links: Links
    hidden: frozenset[int]

    def without(self, v: int) -> Factors:
        """Everything that does not mention v."""
        weights = {i: weight for i, weight in self.weights.items() if i != v}
        links = frozenset(link for link in self.links if v not in link.samples)
        return Factors(self.coefficient, weights, links, self.hidden - {v})

    def times(self, i: int, weight: Weight) -> Factors:
        """The product with another weight for one sample."""
        return replace(self, weights={**self.weights, i: weight})


def assume(f: Factors, condition: Linear) -> Factors | None:
    """The product where a condition in normal form holds; None if that has measure 0."""
    if len(condition.coefficients) == 1:
        (i,) = condition.samples
        weight = f.weights[i].where(condition)
        if not weight:
            return None
        f = f.times(i, weight)
    else:
        _require_one_kind(f, condition)
        f = replace(f, links=f.links | {condition})
    return f if not f.links or _feasible(f.weights, f.links) else None


def _require_one_kind(f: Factors, link: Linear) -> None:
    if len({f.weights[i].inverse for i in link.samples}) > 1:
        raise Unsupported(
            "a sample of rate a*eps is compared with one of rate a/eps",
            hint="dipc has no exact form for this probability; give both samples rates of the same form",
        )


def _feasible(weights: Mapping[int, Weight], links: Iterable[Linear]) -> bool:
    return feasible({i: weight.function for i, weight in weights.items()}, links)


def eliminate(f: Factors, *, thorough: bool) -> Iterator[Factors]:
    """Products with the same integral over the hidden samples, and as few of these as possible.

    Only a ``thorough`` elimination splits into many parts.
    """
    pending = [f]
    while pending:
        f = _without_implied_links(pending.pop())
        v = _next(f, thorough)
        if v is None:
            yield f
        else:
            pending.extend(_integrated(f, v))


def _without_implied_links(f: Factors) -> Factors:
    """Links that follow from the others are dropped, where some hidden sample has several neighbours."""
    if not any(len(_neighbours(f, v)) > 1 for v in f.hidden):
        return f
    for link in sorted(f.links, key=str):
        others = f.links - {link}
        if not _feasible(f.weights, others | {link.negated().condition(strict=True)}):
            f = replace(f, links=others)
    return f


def _next(f: Factors, thorough: bool) -> int | None:
    """The hidden sample that is cheapest to integrate out, if there is one."""
    costs = {v: cost for v in sorted(f.hidden) if (cost := _cost(f, v)) is not None}
    if not costs:
        return None
    v = min(costs, key=lambda i: costs[i])
    return v if thorough or costs[v] <= EASY else None


def _cost(f: Factors, v: int) -> int | None:
    """1 for a leaf, else the number of parts; None if v cannot be integrated out alone."""
    own = [link for link in f.links if v in link.samples]
    if any(len(link.samples) > 2 or not _has_whole_bounds(link, v) for link in own):
        return None
    if len(_neighbours(f, v)) <= 1:
        return 0
    lower = sum(dict(link.coefficients)[v] > 0 for link in own)
    return max(lower, 1) * max(len(own) - lower, 1)


def _neighbours(f: Factors, v: int) -> set[int]:
    return {i for link in f.links if v in link.samples for i in link.samples if i != v}


def _has_whole_bounds(link: Linear, v: int) -> bool:
    """Whether the link bounds an integer sample by integers: else it waits for the others."""
    return not link.integer or abs(dict(link.coefficients)[v]) == 1


def _integrated(f: Factors, v: int) -> Iterator[Factors]:
    weight, rest = f.weights[v], f.without(v)
    own = [link for link in f.links if v in link.samples]
    others = _neighbours(f, v)
    if not others:
        yield replace(rest, coefficient=rest.coefficient * weight.total())
    elif len(others) == 1:
        (w,) = others
        function, factor = over_leaf(weight, v, w, own)
        product = rest.weights[w].times(function)
        if product:
            yield replace(rest.times(w, product), coefficient=rest.coefficient * factor)
    else:
        yield from _split(rest, weight, *_bounds(own, v))


# --- splitting -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bound:
    """``slope * sample + offset``."""

    sample: int
    slope: fmpq
    offset: fmpq

    def minus(self, other: Bound, integer: bool) -> Linear | fmpq:
        """The difference of two bounds."""
        coefficients = {self.sample: self.slope}
        coefficients[other.sample] = coefficients.get(other.sample, fmpq(0)) - other.slope
        return Linear.make(coefficients, self.offset - other.offset, integer)


def _bounds(links: Iterable[Linear], v: int) -> tuple[list[Bound], list[Bound]]:
    """The lower and the upper bounds on v, in a fixed order."""
    lower: list[Bound] = []
    upper: list[Bound] = []
    for link in sorted(links, key=str):
        coefficients = dict(link.coefficients)
        pivot = coefficients.pop(v)
        ((sample, c),) = coefficients.items()
        (lower if pivot > 0 else upper).append(Bound(sample, -c / pivot, -link.constant / pivot))
    return lower, upper


def _split(rest: Factors, weight: Weight, lower: list[Bound], upper: list[Bound]) -> Iterator[Factors]:
    """The parts on which one lower and one upper bound count, each integrated."""
    for a in range(max(len(lower), 1)):
        for b in range(max(len(upper), 1)):
            part: Factors | None = rest
            for difference, strict in _order(lower, a, upper, b, weight.integer):
                part = None if part is None else _ordered(part, difference, strict)
            if part is not None:
                low = lower[a] if lower else None
                high = upper[b] if upper else None
                yield from _terms(part, weight, low, high)


def _order(
    lower: Sequence[Bound], a: int, upper: Sequence[Bound], b: int, integer: bool
) -> Iterator[tuple[Linear | fmpq, bool]]:
    """What is positive (True) or not negative (False) where these bounds count."""
    for i, other in enumerate(lower):
        if i != a:
            yield lower[a].minus(other, integer), i < a
    for i, other in enumerate(upper):
        if i != b:
            yield other.minus(upper[b], integer), i < b
    if lower and upper:
        yield upper[b].minus(lower[a], integer), False


def _ordered(part: Factors, difference: Linear | fmpq, strict: bool) -> Factors | None:
    if isinstance(difference, Linear):
        return assume(part, difference.condition(strict))
    return part if difference > 0 or (not strict and difference == 0) else None


def _terms(part: Factors, weight: Weight, low: Bound | None, high: Bound | None) -> Iterator[Factors]:
    """``F(high) - F(low)`` times the rest, as two products."""
    primitive, denominator = weight.primitive()
    scale = part.coefficient / weight.in_eps(Quotient(denominator))
    if high is None:
        yield replace(part, coefficient=scale * weight.in_eps(Quotient(primitive.limit())))
    else:
        at_high = primitive.compose(high.slope, high.offset)
        yield replace(part.times(high.sample, part.weights[high.sample].times(at_high)), coefficient=scale)
    if low is not None:
        step = 1 if weight.integer else 0
        at_low = primitive.compose(low.slope, low.offset - step).scale(ExpPoly.of(-1))
        yield replace(part.times(low.sample, part.weights[low.sample].times(at_low)), coefficient=scale)
