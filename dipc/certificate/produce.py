"""A certificate for a verdict.

Laws, adjacent inputs and answers are those that the verdict rests on (:class:`dipc.claims.cases.Evidence`):
nothing is explored again.  Probabilities are shared as decision diagrams, and an inequality names the
functions that it compares, so the size does not grow with the number of inputs or pairs.

**delta > 0.**  For adjacent u, u' and each outcome o the roots of g_o = P(u)(o) - exp(t eps) P(u')(o) are
isolated.  Between them the sign of g_o is constant and proved; in the small intervals around them it is left
unsure.  On each piece delta is compared with the sum over the outcomes with g_o >= 0 and every
subset of the unsure ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import chain, combinations, pairwise
from pathlib import PurePath

from flint import fmpq

from dipc.certificate.format import Json, fmpq_of, fraction, proof_as_json, terms, to_exppoly, to_function
from dipc.claims.cases import Evidence
from dipc.claims.counterexample import Counterexample
from dipc.claims.privacy import Goal, Private, Violated
from dipc.claims.verdict import Verdict
from dipc.dipwhile.pipeline import evidence_of
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.explore import Explorer, Law
from dipc.dipwhile.semantics.neighbours import ProductNeighbours
from dipc.dipwhile.semantics.valuations import in_order
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram, Variable
from dipc.errors import InputError, InternalError, LimitReached
from dipc.kernel import facts, privacy
from dipc.kernel import laws as listing
from dipc.kernel.exponential import exp_bounds
from dipc.kernel.facts import ONE, ZERO, Function, Interval, Rooted
from dipc.kernel.laws import Delta, Integers, Pairs, Ratio, Surd, Table
from dipc.models.laws import Listed, Neighbours, Vector
from dipc.models.values import Valuation, Value
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Answer, Holds
from dipc.signs.limits import NoProof
from dipc.signs.proofs import Chain, Identity, Point
from dipc.signs.radicals import Radical
from dipc.signs.search import proof
from dipc.signs.tables import roots_within

NARROW = fmpq(1, 2**20)  # of an interval around a root
DIGITS = 12  # of the numbers of a counterexample

Piece = tuple[Fraction, Fraction | None, str]  # the ends and the sign
Bounds = tuple[Fraction, Fraction]


def certificate(program: CoreProgram, verdict: Verdict) -> dict[str, Json]:
    """The certificate of a verdict, as JSON.

    Raises :class:`InputError` if the verdict is that nothing was decided, and :class:`LimitReached`.
    """
    match verdict:
        case Violated(goal, counterexample=found) if program.adjacency is not None:
            return Writer(program, program.adjacency, goal).violation(found)
        case Private(goal) if program.adjacency is not None:
            evidence = verdict.evidence
            if evidence is None or evidence.system is not program:
                evidence = evidence_of(program, goal)
            return Writer(program, program.adjacency, goal).proof(evidence)
    raise InputError("there is no certificate: nothing was decided about all adjacent inputs of the program")


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
        self.items: dict[tuple[str, Interval, str], Json] = {}
        self.pieces: dict[tuple[int, int], list[Piece]] = {}
        self.radicand: Function = {}
        self.proved: set[tuple[bytes, Interval]] = set()

    # --- the two kinds ---

    def proof(self, evidence: Evidence) -> dict[str, Json]:
        """The certificate of a proof."""
        neighbours = evidence.neighbours
        store, roots = diagrams_of(self.space, neighbours)
        used = reachable(store, roots)
        number: dict[int, int] = {}
        nodes = []
        for node in sorted(used, key=lambda node: (bool(store.branches[node]), node)):
            number[node] = len(number)
            if store.branches[node]:
                nodes.append([store.cells[node], *(number[child] for child in store.branches[node])])
            else:
                value = store.value(node)
                assert isinstance(value, Quotient)
                self._function(value, self.on)
        delta = self._delta(self.on)
        self.integers = self._integers(delta)
        cases = self._cases(evidence) if self.goal.delta else self._inequalities(evidence)
        outcomes = [flat(outcome) for outcome in neighbours.outcomes]
        return {
            **self._header(delta, self.on, outcomes, self._pairs(neighbours)),
            **self._functions(self.on),
            "nodes": nodes,
            "roots": [number[root] for root in roots],
            "inequalities": list(self.items.values()),
            "cases": cases,
        }

    def _pairs(self, neighbours: Neighbours) -> Json:
        """The pairs of a formula, one way round."""
        if not isinstance(neighbours, Listed):
            return None
        pairs = neighbours.listed()[1]
        if len(pairs) > listing.MAX_PAIRS:
            raise LimitReached(
                f"no certificate: the adjacency formula relates {len(pairs)} pairs of inputs, and at most "
                f"{listing.MAX_PAIRS} are listed (a named adjacency has no such limit)"
            )
        return sorted([i, j] for i, j in pairs if i <= j)

    def _integers(self, delta: Delta) -> Integers:
        return listing.in_integers(Table(self.denominators, self.ratios, delta), self.t)

    def _inequalities(self, evidence: Evidence) -> list[Json]:
        """Those for delta = 0, with the answers that were found."""
        found = {
            (self.functions[p], self.functions[q]): checked.answer
            for ((p,), (q,)), (checked,) in evidence.answers.items()
        }
        for pair in sorted(found):
            self._fact("slack", (pair,), self.on, found[pair])
        return []

    def _cases(self, evidence: Evidence) -> list[Json]:
        """Those for delta > 0."""

        def numbers(left: Vector, right: Vector) -> Pairs:
            return tuple(
                sorted((self.functions[p], self.functions[q]) for p, q in zip(left, right, strict=True))
            )

        return [self._case(pairs) for pairs in sorted({numbers(*laws) for laws in evidence.answers})]

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
        bound = listing.excess([], q, self.t)
        loss = [*p, *(Ratio(facts.negative(f), d) for f, d in bound)]
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
            **self._functions(on),
            "laws": laws,
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
            tests = [[*ratios, Ratio(facts.constant(-x * unit), 0)] for x in (m, m + 1)]
            sums = [listing.sum_with(test, times, delta, self.denominators) for test in tests]
            signs = [facts.sign_rooted(x, radicand, eps) for x in sums]
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
            "format": privacy.FORMAT,
            "version": privacy.VERSION,
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

    def _functions(self, on: Interval) -> dict[str, Json]:
        return {
            "denominators": [
                {"function": terms(f), "proof": proved(f, on, strict=True)} for f in self.denominators[1:]
            ],
            "functions": [[terms(f), d] for f, d in self.ratios],
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
        below = facts.normal(denominator)
        if facts.sign_at(below, inside(on)) < 0:
            below = facts.negative(below)
        (n, a, k, b), (m, d, j, i) = max(denominator), max(below)
        quotient = below[m, d, j, i] / denominator[n, a, k, b]
        factor: Function = {(m - n, d - a, j - k, i - b): quotient}
        if below not in self.denominators:
            self.denominators.append(below)
        return Ratio(facts.multiply(numerator, factor), self.denominators.index(below))

    def _delta(self, on: Interval) -> Delta:
        """delta in the kernel's terms; with a square root all denominators are moved to one place."""
        delta = self.goal.delta
        if isinstance(delta, Quotient):
            return self._ratio(delta, on)
        g, d = (to_function(f) for f in (delta.radicand.numerator, delta.radicand.denominator))
        if facts.sign_at(d, inside(on)) < 0:
            g, d = facts.negative(g), facts.negative(d)
        # sqrt(g/d) = sqrt(g d)/d
        factors = [to_function(x.denominator) for x in (*delta.above, *delta.below)]
        above, below = (
            Rooted(
                facts.multiply(to_function(pair[0].numerator), facts.multiply(_others(factors, i), d)),
                facts.multiply(to_function(pair[1].numerator), _others(factors, i + 1)),
            )
            for i, pair in ((0, delta.above), (2, delta.below))
        )
        radicand = self.radicand = facts.multiply(g, d)
        if facts.sign_rooted(below, radicand, inside(on)) < 0:
            above, below = (Rooted(*map(facts.negative, x)) for x in (above, below))
        return Surd(above, below, radicand)

    # --- inequalities ---

    def _fact(self, what: str, pairs: Pairs, on: Interval, answer: Answer | None = None) -> None:
        """The named function is >= 0 on the interval: among the inequalities, with a proof.

        Equal ones once; with the proof of the answer, if it is about the same function.
        """
        f = self.integers.slack(pairs) if what == "slack" else self.integers.signed(pairs[0], what)
        form = f.reduced()
        key = form.key(), on
        if key in self.proved:
            return
        self.proved.add(key)
        uncancelled = all(self.ratios[i].denominator == 0 for pair in pairs for i in pair)
        match answer:
            case Holds(Chain() | Identity() | Point() as found) if uncancelled and not form.root:
                written = proof_as_json(found, ExpPoly())
            case _:
                plain, root = (facts.unscaled(part, self.integers.unit) for part in form)
                written = proved_rooted(Rooted(plain, root), self.radicand, on)
        self._item(what, pairs, on, written)

    def _item(self, what: str, pairs: Pairs, on: Interval, proof: Json) -> None:
        """A named inequality with its proof; those with equal proofs are listed together."""
        ends = None if on == self.on else [str(on.low), None if on.high is None else str(on.high)]
        key = what, on, json.dumps(proof)
        item = self.items.setdefault(key, {"what": what, "of": [], "on": ends, "proof": proof})
        item["of"].append(list(chain.from_iterable(pairs)))

    def _case(self, pairs: Pairs) -> Json:
        """The pieces of the interval, with the signs of all g_o on each."""
        signs = [self._pieces(pair) for pair in pairs]
        points = sorted({low for pieces in signs for low, _, _ in pieces})
        ends: list[Fraction | None] = [*points, self.on.high]
        rows = []
        for low, high in pairwise(ends):
            assert low is not None
            row = "".join(next(s for a, b, s in pieces if inner(a, b, low, high)) for pieces in signs)
            rows.append(row)
            sure = [pair for pair, sign in zip(pairs, row, strict=True) if sign == "+"]
            unsure = [pair for pair, sign in zip(pairs, row, strict=True) if sign == "?"]
            if len(unsure) > privacy.MAX_UNSURE:
                raise NoProof("no certificate: the roots of too many functions are close together")
            subsets = chain.from_iterable(combinations(unsure, n) for n in range(len(unsure) + 1))
            for more in subsets:
                self._fact("slack", tuple(sorted([*sure, *more])), self.on)
            for pair, pieces, sign in zip(pairs, signs, row, strict=True):
                if sign != "?" and self._margin(pair):
                    a, b = next((a, b) for a, b, _ in pieces if inner(a, b, low, high))
                    on = self.on if len(pieces) == 1 else Interval(a, b, False, False)
                    self._fact(sign, (pair,), on)
        shown = (
            [str(self.on.low)] if self.on.low == self.on.high else [p if p is None else str(p) for p in ends]
        )
        return {"functions": list(chain.from_iterable(pairs)), "points": shown, "signs": rows}

    def _margin(self, pair: tuple[int, int]) -> Function:
        """exp(t*eps) Q - P in normal form."""
        return facts.unscaled(facts.reduced(self.integers.signed(pair, "-").plain)[0], self.integers.unit)

    def _pieces(self, pair: tuple[int, int]) -> list[Piece]:
        """The interval cut into pieces on which the margin, -g_o, has a known sign, or is unsure."""
        if pair in self.pieces:
            return self.pieces[pair]
        pieces = self.pieces[pair] = self._pieces_of(self._margin(pair))
        return pieces

    def _pieces_of(self, margin: Function) -> list[Piece]:
        low, high = self.on.low, self.on.high
        if not margin:
            return [(low, high, "-")]
        sign = "-" if facts.sign_at(margin, inside(self.on)) >= 0 else "+"
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
            pieces.append((start, end[0], "-" if facts.sign_at(margin, sample) > 0 else "+"))
            if end[0] is not None and end[0] < end[1]:
                pieces.append((end[0], end[1], "?"))
            start = end[1]
        return pieces


def diagrams_of(space: InputSpace, neighbours: Neighbours) -> tuple[Diagrams, list[int]]:
    """The probabilities of all outcomes as decision diagrams: a store, and a node for each."""
    if isinstance(neighbours, ProductNeighbours):
        return neighbours.diagrams()
    assert isinstance(neighbours, Listed)
    store = Diagrams([len(domain) for domain in space.domains])
    roots = []
    for column in zip(*neighbours.listed()[0], strict=True):
        level = [store.leaf(p) for p in column]
        for cell in range(len(space.cells) - 1, -1, -1):
            width = store.sizes[cell]
            level = [store.choice(cell, level[i : i + width]) for i in range(0, len(level), width)]
        roots += level
    return store, roots


def reachable(store: Diagrams, roots: Iterable[int]) -> set[int]:
    """The nodes below some nodes, and these."""
    found, todo = set(roots), list(roots)
    while todo:
        new = set(store.branches[todo.pop()]) - found
        found |= new
        todo += new
    return found


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
        product = product if i == j else facts.multiply(product, f)
    return product


def bounds(f: Function, eps: Fraction, bits: int = 256) -> Bounds:
    """Two rationals around f(eps)."""
    low = high = ZERO
    for x, c in facts.value_at(f, eps).items():
        ends = [c * e for e in exp_bounds(x, bits)]
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
