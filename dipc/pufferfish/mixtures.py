"""Mixtures of output laws: is every event as likely under one as under the other, up to a factor c?

With A, A' the probabilities of an output with each event, and Z, Z' those of the events, the claim for a pair
and an output is f = c A' Z - A Z' >= 0 for all parameters and all eps.  This is a hidden Markov model with a
state for every law, which shows one output.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import gcd, lcm, prod

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.models.hmm import HiddenMarkovModel
from dipc.models.mixtures import Claim, Ends, Mixtures, Side, changed
from dipc.numbers.exppoly import Term
from dipc.numbers.parametric import Parametric, Ring
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.classes import ParameterClass
from dipc.pufferfish.question import ONE, ZERO, Parameters, Question, Range
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
    different = dict.fromkeys(p for law in laws for p in law)
    terms = [t for p in different for f in (p.numerator, p.denominator) for t in f.terms()]
    parameters = _parameters(mixtures, values, terms, claim.rate if claim else ZERO, eps_range)

    def lifted(side: Side) -> Side:
        weights = ((law, _lifted(w.at(values), parameters.ring)) for law, w in side.weights)
        return side._replace(weights=tuple((law, w) for law, w in weights if w))

    emissions = tuple(tuple((o, parameters.of_function(p)) for o, p in enumerate(law) if p) for law in laws)
    model = HiddenMarkovModel(mixtures.examples, mixtures.outputs, emissions, ((),) * len(emissions))
    pairs = changed(mixtures.pairs, lifted)
    return Question(model, parameters, pairs, 1, claim, mixtures.name, of_program=True)


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


def _parameters(
    mixtures: Mixtures, values: Values, terms: Sequence[Term], rate: fmpq, budgets: EpsRange
) -> Parameters:
    """The parameters without numbers and, as generators of the ring, the functions of eps that occur."""
    has_eps = any(t.power or t.rate or t.inverse for t in terms)
    functions = [Term(ONE, 1, ZERO, ZERO)] if any(t.power for t in terms) else []
    if any(t.constant for t in terms):
        functions.append(Term(ONE, 0, ZERO, _measure([t.constant for t in terms])))
    if any(t.inverse for t in terms):
        functions.append(Term(ONE, 0, ZERO, ZERO, _measure([t.inverse for t in terms])))
    known = [name for name in mixtures.ring.names if name not in values]
    fresh = _fresh(known)
    ring = Ring([*fresh[:has_eps], *known, *fresh[1 : 1 + len(functions)]])
    ranges = [
        Range(_lifted(ends.low.at(values), ring), _lifted(ends.high.at(values), ring), *ends[2:])
        for name, ends in zip(mixtures.ring.names, mixtures.ranges, strict=True)
        if name not in values
    ]
    if not has_eps:
        budgets = budgets if functions else EpsRange.positive()
        return Parameters(ring, tuple(ranges), functions=tuple(functions), budgets=budgets)
    unit = lcm(int(rate.q), *(int(t.rate.q) for t in terms))
    eps = Range(ring.of(0), ring.of(1), False, False)
    return Parameters(ring, (eps, *ranges), (), ring.names[0], unit, tuple(functions), budgets)


def _measure(numbers: Sequence[fmpq]) -> fmpq:
    """The greatest number of which all are integer multiples: small powers, even if the numbers are long."""
    return fmpq(gcd(*(int(x.p) for x in numbers)), 1) / lcm(*(int(x.q) for x in numbers))


def _fresh(names: Sequence[str]) -> list[str]:
    """Names for functions of eps that no parameter has."""
    end = ""
    while any(name + end in names for name in "xyzw"):
        end += "_"
    return [name + end for name in "xyzw"]


def _lifted(f: Parametric, ring: Ring) -> Parametric:
    """A polynomial in another ring that has the parameters it depends on."""
    if f.ring.names == ring.names:
        return f
    gens = dict(zip(ring.names, ring.gens, strict=True))
    total = ring.of(0)
    for powers, coefficient in f.numerator.to_dict().items():
        present = zip(f.ring.names, powers, strict=False)  # a ring without names has one power, 0
        factors = (gens[name] ** int(power) for name, power in present if power)
        total = total + prod(factors, start=ring.of(coefficient))
    return total


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
    parameters = _parameters(mixtures, values, (), ZERO, EpsRange.positive())
    family = ParameterClass(parameters, clock)
    for drawn, place in mixtures.drawn:
        p = _lifted(drawn.at(values), parameters.ring)
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
