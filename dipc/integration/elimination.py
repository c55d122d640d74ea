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

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dipc.errors import Unsupported
from dipc.integration.halfspaces import Form, bounds, feasible, is_forest, orders
from dipc.integration.linear import Linear, plus_multiple
from dipc.integration.piecewise import Piecewise
from dipc.integration.weight import Weight, over_leaf, primitive_of
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
        if len({f.weights[i].inverse for i in condition.samples}) > 1:
            hint = "dipc has no exact form for this probability; give both samples rates of the same form"
            raise Unsupported("a sample of rate a*eps is compared with one of rate a/eps", hint=hint)
        f = replace(f, links=f.links | {condition})
    return f if not f.links or _feasible(f.weights, f.links) else None


def _feasible(weights: Mapping[int, Weight], links: Iterable[Linear]) -> bool:
    return feasible(_functions(weights), links)


def _functions(weights: Mapping[int, Weight]) -> dict[int, Piecewise]:
    return {i: weight.function for i, weight in weights.items()}


def eliminate(f: Factors, *, thorough: bool) -> Iterator[Factors]:
    """Products with the same integral over the hidden samples, and as few of these as possible.

    Only a ``thorough`` elimination splits into many parts.
    """
    pending = [f]
    while pending:
        f = _without_implied_links(pending.pop())
        costs = {v: cost for v in sorted(f.hidden) if (cost := _cost(f, v)) is not None}
        v = min(costs, key=lambda i: costs[i], default=None)
        if v is not None and (thorough or costs[v] <= EASY):
            pending.extend(_integrated(f, v))
        else:
            yield f


def _without_implied_links(f: Factors) -> Factors:
    """Links that follow from the others are dropped, where some hidden sample has several neighbours."""
    if not any(len(_neighbours(f, v)) > 1 for v in f.hidden) or is_forest(_functions(f.weights), f.links):
        return f
    for link in sorted(f.links, key=str):
        others = f.links - {link}
        if not _feasible(f.weights, others | {link.negated().condition(strict=True)}):
            f = replace(f, links=others)
    return f


def _cost(f: Factors, v: int) -> int | None:
    """0 for a leaf, else the number of parts; None if v cannot be integrated out alone."""
    own = [link for link in f.links if v in link.samples]
    # integers bounded by fractions wait for the others
    if any(len(link.samples) > 2 or (link.integer and abs(dict(link.coefficients)[v]) != 1) for link in own):
        return None
    if len(_neighbours(f, v)) <= 1:
        return 0
    lower = sum(dict(link.coefficients)[v] > 0 for link in own)
    return max(lower, 1) * max(len(own) - lower, 1)


def _neighbours(f: Factors, v: int) -> set[int]:
    return {i for link in f.links if v in link.samples for i in link.samples if i != v}


def _integrated(f: Factors, v: int) -> Iterator[Factors]:
    weight, rest = f.weights[v], f.without(v)
    own = [link for link in f.links if v in link.samples]
    others = _neighbours(f, v)
    if not others:
        yield replace(rest, coefficient=rest.coefficient * weight.total())
    elif len(others) == 1:
        (w,) = others
        function, factor = over_leaf(weight, v, own)
        product = rest.weights[w].times(function)
        if product:
            yield replace(rest.times(w, product), coefficient=rest.coefficient * factor)
    else:
        yield from _split(rest, weight, v, own)


def _split(rest: Factors, weight: Weight, v: int, own: list[Linear]) -> Iterator[Factors]:
    """The parts on which one lower and one upper bound count, each integrated."""
    forms = (Form(link.coefficients, link.constant) for link in sorted(own, key=str))
    for low, high, order in orders(bounds(forms, v)):
        part: Factors | None = rest
        for greater, less, strict in order:
            part = None if part is None else _ordered(part, greater, less, strict, weight.integer)
        if part is not None:
            yield from _terms(part, weight, low, high)


def _ordered(part: Factors, greater: Form, less: Form, strict: bool, integer: bool) -> Factors | None:
    """The part where one bound is greater than another one, or not less."""
    coefficients = plus_multiple(greater.coefficients, -1, less.coefficients)
    difference = Linear.make(coefficients, greater.constant - less.constant, integer)
    if isinstance(difference, Linear):
        return assume(part, difference.condition(strict))
    return part if difference > 0 or (not strict and difference == 0) else None


def _terms(part: Factors, weight: Weight, low: Form | None, high: Form | None) -> Iterator[Factors]:
    """``F(high) - F(low)`` times the rest, as two products."""
    primitive, denominator = primitive_of(weight)
    part = replace(part, coefficient=part.coefficient / weight.in_eps(Quotient(denominator)))
    if high is None:
        yield replace(part, coefficient=part.coefficient * weight.in_eps(Quotient(primitive.limit())))
    else:
        ((sample, slope),) = high.coefficients
        at_high = primitive.compose(slope, high.constant)
        yield part.times(sample, part.weights[sample].times(at_high))
    if low is not None:
        ((sample, slope),) = low.coefficients
        at_low = primitive.compose(slope, low.constant - weight.integer).scale(ExpPoly.of(-1))
        yield part.times(sample, part.weights[sample].times(at_low))
