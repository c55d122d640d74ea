"""The loops of a program of any size as items to be carried out.

Three constructs read all cells at once; each is carried out cell by cell, in another order:

- a sum over a range is a loop that adds up; ``sum(j in 1..i: e)`` in a loop over i from 1, where e reads
  inputs at j only, grows by the term of the round;
- noise for all cells, and an extremum of it at once: the winner is drawn first, then every other cell, which
  the winner beats;
- ``if r > best then best <- r; ... end`` at the end of a round: no cell beats ``best``, or the winner does,
  and no other cell beats the winner.

The runs of the program in which a certain cell wins are among those of the items: ties are left open, which
adds runs.  A shift that keeps every difference >= 0 keeps the true, stricter conditions as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dipc.certificate.slow.functions import NotCovered
from dipc.certificate.slow.programs import Known, assigned, statements
from dipc.certificate.slow.values import Plain
from dipc.dipwhile.syntax import ast

EXTREMA = {"max": ast.Op.GE, "argmax": ast.Op.GE, "min": ast.Op.LE, "argmin": ast.Op.LE}
BEATS = {ast.Op.GT: ast.Op.GE, ast.Op.GE: ast.Op.GE, ast.Op.LT: ast.Op.LE, ast.Op.LE: ast.Op.LE}
TURNED = {ast.Op.GE: ast.Op.LE, ast.Op.LE: ast.Op.GE}

NOUGHT, ONE = "$0", "$1"
"""Names of these numbers."""

Constants = tuple[tuple[str, Fraction], ...]

WINNER, OTHERS = "$winner", "$others"
"""Constants that tell the draw of a winner, which comes once, from the others: they read inputs apart."""


# --- items ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Do:
    """Carry out a statement; the constants are the variables of the loops that are unrolled around it."""

    statement: ast.Statement
    constants: Constants


@dataclass(frozen=True)
class Fresh:
    """A round of a loop begins."""

    variable: str
    site: object


@dataclass(frozen=True)
class Round:
    """Another round, or none; a path ends here."""

    variable: str
    site: object
    body: tuple[Item, ...]


@dataclass(frozen=True)
class Cut:
    """A path ends here."""

    text: str


@dataclass(frozen=True)
class Fork:
    """One of these lists."""

    options: tuple[tuple[Item, ...], ...]


@dataclass(frozen=True)
class Assume:
    """The path has this, ``>=`` or ``<=``."""

    condition: ast.Binary
    constants: Constants


Item = Do | Fresh | Round | Cut | Fork | Assume
Items = tuple[Item, ...]


def all_nodes(part: object) -> Iterator[ast.Node]:
    """A node, or those of a tuple, with everything in it."""
    if isinstance(part, ast.Node):
        yield part
        names: tuple[str, ...] = part.__match_args__  # all but the span
        part = tuple(getattr(part, name) for name in names)
    for inner in part if isinstance(part, tuple) else ():
        yield from all_nodes(inner)


def names_of(part: object) -> set[str]:
    """All variables and arrays that occur."""
    found = {node.name for node in all_nodes(part) if isinstance(node, ast.Name)}
    return found | {node.array for node in all_nodes(part) if isinstance(node, ast.Index)}


def rewritten(part: Any, change: Callable[[ast.Node], ast.Node]) -> Any:
    """The tree with every node changed, the inner ones first."""
    if isinstance(part, ast.Node):
        names: tuple[str, ...] = part.__match_args__
        inner = {name: rewritten(getattr(part, name), change) for name in names}
        return change(replace(part, **inner))
    return tuple(rewritten(item, change) for item in part) if isinstance(part, tuple) else part


def name_at(name: str, node: ast.Node) -> ast.Name:
    return ast.Name(name, span=node.span)


def assignment(name: str, value: ast.Expr) -> ast.Assign:
    return ast.Assign(name_at(name, value), value, span=value.span)


def adding(name: str, term: ast.Expr) -> ast.Assign:
    """``name <- name + term``."""
    return assignment(name, ast.Binary(ast.Op.ADD, name_at(name, term), term, span=term.span))


# --- what a program says --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Domain:
    """The values of a cell: ``atoms``, or numbers in an interval of this ``width``, if it is known."""

    width: Fraction | None = None
    integers: bool = False
    atoms: tuple[Plain, ...] = ()


@dataclass
class Text:
    """A program; ``known`` are the parameters with a value, ``symbolic`` the sizes without one.

    ``sizes`` are all names of sizes and of what is computed from them.
    """

    program: ast.Program
    known: Known
    symbolic: frozenset[str]
    sizes: frozenset[str]
    domains: dict[str, Domain] = field(default_factory=dict)
    sums: dict[ast.Expr, str] = field(default_factory=dict)  # the listed variables that are named after sums

    def __post_init__(self) -> None:
        self.bounds = {d.name: d.size for d in (*self.program.inputs, *self.program.outputs) if d.size}
        self.outputs = frozenset(d.name for d in self.program.outputs)
        self.variables = frozenset(assigned(self.program.body))
        loops = (s for s in statements(self.program.body) if isinstance(s, ast.For | ast.While))
        self.loops = [s.span for s in loops if isinstance(s, ast.While) or self.is_open(s)]

    def is_size(self, *parts: object) -> bool:
        """Do the expressions mention a size?"""
        return bool(names_of(parts) & self.sizes)

    def is_open(self, loop: ast.For) -> bool:
        """Is the number of its rounds not known?"""
        return bool(names_of((loop.low, loop.high)) & self.symbolic)

    def repeated(self, loop: ast.For, constants: Constants = ()) -> bool:
        """Is it inside a loop of which the number of rounds is not known, and so entered again?"""
        if WINNER in dict(constants):
            return bool(dict(constants)[WINNER])
        return any(outer.start < loop.span.start < outer.end for outer in self.loops)

    # --- sums

    def without_sums(self, statement: Any, constants: Constants) -> tuple[list[Item], Any]:
        """The loops for all sums over sizes in a statement, and what is left of it."""
        before: list[Item] = []

        def change(node: ast.Node) -> ast.Node:
            match node:
                case ast.Call("sum", (ast.Name(array),)) if self.is_size(self.bounds.get(array)):
                    cell = ast.Index(array, name_at("$j", node), span=node.span)
                    low = name_at(ONE, node)
                    fold = ast.Fold("sum", "$j", low, self.bounds[array], cell, span=node.span)
                    return total(fold, node)
                case ast.Fold("sum") if self.is_size(node.low, node.high):
                    return total(node, node)
            return node

        def total(fold: ast.Fold, written: ast.Expr) -> ast.Name:
            name = self.sums.get(written, f"$total@{fold.span.start}")
            zero = name_at(NOUGHT, fold)
            loop = ast.For(fold.variable, fold.low, fold.high, (adding(name, fold.body),), span=fold.span)
            before.extend([Do(assignment(name, zero), constants), Do(loop, constants)])
            return name_at(name, fold)

        return before, rewritten(statement, change)

    def running_sums(self, loop: ast.For) -> tuple[list[ast.Statement], ast.For]:
        """Sums from 1 to the round become variables that grow."""
        inputs = {d.name for d in self.program.inputs} | {p.name for p in self.program.params}
        found: dict[ast.Node, str] = {}

        def change(node: ast.Node) -> ast.Node:
            match node:
                case ast.Fold("sum", j, low, ast.Name(i), body) if is_one(low) and i == loop.variable:
                    if names_of(body) <= inputs | {j}:
                        term = rewritten(body, lambda n: name_at(i, n) if n == ast.Name(j) else n)
                        name = self.sums.get(node, f"$sum{len(found)}@{loop.span.start}")
                        return name_at(found.setdefault(term, name), node)
            return node

        rebound = any(
            isinstance(n, ast.For | ast.Fold) and n.variable == loop.variable for n in all_nodes(loop.body)
        )
        if not is_one(loop.low) or rebound:
            return [], loop
        body = rewritten(loop.body, change)
        grow = (adding(name, term) for term, name in found.items() if isinstance(term, ast.Expr))
        zero = name_at(NOUGHT, loop)
        return [assignment(name, zero) for name in found.values()], replace(loop, body=(*grow, *body))

    # --- extrema

    def is_local(self, before: Sequence[ast.Statement], loop: ast.For) -> bool:
        """Is it a list of assignments whose variables are not read before, nor outside of the loop?"""
        later = {
            s.target.name for s in before if isinstance(s, ast.Assign) and isinstance(s.target, ast.Name)
        }
        if len(later) < len(before):
            return False
        own = set(later)
        for s in before:
            if not isinstance(s, ast.Assign) or names_of(s.value) & later:
                return False
            later -= names_of(s.target)
        inner = {s.span for s in statements(loop.body)}
        outside = (s for s in statements(self.program.body) if s.span not in inner)
        read = {name for s in outside for part in own_parts(s) for name in names_of(part)}
        return not own & (read | self.outputs | self.domains.keys())

    def family(self, loop: ast.For, rest: Items) -> tuple[str, str] | None:
        """The array that the loop fills with noise, and how the next statement, at once, uses it."""
        match (loop.body or (None,))[-1]:
            case ast.Assign(ast.Index(array, ast.Name(i)), _) if i == loop.variable:
                pass
            case _:
                return None
        local = self.has_rounds(loop) and self.is_local(loop.body[:-1], loop)
        if not local or array in self.outputs | self.domains.keys():
            return None
        body = self.program.body
        filled = [s for s in statements(body) if isinstance(s, ast.Assign) and is_cell(s.target, array)]
        uses = [n for n in all_nodes(body) if isinstance(n, ast.Call) and n.arguments == (ast.Name(array),)]
        plain = [n for n in all_nodes(body) if n == ast.Name(array) or is_cell(n, array)]
        ops = {EXTREMA.get(n.function) for n in uses}
        if len(filled) != 1 or len(plain) != len(uses) + 1 or len(ops) != 1 or None in ops:
            return None
        match rest[:1]:
            case (Do(ast.Assign(_, value)),) if any(n in uses for n in all_nodes(value)):
                return array, "max" if ops == {ast.Op.GE} else "min"
        raise NotCovered(f"{array}, an array of noise that is not used at once")

    def winner(self, loop: ast.For, array: str, word: str, constants: Constants, site: object) -> Items:
        """The winner, then all others."""
        before, last = loop.body[:-1], loop.body[-1]
        assert isinstance(last, ast.Assign)
        best, other = name_at(f"{word}({array})", loop), name_at(f"other({array})", loop)
        index = assignment(f"arg{word}({array})", name_at(loop.variable, loop))
        beats = ast.Binary(EXTREMA[word], best, other, span=loop.span)
        rest = listed(*before, replace(last, target=other), constants=marked(constants, OTHERS, True))
        others = (*rest, Assume(beats, constants))
        again = marked(constants, WINNER, self.repeated(loop))
        first = listed(*before, replace(last, target=best), index, constants=again)
        return (Fresh(loop.variable, site), *first, Round(loop.variable, site, others))

    def streaming(self, loop: ast.For, constants: Constants, site: object) -> Items | None:
        """The items of a loop that keeps the best cell."""
        match (loop.body or (None,))[-1]:
            case ast.If(((condition, then),), ()) if self.is_local(before := loop.body[:-1], loop):
                pass
            case _:
                return None
        old, first = True, ast.Binary(ast.Op.EQ, ast.Name(loop.variable), loop.low)
        match condition:
            case ast.Binary(ast.Op.OR, a, b) if a == first:
                condition, old = b, False
        if not isinstance(condition, ast.Binary) or (op := BEATS.get(condition.op)) is None:
            return None
        ways = (op, condition.left, condition.right), (TURNED[op], condition.right, condition.left)
        found = [way for way in ways if self.keeps_best(loop, way[1], way[2], then)]
        if not found:
            return None
        if not old and not self.has_rounds(loop):
            raise NotCovered("a best value that is not known if the loop has no round")
        op, new, best = found[0]
        beats, stays = (ast.Binary(o, new, best, span=condition.span) for o in (op, TURNED[op]))
        lost, others = (
            Round(loop.variable, site, (*listed(*before, constants=inner), Assume(stays, constants)))
            for inner in (marked(constants, OTHERS, False), marked(constants, OTHERS, True))
        )
        drawn = listed(*before, constants=marked(constants, WINNER, self.repeated(loop)))
        wins = (Assume(beats, constants),) if old else ()
        won = (Fresh(loop.variable, site), *drawn, *wins, *listed(*then, constants=constants), others)
        return (Fork(((lost,), won)),) if old else won

    def has_rounds(self, loop: ast.For) -> bool:
        """Does the loop run over all cells of a declared array, so that there is a first round?"""
        return is_one(loop.low) and loop.high in self.bounds.values()

    def keeps_best(self, loop: ast.For, new: ast.Expr, best: ast.Expr, then: ast.Block) -> bool:
        """Is it ``best <- new``, with values that tell the round, none of which a round uses before?"""
        pairs = [
            (s.target.name, s.value)
            for s in then
            if isinstance(s, ast.Assign) and isinstance(s.target, ast.Name)
        ]
        targets, told = dict(pairs), {loop.variable, *(p.name for p in self.program.params)}
        if not isinstance(best, ast.Name) or len(targets) != len(then) or targets.get(best.name) != new:
            return False
        others = [value for name, value in pairs if name != best.name]
        used = names_of(loop.body[:-1]) | names_of(new)
        return (
            all(isinstance(value, ast.Expr) and names_of(value) <= told for value in others)
            and not targets.keys() & used
        )


def marked(constants: Constants, mark: str, value: bool) -> Constants:
    """The constants with a mark; that of a winner says whether it is drawn again and again."""
    return (*constants, (mark, Fraction(value)))


def is_one(expr: ast.Expr) -> bool:
    return expr == ast.Name(ONE) or (isinstance(expr, ast.Number) and expr.value == 1)


def is_cell(node: object, array: str) -> bool:
    return isinstance(node, ast.Index) and node.array == array


def listed(*body: ast.Statement, constants: Constants) -> Items:
    return tuple(Do(statement, constants) for statement in body)


def own_parts(statement: ast.Statement) -> tuple[object, ...]:
    """What a statement reads itself, without the statements in it."""
    match statement:
        case ast.Assign(ast.Index(_, index), value):
            return index, value
        case ast.Assign(_, value):
            return (value,)
        case ast.If(branches):
            return tuple(condition for condition, _ in branches)
        case ast.For(_, low, high):
            return low, high
        case ast.While(condition):
            return (condition,)
    return ()
