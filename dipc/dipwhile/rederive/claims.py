"""Whether a certificate makes the claim of a program: the same epsilon, delta and interval.

The factor exp(epsilon) is a product of powers: of exp(x) for the parts x of epsilon without ``ln``, and of R
for its ``ln(R)``.  Of two inputs epsilon may depend on, each order of them is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from fractions import Fraction

from dipc.dipwhile.rederive.draws import surely
from dipc.dipwhile.rederive.functions import ONE, NotCovered, Pair, product, same
from dipc.dipwhile.rederive.paths import Run
from dipc.dipwhile.rederive.programs import (
    Known,
    about_pair,
    atoms_in,
    claimed_interval,
    distance,
    inputs_at,
    named_adjacency,
    value_of,
)
from dipc.dipwhile.rederive.values import as_index, as_number, as_pair, combine, exponential_of
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.walk import nodes
from dipc.kernel.facts import ZERO, Function, Interval, negative
from dipc.kernel.laws import Ratio
from dipc.kernel.measures import Accurate, Bounded
from dipc.kernel.privacy import Certificate
from dipc.kernel.sizes import Certificate as EverySize

MAX_ROOT = 60  # of the least common denominator of the powers of logarithms
VARIABLES = ast.Name | ast.Index
METRICS = ("linf", "l1", "hamming")


def is_claim_of(
    certificate: Certificate | EverySize,
    program: ast.Program,
    claim: ast.Claim | ast.AccurateClaim,
    known: Known,
) -> bool:
    """Is the certificate about this claim, with the same epsilon, delta and interval?

    The words of a claim of accuracy are not compared here, only its beta and interval.
    """
    table, on, said = certificate.table, certificate.claim.on, certificate.listed.claim
    if astuple(on) != claimed_interval(claim, known):
        return False
    if isinstance(claim, ast.AccurateClaim) or isinstance(said, Accurate):
        if not isinstance(claim, ast.AccurateClaim) or not isinstance(said, Accurate):
            return False
        return same(as_pair(value_of(claim.beta, known)), pair_of(certificate, table.delta))
    if measure_of(claim, known) != (isinstance(said, Bounded), getattr(said, "order", None)):
        return False
    if isinstance(said, Bounded):
        run = Run(scalars=dict(known))
        return is_factor(claim.epsilon, run, pair_of(certificate, table.factors[0]), on)
    delta = as_pair(value_of(claim.delta, known) if claim.delta else ZERO)
    of_pair, listed = speaks_of_inputs(program, claim.epsilon, known), certificate.listed.claim
    if not same(delta, pair_of(certificate, table.delta)) or of_pair != (listed.of is not None):
        return False
    if not of_pair or isinstance(certificate, EverySize):
        run = Run(scalars=dict(known))
        return is_factor(claim.epsilon, run, pair_of(certificate, table.factors[0]), on)
    return all(
        is_factor_of_pair(certificate, claim.epsilon, runs, numbers)
        for runs, numbers in pairs_of(certificate, program, known)
    )


def measure_of(claim: ast.Claim, known: Known) -> tuple[bool, int | None]:
    """Is the claim about a measure, and of which order is its divergence?"""
    order = None if claim.order is None else as_index(value_of(claim.order, known))
    return claim.measure is not None, order


def speaks_of_inputs(program: ast.Program, epsilon: ast.Expr, known: Known) -> bool:
    """Does epsilon depend on the two inputs?"""
    about = {declaration.name for declaration in program.inputs} | ({"distance"} - set(known))
    names = {
        n.name if isinstance(n, ast.Name) else n.array for n in nodes(epsilon) if isinstance(n, VARIABLES)
    }
    return not about.isdisjoint(names)


def pair_of(certificate: Certificate | EverySize, ratio: Ratio) -> Pair:
    """A listed function as numerator and denominator."""
    return ratio.numerator, certificate.table.denominators[ratio.denominator]


def pairs_of(
    certificate: Certificate, program: ast.Program, known: Known
) -> Iterator[tuple[list[Run], list[int]]]:
    """For all listed pairs of inputs both orders of them, and the numbers of their factors."""
    sets, atoms, named = certificate.sets, atoms_in(program), named_adjacency(program, known)
    for positions, numbers in (certificate.adjacency.pairs or {}).items():
        u, v = (inputs_at(program, sets.digits(place), sets.inputs, known) for place in positions)
        runs = [about_pair(known, *both, atoms) for both in ((u, v), (v, u))]
        if named is not None and named[0] in METRICS:
            for run in runs:
                run.scalars.setdefault("distance", distance(named[0], u, v))
        yield runs, numbers


def is_factor_of_pair(
    certificate: Certificate, epsilon: ast.Expr, runs: Sequence[Run], numbers: Sequence[int]
) -> bool:
    """Are the listed factors those of both orders?  For a violation one of them is enough."""
    on, factors = certificate.claim.on, [pair_of(certificate, certificate.table.factors[k]) for k in numbers]
    table = [[is_factor(epsilon, run, factor, on) for factor in factors] for run in runs]
    listed = all(map(any, zip(*table, strict=True)))
    return listed and (certificate.violated or all(map(any, table)))


def is_factor(epsilon: ast.Expr, run: Run, factor: Pair, on: Interval) -> bool:
    """Is the factor, which is positive, exp(epsilon)?  NotCovered if a logarithm may have no value."""
    parts = list(powers(epsilon, run))
    root = math.lcm(*(power.denominator for _, power in parts))
    if root > MAX_ROOT:
        raise NotCovered("a root of a high order in exp(epsilon)")
    above: list[Function] = []
    below: list[Function] = []
    for base, power in parts:
        if not any(all(surely(f, on, True) for f in side) for side in (base, map(negative, base))):
            raise NotCovered("a logarithm of which it is not shown that it has a value")
        n, d = base if power > 0 else base[::-1]
        above += [n] * int(abs(power) * root)
        below += [d] * int(abs(power) * root)
    listed = product([factor[0]] * root), product([factor[1]] * root)
    return same((product(above), product(below)), listed)


def powers(epsilon: ast.Expr, run: Run) -> Iterator[tuple[Pair, Fraction]]:
    """The bases and powers whose product is exp(epsilon)."""
    todo = [(epsilon, ONE)]
    while todo:
        expr, power = todo.pop()
        match expr:
            case _ if not has_logarithm(expr):
                yield as_pair(exponential_of(combine(ast.Op.MUL, power, run.value(expr)))), ONE
            case ast.Call("ln", (argument,)):
                yield as_pair(run.value(argument)), power
            case ast.Unary(ast.Op.NEG, inner):
                todo.append((inner, -power))
            case ast.Binary(ast.Op.ADD | ast.Op.SUB as op, left, right):
                todo += [(left, power), (right, power if op is ast.Op.ADD else -power)]
            case ast.Binary(ast.Op.MUL, left, right) if has_logarithm(right):
                todo.append((right, power * as_number(run.value(left))))
            case ast.Binary(ast.Op.MUL | ast.Op.DIV as op, left, right):
                todo.append((left, as_number(combine(op, power, run.value(right)))))
            case _:
                raise NotCovered("an epsilon that is not a sum of multiples of eps, numbers and logarithms")


def has_logarithm(expr: ast.Expr) -> bool:
    """Is there an ``ln`` in it?"""
    return any(isinstance(node, ast.Call) and node.function == "ln" for node in nodes(expr))
