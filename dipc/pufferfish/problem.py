"""What all engines know of a question: its pairs, the constant of its claim, and how answers are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from flint import arb, ctx, fmpq

from dipc.clock import Clock
from dipc.errors import InternalError
from dipc.models.hmm import added
from dipc.models.mixtures import Claim, Side, sides_of
from dipc.numbers.exact import ends
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.pufferfish.beliefs import ONE, ZERO, Ratio, Word, quotient
from dipc.pufferfish.question import NOTHING, Question
from dipc.pufferfish.verdict import Counterexample, Least, Pump, Reached


class Constant:
    """``c0 = factor * exp(constant)``: c without eps, compared exactly with rational numbers."""

    def __init__(self, claim: Claim) -> None:
        self.factor, self.exponent = claim.factor, claim.constant

    @property
    def is_rational(self) -> bool:
        """Whether it is one."""
        return not self.exponent

    def bounds(self, bits: int) -> tuple[fmpq, fmpq]:
        """Rational numbers below and above, equal if c0 is rational."""
        if self.is_rational:
            return self.factor, self.factor
        with ctx.workprec(bits):
            both = ends(arb(self.exponent).exp())
        low, high = (self.factor * fmpq(end.numerator, end.denominator) for end in both)
        return low, high

    def compare(self, ratio: Ratio) -> int:
        """1 if the quotient is greater than c0, 0 if equal, -1 if smaller."""
        if ratio is None:
            return 1
        scaled = ratio / self.factor
        if self.is_rational:
            return (scaled > 1) - (scaled < 1)
        return (ExpPoly.of(scaled) - ExpPoly.exp(0, self.exponent)).sign_at(ZERO)

    def is_below(self, ratio: Ratio) -> bool:
        """Whether the quotient is greater than c0."""
        return self.compare(ratio) > 0

    def is_broken(self, above: fmpq, below: fmpq) -> bool:
        """Whether c0 * above < below, for above >= 0."""
        return below > 0 and self.is_below(quotient(below, above))


class Problem:
    """A question, and its pairs of which both sides are possible."""

    steps: Any

    def __init__(self, question: Question, clock: Clock) -> None:
        self.question, self.clock = question, clock
        impossible = {key: side for key, side in sides_of(question.pairs).items() if not _possible(side)}
        self.pairs = tuple(p for p in question.pairs if not any(id(side) in impossible for side in p))
        notes = [side.impossible for side in impossible.values()]
        notes += [] if self.pairs else [NOTHING]
        self.notes = tuple(dict.fromkeys((*question.notes, *notes)))

    @property
    def common(self) -> dict[str, Any]:
        """What every answer tells."""
        return {"question": self.question, "pairs": len(self.pairs), "notes": self.notes}

    def reached(
        self,
        number: int,
        words: Sequence[Word],
        both: Sequence[Quotient],
        parameters: Mapping[str, fmpq] | None = None,
        epsilon: fmpq | None = None,
        pump: Pump | None = None,
    ) -> Reached:
        """The probabilities of some words on both sides of a pair, at a point."""
        (left, right), texts = self.pairs[number], tuple(map(self.steps.text, words))
        return Reached(
            secret=left.name,
            against=right.name,
            prior=left.prior or right.prior,
            sequence=texts[0],
            sequences=texts if len(texts) > 1 else (),
            parameters=parameters or {},
            epsilon=epsilon,
            probability=both[0],
            other_probability=both[1],
            pump=pump,
        )


def violating(claim: Claim, found: Reached) -> Counterexample | None:
    """What is reached as a counterexample, if it violates the claim."""
    bound = found.other_probability * claim.c.at(found.epsilon or ZERO) + claim.delta
    excess = found.probability - bound
    if excess.sign_at(ZERO) <= 0:
        return None
    common = {field.name: getattr(found, field.name) for field in fields(found)}
    return Counterexample(**common, bound=bound, excess=excess)


def counterexample(claim: Claim, found: Reached) -> Counterexample:
    """The same, which must."""
    shown = violating(claim, found)
    if shown is None:
        raise InternalError("a counterexample that does not violate the claim")
    return shown


def least(low: Ratio, high: Ratio) -> Least:
    """An enclosure of the least c, which is at least 1."""
    if low is None:
        raise InternalError("an infinite quotient is an answer, not an enclosure")
    return Least(Quotient.of(max(low, ONE)), None if high is None else Quotient.of(max(high, ONE)))


def _possible(side: Side) -> bool:
    """Whether the sum of the weights is not zero everywhere."""
    weights = list(added(side.weights).values())
    return bool(weights) and bool(sum(weights[1:], weights[0]))
