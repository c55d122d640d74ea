"""The numbers that a file declares (parameters with ranges and conditions, names, tables), and its claim.

A claim has epsilon, a sum of t*eps, rational numbers and q*ln(r), and delta.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from flint import fmpq
from lark import Token

from dipc.clock import Clock
from dipc.errors import InputError, Source, Unsupported
from dipc.models.arithmetic import Amount, Node, constant, linear_part, span_of
from dipc.models.mixtures import Claim
from dipc.models.parameters import Parameters, uses_eps
from dipc.numbers.exact import smallest_base
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.expressions import Expressions
from dipc.pufferfish.generators import Value
from dipc.pufferfish.question import EVERY_EPS, ZERO, Range
from dipc.signs.eps_range import EpsRange
from dipc.suggest import did_you_mean


class Numbers:
    """Reads the declarations of numbers, which may use earlier ones; ``values`` evaluates expressions.

    ``free`` are the parameters with ranges, generators of a ring with functions of eps/unit.
    """

    def __init__(
        self, source: Source, nodes: Sequence[Node], given: Mapping[str, fmpq], unit: int, clock: Clock
    ) -> None:
        self.given, self.values = given, Expressions(source, clock)
        free = dict.fromkeys(str(node.children[0]) for node in nodes if node.data == "free")
        names = [name for name in free if name not in given]
        self.free = Parameters(dict.fromkeys(names, EVERY_EPS), unit)
        self.ranges: list[Range] = []
        self.conditions: list[Value] = []
        self.places: dict[str, Any] = {}
        self._read(nodes)

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
            hint = "eps stands for every value" if name == "eps" else did_you_mean(name, self.places)
            raise InputError(
                f"the model has no parameter `{name}`", hint=hint or "it has no parameters at all"
            )
        self.values.later = set(self.places)
        for node in nodes:
            getattr(self, f"_{node.data}")(node)
            self.values.later.discard(str(node.children[0]))

    def _fixed(self, node: Node) -> None:
        name = str(node.children[0])
        given: Any = self.given.get(name)
        self.values.names[name] = self.values.amount(node.children[1]) if given is None else Amount(given)

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
        low, high = (self._of_parameters(end, "the end of a range") for end in (low_end, high_end))
        found = Range(cast(Any, low), cast(Any, high), left == "[", right == "]")
        width = constant(high - low)
        if width is not None and width <= 0:
            point = found.low_closed and found.high_closed and not width
            hint = f"for a single number write `param {name} = {low}`" if point else ""
            raise self.values.fail(
                interval, f"the range of `{name}` is {'one point' if point else 'empty'}", hint
            )
        if (given := self.given.get(name)) is not None:
            self._check_inside(token, given, found)
        else:
            self.ranges.append(found)
        value: Any = self.free.symbol(name) if given is None else given
        self.values.names[name] = Amount(value)

    def _of_parameters(self, node: Any, what: str) -> Value:
        """The value of an expression that must not depend on eps."""
        value = self.values.value(node)
        if constant(value) is None and (isinstance(value, Quotient) or uses_eps(value)):
            raise self.values.fail(node, f"{what} must not depend on eps, or on exp(1)")
        return value

    def _check_inside(self, name: Token, given: fmpq, of: Range) -> None:
        """A given number lies in its range; a dependent end is a condition on other parameters."""
        for distance, closed in ((given - of.low, of.low_closed), (of.high - given, of.high_closed)):
            size = constant(distance)
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
            sides = [self._of_parameters(each, "a condition") for each in child.children[::2]]
            for sign, left, right in zip(signs, sides, sides[1:], strict=False):
                self._condition(child, left - right if sign.type == "GE" else right - left)

    def _condition(self, node: Any, function: Value) -> None:
        """The condition ``function >= 0``."""
        number = constant(function)
        if number is not None and number < 0:
            raise self.values.fail(node, "no parameters satisfy this condition")
        if isinstance(function, Parametric) and not function.denominator.is_constant():
            hint = "multiply both sides by the divisor"
            raise self.values.fail(node, "a condition must be a polynomial in the parameters", hint)
        if number is None:
            self.conditions.append(function)


LONGEST_POWER = 10_000  # bits of r^q


# --- the claim ---------------------------------------------------------------------------------------


def read_claim(node: Node, values: Expressions, with_eps: bool, at: fmpq | None) -> Claim:
    """The claim in a tree; ``at`` is a single eps for a model in which eps does not occur.

    c = exp(epsilon) >= 1 is checked.
    """
    source, (epsilon, delta, _, _) = values.source, node.children
    rate, exponent, factor = _parts(epsilon, values)
    if with_eps and at is not None:
        raise Unsupported(
            "a single eps for a model with exp(a*eps)", hint="leave out `at`: every eps is checked"
        )
    if rate and not with_eps:
        if at is None:
            hint = "write a number such as ln(2), or choose a single eps with `--at`"
            raise values.fail(epsilon, "no number of the model depends on eps", hint)
        rate, exponent = ZERO, exponent + rate * at
    if rate < 0 or (ExpPoly.exp(0, exponent) * factor - 1).sign_at(fmpq(1)) < 0:
        raise values.fail(
            epsilon, "epsilon is negative", "claims have epsilon >= 0, that is c = exp(epsilon) >= 1"
        )
    text = source.text[epsilon.meta.start_pos : epsilon.meta.end_pos]  # type: ignore[union-attr]
    return Claim(text, factor, exponent, rate, _delta(delta, values))


def _amount(node: Any, values: Expressions) -> Amount:
    """A number of a claim, perhaps with logarithms: it must not depend on parameters."""
    amount = values.amount(node)
    value: Any = amount.value
    if isinstance(value, Parametric) and (value := constant(f := value)) is None:
        degrees = map(max, f.numerator.degrees(), f.denominator.degrees())
        name = next(name for name, power in zip(f.ring.names, degrees, strict=True) if power > 0)
        message = f"the claim is about every `{name}`: it must not depend on it"
        raise values.fail(node, message, "write numbers, for example `ln(2), 1/100`")
    return Amount(value, amount.logarithms)


def _parts(node: Any, values: Expressions) -> tuple[fmpq, fmpq, fmpq]:
    """(t, k, f) of epsilon = t*eps + k + ln(f)."""
    amount, factor = _amount(node, values), fmpq(1)
    if (linear := linear_part(amount.value)) is None:
        hint = "a sum of t*eps, numbers and q*ln(r), for example ln(2) or 1/2*eps"
        raise values.fail(node, "this is not an epsilon", hint)
    for number, power in amount.logarithms:
        base, times = smallest_base(number)
        whole = power * times
        if whole.q != 1 or base.height_bits() * abs(whole) > LONGEST_POWER:
            problem = "is irrational: a root" if whole.q != 1 else "has too many digits"
            raise values.fail(node, f"exp(epsilon) {problem}", "write ln of a rational number")
        factor *= base ** int(whole.p)
    return linear[0], linear[1], factor


def _delta(node: Any, values: Expressions) -> fmpq:
    if node is None:
        return ZERO
    amount = _amount(node, values)
    found = constant(amount.value)
    if found is None or amount.logarithms or not 0 <= found <= 1:
        raise values.fail(node, "delta must be a rational number from 0 to 1")
    return found


def budgets_of(node: Node, values: Expressions, with_eps: bool) -> EpsRange:
    """The values of eps in the tree of a claim, all eps > 0 if it does not tell."""
    interval: Any = node.children[3]
    if interval is None:
        return EVERY_EPS
    if not with_eps:
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
