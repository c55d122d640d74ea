"""The points of plots: intervals of eps, and functions sampled where they bend.

Each value is a ball around the exact one, which becomes a float at the very end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from math import inf, isfinite, isnan, log10, nan
from pathlib import Path
from typing import NamedTuple

from flint import arb, ctx, fmpq

from dipc.errors import InputError
from dipc.numbers.exact import Number
from dipc.numbers.function import FunctionOfEps, budget
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.tables import End

LOW, HIGH = fmpq(1, 100), fmpq(100)
PICTURES = (".png", ".svg", ".pdf", ".jpg", ".jpeg", ".eps", ".ps", ".webp")
START, DEPTH = 64, 6  # the first pieces of a curve, and how often each may be halved
BENT = 1 / 500  # of the height of the plot
PRECISIONS = (64, 256, 1024, 4096)


class Range(NamedTuple):
    """The values of eps on an axis; ``log``: the axis is logarithmic."""

    low: fmpq
    high: fmpq
    log: bool

    @staticmethod
    def of(low: Number | None, high: Number | None, log: bool | None) -> Range:
        """The ends asked for; unless chosen, the scale is logarithmic if they are a factor of 50 apart."""
        for asked in (low, high):
            if isinstance(asked, str | Path):
                refuse_file(asked)
        start = LOW if low is None else budget(low)
        end = max(HIGH, start * 100) if high is None else budget(high)
        if not start < end:
            raise InputError(f"a plot needs low < high, not {start} and {end}")
        if log and not start:
            hint = "give a positive `low`, or log=False"
            raise InputError("a logarithmic axis cannot begin at 0", hint=hint)
        return Range(start, end, (start > 0 and end >= 50 * start) if log is None else log)

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends as floats."""
        return as_float(self.low), as_float(self.high)

    def point(self, share: float) -> float:
        """The value of eps at a share between 0 and 1 of the axis."""
        low, high = self.ends
        if not self.log:
            return low + share * (high - low)
        inside = 10 ** (log10(low) + share * (log10(high) - log10(low)))
        return low if share == 0 else high if share == 1 else inside

    def part(self, low: float, high: float) -> Range | None:
        """The part of the axis from ``low`` to ``high``; None if there is none."""
        start, end = max(fmpq_of(low), self.low), fmpq_of(min(high, self.ends[1]))
        return Range(start, end, self.log and start > 0) if start < end else None


def refuse_file(name: str | Path) -> None:
    """Refuse the name of a picture where a value of eps belongs: ``plot`` does not write files."""
    if Path(name).suffix.lower() in PICTURES:
        message = f"`plot` draws a figure and does not write the file `{name}`"
        raise InputError(message, hint=f'save the figure: .plot().savefig("{name}")')


def beginning(asked: Number | None, usual: fmpq, log: bool | None) -> Number:
    """Where an axis begins: as asked, or where the eps range does; a logarithmic axis has no 0.

    >>> beginning(None, fmpq(0), None), beginning(None, fmpq(0), True), beginning(3, fmpq(0), True)
    (0, 1/100, 3)
    """
    return asked if asked is not None else LOW if log and not usual else usual


def axis(budgets: EpsRange, far: fmpq, low: Number | None, high: Number | None, log: bool | None) -> Range:
    """As asked, or the whole eps range, up to ``far`` if it is unbounded; linear unless asked otherwise."""
    end = max(far, 2 * budgets.low) if budgets.high is None else budgets.high
    return Range.of(beginning(low, budgets.low, log), end if high is None else high, log or False)


def as_float(value: fmpq) -> float:
    """The nearest float."""
    return int(value.p) / int(value.q)


def fmpq_of(value: float) -> fmpq:
    """A float as an exact rational number."""
    exact = Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


def float_end(end: End) -> float:
    """An end of an interval or of a segment."""
    match end:
        case None:
            return inf
        case fmpq():
            return as_float(end)
        case _:
            return as_float((end.low + end.high) / 2)


def value_of(f: FunctionOfEps, eps: fmpq) -> float:
    """The value at eps; nan where it is not finite."""
    found = _middle(lambda: f.enclose(arb(eps)))
    return exact_value_of(f, eps) if isnan(found) else found


def exact_value_of(f: FunctionOfEps, eps: fmpq) -> float:
    """The value at eps, correctly rounded; nan where it is not finite."""
    try:
        return float(f.at(eps))
    except (InputError, OverflowError):
        return nan


def loss_value(value: Quotient, eps: fmpq) -> float:
    """``ln(value)`` at eps; nan where it is not finite."""
    return _middle(lambda: value.enclose(arb(eps)).log())


def factor_value(value: Quotient, eps: fmpq) -> float:
    """``ln(value) / eps``; nan at 0."""
    return loss_value(value, eps) / as_float(eps) if eps else nan


def _middle(enclosed: Callable[[], arb]) -> float:
    """The middle of a ball that is narrow enough to be drawn; nan if no precision is sufficient."""
    for precision in PRECISIONS:
        with ctx.workprec(precision):
            ball = enclosed()
            if ball.is_finite() and (ball.rel_accuracy_bits() > 24 or abs(ball) < arb(2) ** -60):
                return float(ball.mid())
    return nan


Points = tuple[list[float], list[float]]


def curve(f: FunctionOfEps, span: Range) -> Points:
    """Points of a function, denser where it bends."""
    return sampled(lambda eps: value_of(f, eps), span)


def sampled(read: Callable[[fmpq], float], span: Range) -> Points:
    """Points of what ``read`` gives at each eps, denser where it bends."""
    shares = [i / START for i in range(START + 1)]
    known = {share: read(fmpq_of(span.point(share))) for share in shares}
    finite = finite_ones(known.values())
    height = max(finite) - min(finite) if finite else 0.0
    pending = [(a, b, 0) for a, b in pairwise(shares)]
    while pending and height:
        a, b, depth = pending.pop()
        middle = (a + b) / 2
        known[middle] = read(fmpq_of(span.point(middle)))
        straight = abs(known[middle] - (known[a] + known[b]) / 2) <= BENT * height
        if not straight and depth < DEPTH:
            pending += [(a, middle, depth + 1), (middle, b, depth + 1)]
    ordered = sorted(known)
    return [span.point(share) for share in ordered], [known[share] for share in ordered]


def finite_ones(values: Iterable[float]) -> list[float]:
    """The values that can be drawn."""
    return [y for y in values if isfinite(y)]
