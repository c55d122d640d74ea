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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from . import facts, laws, privacy
from .facts import ONE, Function, Interval, Proof
from .laws import Adjacency, Pairs, Quotient, Ratio, Related, Sets, Table, Variable
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


# --- sums of products -----------------------------------------------------------------------------------

Part = tuple[Function, Counter[int]]  # a function over powers of denominators, by their numbers
Prover = Callable[[Function], Proof]  # who knows the proof that f >= 0: the file, or a search


def times(*ratios: Ratio) -> Part:
    """Their product."""
    above = ONE
    for f, _ in ratios:
        above = facts.multiply(above, f)
    return above, Counter(d for _, d in ratios)


def minus(part: Part) -> Part:
    return facts.negative(part[0]), part[1]


class Measure:
    """The functions that are >= 0 if the claim holds of two laws, and whether one of them is."""

    def __init__(self, table: Table, order: int | None, divisors: Iterable[int]) -> None:
        self.table, self.order, self.divisors = table, order, set(divisors)

    def total(self, parts: Sequence[Part]) -> Function:
        """A function with the signs of the sum."""
        common: Counter[int] = Counter()
        for _, below in parts:
            common |= below
        return facts.add(*(self.raised(f, common - below) for f, below in parts))

    def raised(self, f: Function, powers: Counter[int]) -> Function:
        """f times powers of denominators."""
        for d in powers.elements():
            f = facts.multiply(f, self.table.denominators[d])
        return f

    def slacks(self, pairs: Pairs) -> Iterator[Function]:
        """What has to be >= 0 for two laws, given by the pairs of their functions."""
        if self.order is not None:
            yield self.total([self.bound, *map(minus, self.divergence(pairs))])
            return
        for one in dict.fromkeys(pairs):
            for other in dict.fromkeys(pairs):
                yield self.total(self.compared(one, other))

    def compared(self, one: tuple[int, int], other: tuple[int, int]) -> list[Part]:
        """F P(u)(o') P(u')(o) - P(u)(o) P(u')(o') for the functions of o and o'."""
        (p, q), (r, s) = (tuple(self.table.functions[i] for i in pair) for pair in (one, other))
        return [times(self.table.factors[0], r, q), minus(times(p, s))]

    @property
    def bound(self) -> Part:
        """F^(A-1)."""
        assert self.order is not None
        return times(*[self.table.factors[0]] * (self.order - 1))

    def divergence(self, pairs: Iterable[tuple[int, int]]) -> Iterator[Part]:
        """The P(u)(o)^A P(u')(o)^(1-A)."""
        assert self.order is not None
        denominators = self.table.denominators
        for i, j in pairs:
            p, (g, e) = self.table.functions[i], self.table.functions[j]
            if i == j or not p.numerator:
                yield times(p)
                continue
            require(j in self.divisors, "divisors", f"a quotient by function {j} is needed, which is not one")
            divisor = facts.normal(g)
            above, below = times(*[p] * self.order)
            for _ in range(self.order - 1):
                above = facts.multiply(above, inverse_of(g, divisor))
                if below[e]:
                    below[e] -= 1
                else:
                    above = facts.multiply(above, denominators[e])
            yield above, below + Counter({denominators.index(divisor): self.order - 1})


def inverse_of(g: Function, divisor: Function) -> Function:
    """divisor/g, which is a single term."""
    (n, a, k, b), (m, d, j, i) = (tuple(map(min, zip(*f, strict=True))) for f in (g, divisor))
    (key, c) = next(iter(divisor.items()))
    shift: Any = (m - n, d - a, j - k, i - b)
    other: Any = tuple(x - y for x, y in zip(key, shift, strict=True))
    return {shift: c / g[other]}


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


def error(measure: Measure, law: Sequence[int], bad: Sequence[int], step: str) -> Function:
    """beta - P(u)(bad)."""
    ascending = all(0 <= o < len(law) for o in bad) and all(a < b for a, b in pairwise(bad))
    require(ascending, step, "the outcomes are not in order, or there is none like that")
    table = measure.table
    return measure.total([times(table.delta), *(minus(times(table.functions[law[o]])) for o in bad)])


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
    measure = read_measure(listed, claim)
    integers, adjacency = laws.in_integers(measure.table), NO_PAIRS
    known = (listed.adjacency is None) == isinstance(claimed, Accurate)
    require(known, "adjacency", "it is missing, or of no use")
    if listed.adjacency is not None:
        adjacency = laws.read_adjacency(listed.adjacency, None, 1, sets)
    if isinstance(listed, Violated):
        privacy.check_rows(listed.laws, sets, integers)
        check_violation(listed, claim, sets, measure, adjacency)
        return Certificate(listed, claim, measure.table, sets, adjacency, None, 1)
    diagram = laws.read_diagram(listed.nodes, listed.roots, sets, len(measure.table.functions))
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
                proofs.require(error(measure, law, bad, step), step)
    else:
        require(not listed.bad, "bad", "a claim about two laws has no bad outcomes")
        needed = laws.needed_pairs(diagram, adjacency, sets, True)
        count = needed.pairs
        for number, pairs in enumerate(sorted(needed.laws)):
            for f in measure.slacks(pairs):
                proofs.require(f, f"laws {number}")
    require(next(rest, None) is None, "proofs", "there are more than are needed")
    return Certificate(listed, claim, measure.table, sets, adjacency, diagram, count)


NO_PAIRS = Adjacency("all", facts.ZERO, None)  # of accuracy, which compares no inputs


def read_measure(listed: Listed, claim: Claim) -> Measure:
    """The functions of a certificate, and what is measured."""
    claimed, last = listed.claim, len(listed.functions) - 1
    ascending = listed.divisors == sorted({integer(j, "divisors", 0, last) for j in listed.divisors})
    require(ascending, "divisors", "they are not ascending")
    beta: Quotient = [], 0
    order, positive = None, [listed.functions[j] for j in listed.divisors]
    if isinstance(claimed, Accurate):
        beta = claimed.beta
        texts = len(claimed.good) + len(claimed.when or "") <= MAX_TEXT
        require(texts, "claim", f"more than {MAX_TEXT} characters")
    else:
        order, positive = claimed.order, [claimed.factor, *positive]
        require(order is None or 2 <= order <= MAX_ORDER, "claim", f"its order is not from 2 to {MAX_ORDER}")
    functions = listed.denominators, listed.functions, beta, positive
    return Measure(laws.read_table(*functions, claim.proved_on, claim.sample), order, listed.divisors)


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
    pairs = [*zip(left, right, strict=True)]
    if single:
        slack = error(measure, left, violation.outcomes, step)
        require(not violation.others, step, "there are others")
    else:
        slack = excess(measure, violation, pairs, claim.sample)
    require(facts.sign_at(slack, claim.sample) < 0, step, "the claim is not broken")


def excess(
    measure: Measure, violation: Violation, pairs: Sequence[tuple[int, int]], eps: Fraction
) -> Function:
    """A function that is negative at the eps of a violation."""
    table, some, others = measure.table, violation.outcomes, violation.others
    if measure.order is None:
        ascending = all(a < b for each in (some, others) for a, b in pairwise(each))
        inside = ascending and all(0 <= o < len(pairs) for o in (*some, *others))
        require(inside, "violation", "the outcomes are not in order, or there is none like that")
        return measure.total([x for o in some for p in others for x in measure.compared(pairs[o], pairs[p])])
    require(not (some or others), "violation", "a divergence is that of all outcomes")
    possible = [(i, j) for i, j in pairs if facts.sign_at(table.functions[i].numerator, eps) > 0]
    if any(not facts.sign_at(table.functions[j].numerator, eps) for _, j in possible):
        return facts.negative(ONE)
    return measure.total([measure.bound, *map(minus, measure.divergence(possible))])
