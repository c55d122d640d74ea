"""How tight a bound is, in words and as JSON records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import arb, fmpq

from dipc.claims.regions import region_text, region_words
from dipc.claims.tightness.curves import Curve, Profile, Segment
from dipc.claims.tightness.least import Kind, Least, Spot
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.tightness.losses import Witness
from dipc.claims.tightness.regions import Regions
from dipc.claims.wording import Line, Record, digits_of, pretty
from dipc.models.values import valuation_record, valuation_text
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.tables import RootCluster, decimal, end_as_text

MOST_SPOTS = 3


def enclosure(found: Least) -> str:
    """The least x: exact, or its name with the digits asked for, or the decimals that are certain.

    >>> enclosure(Least(fmpq(3, 4), fmpq(3, 4), (), False))
    '3/4'
    >>> enclosure(Least(fmpq(1, 3), fmpq(67, 200), (), None))
    'between 0.333 and 0.335'
    """
    if found.exact is not None:
        return str(found.exact)
    if found.high is None:
        return "infinite" if found.infinite else f"at least {found.low}"
    digits = len(str((1 / (found.high - found.low)).floor()))
    if found.name is not None:
        return f"{found.name} = {digits_of(found.name.enclose, max(digits - 1, 10))}"
    low = decimal(fmpq((found.low * 10**digits).floor(), 10**digits), digits)
    high = decimal(fmpq((found.high * 10**digits).ceil(), 10**digits), digits)
    return f"between {low} and {high}"


def where(spot: Spot, attained: bool | None = None) -> str:
    """Where the least x is needed; ``attained``: whether it is."""
    match spot.kind:
        case Kind.EVERYWHERE:
            return "attained at every eps"
        case Kind.AT:
            return f"attained at eps = {end_as_text(spot.place)}"
        case Kind.TOWARDS:
            return f"approached as eps -> {end_as_text(spot.place)}"
        case Kind.NEAR:
            how = "attained" if attained else "needed"
            return f"{how} at some eps in [{_rounded(spot.low, up=False)}, {_rounded(spot.high, up=True)}]"


def _rounded(end: fmpq | None, up: bool) -> str:
    """Rounded outwards to 10 decimals."""
    if end is None:
        return "inf"
    scaled = end * 10**10
    return decimal(fmpq(scaled.ceil() if up else scaled.floor(), 10**10), 10)


def budget_lines(found: LeastEpsilon) -> Iterator[Line]:
    """The least t, where it is reached and by whom."""
    yield "budgets", pretty(f"every eps in {found.budgets}" if not found.budgets.is_point else _point(found))
    t = found.least
    if t.infinite:
        yield "least t", pretty("infinite: (t*eps)-private for no t")
    elif t.exact is not None:
        yield "least t", pretty(f"{t.exact}: ({epsilon_text(t.exact)})-private, and not for a smaller t")
    else:
        yield "least t", pretty(enclosure(t))
    yield from spot_lines(found.witnesses, t.attained)


def _point(found: LeastEpsilon) -> str:
    return f"eps = {found.budgets.low}"


def epsilon_text(t: fmpq) -> str:
    """``t*eps`` in its simplest form."""
    return "0" if not t else "eps" if t == 1 else f"{t}*eps"


def spot_lines(witnesses: tuple[tuple[Spot, Witness], ...], attained: bool | None) -> Iterator[Line]:
    """The spots, each with the inputs and outputs that need the bound."""
    for spot, witness in witnesses[:MOST_SPOTS]:
        yield "reached", pretty(where(spot, attained))
        yield from witness_lines(witness)
    if len(witnesses) > MOST_SPOTS:
        yield "", f"and at {len(witnesses) - MOST_SPOTS} more places"


def witness_lines(witness: Witness) -> Iterator[Line]:
    yield "input", f"u  : {valuation_text(witness.input)}"
    yield "neighbour", f"u' : {valuation_text(witness.neighbour)}"
    yield (
        "outputs" if len(witness.outputs) > 1 else "output",
        " or ".join(map(valuation_text, witness.outputs)),
    )
    yield "P(u)", pretty(str(witness.probability))
    yield "P(u')", pretty(str(witness.neighbour_probability))


def curve_lines(curve: Curve, heading: str, logarithm: bool) -> Iterator[Line]:
    """One line for each segment with its formula, and who it comes from."""
    for segment in curve.segments:
        yield heading, pretty(f"{formula(segment, logarithm)}   for {_interval(curve, segment)}")
        if segment.witness is not None:
            inputs = (
                f"{valuation_text(segment.witness.input)} against {valuation_text(segment.witness.neighbour)}"
            )
            outputs = " or ".join(map(valuation_text, segment.witness.outputs))
            yield "", f"{inputs}: {outputs}"


def formula(segment: Segment, logarithm: bool) -> str:
    """The value on a segment: ``ln(...)`` for a loss."""
    if segment.value is None:
        return "inf"
    if not logarithm:
        return str(segment.value)
    return _exponent(segment.value) or f"ln({segment.value})"


def _exponent(value: Quotient) -> str | None:
    """The logarithm of a single exponential function as text; None for others.

    >>> _exponent(Quotient(ExpPoly.exp(fmpq(1, 2), 0, -1)))
    '1/2*eps - 1/eps'
    """
    term = value.numerator.as_term()
    if term is None or term.coefficient != 1 or term.power or value.denominator != ExpPoly.of(1):
        return None
    return str(value).removeprefix("exp(").removesuffix(")") if value != Quotient.one() else "0"


def _interval(curve: Curve, segment: Segment) -> str:
    low, high = end_as_text(segment.low), end_as_text(segment.high)
    low_closed, high_closed = (
        isinstance(end, RootCluster) or (isinstance(end, fmpq) and end in curve.budgets)
        for end in (segment.low, segment.high)
    )
    return region_text(low, high, low_closed, high_closed)


def profile_lines(found: Profile) -> Iterator[Line]:
    """The least delta for all budgets, and as a function of eps."""
    yield "epsilon", pretty(f"{epsilon_text(found.t)}   for every eps in {found.curve.budgets}")
    yield "least δ", enclosure(found.least)
    yield from spot_lines(found.witnesses, found.least.attained)
    yield from curve_lines(found.curve, "δ(ε)", logarithm=False)


def regions_lines(found: Regions) -> Iterator[Line]:
    """The budgets that break a claim."""
    yield "claim", pretty(str(found.goal))
    if not found.regions:
        yield "broken for", "no budget: the claim holds"
    for region in found.regions:
        yield "broken for", pretty(region_words(region))


# --- records ---------------------------------------------------------------------------------------


def least_record(found: Least) -> Record:
    """``exact`` or an enclosure as strings; null where there is none."""
    return {
        "exact": None if found.exact is None else str(found.exact),
        "formula": None if found.name is None else str(found.name),
        "low": str(found.low),
        "high": None if found.high is None else str(found.high),
        "infinite": found.infinite,
        "attained": found.attained,
    }


def budget_record(found: LeastEpsilon) -> Record:
    return {
        "for": str(found.budgets.low if found.budgets.is_point else found.budgets),
        "t": least_record(found.least),
        "reached": [_spot_record(*spot, found.least.attained) for spot in found.witnesses],
    }


def profile_record(found: Profile) -> Record:
    return {
        "epsilon": epsilon_text(found.t),
        "for": str(found.curve.budgets),
        "delta": least_record(found.least),
        "reached": [_spot_record(*spot, found.least.attained) for spot in found.witnesses],
        "curve": curve_record(found.curve, logarithm=False),
    }


def curve_record(curve: Curve, logarithm: bool) -> list[Record]:
    return [
        {
            "low": end_as_text(segment.low),
            "high": end_as_text(segment.high),
            "value": formula(segment, logarithm),
            "witness": None if segment.witness is None else _witness_record(segment.witness),
        }
        for segment in curve.segments
    ]


def regions_record(found: Regions) -> Record:
    return {
        "claim": found.goal.record(),
        "violated_for": [[end_as_text(r.low), end_as_text(r.high)] for r in found.regions],
    }


def _spot_record(spot: Spot, witness: Witness, attained: bool | None) -> Record:
    record: dict[str, Any] = {"where": where(spot, attained)}
    if spot.kind is Kind.AT and isinstance(spot.place, RootCluster):
        record["isolated"] = [str(spot.place.low), str(spot.place.high)]
    return {**record, **_witness_record(witness)}


def _witness_record(witness: Witness) -> Record:
    return {
        "input": valuation_record(witness.input),
        "neighbour": valuation_record(witness.neighbour),
        "outputs": [valuation_record(output) for output in witness.outputs],
        "probability": str(witness.probability),
        "neighbour_probability": str(witness.neighbour_probability),
    }


def logarithm_at(value: Quotient, eps: fmpq, digits: int = 10) -> str:
    """``ln(value)`` at a rational budget, to ``digits`` significant digits."""
    if (value - 1).sign_at(eps) == 0:
        return "0"
    return digits_of(lambda: value.enclose(arb(eps)).log(), digits)
