"""Questions about hidden Markov models for other tools, and an equivalent Markov chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import fmpq

from dipc.clock import Clock
from dipc.errors import InputError
from dipc.export.markov_picture import FORMATS as OF_CHAINS
from dipc.models.chain import DEAD, MarkovChain
from dipc.models.hmm import added
from dipc.models.mixtures import Side
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.export.queries import side_name, smtlib
from dipc.pufferfish.export.redlog import redlog
from dipc.pufferfish.laws import as_function
from dipc.pufferfish.question import Question

QUESTIONS = {"smtlib": smtlib, "redlog": redlog}
CHAINS = ("drn", "prism", "dot", "svg")
FORMATS = (*QUESTIONS, *CHAINS)


def export(question: Question, to: str, clock: Clock) -> str:
    """The question, or its model as a chain, in one of the :data:`FORMATS`.

    Raises :class:`InputError` for what the format cannot say.
    """
    check_format(to)
    return QUESTIONS[to](question, clock) if to in QUESTIONS else OF_CHAINS[to](chain_of(question))


def check_format(to: str) -> None:
    """Raise :class:`InputError` if this is not one of the :data:`FORMATS`."""
    if to not in FORMATS:
        raise InputError(f"no export to `{to}`", hint=f"one of: {', '.join(FORMATS)}")


# --- the chain ---------------------------------------------------------------------------------------


def chain_of(question: Question) -> MarkovChain[Any]:
    """A Markov chain with the same distributions of sequences.

    Its states are the compared distributions, which are neighbours, and pairs "state / observation" with the
    observation as their label: what a path shows behind its first state is a sequence of observations, with
    its probability for that distribution.  States that stop have no transitions.  Probabilities are functions
    of eps: :class:`InputError` if other parameters have no values.
    """
    parameters, model = question.parameters, question.model
    if free := [name for name in parameters.names if name != parameters.eps_name]:
        hint = " ".join(f"--fix {name}=1/2" for name in free)
        raise InputError(f"a Markov chain needs numbers for {', '.join(free)}", hint=f"for example {hint}")
    sides = {side_name(side): side for pair in question.pairs for side in pair if _total(side)}
    names: dict[Any, int] = {name: place for place, name in enumerate(sides)}

    def row(weights: Mapping[int, Parametric]) -> tuple[tuple[int, Any], ...]:
        pairs = [((s, o), p * q) for s, p in weights.items() if p for o, q in model.emissions[s]]
        return tuple((names.setdefault(key, len(names)), _value(question, p)) for key, p in pairs)

    rows = [row({s: w / _total(side) for s, w in added(side.weights).items()}) for side in sides.values()]
    while len(rows) < len(names):
        state, _ = list(names)[len(rows)]
        rows.append(row(dict(model.transitions[state])))
    seen = list(names)[len(sides) :]
    labels = {
        name: frozenset(names[key] for key in seen if key[1] == o)
        for o, name in enumerate(model.observations)
    }
    if not all(rows):
        dead, one = len(rows), _value(question, parameters.ring.of(1))
        rows = [row or ((dead, one),) for row in [*rows, ()]]
    texts = [*sides, *(f"{model.states[s]} / {model.observations[o]}" for s, o in seen)]
    texts += [DEAD] * (len(rows) - len(texts))
    compared = [
        [names[side_name(side)] for side in pair] for pair in question.pairs if all(map(_total, pair))
    ]
    near = dict.fromkeys((min(pair), max(pair)) for pair in compared)
    return MarkovChain(tuple(texts), labels, tuple(near), tuple(range(len(sides))), tuple(rows))


def _total(side: Side) -> Parametric | int:
    return sum(x for _, x in side.weights)


def _value(question: Question, p: Parametric) -> fmpq | Quotient:
    """A function of eps; in a model without eps a number."""
    if question.parameters.eps_name is None:
        number = p.as_rational()
        assert number is not None
        return fmpq(number.p, number.q)
    found = as_function(p, question.parameters)
    assert isinstance(found, Quotient)
    return found
