"""Polynomials with rational coefficients, and proofs that one is nonnegative on the unit cube.

A polynomial is a dictionary from exponents, one byte for each variable, to coefficients that are not zero.

**Bernstein coefficients.**  On a box, f of degree d1, ..., dn is the combination of the products of
C(d, i) t^i (1 - t)^(d - i) with its Bernstein coefficients; these products are >= 0 there.  So f >= 0 on the
box if no coefficient is negative, and f < 0 if all are (the products sum to 1).  From the monomials, axis by
axis: b_j is the sum over i <= j of a_i C(j, i)/C(d, i); the two halves of a box have those that the scheme of
de Casteljau computes.  (J. Garloff, *The Bernstein algorithm*, 1993.)  Positive factors change no sign: the
coefficients here are integers.

**A tree** proves f >= 0 wherever some conditions g >= 0 hold.  It lists boxes in preorder, from the cube on:
n >= 0 is a bisection of axis n, of which the lower half comes first; -1 a box on which no coefficient of f is
negative; -2 - i one on which all of condition i are.  The halves of a box cover it; so the leaves cover all.

**A sign** is a tree for f itself, or factors with powers whose product is f: trees for those of odd powers.
A number >= 0 needs none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain, pairwise
from math import comb, lcm, prod
from typing import NamedTuple

from .facts import ZERO, collected
from .reading import Refused, require

MAX_DEGREE = 255  # of a variable
MAX_COEFFICIENTS = 200_000  # on one box
MAX_VARIABLES = 30

Polynomial = dict[bytes, Fraction]

Terms = list[tuple[list[int], Fraction]]  # the powers, ascending, and the coefficient
Tree = list[int]


@dataclass(frozen=True)
class Factors:
    """Factors with their powers; those of odd powers have trees."""

    factors: list[tuple[Terms, int, Tree | None]]


Sign = Tree | Factors | None


def polynomial(terms: Terms, variables: int, step: str) -> Polynomial:
    """The listed polynomial; its terms are in order."""
    keys = [powers for powers, _ in terms]
    fits = all(len(key) == variables and all(0 <= power <= MAX_DEGREE for power in key) for key in keys)
    require(fits, step, f"there is not one power up to {MAX_DEGREE} for every parameter")
    require(all(a < b for a, b in pairwise(keys)), step, "the terms are not ascending")
    require(all(c for _, c in terms), step, "a coefficient is zero")
    return {bytes(key): c for key, c in terms}


def number(f: Polynomial) -> Fraction | None:
    """The number that a polynomial is, if it is one."""
    if not f:
        return ZERO
    (key, c), *more = f.items()
    return None if more or any(key) else c


def constant(number: Fraction, variables: int) -> Polynomial:
    """The polynomial that is a number."""
    return {bytes(variables): number} if number else {}


def variable(place: int, variables: int, power: int = 1) -> Polynomial:
    """The power of a variable."""
    return {bytes(power if i == place else 0 for i in range(variables)): Fraction(1)}


def added(parts: Iterable[Polynomial]) -> Polynomial:
    """The sum of several."""
    return collected(chain.from_iterable(f.items() for f in parts))


def plus(f: Polynomial, g: Polynomial, factor: Fraction | int = 1) -> Polynomial:
    """f + factor g."""
    return collected(chain(f.items(), ((key, factor * c) for key, c in g.items())))


def times(f: Polynomial, g: Polynomial, step: str = "degree") -> Polynomial:
    """The product."""
    total: Polynomial = {}
    for key, c in f.items():
        for other, d in g.items():
            powers = [a + b for a, b in zip(key, other, strict=True)]
            if max(powers, default=0) > MAX_DEGREE:
                raise Refused(step, f"it is above {MAX_DEGREE}")
            place = bytes(powers)
            total[place] = total.get(place, ZERO) + c * d
    return {key: c for key, c in total.items() if c}


def product(factors: Sequence[Polynomial], variables: int) -> Polynomial:
    """The product of several."""
    return reduce(times, factors, constant(Fraction(1), variables))


def composed(f: Polynomial, images: Sequence[Polynomial], variables: int) -> Polynomial:
    """f with polynomials in the places of its variables."""
    total: Polynomial = {}
    for key, c in f.items():
        factors = [g for g, power in zip(images, key, strict=True) for _ in range(power)]
        total = plus(total, product(factors, variables), c)
    return total


def value_at(f: Polynomial, point: Sequence[Fraction]) -> Fraction:
    """The value at a point."""
    terms = (prod((x**power for x, power in zip(point, key, strict=True)), start=c) for key, c in f.items())
    return sum(terms, ZERO)


def shown(f: Polynomial, names: Sequence[str]) -> str:
    """A polynomial in words."""
    text = ""
    for key, c in sorted(f.items()):
        powers = [
            f"{name}^{power}" if power > 1 else name for name, power in zip(names, key, strict=True) if power
        ]
        number = [] if abs(c) == 1 and powers else [str(abs(c))]
        sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
        text += sign + "*".join(number + powers)
    return text or "0"


class Tensor(NamedTuple):
    """Bernstein coefficients, up to a positive factor; the last axis moves fastest."""

    shape: tuple[int, ...]
    values: list[int]

    def halves(self, axis: int) -> tuple[Tensor, Tensor]:
        """The coefficients on both halves of the box."""
        low, high = self.values.copy(), self.values.copy()
        for line in lines(self.shape, axis):
            low[line], high[line] = halved(self.values[line])
        return Tensor(self.shape, low), Tensor(self.shape, high)


def halved(line: list[int]) -> tuple[list[int], list[int]]:
    """De Casteljau's scheme, all numbers times 2^degree."""
    low, high = [], []
    for left in range(len(line) - 1, -1, -1):
        low.append(line[0] << left)
        high.append(line[-1] << left)
        line = [a + b for a, b in pairwise(line)]
    return low, high[::-1]


def lines(shape: Sequence[int], axis: int) -> Iterator[slice]:
    """The places of the lines along an axis."""
    step = prod(shape[axis + 1 :])
    whole = step * shape[axis]
    for start in range(0, prod(shape), whole):
        yield from (slice(first, start + whole, step) for first in range(start, start + step))


def bernstein(f: Polynomial, variables: int, step: str) -> Tensor:
    """The coefficients on the unit cube."""
    shape = tuple(max((key[axis] for key in f), default=0) + 1 for axis in range(variables))
    if prod(shape) > MAX_COEFFICIENTS:
        raise Refused(step, f"more than {MAX_COEFFICIENTS} Bernstein coefficients")
    values = [ZERO] * prod(shape)
    for key, c in f.items():
        place = 0
        for size, power in zip(shape, key, strict=True):
            place = place * size + power
        values[place] = c
    for axis, size in enumerate(shape):
        rows = [[Fraction(comb(j, i), comb(size - 1, i)) for i in range(j + 1)] for j in range(size)]
        for line in lines(shape, axis):
            old = values[line]
            values[line] = [sum((w * x for w, x in zip(row, old)), ZERO) for row in rows]  # noqa: B905
    scale = 1
    for x in values:
        scale = lcm(scale, x.denominator)
    return Tensor(shape, [x.numerator * (scale // x.denominator) for x in values])


class Cube(NamedTuple):
    """The unit cube, with the conditions g >= 0 that its points of interest meet."""

    variables: int
    conditions: list[Tensor]

    def check_sign(self, f: Polynomial, sign: Sign, step: str) -> None:
        """f >= 0 wherever all conditions hold."""
        match sign:
            case None:
                value = number(f)
                require(value is not None and value >= 0, step, "it is not a number >= 0, and has no proof")
            case Factors(factors):
                require(self.product_of(factors, step) == f, step, "the product of the factors is another")
            case _:
                self.check_tree(f, sign, step)

    def product_of(self, factors: Sequence[tuple[Terms, int, Tree | None]], step: str) -> Polynomial:
        """The product of the factors with their powers, which is >= 0."""
        found = constant(Fraction(1), self.variables)
        for terms, power, tree in factors:
            factor = polynomial(terms, self.variables, step)
            require(0 < power <= MAX_DEGREE, step, f"a power is not between 1 and {MAX_DEGREE}")
            if tree is not None:
                self.check_tree(factor, tree, step)
            require(tree is not None or power % 2 == 0, step, "a factor of an odd power has no proof")
            for _ in range(power):
                found = times(found, factor, step)
        return found

    def check_tree(self, f: Polynomial, tree: Tree, step: str) -> None:
        """The same by boxes."""
        open_boxes = [[bernstein(f, self.variables, step), *self.conditions]]
        for label in tree:
            known = -1 - len(self.conditions) <= label < self.variables
            require(known, step, "a box is of an unknown kind")
            require(open_boxes, step, "there are more boxes than bisections")
            box = open_boxes.pop()
            if label >= 0:
                halves = [tensor.halves(label) for tensor in box]
                open_boxes += [[part[end] for part in halves] for end in (1, 0)]
            elif label == -1 and min(box[0].values) < 0:
                raise Refused(step, "a coefficient is negative")
            elif label < -1 and max(box[-1 - label].values) >= 0:
                raise Refused(step, "a box is dropped that is not outside of the class")
        if open_boxes:
            raise Refused(step, "a box is missing")
