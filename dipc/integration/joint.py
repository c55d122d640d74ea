"""Unnormalised joint densities of the samples a state still knows.

A joint density is a sum of **products**

    coefficient(eps) * prod_i weight_i(y_i) * [ all links hold ],

where a *weight* is the density of one sample (its probabilities, for an integer one) times the
comparisons that involve it alone, and a *link* is a linear inequality between two or more samples.  The
total integral is the probability of the state.

Samples are numbered.  Those below ``live`` are known to the program; the others are *hidden*: no
statement reads them again, so they are integrated out as soon as possible, by
:mod:`dipc.integration.elimination`.  Only comparisons of three or more samples can leave something, which
is integrated when the mass of a state is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

from flint import fmpq

from dipc.frozen import frozen
from dipc.integration.elimination import Factors, Links, assume, eliminate
from dipc.integration.halfspaces import range_of
from dipc.integration.lattice import lattice_sum
from dipc.integration.linear import Linear
from dipc.integration.polyhedral import integrate
from dipc.integration.weight import Weight
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient


@frozen
class Product:
    """``coefficient * product of weights``, where all links hold."""

    coefficient: Quotient
    weights: tuple[Weight, ...]
    links: Links


@frozen
class Joint:
    """A sum of products over the same ``live`` samples."""

    live: int
    products: tuple[Product, ...]

    @staticmethod
    def certain(one: Any = Quotient.one()) -> Joint:  # noqa: B008  (immutable)
        """No samples, probability 1; or the 1 of another field, where samples are never drawn."""
        return Joint(0, (Product(one, (), frozenset()),))

    def __bool__(self) -> bool:
        """Whether the state has positive probability (for some eps)."""
        return bool(self.products)

    def scaled(self, factor: Quotient) -> Joint:
        """The density times a function of eps."""
        scaled = (Product(p.coefficient * factor, p.weights, p.links) for p in self.products if factor)
        return Joint(self.live, tuple(scaled))

    def extended(self, density: Weight) -> Joint:
        """The density with one more independent sample, number ``live``."""
        at = self.live
        products = []
        for p in self.products:
            names = {i: i + (i >= at) for i in range(len(p.weights))}
            links = frozenset(link.renamed(names) for link in p.links) if len(p.weights) > at else p.links
            products.append(Product(p.coefficient, (*p.weights[:at], density, *p.weights[at:]), links))
        return Joint(at + 1, tuple(products))

    def assuming(self, condition: Linear) -> Joint:
        """The density where a condition in normal form holds, and zero elsewhere."""
        found = (f for p in self.products if (f := assume(_factors(p), condition)) is not None)
        products = (Product(f.coefficient, tuple(f.weights.values()), f.links) for f in found)
        return Joint(self.live, tuple(products))

    def range_of(self, form: Linear) -> tuple[fmpq | None, fmpq | None]:
        """Bounds on the values of an expression where the density is positive; None is infinity."""
        ranges = [
            range_of(form, {i: w.function for i, w in enumerate(p.weights)}, p.links) for p in self.products
        ]
        lows, highs = [low for low, _ in ranges], [high for _, high in ranges]
        return (
            None if None in lows else min(x for x in lows if x is not None),
            None if None in highs else max(x for x in highs if x is not None),
        )

    def keeping(self, samples: Sequence[int]) -> Joint:
        """The marginal density of the given live samples, renumbered in the given order."""
        if list(samples) == list(range(self.live)):
            return self
        found = (_eliminated(p, samples, self.live) for p in self.products)
        return added(Joint(len(samples), () if p is None else (p,)) for p in found)

    def mass(self) -> Quotient:
        """The total integral: the probability of the state."""
        products = self.keeping(()).products
        masses = [p.coefficient * _core_mass(p) if p.weights else p.coefficient for p in products]
        return reduce(add, masses) if masses else Quotient.of(0)


def added(joints: Iterable[Joint]) -> Joint:
    """The sum of densities over the same samples: products that differ in one factor are added."""
    found = list(joints)
    products = [p for joint in found for p in joint.products]
    while len(shorter := _merge_once(products)) < len(products):
        products = shorter
    return Joint(found[0].live if found else 0, tuple(shorter))


def _merge_once(products: list[Product]) -> list[Product]:
    if len(products) < 2:
        return products
    same: dict[tuple[tuple[Weight, ...], Links], Product] = {}
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
            kind = p.weights[i].integer, p.weights[i].inverse
            key = (p.coefficient, p.links, kind, p.weights[:i], p.weights[i + 1 :])
            twin = rest.get(key)
            if twin is not None:
                weight = twin.weights[i].plus(p.weights[i])
                p = Product(p.coefficient, (*p.weights[:i], weight, *p.weights[i + 1 :]), p.links)
            rest[key] = p
        products = list(rest.values())
    return products


def _folded(p: Product) -> Product:
    """The numerator of the coefficient moved into the first weight, so that like products meet."""
    numerator = p.coefficient.numerator
    if not p.weights or numerator.as_rational() == 1 or not p.weights[0].can_hold(numerator):
        return p
    coefficient = Quotient(ExpPoly.of(1), p.coefficient.denominator)
    return Product(coefficient, (p.weights[0].scaled(numerator), *p.weights[1:]), p.links)


def _core_mass(p: Product) -> Quotient:
    """The integral over what no leaf elimination reaches: the kinds of samples apart, they are not linked."""
    mass = Quotient.one()
    kinds: dict[tuple[bool, bool], list[int]] = {}
    for i, weight in enumerate(p.weights):
        kinds.setdefault((weight.integer, weight.inverse), []).append(i)
    for (integer, _), own in kinds.items():
        names = {old: new for new, old in enumerate(own)}
        links = frozenset(link.renamed(names) for link in p.links if link.samples[0] in names)
        functions = tuple(p.weights[i].function for i in own)
        part = lattice_sum(functions, links) if integer else Quotient(integrate(functions, links))
        mass = mass * p.weights[own[0]].in_eps(part)
    return mass


def _eliminated(p: Product, keep: Sequence[int], live: int) -> Product | None:
    """Hide the live samples that are not kept and integrate out what can be; renumber the rest."""
    hidden = frozenset(i for i in range(len(p.weights)) if i >= live or i not in keep)
    f = eliminate(_factors(p, hidden))
    if f is None:
        return None
    order = [*keep, *sorted(f.hidden)]
    names = {old: new for new, old in enumerate(order)}
    links = frozenset(link.renamed(names).condition(strict=False) for link in f.links)
    return Product(f.coefficient, tuple(f.weights[i] for i in order), links)


def _factors(p: Product, hidden: frozenset[int] = frozenset()) -> Factors:
    return Factors(p.coefficient, dict(enumerate(p.weights)), p.links, hidden)
