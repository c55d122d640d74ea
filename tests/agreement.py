"""Whether the exact engine and the reference (`tests/reference.py`) give the same law, at one eps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from exact_integrals import NONE, Sum, exponential, number, total
from flint import fmpq
from rationals import fraction
from reference import Law, World, law_of, value_of

from dipc.dipwhile.pipeline import eps_range_of
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.errors import InputError, Unsupported
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient


def world(program: CoreProgram, eps: fmpq, code: Sequence[Any] = ()) -> World:
    """The code of a program, or another one with its variables."""
    known = program.outputs, dict(program.arrays), program.variables, fraction(eps)
    return World(code or program.code, *known)


def at(p: Quotient, eps: fmpq) -> Sum:
    """What the engine says, as a number of the reference."""

    def value(f: ExpPoly) -> Sum:
        return number_at(([fraction(x) for x in term] for term in f.terms()), fraction(eps))

    return value(p.numerator) / value(p.denominator)


def number_at(terms: Iterable[Sequence[Fraction | int]], eps: Fraction) -> Sum:
    """The number ``sum of c eps^n exp(a eps + k + b/eps)``, from ``(c, n, a, k, b)``."""
    return total([number(c * eps ** int(n)) * exponential(a * eps + k + b / eps) for c, n, a, k, b in terms])


def differ(law: Law, other: Law) -> list[Any]:
    """The outcomes whose masses are not equal."""
    return [o for o in {**law, **other} if (law.get(o, NONE) - other.get(o, NONE)).terms]


def wrong(program: CoreProgram, inputs: Input, eps: fmpq) -> list[Any]:
    """Where the engine and the reference disagree: a run that may fail must be refused, and no other."""
    law = law_of(world(program, eps), inputs)
    try:
        exact = Explorer(program).law(inputs)
    except Unsupported:
        raise
    except InputError as refusal:
        return [] if any(kind != "ended" for kind, _ in law) else [str(refusal)]
    return differ(law, {("ended", tuple(map(value_of, o))): at(p, eps) for o, p in exact.items()})


def inside(program: CoreProgram) -> fmpq:
    """A value of eps that the claim is about."""
    budgets = eps_range_of(program.claim)
    return budgets.low + (budgets.inside - budgets.low) * fmpq(6, 7)
