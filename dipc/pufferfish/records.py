"""The documents of answers about hidden Markov models: verdicts and least constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from flint import arb, fmpq

from dipc.claims.exponent import Exponent, exponent_text, logarithm_text
from dipc.claims.rows import Group, Node, Row, data, inner
from dipc.claims.wording import (
    Record,
    decimal_at,
    digits_of,
    number_record,
    number_text,
    pretty,
    rounded_outwards,
    within,
)
from dipc.errors import InternalError
from dipc.excerpts import plural
from dipc.models.mixtures import Claim
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.question import Parameters, Question
from dipc.pufferfish.verdict import (
    INFINITE,
    Budget,
    Counterexample,
    Least,
    Private,
    PufferfishVerdict,
    Pump,
    Reached,
    Undecided,
    Violated,
)

MOST_SEQUENCES = 5
LONGEST_SEQUENCE = 24  # observations, written out
LONGEST_FRACTION = 60  # characters of an exact number beside its decimals
NUMBERS = {"P(s)": "probability", "P(s')": "other_probability", "bound": "bound", "excess": "excess"}
ANY = fmpq(1)  # where a constant function is evaluated

Answer = PufferfishVerdict | Budget


# --- what was asked ----------------------------------------------------------------------------------


def title_text(question: Question) -> str:
    """For example ``3 states, 3 observations; p in (0, 1)``."""
    model, intervals = question.model, _intervals(question.parameters)
    parts = [plural(len(model.states), "state"), plural(len(model.observations), "observation")]
    ranges = [f"{name} in {interval}" for name, interval in intervals.items()]
    ranges += [f"{f} >= 0" for f in question.parameters.conditions]
    return ", ".join(parts) + (f"; {', '.join(ranges)}" if ranges else "")


def _intervals(parameters: Parameters) -> dict[str, str]:
    """The parameters with their ranges; instead of ``exp(-eps/unit)`` eps itself."""
    found = {}
    for name, ends in zip(parameters.names, parameters.ranges, strict=True):
        if name != parameters.eps_name:
            found[name] = ends.between(ends.low, ends.high)
    return found | ({} if parameters.eps_name is None else {"eps": str(parameters.budgets)})


def _everywhere(question: Question) -> str:
    """For example `` for every p``."""
    names = list(_intervals(question.parameters))
    return f" for every {', '.join(names)}" if names else ""


def claim_text(claim: Claim) -> str:
    """For example ``ln(2)-Pufferfish private``."""
    if claim.delta:
        return f"({claim.text}, {claim.delta})-Pufferfish private"
    simple = not any(sign in claim.text for sign in ("+", "-", " at "))
    return f"{claim.text if simple else f'({claim.text})'}-Pufferfish private"


def asked_text(question: Question, claim: Claim) -> str:
    """For example ``ln(2)-Pufferfish private for every p, horizon 1``."""
    horizon = "every horizon" if question.horizon is None else f"horizon {question.horizon}"
    return f"{claim_text(claim)}{_everywhere(question)}, {horizon}"


def _asked(question: Question, claim: Claim) -> Iterator[Row]:
    yield Row("model", f"{question.name}  ({pretty(title_text(question))})", "model", question.name)
    yield data("parameters", _intervals(question.parameters))
    text = f"{asked_text(question, claim)}   (c = {claim.c})"
    yield Row("claim", pretty(text), "claim", _claim_record(question, claim))


def _claim_record(question: Question, claim: Claim) -> Record:
    return {
        "epsilon": claim.text,
        "c": str(claim.c),
        "delta": str(claim.delta),
        "horizon": _horizon(question),
        "for": _everywhere(question).removeprefix(" for ") or None,
    }


def _horizon(question: Question) -> int | str:
    return "any" if question.horizon is None else question.horizon


# --- verdicts ----------------------------------------------------------------------------------------


def verdict_rows(found: PufferfishVerdict) -> Iterator[Node]:
    """What was asked, the answer, and a counterexample or what is known."""
    question, shown = found.question, found.counterexample if isinstance(found, Violated) else None
    if question.claim is None:
        raise InternalError("a verdict without a claim")
    yield from _asked(question, question.claim)
    pairs = f"{plural(found.pairs, 'ordered pair')} of distributions, all observation sequences"
    yield Row("checked", pairs)
    yield Row("verdict", found.status.upper(), "verdict", found.status)
    yield data("pairs", found.pairs)
    yield data("states", len(question.model.states))
    yield data("observations", len(question.model.observations))
    eps = (shown and shown.epsilon) or ANY
    witness = () if shown is None else _reached(shown, question, lambda value: _number(value, eps))
    yield from inner("counterexample", witness)
    reason, least = (found.reason, found.least) if isinstance(found, Undecided) else ("", None)
    yield Row("reason", pretty(reason) if reason else None, "reason", reason or None)
    ends = {"low": str(least.low), "high": None if least.high is None else str(least.high)} if least else None
    yield Row("least c", _between(least) if least else None, "least", ends)
    yield data("notes", list(found.notes))


def _reached(found: Reached, question: Question, text: Callable[[Quotient], str] | None) -> Iterator[Row]:
    """Who is compared, where, the sequences and its probabilities, for people as this text or not at all."""
    width = max(len(found.secret), len(found.against)) if found.prior else 0
    prior, violates = f"   (prior {found.prior})" if found.prior else "", isinstance(found, Counterexample)
    yield Row("secret", f"s  : {found.secret:<{width}}{prior}", "secret", found.secret)
    yield Row("against", f"s' : {found.against:<{width}}{prior}", "against", found.against)
    yield data("prior", found.prior)
    yield data("sequence", list(found.sequence))
    if found.sequences:
        yield data("sequences", list(map(list, found.sequences)))
    point = {name: str(value) for name, value in found.parameters.items()}
    yield Row("parameters", point_text(found.parameters) if point and violates else None, "parameters", point)
    eps = None if found.epsilon is None else str(found.epsilon)
    key = None if question.parameters.eps_name is None else "epsilon"
    yield Row("budget", pretty(f"eps = {eps}") if eps and violates else None, key, eps)
    several = found.sequences if len(found.sequences) > 1 else (found.sequence,)
    for number, sequence in enumerate(several[:MOST_SEQUENCES]):
        label = "sequence" if len(several) == 1 else "" if number else "sequences"
        yield Row(label, sequence_text(sequence))
    if (rest := len(several) - MOST_SEQUENCES) > 0:
        yield Row("", f"and {rest} more")
    for label, name in NUMBERS.items():
        if (value := getattr(found, name, None)) is not None:
            yield Row(label, text and text(value), name, number_record(value, found.epsilon or ANY))
    yield from _pump_rows(found.pump)


def sequence_text(sequence: Sequence[str]) -> str:
    """The observations, the middle left out if there are many."""
    if len(sequence) <= LONGEST_SEQUENCE:
        return " ".join(sequence)
    ends = " ".join(sequence[: LONGEST_SEQUENCE // 2]), " ".join(sequence[-4:])
    return f"{' ... '.join(ends)}   ({len(sequence)} observations)"


def point_text(parameters: Mapping[str, fmpq]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def _number(value: Quotient, eps: fmpq) -> str:
    """Decimals, and the exact number if it is not too long."""
    text = number_text(value, eps)
    decimal, _, exact = text.partition("  =  ")
    return decimal if decimal == exact or len(exact) > LONGEST_FRACTION else text


def _pump_rows(pump: Pump | None) -> Iterator[Row]:
    if pump is None:
        yield data("pump", None)
        return
    loop = f"repeating [{' '.join(pump.word)}]"
    text = f"{loop} is impossible for s' in the long run: {INFINITE}"
    if pump.other_growth:
        times = rounded_outwards(pump.growth / pump.other_growth, False)
        how = f"{times} each time" if pump.exact else f"at least {times} each time in the long run"
        text = f"{loop} multiplies the quotient by {how}: {INFINITE}"
    growths = {"growth": str(pump.growth), "other_growth": str(pump.other_growth)}
    yield Row("", text, "pump", {"prefix": list(pump.prefix), "word": list(pump.word), **growths})


def _between(least: Least) -> str:
    """The interval of the least c, rounded outwards."""
    low = _rounded(least.low, False)
    return f"at least {low}" if least.high is None else f"in [{low}, {_rounded(least.high, True)}]"


def _rounded(value: Quotient, up: bool) -> str:
    number = value.as_rational()
    return str(value) if number is None else rounded_outwards(fmpq(number.p, number.q), up)


# --- the least constant ------------------------------------------------------------------------------


def budget_rows(found: Budget) -> Iterator[Node]:
    """The least c, or in a model with eps the least t, and where it is reached."""
    question, symbol = found.question, "c" if found.question.parameters.eps_name is None else "t"
    yield Row("model", f"{question.name}  ({pretty(title_text(question))})", "model", question.name)
    yield data("parameters", _intervals(question.parameters))
    yield Row("horizon", str(_horizon(question)), "horizon", _horizon(question))
    yield Row(f"least {symbol}", pretty(least_text(found)), symbol, _constant_record(found))
    if symbol == "c":
        yield Row("epsilon", epsilon_text(found), "epsilon", _epsilon_record(found))
    yield from () if (where := _where(found)) is None else (Row("reached", pretty(where)),)
    shown, text = found.reached, None
    if shown is not None and shown.epsilon is None and symbol == "c":
        text = _fraction
    items = () if shown is None else (tuple(_reached(shown, question, text)),)
    yield Group("reached", items)
    yield Row("reason", pretty(found.reason) if found.reason else None, "reason", found.reason or None)
    yield data("notes", list(found.notes))


def _fraction(value: Quotient) -> str:
    return str(value) if len(str(value)) <= LONGEST_FRACTION else _number(value, ANY)


def least_text(found: Budget) -> str:
    """The least constant, and what it means."""
    if found.low is None:
        return f"infinite: {INFINITE}"
    if not found.exact:
        return least_constant(found)
    with_eps = found.question.parameters.eps_name is not None
    epsilon = exponent_text(_rate(found.low)) if with_eps else logarithm_text(found.low)
    asked = found.question.claim
    claim = claim_text(Claim(epsilon, ANY, delta=asked.delta if asked else fmpq(0)))
    return f"{least_constant(found)}: {claim}, and not for a smaller number"


def _rate(t: Quotient) -> Exponent:
    value = t.as_rational()
    if value is None:
        raise InternalError("a least t that is not a rational number")
    return Exponent(fmpq(value.p, value.q), fmpq(0))


def _constant_record(found: Budget) -> Record:
    low, high = (None if c is None else str(c) for c in (found.low, found.high))
    return {
        "exact": low if found.exact else None,
        "low": low,
        "high": high,
        "infinite": found.infinite,
        "attained": found.attained,
    }


def least_constant(found: Budget) -> str:
    """The least c: a number, an interval or ``infinite``."""
    if found.low is None:
        return "infinite"
    return _fraction(found.low) if found.exact else _between(Least(found.low, found.high))


def _epsilon_record(found: Budget) -> Record:
    if found.low is None:
        return {"formula": "inf", "decimal": None}
    if not found.exact:
        return {"formula": None, "decimal": None}
    return {"formula": logarithm_text(found.low), "decimal": epsilon_text(found)}


def epsilon_text(found: Budget) -> str:
    """ln(c) to ten digits, or the interval in which it is."""
    if (low := found.low) is None:
        return "infinite"
    if not found.exact:
        below = _log_outwards(low, False)
        return f"in [{below}, {_log_outwards(found.high, True)}]" if found.high else f"at least {below}"
    return "0" if low == 1 else digits_of(lambda: low.enclose(arb(ANY)).log(), 10)


def _log_outwards(c: Quotient, up: bool) -> str:
    """ln(c), rounded up or down."""
    return rounded_outwards(within(c, "epsilon")[up], up)


def _where(found: Budget) -> str | None:
    """At which parameters the least constant, or its lower end, is reached; None without parameters."""
    if found.reached is None or not found.reached.parameters:
        return None
    how = "approached " if found.exact else "up to the lower end "
    if found.approached:
        return f"{how}as {found.approached}"
    how = "" if found.exact else how
    names = ", ".join(found.reached.parameters)
    return (
        f"{how}for every {names}" if found.everywhere else f"{how}at {point_text(found.reached.parameters)}"
    )


# --- all of it ---------------------------------------------------------------------------------------


def rows_of(found: Answer) -> Iterator[Node]:
    """The rows of an answer."""
    yield from budget_rows(found) if isinstance(found, Budget) else verdict_rows(found)


def brief_counterexample(found: Reached) -> str:
    """The counterexample in one line."""
    eps = found.epsilon or ANY
    values = (decimal_at(p, eps) for p in (found.probability, found.other_probability))
    numbers = "P(s) = {}, P(s') = {}".format(*values)
    at = [point_text(found.parameters)] if found.parameters else []
    at += [] if found.epsilon is None else [f"eps = {found.epsilon}"]
    where = f" at {', '.join(at)}" if at else ""
    return pretty(
        f"{found.secret} against {found.against}: {sequence_text(found.sequence)}: {numbers}{where}"
    )


def brief(found: Answer) -> str:
    """An answer for the prompt."""
    match found:
        case Budget():
            symbol = "c" if found.question.parameters.eps_name is None else "t"
            return f"Budget({symbol}: {pretty(least_text(found))})"
        case Violated(counterexample=shown):
            return f"Violated({brief_counterexample(shown)})"
        case Undecided(reason=reason):
            return f"Undecided({reason})"
        case _:
            claim = found.question.claim
            return f"{type(found).__name__}({claim_text(claim) if claim else ''})"


KINDS: Sequence[type[Answer]] = (Private, Violated, Undecided, Budget)
