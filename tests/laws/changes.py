"""Changes of programs that leave their meaning as it is, or change it in a known way.

A change takes a syntax tree and returns a :class:`Changed`: the new program, and how its inputs, outputs and
budgets are those of the old one.  It returns None if the program offers nothing to change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

from flint import fmpq
from hypothesis import strategies as st
from oracles import Outcome

from dipc.dipwhile.rederive.programs import Inputs, InputValue
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.ast import Assign, Binary, Block, Call, Choose, Name, Number, Op, Program, Statement
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.printer import show_program
from dipc.dipwhile.syntax.walk import (
    bottom_up,
    fields_of,
    map_expressions,
    nodes,
    parts,
    preorder,
    rebuilt,
    with_children,
)
from dipc.errors import Source

Draw = Callable[[st.SearchStrategy[Any]], Any]
T = TypeVar("T")
AnyNode = TypeVar("AnyNode", bound=ast.Node)


@dataclass(frozen=True)
class Changed:
    """The new program; ``inputs`` and ``outcome`` turn old ones into new ones.

    At eps the new program does what the old one does at ``factor * eps``.
    """

    program: Program
    inputs: Callable[[Inputs], Inputs] = lambda inputs: inputs
    outcome: Callable[[Outcome], Outcome] = lambda outcome: outcome
    factor: Fraction = Fraction(1)


Change = Callable[[Draw, Program], Changed | None]


# --- what programs mention ---------------------------------------------------------------------


def touched(node: ast.Node) -> frozenset[str]:
    """All names in a node but those that it binds."""
    found: frozenset[str] = frozenset().union(*map(touched, parts(node)))
    match node:
        case Name(name) | ast.Index(name, _):
            return found | {name}
        case ast.For() | ast.Fold() | ast.ExpMechanism():
            return found - {node.variable}
        case _:
            return found


def all_names(node: ast.Node) -> frozenset[str]:
    """All names in a node, those of variables and those of atoms."""
    names = {
        getattr(part, field) for part in preorder(node, parts) for field in NAMED if hasattr(part, field)
    }
    return frozenset(names - {"true", "false"})


def every_part(node: ast.Node) -> Iterator[ast.Node]:
    return preorder(node, parts)


NAMED = ("name", "array", "variable")


def written(statement: Statement) -> frozenset[str]:
    """The variables that a statement may assign."""
    inside = (part for part in every_part(statement) if isinstance(part, Assign))
    return frozenset(target_name(part) for part in inside)


def target_name(statement: Assign) -> str:
    """The variable that an assignment changes, perhaps in one cell."""
    target = statement.target
    return target.name if isinstance(target, Name) else target.array


def may_exit(statement: Statement) -> bool:
    return any(isinstance(part, ast.Exit) for part in every_part(statement))


def fresh(program: Program, stem: str) -> str:
    """A name that the program does not mention."""
    names = all_names(program)
    return next(name for k in range(len(names) + 1) if (name := f"{stem}{k}") not in names)


def put(node: AnyNode, values: Mapping[str, ast.Expr]) -> AnyNode:
    """The node with expressions in the places of names."""

    def visit(expr: ast.Expr, new: tuple[ast.Expr, ...]) -> ast.Expr:
        return values.get(expr.name, expr) if isinstance(expr, Name) else with_children(expr, new)

    return map_expressions(node, lambda expr: bottom_up(expr, visit))


def integer(number: int) -> ast.Expr:
    return Number(fmpq(number))


def shuffled(draw: Draw, items: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(items[k] for k in draw(st.permutations(range(len(items)))))


def inside(statement: AnyNode, change: Callable[[Block], Block]) -> AnyNode:
    """The statement with a change made in the blocks directly inside it."""

    def new(value: Any) -> Any:
        if isinstance(value, tuple) and value and all(isinstance(part, Statement) for part in value):
            return change(value)
        return tuple(map(new, value)) if isinstance(value, tuple) else value

    return replace(statement, **{name: new(getattr(statement, name)) for name in fields_of(statement)})


def each_block(block: Block, change: Callable[[Block], Block]) -> Block:
    """The block with a change made in the blocks inside, then in the block itself."""
    return change(tuple(inside(statement, lambda inner: each_block(inner, change)) for statement in block))


def in_body(program: Program, change: Callable[[Block], Block]) -> Changed | None:
    """The program with its blocks changed; None if they are as before."""
    new = replace(program, body=each_block(program.body, change))
    return None if new == program else Changed(new)


# --- names, order ------------------------------------------------------------------------------

NEW_NAMES = ("Z9", "size", "v_1", "a1", "qq", "zz_top", "B", "o2", "M")


def renamed(node: AnyNode, names: Mapping[str, str]) -> AnyNode:
    """The node with other names, bound ones too."""
    inside = rebuilt(node, lambda part: renamed(part, names))
    changes = {field: names.get(getattr(node, field), getattr(node, field)) for field in own_names(node)}
    return replace(inside, **changes)


def own_names(node: ast.Node) -> list[str]:
    return [field for field in NAMED if getattr(node, field, None) is not None]


def renaming(draw: Draw, program: Program) -> Changed:
    """Other names for all variables, parameters and atoms, perhaps those of others."""
    old = sorted(all_names(program))
    pool = sorted({*old, *NEW_NAMES})
    names = dict(zip(old, draw(st.permutations(pool)), strict=False))

    def moved(value: InputValue) -> InputValue:
        if isinstance(value, tuple):
            return tuple(names.get(cell, cell) if isinstance(cell, str) else cell for cell in value)
        return names.get(value, value) if isinstance(value, str) else value

    return Changed(
        renamed(program, names),
        lambda inputs: {names[name]: moved(value) for name, value in inputs.items()},
        lambda outcome: tuple((names[name], moved(value)) for name, value in outcome),
    )


def reordering(draw: Draw, program: Program) -> Changed | None:
    """Independent statements in another order."""

    def change(block: Block) -> Block:
        ranks = draw(st.permutations(range(len(block))))
        left, done = list(range(len(block))), []
        while left:
            free = [k for k in left if not any(depend(block[j], block[k]) for j in left if j < k)]
            done.append(min(free, key=lambda k: ranks[k]))
            left.remove(done[-1])
        return tuple(block[k] for k in done)

    return in_body(program, change)


def depend(one: Statement, other: Statement) -> bool:
    """Whether the order of two statements may matter."""
    meet = written(one) & touched(other) or written(other) & touched(one)
    return bool(meet) or may_exit(one) or may_exit(other)


# --- loops ---------------------------------------------------------------------------------------


def splitting(draw: Draw, program: Program) -> Changed | None:
    """A ``for`` loop in two, by its range or by its body; the first round of a ``while`` before it."""

    def change(block: Block) -> Block:
        return tuple(new for statement in block for new in split(statement))

    def split(loop: Statement) -> Block:
        match loop:
            case ast.For(_, low, high, _):
                if draw(st.booleans()) and (two := fissioned(loop, program)):
                    return two
                first, last = int(constant_value(low)), int(constant_value(high))
                middle = draw(st.integers(first - 1, last))
                return replace(loop, high=integer(middle)), replace(loop, low=integer(middle + 1))
            case ast.While(condition, body):
                return ast.If(((condition, body),), ()), loop
        return (loop,)

    return in_body(program, change)


def fissioned(loop: ast.For, program: Program) -> Block | None:
    """The first statement of the body in a loop of its own, before that of the others.

    If it draws noise for one round, the noise of all rounds is kept in an array.  An output must not be ahead
    of an ``exit``.
    """
    first, *rest = loop.body
    if not isinstance(first, Assign) or not rest:
        return None
    name, others = target_name(first), frozenset[str]().union(*map(written, rest))
    if name in others or touched(first) & others:
        return None
    if any(output.name == name for output in program.outputs) and any(map(may_exit, rest)):
        return None
    if isinstance(first.target, Name):
        if not isinstance(first.value, ast.Noise) or outside(name, program.body):
            return None
        cell = ast.Index(fresh(program, "all"), Name(loop.variable))
        first, rest = replace(first, target=cell), [put(statement, {name: cell}) for statement in rest]
    elif any(name in touched(statement) for statement in rest):
        return None
    return replace(loop, body=(first,)), replace(loop, body=tuple(rest))


def outside(name: str, body: Block) -> bool:
    """Whether a variable is mentioned outside the loops that assign it first in every round."""
    return any(name in touched(statement) and not assigns_first(name, statement) for statement in body)


def assigns_first(name: str, statement: Statement) -> bool:
    match statement:
        case ast.For(_, _, _, (Assign() as first, *_)):
            return isinstance(first.target, Name) and first.target.name == name
        case _:
            return False


# --- samples -------------------------------------------------------------------------------------

FINITE_DUMMIES = ("flip(1/(1 + exp(eps)))", "choose {0: exp(-eps), 7: 1 - exp(-eps)}", "uniform 1..3")
DUMMIES = (*FINITE_DUMMIES, "Lap(eps/7, 3)", "LapPlus(eps, 0)", "DLap(2*eps, 1)", "Exp(eps, v in {0, 1}, v)")


def dummy_samples(draw: Draw, program: Program) -> Changed:
    """One more sample in every block, which nothing reads; a ``while`` may draw finite ones only."""
    number, coin = fresh(program, "dummy"), fresh(program, "coin")  # a variable has one type

    def more(block: Block, kinds: tuple[str, ...]) -> Block:
        drawn = draw(st.sampled_from(kinds))
        sample = parse(Source("", f"{coin if drawn.startswith('flip') else number} <- {drawn}")).body
        place = draw(st.integers(0, len(block) - any(isinstance(each, ast.Exit) for each in block)))
        new = []
        for each in block:
            allowed = FINITE_DUMMIES if isinstance(each, ast.While) else kinds
            new.append(inside(each, partial(more, kinds=allowed)))
        return (*new[:place], *sample, *new[place:])

    return Changed(replace(program, body=more(program.body, DUMMIES)))


def finite_draws(draw: Draw, program: Program) -> Changed | None:
    """Coins as choices and choices as coins; uniform and exponential draws as choices."""
    coin = Name(fresh(program, "coin"))

    def choice(*options: tuple[ast.Expr, ast.Expr]) -> Choose:
        return Choose(shuffled(draw, options))

    def redrawn(statement: Statement) -> Block:
        match statement:
            case Assign(target, ast.Flip(p)):
                return (Assign(target, choice((Name("true"), p), (Name("false"), rest_of(p)))),)
            case Assign(target, Choose(options)):
                return coins(target, options, coin)
            case Assign(target, ast.Uniform(support)):
                values = members(support)
                each = Binary(Op.DIV, integer(1), integer(len(values)))
                return (Assign(target, choice(*((value, each) for value in values))),)
            case Assign(target, ast.ExpMechanism(rate, variable, support, score)):
                weights = [
                    (value, Call("exp", (Binary(Op.MUL, rate, put(score, {variable: value})),)))
                    for value in members(support)
                ]
                total: ast.Expr = integer(0)
                for _, weight in weights:
                    total = Binary(Op.ADD, total, weight)
                return (Assign(target, choice(*((v, Binary(Op.DIV, w, total)) for v, w in weights))),)
        return (statement,)

    return in_body(program, lambda block: tuple(new for each in block for new in redrawn(each)))


def rest_of(p: ast.Expr) -> ast.Expr:
    """``1 - p``."""
    return Binary(Op.SUB, integer(1), p)


def members(domain: ast.FiniteSet) -> tuple[ast.Expr, ...]:
    """The members of a set of constants."""
    if isinstance(domain, ast.SetOf):
        return domain.members
    low, high = (constant_value(end) for end in (domain.low, domain.high))
    return tuple(integer(k) for k in range(int(low), int(high) + 1))


def constant_value(expr: ast.Expr) -> Fraction:
    """The value of a constant, as the random programs write them."""
    match expr:
        case Number(value):
            return Fraction(int(value.p), int(value.q))
        case ast.Unary(Op.NEG, operand):
            return -constant_value(operand)
        case Binary(Op.DIV, left, right):
            return constant_value(left) / constant_value(right)
    raise AssertionError(expr)


def coins(target: Name | ast.Index, options: tuple[tuple[ast.Expr, ast.Expr], ...], coin: Name) -> Block:
    """A coin for each option, given that none of those before was chosen."""
    (value, p), *others = options
    if not others:
        return (Assign(target, value),)
    later = tuple((other, Binary(Op.DIV, q, rest_of(p))) for other, q in others)
    hit, miss = (Assign(target, value),), coins(target, later, coin)
    return Assign(coin, ast.Flip(p)), ast.If(((coin, hit),), miss)


# --- extrema ---------------------------------------------------------------------------------------

BETTER = {"max": Op.GT, "argmax": Op.GT, "min": Op.LT, "argmin": Op.LT}


def streaming(_: Draw, program: Program) -> Changed | None:
    """Extrema in assignments by a running best: of arrays by a loop, of listed values one by one."""
    sizes = dict(read(Source("", show_program(program)), {}).arrays)
    best, where = fresh(program, "best"), fresh(program, "where")

    def change(block: Block) -> Block:
        return tuple(new for statement in block for new in streamed(statement))

    def streamed(statement: Statement) -> Block:
        if not isinstance(statement, Assign) or not isinstance(statement.value, ast.Expr):
            return (statement,)
        before: list[Statement] = []

        def visit(node: ast.Expr, new: tuple[ast.Expr, ...]) -> ast.Expr:
            node = with_children(node, new)
            cells = cells_of(node, sizes)
            if not cells:
                return node
            assert isinstance(node, Call)
            place = len(before)
            names = Name(f"{best}_{place}"), Name(f"{where}_{place}")
            before.extend(running(cells, *names, BETTER[node.function]))
            return names[node.function.startswith("arg")]

        if any(isinstance(node, ast.Fold) for node in nodes(statement.value)):
            return (statement,)
        value = bottom_up(statement.value, visit)
        return (*before, replace(statement, value=value))

    return in_body(program, change)


def cells_of(node: ast.Expr, sizes: Mapping[str, int]) -> tuple[ast.Expr, ...]:
    """The values that an extremum is of; none for another expression."""
    match node:
        case Call("max" | "min" | "argmax" | "argmin", (Name(array),)) if array in sizes:
            return tuple(ast.Index(array, integer(k)) for k in range(1, sizes[array] + 1))
        case Call("max" | "min", arguments):
            return arguments
        case _:
            return ()


def running(cells: tuple[ast.Expr, ...], best: Name, where: Name, better: Op) -> Block:
    """The best value and the first place where it is, cell by cell; a loop if they are those of an array."""

    def follow(cell: ast.Expr, place: ast.Expr) -> Statement:
        return ast.If(((Binary(better, cell, best), (Assign(best, cell), Assign(where, place))),), ())

    start = Assign(best, cells[0]), Assign(where, integer(1))
    first = cells[0]
    if isinstance(first, ast.Index) and all(
        each == replace(first, index=integer(k)) for k, each in enumerate(cells, 1)
    ):
        cell = Name("cell")
        body = (follow(ast.Index(first.array, cell), cell),)
        return *start, ast.For("cell", integer(2), integer(len(cells)), body)
    return *start, *(follow(each, integer(k)) for k, each in enumerate(cells[1:], 2))


# --- the budget ------------------------------------------------------------------------------------


def scaling(draw: Draw, program: Program) -> Changed:
    """A multiple of eps for eps, in the program and in its claim."""
    factor = draw(st.sampled_from([Fraction(2), Fraction(2), Fraction(1, 2), Fraction(3), Fraction(2, 3)]))
    number = Number(fmpq(factor.numerator, factor.denominator))

    def visit(node: ast.Expr, new: tuple[ast.Expr, ...]) -> ast.Expr:
        return Binary(Op.MUL, number, node) if isinstance(node, ast.Eps) else with_children(node, new)

    scaled = map_expressions(program, lambda expr: bottom_up(expr, visit))
    if scaled.claim is not None and (interval := scaled.claim.interval) is not None:
        high = None if interval.high is None else Binary(Op.DIV, interval.high, number)
        shrunk = replace(interval, low=Binary(Op.DIV, interval.low, number), high=high)
        scaled = replace(scaled, claim=replace(scaled.claim, interval=shrunk))
    return Changed(scaled, factor=factor)
