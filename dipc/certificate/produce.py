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
from dipc.certificate.format import Json, fmpq_of, fraction, proof_as_json, terms, to_exppoly, to_function
from dipc.certificate.kernel import ONE, ZERO, Delta, Function, Interval, Ratio, Rooted, Surd
from dipc.claims.verdict import Counterexample, Goal, Undecided, Verdict
from dipc.dipwhile.semantics.adjacency import InputSpace, adjacent
from dipc.dipwhile.semantics.explore import Explorer, Law
from dipc.dipwhile.semantics.valuations import in_order
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram, Variable
from dipc.errors import InputError, InternalError, LimitReached
from dipc.models.values import Valuation, Value
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.limits import NoProof
from dipc.signs.radicals import Radical
from dipc.signs.search import proof
from dipc.signs.tables import roots_within

MAX_INPUTS = 3000
NARROW = fmpq(1, 2**20)  # of an interval around a root
DIGITS = 12  # of the numbers of a counterexample

Piece = tuple[Fraction, Fraction | None, str]  # the ends and the sign
Bounds = tuple[Fraction, Fraction]
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
        self.program, self.adjacency, self.goal = program, adjacency, goal
        self.space = InputSpace(program)
        self.on = interval(goal.budgets)
        self.t = fraction(goal.t)
        self.denominators: list[Function] = [ONE]
        self.functions: dict[Quotient, int] = {}
        self.ratios: list[Ratio] = []
        self.facts: dict[tuple[object, Interval], Json] = {}

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
        delta = self._delta(self.on)
        cases = []
        if isinstance(delta, kernel.Surd) or delta.numerator:
            for pairs in sorted({tuple(sorted(pairs)) for pairs in compared}):
                cases.append(self._case(pairs, delta))
        else:
            for pair in sorted({pair for pairs in compared for pair in pairs}):
                self._fact(self._slack([pair], delta), self.on, {})
        return {
            **self._header(delta, self.on, outcomes, listed),
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
        delta = self._delta(on)
        p, q = ([self.ratios[law[o]] for o in chosen] for law in laws)
        bound = kernel.excess([], q, self.t)
        loss = [*p, *(Ratio(kernel.negative(f), d) for f, d in bound)]
        parts = {
            "probability": (p, 0),
            "neighbour_probability": (q, 0),
            "bound": (bound, 1),
            "excess": (loss, -1),
        }
        places = [self._place(values) for values in cells]
        return {
            **self._header(
                delta, on, outcomes, [sorted(places)] if self.adjacency.kind == "formula" else None
            ),
            **self._distributions(laws, on),
            "violation": {
                "input": [str(v) for v in cells[0]],
                "neighbour": [str(v) for v in cells[1]],
                "outcomes": chosen,
                "eps": str(eps),
                "numbers": {name: self._number(*part, delta, eps) for name, part in parts.items()},
            },
        }

    @property
    def distance(self) -> Fraction:
        return ZERO if self.adjacency.distance is None else fraction(self.adjacency.distance)

    def _number(self, ratios: list[Ratio], times: int, delta: Delta, eps: Fraction) -> Json:
        """[m, e] with m * 10^e <= ratios + times * delta < (m+1) * 10^e, m of a dozen digits."""
        if isinstance(delta, Ratio):
            more = quotient(bounds(delta.numerator, eps), bounds(self.denominators[delta.denominator], eps))
        else:
            more = quotient(*(rooted_bounds(x, delta.radicand, eps) for x in (delta.above, delta.below)))
        low, high = sorted(times * x for x in more)
        for f, d in ratios:
            part = quotient(bounds(f, eps), bounds(self.denominators[d], eps))
            low, high = low + part[0], high + part[1]
        size = max(abs(low), abs(high))
        place = -DIGITS
        if size and size < 1:
            place -= len(str(int(1 / size))) - 1
        unit = Fraction(10) ** place
        radicand = delta.radicand if isinstance(delta, Surd) else {}
        for m in (math.floor(low / unit), math.floor(high / unit)):
            tests = [[*ratios, Ratio(kernel.constant(-x * unit), 0)] for x in (m, m + 1)]
            sums = [kernel.sum_with(test, times, delta, self.denominators) for test in tests]
            signs = [kernel.sign_rooted(x, radicand, eps) for x in sums]
            if signs[0] >= 0 and signs[1] < 0:
                return [str(m), place]
        raise InternalError("a number is not within its own bounds")

    def _place(self, values: Sequence[Value]) -> int:
        place = 0
        for domain, value in zip(self.space.domains, values, strict=True):
            place = place * len(domain) + domain.index(value)
        return place

    # --- parts of both ---

    def _header(
        self, delta: Delta, on: Interval, outcomes: Sequence[Sequence[Value]], pairs: Json
    ) -> dict[str, Json]:
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
                "delta": delta_written(delta, on),
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
                {"function": terms(f), "proof": proved(f, on, strict=True)} for f in self.denominators[1:]
            ],
            "functions": [[terms(f), d] for f, d in self.ratios],
            "laws": laws,
        }

    def _laws(self, laws: Sequence[Law], on: Interval) -> tuple[list[tuple[Value, ...]], list[list[int]]]:
        """All outcomes in the order of the output sets, and each law as the places of its functions."""
        outcomes = in_order(self.program, {outcome for law in laws for outcome in law})
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

    def _delta(self, on: Interval) -> Delta:
        """delta in the kernel's terms; with a square root all denominators are moved to one place."""
        delta = self.goal.delta
        if isinstance(delta, Quotient):
            return self._ratio(delta, on)
        g, d = (to_function(f) for f in (delta.radicand.numerator, delta.radicand.denominator))
        if kernel.sign_at(d, inside(on)) < 0:
            g, d = kernel.negative(g), kernel.negative(d)
        # sqrt(g/d) = sqrt(g d)/d
        factors = [to_function(x.denominator) for x in (*delta.above, *delta.below)]
        above, below = (
            Rooted(
                kernel.multiply(to_function(pair[0].numerator), kernel.multiply(_others(factors, i), d)),
                kernel.multiply(to_function(pair[1].numerator), _others(factors, i + 1)),
            )
            for i, pair in ((0, delta.above), (2, delta.below))
        )
        radicand = kernel.multiply(g, d)
        if kernel.sign_rooted(below, radicand, inside(on)) < 0:
            above, below = (Rooted(*map(kernel.negative, x)) for x in (above, below))
        return Surd(above, below, radicand)

    # --- inequalities ---

    def _margin(self, pair: tuple[int, int]) -> Function:
        i, j = pair
        parts = kernel.excess([self.ratios[i]], [self.ratios[j]], self.t)
        return kernel.total(parts, self.denominators)[0]

    def _slack(self, pairs: Iterable[tuple[int, int]], delta: Delta) -> Rooted:
        pairs = list(pairs)
        p, q = [self.ratios[i] for i, _ in pairs], [self.ratios[j] for _, j in pairs]
        return kernel.sum_with(kernel.excess(p, q, self.t), 1, delta, self.denominators)

    def _fact(self, f: Rooted, on: Interval, radicand: Function) -> None:
        """f >= 0 is among the inequalities, with its proof."""
        f = Rooted(*kernel.normals(f))
        key = (tuple(frozenset(part.items()) for part in f), on)
        if key not in self.facts:
            ends = None if on == self.on else [str(on.low), None if on.high is None else str(on.high)]
            root = {"root": terms(f.root)} if f.root else {}
            written = proved_rooted(f, radicand, on)
            self.facts[key] = {"function": terms(f.plain), **root, "on": ends, "proof": written}

    def _case(self, pairs: Pairs, delta: Delta) -> Json:
        """The pieces of the budgets, with the signs of all g_o on each."""
        radicand = delta.radicand if isinstance(delta, Surd) else {}
        margins = [kernel.normal(self._margin(pair)) for pair in pairs]
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
                self._fact(self._slack([*sure, *more], delta), self.on, radicand)
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
        self._fact(Rooted(margin if sign == "-" else kernel.negative(margin), {}), on, {})

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


def interval(budgets: EpsRange) -> Interval:
    high = None if budgets.high is None else fraction(budgets.high)
    return Interval(fraction(budgets.low), high, budgets.low_closed, budgets.high_closed)


def eps_range(on: Interval) -> EpsRange:
    """The inverse of :func:`interval`."""
    high = None if on.high is None else fmpq_of(on.high)
    return EpsRange(fmpq_of(on.low), high, on.low_closed, on.high_closed)


def inside(on: Interval) -> Fraction:
    """A point inside."""
    return fraction(eps_range(on).inside)


def proved(f: Function, on: Interval, strict: bool = False) -> Json:
    """The proof of f >= 0 (f > 0, if strict) on the interval.  Raises :class:`NoProof`."""
    g = to_exppoly(f)
    return proof_as_json(proof(g, eps_range(on), strict), g)


def proved_rooted(f: Rooted, radicand: Function, on: Interval, strict: bool = False) -> Json:
    """The same for a function with the square root of the radicand."""
    if not f.root:
        return proved(f.plain, on, strict)
    g = Radical(to_exppoly(f.plain), to_exppoly(f.root), to_exppoly(radicand))
    return proof_as_json(proof(g, eps_range(on), strict), g)


def fraction_or_name(value: Value) -> Fraction | str:
    return fraction(value) if isinstance(value, fmpq) else value.name


def flat(valuation: Valuation) -> list[Value]:
    """The values of all cells."""
    return [v for _, value in valuation for v in (value if isinstance(value, tuple) else (value,))]


def declaration(variable: Variable) -> Json:
    return {"name": variable.name, "size": variable.size, "domain": [str(v) for v in variable.domain]}


def delta_written(delta: Delta, on: Interval) -> Json:
    """delta, if it has a square root with proofs that it is one, and that the denominator is positive."""
    if isinstance(delta, Ratio):
        return [terms(delta.numerator), delta.denominator]
    g = delta.radicand
    return {
        "above": [terms(f) for f in delta.above],
        "below": [terms(f) for f in delta.below],
        "radicand": terms(g),
        "proofs": {
            "radicand": proved(g, on),
            "below": proved_rooted(delta.below, g, on, strict=True),
        },
    }


def _others(functions: Sequence[Function], i: int) -> Function:
    """The product of all but one."""
    product = ONE
    for j, f in enumerate(functions):
        product = product if i == j else kernel.multiply(product, f)
    return product


def bounds(f: Function, eps: Fraction, bits: int = 256) -> Bounds:
    """Two rationals around f(eps)."""
    low = high = ZERO
    for x, c in kernel.value_at(f, eps).items():
        ends = [c * e for e in kernel.exp_bounds(x, bits)]
        low, high = low + min(ends), high + max(ends)
    return low, high


def rooted_bounds(f: Rooted, g: Function, eps: Fraction) -> Bounds:
    """The same with a square root."""
    low, high = bounds(f.plain, eps)
    unit = 2**256
    roots = [
        Fraction(math.isqrt(math.floor(max(x, ZERO) * unit**2)) + i, unit)
        for i, x in enumerate(bounds(g, eps))
    ]
    ends = [x * y for x in bounds(f.root, eps) for y in roots] if f.root else [ZERO]
    return low + min(ends), high + max(ends)


def quotient(above: Bounds, below: Bounds) -> Bounds:
    ends = [x / y for x in above for y in below]
    return min(ends), max(ends)
