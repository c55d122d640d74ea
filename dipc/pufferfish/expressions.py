"""The value of an expression in a file with a hidden Markov model, and the names that families give.

Values are rational numbers and rational functions of parameters.  ``exp(-eps/unit)`` is one of these, and so
are eps itself and a root of exp(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from math import comb, lcm
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple, cast

from flint import fmpq
from lark import Token

from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Source, Unsupported
from dipc.excerpts import plural
from dipc.models.arithmetic import DEEPEST, HIGHEST_POWER, Node, span_of
from dipc.numbers.exact import LONGEST, ON_NUMBERS, rational
from dipc.numbers.parametric import Parametric, Ring
from dipc.suggest import did_you_mean

EPS = "eps"
MOST_VALUES = 10**6  # of the binders of a file together
MOST_TERMS = 10**4  # of a power

Value = fmpq | Parametric
Key = tuple[fmpq, ...]


def _level(x: fmpq, *levels: fmpq) -> fmpq | None:
    """The first level that is at least x, else the last one, as `disc` of programs."""
    return next((level for level in levels if x <= level), levels[-1] if levels else None)


FUNCTIONS: Mapping[str, tuple[int, Callable[..., fmpq | None]]] = {
    **ON_NUMBERS,
    "count": (0, lambda *truths: fmpq(truths.count(fmpq(1)))),
    "disc": (0, _level),
}
"""Functions with the number of their arguments (0: one or more); the value is None where there is none."""

NO_VALUE = {"mod": "division by zero", "disc": "disc has a number and one or more levels"}

RELATIONS: Mapping[str, Callable[[fmpq, fmpq], bool]] = {
    "EQ": eq, "NE": ne, "LT": lt, "LE": le, "GT": gt, "GE": ge,
}  # fmt: skip


class Units(NamedTuple):
    """The functions of eps that are parameters: ``exp(-eps/rate)``, ``exp(1/constant)``, and eps itself.

    0 as ``constant``: no constant occurs; ``eps``: whether eps occurs outside of exp.
    """

    rate: int = 1
    constant: int = 0
    eps: bool = False


class FinerUnit(Exception):
    """A function of eps does not fit the units: read again with these."""

    def __init__(self, units: Units) -> None:
        super().__init__(units)
        self.units = units


class Table(NamedTuple):
    """The numbers of a ``table`` line by their indices, and the sets of these."""

    sets: tuple[tuple[fmpq, ...], ...]
    entries: dict[Key, Value]


def constant(value: Value) -> fmpq | None:
    """The rational number that a value is, or None."""
    return value.as_rational() if isinstance(value, Parametric) else value


class Expressions:
    """Evaluates trees, a method for each rule.  ``names`` are the numbers that have names at present.

    In a model with eps the ring begins with ``exp(-eps/rate)`` and has eps; ``root`` is ``exp(1/constant)``.
    """

    def __init__(
        self, source: Source, ring: Ring, units: Units, clock: Clock, root: Parametric | None = None
    ) -> None:
        self.source, self.ring, self.units, self.clock, self.root = source, ring, units, clock, root
        self.has_eps = EPS in ring.names
        self.names: dict[str, Value] = {}
        self.later: set[str] = set()
        self.tables: dict[str, Table] = {}
        self._steps = 0
        self._known: dict[str, fmpq] = {}

    def fail(self, node: Any, message: str, hint: str = "") -> InputError:
        """The error about what is written there."""
        return InputError(message, span_of(node, self.source), hint)

    def value(self, node: Any) -> Value:
        """The value of an expression."""
        found: Value = getattr(self, node.data)(node)
        return found

    def rational(self, node: Any, what: str) -> fmpq:
        """The value of an expression that must be a rational number."""
        if (found := constant(self.value(node))) is None:
            raise self.fail(node, f"{what} must be a number: it must not depend on parameters or eps")
        return found

    def whole(self, node: Any, what: str) -> int:
        """The value of an expression that must be an integer."""
        found = self.rational(node, what)
        if found.q != 1:
            raise self.fail(node, f"{what} must be an integer, not {found}")
        return int(found.p)

    # --- names and sets ----------------------------------------------------------------------------

    def designation(self, node: Any) -> str:
        """The state, observation or other thing that an expression names, such as ``query(1, 0, 2)``."""
        first = str(node.children[0]) if node.data in ("name", "call") else ""
        if node.data == "name" and first not in self.names:
            return first
        if node.data == "call" and first not in FUNCTIONS:
            return f"{first}({', '.join(str(self.rational(i, 'an index')) for i in node.children[1:])})"
        if (found := constant(self.value(node))) is None:
            raise self.fail(node, "this depends on parameters: it cannot be the name of anything")
        return str(found)

    def family(self, node: Any) -> str:
        """The name that a declaration gives to a state or an observation."""
        if node.data == "call" and node.children[0] in FUNCTIONS:
            raise self.fail(node, f"`{node.children[0]}` is a function: choose another name for the family")
        return self.designation(node)

    def each(self, binders: Any) -> Iterator[None]:
        """Bind the variables of a family to their values, one combination after the other."""
        if binders is None:
            yield
            return
        *loops, condition = binders.children
        if len(loops) > DEEPEST:
            raise LimitReached(f"{span_of(binders, self.source).place}: more than {DEEPEST} variables")
        before = self.names
        for _ in self._bind(loops):
            if condition is None or self.truth(condition):
                yield
        self.names = before

    def _bind(self, loops: list[Any]) -> Iterator[None]:
        if not loops:
            yield
            return
        (name, values), before = loops[0].children, self.names
        for value in self.members(values):
            self._steps += 1
            if self._steps > MOST_VALUES:
                raise LimitReached(f"{self.source.name}: `for` has more than {MOST_VALUES} values")
            self.clock.tick("reading", self._steps)
            self.names = {**before, str(name): value}
            yield from self._bind(loops[1:])

    def members(self, node: Any) -> Iterable[fmpq]:
        """The values of a set."""
        if node.data == "listed":
            return list(dict.fromkeys(self.rational(child, "a value of a set") for child in node.children))
        low, high = (self.whole(child, "the end of a range") for child in node.children)
        if high - low >= MOST_VALUES:
            raise LimitReached(
                f"{span_of(node, self.source).place}: a range of more than {MOST_VALUES} numbers"
            )
        return map(fmpq, range(low, high + 1))

    def truth(self, node: Any) -> bool:
        """Whether a condition holds."""
        found = self.rational(node, "a condition")
        if found not in (0, 1):
            raise self.fail(node, f"a condition is true or false, not {found}", "compare it: `x > 0`")
        return bool(found)

    # --- expressions -------------------------------------------------------------------------------

    def number(self, node: Node) -> Value:
        text = str(node.children[0])
        if text not in self._known:
            self._known[text] = rational(text, "a number")
        return self._known[text]

    def name(self, node: Node) -> Value:
        name = str(node.children[0])
        if name in self.names:
            return self.names[name]
        hint = (
            did_you_mean(name, self.names) or f"declare it: `let {name} = 1/2`, or `param {name} in (0, 1)`"
        )
        if name in self.later:
            hint = "it is declared further below; a number may use earlier ones only"
        elif name in self.tables:
            hint = f"it is a table: write {name}[...]"
        raise self.fail(node, f"no number is called `{name}`", hint)

    def eps(self, node: Node) -> Value:
        if not self.has_eps:
            raise self.fail(node, "eps is not allowed here")
        return self._eps

    @property
    def _eps(self) -> Parametric:
        return self.ring.gens[self.ring.names.index(EPS)]

    def sum(self, node: Node) -> Value:
        result = self.value(node.children[0])
        for sign, term in zip(node.children[1::2], node.children[2::2], strict=True):
            value = self.value(term)
            result = result + value if sign == "+" else result - value
        return result

    def negative(self, node: Node) -> Value:
        return -self.value(node.children[1])

    def product(self, node: Node) -> Value:
        result = self.value(node.children[0])
        for sign, factor in zip(node.children[1::2], node.children[2::2], strict=True):
            value = self.value(factor)
            if sign == "/" and not value:
                raise self.fail(factor, "division by zero")
            result = result / value if sign == "/" else result * value
        return result

    def power(self, node: Node) -> Value:
        base, count = self.value(node.children[0]), self.whole(node.children[2], "an exponent")
        if not base and count < 0:
            raise self.fail(node, "division by zero")
        if abs(count) > HIGHEST_POWER or _size_of_power(base, abs(count)) > MOST_TERMS:
            raise self.fail(node, "this power is too large")
        result: Value = base**count
        return result

    def exp(self, node: Node) -> Value:
        inside = self.value(node.children[1])
        if (parts := self._linear(inside)) is None:
            hint = "a*eps + k with rational numbers a and k, as in exp(-eps/2), is supported"
            raise Unsupported("this argument of exp in a probability", span_of(node, self.source), hint)
        (rate, fixed), units = parts, self.units
        if units.rate % int(rate.q) or (fixed and (not units.constant or units.constant % int(fixed.q))):
            finer = lcm(units.constant or 1, int(fixed.q)) if fixed else units.constant
            raise FinerUnit(units._replace(rate=lcm(units.rate, int(rate.q)), constant=finer))
        if max(abs(rate) * units.rate, abs(fixed) * units.constant) > MOST_TERMS:
            raise self.fail(node, "this multiple of eps is too large, or too fine")
        found: Value = fmpq(1)
        if rate:
            found = self.ring.gens[0] ** -int((rate * units.rate).p)
        return found * self.root ** int((fixed * units.constant).p) if fixed and self.root else found

    def _linear(self, value: Value) -> tuple[fmpq, fmpq] | None:
        """(a, k) of a*eps + k, or None."""
        if (number := constant(value)) is not None:
            return fmpq(0), fmpq(number)
        if not self.has_eps or not isinstance(value, Parametric):
            return None
        fixed = value.at({name: fmpq(0) for name in self.ring.names}) if value.denominator.is_one() else None
        if fixed is None or (known := constant(fixed)) is None:
            return None
        rate = constant((value - known) / self._eps)
        return None if rate is None else (rate, fmpq(known))

    def ln(self, node: Node) -> Value:
        raise self.fail(node, "a logarithm is allowed in claims only")

    ln_number = ln

    def index(self, node: Node) -> Value:
        name, *indices = cast("list[Any]", node.children)
        if (table := self.tables.get(str(name))) is None:
            raise self.fail(name, f"there is no table `{name}`", did_you_mean(str(name), self.tables))
        at = tuple(self.rational(i, "an index") for i in indices)
        if (found := table.entries.get(at)) is None:
            sets = ", ".join(_shown(values) for values in table.sets)
            raise self.fail(
                node, f"there is no entry {name}[{', '.join(map(str, at))}]", f"it is {name}[{sets}]"
            )
        return found

    def call(self, node: Node) -> Value:
        name, *arguments = cast("list[Any]", node.children)
        if str(name) not in FUNCTIONS:
            raise self.fail(node, f"there is no function `{name}`", did_you_mean(str(name), FUNCTIONS))
        count, function = FUNCTIONS[str(name)]
        if count not in (0, len(arguments)):
            raise self.fail(node, f"{name} has {plural(count, 'argument')}, not {len(arguments)}")
        if name == "count":
            return function(*(fmpq(self.truth(argument)) for argument in arguments)) or fmpq(0)
        found = function(*(self.rational(argument, f"an argument of {name}") for argument in arguments))
        if found is None:
            raise self.fail(node, NO_VALUE[str(name)])
        return found

    def chain(self, node: Node) -> Value:
        values = [self.rational(child, "a compared value") for child in node.children[::2]]
        relations = [RELATIONS[cast(Token, sign).type] for sign in node.children[1::2]]
        return fmpq(all(test(*pair) for test, pair in zip(relations, pairwise(values), strict=True)))

    def conjunction(self, node: Node) -> Value:
        return fmpq(all(map(self.truth, node.children)))

    def disjunction(self, node: Node) -> Value:
        return fmpq(any(map(self.truth, node.children)))

    def negation(self, node: Node) -> Value:
        return fmpq(not self.truth(node.children[0]))

    # --- tables ------------------------------------------------------------------------------------

    def table(self, node: Node) -> Table:
        """The table in a ``table`` line."""
        _, *sets, rows = cast("list[Any]", node.children)
        if len(sets) > DEEPEST:
            raise LimitReached(f"{span_of(node, self.source).place}: more than {DEEPEST} indices")
        indices = tuple(tuple(self.members(each)) for each in sets)
        return Table(indices, dict(self._entries(rows, indices, ())))

    def _entries(self, node: Any, sets: tuple[Key, ...], at: Key) -> Iterator[tuple[Key, Value]]:
        if not sets:
            if node.data == "tuple":
                raise self.fail(node, "a number is expected here: the table has fewer indices")
            yield at, self.value(node)
            return
        rows = node.children if node.data == "tuple" else [node]
        if len(rows) != len(sets[0]):
            raise self.fail(node, f"{len(rows)} entries for the {len(sets[0])} indices {_shown(sets[0])}")
        for i, row in zip(sets[0], rows, strict=True):
            yield from self._entries(row, sets[1:], (*at, i))


def _shown(values: Key) -> str:
    """A set as text."""
    if len(values) > 1 and all(b - a == 1 for a, b in pairwise(values)) and values[0].q == 1:
        return f"{values[0]}..{values[-1]}"
    return f"{{{', '.join(map(str, values))}}}"


def _size_of_power(base: Value, count: int) -> int:
    """About the number of digits, or of terms, of a power."""
    if (number := constant(base)) is not None:
        digits = max(int(number.p).bit_length(), int(number.q).bit_length()) * count // 3
        return digits * MOST_TERMS // LONGEST
    function = cast(Parametric, base)
    sizes = (len(function.numerator), len(function.denominator))
    return max(comb(count + terms - 1, count) for terms in sizes)
