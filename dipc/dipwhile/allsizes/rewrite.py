"""Tree to tree, for every size: sums become loops, extrema a winner that no other draw beats.

Every rewriting keeps the law of the program, failing runs included:

- ``sum(q)`` and ``sum(j in 1..N: e)`` become a loop that adds up, and ``sum(j in 1..i: e)`` in a loop over i
  from 1 a variable that grows with it;
- ``noisy[i] <- ...`` for all i, then ``max``, ``min``, ``argmax`` or ``argmin`` of ``noisy``, becomes: the
  winner is drawn first, then every other cell, which the winner beats; the first of equals wins;
- ``if r > best then best <- r; arg <- i end`` as the end of a round likewise: no cell beats ``best``, or the
  winner does.

Draws move to another place in the text.  So nothing may fail in a round that is rewritten
(:meth:`Rewriter.never_fails`): what has been published before a failure is a part of the outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count, starmap
from typing import cast

from flint import fmpq

from dipc.dipwhile.allsizes.integers import is_integer
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.types import names_in
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.dipwhile.syntax.walk import (
    bottom_up,
    children,
    expressions,
    map_expressions,
    nodes,
    statements,
    with_children,
)
from dipc.errors import Span, Unsupported

ZERO, ONE = ast.Number(fmpq(0)), ast.Number(fmpq(1))
CELL = "every cell"
"""The variable of a loop over the cells of an array: no name of a program, so that it hides none."""
EXTREMA = {"max": ast.Op.GT, "argmax": ast.Op.GT, "min": ast.Op.LT, "argmin": ast.Op.LT}
"""How the winner compares with the cells before it."""
TURNED = {ast.Op.GT: ast.Op.LT, ast.Op.GE: ast.Op.LE, ast.Op.LT: ast.Op.GT, ast.Op.LE: ast.Op.GE}


@dataclass(frozen=True, slots=True)
class Scope:
    """What a body is rewritten in: ``sizes`` are the names of sizes, symbolic unless they have a number.

    ``bounds`` are the sizes of the declared arrays; ``names`` are all parameters; ``integers`` are the
    variables and inputs that only ever hold integers.
    """

    sizes: frozenset[str]
    inputs: frozenset[str]
    outputs: frozenset[str]
    bounds: Mapping[str, ast.Expr]
    names: frozenset[str]
    integers: frozenset[str] = frozenset()

    @property
    def lengths(self) -> frozenset[str]:
        """The parameters that are sizes of arrays themselves: at least 1."""
        return frozenset(bound.name for bound in self.bounds.values() if isinstance(bound, ast.Name))


def rewritten(body: ast.Block, constants: Constants, scope: Scope) -> ast.Block:
    """The body without sums and extrema over ranges of any size; ``constants`` are those with numbers."""
    return Rewriter(body, constants, scope).block(body)


@dataclass(frozen=True, slots=True)
class Family:
    """An array whose cells a loop draws alike; it is drawn where it is used, in the same ``context``.

    ``position`` counts the assignments before the loop, ``own`` are the variables of a round.
    """

    loop: ast.For
    context: int
    position: int
    own: frozenset[str]


@dataclass
class Rewriter:
    """One pass over a body."""

    body: ast.Block
    constants: Constants
    scope: Scope
    families: dict[str, Family] = field(default_factory=dict)
    winners: dict[str, str] = field(default_factory=dict)  # the families that have been drawn: for max or min
    assigned: list[str] = field(default_factory=list)  # in the order of the text
    context: int = 0
    contexts: Iterator[int] = field(default_factory=lambda: count(1))

    def block(self, block: ast.Block) -> ast.Block:
        """Rewrite a block.  What :mod:`.ast` lists as ``Rewritten`` is a statement for the compiler only."""
        made = (new for statement in block for new in self.statement(statement))
        return cast(ast.Block, tuple(made))

    def statement(self, statement: ast.Statement) -> Iterator[ast.Statement | ast.Rewritten]:
        """What stands in the place of a statement."""
        before: list[ast.Statement | ast.Rewritten] = []
        match statement:
            case ast.Assign(target):
                made: ast.Statement = map_expressions(statement, lambda e: self.prepared(e, before))
                self.assigned.append(target_name(target))
            case ast.If():
                made = self.branch(statement, before)
            case ast.While(body=body):
                made = replace(statement, body=self.inside(body))
            case ast.For():
                yield from self.loop(statement)
                return
            case ast.Exit():
                made = statement
        yield from before
        yield made

    def branch(self, statement: ast.If, before: list[ast.Statement | ast.Rewritten]) -> ast.If:
        """Rewrite an ``if``; the sums and extrema of all its conditions come first."""
        conditions = [self.prepared(condition, before) for condition, _ in statement.branches]
        known = dict(self.families)
        blocks = [self.arm(block) for _, block in statement.branches]
        otherwise = self.arm(statement.otherwise)
        self.families = {array: family for array, family in known.items() if array in self.families}
        return replace(statement, branches=tuple(zip(conditions, blocks, strict=True)), otherwise=otherwise)

    def arm(self, block: ast.Block) -> ast.Block:
        """The block of a branch.  What only some branches draw is not known in others, or afterwards."""
        families, winners = dict(self.families), dict(self.winners)
        made = self.block(block)
        self.families = {a: f for a, f in families.items() if self.winners.get(a) == winners.get(a)}
        self.winners = winners
        return made

    def inside(self, body: ast.Block) -> ast.Block:
        """The body of a loop: what was drawn outside is not drawn again in it, or the other way round."""
        with self.inner_context():
            return self.block(body)

    @contextmanager
    def inner_context(self) -> Iterator[None]:
        """The inside of a loop."""
        outer, self.context = self.context, next(self.contexts)
        yield
        self.context = outer

    def numbered(self, loop: ast.For) -> bool:
        """Whether the bounds of a loop have numbers."""
        names = names_in(loop.low) | names_in(loop.high)
        return not names & self.scope.sizes - self.constants.keys()

    def symbolic(self, *exprs: ast.Expr) -> bool:
        """Whether some bound depends on a size, which may have a number."""
        return any(names_in(expr) & self.scope.sizes for expr in exprs)

    def loop(self, loop: ast.For) -> Iterator[ast.Statement | ast.Rewritten]:
        """Rewrite a ``for``."""
        self.assigned.append(loop.variable)
        if self.symbolic(loop.low, loop.high):
            if (extremum := self.streaming(loop)) is not None:
                self.assigned += assigned_in(loop.body)
                yield from extremum
                return
            start, loop = self.running_sums(loop)
            yield from start
            if not self.numbered(loop) and (family := self.family(loop)) is not None:
                array, own = family
                self.families[array] = Family(loop, self.context, len(self.assigned), own)
                self.winners.pop(array, None)
                return
        yield replace(loop, body=self.inside(loop.body))

    # --- sums ----------------------------------------------------------------------------------

    def prepared(self, expr: ast.Expr, before: list[ast.Statement | ast.Rewritten]) -> ast.Expr:
        """The expression without sums and extrema over symbolic ranges; what computes them goes before."""

        def visit(node: ast.Expr, parts: tuple[ast.Expr, ...]) -> ast.Expr:
            node = with_children(node, parts)
            match node:
                case ast.Call("sum", (ast.Name(array),)) if self.symbolic(
                    bound := self.scope.bounds.get(array, ZERO)
                ):
                    cell = ast.Index(array, ast.Name(CELL, span=node.span), span=node.span)
                    fold = ast.Fold("sum", CELL, ONE, bound, cell, span=node.span)
                    return self.total(fold, show_expr(node), before)
                case ast.Fold("sum", _, low, high, body) if self.symbolic(low, high):
                    if not any(isinstance(part, ast.Fold) for part in nodes(body)):  # names mean the same
                        return self.total(node, show_expr(node), before)
                case ast.Call(name, (ast.Name(array),)) if name in EXTREMA and array in self.families:
                    return self.winner(array, name, before, node.span) or node
            return node

        return bottom_up(expr, visit)

    def total(self, fold: ast.Fold, text: str, before: list[ast.Statement | ast.Rewritten]) -> ast.Expr:
        """A loop that adds up; its result has the text of the sum for a name."""
        name = ast.Name(text, span=fold.span)
        term = _put_in(fold.body, fold.variable, ast.Name(CELL, span=fold.span))
        before.append(ast.Assign(name, replace(ZERO, span=fold.span), span=fold.span))
        before.append(ast.For(CELL, fold.low, fold.high, (_add(term, text),), span=fold.span))
        return name

    def running_sums(self, loop: ast.For) -> tuple[list[ast.Statement], ast.For]:
        """``sum(j in 1..i: e)`` in a loop over i from 1: a variable that grows round by round."""
        binders = {
            n.variable for s in loop.body for e in expressions(s) for n in nodes(e) if isinstance(n, ast.Fold)
        }
        loops = {s.variable for s, _ in statements(loop.body) if isinstance(s, ast.For)}
        if substitute(loop.low, self.constants) != ONE or loop.variable in binders | loops:
            return [], loop
        known = self.scope.inputs | self.scope.names | {loop.variable}
        names: dict[ast.Expr, str] = {}

        def visit(node: ast.Expr, parts: tuple[ast.Expr, ...]) -> ast.Expr:
            node = with_children(node, parts)
            match node:
                case ast.Fold("sum", j, low, ast.Name(i), body) if (
                    low == ONE and i == loop.variable and i not in names_in(body)
                ):
                    term = _put_in(body, j, ast.Name(i, span=node.span))
                    if names_in(term) <= known and self.never_fails(term, loop):
                        name = names.setdefault(term, show_expr(node))
                        return ast.Name(name, span=node.span)
            return node

        body = tuple(map_expressions(part, lambda e: bottom_up(e, visit)) for part in loop.body)
        start: list[ast.Statement] = [
            ast.Assign(ast.Name(name, span=loop.span), replace(ZERO, span=loop.span), span=loop.span)
            for name in names.values()
        ]
        return start, replace(loop, body=(*starmap(_add, names.items()), *body)) if names else loop

    # --- what may be drawn elsewhere -------------------------------------------------------------

    def never_fails(self, expr: ast.Expr, loop: ast.For) -> bool:
        """Whether an expression has a value in every round: sums of scalars and cells ``q[i]``, multiples."""
        put = substitute(expr, self.constants)
        return all(self.has_value(node, loop) for node in nodes(put))

    def has_value(self, node: ast.Expr, loop: ast.For) -> bool:
        """Whether a node of an expression has a value in every round, if its parts have."""
        match node:
            case ast.Index(array, ast.Name(i)):
                low = substitute(loop.low, self.constants)
                from_one = isinstance(low, ast.Number) and low.value >= 1 and low.value.q == 1
                whole = from_one and loop.high == self.scope.bounds.get(array)
                return whole and i == loop.variable and array in self.scope.inputs
            case ast.Index(array, ast.Number(k)):
                return array in self.scope.inputs and k == 1  # every size is at least 1
            case ast.Binary(ast.Op.DIV, _, right):
                return isinstance(right, ast.Number) and right.value != 0
            case ast.Binary(op):
                return op in (ast.Op.ADD, ast.Op.SUB, ast.Op.MUL)
            case ast.Unary(op):
                return op is ast.Op.NEG
            case ast.Call(function):
                return function in ("sum", "max", "min", "abs")
        return isinstance(node, ast.Name | ast.Number)

    def draw_never_fails(self, value: ast.Expr | ast.Distribution, loop: ast.For) -> bool:
        """Whether a value, or noise with its mean, never fails in a round."""
        if isinstance(value, ast.Noise):
            fixed = not NOISE[value.kind].integer or is_integer(
                value.mean, self.scope.integers, self.constants
            )
            return fixed and self.never_fails(value.mean, loop)
        return isinstance(value, ast.Expr) and self.never_fails(value, loop)

    def locals_of(self, before: ast.Block, loop: ast.For) -> frozenset[str] | None:
        """The variables that a straight beginning of a round assigns, if none lasts and nothing fails."""
        assigned: set[str] = set()
        written = set(assigned_in(before))
        for statement in before:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.target, ast.Name):
                return None
            if names_in(statement.value) & (written - assigned):
                return None
            if not self.draw_never_fails(statement.value, loop):
                return None
            assigned.add(statement.target.name)
        inside = {id(s) for s, _ in statements(loop.body)}
        outside = [s for s, _ in statements(self.body) if id(s) not in inside and s is not loop]
        elsewhere = {name for s in outside for e in read_by(s) for name in names_in(e)}
        lasting = elsewhere | self.scope.inputs | self.scope.outputs
        return None if assigned & lasting else frozenset(assigned)

    # --- extrema of arrays -----------------------------------------------------------------------

    def family(self, loop: ast.For) -> tuple[str, frozenset[str]] | None:
        """The array of which the loop draws every cell alike, if it does nothing else that lasts.

        Its bounds are the same whenever it is run: it draws all cells again.  Also the variables of a round.
        """
        *before, last = loop.body or (ast.Exit(),)
        if loop.low != ONE or not names_in(loop.high) <= self.scope.names:
            return None
        match last:
            case ast.Assign(ast.Index(array, ast.Name(i)), value) if (
                i == loop.variable
                and array not in self.scope.inputs | self.scope.outputs
                and self.only_extrema(array)
                and self.draw_never_fails(value, loop)
            ):
                own = self.locals_of(tuple(before), loop)
                return None if own is None else (array, own | {i})
        return None

    def only_extrema(self, array: str) -> bool:
        """Whether the program reads the array through ``max``, ``argmax``, ... only, and fills it once."""
        read = [node for s, _ in statements(self.body) for e in read_by(s) for node in nodes(e)]
        filled = assigned_in(self.body).count(array)
        whole = sum(isinstance(n, ast.Name) and n.name == array for n in read)
        extrema = sum(
            isinstance(n, ast.Call) and n.function in EXTREMA and n.arguments == (ast.Name(array),)
            for n in read
        )
        cells = any(isinstance(n, ast.Index) and n.array == array for n in read)
        return filled == 1 and whole == extrema and not cells

    def winner(
        self, array: str, function: str, before: list[ast.Statement | ast.Rewritten], where: Span
    ) -> ast.Expr | None:
        """The draws of all cells, the winner first, go before; its value or its index.

        None: the cells have been drawn for another purpose, or what they are drawn from has changed.
        Raises :class:`Unsupported` outside of the loop, each round of which draws the cells, or inside one.
        """
        family, op, kind = self.families[array], EXTREMA[function], function[-3:]
        if family.context != self.context:
            hint = f"draw `{array}` in the loop that reads it"
            raise Unsupported(f"`{array}` is drawn in another loop than the one that reads it", where, hint)
        if self.winners.get(array, kind) != kind:
            return None
        if array not in self.winners and self.changed(family):
            return None
        loop, span = family.loop, family.loop.span
        names = (f"{kind}({array})", f"arg{kind}({array})", f"other({array})")
        value, place, other = (ast.Name(name, span=span) for name in names)
        if array not in self.winners:
            self.winners[array] = kind
            *first, last = loop.body
            assert isinstance(last, ast.Assign)
            place_it = ast.Assign(place, ast.Name(loop.variable, span=span), span=span)
            winner = self.inside((*first, replace(last, target=value), place_it))
            draw = self.inside((*first, replace(last, target=other)))
            beaten, rest = (_with(draw, value, by, other) for by in (op, ast.NEGATED[TURNED[op]]))
            pick = ast.Pick(loop.variable, loop.low, loop.high, winner, beaten, rest, span=span)
            before.append(pick)
        return place if function.startswith("arg") else value

    def changed(self, family: Family) -> bool:
        """Whether a variable that the loop reads has been assigned since: it is drawn later than written."""
        read = {name for s in family.loop.body for e in read_by(s) for name in names_in(e)} - family.own
        return bool(read & set(self.assigned[family.position :]))

    # --- the best so far -------------------------------------------------------------------------

    def streaming(self, loop: ast.For) -> Sequence[ast.Statement | ast.Rewritten] | None:
        """The old best value stays, or a new one wins; None if no round ends in such a comparison."""
        if not loop.body or not isinstance(last := loop.body[-1], ast.If):
            return None
        before = loop.body[:-1]
        if len(last.branches) != 1 or last.otherwise or self.locals_of(before, loop) is None:
            return None
        condition, then = last.branches[0]
        first = False
        match condition:
            case ast.Binary(ast.Op.OR, ast.Binary(ast.Op.EQ, ast.Name(i), low), rest) if (
                i == loop.variable and low == loop.low
            ):  # the other way round, `best` is read first, and needs a value
                condition, first = rest, True
        if not isinstance(condition, ast.Binary) or condition.op not in TURNED:
            return None
        for new, best, op in (
            (condition.left, condition.right, condition.op),
            (condition.right, condition.left, TURNED[condition.op]),
        ):
            if isinstance(best, ast.Name) and self.keeps_best(loop, new, best, then):
                beats = ast.Binary(op, new, best, span=condition.span)
                return self.best_of_rounds(loop, beats, then, has_old=not first)
        return None

    def keeps_best(self, loop: ast.For, new: ast.Expr, best: ast.Name, then: ast.Block) -> bool:
        """Whether ``then`` is ``best <- new`` with assignments of public values, read after the loop only."""
        targets = [
            s.target.name for s in then if isinstance(s, ast.Assign) and isinstance(s.target, ast.Name)
        ]
        if len(targets) < len(then) or len(set(targets)) < len(targets) or targets.count(best.name) != 1:
            return False
        for s in then:
            assert isinstance(s, ast.Assign)
            if target_name(s.target) == best.name:
                if s.value != new:
                    return False
            elif not isinstance(s.value, ast.Expr) or names_in(s.value) - {loop.variable} - self.scope.names:
                return False
        read = [name for s in loop.body[:-1] for e in read_by(s) for name in names_in(e)]
        return not set(targets) & {*read, *assigned_in(loop.body[:-1]), *names_in(new)}

    def best_of_rounds(
        self, loop: ast.For, beats: ast.Binary, then: ast.Block, has_old: bool
    ) -> Sequence[ast.Statement | ast.Rewritten]:
        """No round beats the old value, or one does and is beaten by no other: see the head of the module."""
        before, op, span = self.inside(loop.body[:-1]), beats.op, loop.span
        new, best = beats.left, beats.right
        stays = _with(before, new, ast.NEGATED[op], best)
        entry = (ast.Assume(beats, span=beats.span),) if has_old else ()
        winner = cast(ast.Block, (*before, *entry, *then))
        beaten = _with(before, new, TURNED[op], best)
        pick = ast.Pick(loop.variable, loop.low, loop.high, winner, beaten, stays, span=span)
        if has_old:
            return [replace(pick, none=stays, text=f"`{show_expr(best)}` stays")]
        if self.is_nonempty(loop):
            return [pick]
        some = ast.Binary(ast.Op.LE, loop.low, loop.high, span=span)
        return [ast.If(((some, cast(ast.Block, (pick,))),), (), span=span)]

    def is_nonempty(self, loop: ast.For) -> bool:
        """Whether the loop has a round for every size: ``1..N`` for a size N."""
        return loop.low == ONE and isinstance(loop.high, ast.Name) and loop.high.name in self.scope.lengths


# --- parts of trees ----------------------------------------------------------------------------


def _with(block: Iterable[ast.Statement], left: ast.Expr, op: ast.Op, right: ast.Expr) -> ast.Block:
    """The block, then the assumption that two values compare in this way."""
    condition = ast.Binary(op, left, right, span=left.span)
    return cast(ast.Block, (*block, ast.Assume(condition, span=left.span)))


def assigned_in(body: ast.Block) -> list[str]:
    """The variable or array of every assignment."""
    return [target_name(s.target) for s, _ in statements(body) if isinstance(s, ast.Assign)]


def read_by(statement: ast.Statement) -> Iterator[ast.Expr]:
    """The expressions that a statement itself reads."""
    match statement:
        case ast.Assign(target, value):
            yield from children(target)
            yield from expressions(value) if not isinstance(value, ast.Expr) else (value,)
        case ast.If(branches):
            yield from (condition for condition, _ in branches)
        case ast.For(_, low, high):
            yield from (low, high)
        case ast.While(condition):
            yield condition


def _put_in(expr: ast.Expr, name: str, value: ast.Expr) -> ast.Expr:
    """The expression with a value in the place of a name."""

    def visit(node: ast.Expr, parts: tuple[ast.Expr, ...]) -> ast.Expr:
        return value if isinstance(node, ast.Name) and node.name == name else with_children(node, parts)

    return bottom_up(expr, visit)


def _add(term: ast.Expr, name: str) -> ast.Assign:
    """``name <- name + term``."""
    total = ast.Name(name, span=term.span)
    return ast.Assign(total, ast.Binary(ast.Op.ADD, total, term, span=term.span), span=term.span)
