"""A certificate for a verdict.

Laws, adjacent inputs and answers are those that the verdict rests on (:class:`dipc.claims.cases.Evidence`):
nothing is explored again.  Probabilities are shared as decision diagrams, and an inequality names the
functions that it compares, so the size does not grow with the number of inputs or pairs.

**delta > 0.**  For adjacent u, u' and each outcome o the roots of g_o = P(u)(o) - exp(epsilon) P(u')(o) are
isolated.  Between them the sign of g_o is constant and proved; in the small intervals around them it is left
unsure.  On each piece delta is compared with the sum over the outcomes with g_o >= 0 and every
subset of the unsure ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from typing import Any, Literal

from flint import fmpq

from dipc.certificate.format import (
    Ratios,
    fraction,
    listed_interval,
    listed_points,
    listed_program,
    listed_proof,
    terms,
)
from dipc.claims.cases import Evidence
from dipc.claims.counterexample import Counterexample
from dipc.claims.privacy import Goal, Private, Violated
from dipc.claims.verdict import Verdict
from dipc.clock import Clock
from dipc.dipwhile.convert import to_claim
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import by_epsilon, evidence_of, goal_of, pairs_one_by_one
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.neighbours import ProductNeighbours
from dipc.dipwhile.semantics.valuations import in_order
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram, Variable
from dipc.errors import InputError, LimitReached
from dipc.kernel import laws as listing
from dipc.kernel import privacy as kernel
from dipc.kernel.facts import Scaled, reduced
from dipc.kernel.laws import Pairs
from dipc.kernel.schema import FORMAT, VERSION
from dipc.models.graph import closure
from dipc.models.values import Valuation, Value
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds
from dipc.signs.limits import NoProof
from dipc.signs.proofs import Proof, SignTable
from dipc.signs.search import proof
from dipc.signs.tables import roots_within

NARROW = fmpq(1, 2**20)  # of an interval around a root

What = Literal["slack", "+", "-"]
Piece = tuple[EpsRange, Literal["+", "-", "?"]]  # the sign there


def certificate(program: CoreProgram, verdict: Verdict) -> kernel.Private | kernel.Violated:
    """The certificate of a verdict.

    Raises :class:`InputError` if the verdict is that nothing was decided, and :class:`LimitReached`.
    """
    if not isinstance(verdict.claim, Goal):
        message = f"there is no certificate for the claim {verdict.claim}, only for (epsilon, delta)-privacy"
        raise InputError(message)
    match verdict:
        case Violated(goal, counterexample=found) if program.adjacency is not None:
            on = EpsRange.point(found.epsilon)
            return Writer(program, program.adjacency, goal, on).violation(found)
        case Private(goal) if program.adjacency is not None and goal.text:
            return Writer(program, program.adjacency, goal, goal.budgets).proof_of_pairs()
        case Private(goal) if program.adjacency is not None:
            evidence = verdict.evidence
            known = evidence is not None and evidence.system is program
            if evidence is None or not known or evidence.neighbours.reduced:
                evidence = evidence_of(program, goal)
            return Writer(program, program.adjacency, goal, goal.budgets).proof(evidence)
    raise InputError("there is no certificate: nothing was decided about all adjacent inputs of the program")


class Writer:
    """One certificate being written; its proofs are about the range ``on``."""

    def __init__(self, program: CoreProgram, adjacency: CoreAdjacency, goal: Goal, on: EpsRange) -> None:
        self.program, self.adjacency, self.goal, self.on = program, adjacency, goal, on
        self.space = InputSpace(program)
        self.ratios = Ratios(on)
        self.items: dict[tuple[str, EpsRange, str], kernel.Inequality] = {}
        self.pieces: dict[tuple[int, int], list[Piece]] = {}
        self.proved: set[tuple[frozenset[object], EpsRange]] = set()
        self.factors = [goal.factor]
        self.of: list[int] | None = None  # the factors of the listed pairs, if they have their own

    # --- the two kinds ---

    def proof(self, evidence: Evidence) -> kernel.Private:
        """The certificate of a proof."""
        neighbours = evidence.neighbours
        assert isinstance(neighbours, ProductNeighbours)  # those of all adjacent inputs
        listed = self._listed(neighbours, self._pairs(neighbours))
        listed["cases"] = self._cases(evidence) if self.goal.delta else self._inequalities(evidence)
        return kernel.Private(**listed, inequalities=list(self.items.values()))

    def proof_of_pairs(self) -> kernel.Private:
        """The same where each pair of inputs has its own epsilon: all pairs are listed."""
        explored, clock = Explored(self.program), Clock()
        claim = to_claim(self.program, self.goal.epsilon)
        groups, _ = by_epsilon(explored, claim, *pairs_one_by_one(explored, None, clock)[:2])
        factor_of = [(goal_of(each).factor, pairs) for each, pairs in groups]
        self.factors = list(dict.fromkeys(factor for factor, _ in factor_of))
        listed = sorted(
            {(*sorted(pair), self.factors.index(factor)) for factor, pairs in factor_of for pair in pairs}
        )
        self.of = [k for *_, k in listed]
        neighbours, _ = explored.neighbours(self.adjacency, clock)
        fields = self._listed(neighbours, [(i, j) for i, j, _ in listed])
        needed: set[Pairs] = set()
        for i, j, k in listed:
            u, v = (list(map(self.ratios.number, neighbours.law_at(self.space.digits(x)))) for x in (i, j))
            for left, right in ((u, v), (v, u)):
                bounds = (q + k * len(self.ratios.listed) for q in right)
                compared = sorted(zip(left, bounds, strict=True))
                needed.update([tuple(compared)] if self.goal.delta else [(pair,) for pair in compared])
        fields["cases"] = []
        for some in sorted(needed):
            if self.goal.delta:
                fields["cases"].append(self._case(some))
            else:
                self._fact("slack", some, self.on)
        return kernel.Private(**fields, inequalities=list(self.items.values()))

    def _listed(self, neighbours: ProductNeighbours, pairs: list[tuple[int, int]] | None) -> dict[str, Any]:
        """The fields of a proof about these neighbours but for cases and inequalities."""
        store, roots = neighbours.diagrams()
        used = closure(roots, store.branches.__getitem__)
        number: dict[int, int] = {}
        nodes = []
        for node in sorted(used, key=lambda node: (bool(store.branches[node]), node)):
            number[node] = len(number)
            if store.branches[node]:
                nodes.append([store.cells[node], *(number[child] for child in store.branches[node])])
            else:
                self._number(store, node)
        outcomes = [flat(outcome) for outcome in neighbours.outcomes]
        header = self._header(outcomes, pairs)
        self.integers = listing.in_integers(self.ratios.table(self.goal.delta, self.factors))
        return {**header, "nodes": nodes, "roots": [number[root] for root in roots]}

    def _number(self, store: Diagrams, leaf: int) -> int:
        """The number of the function that a leaf is."""
        value = store.value(leaf)
        assert isinstance(value, Quotient)
        return self.ratios.number(value)

    def _pairs(self, neighbours: ProductNeighbours) -> list[tuple[int, int]] | None:
        """The pairs of a formula, one way round."""
        if self.adjacency.formula is None:
            return None
        if (number := neighbours.count()) > listing.MAX_PAIRS:
            raise LimitReached(
                f"no certificate: the adjacency formula relates {number} pairs of inputs, and at most "
                f"{listing.MAX_PAIRS} are listed (a named adjacency has no such limit)"
            )
        return sorted((i, j) for i, j in neighbours.positions() if i <= j)

    def _inequalities(self, evidence: Evidence) -> list[kernel.Case]:
        """Those for delta = 0, with the proofs that were found: of the same functions if nothing cancels."""
        numbers, (factor,) = self.ratios.numbers, self.factors
        answers = {
            (numbers[p], numbers[q]): checked.answer for ((p,), (q,)), (checked,) in evidence.answers.items()
        }
        for pair, answer in sorted(answers.items(), key=lambda item: item[0]):
            known = None
            divided = factor.denominator != 1 or any(self.ratios.listed[i][1] for i in pair)
            if isinstance(answer, Holds) and not divided:
                known = None if isinstance(answer.proof, SignTable) else answer.proof
            self._fact("slack", (pair,), self.on, known)
        return []

    def _cases(self, evidence: Evidence) -> list[kernel.Case]:
        """Those for delta > 0."""
        cases = set()
        for laws in evidence.answers:
            left, right = ([self.ratios.numbers[p] for p in law] for law in laws)
            cases.add(tuple(sorted(zip(left, right, strict=True))))
        return [self._case(pairs) for pairs in sorted(cases)]

    def violation(self, found: Counterexample) -> kernel.Violated:
        """The certificate of a counterexample."""
        explorer = Explorer(self.program)
        cells = [flat(found.input), flat(found.neighbour)]
        laws = [explorer.law(dict(zip(self.space.cells, values, strict=True))) for values in cells]
        outcomes = in_order(self.program, {outcome for law in laws for outcome in law})
        zero = Quotient.of(0)
        rows = [[self.ratios.number(law.get(o, zero)) for o in outcomes] for law in laws]
        first, last = sorted(map(self._position, cells))
        self.of = [0] if self.goal.text else None
        listed = self.adjacency.kind == "formula" or self.of is not None
        pairs = [(first, last)] if listed else None
        violation = kernel.Violation(
            input=[str(v) for v in cells[0]],
            neighbour=[str(v) for v in cells[1]],
            outcomes=sorted(outcomes.index(tuple(flat(output))) for output in found.outputs),
            eps=fraction(found.epsilon),
        )
        return kernel.Violated(**self._header(outcomes, pairs), laws=rows, violation=violation)

    def _position(self, values: Sequence[Value]) -> int:
        """The place of an input among all."""
        cells = zip(self.space.strides, self.space.domains, values, strict=True)
        return sum(stride * domain.index(value) for stride, domain, value in cells)

    # --- parts of both ---

    def _header(
        self, outcomes: Sequence[Sequence[Value]], pairs: list[tuple[int, int]] | None
    ) -> dict[str, Any]:
        """The fields of both kinds."""
        program, goal, on = self.program, self.goal, listed_interval(self.goal.budgets)
        f, divisor = self.ratios.ratio(goal.delta)
        delta = terms(f), divisor
        claim = (
            kernel.ByFactor([self.ratios.positive(factor) for factor in self.factors], self.of, delta, on)
            if goal.t is None
            else kernel.Claimed(fraction(goal.t), delta, on)
        )
        kind: Any = "formula" if self.of is not None else self.adjacency.kind
        distance = self.adjacency.distance
        near = fraction(distance or fmpq(0)) if kind in ("linf", "l1", "hamming") else None
        return {
            "format": FORMAT,
            "version": VERSION,
            "statement": "privacy",
            "program": listed_program(program.source),
            "parameters": {name: fraction(value) for name, value in program.parameters},
            "claim": claim,
            "inputs": [declaration(v) for v in program.inputs],
            "outputs": [declaration(v) for v in program.outputs],
            "adjacency": listing.Related(kind, near, pairs),
            "outcomes": [[str(v) for v in outcome] for outcome in outcomes],
            "denominators": self.ratios.listed_denominators(),
            "functions": self.ratios.functions(),
        }

    # --- inequalities ---

    def _fact(self, what: What, pairs: Pairs, on: EpsRange, known: Proof | None = None) -> None:
        """A named function is >= 0 on a range: listed once among the inequalities, with its proof.

        Those with equal proofs are listed together.
        """
        form = self._named(what, pairs)
        key = frozenset(form.items()), on
        if key in self.proved:
            return
        self.proved.add(key)
        f = ExpPoly() if known else self._unscaled(form)
        written = listed_proof(known or proof(f, on), f)
        ends = None if on == self.on else (fraction(on.low), None if on.high is None else fraction(on.high))
        new = kernel.Inequality(what, [], ends, written)
        item = self.items.setdefault((what, on, repr(written)), new)
        item.of.append(list(chain.from_iterable(pairs)))

    def _named(self, what: str, pairs: Pairs) -> Scaled:
        """The function of that name, in normal form."""
        return reduced(kernel.function_of(self.integers, what, pairs))

    def _unscaled(self, f: Scaled) -> ExpPoly:
        return ExpPoly({key: fmpq(c) for key, c in f.items()}, self.integers.unit)

    def _case(self, pairs: Pairs) -> kernel.Case:
        """The pieces of the range, with the signs of all g_o on each."""
        cuts = [self._pieces(pair) for pair in pairs]
        points = sorted({on.low for pieces in cuts for on, _ in pieces})
        rows = []
        for low in points:
            here = [next(piece for piece in reversed(pieces) if piece[0].low <= low) for pieces in cuts]
            rows.append("".join(sign for _, sign in here))
            sure, unsure = (
                [pair for pair, (_, sign) in zip(pairs, here, strict=True) if sign == kind] for kind in "+?"
            )
            if len(unsure) > kernel.MAX_UNSURE:
                raise NoProof("no certificate: the roots of too many functions are close together")
            for more in chain.from_iterable(combinations(unsure, n) for n in range(len(unsure) + 1)):
                self._fact("slack", tuple(sorted([*sure, *more])), self.on)
            for pair, (on, sign) in zip(pairs, here, strict=True):
                if sign != "?" and self._named("-", (pair,)):
                    self._fact(sign, (pair,), on)
        ends = points if self.on.is_point else [*points, self.on.high]
        return kernel.Case(list(chain.from_iterable(pairs)), listed_points(ends), rows)

    def _pieces(self, pair: tuple[int, int]) -> list[Piece]:
        """The range cut into pieces on which the margin, -g_o, has a known sign, or is unsure."""
        if pair not in self.pieces:
            self.pieces[pair] = pieces_of(self._unscaled(self._named("-", (pair,))), self.on)
        return self.pieces[pair]


def pieces_of(margin: ExpPoly, on: EpsRange) -> list[Piece]:
    """The range cut at small intervals around the roots, with the signs of -margin."""

    def signed(piece: EpsRange) -> Piece:
        return piece, "-" if margin.sign_at(piece.inside) >= 0 else "+"

    roots = () if on.is_point else roots_within(margin, on.low, on.high)
    if not roots:
        return [signed(on)]
    pieces, start = [], on.low
    for root in roots:
        root.refine_to(NARROW)
        pieces.append(signed(EpsRange(start, root.low)))
        if root.low < root.high:
            pieces.append((EpsRange(root.low, root.high), "?"))
        start = root.high
    return [*pieces, signed(EpsRange(start, on.high))]


def flat(valuation: Valuation) -> list[Value]:
    """The values of all cells."""
    return [v for _, value in valuation for v in (value if isinstance(value, tuple) else (value,))]


def declaration(variable: Variable) -> listing.Variable:
    """A variable with its set."""
    return listing.Variable(variable.name, variable.size, [str(v) for v in variable.domain])
