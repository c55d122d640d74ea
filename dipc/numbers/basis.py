"""Variables for exponents of any size: what python-flint is given, and the bounds of it.

A polynomial in ``z = exp(eps/u)`` has as many coefficients as its degree, and gcds and factors take time
and memory that grow with the degree: ``exp(10^9 eps) - exp(eps)`` has two terms.  Where the degree is great,
several *generators* take the place of z: the exponents are written as ``sum_i d_i g_i`` with few integers g_i
and small integers d_i, and ``z_i`` stands for ``exp(g_i eps/u)``; the same for exp(1/u) and exp(1/(u eps)).

``z_i -> exp(g_i eps/u)`` is a homomorphism of rings.  So factors and common factors that are found in the z_i
are factors and common factors of the functions.  But the z_i depend on each other: with several of them
(:attr:`Basis.is_free` is false) **nothing follows from what is not found**.  Polynomials that are coprime
there may have a common factor as functions, irreducible ones may split or have multiple roots, and one that
is not zero may be the zero function.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import lcm

from flint import Ordering, fmpq, fmpz_mpoly, fmpz_mpoly_ctx

from dipc.errors import InternalError
from dipc.frozen import frozen
from dipc.numbers.exppoly import ExpPoly, Items, Key

MODERATE = 2000  # the largest degree of polynomials in one variable, unless they are dense
DENSE = 4  # so many powers for each term are dense
DIGIT = 64  # the largest d_i that is wanted
GENERATORS = 8  # that are used at most
LETTERS = "zwv"  # exp(eps/u), exp(1/u), exp(1/(u eps))

Generators = tuple[int, ...]  # ascending, positive


@frozen
class Basis:
    """Generators of the exponents ``a``, ``k`` and ``b`` (:mod:`dipc.numbers.exppoly`) in units of 1/unit.

    >>> far = ExpPoly.exp(10**9) - ExpPoly.exp(1) + 1
    >>> basis = common_basis(far)
    >>> basis.axes[0], basis.is_free
    ((1, 1000000000), False)
    >>> common_basis(ExpPoly.exp(10) - 2).is_free
    True
    """

    unit: int
    axes: tuple[Generators, Generators, Generators]

    @property
    def is_free(self) -> bool:
        """Whether the variables are independent: then what is found is all there is."""
        return all(len(generators) == 1 for generators in self.axes)

    @property
    def context(self) -> fmpz_mpoly_ctx:
        """The ring of polynomials in eps and the variables of the generators."""
        return _context(*(len(generators) for generators in self.axes))

    def powers(self, key: Key) -> tuple[int, ...]:
        """The exponents of a term of the functions as those of the variables, negative ones too."""
        found = [key[0]]
        for generators, exponent in zip(self.axes, key[1:], strict=True):
            digits, rest = ((exponent,), 0) if generators == (1,) else _digits(exponent, generators)
            if rest:
                raise InternalError(f"the exponent {exponent} is no small combination of {generators}")
            found += digits
        return tuple(found)

    def key(self, powers: Sequence[int]) -> Key:
        """The term that a monomial in the variables stands for."""
        rest = iter(powers)
        n = int(next(rest))
        a, k, b = (sum(g * int(next(rest)) for g in generators) for generators in self.axes)
        return n, a, k, b

    def join(self, polynomial: fmpz_mpoly) -> ExpPoly:
        """The exponential polynomial that a polynomial in the variables stands for."""
        items: Items = {}
        simple = self.axes == ((1,), (1,), (1,))
        for powers, c in polynomial.to_dict().items():
            n, a, k, b = powers if simple else self.key(powers)
            key = int(n), int(a), int(k), int(b)
            items[key] = items.get(key, fmpq(0)) + c
        return ExpPoly({key: c for key, c in items.items() if c}, self.unit)


@cache
def _context(*numbers: int) -> fmpz_mpoly_ctx:
    names = ["eps"]
    for letter, number in zip(LETTERS, numbers, strict=True):
        names += [letter] if number == 1 else [f"{letter}{i}" for i in range(1, number + 1)]
    return fmpz_mpoly_ctx.get(tuple(names), Ordering.lex)


def common_unit(*functions: ExpPoly) -> int:
    """The least unit in which all exponents are integers."""
    return lcm(*(f.canonical()[0] for f in functions))


def common_basis(*functions: ExpPoly, most: int | None = None) -> Basis | None:
    """A basis for the exponents of functions that are not zero; None if it would need too many generators.

    The generators are taken from the first functions, as far as possible; there is one up to a degree that is
    moderate and not more than ``most``.
    """
    unit = common_unit(*functions)
    tables = [f.in_unit(unit) for f in functions]
    moderate = MODERATE if most is None else min(MODERATE, most)
    axes = [_generators(tuple(_steps(items, axis) for items in tables), moderate) for axis in (1, 2, 3)]
    if None in axes or any(_steps(items, 0)[-1] > MODERATE for items in tables):
        return None
    z, w, v = axes
    return Basis(unit, (z, w, v))  # type: ignore[arg-type]


def _steps(items: Items, axis: int) -> tuple[int, ...]:
    """The exponents on one axis, the least of them 0, each once."""
    found = sorted({key[axis] for key in items})
    return tuple(e - found[0] for e in found)


@lru_cache(maxsize=4096)
def _generators(tables: tuple[tuple[int, ...], ...], moderate: int) -> Generators | None:
    """Few integers of which all the exponents are small combinations; just 1 where the degree is moderate."""
    if all(steps[-1] <= max(moderate, DENSE * len(steps)) for steps in tables):
        return (1,)
    exponents = list(dict.fromkeys(e for steps in tables for e in steps))
    found: Generators = ()
    for _ in range(2 * GENERATORS):
        rest = next((rest for e in exponents if (rest := _digits(e, found)[1])), 0)
        if not rest:
            return found if len(found) <= GENERATORS else None
        every = tuple(sorted((*found, abs(rest))))
        found = tuple(g for i, g in enumerate(every) if _digits(g, every[:i])[1])  # 2 g may come before g
    return None


@lru_cache(maxsize=65536)
def _digits(exponent: int, generators: Generators) -> tuple[tuple[int, ...], int]:
    """An exponent as a small combination of the generators, and what is left of it."""
    digits = []
    for g in reversed(generators):
        nearest = (2 * exponent + g) // (2 * g)
        digits.append(nearest if abs(nearest) <= DIGIT else 0)
        exponent -= digits[-1] * g
    return tuple(reversed(digits)), exponent
