"""What a script can check about an inequality without deciding it: its derivative chain, or signs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from dipc.export.inequalities import Inequality
from dipc.numbers.exppoly import ExpPoly
from dipc.signs.derivatives import chain_exponents, chain_values, derivative_chain
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.inequality import PROBES
from dipc.signs.limits import Unsettled
from dipc.signs.tables import RootCluster, sign_table

SAMPLES = 3


@dataclass(frozen=True, slots=True)
class Link:
    """A function f_{k-1} of a derivative chain, its value where the chain begins, and the exponent a_k."""

    function: ExpPoly
    value: ExpPoly
    exponent: fmpq


def links(f: ExpPoly, at: fmpq) -> list[Link]:
    """The derivative chain of f from a point on."""
    return [Link(g, g.at(at), a) for g, a in zip(derivative_chain(f), chain_exponents(f), strict=True)]


def numbers(inequality: Inequality) -> tuple[list[fmpq], list[fmpq]] | None:
    """The exponents and the rational values of the chain at 0, if it is the proof of an inequality."""
    if inequality.chain_start != 0 or inequality.function.has_constants:
        return None
    exponents, values = zip(*chain_values(inequality.function), strict=True)
    return list(exponents), list(values)


def samples(f: ExpPoly, budgets: EpsRange) -> list[tuple[fmpq, int]]:
    """Some eps with the exact signs of f there: one in each interval of constant sign, and a few probes."""
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
