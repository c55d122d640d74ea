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
from dipc.models.mixtures import Pair, Side
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.export.queries import polynomial, symbol
from dipc.pufferfish.mixed import outputs_of
from dipc.pufferfish.question import Claim, Question, claimed


def smtlib(question: Question, clock: Clock) -> str:
    """``sat`` is a violation by this pair and this output, ``unsat`` for all of them a proof.

    Raises :class:`InputError` without a claim, and for one with a delta.
    """
    claim = claimed(question.claim)
    if claim.delta:
        raise InputError("a claim with a delta is about sets of outputs: there is no SMT-LIB for it")
    lines = list(_heading(question, claim))
    for number, pair in enumerate(question.pairs, start=1):
        clock.tick("pairs", number)
        outputs = range(len(question.model.observations))
        lines += [line for output in outputs for line in _query(question, pair, output)]
    return "\n".join(lines) + "\n"


def _heading(question: Question, claim: Claim) -> Iterator[str]:
    parameters = question.parameters
    yield f"; {question.name}: is P(o | s) <= c P(o | s') for all outputs o, all parameters and all eps?"
    yield f"; epsilon = {claim.text}; sat: violated for this pair and output, unsat: private"
    yield STRICT
    yield "(set-logic ALL)"
    yield "(declare-const eps Real)"
    yield f"(assert {write(condition(parameters.budgets), SMTLIB)})"
    for name, ends in zip(parameters.names, parameters.ranges, strict=True):
        if name != parameters.eps_name:
            x = symbol(name)
            low, high = _polynomial(question, ends.low), _polynomial(question, ends.high)
            yield f"(declare-const {x.name} Real)"
            yield f"(assert ({'>=' if ends.low_closed else '>'} {x.name} {write(low, SMTLIB)}))"
            yield f"(assert ({'<=' if ends.high_closed else '<'} {x.name} {write(high, SMTLIB)}))"
    yield f"(define-fun c () Real {write(EXACT.function(Quotient(claim.c)), SMTLIB)})"
    for g, law in enumerate(outputs_of(question)):
        yield f"; law {g}: of the input {question.model.states[g]}"
        for o in range(len(question.model.observations)):
            p = EXACT.function(law.get(o, Quotient.of(0)))
            yield f"(define-fun g.{g}.{o} () Real {write(p, SMTLIB)})"


def _query(question: Question, pair: Pair, output: int) -> Iterator[str]:
    under = f" (prior {pair.left.prior})" if pair.left.prior else ""
    left, right = (_probability(question, side, output) for side in pair)
    first, second = (total(_polynomial(question, w) for _, w in side.weights) for side in pair)
    sides = product([left, second]), product([Symbol("c"), right, first])
    shown = f"output {question.model.observations[output]}"
    yield f"\n; s: {pair.left.name}, s': {pair.right.name}{under}, {shown}"
    yield "(push 1)"
    yield f"(assert {write(Apply('>', sides), SMTLIB)})"
    yield "(check-sat)"
    yield "(pop 1)"


def _probability(question: Question, side: Side, output: int) -> Tree:
    weights = ((_polynomial(question, w), Symbol(f"g.{g}.{output}")) for g, w in side.weights)
    return total(product(pair) for pair in weights)


def _polynomial(question: Question, f: Parametric) -> Tree:
    assert f.denominator.is_constant()  # weights and ends are polynomials
    scale = f.denominator.leading_coefficient()
    return polynomial(f.numerator / scale, list(map(symbol, question.parameters.ring.names)))
