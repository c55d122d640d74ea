"""A Markov model as a document: its states with their transitions and labels, and its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dipc.claims.wording import pretty
from dipc.export.markov import Numbers, choices_of, goes_to_dead, labels_by_state
from dipc.export.operators import EXACT
from dipc.model import MarkovModel, describe
from dipc.models.chain import DEAD, Mdp, Model
from dipc.report.document import Group, Node, Row, data

MOST_STATES = 200
MOST_LISTED = 50
MORE = "and {} more (`dipc model export --to dpm` writes them all)"


def model_rows(found: MarkovModel) -> Iterator[Node]:
    """Everything about a model; people see the first states, machines all of them."""
    model = found.model
    yield Row("model", f"{found.name}  ({describe(model)})", "model", found.name)
    yield data("kind", "mdp" if isinstance(model, Mdp) else "chain")
    start = [model.names[s] for s in model.start]
    every = len(start) > 1 and len(start) >= len(model.names) - 1
    yield Row("start", "every state" if every else _listed(start), "start", start)
    labels = {name: [model.names[s] for s in sorted(states)] for name, states in model.labels.items()}
    yield from (Row(f"label {name}", _listed(states) or "no state") for name, states in labels.items())
    yield data("labels", labels)
    pairs = [[model.names[s], model.names[t]] for s, t in model.neighbours]
    text = _listed([f"{s} ~ {t}" for s, t in pairs])
    yield Row("neighbours", text or "none", "neighbours", pairs)
    written, marks = Numbers(EXACT), labels_by_state(model)
    items = (tuple(_state(model, s, written, marks[s])) for s in range(len(model.names)))
    yield Group("states", tuple(items), MOST_STATES, MORE)


def _listed(items: Sequence[str]) -> str:
    more = f", and {len(items) - MOST_LISTED} more" if len(items) > MOST_LISTED else ""
    return ", ".join(items[:MOST_LISTED]) + more


def _state(model: Model, state: int, written: Numbers, labels: list[str]) -> Iterator[Row]:
    """A line for each action, a single one for a final state, none for ``†``."""
    name, transitions, shown = model.names[state], {}, 0
    for action, row in choices_of(model, state):
        moves = {model.names[t]: written(p) for t, p in row}
        transitions[action or ""] = moves
        text = ", ".join(f"{target}: {p}" for target, p in moves.items())
        mark = f"[{action}] " if action is not None else ""
        if not goes_to_dead(model, row):
            yield Row(name if shown == 0 else "", pretty(f"{mark}-> {text}"))
            shown += 1
    if not shown and name != DEAD:
        yield Row(name, "final")
    yield data("state", name)
    yield data("labels", labels)
    rows: Any = transitions if isinstance(model, Mdp) else transitions[""]
    yield data("transitions", rows)
