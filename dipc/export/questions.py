"""What is exported: the claim as a list of different inequalities, and some output laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dipc.claims.privacy import PrivacyInequalities, SignOracle, check_delta, worst_sets
from dipc.claims.verdict import Goal
from dipc.clock import Clock
from dipc.dipwhile.pipeline import check_for_all_budgets, goal_of, neighbours_of
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.chain import Chain
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.valuations import cells, grouped, in_order, output_valuation
from dipc.dipwhile.syntax.core import CoreClaim, CoreProgram
from dipc.errors import Unsupported
from dipc.export.inequalities import Inequality
from dipc.export.subject import ClaimExport, NamedLaw, Picture
from dipc.models.laws import Neighbours
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.inequality import Fails


def question(
    program: CoreProgram,
    claim: CoreClaim,
    inputs: tuple[Input, ...] = (),
    pair: tuple[Input, Input] | None = None,
) -> ClaimExport:
    """All that a script about the claim needs.

    The output laws are those on ``inputs``; by default those of the first broken inequality, or else of
    the first one.
    """
    goal = goal_of(claim)
    if not isinstance(goal.delta, Quotient):
        raise Unsupported("a claim whose delta has a square root cannot be exported yet", claim.span)
    judge = SignOracle(goal.budgets)
    check_delta(goal, judge, claim.span)
    neighbours = neighbours_of(program, judge, pair, Clock())
    found = list(_requirements(goal, goal.delta, PrivacyInequalities(goal, judge), neighbours))
    laws = [_law(program, u, judge) for u in inputs or _first(found, program)]
    return ClaimExport(program, goal, found, laws, judge)


def _first(found: Sequence[Inequality], program: CoreProgram) -> list[Input]:
    """The pair of inputs of the first broken inequality, or else of the first one."""
    different = [r for r in found if r.input != r.neighbour] or found
    broken = [r for r in found if isinstance(r.answer, Fails)]
    return [
        cells(program, u) for r in (broken or different)[:1] for u in dict.fromkeys((r.input, r.neighbour))
    ]


def _requirements(
    goal: Goal, delta: Quotient, comparison: PrivacyInequalities, neighbours: Neighbours
) -> Iterator[Inequality]:
    """The different inequalities, in the order of the first pairs of inputs that lead to them."""
    cases = list(neighbours.by_law() if delta else neighbours.by_output())
    seen: set[ExpPoly] = set()
    for case in sorted(cases, key=lambda case: (case.pairs.first, case.outputs)):
        if delta:
            sets = worst_sets(comparison.margins(case.left, case.right), goal.budgets)
        else:
            sets = [(k,) for k in range(len(case.outputs))]
        for chosen in sets:
            f = comparison.judge.normal_form(comparison.slack(case.left, case.right, chosen))
            assert isinstance(f, ExpPoly)
            if f in seen or not chosen:
                continue
            seen.add(f)
            u, v = neighbours.pair(case.pairs.first)
            p = sum((case.left[k] for k in chosen), Quotient.of(0))
            q = sum((case.right[k] for k in chosen), Quotient.of(0))
            yield Inequality(
                input=u,
                neighbour=v,
                outputs=tuple(neighbours.outcomes[case.outputs[k]] for k in chosen),
                probability=p,
                neighbour_probability=q,
                bound=Quotient(goal.factor) * q + delta,
                function=f,
                answer=comparison.judge.decide(f),
            )


def _law(program: CoreProgram, values: Input, judge: SignOracle) -> NamedLaw:
    explorer = Explorer(program)
    law = explorer.law(values)
    check_for_all_budgets(explorer.left_open, judge)
    return NamedLaw(
        grouped(program.inputs, values),
        tuple((output_valuation(program, o), law[o]) for o in in_order(program, law)),
    )


def picture(program: CoreProgram, values: Input) -> Picture:
    """The chain on one input with the outputs of its final nodes."""
    chain = Chain(program, values)
    outputs = {
        i: output_valuation(program, node.outcome) for i, node in enumerate(chain) if node.outcome is not None
    }
    return Picture(program, grouped(program.inputs, values), chain, outputs)
