"""What ``dipc prove`` is asked: a program before it is unrolled, and a claim about all of its sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from flint import fmpq

from dipc.claims.privacy import Goal
from dipc.dipwhile.convert import checked_claim
from dipc.dipwhile.pipeline import goal_of
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import compile_claim, compile_number_claim, refuse_number_claim
from dipc.dipwhile.syntax.constants import evaluate_parameters
from dipc.dipwhile.syntax.parser import parse, parse_claim
from dipc.dipwhile.syntax.printer import as_written, show
from dipc.dipwhile.syntax.walk import nodes
from dipc.errors import CLAIM_NAME, InputError, Source, Span

SIZED_HINT = "fix the size, for example -D N=4, or claim a multiple of eps that is the same for every size"


@dataclass(frozen=True)
class Question:
    """A program with a claim; ``overrides`` are numbers for parameters, sizes among them.

    ``goal`` is None if only the least t is asked, or if the claim mentions a symbolic parameter: then it is
    not one claim, ``sized`` is the place and ``written`` its text.
    """

    program: ast.Program
    source: Source
    overrides: Mapping[str, fmpq]
    goal: Goal | None = None
    sized: Span | None = field(default=None, compare=False)
    written: str = ""

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """The parameters that stand for every integer >= 1: the sizes of input arrays that are not set."""
        found = {name for declaration in self.program.inputs for name in names_in(declaration.size)}
        return tuple(p.name for p in self.program.params if p.name in found - self.overrides.keys())

    @cached_property
    def symbolic(self) -> frozenset[str]:
        """The sizes, and the parameters that are computed from them."""
        found = set(self.sizes)
        for param in self.program.params:
            if param.name not in self.overrides and found & {*names_in(param.value)}:
                found.add(param.name)
        return frozenset(found)

    @cached_property
    def parameters(self) -> dict[str, fmpq]:
        """All parameters with their values; those that are symbolic with the ones in the text."""
        return dict(evaluate_parameters(self.program.params, self.overrides))

    @property
    def settings(self) -> Iterator[str]:
        """The parameters in words: ``every N >= 1``, ``c = 1``; those computed from sizes as written."""
        for param in self.program.params:
            if param.name in self.sizes:
                yield f"every {param.name} >= 1"
            elif param.name in self.symbolic:
                yield f"{param.name} = {as_written(param.value)}"
            else:
                yield f"{param.name} = {self.parameters[param.name]}"

    @property
    def fixed_sizes(self) -> dict[str, fmpq]:
        """The parameters that would be sizes, but have numbers."""
        found = {name for declaration in self.program.inputs for name in names_in(declaration.size)}
        return {name: self.overrides[name] for name in sorted(found & self.overrides.keys())}


def names_in(expr: ast.Expr | None) -> Iterator[str]:
    """The names in an expression."""
    if expr is not None:
        yield from (node.name for node in nodes(expr) if isinstance(node, ast.Name))


def question(
    source: Source,
    overrides: Mapping[str, fmpq],
    claim: str | None = None,
    *,
    needs_claim: bool = True,
    name: str = CLAIM_NAME,
) -> Question:
    """The question about a text; ``claim`` replaces that of the program, and messages call it ``name``.

    Raises :class:`InputError` for a broken text, and if there is no claim but one is needed.
    """
    program = parse(source)
    made = program.claim if claim is None else parse_claim(checked_claim(claim), name)
    made = replace(made, sizes=()) if made is not None else None
    asked = Question(program, source, overrides)
    values = asked.parameters
    if made is None and needs_claim:
        hint = 'add a line such as: private eps    (or give a claim: `prove("eps")`, `--claim "eps"`)'
        raise InputError(f"{source.name}: the program makes no claim", hint=hint)
    if made is None or not needs_claim:
        return asked
    if (number := compile_number_claim(made, values)) is not None:
        raise refuse_number_claim(number)
    mentioned = [node for part in (made.epsilon, made.delta) if part is not None for node in nodes(part)]
    sized = next((n.span for n in mentioned if isinstance(n, ast.Name) and n.name in asked.symbolic), None)
    if sized is not None:
        return Question(program, source, overrides, None, sized, show(made))
    return Question(program, source, overrides, goal_of(compile_claim(made, values)))
