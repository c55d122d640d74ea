"""Refutation at N = 1, 2, ... (to be written)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.strategies import Solved, Unsolved
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict, LeastT, Open
from dipc.errors import Unsupported

if TYPE_CHECKING:
    from dipc.dipwhile.allsizes.pipeline import Prepared


def attained(asked: Prepared, automaton: Automaton, solved: Solved, clock: Clock) -> LeastT:
    return LeastT(fmpq(0), solved.t)


def refuted(
    asked: Prepared, automaton: Automaton | None, failure: Solved | Unsolved | Unsupported, clock: Clock
) -> AllSizesVerdict:
    return Open("not proved")
