"""Syntax tree to instructions for the automaton: symbolic loops are kept, extrema and sums become loops.

Rewritten on the way, each into instructions that mean the same:

- ``sum(q)`` and ``sum(j in 1..N: e)`` become a loop that adds up, and ``sum(j in 1..i: e)`` in a loop over i
  from 1 a variable that grows with it;
- ``noisy[i] <- ...`` for all i, then ``max``, ``min``, ``argmax`` or ``argmin`` of ``noisy``, becomes: the
  winner is drawn first, then every other cell, which the winner beats;
- ``if r > best then best <- r; arg <- i end`` as the end of a round likewise: no cell beats ``best``, or the
  winner does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Draw, Halt, Instruction, Jump, Put
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.types import names_in
from dipc.dipwhile.syntax.unroll import Constants, Unroller, integers, substitute
from dipc.dipwhile.syntax.walk import (
    bottom_up,
    children,
    expressions,
    inner_statements,
    map_expressions,
    nodes,
    preorder,
    with_children,
)
from dipc.errors import Span

ZERO, ONE = fmpq(0), fmpq(1)
CELL = "every cell"
"""The variable of a loop over the cells of an array: no name of a program, so that it hides none."""
EXTREMA = {"max": ast.Op.GE, "argmax": ast.Op.GE, "min": ast.Op.LE, "argmin": ast.Op.LE}
BEATS = {ast.Op.GT: ast.Op.GE, ast.Op.GE: ast.Op.GE, ast.Op.LT: ast.Op.LE, ast.Op.LE: ast.Op.LE}
TURNED = {ast.Op.GT: ast.Op.LT, ast.Op.GE: ast.Op.LE, ast.Op.LT: ast.Op.GT, ast.Op.LE: ast.Op.GE}


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new round of a loop: ``variable`` becomes an unknown public number, in ``low..high``."""

    variable: str
    site: int
    low: ast.Expr
    high: ast.Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Round:
    """The head of a loop with symbolic bounds: go on with another round, or at ``otherwise``."""

    variable: str
    site: int
    low: ast.Expr
    high: ast.Expr
    otherwise: int
    span: Span


@dataclass(frozen=True, slots=True)
class Enter:
    """The loop ``site`` is entered, possibly not for the first time."""

    site: int


@dataclass(frozen=True, slots=True)
class Either:
    """Go on, or at ``otherwise``: a decision that the path stands for; ``text`` says which."""

    otherwise: int
    text: str
    other: str
    span: Span


@dataclass(frozen=True, slots=True)
class Assume:
    """The path has this condition, weakly: ``>=`` stands for ``>`` as well.

    ``law`` is the condition as it is: of equal values the first one wins, or the last one.  It may mention
    the round that was :func:`picked`.
    """

    condition: ast.Binary
    span: Span
    law: ast.Expr


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where paths are cut: a round of a loop over a size that is a number."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Alike:
    """The loop that draws the cells of an array stands here: its round, for the check of its meaning only."""

    round: tuple[Operation, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Filled:
    """All cells of an array are read, those that a loop over ``low..high`` has drawn."""

    array: str
    low: ast.Expr
    high: ast.Expr
    span: Span


def picked(site: int) -> str:
    """The name of the round that ``Fresh`` has picked."""
    return f"round of {site}"


STRICT = {ast.Op.GE: ast.Op.GT, ast.Op.LE: ast.Op.LT}


def strictly(weak: ast.Binary) -> ast.Binary:
    """The condition without equality."""
    return replace(weak, op=STRICT[weak.op])


def with_ties(weak: ast.Binary, first: bool, here: ast.Expr, winner: ast.Expr) -> ast.Expr:
    """The condition, weak only for the rounds after the winner, or before it unless the ``first`` wins."""
    other = ast.Binary(ast.Op.GT if first else ast.Op.LT, here, winner, span=weak.span)
    ties = ast.Binary(ast.Op.AND, other, weak, span=weak.span)
    return ast.Binary(ast.Op.OR, ties, strictly(weak), span=weak.span)


Operation = Instruction | Fresh | Round | Enter | Either | Assume | Cut | Alike | Filled
Code = tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """What a body is flattened in: ``sizes`` are the names of sizes, symbolic unless they have a number.

    ``bounds`` are the sizes of the declared arrays; ``names`` are all parameters.
    """

    sizes: frozenset[str]
    inputs: frozenset[str]
    outputs: frozenset[str]
    bounds: Mapping[str, ast.Expr]
    names: frozenset[str]

    @property
    def lengths(self) -> frozenset[str]:
        """The parameters that are sizes of arrays themselves: at least 1."""
        return frozenset(bound.name for bound in self.bounds.values() if isinstance(bound, ast.Name))


def flatten(body: ast.Block, constants: Constants, scope: Scope, end: Span) -> Code:
    """The operations of a body; loops over sizes that are numbers are unrolled, with cuts."""
    flattener = Flattener(scope=scope, body=body)
    if flattener.block(body, constants):
        flattener.put(Halt(end))
    return tuple(flattener.code)


@dataclass(frozen=True, slots=True)
class Family:
    """An array whose cells a loop draws alike; it is drawn where it is used, in the same ``context``.

    ``constants`` are those of the loop, ``position`` is its place in the code.
    """

    loop: ast.For
    context: int
    constants: Constants
    position: int
    own: frozenset[str]  # the variables of a round


@dataclass
class Flattener(Unroller):
    """An :class:`Unroller` that keeps symbolic loops."""

    scope: Scope = Scope(frozenset(), frozenset(), frozenset(), {}, frozenset())
    body: ast.Block = ()
    families: dict[str, Family] = field(default_factory=dict)
    winners: dict[str, ast.Op] = field(default_factory=dict)  # the families that have been drawn
    sites: int = 0
    depth: int = 0  # of loops whose number of rounds is not known
    context: int = 0

    def put(self, operation: Operation) -> int:
        """Append an operation; its position."""
        return self.emit(operation)  # type: ignore[arg-type]

    def land(self, *places: int) -> None:
        """Let the jumps at these places go to the next instruction."""
        for place in places:
            operation: Operation = self.code[place]
            if isinstance(operation, Round | Either):
                self.code[place] = replace(operation, otherwise=len(self.code))  # type: ignore[call-overload]
            else:
                super().land(place)

    def symbolic(self, expr: ast.Expr) -> bool:
        """Whether a bound depends on a size."""
        return bool(names_in(expr) & self.scope.sizes)

    def site(self) -> int:
        """A new loop; a loop inside one without bound is entered again and again."""
        self.sites += 1
        if self.depth:
            self.put(Enter(self.sites))
        return self.sites

    # --- statements --------------------------------------------------------------------------

    def assign(self, statement: ast.Assign, constants: Constants) -> None:
        """Emit an assignment, after the loops that its sums and extrema need."""
        super().assign(map_expressions(statement, lambda e: self.prepare(e, constants)), constants)

    def branch(self, statement: ast.If, constants: Constants) -> bool:
        """Emit an ``if``; the sums and extrema of all its conditions come first."""
        branches = tuple((self.prepare(c, constants), block) for c, block in statement.branches)
        known = dict(self.families)
        reached = super().branch(replace(statement, branches=branches), constants)
        self.families = {array: family for array, family in known.items() if array in self.families}
        return reached

    def arm(self, block: ast.Block, constants: Constants) -> bool:
        """Emit the block of a branch.  What only some branches draw is not known in others, or afterwards."""
        families, winners = dict(self.families), dict(self.winners)
        reached = self.block(block, constants)
        self.families = {a: f for a, f in families.items() if self.winners.get(a) == winners.get(a)}
        self.winners = winners
        return reached

    def loop(self, statement: ast.While, constants: Constants) -> bool:
        """Emit a ``while``."""
        with self.inside_a_loop():
            return super().loop(statement, constants)

    @contextmanager
    def inside_a_loop(self) -> Iterator[None]:
        """The body of a loop without bound: what was drawn outside is not drawn again in it."""
        outer, self.sites = self.context, self.sites + 1
        self.context = self.sites
        self.depth += 1
        yield
        self.depth -= 1
        self.context = outer

    def repeat(self, statement: ast.For, constants: Constants) -> bool:
        """Emit a ``for``: unrolled, unless its bounds are symbolic; cut in rounds over a size."""
        cut = self.symbolic(statement.low) or self.symbolic(statement.high)
        low, high = (substitute(bound, constants) for bound in (statement.low, statement.high))
        if cut or not (isinstance(low, ast.Number) and isinstance(high, ast.Number)):
            if (streaming := self.streaming(statement)) is not None:
                return self.extremum_of_rounds(statement, streaming, constants)
            statement = self.running_sums(statement, constants)
        if not (isinstance(low, ast.Number) and isinstance(high, ast.Number)):
            if (family := self.family(statement)) is not None:
                array, own = family
                self.put(self.alike(statement, constants))
                self.families[array] = Family(statement, self.context, constants, len(self.code), own)
                self.winners.pop(array, None)
                return True
            return self.rounds(statement, constants)
        for value in integers(low, high):
            self.step(statement.span)
            if cut:
                self.put(Cut(f"{statement.variable} = {value}", statement.span))
            if not self.block(statement.body, {**constants, statement.variable: fmpq(value)}):
                return False
        return True

    def rounds(
        self,
        statement: ast.For,
        constants: Constants,
        then: Callable[[], None] | None = None,
        site: int | None = None,
    ) -> bool:
        """A loop with any number of rounds; ``then`` ends each of them."""
        inner = {name: value for name, value in constants.items() if name != statement.variable}
        low, high = (substitute(bound, constants) for bound in (statement.low, statement.high))
        head = self.put(Round(statement.variable, site or self.site(), low, high, 0, statement.span))
        with self.inside_a_loop():
            if self.block(statement.body, inner):
                if then is not None:
                    then()
                self.put(Jump(head))
        self.land(head)
        return True

    # --- sums ----------------------------------------------------------------------------------

    def running_sums(self, statement: ast.For, constants: Constants) -> ast.For:
        """Replace ``sum(j in 1..i: e)`` in a loop over i from 1 by a variable that grows round by round."""
        binders = {n.variable for e in _all(statement.body) for n in nodes(e) if isinstance(n, ast.Fold)}
        loops = {s.variable for s in _statements(statement.body) if isinstance(s, ast.For)}
        if substitute(statement.low, constants) != ast.Number(ONE) or statement.variable in binders | loops:
            return statement
        known = self.scope.inputs | self.scope.names | {statement.variable}
        names: dict[ast.Expr, str] = {}

        def visit(node: ast.Expr, parts: tuple[ast.Expr, ...]) -> ast.Expr:
            node = with_children(node, parts)
            match node:
                case ast.Fold("sum", j, ast.Number(low), ast.Name(i), body) if (
                    low == 1 and i == statement.variable and i not in names_in(body)
                ):
                    term = _put_in(body, j, ast.Name(i, span=node.span))
                    if names_in(term) <= known and not _binds(body):
                        name = names.setdefault(term, show_expr(node))
                        return ast.Name(name, span=node.span)
            return node

        body = tuple(map_expressions(part, lambda e: bottom_up(e, visit)) for part in statement.body)
        for name in names.values():
            total = ast.Name(name, span=statement.span)
            self.put(Put(total, ast.Number(ZERO, span=total.span), total.span))
        return (
            replace(statement, body=(*itertools.starmap(_add, names.items()), *body)) if names else statement
        )

    def prepare(self, expr: ast.Expr, constants: Constants) -> ast.Expr:
        """Emit the loops for the sums and extrema over symbolic ranges; what is left of the expression."""

        def visit(node: ast.Expr, parts: tuple[ast.Expr, ...]) -> ast.Expr:
            node = with_children(node, parts)
            match node:
                case ast.Call("sum", (ast.Name(array),)) if self.symbolic(
                    bound := self.scope.bounds.get(array, ast.Number(ZERO))
                ):
                    cell = ast.Index(array, ast.Name(CELL, span=node.span), span=node.span)
                    loop = ast.Fold("sum", CELL, ast.Number(ONE), bound, cell, span=node.span)
                    return self.total(loop, show_expr(node), constants)
                case ast.Fold("sum", _, low, high, body) if (
                    self.symbolic(low) or self.symbolic(high)
                ) and not _binds(body):
                    return self.total(node, show_expr(node), constants)
                case ast.Call(name, (ast.Name(array),)) if name in EXTREMA and array in self.families:
                    return self.winner(array, name) or node
            return node

        return bottom_up(expr, visit)

    def total(self, fold: ast.Fold, text: str, constants: Constants) -> ast.Expr:
        """A loop that adds up; its result has the text of the sum for a name."""
        span = fold.span
        name = ast.Name(text, span=span)
        self.put(Put(name, ast.Number(ZERO, span=span), span))
        term = _put_in(fold.body, fold.variable, ast.Name(CELL, span=span))
        self.repeat(ast.For(CELL, fold.low, fold.high, (_add(term, text),), span=span), constants)
        return name

    # --- extrema -------------------------------------------------------------------------------

    def family(self, statement: ast.For) -> tuple[str, frozenset[str]] | None:
        """The array of which the loop draws every cell alike, if it does nothing else that lasts.

        Its bounds are the same whenever it is run: it draws all cells again.  Also the variables of a round.
        """
        *before, last = statement.body or (ast.Exit(),)
        if not names_in(statement.low) | names_in(statement.high) <= self.scope.names:
            return None
        match last:
            case ast.Assign(ast.Index(array, ast.Name(i))) if (
                i == statement.variable and not self.declared(array) and self.only_extrema(array)
            ):
                own = self.locals_of(tuple(before), statement)
                return None if own is None else (array, own | {i})
        return None

    def alike(self, loop: ast.For, constants: Constants) -> Alike:
        """One round of the loop that draws the cells of an array."""
        low, high = (substitute(bound, constants) for bound in (loop.low, loop.high))
        own = Flattener(scope=self.scope, body=self.body)
        own.put(Fresh(loop.variable, 0, low, high, loop.span))
        own.block(_renamed(loop.body, ast.Name(CELL, span=loop.span)), constants)
        return Alike(tuple(own.code), loop.span)

    def declared(self, name: str) -> bool:
        """Whether it is an input or an output."""
        return name in self.scope.inputs | self.scope.outputs

    def changed(self, family: Family) -> bool:
        """Whether a variable that the loop reads has been assigned since: it is drawn later than written."""
        read = {name for s in family.loop.body for e in _read(s) for name in names_in(e)} - family.own
        return any(read & _written(operation) for operation in self.code[family.position :])

    def only_extrema(self, array: str) -> bool:
        """Whether the program reads the array through ``max``, ``argmax``, ... only, and fills it once."""
        read = [node for s in _statements(self.body) for e in _read(s) for node in nodes(e)]
        filled = _assigned(self.body).count(array)
        whole = sum(isinstance(n, ast.Name) and n.name == array for n in read)
        extrema = sum(
            isinstance(n, ast.Call) and n.function in EXTREMA and n.arguments == (ast.Name(array),)
            for n in read
        )
        cells = any(isinstance(n, ast.Index) and n.array == array for n in read)
        return filled == 1 and whole == extrema and not cells

    def locals_of(self, before: ast.Block, loop: ast.For) -> frozenset[str] | None:
        """The variables that a straight beginning of a round assigns, if nothing of it outlasts the round."""
        assigned: set[str] = set()
        written = set(_assigned(before))
        for statement in before:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.target, ast.Name):
                return None
            if any(name in written - assigned for name in names_in(statement.value)):
                return None
            assigned.add(statement.target.name)
        inside = set(map(id, _statements(loop.body)))
        outside = [s for s in _statements(self.body) if id(s) not in inside and s is not loop]
        elsewhere = {name for s in outside for e in _read(s) for name in names_in(e)}
        return (
            None if assigned & (elsewhere | self.scope.inputs | self.scope.outputs) else frozenset(assigned)
        )

    def winner(self, array: str, function: str) -> ast.Expr | None:
        """Emit the draws of all cells, the winner first; its value or its index.

        None: the cells have been drawn for another purpose, or outside of a loop whose every round would draw
        them again, or what they are drawn from has changed.
        """
        family, op = self.families[array], EXTREMA[function]
        if family.context != self.context or self.winners.get(array, op) != op:
            return None
        if array not in self.winners and self.changed(family):
            return None
        kind = "max" if op is ast.Op.GE else "min"
        loop, span = family.loop, family.loop.span
        names = (f"{kind}({array})", f"arg{kind}({array})", f"other({array})")
        value, place, other = (ast.Name(name, span=span) for name in names)
        if array not in self.winners:
            self.winners[array] = op
            site = self.site()
            inner = {name: number for name, number in family.constants.items() if name != loop.variable}
            low, high = (substitute(bound, family.constants) for bound in (loop.low, loop.high))
            self.put(Filled(array, low, high, span))
            self.put(Fresh(loop.variable, site, low, high, span))
            self.block(_renamed(loop.body, value), inner)
            self.put(Put(place, ast.Name(loop.variable, span=span), span))
            head = self.put(Round(loop.variable, site, low, high, 0, span))
            with self.inside_a_loop():
                self.block(_renamed(loop.body, other), inner)
            beats = ast.Binary(op, value, other, span=span)
            here, winner = (ast.Name(name, span=span) for name in (loop.variable, picked(site)))
            self.put(Assume(beats, span, with_ties(beats, True, here, winner)))
            self.put(Jump(head))
            self.land(head)
        return place if function.startswith("arg") else value

    def streaming(self, statement: ast.For) -> tuple[ast.Binary, ast.Block, bool, bool] | None:
        """The comparison that ends a round, what a new best value brings, and two facts.

        These are whether the comparison is strict, and whether there is a best value before the loop.
        """
        if not statement.body or not isinstance(last := statement.body[-1], ast.If):
            return None
        before = statement.body[:-1]
        if len(last.branches) != 1 or last.otherwise or self.locals_of(before, statement) is None:
            return None
        condition, then = last.branches[0]
        first = False
        match condition:
            case ast.Binary(ast.Op.OR, ast.Binary(ast.Op.EQ, ast.Name(i), low), rest) if (
                i == statement.variable and low == statement.low
            ):  # the other way round, `best` is read first, and needs a value
                condition, first = rest, True
        if not isinstance(condition, ast.Binary) or condition.op not in BEATS:
            return None
        for new, best, op in (
            (condition.left, condition.right, condition.op),
            (condition.right, condition.left, TURNED[condition.op]),
        ):
            if isinstance(best, ast.Name) and self.keeps_best(statement, new, best, then):
                beats = ast.Binary(BEATS[op], new, best, span=condition.span)
                return beats, then, op in STRICT.values(), not first
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
        read = [name for s in loop.body[:-1] for e in _read(s) for name in names_in(e)]
        return not set(targets) & {*read, *_assigned(loop.body[:-1]), *names_in(new)}

    def extremum_of_rounds(
        self, loop: ast.For, streaming: tuple[ast.Binary, ast.Block, bool, bool], constants: Constants
    ) -> bool:
        """The old value stays, or a new one wins: see the head of the module."""
        beats, then, strict, has_old = streaming
        before, span = loop.body[:-1], loop.span
        best = beats.right
        stays = ast.Binary(TURNED[beats.op], beats.left, best, span=beats.span)
        low, high = (substitute(bound, constants) for bound in (loop.low, loop.high))
        site = self.site()
        numbers = (
            list(integers(low, high))
            if isinstance(low, ast.Number) and isinstance(high, ast.Number)
            else None
        )

        def end(here: ast.Expr, winner: ast.Expr | None) -> None:
            alone = stays if strict else strictly(stays)
            law = alone if winner is None else with_ties(stays, strict, here, winner)
            self.put(Assume(stays, span, law))

        def others(winner: ast.Expr | None) -> None:
            if numbers is None:
                here = ast.Name(loop.variable, span=span)
                self.rounds(replace(loop, body=before), constants, lambda: end(here, winner), site)
                return
            for number in map(fmpq, numbers):
                if ast.Number(number) != winner:
                    self.put(Cut(f"{loop.variable} = {number}", span))
                    self.block(before, {**constants, loop.variable: number})
                    end(ast.Number(number, span=span), winner)

        ends: list[int] = []
        if has_old:
            either = self.put(Either(0, f"`{show_expr(best)}` stays", "it is beaten", span))
            others(None)
            ends.append(self.put(Jump(0)))
            self.land(either)
        elif numbers is None and not (  # 1..N for a size N is never empty
            low == ast.Number(ONE) and isinstance(high, ast.Name) and high.name in self.scope.lengths
        ):
            either = self.put(Either(0, "there is no round", "there is a round", span))
            ends.append(self.put(Jump(0)))
            self.land(either)
        winners: Sequence[int | None] = numbers if numbers is not None else [None]
        for position, value in enumerate(winners):
            more = position < len(winners) - 1
            later = self.put(Either(0, f"round {value} wins", "a later one wins", span)) if more else None
            inner = dict(constants) if value is None else {**constants, loop.variable: fmpq(value)}
            if value is None:
                inner.pop(loop.variable, None)
                self.put(Fresh(loop.variable, site, low, high, span))
            self.block(before, inner)
            if has_old:
                self.put(Assume(beats, span, strictly(beats) if strict else beats))
            self.block(then, inner)
            others(ast.Name(picked(site), span=span) if value is None else ast.Number(fmpq(value), span=span))
            if later is not None:
                ends.append(self.put(Jump(0)))
                self.land(later)
        self.land(*ends)
        return True


def _statements(body: ast.Block) -> Iterator[ast.Statement]:
    for statement in body:
        yield from preorder(statement, inner_statements)


def _written(operation: Operation) -> set[str]:
    """The variable or array that an operation assigns."""
    match operation:
        case Put(target) | Draw(target):
            return {target_name(target)}
        case Fresh(variable) | Round(variable):
            return {variable}
    return set()


def _assigned(body: ast.Block) -> list[str]:
    """The variable or array of every assignment."""
    return [target_name(s.target) for s in _statements(body) if isinstance(s, ast.Assign)]


def _read(statement: ast.Statement) -> Iterator[ast.Expr]:
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


def _binds(expr: ast.Expr) -> bool:
    """Whether names have another meaning in a part of the expression."""
    return any(isinstance(node, ast.Fold) for node in nodes(expr))


def _all(body: ast.Block) -> Iterator[ast.Expr]:
    """The expressions of a body."""
    for statement in body:
        yield from expressions(statement)


def _renamed(body: ast.Block, name: ast.Name) -> ast.Block:
    """The body of a family's loop with a scalar in the place of the cell."""
    *before, last = body
    assert isinstance(last, ast.Assign)
    return (*before, replace(last, target=name))
