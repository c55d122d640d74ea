"""The numbers that a file declares (parameters with ranges and conditions, names, tables), and its claim.

A claim has epsilon, a sum of t*eps, rational numbers and q*ln(r), and delta.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import lcm
from typing import Any, cast

from flint import fmpq, fmpz
from lark import Token

from dipc.clock import Clock
from dipc.errors import InputError, Source, Unsupported
from dipc.models.arithmetic import Amount, Arithmetic, Logarithms, Node, linear_part, span_of
from dipc.models.mixtures import Claim
from dipc.numbers.exppoly import ExpPoly, Term
from dipc.numbers.parametric import Parametric, Ring
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.expressions import EPS, Expressions, FinerUnit, Units, Value, constant
from dipc.pufferfish.question import EVERY_EPS, ONE, ZERO, Parameters, Range
from dipc.signs.eps_range import EpsRange
from dipc.suggest import did_you_mean

ROOT = "exp(1)"
"""No parameter has the name of the root of exp(1) that occurs."""


class Numbers:
    """Reads the declarations of numbers, which may use earlier ones.

    ``values`` evaluates expressions afterwards; ``final`` takes a value into the ring of the question.
    """

    def __init__(
        self,
        source: Source,
        nodes: Sequence[Node],
        given: Mapping[str, fmpq],
        has_eps: bool,
        units: Units,
        clock: Clock,
    ) -> None:
        self.given, self.has_eps, self.units = given, has_eps, units
        free = [str(node.children[0]) for node in nodes if node.data == "free"]
        names = [name for name in free if name not in given and name.isascii()]
        self.eps_name = "x"
        while self.eps_name in free:
            self.eps_name += "_"
        names = [*[self.eps_name] * has_eps, *names]
        self.ring = Ring([*dict.fromkeys(names), *[EPS] * units.eps, *[ROOT] * bool(units.constant)])
        working = Ring([*self.ring.names, EPS]) if has_eps and not units.eps else self.ring
        self.symbols = dict(zip(self.ring.names, working.gens, strict=False))
        self.values = Expressions(source, working, units, clock, self.symbols.get(ROOT))
        self.ranges = [Range(self.ring.of(0), self.ring.of(1), False, False)] if self.has_eps else []
        self.conditions: list[Parametric] = []
        self.places: dict[str, Any] = {}
        self._known: dict[Value, Parametric] = {}
        self._read(nodes)

    @property
    def parameters(self) -> Parameters:
        """The class of parameters."""
        name, unit = (self.eps_name, self.units.rate) if self.has_eps else (None, 1)
        functions = [Term(ONE, 1, ZERO, ZERO)] if self.units.eps else []
        if self.units.constant:
            functions.append(Term(ONE, 0, ZERO, fmpq(1, self.units.constant)))
        return Parameters(self.ring, tuple(self.ranges), tuple(self.conditions), name, unit, tuple(functions))

    def once(self, token: Any, places: dict[str, Any], what: str, text: str | None = None) -> str:
        """A name that must be new among those in ``places``, to which it is added."""
        name = str(token) if text is None else text
        if (before := places.get(name)) is not None:
            hint = f"first in line {span_of(before, self.values.source).line}"
            if before is token:
                hint = "the family gives this name twice: put all its variables into the name"
            raise self.values.fail(token, f"{what} `{name}` is declared twice", hint)
        places[name] = token
        return name

    def _read(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if node.data != "where":
                self.once(node.children[0], self.places, "the number")
        if unknown := self.given.keys() - self.places.keys():
            name = min(unknown)
            hint = "eps stands for every value" if name == EPS else did_you_mean(name, self.places)
            raise InputError(
                f"the model has no parameter `{name}`", hint=hint or "it has no parameters at all"
            )
        self.values.later = set(self.places)
        for node in nodes:
            getattr(self, f"_{node.data}")(node)
            self.values.later.discard(str(node.children[0]))

    def _fixed(self, node: Node) -> None:
        name = str(node.children[0])
        self.values.names[name] = (
            self.given[name] if name in self.given else self.values.value(node.children[1])
        )

    def _table(self, node: Node) -> None:
        name = cast(Token, node.children[0])
        if name in self.given:
            raise self.values.fail(name, f"`{name}` is a table, not a number that can be given")
        self.values.tables[str(name)] = self.values.table(node)

    def _free(self, node: Node) -> None:
        token, interval = cast("list[Any]", node.children)
        name, (left, low_end, high_end, right) = str(token), interval.children
        if isinstance(high_end, Token):
            raise self.values.fail(high_end, "the range of a parameter must be finite")
        low, high = (self.final(self.values.value(end)) for end in (low_end, high_end))
        found = Range(low, high, left == "[", right == "]")
        width = (high - low).as_rational()
        if width is not None and width <= 0:
            point = found.low_closed and found.high_closed and not width
            hint = f"for a single number write `param {name} = {low}`" if point else ""
            raise self.values.fail(
                interval, f"the range of `{name}` is {'one point' if point else 'empty'}", hint
            )
        if name in self.given:
            self._check_inside(token, self.given[name], found)
        else:
            self.ranges.append(found)
        self.values.names[name] = self.given[name] if name in self.given else self.symbols[name]

    def _check_inside(self, name: Token, given: fmpq, of: Range) -> None:
        """A given number lies in its range; a dependent end is a condition on other parameters."""
        for distance, closed in ((given - of.low, of.low_closed), (of.high - given, of.high_closed)):
            size = distance.as_rational()
            if size is None:
                self._condition(name, distance)
            elif size < 0 or not (size or closed):
                raise self.values.fail(name, f"{name} = {given} is outside the range of `{name}`")

    def _where(self, node: Node) -> None:
        for child in cast("list[Any]", node.children):
            signs = child.children[1::2] if child.data == "chain" else [child]
            if wrong := [
                sign for sign in signs if not (isinstance(sign, Token) and sign.type in ("LE", "GE"))
            ]:
                hint = "all functions are continuous: with <= the answer is the same as with <"
                raise self.values.fail(wrong[0], "a condition in `where` is written with <= or >=", hint)
            sides = [self.values.value(each) for each in child.children[::2]]
            for sign, left, right in zip(signs, sides, sides[1:], strict=False):
                difference = left - right if sign.type == "GE" else right - left
                self._condition(child, self.final(difference))

    def _condition(self, node: Any, function: Parametric) -> None:
        """The condition ``function >= 0``."""
        number = function.as_rational()
        if number is not None and number < 0:
            raise self.values.fail(node, "no parameters satisfy this condition")
        if not function.denominator.is_constant():
            hint = "multiply both sides by the divisor"
            raise self.values.fail(node, "a condition must be a polynomial in the parameters", hint)
        if number is None:
            self.conditions.append(function)

    def final(self, value: Value) -> Parametric:
        """A value in the ring of the question, of which eps is a part only if it occurs outside of exp."""
        if value not in self._known:
            self._known[value] = (
                self._without_eps(value) if isinstance(value, Parametric) else self.ring.of(value)
            )
        return self._known[value]

    def _without_eps(self, value: Parametric) -> Parametric:
        if not self.has_eps or self.units.eps:
            return value
        above, below = value.numerator.to_dict(), value.denominator.to_dict()
        if any(exponents[-1] for exponents in (*above, *below)):
            raise FinerUnit(self.units._replace(eps=True))
        parts = ({exponents[:-1]: c for exponents, c in terms.items()} for terms in (above, below))
        return Parametric(self.ring, *map(self.ring.polynomial, parts))


LONGEST_POWER = 10_000  # bits of r^q, and of the roots taken


# --- the claim ---------------------------------------------------------------------------------------


class _Epsilon(Arithmetic):
    """Arithmetic with logarithms and eps; other expressions are rational numbers."""

    def __init__(self, source: Source, values: Expressions) -> None:
        known = {
            name: number for name, value in values.names.items() if (number := constant(value)) is not None
        }
        super().__init__(source, {name: Amount(Quotient.of(number)) for name, number in known.items()})
        self.values = values

    def name(self, node: Node) -> Amount:
        if str(node.children[0]) in self.values.names.keys() - self.names.keys():
            message = f"the claim is about every `{node.children[0]}`: it must not depend on it"
            raise self.values.fail(node, message, "write numbers, for example `ln(2), 1/100`")
        return super().name(node)

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
