"""A question of Pufferfish privacy as a figure: the least epsilon against the horizon, a parameter or eps.

It is about a hidden Markov model or a program; also delta against epsilon, the map of two parameters, and
the witness.  Every point is an exact answer, both ends of a proved interval or a ball around a number, which
becomes a float at the end; lines between points only guide the eye.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import exp, inf, nan
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq

import dipc.views as views
from dipc.clock import Clock, as_one
from dipc.errors import InputError, Unsupported
from dipc.hidden import PufferfishQuestion
from dipc.models.hmm import HiddenMarkovModel, Weights
from dipc.models.mixtures import Mixture, Mixtures
from dipc.numbers.parametric import Parametric, Ring
from dipc.program_questions import Posed, ProgramQuestion
from dipc.pufferfish import finite, pipeline
from dipc.pufferfish.classes import ParameterClass, check_class
from dipc.pufferfish.laws import Law
from dipc.pufferfish.question import Claim, Pair, Parameters, Question
from dipc.pufferfish.rational import Constant, Rational
from dipc.pufferfish.verdict import Budget, Counterexample, Reached
from dipc.report.canvas import CLAIM, COLOURS, Panel, clipped, legend, logarithmic, sheet
from dipc.report.sampling import Range, fmpq_of
from dipc.signs.boxes import Point as Shares
from dipc.signs.eps_range import EpsRange
from dipc.suggest import options_only

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 32
LOOKS: Sequence[dict[str, Any]] = [
    {"marker": "o", "markersize": 3, "color": colour, "linestyle": line}
    for colour, line in zip(COLOURS, ("-", "--", ":"), strict=False)
]
EPS, LABEL, MOST_AXES = "ε", "least ε", 2
USUAL = fmpq(1, 10), fmpq(10)  # where a claim is for all eps > 0
BITS = 256
WIDE = 5.0  # the greatest epsilon that is drawn
WHAT = ("loss", "delta", "witness")
"""What can be drawn."""
Values = Mapping[str, fmpq]
Curve = Callable[[Values], float]
Ball = Callable[[Values], arb | None]
Draw = Callable[["Axes"], None]
Line = tuple[str, Sequence[float], Mapping[str, Any]]  # its name, the values and the look


@dataclass(frozen=True, slots=True)
class Subject:
    """What depends on parameters, and perhaps on eps.

    ``values`` maps shares of the axes, from 0 to 1, to values of all of them; ``contains`` tells whether the
    point belongs to the class.  ``least`` is the least epsilon there, ``claimed`` the epsilon of the claim;
    ``sides`` are P(s), P(s') and the bound c P(s') of a witness.
    """

    axes: tuple[str, ...]
    values: Callable[[Shares], Values]
    contains: Callable[[Shares], bool]
    least: Curve
    claimed: Curve | None = None
    sides: Mapping[str, Curve] | None = None
    is_log: bool = False


def refuse_but_one(axes: Sequence[str]) -> None:
    """Refuse to draw a counterexample over more or less than one axis."""
    if len(axes) != 1:
        found = ", ".join(axes) or "none"
        hint = f"set the others, for example --fix {axes[0]}=1/2" if axes else "it is printed by `check`"
        raise InputError(f"a counterexample is drawn over one free parameter, not over {found}", hint=hint)


def panels(subject: Subject, points: int, what: str) -> Iterator[Panel]:
    """The least epsilon (``what`` is "loss"), or the probabilities of the witness ("witness").

    Raises :class:`InputError` if there are too many axes.
    """
    if len(subject.axes) > MOST_AXES:
        message = f"a figure has {MOST_AXES} axes, not {len(subject.axes)}: {', '.join(subject.axes)}"
        fixed = " ".join(f"--fix {name}=1/2" for name in subject.axes[MOST_AXES:] if name != EPS)
        raise InputError(message, hint=f"for example {fixed or '--at 1/2'}")
    names = " and ".join(subject.axes)
    if what == "witness":
        if subject.sides is not None:
            words = f"The probabilities of the counterexample's output at values of {names}."
            yield Panel("witness", "The counterexample", words, _lines(subject, subject.sides, points, ""))
        return
    words = f"The least epsilon at values of {names}."
    if len(subject.axes) == 1:
        curves = {LABEL: subject.least}
        yield Panel("parameter", f"By {names}", words, _lines(subject, curves, points, LABEL))
    elif subject.axes:
        yield Panel("map", f"By {names}", words, _map(subject, points))


def _lines(subject: Subject, curves: Mapping[str, Curve], points: int, label: str) -> Draw:
    """Curves over one axis; all is computed now."""
    (name,) = subject.axes
    shares = [(fmpq(i, points),) for i in range(points + 1)]
    inside = [subject.values(u) for u in shares if subject.contains(u)]
    across = [_float(values[name]) for values in inside]
    found = [
        (said, [curve(values) for values in inside], look)
        for (said, curve), look in zip(curves.items(), LOOKS, strict=False)
    ]
    claimed = [subject.claimed(values) for values in inside] if subject.claimed and label else None

    def more(axes: Axes) -> None:
        if claimed is not None:
            axes.plot(across, claimed, **CLAIM, label="claim")

    names = _label(name), label or "probability"
    return partial(_draw_lines, across, found, names, more, subject.is_log)


def _draw_lines(
    across: Sequence[float],
    curves: Sequence[Line],
    names: tuple[str, str],
    more: Draw,
    is_log: bool,
    axes: Axes,
) -> None:
    """Draw curves by name, each with its look, crosses where they are infinite, and what else there is."""
    if is_log:
        logarithmic(axes.xaxis, axes.set_xscale)
    for said, values, look in curves:
        axes.plot(across, [nan if value == inf else value for value in values], **look, label=said)
    infinite = [x for _, ys, _ in curves for x, y in zip(across, ys, strict=True) if y == inf]
    if infinite:  # crosses at the upper border
        above, top = axes.get_xaxis_transform(), [1.0] * len(infinite)
        axes.plot(infinite, top, "x", transform=above, clip_on=False, color=COLOURS[1], label="infinite")
    more(axes)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    legend(axes)


def _label(name: str) -> str:
    return "privacy budget ε" if name == EPS else clipped(name, 40)


def _map(subject: Subject, points: int) -> Draw:
    """The least epsilon in the cells of a grid, taken in their middles; all is computed now."""
    ends = [fmpq(i, points) for i in range(points + 1)]
    middles = [fmpq(2 * i + 1, 2 * points) for i in range(points)]
    grid = [[(x, y) for x in middles] for y in middles]
    cells = [[subject.values(u) if subject.contains(u) else None for u in row] for row in grid]
    found = [[nan if v is None else subject.least(v) for v in row] for row in cells]
    near = fmpq(1, 10**6)  # a corner of the closed cube is pulled inside, as ranges may be open
    pulled = [min(max(x, near), 1 - near) for x in ends]
    corners = [[subject.values((x, y)) for x in pulled] for y in pulled]
    claim, excess = subject.claimed, None
    if claim is not None:
        pairs = [list(zip(row, cells[i], strict=True)) for i, row in enumerate(found)]
        excess = [[nan if v is None else f - claim(v) for f, v in row] for row in pairs]
    return partial(_draw_map, subject, corners, found, excess)


def _draw_map(
    subject: Subject,
    corners: Sequence[Sequence[Values]],
    found: Sequence[Sequence[float]],
    excess: Sequence[Sequence[float]] | None,
    axes: Axes,
) -> None:
    import numpy

    first, second = subject.axes
    x, y = (numpy.array([[_float(v[name]) for v in row] for row in corners]) for name in (first, second))
    values = numpy.array(found)  # nan outside of the class
    drawn = axes.pcolormesh(x, y, numpy.ma.masked_invalid(values), cmap="viridis", rasterized=True)
    axes.figure.colorbar(drawn, ax=axes, label=LABEL).outline.set_visible(False)
    axes.grid(visible=False)
    cells: Any = numpy.ma.masked_array(values, ~numpy.isinf(values))
    if cells.count():
        axes.pcolormesh(x, y, cells.mask.astype(float), alpha=1.0 - cells.mask, cmap="Greys_r", vmin=-1)
        axes.fill([], [], facecolor="#777777", label="infinite")
    if excess is not None:
        across, up = ((part[1:, 1:] + part[:-1, :-1]) / 2 for part in (x, y))
        _draw_border(numpy.array(excess), across, up, axes)
    legend(axes)
    for name, axis, scale in zip(
        subject.axes, (axes.xaxis, axes.yaxis), (axes.set_xscale, axes.set_yscale), strict=True
    ):
        axis.set_label_text(_label(name))
        if name == EPS and subject.is_log:
            logarithmic(axis, scale)


def _draw_border(excess: Any, x: Any, y: Any, axes: Axes) -> None:
    """Hatches where the claim does not hold, and a line around them."""
    import numpy

    most = numpy.abs(excess[numpy.isfinite(excess)]).max(initial=1e-9)
    shown = numpy.ma.masked_invalid(numpy.clip(excess, -most, most))  # so that infinity has a place
    if shown.count() and shown.max() > 0:
        hatched = axes.contourf(x, y, shown, levels=[0, most], colors="none", hatches=["//"])
        hatched.set(edgecolor="white", linewidth=0)
        if shown.min() < 0:
            axes.contour(x, y, shown, levels=[0], colors="white", linewidths=1.5)
        axes.fill([], [], facecolor="grey", edgecolor="white", hatch="//", label="claim violated")


def _float(x: fmpq) -> float:
    return middle(arb(x))


def middle(ball: arb) -> float:
    """The centre of a ball, as a float."""
    return float(ball.mid())


def delta_panel(deltas: Callable[[fmpq], float], most: float, claim: Claim | None, points: int) -> Panel:
    """The least delta for epsilon from 0 to a bit more than ``most``, the least epsilon with delta = 0.

    Every point is exact: c is rational, epsilon its logarithm.
    """
    top = fmpq_of(exp(min(most if most < inf else WIDE, WIDE) * 1.15)) if most else fmpq(2)
    constants = [1 + (top - 1) * fmpq(i, points) for i in range(points + 1)]
    words = "The least delta for each epsilon; at the least epsilon it is 0."

    def more(axes: Axes) -> None:
        if claim is not None:
            if claim.delta:
                axes.axhline(_float(claim.delta), **CLAIM)
            axes.axvline(claimed(claim, {}), **CLAIM, label=f"claim {clipped(claim.text, 20)}")

    across, values = [middle(arb(c).log()) for c in constants], [deltas(c) for c in constants]
    draw = partial(_draw_lines, across, [("least δ", values, LOOKS[0])], (EPS, "least δ"), more, False)
    return Panel("delta", "Delta by epsilon", words, draw)


def delta_of_question(problem: Rational, horizon: int, c: fmpq) -> float:
    """The greatest sum over all sequences, for a model of rational numbers."""
    constant, most = Constant(Claim("", c)), fmpq(0)
    for number in range(len(problem.pairs)):
        *_, last = islice(finite.excesses(problem, number, constant), horizon)
        most = max(most, last.total.left - c * last.total.right)
    return _float(most)


# --- hidden Markov models -----------------------------------------------------------------------


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
        yield Panel("horizon", "By horizon", words, _points(found, claim, "horizon"))
    if len(names) == 1:
        (name,), found = names, curve_by_parameter(question, clock, points)
        words = f"The least epsilon at values of {name}."
        yield Panel("parameter", f"By {name}", words, _points(found, claim, name))
    if len(names) == 2:
        yield from panels(_subject(question, clock), points, what)


def _other_panels(question: Question, clock: Clock, points: int, what: str) -> Iterator[Panel]:
    names, claim, horizon = question.parameters.names, question.claim, question.horizon
    if what == "delta" and not names and horizon is not None:
        pure = question if claim is None else replace(question, claim=replace(claim, delta=fmpq(0)))
        least = _point(fmpq(0), pipeline.budget(pure, clock)).high
        problem = Rational(question, clock)
        yield delta_panel(partial(delta_of_question, problem, horizon), least, claim, points)
    if what == "witness":
        refuse_but_one(names)
        yield from panels(_subject(question, clock, witness=True), points, what)


def _subject(question: Question, clock: Clock, witness: bool = False) -> Subject:
    """A model with parameters."""
    family, claim, sides = check_class(question, clock), question.claim, None
    if witness and claim is not None:
        found = pipeline.check(question, clock).counterexample
        if found is not None and not found.sequences:
            sides = _sides(found, claim, *_probabilities(question, found))

    def least(values: Mapping[str, fmpq]) -> float:
        return _point(fmpq(0), pipeline.budget(fixed(question, values), clock)).low

    epsilon = None if claim is None else partial(claimed, claim)
    return Subject(question.parameters.names, family.values, family.contains, least, epsilon, sides)


def _sides(witness: Reached, claim: Claim, left: Ball, right: Ball) -> dict[str, Curve]:
    """Both probabilities of what a witness shows, and the bound; nan where a secret is impossible."""

    def curve(p: Ball, has_factor: bool, values: Values) -> float:
        ball, c = p(values), claim.c.enclose(arb(values.get(EPS, fmpq(1))))
        return nan if ball is None else middle(ball * c if has_factor else ball)

    shown = " ".join(witness.sequence)
    first, second = (f"P({shown} | {name})" for name in (witness.secret, witness.against))
    curves = partial(curve, left, False), partial(curve, right, False), partial(curve, right, True)
    return dict(zip((first, second, f"bound c {second}"), curves, strict=True))


def _probabilities(question: Question, found: Counterexample) -> Iterator[Ball]:
    """That of the sequence of a counterexample, for both of its sides."""
    pair = next(
        pair
        for pair in question.pairs
        if (pair.left.name, pair.right.name) == (found.secret, found.against)
        and (pair.left.prior or pair.right.prior) == found.prior
    )

    def ball(p: Parametric, values: Values) -> arb | None:
        try:
            number = p.at(values).as_rational()
        except ZeroDivisionError:  # the secret is impossible there
            return None
        return None if number is None else arb(fmpq(number.p, number.q))

    for side in pair:
        yield partial(ball, Law(question.model, side, question.parameters).probability(found.sequence))


@dataclass(frozen=True, slots=True)
class Point:
    """The least epsilon lies in [low, high] at x; both may be infinite."""

    x: fmpq
    low: float
    high: float


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
    low, high = (inf if c is None else middle(c.enclose(arb(1)).log()) for c in (found.low, found.high))
    return Point(x, low, high)


def _points(points: Sequence[Point], claim: Claim | None, across: str) -> Draw:
    """The least epsilon at points of an axis, between both ends where it is not exact."""
    curves: list[Line] = [(LABEL, [p.low for p in points], LOOKS[0] | {"markersize": 4})]
    if any(p.low < p.high < inf for p in points):
        look = {"marker": "^", "markersize": 4, "linestyle": ":", "color": COLOURS[1]}
        curves.append(("upper bound", [p.high if p.high < inf else nan for p in points], look))

    def more(axes: Axes) -> None:
        if claim is not None:
            axes.axhline(claimed(claim, {}), **CLAIM, label=f"claim {clipped(claim.text, 20)}")
        if across == "horizon":
            from matplotlib.ticker import MaxNLocator

            axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
            axes.set_xlim(0.5, len(points) + 0.5)

    return partial(_draw_lines, [_float(p.x) for p in points], curves, (across, LABEL), more, False)


# --- programs ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Laws:
    """The mixtures of a program at points: balls around its probabilities."""

    mixtures: Mixtures

    def value(self, side: Mixture, output: int, values: Values) -> arb | None:
        """P(output | event); None where the event is impossible.  It is exact if it is zero."""
        eps = arb(values.get(EPS, fmpq(1)))
        point = {name: x for name, x in values.items() if name != EPS}
        weights = [(law, w.at(point).as_rational()) for law, w in side.weights]
        numbers = [(self.mixtures.laws[law][output], fmpq(w.p, w.q)) for law, w in weights if w]
        whole = sum((w for _, w in numbers), fmpq(0))
        with ctx.workprec(BITS):
            terms = (law.enclose(eps) * (w / whole) for law, w in numbers if law)
            return sum(terms, arb(0)) if whole else None

    def pairs(self, values: Values) -> Iterator[list[tuple[arb, arb]]]:
        """For every pair that is possible the probabilities of all outputs on both sides."""
        for left, right, _ in self.mixtures.pairs:
            found = [
                (self.value(left, output, values), self.value(right, output, values))
                for output in range(len(self.mixtures.outputs))
            ]
            both = [(p, q) for p, q in found if p is not None and q is not None]
            if both:
                yield both

    def least(self, values: Values) -> float:
        """The logarithm of the greatest quotient; nan where balls are too large to tell."""
        greatest = arb(1)
        for p, q in (sides for pair in self.pairs(values) for sides in pair):
            with ctx.workprec(BITS):
                if p > 0 and q == 0:
                    return inf
                if not (p == 0 or (p > 0 and q > 0)):
                    return nan
                if p > 0:
                    greatest = greatest.max(p / q)
        return middle(greatest.log())

    def delta(self, c: fmpq) -> float:
        """The greatest sum of ``max(0, P - c P')``."""
        with ctx.workprec(BITS):
            sums = (sum((arb(0).max(p - q * c) for p, q in pair), arb(0)) for pair in self.pairs({}))
            return max((middle(each) for each in sums), default=0.0)


def of_program(posed: Posed, clock: Clock, witness: Reached | None = None) -> Subject:
    """A program: its parameters, and eps if its probabilities depend on it."""
    mixtures, claim = posed.mixtures, posed.claim
    family = ParameterClass(Parameters(mixtures.ring, mixtures.ranges), clock)
    has_eps = not posed.eps_range.is_point and any(not p.is_constant for law in mixtures.laws for p in law)
    names, span = mixtures.ring.names, span_of(posed.eps_range) if has_eps else None

    def place(u: Shares) -> Values:
        clock.tick("points of the figure")
        found = dict(family.values(u[: len(names)]))
        return found if span is None else {**found, EPS: fmpq_of(span.point(_float(u[-1])))}

    laws, sides = Laws(mixtures), None
    if witness is not None and claim is not None:
        (output,) = map(mixtures.outputs.index, witness.sequence)
        asked = witness.secret, witness.against, witness.prior
        left, right = next(p[:2] for p in mixtures.pairs if (p.left.name, p.right.name, p.prior) == asked)
        sides = _sides(witness, claim, *(partial(laws.value, side, output) for side in (left, right)))
    return Subject(
        (*names, EPS) if has_eps else names,
        place,
        lambda u: not names or family.contains(u[: len(names)]),
        laws.least,
        None if claim is None else partial(claimed, claim),
        sides,
        span is not None and span.log,
    )


def claimed(claim: Claim, values: Values) -> float:
    """The epsilon of a claim."""
    return middle(claim.c.enclose(arb(values.get(EPS, fmpq(1)))).log())


def span_of(budgets: EpsRange) -> Range:
    """The axis of eps."""
    low, high = budgets.low, budgets.high
    if not low:
        low = USUAL[0] if high is None else high / 100
    return Range.of(low, max(USUAL[1], 100 * low) if high is None else high, None)


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
    subject = of_program(posed, clock, found)
    if what == "witness":
        refuse_but_one(subject.axes)
    if what != "delta" and subject.axes:
        yield from panels(subject, points, what)
    elif not subject.axes:
        laws = Laws(posed.mixtures)
        yield delta_panel(laws.delta, laws.least({}), posed.claim, points)


@views.plot.register(PufferfishQuestion)
@views.plot.register(ProgramQuestion)
def _plot_of(
    question: PufferfishQuestion | ProgramQuestion,
    *_: Any,
    claim: str | None = None,
    at: Any = None,
    **options: Any,
) -> Figure:
    with as_one() as clock:
        if isinstance(question, ProgramQuestion):
            return plot_program(question.posed(claim, at=at), clock, **options)
        return plot_question(question.asking(claim, at, clock), clock, **options)
