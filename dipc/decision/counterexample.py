"""A violated inequality made into an exact counterexample that people can read and check."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from dipc.decision.privacy import Comparison, Finding, violated_regions, worst_sets
from dipc.decision.roots import Unsettled
from dipc.decision.signs import end_as_text
from dipc.decision.verdict import Counterexample, Valuation
from dipc.probability.quotient import Quotient
from dipc.syntax.core import Cell, CoreProgram, Variable
from dipc.syntax.values import Value


class Laws:
    """The output laws of some inputs over their common list of outcomes.

    ``vectors[i][o]`` is the probability of outcome o on input i; outcomes are in the order of the output
    domains.
    """

    def __init__(
        self,
        program: CoreProgram,
        inputs: Sequence[dict[Cell, Value]],
        laws: Sequence[dict[tuple[Value, ...], Quotient]],
    ) -> None:
        self.program = program
        self.inputs = inputs
        places = [{v: i for i, v in enumerate(x.domain)} for x in program.outputs for _ in x.cells]
        found = {outcome for law in laws for outcome in law}
        self.outcomes = sorted(found, key=lambda o: [p[v] for p, v in zip(places, o, strict=True)])
        zero = Quotient.of(0)
        self.vectors = [[law.get(outcome, zero) for outcome in self.outcomes] for law in laws]

    def valuation(self, i: int) -> Valuation:
        """Input i, variable by variable."""
        return grouped(self.program.inputs, self.inputs[i])

    def output(self, o: int) -> Valuation:
        """Outcome o, variable by variable."""
        return output_valuation(self.program, self.outcomes[o])


def output_valuation(program: CoreProgram, outcome: Sequence[Value]) -> Valuation:
    """The outputs, variable by variable."""
    cells = [cell for variable in program.outputs for cell in variable.cells]
    return grouped(program.outputs, dict(zip(cells, outcome, strict=True)))


def grouped(variables: Sequence[Variable], values: dict[Cell, Value]) -> Valuation:
    """Cells put together into scalars and arrays."""
    return tuple(
        (v.name, values[v.name, 0] if v.size is None else tuple(values[cell] for cell in v.cells))
        for v in variables
    )


def counterexample(comparison: Comparison, finding: Finding, laws: Laws) -> Counterexample:
    """The finding with a simple eps0, exact numbers, and all budgets at which the pair breaks the claim."""
    goal, pair = comparison.goal, finding.pair
    outputs, sample = _simplest(comparison, finding)
    p = sum((laws.vectors[pair[0]][o] for o in outputs), Quotient.of(0))
    q = sum((laws.vectors[pair[1]][o] for o in outputs), Quotient.of(0))
    bound = Quotient(goal.factor) * q + goal.delta
    return Counterexample(
        input=laws.valuation(pair[0]),
        neighbour=laws.valuation(pair[1]),
        outputs=tuple(laws.output(o) for o in outputs),
        epsilon=sample,
        probability=p,
        neighbour_probability=q,
        bound=bound,
        excess=p - bound,
        violated_for=_violated_for(comparison, pair),
    )


def _simplest(comparison: Comparison, finding: Finding) -> tuple[tuple[int, ...], fmpq]:
    """The outputs with the simplest budget at which they break the claim.

    With delta > 0 the outputs are the worst set at that budget.
    """
    slack = comparison.slack(finding.pair, finding.outputs)
    try:
        regions = violated_regions([comparison.judge.numerator(slack)], comparison.goal.budgets)
    except Unsettled:
        return finding.outputs, finding.sample
    sample = regions[0][2]
    if not comparison.goal.delta:
        return finding.outputs, sample
    margins = ((o, comparison.margin(finding.pair, o)) for o in range(len(comparison.ids[0])))
    worst = tuple(o for o, m in margins if comparison.judge.numerator(m).sign_at(sample) < 0)
    return worst, sample


def _violated_for(comparison: Comparison, pair: tuple[int, int]) -> tuple[tuple[str, str], ...]:
    """All budgets at which some set of outputs of this pair breaks the claim; empty if not settled."""
    goal, judge = comparison.goal, comparison.judge
    every = range(len(comparison.ids[0]))
    try:
        if goal.delta:
            margins = [judge.numerator(comparison.margin(pair, o)) for o in every]
            sets = worst_sets(margins, goal.budgets)
        else:
            sets = [(o,) for o in every]
        slacks = [judge.numerator(comparison.slack(pair, chosen)) for chosen in sets]
        regions = violated_regions(slacks, goal.budgets)
    except Unsettled:
        return ()
    return tuple((end_as_text(low), end_as_text(high)) for low, high, _ in regions)
