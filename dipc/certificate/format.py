"""A certificate as text: dipc's functions in the kernel's terms, and JSON that people can read.

The format is described field by field in docs/certificates.md.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from fractions import Fraction
from hashlib import sha256
from pathlib import PurePath
from typing import Any, assert_never

from flint import fmpq

from dipc.errors import InternalError, Source
from dipc.files import write_file
from dipc.kernel.facts import Function
from dipc.kernel.laws import Ratio, Table
from dipc.kernel.privacy import digest
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs import proofs
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import without_monomial
from dipc.signs.proofs import Proof, Taylor
from dipc.signs.roots import signs_of_binomial
from dipc.signs.search import proof

Json = Any


def fraction(value: fmpq) -> Fraction:
    """dipc's rational as one of the standard library."""
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


def terms(f: ExpPoly) -> Json:
    """A function as a certificate writes it: terms [c, n, a, k, b], zeros at the end left out.

    >>> terms(ExpPoly.exp(1) - ExpPoly.of(2, 1))
    [['-2', 1], ['1', 0, '1']]
    """
    result = []
    for t in sorted(f.terms(), key=lambda t: (t.inverse, t.constant, t.rate, t.power)):
        term = [str(t.coefficient), t.power, str(t.rate), str(t.constant), str(t.inverse)]
        while len(term) > 1 and term[-1] in (0, "0"):
            term.pop()
        result.append(term)
    return result


def proof_as_json(proof: Proof, f: ExpPoly) -> Json:
    """A proof of f >= 0 as a certificate writes it.

    >>> proof_as_json(proofs.Chain(fmpq(0)), ExpPoly.exp(1) - 1)
    {'kind': 'chain', 'at': '0'}
    """
    f = without_monomial(f)
    match proof:
        case proofs.Identity() | proofs.Point():
            return {"kind": type(proof).__name__.lower()}
        case proofs.Chain(at):
            return {"kind": "chain", "at": str(at)}
        case proofs.Pieces(points, pieces):
            shown = [[p.end, p.order, terms(p.times)] if isinstance(p, Taylor) else "tail" for p in pieces]
            return {"kind": "pieces", "points": listed_points(points), "pieces": shown}
        case proofs.Binomial(g, h, inner):
            signs = signs_of_binomial(g)
            assert signs is not None
            written_out = {"binomial": terms(g), "cofactor": terms(h)}
            return {"kind": "binomial", **written_out, "proof": proof_as_json(inner, signs * h)}
        case proofs.Product(scale, factors):
            items = [
                {
                    "function": terms(x.function),
                    "power": x.power,
                    "proof": x.proof and proof_as_json(x.proof, x.function),
                }
                for x in factors
            ]
            return {"kind": "product", "scale": str(scale), "factors": items}
        case proofs.Inverse(inner):
            return {"kind": "inverse", "proof": proof_as_json(inner, f.at_inverse())}
        case proofs.SignTable():
            raise InternalError("a certificate cannot hold a table of signs")
        case _:
            assert_never(proof)


def listed_points(points: Sequence[proofs.End]) -> Json:
    """Points of eps, None for infinity."""
    return [p if p is None else str(p) for p in points]


def listed_program(source: Source) -> Json:
    """The name, the text and the hash of a program."""
    return {
        "name": PurePath(source.name).name,
        "text": source.text,
        "sha256": sha256(source.text.encode()).hexdigest(),
    }


def listed_interval(on: EpsRange) -> Json:
    """The range of eps that a claim covers."""
    return {
        "low": str(on.low),
        "high": None if on.high is None else str(on.high),
        "low_closed": on.low_closed,
        "high_closed": on.high_closed,
    }


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
    return write_file(path, data)


class Ratios:
    """The functions of eps that a certificate lists, by number: numerators over positive denominators.

    Denominator 0 is 1.
    """

    def __init__(self, on: EpsRange) -> None:
        self.on = on
        self.denominators: dict[ExpPoly, int] = {ExpPoly.of(1): 0}
        self.numbers: dict[Quotient, int] = {}
        self.listed: list[tuple[ExpPoly, int]] = []

    def number(self, p: Quotient) -> int:
        """The number of a function."""
        if p not in self.numbers:
            self.numbers[p] = len(self.listed)
            self.listed.append(self.ratio(p))
        return self.numbers[p]

    def ratio(self, p: Quotient) -> tuple[ExpPoly, int]:
        """The numerator, and the number of the denominator, which is positive on the range."""
        sign = -1 if p.denominator.sign_at(self.on.inside) < 0 else 1
        number = self.denominators.setdefault(p.denominator * sign, len(self.denominators))
        return p.numerator * sign, number

    def table(self, delta: Ratio) -> Table:
        """The same in the kernel's terms."""
        listed = [Ratio(to_function(f), d) for f, d in self.listed]
        return Table([to_function(f) for f in self.denominators], listed, delta)

    def as_json(self) -> dict[str, Json]:
        """The two fields of a certificate.  Raises :class:`~dipc.signs.limits.NoProof`."""
        proofs = [(f, proof_as_json(proof(f, self.on, True), f)) for f in [*self.denominators][1:]]
        return {
            "denominators": [{"function": terms(f), "proof": shown} for f, shown in proofs],
            "functions": self.functions(),
        }

    def functions(self) -> Json:
        """The numerators, with the numbers of their denominators."""
        return [[terms(f), d] for f, d in self.listed]
