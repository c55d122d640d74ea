"""What ``dipc prove`` is asked: a program before it is unrolled, and a claim about all of its sizes.

A parameter that is the size of an input array, as in ``input q[N]``, is a *size*: it stands for every integer
>= 1.  A claim ``for all N`` names the sizes itself; all other parameters keep their values.  A number from
outside (``-D N=4``) makes a size a parameter again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flint import fmpq

from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal
from dipc.dipwhile.allsizes.declared import Declared
from dipc.dipwhile.convert import checked_claim
from dipc.dipwhile.pipeline import goal_of, no_adjacency
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import NO_OVERRIDES, compile_claim, compile_program
from dipc.dipwhile.syntax.constants import evaluate_parameters
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.pairwise import speaks_of_pair
from dipc.dipwhile.syntax.parser import parse, parse_claim
from dipc.dipwhile.syntax.printer import as_written, show
from dipc.dipwhile.syntax.types import names_in
from dipc.dipwhile.syntax.walk import expressions, nodes
from dipc.errors import CLAIM_NAME, InputError, Source, Unsupported
from dipc.lazily import lazily
from dipc.signs.eps_range import EpsRange
from dipc.suggest import did_you_mean

if TYPE_CHECKING:
    import dipc.dipwhile.allsizes.build as build
    from dipc.clock import Clock
    from dipc.dipwhile.allsizes.automaton import Automaton
    from dipc.dipwhile.allsizes.system import System
else:
    build = lazily("dipc.dipwhile.allsizes.build")


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

    @property
    def budgets(self) -> EpsRange:
        """The range of eps in question."""
        return self.goal.budgets if self.goal else EpsRange.positive()

    # --- its automata ----------------------------------------------------------------------------

    def checked(self) -> Question:
        """The same question, its automata not made yet.  Raises :class:`InputError` for a wrong program."""
        finite_version(self.program, self.source, self.overrides)
        return replace(self)

    @cached_property
    def _systems(self) -> dict[object, System]:
        return {}

    def system(self, sizes: Mapping[str, int] | None = None) -> System:
        """What all paths have in common, for every size or for given ones.  Raises :class:`Unsupported`."""
        key = None if sizes is None else tuple(sorted(sizes.items()))
        if key not in self._systems:
            constants = self.constants if sizes is None else self.constants_at(sizes)
            names = symbolic(self.program, free_sizes(self.program), {})
            self._systems[key] = build.system_of(self.program, self.source, constants, names, self.budgets)
        return self._systems[key]

    def automaton(self, clock: Clock, sizes: Mapping[str, int] | None = None) -> Automaton:
        """The automaton for every size, or, layer by layer, for the given ones.

        Raises :class:`Unsupported` for what the method does not cover.
        """
        return build.automaton_of(self.system(sizes), self.program, clock)


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
    if speaks_of_pair(made.epsilon, [d.name for d in program.inputs], values.keys()):
        message = "`dipc prove` follows one epsilon for all pairs of inputs"
        raise Unsupported(message, made.epsilon.span, "`dipc check` decides this one for given sizes")
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


# --- checks and sizes ------------------------------------------------------------------------------


def finite_version(
    program: ast.Program, source: Source, overrides: Mapping[str, fmpq] = NO_OVERRIDES
) -> CoreProgram:
    """The program with the declared sizes and some values of each infinite set, after all checks.

    Its inputs are not those of the claim.  Raises :class:`InputError` for what is wrong in the text, and
    :class:`Unsupported` for a claim that changes with the sizes.  Whether the method covers the program is
    not asked here.  For a claim from outside, replace that of the program.
    """
    finite = compile_program(program, source, overrides, sampled=True)
    if finite.adjacency is None:
        raise no_adjacency(finite)
    refuse_varying(program.claim, symbolic(program, sizes_of(program, overrides), overrides))
    return finite


def sizes_of(program: ast.Program, overrides: Mapping[str, fmpq]) -> tuple[str, ...]:
    """The parameters that stand for every integer >= 1."""
    free = free_sizes(program)
    named = program.claim.sizes if program.claim else ()
    for size in named:
        if size.name not in free:
            computed = size.name in symbolic(program, free, {})
            what = "computed from other parameters" if computed else "not the size of an input array"
            hint = f"write `for all {', '.join(free)}`" if free else NO_SIZE
            hint = did_you_mean(size.name, free, hint)
            raise InputError(f"`{size.name}` is {what}", size.span, hint)
    asked = {size.name for size in named} or {*free}
    return tuple(name for name in free if name in asked and name not in overrides)


NO_SIZE = "declare an array with a parameter for its size: `param N = 3; input q[N] in reals`"


def free_sizes(program: ast.Program) -> tuple[str, ...]:
    """The parameters that are sizes of input arrays and are not computed from others that are."""
    sizes = {
        declaration.size.name for declaration in program.inputs if isinstance(declaration.size, ast.Name)
    }
    found: tuple[str, ...] = ()
    for param in program.params:
        if param.name in sizes and not names_in(param.value) & symbolic(program, found, {}):
            found += (param.name,)
    return found


def symbolic(program: ast.Program, sizes: tuple[str, ...], overrides: Mapping[str, fmpq]) -> frozenset[str]:
    """The sizes, and the parameters that are computed from them; a number from outside is not computed."""
    found = frozenset(sizes)
    for param in program.params:
        if param.name not in overrides and names_in(param.value) & found:
            found |= {param.name}
    return found


def refuse_varying(claim: ast.Claim | None, names: frozenset[str]) -> None:
    """Refuse a claim such as ``N*eps``: for every size there is one t."""
    parts = expressions(replace(claim, sizes=())) if claim else ()
    for node in (node for part in parts for node in nodes(part)):
        if isinstance(node, ast.Name) and node.name in names:
            hint = f"give it a number: `-D {node.name}=3`, or ask `dipc budget --all-sizes` for one t"
            raise Unsupported(f"the claim changes with the size `{node.name}`", node.span, hint)
