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

from dipc.dipwhile.python.errors import STATEMENTS, UnknownCall
from dipc.dipwhile.python.expressions import Expressions, plus_one
from dipc.dipwhile.python.scope import Scope, names_among
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Assign, Binary, Block, Expr, Index, Name, Number, Op, Statement, Unary
from dipc.dipwhile.syntax.build import chained
from dipc.dipwhile.syntax.constants import evaluate
from dipc.dipwhile.syntax.types import free_names
from dipc.dipwhile.syntax.walk import children, own_parts, statements
from dipc.errors import InputError, Span
from dipc.excerpts import plural
from dipc.models.values import show

FALSE = Name("false")
RESIZING = frozenset({"append", "extend", "insert", "pop", "sort", "remove"})


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
            case ast.Expr():
                return self.evaluated(node)
        other = ("this statement", "write it with assignments, `if` and loops")
        what, hint = STATEMENTS.get(type(node), other)
        raise InputError(f"{what} is not allowed in a mechanism", self.text.headline(node), hint)

    def evaluated(self, node: ast.Expr) -> Block:
        """An expression on its own line."""
        what, hint = "this line has no effect", "assign its value, or remove it"
        match node.value:
            case ast.Call(ast.Attribute(_, name)) if name in RESIZING:
                what = f"`.{name}` is not allowed in a mechanism"
                hint = "a list keeps its length: make it with `[0] * N` and assign its cells"
            case ast.Call(ast.Name("print")):
                what, hint = "`print` is not allowed in a mechanism", "remove it: only outputs count"
            case ast.Call(ast.Name("exit" | "quit")):
                what, hint = "a mechanism ends with `return`", "write `return`"
            case ast.Call():
                raise UnknownCall(what, self.text.span(node), hint)
        raise self.error(node, what, hint)

    # --- assignments -------------------------------------------------------------------------

    def assign(self, targets: list[ast.expr], value: ast.expr) -> Block:
        """An assignment to one or several targets."""
        match targets:
            case [ast.Tuple(names) | ast.List(names)]:
                return self.assign_many(names, value)
            case [target]:
                return self.assign_one(self.target(target), value)
        kept = Name(self.scope.fresh("value"), span=self.text.span(value))
        copies = [self.copied(target, kept) for target in targets]
        return (*self.scalar(kept, value), *copies)

    def target(self, node: ast.expr) -> Name | Index:
        """What may be assigned: a variable or a cell."""
        match node:
            case ast.Name(name):
                return Name(name, span=self.text.span(node))
            case ast.Subscript():
                return self.cell(node)
        raise self.error(node, "this cannot be assigned", "assign variables and cells of lists: `a[i] = 0`")

    def copied(self, target: ast.expr, value: Name) -> Assign:
        """The assignment to one of several targets, whose index cannot need draws beforehand."""
        with self.collected() as prelude:
            read = self.target(target)
        if prelude:
            hint = "compute it on an earlier line"
            raise self.error(target, "this index is too complicated for one line", hint)
        return Assign(read, value, span=self.text.span(target))

    def assign_one(self, target: Name | Index, value: ast.expr) -> Block:
        """An assignment to one target."""
        if is_list(value):
            if not isinstance(target, Name):
                raise self.error(value, "a list inside a list", "use one list for each")
            return self.filled(target, value)
        copied = self.named_list(value)
        if copied is not None and isinstance(target, Name):
            hint = f"copy it: `{target.name} = [{copied}[i] for i in range(len({copied}))]`"
            raise self.error(value, f"`{target.name}` and `{copied}` would be the same list", hint)
        if isinstance(target, Name) and target.name in self.sizes:
            hint = "assign one cell of it, or use another name"
            raise self.error(value, f"`{target.name}` is a list and cannot become anything else", hint)
        return self.scalar(target, value)

    def assign_many(self, targets: list[ast.expr], value: ast.expr) -> Block:
        """``a, b = b, a``: all values first."""
        if not isinstance(value, ast.Tuple | ast.List) or len(value.elts) != len(targets):
            raise self.error(value, f"{len(targets)} values are needed here", "write one for each variable")
        found: list[Statement] = []
        kept: list[Name] = []
        for node in value.elts:
            kept.append(Name(self.scope.fresh("value"), span=self.text.span(node)))
            if is_list(node) or self.named_list(node):
                raise self.error(node, "a list cannot be assigned here", "assign it on a line of its own")
            found += self.scalar(kept[-1], node)
        return (*found, *map(self.copied, targets, kept))

    def augmented(self, node: ast.AugAssign) -> Block:
        """``x += y``."""
        target = self.target(node.target)
        if self.named_list(node.target):
            raise self.error(node, "a list keeps its length", "assign its cells one by one")
        self.check_operator(node, node.op)
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
                hint = "write `[0] * N`, `[0, 1]` or `[q[i] for i in range(N)]`"
                raise self.error(node, "this form of list is not supported", hint)
        if target.name in read_in(made):
            hint = "give it another name"
            raise self.error(node, f"the new list `{target.name}` is made from the old one", hint)
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
        if not free_names(size) <= self.scope.constants.keys():
            raise self.error(node, "the length of a list must be a constant", "use a parameter: `[0] * N`")
        if name in self.scope.inputs | {output.name for output in self.outputs if output.size is None}:
            hint = f"declare its size: `{name}[N] in ...`"
            raise self.error(node, f"`{name}` is not declared as a list", hint)
        what = f"the length of `{name}`"
        sizes = self.sizes.setdefault(name, size), size
        known, now = (show(evaluate(length, self.scope.constants, what)) for length in sizes)
        if known != now:
            hint = "a list keeps its length: use another name"
            raise self.error(node, f"`{name}` has {known} cells elsewhere, and {now} here", hint)

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
            hint = "give this loop a variable of its own"
            if name in self.scope.bound:
                raise self.error(target, f"`{name}` is already the variable of an outer loop", hint)
            if name in self.scope.inputs | self.scope.outputs | self.scope.constants.keys():
                raise self.error(target, f"`{name}` already has a meaning here", hint)
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
            hint = "set a variable before `break`, and test it after the loop"
            raise self.error(node.orelse[0], "a loop has no `else` in a mechanism", hint)
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
        found: list[Statement] = []
        last: list[Statement] = []
        lists = [output.name for _, output, _ in pairs if output.size is not None]
        for target, output, value in pairs:
            if output.size is None:
                kept = Name(self.scope.fresh("value"), span=target.span)
                found += self.scalar(kept, value)
                last.append(Assign(target, kept, span=target.span))
                continue
            made = self.output(target, output, value)
            if read_in(made) & set(lists):
                raise self.error(value, "this list is made from another output", "copy that one first")
            last[:0] = made
        return (*found, *last, leave)

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
        names = ", ".join(output.name for output in self.outputs)
        message = f"the mechanism has {plural(len(self.outputs), 'output')}: {names}"
        hint = f"return as many values, in this order: `return {names}`"
        raise InputError(message, self.text.headline(node), hint)

    def output(self, target: Name, output: dip.Declaration, value: ast.expr) -> Block:
        """One output gets its value."""
        if output.size is None:
            return self.scalar(target, value)
        if copied := self.named_list(value):
            self.check_size(target, self.sizes[copied], value)
            span, counter = self.text.span(value), self.scope.fresh("i")
            cell = Index(copied, Name(counter, span=span), span=span)
            return (self.each_cell(target, self.sizes[copied], cell, counter, span),)
        if is_list(value) or isinstance(value, ast.Tuple):
            return self.filled(target, value)
        hint = f"return a list: `return [...]`, or assign the cells of `{output.name}`"
        raise self.error(value, f"the output `{output.name}` is a list", hint)


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
