"""What is exported: the claim as a list of different inequalities, and some output laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import PrivacyInequalities
from dipc.clock import Clock
from dipc.dipwhile.pipeline import distribution, goal_of, neighbours_of
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.chain import Chain
from dipc.dipwhile.semantics.neighbours import Explored
from dipc.dipwhile.semantics.valuations import cells, grouped, in_order, output_valuation
from dipc.dipwhile.syntax.core import CoreClaim, CoreProgram
from dipc.errors import Unsupported
from dipc.export.inequalities import Inequality
from dipc.export.subject import ClaimExport, NamedLaw, Picture
from dipc.models.laws import Neighbours, cases_in_order, mass
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails


def question(
    explored: Explored,
    claim: CoreClaim,
    inputs: tuple[Input, ...] = (),
    pair: tuple[Input, Input] | None = None,
) -> ClaimExport:
    """All that a script about the claim needs.

    The output laws are those on ``inputs``; by default those of the first broken inequality, or else of
    the first one.
    """
    program, goal = explored.program, goal_of(claim)
    if not isinstance(goal.delta, Quotient):
        raise Unsupported("a claim whose delta has a square root cannot be exported yet", claim.span)
    judge = SignOracle(goal.budgets)
    goal.validate(judge)
    neighbours = neighbours_of(explored, judge, pair, Clock())
    found = list(_requirements(goal.inequalities(judge), goal.delta, neighbours))
    laws = [_law(program, u, goal.budgets) for u in inputs or _first(found, program)]
    return ClaimExport(program, goal, found, laws, judge)


def _first(found: Sequence[Inequality], program: CoreProgram) -> list[Input]:
    """The pair of inputs of the first broken inequality, or else of the first one."""
    different = [r for r in found if r.input != r.neighbour] or found
    broken = [r for r in found if isinstance(r.answer, Fails)]
    return [
        cells(program, u) for r in (broken or different)[:1] for u in dict.fromkeys((r.input, r.neighbour))
    ]


def _requirements(
    comparison: PrivacyInequalities, delta: Quotient, neighbours: Neighbours
) -> Iterator[Inequality]:
    """The different inequalities, in the order of the first pairs of inputs that lead to them."""
    factor = Quotient(comparison.claim.factor)
    seen: set[ExpPoly] = set()
    for case in cases_in_order(neighbours, comparison.claim.by_output):
        for chosen in comparison.critical_sets(case.left, case.right):
            f = comparison.judge.normal_form(comparison.slack(case.left, case.right, chosen))
            assert isinstance(f, ExpPoly)
            if f in seen or not chosen:
                continue
            seen.add(f)
            u, v = neighbours.pair(case.pairs.first)
            yield Inequality(
                input=u,
                neighbour=v,
                outputs=tuple(neighbours.outcomes[case.outputs[k]] for k in chosen),
                probability=mass(case.left, chosen),
                bound=factor * mass(case.right, chosen) + delta,
                function=f,
                answer=comparison.judge.decide(f),
            )


def _law(program: CoreProgram, values: Input, budgets: EpsRange) -> NamedLaw:
    law = distribution(program, values, budgets)
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
