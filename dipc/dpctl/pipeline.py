"""From a model and a property to an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flint import fmpq

from dipc.clock import Clock
from dipc.dpctl.constant import AnyEvaluation, Constant
from dipc.dpctl.decisions import check_process, process_values
from dipc.dpctl.formula import Formula, Property, Query, depends_on_eps
from dipc.dpctl.notes import notes
from dipc.dpctl.processes import Options
from dipc.dpctl.regions import AnyChain, Evaluation, Found, merged
from dipc.dpctl.values import Segment, least_segments, probability_segments
from dipc.dpctl.verdict import Fails, Holds, ModelVerdict, Undecided
from dipc.dpctl.witness import Reason, reason, simplest, witness
from dipc.errors import InputError, LimitReached
from dipc.models.chain import MarkovChain, Mdp, Model
from dipc.models.validity import check_probabilities
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.views import Shown

DEFAULT_OPTIONS = Options()
UNSETTLED = "for some eps it is open whether the formula holds at {}: the regions are those where it does"


def check(model: Model, property: Property, clock: Clock, options: Options = DEFAULT_OPTIONS) -> ModelVerdict:
    """Decide a formula at the states asked about, for every eps of its range.

    ``options`` are for decision processes.  A limit that runs out is an
    :class:`~dipc.dpctl.verdict.Undecided` verdict.  Raises :class:`InputError`.
    """
    formula, asked = property.formula, start_states(model, property)
    if isinstance(formula, Query):
        raise InputError("a query has no truth value", hint="ask it by `dipc model value`")
    try:
        clock.tick("states")
        check_probabilities(model, property.eps_range, clock)
        if isinstance(model, Mdp):
            return check_process(model, property, asked, notes(model, formula), clock, options)
        return _on_chain(model, property, formula, asked, clock)
    except LimitReached as limit:
        at = {model.names[s]: "undecided" for s in asked}
        return Undecided(property, model, at, {}, frozenset(), reason=f"{limit} ({clock.doing})")


def _on_chain(
    chain: AnyChain, property: Property, formula: Formula, asked: Sequence[int], clock: Clock
) -> ModelVerdict:
    symbolic = has_eps(chain) or depends_on_eps(formula)
    evaluation = evaluation_of(chain, symbolic, property.eps_range, clock)
    found = evaluation.everywhere(lambda local: tuple(reason(local, formula, s) for s in asked))
    names = chain.names
    each = [_answers(found, i) for i in range(len(asked))]
    at = {names[s]: _status(answers) for s, answers in zip(asked, each, strict=True)}
    regions = {
        names[s]: merged(answers, lambda why: why is None) for s, answers in zip(asked, each, strict=True)
    }
    satisfying = frozenset(name for name, status in at.items() if status == "holds")
    common: dict[str, Any] = {"notes": (*notes(chain, formula), *map(UNSETTLED.format, _unsettled(at, each)))}
    for answers in each:
        if broken := [a for a in answers if a.results and None not in a.results]:
            piece = simplest([a.piece for a in broken])
            (blamed, *_) = next(a.results for a in broken if a.piece is piece)
            assert blamed is not None
            told = witness(evaluation, blamed, piece, symbolic)
            return Fails(property, chain, at, regions, satisfying, witness=told, **common)
    if "undecided" in at.values():
        why = "the signs of two functions could not be told apart"
        return Undecided(property, chain, at, regions, satisfying, reason=why, **common)
    return Holds(property, chain, at, regions, satisfying, **common)


def _unsettled(at: Mapping[str, str], each: Sequence[list[Found[Reason | None]]]) -> list[str]:
    """The states in which a formula fails, but for some other eps it is open whether it does."""
    return [
        state
        for (state, status), answers in zip(at.items(), each, strict=True)
        if status == "fails" and any(None in a.results and len(a.results) > 1 for a in answers)
    ]


@dataclass(frozen=True, slots=True, repr=False)
class ModelValue(Shown):
    """The answer to a query: of P a value for each state asked about, of D one for all of them.

    ``values`` holds the segments by state; of D their key is "".  Of a least epsilon they are ``e^epsilon``.
    """

    property: Property
    model: Model
    values: Mapping[str, tuple[Segment, ...]]
    notes: tuple[str, ...] = ()

    def __getitem__(self, state: str) -> Quotient:
        """The probability in a state.  Raises :class:`InputError` if it is not one function for all eps."""
        segments = self.values[state]
        if len(segments) != 1 or (found := segments[0].found) is None or found.value is None:
            raise InputError(f"the value in {state} is not one function for all eps: see `values`")
        return found.value


def value(model: Model, property: Property, clock: Clock, options: Options = DEFAULT_OPTIONS) -> ModelValue:
    """Answer a query.  Raises :class:`InputError`, and :class:`LimitReached` if a limit runs out."""
    query, asked = property.formula, start_states(model, property)
    if not isinstance(query, Query):
        raise InputError("a formula has no value", hint="check it by `dipc model check`, or ask `P=? (...)`")
    check_probabilities(model, property.eps_range, clock)
    if isinstance(model, Mdp):
        return ModelValue(property, model, process_values(model, property, query, asked, clock, options))
    symbolic = has_eps(model) or depends_on_eps(query)
    evaluation = evaluation_of(model, symbolic, property.eps_range, clock)
    if query.kind in ("epsilon", "delta"):
        values = {"": least_segments(evaluation, query, asked)}
    else:
        values = {model.names[s]: probability_segments(evaluation, query.path, s) for s in asked}
    same = "a chain has no schedulers: this is the same as `P=?`"
    return ModelValue(property, model, values, (same,) if query.kind in ("Pmax", "Pmin") else ())


def _answers(found: Sequence[Found[tuple[Reason | None, ...]]], place: int) -> list[Found[Reason | None]]:
    return [Found(each.piece, frozenset(result[place] for result in each.results)) for each in found]


def _status(answers: Sequence[Found[Reason | None]]) -> str:
    if any(None not in each.results for each in answers):
        return "fails"
    return "holds" if all(each.results == {None} for each in answers) else "undecided"


def start_states(model: Model, property: Property) -> tuple[int, ...]:
    """The states that a property asks about."""
    if property.states is None:
        return model.start
    return tuple(dict.fromkeys(model.names.index(name) for name in property.states))


def evaluation_of(chain: AnyChain, symbolic: bool, eps_range: EpsRange, clock: Clock) -> AnyEvaluation:
    """What evaluates formulas on a chain; ``symbolic`` if eps occurs in it or in them."""
    return Evaluation(lifted(chain), eps_range, clock) if symbolic else Constant(chain, eps_range, clock)


def has_eps(chain: AnyChain) -> bool:
    """Whether eps occurs in a probability."""
    return any(isinstance(p, Quotient) and not p.is_constant for row in chain.rows for _, p in row)


def lifted(chain: MarkovChain[fmpq] | MarkovChain[Quotient]) -> MarkovChain[Quotient]:
    """The chain with functions of eps for numbers."""
    rows = tuple(
        tuple((t, p if isinstance(p, Quotient) else Quotient.of(p)) for t, p in row) for row in chain.rows
    )
    return replace(chain, rows=rows)  # type: ignore[arg-type,return-value]
