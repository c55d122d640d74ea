"""(eps, delta)-privacy as a claim (DiPC, Definition 1 and Theorem 9, without its 2^|V| output sets).

**delta = 0.**  For every ordered pair (u, u') of adjacent inputs and every output o

    exp(epsilon) P(u')(o) - P(u)(o) >= 0      for every eps of the claim,

where epsilon is ``t*eps``, or a sum of such, of rational constants and of logarithms: exp(epsilon), the
*factor*, is a function of the ring.

**delta > 0.**  With g_o = P(u)(o) - exp(epsilon) P(u')(o), privacy at one eps means that delta is at least
the sum of the positive g_o: the worst set of outputs is S = {o : g_o(eps) > 0}.  Between the roots of the g_o
that set is constant, so only few sets occur.  For each of them delta - sum_{o in S} g_o >= 0 is checked on
the *whole* range: privacy implies it for every S, and the sets that occur imply privacy.  So roots of
different g_o need not be compared exactly: where they are too close, every set that might occur is taken.
Most g_o have one sign on the whole range: it depends on their two probabilities only, is found once for all
pairs of inputs that have them, and leaves only the others to the table of signs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from flint import fmpq

from dipc.claims.claim import Claim, Finding, Inequalities, PairOfLaws
from dipc.claims.counterexample import Counterexample
from dipc.claims.exponent import Exponent, exponent_text
from dipc.claims.oracle import SignOracle, require_nonnegative, require_positive
from dipc.claims.verdict import Proved, Refuted
from dipc.claims.wording import Record
from dipc.models.laws import Vector, mass
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Holds
from dipc.signs.roots import Unsettled
from dipc.signs.tables import RootCluster, sign_table


@dataclass(frozen=True, slots=True, repr=False)
class Private(Proved):
    """Proved for every pair of adjacent inputs, every set of outputs and every eps of the claim."""

    claim: Goal


@dataclass(frozen=True, slots=True, repr=False)
class Violated(Refuted):
    """Refuted by an exact counterexample."""

    claim: Goal
    counterexample: Counterexample  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Goal(Claim):
    """(epsilon, delta)-privacy for every eps of ``budgets``."""

    exponent: Exponent
    delta: Quotient
    text: str = ""  # epsilon as written, if it depends on the pair: then the exponent is that of some pairs

    proved: ClassVar[type[Proved]] = Private
    refuted: ClassVar[type[Refuted]] = Violated
    statement: ClassVar[str] = "privacy"

    @property
    def by_output(self) -> bool:
        """Whether delta is 0."""
        return not self.delta

    @property
    def monotone(self) -> bool:
        """Where delta is 0: ``factor q - p`` grows with q and falls with p."""
        return not self.delta

    @property
    def t(self) -> fmpq | None:
        """The t of a claim of ``t*eps``; None for another epsilon."""
        return None if self.text else self.exponent.multiple

    @property
    def multiple(self) -> fmpq:
        """The t of a claim that is known to be one of ``t*eps``."""
        assert self.t is not None
        return self.t

    @property
    def factor(self) -> Quotient:
        """``exp(epsilon)``."""
        return self.exponent.factor

    @property
    def epsilon(self) -> str:
        """The claimed epsilon as text."""
        return self.text or exponent_text(self.exponent)

    @property
    def written(self) -> str:
        return f"{self.epsilon}{f', {self.delta}' if self.delta else ''}"

    def __str__(self) -> str:
        return f"({self.written})-private {self.when}"

    def brief(self) -> str:
        """For example ``(1/2*eps, exp(-2))``, and the range if that is not every eps > 0."""
        return f"({self.written}){self.brief_range}"

    def record(self) -> Record:
        """Epsilon and delta as functions of eps, and the range."""
        return {"epsilon": self.epsilon, "delta": str(self.delta), "for": self.range_text}

    def bound(self, q: Quotient) -> Quotient:
        """What P(u) may be at most where P(u') is q: ``exp(epsilon) q + delta``."""
        return q * self.factor + self.delta

    def inequalities(self, oracle: SignOracle) -> PrivacyInequalities:
        """The inequalities that mean privacy."""
        return PrivacyInequalities(self, oracle)

    def validate(self, oracle: SignOracle) -> None:
        """That epsilon and delta are >= 0 on the whole range: else a claim could only seem to hold."""
        for base, _ in self.exponent.functions:
            require_positive(base, oracle, self.span)
        if self.t is None:
            message = f"the claimed epsilon {self.epsilon} is negative"
            require_nonnegative(self.factor - 1, oracle, self.span, message)
        if self.delta:
            require_nonnegative(self.delta, oracle, self.span, f"the claimed delta {self.delta} is negative")

    def notes(self, oracle: SignOracle) -> tuple[str, ...]:
        """A delta that makes the claim empty."""
        empty = self.delta and isinstance(oracle.nonnegative(self.delta - 1), Holds)
        return ("the claimed delta is 1 or more: every program is private then",) if empty else ()


class PrivacyInequalities(Inequalities):
    """The inequalities of one claim for two vectors of probabilities."""

    def __init__(self, claim: Goal, judge: SignOracle) -> None:
        self.claim: Goal = claim
        self.judge = judge
        self._factor = claim.factor
        self._bounds: dict[Quotient, Quotient] = {}
        self._margins: dict[tuple[Quotient, Quotient], Quotient] = {}
        self._signs: dict[tuple[Quotient, Quotient], int | None] = {}

    def slacks(self, left: Vector, right: Vector) -> Iterator[tuple[tuple[int, ...], Quotient]]:
        """Those of single outputs, or if delta is not 0 of the worst sets."""
        sets = self.worst_sets(left, right) if self.claim.delta else [(o,) for o in range(len(left))]
        for chosen in sets:
            yield chosen, self.slack(left, right, chosen)

    def margin(self, p: Quotient, q: Quotient) -> Quotient:
        """``exp(epsilon) q - p``."""
        margin = self._margins.get((p, q))
        if margin is None:
            if q not in self._bounds:
                self._bounds[q] = self._factor * q
            margin = self._margins[p, q] = self._bounds[q] - p
        return margin

    def margins(self, left: Sequence[Quotient], right: Sequence[Quotient]) -> list[ExpPoly]:
        """Functions with the signs of the margins of all outputs."""
        return [self.judge.numerator(self.margin(p, q)) for p, q in zip(left, right, strict=True)]

    def worst_sets(self, left: Vector, right: Vector) -> list[tuple[int, ...]]:
        """:func:`worst_sets` of all outputs; the sign of a margin that has only one is found once."""
        signs = [self._sign(*both) for both in zip(left, right, strict=True)]
        always = [o for o, sign in enumerate(signs) if sign is not None and sign < 0]
        rest = [o for o, sign in enumerate(signs) if sign is None]
        if not rest:
            return [tuple(always)]
        margins = self.margins([left[o] for o in rest], [right[o] for o in rest])
        sets = worst_sets(margins, self.claim.budgets)
        return [tuple(sorted((*always, *(rest[k] for k in chosen)))) for chosen in sets]

    def _sign(self, p: Quotient, q: Quotient) -> int | None:
        """The sign of a margin inside the whole range; None if it has several, or is not settled."""
        if (p, q) not in self._signs:
            try:
                cells = sign_table([self.judge.numerator(self.margin(p, q))], self.claim.budgets)
            except Unsettled:
                cells = ()
            self._signs[p, q] = cells[0].signs[0] if len(cells) == 1 else None
        return self._signs[p, q]

    def slack(self, left: Vector, right: Vector, outputs: Iterable[int]) -> Quotient:
        """``exp(epsilon) P(u')(outputs) + delta - P(u)(outputs)``: negative where the claim is violated."""
        total = self.claim.delta
        for o in outputs:
            margin = self.margin(left[o], right[o])
            total = total + margin if total else margin
        return total

    # --- the counterexample ---

    def witness_as_found(self, finding: Finding, laws: PairOfLaws) -> Counterexample:
        """The finding with exact numbers at the eps at hand."""
        left, right = laws.laws
        p, q = mass(left, finding.outputs), mass(right, finding.outputs)
        bound = self.claim.bound(q)
        return Counterexample(
            input=laws.inputs[0],
            neighbour=laws.inputs[1],
            outputs=tuple(laws.outcomes[o] for o in finding.outputs),
            epsilon=finding.sample,
            probability=p,
            neighbour_probability=q,
            bound=bound,
            excess=p - bound,
            regions=(),
        )

    def simplest(self, finding: Finding, laws: PairOfLaws) -> Finding:
        """With delta > 0 the outputs are the worst set at that eps."""
        if self.claim.by_output:
            return finding
        margins = enumerate(self.margins(*laws.laws))
        return finding._replace(outputs=tuple(o for o, f in margins if f.sign_at(finding.sample) < 0))


def worst_sets(margins: Sequence[ExpPoly], budgets: EpsRange) -> list[tuple[int, ...]]:
    """The sets {o : margin_o < 0} over all budgets (perhaps empty), and a few more next to close roots."""
    sets: dict[tuple[int, ...], None] = {}
    for cell in sign_table(margins, budgets):
        unsure: frozenset[int] = frozenset()
        if isinstance(cell.high, RootCluster) and len(cell.high.roots) > 1:
            unsure = cell.high.members
        if len(unsure) > 12:
            raise Unsettled(cell.sample, cell.sample)
        for signs in product(*((-1, 1) if o in unsure else (s,) for o, s in enumerate(cell.signs))):
            sets[tuple(o for o, s in enumerate(signs) if s < 0)] = None
    return list(sets)
