"""The value of an expression in a file with a hidden Markov model, and the names that families give.

Beside the arithmetic of all files there are names of families, sets, tables, comparisons and functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from operator import eq, ge, gt, le, lt, ne
from typing import Any, NamedTuple, cast

from flint import fmpq
from lark import Token

from dipc.clock import Clock
from dipc.errors import LimitReached, Source
from dipc.excerpts import plural
from dipc.models.arithmetic import DEEPEST, Amount, Arithmetic, Node, constant, span_of
from dipc.numbers.exact import ON_NUMBERS, rational
from dipc.pufferfish.generators import Value
from dipc.suggest import did_you_mean

MOST_VALUES = 10**6  # of the binders of a file together

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


class Table(NamedTuple):
    """The numbers of a ``table`` line by their indices, and the sets of these."""

    sets: tuple[tuple[fmpq, ...], ...]
    entries: dict[Key, Value]


class Expressions(Arithmetic):
    """Arithmetic with rational numbers, functions of eps and of parameters, and with names of families.

    ``names`` are the numbers that have names at present; ``later`` those that are declared further below.
    """

    logarithms = "claims"
    names: dict[str, Amount]

    def __init__(self, source: Source, clock: Clock) -> None:
        super().__init__(source, {})
        self.clock = clock
        self.later: set[str] = set()
        self.tables: dict[str, Table] = {}
        self._steps = 0
        self._known: dict[str, Amount] = {}

    def value(self, node: Any) -> Value:
        """The value of an expression."""
        return self.number_of(node)

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
            self.names = {**before, str(name): _amount(value)}
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

    def number(self, node: Node) -> Amount:
        text = str(node.children[0])
        if text not in self._known:
            self._known[text] = _amount(rational(text, "a number"))
        return self._known[text]

    def hint_for(self, name: str) -> str:
        if name in self.later:
            return "it is declared further below; a number may use earlier ones only"
        if name in self.tables:
            return f"it is a table: write {name}[...]"
        return super().hint_for(name) or f"declare it: `let {name} = 1/2`, or `param {name} in (0, 1)`"

    def index(self, node: Node) -> Amount:
        name, *indices = cast("list[Any]", node.children)
        if (table := self.tables.get(str(name))) is None:
            raise self.fail(name, f"there is no table `{name}`", did_you_mean(str(name), self.tables))
        at = tuple(self.rational(i, "an index") for i in indices)
        if (found := table.entries.get(at)) is None:
            sets = ", ".join(_shown(values) for values in table.sets)
            raise self.fail(
                node, f"there is no entry {name}[{', '.join(map(str, at))}]", f"it is {name}[{sets}]"
            )
        return _amount(found)

    def call(self, node: Node) -> Amount:
        name, *arguments = cast("list[Any]", node.children)
        if str(name) not in FUNCTIONS:
            raise self.fail(node, f"there is no function `{name}`", did_you_mean(str(name), FUNCTIONS))
        count, function = FUNCTIONS[str(name)]
        if count not in (0, len(arguments)):
            raise self.fail(node, f"{name} has {plural(count, 'argument')}, not {len(arguments)}")
        if name == "count":
            return _amount(function(*(fmpq(self.truth(argument)) for argument in arguments)) or fmpq(0))
        found = function(*(self.rational(argument, f"an argument of {name}") for argument in arguments))
        if found is None:
            raise self.fail(node, NO_VALUE[str(name)])
        return _amount(found)

    def chain(self, node: Node) -> Amount:
        values = [self.rational(child, "a compared value") for child in node.children[::2]]
        relations = [RELATIONS[cast(Token, sign).type] for sign in node.children[1::2]]
        return _amount(fmpq(all(test(*pair) for test, pair in zip(relations, pairwise(values), strict=True))))

    def conjunction(self, node: Node) -> Amount:
        return _amount(fmpq(all(map(self.truth, node.children))))

    def disjunction(self, node: Node) -> Amount:
        return _amount(fmpq(any(map(self.truth, node.children))))

    def negation(self, node: Node) -> Amount:
        return _amount(fmpq(not self.truth(node.children[0])))

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


def _amount(value: Value) -> Amount:
    return Amount(cast(Any, value))
