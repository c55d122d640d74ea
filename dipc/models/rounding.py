"""Rows of floats as exact numbers: a float is the decimal that prints it, and rounding is reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from flint import fmpq

from dipc.errors import InputError, WrongType
from dipc.models.reading import PLAIN_NUMBER
from dipc.numbers.exact import rational


class Rounding:
    """Takes rows that should sum to 1 to multiples of ``1/multiple``; without one, rows must be exact."""

    def __init__(self, multiple: int | None) -> None:
        self.multiple, self.most = multiple, fmpq(0)
        if multiple is not None and (type(multiple) is not int or multiple < 1):
            raise WrongType(f"round is a positive integer N, for multiples of 1/N, not {multiple}")

    def row(self, values: Iterable[Any], where: str) -> list[fmpq]:
        """The numbers of a row; they sum to 1, or all are 0.  Raises :class:`InputError`."""
        found = [_decimal(x, where) for x in values]
        total = sum(found, fmpq(0))
        if self.multiple is not None and total and abs(total - 1) * self.multiple <= len(found):
            snapped = _snapped([x / total for x in found], self.multiple)
            self.most = max([self.most, *(abs(x - y) for x, y in zip(found, snapped, strict=True))])
            return snapped
        if total not in (0, 1):
            error = f"{where} sums to 1 {'+' if total > 1 else '-'} {abs(total - 1)}"
            raise InputError(error, hint="round=1000 takes multiples of 1/1000 that sum to 1")
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """By how much numbers have changed, if any has."""
        if not self.most:
            return ()
        size = f"{Decimal(int(self.most.p)) / Decimal(int(self.most.q)):.2g}"
        return (f"the probabilities were rounded to multiples of 1/{self.multiple}, by at most {size}",)


def _decimal(value: Any, where: str) -> fmpq:
    text = str(value)
    if not (isinstance(value, int | Fraction | fmpq) or PLAIN_NUMBER.fullmatch(text)):
        raise WrongType(f"{where} contains {text}, not a probability")
    return rational(text, where)


def _snapped(row: Sequence[fmpq], multiple: int) -> list[fmpq]:
    """Multiples of ``1/multiple`` that sum to 1: rounded down, then the largest remainders rounded up.

    >>> _snapped([fmpq(1, 3)] * 3, 10)
    [2/5, 3/10, 3/10]
    """
    down = [int((x * multiple).floor()) for x in row]
    order = sorted(range(len(row)), key=lambda i: down[i] - row[i] * multiple)
    for i in order[: multiple - sum(down)]:
        down[i] += 1
    return [fmpq(n, multiple) for n in down]
