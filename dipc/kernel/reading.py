"""Reading a certificate: nothing is believed.

Every value of the file is taken through one of these readers.  Each returns a checked value or raises
:class:`Refused` with the step and the reason.
"""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

MAX_BYTES = 32 * 2**20  # of a file, unpacked
MAX_MEMORY = 160 * 2**20  # of its values, estimated before they are read
MAX_DIGITS = 4000  # of a number

Domain = tuple["Fraction | str", ...]
T = TypeVar("T")


class Refused(Exception):
    """The certificate is refused: at which step, and why."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}")


class Unfinished(Refused):
    """The memory ran out: the certificate may be right."""


def require(holds: object, step: str, reason: str) -> None:
    """Refuse the certificate unless something holds."""
    if not holds:
        raise Refused(step, reason)


def width(x: Fraction) -> int:
    """The bits of numerator and denominator."""
    return x.numerator.bit_length() + x.denominator.bit_length()


# --- values -----------------------------------------------------------------------------------------


def file_bytes(path: Path) -> bytes:
    """The bytes of a file, or the first of them if there are more than are ever accepted."""
    with path.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def decompressed(data: bytes) -> bytes:
    """The bytes of a file that may be compressed by gzip, or the first of them."""
    if data[:2] != b"\x1f\x8b":
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
        return stream.read(MAX_BYTES + 1)


def unpacked(data: bytes) -> Any:
    """The JSON value of a file, which may be compressed by gzip."""
    step = "reading"
    data = decompressed(data)
    if len(data) > MAX_BYTES:
        raise Refused(step, f"more than {MAX_BYTES} bytes")
    if memory_for(data) > MAX_MEMORY:
        raise Refused(step, f"its values take more than {MAX_MEMORY >> 20} MB")

    def whole(digits: str) -> int:
        if len(digits) > 10:
            raise Refused(step, "an integer of more than 10 digits")
        return int(digits)

    def unexpected(word: str) -> None:
        raise Refused(step, f"the number {word[:20]} is not an integer")

    def unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(items)) != len(items):
            raise Refused(step, "a field occurs twice")
        return dict(items)

    return json.loads(
        data.decode("utf-8"),
        parse_int=whole,
        parse_float=unexpected,
        parse_constant=unexpected,
        object_pairs_hook=unique,
    )


def memory_for(data: bytes) -> int:
    """At least the bytes that the values of a JSON text take: an object 300, a list 100, an item 70."""
    return 2 * len(data) + 300 * data.count(b"{") + 100 * data.count(b"[") + 70 * data.count(b",")


def record(value: Any, step: str, *fields: str) -> dict[str, Any]:
    """An object with exactly these fields."""
    if not isinstance(value, dict):
        raise Refused(step, "an object is expected")
    for name in (*fields, *value):
        if name not in value or name not in fields:
            raise Refused(step, f"the field '{name[:40]}' is {'missing' if name in fields else 'not known'}")
    return value


def array(value: Any, step: str) -> list[Any]:
    if not isinstance(value, list):
        raise Refused(step, "a list is expected")
    return value


def text(value: Any, step: str) -> str:
    if not isinstance(value, str):
        raise Refused(step, "a string is expected")
    return value


def flag(value: Any, step: str) -> bool:
    if not isinstance(value, bool):
        raise Refused(step, "true or false is expected")
    return value


def integer(value: Any, step: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise Refused(step, f"an integer from {low} to {high} is expected")
    return value


def rational(value: Any, step: str) -> Fraction:
    """A number in lowest terms: "3", "-1/2"."""
    written = text(value, step)
    if len(written) > MAX_DIGITS or not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", written):
        raise Refused(step, f"'{written[:40]}' is not a rational number of a permitted size")
    if written.endswith("/0") or str(Fraction(written)) != written:
        raise Refused(step, f"'{written[:40]}' is not in lowest terms")
    return Fraction(written)


def name_of(value: Any, step: str) -> str:
    if not re.fullmatch(r"[^\W\d]\w{0,200}", text(value, step)):
        raise Refused(step, f"'{value[:40]}' is not a name")
    return str(value)


def value_of(value: Any, step: str) -> Fraction | str:
    """The value of an input or output: a number or a name."""
    return rational(value, step) if re.match(r"[-0-9]", text(value, step)) else name_of(value, step)


def places(values: Any, domains: Sequence[Domain], step: str) -> list[int]:
    """The place of every value in its set."""
    if len(array(values, step)) != len(domains):
        raise Refused(step, "there is not one value for every cell")
    known = [value_of(value, step) for value in values]
    if any(value not in domain for value, domain in zip(known, domains, strict=True)):
        raise Refused(step, "a value is outside its set")
    return [domain.index(value) for value, domain in zip(known, domains, strict=True)]


def pair_of(value: Any, step: str) -> list[Any]:
    if len(array(value, step)) != 2:
        raise Refused(step, "a list of two is expected")
    return list(value)
