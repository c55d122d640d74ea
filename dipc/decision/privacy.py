"""From output laws to a verdict (DiPC, Definition 1 and Theorem 9, without its 2^|V| output sets).

**delta = 0.**  For every ordered pair (u, u') of neighbours and every output o

    exp(t eps) P(u')(o) - P(u)(o) >= 0        for every eps of the claim.

**delta > 0.**  With g_o = P(u)(o) - exp(t eps) P(u')(o), privacy at one eps means that delta is at least the
sum of the positive g_o: the worst set of outputs is S = {o : g_o(eps) > 0}.  Between the roots of the g_o
that set is constant, so only few sets occur.  For each of them delta - sum_{o in S} g_o >= 0 is checked on
*all* budgets: privacy implies it for every S, and the sets that occur imply privacy.  So roots of different
g_o need not be compared exactly: where they are too close, every set that might occur is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from flint import fmpq

from dipc.decision.budgets import Budgets
from dipc.decision.inequality import (
    Answer,
    Fails,
    Holds,
    Method,
    Unclear,
    nonnegative,
    sign_if_constant,
    without_monomial,
)
from dipc.decision.roots import Unsettled
from dipc.decision.signs import Border, sign_table
from dipc.decision.verdict import Goal
from dipc.errors import InputError
from dipc.probability.exppoly import ExpPoly
from dipc.probability.quotient import Quotient

Tick = Callable[[int], None]  # called with the number of pairs done; may raise LimitReached


class Judge:
    """Answers inequalities between functions of eps, each only once."""

    def __init__(self, budgets: Budgets) -> None:
        self.budgets = budgets
        self.answers: dict[ExpPoly, Answer] = {}
        self._denominators: dict[ExpPoly, int] = {}

    def nonnegative(self, value: Quotient) -> Answer:
        """Whether value >= 0 on all budgets."""
        return self.decide(self.normal_form(value))

    def normal_form(self, value: Quotient) -> ExpPoly:
        """A function with the signs of ``value``, the same for all that differ by a positive factor."""
        return without_monomial(self.numerator(value))

    def decide(self, f: ExpPoly) -> Answer:
        """Whether f >= 0 on all budgets."""
        answer = self.answers.get(f)
        if answer is None:
            answer = self.answers[f] = nonnegative(f, self.budgets)
        return answer

    def numerator(self, value: Quotient) -> ExpPoly:
        """A function with the signs of ``value``: its numerator, up to the sign of the denominator.

        Raises :class:`InputError` if the denominator has a root at a budget of the claim.
        """
        return value.numerator * self._sign_of(value.denominator)

    def _sign_of(self, denominator: ExpPoly) -> int:
        sign = self._denominators.get(denominator)
        if sign is None:
            sign = sign_if_constant(denominator, self.budgets)
            if sign is None:
                raise InputError(
                    f"a probability is undefined for some eps in {self.budgets}: {denominator} vanishes",
                    hint="restrict the claim: private ... for eps in (low, high)",
                )
            self._denominators[denominator] = sign
        return sign


@dataclass(frozen=True, slots=True)
class Finding:
    """The first violated inequality: the pair, and the places of its outputs in the list of outcomes."""

    pair: tuple[int, int]
    outputs: tuple[int, ...]
    sample: fmpq


@dataclass
class Findings:
    """What came out of a check."""

    violation: Finding | None = None
    doubts: list[tuple[tuple[int, int], tuple[int, ...], Unclear]] = field(default_factory=list)
    pairs: int = 0
    inequalities: int = 0
    distinct: dict[ExpPoly, Answer] = field(default_factory=dict)

    def by(self, method: Method) -> int:
        """How many different inequalities were proved this way."""
        return sum(isinstance(a, Holds) and a.method is method for a in self.distinct.values())


class Comparison:
    """The inequalities of one claim over given laws.

    ``vectors[i][o]`` is the probability of outcome o on input i.
    """

    def __init__(self, vectors: Sequence[Sequence[Quotient]], goal: Goal, judge: Judge) -> None:
        self.goal = goal
        self.judge = judge
        self._factor = Quotient(goal.factor)
        self._identity: dict[Quotient, int] = {}
        self._functions: list[Quotient] = []
        self.ids = [[self._intern(p) for p in vector] for vector in vectors]
        self._bounds = [self._factor * p for p in self._functions]
        self._margins: dict[tuple[int, int], Quotient] = {}
        self._answers: dict[tuple[int, int], Answer] = {}

    def _intern(self, p: Quotient) -> int:
        known = self._identity.get(p)
        if known is None:
            known = self._identity[p] = len(self._functions)
            self._functions.append(p)
        return known

    def run(self, pairs: Iterable[tuple[int, int]], findings: Findings, tick: Tick) -> None:
        """Go through the pairs until the first violation; ``findings`` is filled on the way."""
        look = self._with_delta if self.goal.delta else self._pure
        for pair in pairs:
            tick(findings.pairs)
            findings.pairs += 1
            for outputs, answer in look(pair, findings):
                if isinstance(answer, Fails):
                    findings.violation = Finding(pair, outputs, answer.sample)
                elif isinstance(answer, Unclear):
                    findings.doubts.append((pair, outputs, answer))
                if findings.violation:
                    break
            if findings.violation:
                return

    def margin(self, pair: tuple[int, int], o: int) -> Quotient:
        """``exp(t eps) P(u')(o) - P(u)(o)``."""
        key = self.ids[pair[0]][o], self.ids[pair[1]][o]
        if key not in self._margins:
            self._margins[key] = self._bounds[key[1]] - self._functions[key[0]]
        return self._margins[key]

    def slack(self, pair: tuple[int, int], outputs: Iterable[int]) -> Quotient:
        """``exp(t eps) P(u')(outputs) + delta - P(u)(outputs)``: negative where the claim is broken."""
        return sum((self.margin(pair, o) for o in outputs), self.goal.delta)

    def _decide(self, value: Quotient, findings: Findings) -> Answer:
        f = self.judge.normal_form(value)
        answer = findings.distinct[f] = self.judge.decide(f)
        return answer

    def _pure(self, pair: tuple[int, int], findings: Findings) -> Iterator[tuple[tuple[int, ...], Answer]]:
        left, right = self.ids[pair[0]], self.ids[pair[1]]
        for o, key in enumerate(zip(left, right, strict=True)):
            findings.inequalities += 1
            answer = self._answers.get(key)
            if answer is None:
                answer = self._answers[key] = self._decide(self.margin(pair, o), findings)
            if not isinstance(answer, Holds):
                yield (o,), answer

    def _with_delta(
        self, pair: tuple[int, int], findings: Findings
    ) -> Iterator[tuple[tuple[int, ...], Answer]]:
        outputs = range(len(self.ids[0]))
        margins = [self.margin(pair, o) for o in outputs]
        signed = [self.judge.numerator(m) for m in margins]
        try:
            sets = worst_sets(signed, self.goal.budgets)
        except Unsettled as doubt:
            yield tuple(outputs), Unclear(doubt.low, doubt.high)
            return
        for chosen in sets:
            findings.inequalities += 1
            answer = self._decide(self.slack(pair, chosen), findings)
            if not isinstance(answer, Holds):
                yield chosen, answer


def worst_sets(margins: Sequence[ExpPoly], budgets: Budgets) -> list[tuple[int, ...]]:
    """The sets {o : margin_o < 0} over all budgets (perhaps empty), and a few more next to close roots.

    >>> worst_sets([2 - ExpPoly.exp(1), 3 - ExpPoly.exp(1)], Budgets.positive())   # roots ln 2 and ln 3
    [(), (0,), (0, 1)]
    """
    sets: dict[tuple[int, ...], None] = {}
    for cell in sign_table(margins, budgets):
        unsure: frozenset[int] = frozenset()
        if isinstance(cell.high, Border) and len(cell.high.roots) > 1:
            unsure = cell.high.members
        if len(unsure) > 12:
            raise Unsettled(cell.sample, cell.sample)
        for signs in product(*((-1, 1) if o in unsure else (s,) for o, s in enumerate(cell.signs))):
            sets[tuple(o for o, s in enumerate(signs) if s < 0)] = None
    return list(sets)


def violated_regions(
    slacks: Sequence[ExpPoly], budgets: Budgets
) -> list[tuple[Border | fmpq | None, Border | fmpq | None, fmpq]]:
    """The maximal intervals on which one of the functions is negative, each with a simple rational in it.

    Two intervals that only share a border at which some function stays negative are one.
    """
    regions: list[tuple[Border | fmpq | None, Border | fmpq | None, fmpq]] = []
    joined = False
    for cell in sign_table(slacks, budgets):
        negative = {i for i, s in enumerate(cell.signs) if s < 0}
        if negative:
            if joined:
                low, _, sample = regions[-1]
                regions[-1] = (low, cell.high, sample)
            else:
                regions.append((cell.low, cell.high, cell.sample))
        joined = bool(negative) and isinstance(cell.high, Border) and bool(negative - cell.high.members)
    return regions
