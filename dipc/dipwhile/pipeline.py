"""The whole tool: from a program to a verdict.

    text -> syntax tree -> core program -> configurations -> output laws -> cases -> verdict

:func:`check` and :func:`distribution` are that path; everything else is inside one of the stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from flint import fmpq

from dipc.claims.cases import Findings, decide
from dipc.claims.counterexample import PairOfLaws, counterexample
from dipc.claims.privacy import PrivacyInequalities, SignOracle, check_delta, require_nonnegative
from dipc.claims.tightness.losses import Losses
from dipc.claims.verdict import Counts, Doubt, Goal, Private, Undecided, Verdict, Violated
from dipc.clock import Clock, Progress, silent
from dipc.dipwhile.semantics.adjacency import Distance, Input, InputSpace, Pair, adjacent, formula_pairs
from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never, number_of_eps
from dipc.dipwhile.semantics.explore import Explorer, Law, LeftOpen
from dipc.dipwhile.semantics.functions import OutputFunctions
from dipc.dipwhile.semantics.neighbours import ProductNeighbours
from dipc.dipwhile.semantics.valuations import grouped, in_order, output_valuation
from dipc.dipwhile.syntax.core import CoreClaim, CoreProgram
from dipc.errors import InputError, LimitReached
from dipc.models.laws import Case, Listed, Neighbours
from dipc.models.termination import check_termination
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, Unclear
from dipc.signs.proofs import Chain, Identity, Inverse, Point, SignTable


@dataclass(frozen=True, slots=True)
class Options:
    """``at``: one budget instead of the claim's interval; ``pair``: one pair of inputs instead of all
    neighbours; limits in seconds and megabytes; ``jobs``: how many processes decide inequalities."""

    at: fmpq | None = None
    pair: tuple[Input, Input] | None = None
    time_limit: float | None = None
    memory_limit: float | None = None
    progress: Progress = silent
    jobs: int = 1


def check(program: CoreProgram, claim: CoreClaim, options: Options = Options()) -> Verdict:
    """Decide a claim.

    Raises :class:`InputError` (and its subclasses) for what is wrong in the program or the claim.  A
    limit that runs out is an :class:`Undecided` verdict.
    """
    clock = Clock(options.time_limit, options.memory_limit, options.progress)
    goal = goal_of(claim, options.at)
    comparison, findings = PrivacyInequalities(goal, SignOracle(goal.budgets)), Findings()
    neighbours: Neighbours | None = None
    try:
        check_delta(goal, comparison.judge, claim.span)
        neighbours = neighbours_of(program, comparison.judge, options.pair, clock)
        clock.lap("distributions")
        cases = _cases(neighbours, goal)
        clock.lap("neighbours")
        decide(cases, comparison, findings, options.jobs, partial(clock.tick, "inequalities"))
        clock.lap("decision")
        counts = _counts(neighbours, goal, findings)
        if findings.violation is not None:
            laws = _pair_of_laws(neighbours, findings.violation.pair)
            found = counterexample(comparison, findings.violation, laws)
            clock.lap("counterexample")
            return Violated(goal, counts, clock.laps, found, notes=_notes(goal, comparison.judge, neighbours))
    except (LimitReached, MemoryError) as limit:
        clock.lap("limit")
        counts = _counts_so_far(program, neighbours, findings)
        reason = str(limit) if isinstance(limit, LimitReached) else "the memory ran out"
        return Undecided(goal, counts, clock.laps, (), f"{reason} ({clock.doing})")
    if findings.doubts:
        doubts = tuple(_doubt(neighbours, *doubt) for doubt in findings.doubts)
        return Undecided(goal, counts, clock.laps, doubts, "the sign of an inequality could not be settled")
    return Private(goal, counts, clock.laps, notes=_notes(goal, comparison.judge, neighbours))


def distribution(program: CoreProgram, values: Input, budgets: EpsRange) -> Law:
    """The exact output distribution on one input; probabilities must make sense for all budgets."""
    explorer = Explorer(program)
    law = explorer.law(values)
    check_for_all_budgets(explorer.left_open, SignOracle(budgets))
    return law


def goal_of(claim: CoreClaim, at: fmpq | None = None) -> Goal:
    """The claim with its functions of eps evaluated; ``at`` replaces the interval by one budget."""
    epsilon = function_of_eps(claim.epsilon, NOTHING, never)
    term = epsilon.numerator.as_term()
    if epsilon and (term is None or Quotient(ExpPoly.of(term.coefficient, 1)) != epsilon):
        raise InputError(f"the claimed epsilon is {epsilon}, but must be t*eps", claim.epsilon.span)
    delta = Quotient.of(0) if claim.delta is None else number_of_eps(claim.delta, NOTHING, never)
    if at is None:
        budgets = EpsRange(claim.low, claim.high, claim.low_closed, claim.high_closed)
    elif at <= 0:
        raise InputError(f"the budget must be positive, not {at}")
    elif at not in EpsRange(claim.low, claim.high, claim.low_closed, claim.high_closed):
        raise InputError(
            f"the budget {at} is not one of those that the claim is about",
            claim.span,
            "leave out its interval, or give a budget in it",
        )
    else:
        budgets = EpsRange.point(at)
    return Goal(term.coefficient if term else fmpq(0), delta, budgets)


def check_for_all_budgets(left_open: LeftOpen, judge: SignOracle) -> None:
    """What exploration had to leave open, because it depends on the budgets.

    Every probability drawn with lies in [0, 1] (they sum to 1, so >= 0 is enough), and every loop ends.
    """
    for p, (span, complement) in left_open.probabilities.items():
        if complement:
            require_nonnegative(p, judge, span, f"the probability {1 - p} exceeds 1")
        else:
            require_nonnegative(p, judge, span, f"the probability {p} is negative")
    for loop in left_open.loops:
        check_termination(loop, judge.budgets)


def losses_of(
    program: CoreProgram, budgets: EpsRange, clock: Clock, pair: tuple[Input, Input] | None = None
) -> Losses:
    """What :mod:`dipc.claims.tightness` needs to know of a program.

    Raises what :func:`neighbours_of` raises.
    """
    judge = SignOracle(budgets)
    return Losses(neighbours_of(program, judge, pair, clock), judge, clock)


def neighbours_of(
    program: CoreProgram, judge: SignOracle, pair: tuple[Input, Input] | None, clock: Clock
) -> Neighbours:
    """The pairs of inputs to look at, with the laws of their inputs.

    All neighbours in a named distance are walked; a single pair, or what a formula relates, is listed.
    """
    clock.tick("output distributions")
    space, relation = InputSpace(program), program.adjacency
    if pair is not None:
        _check_pair(space, pair)
        explorer = Explorer(program, clock.deadline)
        neighbours = _listed(explorer, pair, [(0, 1), (1, 0)], clock)
    elif relation is None:
        raise InputError(
            f"{program.source.name}: the program does not say which inputs are neighbours",
            hint="add a line such as: adjacent linf 1",
        )
    elif relation.formula is not None:
        inputs = list(space)
        tick = partial(clock.tick, "neighbours", total=len(inputs))
        pairs, symmetric = formula_pairs(space, inputs, relation.formula, tick)
        explorer = Explorer(program, clock.deadline)
        neighbours = _listed(explorer, inputs, pairs, clock, symmetric)
    else:
        walked, left_open = _walked(space, Distance(space, relation), clock)
        check_for_all_budgets(left_open, judge)
        return walked.telling(partial(clock.tick, "neighbours"))
    check_for_all_budgets(explorer.left_open, judge)
    return neighbours


WALKED = "all neighbours"
"""What is known of a program: its neighbours with their laws, and what that left open."""


def _walked(space: InputSpace, relation: Distance, clock: Clock) -> tuple[ProductNeighbours, LeftOpen]:
    """Explored once for a program: it does not depend on the claim."""
    program = space.program
    found: tuple[ProductNeighbours, LeftOpen] | None = program.known.get(WALKED)
    if found is None:
        explorer = Explorer(program, clock.deadline)
        functions = OutputFunctions(explorer, space, partial(clock.tick, "output distributions"))
        found = program.known[WALKED] = ProductNeighbours(space, relation, functions), explorer.left_open
    return found


def _listed(
    explorer: Explorer, inputs: Sequence[Input], pairs: Sequence[Pair], clock: Clock, symmetric: bool = True
) -> Listed:
    laws = []
    for done, values in enumerate(inputs):
        clock.tick("output distributions", done, len(inputs))
        laws.append(explorer.law(values))
    program = explorer.stepper.program
    outcomes = in_order(program, {outcome for law in laws for outcome in law})
    zero = Quotient.of(0)
    return Listed(
        [grouped(program.inputs, values) for values in inputs],
        [output_valuation(program, outcome) for outcome in outcomes],
        [tuple(law.get(outcome, zero) for outcome in outcomes) for law in laws],
        pairs,
        symmetric,
    )


def _notes(goal: Goal, judge: SignOracle, neighbours: Neighbours) -> tuple[str, ...]:
    """What makes a verdict say less than one may think."""
    notes = []
    if goal.delta and isinstance(judge.nonnegative(goal.delta - 1), Holds):
        notes.append("the claimed delta is 1 or more: every program is private then")
    if not neighbours.different:
        notes.append("no two different inputs are neighbours: each input was compared with itself only")
    if len(neighbours.outcomes) == 1:
        notes.append("there is only one possible output, whatever the input")
    if not neighbours.symmetric:
        notes.append("the adjacency formula is not symmetric: it was read both ways round")
    return tuple(notes)


def _check_pair(space: InputSpace, pair: tuple[Input, Input]) -> None:
    relation = space.program.adjacency
    if relation is not None and not adjacent(space, *pair, relation):
        raise InputError(
            "the two inputs of the pair are not neighbours in this program",
            relation.span,
            "give a pair that is, or change the adjacency (for example to: adjacent all)",
        )


def _cases(neighbours: Neighbours, goal: Goal) -> list[Case]:
    """The claim as cases, in the order of pairs and outputs: one output each if delta = 0, else all."""
    cases = neighbours.by_law() if goal.delta else neighbours.by_output()
    return sorted(cases, key=lambda case: (case.pairs.first, case.outputs))


def _pair_of_laws(neighbours: Neighbours, rank: int) -> PairOfLaws:
    return PairOfLaws(neighbours.outcomes, neighbours.pair(rank), neighbours.laws(rank))


def _doubt(neighbours: Neighbours, rank: int, outputs: tuple[int, ...], where: Unclear) -> Doubt:
    left, right = neighbours.pair(rank)
    return Doubt(
        left,
        right,
        tuple(neighbours.outcomes[o] for o in outputs),
        where.low,
        where.high,
    )


def _counts(neighbours: Neighbours, goal: Goal, findings: Findings) -> Counts:
    """All that was looked at; for a violation, what going through the pairs one by one would look at."""
    found = findings.violation
    if found is None:
        return _counted(neighbours, neighbours.count(), findings.inequalities, findings)
    pairs = neighbours.count(found.pair)
    if goal.delta:
        earlier = neighbours.by_law(found.pair)
        inequalities = sum(case.pairs.number * findings.asked[case.left, case.right] for case in earlier)
    else:
        inequalities = (pairs - 1) * len(neighbours.outcomes) + found.outputs[0] + 1
    return _counted(neighbours, pairs, inequalities, findings)


def _counts_so_far(program: CoreProgram, neighbours: Neighbours | None, findings: Findings) -> Counts:
    """What was settled when a limit was reached: pairs with all their outputs, and all equal inequalities."""
    if neighbours is None:
        return Counts(InputSpace(program).size, 0, 0, 0, 0)
    return _counted(neighbours, neighbours.count(findings.open - 1), findings.inequalities, findings)


def _counted(neighbours: Neighbours, pairs: int, inequalities: int, findings: Findings) -> Counts:
    return Counts(
        inputs=neighbours.inputs,
        pairs=pairs,
        outputs=len(neighbours.outcomes),
        inequalities=inequalities,
        distinct=len(findings.distinct),
        identities=findings.by(Identity),
        by_chain=findings.by(Chain, Inverse),
        by_roots=findings.by(SignTable),
        at_point=findings.by(Point),
        broken=findings.of(Fails),
        open=findings.of(Unclear),
    )
