"""Violations where probabilities have powers or exponents of 1/eps, or constants such as exp(-2): see Wide.v.

At the eps of a violation every function is a sum of c*exp(q), the value at 1 of functions of s without 1/s.
So the proof is that of a violation at 1, for the values; the statement is about the functions of eps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from dipc.export.coq.listing import Listing, numbered
from dipc.export.coq.terms import integer, listed, number
from dipc.kernel.facts import Function, Interval, is_regular, scale_of, unit_of, value_at
from dipc.kernel.laws import Ratio, Table
from dipc.kernel.privacy import Certificate

ZERO = Fraction(0)
ONE = Fraction(1)


def is_wide(certificate: Certificate) -> bool:
    """Whether Privacy.v does not have some of the functions; its delta may be a constant."""
    known = certificate.table
    delta = known.delta.numerator
    constant = all((n, a, b) == (0, ZERO, ZERO) for n, a, _, b in delta)
    others = (*known.denominators, *(f for f, _ in known.functions), {} if constant else delta)
    return not all(map(is_regular, others))


def at_point(certificate: Certificate) -> Certificate:
    """The same violation of a claim about s = 1, by the values of all functions."""
    known, claim = certificate.table, certificate.claim
    eps, delta = claim.eps, known.delta
    assert eps is not None

    def value(f: Function) -> Function:
        return {(0, x, ZERO, ZERO): c for x, c in value_at(f, eps).items()}

    ratios = [Ratio(value(f), d) for f, d in (*known.functions, delta)]
    values = Table(list(map(value, known.denominators)), ratios[:-1], ratios[-1])
    here = claim._replace(t=claim.t * eps, on=Interval(ONE, ONE, True, True), eps=ONE)
    return replace(certificate, table=values, claim=here)


@dataclass(frozen=True)
class WideListing(Listing):
    """A violation, listed with all functions as they are."""

    @cached_property
    def point(self) -> Listing:
        """The values at the eps of the violation."""
        return Listing(at_point(self.certificate))

    @property
    def more(self) -> tuple[str, ...]:
        """The modules that are needed besides."""
        return ("Wide",)

    @property
    def units(self) -> str:
        """The eps of the violation, and the denominators of exponents and coefficients there."""
        values, eps = self.point.certificate.table, self.certificate.claim.eps
        assert eps is not None
        functions = (*values.denominators, *(f for f, _ in values.functions), self.point.delta.numerator)
        loss: Function = {(0, self.point.certificate.claim.t, ZERO, ZERO): ONE}
        return f"(Units {number(eps)} {unit_of(*functions, loss)} {scale_of(*functions)})"

    def functions(self) -> Iterator[str]:
        """The functions of eps of the model."""
        known = self.certificate.table
        yield f"  denominators := {numbered(map(terms, known.denominators))};"
        yield f"  functions := {numbered(self.ratio(*each) for each in known.functions)};"

    def ratio(self, above: Function, below: int) -> str:
        """A function over a denominator."""
        return f"Ratio {terms(above)} {below + 1}"

    def at_eps(self) -> str:
        """Where the violation is, with ``n`` terms of exp."""
        return f"{self.units} n"

    def distributions_at(self) -> str:
        """At the eps of the violation, with ``n`` terms of exp."""
        return f"{self.units} n"


def terms(f: Function) -> str:
    """A sum of terms.

    >>> terms({(-1, Fraction(0), Fraction(0), Fraction(-1, 2)): Fraction(3)})
    '[Term 3 (-1) 0 0 (-1 # 2)]'
    """
    items = (f"Term {number(c)} {integer(n)} {' '.join(map(number, rates))}" for (n, *rates), c in f.items())
    return listed(items)
