"""Markov chains and Markov decision processes whose states may be adjacent.

Numbers are ``fmpq`` in a model without eps, else :class:`~dipc.numbers.quotient.Quotient`: functions of eps
that are nonnegative on the range in question and sum to 1 in every row.  States are numbered in the order of
the file.  A state without transitions goes to the state ``†``: the last one, without labels, with a loop,
adjacent to itself only (Liu, Wang, Zhang, *Model checking differentially private properties*, section 3.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from flint import fmpq

from dipc.numbers.quotient import Quotient

DEAD = "†"
"""The name of the implicit state behind states without transitions."""

K = TypeVar("K", fmpq, Quotient)
Row = tuple[tuple[int, K], ...]
"""The successors of a state with their probabilities, none of which is the zero function."""


@dataclass(frozen=True, slots=True)
class _Labelled:
    """What chains and decision processes share.

    ``names`` are the states; ``labels`` the states of each proposition (those named after states are implied,
    see :meth:`states_of`); ``neighbours`` pairs (s, t) with s != t, each once and in the order of the file;
    ``start`` the states that are asked about by default.
    """

    names: tuple[str, ...]
    labels: Mapping[str, frozenset[int]] = field(hash=False)
    neighbours: tuple[tuple[int, int], ...]
    start: tuple[int, ...]
    _near: dict[int, list[int]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def states_of(self, proposition: str) -> frozenset[int] | None:
        """The states in which a proposition holds: those of a label, or the one with that name; else None."""
        if proposition in self.labels:
            return self.labels[proposition]
        found = proposition != DEAD and proposition in self.names
        return frozenset([self.names.index(proposition)]) if found else None

    def neighbours_of(self, state: int) -> Sequence[int]:
        """The other states adjacent to a state, in the order of the file."""
        if not self._near:
            for s, t in self.neighbours:
                self._near.setdefault(s, []).append(t)
                self._near.setdefault(t, []).append(s)
        return self._near.get(state, ())


@dataclass(frozen=True, slots=True)
class MarkovChain(_Labelled, Generic[K]):
    """A finite Markov chain: ``rows[s]`` are the transitions of state s."""

    rows: tuple[Row[K], ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Mdp(_Labelled, Generic[K]):
    """A Markov decision process: ``rows[s][a]`` are the transitions of state s under the action a.

    Every action is enabled in every state: those that a state lacks lead to ``†``.
    """

    actions: tuple[str, ...]
    rows: tuple[tuple[Row[K], ...], ...] = field(repr=False)


Model = MarkovChain[fmpq] | MarkovChain[Quotient] | Mdp[fmpq] | Mdp[Quotient]


def transitions(model: Model) -> Iterator[tuple[tuple[int, str, int], fmpq | Quotient]]:
    """All transitions: state, action (empty in a chain) and target, with the probability."""
    for s, rows in enumerate(model.rows):
        named: Any = zip(model.actions, rows, strict=True) if isinstance(model, Mdp) else [("", rows)]
        for action, row in named:
            for t, p in row:
                yield (s, action, t), p
