"""A certificate for a verdict.

The distributions are computed input by input, and every proof is found anew: nothing of the verdict is used
but the claim and the counterexample.  So a certificate is for programs with a moderate number of inputs.

**delta > 0.**  For neighbours u, u' and each outcome o the roots of g_o = P(u)(o) - exp(t eps) P(u')(o) are
isolated.  Between them the sign of g_o is constant and proved; in the small intervals around them it is left
unsure.  On each piece delta is compared with the sum over the outcomes with g_o >= 0 and every
subset of the unsure ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import chain, combinations, pairwise
from pathlib import PurePath

from flint import fmpq

from dipc.certificate import kernel
from dipc.certificate.format import Json, fraction, terms, to_exppoly, to_function
from dipc.certificate.kernel import ONE, ZERO, Function, Interval, Ratio
from dipc.certificate.search import NoProof, proof_of
from dipc.decision.budgets import Budgets
from dipc.decision.signs import roots_within
from dipc.decision.verdict import Counterexample, Goal, Undecided, Valuation, Verdict
from dipc.errors import InputError, InternalError, LimitReached, Unsupported
from dipc.probability.quotient import Quotient
from dipc.probability.surd import Surd
from dipc.semantics.adjacency import InputSpace, adjacent
from dipc.semantics.explore import Explorer, Law
from dipc.syntax.core import CoreAdjacency, CoreProgram, Variable
from dipc.syntax.values import Value

MAX_INPUTS = 3000
NARROW = fmpq(1, 2**20)  # of an interval around a root
DIGITS = 12  # of the numbers of a counterexample

Piece = tuple[Fraction, Fraction | None, str]  # the ends and the sign
Pairs = tuple[tuple[int, int], ...]  # for each outcome the places of P(u)(o) and P(u')(o)


def certificate(program: CoreProgram, verdict: Verdict) -> dict[str, Json]:
    """The certificate of a verdict, as JSON.

    Raises :class:`InputError` if the verdict is that nothing was decided, and :class:`LimitReached`.
    """
    if isinstance(verdict, Undecided) or program.adjacency is None:
        raise InputError("there is no certificate: nothing was decided about all neighbours of the program")
    writer = Writer(program, program.adjacency, verdict.goal)
    found = verdict.counterexample
    return writer.proof() if found is None else writer.violation(found)


class Writer:
    """One certificate being written."""

    def __init__(self, program: CoreProgram, adjacency: CoreAdjacency, goal: Goal) -> None:
        if isinstance(goal.delta, Surd):
            raise Unsupported("no certificate: its format has no square roots, but delta has one")
        self.program, self.adjacency, self.goal = program, adjacency, goal
        self.delta = goal.delta
        self.space = InputSpace(program)
        self.on = interval(goal.budgets)
        self.t = fraction(goal.t)
        self.denominators: list[Function] = [ONE]
        self.functions: dict[Quotient, int] = {}
        self.ratios: list[Ratio] = []
        self.facts: dict[tuple[frozenset[object], Interval], Json] = {}

    # --- the two kinds ---

    def proof(self) -> dict[str, Json]:
        size = math.prod(map(len, self.space.domains))
        if size > MAX_INPUTS:
            raise LimitReached(
                f"no certificate: the program has {size} inputs, and one is written for {MAX_INPUTS} at most"
            )
        explorer = Explorer(self.program)
        inputs = list(self.space)
        outcomes, laws = self._laws([explorer.law(values) for values in inputs], self.on)
        domains = [tuple(fraction_or_name(v) for v in d) for d in self.space.domains]
        listed: Json = None
        if self.adjacency.kind == "formula":
            near = [
                (i, j)
                for i, u in enumerate(inputs)
                for j, v in enumerate(inputs[i:], i)
                if adjacent(self.space, u, v, self.adjacency)
            ]
            listed = [list(pair) for pair in near]
            near += [(j, i) for i, j in near if i != j]
        else:
            near = kernel.neighbours(domains, self.adjacency.kind, self.distance)
        compared = {tuple(zip(laws[u], laws[v], strict=True)) for u, v in near}
        delta = self._ratio(self.delta, self.on)
        cases = []
        if delta.numerator:
            for pairs in sorted({tuple(sorted(pairs)) for pairs in compared}):
                cases.append(self._case(pairs, delta))
        else:
            for pair in sorted({pair for pairs in compared for pair in pairs}):
                self._fact(self._slack([pair], delta), self.on)
        return {
            **self._header(delta, outcomes, listed),
            **self._distributions(laws, self.on),
            "inequalities": list(self.facts.values()),
            "cases": cases,
        }

    def violation(self, found: Counterexample) -> dict[str, Json]:
        eps = fraction(found.epsilon)
        on = Interval(eps, eps, True, True)
        explorer = Explorer(self.program)
        cells = [flat(found.input), flat(found.neighbour)]
        inputs = [dict(zip(self.space.cells, values, strict=True)) for values in cells]
        outcomes, laws = self._laws([explorer.law(values) for values in inputs], on)
        chosen = sorted(outcomes.index(tuple(flat(output))) for output in found.outputs)
        delta = self._ratio(self.delta, on)
        p, q = ([self.ratios[law[o]] for o in chosen] for law in laws)
        bound = kernel.excess([], q, self.t, delta)
        parts = {
            "probability": p,
            "neighbour_probability": q,
            "bound": bound,
            "excess": [*p, *(Ratio(kernel.negative(f), d) for f, d in bound)],
        }
        places = [self._place(values) for values in cells]
        return {
            **self._header(delta, outcomes, [sorted(places)] if self.adjacency.kind == "formula" else None),
            **self._distributions(laws, on),
            "violation": {
                "input": [str(v) for v in cells[0]],
                "neighbour": [str(v) for v in cells[1]],
                "outcomes": chosen,
                "eps": str(eps),
                "numbers": {name: number(ratios, self.denominators, eps) for name, ratios in parts.items()},
            },
        }

    @property
    def distance(self) -> Fraction:
        return ZERO if self.adjacency.distance is None else fraction(self.adjacency.distance)

    def _place(self, values: Sequence[Value]) -> int:
        place = 0
        for domain, value in zip(self.space.domains, values, strict=True):
            place = place * len(domain) + domain.index(value)
        return place

    # --- parts of both ---

    def _header(self, delta: Ratio, outcomes: Sequence[Sequence[Value]], pairs: Json) -> dict[str, Json]:
        source, kind = self.program.source, self.adjacency.kind
        ends = self.on
        return {
            "format": kernel.FORMAT,
            "version": kernel.VERSION,
            "program": {
                "name": PurePath(source.name).name,
                "text": source.text,
                "sha256": sha256(source.text.encode()).hexdigest(),
            },
            "parameters": {name: str(value) for name, value in self.program.parameters},
            "claim": {
                "t": str(self.t),
                "delta": [terms(delta.numerator), delta.denominator],
                "interval": {
                    "low": str(ends.low),
                    "high": None if ends.high is None else str(ends.high),
                    "low_closed": ends.low_closed,
                    "high_closed": ends.high_closed,
                },
            },
            "inputs": [declaration(v) for v in self.program.inputs],
            "outputs": [declaration(v) for v in self.program.outputs],
            "adjacency": {
                "kind": kind,
                "distance": str(self.distance) if kind in ("linf", "l1", "hamming") else None,
                "pairs": pairs,
            },
            "outcomes": [[str(v) for v in outcome] for outcome in outcomes],
        }

    def _distributions(self, laws: list[list[int]], on: Interval) -> dict[str, Json]:
        return {
            "denominators": [
                {"function": terms(f), "proof": proof_of(f, on, strict=True)} for f in self.denominators[1:]
            ],
            "functions": [[terms(f), d] for f, d in self.ratios],
            "laws": laws,
        }

    def _laws(self, laws: Sequence[Law], on: Interval) -> tuple[list[tuple[Value, ...]], list[list[int]]]:
        """All outcomes in the order of the output sets, and each law as the places of its functions."""
        places = [{v: i for i, v in enumerate(x.domain)} for x in self.program.outputs for _ in x.cells]
        found = {outcome for law in laws for outcome in law}
        outcomes = sorted(found, key=lambda o: [p[v] for p, v in zip(places, o, strict=True)])
        zero = Quotient.of(0)
        return outcomes, [[self._function(law.get(o, zero), on) for o in outcomes] for law in laws]

    def _function(self, p: Quotient, on: Interval) -> int:
        if p not in self.functions:
            self.functions[p] = len(self.ratios)
            self.ratios.append(self._ratio(p, on))
        return self.functions[p]

    def _ratio(self, p: Quotient, on: Interval) -> Ratio:
        """The quotient with a denominator that is positive on the interval, and in normal form."""
        numerator, denominator = to_function(p.numerator), to_function(p.denominator)
        if not numerator or denominator == ONE:
            return Ratio(numerator, 0)
        below = kernel.normal(denominator)
        if kernel.sign_at(below, inside(on)) < 0:
            below = kernel.negative(below)
        (n, a, k, b), (m, d, j, i) = max(denominator), max(below)
        quotient = below[m, d, j, i] / denominator[n, a, k, b]
        factor: Function = {(m - n, d - a, j - k, i - b): quotient}
        if below not in self.denominators:
            self.denominators.append(below)
        return Ratio(kernel.multiply(numerator, factor), self.denominators.index(below))

    # --- inequalities ---

    def _slack(self, pairs: Iterable[tuple[int, int]], delta: Ratio) -> Function:
        pairs = list(pairs)
        p, q = [self.ratios[i] for i, _ in pairs], [self.ratios[j] for _, j in pairs]
        return kernel.total(kernel.excess(p, q, self.t, delta), self.denominators)

    def _fact(self, f: Function, on: Interval) -> None:
        """f >= 0 is among the inequalities, with its proof."""
        f = kernel.normal(f)
        key = (frozenset(f.items()), on)
        if key not in self.facts:
            ends = None if on == self.on else [str(on.low), None if on.high is None else str(on.high)]
            self.facts[key] = {"function": terms(f), "on": ends, "proof": proof_of(f, on)}

    def _case(self, pairs: Pairs, delta: Ratio) -> Json:
        """The pieces of the budgets, with the signs of all g_o on each."""
        margins = [kernel.normal(self._slack([pair], Ratio({}, 0))) for pair in pairs]
        signs = [self._pieces(margin) for margin in margins]
        points = sorted({low for pieces in signs for low, _, _ in pieces})
        ends: list[Fraction | None] = [*points, self.on.high]
        rows = []
        for low, high in pairwise(ends):
            assert low is not None
            row = "".join(next(s for a, b, s in pieces if inner(a, b, low, high)) for pieces in signs)
            rows.append(row)
            sure = [pair for pair, sign in zip(pairs, row, strict=True) if sign == "+"]
            unsure = [pair for pair, sign in zip(pairs, row, strict=True) if sign == "?"]
            if len(unsure) > kernel.MAX_UNSURE:
                raise NoProof("no certificate: the roots of too many functions are close together")
            subsets = chain.from_iterable(combinations(unsure, n) for n in range(len(unsure) + 1))
            for more in subsets:
                self._fact(self._slack([*sure, *more], delta), self.on)
            for margin, sign in zip(margins, row, strict=True):
                if sign != "?" and margin:
                    self._sign_fact(margin, sign, low, high)
        shown = (
            [str(self.on.low)] if self.on.low == self.on.high else [p if p is None else str(p) for p in ends]
        )
        return {"functions": [list(pair) for pair in pairs], "points": shown, "signs": rows}

    def _sign_fact(self, margin: Function, sign: str, low: Fraction, high: Fraction | None) -> None:
        """That the margin is not negative (sign "-": g_o <= 0) or not positive on the piece."""
        pieces = self._pieces(margin)
        a, b = next((a, b) for a, b, _ in pieces if inner(a, b, low, high))
        on = self.on if len(pieces) == 1 else Interval(a, b, False, False)
        self._fact(margin if sign == "-" else kernel.negative(margin), on)

    def _pieces(self, margin: Function) -> list[Piece]:
        """The interval cut into pieces on which a margin, -g_o, is proved to have a sign, or is unsure."""
        low, high = self.on.low, self.on.high
        if not margin:
            return [(low, high, "-")]
        sign = "-" if kernel.sign_at(margin, inside(self.on)) >= 0 else "+"
        if low == high:
            return [(low, high, sign)]
        ends = self.goal.budgets
        borders = []
        for root in roots_within(to_exppoly(margin), ends.low, ends.high):
            root.refine_to(NARROW)
            borders.append((fraction(root.low), fraction(root.high)))
        pieces: list[Piece] = []
        start = low
        for end in [*borders, (high, low)]:
            sample = inside(Interval(start, end[0], False, False))
            pieces.append((start, end[0], "-" if kernel.sign_at(margin, sample) > 0 else "+"))
            if end[0] is not None and end[0] < end[1]:
                pieces.append((end[0], end[1], "?"))
            start = end[1]
        return pieces


def inner(a: Fraction, b: Fraction | None, low: Fraction, high: Fraction | None) -> bool:
    """Whether [low, high] lies inside [a, b]; None is infinity."""
    return a <= low and (b is None or (high is not None and high <= b))


def inside(on: Interval) -> Fraction:
    """A point inside."""
    return on.low + 1 if on.high is None else (on.low + on.high) / 2


def interval(budgets: Budgets) -> Interval:
    high = None if budgets.high is None else fraction(budgets.high)
    return Interval(fraction(budgets.low), high, budgets.low_closed, budgets.high_closed)


def fraction_or_name(value: Value) -> Fraction | str:
    return fraction(value) if isinstance(value, fmpq) else value.name


def flat(valuation: Valuation) -> list[Value]:
    """The values of all cells."""
    return [v for _, value in valuation for v in (value if isinstance(value, tuple) else (value,))]


def declaration(variable: Variable) -> Json:
    return {"name": variable.name, "size": variable.size, "domain": [str(v) for v in variable.domain]}


def number(ratios: Sequence[Ratio], denominators: Sequence[Function], eps: Fraction) -> list[str | int]:
    """[m, e] with m * 10^e <= value < (m+1) * 10^e, m of a dozen digits."""
    low, high = ZERO, ZERO
    for f, d in ratios:
        above, below = bounds(f, eps), bounds(denominators[d], eps)
        ends = [x / y for x in above for y in below]
        low, high = low + min(ends), high + max(ends)
    size = max(abs(low), abs(high))
    place = -DIGITS
    if size and size < 1:
        place -= len(str(int(1 / size))) - 1
    unit = Fraction(10) ** place
    for m in (math.floor(low / unit), math.floor(high / unit)):
        tests = [[*ratios, Ratio(kernel.collected([(kernel.UNIT, -x * unit)]), 0)] for x in (m, m + 1)]
        signs = [kernel.sign_at(kernel.total(test, denominators), eps) for test in tests]
        if signs[0] >= 0 and signs[1] < 0:
            return [str(m), place]
    raise InternalError("a number is not within its own bounds")


def bounds(f: Function, eps: Fraction, bits: int = 256) -> tuple[Fraction, Fraction]:
    """Two rationals around f(eps)."""
    low = high = ZERO
    for x, c in kernel.value_at(f, eps).items():
        e = kernel.exp_bounds(abs(x), bits)
        ends = [c * (y if x >= 0 else 1 / y) for y in e]
        low, high = low + min(ends), high + max(ends)
    return low, high
