"""The states in which a formula holds, as dipc finds them, where eps does not matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dipc.clock import Clock, Tick, unlimited
from dipc.dpctl.bounds import Outcome
from dipc.dpctl.formula import ALL, Formula, Privacy
from dipc.dpctl.paths import States, exact, known_sets
from dipc.dpctl.regions import Evaluation
from dipc.models.chain import K, MarkovChain


def satisfying(chain: MarkovChain[K], formula: Formula, clock: Clock) -> frozenset[int]:
    evaluation = Evaluation(chain, ALL, clock)
    (found,) = evaluation.everywhere(lambda local: local.satisfying(formula, evaluation.every))
    (states,) = found.results
    return states


def broken(chain: MarkovChain[K], formula: Privacy, clock: Clock) -> tuple[Outcome, ...]:
    """The broken inequalities of a D, with both probabilities."""
    evaluation = Evaluation(chain, ALL, clock)

    def outcomes(local):
        pairs = dict.fromkeys(pair for s in evaluation.every for pair in local.broken(formula, s))
        return tuple(outcome for pair in pairs for outcome in local.outcomes(formula.path, *pair))

    (found,) = evaluation.everywhere(outcomes)
    (result,) = found.results
    return result


def path_probabilities(
    chain: MarkovChain[K], path: Formula, sets: Callable[[Formula], States], tick: Tick = unlimited
) -> Sequence[K]:
    """The probability of a path formula from every state; ``sets`` gives the states of a state formula."""
    return exact(chain.rows, path, known_sets(path, sets), tick)
