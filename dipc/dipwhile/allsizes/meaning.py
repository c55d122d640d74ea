"""Whether a program that is proved for every size means something, for every size and all inputs.

A proof moves samples from one run to another and never asks whether a probability exceeds 1, a divisor is 0
or a value is outside its set.  So all paths are walked again by :mod:`dipc.dipwhile.allsizes.careful`, and
the declarations are looked at; a doubt leaves the claim undecided.  What is wrong for some of the inputs at
the declared sizes is refused, with the words of every other command.

A run that never ends is an outcome of its own: all its finite parts are covered by the proof.  A ``while``
that no path leaves is a doubt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

from dipc.claims.oracle import SignOracle
from dipc.clock import Clock
from dipc.dipwhile.allsizes.assigned import unassigned
from dipc.dipwhile.allsizes.automaton import Edge
from dipc.dipwhile.allsizes.build import Builder, Prepared
from dipc.dipwhile.allsizes.careful import Careful, Doubt, Known
from dipc.dipwhile.allsizes.feasible import Condition
from dipc.dipwhile.allsizes.flatten import Cut, Fresh, Operation, Round
from dipc.dipwhile.allsizes.front import Front
from dipc.dipwhile.allsizes.paths import Path
from dipc.dipwhile.allsizes.system import END, START, Point, System
from dipc.dipwhile.allsizes.values import ONE, Symbol, unknown
from dipc.dipwhile.pipeline import check_for_all_budgets
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer
from dipc.dipwhile.syntax import ast, types
from dipc.dipwhile.syntax.core import Draw, Put, Test
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.dipwhile.syntax.names import collect_names, target_name
from dipc.errors import FragmentError, LimitReached, Unsupported
from dipc.models.graph import reaching
from dipc.signs.eps_range import EpsRange

MOST_INPUTS = 8
LONGEST_CODE = 200
"""How many inputs are tried, and how many instructions a program may have: less work than the proof."""


def check_some(front: Front, budgets: EpsRange, clock: Clock) -> None:
    """Run the program on some of its inputs.  Raises :class:`InputError` for what is wrong there.

    Nothing is said of what only ``dipc prove`` takes, such as samples in a ``while``.
    """
    program = front.finite
    if any(isinstance(declared.domain, ast.Unlisted) for declared in front.program.outputs):
        return  # the finite program has some of their values only
    if len(program.code) > LONGEST_CODE or any(isinstance(it, Test) and it.is_loop for it in program.code):
        return
    space = InputSpace(program)
    some = range(0, space.size, -(-space.size // MOST_INPUTS))
    explorer = Explorer(program, clock.deadline)
    try:
        for position in (*some, space.size - 1):
            explorer.law(space.at(position))
        check_for_all_budgets(explorer.left_open, SignOracle(budgets))
    except (FragmentError, Unsupported, LimitReached):
        return


def doubt_about(asked: Prepared, clock: Clock) -> Doubt | None:
    """What may mean nothing for some size or input; there is an automaton for the program."""
    try:
        return next(iter(doubts(asked, clock)), None)
    except Unsupported as limit:
        return Doubt(limit.message, limit.span)


def doubts(asked: Prepared, clock: Clock) -> tuple[Doubt, ...]:
    """All of them.  Raises :class:`Unsupported` for what only the check of the meaning does not cover."""
    front, system, broken = asked.front, asked.system(), set[tuple[str, Condition | None]]()
    while True:
        known = Known(system, front.program, kinds_of(front, system), SignOracle(asked.budgets), front.sizes)
        known.broken |= broken
        streams = system.stream_count
        checker = Checker(system, clock, known=known)
        checker.look_at_declarations()
        checker.automaton(front.sizes)
        checker.look_for_ends()
        broken = known.broken
        if not known.trusted & broken and system.stream_count == streams:
            missing = (Doubt(NO_VALUE.format(d.name), d.span) for d in unassigned(front.program))
            return (*missing, *known.doubts)


NO_VALUE = "the output `{}` may have no value when the program ends"


def kinds_of(front: Front, system: System) -> types.Kinding:
    """The kinds of all variables."""
    program, code = front.program, system.code
    unlisted = {d.name: d.domain for d in program.outputs if isinstance(d.domain, ast.Unlisted)}
    declared = types.declared_kinds((*front.finite.inputs, *front.finite.outputs), unlisted)
    bound = {o.variable for o in code if isinstance(o, Round | Fresh)} | {
        o.distribution.variable
        for o in code
        if isinstance(o, Draw) and isinstance(o.distribution, ast.ExpMechanism)
    }
    numbers = dict.fromkeys(bound | system.scope.names, Kinds.NUMBER)
    assigned = [o for o in code if isinstance(o, Put | Draw)]
    names = {*collect_names(program).locals, *map(target_name, (o.target for o in assigned))}
    return types.infer(assigned, {**numbers, **declared}, names - declared.keys())


@dataclass
class Checker(Builder):
    """Walks all paths carefully."""

    known: Known = field(kw_only=True)

    def path(self, source: Point, script: tuple[int, ...]) -> Path:
        """One path."""
        return Careful(self.known, source, script, self.system)

    def look_at_declarations(self) -> None:
        """Know the parameters that are computed from sizes; look at the declared sizes and sets."""
        known, program, constants = self.known, self.known.program, self.system.constants
        path = Careful(known, Point(START), (), self.system)
        for param in program.params:
            if param.name not in constants and param.name not in known.sizes:
                value, symbol = path.constant(param.value), Symbol("public", param.name)
                known.facts.append(Condition(unknown(symbol).plus(value, -ONE), equal=True))
                known.facts += chain.from_iterable(path.about.values())
                known.integers |= path.integers | ({symbol} if path.is_integer(value) else set())
        for declared in (*program.inputs, *program.outputs):
            path.look_at(declared)
        known.doubts |= path.doubts

    def look_for_ends(self) -> None:
        """From every place the program may come to an end."""
        rows: list[list[tuple[int, Edge]]] = [[] for _ in self.numbers]
        for edge in self.edges:
            rows[edge.source].append((edge.target, edge))
        ends = [number for point, number in self.numbers.items() if point.pc == END]
        ending = reaching(rows, ends, range(len(rows)))
        for point, number in self.numbers.items():
            if number not in ending and point.pc >= 0:
                operation: Operation = self.system.code[point.pc]
                assert isinstance(operation, Test | Round | Cut)
                self.known.doubts[Doubt("this loop may never end", operation.span)] = None
