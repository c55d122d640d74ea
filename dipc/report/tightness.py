"""How tight a bound is: the documents of least t, privacy profiles, loss curves and violated regions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from dipc.claims.exponent import Exponent, exponent_text, number_text
from dipc.claims.regions import Region, region_words
from dipc.claims.rows import Group, Node, Row, against_row, data, input_rows, output_row, record
from dipc.claims.tightness.curves import Curve, Profile, Segment
from dipc.claims.tightness.least import Kind, Least, Spot
from dipc.claims.tightness.least_epsilon import LeastEpsilon
from dipc.claims.tightness.losses import Regions, Witness
from dipc.claims.wording import Record, digits_of, pretty
from dipc.models.values import valuation_text
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.report.words import pair_text
from dipc.signs.ends import about, between, outwards, rounded, shown, towards
from dipc.signs.tables import RootCluster, decimal_text, places_of

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
    if found.without_eps:
        yield from _fixed(found)
        return
    budgets, t = str(found.budgets.low if found.budgets.is_point else found.budgets), found.least
    eps = f"eps = {budgets}" if found.budgets.is_point else f"every eps in {budgets}"
    least = f"infinite: {_held(found, 't*eps')} for no t" if t.infinite else enclosure(t)
    if t.exact is not None:
        least += f": {_held(found, exponent_text(Exponent(t.exact)))}, and not for a smaller t"
    yield Row("budgets", pretty(eps), "for", budgets)
    if found.measure is not None:
        yield Row("measure", str(found.measure), "measure", str(found.measure))
    yield Row("least t", pretty(least), "t", least_record(t))
    yield _reached(found.witnesses, t.attained)


def _held(found: LeastEpsilon, epsilon: str) -> str:
    """The claim that an epsilon bounds what was measured."""
    return f"({epsilon})-private" if found.measure is None else f"private {found.measure.claim(epsilon)}"


def _fixed(found: LeastEpsilon) -> Iterator[Node]:
    """The least epsilon of a program without eps, and the inputs and outputs that need it."""
    exact = "inf" if found.factor is None else number_text(found.factor)
    yield Row("budgets", "none: the program never mentions eps", "for", None)
    yield Row("least ε", exact, "t", least_record(found.least))
    yield data("exact", exact)
    yield _reached(found.witnesses, found.least.attained)


def _profile(found: Profile) -> Iterator[Node]:
    """The least delta for all eps, and as a function of eps."""
    epsilon, budgets = exponent_text(found.epsilon), str(found.curve.budgets)
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
    yield data("violated_for_ends", ends_record(found.regions))


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
    if witness.total is not None:
        yield Row("sum", pretty(str(witness.total)), "sum", str(witness.total))
        return
    yield from _probabilities(witness)
    if witness.other is not None:
        yield against_row(witness.other.outputs)
        yield from _probabilities(witness.other, "against_")


def _probabilities(witness: Witness, before: str = "") -> Iterator[Row]:
    for name, key in (("P(u)", "probability"), ("P(u')", "neighbour_probability")):
        value = str(getattr(witness, key))
        yield Row(name, pretty(value), before + key, value)


def _curve(curve: Curve, key: str) -> Group:
    """Each segment with its formula, and the inputs and outputs that it comes from."""
    return Group(key, tuple(tuple(_segment(curve, segment)) for segment in curve.segments))


def _segment(curve: Curve, segment: Segment) -> Iterator[Row]:
    value, witness = formula(segment, curve.of_loss, curve.times), segment.witness
    label = "loss" if curve.of_loss else "δ(ε)"
    interval = between(segment.low, segment.high, curve.budgets)
    yield data("low", interval.low.text)
    yield data("high", interval.high.text)
    yield data("ends", interval.record())
    yield Row(label, pretty(f"{value}   for {interval.words()}"), "value", value)
    if witness is not None:
        outputs = " or ".join(map(valuation_text, witness.outputs))
        yield Row("", f"{pair_text(witness.input, witness.neighbour)}: {outputs}")
    yield data("witness", None if witness is None else record(_witness(witness)))


# --- numbers, places and intervals -----------------------------------------------------------


def enclosure(found: Least) -> str:
    """The least x: exact, or its name with the digits asked for (``≈``), or the decimals that are certain.

    >>> from flint import fmpq
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
        return f"{found.name} ≈ {digits_of(found.name.enclose, max(digits - 1, 10))}"
    places = max(digits, places_of(found.low, 1)) if found.low else digits
    low, high = (rounded(found.low, places, False), rounded(found.high, places, True))
    return f"between {decimal_text(low, places)} and {decimal_text(high, places)}"


def where(spot: Spot, attained: bool | None = None) -> str:
    """Where the least x is needed; ``attained``: whether the bound is attained there."""
    match spot.kind:
        case Kind.EVERYWHERE:
            return "attained at every eps"
        case Kind.AT:
            return f"attained at eps {about(spot.place)}"
        case Kind.TOWARDS:
            return f"approached as eps -> {towards(spot.place)}"
        case Kind.NEAR:
            how = "attained" if attained else "needed"
            low = "0" if spot.low is None else outwards(spot.low, False)
            high = "inf" if spot.high is None else outwards(spot.high, True)
            return f"{how} at some eps in [{low}, {high}]"


def formula(segment: Segment, logarithm: bool, times: int = 1) -> str:
    """The value on a segment: ``ln(...)`` over ``times`` for a loss."""
    if segment.value is None or not logarithm:
        return "inf" if segment.value is None else str(segment.value)
    if times > 1:
        return f"1/{times}*ln({segment.value})"
    return _exponent(segment.value) or f"ln({segment.value})"


def _exponent(value: Quotient) -> str | None:
    """The logarithm of a single exponential function as text; None for others.

    >>> from flint import fmpq
    >>> _exponent(Quotient(ExpPoly.exp(fmpq(1, 2), 0, -1)))
    '1/2*eps - 1/eps'
    """
    term = value.numerator.as_term()
    if term is None or term.coefficient != 1 or term.power or value.denominator != ExpPoly.of(1):
        return None
    return str(value).removeprefix("exp(").removesuffix(")") if value != Quotient.one() else "0"


def least_record(found: Least) -> Record:
    """``exact`` or an enclosure as strings; null where there is none."""
    named = {"exact": found.exact, "formula": found.name, "low": found.low, "high": found.high}
    texts = {key: None if value is None else str(value) for key, value in named.items()}
    return {**texts, "infinite": found.infinite, "attained": found.attained}


def regions_record(regions: tuple[Region, ...]) -> list[list[str]]:
    """The ends of intervals of eps as texts, exact or rounded inwards."""
    return [list(shown(region).texts) for region in regions]


def ends_record(regions: tuple[Region, ...]) -> list[list[Record]]:
    """The ends of intervals of eps: exact, or two decimals around them."""
    return [shown(region).record() for region in regions]
