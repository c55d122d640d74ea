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

import dipc.dipwhile.certify.measures as measures
from dipc.certificate.format import fraction, listed_interval, listed_points, listed_proof, terms
from dipc.claims.accuracy import Accurate
from dipc.claims.cases import Evidence
from dipc.claims.counterexample import Counterexample
from dipc.claims.divergence import Measured
from dipc.claims.privacy import Goal, Private, Violated
from dipc.claims.verdict import Verdict
from dipc.clock import Clock
from dipc.dipwhile.certify.listing import LawWriter, flat, listed_pairs, related
from dipc.dipwhile.convert import to_claim
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import by_epsilon, evidence_of, goal_of, pairs_one_by_one
from dipc.dipwhile.semantics.neighbours import ProductNeighbours
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram
from dipc.errors import InputError
from dipc.kernel import laws as listing
from dipc.kernel import privacy as kernel
from dipc.kernel.facts import Scaled, reduced
from dipc.kernel.laws import Pairs
from dipc.kernel.measures import Proved
from dipc.kernel.measures import Violated as Refuted
from dipc.models.values import Value
from dipc.numbers.exppoly import ExpPoly
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds
from dipc.signs.limits import NoProof
from dipc.signs.proofs import Proof, SignTable
from dipc.signs.search import proof
from dipc.signs.tables import roots_within

NARROW = fmpq(1, 2**20)  # of an interval around a root

Listed = kernel.Private | kernel.Violated | Proved | Refuted
What = Literal["slack", "+", "-"]
Piece = tuple[EpsRange, Literal["+", "-", "?"]]  # the sign there


def certificate(program: CoreProgram, verdict: Verdict) -> Listed:
    """The certificate of a verdict.

    Raises :class:`InputError` if the verdict is that nothing was decided, and :class:`LimitReached`.
    """
    if isinstance(verdict.claim, Accurate | Measured):
        return measures.certificate(program, verdict)
    match verdict:
        case Violated(goal, counterexample=found) if program.adjacency is not None:
            on = EpsRange.point(found.epsilon)
            return Writer(program, program.adjacency, goal, on).violation(found)
        case Private(goal) if program.adjacency is not None and goal.text:
            return Writer(program, program.adjacency, goal, goal.budgets).proof_of_pairs()
        case Private(goal) if program.adjacency is not None:
            evidence = verdict.evidence
            known = evidence is not None and evidence.system is program
            if evidence is None or not known:
                evidence = evidence_of(program, goal)
            return Writer(program, program.adjacency, goal, goal.budgets).proof(evidence)
    raise InputError("there is no certificate: nothing was decided about all adjacent inputs of the program")


class Writer(LawWriter):
    """One certificate of (epsilon, delta)-privacy being written."""

    def __init__(self, program: CoreProgram, adjacency: CoreAdjacency, goal: Goal, on: EpsRange) -> None:
        super().__init__(program, on)
        self.adjacency, self.goal = adjacency, goal
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
        listed = self._listed(neighbours, listed_pairs(self.adjacency, neighbours))
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
        laws = self.diagram(neighbours)
        fields = laws | self._header([flat(outcome) for outcome in neighbours.outcomes], pairs)
        self.integers = listing.in_integers(self.ratios.table(self.goal.delta, self.factors))
        return fields

    def _header(
        self, outcomes: Sequence[Sequence[Value]], pairs: list[tuple[int, int]] | None
    ) -> dict[str, Any]:
        """The fields of both kinds."""
        goal, on = self.goal, listed_interval(self.goal.budgets)
        f, divisor = self.ratios.ratio(goal.delta)
        delta = terms(f), divisor
        claim = (
            kernel.ByFactor([self.ratios.positive(factor) for factor in self.factors], self.of, delta, on)
            if goal.t is None
            else kernel.Claimed(fraction(goal.t), delta, on)
        )
        adjacency = related(self.adjacency, pairs, self.of is not None)
        return {**self.header("privacy", claim, outcomes), "adjacency": adjacency}

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
        cells, outcomes, rows = self.laws_on([found.input, found.neighbour])
        first, last = sorted(map(self.position, cells))
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
