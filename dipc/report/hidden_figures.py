"""A question about a hidden Markov model as a figure: the least epsilon against the horizon and a parameter.

Every point is an exact answer (or both ends of a proved interval); lines between them only guide the eye.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import inf, nan
from typing import TYPE_CHECKING

from flint import arb, fmpq

from dipc.clock import Clock
from dipc.errors import InputError, Unsupported
from dipc.models.hmm import HiddenMarkovModel, Weights
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish import pipeline
from dipc.pufferfish.classes import check_class
from dipc.pufferfish.question import Claim, Pair, Parameters, Question
from dipc.pufferfish.verdict import Budget
from dipc.report.canvas import CLAIM, COLOURS, Panel, clipped, legend, sheet

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


def plot_question(question: Question, clock: Clock, *, points: int = POINTS, title: str = "") -> Figure:
    """The least epsilon for each horizon and, with one parameter, at some of its values.

    Raises :class:`InputError` if there is nothing to draw, :class:`LimitReached` if a limit runs out and
    :class:`Unsupported` for a model with eps.
    """
    return sheet(list(panels_of(question, clock, points)), title or clipped(question.name, 90))


def panels_of(question: Question, clock: Clock, points: int = POINTS) -> Iterator[Panel]:
    """The panels of the figure; all is computed before anything is drawn."""
    names, claim = question.parameters.names, question.claim
    if question.parameters.eps_name is not None:
        raise Unsupported("figures of a hidden Markov model with eps", hint="write a number for eps")
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
    low, high = (inf if c is None else _float(c.enclose(ANY).log()) for c in (found.low, found.high))
    return Point(x, low, high)


def _float(ball: arb) -> float:
    return float(ball.mid())


def _draw(points: list[Point], claim: Claim | None, across: str, axes: Axes) -> None:
    places = [_float(arb(p.x)) for p in points]
    low = [nan if p.low == inf else p.low for p in points]
    axes.plot(places, low, marker="o", markersize=4, color=COLOURS[0], label=LABEL)
    if any(p.low < p.high < inf for p in points):
        high = [p.high if p.high < inf else nan for p in points]
        axes.plot(
            places, high, marker="^", markersize=4, linestyle=":", color=COLOURS[1], label="upper bound"
        )
    if endless := [x for x, p in zip(places, points, strict=True) if p.low == inf]:
        top = [1.0] * len(endless)
        above = axes.get_xaxis_transform()
        axes.plot(endless, top, "x", transform=above, clip_on=False, color=COLOURS[1], label="infinite")
    if claim is not None:
        axes.axhline(_float(claim.c.enclose(ANY).log()), **CLAIM, label=f"claim {clipped(claim.text, 20)}")
    if across == "horizon":
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlim(0.5, len(points) + 0.5)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(across)
    axes.set_ylabel(LABEL)
    legend(axes)
