"""What a certificate may contain, declared once: objects are frozen dataclasses, whose fields are the format.

A field is a string, a boolean, an integer, a rational number, null, a list of one type, a tuple (a list of
that length), another dataclass (an object with exactly its fields), or a union of these.  Reading checks the
type of everything and believes nothing; writing is its inverse.

>>> from dataclasses import dataclass
>>> from dipc.kernel.reading import Refused
>>> @dataclass(frozen=True)
... class Side:
...     name: str
...     start: list[tuple[int, Fraction]]
>>> read(Side, {"name": "sick", "start": [[0, "1/2"]]}, "side 0")
Side(name='sick', start=[(0, Fraction(1, 2))])
>>> write(Side("sick", [(0, Fraction(1, 2))]))
{'name': 'sick', 'start': [[0, '1/2']]}
>>> try:
...     read(Side, {"name": "sick", "start": [[0, 0.5]]}, "side 0")
... except Refused as refused:
...     print(refused)
side 0, start, 0, 1: a string is expected
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from .reading import array, rational, record, require

FORMAT = "dipc certificate"
VERSION = 3

T = TypeVar("T")
Reader = Callable[[Any, str], Any]
PLAIN = {str: "a string", bool: "true or false", int: "an integer", NoneType: "null"}


def check_version(data: Any, command: str) -> None:
    """That a file is a certificate of this version; else ``command`` writes a new one."""
    version = data.get("version") if isinstance(data, dict) and data.get("format") == FORMAT else None
    known = f"only '{FORMAT}' version {VERSION} is known"
    if type(version) is int and 0 < version < VERSION:
        known = f"version {version} is no longer read: write a new one with {command}"
    require(type(version) is int and version == VERSION, "format", known)


def read(kind: type[T], value: Any, step: str) -> T:
    """The value as declared.  Raises :class:`Refused` with its place."""
    declared: Any = kind
    found: T = reader(declared)(value, step)
    return found


def write(value: Any) -> Any:
    """The JSON of a declared value."""
    if is_dataclass(value):
        return {field.name: write(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple):
        return [write(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


@cache
def reader(kind: Any) -> Reader:
    """The function that reads values of a type: from JSON, and the place to name."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Fraction:
        return rational
    if kind in PLAIN:
        return plain(kind)
    if origin is list:
        return listed(reader(arguments[0]))
    if origin is tuple:
        return of_fixed_length([reader(part) for part in arguments])
    if isinstance(kind, UnionType):
        return one_of(arguments)
    return object_of(kind)


def plain(kind: type) -> Reader:
    """The reader of a type that JSON has."""

    def read_plain(value: Any, step: str) -> Any:
        require(type(value) is kind, step, f"{PLAIN[kind]} is expected")
        return value

    return read_plain


def listed(inner: Reader) -> Reader:
    """The reader of a list."""
    return lambda value, step: [inner(item, at(step, i)) for i, item in enumerate(array(value, step))]


def of_fixed_length(parts: list[Reader]) -> Reader:
    """The reader of a tuple."""

    def read_tuple(value: Any, step: str) -> Any:
        require(len(array(value, step)) == len(parts), step, f"a list of {len(parts)} is expected")
        return tuple(part(item, at(step, i)) for i, (part, item) in enumerate(zip(parts, value, strict=True)))

    return read_tuple


def object_of(kind: type) -> Reader:
    """The reader of a dataclass."""
    parts = {name: reader(of) for name, of in get_type_hints(kind).items()}

    def read_object(value: Any, step: str) -> Any:
        given = record(value, step, *parts)
        return kind(**{name: part(given[name], at(step, name)) for name, part in parts.items()})

    return read_object


def one_of(kinds: tuple[Any, ...]) -> Reader:
    """The reader of a union, whose members are told apart by their JSON: objects by their fields."""
    known = {shape_of(kind): reader(kind) for kind in kinds}
    objects = [shape for shape in known if isinstance(shape, frozenset)]
    assert len(known) == len(kinds), kinds

    def read_one(value: Any, step: str) -> Any:
        shape: Any = type(value)
        if shape is dict:  # the object with the most similar fields, which names those that are wrong
            shape = min(objects, key=lambda names: len(names.symmetric_difference(value)), default=dict)
        require(shape in known, step, "none of the expected kinds of values")
        return known[shape](value, step)

    return read_one


def shape_of(kind: Any) -> Any:
    """The type of the JSON of a declared type; of an object its fields."""
    if is_dataclass(kind):
        return frozenset(field.name for field in fields(kind))
    return str if kind is Fraction else list if get_origin(kind) in (list, tuple) else kind


def at(step: str, place: object) -> str:
    """The name of a place inside."""
    return f"{step}, {place}" if step else str(place)
