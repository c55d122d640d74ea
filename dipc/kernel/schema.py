"""What a certificate may contain, declared once: objects are frozen dataclasses, whose fields are the format.

A field is a string, one of some words, a boolean, an integer, a rational number, null, a list of one type, a
tuple (a list of that length), an object with any names (``dict``), another dataclass (an object with exactly
its fields), or a union of these.  Reading checks the type of everything and believes nothing; writing is its
inverse.

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

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .reading import Refused, require

FORMAT = "dipc certificate"
VERSION = 3
MAX_DIGITS = 4000  # of a number

T = TypeVar("T")
Reader = Callable[[Any], Any]
PLAIN = {str: "a string", bool: "true or false", int: "an integer", NoneType: "null"}


class Misread(Exception):
    """A value is not as declared: why, and the places that it lies in, the innermost first."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.places: list[object] = []


def check_version(data: Any, command: str) -> None:
    """That a file is a certificate of this version; else ``command`` writes a new one."""
    version = data.get("version") if isinstance(data, dict) and data.get("format") == FORMAT else None
    known = f"only '{FORMAT}' version {VERSION} is known"
    if type(version) is int and 0 < version < VERSION:
        known = f"version {version} is no longer read: write a new one with {command}"
    require(type(version) is int and version == VERSION, "format", known)


def read(kind: type[T], value: Any, step: str = "") -> T:
    """The value as declared.  Raises :class:`Refused` with its place."""
    declared: Any = kind
    try:
        found: T = reader(declared)(value)
    except Misread as misread:
        places = [step] * bool(step) + [str(place) for place in reversed(misread.places)]
        raise Refused(", ".join(places) or "format", str(misread)) from None
    return found


def write(value: Any) -> Any:
    """The JSON of a declared value."""
    if is_dataclass(value):
        return {field.name: write(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {name: write(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [write(item) for item in value]
    return str(value) if isinstance(value, Fraction) else value


@cache
def reader(kind: Any) -> Reader:
    """The function that reads the JSON of a type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Fraction:
        return rational
    if kind in PLAIN:
        return plain(kind)
    if origin is Literal:
        return word_of(arguments)
    if origin is list:
        return listed(reader(arguments[0]))
    if origin is tuple:
        return of_fixed_length([reader(part) for part in arguments])
    if origin is dict:
        return named(reader(arguments[1]))
    if origin in (Union, UnionType):
        return one_of(arguments)
    return object_of(kind)


def expect(holds: object, reason: str) -> None:
    """What is read is not as declared unless something holds."""
    if not holds:
        raise Misread(reason)


def plain(kind: type) -> Reader:
    """The reader of a type that JSON has."""

    def read_plain(value: Any) -> Any:
        expect(type(value) is kind, f"{PLAIN[kind]} is expected")
        return value

    return read_plain


def word_of(words: tuple[str, ...]) -> Reader:
    """The reader of one of some words."""

    def read_word(value: Any) -> Any:
        expect(type(value) is str and value in words, f"one of {', '.join(words)} is expected")
        return value

    return read_word


def rational(value: Any) -> Fraction:
    """A number in lowest terms: "3", "-1/2"."""
    expect(type(value) is str, PLAIN[str] + " is expected")
    return number(value)


@lru_cache(maxsize=2**16)
def number(written: str) -> Fraction:
    """The number that is written so, and only so."""
    known = len(written) <= MAX_DIGITS and re.fullmatch(r"-?[0-9]+(/[0-9]+)?", written)
    expect(known, f"'{written[:40]}' is not a rational number of a permitted size")
    lowest = not written.endswith("/0") and str(Fraction(written)) == written
    expect(lowest, f"'{written[:40]}' is not in lowest terms")
    return Fraction(written)


def listed(inner: Reader) -> Reader:
    """The reader of a list."""

    def read_list(value: Any) -> list[Any]:
        expect(type(value) is list, "a list is expected")
        found = list[Any]()
        try:
            for item in value:
                found.append(inner(item))
        except Misread as misread:
            misread.places.append(len(found))
            raise
        return found

    return read_list


def of_fixed_length(parts: list[Reader]) -> Reader:
    """The reader of a tuple."""

    def read_tuple(value: Any) -> Any:
        fits = type(value) is list and len(value) == len(parts)
        expect(fits, f"a list of {len(parts)} is expected")
        return tuple(within(i, part, item) for i, (part, item) in enumerate(zip(parts, value, strict=True)))

    return read_tuple


def named(inner: Reader) -> Reader:
    """The reader of an object with any names."""

    def read_named(value: Any) -> Any:
        expect(type(value) is dict, "an object is expected")
        return {name: within(name, inner, item) for name, item in value.items()}

    return read_named


def within(place: object, inner: Reader, item: Any) -> Any:
    """The item at a place."""
    try:
        return inner(item)
    except Misread as misread:
        misread.places.append(place)
        raise


def object_of(kind: type) -> Reader:
    """The reader of a dataclass, which may contain itself."""

    @cache
    def parts() -> dict[str, Reader]:
        return {name: reader(of) for name, of in get_type_hints(kind).items()}

    def read_object(value: Any) -> Any:
        expect(type(value) is dict, "an object is expected")
        for name in (*parts(), *value):
            is_field = name in parts()
            known = "missing" if is_field else "not known"
            expect(name in value and is_field, f"the field '{name[:40]}' is {known}")
        return kind(**{name: within(name, part, value[name]) for name, part in parts().items()})

    return read_object


def one_of(kinds: tuple[Any, ...]) -> Reader:
    """The reader of a union, whose members are told apart by their JSON: objects by their fields."""
    known = {shape_of(kind): reader(kind) for kind in kinds}
    objects = [shape for shape in known if isinstance(shape, frozenset)]
    assert len(known) == len(kinds), kinds

    def read_one(value: Any) -> Any:
        shape: Any = type(value)
        if shape is dict:  # the object with the most similar fields, which names those that are wrong
            shape = min(objects, key=lambda names: len(names.symmetric_difference(value)), default=dict)
        if shape is list and list not in known:
            shape = list, len(value)
        expect(shape in known, "none of the expected kinds of values")
        return known[shape](value)

    return read_one


def shape_of(kind: Any) -> Any:
    """The type of the JSON of a declared type; of an object its fields, of a tuple its length too."""
    origin = get_origin(kind)
    if is_dataclass(kind):
        return frozenset(field.name for field in fields(kind))
    if origin is tuple:
        return list, len(get_args(kind))
    return str if kind is Fraction or origin is Literal else origin or kind


def name_of(written: str, step: str) -> str:
    """A name."""
    require(re.fullmatch(r"[^\W\d]\w{0,200}", written), step, f"'{written[:40]}' is not a name")
    return written
