"""The values of a function that is run with symbols: Python's own where they are known, else symbols.

A known value is an ``int``, ``Fraction``, ``bool``, ``str`` or ``None``, a tuple of values, or an opaque
object such as a module; the only floats are the infinities.  What can change in place (lists, dictionaries,
the variables of a function) is a :class:`Ref` into the heap, so that aliases behave as in Python.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

from dipc.dipwhile.syntax.ast import Expr

Value = Any
"""Any of the values above; the interpreter takes them apart with ``match``."""

FINITE = ("bool", "num", "dom")  # truth values, numbers, numbers and atoms
RANDOM = ("real", "lattice", "int")  # continuous noise, multiples of integer noise, integer noise
"""The kinds of what is drawn; where several meet, the first of them is that of the result."""

MOST_VALUES = 500  # possible values of a finite symbol that are still listed


@dataclass(frozen=True)
class Sym:
    """An expression; of the kind "eps" if it is a rate or probability, which no variable can hold.

    The variables in ``expr`` are assigned once on every path, so that it keeps its value.  ``possible`` are
    all values that a finite one may have, and perhaps others; None if they are not known.
    """

    expr: Expr
    kind: str
    possible: frozenset[Value] | None = None
    source: tuple[Sym, frozenset[Value]] | None = None
    """Of a truth value: a finite symbol, and the values of it for which this one is true."""


@dataclass(frozen=True)
class Stepped:
    """A sample that was rounded (``mode``) and then clamped to ``low..high``: finite once both are known."""

    base: Sym
    mode: str  # "" for none, or a key of ROUNDING
    low: Fraction | None
    high: Fraction | None


@dataclass(frozen=True)
class Ref:
    """The place of an object in the heap."""

    place: int


@dataclass(frozen=True)
class Items:
    """A list in the heap: "list", "array" (numpy's), "input" (either) or "view" (a slice of an array)."""

    values: tuple[Value, ...]
    kind: str = "list"
    dtype: str = ""  # of an array: "int", "float", "bool" or "" for others


@dataclass(frozen=True)
class Array:
    """An array of the program: an input of symbolic length, or a list that is made cell by cell.

    It is its own name, so that aliases behave as in Python.  Cells of an input have a known kind, and
    perhaps known ``possible`` values; ``key`` says where the kind of other cells is found.
    """

    name: str
    size: Expr
    key: Any = None
    kind: str = ""
    possible: frozenset[Value] | None = None


@dataclass(frozen=True, eq=False)
class Row:
    """What a loop with a symbolic number of rounds goes through: ``cell(i)`` for each i from low to high."""

    low: Expr
    high: Expr
    cell: Callable[[Sym], Value]
    array: Array | None = None  # that has these cells
    once: bool = False  # what a generator makes


@dataclass(frozen=True)
class Table:
    """A dictionary in the heap; ``default`` makes the value of a missing key, or is that value.

    One from outside the function must not be changed there.
    """

    entries: tuple[tuple[Value, Value], ...] = ()
    default: Value = None
    outside: bool = False


@dataclass(frozen=True)
class Frame:
    """The variables of a function call or comprehension in the heap."""

    names: tuple[tuple[str, Value], ...]
    parent: Ref | None

    def with_names(self, names: Mapping[str, Value]) -> Frame:
        """The same with more variables, or other values."""
        return Frame(tuple(sorted({**dict(self.names), **names}.items())), self.parent)


@dataclass(frozen=True)
class Unit:
    """A number drawn from [0, 1), in the heap; it is known to be between two probabilities.

    ``asked`` is a comparison ``self < bound`` already made, with its answer.
    """

    low: Value
    high: Value
    asked: tuple[Value, Sym] | None = None


@dataclass(frozen=True)
class Gumbel:
    """Standard Gumbel noise, in the heap; it is never drawn: ``argmax`` of scores with it is one choice."""

    spent: bool = False


@dataclass(frozen=True)
class Geometric:
    """A number of trials, in the heap; not drawn yet, since the difference of two is ``DLap``."""

    rate: Expr
    spent: bool = False


@dataclass(frozen=True)
class Scaled:
    """A :class:`Unit`, :class:`Gumbel` or :class:`Geometric`, times a factor of known sign, plus ``offset``.

    Paths with other factors stay apart.
    """

    unit: Ref
    factor: Value
    offset: Value


@dataclass(frozen=True)
class Members:
    """A set."""

    values: tuple[Value, ...]


@dataclass(frozen=True)
class Once:
    """What ``zip``, ``map``, ``d.keys()`` and generators make: it is used where it is made, or refused.

    A second loop would find it empty, and a later one what has become of its source.  ``again`` makes it anew
    from its source as that is then: Python looks at a list when a round begins, not when the loop does.
    """

    values: tuple[Value, ...]
    again: Callable[[], Once] | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Logarithm:
    """The natural logarithm of a number, which only ``exp`` turns into a number."""

    of: Fraction


@dataclass(frozen=True)
class Word:
    """A function or module of dipc, Python or a library, by its full name: ``numpy.random.laplace``."""

    path: str


@dataclass(frozen=True, eq=False)
class Constants:
    """A class of the user, or a member of an ``Enum``, of which constants are read: ``Config.SHARE``."""

    name: str
    of: object


@dataclass(frozen=True)
class Method:
    """A method of a value: ``noisy.append``."""

    owner: Value
    name: str


@dataclass(frozen=True, eq=False)
class Closure:
    """A function of the user: its text, and the variables around it."""

    text: Any  # a FunctionText
    node: Any  # an ast.FunctionDef or ast.Lambda
    parent: Ref | None
    defaults: tuple[tuple[str, Value], ...] = ()


COMPOUND = (tuple, Items, Members, Table, Frame, Method, Closure, Scaled)
"""What has other values inside."""


def parts(value: Value) -> Sequence[Value]:
    """The values inside a compound one."""
    match value:
        case Items(values) | Members(values) | (tuple() as values):
            return values
        case Table(entries):
            return [inside for _, inside in entries]
        case Frame(names, parent):
            return [*(inside for _, inside in names), parent]
        case Closure(_, _, parent, defaults):
            return [parent, *(inside for _, inside in defaults)]
        case Method(owner):
            return [owner]
    return [value.unit, value.offset]


def contents(thing: Any) -> Sequence[Value] | None:
    """What can be changed in an object of the heap; None for samples."""
    match thing:
        case Table(entries):
            return entries
        case Items() | Frame() | tuple():
            return parts(thing)
    return None


def with_parts(value: Value, inside: Sequence[Value]) -> Value:
    """A compound value with others inside."""
    match value:
        case Named(of=kind):
            return Named.made(kind, inside)
        case tuple():
            return tuple(inside)
        case Items() | Members():
            return replace(value, values=tuple(inside))
        case Table(entries):
            return replace(value, entries=named(entries, inside))
        case Frame(names):
            return Frame(named(names, inside[:-1]), inside[-1])
        case Closure(_, _, _, defaults):
            return replace(value, parent=inside[0], defaults=named(defaults, inside[1:]))
        case Method():
            return replace(value, owner=inside[0])
    return Scaled(inside[0], value.factor, inside[1])


def named(pairs: Sequence[tuple[Value, Value]], values: Sequence[Value]) -> tuple[tuple[Any, Value], ...]:
    """The names or keys of the pairs, with other values."""
    return tuple((name, value) for (name, _), value in zip(pairs, values, strict=True))


class Named(tuple[Value, ...]):
    """The fields of a ``NamedTuple`` of the user; in the heap, those of a dataclass."""

    of: Any

    @classmethod
    def made(cls, of: Any, values: Iterable[Value]) -> Named:
        """An instance of a class."""
        found = cls(values)
        found.of = of
        return found

    @property
    def fields(self) -> dict[str, Value]:
        """The fields by their names."""
        return dict(zip(inspect.signature(self.of).parameters, self, strict=True))


LOST = Word("a variable without a value on some path")


def is_known(value: Value) -> bool:
    """Is this a number, truth value, string or None that does not depend on anything?"""
    return value is None or isinstance(value, bool | int | Fraction | str)


def is_number(value: Value) -> bool:
    """Is this a known number? Truth values are numbers."""
    return isinstance(value, bool | int | Fraction)


def kind_of(value: Value) -> str:
    """The kind of a scalar."""
    match value:
        case Sym(_, kind):
            return kind
        case bool():
            return "bool"
        case int() | Fraction():
            return "num"
    return "dom"


def possible_values(value: Value) -> frozenset[Value] | None:
    """All values that a finite value may have."""
    if is_known(value):
        return frozenset([value])
    return value.possible if isinstance(value, Sym) and value.kind in FINITE else None


def possible_results(function: Callable[..., Value], *values: Value) -> frozenset[Value] | None:
    """All values that a function of finite values may have, if they are few."""
    each = [possible_values(value) for value in values]
    return some(function(*row) for row in product(*each)) if None not in each else None  # type: ignore[arg-type]


def one_possible(values: Iterable[Value]) -> frozenset[Value] | None:
    """All values that one of some finite values may have, if they are few."""
    each = [possible_values(value) for value in values]
    return some(v for part in each for v in part or ()) if None not in each else None


def some(values: Iterable[Value]) -> frozenset[Value] | None:
    """The values, if they are few."""
    found = frozenset(values)
    return found if len(found) <= MOST_VALUES else None
