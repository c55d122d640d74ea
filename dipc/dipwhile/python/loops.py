"""Loops that stay loops: over an array, over a ``range`` up to a symbol, and ``while``.

The body is run once, with the index a name.  A variable that the body changes, and that had a value before,
becomes a variable of the program, which the end of each round assigns; all others keep their one value on
each path.  An array is its name: its cells are assigned in place, and read into a variable.  So what is read
holds for every size.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from flint import fmpq

from dipc.dipwhile.python.paths import Branches, Growing, Leaf, Signal, changed, frozen
from dipc.dipwhile.python.source import names_among
from dipc.dipwhile.python.values import (
    COMPOUND,
    LOST,
    RANDOM,
    Array,
    Frame,
    Row,
    Sym,
    Value,
    kind_of,
    parts,
)
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Assign, Binary, Expr, Index, Name, Number, Op, Unary
from dipc.dipwhile.syntax.build import chained
from dipc.dipwhile.syntax.types import free_names

if TYPE_CHECKING:
    from dipc.dipwhile.python.interpreter import Interpreter

ONE = Number(fmpq(1))
FOLDS = {"all": "forall", "any": "exists", "sum": "sum"}
NUMBERS = (*RANDOM, "num")
KEEP = "give it its length beforehand, `[0] * N`, and assign its cells"


def plus_one(expr: Expr) -> Expr:
    """``expr + 1``, without the sum where that is easy: ``i`` for ``i - 1``, and ``1`` for ``0``."""
    match expr:
        case Number(value):
            return Number(value + 1, span=expr.span)
        case Binary(Op.SUB, left, Number(value)) if value == 1:
            return left
    return Binary(Op.ADD, expr, ONE, span=expr.span)


def minus_one(m: Interpreter, expr: Expr) -> Expr:
    """``expr - 1``, without the difference where that is easy."""
    match expr:
        case Number(value):
            return m.lift(int(value) - 1)
        case Binary(Op.ADD, left, Number(value)) if value == 1:
            return left
    return Binary(Op.SUB, expr, ONE, span=expr.span)


def widened(m: Interpreter, key: Any, kind: str) -> str:
    """The kind of a variable or array, which also has values of this one.

    A function is read again until they are stable.
    """
    before = m.kinds.setdefault(key, kind)
    if before != kind:
        if {before, kind} <= {*NUMBERS}:
            kind = min(before, kind, key=NUMBERS.index)
        elif {before, kind} == {"dom", "num"}:
            kind = "dom"
        else:
            raise m.refuse("this has values of several types", "use one variable for each")
        m.unstable = m.unstable or kind != before
        m.kinds[key] = kind
    return kind


# --- loops ----------------------------------------------------------------------------------------


def rounds(m: Interpreter, action: Callable[[], Value]) -> tuple[Growing, list[Leaf]]:
    """One round of a loop: its statements and ends.  Only variables of the running call may change."""
    before = {ref: thing for ref, thing in m.state.heap.items() if ref != m.stack[-1]}
    block, leaves = m.explore(action)
    if any(changed(before, leaf.state) for leaf in leaves):
        raise m.refuse("a loop that changes a list or dictionary", KEEP)
    return block, leaves


def repeat(m: Interpreter, node: ast.For, row: Row) -> None:
    """``for`` with a symbolic number of rounds."""
    if row.once:
        raise m.refuse("a loop that goes through a generator", "go through a list: `[... for x in q]`")
    index = new_index(m, stem_of(node.target), row.low, row.high)

    def body() -> None:
        m.assign_to_loop(node.target, row.cell(Sym(index, "num")))
        tail(m, node.body)

    looped(m, node, body, lambda block: dip.For(index.name, row.low, row.high, block, span=m.place))


def new_index(m: Interpreter, stem: str, low: Expr, high: Expr) -> Name:
    """The index of a loop from low to high."""
    index = Name(m.fresh(stem), span=m.place)
    if is_place(m, low):
        m.ranges[index.name] = low, high
    return index


def stem_of(target: ast.expr) -> str:
    """What the index of a loop is called after: the first of its variables."""
    return next((part.id for part in ast.walk(target) if isinstance(part, ast.Name)), "i")


def repeat_while(m: Interpreter, node: ast.While) -> None:
    """``while``, with a flag that says whether it has ended."""

    def body() -> None:
        if not m.test(node.test):
            raise Signal("break")
        tail(m, node.body)

    looped(m, node, body, None)


def tail(m: Interpreter, nodes: Sequence[ast.stmt]) -> None:
    """The last statements of a round: their paths need not meet before its end."""
    m.block(nodes[:-1])
    match nodes[-1]:
        case ast.If(test, body, orelse) as last:
            m.place = m.text.headline(last)
            if side := body if m.test(test) else orelse:
                tail(m, side)
        case last:
            m.statement(last)


def looped(
    m: Interpreter,
    node: ast.For | ast.While,
    body: Callable[[], None],
    loop: Callable[[dip.Block], dip.For] | None,
) -> None:
    """A loop: the variables that it changes are assigned before it, and at the end of each round."""
    if node.orelse:
        raise m.unread(node.orelse[0], ("`else` after a loop", "set a variable before `break`"))
    call, place = m.stack[-1], m.place
    before = m.get(call)
    slots = dict(changing(m, node, dict(before.names)))
    for name, slot in slots.items():
        give_slot(m, slot, m.plain(dict(before.names)[name]))
    m.put(call, before.with_names(slots))
    block, leaves = rounds(m, body)
    left = Name(m.fresh("left"), span=place)
    for leaf in leaves:
        names = dict(leaf.state.heap[call].names)
        if any(names[name] != value for name, value in before.names if name not in slots):
            raise m.refuse("a loop that changes a list", KEEP)
        if leaf.signal == "return":
            raise m.refuse("`return` inside a loop of this function", "write it at the end")
        if leaf.signal in ("", "break", "continue"):
            end_round(m, leaf, slots, names)
        if leaf.signal == "break":
            leaf.block.append(Assign(left, Name("true", span=place), span=place))
    on = Unary(Op.NOT, left, span=place)
    if loop is None or any(leaf.signal == "break" for leaf in leaves):
        m.out.append(Assign(left, Name("false", span=place), span=place))
        if loop is not None:
            block = [Branches([(on, block), (None, [])], place)]
    m.out.append(dip.While(on, frozen(block), span=place) if loop is None else loop(frozen(block)))
    inside = {name for leaf in leaves for name, _ in leaf.state.heap[call].names}
    m.put(call, before.with_names({**dict.fromkeys(inside, LOST), **dict(before.names), **slots}))


def changing(
    m: Interpreter, node: ast.For | ast.While, names: Mapping[str, Value]
) -> Iterator[tuple[str, Sym]]:
    """The variables that a loop changes, each with a variable of the program."""
    assigned = names_among(chain.from_iterable(map(ast.walk, node.body)))
    for name in sorted(names.keys() & assigned.keys()):
        value = names[name]
        if isinstance(value, Array) or value == LOST:
            continue
        if kind_of(value) == "eps":
            raise m.refuse("a rate or probability that a loop changes", "compute it from the index")
        kind = widened(m, (m.text.span(node), name), kind_of(m.plain(value)))
        yield name, Sym(Name(m.fresh(name), span=m.place), kind)
        m.slots[name] = (m.text.span(node), name)


def give_slot(m: Interpreter, slot: Sym, value: Value) -> None:
    """The assignment of a variable that a loop changes, unless it keeps its value."""
    if (expr := m.lift(value)) != slot.expr:
        assert isinstance(slot.expr, Name)
        m.out.append(Assign(slot.expr, expr, span=m.place))


def end_round(m: Interpreter, leaf: Leaf, slots: Mapping[str, Sym], names: Mapping[str, Value]) -> None:
    """The variables get their values for the next round; one that needs another of them is copied before."""
    start, out = m.state, m.out
    m.state, m.out = leaf.state, leaf.block
    new = {name: m.plain(names[name]) for name in slots}
    for name, slot in slots.items():
        widened(m, m.slots[name], kind_of(new[name]))
        others = {other.expr.name for other in slots.values() if other != slot}  # type: ignore[union-attr]
        if free_names(m.lift(new[name])) & others:
            new[name] = m.assign(name, m.lift(new[name]), kind_of(new[name]))
    for name, slot in slots.items():
        give_slot(m, slot, new[name])
    m.state, m.out = start, out


# --- arrays ---------------------------------------------------------------------------------------


def row_of(m: Interpreter, value: Value) -> Row | None:
    """What a loop over a value goes through, if the number of rounds is a symbol."""
    match value:
        case Row():
            return value
        case Array(_, size):
            high = minus_one(m, size)
            return Row(m.lift(0), high, lambda i: read_cell(m, value, i), value)
    return None


def place_in(m: Interpreter, array: Array, index: Value) -> Index:
    """The cell with an index, counted from 0, or from the end."""
    index = m.now(m.number(index))
    if isinstance(index, Sym) and any(v < 0 for v in index.possible or ()):
        index = m.settled(index)
    if is_negative(m, index):
        index = m.binary("+", Sym(array.size, "num"), index)
    if not isinstance(index, int | Sym):
        raise m.refuse("this index is not an integer", "use an integer, or `//` to divide")
    return Index(array.name, replace(plus_one(m.lift(index)), span=m.place), span=m.place)


def is_negative(m: Interpreter, index: Value) -> bool:
    """Is an index counted from the end?  The program asks, unless that is sure."""
    if isinstance(index, Sym) and not index.possible:
        return not is_place(m, index.expr) and m.truth(m.compare("<", index, 0))
    return isinstance(index, int) and index < 0


def is_place(m: Interpreter, expr: Expr) -> bool:
    """Is a number surely not negative?"""
    match expr:
        case Number(value):
            return bool(value >= 0)
        case Name(name):
            return name in m.ranges or name in m.sizes
        case Binary(Op.ADD | Op.MUL, left, right):
            return is_place(m, left) and is_place(m, right)
        case Binary(Op.DIV, left, Number(value)):
            return bool(value > 0) and is_place(m, left)
        case Binary(Op.SUB, Name(name), Number(value)):
            low = m.ranges[name][0] if name in m.ranges else ONE if name in m.sizes else None
            return isinstance(low, Number) and bool(value <= low.value)
        case Binary(Op.SUB, Binary(Op.SUB, Name(size), Number(value)), Name(name)):
            known = name in m.ranges and m.ranges[name][1] == Binary(Op.SUB, Name(size), ONE)
            return bool(value <= 1) and known
        case dip.Call("floor" | "max" | "min" | "mod", parts):
            return all(is_place(m, part) for part in parts)
        case Binary(Op.SUB, dip.Call("argmax" | "argmin"), Number(value)):
            return bool(value <= 1)
    return False


def read_cell(m: Interpreter, array: Array, index: Value) -> Value:
    """A cell; that of an array which may change is copied, but in the body of a sum."""
    cell = place_in(m, array, index)
    if array.kind:
        return m.variable(cell, array.kind, array.possible)
    if array.key not in m.kinds:
        raise m.refuse(f"`{array.name}` has no value here yet", "assign its cells first")
    return Sym(cell, m.kinds[array.key]) if m.folding else m.assign("cell", cell, m.kinds[array.key])


def write_cell(m: Interpreter, array: Array, index: Value, value: Value) -> None:
    """``a[i] = value``."""
    if array.kind:
        raise m.refuse("an input cannot be changed", "copy it first: `a = [x for x in q]`")
    value = m.plain(value)
    give_cell(m, array, place_in(m, array, index), value, not used(m, value))


def give_cell(m: Interpreter, array: Array, cell: Index, value: Value, direct: bool) -> None:
    """The assignment of a cell; a sample that nothing else needs is drawn into it."""
    widened(m, array.key, kind_of(value))
    m.assign_to_target(cell, value, direct)


def used(m: Interpreter, value: Value) -> bool:
    """Is this the value of a variable or of a cell of a list?"""
    return any(value in parts(thing) for thing in m.state.heap.values() if isinstance(thing, COMPOUND))


def new_array(m: Interpreter, node: ast.expr, size: Expr) -> Array:
    """A new list."""
    if not free_names(size) <= m.sizes:
        raise m.refuse("a list of this length", "a length depends on parameters only")
    return Array(m.fresh("list"), size, (m.text.span(node), "list"))


def repeated(m: Interpreter, node: ast.expr, value: Value, times: Sym) -> Array:
    """``[value] * N``."""
    array, index = new_array(m, node, times.expr), Name(m.fresh("i"), span=m.place)
    widened(m, array.key, kind_of(value))
    given = Assign(Index(array.name, index, span=m.place), m.lift(value), span=m.place)
    m.out.append(dip.For(index.name, ONE, times.expr, (given,), span=m.place))
    return array


def listed(m: Interpreter, node: ast.ListComp | ast.GeneratorExp, row: Row) -> Value:
    """``[f(x) for x in q]``."""
    [generator, *others] = node.generators
    if others or generator.ifs:
        raise m.refuse("a list of this length", "write a loop, with a list that has its length beforehand")
    size, place = plus_one(row.high), new_index(m, stem_of(generator.target), row.low, row.high)
    shift = m.lift(0) != row.low
    size = Binary(Op.SUB, size, row.low, span=m.place) if shift else size
    array = new_array(m, node, size)
    cell = Binary(Op.SUB, plus_one(place), row.low, span=m.place) if shift else plus_one(place)
    block, leaves = rounds(m, lambda: m.joined(lambda: inside(m, generator, row, place, [node.elt])[0]))
    out = m.out
    for leaf in leaves:
        m.out = leaf.block
        give_cell(m, array, Index(array.name, cell, span=m.place), leaf.result, True)
    m.out = out
    m.out.append(dip.For(place.name, row.low, row.high, frozen(block), span=m.place))
    return array if isinstance(node, ast.ListComp) else replace(row_of(m, array), once=True)  # type: ignore[type-var]


def inside(
    m: Interpreter, generator: ast.comprehension, row: Row, index: Name, nodes: Sequence[ast.expr]
) -> list[Value]:
    """The values of expressions for one index."""
    m.stack.append(m.new(Frame((), m.stack[-1])))
    m.assign_to_loop(generator.target, row.cell(Sym(index, "num")))
    return [m.plain(m.read(node)) for node in nodes]


def fold(m: Interpreter, word: str, node: ast.GeneratorExp, row: Row) -> Value:
    """``all``, ``any`` or ``sum`` over a row; ``if`` only to count."""
    [generator, *others] = node.generators
    index = new_index(m, stem_of(generator.target), row.low, row.high)
    before, m.folding = m.folding, True
    block, leaves = rounds(m, lambda: inside(m, generator, row, index, [*generator.ifs, node.elt]))
    m.folding = before
    if len(leaves) != 1 or block or others:
        raise m.refuse(f"this `{word}`", "write a loop")
    *tests, element = leaves[0].result
    tests = [m.condition(test) for test in tests]
    kind = kind_of(element)
    if word != "sum" or kind == "bool" or (tests and element == 1):
        word, kind = ("count", "num") if word == "sum" else (word, "bool")
        tests += [] if element == 1 and kind == "num" else [m.condition(element)]
    elif not tests:
        tests = [element]
    if (len(tests) > 1 and word != "count") or not tests:
        raise m.refuse(f"this `{word}`", "write a loop")
    body = chained(Op.AND, [m.lift(test) for test in tests])
    found = dip.Fold(FOLDS.get(word, word), index.name, row.low, row.high, body, span=m.place)
    return m.assign("total", found, kind)


# --- words ----------------------------------------------------------------------------------------


def over_row(m: Interpreter, path: str, given: Sequence[Value]) -> Value:
    """A call of a word with an array, or a range up to a symbol; None if it is another call."""
    rows = [row for row in (row_of(m, value) for value in given) if row is not None]
    match path.removeprefix("numpy."), given:
        case "range", [*_] if any(
            isinstance(v, Sym) and v.kind == "num" and v.possible is None for v in given
        ):
            low, high = given[:2] if len(given) > 1 else (0, given[0])
            if len(given) < 3 or given[2] == 1:
                return Row(m.lift(low), minus_one(m, m.lift(high)), lambda i: i)
        case "len", [Array(_, size)]:
            return length_of(m, size)
        case "enumerate", [_] if rows and rows[0].low == m.lift(0):
            return replace(rows[0], cell=lambda i: (i, rows[0].cell(i)), array=None)
        case "zip", [*_] if len({(row.low, row.high) for row in rows}) == 1 and len(rows) == len(given):
            once = any(row.once for row in rows)
            return replace(rows[0], cell=lambda i: tuple(row.cell(i) for row in rows), array=None, once=once)
        case "uniform", [Row(low, high)]:
            return m.assign("choice", dip.Uniform(dip.Range(low, high), span=m.place), "num")
        case "Exp", [rate, Row(low, high), score]:
            return exponential(m, rate, dip.Range(low, high, span=m.place), score)
        case (("sum" | "max" | "min" | "argmax" | "argmin"), [value]) if rows:
            return of_array(m, path.removeprefix("numpy."), getattr(value, "array", value))
    return None


def length_of(m: Interpreter, size: Expr) -> Value:
    """How many cells a list has: none, where its size is less than 0."""
    match size:
        case Number(value):
            return max(0, int(value))
        case Binary(Op.SUB, Name(), Number(value)) if value > 1:
            return Sym(dip.Call("max", (m.lift(0), size), span=m.place), "num")
    return Sym(size, "num")


def of_array(m: Interpreter, word: str, array: Array | None) -> Value:
    """``max``, ``argmax`` and the like of an array."""
    kind = None if array is None else array.kind or m.kinds.get(array.key)
    if array is None or kind not in NUMBERS:
        raise m.refuse(f"`{word}` of this", "use a list of numbers")
    call: Expr = dip.Call(word, (Name(array.name, span=m.place),), span=m.place)
    if word in ("argmax", "argmin"):
        call, kind = Binary(Op.SUB, call, ONE, span=m.place), "num"
    return Sym(call, kind) if array.kind else m.assign("best", call, kind)


def exponential(m: Interpreter, rate: Value, values: dip.Range, score: Value) -> Value:
    """``Exp(rate, range(N), lambda v: score)``."""
    variable = new_index(m, "v", values.low, values.high)
    block, leaves = rounds(m, lambda: m.number(m.invoke(score, [Sym(variable, "num")], {})))
    if block or len(leaves) != 1:
        raise m.refuse("this score", "write it as one expression of inputs and constants")
    found = dip.ExpMechanism(
        m.lift(m.number(rate)), variable.name, values, m.lift(leaves[0].result), span=m.place
    )
    return m.assign("choice", found, "num")
