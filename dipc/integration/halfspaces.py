"""Open half-spaces with rational coefficients: bounds on a variable, and whether they have a common point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from flint import fmpq

from dipc.frozen import frozen
from dipc.integration.linear import Coefficients, Linear, hash_of, plus_multiple
from dipc.integration.piecewise import Piecewise


@frozen
class Form:
    """``sum coefficient * variable + constant``."""

    coefficients: Coefficients
    constant: fmpq

    def __hash__(self) -> int:
        return hash_of(self.coefficients, self.constant)

    @staticmethod
    def of(coefficients: dict[int, fmpq], constant: fmpq) -> Form:
        """The form scaled to a first coefficient of 1 or -1: equal half-spaces are equal forms."""
        kept = [(i, c) for i, c in sorted(coefficients.items()) if c]
        scale = abs(kept[0][1]) if kept else fmpq(1)
        return Form(tuple((i, c / scale) for i, c in kept), constant / scale)

    def minus(self, other: Form) -> Form:
        """The difference, normalised."""
        coefficients = plus_multiple(self.coefficients, -1, other.coefficients)
        return Form.of(coefficients, self.constant - other.constant)

    def bound_on(self, v: int) -> Form:
        """``self > 0`` solved for v: the right-hand side, not normalised."""
        pivot = dict(self.coefficients)[v]
        rest = tuple((i, -c / pivot) for i, c in self.coefficients if i != v)
        return Form(rest, -self.constant / pivot)


SLACK = fmpq(1, 1024)  # turns a condition on integers into an open one with the same integer points

Region = frozenset[Form]


class Bounds(NamedTuple):
    """The bounds on a variable, and the half-spaces that do not mention it."""

    lower: tuple[Form, ...]
    upper: tuple[Form, ...]
    others: Region


def bounds(region: Iterable[Form], v: int) -> Bounds:
    """What a region says about a variable."""
    lower, upper, others = [], [], []
    for form in region:
        c = dict(form.coefficients).get(v)
        if c is None:
            others.append(form)
        elif c > 0:
            lower.append(form.bound_on(v))
        else:
            upper.append(form.bound_on(v))
    return Bounds(tuple(lower), tuple(upper), frozenset(others))


def orders(found: Bounds) -> Iterator[tuple[Form | None, Form | None, list[tuple[Form, Form, bool]]]]:
    """Each lower with each upper bound (None if there is none), and where they are the ones that count.

    That is where x > y (True) or x >= y (False) for the triples (x, y, strict) given.  Of equal bounds the
    first one counts, so that the parts are disjoint.
    """
    for a, low in enumerate(found.lower or (None,)):
        for b, high in enumerate(found.upper or (None,)):
            order = [(low, x, i < a) for i, x in enumerate(found.lower) if low and i != a]
            order += [(x, high, i < b) for i, x in enumerate(found.upper) if high and i != b]
            yield low, high, [*order, (high, low, False)] if low and high else order


def feasible(weights: Mapping[int, Piecewise], links: Iterable[Linear]) -> bool:
    """Whether the links hold on a set of positive measure within the supports of the weights.

    For integer samples this is only necessary, not sufficient: "not negative" is relaxed to "above -1/1024".
    """
    region = _relaxed(links)
    for i in {i for form in region for i, _ in form.coefficients}:
        region.update(interval(i, *weights[i].support))
    return has_interior(frozenset(region))


def is_forest(weights: Mapping[int, Piecewise], links: Iterable[Linear]) -> bool:
    """Whether the links join unbounded samples in pairs without a cycle.

    Then each of them can hold or fail, whatever the others do: from the root of a tree on, every sample
    can be chosen such that its link to the one before does.
    """
    trees: dict[int, set[int]] = {}
    for link in links:
        if len(link.samples) != 2 or any(weights[i].support != (None, None) for i in link.samples):
            return False
        left, right = (trees.setdefault(i, {i}) for i in link.samples)
        if left is right:
            return False
        left |= right
        trees.update(dict.fromkeys(right, left))
    return True


def _relaxed(links: Iterable[Linear]) -> set[Form]:
    return {Form(link.coefficients, link.constant + SLACK * link.integer) for link in links}


def range_of(
    form: Linear, weights: Mapping[int, Piecewise], links: Iterable[Linear]
) -> tuple[fmpq | None, fmpq | None]:
    """Bounds on a linear expression where the links hold within the supports; None is infinity.

    The first sample is expressed by the value t of the form and the others, and those are eliminated.
    """
    region = _relaxed(links)
    for i, weight in weights.items():
        region.update(interval(i, *weight.support))
    (first, pivot), *others = form.coefficients
    value = max(weights) + 1  # the number of t
    replacement = {value: 1 / pivot, **{i: -c / pivot for i, c in others}}
    remaining = {_substituted(f, first, replacement, -form.constant / pivot) for f in region}
    for v in weights:
        found = bounds(remaining, v)
        remaining = {*found.others, *(u.minus(low) for low in found.lower for u in found.upper)}
    ends = bounds((f for f in remaining if f.coefficients), value)
    lows, highs = [f.constant for f in ends.lower], [f.constant for f in ends.upper]
    return max(lows, default=None), min(highs, default=None)


def _substituted(form: Form, variable: int, replacement: Mapping[int, fmpq], constant: fmpq) -> Form:
    """A linear expression put in for a variable."""
    c = dict(form.coefficients).get(variable, fmpq(0))
    rest = tuple((i, own) for i, own in form.coefficients if i != variable)
    return Form.of(plus_multiple(rest, c, tuple(replacement.items())), form.constant + c * constant)


def interval(v: int, low: fmpq | None, high: fmpq | None) -> Iterator[Form]:
    """The half-spaces ``low < v < high``."""
    if low is not None:
        yield Form(((v, fmpq(1)),), -low)
    if high is not None:
        yield Form(((v, fmpq(-1)),), high)


@lru_cache(maxsize=65536)
def has_interior(region: Region) -> bool:
    """Whether open half-spaces have a common point (Fourier-Motzkin elimination)."""
    if any(not form.coefficients and form.constant <= 0 for form in region):
        return False
    region = frozenset(form for form in region if form.coefficients)
    if not region:
        return True
    v = cheapest(region, {i for form in region for i, _ in form.coefficients})
    found = bounds(region, v)
    return has_interior(found.others | {u.minus(low) for low in found.lower for u in found.upper})


def cheapest(region: Region, variables: Iterable[int]) -> int:
    """The variable whose elimination makes the fewest pairs of bounds."""

    def cost(v: int) -> tuple[int, int]:
        signs = [c > 0 for form in region for i, c in form.coefficients if i == v]
        above = sum(signs)
        return above * (len(signs) - above), v

    return min(variables, key=cost)
