"""The distributions of the language.  Everything that dipc knows about a kind of noise is here, once.

To add noise: a row in ``_KINDS``, its density in :class:`dipc.integration.piecewise.Piecewise`, a word in
:mod:`dipc.dipwhile.python.words`, its slow twin in :mod:`dipc.dipwhile.rederive.noise`.  A kind that is not
in the table is an error everywhere, never one of those that are.
"""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from dipc.frozen import frozen
from dipc.integration.piecewise import Piecewise
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient


@frozen
class NoiseKind:
    """A kind of noise, written ``name(rate, mean)``.

    Its density (for integers: its probabilities) is ``factor(a) * shape(a, mean)`` for the rate ``a*eps``;
    for ``a/eps``, 1/eps takes the place of eps.

    ``shifts`` are the directions, 1 and -1, in which a sample may move away from its mean at a price of ``a``
    per unit: a shift by d divides the density by at most ``exp(a*eps*d)``.  There are none for noise
    without such a price: no shift explains it.
    """

    name: str
    integer: bool
    shifts: tuple[int, ...]
    shape: Callable[[fmpq, fmpq], Piecewise]
    factor: Callable[[fmpq], Quotient]
    called: tuple[str, ...]  # what other languages call it

    @property
    def continuous(self) -> bool:
        """Whether every single value has probability 0."""
        return not self.integer


def _one(rate: fmpq) -> Quotient:
    return Quotient.one()


def _two_sided_geometric(rate: fmpq) -> Quotient:
    """P(i) = (1 - z)/(1 + z) z^|i - mean| with z = exp(-rate eps) (DiPC, Section 2)."""
    z = Quotient(ExpPoly.exp(-rate))
    return (1 - z) / (1 + z)


_KINDS = (
    NoiseKind(
        "Lap", False, (1, -1), Piecewise.laplace, _one, ("Laplace", "laplace", "lap", "LAP", "Laplacian")
    ),
    NoiseKind("LapPlus", False, (1,), Piecewise.exponential, _one, ("Exponential", "exponential", "Expo")),
    NoiseKind(
        "DLap",
        True,
        (1, -1),
        Piecewise.geometric,
        _two_sided_geometric,
        ("Geometric", "DLaplace", "DiscreteLaplace", "TwoSidedGeometric"),
    ),
)
NOISE = {kind.name: kind for kind in _KINDS}
"""The kinds of noise by name."""

DISTRIBUTIONS = (*NOISE, "Exp", "choose", "flip", "uniform")
"""Every word that draws."""

OTHER_NOISE = {
    **dict.fromkeys(("Gauss", "Gaussian", "Normal", "normal", "gauss", "gaussian"), "Gaussian noise"),
    **dict.fromkeys(("DGauss", "DiscreteGaussian"), "discrete Gaussian noise"),
    **dict.fromkeys(("Cauchy", "Gumbel", "Logistic", "StudentT", "Gamma", "Beta"), "this noise"),
}
"""Well-known noise outside the fragment."""
