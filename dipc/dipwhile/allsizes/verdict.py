"""Answers of ``dipc prove``: proved for every size, violated from a size on, or undecided."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from flint import fmpq

from dipc.errors import Span

if TYPE_CHECKING:
    from dipc.claims.privacy import Violated
    from dipc.dipwhile.allsizes.automaton import Automaton
    from dipc.dipwhile.allsizes.linear import Strategy
    from dipc.dipwhile.syntax.core import CoreProgram


@dataclass(frozen=True, slots=True)
class LeastT:
    """What is known of the least t: ``high`` is proved (None: no t is), ``low`` is a lower bound.

    Equal: exact, ``attained_at`` being a size N at which it is reached.  ``unbounded``: no t is enough.
    """

    low: fmpq
    high: fmpq | None
    attained_at: int | None = None
    unbounded: bool = False

    @property
    def exact(self) -> bool:
        """Whether the least t is known."""
        return self.low == self.high


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The ``sizes``, by the names of the parameters, at which the exact engine agrees with a proof.

    ``missing`` are those that were not decided, with the reasons.
    """

    names: tuple[str, ...] = ()
    sizes: tuple[tuple[int, ...], ...] = ()
    missing: tuple[tuple[tuple[int, ...], str], ...] = ()

    @property
    def text(self) -> str:
        """Such as ``exactly for N = 1, 2``; empty if there are none."""
        if not self.sizes:
            return ""
        axes = [sorted(set(axis)) for axis in zip(*self.sizes, strict=True)]
        at = [f"{name} = {', '.join(map(str, axis))}" for name, axis in zip(self.names, axes, strict=True)]
        if len(self.sizes) < prod(map(len, axes)):
            at = [f"({', '.join(self.names)}) = {', '.join(map(str, self.sizes))}"]
        return f"exactly for {' and '.join(at)}" if at else "exactly"


@dataclass(frozen=True, slots=True)
class ProvedForAll:
    """The claim holds for every size: ``strategies`` cover every run of ``automaton`` and cost at most t."""

    automaton: Automaton
    strategies: tuple[Strategy, ...]
    least: LeastT
    confirmed: Confirmed = Confirmed()


@dataclass(frozen=True, slots=True)
class BrokenFrom:
    """The claim is broken at ``size``, the least one (``known_least``), by a pair that ``check`` confirmed.

    ``cycle`` says what costs something in every round, if no t is enough.  ``private_on_declared``: the
    finite inputs that the program declares are private at this size.  ``inputs`` are those of the automaton;
    ``program`` is the finite program that the pair is about, for its certificate.
    """

    size: int
    violated: Violated
    least: LeastT
    cycle: str = ""
    known_least: bool = True
    private_on_declared: bool | None = None
    inputs: str = ""
    program: CoreProgram | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """Undecided: ``reason``, at ``span`` if a place in the text is to blame.

    ``checked`` says up to which size, and over which inputs, ``check`` has decided the claim.
    ``inputs`` are those of the automaton, if there is one.
    """

    reason: str
    span: Span | None = None
    least: LeastT | None = None
    checked: str = ""
    inputs: str = ""


AllSizesVerdict = ProvedForAll | BrokenFrom | Open
