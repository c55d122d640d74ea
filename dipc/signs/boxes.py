"""Is a polynomial nonnegative on the unit cube?  By Bernstein coefficients and bisection.

On a box, f of degree d1, ..., dn is a combination of the Bernstein polynomials of these degrees, which are
>= 0 there, and > 0 inside.  So f >= 0 if no coefficient is negative; the coefficients at the corners of the
tensor are the values of f at the corners of the box.  Otherwise the box is bisected: de Casteljau's scheme
gives the coefficients of both halves.  (J. Garloff, *The Bernstein algorithm*, 1993.)

The coefficients are integers: f is scaled by positive numbers, which change no sign.  If f > 0 on the closed
cube the search ends; at a zero it may not, and the answer is Unclear.  In one variable, a square-free f is
always decided: the coefficients on a small box change their sign at most once, and then f has exactly one
root in it (Vincent; Collins and Akritas 1976).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from math import comb, lcm, prod
from typing import Any, ClassVar, NamedTuple, Self

from flint import fmpq, fmpq_mpoly

from dipc.errors import InternalError
from dipc.signs.derivatives import changes

Point = tuple[fmpq, ...]
Side = tuple[fmpq, fmpq]
Path = tuple[int, ...]

MOST_BOXES = 20_000
LARGEST = 200_000
"""So many Bernstein coefficients of one box are computed at most."""
LEAST_WIDTH = fmpq(1, 2**64)
HALF = fmpq(1, 2)
NONNEGATIVE = -1


class Tree(NamedTuple):
    """A proof: the boxes in preorder.

    A number n >= 0 is a bisection of axis n (the lower half comes first), -1 a box on which all
    coefficients are >= 0, and -2 - i one on which all coefficients of condition i are negative.
    """

    boxes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Holds:
    """f >= 0 wherever all conditions hold; the proof is None if it was not found by boxes."""

    proof: Tree | None


@dataclass(frozen=True, slots=True)
class Fails:
    """f < 0 at a point where all conditions hold."""

    point: Point


@dataclass(frozen=True, slots=True)
class Unclear:
    """Not settled on this box."""

    box: tuple[Side, ...]


Answer = Holds | Fails | Unclear


class Tensor(NamedTuple):
    """Bernstein coefficients, up to a positive factor; the last axis moves fastest.

    They are integers here, and functions of eps in :mod:`dipc.signs.function_boxes`.
    """

    shape: tuple[int, ...]
    coefficients: list[Any]

    @classmethod
    def of(cls, shape: tuple[int, ...], terms: Mapping[Any, Any], zero: Any) -> Self:
        """The coefficients on the unit cube, axis by axis from those of the monomials."""
        values = [zero] * prod(shape)
        tensor = cls(shape, values)
        for powers, coefficient in terms.items():
            values[tensor.place(powers)] = coefficient
        for axis, size in enumerate(shape):
            weights = [[fmpq(comb(j, i), comb(size - 1, i)) for i in range(j + 1)] for j in range(size)]
            for places in tensor.lines(axis):
                line = values[places]
                values[places] = [sum((x * w for w, x in zip(row, line)), zero) for row in weights]  # noqa: B905
        return tensor

    def place(self, indices: Iterable[int]) -> int:
        """Where the coefficient with these indices is listed."""
        found = 0
        for size, index in zip(self.shape, indices, strict=True):
            found = found * size + int(index)
        return found

    def lines(self, axis: int) -> Iterator[slice]:
        """The places of the lines along an axis."""
        step = prod(self.shape[axis + 1 :])
        whole = step * self.shape[axis]
        for start in range(0, len(self.coefficients), whole):
            for first in range(start, start + step):
                yield slice(first, start + whole, step)

    def halves(self, axis: int) -> tuple[Self, Self]:
        """The coefficients on both halves of the box."""
        low, high = self.coefficients.copy(), self.coefficients.copy()
        for line in self.lines(axis):
            low[line], high[line] = self.halved(self.coefficients[line])
        return self._replace(coefficients=low), self._replace(coefficients=high)

    @staticmethod
    def halved(line: list[Any]) -> tuple[list[Any], list[Any]]:
        """Both halves of a line (de Casteljau), all numbers times 2^degree."""
        low, high = [], []
        for left in range(len(line) - 1, -1, -1):
            low.append(line[0] << left)
            high.append(line[-1] << left)
            line = [a + b for a, b in pairwise(line)]
        return low, high[::-1]

    def corner(self, ends: Sequence[int | None]) -> Any:
        """The value at a corner, given by 0 or -1 for each axis (or None, if nothing depends on it)."""
        return self.coefficients[
            self.place(size - 1 if end else 0 for size, end in zip(self.shape, ends, strict=True))
        ]

    def face(self, ends: Sequence[int | None]) -> list[Any]:
        """The coefficients on a face; None is a free axis."""
        both = zip(self.shape, ends, strict=True)
        places = product(*(range(size) if end is None else (range(size)[end],) for size, end in both))
        return [self.coefficients[self.place(at)] for at in places]


def shape_of(terms: Iterable[Sequence[int]], axes: int) -> tuple[int, ...]:
    """The numbers of coefficients along every axis, for monomials with these powers."""
    return tuple(map(max, zip([1] * axes, *([int(n) + 1 for n in powers] for powers in terms), strict=True)))


def bernstein(f: fmpq_mpoly) -> Tensor | None:
    """The coefficients on the unit cube of all generators of the ring; None if there are too many."""
    terms: dict[tuple[int, ...], fmpq] = f.to_dict()
    shape = shape_of(terms, f.context().nvars())
    if prod(shape) > LARGEST:
        return None
    values = Tensor.of(shape, terms, fmpq(0)).coefficients
    common = lcm(*(int(x.q) for x in values))
    return Tensor(shape, [int((x * common).p) for x in values])


class Box(NamedTuple):
    """A part of the cube, with the coefficients of f and of the conditions on it."""

    sides: tuple[Side, ...]
    tensor: Tensor
    conditions: tuple[Tensor, ...]
    path: Path = ()

    def middle_of(self, ends: Sequence[int | None]) -> Point:
        """The centre of a face, or of the whole box if all axes are free."""
        both = zip(self.sides, ends, strict=True)
        return tuple((side[0] + side[1]) / 2 if end is None else side[end] for side, end in both)

    def corners(self) -> Iterator[tuple[Point, Any]]:
        """The corners, with the value of f there; in the middle of the axes on which f does not depend."""
        for ends in product(*((0, -1) if size > 1 else (None,) for size in self.tensor.shape)):
            yield self.middle_of(ends), self.tensor.corner(ends)

    def suspects(self) -> Iterator[Point]:
        """The corners at which f is negative."""
        for ends in product((0, -1), repeat=len(self.sides)):
            if self.tensor.corner(ends) < 0:
                yield tuple(side[end] for side, end in zip(self.sides, ends, strict=True))

    def longest(self) -> int | None:
        """The longest axis on which something depends; None if the box is too small."""
        shapes = [self.tensor.shape, *(g.shape for g in self.conditions)]
        axes = [axis for axis in range(len(self.sides)) if any(shape[axis] > 1 for shape in shapes)]
        best = max(axes, key=lambda axis: self.sides[axis][1] - self.sides[axis][0], default=None)
        return best if best is not None and self.sides[best][1] - self.sides[best][0] > LEAST_WIDTH else None

    def halves(self, axis: int) -> Iterator[Box]:
        """Both halves across an axis."""
        low, high = self.sides[axis]
        middle = (low + high) / 2
        parts = [g.halves(axis) for g in (self.tensor, *self.conditions)]
        for end, side in enumerate(((low, middle), (middle, high))):
            tensor, *conditions = (part[end] for part in parts)
            sides = (*self.sides[:axis], side, *self.sides[axis + 1 :])
            yield Box(sides, tensor, tuple(conditions), (*self.path, end))


def nonnegative_on_box(
    f: fmpq_mpoly,
    conditions: Sequence[fmpq_mpoly] = (),
    accept: Callable[[Point], Point | None] | None = None,
    open_ends: Sequence[tuple[bool, bool]] | None = None,
    tick: Callable[[], None] = lambda: None,
) -> Answer:
    """Whether f >= 0 at all points of the unit cube of the ring's generators at which all ``conditions`` are.

    ``accept`` has the last word on a witness: it returns the point to show, or None to go on.  With
    ``open_ends``, the question is whether f > 0 (a witness has f <= 0) except on those ends of the cube that
    are open.  ``tick`` is called for every box.

    >>> from dipc.numbers.parametric import Ring
    >>> p, q = (g.numerator for g in Ring(("p", "q")).gens)
    >>> nonnegative_on_box((p - q) ** 2 + fmpq(1, 8))
    Holds(proof=Tree(boxes=(0, 1, -1, -1, 1, -1, -1)))
    >>> nonnegative_on_box(p - q + fmpq(1, 2))
    Fails(point=(0, 1))
    """
    tensors = [bernstein(g) for g in (f, *conditions)]
    known = [tensor for tensor in tensors if tensor is not None]
    if len(known) < len(tensors):
        return Unclear(((fmpq(0), fmpq(1)),) * f.context().nvars())
    return Search(f, conditions, accept or (lambda point: point), open_ends, tick).run(*known)


@dataclass
class Search:
    """The bisection of boxes; the arguments are those of :func:`nonnegative_on_box`."""

    f: Any
    conditions: Sequence[fmpq_mpoly]
    accept: Callable[[Point], Point | None]
    open_ends: Sequence[tuple[bool, bool]] | None
    tick: Callable[[], None]
    most: ClassVar[int] = MOST_BOXES

    def run(self, tensor: Tensor, *conditions: Tensor) -> Answer:
        """The answer, from the coefficients on the cube."""
        cube = ((fmpq(0), fmpq(1)),) * len(tensor.shape)
        done: dict[Path, int] = {}
        queue = deque([Box(cube, tensor, conditions)])
        while queue:
            self.tick()
            box = queue.popleft()
            label = self.settled(box)
            if label is None:
                if (point := self.witness(box)) is not None:
                    return Fails(point)
                label = box.longest()
                if label is None or len(done) + len(queue) >= self.most:
                    return Unclear(box.sides)
                queue.extend(box.halves(label))
            done[box.path] = label
        return Holds(Tree(tuple(done[path] for path in sorted(done))))

    def settled(self, box: Box) -> int | None:
        """The label of a box on which nothing is left to show."""
        for i, tensor in enumerate(box.conditions):
            if max(tensor.coefficients) < 0:
                return NONNEGATIVE - 1 - i
        if min(box.tensor.coefficients) < 0 or self.zeros(box):
            return None
        return NONNEGATIVE

    def zeros(self, box: Box) -> list[Point]:
        """With open ends: the centres of faces on which f is 0, and which are not on an open end of the cube.

        f > 0 inside a face of which some coefficient is positive, if none is negative; so the smallest faces
        are enough.
        """
        if self.open_ends is None:
            return []
        choices: list[list[int | None]] = []
        for (low, high), (low_open, high_open) in zip(box.sides, self.open_ends, strict=True):
            shut = ([] if low_open and low == 0 else [0]) + ([] if high_open and high == 1 else [-1])
            choices.append([*shut] or [None])
        faces = (ends for ends in product(*choices) if not any(box.tensor.face(ends)))
        return [box.middle_of(ends) for ends in faces]

    def witness(self, box: Box) -> Point | None:
        """A point of the box that refutes the claim."""
        for point in (*box.suspects(), *self.zeros(box), box.middle_of([None] * len(box.sides))):
            value = self.f(*point)
            wrong = value < 0 or (value == 0 and self.open_ends is not None)
            if wrong and all(g(*point) >= 0 for g in self.conditions):
                shown = self.accept(point)
                if shown is not None:
                    return shown
        return None


def isolated_roots(f: fmpq_mpoly) -> list[Side]:
    """The roots in [0, 1] of a square-free polynomial in one variable, ascending.

    Each in a closed interval of its own, with no root at an end unless both ends are equal.

    >>> from dipc.numbers.parametric import Ring
    >>> p = Ring(("p",)).gens[0].numerator
    >>> isolated_roots(p * (2 * p - 1) * (p * p + p - 1))
    [(0, 0), (1/2, 1/2), (9/16, 5/8)]
    """
    tensor = bernstein(f)
    if tensor is None or len(tensor.shape) != 1:
        raise InternalError("roots of a polynomial in several variables")
    found = [(end, end) for end in (fmpq(0), fmpq(1)) if f(end) == 0]
    pending = [(fmpq(0), fmpq(1), tensor)]
    while pending:
        low, high, part = pending.pop()
        values = part.coefficients
        if (number := changes(values)) == 1 and values[0] and values[-1]:
            found.append((low, high))
        elif number:
            middle = (low + high) / 2
            if f(middle) == 0:
                found.append((middle, middle))
            left, right = part.halves(0)
            pending += [(low, middle, left), (middle, high, right)]
    return sorted(found, key=lambda side: side[0] + side[1])
