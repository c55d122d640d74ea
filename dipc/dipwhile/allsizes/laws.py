"""Whether the program that the automaton is built from has the law of the program that was written.

For the automaton sums become loops and an extremum a winner that no other draw beats.  With numbers for the
sizes both are programs for the exact engine: ``Fresh`` and ``Either`` become a fair draw of one of n ways,
which multiplies the *weight* of a run by n, and ``Assume`` a test that gives a run the weight 0.  The
probability of an output is the sum of its probabilities with each weight, times the weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from flint import fmpq

from dipc.clock import Clock
from dipc.dipwhile.allsizes.finite import Levelled, put_in_levels
from dipc.dipwhile.allsizes.flatten import Assume, Code, Either, Fresh, Operation, Round, picked
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.explore import Explorer, Law
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import (
    CoreProgram,
    Draw,
    Halt,
    Instruction,
    Jump,
    Put,
    Test,
    Variable,
    assignment,
)
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.unroll import Constants, integers, substitute
from dipc.dipwhile.syntax.walk import map_expressions
from dipc.errors import LimitReached
from dipc.models.values import Atom, Value
from dipc.numbers.quotient import Quotient

WEIGHT, WAY = "the weight", "the way"
"""Variables with names that no program has."""

MOST_POINTS = 20_000
SOME_INPUTS = 4


def same_laws(original: CoreProgram, rewritten: CoreProgram, clock: Clock) -> bool:
    """Whether the two have the same output distribution on some inputs; ``rewritten`` has weights."""
    space = InputSpace(original)
    left, right = (Explorer(program, clock.deadline) for program in (original, rewritten))
    for position in {*range(0, space.size, -(-space.size // SOME_INPUTS)), space.size - 1}:
        clock.tick("the laws of the rewritten program")
        values = space.at(position)
        if left.law(values) != weighted(right.law(values)):
            return False
    return True


def weighted(law: Law) -> Law:
    """The probabilities of the outputs but for the last one, which is a weight."""
    found: Law = {}
    for (*outcome, weight), p in law.items():
        assert isinstance(weight, fmpq)
        found[tuple(outcome)] = found.get(tuple(outcome), Quotient.of(0)) + p * weight
    return {outcome: p for outcome, p in found.items() if p}


@dataclass(frozen=True, slots=True)
class Point:
    """A place in the code, with the values of loop variables and picks, by name, and a weight.

    ``loops`` has the round of every loop that is run, by the place of its head.
    """

    pc: int
    names: frozenset[tuple[str, int]] = frozenset()
    loops: frozenset[tuple[int, int]] = frozenset()
    weight: int = 1

    def at(self, pc: int) -> Point:
        """Another place with the same values."""
        return replace(self, pc=pc)

    def with_pick(self, variable: str, site: str, value: int) -> Point:
        """The next place with a round that was picked."""
        names = dict(self.names) | {variable: value, site: value}
        return replace(self, pc=self.pc + 1, names=frozenset(names.items()))


@dataclass(frozen=True, slots=True)
class Block:
    """Instructions, then the first point whose condition holds; None is the point of rejected runs."""

    instructions: tuple[Instruction, ...]
    ways: tuple[tuple[ast.Expr, Point | None], ...] = ()
    otherwise: Point | None = None
    loop: bool = False

    @property
    def targets(self) -> tuple[Point, ...]:
        """Where it may lead, but for the point of rejected runs."""
        return tuple(p for p in (*(point for _, point in self.ways), self.otherwise) if p is not None)


@dataclass
class AtSize:
    """The code of every size as a program for some sizes, which are among the ``constants``."""

    code: Code
    constants: Constants
    levelled: Levelled
    blocks: dict[Point, Block] = field(default_factory=dict)

    def program(self, original: CoreProgram) -> CoreProgram:
        """The program with a weight as its last output; it has the inputs and outputs of ``original``."""
        order = self.explore(Point(0))
        lengths = {p: len(b.instructions) + 2 * len(b.ways) + 1 for p, b in self.blocks.items()}
        places, here = dict[Point | None, int](), 0
        for point in order:
            places[point], here = here, here + lengths[point]
        places[None] = here
        code = [made for point in order for made in self.emitted(self.blocks[point], places[point], places)]
        end = original.outputs[0].span
        code += [
            assignment(_cell(v, k), _constant(v.domain[0]), end) for v in original.outputs for _, k in v.cells
        ]
        code += [Put(ast.Name(WEIGHT), ast.Number(fmpq(0)), end), Halt(end)]
        weights = sorted({0, *(point.weight for point in order)})
        output = Variable(WEIGHT, None, tuple(map(fmpq, weights)), None, end)
        assigned = {target_name(o.target) for o in code if isinstance(o, Put | Draw)}
        return replace(
            original,
            code=tuple(code),
            outputs=(*original.outputs, output),
            variables=original.variables | assigned,
        )

    def explore(self, start: Point) -> list[Point]:
        """All points, each after those that lead to it, but for the heads of loops."""
        done, todo = list[Point](), [(start, False)]
        while todo:
            point, finished = todo.pop()
            if finished:
                done.append(point)
            elif point not in self.blocks:
                if len(self.blocks) > MOST_POINTS:
                    raise LimitReached("the rewritten program is too large to compare its law")
                self.blocks[point] = block = self.block(point)
                todo.append((point, True))
                todo += [(target, False) for target in block.targets]  # the last one is visited first
        return done[::-1]

    def emitted(self, block: Block, here: int, places: Mapping[Point | None, int]) -> Iterator[Instruction]:
        """The instructions of a block that begins ``here``."""
        yield from block.instructions
        here += len(block.instructions)
        for n, (condition, point) in enumerate(block.ways, 1):
            last = n == len(block.ways)
            otherwise = places[block.otherwise] if last else here + 2 * n
            yield Test(condition, otherwise, condition.span, block.loop)
            yield Jump(places[point])
        yield Jump(places[block.otherwise])

    def block(self, point: Point) -> Block:
        """What is done at a point, and where it leads."""
        operation: Operation = self.code[point.pc]
        here: Constants = {**self.constants, **{name: fmpq(value) for name, value in point.names}}
        after = point.at(point.pc + 1)
        match operation:
            case Put(target, value) | Draw(target, value):
                return Block(
                    tuple(self.assigned(ast.Assign(target, value, span=operation.span), here)), (), after
                )
            case Test(condition, otherwise, is_loop=loop):
                return Block((), ((substitute(condition, here), after),), point.at(otherwise), loop)
            case Jump(to):
                return Block((), (), point.at(to))
            case Halt(span):
                return Block((Put(ast.Name(WEIGHT), ast.Number(fmpq(point.weight)), span), operation))
            case Fresh(variable, site, low, high):
                values = integers(substitute(low, here), substitute(high, here))
                return self.choice([point.with_pick(variable, picked(site), k) for k in values])
            case Either(otherwise):
                return self.choice([after, point.at(otherwise)])
            case Round():
                return Block((), (), self.round(point, operation, here))
            case Assume(condition, law=law):
                return Block((), ((substitute(law or condition, here), after),), None)
        return Block((), (), after)

    def assigned(self, statement: ast.Assign, here: Constants) -> Iterator[Instruction]:
        """An assignment, in levels if the output has them."""
        for each in put_in_levels(statement, self.levelled):
            target, value = each.target, map_expressions(each.value, lambda e: substitute(e, here))
            if isinstance(target, ast.Index):
                target = replace(target, index=substitute(target.index, here))
            yield assignment(target, value, statement.span)

    def choice(self, points: Sequence[Point]) -> Block:
        """One of some points, each as likely as the others, whose weight grows by that."""
        ways = [replace(point, weight=point.weight * len(points)) for point in points]
        if len(ways) < 2:
            return Block((), (), ways[0] if ways else None)
        way, numbers = ast.Name(WAY), [ast.Number(fmpq(n)) for n in range(len(ways))]
        drawn = Draw(way, ast.Uniform(ast.SetOf(tuple(numbers))), way.span)
        tests = [ast.Binary(ast.Op.EQ, way, number) for number in numbers]
        return Block((drawn,), tuple(zip(tests[1:], ways[1:], strict=True)), ways[0])

    def round(self, point: Point, head: Round, here: Constants) -> Point:
        """Where a loop goes on: at its next round but for the one picked before, or after all of them."""
        values = integers(substitute(head.low, here), substitute(head.high, here))
        names, loops = dict(point.names), dict(point.loops)
        value = loops.pop(point.pc, values.start - 1) + 1
        if value == names.get(picked(head.site)):
            value += 1
        ended = value not in values
        names |= {head.variable: value}
        if ended:
            names = {n: v for n, v in names.items() if n not in (head.variable, picked(head.site))}
        else:
            loops[point.pc] = value
        pc = head.otherwise if ended else point.pc + 1
        return Point(pc, frozenset(names.items()), frozenset(loops.items()), point.weight)


def _cell(variable: Variable, k: int) -> ast.Name | ast.Index:
    return ast.Index(variable.name, ast.Number(fmpq(k))) if k else ast.Name(variable.name)


def _constant(value: Value) -> ast.Expr:
    return ast.Name(value.name) if isinstance(value, Atom) else ast.Number(value)
