"""A claim as a list of cases, decided in the order of the pairs of inputs.

Pairs of inputs with the same probabilities have the same answers.  So a claim comes as *cases*, each for all
ordered pairs of adjacent inputs with the same probabilities of one output (a claim by output) or of all
outputs (a claim by law).  They are decided in the order of their first pairs: the first violation found is
the first among all pairs and outputs, and the inequalities decided before it are exactly those that going
through the pairs one by one would decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from dipc.claims.claim import Checked, Finding, Inequalities
from dipc.claims.parallel import examined
from dipc.models.laws import Case, Neighbours, Vector
from dipc.signs.inequality import Answer, Fails, Holds, Unclear
from dipc.signs.proofs import Proof
from dipc.signs.radicals import Function

Laws = tuple[Vector, Vector]
Tick = Callable[[int, int], None]  # called with what is done, and of how much; may raise LimitReached


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
    distinct: dict[Function, Answer] = field(default_factory=dict)
    answers: dict[Laws, list[Checked]] = field(default_factory=dict)

    def by(self, *kinds: type[Proof]) -> int:
        """The number of distinct inequalities with a proof of one of these kinds."""
        return sum(isinstance(a, Holds) and isinstance(a.proof, kinds) for a in self.distinct.values())

    def of(self, kind: type[Answer]) -> int:
        """The number of distinct inequalities with this answer."""
        return sum(isinstance(answer, kind) for answer in self.distinct.values())

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


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a verdict rests on: the laws of adjacent inputs of a system, and the answers for each two laws.

    Certificates are written from it.
    """

    system: object
    neighbours: Neighbours
    answers: Mapping[Laws, Sequence[Checked]]


def go_through(
    cases: Sequence[Case], inequalities: Inequalities, findings: Findings, jobs: int, tick: Tick
) -> None:
    """Decide the cases in their order up to the first violation; ``findings`` is filled on the way."""
    answers = findings.answers
    different = list(dict.fromkeys((case.left, case.right) for case in cases))
    coming = examined(inequalities, different, jobs)
    for case in cases:
        findings.open = case.pairs.first
        laws = case.left, case.right
        if laws not in answers:
            tick(len(answers), len(different))
            answers[laws] = next(coming)
        findings.note(case, answers[laws])
        if findings.violation:
            return
