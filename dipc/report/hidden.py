"""The documents of answers about hidden Markov models: verdicts and least constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flint import arb, fmpq

from dipc.claims.wording import Record, decimal_at, digits_of, number_record, number_text, pretty
from dipc.dipwhile.syntax.functions import plural
from dipc.dpctl.formula import Exponent
from dipc.dpctl.syntax import show_exponent
from dipc.errors import InternalError
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.laws import Law
from dipc.pufferfish.question import Claim, Parameters, Question
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
from dipc.report.document import Node, Row, data
from dipc.report.models import logarithm_text, rounded_outwards, within

MOST_SEQUENCES = 5
LONGEST_SEQUENCE = 24  # observations, written out
LONGEST_FRACTION = 60  # characters of an exact number beside its decimals
ANY = fmpq(1)  # where a constant function is evaluated

Answer = PufferfishVerdict | Budget


# --- what was asked ----------------------------------------------------------------------------------


def _title(question: Question) -> str:
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


def _asked(question: Question, claim: Claim) -> Iterator[Row]:
    yield Row("model", f"{question.name}  ({pretty(_title(question))})", "model", question.name)
    yield data("parameters", _intervals(question.parameters))
    horizon = "every horizon" if question.horizon is None else f"horizon {question.horizon}"
    text = f"{claim_text(claim)}{_everywhere(question)}, {horizon}   (c = {claim.c})"
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
    yield from () if shown is None else _counterexample_rows(shown)
    yield data("counterexample", None if shown is None else _reached_record(shown, question))
    reason, least = (found.reason, found.least) if isinstance(found, Undecided) else ("", None)
    yield Row("reason", pretty(reason) if reason else None, "reason", reason)
    ends = {"low": str(least.low), "high": None if least.high is None else str(least.high)} if least else None
    yield Row("least c", _between(least) if least else None, "least", ends)
    yield data("notes", list(found.notes))


def _counterexample_rows(found: Counterexample) -> Iterator[Row]:
    yield from _reached_rows(found)
    eps = found.epsilon or ANY
    numbers = found.probability, found.other_probability, found.bound, found.excess
    for label, value in zip(("P(s)", "P(s')", "bound", "excess"), numbers, strict=True):
        yield Row(label, _number(value, eps))
    yield from _pump_rows(found.pump)


def _reached_rows(found: Reached) -> Iterator[Row]:
    """Who is compared, where, and the sequence."""
    width = max(len(found.secret), len(found.against)) if found.prior else 0
    prior = f"   (prior {found.prior})" if found.prior else ""
    yield Row("secret", f"s  : {found.secret:<{width}}{prior}")
    yield Row("against", f"s' : {found.against:<{width}}{prior}")
    if isinstance(found, Counterexample):
        if found.parameters:
            yield Row("parameters", _point(found.parameters))
        if found.epsilon is not None:
            yield Row("budget", pretty(f"eps = {found.epsilon}"))
    if len(found.sequences) < 2:
        yield Row("sequence", sequence_text(found.sequence))
        return
    for number, sequence in enumerate(found.sequences[:MOST_SEQUENCES]):
        yield Row("" if number else "sequences", sequence_text(sequence))
    if (rest := len(found.sequences) - MOST_SEQUENCES) > 0:
        yield Row("", f"and {rest} more")


def sequence_text(sequence: Sequence[str]) -> str:
    """The observations, the middle left out if there are many."""
    if len(sequence) <= LONGEST_SEQUENCE:
        return " ".join(sequence)
    ends = " ".join(sequence[: LONGEST_SEQUENCE // 2]), " ".join(sequence[-4:])
    return f"{' ... '.join(ends)}   ({len(sequence)} observations)"


def _point(parameters: Mapping[str, fmpq]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def _number(value: Quotient, eps: fmpq) -> str:
    """Decimals, and the exact number if it is not too long."""
    text = number_text(value, eps)
    decimal, _, exact = text.partition("  =  ")
    return decimal if decimal == exact or len(exact) > LONGEST_FRACTION else text


def _pump_rows(pump: Pump | None) -> Iterator[Row]:
    if pump is None:
        return
    loop = f"repeating [{' '.join(pump.word)}]"
    if not pump.other_growth:
        yield Row("", f"{loop} is impossible for s' in the long run: {INFINITE}")
        return
    times = rounded_outwards(pump.growth / pump.other_growth, False)
    how = f"{times} each time" if pump.exact else f"at least {times} each time in the long run"
    yield Row("", f"{loop} multiplies the quotient by {how}: {INFINITE}")


def _between(least: Least) -> str:
    """The interval of the least c, rounded outwards."""
    low = _rounded(least.low, False)
    return f"at least {low}" if least.high is None else f"in [{low}, {_rounded(least.high, True)}]"


def _rounded(value: Quotient, up: bool) -> str:
    number = value.as_rational()
    return str(value) if number is None else rounded_outwards(fmpq(number.p, number.q), up)


def _reached_record(found: Reached, question: Question) -> Record:
    eps, pump = found.epsilon or ANY, found.pump
    names = ["probability", "other_probability"]
    names += ["bound", "excess"] if isinstance(found, Counterexample) else []
    return {
        "secret": found.secret,
        "against": found.against,
        "prior": found.prior,
        "sequence": list(found.sequence),
        **({"sequences": list(map(list, found.sequences))} if found.sequences else {}),
        "parameters": {name: str(value) for name, value in found.parameters.items()},
        **(
            {"epsilon": None if found.epsilon is None else str(found.epsilon)}
            if question.parameters.eps_name is not None
            else {}
        ),
        **{name: number_record(getattr(found, name), eps) for name in names},
        "pump": None if pump is None else _pump_record(pump),
    }


def _pump_record(pump: Pump) -> Record:
    growths = {"growth": str(pump.growth), "other_growth": str(pump.other_growth)}
    return {"prefix": list(pump.prefix), "word": list(pump.word), **growths}


# --- the least constant ------------------------------------------------------------------------------


def budget_rows(found: Budget) -> Iterator[Node]:
    """The least c, or in a model with eps the least t, and where it is reached."""
    question, symbol = found.question, "c" if found.question.parameters.eps_name is None else "t"
    yield Row("model", f"{question.name}  ({pretty(_title(question))})", "model", question.name)
    yield Row("horizon", str(_horizon(question)), "horizon", _horizon(question))
    yield Row(f"least {symbol}", pretty(least_text(found)), symbol, _constant_record(found))
    if symbol == "c":
        yield Row("epsilon", epsilon_text(found), "epsilon", _epsilon_record(found))
    yield from () if (where := _where(found)) is None else (Row("reached", pretty(where)),)
    if (shown := found.reached) is not None:
        yield from _reached_rows(shown)
        if shown.epsilon is None and symbol == "c":
            yield Row("P(s)", _fraction(shown.probability))
            yield Row("P(s')", _fraction(shown.other_probability))
        yield from _pump_rows(shown.pump)
    yield data("reached", [] if shown is None else [_reached_record(shown, question)])
    yield Row("reason", pretty(found.reason) if found.reason else None, "reason", found.reason)
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
    epsilon = show_exponent(_rate(found.low)) if with_eps else logarithm_text(found.low)
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
    """At which parameters the least constant is reached; None if there is nothing to say."""
    if found.reached is None or not found.reached.parameters:
        return None
    if not found.exact:
        return f"up to the lower end at {_point(found.reached.parameters)}"
    if found.low is not None and _quotient(found.question, found.reached) == found.low:
        return _everywhere(found.question).strip()
    if not found.attained:
        return f"approached as {found.approached}" if found.approached else "approached only"
    return f"at {_point(found.reached.parameters)}"


def _quotient(question: Question, reached: Reached) -> Quotient | None:
    """P(s)/P(s') as a function of the parameters, if it is a constant."""
    names = reached.secret, reached.against, reached.prior
    for left, right in question.pairs:
        if (left.name, right.name, left.prior or right.prior) == names:
            laws = (Law(question.model, side, question.parameters) for side in (left, right))
            above, below = (law.probability(reached.sequence) for law in laws)
            number = (above / below).as_rational() if below else None
            return None if number is None else Quotient.of(number)
    return None


# --- all of it ---------------------------------------------------------------------------------------


def rows_of(found: Answer) -> Iterator[Node]:
    """The rows of an answer."""
    yield from budget_rows(found) if isinstance(found, Budget) else verdict_rows(found)


def brief_counterexample(found: Reached) -> str:
    """The counterexample in one line."""
    eps = found.epsilon or ANY
    values = (decimal_at(p, eps) for p in (found.probability, found.other_probability))
    numbers = "P(s) = {}, P(s') = {}".format(*values)
    at = [_point(found.parameters)] if found.parameters else []
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
