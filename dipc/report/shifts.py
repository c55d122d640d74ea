"""Where the loss of an explanation comes from: the shift of the samples of each path, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flint import fmpq

from dipc.claims.tightness.least import Kind
from dipc.claims.wording import Line, Record, pretty
from dipc.dipwhile.explain.explanation import Explanation, Route
from dipc.dipwhile.explain.paths import Sample
from dipc.dipwhile.explain.shifts import Shift
from dipc.numbers.quotient import Quotient
from dipc.report.paths import Names
from dipc.report.tightness import epsilon_text


def source_lines(found: Explanation, names: Names) -> Iterator[Line]:
    """How the samples of the paths shift, what that costs, and how tight the sum is."""
    lefts = [route for route in found.routes if route.left is not None]
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, route in enumerate(lefts, 1):
        key = (route.alignment, tuple(s.cell for s in route.left.samples) if route.left else ())
        groups.setdefault(key, []).append(number)
    if found.infinite_loss and found.probability:
        yield "", "u' never gives this output: whoever sees it knows that the input was not u'"
        return
    for numbers in groups.values():
        which = "" if len(lefts) == 1 else f"path{'s' * (len(numbers) > 1)} {_listed(numbers)}"
        yield from _group(lefts[numbers[0] - 1], which, names, found.eps)
    yield from _compared(found)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _group(route: Route, which: str, names: Names, eps: fmpq) -> Iterator[Line]:
    found = route.alignment
    if found is None:
        yield which, _why_no_shift(route)
        return
    assert route.left is not None
    if found.shifts:
        yield which, "move the samples, so that all comparisons come out the same on u':"
        for shift, name, sample in zip(
            found.shifts, names.of(route.left.samples), route.left.samples, strict=True
        ):
            yield "", f"  {pretty(_shift_text(shift, name, sample))}"
    factors = _factors(found.cost, found.inverse)
    if found.factor != Quotient.one():
        factors = [_ratio_text(found.factor, eps), *factors]
        text = f"the finite choices on the path are {factors[0]} times as likely on u as on u'"
        yield "" if found.shifts else which, pretty(text)
    right = _at_most(factors, "P(path on u')")
    yield "", pretty(f"hence P(path on u) ≤ {right} for every eps")


def _ratio_text(value: Quotient, eps: fmpq) -> str:
    """A positive quotient, with a denominator that is positive at a budget."""
    if value.denominator.sign_at(eps) > 0:
        return f"({value})" if value.denominator.as_rational() == 1 else str(value)
    return f"({-value.numerator})/({-value.denominator})"


def _why_no_shift(route: Route) -> str:
    if route.right is None:
        if route.stop is not None and route.stop.step is None and route.stop.path is None:
            return "on u' further random choices follow: no single path there stands against them"
        if route.stop is not None and route.stop.step is None:
            return "on u' the same choices lead to another output: no path there stands against them"
        return "on u' these choices are impossible: no path there stands against them"
    if route.right.has_loop:
        return "a loop is on this path: its probability is exact, but is not split further"
    return (
        "no shift of the samples makes the comparisons come out the same: only the exact probabilities tell"
    )


def _shift_text(shift: Shift, name: str, sample: Sample) -> str:
    """How a sample moves, and what that costs.

    >>> from dipc.dipwhile.semantics.noise import Random
    >>> from dipc.dipwhile.syntax.distributions import NOISE
    >>> noise = Sample(("r", 0), Random(NOISE["Lap"], fmpq(3, 4), False, fmpq(0)))
    >>> _shift_text(Shift(0, fmpq(1), fmpq(-1), fmpq(3, 2)), "r", noise)
    'r moves by 1, its mean by -1: this costs 3/4*2*eps = 3/2*eps'
    >>> _shift_text(Shift(0, fmpq(1), fmpq(1), fmpq(0)), "r", noise)
    'r moves by 1, as its mean does: free'
    >>> _shift_text(Shift(0, fmpq(0), fmpq(1), fmpq(3, 4)), "r", noise)
    'r stays, its mean moves by 1: this costs 3/4*eps'
    """
    if not shift.cost:
        return f"{name} moves by {shift.by}, as its mean does: free" if shift.by else f"{name} stays: free"
    match bool(shift.by), bool(shift.mean):
        case True, True:
            moves = f"{name} moves by {shift.by}, its mean by {shift.mean}"
        case True, False:
            moves = f"{name} moves by {shift.by}, its mean stays"
        case _:
            moves = f"{name} stays, its mean moves by {shift.mean}"
    distance = abs(shift.by - shift.mean)
    law = sample.law
    unit = "/eps" if law.inverse else "*eps"
    product = f"{law.rate}*{distance}{unit} = " if distance != 1 and law.rate != 1 else ""
    return f"{moves}: this costs {product}{_times(shift.cost, law.inverse)}"


def _times(t: fmpq, inverse: bool = False) -> str:
    if inverse:
        return f"{t}/eps"
    return epsilon_text(t)


def _at_most(factors: Sequence[str], right: str) -> str:
    return " * ".join([*factors, right])


def _factors(t: fmpq, inverse: bool = False) -> list[str]:
    """``exp(t*eps)``; nothing if t is 0."""
    return [f"exp({_times(t, inverse)})"] if t else []


def _compared(found: Explanation) -> Iterator[Line]:
    """The sum of the shifts against the exact least t."""
    t = found.aligned
    if t is None or found.infinite_loss:
        return
    right = _at_most(_factors(t), "P(u')")
    yield "together", pretty(f"P(u) ≤ {right} for every eps")
    tightness = found.tightness
    least = None if tightness is None or tightness.of_delta else tightness.least.exact
    if tightness is None or least is None:
        return
    if least < t:
        text = f"the exact loss is less, at most {_times(least)}: the moves take each sample at its worst"
    elif any(spot.kind is Kind.EVERYWHERE for spot in tightness.spots):
        text = "this is tight: the loss is exactly what the moves cost, at every eps"
    else:
        text = "this is tight: no smaller multiple of eps is enough"
    yield "", pretty(text)


def shift_record(route: Route, names: Names) -> Record | None:
    """The shift of a pair of paths for machines; None if there is none."""
    found, shown = route.alignment, route.left or route.right
    if found is None or shown is None:
        return None
    own = names.of(shown.samples)
    return {
        "samples": [
            {"name": own[s.sample], "by": str(s.by), "mean": str(s.mean), "cost": str(s.cost)}
            for s in found.shifts
        ],
        "factor": str(found.factor),
        "bound": str(found.bound),
    }
