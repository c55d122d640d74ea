"""A slow, obvious reimplementation of dipc, for tests.

The distributions are those of the slow route of ``dipc verify --deep`` (:mod:`dipc.dipwhile.rederive`),
which shares nothing with the main pipeline except the parser.  This file gives it the names
that tests use:

*   :func:`oracle_distribution` is the slow route: paths, linear constraints, exact measures.
*   :func:`numbers_on_grid` are its probabilities at some eps, with 50 digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath
from flint import fmpq

from dipc.dipwhile.rederive import programs as slow
from dipc.dipwhile.rederive.functions import (
    Mass,
    NotCovered,
    Pair,
    constant,
    same,
    total,
)
from dipc.dipwhile.rederive.inequalities import Row
from dipc.dipwhile.rederive.noise import Sample, measure
from dipc.dipwhile.rederive.paths import Run
from dipc.dipwhile.rederive.programs import Inputs, InputValue
from dipc.dipwhile.rederive.values import Value, as_pair, exponential_of, fraction, quotient
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO, Function, add, multiply
from dipc.models.values import Atom

Overrides = Mapping[str, Fraction | int] | None
Outcome = tuple[tuple[str, InputValue], ...]
Distribution = dict[Outcome, Pair]

Numbers = list[tuple[mpmath.mpf, mpmath.mpf]]

DIGITS = 50
NO = mpmath.mpf(0)


# --- the slow route, with the names of outputs -----------------------------------------------------


def parameters(program: ast.Program, overrides: Overrides = None) -> dict[str, Value]:
    """The values of the parameters."""
    return slow.parameters(program, {name: Fraction(value) for name, value in (overrides or {}).items()})


def all_inputs(program: ast.Program, overrides: Overrides = None) -> list[Inputs]:
    """Every input of the program."""
    return slow.all_inputs(program, parameters(program, overrides))


def adjacent(program: ast.Program, u: Inputs, v: Inputs) -> bool:
    """Are u and v neighbours?"""
    return slow.adjacent(program, u, v, parameters(program))


def oracle_distribution(program: ast.Program, inputs: Inputs, overrides: Overrides = None) -> Distribution:
    """The exact probability of every outcome that is not impossible, as (numerator, denominator)."""
    known = parameters(program, overrides)
    law = slow.distribution(program, inputs, known)
    return {named(program, outcome, known): p for outcome, p in law.items()}


def named(program: ast.Program, outcome: slow.Outcome, known: Mapping[str, Value]) -> Outcome:
    """The cells of an outcome put together: name and value of every output, arrays as tuples."""
    cells = list(outcome)
    result: list[tuple[str, InputValue]] = []
    for output in program.outputs:
        size, domain = slow.size_of(output, known), slow.domain_of(output, known)
        count = 1 if size is None else size
        values, cells = cells[:count], cells[count:]
        if not set(values) <= set(domain):
            raise NotCovered(f"{output.name} = {values} is outside its set")
        result.append((output.name, values[0] if size is None else tuple(values)))
    return tuple(result)


def real_measure(rows: Iterable[Row], samples: Sequence[Sample]) -> Function:
    """The probability that real samples satisfy every row: it has no denominator."""
    mass = measure(rows, samples)
    assert not mass.factors
    return mass.numerator


# --- numbers -----------------------------------------------------------------------------------------


def evaluate_exppoly(f: Function, eps: Fraction) -> mpmath.mpf:
    """f(eps) for a rational eps with 50 correct digits, however much the terms cancel.

    Terms with the same exponent are added exactly first; by Lindemann's theorem the value is then 0
    if and only if nothing remains, so that raising the precision ends.
    """
    exact: dict[Fraction, Fraction] = {}
    for (n, a, k, b), c in f.items():
        x = a * eps + k + b / eps
        exact[x] = exact.get(x, ZERO) + c * eps**n
    exact = {exponent: c for exponent, c in exact.items() if c}
    digits = DIGITS + 10
    while exact:
        with mpmath.workdps(digits):
            terms = [as_mpf(c) * mpmath.exp(as_mpf(exponent)) for exponent, c in exact.items()]
            value, size = mpmath.fsum(terms), mpmath.fsum(terms, absolute=True)
            if abs(value) > size * mpmath.mpf(10) ** (DIGITS - digits + 5):
                return value
        digits *= 2
    return mpmath.mpf(0)


def as_mpf(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def evaluate(quotient: Pair, eps: Fraction) -> mpmath.mpf:
    """numerator(eps) / denominator(eps) with 50 digits."""
    with mpmath.workdps(DIGITS + 10):
        return evaluate_exppoly(quotient[0], eps) / evaluate_exppoly(quotient[1], eps)


# --- privacy on a grid --------------------------------------------------------------------------


def claim_of(program: ast.Program) -> tuple[Pair, Pair]:
    """The epsilon and the delta of the claim, as functions of the budget."""
    if program.claim is None:
        raise NotCovered("the program claims nothing")
    run = Run(scalars=dict(parameters(program)))
    delta = as_pair(run.value(program.claim.delta)) if program.claim.delta else (constant(0), constant(1))
    return as_pair(run.value(program.claim.epsilon)), delta


def claim_interval(program: ast.Program) -> tuple[Fraction, Fraction | None, bool, bool]:
    """Low end, high end (None: infinity), and whether they belong to the interval."""
    if program.claim is None:
        return ZERO, None, False, False
    return slow.claimed_interval(program.claim, parameters(program))


def budget_grid(program: ast.Program) -> list[Fraction]:
    """Rational budgets of the claim's interval: logarithmic from 1/1000 to 60, and near both ends."""
    low, high, _, _ = claim_interval(program)
    points = {Fraction(round(1000 * (60_000 ** (i / 16))), 1_000_000) for i in range(17)}
    if high is not None:
        points |= {low + (high - low) * Fraction(i, 8) for i in range(1, 8)}
        points |= {high - (high - low) / 1000}
    points |= {low + Fraction(1, 1000), low + 1}
    points |= {low} | ({high} if high is not None else set())
    return sorted(x for x in points if x > 0 and in_interval(program, x))


def in_interval(program: ast.Program, eps: Fraction) -> bool:
    """Does the claim speak of this budget?"""
    low, high, low_closed, high_closed = claim_interval(program)
    above_low = eps > low or (low_closed and eps == low)
    return above_low and (high is None or eps < high or (high_closed and eps == high))


def excess_function(
    program: ast.Program,
    laws: tuple[Distribution, Distribution],
    outputs: Iterable[Outcome],
) -> Pair:
    """``P(S) - exp(epsilon) Q(S) - delta`` as an exact function of eps: positive where the claim fails."""
    epsilon, delta = claim_of(program)
    p, q = (total_of(law[o] for o in outputs if o in law) for law in laws)
    loss = as_pair(exponential_of(quotient(*epsilon)))
    return total_of([p, negative((multiply(loss[0], q[0]), multiply(loss[1], q[1]))), negative(delta)])


def negative(f: Pair) -> Pair:
    return multiply(constant(-1), f[0]), f[1]


def total_of(quotients: Iterable[Pair]) -> Pair:
    """The sum of the quotients."""
    return total([Mass(n).over(d) for n, d in quotients]).pair()


def numbers_on_grid(program: ast.Program, grid: Iterable[Fraction]) -> dict[Fraction, list[Numbers]]:
    """For all ordered pairs of neighbours, the two probabilities of every output, as numbers."""
    inputs = all_inputs(program)
    exact = [oracle_distribution(program, u) for u in inputs]
    pairs = [(i, j) for i, u in enumerate(inputs) for j, v in enumerate(inputs) if adjacent(program, u, v)]
    found = {}
    for eps in grid:
        laws = [{o: evaluate(p, eps) for o, p in law.items()} for law in exact]
        found[eps] = [
            [(laws[i].get(o, NO), laws[j].get(o, NO)) for o in {*laws[i], *laws[j]}] for i, j in pairs
        ]
    return found


# --- to and from dipc's values --------------------------------------------------------------------


def to_dipc(value: InputValue) -> Any:
    """Fraction to ``fmpq``, name to ``Atom``, arrays as tuples."""
    if isinstance(value, tuple):
        return tuple(to_dipc(item) for item in value)
    return Atom(value) if isinstance(value, str) else fmpq(value.numerator, value.denominator)


def from_dipc(value: Any) -> InputValue:
    """The inverse of :func:`to_dipc`.

    >>> from_dipc(to_dipc((Fraction(1, 2), "bot")))
    (Fraction(1, 2), 'bot')
    """
    if isinstance(value, Atom):
        return value.name
    if isinstance(value, fmpq):
        return fraction(value)
    return tuple(from_dipc(item) for item in value)  # type: ignore[misc]


def outcome_from_dipc(outputs: Any) -> Outcome:
    """A key of dipc's distribution as a key of the oracle's."""
    return tuple((str(name), from_dipc(value)) for name, value in outputs)


def exppoly_from_dipc(polynomial: Any) -> Function:
    """dipc's exponential polynomial, from its terms (coefficient, power, rate, constant, inverse)."""
    return add(
        *(
            {(int(n), fraction(rate), fraction(shift), fraction(inverse)): fraction(coefficient)}
            for coefficient, n, rate, shift, inverse in polynomial.terms()
        )
    )


def dipc_distribution(mechanism: Any, inputs: Inputs) -> Distribution:
    """What a dipc mechanism says, in the oracle's terms: the one place that knows dipc's interface."""
    law = mechanism.distribution(**{name: to_dipc(value) for name, value in inputs.items()})
    return {
        outcome_from_dipc(outputs): (exppoly_from_dipc(p.numerator), exppoly_from_dipc(p.denominator))
        for outputs, p in law.items()
    }


def different(law: Distribution, other: Distribution) -> list[Outcome]:
    """The outcomes whose probabilities are not the same function of eps."""
    nothing = (constant(0), constant(1))
    return [o for o in {**law, **other} if not same(law.get(o, nothing), other.get(o, nothing))]
