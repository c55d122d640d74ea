"""Claims of accuracy: which outcomes of an input are bad, and which inputs meet the condition."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from dipc.dipwhile.rederive.functions import NotCovered
from dipc.dipwhile.rederive.paths import Run
from dipc.dipwhile.rederive.programs import (
    Inputs,
    Known,
    Outcome,
    all_inputs,
    atoms_in,
    distance,
    named_adjacency,
    put,
    size_of,
)
from dipc.dipwhile.rederive.values import Value
from dipc.dipwhile.syntax import ast
from dipc.kernel.reading import Refused


class Errors:
    """The errors of a claim about a program."""

    def __init__(self, program: ast.Program, claim: ast.AccurateClaim, known: Known) -> None:
        self.program, self.claim, self.known = program, claim, known
        self.atoms, self.inputs = atoms_in(program), all_inputs(program, known)
        named = named_adjacency(program, known)
        self.kind = named[0] if named is not None and named[0] in ("l1", "hamming") else "linf"
        self.values: dict[int, list[Value]] = {}

    def check(
        self,
        inputs: Inputs,
        listed: list[int] | None,
        rows: Sequence[Outcome],
        law: Collection[Outcome],
    ) -> None:
        """Refuse other bad outcomes, places in ``rows``, than those of the claim that are possible."""
        when = self.claim.condition
        if (when is None or Condition(self, inputs).holds(when)) != (listed is not None):
            raise Refused("deep: condition", "an input meets it, or not, but that is not what is listed")
        if listed is not None:
            possible = (o for o, outcome in enumerate(rows) if outcome in law)
            if [o for o in possible if self.is_bad(inputs, rows[o])] != listed:
                raise Refused("deep: bad outcomes", "they are not those that the claim says")

    def is_bad(self, inputs: Inputs, outcome: Outcome) -> bool:
        """Whether an outcome is not good."""
        run, cells = about(self, inputs), iter(outcome)
        for output in self.program.outputs:
            size = size_of(output, self.known)
            put(run, output.name, next(cells) if size is None else tuple(next(cells) for _ in range(size)))
        return not run.holds(self.claim.good)

    def gap(self, expr: ast.Expr, u: Inputs) -> Fraction:
        """The least distance to an input at which an expression has another value."""
        if id(expr) not in self.values:
            self.values[id(expr)] = [about(self, v).value(expr) for v in self.inputs]
        here, each = about(self, u).value(expr), zip(self.inputs, self.values[id(expr)], strict=True)
        gaps = [distance(self.kind, u, v) for v, value in each if value != here]
        if not gaps:
            raise NotCovered("an infinite gap")
        return min(gaps)


def about(errors: Errors, inputs: Inputs) -> Run:
    """A run in which only the inputs are known."""
    run = Run(scalars=dict(errors.known), atoms=errors.atoms)
    for name, value in inputs.items():
        put(run, name, value)
    return run


class Condition(Run):
    """A run that knows the inputs, and their gaps."""

    def __init__(self, errors: Errors, inputs: Inputs) -> None:
        run = about(errors, inputs)
        super().__init__(scalars=run.scalars, arrays=run.arrays, atoms=run.atoms)
        self.errors, self.inputs = errors, inputs

    def value(self, expr: ast.Expr) -> Value:
        match expr:
            case ast.Call("gap", (about_what,)):
                return self.errors.gap(about_what, self.inputs)
        return super().value(expr)
