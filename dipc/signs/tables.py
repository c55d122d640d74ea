"""Sign tables: the budgets cut into open cells on which given functions have constant signs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from flint import fmpq

from dipc.errors import InternalError
from dipc.signs.eps_range import EpsRange, simplest_between
from dipc.signs.radicals import Function, Radical, radical_roots
from dipc.signs.roots import Root, positive_roots

COARSE = fmpq(1, 2**60)


@dataclass(frozen=True, slots=True)
class RootCluster:
    """Roots of one or more of the functions, too close to be worth telling apart.

    ``members`` are the functions with a root here: only their signs can differ on the two sides, or
    anywhere in between.
    """

    roots: tuple[Root, ...]
    members: frozenset[int]

    @property
    def low(self) -> fmpq:
        return min(root.low for root in self.roots)

    @property
    def high(self) -> fmpq:
        return max(root.high for root in self.roots)


End = RootCluster | fmpq | None  # a border, an end of the budgets, or infinity


@dataclass(frozen=True, slots=True)
class OpenInterval:
    """An open interval on which every function has a constant sign, with a simple rational in it."""

    low: End
    high: End
    sample: fmpq
    signs: tuple[int, ...]


def sign_table(functions: Sequence[Function], budgets: EpsRange) -> tuple[OpenInterval, ...]:
    """The cells of the budgets, from left to right.

    For budgets that are one point the only "cell" is that point.  Raises
    :class:`~dipc.signs.roots.Unsettled`.

    >>> from dipc.numbers.exppoly import ExpPoly
    >>> f = ExpPoly.exp(1) - 1 - ExpPoly.of(2, 1)                      # exp(eps) - 1 - 2 eps
    >>> [(cell.signs, cell.sample) for cell in sign_table([f], EpsRange.positive())]
    [((-1,), 1), ((1,), 2)]
    """
    if budgets.is_point:
        point = budgets.low
        return (OpenInterval(point, point, point, tuple(f.sign_at(point) for f in functions)),)
    borders = _borders([roots_within(f, budgets.low, budgets.high) for f in functions])
    ends: list[End] = [budgets.low, *borders, budgets.high]
    cells = []
    for left, right in pairwise(ends):
        after = left.high if isinstance(left, RootCluster) else left
        before = right.low if isinstance(right, RootCluster) else right
        assert after is not None
        sample = simplest_between(after, before)
        signs = tuple(f.sign_at(sample) for f in functions)
        if any(f and not sign for f, sign in zip(functions, signs, strict=True)):
            raise InternalError(f"an inequality has a root at {sample} that was not found")
        cells.append(OpenInterval(left, right, sample, signs))
    return tuple(cells)


def roots_within(f: Function, low: fmpq, high: fmpq | None) -> tuple[Root, ...]:
    """:func:`positive_roots`, remembered; none for the zero function.

    They come in the same intervals every time, whatever was asked before: samples and answers depend on them.
    """
    return tuple(replace(root) for root in _remembered(f, low, high))


@lru_cache(maxsize=8192)
def _remembered(f: Function, low: fmpq, high: fmpq | None) -> tuple[Root, ...]:
    if isinstance(f, Radical):
        return tuple(radical_roots(f, low, high))
    return tuple(positive_roots(f, low, high)) if f else ()


def _borders(roots: list[tuple[Root, ...]]) -> list[RootCluster]:
    """Roots of all functions, from left to right, those that cannot be told apart put together."""
    ordered = sorted(
        ((root, i) for i, group in enumerate(roots) for root in group), key=lambda pair: pair[0].low
    )
    if sum(map(bool, roots)) > 1:  # the roots of one function are apart already
        for root, _ in ordered:
            root.refine_to(COARSE)
        ordered.sort(key=lambda pair: pair[0].low)
    groups: list[list[tuple[Root, int]]] = []
    reach: fmpq | None = None
    for root, i in ordered:
        if reach is not None and root.low <= reach:
            groups[-1].append((root, i))
            reach = max(reach, root.high)
        else:
            groups.append([(root, i)])
            reach = root.high
    return [RootCluster(_different(r for r, _ in group), frozenset(i for _, i in group)) for group in groups]


def _different(roots: Iterable[Root]) -> tuple[Root, ...]:
    """Roots that are surely equal only once: those of one factor, in the same interval."""
    return tuple(
        {(root.low, None if root.is_rational else (root.high, root.factor)): root for root in roots}.values()
    )


def end_as_text(end: End, digits: int = 10) -> str:
    """Exact if rational, else rounded to ``digits`` decimals; "inf" for infinity."""
    if end is None:
        return "inf"
    return root_as_text(end.roots[0], digits) if isinstance(end, RootCluster) else str(end)


def root_as_text(root: Root, digits: int) -> str:
    """Exact if it is known to be rational, else rounded to ``digits`` decimals."""
    if not root.is_rational:
        root.refine_to(fmpq(1, 10 ** (digits + 1)))
    return str(root.low) if root.is_rational else decimal((root.low + root.high) / 2, digits)


def decimal(value: fmpq, digits: int) -> str:
    """A rational rounded to ``digits`` decimals, trailing zeros dropped.

    >>> decimal(fmpq(2, 3), 4), decimal(fmpq(-1, 2), 4)
    ('0.6667', '-0.5')
    """
    scaled = abs(value) * 10**digits + fmpq(1, 2)
    whole, rest = divmod(int(scaled.floor()), 10**digits)
    text = f"{whole}.{rest:0{digits}d}".rstrip("0").rstrip(".")
    return "-" + text if value < 0 and text != "0" else text
