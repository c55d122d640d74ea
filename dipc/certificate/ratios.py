"""The functions of eps that a certificate lists: numerators over denominators that are positive."""

from __future__ import annotations

from dipc.certificate.format import Json, proof_as_json, terms, to_function
from dipc.kernel.laws import Ratio, Table
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.search import proof


class Ratios:
    """A list of different functions, by number, and of their denominators; denominator 0 is 1."""

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
            "functions": [[terms(f), d] for f, d in self.listed],
        }
