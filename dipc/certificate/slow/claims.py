"""Claims of the slow route, also with a square root in delta: what a program claims, exactly compared.

A delta with a root is ``(a + b sqrt(z)) / (c + d sqrt(z))`` with functions a, b, c, d of eps and a quotient
z, the argument of the root as written in the program.  A certificate has another radicand G, such that
``sqrt(z) = s sqrt(G)`` with a quotient ``s >= 0``.  Two deltas are equal if, after cross-multiplication, both
the parts without a root and the factors of ``sqrt(G)`` are equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from math import isqrt

from dipc.certificate.slow.functions import EPS, NotCovered, Pair, constant, difference, same, surely_positive
from dipc.certificate.slow.paths import Run
from dipc.certificate.slow.programs import Known, claimed_interval, value_of
from dipc.certificate.slow.values import as_index, as_pair
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import Function, Interval, Rooted, add, multiply, negative, sign_at
from dipc.kernel.laws import Delta, Ratio
from dipc.kernel.privacy import Certificate
from dipc.kernel.sizes import Certificate as EverySize

MAX_TERMS = 200  # of a square root of a function
MAX_EXPONENT = 64  # of a power of a delta with a root

RootedPair = tuple[Rooted, Rooted]
"""Numerator and denominator of a delta."""


def is_claim_of(certificate: Certificate | EverySize, claim: ast.Claim, known: Known) -> bool:
    """Is the certificate about this claim, with the same epsilon, delta and interval?"""
    listed, t = certificate.claim, certificate.claim.t
    if tuple(listed.on) != claimed_interval(claim, known):
        return False
    epsilon = as_pair(value_of(claim.epsilon, known))
    roots = Roots(Run(scalars=dict(known)))
    delta = roots.value(claim.delta) if claim.delta else (Rooted({}, {}), Rooted(constant(1), {}))
    return same(epsilon, ({EPS: t} if t else {}, constant(1))) and same_delta(
        delta, roots.argument, certificate.table.delta, certificate.table.denominators, listed.proved_on
    )


@dataclass
class Roots:
    """An evaluation of a delta; ``argument`` is that of the square roots met so far."""

    run: Run
    argument: Pair | None = None

    def value(self, expr: ast.Expr) -> RootedPair:
        """Numerator and denominator: without a root the run's, which does not let a long sum grow."""
        with suppress(NotCovered):
            n, d = as_pair(self.run.value(expr))
            return Rooted(n, {}), Rooted(d, {})
        match expr:
            case ast.Call(function="sqrt", arguments=(inside,)):
                return self.root(as_pair(self.run.value(inside)))
            case ast.Unary(op=ast.Op.NEG, operand=operand):
                above, below = self.value(operand)
                return Rooted(*map(negative, above)), below
            case ast.Binary():
                return self.chain(expr)
        raise NotCovered(f"{type(expr).__name__} of a square root in delta")

    def chain(self, expr: ast.Binary) -> RootedPair:
        """The value of operators, from the left to the right."""
        links = [expr]
        while isinstance(left := links[-1].left, ast.Binary):
            links.append(left)
        result = self.value(left)
        for node in reversed(links):
            if node.op is ast.Op.POW:
                result = self.power(result, as_index(self.run.value(node.right)))
            else:
                result = self.combined(node.op, result, self.value(node.right))
        return result

    def root(self, argument: Pair) -> RootedPair:
        """The square root of a quotient: of a square the root that is positive, else a new root."""
        n, d = argument
        inside = square_root(multiply(n, d))
        if inside is not None:
            if len({c > 0 for c in (*inside.values(), *d.values())}) > 1:
                raise NotCovered("the square root of the square of a function with unknown sign")
            return Rooted(inside, {}), Rooted(d, {})
        if self.argument is not None and not same(self.argument, argument):
            raise NotCovered("two different square roots")
        self.argument = argument
        return Rooted({}, constant(1)), Rooted(constant(1), {})

    def times(self, x: Rooted, y: Rooted) -> Rooted:
        """The product times the denominator of the root's argument, which cancels in every quotient."""
        n, d = self.argument or (constant(0), constant(1))
        plain = add(multiply(d, multiply(x.plain, y.plain)), multiply(n, multiply(x.root, y.root)))
        return Rooted(plain, multiply(d, add(multiply(x.plain, y.root), multiply(x.root, y.plain))))

    def combined(self, op: ast.Op, left: RootedPair, right: RootedPair) -> RootedPair:
        """Arithmetic of quotients."""
        (a, b), (c, d) = left, right
        match op:
            case ast.Op.ADD | ast.Op.SUB:
                join = add if op is ast.Op.ADD else difference
                return Rooted(*map(join, self.times(a, d), self.times(c, b))), self.times(b, d)
            case ast.Op.MUL:
                return self.times(a, c), self.times(b, d)
            case ast.Op.DIV if c != Rooted({}, {}):
                return self.times(a, d), self.times(b, c)
        raise NotCovered(f"{op} in delta")

    def power(self, base: RootedPair, times: int) -> RootedPair:
        """An integer power."""
        above, below = base if times >= 0 else reversed(base)
        if abs(times) > MAX_EXPONENT or below == Rooted({}, {}):
            raise NotCovered(f"the power {times} in delta")
        one = Rooted(constant(1), {})
        factors = [(above, below)] * abs(times)
        return reduce(partial(self.combined, ast.Op.MUL), factors, (one, one))


def same_delta(
    own: RootedPair, argument: Pair | None, listed: Delta, denominators: list[Function], on: Interval
) -> bool:
    """Are the two deltas one function?  ``argument`` is what the root of the own one is of, if it has one."""
    (a, b), (c, d) = own
    if isinstance(listed, Ratio):
        p, q = listed.numerator, denominators[listed.denominator]
        return multiply(a, q) == multiply(c, p) and multiply(b, q) == multiply(d, p)
    (e, f), (g, h), radicand = listed
    plain = difference(multiply(a, g), multiply(c, e))
    root = difference(multiply(a, h), multiply(c, f))
    own_root = difference(multiply(b, g), multiply(d, e))
    both = difference(multiply(b, h), multiply(d, f))
    if argument is None:
        return not plain and not root
    over, under = root_ratio(argument, radicand, on)
    return not add(multiply(plain, under), multiply(both, multiply(over, radicand))) and not add(
        multiply(root, under), multiply(own_root, over)
    )


def root_ratio(argument: Pair, radicand: Function, on: Interval) -> Pair:
    """The quotient s >= 0 with sqrt(argument) = s sqrt(radicand), both not negative on the interval.

    For z = n/d and the radicand G, r = sqrt(n d G) gives s = r/(d G) or the negative of it.
    """
    n, d = argument
    below = multiply(d, radicand)
    r = square_root(multiply(n, below))
    if r is None:
        raise NotCovered("two square roots that are not multiples of each other")
    for f in sign_carriers(r, d, radicand):
        for signed, root in ((f, r), (negative(f), negative(r))):
            if positive(signed, on):
                return root, below
    raise NotCovered("a square root with a factor of unknown sign")


def sign_carriers(r: Function, d: Function, radicand: Function) -> Iterator[Function]:
    """Functions with the sign of r/(d G), where G >= 0: c if r = c d G, c d if r = c G, and r d."""
    for whole, rest in ((multiply(d, radicand), constant(1)), (radicand, d)):
        ratio = monomial_ratio(r, whole)
        if ratio is not None:
            yield multiply(constant(ratio), rest)
    yield multiply(r, d)


def monomial_ratio(f: Function, g: Function) -> Fraction | None:
    """The coefficient of the single term that f/g is, if it is one."""
    (top, over), (bottom, under) = max(f.items()), max(g.items())
    shift = (top[0] - bottom[0], top[1] - bottom[1], top[2] - bottom[2], top[3] - bottom[3])
    return over / under if multiply(g, {shift: over / under}) == f else None


def positive(f: Function, on: Interval) -> bool:
    """Is f > 0 proved inside the interval?  ``False`` says nothing."""
    return sign_at(f, on.low) > 0 if on.low == on.high else surely_positive(f, on.low)


def square_root(f: Function) -> Function | None:
    """A function whose square is f, with a positive leading term; None if none was found.

    Term by term from the greatest exponent, as with polynomials.
    """
    if not f:
        return {}
    (power, *exponents), lead = max(f.items())
    if lead < 0 or power % 2:
        return None
    number = Fraction(isqrt(lead.numerator), isqrt(lead.denominator))
    if number * number != lead:
        return None
    a, k, b = (x / 2 for x in exponents)
    top = power // 2, a, k, b
    root: Function = {top: number}
    rest = difference(f, multiply(root, root))
    while rest and len(root) < MAX_TERMS:
        m, *others = max(rest)
        a, k, b = (x - y for x, y in zip(others, top[1:], strict=True))
        term: Function = {(m - top[0], a, k, b): rest[max(rest)] / (2 * number)}
        rest = difference(rest, add(multiply(term, term), multiply(constant(2), multiply(root, term))))
        root = add(root, term)
    return None if rest else root
