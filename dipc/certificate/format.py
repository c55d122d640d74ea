"""A certificate as text: dipc's functions in the kernel's terms, and JSON that people can read.

The format is described field by field in docs/certificates.md.
"""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from flint import fmpq

from dipc.kernel.facts import Function
from dipc.kernel.privacy import digest
from dipc.numbers.exppoly import ExpPoly, Term

Json = Any


def fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def to_function(f: ExpPoly) -> Function:
    """dipc's function as one of the kernel.

    >>> to_function(ExpPoly.of(2, 1))                                           # 2 eps
    {(1, Fraction(0, 1), Fraction(0, 1), Fraction(0, 1)): Fraction(2, 1)}
    """
    return {
        (t.power, fraction(t.rate), fraction(t.constant), fraction(t.inverse)): fraction(t.coefficient)
        for t in f.terms()
    }


def to_exppoly(f: Function) -> ExpPoly:
    """The inverse of :func:`to_function`."""

    def rational(value: Fraction) -> fmpq:
        return fmpq(value.numerator, value.denominator)

    return ExpPoly.from_terms(
        [Term(rational(c), n, rational(a), rational(k), rational(b)) for (n, a, k, b), c in f.items()]
    )


def terms(f: Function) -> Json:
    """A function as a certificate writes it: terms [c, n, a, k, b], zeros at the end left out.

    >>> terms(to_function(ExpPoly.exp(1) - ExpPoly.of(2, 1)))
    [['-2', 1], ['1', 0, '1']]
    """
    result = []
    for n, a, k, b in sorted(f, key=lambda key: (key[3], key[2], key[1], key[0])):
        term = [str(f[n, a, k, b]), n, str(a), str(k), str(b)]
        while len(term) > 1 and term[-1] in (0, "0"):
            term.pop()
        result.append(term)
    return result


def sealed(certificate: dict[str, Json]) -> dict[str, Json]:
    """The certificate with its digest."""
    return {**certificate, "digest": digest(certificate)}


def dumps(certificate: dict[str, Json]) -> str:
    """The certificate with its digest, one item of its longer lists per line."""
    fields = []
    for name, value in sealed(certificate).items():
        if isinstance(value, list) and value:
            text = "[\n" + ",\n".join(json.dumps(item) for item in value) + "\n]"
        else:
            text = json.dumps(value)
        fields.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def write(certificate: dict[str, Json], path: str) -> int:
    """Write the file, compressed if its name ends in .gz; its size in bytes."""
    data = dumps(certificate).encode()
    if path.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    return Path(path).write_bytes(data)
