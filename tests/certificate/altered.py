"""Certificates altered in one place."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import pytest

from dipc.kernel.reading import Refused
from dipc.kernel.statements import check

T = TypeVar("T")
Where = tuple[str | int, ...]


def places(value: Any, where: Where = ()) -> Iterator[Where]:
    """The place of every value inside, itself included."""
    yield where
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*where, key))


def at(data: Any, where: Where) -> Any:
    """The value in a place."""
    for key in where:
        data = data[key]
    return data


def changed(data: dict[str, Any], where: Where, value: Any) -> dict[str, Any]:
    """A copy with another value in a place."""
    mutant = copy.deepcopy(data)
    at(mutant, where[:-1])[where[-1]] = value
    return mutant


def mutants(
    data: dict[str, Any], others: Callable[[Any], Iterable[Any]], kept: Callable[[], bool] = lambda: True
) -> Iterator[tuple[Where, dict[str, Any]]]:
    """Every value but the digest, changed to each of the others; with ``kept``, only some of these."""
    for where in places({k: v for k, v in data.items() if k != "digest"}):
        old = at(data, where)
        for new in others(old) if where else ():
            if (new != old or type(new) is not type(old)) and kept():
                yield where, changed(data, where, new)


def survivors(
    tried: Iterable[tuple[Where, dict[str, Any]]], checked: Callable[[dict[str, Any]], T]
) -> Iterator[tuple[Where, dict[str, Any], T]]:
    """The mutants that are accepted with a digest of their own; with the old one none is."""
    for where, mutant in tried:
        with pytest.raises(Refused):
            check(json.dumps(mutant).encode())
        try:
            certificate = checked(mutant)
        except Refused as refused:
            assert not str(refused).startswith("reading:"), (where, mutant, refused)
        else:
            yield where, mutant, certificate
