"""Pictures of Markov models: states with their labels, probabilities, and neighbours by dashed lines.

Some states and transitions may be in colour.  Final states have a double frame; the state ``†`` behind them
is not drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from dipc.claims.wording import pretty
from dipc.export import boxes
from dipc.export.boxes import Arrow, Box, Drawing, Short
from dipc.export.markov import Numbers, choices_of, dpm, drn, goes_to_dead, labels_by_state, prism, table
from dipc.export.operators import EXACT
from dipc.models.chain import DEAD, Model

Step = tuple[int, str | None, int]
"""A transition: from, by which action, to."""

LONG = 14  # signs of a probability on an arrow


# --- what is shown -----------------------------------------------------------------------------------


def drawing(model: Model, states: Iterable[int] = (), steps: Iterable[Step] = ()) -> Drawing:
    """The content of the picture of a model, with these states and transitions in colour."""
    visible = [s for s, name in enumerate(model.names) if name != DEAD or not _only_final(model, s)]
    final = {s for s in visible if all(goes_to_dead(model, r) for _, r in choices_of(model, s))}
    final -= {s for s in visible if model.names[s] == DEAD}
    labels, short, written = labels_by_state(model), Short(LONG), Numbers(EXACT)
    way = set(steps)
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
    marked = {*states} | {t for _, _, t in way}
    texts = {s: (model.names[s], *([", ".join(labels[s])] if labels[s] else [])) for s in visible}
    shown = {s: Box(lines, s in final, s in marked) for s, lines in texts.items()}
    return Drawing(shown, tuple(arrows), model.neighbours, foot=tuple(short.foot()), sideways=True)


def _only_final(model: Model, dead: int) -> bool:
    """Whether ``†`` is reached with certainty or not at all."""
    rows = (row for s in range(len(model.names)) for _, row in choices_of(model, s))
    return all(goes_to_dead(model, row) or all(t != dead for t, _ in row) for row in rows)


# --- formats -----------------------------------------------------------------------------------------


def dot(model: Model, states: Iterable[int] = (), steps: Iterable[Step] = ()) -> str:
    """The picture in the language of Graphviz."""
    return boxes.dot(drawing(model, states, steps))


def svg(model: Model, states: Iterable[int] = (), steps: Iterable[Step] = ()) -> str:
    """The picture, an ``<svg>`` element.  Raises :class:`InputError` for a model that is too large."""
    boxes.check_size("model", len(model.names))
    return boxes.svg(drawing(model, states, steps))


FORMATS: Mapping[str, Callable[[Model], str]] = {
    "drn": drn,
    "prism": prism,
    "dpm": dpm,
    "csv": table,
    "dot": dot,
    "svg": svg,
}
"""The formats of Markov models by name."""
