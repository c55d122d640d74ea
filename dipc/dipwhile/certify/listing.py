"""What certificates list of a program and its laws, whatever they state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from dipc.certificate.format import Ratios, fraction, listed_program
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.semantics.neighbours import OutputLaws, ProductNeighbours
from dipc.dipwhile.semantics.step import Outcome
from dipc.dipwhile.semantics.valuations import in_order
from dipc.dipwhile.syntax.core import CoreAdjacency, CoreProgram, Variable
from dipc.errors import LimitReached
from dipc.kernel import laws as listing
from dipc.kernel.schema import FORMAT, VERSION
from dipc.models.graph import closure
from dipc.models.values import Valuation, Value
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange


class LawWriter:
    """A certificate about laws being written; its proofs are about the range ``on``."""

    def __init__(self, program: CoreProgram, on: EpsRange) -> None:
        self.program, self.on = program, on
        self.space = InputSpace(program)
        self.ratios = Ratios(on)

    def diagram(self, laws: OutputLaws) -> dict[str, Any]:
        """The laws of all inputs as fields of a proof; their functions are counted."""
        store, roots = laws.diagrams()
        used = closure(roots, store.branches.__getitem__)
        number: dict[int, int] = {}
        nodes = []
        for node in sorted(used, key=lambda node: (bool(store.branches[node]), node)):
            number[node] = len(number)
            if store.branches[node]:
                nodes.append([store.cells[node], *(number[child] for child in store.branches[node])])
            else:
                value = store.value(node)
                assert isinstance(value, Quotient)
                self.ratios.number(value)
        return {"nodes": nodes, "roots": [number[root] for root in roots]}

    def header(self, statement: str, claim: Any, outcomes: Sequence[Sequence[Value]]) -> dict[str, Any]:
        """The fields of all kinds but for the adjacency; all functions have been counted."""
        program = self.program
        return {
            "format": FORMAT,
            "version": VERSION,
            "statement": statement,
            "program": listed_program(program.source),
            "parameters": {name: fraction(value) for name, value in program.parameters},
            "claim": claim,
            "inputs": [declaration(v) for v in program.inputs],
            "outputs": [declaration(v) for v in program.outputs],
            "outcomes": [[str(v) for v in outcome] for outcome in outcomes],
            "denominators": self.ratios.listed_denominators(),
            "functions": self.ratios.functions(),
        }

    def laws_on(
        self, inputs: Sequence[Valuation]
    ) -> tuple[list[list[Value]], list[Outcome], list[list[int]]]:
        """The values of inputs, the possible outcomes, and their probabilities as numbers of functions."""
        explorer, cells = Explorer(self.program), list(map(flat, inputs))
        laws = [explorer.law(dict(zip(self.space.cells, values, strict=True))) for values in cells]
        outcomes = in_order(self.program, {outcome for law in laws for outcome in law})
        zero = Quotient.of(0)
        return cells, outcomes, [[self.ratios.number(law.get(o, zero)) for o in outcomes] for law in laws]

    def position(self, values: Sequence[Value]) -> int:
        """The place of an input among all."""
        cells = zip(self.space.strides, self.space.domains, values, strict=True)
        return sum(stride * domain.index(value) for stride, domain, value in cells)


def related(
    adjacency: CoreAdjacency, pairs: list[tuple[int, int]] | None, by_formula: bool = False
) -> listing.Related:
    """The adjacency; ``by_formula``, only its pairs count."""
    kind: Any = "formula" if by_formula else adjacency.kind
    near = fraction(adjacency.distance or fmpq(0)) if kind in ("linf", "l1", "hamming") else None
    return listing.Related(kind, near, pairs)


def listed_pairs(adjacency: CoreAdjacency, neighbours: ProductNeighbours) -> list[tuple[int, int]] | None:
    """The pairs of a formula, one way round."""
    if adjacency.formula is None:
        return None
    if (number := neighbours.count()) > listing.MAX_PAIRS:
        raise LimitReached(
            f"no certificate: the adjacency formula relates {number} pairs of inputs, and at most "
            f"{listing.MAX_PAIRS} are listed (a named adjacency has no such limit)"
        )
    return sorted((i, j) for i, j in neighbours.positions() if i <= j)


def flat(valuation: Valuation) -> list[Value]:
    """The values of all cells."""
    return [v for _, value in valuation for v in (value if isinstance(value, tuple) else (value,))]


def declaration(variable: Variable) -> listing.Variable:
    """A variable with its set."""
    return listing.Variable(variable.name, variable.size, [str(v) for v in variable.domain])
