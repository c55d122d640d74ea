"""Frozen dataclasses with slots: the nodes of programs, and other values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: Class) -> Class:
    """``dataclass(frozen=True, slots=True)``.

    >>> @frozen
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1, 0) == Point(1), len({Point(1), Point(1)})
    (Point(x=1, y=0), True, 1)
    """
    make: Any = dataclass(frozen=True, slots=True)
    made: Class = make(kind)
    return made
