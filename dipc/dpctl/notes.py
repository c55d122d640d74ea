"""Notes beside an answer: why it may say less than it seems to."""

from __future__ import annotations

from collections.abc import Iterator

from dipc.dpctl.formula import And, Formula, Or, Privacy, Probability, parts
from dipc.models.chain import DEAD, Mdp, Model

NO_NEIGHBOURS = "no two different states are neighbours: each state was compared with itself only"
ALL_SCHEDULERS = (
    "D was asked over all schedulers, which see the states, one from each state: this is stronger than D, as "
    "an adversary who sees no states chooses one word of actions"
)
ONE_BY_ONE = (
    "with delta > 0, D for each output on its own can be weaker than (epsilon, delta)-privacy, which speaks "
    "of sets of outputs: write `forall A subset {...}: D[...](... A)`"
)


def notes(model: Model, formula: Formula, all_schedulers: bool = False) -> tuple[str, ...]:
    """What to know about the answer."""
    stronger = all_schedulers and any(isinstance(part, Privacy) for part in parts(formula))
    return tuple(dict.fromkeys((*((ALL_SCHEDULERS,) if stronger else ()), *_notes(model, formula))))


def _notes(model: Model, formula: Formula) -> Iterator[str]:
    for part in parts(formula):
        match part:
            case Privacy() if not model.neighbours:
                yield NO_NEIGHBOURS
            case And(operands) if _one_by_one(operands):
                yield ONE_BY_ONE
            case Probability(interval):
                ends = (interval.low.as_rational(), interval.high.as_rational())
                for end in [end for end in ends if end is not None and not 0 <= end <= 1][:1]:
                    yield f"a probability lies in [0, 1], so the bound {end} is never reached"
    if isinstance(model, Mdp):
        yield from _missing_actions(model)


def _one_by_one(operands: tuple[Formula, ...]) -> bool:
    """Whether D with the same delta > 0 is asked of several formulas, but not of their disjunctions."""
    asked = [part for part in operands if isinstance(part, Privacy) and part.delta]
    same = len({part.path for part in asked}) > 1 and len({(part.epsilon, part.delta) for part in asked}) == 1
    return same and not any(isinstance(inner, Or) for part in asked for inner in parts(part.path))


def _missing_actions(model: Mdp) -> Iterator[str]:  # type: ignore[type-arg]
    """States that have some actions but not all of them; a final state has none."""
    if DEAD not in model.names:
        return
    dead = len(model.names) - 1
    for name, rows in zip(model.names, model.rows, strict=True):
        missing = [a for a, row in zip(model.actions, rows, strict=True) if row[0][0] == dead]
        if 0 < len(missing) < len(model.actions):
            yield f"`{name}` has no action `{missing[0]}`: it leads to {DEAD}"
            return
