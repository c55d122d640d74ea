"""Pictures of Markov models: states with their labels, probabilities, and neighbours by dashed lines.

Of a violated formula the witness is in colour: the state and its neighbour, and the way from both that the
word of actions takes; without actions, a shortest way to a state that the formula names.  Final states have a
double frame; the state ``†`` behind them is not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from dipc.claims.wording import pretty
from dipc.dpctl.formula import Proposition, Query, parts
from dipc.dpctl.syntax import parse_property
from dipc.dpctl.verdict import Witness
from dipc.errors import Source
from dipc.export import boxes
from dipc.export.boxes import Arrow, Box, Drawing, Short
from dipc.export.markov import Numbers, choices_of, dpm, drn, goes_to_dead, labels_by_state, prism
from dipc.export.operators import EXACT
from dipc.models.chain import DEAD, Model

LONG = 14  # signs of a probability on an arrow


# --- what is shown -----------------------------------------------------------------------------------


def drawing(model: Model, witness: Witness | None = None) -> Drawing:
    """The content of the picture of a model."""
    visible = [s for s, name in enumerate(model.names) if name != DEAD or not _only_final(model, s)]
    final = {s for s in visible if all(goes_to_dead(model, r) for _, r in choices_of(model, s))}
    final -= {s for s in visible if model.names[s] == DEAD}
    labels, short, written = labels_by_state(model), Short(LONG), Numbers(EXACT)
    way = set() if witness is None else set(way_of(model, witness))
    edges: dict[tuple[int, int], list[tuple[str, bool]]] = {}
    for s in visible:
        for action, row in choices_of(model, s) if s not in final else ():
            for t, p in row:
                if t in visible:
                    told = "" if p == 1 else short(pretty(written(p)))
                    text = ": ".join(filter(None, (action, told)))
                    edges.setdefault((s, t), []).append((text, (s, action, t) in way))
    arrows = (
        Arrow(s, t, "\n".join(text for text, _ in told if text), any(marked for _, marked in told))
        for (s, t), told in edges.items()
    )
    ends = [] if witness is None else [n for n in (witness.state, witness.neighbour) if n is not None]
    marked = {model.names.index(name) for name in ends} | {t for _, _, t in way}
    texts = {s: (model.names[s], *([", ".join(labels[s])] if labels[s] else [])) for s in visible}
    shown = {s: Box(lines, s in final, s in marked) for s, lines in texts.items()}
    return Drawing(shown, tuple(arrows), model.neighbours, foot=tuple(short.foot()), sideways=True)


def _only_final(model: Model, dead: int) -> bool:
    """Whether ``†`` is reached with certainty or not at all."""
    rows = (row for s in range(len(model.names)) for _, row in choices_of(model, s))
    return all(goes_to_dead(model, row) or all(t != dead for t, _ in row) for row in rows)


Step = tuple[int, str | None, int]


def way_of(model: Model, witness: Witness) -> Iterator[Step]:
    """The transitions in colour, from the state of the witness and from its neighbour."""
    names = [name for name in (witness.state, witness.neighbour) if name is not None]
    word = [*witness.prefix, *witness.cycle]
    for s in map(model.names.index, names):
        yield from _by_word(model, s, word) if word else _shortest(model, s, _goals(model, witness))


def _by_word(model: Model, start: int, word: Sequence[str]) -> Iterator[Step]:
    here = {start}
    for chosen in word:
        steps = [(s, a, t) for s in here for a, row in choices_of(model, s) if a == chosen for t, _ in row]
        yield from steps
        here = {t for _, _, t in steps}


def _goals(model: Model, witness: Witness) -> frozenset[int]:
    """The states that the formula names."""
    formula = parse_property(Source("witness", witness.subformula), model).formula
    assert not isinstance(formula, Query)
    named = (part.name for part in parts(formula) if isinstance(part, Proposition))
    return frozenset().union(*(model.states_of(name) or () for name in named))


def _shortest(model: Model, start: int, goals: frozenset[int]) -> Iterator[Step]:
    """A shortest way of at least one step, backwards; none if there is no way."""
    came: dict[int, Step] = {}
    queue = [start]
    for s in queue:  # grows while it is read
        for action, row in choices_of(model, s):
            new = [t for t, _ in row if t not in came]
            came |= {t: (s, action, t) for t in new}
            queue += new
    found = next((t for t in came if t in goals), None)
    while found is not None:
        yield came[found]
        found = came[found][0] if came[found][0] != start else None


# --- formats -----------------------------------------------------------------------------------------


def dot(model: Model, witness: Witness | None = None) -> str:
    """The picture in the language of Graphviz."""
    return boxes.dot(drawing(model, witness))


def svg(model: Model, witness: Witness | None = None) -> str:
    """The picture, an ``<svg>`` element.  Raises :class:`InputError` for a model that is too large."""
    boxes.check_size("model", len(model.names))
    return boxes.svg(drawing(model, witness))


FORMATS: Mapping[str, Callable[[Model], str]] = {
    "drn": drn,
    "prism": prism,
    "dpm": dpm,
    "dot": dot,
    "svg": svg,
}
"""The formats of Markov models by name."""
