"""The whole tool: from a program to a verdict.

    text -> syntax tree -> core program -> configurations -> output laws -> inequalities -> verdict

:func:`check` and :func:`distribution` are that path; everything else is inside one of the stages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from flint import fmpq

from dipc.decision.budgets import Budgets
from dipc.decision.counterexample import Laws, counterexample
from dipc.decision.inequality import Fails, Method, Unclear
from dipc.decision.privacy import Comparison, Findings, Judge
from dipc.decision.termination import check_termination
from dipc.decision.verdict import Counts, Doubt, Goal, Private, Undecided, Verdict, Violated
from dipc.errors import InputError, LimitReached, Span
from dipc.probability.exppoly import ExpPoly
from dipc.probability.quotient import Quotient
from dipc.semantics.adjacency import Input, InputSpace, Pair
from dipc.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.semantics.explore import Explorer, Law
from dipc.syntax.core import CoreClaim, CoreProgram

Progress = Callable[[str, int, int], None]  # what is being done, how much is done, of how much


def silent(stage: str, done: int, total: int) -> None:
    """No progress is shown."""


@dataclass(frozen=True, slots=True)
class Options:
    """``at``: one budget instead of the claim's interval; ``pair``: one pair of inputs instead of all
    neighbours; ``time_limit`` in seconds."""

    at: fmpq | None = None
    pair: tuple[Input, Input] | None = None
    time_limit: float | None = None
    progress: Progress = silent


class Stopwatch:
    """Seconds spent in each stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = monotonic()

    def lap(self, stage: str) -> None:
        """The time since the last lap was spent in ``stage``."""
        now = monotonic()
        self.laps[stage] = now - self._last
        self._last = now


def check(program: CoreProgram, claim: CoreClaim, options: Options = Options()) -> Verdict:
    """Decide a claim.

    Raises :class:`InputError` (and its subclasses) for what is wrong in the program or the claim.  A
    limit that runs out is an :class:`Undecided` verdict.
    """
    goal = goal_of(claim, options.at)
    deadline = None if options.time_limit is None else monotonic() + options.time_limit
    judge = Judge(goal.budgets)
    _check_delta(goal, judge, claim.span)
    space = InputSpace(program)
    laws: Laws | None = None
    findings = Findings()
    watch = Stopwatch()
    try:
        inputs, pairs = _inputs_and_pairs(program, space, options)
        watch.lap("neighbours")
        laws = _laws(program, inputs, judge, deadline, options.progress)
        watch.lap("distributions")
        comparison = Comparison(laws.vectors, goal, judge)
        comparison.run(pairs, findings, _ticker(deadline, len(pairs), options.progress))
        watch.lap("decision")
        counts = _counts(len(inputs), laws, findings)
        if findings.violation is not None:
            found = counterexample(comparison, findings.violation, laws)
            watch.lap("counterexample")
            return Violated(goal, counts, watch.laps, found)
    except LimitReached as limit:
        watch.lap("limit")
        return Undecided(goal, _counts(len(space), laws, findings), watch.laps, (), str(limit))
    if findings.doubts:
        doubts = tuple(_doubt(laws, *doubt) for doubt in findings.doubts)
        return Undecided(goal, counts, watch.laps, doubts, "the sign of an inequality could not be settled")
    return Private(goal, counts, watch.laps)


def distribution(program: CoreProgram, values: Input, budgets: Budgets) -> Law:
    """The exact output distribution on one input; probabilities must make sense for all budgets."""
    explorer = Explorer(program)
    law = explorer.law(values)
    check_for_all_budgets(explorer, Judge(budgets))
    return law


def goal_of(claim: CoreClaim, at: fmpq | None = None) -> Goal:
    """The claim with its functions of eps evaluated; ``at`` replaces the interval by one budget."""
    epsilon = function_of_eps(claim.epsilon, NOTHING, never)
    term = epsilon.numerator.as_term()
    if epsilon and (term is None or Quotient(ExpPoly.of(term.coefficient, 1)) != epsilon):
        raise InputError(f"the claimed epsilon is {epsilon}, but must be t*eps", claim.epsilon.span)
    delta = Quotient.of(0) if claim.delta is None else function_of_eps(claim.delta, NOTHING, never)
    if at is None:
        budgets = Budgets(claim.low, claim.high, claim.low_closed, claim.high_closed)
    elif at <= 0:
        raise InputError(f"the budget must be positive, not {at}")
    else:
        budgets = Budgets.point(at)
    return Goal(term.coefficient if term else fmpq(0), delta, budgets)


def check_for_all_budgets(explorer: Explorer, judge: Judge) -> None:
    """What exploration had to leave open, because it depends on the budgets.

    Every probability drawn with lies in [0, 1] (they sum to 1, so >= 0 is enough), and every loop ends.
    """
    for p, span in explorer.stepper.probabilities.items():
        _require_nonnegative(p, judge, span, "the probability")
    for loop in explorer.loops:
        check_termination(loop, judge.budgets)


def _check_delta(goal: Goal, judge: Judge, span: Span) -> None:
    if goal.delta:
        _require_nonnegative(goal.delta, judge, span, "the claimed delta")


def _require_nonnegative(value: Quotient, judge: Judge, span: Span, what: str) -> None:
    match judge.nonnegative(value):
        case Fails(sample):
            raise InputError(
                f"{what} {value} is negative at eps = {sample}",
                span,
                "restrict the claim to the budgets where it makes sense: private ... for eps in (0, 1)",
            )
        case Unclear(low, high):
            raise InputError(
                f"whether {what} {value} is negative for eps in [{low}, {high}] is not settled", span
            )


def _inputs_and_pairs(
    program: CoreProgram, space: InputSpace, options: Options
) -> tuple[list[Input], Sequence[Pair]]:
    if options.pair is not None:
        if program.adjacency is not None and not space.adjacent(*options.pair, program.adjacency):
            raise InputError(
                "the two inputs of the pair are not neighbours in this program",
                program.adjacency.span,
                "give a pair that is, or change the adjacency (for example to: adjacent all)",
            )
        return list(options.pair), [(0, 1), (1, 0)]
    if program.adjacency is None:
        raise InputError(
            f"{program.source.name}: the program does not say which inputs are neighbours",
            hint="add a line such as: adjacent linf 1",
        )
    return list(space), space.pairs(program.adjacency)


def _laws(
    program: CoreProgram, inputs: list[Input], judge: Judge, deadline: float | None, progress: Progress
) -> Laws:
    explorer = Explorer(program, deadline)
    laws = []
    for done, values in enumerate(inputs):
        progress("output distributions", done, len(inputs))
        laws.append(explorer.law(values))
    check_for_all_budgets(explorer, judge)
    return Laws(program, inputs, laws)


def _ticker(deadline: float | None, total: int, progress: Progress) -> Callable[[int], None]:
    def tick(done: int) -> None:
        if done % 64 == 0:
            progress("pairs of inputs", done, total)
            if deadline is not None and monotonic() > deadline:
                raise LimitReached("the time limit was reached while deciding inequalities")

    return tick


def _counts(inputs: int, laws: Laws | None, findings: Findings) -> Counts:
    return Counts(
        inputs=inputs,
        pairs=findings.pairs,
        outputs=len(laws.outcomes) if laws else 0,
        inequalities=findings.inequalities,
        distinct=len(findings.distinct),
        identities=findings.by(Method.IDENTITY),
        by_chain=findings.by(Method.CHAIN),
        by_roots=findings.by(Method.ROOTS),
    )


def _doubt(laws: Laws, pair: Pair, outputs: tuple[int, ...], where: Unclear) -> Doubt:
    return Doubt(
        laws.valuation(pair[0]),
        laws.valuation(pair[1]),
        tuple(laws.output(o) for o in outputs),
        where.low,
        where.high,
    )
