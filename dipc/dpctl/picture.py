"""Pictures of Markov models with the witness of a formula in colour.

The state and its neighbour are marked, and the way from both that the word of actions takes; without actions,
a shortest way to a state that the formula names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dipc.dpctl.formula import Proposition, Query, parts
from dipc.dpctl.syntax import parse_property
from dipc.dpctl.verdict import Witness
from dipc.errors import Source
from dipc.export import markov_picture
from dipc.export.markov import choices_of
from dipc.export.markov_picture import Step
from dipc.models.chain import Model

Colours = tuple[Sequence[int], Sequence[Step]]


def coloured(model: Model, witness: Witness | None) -> Colours:
    """The states and transitions of a witness."""
    if witness is None:
        return (), ()
    ends = [name for name in (witness.state, witness.neighbour) if name is not None]
    return [*map(model.names.index, ends)], [*way_of(model, witness)]


def svg(model: Model, witness: Witness | None = None) -> str:
    """The picture, an ``<svg>`` element.  Raises :class:`InputError` for a model that is too large."""
    return markov_picture.svg(model, *coloured(model, witness))


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
