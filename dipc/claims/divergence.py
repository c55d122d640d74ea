"""Claims about likelihood ratios: what bounded range and Renyi divergences have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from flint import fmpq

from dipc.claims.claim import Checked, Claim, Finding, Inequalities, PairOfLaws, Witness
from dipc.claims.exponent import Exponent, exponent_text
from dipc.claims.oracle import SignOracle, require_nonnegative, require_positive
from dipc.claims.ratios import Measure
from dipc.claims.regions import violated_regions
from dipc.claims.verdict import Proved, Refuted
from dipc.claims.wording import Line, Record, digits_apart, number_record, number_text, pretty
from dipc.models.laws import Vector
from dipc.models.values import Valuation, valuation_record, valuation_text
from dipc.numbers.exact import Exact
from dipc.numbers.quotient import Quotient
from dipc.signs.ends import Interval, shown, union
from dipc.signs.inequality import Fails
from dipc.signs.roots import Unsettled


@dataclass(frozen=True, slots=True, repr=False)
class MeasuredPrivate(Proved):
    """Proved for every pair of adjacent inputs and every eps of the claim."""

    status: ClassVar[str] = "private"


@dataclass(frozen=True, slots=True, repr=False)
class MeasuredViolated(Refuted):
    """Refuted by an exact counterexample."""

    counterexample: Excess  # type: ignore[misc]
    status: ClassVar[str] = "violated"

    def to_sympy(self) -> Any:
        """The violated inequality of the counterexample in sympy, of the symbol ``eps``."""
        return self.counterexample.to_sympy()


class Part(NamedTuple):
    """One inequality ``value <= bound`` for the outputs ``places``, and what shows it."""

    places: tuple[int, ...]
    value: Quotient
    bound: Quotient
    outputs: tuple[int, ...]
    others: tuple[int, ...] = ()
    infinite: bool = False


@dataclass(frozen=True, slots=True)
class MeasuredClaim(Claim):
    """That epsilon bounds a measure of the laws of adjacent inputs."""

    exponent: Exponent

    proved: ClassVar[type[Proved]] = MeasuredPrivate
    refuted: ClassVar[type[Refuted]] = MeasuredViolated
    statement: ClassVar[str] = ""  # no certificate states it yet

    @property
    @abstractmethod
    def measure(self) -> Measure:
        """What is bounded."""

    @abstractmethod
    def parts(self, left: Vector, right: Vector, judge: SignOracle) -> Iterator[Part]:
        """The inequalities for P(u) and P(u').  Raises :class:`InputError` if one has no value."""

    @property
    def by_output(self) -> bool:
        """Never: outputs are compared with each other, or summed."""
        return False

    @property
    def epsilon(self) -> str:
        """The claimed epsilon as text."""
        return exponent_text(self.exponent)

    def __str__(self) -> str:
        return f"private {self.measure.claim(self.epsilon)} {self.when}"

    def brief(self) -> str:
        """For example ``range 2*eps``, and the range of eps if that is not every eps > 0."""
        return f"{self.measure.claim(self.epsilon)}{self.brief_range}"

    def record(self) -> Record:
        """The measure, epsilon as a function of eps, and the range of eps."""
        return {"measure": str(self.measure), "epsilon": self.epsilon, "for": self.range_text}

    def inequalities(self, oracle: SignOracle) -> MeasuredInequalities:
        """The inequalities that bound the measure."""
        return MeasuredInequalities(self, oracle)

    def validate(self, oracle: SignOracle) -> None:
        """That epsilon is >= 0 on the whole range."""
        for base, _ in self.exponent.functions:
            require_positive(base, oracle, self.span)
        message = f"the claimed epsilon {self.epsilon} is negative"
        require_nonnegative(self.exponent.factor - 1, oracle, self.span, message)


class MeasuredInequalities(Inequalities):
    """The inequalities of one claim for two laws."""

    def __init__(self, claim: MeasuredClaim, judge: SignOracle) -> None:
        self.claim: MeasuredClaim = claim
        self.judge = judge

    def examine(self, left: Vector, right: Vector) -> list[Checked]:
        """All inequalities, up to the first that fails."""
        questions = []
        for part in self.claim.parts(left, right, self.judge):
            f = self.judge.normal_form(part.bound - part.value)
            answer = self.judge.decide(f)
            questions.append(Checked(part.places, f, answer))
            if isinstance(answer, Fails):
                break
        return questions

    def witness(self, finding: Finding, laws: PairOfLaws) -> Excess:
        """The finding at a simple eps, with every eps at which the two inputs break the claim."""
        parts = list(self.claim.parts(*laws.laws, self.judge))
        (found,) = (part for part in parts if part.places == finding.outputs)
        budgets = self.claim.budgets
        try:
            slacks = [self.judge.numerator(part.bound - part.value) for part in parts]
            sample = violated_regions([slacks[parts.index(found)]], budgets)[0].sample
            regions = tuple(map(shown, violated_regions(slacks, budgets)))
        except Unsettled:
            sample, regions = finding.sample, ()
        return self._excess(found, sample, regions, laws)

    def witness_as_found(self, finding: Finding, laws: PairOfLaws) -> Excess:
        """The finding with exact numbers at the eps at hand."""
        parts = self.claim.parts(*laws.laws, self.judge)
        found = next(part for part in parts if part.places == finding.outputs)
        return self._excess(found, finding.sample, (), laws)

    def _excess(self, part: Part, eps: fmpq, regions: tuple[Interval, ...], laws: PairOfLaws) -> Excess:
        outputs, others = (tuple(laws.outcomes[o] for o in some) for some in (part.outputs, part.others))
        return Excess(
            *laws.inputs, outputs, others, Exact(eps), part.value, part.bound, regions, part.infinite
        )


INFINITE = "impossible for the neighbour: no epsilon would do"


@dataclass(frozen=True, slots=True, repr=False)
class Excess(Witness):
    """``value > bound`` at ``epsilon``; ``others`` are the outputs that ``outputs`` are compared with.

    Of a bounded range the value is ``P(u)(o) P(u')(o')``, of a Renyi divergence the sum over ``outputs``, or
    the probability of outputs that are impossible for the neighbour (``infinite``).
    """

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    others: tuple[Valuation, ...]
    epsilon: fmpq
    value: Quotient
    bound: Quotient
    regions: tuple[Interval, ...]
    infinite: bool

    def __repr__(self) -> str:
        return f"<Excess {self.brief()}>"

    def to_sympy(self) -> Any:
        """The violated inequality ``value > bound`` in sympy, of the symbol ``eps``."""
        from sympy import Gt

        return Gt(self.value.to_sympy(), self.bound.to_sympy(), evaluate=False)

    def brief(self) -> str:
        """For example ``q = 0 against q = 1: out = 0 against out = 1 at eps = 1``."""
        outputs = " or ".join(map(valuation_text, self.outputs))
        others = " against " + " or ".join(map(valuation_text, self.others)) if self.others else ""
        u, v = valuation_text(self.input), valuation_text(self.neighbour)
        return f"{u} against {v}: {outputs}{others} at eps = {self.epsilon}"

    def lines(self) -> Iterator[Line]:
        """The inputs, the outputs, eps, both sides and where the claim is violated."""
        yield "input", f"u  : {valuation_text(self.input)}"
        yield "neighbour", f"u' : {valuation_text(self.neighbour)}"
        heading = "outputs" if len(self.outputs) > 1 else "output"
        yield heading, " or ".join(map(valuation_text, self.outputs))
        if self.others:
            yield "against", " or ".join(map(valuation_text, self.others))
        yield "budget", pretty(f"eps = {self.epsilon}")
        digits = digits_apart(self.value, self.bound, self.epsilon)
        product = "P(u)(o) P(u')(o')" if self.others else "sum"
        yield "P(u)" if self.infinite else product, number_text(self.value, self.epsilon, digits)
        yield "bound", number_text(self.bound, self.epsilon, digits)
        yield "excess", number_text(self.value - self.bound, self.epsilon)
        if self.infinite:
            yield "", INFINITE
        if self.regions:
            yield "broken for", pretty(union(self.regions)) + "   by these two inputs"

    def record(self) -> Record:
        """The witness as JSON."""
        digits = digits_apart(self.value, self.bound, self.epsilon)
        return {
            "input": valuation_record(self.input),
            "neighbour": valuation_record(self.neighbour),
            "outputs": [valuation_record(output) for output in self.outputs],
            "against": [valuation_record(output) for output in self.others],
            "epsilon": str(self.epsilon),
            "value": number_record(self.value, self.epsilon, digits),
            "bound": number_record(self.bound, self.epsilon, digits),
            "excess": number_record(self.value - self.bound, self.epsilon),
            "infinite": self.infinite,
            "violated_for": [list(region.texts) for region in self.regions],
            "violated_for_ends": [region.record() for region in self.regions],
        }
