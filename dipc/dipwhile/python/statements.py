"""Python statements to statements of the syntax tree.

What the language does not have is written with what it has:

*   ``return`` gives the outputs their values and ends the program (``exit``);
*   ``break`` and ``continue`` set a flag that guards the statements after them;
*   ``for x in q`` counts the cells; ``a, b = b, a`` goes through auxiliary variables;
*   a list is made cell by cell, and keeps its length.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from flint import fmpq

from dipc.dipwhile.python.expressions import Expressions, plus_one
from dipc.dipwhile.python.scope import Scope, names_among
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Assign, Binary, Block, Expr, Index, Name, Number, Op, Statement, Unary
from dipc.dipwhile.syntax.build import chained
from dipc.dipwhile.syntax.constants import evaluate
from dipc.dipwhile.syntax.types import free_names
from dipc.dipwhile.syntax.walk import children, own_parts, statements
from dipc.errors import Span

FALSE = Name("false")


@dataclass
class Loop:
    """A loop being read: the flags that its ``break`` and ``continue`` set, once there is one."""

    left: str | None = None
    skipped: str | None = None


class Statements(Expressions):
    """Reads the statements of one function."""

    def __init__(self, scope: Scope, outputs: Sequence[dip.Declaration], sizes: dict[str, Expr]) -> None:
        super().__init__(scope, sizes)
        self.outputs = outputs
        self.loops: list[Loop] = []

    def body(self) -> Block:
        """The statements of the function; a ``return`` at its end needs no ``exit``."""
        block = self.block(self.text.node.body)
        return block[:-1] if block and isinstance(block[-1], dip.Exit) else block

    def block(self, nodes: Sequence[ast.stmt]) -> Block:
        """Statements in sequence; after one that may leave the loop, the rest is guarded."""
        found: list[Statement] = []
        for position, node in enumerate(nodes):
            found += self.statement(node)
            if isinstance(node, ast.Return | ast.Break | ast.Continue):
                break
            if may_jump(node) and nodes[position + 1 :]:
                flags = [flag for flag in (self.loops[-1].left, self.loops[-1].skipped) if flag is not None]
                guard = chained(Op.AND, [Unary(Op.NOT, Name(flag)) for flag in flags])
                rest = self.block(nodes[position + 1 :])
                span = self.text.headline(nodes[position + 1])
                if rest:
                    found.append(dip.If(((guard, rest),), (), span=span))
                break
        return tuple(found)

    def statement(self, node: ast.stmt) -> Block:
        """One statement, preceded by the draws that its expressions need."""
        with self.collected() as prelude:
            made = self.made(node)
        return (*prelude, *made)

    def made(self, node: ast.stmt) -> Block:
        """The statements for a Python statement."""
        match node:
            case ast.Pass() | ast.Expr(ast.Constant()) | ast.AnnAssign(value=None):
                return ()
            case ast.Assign(targets, value):
                return self.assign(targets, value)
            case ast.AnnAssign(target, _, value) if value is not None:
                return self.assign([target], value)
            case ast.AugAssign():
                return self.augmented(node)
            case ast.If():
                return self.branches(node)
            case ast.For():
                return self.repeat(node)
            case ast.While():
                return self.loop(node)
            case ast.Return():
                return self.returned(node)
            case ast.Break() | ast.Continue():
                return self.jump(node)
        raise self.unread(node)

    # --- assignments -------------------------------------------------------------------------

    def assign(self, targets: list[ast.expr], value: ast.expr) -> Block:
        """An assignment to one target; or to several, as in ``a, b = b, a``: all values first."""
        match targets, value:
            case [ast.Tuple(places)], ast.Tuple(values) if len(places) == len(values):
                pass
            case [target], _:
                return self.assign_one(self.target(target), value)
            case _:
                places, values = targets, [value]
        if any(map(self.named_list, values)):
            raise self.unread(value, "a list in several variables")
        kept = [Name(self.scope.fresh("value"), span=self.text.span(each)) for each in values]
        found = chain.from_iterable(map(self.scalar, kept, values))
        return (*found, *map(self.copied, places, kept if len(kept) > 1 else kept * len(places)))

    def target(self, node: ast.expr) -> Name | Index:
        """What may be assigned: a variable or a cell."""
        return Name(node.id, span=self.text.span(node)) if isinstance(node, ast.Name) else self.cell(node)

    def copied(self, target: ast.expr, value: Name) -> Assign:
        """The assignment to one of several targets, whose index cannot need draws beforehand."""
        with self.collected() as prelude:
            read = self.target(target)
        if prelude:
            raise self.unread(target)
        return Assign(read, value, span=self.text.span(target))

    def assign_one(self, target: Name | Index, value: ast.expr) -> Block:
        """An assignment to one target."""
        if is_list(value) and isinstance(target, Name):
            return self.filled(target, value)
        if self.named_list(value) or (isinstance(target, Name) and target.name in self.sizes):
            raise self.unread(value, "a list that becomes another one")
        return self.scalar(target, value)

    def augmented(self, node: ast.AugAssign) -> Block:
        """``x += y``."""
        target = self.target(node.target)
        if self.named_list(node.target):
            raise self.unread(node, "a list that gets longer")
        old: Expr = self.scope.read(node.target) if isinstance(node.target, ast.Name) else target
        return (Assign(target, self.arithmetic(node, old, self.read(node.value)), span=self.text.span(node)),)

    # --- lists -------------------------------------------------------------------------------

    def filled(self, target: Name, node: ast.expr) -> Block:
        """``a = [...]`` in its three forms."""
        span = self.text.span(node)
        match node:
            case ast.List(values) | ast.Tuple(values) if values:
                size: Expr = Number(fmpq(len(values)), span=span)
                places = (Number(fmpq(n), span=target.span) for n in range(1, len(values) + 1))
                cells = (Index(target.name, place, span=target.span) for place in places)
                made = tuple(chain.from_iterable(map(self.apart, cells, values)))
            case ast.BinOp(ast.List([value]), ast.Mult(), times) | ast.BinOp(
                times, ast.Mult(), ast.List([value])
            ):
                size = self.read(times)
                with self.collected() as prelude:  # the value is drawn or computed once
                    read = self.read(value)
                made = (*prelude, self.each_cell(target, size, read, self.scope.fresh("i"), span))
            case ast.ListComp(element, [generator]) | ast.GeneratorExp(element, [generator]) if (
                not generator.ifs
            ):
                size, made = self.comprehension(target, span, element, generator)
            case _:
                raise self.unread(node, "this form of list")
        if target.name in read_in(made):
            raise self.unread(node, "a list that is made from the one before")
        self.check_size(target, size, node)
        return made

    def each_cell(self, target: Name, size: Expr, value: Expr, counter: str, span: Span) -> Statement:
        """The loop that gives each cell of a list a value."""
        cell = Index(target.name, Name(counter, span=target.span), span=target.span)
        first = Number(fmpq(1), span=span)
        return dip.For(counter, first, size, (Assign(cell, value, span=span),), span=span)

    def comprehension(
        self, target: Name, span: Span, element: ast.expr, generator: ast.comprehension
    ) -> tuple[Expr, Block]:
        """``a = [f(i) for i in range(N)]``: its length, and the loop that makes it."""
        counter, low, high, means = self.repeated(generator.target, generator.iter)
        size, place = plus_one(high), plus_one(Name(counter, span=span))
        if low != Number(fmpq(0)):
            size, place = Binary(Op.SUB, size, low, span=span), Binary(Op.SUB, place, low, span=span)
        cell = Index(target.name, place, span=target.span)
        with self.binding(means):
            return size, (dip.For(counter, low, high, self.apart(cell, element), span=span),)

    def check_size(self, target: Name, size: Expr, node: ast.expr) -> None:
        """A list has one length, which depends on constants only."""
        name = target.name
        scalars = self.scope.inputs | {output.name for output in self.outputs if output.size is None}
        if not free_names(size) <= self.scope.constants.keys() or name in scalars:
            raise self.unread(node, "a list of this length")
        sizes = self.sizes.setdefault(name, size), size
        lengths = {evaluate(length, self.scope.constants, f"the length of `{name}`") for length in sizes}
        if len(lengths) > 1:
            raise self.unread(node, "a list of another length than before")

    # --- control -----------------------------------------------------------------------------

    def branches(self, node: ast.If) -> Block:
        """``if``, ``elif``, ``else``; an ``elif`` that draws before becomes an ``else`` with an ``if``."""
        span = self.text.start_of(node, len("if"))
        first = (self.read(node.test), self.block(node.body))
        match node.orelse:
            case [ast.If() as other]:
                with self.collected() as prelude:
                    rest = self.branches(other)
                match prelude, rest:
                    case [], (dip.If(branches, otherwise),):
                        return (dip.If((first, *branches), otherwise, span=span),)
                return (dip.If((first,), (*prelude, *rest), span=span),)
        return (dip.If((first,), self.block(node.orelse), span=span),)

    def repeat(self, node: ast.For) -> Block:
        """``for``: a variable that is assigned elsewhere too gets its values by assignment."""
        for name, target in names_among(ast.walk(node.target)).items():
            taken = self.scope.inputs | self.scope.outputs | self.scope.constants.keys()
            if name in self.scope.bound or name in taken:
                raise self.unread(target, f"a loop with the name `{name}`, which has a meaning already,")
        counter, low, high, means = self.repeated(node.target, node.iter)
        assigned = [(name, means.pop(name)) for name in [*means] if name in self.scope.locals]
        given = tuple(Assign(Name(name, span=value.span), value, span=value.span) for name, value in assigned)
        span = self.text.span(node.target)
        with self.binding(means):
            loop, before, body = self.looped(node, given)
        if loop.left is not None:
            body = (dip.If(((Unary(Op.NOT, Name(loop.left)), body),), (), span=span),)
        return (*before, dip.For(counter, low, high, body, span=span))

    def looped(self, node: ast.For | ast.While, given: Block = ()) -> tuple[Loop, Block, Block]:
        """The body of a loop, after the statements ``given``: its flags, what precedes the loop, the body."""
        if node.orelse:
            raise self.unread(node.orelse[0], "`else` after a loop")
        loop = Loop()
        self.loops.append(loop)
        body = (*given, *self.block(node.body))
        self.loops.pop()
        before = () if loop.left is None else (Assign(Name(loop.left), FALSE),)
        return loop, before, body if loop.skipped is None else (Assign(Name(loop.skipped), FALSE), *body)

    def loop(self, node: ast.While) -> Block:
        """``while``: what its condition needs drawn before is drawn again at the end of each round."""
        condition = self.read(node.test)
        again = tuple(self.prelude)
        loop, before, body = self.looped(node)
        if loop.left is not None:
            still = Unary(Op.NOT, Name(loop.left))
            condition = Binary(Op.AND, still, condition, span=condition.span)
            again = (dip.If(((still, again),), (), span=condition.span),) if again else ()
        span = self.text.start_of(node, len("while"))
        return (*before, dip.While(condition, (*body, *again), span=span))

    def jump(self, node: ast.Break | ast.Continue) -> Block:
        """``break`` and ``continue`` set their flag."""
        loop, span = self.loops[-1], self.text.span(node)
        if isinstance(node, ast.Break):
            flag = loop.left = loop.left or self.scope.fresh("left")
        else:
            flag = loop.skipped = loop.skipped or self.scope.fresh("skipped")
        return (Assign(Name(flag, span=span), Name("true", span=span), span=span),)

    # --- return ------------------------------------------------------------------------------

    def returned(self, node: ast.Return) -> Block:
        """The outputs get their values, and the program ends."""
        leave = dip.Exit(span=self.text.headline(node))
        pairs = [
            (Name(output.name, span=self.text.span(value)), output, value)
            for output, value in zip(self.outputs, self.return_values(node), strict=False)
            if not (isinstance(value, ast.Name) and value.id == output.name)
        ]
        if len(pairs) == 1:
            return (*self.output(*pairs[0]), leave)
        if any(output.size is not None for _, output, _ in pairs):
            raise self.unread(node, "a list as one of several outputs")
        kept = [Name(self.scope.fresh("value"), span=target.span) for target, _, _ in pairs]
        found = [self.scalar(each, value) for each, (_, _, value) in zip(kept, pairs, strict=True)]
        last = [
            Assign(target, each, span=target.span) for each, (target, _, _) in zip(kept, pairs, strict=True)
        ]
        return (*chain.from_iterable(found), *last, leave)

    def return_values(self, node: ast.Return) -> list[ast.expr]:
        """One value for each output; none for a plain ``return``."""
        match node.value:
            case None:
                return []
            case ast.Constant(None) if not any(map(holds_none, self.outputs)):
                return []
            case value if len(self.outputs) == 1 and not (
                isinstance(value, ast.Tuple) and self.outputs[0].size is None
            ):
                return [value]
            case ast.Tuple(values) if len(values) == len(self.outputs):
                return values
        raise self.unread(node, "another number of values than of outputs")

    def output(self, target: Name, output: dip.Declaration, value: ast.expr) -> Block:
        """One output gets its value."""
        if output.size is None:
            return self.scalar(target, value)
        if copied := self.named_list(value):
            self.check_size(target, self.sizes[copied], value)
            span, counter = self.text.span(value), self.scope.fresh("i")
            cell = Index(copied, Name(counter, span=span), span=span)
            return (self.each_cell(target, self.sizes[copied], cell, counter, span),)
        return self.filled(target, value)


def holds_none(output: dip.Declaration) -> bool:
    """Is None in the set of an output?"""
    return isinstance(output.domain, dip.SetOf) and Name("None") in output.domain.members


def is_list(node: ast.expr) -> bool:
    """Does this make a list?"""
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            return isinstance(left, ast.List) or isinstance(right, ast.List)
    return isinstance(node, ast.List | ast.ListComp)


def may_jump(node: ast.stmt) -> bool:
    """Does a statement hold a ``break`` or ``continue`` of the loop around it?"""
    inside = [*node.body, *node.orelse] if isinstance(node, ast.If) else []
    return isinstance(node, ast.Break | ast.Continue) or any(map(may_jump, inside))


def read_in(block: Block) -> frozenset[str]:
    """The names that statements read; of an assigned cell only its index."""
    found: set[str] = set()
    for statement, _ in statements(block):
        read: tuple[dip.Node, ...] = own_parts(statement)
        if isinstance(statement, Assign):
            read = (*children(statement.target), statement.value)
        found = found.union(*map(free_names, read))
    return frozenset(found)
