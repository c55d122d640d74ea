"""Questions about Markov decision processes: verdicts and values from the answers in single states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from dipc.clock import Clock
from dipc.dpctl.all_words import Question, deciders, has_eps
from dipc.dpctl.formula import Property, Query, depends_on_eps
from dipc.dpctl.processes import INSIDE, AnyMdp, Cause, Fixed, Options
from dipc.dpctl.regions import Evaluation, Found, Judge, Local, merged
from dipc.dpctl.syntax import show
from dipc.dpctl.values import Segment, segments
from dipc.dpctl.verdict import Fails, Holds, ModelVerdict, Region, Undecided, Witness
from dipc.dpctl.witness import simplest
from dipc.errors import InputError
from dipc.signs.tables import Piece, RootCluster


def check_process(
    mdp: AnyMdp,
    property: Property,
    asked: Sequence[int],
    notes: tuple[str, ...],
    clock: Clock,
    options: Options,
) -> ModelVerdict:
    """Decide a formula at these states.  Raises :class:`InputError`, and :class:`LimitReached`."""
    formula = property.formula
    assert not isinstance(formula, Query)
    symbolic = has_eps(mdp) or depends_on_eps(formula)
    fixed = not symbolic or property.eps_range.is_point
    evaluation, decider_on = deciders(mdp, fixed, property.eps_range, clock, options)

    def answers(local: Judge) -> tuple[Cause | bool | None, ...]:
        decider = decider_on(local)
        return tuple(decider.cause(formula, s) or decider.truth(formula, s) for s in asked)

    found = evaluation.everywhere(answers)
    each = [[Found(f.piece, frozenset(r[i] for r in f.results)) for f in found] for i in range(len(asked))]
    names = [mdp.names[s] for s in asked]
    at = {name: _status(results) for name, results in zip(names, each, strict=True)}
    regions = {name: merged(results, lambda r: r is True) for name, results in zip(names, each, strict=True)}
    satisfying = frozenset(name for name, status in at.items() if status == "holds")
    common: dict[str, Any] = {"notes": notes}
    for results in each:
        if broken := [f for f in results if f.results and all(isinstance(r, Cause) for r in f.results)]:
            piece = simplest([f.piece for f in broken])
            cause = next(iter(next(f.results for f in broken if f.piece is piece)))
            assert isinstance(cause, Cause)
            violated = _violated_for(evaluation, decider_on, cause) if symbolic else ()
            told = _witness(mdp, cause, piece if symbolic else None, violated)
            return Fails(property, mdp, at, regions, satisfying, witness=told, **common)
    if "undecided" in at.values():
        decider = decider_on(Local(evaluation, {}, {})) if fixed else None
        opened = [decider.doubts(formula, s) for s in asked] if isinstance(decider, Fixed) else []
        told_open = tuple(dict.fromkeys(each for several in opened for each in several))
        inside = any(None in f.results for results in each for f in results)
        unknown = INSIDE if inside else "the signs of two functions could not be told apart"
        why = told_open[0].reason if told_open else unknown
        return Undecided(property, mdp, at, regions, satisfying, undecided=told_open, reason=why, **common)
    return Holds(property, mdp, at, regions, satisfying, **common)


def _status(answers: Sequence[Found[Cause | bool | None]]) -> str:
    if any(f.results and all(isinstance(r, Cause) for r in f.results) for f in answers):
        return "fails"
    return "holds" if all(f.results == {True} for f in answers) else "undecided"


def _violated_for(evaluation: Evaluation, decider_on: Question, cause: Cause) -> tuple[Region, ...]:
    return merged(evaluation.everywhere(lambda local: decider_on(local).violated(cause)), bool)


def _witness(mdp: AnyMdp, cause: Cause, piece: Piece | None, violated: tuple[Region, ...]) -> Witness:
    place = None if piece is None else piece.low if piece.sample is None else piece.sample
    assert place is None or isinstance(place, RootCluster | fmpq)
    return Witness(
        show(cause.formula),
        mdp.names[cause.state],
        None if cause.neighbour is None else mdp.names[cause.neighbour],
        cause.probability,
        cause.neighbour_probability,
        cause.bound,
        cause.excess,
        place,
        violated,
        tuple(mdp.actions[a] for a in cause.prefix),
        tuple(mdp.actions[a] for a in cause.cycle),
    )


def process_values(
    mdp: AnyMdp, property: Property, query: Query, asked: Sequence[int], clock: Clock, options: Options
) -> dict[str, tuple[Segment, ...]]:
    """The answer to a query.  Raises :class:`InputError`, and :class:`LimitReached`."""
    if query.kind == "P":
        hint = "ask for the largest or the least one: `Pmax=? (...)` or `Pmin=? (...)`"
        raise InputError("on a decision process a probability depends on the scheduler", hint=hint)
    fixed = property.eps_range.is_point or not (has_eps(mdp) or depends_on_eps(query))
    evaluation, decider_on = deciders(mdp, fixed, property.eps_range, clock, options)
    if query.kind in ("epsilon", "delta"):
        return {"": segments(evaluation, lambda local: decider_on(local).least(query, asked))}
    most = query.kind == "Pmax"

    def extreme(s: int) -> tuple[Segment, ...]:
        return segments(evaluation, lambda local: decider_on(local).extreme(query.path, s, most))

    return {mdp.names[s]: extreme(s) for s in asked}
