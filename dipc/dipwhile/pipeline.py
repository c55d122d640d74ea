"""The whole tool: from a program to a verdict.

    text -> syntax tree -> core program -> configurations -> output laws of adjacent inputs -> verdict

:func:`check` and :func:`distribution` are that path; everything else is inside one of the stages.  The last
one, from the laws to the verdict, knows nothing of programs: :mod:`dipc.claims.deciding`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from flint import fmpq

from dipc.claims.cases import Evidence, together
from dipc.claims.claim import Claim
from dipc.claims.deciding import decide
from dipc.claims.exponent import Exponent, exponent_text
from dipc.claims.oracle import SignOracle, require_nonnegative
from dipc.claims.privacy import Goal
from dipc.claims.verdict import Refuted, Undecided, Verdict
from dipc.clock import Clock
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.semantics.adjacency import Distance, Input, Pair, adjacent, numbers_of
from dipc.dipwhile.semantics.advice import silent_outputs
from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.dipwhile.semantics.explore import Explorer, Law
from dipc.dipwhile.semantics.independent import Independent, one_differs
from dipc.dipwhile.semantics.pairs import listed_pairs, number_of_pairs, relation_of
from dipc.dipwhile.semantics.step import LeftOpen
from dipc.dipwhile.semantics.valuations import grouped, in_order, output_valuation, ungrouped
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import compile_epsilon
from dipc.dipwhile.syntax.core import CoreClaim, CoreProgram
from dipc.dipwhile.syntax.questions import exponent_of, rational_power, whole_power
from dipc.errors import InputError, LimitReached, Span
from dipc.excerpts import count_text
from dipc.lazily import lazily
from dipc.models.laws import Listed, Neighbours
from dipc.models.termination import check_termination
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

if TYPE_CHECKING:
    import dipc.claims.divergence as divergence
    import dipc.claims.tightness.losses as tightness
    import dipc.dipwhile.hub.extremal as hub
else:
    hub = lazily("dipc.dipwhile.hub.extremal")
    divergence = lazily("dipc.claims.divergence")
    tightness = lazily("dipc.claims.tightness.losses")

FEW = 100  # inputs, of which all pairs are compared at once
LOG = logging.getLogger(__name__)
NO_LOSS = ast.Number(fmpq(0))
UNEVEN = "the epsilon of the claim is not symmetric: it was read both ways round"


@dataclass(frozen=True, slots=True)
class Ask:
    """What restricts a question about a program: one pair of inputs, one eps or an interval, and limits.

    ``pair`` stands for all adjacent inputs; ``at`` and ``interval`` replace the range of the claim.  The
    ``clock`` has the limits and runs already.
    """

    pair: tuple[Input, Input] | None = None
    at: fmpq | None = None
    interval: EpsRange | None = None
    clock: Clock = field(default_factory=Clock)

    def eps_range(self, claim: CoreClaim | None) -> EpsRange:
        """The values of eps in question; without a restriction, those of the claim, or all eps > 0."""
        return EpsRange.point(self.at) if self.at is not None else self.interval or eps_range_of(claim)


def check(explored: Explored, claim: CoreClaim, ask: Ask) -> Verdict:
    """Decide a claim.

    Raises :class:`InputError` (and its subclasses) for what is wrong in the program or the claim.  A
    limit that runs out is an :class:`Undecided` verdict.
    """
    if claim.of_pair:
        return _decided_for_each_epsilon(explored, claim, ask)
    goal = claim_of(claim, ask.at)
    verdict = _decided_by_parts(explored, goal, ask)
    return _decided(explored, goal, ask) if verdict is None else verdict


MOST_OUTPUTS = 1000
"""How many outputs of a program with independent parts are listed as usual in a counterexample."""


def _decided_by_parts(explored: Explored, goal: Claim, ask: Ask) -> Verdict | None:
    """The same from the independent parts of the program; None if they do not settle it.

    A counterexample for delta = 0 is the first one of all if one part differs.  Else it is the one that the
    pair of inputs has, or if there are too many outputs an event: outputs of one part, whatever the others.
    """
    program = explored.program
    if ask.pair is not None or not has_parts(explored, goal.by_output):
        return None
    found: list[Independent] = []

    def explore(oracle: SignOracle) -> Neighbours:
        found.append(by_parts(explored, oracle, ask.clock, goal.by_output))
        return found[0]

    try:
        verdict = decide(goal, explored.space.size, explore, ask.clock)
    except InputError:
        return None  # which is reported as for other programs
    if not found:
        return verdict
    (parts,) = found
    counts = replace(verdict.counts, outputs=parts.outputs)
    if goal.by_output and not isinstance(verdict, Undecided):
        counts = replace(counts, inequalities=counts.pairs * parts.outputs)
    if isinstance(verdict, Refuted) and not (goal.by_output and parts.one_differs):
        witness: Any = verdict.counterexample
        if parts.outputs <= MOST_OUTPUTS:
            u, v = (ungrouped(program.inputs, values) for values in (witness.input, witness.neighbour))
            verdict = _decided(explored, goal, replace(ask, pair=(u, v)))
        elif not parts.one_differs:  # other outputs may violate the claim elsewhere
            verdict = replace(verdict, counterexample=replace(witness, regions=()))
    notes = silent_outputs(program.outputs, parts.completed)
    return replace(verdict, counts=counts, notes=(*verdict.notes, *notes))


def _decided(explored: Explored, goal: Claim, ask: Ask, every: bool = False) -> Verdict:
    """The verdict; with ``every``, all pairs are compared even where some stand for all."""
    clock, system = ask.clock, explored.program if ask.pair is None else None
    notes: list[str] = []

    def explore(oracle: SignOracle) -> Neighbours:
        found = neighbours_of(explored, oracle, ask.pair, clock, goal.monotone and not every)
        if ask.pair is None:
            notes.extend(silent_outputs(explored.program.outputs, found.outcomes))
        return found

    verdict = decide(goal, explored.space.size, explore, clock, system)
    return replace(verdict, notes=(*verdict.notes, *notes))


def _decided_for_each_epsilon(explored: Explored, claim: CoreClaim, ask: Ask) -> Verdict:
    """The verdict on a claim whose epsilon depends on the pair: the pairs of each epsilon are a question.

    If the epsilon of (u, u') is not that of (u', u), both must do.
    """
    asked, left_open, even = each_epsilon(explored, claim, ask)
    verdicts: list[Verdict] = []
    for goal, some in asked:

        def these(oracle: SignOracle, some: Neighbours = some) -> Neighbours:
            check_for_all_budgets(left_open, oracle)
            return some

        verdicts.append(decide(goal, explored.space.size, these, ask.clock))
        if isinstance(verdicts[-1], Refuted):
            break
    found = next((v for v in reversed(verdicts) if isinstance(v, Refuted | Undecided)), verdicts[0])
    notes = list(found.notes) if even else [*found.notes, UNEVEN]
    if isinstance(found, Refuted):  # its goal keeps the exponent of its pair
        notes.append(f"the epsilon of this pair is {exponent_text(found.goal.exponent)}")
    else:
        found = replace(found, claim=claim_of(claim, ask.at))
    counts = together([verdict.counts for verdict in verdicts])
    return replace(found, counts=counts, notes=tuple(notes))


def each_epsilon(
    explored: Explored, claim: CoreClaim, ask: Ask
) -> tuple[list[tuple[Goal, Listed]], LeftOpen, bool]:
    """The claim of each epsilon with the neighbours that it is about, and whether epsilon is symmetric."""
    ask.clock.tick("output distributions")
    inputs, pairs, symmetric = pairs_one_by_one(explored, ask.pair, ask.clock)
    groups, even = by_epsilon(explored, claim, inputs, pairs)
    explorer = Explorer(explored.program, ask.clock.deadline)
    neighbours = _listed(explorer, inputs, pairs, ask.clock, symmetric)
    goals = [replace(goal_of(each, ask.at), text=claim.text) for each, _ in groups]
    asked = [(goal, neighbours.restricted(some)) for goal, (_, some) in zip(goals, groups, strict=True)]
    return asked, explorer.left_open, even


def by_epsilon(
    explored: Explored, claim: CoreClaim, inputs: Sequence[Input], pairs: Sequence[Pair]
) -> tuple[list[tuple[CoreClaim, list[Pair]]], bool]:
    """The claim of each epsilon with its pairs, and whether the epsilon of (u, u') is that of (u', u).

    If it is not, the pair has both.
    """
    relation, parameters = explored.program.adjacency, dict(explored.program.parameters)
    if relation is None:
        raise no_adjacency(explored.program)
    numbers = numbers_of(explored.space, relation, [part for _, part in claim.of_pair])
    with_numbers: dict[tuple[fmpq, ...], list[Pair]] = {}
    even = True
    for i, j in pairs:
        there, back = numbers(inputs[i], inputs[j]), numbers(inputs[j], inputs[i])
        even = even and there == back
        for values in dict.fromkeys((there, back)):
            with_numbers.setdefault(values, []).append((i, j))
    groups = []
    for values, some in with_numbers.items():
        known = {name: value for (name, _), value in zip(claim.of_pair, values, strict=True)}
        epsilon = compile_epsilon(claim.epsilon, {**parameters, **known})
        groups.append((replace(claim, epsilon=epsilon, of_pair=()), some))
    return groups, even


def evidence_of(program: CoreProgram, goal: Goal) -> Evidence:
    """The answers for all adjacent inputs, for a verdict that came without them.

    Raises :class:`InputError` if the claim is not proved after all, and :class:`LimitReached`.
    """
    evidence = settled(_decided(Explored(program), goal, Ask(), every=True)).evidence
    if evidence is None:
        raise InputError("there is no certificate: the claim is not proved for all adjacent inputs")
    return evidence


def settled(verdict: Verdict) -> Verdict:
    """The same verdict; raises :class:`LimitReached` if there is none because of a limit."""
    if isinstance(verdict, Undecided) and not verdict.doubts:
        raise LimitReached(verdict.reason)
    return verdict


def announced(explored: Explored) -> str:
    """What the check of all adjacent inputs goes through, in one line."""
    space, relation = explored.space, explored.program.adjacency
    inputs = f"{count_text(space.size)} inputs"
    if relation is None or relation.formula is not None:
        return f"{inputs}, each compared with each other one"
    pairs = number_of_pairs(space, Distance(space, relation))
    return f"{inputs}, {count_text(pairs)} ordered pairs of neighbours: alike ones are decided once"


def distribution(program: CoreProgram, values: Input, budgets: EpsRange) -> Law:
    """The exact output distribution on one input; its probabilities must make sense on the whole range."""
    explorer = Explorer(program)
    law = explorer.law(values)
    check_for_all_budgets(explorer.left_open, SignOracle(budgets))
    return law


def claim_of(claim: CoreClaim, at: fmpq | None = None) -> Claim:
    """The claim with its functions of eps evaluated; ``at`` replaces its range by one eps."""
    if claim.of_pair:  # stands for the whole claim in what is shown, and bounds no pair
        return replace(goal_of(replace(claim, epsilon=NO_LOSS, of_pair=()), at), text=claim.text)
    if claim.measure is None:
        return goal_of(claim, at)
    goal = goal_of(replace(claim, measure=None), at)
    return divergence.Measured(goal.budgets, goal.exponent, claim.measure, span=claim.span)


def goal_of(claim: CoreClaim, at: fmpq | None = None) -> Goal:
    """The same of a claim of (epsilon, delta)-privacy; raises :class:`InputError` for another one."""
    if claim.measure is not None:
        message = f"the claim is `private {claim.measure}`, and this is about (epsilon, delta)-privacy"
        hint = "`dipc check` decides it, `dipc budget --range` and `--renyi A` find the least t"
        raise InputError(message, claim.span, hint)
    if claim.of_pair:
        message = "the epsilon of the claim depends on the two inputs, and this is about one for all pairs"
        raise InputError(message, claim.span, "`dipc check` decides it; give another claim for this question")
    delta = Quotient.of(0) if claim.delta is None else function_of_eps(claim.delta, NOTHING, never)
    return Goal(restricted(claim.budgets, at, claim.span), exponent(claim.epsilon), delta, span=claim.span)


def restricted(budgets: EpsRange, at: fmpq | None, span: Span) -> EpsRange:
    """The values of eps that a claim is about, or of these only ``at``."""
    if at is not None and at not in budgets:
        hint = "leave out its interval, or give a budget in it"
        raise InputError(f"the budget {at} is not one of those that the claim is about", span, hint)
    return budgets if at is None else EpsRange.point(at)


def exponent(epsilon: ast.Expr) -> Exponent:
    """The epsilon of a claim, its functions of eps evaluated."""
    rate = constant = fmpq(0)
    numbers: dict[fmpq, fmpq] = {}
    functions: list[tuple[Quotient, fmpq]] = []
    for base, power in (exponent_of(epsilon) or {}).items():
        if base is None:
            constant = power
        elif base == "eps":
            rate = power
        elif isinstance(base, fmpq):
            number, whole = (base, power) if power.q == 1 else (rational_power(base, power, epsilon.span), 1)
            numbers[number] = numbers.get(number, fmpq(0)) + whole
        else:
            value = function_of_eps(base, NOTHING, never)
            functions.append((value, whole_power(power, base)))
    logarithms = tuple((number, power) for number, power in numbers.items() if number != 1 and power)
    return Exponent(rate, constant, logarithms, tuple(functions))


def eps_range_of(claim: CoreClaim | None) -> EpsRange:
    """The values of eps that a claim is about; all eps > 0 if there is no claim."""
    return EpsRange.positive() if claim is None else claim.budgets


def check_for_all_budgets(left_open: LeftOpen, judge: SignOracle) -> None:
    """Check what exploration left open because it depends on the range of eps.

    Every probability drawn with lies in [0, 1] (they sum to 1, so >= 0 is enough), and every loop ends.
    """
    for p, (span, complement) in left_open.probabilities.items():
        wrong = f"{1 - p} exceeds 1" if complement else f"{p} is negative"
        require_nonnegative(p, judge, span, f"the probability {wrong}")
    for loop in left_open.loops:
        check_termination(loop, judge.budgets)


def losses_of(
    explored: Explored,
    budgets: EpsRange,
    clock: Clock,
    pair: tuple[Input, Input] | None = None,
    by_output: bool | None = None,
) -> tightness.Losses:
    """The pairs of probabilities that :mod:`dipc.claims.tightness` works on.

    With ``by_output`` only those of single outputs are asked for, or (False) only those of laws without
    their outputs: so those of independent parts are enough.
    """
    judge = SignOracle(budgets)
    if by_output is not None and pair is None and has_parts(explored, by_output):
        with suppress(InputError):  # which is reported as for other programs
            return tightness.Losses(by_parts(explored, judge, clock, by_output), judge, clock)
    return tightness.Losses(neighbours_of(explored, judge, pair, clock, bool(by_output)), judge, clock)


def has_parts(explored: Explored, by_output: bool) -> bool:
    """Whether claims by output, or others, are decided by independent parts."""
    relation = explored.program.adjacency
    if relation is None or relation.formula is not None or not explored.parts:
        return False
    return by_output or one_differs(explored.space, [part for part, _ in explored.parts], relation)


def by_parts(explored: Explored, judge: SignOracle, clock: Clock, by_output: bool) -> Independent:
    """The adjacent inputs of such a program.  Raises :class:`InputError` and :class:`LimitReached`."""
    relation = explored.program.adjacency
    assert relation is not None
    walked = {}
    for _, own in explored.parts:
        if own not in walked:
            neighbours, left_open = own.neighbours(relation, clock)
            check_for_all_budgets(left_open, judge)
            walked[own] = neighbours.telling(partial(clock.tick, "neighbours"))
    parts = [(part, walked[own]) for part, own in explored.parts]
    found = Independent(explored.space, relation, parts, judge, by_output)
    differ = "one differs" if found.one_differs else "several may differ"
    LOG.info("shortcut: %d independent parts, of which %s", len(parts), differ)
    return found


def no_adjacency(program: CoreProgram) -> InputError:
    """The error for a program without a line ``adjacent``."""
    message = f"{program.source.name}: the program does not say which inputs are neighbours"
    return InputError(message, hint="add a line such as: adjacent linf 1")


MOST_COMPARED = 10**6  # inputs, each with each other one


def neighbours_of(
    explored: Explored,
    judge: SignOracle,
    pair: tuple[Input, Input] | None,
    clock: Clock,
    extremal: bool = False,
) -> Neighbours:
    """The pairs of adjacent inputs with their laws.

    They are a product; a single pair is listed.
    With ``extremal`` the question is by output, and pairs that others dominate may be left out: see
    :mod:`dipc.dipwhile.hub.extremal`.
    """
    clock.tick("output distributions")
    program, relation = explored.program, explored.program.adjacency
    if pair is None and relation is not None:
        if extremal and relation.formula is None and explored.space.size > FEW:
            found = hub.found(explored.space, relation, partial(clock.tick, "neighbours"))
            if found is not None:
                check_for_all_budgets(found.left_open, judge)
                LOG.info("shortcut: %s", found.shortcut)
                return found
        walked, left_open = explored.neighbours(relation, clock)
        check_for_all_budgets(left_open, judge)
        return walked.telling(partial(clock.tick, "neighbours"))
    inputs, pairs, symmetric = pairs_one_by_one(explored, pair, clock)
    explorer = Explorer(program, clock.deadline)
    neighbours = _listed(explorer, inputs, pairs, clock, symmetric)
    check_for_all_budgets(explorer.left_open, judge)
    return neighbours


def pairs_one_by_one(
    explored: Explored, pair: tuple[Input, Input] | None, clock: Clock
) -> tuple[Sequence[Input], list[Pair], bool]:
    """Inputs, the ordered pairs of adjacent ones by their places, and whether the relation is symmetric."""
    space, relation = explored.space, explored.program.adjacency
    if pair is not None:
        if relation is not None and not adjacent(space, *pair, relation):
            message = "the two inputs of the pair are not neighbours in this program"
            hint = "give a pair that is, or change the adjacency (for example to: adjacent all)"
            raise InputError(message, relation.span, hint)
        return pair, [(0, 1), (1, 0)], True
    if relation is None:
        raise no_adjacency(explored.program)
    automaton = relation_of(space, relation, clock)
    return space.listed(MOST_COMPARED), listed_pairs(space, automaton), automaton.symmetric


def _listed(
    explorer: Explorer, inputs: Sequence[Input], pairs: Sequence[Pair], clock: Clock, symmetric: bool
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
