"""Polynomials whose coefficients are functions of eps, on boxes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import prod

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly
from dipc.signs import boxes
from dipc.signs.boxes import HALF, Point

Coefficients = Mapping[tuple[int, ...], ExpPoly]
"""A polynomial in the coordinates of the cube: the exponents of its monomials, with functions of eps."""


class Tensor(boxes.Tensor):
    """Bernstein coefficients that are functions of eps, not scaled: many boxes share their values."""

    @staticmethod
    def halved(line: list[ExpPoly]) -> tuple[list[ExpPoly], list[ExpPoly]]:
        low, high = [], []
        while line:
            low.append(line[0])
            high.append(line[-1])
            line = [(a + b) * HALF for a, b in pairwise(line)]
        return low, high[::-1]


def bernstein(f: Coefficients, axes: int) -> Tensor:
    """The coefficients of f on the whole cube."""
    return Tensor.of(boxes.shape_of(f, axes), f, ExpPoly())


def value_at(f: Coefficients, point: Point) -> ExpPoly:
    """The function of eps that f is at a point."""
    total = ExpPoly()
    for powers, c in f.items():
        total = total + c * prod((x**n for x, n in zip(point, powers, strict=True)), start=fmpq(1))
    return total
