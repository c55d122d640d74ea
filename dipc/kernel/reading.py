"""The file of a certificate: nothing is believed.  What is wrong is refused, with the step and the reason."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

MAX_BYTES = 32 * 2**20  # of a file, unpacked
MAX_MEMORY = 160 * 2**20  # of its values, estimated before they are read

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


def sealed(data: bytes, phases: Callable[[Any], T]) -> T:
    """What the phases find in a file, which is as it was written.  Raises :class:`Refused`."""
    try:
        read = unpacked(data)
        is_object = isinstance(read, dict)
        written = read.pop("digest", None) if is_object else None
        found = phases(read)
        require(is_object and written == digest(read), "digest", "the certificate is not as it was written")
        return found
    except Refused:
        raise
    except RecursionError:
        raise Refused("reading", "too deeply nested") from None
    except MemoryError:
        raise Unfinished("work", "out of memory") from None
    except Exception as error:  # a file that is broken in a way not thought of is refused as well
        raise Refused("reading", f"{type(error).__name__}: {str(error)[:200]}") from None


def digest(data: dict[str, Any]) -> str:
    """The hash of all but the digest, in a standard form: finds changes made by accident."""
    rest = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def integer(value: int, step: str, low: int, high: int) -> int:
    """The integer, if it is in a range."""
    require(low <= value <= high, step, f"an integer from {low} to {high} is expected")
    return value
