"""The statements about accuracy, bounded range and Renyi divergences of integer order.

With F = exp(epsilon), for every eps of the claim and

* *accuracy*, every input u of which bad outcomes are listed: beta - P(u)(bad) >= 0;
* *range*, all adjacent u, u' and all outcomes o, o': F P(u)(o') P(u')(o) - P(u)(o) P(u')(o') >= 0;
* *renyi* of order A, all adjacent u, u': F^(A-1) - the sum over o of P(u)(o)^A P(u')(o)^(1-A) >= 0.  An
  outcome with P(u)(o) = 0 adds nothing to it, one with P(u)(o) = P(u')(o) adds this number; every other
  P(u')(o) has to be one of the listed *divisors*, which are positive: a monomial times a denominator.

The pairs of laws of adjacent inputs are those of :mod:`~.laws`.  Denominators are positive, so that a sum has
the signs of its numerator.  Each function, but for positive factors, needs one proof; they are listed in the
order in which the walk over the sorted pairs of laws, or over the inputs, asks for them.

*A violation* has an eps, and the laws of its inputs.  Of a range it has two sets S, S' of outcomes, with
P(u)(S) P(u')(S') > F P(u)(S') P(u')(S), so that some o in S and o' in S' are too much.  A divergence of which
P(u')(o) = 0 < P(u)(o) is infinite.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from . import facts, laws, privacy
from .facts import ONE, Function, Interval, Proof
from .formulas import Curve
from .laws import Adjacency, Pairs, Quotient, Related, Sets, Table, Variable
from .privacy import Claim, shown
from .reading import Refused, integer, require

MAX_ORDER = 100
MAX_TEXT = 2000  # characters of an expression in a claim

# --- the format ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bounded:
    """ln(factor) bounds the range (``order`` null), or the divergence of an order."""

    order: int | None
    factor: Quotient
    interval: Interval


@dataclass(frozen=True)
class Accurate:
    """What is good, for inputs with a condition (null: all), but with a probability of at most beta."""

    good: str
    when: str | None
    beta: Quotient
    interval: Interval


@dataclass(frozen=True)
class Listed(privacy.AboutProgram):
    """A certificate of one of two kinds; ``divisors`` are numbers of functions."""

    statement: Literal["measure"]
    claim: Bounded | Accurate
    inputs: list[Variable]
    outputs: list[Variable]
    adjacency: Related | None
    outcomes: list[list[str]]
    divisors: list[int]


@dataclass(frozen=True)
class Proved(Listed):
    """A proof; ``bad`` are the bad outcomes of each input, null if it does not meet the condition."""

    nodes: list[list[int]]
    roots: list[int]
    bad: list[list[int] | None]
    proofs: list[Proof]


@dataclass(frozen=True)
class Violation(privacy.Violation):
    """A counterexample.  Of accuracy ``outcomes`` are the bad ones, and the neighbour is the input itself."""

    others: list[int]


@dataclass(frozen=True)
class Violated(Listed):
    """A violation, with the laws of its two inputs."""

    laws: list[list[int]]
    violation: Violation


# --- what is measured -----------------------------------------------------------------------------------

Prover = Callable[[Function], Proof]  # who knows the proof that f >= 0: the file, or a search


class Measure(NamedTuple):
    """Functions with the signs of what has to be >= 0; ``bound`` is F, or beta."""

    functions: list[Curve]
    bound: Curve
    order: int | None
    divisors: frozenset[int]

    def slacks(self, pairs: Pairs) -> Iterator[Function]:
        """Of two laws, given by the pairs of their functions."""
        if self.order is not None:
            yield self.divergence(pairs)
            return
        for one in dict.fromkeys(pairs):
            for other in dict.fromkeys(pairs):
                yield self.compared([one], [other])

    def compared(self, some: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> Function:
        """F P(u)(S') P(u')(S) - P(u)(S) P(u')(S') for the functions of two sets of outcomes."""
        p, q, r, s = (self.sum(pair[side] for pair in each) for each in (some, others) for side in (0, 1))
        return (self.bound * r * q).difference(p * s)

    def sum(self, numbers: Iterable[int]) -> Curve:
        """The sum of functions."""
        return reduce(Curve.__add__, (self.functions[i] for i in numbers), Curve({}))

    def divergence(self, pairs: Iterable[tuple[int, int]]) -> Function:
        """F^(A-1) minus the sum of the P(u)(o)^A P(u')(o)^(1-A)."""
        assert self.order is not None
        total = Curve({})
        for i, j in pairs:
            term = self.functions[i]
            if i != j and term:
                require(j in self.divisors, "divisors", f"function {j} is needed, which is not one")
                term = reduce(Curve.__mul__, [term * inverse(self.functions[j])] * (self.order - 1), term)
            total = total + term
        return reduce(Curve.__mul__, [self.bound] * (self.order - 1)).difference(total)

    def error(self, law: Sequence[int], bad: Sequence[int], step: str) -> Function:
        """beta - P(u)(bad)."""
        check_outcomes(bad, len(law), step)
        return self.bound.difference(self.sum(law[o] for o in bad))


def inverse(f: Curve) -> Curve:
    """1/f; the denominator is the numerator in normal form, which has the least exponents 0."""
    divisor = facts.normal(f.above)
    least: Any = tuple(map(min, zip(*f.above, strict=True)))
    key, c = next(iter(f.above.items()))
    other: Any = tuple(x - y for x, y in zip(key, least, strict=True))
    shift: Any = tuple(-x for x in least)
    return Curve(facts.multiply(f.below, {shift: divisor[other] / c}), divisor)


def check_outcomes(places: Sequence[int], count: int, step: str) -> None:
    """They are places of outcomes."""
    ascending = all(0 <= o < count for o in places) and all(a < b for a, b in pairwise(places))
    require(ascending, step, "the outcomes are not in order, or there is none like that")


class Proofs:
    """The proofs of f >= 0 on an interval, one for each function that is not plainly so."""

    def __init__(self, on: Interval, prover: Prover) -> None:
        self.on, self.prover = on, prover
        self.known: dict[frozenset[Any], Proof] = {}

    def require(self, f: Function, step: str) -> None:
        """Refuse unless f >= 0 is known, or its proof is right."""
        if all(c > 0 for c in f.values()):
            return
        f = facts.normal(f)
        key = frozenset(f.items())
        if key not in self.known:
            self.known[key] = self.prover(f)
            facts.prove(f, self.on, self.known[key], f"{step}, proof {len(self.known) - 1}")


# --- a certificate ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Certificate(privacy.Certificate):
    """A certificate that was checked."""

    @property
    def accuracy(self) -> Accurate | None:
        """The claim, if it is one of accuracy."""
        return self.listed.claim if isinstance(self.listed.claim, Accurate) else None

    @property
    def status(self) -> str:
        if self.accuracy is None:
            return super().status
        return "fails" if self.violated else "holds"

    @property
    def laws(self) -> str:
        return "distributions" if self.accuracy is None else "distributions and bad outcomes"

    def claim_text(self) -> str:
        """The claim without its interval."""
        claim = self.listed.claim
        if isinstance(claim, Accurate):
            when = "" if claim.when is None else f" when {json.dumps(claim.when)}"
            return f"accurate {json.dumps(claim.good)}, {self.delta}{when}"
        epsilon = privacy.logarithm_shown(self.table.factors[0], self.table.denominators)
        return f"range {epsilon}" if claim.order is None else f"renyi {claim.order}, {epsilon}"

    def claim_shown(self) -> str:
        return f"'{self.claim_text()}' for every eps in {self.claim.on}"

    def statement(self) -> str:
        if isinstance(self.listed, Violated):
            at = f"fails at eps = {self.claim.eps}"
            return shown(f"of {self.about()} the claim '{self.claim_text()}' {at}")
        numbers = f"{self.pairs} {'ordered pairs of neighbours' if self.accuracy is None else 'inputs'}"
        numbers += f", {self.sets.outcomes} outcomes, {len(self.listed.proofs)} proofs"
        return shown(f"of {self.about()} the claim {self.claim_shown()} holds: {numbers}")


def checked(
    listed: Proved | Violated, file: bytes | None = None, prover: Prover | None = None
) -> Certificate:
    """All phases but the digest; who writes a certificate gives a ``prover``."""
    privacy.check_program(listed, file)
    claimed = listed.claim
    claim = privacy.read_claim(
        claimed.interval, listed.violation.eps if isinstance(listed, Violated) else None
    )
    sets = laws.read_sets(listed.inputs, listed.outputs, listed.outcomes)
    table = read_table(listed, claim)
    integers, adjacency, single = laws.in_integers(table), NO_PAIRS, isinstance(claimed, Accurate)
    curves = [Curve(f, table.denominators[d]) for f, d in (*table.functions, table.delta, *table.factors)]
    order = None if isinstance(claimed, Accurate) else claimed.order
    count = len(table.functions)
    measure = Measure(curves[:count], curves[count + (not single)], order, frozenset(listed.divisors))
    known = (listed.adjacency is None) == single
    require(known, "adjacency", "it is missing, or of no use")
    if listed.adjacency is not None:
        adjacency = laws.read_adjacency(listed.adjacency, None, 1, sets)
    if isinstance(listed, Violated):
        privacy.check_rows(listed.laws, sets, integers)
        check_violation(listed, claim, sets, measure, adjacency)
        return Certificate(listed, claim, table, sets, adjacency, None, 1)
    diagram = laws.read_diagram(listed.nodes, listed.roots, sets, len(table.functions))
    laws.check_sums(diagram, integers)
    rest = iter(listed.proofs)
    proofs = Proofs(claim.on, prover or (lambda _: next_of(rest)))
    if isinstance(claimed, Accurate):
        every = math.prod(map(len, sets.inputs))
        require(len(listed.bad) == every, "bad", "there is not one list for every input")
        count = sum(bad is not None for bad in listed.bad)
        for position, bad in enumerate(listed.bad):
            if bad is not None:
                law, step = diagram.at(sets.digits(position)), f"input {position}"
                proofs.require(measure.error(law, bad, step), step)
    else:
        require(not listed.bad, "bad", "a claim about two laws has no bad outcomes")
        needed = laws.needed_pairs(diagram, adjacency, sets, True)
        count = needed.pairs
        for number, pairs in enumerate(sorted(needed.laws)):
            for f in measure.slacks(pairs):
                proofs.require(f, f"laws {number}")
    require(next(rest, None) is None, "proofs", "there are more than are needed")
    return Certificate(listed, claim, table, sets, adjacency, diagram, count)


NO_PAIRS = Adjacency("all", facts.ZERO, None)  # of accuracy, which compares no inputs


def read_table(listed: Listed, claim: Claim) -> Table:
    """The functions of a certificate; its divisors are positive."""
    claimed, last = listed.claim, len(listed.functions) - 1
    ascending = listed.divisors == sorted({integer(j, "divisors", 0, last) for j in listed.divisors})
    require(ascending, "divisors", "they are not ascending")
    beta: Quotient = [], 0
    positive = [listed.functions[j] for j in listed.divisors]
    if isinstance(claimed, Accurate):
        beta = claimed.beta
        texts = len(claimed.good) + len(claimed.when or "") <= MAX_TEXT
        require(texts, "claim", f"more than {MAX_TEXT} characters")
    else:
        positive = [claimed.factor, *positive]
        order = claimed.order is None or 2 <= claimed.order <= MAX_ORDER
        require(order, "claim", f"its order is not from 2 to {MAX_ORDER}")
    functions = listed.denominators, listed.functions, beta, positive
    return laws.read_table(*functions, claim.proved_on, claim.sample)


def next_of(rest: Iterator[Proof]) -> Proof:
    """The next proof."""
    found = next(rest, None)
    if found is None:
        raise Refused("proofs", "there are fewer than are needed")
    return found


def check_violation(
    listed: Violated, claim: Claim, sets: Sets, measure: Measure, adjacency: Adjacency
) -> None:
    """The listed inputs and outcomes break the claim at eps."""
    step, violation, (left, right) = "violation", listed.violation, listed.laws
    u, v = (laws.places(x, sets.inputs, step) for x in (violation.input, violation.neighbour))
    single = isinstance(listed.claim, Accurate)
    adjacent = u == v if single else adjacency.holds(sets, u, v)
    require(adjacent, step, "the two inputs are not adjacent")
    require(u != v or left == right, step, "one input has two distributions")
    some, others, pairs = violation.outcomes, violation.others, [*zip(left, right, strict=True)]
    if single:
        require(not others, step, "there are others")
        slack = measure.error(left, some, step)
    elif measure.order is None:
        check_outcomes(some, len(pairs), step)
        check_outcomes(others, len(pairs), step)
        require(some and others, step, "there are no outcomes")
        slack = measure.compared([pairs[o] for o in some], [pairs[o] for o in others])
    else:
        require(not (some or others), step, "a divergence is that of all outcomes")
        signs = [facts.sign_at(f.above, claim.sample) for f in measure.functions]
        possible = [(i, j) for i, j in pairs if signs[i] > 0]
        infinite = any(not signs[j] for _, j in possible)
        slack = facts.negative(ONE) if infinite else measure.divergence(possible)
    require(facts.sign_at(slack, claim.sample) < 0, step, "the claim is not broken")
