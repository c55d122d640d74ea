"""From a model and a property to an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from dipc.child import held
from dipc.clock import Clock
from dipc.dpctl.formula import EachNext, Formula, Property, Query, depends_on_eps, parts
from dipc.dpctl.notes import ALL_SCHEDULERS, notes
from dipc.dpctl.processes import NEAR, Options, Words
from dipc.dpctl.regions import INSIDE, Evaluation, Found, merged
from dipc.dpctl.values import Segment, least, probability_segments, segments
from dipc.dpctl.verdict import Fails, Holds, ModelVerdict, Near, Undecided
from dipc.dpctl.witness import Reason, answer, simplest, witness
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.models.chain import MarkovChain, Mdp, Model
from dipc.models.parameters import has_eps
from dipc.models.validity import check_probabilities
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.views import Shown

DEFAULT_OPTIONS = Options()
UNSETTLED = "for some eps it is open whether the formula holds at {}: the regions are those where it does"
TOO_FAR = f"for a range of eps, no proof and no counterexample up to words of {NEAR} actions: try `--at`"
UNKNOWN_SIGNS = "the signs of two functions could not be told apart"
NOT_EXACT = "the numbers are those digits that a comparison needs: `--exact` computes them as fractions"
SAME = "a chain has no schedulers: this is the same as `P=?`"


def check(model: Model, property: Property, clock: Clock, options: Options = DEFAULT_OPTIONS) -> ModelVerdict:
    """Decide a formula at the states asked about, for every eps of its range.

    ``options`` are for decision processes.  A limit that runs out is an
    :class:`~dipc.dpctl.verdict.Undecided` verdict.  Raises :class:`InputError`.
    """
    return decided(model, property, clock, lambda asked: _verdict(model, property, asked, clock, options))


def decided(
    model: Model,
    property: Property,
    clock: Clock,
    work: Callable[[Sequence[int]], ModelVerdict],
    **known: Any,
) -> ModelVerdict:
    """What is found about the states asked about; where a limit runs out, only that is ``known``."""
    if isinstance(property.formula, Query):
        raise InputError("a query has no truth value", hint="ask it by `dipc model value`")
    asked = start_states(model, property)
    try:
        return held(clock, lambda: work(asked), (model, property))
    except LimitReached as limit:
        at = {model.names[s]: "undecided" for s in asked}
        return Undecided(property, model, at, {}, frozenset(), reason=f"{limit} ({clock.doing})", **known)


def _verdict(
    model: Model, property: Property, asked: Sequence[int], clock: Clock, options: Options
) -> ModelVerdict:
    clock.tick("states")
    formula = cast("Formula", property.formula)
    check_probabilities(model, property.eps_range, clock)
    symbolic = is_symbolic(model, formula)
    evaluation = evaluation_of(_as_process(model, formula), symbolic, property.eps_range, clock, options)
    found = evaluation.everywhere(lambda local: tuple(answer(local, formula, s) for s in asked))
    each = {
        model.names[s]: [Found(f.piece, frozenset(result[i] for result in f.results)) for f in found]
        for i, s in enumerate(asked)
    }
    at = {state: _status(answers) for state, answers in each.items()}
    regions = {state: merged(answers, lambda why: why is True) for state, answers in each.items()}
    satisfying = frozenset(state for state, status in at.items() if status == "holds")
    open_too = [s for s, status in at.items() if status == "fails" and any(map(_is_open, each[s]))]
    remarks = notes(model, formula, options.all_schedulers)
    common: dict[str, Any] = {"notes": (*remarks, *map(UNSETTLED.format, open_too))}
    for answers in each.values():
        if broken := [f for f in answers if _fails(f)]:
            piece = simplest([f.piece for f in broken])
            blamed: Any = next(iter(next(f.results for f in broken if f.piece is piece)))
            told = witness(evaluation, model, blamed, piece, symbolic)
            if isinstance(told.excess, Near):
                common["notes"] = (*common["notes"], NOT_EXACT)
            return Fails(property, model, at, regions, satisfying, witness=told, **common)
    if "undecided" not in at.values():
        return Holds(property, model, at, regions, satisfying, **common)
    opened = tuple(dict.fromkeys(pair for s in asked for pair in evaluation.doubts(formula, s)))
    why = INSIDE if any(None in f.results for f in chain(*each.values())) else UNKNOWN_SIGNS
    why = opened[0].reason if opened else TOO_FAR if evaluation.is_open else why
    return Undecided(property, model, at, regions, satisfying, undecided=opened, reason=why, **common)


def _as_process(model: Model, formula: Formula) -> Model:
    """A chain as a process with one action, if the formula is about all numbers of steps."""
    if isinstance(model, Mdp) or not any(isinstance(part, EachNext) for part in parts(formula)):
        return model
    rows: Any = tuple((row,) for row in model.rows)
    return Mdp(model.names, model.labels, model.neighbours, model.start, ("",), rows)


Answers = Found[Reason | bool | None]


def _fails(found: Answers) -> bool:
    return bool(found.results) and all(isinstance(result, Reason) for result in found.results)


def _is_open(found: Answers) -> bool:
    return found.results != {True} and not _fails(found)


def _status(answers: Sequence[Answers]) -> str:
    if any(map(_fails, answers)):
        return "fails"
    return "undecided" if any(map(_is_open, answers)) else "holds"


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
    query = property.formula
    if not isinstance(query, Query):
        raise InputError("a formula has no value", hint="check it by `dipc model check`, or ask `P=? (...)`")
    if isinstance(query.path, EachNext):
        raise Unsupported("least parameters for all k in N")
    if isinstance(model, Mdp) and query.kind == "P":
        hint = "ask for the largest or the least one: `Pmax=? (...)` or `Pmin=? (...)`"
        raise InputError("on a decision process a probability depends on the scheduler", hint=hint)
    return held(clock, lambda: _value(model, property, query, clock, options), (model, property))


def _value(model: Model, property: Property, query: Query, clock: Clock, options: Options) -> ModelValue:
    clock.tick("states")
    check_probabilities(model, property.eps_range, clock)
    asked = start_states(model, property)
    symbolic = is_symbolic(model, query)
    pairs = () if query.kind.startswith("P") else model.neighbours
    near = [pair for pair in pairs if not set(pair).isdisjoint(asked)]
    together = frozenset(asked).union(*near)
    evaluation = evaluation_of(model, symbolic, property.eps_range, clock, options, together)
    if query.kind not in ("epsilon", "delta"):
        values = {model.names[s]: probability_segments(evaluation, query, s) for s in asked}
    else:
        values = {"": segments(evaluation, lambda local: least(local, query, asked))}
    remarks = [SAME] if query.kind in ("Pmax", "Pmin") and not isinstance(model, Mdp) else []
    remarks += [ALL_SCHEDULERS] if options.all_schedulers and query.kind in ("epsilon", "delta") else []
    return ModelValue(property, model, values, tuple(remarks))


def start_states(model: Model, property: Property) -> tuple[int, ...]:
    """The states that a property asks about."""
    if property.states is None:
        return model.start
    return tuple(dict.fromkeys(model.names.index(name) for name in property.states))


def is_symbolic(model: Model, formula: Formula | Query) -> bool:
    """Whether eps occurs in a model or a formula."""
    return depends_on_eps(formula) or has_eps(model)


def evaluation_of(
    model: Model,
    symbolic: bool,
    eps_range: EpsRange,
    clock: Clock,
    options: Options,
    together: frozenset[int] = frozenset(),
) -> Evaluation:
    """What evaluates formulas on a model; ``symbolic`` if eps occurs in it or in them.

    ``together`` are states of a chain whose probabilities are all wanted.
    """
    if isinstance(model, MarkovChain):
        return Evaluation(model, eps_range, clock, together, options.exact)
    return Words(model, eps_range, clock, options, not symbolic or eps_range.is_point)
