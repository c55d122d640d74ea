"""Where the loss of a path comes from: the cheapest shift of its samples (the alignment argument).

Let a path make the same random choices on u and on u', with samples x_i of the laws kind(a_i eps, m_i) on u
and kind(a_i eps, m'_i) on u', and conditions A x + c > 0 on u and A x + c' > 0 on u'.  If A d >= c - c', then
x -> x + d takes every point of the path on u to one of the path on u', and the density there is at least
``exp(-eps sum a_i |d_i - (m'_i - m_i)|)`` times as high, since the noise is Laplace.  Hence

    P(path on u)  <=  factor * exp(eps * sum a_i |d_i - (m'_i - m_i)|) * P(path on u'),

``factor`` being the ratio of the probabilities of the finite choices.  One-sided noise needs
d_i >= m'_i - m_i, integer noise an integer d_i: see :attr:`NoiseKind.shifts`.  The cheapest d solves a linear
program; it is checked against the conditions again, so that the bound does not depend on the solver.

The bound is often the loss itself, but not always: it takes each point of the path at its worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Edge, Form, Guard
from dipc.dipwhile.allsizes.automaton import Sample as Noise
from dipc.dipwhile.allsizes.linear import Strategy, cheapest
from dipc.dipwhile.explain.paths import Path, Sample
from dipc.integration.linear import Linear
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

Samples = Sequence[Sample]
Needs = Sequence[tuple[Linear, Linear]]
"""The conditions of a path on u and on u'."""


@dataclass(frozen=True, slots=True)
class Shift:
    """A sample that is moved by ``by`` while its mean moves by ``mean``; it costs ``rate * |by - mean|``."""

    sample: int
    by: fmpq
    mean: fmpq
    cost: fmpq


@dataclass(frozen=True, slots=True)
class Alignment:
    """``P(u) <= factor * exp(cost * eps) * P(u')`` on a path (``cost / eps`` if inverse)."""

    shifts: tuple[Shift, ...]
    factor: Quotient
    inverse: bool

    @property
    def cost(self) -> fmpq:
        """The sum of the costs of all shifts."""
        return sum((shift.cost for shift in self.shifts), fmpq(0))

    @property
    def bound(self) -> Quotient:
        """``factor * exp(cost * eps)``."""
        exponent = ExpPoly.exp(0, 0, self.cost) if self.inverse else ExpPoly.exp(self.cost)
        return self.factor * Quotient(exponent)


def alignment(left: Path, right: Path) -> Alignment | None:
    """The cheapest shift from a path on u to its twin on u', or None if the argument does not apply."""
    inverse = {sample.law.inverse for sample in left.samples}
    if left.has_loop or left.signature != right.signature or len(inverse) > 1:
        return None
    samples, needs = left.samples, list(zip(left.conditions, right.conditions, strict=True))
    means = [b.law.mean - a.law.mean for a, b in zip(samples, right.samples, strict=True)]
    # Moving as the means do costs nothing.
    by = means if _allowed(samples, needs, means, means) else _cheapest(samples, needs, means)
    if by is None or not _allowed(samples, needs, means, by):
        return None
    factor = Quotient.one()
    for a, b in zip(left.choices, right.choices, strict=True):
        if a.probability is not None and b.probability is not None:
            factor = factor * a.probability / b.probability
    moves = enumerate(zip(samples, means, by, strict=True))
    shifts = tuple(Shift(i, d, mean, a.law.rate * abs(d - mean)) for i, (a, mean, d) in moves)
    return Alignment(shifts, factor, any(inverse))


def _allowed(samples: Samples, needs: Needs, moved: Sequence[fmpq], by: Sequence[fmpq]) -> bool:
    """Whether the shift takes the path on u into the path on u'."""
    for sample, mean, d in zip(samples, moved, by, strict=True):
        kind = sample.law.kind
        if (kind.integer and d.q != 1) or (d != mean and (1 if d > mean else -1) not in kind.shifts):
            return False
    gains = (sum((c * by[i] for i, c in u.coefficients), fmpq(0)) for u, _ in needs)
    return all(gain >= u.constant - v.constant for gain, (u, v) in zip(gains, needs, strict=True))


def _cheapest(samples: Samples, needs: Needs, moved: Sequence[fmpq]) -> Sequence[fmpq] | None:
    """How far to move the samples at the least cost: the program of `dipc prove` for a single edge."""
    edge = Edge(
        source=0,
        target=1,
        samples=tuple(
            Noise(sample.law.kind.name, sample.law.rate, Form(constant=mean))
            for sample, mean in zip(samples, moved, strict=True)
        ),
        guards=tuple(Guard(Form(u.coefficients, v.constant - u.constant)) for u, v in needs),
        sets=(),
        cost=fmpq(0),
    )
    found = cheapest([edge], edge.source, Clock())
    return found.shifts[0] if isinstance(found, Strategy) else None
