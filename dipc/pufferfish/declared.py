"""The numbers that a file declares: parameters with ranges and conditions, names for numbers, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from flint import fmpq
from lark import Token

from dipc.clock import Clock
from dipc.errors import InputError, Source
from dipc.models.arithmetic import Node, span_of
from dipc.numbers.exppoly import Term
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish.expressions import EPS, Expressions, FinerUnit, Units, Value
from dipc.pufferfish.question import ONE, ZERO, Parameters, Range
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
        places: dict[str, Any] = {}
        for node in nodes:
            if node.data != "where":
                self.once(node.children[0], places, "the number")
        if unknown := self.given.keys() - places.keys():
            name = min(unknown)
            hint = "eps stands for every value" if name == EPS else did_you_mean(name, places)
            raise InputError(
                f"the model has no parameter `{name}`", hint=hint or "it has no parameters at all"
            )
        self.values.later = set(places)
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
