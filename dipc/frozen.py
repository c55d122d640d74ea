"""Frozen dataclasses that take little time to build.

``dataclass(frozen=True, slots=True)`` compiles six methods for every class.  For the many kinds of nodes of
programs that takes longer than reading one.  Here only ``__init__`` is compiled; the other methods are
closures over the fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: Class) -> Class:
    """The class as ``dataclass(frozen=True, slots=True)`` makes it, except that any class can be its base.

    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1, 0) == Point(1), Point(1, y=2) == Point(1), len({Point(1), Point(1)})
    (Point(x=1, y=0), True, False, 1)
    >>> Point(1).x = 2
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: cannot assign to field 'x'
    """
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(kind)
    for method in (_init(fields(made)), *_methods(fields(made))):
        if method.__name__ not in vars(kind):
            setattr(made, method.__name__, method)
    found: Class = made
    return found


def _init(known: tuple[Field[Any], ...]) -> Callable[..., None]:
    """The method that sets the fields: compiled, for it is called often."""
    defaults = {f"_{each.name}": each.default for each in known if each.default is not MISSING}
    placed = [_argument(each) for each in known if not each.kw_only]
    named = [_argument(each) for each in known if each.kw_only]
    arguments = ", ".join(["self", *placed, *["*"] * bool(named), *named])
    lines = [f"    put(self, {each.name!r}, {each.name})" for each in known] or ["    pass"]
    space: dict[str, Any] = {"put": object.__setattr__, **defaults}
    exec("\n".join((f"def __init__({arguments}):", *lines)), space)
    init: Callable[..., None] = space["__init__"]
    return init


def _argument(known: Field[Any]) -> str:
    return known.name if known.default is MISSING else f"{known.name}=_{known.name}"


def _methods(known: tuple[Field[Any], ...]) -> tuple[Callable[..., Any], ...]:
    """The methods that are the same for all such classes, but for the fields."""
    names = tuple(each.name for each in known)
    compared = [each.name for each in known if each.compare]
    values: Callable[[Any], Any] = attrgetter(*compared) if compared else lambda _: ()

    def __eq__(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(values(self))

    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in known if each.repr)
        return f"{type(self).__qualname__}({shown})"

    def __reduce__(self: Any) -> Any:
        return object.__new__, (type(self),), [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self: Any, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self: Any, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    return __eq__, __hash__, __repr__, __reduce__, __setstate__, __setattr__, __delattr__
