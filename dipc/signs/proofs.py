"""The proofs that an answer carries: why f >= 0 on a range of eps.

Each is a frozen value that names a rule and what the rule needs, about f in normal form.
:mod:`dipc.signs.inequality` and :mod:`dipc.signs.search` find it once, and certificates, LaTeX, reports and
explanations read it.  The rules, and why they are right, are those of the kernel that checks certificates
(docs/certificates.md).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from flint import fmpq

from dipc.frozen import frozen
from dipc.numbers.exppoly import ExpPoly

End = fmpq | None  # None is infinity


@frozen
class Identity:
    """f is the zero function."""


@frozen
class Point:
    """The range is a single eps, and the sign there is decided exactly."""


@frozen
class Chain:
    """The numbers of the derivative chain at ``at``, the least eps or 0, are not negative."""

    at: fmpq


class Taylor(NamedTuple):
    """On a piece: the derivatives of f * ``times`` below ``order`` at one end, and bounds of the next one."""

    end: Literal["low", "high"]
    order: int
    times: ExpPoly


@frozen
class Tail:
    """On the first or last piece: the fastest term is larger than the sum of all others."""


@frozen
class Pieces:
    """A proof for each piece between two consecutive points."""

    points: tuple[End, ...]
    pieces: tuple[Taylor | Tail, ...]


@frozen
class Binomial:
    """f = ``binomial`` * ``cofactor``; the proof is about the polynomial with the signs of the binomial."""

    binomial: ExpPoly
    cofactor: ExpPoly
    proof: Proof


class Factor(NamedTuple):
    """A factor with its power, and a proof unless an even power needs none."""

    function: ExpPoly
    power: int
    proof: Proof | None


@frozen
class Product:
    """``scale`` > 0 times powers of the factors."""

    scale: fmpq
    factors: tuple[Factor, ...]


@frozen
class Inverse:
    """The proof of f(1/eps) >= 0 on the inverse range."""

    proof: Proof


@frozen
class SignTable:
    """The roots were isolated, and f is not negative between them: the kernel cannot check this."""


Proof = Identity | Point | Chain | Pieces | Binomial | Product | Inverse | SignTable
