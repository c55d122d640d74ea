"""What ``dipc prove`` is asked: a program before it is unrolled, and a claim about all of its sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal
from dipc.dipwhile.allsizes.declared import Declared
from dipc.dipwhile.allsizes.front import free_sizes, refuse_varying, sizes_of, symbolic
from dipc.dipwhile.convert import checked_claim
from dipc.dipwhile.pipeline import goal_of
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import compile_claim
from dipc.dipwhile.syntax.constants import evaluate_parameters
from dipc.dipwhile.syntax.parser import parse, parse_claim
from dipc.dipwhile.syntax.printer import as_written, show
from dipc.errors import CLAIM_NAME, InputError, Source, Unsupported


@dataclass(frozen=True)
class Question:
    """A program with a claim; ``overrides`` are numbers for parameters, sizes among them.

    The claim of ``program`` is the one in question.  ``goal`` is None if only the least t is asked, or if the
    claim changes with a size: then ``varying`` says so, and ``written`` is the claim.
    """

    program: ast.Program
    source: Source
    overrides: Mapping[str, fmpq]
    goal: Goal | None = None
    varying: Unsupported | None = field(default=None, compare=False)
    written: str = ""

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """The parameters that stand for every integer >= 1."""
        return sizes_of(self.program, self.overrides)

    @cached_property
    def symbolic(self) -> frozenset[str]:
        """The sizes, and the parameters that are computed from them."""
        return symbolic(self.program, self.sizes, self.overrides)

    @cached_property
    def parameters(self) -> dict[str, fmpq]:
        """All parameters with their values; those that are symbolic with the ones in the text."""
        return dict(evaluate_parameters(self.program.params, self.overrides))

    @cached_property
    def constants(self) -> dict[str, fmpq]:
        """The parameters with a value; the others are computed from sizes."""
        return {name: value for name, value in self.parameters.items() if name not in self.symbolic}

    def constants_at(self, sizes: Mapping[str, int]) -> dict[str, fmpq]:
        """All parameters, for these sizes."""
        numbers = {name: fmpq(size) for name, size in sizes.items()}
        return dict(evaluate_parameters(self.program.params, {**self.constants, **numbers}))

    def declared_at(self, sizes: Mapping[str, int]) -> Declared:
        """Evaluates what the program declares, for these sizes."""
        return Declared(self.constants_at(sizes), frozenset(p.name for p in self.program.params))

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
        """The parameters that could be sizes, but have numbers."""
        fixed = (name for name in free_sizes(self.program) if name not in self.sizes)
        return {name: self.parameters[name] for name in fixed}


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
    values = dict(evaluate_parameters(program.params, overrides))
    made = program.claim if claim is None else parse_claim(checked_claim(claim), name)
    if made is None and needs_claim:
        hint = 'add a line such as: private eps    (or give a claim: `prove("eps")`, `--claim "eps"`)'
        raise InputError(f"{source.name}: the program makes no claim", hint=hint)
    if made is None or not needs_claim:
        return Question(_with_claim(program, ast.Claim(ast.Eps())), source, overrides)
    asked = _with_claim(program, made)
    names = symbolic(asked, sizes_of(asked, overrides), overrides)
    try:
        refuse_varying(made, names)
    except Unsupported as limit:
        neutral = _with_claim(program, ast.Claim(ast.Eps()))
        return Question(neutral, source, overrides, None, limit, show(made))
    plain = replace(made, sizes=())
    goal = goal_of(compile_claim(plain, values))
    if goal.t is None:
        message = "`dipc prove` follows claims whose epsilon is a multiple of eps"
        raise Unsupported(message, made.epsilon.span, "`dipc check` decides this one for given sizes")
    goal.validate(SignOracle(goal.budgets))  # a negative delta: nothing is private then
    return Question(asked, source, overrides, goal)


def _with_claim(program: ast.Program, claim: ast.Claim) -> ast.Program:
    """The program with another claim; its sizes stay, unless the claim names some."""
    sizes = claim.sizes or (program.claim.sizes if program.claim else ())
    return replace(program, claim=replace(claim, sizes=sizes))
