"""Questions of Pufferfish privacy as figures: programs, two parameters, delta, and the witness.

Every value is an exact number, or a ball around one, at a point of the class; it becomes a float at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import exp, inf, nan
from typing import TYPE_CHECKING, Any

from flint import arb, ctx, fmpq

from dipc.clock import Clock
from dipc.errors import InputError
from dipc.models.mixtures import Mixture, Mixtures
from dipc.program_questions import Posed
from dipc.pufferfish import finite
from dipc.pufferfish.classes import ParameterClass
from dipc.pufferfish.question import Claim, Parameters
from dipc.pufferfish.rational import Constant, Rational
from dipc.pufferfish.verdict import Reached
from dipc.report.canvas import CLAIM, COLOURS, Panel, clipped, legend
from dipc.report.sampling import Range as Span
from dipc.report.sampling import fmpq_of
from dipc.signs.boxes import Point
from dipc.signs.eps_range import EpsRange

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

EPS, LABEL, MOST_AXES = "ε", "least ε", 2
USUAL = fmpq(1, 10), fmpq(10)  # where a claim is for all eps > 0
BITS = 256
WIDE = 5.0  # the greatest epsilon that is drawn
Values = Mapping[str, fmpq]
Curve = Callable[[Values], float]


@dataclass(frozen=True, slots=True)
class Subject:
    """What depends on parameters, and perhaps on eps.

    ``values`` maps shares of the axes, from 0 to 1, to values of all of them; ``contains`` tells whether the
    point belongs to the class.  ``least`` is the least epsilon there, ``claimed`` the epsilon of the claim;
    ``sides`` are P(s), P(s') and the bound c P(s') of a witness.
    """

    axes: tuple[str, ...]
    values: Callable[[Point], Values]
    contains: Callable[[Point], bool]
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


def _lines(subject: Subject, curves: Mapping[str, Curve], points: int, label: str) -> Callable[[Axes], None]:
    """Curves over one axis; all is computed now."""
    (name,) = subject.axes
    shares = [(fmpq(i, points),) for i in range(points + 1)]
    inside = [subject.values(u) for u in shares if subject.contains(u)]
    across = [_float(values[name]) for values in inside]
    found = {said: [curve(values) for values in inside] for said, curve in curves.items()}
    claimed = [subject.claimed(values) for values in inside] if subject.claimed and label else None
    return partial(_draw_lines, subject, across, found, claimed, label)


def _draw_lines(
    subject: Subject,
    across: Sequence[float],
    found: Mapping[str, Sequence[float]],
    claimed: Sequence[float] | None,
    label: str,
    axes: Axes,
) -> None:
    if subject.is_log:
        _logarithmic(axes.xaxis, axes.set_xscale)
    for (said, values), colour, line in zip(found.items(), COLOURS, ("-", "--", ":"), strict=False):
        shown = [nan if value == inf else value for value in values]
        axes.plot(across, shown, marker="o", markersize=3, color=colour, linestyle=line, label=said)
        mark_infinite([x for x, value in zip(across, values, strict=True) if value == inf], axes)
    if claimed is not None:
        axes.plot(across, claimed, **CLAIM, label="claim")
    axes.set_ylim(bottom=0)
    axes.set_xlabel(_label(subject.axes[0]))
    axes.set_ylabel(label or "probability")
    legend(axes)


def mark_infinite(places: Sequence[float], axes: Axes) -> None:
    """Crosses at the upper border where a value is infinite."""
    if places:
        above, top = axes.get_xaxis_transform(), [1.0] * len(places)
        axes.plot(places, top, "x", transform=above, clip_on=False, color=COLOURS[1], label="infinite")


def _label(name: str) -> str:
    return "privacy budget ε" if name == EPS else clipped(name, 40)


def _map(subject: Subject, points: int) -> Callable[[Axes], None]:
    """The least epsilon in the cells of a grid, taken in their middles; all is computed now."""
    ends = [fmpq(i, points) for i in range(points + 1)]
    middles = [fmpq(2 * i + 1, 2 * points) for i in range(points)]
    grid = [[(x, y) for x in middles] for y in middles]
    cells = [[subject.values(u) if subject.contains(u) else None for u in row] for row in grid]
    found = [[nan if v is None else subject.least(v) for v in row] for row in cells]
    corners = [[subject.values(_pulled((x, y))) for x in ends] for y in ends]
    claim, excess = subject.claimed, None
    if claim is not None:
        pairs = [list(zip(row, cells[i], strict=True)) for i, row in enumerate(found)]
        excess = [[nan if v is None else f - claim(v) for f, v in row] for row in pairs]
    return partial(_draw_map, subject, corners, found, excess)


def _pulled(shares: Point) -> Point:
    """A corner of the closed cube is pulled a little inside, as ranges may be open."""
    least = fmpq(1, 10**6)
    return tuple(min(max(x, least), 1 - least) for x in shares)


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
    _draw_infinite(x, y, numpy.ma.masked_array(values, ~numpy.isinf(values)), axes)
    if excess is not None:
        across, up = ((part[1:, 1:] + part[:-1, :-1]) / 2 for part in (x, y))
        _draw_border(numpy.array(excess), across, up, axes)
    legend(axes)
    for name, axis, scale in zip(
        subject.axes, (axes.xaxis, axes.yaxis), (axes.set_xscale, axes.set_yscale), strict=True
    ):
        axis.set_label_text(_label(name))
        if name == EPS and subject.is_log:
            _logarithmic(axis, scale)


def _draw_infinite(x: Any, y: Any, cells: Any, axes: Axes) -> None:
    if cells.count():
        axes.pcolormesh(x, y, cells.mask.astype(float), alpha=1.0 - cells.mask, cmap="Greys_r", vmin=-1)
        axes.fill([], [], facecolor="#777777", label="infinite")


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


def _logarithmic(axis: Axis, scale: Callable[[str], None]) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    scale("log")
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def _float(x: fmpq) -> float:
    return middle(arb(x))


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

    def place(u: Point) -> Values:
        clock.tick("points of the figure")
        found = dict(family.values(u[: len(names)]))
        return found if span is None else {**found, EPS: fmpq_of(span.point(_float(u[-1])))}

    laws, sides = Laws(mixtures), None
    if witness is not None and claim is not None:
        sides = dict(_sides(laws, claim, witness))
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


def span_of(budgets: EpsRange) -> Span:
    """The axis of eps."""
    low, high = budgets.low, budgets.high
    if not low:
        low = USUAL[0] if high is None else high / 100
    return Span.of(low, max(USUAL[1], 100 * low) if high is None else high, None)


def _sides(laws: Laws, claim: Claim, witness: Reached) -> Iterator[tuple[str, Curve]]:
    """Both probabilities of the output that a witness shows, and the bound."""
    (output,) = (laws.mixtures.outputs.index(name) for name in witness.sequence)
    left, right = next(
        pair[:2]
        for pair in laws.mixtures.pairs
        if (pair.left.name, pair.right.name, pair.prior) == (witness.secret, witness.against, witness.prior)
    )

    def curve(side: Mixture, factor: bool, values: Values) -> float:
        p = laws.value(side, output, values)
        eps = arb(values.get(EPS, fmpq(1)))
        return nan if p is None else middle(p * claim.c.enclose(eps) if factor else p)

    shown = laws.mixtures.outputs[output]
    yield f"P({shown} | {left.name})", partial(curve, left, False)
    yield f"P({shown} | {right.name})", partial(curve, right, False)
    yield f"bound c P({shown} | {right.name})", partial(curve, right, True)


def middle(ball: arb) -> float:
    """The centre of a ball, as a float."""
    return float(ball.mid())


def delta_panel(deltas: Callable[[fmpq], float], most: float, claim: Claim | None, points: int) -> Panel:
    """The least delta for epsilon from 0 to a bit more than ``most``, the least epsilon with delta = 0.

    Every point is exact: c is rational, epsilon its logarithm.
    """
    top = fmpq_of(exp(min(most if most < inf else WIDE, WIDE) * 1.15)) if most else fmpq(2)
    constants = [1 + (top - 1) * fmpq(i, points) for i in range(points + 1)]
    found = [(middle(arb(c).log()), deltas(c)) for c in constants]
    words = "The least delta for each epsilon; at the least epsilon it is 0."
    return Panel("delta", "Delta by epsilon", words, partial(_draw_delta, found, claim))


def _draw_delta(found: Sequence[tuple[float, float]], claim: Claim | None, axes: Axes) -> None:
    axes.plot(*zip(*found, strict=True), marker="o", markersize=3, color=COLOURS[0], label="least δ")
    if claim is not None:
        place = claimed(claim, {})
        if claim.delta:
            axes.axhline(_float(claim.delta), **CLAIM)
        axes.axvline(place, **CLAIM, label=f"claim {clipped(claim.text, 20)}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ε")
    axes.set_ylabel("least δ")
    legend(axes)


def delta_of_question(problem: Rational, horizon: int, c: fmpq) -> float:
    """The greatest sum over all sequences, for a model of rational numbers."""
    constant, most = Constant(Claim("", c)), fmpq(0)
    for number in range(len(problem.pairs)):
        *_, last = islice(finite.excesses(problem, number, constant), horizon)
        most = max(most, last.total.left - c * last.total.right)
    return _float(most)
