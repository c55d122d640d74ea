"""A question about a hidden Markov model as a figure: the least epsilon against the horizon and a parameter.

Every point is an exact answer (or both ends of a proved interval); lines between them only guide the eye.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf, nan
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

import dipc.report.prior_figures as maps
import dipc.views as views
from dipc.clock import Clock, as_one
from dipc.errors import InputError, Unsupported
from dipc.hidden import PufferfishQuestion
from dipc.models.hmm import HiddenMarkovModel, Weights
from dipc.numbers.parametric import Parametric, Ring
from dipc.program_questions import Posed, ProgramQuestion
from dipc.pufferfish import pipeline
from dipc.pufferfish.classes import check_class
from dipc.pufferfish.laws import Law
from dipc.pufferfish.question import Claim, Pair, Parameters, Question
from dipc.pufferfish.rational import Rational
from dipc.pufferfish.verdict import Budget, Counterexample
from dipc.report.canvas import CLAIM, COLOURS, Panel, clipped, legend, sheet
from dipc.suggest import options_only

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS, LABEL = 32, "least ε"
ANY = arb(1)  # the eps at which constants are evaluated


@dataclass(frozen=True, slots=True)
class Point:
    """The least epsilon lies in [low, high] at x; both may be infinite."""

    x: fmpq
    low: float
    high: float


WHAT = ("loss", "delta", "witness")
"""What can be drawn."""


@options_only
def plot_question(
    question: Question, clock: Clock, *, points: int = POINTS, title: str = "", what: str = "loss"
) -> Figure:
    """The least epsilon for each horizon and, with one or two parameters, at some of their values.

    Or the least delta for each epsilon ("delta"), or the probability of the counterexample at values of a
    parameter ("witness").  Raises :class:`InputError` if there is nothing to draw, :class:`LimitReached` if a
    limit runs out and :class:`Unsupported` for a model with eps.
    """
    return _drawn(list(panels_of(question, clock, points, what)), title or clipped(question.name, 90), what)


def _drawn(panels: list[Panel], heading: str, what: str) -> Figure:
    if not panels:
        why = {
            "witness": "the claim is not violated",
            "delta": "there are free parameters, or no number of observations",
        }.get(what, "no probability depends on a parameter or on eps")
        hint = "set parameters with --fix" if what == "delta" else ""
        raise InputError(f"there is nothing to draw: {why}", hint=hint)
    return sheet(panels, heading)


def panels_of(question: Question, clock: Clock, points: int = POINTS, what: str = "loss") -> Iterator[Panel]:
    """The panels of the figure; all is computed before anything is drawn."""
    if what not in WHAT:
        raise InputError(f"there is no figure `{what}`", hint=f"one of: {', '.join(WHAT)}")
    names, claim = question.parameters.names, question.claim
    if question.parameters.eps_name is not None:
        raise Unsupported("figures of a hidden Markov model with eps", hint="write a number for eps")
    if what != "loss":
        yield from _other_panels(question, clock, points, what)
        return
    if question.horizon is None and len(names) != 1:
        raise InputError("a curve needs a number of observations", hint="set a horizon: --horizon 8")
    if question.horizon is not None:
        found = curve_by_horizon(question, clock)
        words = "The least epsilon for each number of observations."
        yield Panel("horizon", "By horizon", words, partial(_draw, found, claim, "horizon"))
    if len(names) == 1:
        (name,), found = names, curve_by_parameter(question, clock, points)
        words = f"The least epsilon at values of {name}."
        yield Panel("parameter", f"By {name}", words, partial(_draw, found, claim, name))
    if len(names) == 2:
        yield from maps.panels(_subject(question, clock), points, what)


def _other_panels(question: Question, clock: Clock, points: int, what: str) -> Iterator[Panel]:
    names, claim, horizon = question.parameters.names, question.claim, question.horizon
    if what == "delta" and not names and horizon is not None:
        least = _point(fmpq(0), pipeline.budget(_with_delta(question, fmpq(0)), clock)).high
        problem = Rational(question, clock)
        yield maps.delta_panel(partial(maps.delta_of_question, problem, horizon), least, claim, points)
    if what == "witness":
        maps.refuse_but_one(names)
        yield from maps.panels(_subject(question, clock, witness=True), points, what)


def _with_delta(question: Question, delta: fmpq) -> Question:
    claim = question.claim
    return question if claim is None else replace(question, claim=replace(claim, delta=delta))


def _subject(question: Question, clock: Clock, witness: bool = False) -> maps.Subject:
    """A model with parameters."""
    family, claim, sides = check_class(question, clock), question.claim, None
    if witness and claim is not None:
        found = pipeline.check(question, clock).counterexample
        sides = None if found is None or found.sequences else dict(_sides(question, claim, found))

    def least(values: Mapping[str, fmpq]) -> float:
        return _point(fmpq(0), pipeline.budget(fixed(question, values), clock)).low

    claimed = None if claim is None else partial(maps.claimed, claim)
    names = question.parameters.names
    return maps.Subject(names, family.values, family.contains, least, claimed, sides)


def _sides(question: Question, claim: Claim, found: Counterexample) -> Iterator[tuple[str, maps.Curve]]:
    """Both probabilities of the sequence that a counterexample shows, and the bound."""
    pair = next(
        pair
        for pair in question.pairs
        if (pair.left.name, pair.right.name) == (found.secret, found.against)
        and (pair.left.prior or pair.right.prior) == found.prior
    )
    laws = [Law(question.model, side, question.parameters).probability(found.sequence) for side in pair]

    def curve(p: Parametric, c: arb, values: Mapping[str, fmpq]) -> float:
        try:
            number = p.at(values).as_rational()
        except ZeroDivisionError:  # the secret is impossible there
            return nan
        return nan if number is None else maps.middle(arb(fmpq(number.p, number.q)) * c)

    shown, c = " ".join(found.sequence), claim.c.enclose(ANY)
    yield f"P({shown} | {found.secret})", partial(curve, laws[0], arb(1))
    yield f"P({shown} | {found.against})", partial(curve, laws[1], arb(1))
    yield f"bound c P({shown} | {found.against})", partial(curve, laws[1], c)


# --- programs ------------------------------------------------------------------------------------


@options_only
def plot_program(
    posed: Posed, clock: Clock, *, points: int = POINTS, title: str = "", what: str = "loss"
) -> Figure:
    """A program: the least epsilon over one or two parameters (eps may be one of them), or without any the
    least delta for each epsilon; or the probability of the counterexample ("witness").

    Raises :class:`InputError` if there is nothing to draw or there are too many parameters, and
    :class:`LimitReached`.
    """
    if what not in WHAT:
        raise InputError(f"there is no figure `{what}`", hint=f"one of: {', '.join(WHAT)}")
    heading = title or clipped(posed.mixtures.name, 90)
    return _drawn(list(_program_panels(posed, clock, points, what)), heading, what)


def _program_panels(posed: Posed, clock: Clock, points: int, what: str) -> Iterator[Panel]:
    found = posed.check(clock).counterexample if what == "witness" and posed.claim is not None else None
    subject = maps.of_program(posed, clock, found)
    if what == "witness":
        maps.refuse_but_one(subject.axes)
    if what != "delta" and subject.axes:
        yield from maps.panels(subject, points, what)
    elif not subject.axes:
        laws = maps.Laws(posed.mixtures)
        yield maps.delta_panel(laws.delta, laws.least({}), posed.claim, points)


def _plot_of(
    question: PufferfishQuestion, *_: Any, claim: str | None = None, at: Any = None, **options: Any
) -> Figure:
    clock = Clock()
    return plot_question(question.asking(claim, at, clock), clock, **options)


def _plot_of_program(
    question: ProgramQuestion, *_: Any, claim: str | None = None, at: Any = None, **options: Any
) -> Figure:
    with as_one() as clock:
        return plot_program(question.posed(claim, at=at), clock, **options)


views.plot.register(PufferfishQuestion, _plot_of)
views.plot.register(ProgramQuestion, _plot_of_program)


# --- points --------------------------------------------------------------------------------------


def curve_by_horizon(question: Question, clock: Clock) -> list[Point]:
    """The least epsilon for the horizons 1, 2, ..., up to that of the question."""
    assert question.horizon is not None
    horizons = range(1, question.horizon + 1)
    return [_point(fmpq(k), pipeline.budget(replace(question, horizon=k), clock)) for k in horizons]


def curve_by_parameter(question: Question, clock: Clock, points: int = POINTS) -> list[Point]:
    """The least epsilon where the only parameter is a number, at places of the class at equal distances."""
    family, (name,) = check_class(question, clock), question.parameters.names
    places = [(fmpq(i, points),) for i in range(points + 1)]
    values = [family.values(u)[name] for u in places if family.contains(u)]
    return [_point(x, pipeline.budget(fixed(question, {name: x}), clock)) for x in values]


def fixed(question: Question, point: Mapping[str, fmpq]) -> Question:
    """The question at a point of its class, without parameters; sides of probability 0 are not compared."""
    ring = Ring(())

    def weights(row: Weights[Parametric]) -> Weights[Parametric]:
        numbers = ((place, p.at(point).as_rational()) for place, p in row)
        return tuple((place, ring.of(p)) for place, p in numbers if p)

    model = question.model
    rows = (tuple(map(weights, part)) for part in (model.emissions, model.transitions))
    pairs = (
        Pair(*(side._replace(weights=weights(side.weights)) for side in pair)) for pair in question.pairs
    )
    return replace(
        question,
        model=HiddenMarkovModel(model.states, model.observations, *rows),
        parameters=Parameters(ring),
        pairs=tuple(pair for pair in pairs if all(side.weights for side in pair)),
    )


def _point(x: fmpq, found: Budget) -> Point:
    low, high = (inf if c is None else maps.middle(c.enclose(ANY).log()) for c in (found.low, found.high))
    return Point(x, low, high)


def _draw(points: list[Point], claim: Claim | None, across: str, axes: Axes) -> None:
    places = [maps.middle(arb(p.x)) for p in points]
    low = [nan if p.low == inf else p.low for p in points]
    axes.plot(places, low, marker="o", markersize=4, color=COLOURS[0], label=LABEL)
    if any(p.low < p.high < inf for p in points):
        high = [p.high if p.high < inf else nan for p in points]
        axes.plot(
            places, high, marker="^", markersize=4, linestyle=":", color=COLOURS[1], label="upper bound"
        )
    maps.mark_infinite([x for x, p in zip(places, points, strict=True) if p.low == inf], axes)
    if claim is not None:
        axes.axhline(
            maps.middle(claim.c.enclose(ANY).log()), **CLAIM, label=f"claim {clipped(claim.text, 20)}"
        )
    if across == "horizon":
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlim(0.5, len(points) + 0.5)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(across)
    axes.set_ylabel(LABEL)
    legend(axes)
