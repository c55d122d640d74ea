"""A certificate as text: dipc's functions in the kernel's terms, and JSON that people can read.

The format is described field by field in docs/certificates.md.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from hashlib import sha256
from pathlib import PurePath
from typing import Any, Literal, assert_never

from flint import fmpq

from dipc.errors import InternalError, LimitReached, Source
from dipc.files import write_file
from dipc.kernel import facts, schema
from dipc.kernel.facts import Function, Terms
from dipc.kernel.laws import Denominator, Ratio, Table
from dipc.kernel.laws import Quotient as ListedQuotient
from dipc.kernel.privacy import Program
from dipc.kernel.reading import Refused, digest
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs import proofs
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import without_monomial
from dipc.signs.proofs import Proof, Tail, Taylor
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


def terms(f: ExpPoly) -> Terms:
    """A function as a certificate lists it: terms [c, n, a, k, b], zeros at the end left out.

    >>> schema.write(terms(ExpPoly.exp(1) - ExpPoly.of(2, 1)))
    [['-2', 1], ['1', 0, '1']]
    """
    result = []
    for key, c in sorted(to_function(f).items(), key=lambda item: item[0][::-1]):
        term: Any = (c, *key)
        while not term[-1]:
            term = term[:-1]
        result.append(term)
    return result


def listed_proof(proof: Proof, f: ExpPoly) -> facts.Proof:
    """A proof of f >= 0 as a certificate lists it.

    >>> schema.write(listed_proof(proofs.Chain(fmpq(0)), ExpPoly.exp(1) - 1))
    {'kind': 'chain', 'at': '0'}
    """
    f = without_monomial(f)
    match proof:
        case proofs.Identity():
            return facts.Plain("identity")
        case proofs.Point():
            return facts.Plain("point")
        case proofs.Chain(at):
            return facts.Chain("chain", fraction(at))
        case proofs.Pieces(points, pieces):
            by = [_piece(p) for p in pieces]
            return facts.Pieces("pieces", listed_points(points), by)
        case proofs.Binomial(g, h, inner):
            signs = signs_of_binomial(g)
            assert signs is not None
            return facts.Binomial("binomial", terms(g), terms(h), listed_proof(inner, signs * h))
        case proofs.Product(scale, factors):
            return facts.Product("product", fraction(scale), [_factor(x) for x in factors])
        case proofs.Inverse(inner):
            return facts.Inverse("inverse", listed_proof(inner, f.at_inverse()))
        case proofs.SignTable():
            raise InternalError("a certificate cannot hold a table of signs")
        case _:
            assert_never(proof)


def _piece(piece: Taylor | Tail) -> facts.Taylor | Literal["tail"]:
    return (piece.end, piece.order, terms(piece.times)) if isinstance(piece, Taylor) else "tail"


def _factor(factor: proofs.Factor) -> facts.Factor:
    known = None if factor.proof is None else listed_proof(factor.proof, factor.function)
    return facts.Factor(terms(factor.function), factor.power, known)


def listed_points(points: Sequence[proofs.End]) -> list[Fraction | None]:
    """Points of eps, None for infinity."""
    return [p if p is None else fraction(p) for p in points]


def listed_program(source: Source) -> Program:
    """The name, the text and the hash of a program."""
    return Program(PurePath(source.name).name, source.text, sha256(source.text.encode()).hexdigest())


def listed_interval(on: EpsRange) -> facts.Interval:
    """The range of eps that a claim covers."""
    low, high = listed_points([on.low, on.high])
    assert low is not None
    return facts.Interval(low, high, on.low_closed, on.high_closed)


@contextmanager
def accepted() -> Iterator[None]:
    """What the kernel refuses is a limit of ours.  Raises :class:`LimitReached`."""
    try:
        yield
    except Refused as refused:
        raise LimitReached(f"no certificate: it would be refused: {refused}") from None


def sealed(certificate: Any) -> dict[str, Json]:
    """The JSON of a certificate as the kernel declares it, with its digest."""
    written = schema.write(certificate)
    return {**written, "digest": digest(written)}


def dumps(certificate: Any) -> str:
    """The certificate with its digest, one item of its longer lists per line."""
    fields = []
    for name, value in sealed(certificate).items():
        if isinstance(value, list) and value:
            text = "[\n" + ",\n".join(json.dumps(item) for item in value) + "\n]"
        else:
            text = json.dumps(value)
        fields.append(f"{json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def write(certificate: Any, path: str) -> int:
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

    def table(self, delta: Quotient, factors: Sequence[Quotient] = ()) -> Table:
        """The same in the kernel's terms."""

        def shown(p: Quotient) -> Ratio:
            f, d = self.ratio(p)
            return Ratio(to_function(f), d)

        last, above = shown(delta), list(map(shown, factors))
        listed = [Ratio(to_function(f), d) for f, d in self.listed]
        return Table([to_function(f) for f in self.denominators], listed, last, above)

    def positive(self, p: Quotient) -> ListedQuotient:
        """A function as it is listed, with its numerator among those that are proved positive."""
        self.ratio(1 / p)
        f, d = self.ratio(p)
        return terms(f), d

    def listed_denominators(self) -> list[Denominator]:
        """The denominators with proofs.  Raises :class:`~dipc.signs.limits.NoProof`."""
        proved = [(f, proof(f, self.on, True)) for f in [*self.denominators][1:]]
        return [Denominator(terms(f), listed_proof(found, f)) for f, found in proved]

    def functions(self) -> list[ListedQuotient]:
        """The numerators, with the numbers of their denominators."""
        return [(terms(f), d) for f, d in self.listed]
