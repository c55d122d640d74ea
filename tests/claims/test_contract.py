"""The contract of claims: kinds of claims that dipc does not know pass through all of it.

Two are defined here, one by output and one by law, and nothing in ``dipc`` knows them.  They are decided on a
list of laws, as a Markov model may give them, and on the laws of a program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar
from xml.etree import ElementTree

import pytest
from answers import contents
from flint import fmpq

import dipc
from dipc.claims.claim import Claim, Finding, Inequalities, PairOfLaws, Witness
from dipc.claims.deciding import decide
from dipc.claims.oracle import SignOracle
from dipc.claims.rows import Row, eps_row, number_row
from dipc.claims.verdict import Doubt, Proved, Refuted, Undecided, Verdict
from dipc.claims.wording import Record
from dipc.cli.outcome import Outcome, report, summary, worst
from dipc.clock import Clock, Limits
from dipc.dipwhile.pipeline import neighbours_of
from dipc.errors import InputError
from dipc.models.laws import Listed, Neighbours, Vector, mass
from dipc.models.values import Valuation, valuation_record, valuation_text
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.report.document import plain_document, section_lines
from dipc.report.words import verdict_rows
from dipc.signs.ends import Interval
from dipc.signs.eps_range import EpsRange

EPS = ExpPoly.exp(1)
TRUTH = Quotient(EPS) / Quotient(EPS + 1)  # randomized response: the probability of the truth
LIE = Quotient.one() / Quotient(EPS + 1)
BITS: tuple[Valuation, ...] = ((("x", fmpq(0)),), (("x", fmpq(1)),))
SURVEY = Listed(BITS, BITS, [(TRUTH, LIE), (LIE, TRUTH)], [(0, 0), (0, 1), (1, 0), (1, 1)])
CONSTANT = Listed(BITS, BITS[:1], [(Quotient.one(),)] * 2, [(0, 1), (1, 0)])


@dataclass(frozen=True)
class Peak(Witness):
    """An output that is too likely."""

    input: Valuation
    outputs: Sequence[Valuation]
    epsilon: fmpq
    value: Quotient
    regions: tuple[Interval, ...] = ()

    def brief(self) -> str:
        return f"{valuation_text(self.input)}: {valuation_text(self.outputs[0])} at eps = {self.epsilon}"

    @property
    def sides(self) -> Any:
        raise NotImplementedError

    def rows(self) -> Iterator[Row]:
        yield Row("input", valuation_text(self.input), "input", valuation_record(self.input))
        yield eps_row(self.epsilon)
        yield number_row("value", "value", self.value, self.epsilon)


@dataclass(frozen=True, slots=True)
class Numeric(Claim):
    """What the two claims have in common: a number that is compared with a bound."""

    limit: fmpq

    words: ClassVar[tuple[str, str]] = ("bounded", "fails")
    proved: ClassVar[type[Proved]] = Proved
    refuted: ClassVar[type[Refuted]] = Refuted
    statement: ClassVar[str] = "none"
    name: ClassVar[str]

    @property
    def written(self) -> str:
        return f"{self.name} {self.limit}"

    def __str__(self) -> str:
        return f"{self.name} at most {self.limit} {self.when}"

    def brief(self) -> str:
        return f"{self.name} <= {self.limit}{self.brief_range}"

    def record(self) -> Record:
        return {"at_most": str(self.limit), "for": self.range_text}

    def validate(self, oracle: SignOracle) -> None:
        if self.limit < 0:
            raise InputError(f"a bound of {self.limit} makes no sense", self.span)

    def notes(self, oracle: SignOracle) -> tuple[str, ...]:
        return ("a bound of 1 says nothing",) if self.limit >= 1 else ()

    def inequalities(self, oracle: SignOracle) -> AtMost:
        return AtMost(self, oracle)

    def value(self, left: Vector, right: Vector, output: int) -> Quotient:
        """The number that is bounded."""
        raise NotImplementedError


class MostLikely(Numeric):
    """No output has a probability above the bound on any input."""

    __slots__ = ()
    name = "every probability is"

    @property
    def by_output(self) -> bool:
        return True

    def value(self, left: Vector, right: Vector, output: int) -> Quotient:
        return mass(left, (output,))


class Overlap(Numeric):
    """Two independent runs on adjacent inputs agree with at most this probability."""

    __slots__ = ()
    name = "the probability of agreement is"

    @property
    def by_output(self) -> bool:
        return False

    def value(self, left: Vector, right: Vector, output: int) -> Quotient:
        return sum((p * q for p, q in zip(left, right, strict=True)), Quotient.of(0))


class AtMost(Inequalities):
    """``limit - value >= 0``: for each probability, or once for two laws."""

    def __init__(self, claim: Numeric, oracle: SignOracle) -> None:
        self.claim: Numeric = claim
        self.judge = oracle

    def slacks(self, left: Vector, right: Vector) -> Iterator[tuple[tuple[int, ...], Quotient]]:
        for o in range(len(left)) if self.claim.by_output else (0,):
            yield (o,), Quotient.of(self.claim.limit) - self.claim.value(left, right, o)

    def witness_as_found(self, finding: Finding, laws: PairOfLaws) -> Peak:
        (output,) = finding.outputs
        value = self.claim.value(*laws.laws, output)
        return Peak(laws.inputs[0], (laws.outcomes[output],), finding.sample, value)


def decided(claim: Numeric, neighbours: Neighbours, clock: Clock | None = None) -> Verdict:
    return decide(claim, 2, lambda _: neighbours, clock or Clock())


ALL = EpsRange.positive()
ONE = EpsRange.point(fmpq(1))


def test_a_claim_by_output() -> None:
    verdict = decided(MostLikely(ALL, fmpq(1, 2)), SURVEY)
    assert isinstance(verdict, Refuted) and not isinstance(verdict, dipc.Violated)
    assert verdict.status == "fails"
    assert str(verdict).splitlines()[0] == "fails: every probability is at most 1/2 for every eps in (0, inf)"
    assert repr(verdict) == "<Refuted: every probability is at most 1/2 for every eps in (0, inf)>"
    assert (verdict.counts.pairs, verdict.counts.inequalities, verdict.counts.broken) == (1, 1, 1)


def test_a_claim_by_law() -> None:
    """On adjacent inputs 2p(1-p) <= 1/2; but on equal ones p^2 + (1-p)^2 > 1/2."""
    different = Listed(BITS, BITS, [(TRUTH, LIE), (LIE, TRUTH)], [(0, 1), (1, 0)])
    verdict = decided(Overlap(ALL, fmpq(1, 2)), different)
    assert isinstance(verdict, Proved) and not isinstance(verdict, dipc.Private)
    assert (verdict.counts.pairs, verdict.counts.inequalities, verdict.counts.distinct) == (2, 2, 1)
    assert isinstance(decided(Overlap(ALL, fmpq(1, 2)), SURVEY), Refuted)


def test_what_makes_no_sense_is_refused_by_the_claim() -> None:
    with pytest.raises(InputError, match="a bound of -1"):
        decided(MostLikely(ALL, fmpq(-1)), SURVEY)


def test_notes_of_the_claim_and_of_the_laws() -> None:
    assert decided(MostLikely(ALL, fmpq(1)), CONSTANT).notes == (
        "a bound of 1 says nothing",
        "there is only one possible output, whatever the input",
    )


def test_a_limit() -> None:
    verdict = decided(MostLikely(ALL, fmpq(1)), SURVEY, Clock(Limits(-1)))
    assert isinstance(verdict, Undecided)
    assert verdict.reason == "the time limit was reached (inequalities: 0 of 4)"


def test_the_laws_of_a_program() -> None:
    explored = dipc.load("svt1", N=2).explored

    def explore(oracle: SignOracle) -> Neighbours:
        return neighbours_of(explored, oracle, None, Clock())

    assert decide(MostLikely(ALL, fmpq(1)), 9, explore, Clock()).status == "bounded"
    verdict = decide(MostLikely(ONE, fmpq(1, 2)), 9, explore, Clock())
    (first,) = [line for line in str(verdict).splitlines() if line.startswith("value")]
    assert isinstance(verdict, Refuted) and first.startswith("value: 0.")


# --- every way in which a verdict is shown -------------------------------------------------------


def outcome(verdict: Verdict, expected: str | None = None) -> Outcome:
    return Outcome("chain.dpm", 0.5, verdict, expected=expected)


FAILING = MostLikely(EpsRange(fmpq(0), fmpq(2)), fmpq(1, 2))


def test_text() -> None:
    assert section_lines(*plain_document(verdict_rows(decided(FAILING, SURVEY)))) == [
        "claim    every probability is at most 1/2 for every ε in (0, 2)",
        "checked  2 inputs, 1 ordered pair of neighbours, 2 outputs: 1 inequality, 1 distinct (1 broken)",
        "verdict  FAILS",
        "input    x = 0",
        "budget   ε = 1",
        "value    0.7310585786  =  (exp(ε))/(1 + exp(ε))",
    ]


def test_json() -> None:
    found = contents(json.dumps(outcome(decided(FAILING, SURVEY)).record))
    assert found["claim"] == {"at_most": "1/2", "for": "(0, 2)"}
    assert found["verdict"] == "fails"
    assert found["counterexample"] == {
        "input": {"x": "0"},
        "epsilon": "1",
        "value": {"exact": "(exp(eps))/(1 + exp(eps))", "decimal": "0.7310585786"},
    }
    proved = contents(json.dumps(outcome(decided(MostLikely(ONE, fmpq(1)), SURVEY)).record))
    assert (proved["verdict"], proved["claim"]["for"], proved["counterexample"]) == ("bounded", "1", None)


def test_exit_status_and_summary() -> None:
    outcomes = [
        outcome(decided(FAILING, SURVEY)),
        outcome(decided(MostLikely(ALL, fmpq(1)), SURVEY)),
        outcome(decided(MostLikely(ALL, fmpq(1)), SURVEY, Clock(Limits(-1)))),
        outcome(dipc.load("rand1", N=1).check()),
    ]
    assert [each.status for each in outcomes] == [1, 0, 3, 0]
    assert worst(each.status for each in outcomes) == 1
    assert summary(outcomes, 4) == "4 programs: 1 bounded, 1 private, 1 fails, 1 undecided"
    assert outcomes[0].claim == "every probability is <= 1/2 on (0, 2)"
    assert outcomes[0].remark == "x = 0: x = 0 at ε = 1"


def test_junit() -> None:
    tree = report([outcome(decided(FAILING, SURVEY)), outcome(decided(MostLikely(ALL, fmpq(1)), SURVEY))])
    (failure,) = tree.iter("failure")
    assert failure.attrib == {"type": "fails", "message": "x = 0: x = 0 at ε = 1"}
    assert "verdict  BOUNDED" in ElementTree.tostring(tree, encoding="unicode")


def test_html() -> None:
    failing, holding = decided(FAILING, SURVEY), decided(MostLikely(ALL, fmpq(1)), SURVEY)
    assert "FAILS" in failing._repr_html_() and "0.7310585786" in failing._repr_html_()
    assert "BOUNDED" in holding._repr_html_()
    assert failing.counterexample is not None and "x = 0" in failing.counterexample._repr_html_()
    with pytest.raises(InputError, match="a bounded verdict has no counterexample"):
        holding.plot()


def test_the_first_violation_is_the_first_of_all_pairs() -> None:
    """As many inequalities as going through the pairs one by one would examine."""
    verdict = decided(MostLikely(ONE, fmpq(7, 10)), Listed(BITS, BITS, [(LIE, TRUTH)] * 2, [(0, 1), (1, 0)]))
    assert isinstance(verdict, Refuted)
    assert isinstance(verdict.counterexample, Peak) and verdict.counterexample.outputs == (BITS[1],)
    assert (verdict.counts.pairs, verdict.counts.inequalities) == (1, 2)
    assert verdict.counts.distinct == 2 and verdict.counts.broken == 1


def test_doubts_that_are_not_shown_are_counted() -> None:
    with dipc.limits(seconds=0):
        undecided = dipc.load("rand1").check()
    assert isinstance(undecided, Undecided)
    doubt = Doubt((), (), (), fmpq(1), fmpq(2))
    assert "and 2 more" in str(replace(undecided, doubts=(doubt,) * 5))
