"""Questions about hidden Markov models as SMT-LIB 2.

The queries are Algorithm 1 of Liu, Wang and Zhang (*Verifying Pufferfish Privacy in Hidden Markov Models*),
but linear: the observation selects the *coefficient* of a sum (``ite``), not a factor of a product.

A c = exp(k) that is not rational lies between two rational numbers, and every pair is asked about with both.
A violation of P(w | s) <= c.high P(w | s') is one with c; where P(w | s) <= c.low P(w | s') has none, c has
none.  So no query has ``exp``, unless probabilities are functions of eps that are not rational functions of
``exp(-eps/unit)``, or not all eps are asked about: then eps is a variable.  (cvc5 and dReal know ``exp``.)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add

from flint import arb, ctx, fmpq, fmpq_mpoly

from dipc.clock import Clock
from dipc.errors import InputError, LimitReached
from dipc.export.operators import EXACT, Symbol, Tree, condition, power, product, scaled, total, write
from dipc.export.smtlib import LARGEST, SMTLIB, STRICT
from dipc.models.hmm import SILENCE, added
from dipc.models.mixtures import Claim, Pair, Side
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.classes import class_of
from dipc.pufferfish.clearing import Polynomials, cleared
from dipc.pufferfish.pipeline import validate
from dipc.pufferfish.question import Question, claimed

DIGITS = 20  # behind the point, of numbers around c


def smtlib(question: Question, clock: Clock) -> str:
    """One query per ordered pair: ``sat`` is a violation, ``unsat`` a proof of the claim for that pair.

    If c is not rational there are two: ``sat`` to the first is a violation, ``unsat`` to the second a proof.
    Raises :class:`InputError` without a claim, without a horizon, and for a delta.
    """
    claim, horizon = claim_of(question, "SMT-LIB")
    queries = Queries(question, claim, horizon, clock)
    lines = list(queries.heading())
    for number, pair in enumerate(question.pairs, start=1):
        clock.tick("pairs", number)
        lines += ["", *queries.query(number, pair)]
    return "\n".join(lines) + "\n"


def claim_of(question: Question, what: str) -> tuple[Claim, int]:
    """The claim and the horizon, without which there is no such text."""
    claim, horizon = claimed(question.claim), question.horizon
    if horizon is None:
        raise InputError(f"{what} needs a number of observations", hint="set one, for example --horizon 3")
    if claim.delta:
        raise InputError(f"a claim with a delta is about sets of sequences: there is no {what} for it")
    return claim, horizon


class Queries:
    """The queries of a question.

    ``w.t`` is the observation of step t; ``a.t.s`` (left side) and ``b.t.s`` (right side) are multiples of
    the probability of the observations up to t that end in state s, ``x.t.s`` and ``y.t.s`` those before the
    observation of step t.  The multiple, a common denominator that is positive on the class, is the same on
    both sides.  Behind the states that stop there is one more state, which shows only silence.
    """

    def __init__(self, question: Question, claim: Claim, horizon: int, clock: Clock) -> None:
        self.question, self.claim, self.horizon = question, claim, horizon
        self.rational = question.parameters.rational
        if not question.of_program:  # the output laws of programs are probabilities
            validate(question, clock)
        family = class_of(question, clock)
        assert family.anchor is not None  # or check_class had raised
        self._point, ring, model = family.values(family.anchor), question.parameters.ring, question.model
        self._point.pop(question.parameters.eps_name or "", None)
        self.symbols = list(map(symbol, question.parameters.names))
        silent, one = len(model.states), ring.of(1)
        self.one = one.numerator
        self.observations = (*model.observations, SILENCE)
        moves = [dict(row) or {silent: one} for row in model.transitions] + [{silent: one}]
        self.moves = self.cleared(moves)
        self.emissions = self.cleared([*map(dict, model.emissions), {len(model.observations): one}])

    def cleared(self, rows: Sequence[Mapping[int, Parametric]]) -> list[Polynomials]:
        """All entries times one polynomial that is positive on the class."""
        return cleared(rows, self.one, self._sign)

    def _sign(self, f: fmpq_mpoly) -> int:
        parameters = self.question.parameters
        value = parameters.function_of_eps(Parametric(parameters.ring, f, self.one).at(self._point))
        return value.sign_at(parameters.budgets.inside)

    def heading(self) -> Iterator[str]:
        """The observations, the parameters with their class, and c."""
        question, parameters = self.question, self.question.parameters
        yield f"; {question.name}: is P(w | s) <= c P(w | s') for all sequences w of {self.horizon}?"
        if self.enclosed:
            yield f"; epsilon = {self.claim.text}; c is between c.low and c.high; every pair has two queries:"
            yield "; the first with c.high (sat: violated), the second with c.low (unsat: private)"
        else:
            yield f"; epsilon = {self.claim.text}; sat: violated for this pair, unsat: private"
        yield from (f"; observation {o}: {name}" for o, name in enumerate(self.observations))
        yield STRICT
        logic = "QF_NRA" if parameters.names else "QF_LRA"  # there numerals are real numbers
        yield f"(set-logic {logic if self.rational else 'ALL'})"
        for name, symbol in zip(parameters.names, self.symbols, strict=True):
            if self.rational or name != parameters.eps_name:
                yield f"(declare-const {symbol.name} Real)"
        if not self.rational:
            yield f"(declare-const eps Real)\n(assert {write(condition(parameters.budgets), SMTLIB)})"
        for strict, f in self.conditions():
            yield f"(assert ({'>' if strict else '>='} {self._text(f)} 0))"
        for t in range(self.horizon):
            choices = " ".join(f"(= w.{t} {o})" for o in range(len(self.observations)))
            yield f"(declare-const w.{t} Real)\n(assert (or {choices}))"
        yield from self._constant()

    def conditions(self) -> Iterator[tuple[bool, fmpq_mpoly]]:
        """The class: polynomials f with f > 0 (True), or f >= 0.

        No divisor vanishes on the class, and a product with it has the same sign.
        """
        parameters = self.question.parameters
        for name, x, ends in zip(parameters.names, parameters.ring.gens, parameters.ranges, strict=False):
            if self.rational or name != parameters.eps_name:
                yield not ends.low_closed, _product(x - ends.low)
                yield not ends.high_closed, _product(ends.high - x)
        yield from ((False, _product(g)) for g in parameters.conditions)

    def _constant(self) -> Iterator[str]:
        """The factor of the right side, and with eps that of the left, a power of exp(-eps/unit)."""
        if not self.rational:
            yield f"(define-fun c () Real {write(EXACT.function(Quotient(self.claim.c)), SMTLIB)})"
            return
        low, high = bracket(self.claim)
        for name, value in (("c", low),) if low == high else (("c.low", low), ("c.high", high)):
            yield f"(define-fun {name} () Real {write(value, SMTLIB)})"
        if self.claim.rate:
            parameters = self.question.parameters
            if parameters.eps_name is None:
                raise InputError("the claim depends on eps and no number of the model does", hint="--at 1/2")
            x = self.symbols[parameters.names.index(parameters.eps_name)].name
            exponent = self.claim.rate * parameters.eps_unit
            if exponent.q != 1:
                root = _times(["root"] * int(exponent.q))
                yield f"(declare-const root Real)\n(assert (and (> root 0) (= {root} {x})))"
                x = "root"
            yield f"(define-fun d () Real {_times([x] * int(exponent.p))})"

    def query(self, number: int, pair: Pair) -> Iterator[str]:
        """``A Z' > c A' Z`` (with eps, the left side times its power) for some sequence."""
        weights = [self.cleared([added(side.weights)])[0] for side in pair]
        left, right = (self._text(reduce(add, w.values(), 0 * self.one)) for w in weights)
        yield f"; {number}. s: {side_name(pair.left)}, s': {side_name(pair.right)}"
        yield "(push 1)"
        (first, a), (second, b) = map(self._steps, "xy", "ab", weights)
        yield from (*first, *second)
        larger = _times([*(["d"] if self.claim.rate and self.rational else []), right, a])
        if self.enclosed:
            yield f"(push 1)\n(assert (> {larger} {_times(['c.high', left, b])}))"
            yield "(check-sat) ; sat: violated\n(pop 1)"
            yield f"(assert (> {larger} {_times(['c.low', left, b])}))"
            yield "(check-sat) ; unsat: private"
        else:
            yield f"(assert (> {larger} {_times(['c', left, b])}))"
            yield "(check-sat)"
        yield "(pop 1)"

    def _steps(self, before: str, name: str, weights: Polynomials) -> tuple[list[str], str]:
        """The forward recursion of one side, and the sum behind its last step."""
        sums, lines = {s: [self._text(w)] for s, w in weights.items() if w}, []
        for t in range(self.horizon):
            following: dict[int, list[str]] = {}
            for s, terms in sums.items():
                x, a, shown = f"{before}.{t}.{s}", f"{name}.{t}.{s}", "0"
                for o, q in self.emissions[s].items():
                    shown = f"(ite (= w.{t} {o}) {_times([self._text(q), x])} {shown})"
                lines += [f"(define-fun {x} () Real {_sum(terms)})", f"(define-fun {a} () Real {shown})"]
                for target, p in self.moves[s].items():
                    following.setdefault(target, []).append(_times([self._text(p), a]))
            last, sums = [f"{name}.{t}.{s}" for s in sums], following
        return lines, _sum(last)

    @property
    def enclosed(self) -> bool:
        """Whether c is a number between two others."""
        return self.rational and bool(self.claim.constant)

    def _text(self, f: fmpq_mpoly) -> str:
        if self.rational:
            return write(polynomial(f, self.symbols), SMTLIB)
        terms = []
        for powers, x in self.question.parameters.split(f).items():
            factors = (power(s, n) for s, n in zip(self.symbols, powers, strict=False) if n)
            terms.append(product([EXACT.polynomial(x), *factors]))
        return write(total(terms), SMTLIB)


def bracket(claim: Claim) -> tuple[fmpq, fmpq]:
    """Rational numbers around the factor without eps of c, equal if it is rational."""
    if not claim.constant:
        return claim.factor, claim.factor
    if claim.constant > LARGEST:
        raise LimitReached(f"exp({claim.constant}) has too many digits to be written out")
    scale, bits = fmpq(10) ** DIGITS, 128 + 2 * int(claim.constant.ceil())
    while True:
        with ctx.workprec(bits):
            below = (arb(claim.constant).exp() * arb(claim.factor * scale)).floor().unique_fmpz()
        if below is not None:  # exp(k) is no rational number
            return below / scale, (below + 1) / scale
        bits *= 2


def symbol(name: str) -> Symbol:
    """A parameter, which is no word of SMT-LIB."""
    return Symbol(f"p.{name}" if name.isascii() else f"|p.{name}|")


def polynomial(f: fmpq_mpoly, symbols: Sequence[Symbol]) -> Tree:
    """A polynomial in some variables."""
    return total(
        scaled(c, [power(x, int(n)) for x, n in zip(symbols, powers, strict=False) if n])
        for powers, c in f.to_dict().items()
    )


def _product(f: Parametric) -> fmpq_mpoly:
    return f.numerator if f.denominator.is_constant() else f.numerator * f.denominator


def _times(factors: Sequence[str]) -> str:
    factors = [factor for factor in factors if factor != "1"]
    return f"(* {' '.join(factors)})" if len(factors) > 1 else factors[0] if factors else "1"


def _sum(terms: Sequence[str]) -> str:
    return f"(+ {' '.join(terms)})" if len(terms) > 1 else terms[0] if terms else "0"


def side_name(side: Side) -> str:
    """A secret or distribution, with its prior if there is one."""
    return side.name if side.prior is None else f"{side.name} (prior {side.prior})"
