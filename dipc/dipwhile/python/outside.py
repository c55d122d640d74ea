"""What the names of a function mean that it does not assign: constants, functions and modules around it."""

from __future__ import annotations

import ast
import builtins
import collections
import dataclasses
import inspect
import random
import reprlib
import sys
import typing
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from flint import fmpq

from dipc.dipwhile.python.library import WORDS, canonical
from dipc.dipwhile.python.source import (
    ABSENT,
    FunctionText,
    decimal_note,
    described,
    exact_number,
    python_number,
    text_of,
    written_number,
)
from dipc.dipwhile.python.values import Closure, Constants, Named, Sym, Table, Value, Word
from dipc.dipwhile.python.words import MEANINGS
from dipc.dipwhile.syntax.ast import Call, Eps
from dipc.dipwhile.syntax.distributions import OTHER_NOISE
from dipc.dipwhile.syntax.functions import OTHER_NAMES, check_call
from dipc.errors import InputError
from dipc.suggest import did_you_mean

if TYPE_CHECKING:
    from dipc.dipwhile.python.interpreter import Interpreter

LIBRARIES = (
    "numpy",
    "numpy.random",
    "random",
    "secrets",
    "math",
    "statistics",
    "collections",
    "dataclasses",
    "functools",
    "itertools",
)


class Outside:
    """The names around functions; ``constants`` are those that were used, with the values they have here."""

    def __init__(self, constants: dict[str, fmpq], changed: Mapping[str, fmpq]) -> None:
        self.constants, self.changed = constants, changed
        self._texts: dict[FunctionType, FunctionText] = {}

    def meaning(self, m: Interpreter, name: str) -> Value:
        """The value of a name outside the function that is being run."""
        value = m.text.outside(name)
        if value is ABSENT:
            return self.absent(m, name)
        if name in MEANINGS and any(value is meaning for meaning in MEANINGS[name]):
            return self.absent(m, name)
        if name in ("eps", "ε"):
            hint = "a mechanism covers every eps at once: give that value another name"
            raise m.refuse(f"`{name}` is {described(value)} here and not the privacy parameter", hint)
        exact = exact_number(value)
        if exact is not None:
            self.constants[name] = self.changed.get(name, exact)
            return python_number(self.constants[name])
        return self.value(m, name, value)

    def absent(self, m: Interpreter, name: str) -> Value:
        """A word of dipc that nobody defined otherwise."""
        if name in ("eps", "ε"):
            return Sym(Eps(span=m.place), "eps")
        if name in WORDS:
            return Word(name)
        below = self.defined_below(m.text, name)
        if below is not None:
            return self.closure(m, below)
        if name in (*OTHER_NOISE, *OTHER_NAMES) and m.calling is not None:
            check_call(Call(name, (), span=m.text.span(m.calling)))
        hint = "assign it first, or define it outside; strings are quoted"
        known = [*WORDS, *dict(m.variables()), *assigned_in(m.text.node), "eps"]
        raise m.refuse(f"unknown name `{name}`", did_you_mean(name, known, hint))

    def value(self, m: Interpreter, name: str, value: object) -> Value:
        """A Python object as a value."""
        if (exact := exact_number(value)) is not None:
            return python_number(exact)
        match value:
            case Enum() if isinstance(value, str):
                return value.value
            case None | bool() | str():
                return value
            case float() if (meant := written_number(m.text.source, name, value)) is not None:
                m.note(decimal_note(repr(value), meant))
                return python_number(meant)
            case float():
                message = f"`{name}` is the float {value!r}, which is rarely the exact number that was meant"
                hint = f'make it exact where it is defined: `{name} = Fraction("{value!r}")`'
                raise m.refuse(message, hint)
            case list() | tuple():
                return tuple(self.value(m, name, each) for each in value)
            case range():
                return value
            case dict() if type(value) is dict and all(
                isinstance(key, bool | int | str | None) for key in value
            ):
                entries = ((key, self.value(m, name, each)) for key, each in value.items())
                return m.new(Table(tuple(entries), outside=True))
            case ModuleType():
                return canonical(value.__name__)
            case random.Random():
                return Word("random")
        path = self.path(value)
        if path is not None:
            return path
        if isinstance(value, FunctionType):
            return self.function(m, value)
        if isinstance(value, type | Enum):
            return Constants(name, value)
        hint = (
            "only numbers, strings, lists, dictionaries and functions can be taken from outside the function"
        )
        raise m.refuse(f"`{name}` is {described(value)}", hint)

    def path(self, value: object) -> Word | None:
        """The name of a function or class of a library; None for others."""
        kind = type(value)
        if f"{kind.__module__}.{kind.__name__}" in (
            "numpy.random._generator.Generator",
            "numpy.random.mtrand.RandomState",
        ):
            return Word("rng")
        name = getattr(value, "__name__", None)
        found = [
            canonical(f"{library}.{name}")
            for library in LIBRARIES
            if isinstance(name, str) and getattr(sys.modules.get(library), name, ABSENT) == value
        ]
        if found:
            return next((word for word in found if word.path in WORDS), found[0])
        module_name = getattr(value, "__module__", None)
        if module_name == "builtins" or getattr(builtins, str(name), ABSENT) is value:
            return Word(str(name))
        root = str(module_name).partition(".")[0]
        if isinstance(name, str) and root in FOREIGN:
            return Word(f"{root}.{name}")
        return None

    def function(self, m: Interpreter, function: FunctionType) -> Closure:
        """A function of the user's module."""
        if function not in self._texts:
            try:
                self._texts[function] = text_of(function)
            except InputError as error:
                raise m.refuse(error.message, error.hint) from None
        return self.closure(m, self._texts[function])

    def defined_below(self, text: FunctionText, name: str) -> FunctionText | None:
        """A function that the file defines later, without condition; nothing else has its name."""
        try:
            module = ast.parse(text.source.text)
        except SyntaxError:
            return None
        bound = [node for node in ast.walk(module) if name in names_bound(node)]
        match bound:
            case [ast.FunctionDef() as node] if node in module.body and node.lineno > text.node.lineno:
                around = FunctionType((lambda: None).__code__, text.function.__globals__)
                return FunctionText(around, text.source, node)
        return None

    def closure(self, m: Interpreter, text: FunctionText) -> Closure:
        """A function of the file, whose names are those of the file."""
        if text.node.decorator_list:
            raise m.refuse(f"`{text.node.name}` has a decorator", "remove it: dipc reads plain functions")
        inner, m.text = m.text, text
        try:
            return m.closure(text.node, None, text)
        finally:
            m.text = inner


GENERATED = ("<string>", *(module.__file__ for module in (collections, dataclasses, reprlib, typing)))
"""The files of the methods that Python gives to named tuples and dataclasses."""


def record_of(m: Interpreter, kind: Any, positional: Sequence[Value], named: Mapping[str, Value]) -> Value:
    """An instance of a ``NamedTuple`` or dataclass of the user that only keeps its fields."""
    special = [
        getattr(v, "__func__", v) for name, v in vars(kind).items() if name[:2] == "__" and callable(v)
    ]
    plain = all(getattr(getattr(v, "__code__", None), "co_filename", "") in GENERATED for v in special)
    names = getattr(kind, "_fields", ())
    if dataclasses.is_dataclass(kind):
        names = tuple(field.name for field in dataclasses.fields(kind))
    defaults = {name: each.default for name, each in inspect.signature(kind).parameters.items()}
    plain = plain and type(kind) is type and kind.__mro__[1:] in ((object,), (tuple, object))
    if (
        not plain
        or not names
        or names != (*defaults,)
        or any(hasattr(v, "__get__") for v in defaults.values())
    ):
        hint = "use a `NamedTuple` or dataclass with fields and nothing else, or a dictionary"
        raise m.refuse(f"`{kind.__name__}` is a class that does more than keep fields", hint)
    try:
        given = inspect.signature(kind).bind(*positional, **named).arguments
    except TypeError as error:
        raise m.refuse(f"`{kind.__name__}`: {error}", f"it takes ({', '.join(names)})") from None
    fields = [given[n] if n in given else m.outside.value(m, n, default) for n, default in defaults.items()]
    made = Named.made(kind, [m.kept(m.sample(value)) for value in fields])
    return made if issubclass(kind, tuple) else m.new(made)


def names_bound(node: ast.AST) -> set[str]:
    """The names that a node of a file gives a meaning, here or in another scope; "*" are all."""
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return {name}
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
            return {name}
        case ast.Import(names) | ast.ImportFrom(_, names):
            return {(alias.asname or alias.name).partition(".")[0] for alias in names}
        case ast.Global(names) | ast.Nonlocal(names):
            return {*names}
    return set()


FOREIGN = ("diffprivlib", "opendp", "pydp", "tmlt", "snsynth", "snsql", "pipeline_dp", "scipy")
"""Libraries whose words are refused with the line to write instead."""


@cache
def assigned_in(node: ast.AST) -> frozenset[str]:
    """The names that a function assigns, its arguments included; nested functions are not looked into."""
    found: set[str] = set()
    todo: list[ast.AST] = list(ast.iter_child_nodes(node))
    while todo:
        current = todo.pop()
        match current:
            case ast.FunctionDef(name):
                found.add(name)
                continue
            case ast.Lambda() | ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                continue
            case ast.Name(name, ast.Store()) | ast.arg(name):
                found.add(name)
        todo += ast.iter_child_nodes(current)
    return frozenset(found)
