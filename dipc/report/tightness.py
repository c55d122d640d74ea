"""How tight a bound is: the documents of least t, privacy profiles, loss curves and violated regions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from flint import fmpq

from dipc.claims.regions import Region, region_text, region_words
from dipc.claims.tightness.curves import Curve, Profile, Segment
from dipc.claims.tightness.least import Kind, Least, Spot
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.tightness.losses import Regions, Witness
from dipc.claims.wording import Record, digits_of, pretty
from dipc.models.values import valuation_text
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.report.document import Group, Node, Row, data, record
from dipc.report.words import input_rows, output_row, pair_text
from dipc.signs.tables import End, RootCluster, decimal, end_as_text

MOST_SPOTS = 3

Tight = LeastEpsilon | Profile | Curve | Regions
Witnesses = tuple[tuple[Spot, Witness], ...]


def rows_of(found: Tight) -> Iterator[Node]:
    """The rows of a result."""
    match found:
        case LeastEpsilon():
            return _budget(found)
        case Profile():
            return _profile(found)
        case Curve():
            return iter([_curve(found, "loss" if found.of_loss else "curve")])
        case Regions():
            return _regions(found)
        case _:
            assert_never(found)


def _budget(found: LeastEpsilon) -> Iterator[Node]:
    """The least t, where it is attained or approached, and the inputs and outputs that need it."""
    budgets, t = str(found.budgets.low if found.budgets.is_point else found.budgets), found.least
    eps = f"eps = {budgets}" if found.budgets.is_point else f"every eps in {budgets}"
    least = "infinite: (t*eps)-private for no t" if t.infinite else enclosure(t)
    if t.exact is not None:
        least += f": ({epsilon_text(t.exact)})-private, and not for a smaller t"
    yield Row("budgets", pretty(eps), "for", budgets)
    yield Row("least t", pretty(least), "t", least_record(t))
    yield _reached(found.witnesses, t.attained)


def _profile(found: Profile) -> Iterator[Node]:
    """The least delta for all eps, and as a function of eps."""
    epsilon, budgets = epsilon_text(found.t), str(found.curve.budgets)
    yield Row("epsilon", pretty(f"{epsilon}   for every eps in {budgets}"), "epsilon", epsilon)
    yield data("for", budgets)
    yield Row("least δ", enclosure(found.least), "delta", least_record(found.least))
    yield _reached(found.witnesses, found.least.attained)
    yield _curve(found.curve, "curve")


def _regions(found: Regions) -> Iterator[Node]:
    """The intervals of eps on which the claim is broken."""
    yield Row("claim", pretty(str(found.goal)), "claim", found.goal.record())
    for text in map(region_words, found.regions) if found.regions else ["no budget: the claim holds"]:
        yield Row("broken for", pretty(text))
    yield data("violated_for", regions_record(found.regions))


def _reached(witnesses: Witnesses, attained: bool | None) -> Group:
    """The spots, each with the inputs and outputs that need the bound."""
    items = tuple(tuple(_spot(spot, witness, attained)) for spot, witness in witnesses)
    return Group("reached", items, MOST_SPOTS, "and at {} more places")


def _spot(spot: Spot, witness: Witness, attained: bool | None) -> Iterator[Row]:
    place = where(spot, attained)
    yield Row("reached", pretty(place), "where", place)
    if spot.kind is Kind.AT and isinstance(spot.place, RootCluster):
        yield data("isolated", [str(spot.place.low), str(spot.place.high)])
    yield from _witness(witness)


def _witness(witness: Witness) -> Iterator[Row]:
    yield from input_rows(witness.input, witness.neighbour)
    yield output_row(witness.outputs)
    for name, key in (("P(u)", "probability"), ("P(u')", "neighbour_probability")):
        value = str(getattr(witness, key))
        yield Row(name, pretty(value), key, value)


def _curve(curve: Curve, key: str) -> Group:
    """Each segment with its formula, and the inputs and outputs that it comes from."""
    return Group(key, tuple(tuple(_segment(curve, segment)) for segment in curve.segments))


def _segment(curve: Curve, segment: Segment) -> Iterator[Row]:
    value, witness = formula(segment, curve.of_loss), segment.witness
    label = "loss" if curve.of_loss else "δ(ε)"
    yield data("low", end_as_text(segment.low))
    yield data("high", end_as_text(segment.high))
    yield Row(label, pretty(f"{value}   for {_interval(curve, segment)}"), "value", value)
    if witness is not None:
        outputs = " or ".join(map(valuation_text, witness.outputs))
        yield Row("", f"{pair_text(witness.input, witness.neighbour)}: {outputs}")
    yield data("witness", None if witness is None else record(_witness(witness)))


# --- numbers, places and intervals -----------------------------------------------------------


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
    return f"between {_rounded(found.low, False, digits)} and {_rounded(found.high, True, digits)}"


def where(spot: Spot, attained: bool | None = None) -> str:
    """Where the least x is needed; ``attained``: whether the bound is attained there."""
    match spot.kind:
        case Kind.EVERYWHERE:
            return "attained at every eps"
        case Kind.AT:
            return f"attained at eps = {end_as_text(spot.place)}"
        case Kind.TOWARDS:
            return f"approached as eps -> {end_as_text(spot.place)}"
        case Kind.NEAR:
            how = "attained" if attained else "needed"
            return f"{how} at some eps in [{_rounded(spot.low, False)}, {_rounded(spot.high, True)}]"


def _rounded(end: fmpq | None, up: bool, digits: int = 10) -> str:
    """Rounded outwards."""
    if end is None:
        return "inf"
    scaled = end * 10**digits
    return decimal(fmpq(scaled.ceil() if up else scaled.floor(), 10**digits), digits)


def epsilon_text(t: fmpq) -> str:
    """``t*eps`` in its simplest form."""
    return "0" if not t else "eps" if t == 1 else f"{t}*eps"


def formula(segment: Segment, logarithm: bool) -> str:
    """The value on a segment: ``ln(...)`` for a loss."""
    if segment.value is None or not logarithm:
        return "inf" if segment.value is None else str(segment.value)
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
    def closed(end: End) -> bool:
        return isinstance(end, RootCluster) or (end is not None and end in curve.budgets)

    low, high = segment.low, segment.high
    return region_text(end_as_text(low), end_as_text(high), closed(low), closed(high))


def least_record(found: Least) -> Record:
    """``exact`` or an enclosure as strings; null where there is none."""
    named = {"exact": found.exact, "formula": found.name, "low": found.low, "high": found.high}
    texts = {key: None if value is None else str(value) for key, value in named.items()}
    return {**texts, "infinite": found.infinite, "attained": found.attained}


def regions_record(regions: tuple[Region, ...]) -> list[list[str]]:
    """The ends of intervals of eps."""
    return [[end_as_text(r.low), end_as_text(r.high)] for r in regions]
