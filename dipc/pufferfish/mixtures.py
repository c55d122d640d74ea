"""Mixtures of output laws: is every event as likely under one as under the other, up to a factor c?

With A, A' the probabilities of an output with each event, and Z, Z' those of the events, the claim for a pair
and an output is f = c A' Z - A Z' >= 0 for all parameters and all eps.  This is a hidden Markov model with a
state for every law, which shows one output (:func:`question_of`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import gcd, lcm, prod
from time import monotonic
from typing import Any

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.models.hmm import HiddenMarkovModel
from dipc.models.mixtures import Compared, Drawn, Ends, Exponent, Mixture, Mixtures
from dipc.numbers.exppoly import Term
from dipc.numbers.parametric import Parametric, Ring
from dipc.numbers.quotient import Quotient
from dipc.pufferfish import pipeline
from dipc.pufferfish.classes import ParameterClass
from dipc.pufferfish.question import ONE, ZERO, Claim, Pair, Parameters, Question, Range, Side
from dipc.pufferfish.verdict import Budget, PufferfishVerdict, Undecided
from dipc.signs.boxes import Fails as FailsAt
from dipc.signs.boxes import Holds as HoldsEverywhere
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds
from dipc.suggest import option_meant


def check(
    mixtures: Mixtures, epsilon: Exponent, eps_range: EpsRange, clock: Clock, delta: fmpq = ZERO
) -> PufferfishVerdict:
    """Decide whether no mixture is more than ``exp(epsilon)`` times as likely as the other, plus delta.

    The laws and the claim are for every eps of the range.  A limit that runs out is an Undecided verdict.
    Raises :class:`InputError` for a claim below 0 or that does not fit, and for a class that is empty or on
    which a probability of a prior is negative.
    """
    start = monotonic()
    if eps_range.is_point:
        mixtures, epsilon = at(mixtures, epsilon, eps_range.inside)
    claim = Claim(epsilon.text, epsilon.factor, epsilon.constant, epsilon.rate, delta)
    question = question_of(mixtures, claim, eps_range)
    try:
        _check_claim(mixtures, claim, SignOracle(eps_range))
        check_drawn(mixtures, clock)
        verdict = pipeline.check(question, clock)
    except LimitReached as limit:
        reason = f"{limit} ({clock.doing})"
        verdict = Undecided(question=question, pairs=len(question.pairs), reason=reason)
    return replace(verdict, seconds=monotonic() - start)


def as_model(mixtures: Mixtures, epsilon: Exponent, eps_range: EpsRange, delta: fmpq = ZERO) -> Question:
    """The question as one about a hidden Markov model that shows one output.

    Raises :class:`~dipc.errors.Unsupported` if the laws are not rational functions of exp(-eps/m).
    """
    claim = Claim(epsilon.text, epsilon.factor, epsilon.constant, epsilon.rate, delta)
    question = question_of(mixtures, claim, eps_range)
    if not question.parameters.rational:
        raise Unsupported("models of programs whose probabilities are not rational functions of exp(-eps/m)")
    return question


def budget(mixtures: Mixtures, eps_range: EpsRange, clock: Clock) -> Budget:
    """The least c of mixtures, or the least t of ``t*eps`` if the laws depend on eps.

    Raises :class:`InputError` as :func:`check`, and :class:`LimitReached`.
    """
    if eps_range.is_point:
        mixtures, _ = at(mixtures, Exponent("0", fmpq(1), ZERO, ZERO), eps_range.inside)
    question = question_of(mixtures, None, eps_range)
    check_drawn(mixtures, clock)
    return pipeline.budget(question, clock)


def fixed(mixtures: Mixtures, values: Mapping[str, fmpq]) -> Mixtures:
    """The mixtures with numbers for some parameters.

    Raises :class:`InputError` for an unknown name, and for a number outside the range of its parameter.
    """
    if not values:
        return mixtures
    for name in values.keys() - set(mixtures.ring.names):
        raise InputError(f"there is no parameter `{name}`", hint=option_meant(name, mixtures.ring.names))
    for name, ends in zip(mixtures.ring.names, mixtures.ranges, strict=True):
        if name in values and not _is_within(values[name], ends, values):
            interval = ends.between(ends.low.at(values), ends.high.at(values))
            raise InputError(f"{name} = {values[name]} is outside of its range {interval}")
    ring = Ring([name for name in mixtures.ring.names if name not in values])

    def new(f: Parametric) -> Parametric:
        return _lifted(f.at(values), ring)

    ranges = (
        Ends(new(ends.low), new(ends.high), *ends[2:])
        for name, ends in zip(mixtures.ring.names, mixtures.ranges, strict=True)
        if name not in values
    )
    pairs = (
        Compared(_changed(left, new), _changed(right, new), prior) for left, right, prior in mixtures.pairs
    )
    drawn = (Drawn(new(p), place) for p, place in mixtures.drawn)
    return replace(mixtures, ring=ring, ranges=tuple(ranges), pairs=tuple(pairs), drawn=tuple(drawn))


def _is_within(x: fmpq, ends: Ends, values: Mapping[str, fmpq]) -> bool:
    """Whether a number is in a range; the parameters that its ends depend on must have numbers, too."""
    low, high = (end.at(values).as_rational() for end in (ends.low, ends.high))
    if low is None or high is None:
        hint = "fix those as well"
        raise InputError(f"whether {x} is in its range depends on other parameters", hint=hint)
    return ends.is_around(x, low, high)


def _changed(mixture: Mixture, change: Callable[[Parametric], Parametric]) -> Mixture:
    weights = ((law, change(w)) for law, w in mixture.weights)
    return mixture._replace(weights=tuple((law, w) for law, w in weights if w))


def at(mixtures: Mixtures, epsilon: Exponent, eps: fmpq) -> tuple[Mixtures, Exponent]:
    """The mixtures and the claim at one eps."""
    laws = tuple(tuple(p.at(eps) for p in law) for law in mixtures.laws)
    constant = epsilon.constant + epsilon.rate * eps
    return replace(mixtures, laws=laws), epsilon._replace(constant=constant, rate=ZERO)


def _check_claim(mixtures: Mixtures, claim: Claim, oracle: SignOracle) -> None:
    if claim.rate and all(p.is_constant for law in mixtures.laws for p in law):
        hint = "write a number such as ln(2), or choose a single eps with `--at`"
        raise InputError(f"the claim {claim.text}: no probability of the program depends on eps", hint=hint)
    match oracle.nonnegative(Quotient(claim.c - 1)):
        case Fails(eps):
            hint = "claims have epsilon >= 0, that is c = exp(epsilon) >= 1"
            where = f" at eps = {eps}" if claim.rate else ""
            raise InputError(f"the claimed epsilon {claim.text} is negative{where}", hint=hint)
        case Holds():
            return
    raise LimitReached(f"it is not settled whether the claimed epsilon {claim.text} is negative")


# --- as a hidden Markov model ----------------------------------------------------------------


def question_of(mixtures: Mixtures, claim: Claim | None, eps_range: EpsRange) -> Question:
    """A model with a state for every law, which shows one output; the range of eps is that of the laws."""
    different = dict.fromkeys(p for law in mixtures.laws for p in law)
    terms = [t for p in different for f in (p.numerator, p.denominator) for t in f.terms()]
    parameters = _with_functions(_parameters(mixtures), terms, claim.rate if claim else ZERO, eps_range)
    emissions = tuple(
        tuple((o, parameters.of_function(p)) for o, p in enumerate(law) if p) for law in mixtures.laws
    )
    model = HiddenMarkovModel(mixtures.examples, mixtures.outputs, emissions, ((),) * len(emissions))
    rest = partial(_lifted, ring=parameters.ring)
    pairs = tuple(
        Pair(*(_side(mixture, pair.prior, rest) for mixture in pair[:2])) for pair in mixtures.pairs
    )
    return Question(model, parameters, pairs, 1, claim, mixtures.name)


def _with_functions(known: Parameters, terms: Sequence[Term], rate: fmpq, budgets: EpsRange) -> Parameters:
    """The parameters and, as generators of the ring, the functions of eps that occur."""
    has_eps = any(t.power or t.rate or t.inverse for t in terms)
    functions = [Term(ONE, 1, ZERO, ZERO)] if any(t.power for t in terms) else []
    if any(t.constant for t in terms):
        functions.append(Term(ONE, 0, ZERO, _measure([t.constant for t in terms])))
    if any(t.inverse for t in terms):
        functions.append(Term(ONE, 0, ZERO, ZERO, _measure([t.inverse for t in terms])))
    fresh = _fresh(known.names)
    ring = Ring([*fresh[:has_eps], *known.names, *fresh[1 : 1 + len(functions)]])
    ranges = [r._replace(low=_lifted(r.low, ring), high=_lifted(r.high, ring)) for r in known.ranges]
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


def _side(mixture: Mixture, prior: str | None, lifted: Any) -> Side:
    return Side(mixture.name, prior, tuple((law, lifted(w)) for law, w in mixture.weights))


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


def check_drawn(mixtures: Mixtures, clock: Clock) -> None:
    """Refuse an empty class, and probabilities of a prior that are negative on it."""
    family = ParameterClass(_parameters(mixtures), clock)
    for p, place in mixtures.drawn:
        match family.nonnegative(family.pulled(p)):
            case FailsAt(point):
                value = p.at(family.values(point))
                where = f" at {family.text(point)}" if mixtures.ring.names else ""
                raise InputError(
                    f"{place} {p} is {value}{where}", hint="choose smaller ranges of the parameters"
                )
            case HoldsEverywhere():
                continue
        raise LimitReached(f"{place} {p}: it is not settled whether it is negative")


def _parameters(mixtures: Mixtures) -> Parameters:
    return Parameters(mixtures.ring, mixtures.ranges)
