"""Integrating hidden samples out of a product of weights and links, one sample at a time.

A hidden sample v is a **leaf** if its links bound it by expressions of one other sample w only, or if it has
none.  The integral over v is a piecewise function of w (:func:`dipc.integration.weight.over_leaf`), and the
product stays one of functions of one variable.  Links that follow from others are dropped first: they hide
trees.  What is left, cycles of comparisons and comparisons of three or more samples, is for
:mod:`dipc.integration.polyhedral`, or :mod:`dipc.integration.lattice`, when the mass is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from dipc.errors import Unsupported
from dipc.integration.halfspaces import feasible, is_forest
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.weight import Weight, over_leaf
from dipc.numbers.quotient import Quotient

Links = frozenset[Linear]  # conditions in normal form on two or more samples


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


def eliminate(f: Factors) -> Factors | None:
    """A product with the same integral over the hidden samples and without leaves; None if that is 0."""
    while True:
        f = _without_implied_links(f)
        v = next((v for v in sorted(f.hidden) if _is_leaf(f, v)), None)
        if v is None:
            return f
        smaller = _integrated(f, v)
        if smaller is None:
            return None
        f = smaller


def _without_implied_links(f: Factors) -> Factors:
    """Links that follow from the others are dropped, where some hidden sample has several neighbours."""
    if not any(len(_neighbours(f, v)) > 1 for v in f.hidden) or is_forest(_functions(f.weights), f.links):
        return f
    for link in sorted(f.links, key=str):
        others = f.links - {link}
        if not _feasible(f.weights, others | {link.negated().condition(strict=True)}):
            f = replace(f, links=others)
    return f


def _is_leaf(f: Factors, v: int) -> bool:
    """Whether v can be integrated out alone."""
    own = [link for link in f.links if v in link.samples]
    # integers bounded by fractions wait for the others
    whole = not any(link.integer and abs(dict(link.coefficients)[v]) != 1 for link in own)
    return whole and len(_neighbours(f, v)) <= 1


def _neighbours(f: Factors, v: int) -> set[int]:
    return {i for link in f.links if v in link.samples for i in link.samples if i != v}


def _integrated(f: Factors, v: int) -> Factors | None:
    weight, rest = f.weights[v], f.without(v)
    own = [link for link in f.links if v in link.samples]
    if not own:
        return replace(rest, coefficient=rest.coefficient * weight.total())
    (w,) = _neighbours(f, v)
    function, factor = over_leaf(weight, v, own)
    product = rest.weights[w].times(function)
    return replace(rest.times(w, product), coefficient=rest.coefficient * factor) if product else None
