"""Questions about hidden Markov models for other tools: SMT-LIB 2, and an equivalent Markov chain.

The queries are Algorithm 1 of Liu, Wang and Zhang (*Verifying Pufferfish Privacy in Hidden Markov Models*),
but linear: the observation selects the *coefficient* of a sum (``ite``), not a factor of a product.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

from flint import fmpq, fmpq_mpoly

from dipc.clock import Clock
from dipc.errors import InputError, Unsupported
from dipc.export.markov_picture import FORMATS as OF_CHAINS
from dipc.export.operators import Symbol, Tree, power, scaled, total, write
from dipc.export.smtlib import SMTLIB
from dipc.models.chain import DEAD, MarkovChain
from dipc.models.hmm import SILENCE
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.classes import check_class
from dipc.pufferfish.laws import as_function
from dipc.pufferfish.question import EVERY_EPS, Claim, Pair, Question, Side

FORMATS = ("smtlib", "drn", "prism", "dot", "svg")
Polynomials = dict[int, fmpq_mpoly]


def export(question: Question, to: str, clock: Clock) -> str:
    """The question as SMT-LIB, or its model as a chain in one of the other :data:`FORMATS`.

    Raises :class:`InputError` for what the format cannot say.
    """
    return smtlib(question, clock) if to == "smtlib" else OF_CHAINS[to](chain_of(question))


# --- SMT-LIB -----------------------------------------------------------------------------------------


def smtlib(question: Question, clock: Clock) -> str:
    """One query per ordered pair: ``sat`` is a violation, ``unsat`` a proof of the claim for that pair.

    Raises :class:`InputError` without a claim, without a horizon, and for a delta.
    """
    claim, horizon = question.claim, question.horizon
    if claim is None:
        raise InputError("nothing is claimed", hint="write a line `private ln(2)`, or use `--claim`")
    if horizon is None:
        raise InputError("SMT-LIB needs a number of observations", hint="set one, for example --horizon 3")
    if question.parameters.functions or question.parameters.budgets != EVERY_EPS:
        raise Unsupported("SMT-LIB for eps outside of exp, constants such as exp(1/2), and ranges of eps")
    if claim.delta:
        raise InputError("a claim with a delta is about sets of sequences: there is no SMT-LIB for it")
    queries = Queries(question, claim, horizon, clock)
    lines = list(queries.heading())
    for number, pair in enumerate(question.pairs, start=1):
        clock.tick("pairs", number)
        lines += ["", *queries.query(number, pair)]
    return "\n".join(lines) + "\n"


class Queries:
    """The queries of a question.

    ``w.t`` is the observation of step t; ``a.t.s`` (left side) and ``b.t.s`` (right side) are multiples of
    the probability of the observations up to t that end in state s, ``x.t.s`` and ``y.t.s`` those before the
    observation of step t.  The multiple, a common denominator that is positive on the class, is the same on
    both sides.  Behind the states that stop there is one more state, which shows only silence.
    """

    def __init__(self, question: Question, claim: Claim, horizon: int, clock: Clock) -> None:
        self.question, self.claim, self.horizon = question, claim, horizon
        family = check_class(question, clock)
        assert family.anchor is not None  # or check_class had raised
        self._point, ring, model = family.values(family.anchor), question.parameters.ring, question.model
        names = (f"p.{name}" for name in question.parameters.names)
        self.symbols = [Symbol(name if name.isascii() else f"|{name}|") for name in names]
        silent, one = len(model.states), ring.of(1)
        self._one = one.numerator
        self.observations = (*model.observations, SILENCE)
        moves = [dict(row) or {silent: one} for row in model.transitions] + [{silent: one}]
        self.moves = self._cleared(moves)
        self.emissions = self._cleared([*map(dict, model.emissions), {len(model.observations): one}])

    def _cleared(self, rows: Sequence[Mapping[int, Parametric]]) -> list[Polynomials]:
        """All entries times one polynomial that is positive on the class."""
        common = self._one
        for p in {p for row in rows for p in row.values()}:
            common = common * (p.denominator / common.gcd(p.denominator))
        sign = Parametric(self.question.parameters.ring, common, self._one).at(self._point).as_rational()
        assert sign  # no denominator vanishes on the class
        common = common if sign > 0 else -common
        return [{i: p.numerator * (common / p.denominator) for i, p in row.items()} for row in rows]

    def heading(self) -> Iterator[str]:
        """The observations, the parameters with their class, and c."""
        question, parameters = self.question, self.question.parameters
        yield f"; {question.name}: is P(w | s) <= c P(w | s') for all sequences w of {self.horizon}?"
        yield f"; epsilon = {self.claim.text}; sat: violated for this pair, unsat: private"
        yield from (f"; observation {o}: {name}" for o, name in enumerate(self.observations))
        nonlinear = "QF_NRA" if parameters.names else "QF_LRA"  # there numerals are real numbers
        yield f"(set-logic {'QF_NRAT' if self.claim.constant else nonlinear})"
        for symbol in self.symbols:
            yield f"(declare-const {symbol.name} Real)"
        for x, ends in zip(parameters.ring.gens, parameters.ranges, strict=True):
            yield self._condition(">=" if ends.low_closed else ">", x - ends.low)
            yield self._condition(">=" if ends.high_closed else ">", ends.high - x)
        yield from (self._condition(">=", g) for g in parameters.conditions)
        for t in range(self.horizon):
            choices = " ".join(f"(= w.{t} {o})" for o in range(len(self.observations)))
            yield f"(declare-const w.{t} Real)\n(assert (or {choices}))"
        yield from self._constant()

    def _condition(self, relation: str, f: Parametric) -> str:
        """``f > 0`` or ``f >= 0``; no divisor vanishes on the class, and a product has the same sign."""
        product = f.numerator if f.denominator.is_constant() else f.numerator * f.denominator
        return f"(assert ({relation} {self._text(product)} 0))"

    def _constant(self) -> Iterator[str]:
        """The factor of the right side, and with eps that of the left, a power of exp(-eps/unit)."""
        c0 = write(self.claim.factor, SMTLIB)
        if self.claim.constant:  # no rational number: cvc5 and dReal know `exp`
            c0 = f"(* {c0} (exp {write(self.claim.constant, SMTLIB)}))"
        yield f"(define-fun c () Real {c0})"
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
        weights = [self._cleared([_added(side)])[0] for side in pair]
        left, right = (self._text(reduce(add, w.values(), 0 * self._one)) for w in weights)
        yield f"; {number}. s: {side_name(pair.left)}, s': {side_name(pair.right)}"
        yield "(push 1)"
        (first, a), (second, b) = map(self._steps, "xy", "ab", weights)
        yield from (*first, *second)
        powers = ["d"] if self.claim.rate else []
        yield f"(assert (> {_times([*powers, right, a])} {_times(['c', left, b])}))"
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

    def _text(self, f: fmpq_mpoly) -> str:
        tree: Tree = total(
            scaled(c, [power(x, int(n)) for x, n in zip(self.symbols, powers, strict=False) if n])
            for powers, c in f.to_dict().items()
        )
        return write(tree, SMTLIB)


def _times(factors: Sequence[str]) -> str:
    factors = [factor for factor in factors if factor != "1"]
    return f"(* {' '.join(factors)})" if len(factors) > 1 else factors[0] if factors else "1"


def _sum(terms: Sequence[str]) -> str:
    return f"(+ {' '.join(terms)})" if len(terms) > 1 else terms[0] if terms else "0"


def _added(side: Side) -> dict[int, Parametric]:
    """The weights by state."""
    row: dict[int, Parametric] = {}
    for s, x in side.weights:
        row[s] = row[s] + x if s in row else x
    return row


# --- the chain ---------------------------------------------------------------------------------------


def side_name(side: Side) -> str:
    """A secret or distribution, with its prior if there is one."""
    return side.name if side.prior is None else f"{side.name} (prior {side.prior})"


def chain_of(question: Question) -> MarkovChain[Any]:
    """A Markov chain with the same distributions of sequences.

    Its states are the compared distributions, which are neighbours, and pairs "state / observation" with the
    observation as their label: what a path shows behind its first state is a sequence of observations, with
    its probability for that distribution.  States that stop have no transitions.  Probabilities are functions
    of eps: :class:`InputError` if other parameters have no values.
    """
    parameters, model = question.parameters, question.model
    if free := [name for name in parameters.names if name != parameters.eps_name]:
        hint = " ".join(f"--fix {name}=1/2" for name in free)
        raise InputError(f"a Markov chain needs numbers for {', '.join(free)}", hint=f"for example {hint}")
    sides = {side_name(side): side for pair in question.pairs for side in pair if _total(side)}
    names: dict[Any, int] = {name: place for place, name in enumerate(sides)}

    def row(weights: Mapping[int, Parametric]) -> tuple[tuple[int, Any], ...]:
        pairs = [((s, o), p * q) for s, p in weights.items() if p for o, q in model.emissions[s]]
        return tuple((names.setdefault(key, len(names)), _value(question, p)) for key, p in pairs)

    rows = [row({s: w / _total(side) for s, w in _added(side).items()}) for side in sides.values()]
    while len(rows) < len(names):
        state, _ = list(names)[len(rows)]
        rows.append(row(dict(model.transitions[state])))
    seen = list(names)[len(sides) :]
    labels = {
        name: frozenset(names[key] for key in seen if key[1] == o)
        for o, name in enumerate(model.observations)
    }
    if not all(rows):
        dead, one = len(rows), _value(question, parameters.ring.of(1))
        rows = [row or ((dead, one),) for row in [*rows, ()]]
    texts = [*sides, *(f"{model.states[s]} / {model.observations[o]}" for s, o in seen)]
    texts += [DEAD] * (len(rows) - len(texts))
    compared = [
        [names[side_name(side)] for side in pair] for pair in question.pairs if all(map(_total, pair))
    ]
    near = dict.fromkeys((min(pair), max(pair)) for pair in compared)
    return MarkovChain(tuple(texts), labels, tuple(near), tuple(range(len(sides))), tuple(rows))


def _total(side: Side) -> Parametric | int:
    return sum(x for _, x in side.weights)


def _value(question: Question, p: Parametric) -> fmpq | Quotient:
    """A function of eps; in a model without eps a number."""
    if question.parameters.eps_name is None:
        number = p.as_rational()
        assert number is not None
        return fmpq(number.p, number.q)
    found = as_function(p, question.parameters)
    assert isinstance(found, Quotient)
    return found
