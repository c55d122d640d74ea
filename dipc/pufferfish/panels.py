"""A question of Pufferfish privacy as a figure: the least epsilon against the horizon, a parameter or eps.

It is about a hidden Markov model or a program; also delta against epsilon, and the map of two parameters.
Every point is an exact answer, or both ends of a proved interval, which become floats at the end (for
numbers such as exp(-1/2), which agree with them to 256 bits); lines between points only guide the eye.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import exp, inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import arb, ctx, fmpq

import dipc.views as views
from dipc.clock import Clock, as_one
from dipc.errors import InputError
from dipc.models.hmm import HiddenMarkovModel, Weights
from dipc.models.mixtures import Claim, changed
from dipc.numbers.exact import ends
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish import finite, pipeline
from dipc.pufferfish.classes import class_of
from dipc.pufferfish.hmm import AnyQuestion
from dipc.pufferfish.problem import Constant
from dipc.pufferfish.question import Parameters, Question
from dipc.pufferfish.rational import Rational
from dipc.pufferfish.verdict import Budget
from dipc.report.canvas import CLAIM, COLOURS, Axis, Cells, Line, Mark, Panel, Rule, clipped, sheet
from dipc.report.sampling import Range, as_float, fmpq_of
from dipc.signs.boxes import HALF
from dipc.signs.boxes import Point as Shares
from dipc.signs.eps_range import EpsRange
from dipc.suggest import options_only

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 32
LOOKS: Sequence[dict[str, Any]] = [
    {"marker": "o", "markersize": 3, "color": colour, "linestyle": line}
    for colour, line in zip(COLOURS, ("-", "--", ":"), strict=False)
]
UPPER = {"marker": "^", "markersize": 4, "color": COLOURS[1], "linestyle": ":"}
EPS, LABEL, MOST_AXES = "ε", "least ε", 2
USUAL = fmpq(1, 10), fmpq(10)  # where a claim is for all eps > 0
BITS = 256
WIDE = 5.0  # the greatest epsilon that is drawn
WHAT = ("loss", "delta")
"""What can be drawn."""
Values = Mapping[str, fmpq]


class Bounds(NamedTuple):
    """The least epsilon lies in [low, high]; both may be infinite."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Subject:
    """What depends on parameters, and perhaps on eps.

    ``values`` maps shares of the axes, from 0 to 1, to values of all of them; ``contains`` tells whether the
    point belongs to the class.  ``least`` is the least epsilon there.
    """

    axes: Mapping[str, Axis]
    values: Callable[[Shares], Values]
    contains: Callable[[Shares], bool]
    least: Callable[[Values], Bounds]
    claim: Claim | None = None


def claimed(claim: Claim, values: Values) -> float:
    """The epsilon of a claim."""
    return middle(_factor(claim, values).log())


def _factor(claim: Claim, values: Values) -> arb:
    return claim.c.enclose(arb(values.get(EPS, fmpq(1))))


def middle(ball: arb) -> float:
    """The centre of a ball, as a float."""
    return float(ball.mid())


# --- panels --------------------------------------------------------------------------------------


def panels(subject: Subject, points: int) -> Iterator[Panel]:
    """The least epsilon over one or two axes, if there are any.  Raises :class:`InputError` for more."""
    names = tuple(subject.axes)
    if len(names) > MOST_AXES:
        message = f"a figure has {MOST_AXES} axes, not {len(names)}: {', '.join(names)}"
        fixed = " ".join(f"--fix {name}=1/2" for name in names[MOST_AXES:] if name != EPS)
        raise InputError(message, hint=f"for example {fixed or '--at 1/2'}")
    if len(names) == 1:
        words = f"The least epsilon at values of {names[0]}."
        yield _curve_panel(subject, points, "parameter", words)
    elif names:
        yield _map_panel(subject, points)


def places(subject: Subject, points: int) -> list[Values]:
    """The values at equal distances along the only axis, where they are in the class."""
    shares = [(fmpq(i, max(points, 1)),) for i in range(points + 1)]
    return [subject.values(u) for u in shares if subject.contains(u)]


def _curve_panel(subject: Subject, points: int, kind: str, words: str) -> Panel:
    """The least epsilon over one axis, between both ends where it is not exact, and the claim."""
    ((name, axis),), claim = subject.axes.items(), subject.claim
    inside = places(subject, points)
    across = [as_float(values[name]) for values in inside]
    found = [subject.least(values) for values in inside]
    marks: list[Mark] = [Line(across, [low for low, _ in found], LOOKS[0] | {"markersize": 4}, LABEL)]
    if any(low < high < inf for low, high in found):
        highs = [high if high < inf else nan for _, high in found]
        marks.append(Line(across, highs, UPPER, "upper bound"))
    if claim is not None and inside:
        said, heights = f"claim {clipped(claim.text, 20)}", [claimed(claim, values) for values in inside]
        marks.append(Line(across, heights, CLAIM, said) if claim.rate else Rule(heights[0], CLAIM, said))
    return Panel(kind, f"By {name}", words, marks, axis, Axis(LABEL, low=0))


def _map_panel(subject: Subject, points: int) -> Panel:
    """The least epsilon in the cells of a grid, taken in their middles; with a claim also on the border."""
    near = fmpq(1, 10**6)  # a corner of the closed cube is pulled inside, as ranges may be open
    ends = [min(max(fmpq(i, points), near), 1 - near) for i in range(points + 1)]
    middles, claim = [fmpq(2 * i + 1, 2 * points) for i in range(points)], subject.claim
    shares = middles if claim is None else [near, *middles, 1 - near]
    grid = [[(x, y) for x in shares] for y in shares]
    places = [[subject.values(u) if subject.contains(u) else None for u in row] for row in grid]
    found = [[nan if v is None else subject.least(v).low for v in row] for row in places]
    across, up = (partial(_coordinate, subject, name) for name in subject.axes)
    excess = None
    if claim is not None:
        over = [
            [nan if v is None else low - claimed(claim, v) for v, low in zip(*rows, strict=True)]
            for rows in zip(places, found, strict=True)
        ]
        excess, found = (across(grid), up(grid), over), [row[1:-1] for row in found[1:-1]]
    corners = [[(x, y) for x in ends] for y in ends]
    names, (horizontal, vertical) = " and ".join(subject.axes), subject.axes.values()
    cells = Cells(across(corners), up(corners), found, excess, LABEL)
    words = f"The least epsilon at values of {names}."
    return Panel("map", f"By {names}", words, [cells], horizontal, vertical)


def _coordinate(subject: Subject, name: str, grid: Sequence[Sequence[Shares]]) -> list[list[float]]:
    """The values of an axis at the points of a grid."""
    return [[as_float(subject.values(u)[name]) for u in row] for row in grid]


def delta_panel(deltas: Callable[[fmpq], float], most: float, claim: Claim | None, points: int) -> Panel:
    """The least delta for epsilon from 0 to a bit more than ``most``, the least epsilon with delta = 0.

    Every point is exact: c is rational, epsilon its logarithm.
    """
    top = fmpq_of(exp(min(most if most < inf else WIDE, WIDE) * 1.15)) if most else fmpq(2)
    constants = [1 + (top - 1) * fmpq(i, points) for i in range(points + 1)]
    across, values = [middle(arb(c).log()) for c in constants], [deltas(c) for c in constants]
    marks: list[Mark] = [Line(across, values, LOOKS[0], "least δ")]
    if claim is not None and claim.delta:
        marks.append(Rule(as_float(claim.delta), CLAIM))
    if claim is not None:
        name = f"claim {clipped(claim.text, 20)}"
        marks.append(Rule(claimed(claim, {}), CLAIM, name, upright=True))
    words = "The least delta for each epsilon; at the least epsilon it is 0."
    return Panel("delta", "Delta by epsilon", words, marks, Axis(EPS), Axis("least δ", low=0))


# --- questions ----------------------------------------------------------------------------------


def _panels(question: Question, clock: Clock, points: int, what: str) -> Iterator[Panel]:
    subject, claim, horizon = subject_of(question, clock), question.claim, question.horizon
    several = horizon is not None and not question.of_program and EPS not in subject.axes
    if what == "loss" and horizon is None and len(subject.axes) != 1:
        raise InputError("a curve needs a number of observations", hint="set a horizon: --horizon 8")
    if what == "loss" and several and horizon is not None:
        words = "The least epsilon for each number of observations."
        yield _curve_panel(by_horizon(question, horizon, clock), horizon - 1, "horizon", words)
    if what == "loss" and (len(subject.axes) <= MOST_AXES or not several):
        yield from panels(subject, points)
    if horizon is not None and not subject.axes and (what == "delta" or question.of_program):
        pure = replace(fixed(question, {}), claim=None)
        least = _bounds(pipeline.budget(pure, clock)).high
        deltas = partial(delta_of_question, Rational(pure, clock), horizon)
        yield delta_panel(deltas, least, claim, points)


def subject_of(question: Question, clock: Clock) -> Subject:
    """The parameters of a question, and eps if probabilities depend on it."""
    parameters, eps_name = question.parameters, question.parameters.eps_name
    if not question.of_program:  # the laws of programs are probabilities
        pipeline.validate(question, clock)
    family = class_of(question, clock)
    names = [name for name in parameters.names if name != eps_name]
    span = None if eps_name is None else span_of(parameters.budgets)

    def inside(u: Shares) -> Shares:
        return u[: len(names)] if span is None else (HALF, *u[: len(names)])

    def place(u: Shares) -> Values:
        clock.tick("points of the figure")
        values = family.values(inside(u))
        found = {name: values[name] for name in names}
        return found if span is None else {**found, EPS: fmpq_of(span.point(as_float(u[-1])))}

    axes = {name: Axis(clipped(name, 40)) for name in names}
    if span is not None:
        axes[EPS] = Axis("privacy budget ε", log=span.log)
    return Subject(
        axes,
        place,
        lambda u: not names or family.contains(inside(u)),
        lambda values: _bounds(pipeline.budget(fixed(question, values), clock)),
        question.claim,
    )


def by_horizon(question: Question, horizon: int, clock: Clock) -> Subject:
    """A model over the horizons 1, 2, ..., up to this one."""

    def least(values: Values) -> Bounds:
        return _bounds(pipeline.budget(replace(question, horizon=int(values["horizon"].p)), clock))

    axis = Axis("horizon", 0.5, horizon + 0.5, whole=True)
    return Subject(
        {"horizon": axis},
        lambda u: {"horizon": 1 + (horizon - 1) * u[0]},
        lambda _: True,
        least,
        question.claim,
    )


def _bounds(found: Budget) -> Bounds:
    return Bounds(*(inf if c is None else middle(c.enclose(arb(1)).log()) for c in (found.low, found.high)))


def fixed(question: Question, point: Values) -> Question:
    """The question at a point of its class, without parameters; sides of probability 0 are not compared.

    Numbers that are not rational, such as exp(-1/2), become rational ones that agree to many digits.
    """
    ring, eps, known = Ring(()), point.get(EPS, fmpq(1)), dict[Parametric, Parametric]()
    values = {name: x for name, x in point.items() if name != EPS}

    def number(p: Parametric) -> Parametric:
        if p not in known:
            exact = p.as_rational()
            known[p] = ring.of(_rational(question.parameters, p.at(values), eps) if exact is None else exact)
        return known[p]

    def weights(row: Weights[Parametric]) -> Weights[Parametric]:
        return tuple((place, x) for place, p in row if (x := number(p)))

    model = question.model
    rows = (tuple(map(weights, part)) for part in (model.emissions, model.transitions))
    pairs = changed(question.pairs, lambda side: side._replace(weights=weights(side.weights)))
    return replace(
        question,
        model=HiddenMarkovModel(model.states, model.observations, *rows),
        parameters=Parameters(ring),
        pairs=tuple(pair for pair in pairs if all(side.weights for side in pair)),
    )


def _rational(parameters: Parameters, f: Parametric, eps: fmpq) -> fmpq:
    """A function of eps at a point: a number close to it if it is not rational, and then not 0."""
    if (exact := f.as_rational()) is not None:
        return exact
    value, bits = parameters.function_of_eps(f).at(eps), BITS
    if (exact := value.as_rational()) is not None:
        return exact
    while True:
        with ctx.workprec(bits):
            low, high = ends(value.enclose(arb(1)))
        if low > 0 or high < 0:
            return fmpq(low.numerator, low.denominator)
        bits *= 2


def delta_of_question(problem: Rational, horizon: int, c: fmpq) -> float:
    """The greatest sum over all sequences, for a model of rational numbers."""
    constant, most = Constant(Claim("", c)), fmpq(0)
    for number in range(len(problem.pairs)):
        *_, last = islice(finite.excesses(problem, number, constant), horizon)
        most = max(most, last.total.left - c * last.total.right)
    return as_float(most)


def span_of(budgets: EpsRange) -> Range:
    """The axis of eps."""
    low, high = budgets.low, budgets.high
    if not low:
        low = USUAL[0] if high is None else high / 100
    return Range.of(low, max(USUAL[1], 100 * low) if high is None else high, None)


# --- figures -------------------------------------------------------------------------------------


@options_only
def plot_question(
    question: Question, clock: Clock, *, points: int = POINTS, title: str = "", what: str = "loss"
) -> Figure:
    """A figure about a model or a program.

    ``what`` is "loss": the least epsilon for each horizon of a model and, over one or two parameters (eps
    may be one), at some of their values; or "delta": the least delta for each epsilon (of a program
    without parameters "loss" is this, too).  Raises :class:`InputError` if there is nothing to draw or there
    are too many parameters, and :class:`LimitReached` if a limit runs out.
    """
    drawn = panels_of(question, clock, points, what)
    return sheet(drawn, title or clipped(question.name, 90))


def panels_of(question: Question, clock: Clock, points: int = POINTS, what: str = "loss") -> list[Panel]:
    """The panels of such a figure; raises as :func:`plot_question`."""
    if what not in WHAT:
        raise InputError(f"there is no figure `{what}`", hint=f"one of: {', '.join(WHAT)}")
    drawn = list(_panels(question, clock, points, what))
    if not drawn:
        why, hint = "no probability depends on a parameter or on eps", ""
        if what == "delta":
            why, hint = "there are free parameters, or no number of observations", "set parameters with --fix"
        raise InputError(f"there is nothing to draw: {why}", hint=hint)
    return drawn


@views.plot.register(AnyQuestion)
def _plot_of(
    question: AnyQuestion, *_: Any, claim: str | None = None, at: Any = None, **options: Any
) -> Figure:
    with as_one() as clock:
        return plot_question(question.asking(claim, at, clock), clock, **options)
