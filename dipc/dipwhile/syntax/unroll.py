"""The compiler: blocks to a flat list of instructions, folds to chains, constants to numbers.

A ``for`` loop becomes one copy of its body per value of its variable, and branches whose
condition is constant disappear, so that ``if i > 1 then x <- q[i - 1] end`` is fine for i = 1.
Only a ``while`` jumps backwards, and, for every size, a loop over a size that has no number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never, cast

from flint import fmpq

from dipc.dipwhile.syntax import ast, core
from dipc.dipwhile.syntax.simplify import simplify
from dipc.dipwhile.syntax.walk import bottom_up, map_expressions, nodes, with_children
from dipc.errors import InputError, LimitReached, Span
from dipc.models.values import FALSE, TRUE

LIMIT = 200_000
"""How many instructions, and how many terms of one fold, unrolling may make."""

Constants = dict[str, fmpq]
"""The values of the parameters and ``for`` variables."""


def substitute(expr: ast.Expr, constants: Constants) -> ast.Expr:
    """The expression with constants put in, folds unrolled, constant parts folded.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> from dipc.dipwhile.syntax.printer import show_expr
    >>> show_expr(substitute(parse_expression("sum(i in 1..N: i*x) + 1/N"), {"N": fmpq(2)}))
    '1*x + 2*x + 0.5'
    """

    def visit(node: ast.Expr, parts: tuple[ast.Expr, ...]) -> ast.Expr:
        match node:
            case ast.Name(name, primed=False) if name in constants:
                return ast.Number(constants[name], span=node.span)
        node = with_children(node, parts)
        match node:
            case ast.Fold(_, _, ast.Number(), ast.Number()):
                return unroll_fold(node)
        return simplify(node)

    return bottom_up(expr, visit)


def unroll_fold(fold: ast.Fold) -> ast.Expr:
    """All instances of the body, joined.  An inner fold waits until its bounds are numbers."""
    values = integers(fold.low, fold.high)
    size = sum(1 for _ in nodes(fold.body)) * len(values)
    if size > LIMIT:
        raise LimitReached(f"{fold.span.place}: unrolling this `{fold.kind}` gives more than {LIMIT} terms")
    return JOIN[fold.kind](
        [substitute(fold.body, {fold.variable: fmpq(value)}) for value in values], fold.span
    )


def integers(low: ast.Expr, high: ast.Expr) -> range:
    """The integers between two constant bounds."""
    assert isinstance(low, ast.Number)
    assert isinstance(high, ast.Number)
    for bound in (low, high):
        if bound.value.q != 1:
            raise InputError(f"the bound {bound.value} is not an integer", bound.span, "round it: `floor(x)`")
    return range(int(low.value.p), int(high.value.p) + 1)


def balanced(op: ast.Op, unit: ast.Expr) -> Callable[[list[ast.Expr], Span], ast.Expr]:
    """Join terms with an operator, in a tree of logarithmic depth."""

    def join(terms: list[ast.Expr], span: Span) -> ast.Expr:
        while len(terms) > 1:
            pairs = [
                simplify(ast.Binary(op, left, right, span=span))
                for left, right in zip(terms[::2], terms[1::2], strict=False)
            ]
            terms = pairs + terms[len(pairs) * 2 :]
        return terms[0] if terms else replace(unit, span=span)

    return join


JOIN: dict[str, Callable[[list[ast.Expr], Span], ast.Expr]] = {
    "forall": balanced(ast.Op.AND, ast.Name(TRUE.name)),
    "exists": balanced(ast.Op.OR, ast.Name(FALSE.name)),
    "sum": balanced(ast.Op.ADD, ast.Number(fmpq(0))),
    "count": lambda terms, span: simplify(ast.Call("count", tuple(terms), span=span)),
}
"""How the instances of a fold are joined."""


def unroll(body: ast.Block, parameters: Constants, end: Span) -> tuple[core.Instruction, ...]:
    """The instructions of a program's body, all sizes being numbers."""
    return cast(tuple[core.Instruction, ...], compiled(body, parameters, end))


def compiled(
    body: ast.Block, constants: Constants, end: Span, sizes: frozenset[str] = frozenset()
) -> core.Code:
    """The code of a body.

    ``sizes`` are names of sizes: a loop over one is cut in rounds if it has a number, kept if it has none.
    """
    compiler = Compiler(sizes)
    if compiler.block(body, constants):
        compiler.emit(core.Halt(end))
    return tuple(compiler.code)


def live_branches(statement: ast.If, constants: Constants) -> list[tuple[ast.Expr | None, ast.Block]]:
    """The branches that are not dead, with their conditions; None is the condition of ``else``."""
    live: list[tuple[ast.Expr | None, ast.Block]] = []
    for written, block in statement.branches:
        condition = substitute(written, constants)
        constant = condition.name if isinstance(condition, ast.Name) else ""
        if constant == TRUE.name:
            return [*live, (None, block)]
        if constant != FALSE.name:
            live.append((condition, block))
    return [*live, (None, statement.otherwise)] if statement.otherwise else live


@dataclass
class Compiler:
    """The code so far.  The methods return whether control can reach what follows."""

    sizes: frozenset[str] = frozenset()
    code: list[core.Operation] = field(default_factory=list)
    steps: int = 0
    sites: int = 0  # of loops without a number of rounds
    depth: int = 0  # of these loops, and of ``while``

    def block(self, block: ast.Block, constants: Constants) -> bool:
        """Compile a block."""
        return all(self.statement(statement, constants) for statement in block)

    def statement(self, statement: ast.Statement | ast.Rewritten, constants: Constants) -> bool:
        """Compile a statement."""
        self.step(statement.span)
        match statement:
            case ast.Assign():
                return self.assign(statement, constants)
            case ast.If():
                return self.branch(statement, constants)
            case ast.For():
                return self.repeat(statement, constants)
            case ast.While():
                return self.loop(statement, constants)
            case ast.Exit():
                self.emit(core.Halt(statement.span))
                return False
            case ast.Assume(condition):
                put = substitute(condition, constants)
                if isinstance(put, ast.Binary):  # else it is known to hold
                    self.emit(core.Assume(put, statement.span))
                return True
            case ast.Pick():
                return self.pick(statement, constants)
            case _:
                assert_never(statement)

    def step(self, span: Span) -> None:
        """Count the work, so that empty nested loops are limited too."""
        self.steps += 1
        if self.steps > LIMIT:
            raise LimitReached(f"{span.place}: unrolling the loops gives more than {LIMIT} statements")

    def emit(self, operation: core.Operation) -> int:
        """Append an instruction; its position."""
        self.code.append(operation)
        return len(self.code) - 1

    def land(self, *places: int) -> None:
        """Let the jumps at these places go to the next instruction."""
        here = len(self.code)
        for place in places:
            match self.code[place]:
                case core.Jump():
                    self.code[place] = core.Jump(here)
                case core.Test() | core.Round() | core.Either() as waiting:
                    self.code[place] = replace(waiting, otherwise=here)
                case core.Pick() as pick:
                    self.code[place] = replace(pick, end=here)

    def assign(self, statement: ast.Assign, constants: Constants) -> bool:
        """Emit an assignment."""
        target = statement.target
        if isinstance(target, ast.Index):
            target = replace(target, index=substitute(target.index, constants))
        value = map_expressions(statement.value, lambda part: substitute(part, constants))
        self.emit(core.assignment(target, value, statement.span))
        return True

    def branch(self, statement: ast.If, constants: Constants) -> bool:
        """Emit an ``if``, without its dead branches."""
        exits: list[int] = []
        live = live_branches(statement, constants)
        reached = not live or live[-1][0] is not None
        for position, (condition, block) in enumerate(live, start=1):
            test = None if condition is None else self.emit(core.Test(condition, 0, condition.span))
            if self.block(block, constants):
                reached = True
                if position < len(live):
                    exits.append(self.emit(core.Jump(0)))
            if test is not None:
                self.land(test)
        self.land(*exits)
        return reached

    def repeat(self, statement: ast.For, constants: Constants) -> bool:
        """Emit the body of a ``for`` once per value, or a loop if its bounds are no numbers."""
        low, high = (substitute(bound, constants) for bound in (statement.low, statement.high))
        for bound in (low, high):
            if not isinstance(bound, ast.Number) and not self.sizes:
                hint = "use a parameter, or write the loop with `while`"
                raise InputError("the bounds of a `for` must be constants", bound.span, hint)
        if not (isinstance(low, ast.Number) and isinstance(high, ast.Number)):
            return self.rounds(statement, constants, self.site())
        for value in integers(low, high):
            self.step(statement.span)
            if not self.round(statement, value, constants):
                return False
        return True

    def round(self, statement: ast.For, value: int, constants: Constants) -> bool:
        """Emit the body of a ``for`` for one value of its variable."""
        bounds = (part for bound in (statement.low, statement.high) for part in nodes(bound))
        if any(isinstance(part, ast.Name) and part.name in self.sizes for part in bounds):
            self.emit(core.Cut(f"{statement.variable} = {value}", statement.span))
        return self.block(statement.body, {**constants, statement.variable: fmpq(value)})

    def loop(self, statement: ast.While, constants: Constants) -> bool:
        """Emit a ``while``."""
        condition = substitute(statement.condition, constants)
        if condition == ast.Name(FALSE.name):
            return True
        test = self.emit(core.Test(condition, 0, condition.span, is_loop=True))
        self.repeated(statement.body, constants, test)
        return True

    def repeated(self, body: ast.Block, constants: Constants, head: int) -> None:
        """Emit a body that goes back to its head, which leads behind it."""
        self.depth += 1
        if self.block(body, constants):
            self.emit(core.Jump(head))
        self.depth -= 1
        self.land(head)

    # --- for every size --------------------------------------------------------------------------

    def site(self) -> int:
        """The number of a new loop; one inside another without bound is entered again and again."""
        self.sites += 1
        if self.depth:
            self.emit(core.Enter(self.sites))
        return self.sites

    def rounds(self, statement: ast.For, constants: Constants, site: int) -> bool:
        """Emit a loop with any number of rounds."""
        inner = {name: value for name, value in constants.items() if name != statement.variable}
        low, high = (substitute(bound, constants) for bound in (statement.low, statement.high))
        head = self.emit(core.Round(statement.variable, site, low, high, 0, statement.span))
        self.repeated(statement.body, inner, head)
        return True

    def pick(self, statement: ast.Pick, constants: Constants) -> bool:
        """Emit the winner, then all others: without numbers in one loop, in which conditions are weak."""
        low, high = (substitute(bound, constants) for bound in (statement.low, statement.high))
        loop = ast.For(statement.variable, statement.low, statement.high, statement.none, span=statement.span)
        if isinstance(low, ast.Number) and isinstance(high, ast.Number):
            return self.pick_of(integers(low, high), statement, loop, constants)
        site = self.site()
        ends: list[int] = []
        if statement.text:
            either = self.emit(core.Either(0, statement.text, "it is beaten", statement.span))
            self.rounds(loop, constants, site)
            ends.append(self.emit(core.Jump(0)))
            self.land(either)
        inner = {name: value for name, value in constants.items() if name != statement.variable}
        pick = core.Pick(statement.variable, site, low, high, not statement.text, 0, statement.span)
        ends.append(self.emit(pick))
        self.block(statement.winner, inner)
        self.rounds(replace(loop, body=statement.after), constants, site)
        self.land(*ends)
        return True

    def pick_of(self, values: range, statement: ast.Pick, loop: ast.For, constants: Constants) -> bool:
        """Emit each of the values as the winner."""
        ends: list[int] = []
        if statement.text and values:
            either = [self.emit(core.Either(0, statement.text, "it is beaten", statement.span))]
            for value in values:
                self.round(loop, value, constants)
            ends.append(self.emit(core.Jump(0)))
            self.land(*either)
        for value in values:
            texts = f"round {value} wins", "a later one wins"
            later = [self.emit(core.Either(0, *texts, statement.span))] if value < values[-1] else []
            number = ast.Number(fmpq(value), span=statement.span)
            ends.append(self.emit(core.Pick(statement.variable, 0, number, number, True, 0, statement.span)))
            self.block(statement.winner, {**constants, statement.variable: fmpq(value)})
            for other in values:
                block = statement.before if other < value else statement.after
                if other != value:
                    self.round(replace(loop, body=block), other, constants)
            ends += [self.emit(core.Jump(0)) for _ in later]
            self.land(*later)
        self.land(*ends)
        return True
