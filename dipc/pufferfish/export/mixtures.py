"""Questions about programs with priors as SMT-LIB 2, where probabilities are functions of eps with ``exp``.

One query for every ordered pair and every output: is A Z' > c A' Z for some parameters and some eps?  A and
A' are sums of weights, polynomials in the parameters, times output laws, functions of eps.  cvc5 and dReal
know ``exp``.  Other programs are models that show one output: see :mod:`dipc.pufferfish.export.queries`.
"""

from __future__ import annotations

from collections.abc import Iterator

from dipc.clock import Clock
from dipc.errors import InputError
from dipc.export.operators import EXACT, Apply, Symbol, Tree, condition, product, total, write
from dipc.export.smtlib import SMTLIB, STRICT
from dipc.models.mixtures import Compared, Mixture, Mixtures
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.export.queries import polynomial, symbol
from dipc.pufferfish.question import Claim, claimed
from dipc.signs.eps_range import EpsRange


def smtlib(mixtures: Mixtures, claim: Claim | None, eps_range: EpsRange, clock: Clock) -> str:
    """``sat`` is a violation by this pair and this output, ``unsat`` for all of them a proof.

    Raises :class:`InputError` without a claim, and for one with a delta.
    """
    claim = claimed(claim)
    if claim.delta:
        raise InputError("a claim with a delta is about sets of outputs: there is no SMT-LIB for it")
    lines = list(_heading(mixtures, claim, eps_range))
    for number, pair in enumerate(mixtures.pairs, start=1):
        clock.tick("pairs", number)
        lines += [line for output in range(len(mixtures.outputs)) for line in _query(mixtures, pair, output)]
    return "\n".join(lines) + "\n"


def _heading(mixtures: Mixtures, claim: Claim, eps_range: EpsRange) -> Iterator[str]:
    yield f"; {mixtures.name}: is P(o | s) <= c P(o | s') for all outputs o, all parameters and all eps?"
    yield f"; epsilon = {claim.text}; sat: violated for this pair and output, unsat: private"
    yield STRICT
    yield "(set-logic ALL)"
    yield "(declare-const eps Real)"
    yield f"(assert {write(condition(eps_range), SMTLIB)})"
    for name, ends in zip(mixtures.ring.names, mixtures.ranges, strict=True):
        x = symbol(name)
        low, high = _polynomial(mixtures, ends.low), _polynomial(mixtures, ends.high)
        yield f"(declare-const {x.name} Real)"
        yield f"(assert ({'>=' if ends.low_closed else '>'} {x.name} {write(low, SMTLIB)}))"
        yield f"(assert ({'<=' if ends.high_closed else '<'} {x.name} {write(high, SMTLIB)}))"
    yield f"(define-fun c () Real {write(EXACT.function(Quotient(claim.c)), SMTLIB)})"
    for g, law in enumerate(mixtures.laws):
        yield f"; law {g}: of the input {mixtures.examples[g]}"
        for o, p in enumerate(law):
            yield f"(define-fun g.{g}.{o} () Real {write(EXACT.function(p), SMTLIB)})"


def _query(mixtures: Mixtures, pair: Compared, output: int) -> Iterator[str]:
    under = f" (prior {pair.prior})" if pair.prior else ""
    left, right = (_probability(mixtures, side, output) for side in pair[:2])
    first, second = (total(_polynomial(mixtures, w) for _, w in side.weights) for side in pair[:2])
    sides = product([left, second]), product([Symbol("c"), right, first])
    yield f"\n; s: {pair.left.name}, s': {pair.right.name}{under}, output {mixtures.outputs[output]}"
    yield "(push 1)"
    yield f"(assert {write(Apply('>', sides), SMTLIB)})"
    yield "(check-sat)"
    yield "(pop 1)"


def _probability(mixtures: Mixtures, side: Mixture, output: int) -> Tree:
    weights = ((_polynomial(mixtures, w), Symbol(f"g.{g}.{output}")) for g, w in side.weights)
    return total(product(pair) for pair in weights)


def _polynomial(mixtures: Mixtures, f: Parametric) -> Tree:
    assert f.denominator.is_constant()  # weights and ends are polynomials
    scale = f.denominator.leading_coefficient()
    return polynomial(f.numerator / scale, [symbol(name) for name in mixtures.ring.names])
