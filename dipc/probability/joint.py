"""Unnormalised joint densities of the samples a state still knows.

A joint density is a sum of **products**

    coefficient(eps) * prod_i weight_i(y_i) * [ all links hold ],

where a *weight* is the density of one sample times the comparisons that involve it alone, and a
*link* is a strict linear inequality between two or more samples (strictness is immaterial: a
hyperplane has measure zero).  The total integral is the probability of the state.

Samples are numbered.  Those below ``live`` are known to the program; the others are *hidden*: no
statement reads them again, so they are integrated out as soon as possible.  A hidden sample whose
links involve at most one other sample is a leaf of the comparison graph, and

    w  ->  integral over v of weight_v(v) [links(v, w)]  =  F(least upper bound) - F(greatest lower bound)

(F the antiderivative of weight_v) is a piecewise function of w again.  This settles every
comparison graph that is a forest: sparse vector, noisy max, histograms.  What is left is a cyclic
core, see :mod:`dipc.probability.polyhedral`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from flint import fmpq

from dipc.probability.exppoly import ExpPoly
from dipc.probability.piecewise import Piecewise
from dipc.probability.polyhedral import feasible, integrate
from dipc.probability.quotient import Quotient


@dataclass(frozen=True, slots=True)
class Linear:
    """``sum coefficient * sample + constant``, a linear expression of samples.

    Coefficients are not zero and ordered by sample; without any, the value is a plain number and
    must be kept as one.
    """

    coefficients: tuple[tuple[int, fmpq], ...]
    constant: fmpq

    @staticmethod
    def make(coefficients: dict[int, fmpq], constant: fmpq) -> Linear | fmpq:
        """The expression, or the number it is."""
        kept = tuple((i, c) for i, c in sorted(coefficients.items()) if c)
        return Linear(kept, constant) if kept else constant

    def renamed(self, names: dict[int, int]) -> Linear:
        return Linear(tuple(sorted((names[i], c) for i, c in self.coefficients)), self.constant)

    def negated(self) -> Linear:
        return Linear(tuple((i, -c) for i, c in self.coefficients), -self.constant)

    def normalised(self) -> Linear:
        """Divided by the absolute value of the first coefficient."""
        scale = abs(self.coefficients[0][1])
        return Linear(tuple((i, c / scale) for i, c in self.coefficients), self.constant / scale)

    @property
    def samples(self) -> tuple[int, ...]:
        return tuple(i for i, _ in self.coefficients)


Links = frozenset[Linear]  # each says: the expression is positive


@dataclass(frozen=True, slots=True)
class Product:
    coefficient: Quotient
    weights: tuple[Piecewise, ...]
    links: Links


@dataclass(frozen=True, slots=True)
class Joint:
    """A sum of products over the same ``live`` samples."""

    live: int
    products: tuple[Product, ...]

    @staticmethod
    def certain() -> Joint:
        """No samples, probability 1."""
        return Joint(0, (Product(Quotient.one(), (), frozenset()),))

    def __bool__(self) -> bool:
        """Whether the state has positive probability (for some eps)."""
        return bool(self.products)

    def scaled(self, factor: Quotient) -> Joint:
        """The density times a function of eps."""
        if not factor:
            return Joint(self.live, ())
        return Joint(
            self.live, tuple(Product(p.coefficient * factor, p.weights, p.links) for p in self.products)
        )

    def extended(self, density: Piecewise) -> Joint:
        """The density with one more independent sample, number ``live``."""
        at = self.live
        products = []
        for p in self.products:
            links = p.links
            if len(p.weights) > at:
                names = {i: i + (i >= at) for i in range(len(p.weights))}
                links = frozenset(link.renamed(names) for link in links)
            products.append(Product(p.coefficient, (*p.weights[:at], density, *p.weights[at:]), links))
        return Joint(at + 1, tuple(products))

    def assuming(self, positive: Linear) -> Joint:
        """The density where ``positive`` > 0, and zero elsewhere."""
        restricted = (_assume(p, positive) for p in self.products)
        return Joint(self.live, tuple(p for p in restricted if p))

    def keeping(self, samples: Sequence[int]) -> Joint:
        """The marginal density of the given live samples, renumbered in the given order."""
        if list(samples) == list(range(self.live)):
            return self
        return merged(Joint(len(samples), _eliminated(p, samples, self.live)) for p in self.products)

    def mass(self) -> Quotient:
        """The total integral: the probability of the state."""
        total = Quotient.of(0)
        for p in self.keeping(()).products:
            number, core = p.coefficient, p.weights
            total = total + (number * Quotient(integrate(core, p.links)) if core else number)
        return total


def merged(joints: Iterable[Joint]) -> Joint:
    """The sum of densities over the same samples: products that differ in one factor are added."""
    live = 0
    products: list[Product] = []
    for joint in joints:
        live = joint.live
        products.extend(joint.products)
    while True:
        shorter = _merge_once(products)
        if len(shorter) == len(products):
            return Joint(live, tuple(shorter))
        products = shorter


def _merge_once(products: list[Product]) -> list[Product]:
    if len(products) < 2:
        return products
    same: dict[tuple[tuple[Piecewise, ...], Links], Product] = {}
    for p in products:
        twin = same.get((p.weights, p.links))
        c = p.coefficient if twin is None else twin.coefficient + p.coefficient
        same[p.weights, p.links] = Product(c, p.weights, p.links)
    products = [_folded(p) for p in same.values() if p.coefficient]
    size = max(len(p.weights) for p in products) if products else 0
    for i in range(size):
        rest: dict[object, Product] = {}
        for p in products:
            if i >= len(p.weights):
                rest[p] = p
                continue
            key = (p.coefficient, p.links, p.weights[:i], p.weights[i + 1 :])
            twin = rest.get(key)
            if twin is not None:
                weight = twin.weights[i] + p.weights[i]
                p = Product(p.coefficient, (*p.weights[:i], weight, *p.weights[i + 1 :]), p.links)
            rest[key] = p
        products = list(rest.values())
    return products


def _folded(p: Product) -> Product:
    """The numerator of the coefficient moved into the first weight, so that like products meet."""
    numerator = p.coefficient.numerator
    if not p.weights or numerator.has_constants or numerator.as_rational() == 1:
        return p
    coefficient = Quotient(ExpPoly.of(1), p.coefficient.denominator)
    return Product(coefficient, (p.weights[0].scale(numerator), *p.weights[1:]), p.links)


def _assume(p: Product, positive: Linear) -> Product | None:
    if len(positive.coefficients) == 1:
        ((i, c),) = positive.coefficients
        weight = p.weights[i].restrict(-positive.constant / c, above=c > 0)
        if not weight:
            return None
        p = Product(p.coefficient, (*p.weights[:i], weight, *p.weights[i + 1 :]), p.links)
        return p if not p.links or feasible(p.weights, p.links) else None
    links = p.links | {positive.normalised()}
    return Product(p.coefficient, p.weights, links) if feasible(p.weights, links) else None


def _eliminated(p: Product, keep: Sequence[int], live: int) -> tuple[Product, ...]:
    """Hide the live samples that are not kept, then integrate leaves until none is left."""
    coefficient, links = p.coefficient, set(p.links)
    weights = dict(enumerate(p.weights))
    hidden = [i for i in weights if i >= live or i not in keep]
    progress = True
    while progress and hidden:
        progress = False
        for v in hidden:
            mine = [link for link in links if v in link.samples]
            others = {i for link in mine for i in link.samples if i != v}
            if len(others) > 1:
                continue
            weight = weights.pop(v)
            if others:
                (w,) = others
                weights[w] = weights[w] * _integral_over_leaf(weight, v, w, frozenset(mine))
                if not weights[w]:
                    return ()
            else:
                coefficient = coefficient * Quotient(_total(weight))
            links.difference_update(mine)
            hidden.remove(v)
            progress = True
            break
    order = [*keep, *hidden]
    names = {old: new for new, old in enumerate(order)}
    renamed = frozenset(link.renamed(names).normalised() for link in links)
    return (Product(coefficient, tuple(weights[i] for i in order), renamed),)


@lru_cache(maxsize=4096)
def _total(weight: Piecewise) -> ExpPoly:
    return weight.total()


@dataclass(frozen=True, slots=True)
class _Bound:
    """``slope * w + offset``, a bound on the leaf."""

    slope: fmpq
    offset: fmpq

    def at(self, w: fmpq) -> fmpq:
        return self.slope * w + self.offset


def _integral_over_leaf(weight: Piecewise, v: int, w: int, links: Links) -> Piecewise:
    lower: set[tuple[fmpq, fmpq]] = set()
    upper: set[tuple[fmpq, fmpq]] = set()
    for link in links:
        coefficients = dict(link.coefficients)
        slope = -coefficients[w] / coefficients[v]
        bound = (slope, -link.constant / coefficients[v])
        (lower if coefficients[v] > 0 else upper).add(bound)
    return _between(weight, frozenset(lower), frozenset(upper))


@lru_cache(maxsize=65536)
def _between(
    weight: Piecewise, lower: frozenset[tuple[fmpq, fmpq]], upper: frozenset[tuple[fmpq, fmpq]]
) -> Piecewise:
    """``w -> integral of weight from the greatest lower to the least upper bound``, 0 if they cross."""
    primitive = weight.antiderivative()
    total = Piecewise.constant(primitive.limit())
    lowers = [_Bound(*b) for b in lower]
    uppers = [_Bound(*b) for b in upper]
    corners = _crossings([*lowers, *uppers])
    result = Piecewise.constant(ExpPoly())
    for left, right in zip([None, *corners], [*corners, None], strict=True):
        inside = _inner_point(left, right)
        low = max(lowers, key=lambda b: b.at(inside), default=None)
        high = min(uppers, key=lambda b: b.at(inside), default=None)
        if low and high and low.at(inside) >= high.at(inside):
            continue
        piece = total if high is None else primitive.compose(high.slope, high.offset)
        if low is not None:
            piece = piece + primitive.compose(low.slope, low.offset).scale(ExpPoly.of(-1))
        if left is not None:
            piece = piece.restrict(left, above=True)
        if right is not None:
            piece = piece.restrict(right, above=False)
        result = result + piece
    return result


def _crossings(bounds: list[_Bound]) -> list[fmpq]:
    """Where two of the bounds meet, ascending."""
    points = {
        str(x): x
        for i, a in enumerate(bounds)
        for b in bounds[:i]
        if a.slope != b.slope
        for x in [(b.offset - a.offset) / (a.slope - b.slope)]
    }
    return sorted(points.values())


def _inner_point(left: fmpq | None, right: fmpq | None) -> fmpq:
    if left is None:
        return fmpq(0) if right is None else right - 1
    return left + 1 if right is None else (left + right) / 2
