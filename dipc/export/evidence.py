"""What a script can check about an inequality without deciding it: the derivative chain, or signs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly
from dipc.signs.derivatives import chain_values
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.inequality import PROBES
from dipc.signs.limits import Unsettled
from dipc.signs.tables import RootCluster, sign_table

SAMPLES = 3


@dataclass(frozen=True, slots=True)
class ChainProof:
    """The exponents a_k and the values f_{k-1}(0) >= 0 that prove f >= 0 for all eps >= 0."""

    exponents: tuple[fmpq, ...]
    values: tuple[fmpq, ...]


def chain_proof(f: ExpPoly) -> ChainProof | None:
    """The proof by the derivative chain at 0, if there is one.

    >>> chain_proof(ExpPoly.exp(1) - 1 - ExpPoly.of(1, 1))
    ChainProof(exponents=(0, 0, 1), values=(0, 0, 1))
    >>> chain_proof(2 - ExpPoly.exp(1)) is None
    True
    """
    if f.has_constants or f.has_inverse:
        return None
    exponents, values = [], []
    for exponent, value in chain_values(f):
        if value < 0:
            return None
        exponents.append(exponent)
        values.append(value)
    return ChainProof(tuple(exponents), tuple(values))


def samples(f: ExpPoly, budgets: EpsRange) -> list[tuple[fmpq, int]]:
    """Some budgets with the exact signs of f there: one in each cell of constant sign, or a few probes."""
    try:
        points = [cell.sample for cell in sign_table([f], budgets)]
    except Unsettled:
        points = []
    points += [probe for probe in PROBES[:SAMPLES] if probe in budgets]
    if not points:
        points = [budgets.low if budgets.is_point else simplest_between(budgets.low, budgets.high)]
    return [(point, f.sign_at(point)) for point in dict.fromkeys(points)]


def roots(f: ExpPoly, budgets: EpsRange) -> Iterator[tuple[fmpq, fmpq]]:
    """Intervals with one root each, of width 1/1000 at most; equal ends for a rational root.

    Raises :class:`Unsettled`.
    """
    for cell in sign_table([f], budgets):
        if isinstance(cell.high, RootCluster):
            (root,) = cell.high.roots
            root.refine_to(fmpq(1, 1000))
            yield root.low, root.high
