"""What is exported: a question about a claim, or a chain on one input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal
from dipc.dipwhile.semantics.chain import Chain
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.export.inequalities import Inequality
from dipc.models.values import Valuation, valuation_text
from dipc.numbers.quotient import Quotient
from dipc.signs.sentence import And, Comparison, Quantifier, Relation, Sentence


@dataclass(frozen=True, slots=True)
class NamedLaw:
    """The output law on one input."""

    input: Valuation
    law: tuple[tuple[Valuation, Quotient], ...]


@dataclass(frozen=True, slots=True)
class ClaimExport:
    """A claim as a list of different inequalities, with the output laws on some inputs."""

    program: CoreProgram
    goal: Goal
    requirements: Sequence[Inequality]
    laws: Sequence[NamedLaw]
    oracle: SignOracle

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
