"""The ring of a question: its parameters, and the functions of eps that occur in its numbers.

Numbers are rational, functions of eps, or rational functions of parameters with such coefficients.  In the
ring, ``exp(-eps/unit)`` is one more parameter, and eps, exp(1/n) and exp(1/(n eps)) are generators, if they
occur.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import gcd, lcm, prod
from typing import Any

from flint import fmpq, fmpq_mpoly

from dipc.models.mixtures import Ends
from dipc.models.parameters import Coefficients
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.parametric import Parametric, Ring
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.question import ONE, ZERO, Parameters
from dipc.signs.eps_range import EpsRange

Value = Any
"""A number as it is read: rational, a Quotient (of eps), or Parametric, in a ring with functions of eps."""

Split = Callable[[fmpq_mpoly], Coefficients]
"""A polynomial as one in the parameters, with functions of eps."""


def of_numbers(f: fmpq_mpoly) -> Coefficients:
    """A polynomial whose coefficients are numbers."""
    return {tuple(map(int, powers)): ExpPoly.of(c) for powers, c in f.to_dict().items()}


def terms_of(values: Iterable[Value], split: Split = of_numbers) -> Iterator[Term]:
    """The terms of the functions of eps that occur in some numbers."""
    for value in values:
        if isinstance(value, fmpq):
            continue
        for part in (value.numerator, value.denominator):
            for f in [part] if isinstance(part, ExpPoly) else split(part).values():
                yield from f.terms()


def has_eps(terms: Iterable[Term]) -> bool:
    """Whether some terms depend on eps."""
    return any(t.power or t.rate or t.inverse for t in terms)


class Generators:
    """Takes numbers into the ring of a question.

    The ``names`` are its parameters; ``terms`` are those of all its numbers, ``rate`` is that of its claim.
    """

    def __init__(
        self,
        names: Sequence[str],
        terms: Sequence[Term],
        rate: fmpq = ZERO,
        budgets: EpsRange | None = None,
        split: Split = of_numbers,
    ) -> None:
        functions = [Term(ONE, 1, ZERO, ZERO)] if any(t.power for t in terms) else []
        if any(t.constant for t in terms):
            functions.append(Term(ONE, 0, ZERO, _measure([t.constant for t in terms])))
        if any(t.inverse for t in terms):
            functions.append(Term(ONE, 0, ZERO, ZERO, _measure([t.inverse for t in terms])))
        first, *others = _fresh(names)
        with_eps, unit = has_eps(terms), lcm(int(rate.q), *(int(t.rate.q) for t in terms))
        ring = Ring([*[first] * with_eps, *names, *others[: len(functions)]])
        if budgets is None or not (with_eps or functions):
            budgets = EpsRange.positive()
        name = first if with_eps else None
        self._empty = Parameters(ring, (), (), name, unit if with_eps else 1, tuple(functions), budgets)
        self._gens, self._split = dict(zip(ring.names, ring.gens, strict=True)), split
        self._known: dict[Value, Parametric] = {}

    def parameters(self, ranges: Iterable[Ends], conditions: Iterable[Value] = ()) -> Parameters:
        """The class with the ranges of the names."""
        of = self._empty.ring.of
        eps = [] if self._empty.eps_name is None else [Ends(of(0), of(1), False, False)]
        own = (Ends(self(ends.low), self(ends.high), *ends[2:]) for ends in ranges)
        return replace(self._empty, ranges=(*eps, *own), conditions=tuple(map(self, conditions)))

    def __call__(self, value: Value) -> Parametric:
        """A number in the ring of the question."""
        if value not in self._known:
            self._known[value] = self._lifted(value)
        return self._known[value]

    def _lifted(self, value: Value) -> Parametric:
        if isinstance(value, fmpq):
            return self._empty.ring.of(value)
        if isinstance(value, Quotient):
            return self._empty.of_function(value)
        above, below = (self._sum(value.ring.names, f) for f in (value.numerator, value.denominator))
        return above / below

    def _sum(self, names: Sequence[str], f: fmpq_mpoly) -> Parametric:
        total = self._empty.ring.of(0)
        for powers, c in self._split(f).items():
            present = zip(names, powers, strict=False)  # a ring without names has one power, 0
            factors = (self._gens[name] ** int(power) for name, power in present if power)
            total = total + prod(factors, start=self._empty.of_function(Quotient(c)))
        return total


def _measure(numbers: Sequence[fmpq]) -> fmpq:
    """The greatest number of which all are integer multiples: small powers, even if the numbers are long."""
    return fmpq(gcd(*(int(x.p) for x in numbers)), 1) / lcm(*(int(x.q) for x in numbers))


def _fresh(names: Sequence[str]) -> list[str]:
    """Names for functions of eps that no parameter has."""
    end = ""
    while any(name + end in names for name in "xyzw"):
        end += "_"
    return [name + end for name in "xyzw"]
