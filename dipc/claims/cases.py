"""A claim as a list of cases, gone through in the order of the pairs of inputs.

Pairs of inputs with the same probabilities have the same answers.  So a claim comes as *cases*, each for all
ordered pairs of neighbours with the same probabilities of one output (delta = 0) or of all outputs
(delta > 0).  They are decided in the order of their first pairs: the first violation found is the one that
comes first among all pairs and outputs, and before it exactly those inequalities are met that are met by
going through the pairs one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from flint import fmpq

from dipc.claims.parallel import examined
from dipc.claims.privacy import Checked, PrivacyInequalities
from dipc.models.laws import Case, Vector
from dipc.signs.inequality import Answer, Fails, Holds, Unclear
from dipc.signs.proofs import Proof
from dipc.signs.radicals import Function

Tick = Callable[[int, int], None]  # told what is done, and of how much; may raise LimitReached


class Finding(NamedTuple):
    """The first violated inequality: the rank of the pair, and the places of its outputs."""

    pair: int
    outputs: tuple[int, ...]
    sample: fmpq


@dataclass
class Findings:
    """What came out of a check.

    ``open`` is the rank of the first pair of the case that is being looked at: all pairs before it are
    settled.  ``inequalities`` counts each for every pair of inputs that it is about, ``asked`` those of each
    case.  ``doubts`` holds one pair for each doubtful case: its rank, the outputs and the interval.
    """

    violation: Finding | None = None
    doubts: list[tuple[int, tuple[int, ...], Unclear]] = field(default_factory=list)
    open: int = 0
    inequalities: int = 0
    asked: dict[tuple[Vector, Vector], int] = field(default_factory=dict)
    distinct: dict[Function, Answer] = field(default_factory=dict)

    def by(self, *kinds: type[Proof]) -> int:
        """How many different inequalities have a proof of one of these kinds."""
        return sum(isinstance(a, Holds) and isinstance(a.proof, kinds) for a in self.distinct.values())

    def of(self, kind: type[Answer]) -> int:
        """How many different inequalities have this answer."""
        return sum(isinstance(answer, kind) for answer in self.distinct.values())

    def note(self, case: Case, questions: Sequence[Checked]) -> None:
        """The questions of a case have been answered."""
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


def decide(
    cases: Sequence[Case], comparison: PrivacyInequalities, findings: Findings, jobs: int, tick: Tick
) -> None:
    """Go through the cases in their order until the first violation; ``findings`` is filled on the way."""
    answers: dict[tuple[Vector, Vector], list[Checked]] = {}
    different = list(dict.fromkeys((case.left, case.right) for case in cases))
    coming = examined(comparison, different, jobs)
    for case in cases:
        findings.open = case.pairs.first
        laws = case.left, case.right
        if laws not in answers:
            tick(len(answers), len(different))
            answers[laws] = next(coming)
        findings.note(case, answers[laws])
        if findings.violation:
            return
