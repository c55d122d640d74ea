"""A proof for every size, checked against the exact engine at the smallest sizes.

The engine shares nothing with the automaton: it executes the program at these sizes, on cells from the ends
of the domain, 0, 1, -1 and fractions of the distance, and decides the proved claim for all neighbours among
them.  A violation there means that the proof is wrong.  ``dipc prove`` tries a second for N = 1, 2, ``dipc
verify`` goes on to N = 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product

from flint import fmpq

from dipc.claims.exponent import Exponent
from dipc.claims.oracle import SignOracle
from dipc.claims.privacy import Goal, Private, Violated
from dipc.claims.verdict import Undecided
from dipc.clock import Busy, Clock
from dipc.dipwhile.allsizes.finite import decided, listed, program_at
from dipc.dipwhile.allsizes.laws import same_laws
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.system import System
from dipc.dipwhile.allsizes.values import ONE, ZERO
from dipc.dipwhile.allsizes.verdict import Confirmed
from dipc.dipwhile.pipeline import check_for_all_budgets
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.compile import compile_program
from dipc.dipwhile.syntax.core import CoreProgram, Draw
from dipc.errors import FragmentError, InputError, InternalError, LimitReached, Unsupported
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

SIZES = (1, 2)
MOST_INPUTS = 128
SECONDS = 1.0
"""Of the processor, for all sizes together."""


def confirmed(asked: Question, t: fmpq, clock: Clock) -> Confirmed:
    """At which of the smallest sizes the exact engine agrees, if it soon does; see :func:`confirmed_at`."""
    return confirmed_at(SIZES, asked, t, Busy(clock, SECONDS))


def confirmed_at(
    sizes: Sequence[int], asked: Question, t: fmpq, clock: Clock, laws: bool = False
) -> Confirmed:
    """At which combinations of these sizes the exact engine agrees that the program is (t*eps, 0)-private.

    Raises :class:`Contradicted` with the counterexample if it does not; with ``laws`` also if the program
    that the automaton is built from has another law on some inputs.
    """
    system, names, missing = asked.system(), asked.sizes, dict[tuple[int, ...], str]()
    tried = tuple(product(sizes, repeat=len(names)))
    for numbers in tried:
        try:
            why = _doubt(asked, system, t, dict(zip(names, numbers, strict=True)), clock, laws)
        except LimitReached as limit:
            why = str(limit)
        except InputError as error:
            why = error.message
        if why:
            missing[numbers] = why
    agreed = tuple(numbers for numbers in tried if numbers not in missing)
    return Confirmed(names, agreed, tuple(missing.items()))


def _doubt(
    asked: Question, system: System, t: fmpq, sizes: Mapping[str, int], clock: Clock, laws: bool
) -> str:
    """Why these sizes are not confirmed; empty if they are."""
    program = _finite(asked, system, sizes)
    if program is None:
        return f"it has more than {MOST_INPUTS} inputs"
    if laws and not same_laws(asked, sizes, program, clock):
        raise Contradicted(sizes, "the program has another law than what its automaton is built from")
    found = decided(Goal(asked.budgets, Exponent(t), Quotient.of(0)), program, clock)
    match found:
        case Violated():
            raise Contradicted(sizes, found.counterexample.brief())
        case Private():
            return ""
        case Undecided(reason=reason):
            return reason or "the claim is undecided"
    raise InternalError(f"a verdict is {found.status}")


class Contradicted(Exception):
    """The exact engine contradicts what was proved."""

    def __init__(self, sizes: Mapping[str, int], why: str) -> None:
        at = _at(sizes)
        self.text = f"{at + ': ' if at else ''}{why}"
        super().__init__(self.text)


# --- runs that fail ----------------------------------------------------------------------------

MOST_TRIED = 8
MOST_DRAWS = 5
"""How many inputs are tried, and how many instructions of a program may draw: less work than the proof."""


def check_small(asked: Question, clock: Clock) -> None:
    """Raise :class:`InputError` for what `dipc check` refuses at the smallest sizes.

    A run that fails is an outcome for every size; here it is a slip.  Nothing is reported of what only
    ``dipc prove`` takes, such as samples in a ``while``.
    """
    for numbers in product(SIZES, repeat=len(asked.sizes)):
        sizes = dict(zip(asked.sizes, numbers, strict=True))
        try:
            with suppress(FragmentError, Unsupported, LimitReached):
                program = _small(asked, sizes)
                if sum(isinstance(it, Draw) for it in program.code) <= MOST_DRAWS:
                    _run_some(program, asked.budgets, Busy(clock, SECONDS))
        except InputError as error:
            at = f"this is about {_at(sizes)}" if sizes else ""
            raise InputError(error.message, error.span, "; ".join(filter(None, [at, error.hint]))) from error


def _at(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {size}" for name, size in sizes.items())


def _small(asked: Question, sizes: Mapping[str, int]) -> CoreProgram:
    """The program at these sizes, as `dipc check` reads it; infinite sets are some of their values."""
    program, constants = asked.program, asked.constants_at(sizes)
    if any(isinstance(d.domain, ast.Unlisted) for d in program.outputs):
        raise Unsupported("outputs without a finite set")
    inputs = tuple(listed(d, constants) for d in program.inputs)
    claim = None if program.claim is None else replace(program.claim, sizes=())
    overrides = {**asked.overrides, **{name: fmpq(size) for name, size in sizes.items()}}
    return compile_program(replace(program, inputs=tuple(inputs), claim=claim), asked.source, overrides)


def _run_some(program: CoreProgram, budgets: EpsRange, clock: Clock) -> None:
    """Run a program on some of its inputs.  Raises :class:`InputError` for what is wrong there."""
    space = InputSpace(program)
    explorer = Explorer(program, clock.deadline)
    for position in (*range(0, space.size, -(-space.size // MOST_TRIED)), space.size - 1):
        explorer.law(space.at(position))
    check_for_all_budgets(explorer.left_open, SignOracle(budgets))


# --- the inputs that are tried -----------------------------------------------------------------


def _finite(asked: Question, system: System, sizes: Mapping[str, int]) -> CoreProgram | None:
    """The program at these sizes, with as many values of each numeric cell as make few enough inputs."""
    values = {d.name: _cells(d, system) for d in asked.program.inputs}
    for count in range(max(map(len, values.values()), default=0), -1, -1):
        program = program_at(asked, sizes, {name: found[:count] for name, found in values.items()})
        if InputSpace(program).size <= MOST_INPUTS:
            return program
    return None


def _cells(input: ast.Declaration, system: System) -> tuple[fmpq, ...]:
    """Numbers that a cell may have, the most telling ones first; none for atoms."""
    domain, adjacency = system.domains[input.name], system.adjacency
    if domain.atoms:
        return ()
    ends, reach = domain.ends or (), adjacency.reach[input.name]
    rest = reach - reach.floor()
    found = dict.fromkeys((*ends, ZERO, ONE, -ONE, *((rest, reach / 2, reach) if rest else ())))
    bounded = isinstance(input.domain, ast.Between)
    if ends and (bounded or adjacency.kind in ("hamming", "all")):  # a cell moves within its set
        found = dict.fromkeys(value for value in found if ends[0] <= value <= ends[1])
    return tuple(value for value in found if value.q == 1 or not domain.integers)
