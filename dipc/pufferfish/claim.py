"""The claim of a file: epsilon, a sum of t*eps, rational numbers and q*ln(r), and delta."""

from __future__ import annotations

from math import lcm
from typing import Any

from flint import fmpq, fmpz
from lark import Token

from dipc.errors import Source, Unsupported
from dipc.models.arithmetic import Amount, Arithmetic, Logarithms, Node, linear_part
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.expressions import Expressions, FinerUnit, constant
from dipc.pufferfish.question import EVERY_EPS, ZERO, Claim
from dipc.signs.eps_range import EpsRange

LONGEST_POWER = 10_000  # bits of r^q, and of the roots taken


class _Epsilon(Arithmetic):
    """Arithmetic with logarithms and eps; other expressions are rational numbers."""

    def __init__(self, source: Source, values: Expressions) -> None:
        known = {
            name: number for name, value in values.names.items() if (number := constant(value)) is not None
        }
        super().__init__(source, {name: Amount(Quotient.of(number)) for name, number in known.items()})
        self.values = values

    def _rational(self, node: Node) -> Amount:
        return Amount(Quotient.of(self.values.rational(node, "a number in a claim")))

    index = call = chain = conjunction = disjunction = negation = _rational


def read_claim(node: Node, values: Expressions, has_eps: bool, at: fmpq | None) -> Claim:
    """The claim in a tree; ``at`` is a single eps for a model in which eps does not occur.

    c = exp(epsilon) >= 1 is checked.  Raises :class:`FinerUnit` if t*eps is finer than the unit of the model.
    """
    source, (epsilon, delta, _, _) = values.source, node.children
    arithmetic = _Epsilon(source, values)
    rate, exponent, factor = _parts(epsilon, arithmetic)
    if has_eps and at is not None:
        raise Unsupported(
            "a single eps for a model with exp(a*eps)", hint="leave out `at`: every eps is checked"
        )
    if rate and not has_eps:
        if at is None:
            hint = "write a number such as ln(2), or choose a single eps with `--at`"
            raise values.fail(epsilon, "no number of the model depends on eps", hint)
        rate, exponent = ZERO, exponent + rate * at
    if (units := values.units).rate % int(rate.q):
        raise FinerUnit(units._replace(rate=lcm(units.rate, int(rate.q))))
    if rate < 0 or (ExpPoly.exp(0, exponent) * factor - 1).sign_at(fmpq(1)) < 0:
        raise values.fail(
            epsilon, "epsilon is negative", "claims have epsilon >= 0, that is c = exp(epsilon) >= 1"
        )
    text = source.text[epsilon.meta.start_pos : epsilon.meta.end_pos]  # type: ignore[union-attr]
    return Claim(text, factor, exponent, rate, _delta(delta, arithmetic))


def _parts(node: Any, arithmetic: _Epsilon) -> tuple[fmpq, fmpq, fmpq]:
    """(t, k, f) of epsilon = t*eps + k + ln(f)."""
    amount = arithmetic.amount(node)
    if (linear := linear_part(amount.value)) is None:
        hint = "a sum of t*eps, numbers and q*ln(r), for example ln(2) or 1/2*eps"
        raise arithmetic.values.fail(node, "this is not an epsilon", hint)
    if (factor := product_of_powers(amount.logarithms)) is None:
        long = size_of_powers(amount.logarithms) > LONGEST_POWER
        problem = "has too many digits" if long else "is irrational: a root"
        raise arithmetic.values.fail(node, f"exp(epsilon) {problem}", "write ln of a rational number")
    return linear[0], linear[1], factor


def product_of_powers(logarithms: Logarithms) -> fmpq | None:
    """The product of the base^power, if it is a rational number of a moderate size.

    >>> half = fmpq(1, 2)
    >>> product_of_powers(((fmpq(2), half), (fmpq(8), half))), product_of_powers(((fmpq(2), half),))
    (4, None)
    """
    if size_of_powers(logarithms) > LONGEST_POWER:
        return None
    root = lcm(*(int(power.q) for _, power in logarithms))
    whole = fmpq(1)
    for base, power in logarithms:
        whole *= base ** int((power * root).p)
    parts = [_root(whole.p, root), _root(whole.q, root)]
    return None if None in parts else fmpq(*parts)


def size_of_powers(logarithms: Logarithms) -> fmpq:
    """At least the bits of the product of the base^power without roots."""
    root = lcm(*(int(power.q) for _, power in logarithms))
    return sum((base.height_bits() * abs(power) * root for base, power in logarithms), ZERO)


def _root(number: fmpz, degree: int) -> fmpz | None:
    found = number.root(degree)
    return found if found**degree == number else None


def _delta(node: Any, arithmetic: _Epsilon) -> fmpq:
    if node is None:
        return ZERO
    amount = arithmetic.amount(node)
    found = amount.value.as_rational()
    if found is None or amount.logarithms or not 0 <= found <= 1:
        raise arithmetic.values.fail(node, "delta must be a rational number from 0 to 1")
    return fmpq(found.p, found.q)


def budgets_of(node: Node, values: Expressions, has_eps: bool) -> EpsRange:
    """The values of eps in the tree of a claim, all eps > 0 if it does not tell."""
    interval: Any = node.children[3]
    if interval is None:
        return EVERY_EPS
    if not has_eps:
        raise values.fail(interval, "no number of the model depends on eps", "leave out `for eps in`")
    left, low_end, high_end, right = interval.children
    low = values.rational(low_end, "the end of a range")
    high = None if isinstance(high_end, Token) else values.rational(high_end, "the end of a range")
    closed = left == "[", right == "]" and high is not None
    if low < 0 or (not low and closed[0]):
        raise values.fail(interval, "a budget is positive", "write `for eps in (0, ...)`")
    if high is not None and (high < low or (high == low and not all(closed))):
        raise values.fail(interval, "the range of eps is empty")
    return EpsRange(low, high, *closed)
