"""Hidden Markov models: what a state shows, and where it goes.

The first observation is made in the first state, before any transition (Liu, Wang, Zhang,
*Verifying Pufferfish Privacy in Hidden Markov Models*, section 2):
alpha_0(s) = pi(s) o(s, w_0), alpha_(t+1)(s') = (sum over s of alpha_t(s) p(s, s')) o(s', w_(t+1)).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from flint import fmpq

from dipc.numbers.parametric import Parametric

SILENCE = "-"
"""What is observed for ever behind a state that stops; it is not printed."""

K = TypeVar("K", fmpq, Parametric)
Key = TypeVar("Key")
X = TypeVar("X", bound=Any)
Weights = tuple[tuple[int, K], ...]
"""Places of states or observations with their probabilities or weights, none of them zero."""


def added(weights: Iterable[tuple[Key, X]]) -> dict[Key, X]:
    """The sum of the weights of each place, those that are zero left out.

    >>> added([(0, 1), (1, 2), (0, 3), (1, -2)])
    {0: 4}
    """
    found: dict[Key, X] = {}
    for key, x in weights:
        found[key] = found[key] + x if key in found else x
    return {key: x for key, x in found.items() if x}


@dataclass(frozen=True, slots=True)
class HiddenMarkovModel(Generic[K]):
    """A hidden Markov model.

    ``emissions[s]`` are the observations that state s shows, ``transitions[s]`` the states that follow; no
    successor (an empty row) means silence for ever.
    """

    states: tuple[str, ...]
    observations: tuple[str, ...]
    emissions: tuple[Weights[K], ...] = field(repr=False)
    transitions: tuple[Weights[K], ...] = field(repr=False)
