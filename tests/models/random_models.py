"""Random Markov models with awkward names and probabilities, for round trips through files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from dipc.dpctl.model import MDP, MarkovChain, MarkovModel

STATES = (
    *("a", "b2", "chain", '"eps"', "out=[0, 1], n=1", "7", "ö"),
    *("from ~ to", "# s", "x/y", "// z", '"inf"'),
)
LABELS = ("goal", "out[1] = top", "init state", '"D"', "label", "{}", "never", "p//q", "$0")
ACTIONS = ("L", "H", "go on", "actions", "0", "*x", "__x")
FUNCTIONS = (
    ("1/3", "2/3"),
    ("0.125", "7/8"),
    ("1", "0"),
    ("exp(-eps)", "1 - exp(-eps)"),
    ("exp(eps/2)/(1 + exp(eps/2))", "1/(1 + exp(eps/2))"),
    ("1/(1 + eps)", "eps/(1 + eps)"),
    ("1 - eps*exp(-eps/3)/2", "eps*exp(-eps/3)/2"),
    ("exp(-1)", "1 - exp(-1)"),
    ("exp(-1/eps)/(1 + eps^2)", "1 - exp(-1/eps)/(1 + eps^2)"),
)


def _rows(draw: st.DrawFn, states: Sequence[str], numbers: Sequence[tuple[str, str]]) -> dict[str, str]:
    p, q = draw(st.sampled_from(numbers))
    targets = draw(st.lists(st.sampled_from(states), min_size=2, max_size=2))
    return {targets[0]: p, targets[1]: q} if targets[0] != targets[1] else {targets[0]: "1"}


@st.composite
def models(draw: st.DrawFn, mdp: bool | None = None, symbolic: bool | None = None) -> MarkovModel:
    """A chain or a decision process of one to six states, some of them final."""
    mdp = draw(st.booleans()) if mdp is None else mdp
    symbolic = draw(st.booleans()) if symbolic is None else symbolic
    numbers = FUNCTIONS if symbolic else FUNCTIONS[:3]
    states = draw(st.lists(st.sampled_from(STATES), min_size=1, max_size=6, unique=True))
    own = states[: draw(st.integers(1, len(states)))]  # those with transitions
    some = st.lists(st.sampled_from(own), max_size=3)
    options: dict[str, Any] = {
        "labels": draw(st.dictionaries(st.sampled_from(LABELS), some, max_size=3)),
        "neighbours": draw(st.lists(st.tuples(*[st.sampled_from(own)] * 2), max_size=4)),
        "start": sorted(draw(some), key=own.index),
    }
    if not mdp:
        return MarkovChain({s: _rows(draw, states, numbers) for s in own}, **options)
    actions = draw(st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=3, unique=True))
    cells = [(s, a) for s in own for a in actions]
    chosen = [(s, a) for s, a in cells if a == actions[0] or draw(st.booleans())]
    return MDP({cell: _rows(draw, states, numbers) for cell in chosen}, **options)
