"""Models of systems that have states of their own: a star has one step, from its inputs to its outputs."""

from __future__ import annotations

from typing import Protocol

from flint import fmpq

from dipc.errors import Span
from dipc.models.chain import Model
from dipc.signs.eps_range import EpsRange


class Star(Protocol):
    """A model whose propositions are expressions of another language."""

    @property
    def model(self) -> Model:
        """The states, the steps and the neighbours."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found when it was made."""

    @property
    def parameters(self) -> tuple[tuple[str, fmpq], ...]:
        """Names and numbers that formulas may use."""

    def check_range(self, eps_range: EpsRange) -> None:
        """Refuse a range of eps on which it makes no sense.  Raises :class:`InputError`."""

    def states_where(self, text: str, span: Span) -> frozenset[int]:
        """The states in which an expression holds; ``span`` is where it was written.

        Raises :class:`InputError`.
        """
