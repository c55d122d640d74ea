"""The weight of one sample: its density or its probabilities, restricted by what is known of it.

**Rates a/eps.**  A sample of rate ``a/eps`` is one of rate ``a*eta`` with ``eta = 1/eps``.  Its weight is the
same piecewise function in the coordinate ``y = eta * x``, with eta in the place of eps (``inverse``), and a
finished integral in eta is turned into one in eps.  Samples of both kinds in one integral would need terms
``exp(x/eps + x eps)``, which leave the class: they may occur side by side, but not in one comparison.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from flint import fmpq

from dipc.frozen import frozen
from dipc.integration.halfspaces import Form, bounds
from dipc.integration.linear import Linear
from dipc.integration.piecewise import Piecewise
from dipc.integration.summation import HALF, antidifference, total
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient


@frozen
class Weight:
    """A function on the reals, or on the integers (then with breakpoints between them)."""

    function: Piecewise
    integer: bool = False
    inverse: bool = False

    def __bool__(self) -> bool:
        return bool(self.function)

    def times(self, function: Piecewise) -> Weight:
        """The product with a function of the sample."""
        product = self.function * function
        return self._with(product.on_integers() if self.integer else product)

    def plus(self, other: Weight) -> Weight:
        """The sum of two weights of one kind."""
        return self._with(self.function + other.function)

    def can_hold(self, factor: ExpPoly) -> bool:
        """Whether :meth:`scaled` by a function of eps stays in the class."""
        return not factor.has_constants and not (factor.has_rates if self.inverse else factor.has_inverse)

    def scaled(self, factor: ExpPoly) -> Weight:
        """The product with a function of eps, see :meth:`can_hold`."""
        return self._with(self.function.scale(factor.at_inverse() if self.inverse else factor))

    def where(self, condition: Linear) -> Weight:
        """Restricted by a condition (in normal form) on this sample alone."""
        ((_, c),) = condition.coefficients
        bound = -condition.constant / c
        if self.integer:
            bound = bound - HALF if c > 0 else bound + HALF
        return self._with(self.function.restrict(bound, above=c > 0))

    def total(self) -> Quotient:
        """The integral, or the sum, over all values."""
        return self.in_eps(total(self.function) if self.integer else Quotient(self.function.total()))

    def in_eps(self, value: Quotient) -> Quotient:
        """A function of eps, from what was computed with this weight: one of eta if it is inverse."""
        return value.at_inverse() if self.inverse else value

    def _with(self, function: Piecewise) -> Weight:
        return Weight(function, self.integer, self.inverse)


Bound = tuple[fmpq, fmpq]  # slope and offset: slope * w + offset


def over_leaf(weight: Weight, v: int, conditions: Iterable[Linear]) -> tuple[Piecewise, Quotient]:
    """``w -> integral (or sum) of the weight over the v that satisfy the conditions``, and a factor to it.

    The conditions are in normal form and mention v and w only; for integer samples the coefficient of v is
    1 or -1, so that the bounds on v are integers.  The piecewise function is one of eta if the weight is.
    """
    lower, upper, _ = bounds((Form(link.coefficients, link.constant) for link in conditions), v)
    lines = (frozenset((f.coefficients[0][1], f.constant) for f in side) for side in (lower, upper))
    return between(weight, *lines)


@lru_cache(maxsize=4096)
def primitive_of(weight: Weight) -> tuple[Piecewise, ExpPoly]:
    """A function whose differences are the integrals (sums), and the denominator to divide it by."""
    if weight.integer:
        return antidifference(weight.function)
    return weight.function.antiderivative(), ExpPoly.of(1)


@lru_cache(maxsize=65536)
def between(weight: Weight, lower: frozenset[Bound], upper: frozenset[Bound]) -> tuple[Piecewise, Quotient]:
    """The integral from the greatest lower to the least upper bound as a function of w, and a factor to it.

    It is 0 where they cross: the line of w is cut where two bounds meet; on each piece those that count are
    known.
    """
    primitive, denominator = primitive_of(weight)
    total = Piecewise.constant(primitive.limit())
    step = fmpq(1) if weight.integer else fmpq(0)  # a sum that starts at L is S(U) - S(L - 1)
    corners = _crossings([*lower, *upper], weight.integer)
    result = Piecewise.constant(ExpPoly())
    for left, right in zip([None, *corners], [*corners, None], strict=True):
        inside = _inner_point(left, right)
        low = max(lower, key=lambda b: _value(b, inside), default=None)
        high = min(upper, key=lambda b: _value(b, inside), default=None)
        if low and high and _value(low, inside) > _value(high, inside):
            continue
        piece = primitive.compose(*high) if high else total
        if low:
            slope, offset = low
            piece = piece + primitive.compose(slope, offset - step).scale(ExpPoly.of(-1))
        if left is not None:
            piece = piece.restrict(left, above=True)
        if right is not None:
            piece = piece.restrict(right, above=False)
        result = result + piece
    return result, weight.in_eps(Quotient.one() / Quotient(denominator))


def _value(bound: Bound, w: fmpq) -> fmpq:
    slope, offset = bound
    return slope * w + offset


def _crossings(bounds: list[Bound], integer: bool) -> list[fmpq]:
    """Where two of the bounds meet, ascending.

    For functions on the integers between two integers; one at which bounds meet has a piece of its own,
    as they may be in one order before it, in the other after it, and equal there.
    """
    points: dict[str, fmpq] = {}
    for i, (slope, offset) in enumerate(bounds):
        for slope2, offset2 in bounds[:i]:
            if slope != slope2:
                x = (offset2 - offset) / (slope - slope2)
                for cut in (fmpq(x.floor()) + HALF, fmpq(x.ceil()) - HALF) if integer else (x,):
                    points[str(cut)] = cut
    return sorted(points.values())


def _inner_point(left: fmpq | None, right: fmpq | None) -> fmpq:
    if left is None:
        return fmpq(0) if right is None else right - 1
    return left + 1 if right is None else (left + right) / 2
