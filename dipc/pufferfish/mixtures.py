"""Mixtures of output laws: is every event as likely under one as under the other, up to a factor c?

With A, A' the probabilities of an output with each event, and Z, Z' those of the events, the claim for a pair
and an output is f = c A' Z - A Z' >= 0 for all parameters and all eps.  This is a hidden Markov model with a
state for every law, which shows one output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.models.hmm import HiddenMarkovModel
from dipc.models.mixtures import Claim, Ends, Mixtures, Side, changed
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.classes import ParameterClass
from dipc.pufferfish.generators import Generators, terms_of
from dipc.pufferfish.question import ZERO, Question
from dipc.signs.boxes import Fails as FailsAt
from dipc.signs.boxes import Holds as HoldsEverywhere
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds
from dipc.suggest import did_you_mean

Values = Mapping[str, fmpq]


def question_of(
    mixtures: Mixtures, claim: Claim | None, eps_range: EpsRange, values: Values | None = None
) -> Question:
    """A model with a state for every law, which shows one output; the range of eps is that of the laws.

    ``values`` are numbers for some parameters.  Raises :class:`InputError` for an unknown name, and for a
    number outside the range of its parameter.
    """
    values, laws = values or {}, mixtures.laws
    _check_fixed(mixtures, values)
    if eps_range.is_point:
        eps = eps_range.inside
        laws = tuple(tuple(p.at(eps) for p in law) for law in laws)
        if claim is not None:
            claim = replace(claim, constant=claim.constant + claim.rate * eps, rate=ZERO)
    names = [name for name in mixtures.ring.names if name not in values]
    terms = list(terms_of(dict.fromkeys(p for law in laws for p in law)))
    lift = Generators(names, terms, claim.rate if claim else ZERO, eps_range)

    def lifted(side: Side) -> Side:
        weights = ((law, lift(w.at(values))) for law, w in side.weights)
        return side._replace(weights=tuple((law, w) for law, w in weights if w))

    emissions = tuple(tuple((o, lift(p)) for o, p in enumerate(law) if p) for law in laws)
    model = HiddenMarkovModel(mixtures.examples, mixtures.outputs, emissions, ((),) * len(emissions))
    parameters, pairs = lift.parameters(_free(mixtures, values)), changed(mixtures.pairs, lifted)
    return Question(model, parameters, pairs, 1, claim, mixtures.name, of_program=True)


def _free(mixtures: Mixtures, values: Values) -> Iterator[Ends]:
    """The ranges of the parameters without numbers."""
    for name, ends in zip(mixtures.ring.names, mixtures.ranges, strict=True):
        if name not in values:
            yield Ends(ends.low.at(values), ends.high.at(values), *ends[2:])


def _check_fixed(mixtures: Mixtures, values: Values) -> None:
    for name in (name for name in values if name not in mixtures.ring.names):
        raise InputError(f"there is no parameter `{name}`", hint=did_you_mean(name, mixtures.ring.names))
    for name, ends in zip(mixtures.ring.names, mixtures.ranges, strict=True):
        if name in values and not _is_within(values[name], ends, values):
            interval = ends.between(ends.low.at(values), ends.high.at(values))
            raise InputError(f"{name} = {values[name]} is outside of its range {interval}")


def _is_within(x: fmpq, ends: Ends, values: Values) -> bool:
    """Whether a number is in a range; the parameters that its ends depend on must have numbers, too."""
    low, high = (end.at(values).as_rational() for end in (ends.low, ends.high))
    if low is None or high is None:
        hint = "fix those as well"
        raise InputError(f"whether {x} is in its range depends on other parameters", hint=hint)
    return ends.is_around(x, low, high)


# --- what is refused -------------------------------------------------------------------------


def check_claim(question: Question) -> None:
    """Refuse a claim below 0, and one about eps if no probability depends on it."""
    claim, parameters = question.claim, question.parameters
    if claim is None:
        return
    if claim.rate and parameters.eps_name is None:
        hint = "write a number such as ln(2), or choose a single eps with `--at`"
        raise InputError(f"the claim {claim.text}: no probability of the program depends on eps", hint=hint)
    match SignOracle(parameters.budgets).nonnegative(Quotient(claim.c - 1)):
        case Fails(eps):
            hint = "claims have epsilon >= 0, that is c = exp(epsilon) >= 1"
            where = f" at eps = {eps}" if claim.rate else ""
            raise InputError(f"the claimed epsilon {claim.text} is negative{where}", hint=hint)
        case Holds():
            return
    raise LimitReached(f"it is not settled whether the claimed epsilon {claim.text} is negative")


def check_drawn(mixtures: Mixtures, values: Values, clock: Clock) -> None:
    """Refuse probabilities of a prior that are negative somewhere."""
    lift = Generators([name for name in mixtures.ring.names if name not in values], ())
    parameters = lift.parameters(_free(mixtures, values))
    family = ParameterClass(parameters, clock)
    for drawn, place in mixtures.drawn:
        p = lift(drawn.at(values))
        match family.nonnegative(family.pulled(p)):
            case FailsAt(point):
                value = p.at(family.values(point))
                where = f" at {family.text(point)}" if parameters.names else ""
                raise InputError(
                    f"{place} {p} is {value}{where}", hint="choose smaller ranges of the parameters"
                )
            case HoldsEverywhere():
                continue
        raise LimitReached(f"{place} {p}: it is not settled whether it is negative")
