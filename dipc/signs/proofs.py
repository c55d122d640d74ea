"""The proofs that an answer carries: why f >= 0 on a range of eps.

Each is a frozen value that names a rule and what the rule needs, about f in normal form.
:mod:`dipc.signs.inequality` and :mod:`dipc.signs.search` find it once, and certificates, LaTeX, reports and
explanations read it.  The rules, and why they are right, are those of the kernel that checks certificates
(docs/certificates.md):

* :class:`Identity`: f is the zero function.
* :class:`Point`: the range is one eps, and the sign there is decided exactly.
* :class:`Chain`: the numbers of the derivative chain (:mod:`dipc.signs.derivatives`) at ``at``, the least eps
  or 0, are not negative.
* :class:`Pieces`: the range is cut at points; on each piece Taylor's theorem, or a dominant term in a tail.
* :class:`Binomial`: f is a difference of two exponentials times a cofactor.
* :class:`Product`: a positive number times powers of factors, odd powers with proofs of their own.
* :class:`Inverse`: a proof for f(1/eps) on the inverse range.
* :class:`Rooted`: f + h*sqrt(g), from the signs of f, h and f^2 - h^2 g, piece by piece.
* :class:`SignTable`: roots were isolated; nothing that the kernel can check is known (yet).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly

End = fmpq | None  # None is infinity


@dataclass(frozen=True, slots=True)
class Identity:
    """f is 0 for every eps."""


@dataclass(frozen=True, slots=True)
class Point:
    """The range is a single eps."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The derivative chain at ``at``."""

    at: fmpq


@dataclass(frozen=True, slots=True)
class Taylor:
    """On a piece: the derivatives of f * ``times`` below ``order`` at one end, and bounds of the next one."""

    end: Literal["low", "high"]
    order: int
    times: ExpPoly


@dataclass(frozen=True, slots=True)
class Tail:
    """On the first or last piece: the fastest term is larger than the sum of all others."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A proof for each piece between two consecutive points."""

    points: tuple[End, ...]
    pieces: tuple[Taylor | Tail, ...]


@dataclass(frozen=True, slots=True)
class Binomial:
    """f = ``binomial`` * ``cofactor``; the proof is about the polynomial with the signs of the binomial."""

    binomial: ExpPoly
    cofactor: ExpPoly
    proof: Proof


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor with its power, and a proof unless an even power needs none."""

    function: ExpPoly
    power: int
    proof: Proof | None


@dataclass(frozen=True, slots=True)
class Product:
    """``scale`` > 0 times the factors."""

    scale: fmpq
    factors: tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class Inverse:
    """The proof of f(1/eps) >= 0."""

    proof: Proof


@dataclass(frozen=True, slots=True)
class RootedPiece:
    """``by`` names the two functions (:mod:`dipc.signs.radicals`) whose signs settle f + h*sqrt(g) here."""

    by: Literal["both", "plain", "root"]
    first: Proof
    second: Proof


@dataclass(frozen=True, slots=True)
class Rooted:
    """A proof for each piece of a function with a square root."""

    points: tuple[End, ...]
    pieces: tuple[RootedPiece, ...]


@dataclass(frozen=True, slots=True)
class SignTable:
    """The roots were isolated, and f is negative on none of the open intervals between them."""


Proof = Identity | Point | Chain | Pieces | Binomial | Product | Inverse | Rooted | SignTable
