"""A claim as a list of cases, decided in the order of the pairs of inputs.

Pairs of inputs with the same probabilities have the same answers.  So a claim comes as *cases*, each for all
ordered pairs of adjacent inputs with the same probabilities of one output (a claim by output) or of all
outputs (a claim by law).  They are decided in the order of their first pairs: the first violation found is
the first among all pairs and outputs, and the inequalities decided before it are exactly those that going
through the pairs one by one would decide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from dipc.claims.claim import Checked, Claim, Finding, Inequalities
from dipc.frozen import frozen
from dipc.models.laws import Case, Neighbours, Vector
from dipc.numbers.exppoly import ExpPoly
from dipc.signs.inequality import Answer, Fails, Holds, Unclear
from dipc.signs.proofs import Chain, Identity, Inverse, Point, SignTable

Laws = tuple[Vector, Vector]
Tick = Callable[[int, int], None]  # called with what is done, and of how much; may raise LimitReached


@frozen
class Counts:
    """What was examined: for a violation, up to the counterexample in the order of pairs and outputs.

    ``pairs`` are ordered; ``inequalities`` are counted for every pair, ``distinct`` are those that differ by
    more than a positive factor.  Of the distinct ones ``by_chain`` were proved by the derivative chain,
    ``identities`` are equalities for every eps, ``by_roots`` needed root isolation, and ``at_point`` were
    decided by the sign at the only eps in question.  ``broken`` ones do not hold, ``open`` ones are not
    settled.

    If a limit was reached, ``pairs`` are those settled with all their inequalities, and ``inequalities``
    are all that were settled, for these pairs and others.

    With a ``shortcut`` only some pairs are examined, which decide all others: unless the claim holds,
    ``pairs`` and ``inequalities`` are those examined.
    """

    inputs: int
    pairs: int
    outputs: int
    inequalities: int
    distinct: int
    identities: int = 0
    by_chain: int = 0
    by_roots: int = 0
    at_point: int = 0
    broken: int = 0
    open: int = 0
    shortcut: str = ""


def together(parts: Sequence[Counts]) -> Counts:
    """The counts of a question that was asked in parts, each about other pairs of the same inputs."""
    one = ("inputs", "outputs", "shortcut")
    summed = {
        f.name: sum(getattr(part, f.name) for part in parts) for f in fields(Counts) if f.name not in one
    }
    return replace(parts[0], **summed)


@dataclass
class Findings:
    """The results of a check so far.

    ``open`` is the rank of the first pair of the case in hand: all pairs before it are settled.
    ``inequalities`` counts each inequality for every pair of inputs that it is about, ``asked`` those of each
    case and ``answers`` their answers.  ``doubts`` holds one pair for each doubtful case: its rank, the
    outputs and the interval.
    """

    violation: Finding | None = None
    doubts: list[tuple[int, tuple[int, ...], Unclear]] = field(default_factory=list)
    open: int = 0
    inequalities: int = 0
    asked: dict[Laws, int] = field(default_factory=dict)
    distinct: dict[ExpPoly, Answer] = field(default_factory=dict)
    answers: dict[Laws, list[Checked]] = field(default_factory=dict)

    def note(self, case: Case, questions: Sequence[Checked]) -> None:
        """Record the answers of a case."""
        inequalities = [q for q in questions if q.inequality is not None]
        self.asked[case.left, case.right] = len(inequalities)
        self.inequalities += case.pairs.number * len(inequalities)
        for chosen, inequality, answer in questions:
            outputs = tuple(case.outputs[k] for k in chosen)
            if inequality is not None:
                self.distinct[inequality] = answer
            if isinstance(answer, Fails):
                self.violation = Finding(case.pairs.first, outputs, answer.sample)
            elif isinstance(answer, Unclear):
                self.doubts.append((case.pairs.first, outputs, answer))

    def counts(self, neighbours: Neighbours, claim: Claim) -> Counts:
        """All that was examined; for a violation, what going through the pairs one by one would examine."""
        found = self.violation
        if found is None:
            pairs = neighbours.count()
            asked = pairs * len(neighbours.outcomes) if neighbours.shortcut else self.inequalities
            return self._counts(neighbours, pairs, asked)
        if neighbours.shortcut:
            return self._counts(neighbours, self.inequalities, self.inequalities)
        pairs = neighbours.count(found.pair)
        if claim.by_output:
            return self._counts(
                neighbours, pairs, (pairs - 1) * len(neighbours.outcomes) + found.outputs[0] + 1
            )
        earlier = neighbours.by_law(found.pair)
        asked = sum(case.pairs.number * self.asked[case.left, case.right] for case in earlier)
        return self._counts(neighbours, pairs, asked)

    def counts_so_far(self, neighbours: Neighbours) -> Counts:
        """What was settled before a limit: pairs with all their outputs, and all equal inequalities."""
        settled = self.inequalities if neighbours.shortcut else neighbours.count(self.open - 1)
        return self._counts(neighbours, settled, self.inequalities)

    def _counts(self, neighbours: Neighbours, pairs: int, inequalities: int) -> Counts:
        kinds = Counter(type(a.proof if isinstance(a, Holds) else a) for a in self.distinct.values())
        return Counts(
            inputs=neighbours.inputs,
            pairs=pairs,
            outputs=len(neighbours.outcomes),
            inequalities=inequalities,
            distinct=len(self.distinct),
            identities=kinds[Identity],
            by_chain=kinds[Chain] + kinds[Inverse],
            by_roots=kinds[SignTable],
            at_point=kinds[Point],
            broken=kinds[Fails],
            open=kinds[Unclear],
            shortcut=neighbours.shortcut,
        )


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a verdict rests on: the laws of adjacent inputs of a system, and the answers for each two laws.

    Certificates are written from it.
    """

    system: object
    neighbours: Neighbours
    answers: Mapping[Laws, Sequence[Checked]]


def go_through(cases: Sequence[Case], inequalities: Inequalities, findings: Findings, tick: Tick) -> None:
    """Decide the cases in their order up to the first violation; ``findings`` is filled on the way."""
    answers = findings.answers
    vectors, known = {id(v): v for case in cases for v in (case.left, case.right)}, dict[Vector, int]()
    number = {place: known.setdefault(v, len(known)) for place, v in vectors.items()}  # hashed once each
    different = len({(number[id(case.left)], number[id(case.right)]) for case in cases})
    for case in cases:
        findings.open = case.pairs.first
        laws = case.left, case.right
        if laws not in answers:
            tick(len(answers), different)
            answers[laws] = inequalities.examine(*laws)
        findings.note(case, answers[laws])
        if findings.violation:
            return
