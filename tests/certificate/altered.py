"""Certificates altered in one place."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeVar

import pytest

from dipc.certificate.format import dumps
from dipc.kernel.reading import Refused
from dipc.kernel.statements import check

T = TypeVar("T")
Where = tuple[str | int, ...]


def declared(step: str) -> str:
    """The place of a step in the file, where what is not as declared is refused."""
    place = re.sub(r"(\w+) (\d+)", r"\1s, \2", step).replace("strategys", "strategies")
    return place.replace("phis", "phi").replace("deltas", "delta").replace("nodes, ", "")


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
    """The data with another value in a place; what lies on the way is copied, the rest is shared."""
    mutant = copy.copy(data)
    inner: Any = mutant
    for key in where[:-1]:
        inner[key] = copy.copy(inner[key])
        inner = inner[key]
    inner[where[-1]] = value
    return mutant


def others(value: Any, words: Iterable[str] = ()) -> Iterator[Any]:
    """Other values for a value; a text may become one of the words."""
    match value:
        case bool():
            yield from (not value, None)
        case int():
            yield from (value + 1, value - 1, 0, None, True)
        case None:
            yield from (0, 1, 2, [], [-1], [[0, "1"]], [[0, "1/2"], [1, "1/2"]], "")
        case str():
            yield from ("0", "1", "-1", "1/2", *words, value + "x", None)
            if re.fullmatch(r"-?\d+(/\d+)?", value):
                number = Fraction(value)
                yield from map(str, (number * 7 / 8, number * 9 / 8, -number, number * 4))
                yield from map(
                    str, (number + 1, number - 1, number + Fraction(1, 8), number - Fraction(1, 8))
                )
        case list():
            yield from (value[:i] + value[i + 1 :] for i in range(len(value)))
            yield from (value[: i + 1] + value[i:] for i in range(len(value)))
            yield from ([*value[:i], value[i + 1], value[i], *value[i + 2 :]] for i in range(len(value) - 1))
            yield from ([], None)
            if len(value) == 2 and all(isinstance(c, list) and len(c) == 2 for c in value):
                yield from _moved(value)  # a distribution that still sums to 1
        case dict():
            yield from ({k: v for k, v in value.items() if k != gone} for gone in value)
            yield {**value, "note": 1}


def _moved(row: list[Any]) -> Iterator[Any]:
    (s, p), (t, q) = row
    if isinstance(p, str) and isinstance(q, str):
        for d in (Fraction(1, 100), Fraction(-1, 100), Fraction(1, 9)):
            yield [[s, str(Fraction(p) + d)], [t, str(Fraction(q) - d)]]


def mutants(
    data: dict[str, Any],
    others: Callable[[Any], Iterable[Any]] = others,
    kept: Callable[[], bool] = lambda: True,
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


def checker(kind: type[T]) -> Callable[[dict[str, Any]], T]:
    """What reads a certificate of this kind, with a digest of its own, as the kernel does."""

    def checked(data: dict[str, Any]) -> T:
        found = check(dumps({k: v for k, v in data.items() if k != "digest"}).encode())
        assert isinstance(found, kind)
        return found

    return checked
