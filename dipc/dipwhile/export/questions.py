"""What is exported: a claim as a list of distinct inequalities, with output laws, or a chain on one input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal, PrivacyInequalities
from dipc.clock import Clock
from dipc.dipwhile.convert import to_input
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.pipeline import (
    Ask,
    check_for_all_budgets,
    claim_of,
    distribution,
    each_epsilon,
    goal_of,
    neighbours_of,
)
from dipc.dipwhile.semantics.adjacency import Input
from dipc.dipwhile.semantics.chain import Chain
from dipc.dipwhile.semantics.valuations import grouped, in_order, output_valuation
from dipc.dipwhile.syntax.core import CoreClaim, CoreProgram
from dipc.models.laws import Neighbours, cases_in_order, mass
from dipc.models.values import Valuation, valuation_text
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Answer, Fails, Holds
from dipc.signs.proofs import Chain as DerivativeChain
from dipc.signs.sentence import And, Comparison, Quantifier, Relation, Sentence


@dataclass(frozen=True, slots=True)
class Inequality:
    """``probability <= bound`` for some outputs of one pair of inputs.

    Other pairs and outputs that lead to the same inequality are not listed.  ``function`` has the signs of
    the right side minus the left side; ``answer`` is what dipc found out about ``function >= 0``.
    """

    input: Valuation
    neighbour: Valuation
    outputs: tuple[Valuation, ...]
    probability: Quotient
    bound: Quotient
    function: ExpPoly
    answer: Answer

    @property
    def chain_start(self) -> fmpq | None:
        """Where the derivative chain begins that is its proof; None if it has another proof, or none."""
        match self.answer:
            case Holds(DerivativeChain(at)):
                return at
        return None

    @property
    def margin(self) -> Quotient:
        """Right side minus left side."""
        return self.bound - self.probability


@dataclass(frozen=True, slots=True)
class NamedLaw:
    """The output law on one input."""

    input: Valuation
    law: tuple[tuple[Valuation, Quotient], ...]


@dataclass(frozen=True, slots=True)
class ClaimExport:
    """A claim as a list of different inequalities, with the output laws on some inputs.

    ``restricted``: only those between two inputs.
    """

    program: CoreProgram
    goal: Goal
    requirements: Sequence[Inequality]
    laws: Sequence[NamedLaw]
    oracle: SignOracle
    restricted: bool = False

    @property
    def sentence(self) -> Sentence:
        """The claim as one sentence of Th_exp: all requirements at all budgets.

        For delta > 0 the requirements are those of the worst sets of outputs, see :mod:`dipc.claims.privacy`.
        """
        parts = dict.fromkeys(Comparison(r.probability, Relation.LE, r.bound) for r in self.requirements)
        return Sentence(Quantifier.FORALL, self.goal.budgets, And(tuple(parts)))

    def heading(self) -> Iterator[str]:
        """The lines at the top of every script."""
        yield from about(self.program)
        yield f"claim: {self.goal}"
        yield f"{len(self.requirements)} different inequalities"


@dataclass(frozen=True, slots=True)
class Picture:
    """The parametrized chain on one input; ``outputs`` are the output valuations of final nodes, by place."""

    program: CoreProgram
    input: Valuation
    chain: Chain
    outputs: dict[int, Valuation]

    def heading(self) -> Iterator[str]:
        """The lines at the top of every file."""
        yield from about(self.program)
        yield f"input: {valuation_text(self.input) or 'none'}"


def about(program: CoreProgram) -> Iterator[str]:
    """The program and its parameters."""
    settings = ", ".join(f"{name} = {value}" for name, value in program.parameters)
    yield f"program: {program.source.name}" + (f" ({settings})" if settings else "")


def requirement_text(requirement: Inequality) -> str:
    """The pair of inputs and the outputs."""
    outputs = " or ".join(map(valuation_text, requirement.outputs))
    pair = f"u: {valuation_text(requirement.input)};  u': {valuation_text(requirement.neighbour)}"
    return f"{pair};  output {outputs}"


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
    program, judge = explored.program, SignOracle(claim.budgets)
    whole, asked = claim_of(claim), list[tuple[Goal, Neighbours]]()
    if claim.of_pair:
        listed, left_open, _ = each_epsilon(explored, claim, Ask(pair))
        check_for_all_budgets(left_open, judge)
        asked += listed
    else:
        whole = goal_of(claim)
        asked.append((whole, neighbours_of(explored, judge, pair, Clock())))
    assert isinstance(whole, Goal)
    seen: set[ExpPoly] = set()
    found: list[Inequality] = []
    for goal, neighbours in asked:
        goal.validate(judge)
        found += _requirements(goal.inequalities(judge), goal.delta, neighbours, seen)
    laws = [_law(program, u, claim.budgets) for u in inputs or _first(found, program)]
    return ClaimExport(program, whole, found, laws, judge, pair is not None)


def _first(found: Sequence[Inequality], program: CoreProgram) -> list[Input]:
    """The pair of inputs of the first broken inequality, or else of the first one."""
    different = [r for r in found if r.input != r.neighbour] or found
    chosen = [r for r in found if isinstance(r.answer, Fails)] or different
    return [to_input(program, dict(u)) for r in chosen[:1] for u in dict.fromkeys((r.input, r.neighbour))]


def _requirements(
    comparison: PrivacyInequalities, delta: Quotient, neighbours: Neighbours, seen: set[ExpPoly]
) -> Iterator[Inequality]:
    """The inequalities not yet seen, in the order of the first pairs of inputs that lead to them."""
    factor = comparison.claim.factor
    for case in cases_in_order(neighbours, comparison.claim.by_output):
        for chosen, slack in comparison.slacks(case.left, case.right):
            f = comparison.judge.normal_form(slack)
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
    named = tuple((output_valuation(program, o), law[o]) for o in in_order(program, law))
    return NamedLaw(grouped(program.inputs, values), named)


def picture(program: CoreProgram, values: Input) -> Picture:
    """The chain on one input with the outputs of its final nodes."""
    chain = Chain(program, values)
    ends = ((i, node.outcome) for i, node in enumerate(chain) if node.outcome is not None)
    outputs = {i: output_valuation(program, outcome) for i, outcome in ends}
    return Picture(program, grouped(program.inputs, values), chain, outputs)
