"""Functions of eps as formulas: dipc's own text, LaTeX for MathJax, HTML that needs no script, and sympy.

A formula is a sum of terms; a :class:`Notation` is the table of how they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flint import fmpq, fmpz

from dipc.frozen import frozen

TermOf = tuple[fmpq, int, fmpq, fmpq, fmpq]  # coefficient, power, rate, constant, inverse: a Term


@frozen
class Notation:
    """How a formula is written; the functions take finished texts, or p and q of a number p/q.

    ``joint`` stands between a number and eps in an exponent; without one, p/q times eps is ``p eps/q``.
    """

    eps: str
    times: str
    joint: str
    number: Callable[[fmpz, fmpz], str]  # a positive fraction p/q, q > 1
    power: Callable[[str, int], str]
    exp: Callable[[str], str]
    fraction: Callable[[str, str], str]
    minus: str = "-"

    def polynomial(self, terms: Iterable[TermOf]) -> str:
        """A sum of terms, the first one with its sign."""
        return self._sum(self._term(*term) for term in terms)

    def _sum(self, parts: Iterable[tuple[bool, str]]) -> str:
        text = ""
        for negative, part in parts:
            text += (f" {self.minus} " if negative else " + ") if text else self.minus * negative
            text += part
        return text or "0"

    def _term(self, c: fmpq, n: int, a: fmpq, k: fmpq, b: fmpq) -> tuple[bool, str]:
        """Whether it is negative, and its size."""
        factors = [self.eps if n == 1 else self.power(self.eps, n)] if n else []
        exponent = list(self._exponent(a, k, b))
        if exponent:
            factors.append(self.exp(self._sum(exponent)))
        size = abs(c)
        if size != 1 or not factors:
            factors.insert(0, str(size.p) if size.q == 1 else self.number(size.p, size.q))
        return c < 0, self.times.join(factors)

    def _exponent(self, a: fmpq, k: fmpq, b: fmpq) -> Iterator[tuple[bool, str]]:
        for number, write in ((a, self._multiple), (k, lambda p, q: str(fmpq(p, q))), (b, self._inverse)):
            if number:
                yield number < 0, write(int(abs(number).p), int(number.q))

    def _multiple(self, p: int, q: int) -> str:
        """p/q times eps."""
        if self.joint:
            return self.eps if p == q else f"{fmpq(p, q)}{self.joint}{self.eps}"
        return f"{'' if p == 1 else p}{self.eps}" + (f"/{q}" if q != 1 else "")

    def _inverse(self, p: int, q: int) -> str:
        """p/q over eps."""
        return f"{p}/{self.eps}" if q == 1 else f"{p}/({q}{self.joint}{self.eps})"


TEXT = Notation(
    eps="eps",
    times="*",
    joint="*",
    number=lambda p, q: f"{p}/{q}",
    power=lambda base, n: f"{base}^{n}",
    exp=lambda exponent: f"exp({exponent})",
    fraction=lambda above, below: f"({above})/({below})",
)

LATEX = Notation(
    eps=r"\varepsilon",
    times=r"\,",
    joint="",
    number=lambda p, q: rf"\tfrac{{{p}}}{{{q}}}",
    power=lambda base, n: f"{base}^{{{n}}}",
    exp=lambda exponent: f"e^{{{exponent}}}",
    fraction=lambda above, below: rf"\frac{{{above}}}{{{below}}}",
)

HTML = Notation(
    eps="ε",
    times="·",
    joint="",
    minus="−",
    number=lambda p, q: f"{p}/{q}",
    power=lambda base, n: f"{base}<sup>{str(n).replace('-', '−')}</sup>",
    exp=lambda exponent: f"e<sup>{exponent}</sup>",
    fraction=lambda above, below: f"({above}) / ({below})",
)


def sympy_sum(terms: Iterable[TermOf]) -> Any:
    """The sum of the terms, exact, in sympy, of the positive symbol eps."""
    from sympy import Add, Rational, Symbol, exp

    def number(value: fmpq) -> Rational:
        return Rational(int(value.p), int(value.q))

    eps = Symbol("eps", positive=True)
    return Add(
        *(number(c) * eps**n * exp(number(a) * eps + number(k) + number(b) / eps) for c, n, a, k, b in terms)
    )
