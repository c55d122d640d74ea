"""An irrational least x that is needed at an end of the range of eps has a name, such as ``ln(5*exp(1))``.

The eps that need more than a proved lower bound form a few intervals.  If the need is monotone on their hull,
which balls show (interval arithmetic), then most is needed at an end of the hull.  If that is an end of the
range as well, then the least x is exactly the value there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from flint import arb, ctx, fmpq

from dipc.claims.regions import Region, violated_regions
from dipc.errors import InputError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.roots import Unsettled
from dipc.signs.tables import RootCluster

PARTS = 16  # of the hull, each with a ball
PRECISION = 192  # bits of these balls


@dataclass(frozen=True, slots=True)
class Name:
    """The number ``value``, or ``ln(value)/over``; the value is a constant.

    >>> one = ExpPoly.exp(0, 1)
    >>> [str(Name(Quotient(one + 1), over)) for over in (None, fmpq(1), fmpq(2, 3))]
    ['1 + exp(1)', 'ln(1 + exp(1))', '3/2*ln(1 + exp(1))']
    """

    value: Quotient
    over: fmpq | None = None

    def __str__(self) -> str:
        if self.over is None:
            return str(self.value)
        return ("" if self.over == 1 else f"{1 / self.over}*") + f"ln({self.value})"

    @property
    def rational(self) -> fmpq | None:
        """The number, if it is seen to be rational: ``ln(exp(k))/over``.

        >>> Name(Quotient(ExpPoly.exp(0, 1)), fmpq(2, 3)).rational
        3/2
        """
        above, below = self.value.numerator, self.value.denominator
        if self.over is None or len(above) != 1 or len(below) != 1:
            return None
        (a,), (b,) = above.terms(), below.terms()
        return (a.constant - b.constant) / self.over if a.coefficient == b.coefficient else None

    def enclose(self) -> arb:
        """A ball around the number, at the precision of the context."""
        ball = self.value.enclose(arb(1))
        return ball if self.over is None else ball.log() / arb(self.over)


class Need(NamedTuple):
    """How much x is needed: a ball of it, a ball with the sign of its derivative, and its name at one eps."""

    amount: Callable[[arb], arb]
    slope: Callable[[arb], arb]
    name: Callable[[fmpq], Name]


def need_of_loss(p: Quotient, q: Quotient, times: int = 1) -> Need:
    """The need of ``ln(p/q)/(times eps)``; times eps^2 its slope is ``eps (p'/p - q'/q) - ln(p/q)``."""

    def loss(eps: arb) -> arb:
        return (p.enclose(eps) / q.enclose(eps)).log()

    def slope(eps: arb) -> arb:
        return eps * (growth(p, eps) - growth(q, eps)) - loss(eps)

    return Need(
        lambda eps: loss(eps) / (eps * times), slope, lambda eps: Name(p.at(eps) / q.at(eps), eps * times)
    )


def need_of_value(value: Quotient) -> Need:
    """The need of the value itself."""

    def slope(eps: arb) -> arb:
        above, below = value.numerator, value.denominator
        return (above.derivative() * below - above * below.derivative()).enclose(eps)

    return Need(value.enclose, slope, lambda eps: Name(value.at(eps)))


def growth(f: Quotient, eps: arb) -> arb:
    """``f'/f`` on a ball."""
    above, below = (g.derivative().enclose(eps) / g.enclose(eps) for g in (f.numerator, f.denominator))
    return above - below


def needed_at_end(
    margins: Mapping[int, ExpPoly], needs: Mapping[int, Need], budgets: EpsRange
) -> tuple[int, fmpq, Name] | None:
    """The requirement that needs most, the end where it does, and how much; None if that is not shown.

    ``margins`` are those at a lower bound, of all requirements that may need more; ``budgets`` is closed at
    its positive ends.
    """
    best: tuple[int, fmpq, Name] | None = None
    for i, margin in margins.items():
        try:
            between = hull(margin, budgets)
            if between is None:
                continue
            place = _greatest_at(needs[i].slope, between, budgets)
            if place is None or (best is not None and best[1] != place):
                return None
            name = needs[i].name(place)
        except (Unsettled, InputError, ZeroDivisionError):  # the last two: it grows beyond all bounds there
            return None
        if best is None or (name.value - best[2].value).sign_at(fmpq(1)) > 0:
            best = i, place, name
    return best


def hull(margin: ExpPoly, budgets: EpsRange) -> tuple[fmpq, fmpq | None] | None:
    """From the first to the last eps with a negative margin, if there are any.  Raises :class:`Unsettled`."""
    if budgets.is_point:
        return (budgets.low, budgets.low) if margin.sign_at(budgets.low) < 0 else None
    regions = violated_regions([margin], budgets)
    return (outer(regions[0])[0], outer(regions[-1])[1]) if regions else None


def outer(region: Region) -> tuple[fmpq, fmpq | None]:
    """Rational ends around a region; None is infinity."""
    low = region.low.low if isinstance(region.low, RootCluster) else region.low
    assert low is not None
    return low, region.high.high if isinstance(region.high, RootCluster) else region.high


def _greatest_at(
    slope: Callable[[arb], arb], between: tuple[fmpq, fmpq | None], budgets: EpsRange
) -> fmpq | None:
    """The end of the range where a function that is monotone in between is greatest; None: not shown."""
    low, high = between
    if budgets.is_point:
        return low
    if not low or high is None:
        return None
    cuts = [low + (high - low) * fmpq(k, PARTS) for k in range(PARTS + 1)]
    with ctx.workprec(PRECISION):
        slopes = [slope(arb(a).union(arb(b))) for a, b in pairwise(cuts)]
        if high == budgets.high and all(s > 0 for s in slopes):
            return high
        if low == budgets.low and all(s < 0 for s in slopes):
            return low
    return None
