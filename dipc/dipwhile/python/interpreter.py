"""A Python function run with symbols for its inputs and samples: see :mod:`~dipc.dipwhile.python.paths`.

Loops over known ranges are unrolled, calls of the user's functions are run in their place, lists and
dictionaries are objects of the heap.  What the program of the language contains in the end is samples,
assignments and ``if``.
"""

from __future__ import annotations

import ast
import operator
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from itertools import chain
from math import prod
from typing import Any

from dipc.dipwhile.python import library, loops
from dipc.dipwhile.python.errors import UNREAD
from dipc.dipwhile.python.operations import ARITHMETIC, COMPARISONS, Operations
from dipc.dipwhile.python.outside import Outside, assigned_in, record_of
from dipc.dipwhile.python.paths import UNDONE, Signal, State, changed
from dipc.dipwhile.python.source import ABSENT, FunctionText, Located, decimal_note, names_among
from dipc.dipwhile.python.values import (
    COMPOUND,
    LOST,
    Array,
    Closure,
    Constants,
    Frame,
    Items,
    Members,
    Method,
    Named,
    Once,
    Ref,
    Row,
    Stepped,
    Sym,
    Table,
    Value,
    Word,
    contents,
    is_known,
    is_number,
    kind_of,
    parts,
    possible_values,
)
from dipc.dipwhile.syntax.ast import Exit, Index, Name
from dipc.dipwhile.syntax.build import rational
from dipc.errors import InputError, Span

MOST_ROUNDS = 1_000
DEEPEST_CALL = 20

BINARY = {kind: sign for sign, (kind, *_) in ARITHMETIC.items()}
COMPARE = {kind: sign for sign, (kind, *_) in COMPARISONS.items()}
UNASSIGNED = ("assigning this", "assign variables and cells of lists: `a[i] = 0`")
UNBOUNDED = """use a `for` loop over a constant `range`, with `break`; geometric noise is `DLap(eps)`;
          noise `z` in 0..3 is `min(max(z, 0), 3)`, and `x + DLap(eps)` drawn until it is there
          `random.choices(range(4), weights=[exp(-eps*abs(v - x)) for v in range(4)])[0]`"""
BITS: dict[type[ast.operator], Callable[[Operations, Value, Value], Value]] = {
    ast.BitAnd: Operations.both,
    ast.BitOr: Operations.either,
}
WHOLE: dict[type[ast.operator], Callable[[Any, Any], int]] = {
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


class Interpreter(Operations):
    """Runs the statements and expressions of a function."""

    def __init__(self, text: FunctionText, outside: Outside, taken: set[str]) -> None:
        super().__init__(taken=taken, place=text.place)
        self.text = text
        self.outside = outside
        self.notes: dict[str, None] = {}
        self.loops = 0
        self.deciding: frozenset[str] = frozenset()  # variables on which it depends how long loops run
        self.returned_value = text.place
        self.calling: ast.Call | None = None
        self.keeps = False  # the loops: numbers of the inputs are not looked at, so that it holds for others
        self.sizes: frozenset[str] = frozenset()  # the parameters that are symbols
        self.kinds: dict[Any, str] = {}  # of what loops change, as far as an earlier reading found them
        self.unstable = False  # has one of them become wider?
        self.slots: dict[str, Any] = {}
        self.ranges: dict[str, tuple[Any, Any]] = {}  # of loops that begin at 0 or later: their ends
        self.folding = False  # in the body of a sum, which has no statements

    def main(self, values: Mapping[str, Value]) -> None:
        """The whole function, from the values of its arguments to the outputs."""
        self.stack.append(self.new(Frame(tuple(sorted(values.items())), None)))
        with suppress(Signal):  # it has ended
            self.block(self.text.node.body)
            self.place = self.text.place
            self.finish(LOST)

    def returns(self, node: ast.Return) -> None:
        """``return``: the main function gives the outputs their values, and the program ends."""
        self.returned_value = self.place if node.value is None else self.text.span(node.value)
        value = None if node.value is None else self.read(node.value)
        if len(self.stack) > 1:
            raise Signal("return", value)
        self.finish(LOST if node.value is None or ast.unparse(node.value) == "None" else value)
        self.out.append(Exit(span=self.place))
        raise Signal("exit")

    @abstractmethod
    def finish(self, value: Value) -> None:
        """The outputs get their values from what the function returns, LOST for nothing."""

    def note(self, text: str | None) -> None:
        """Something to say once."""
        if text is not None:
            self.notes.setdefault(text)

    def unread(self, node: Located, reason: tuple[str, str]) -> InputError:
        """The error for Python that is not read: what it is, and what to write instead."""
        return InputError(f"{reason[0]} is not allowed here in a mechanism", self.text.span(node), reason[1])

    # --- variables -------------------------------------------------------------------------------

    def variables(self) -> Iterator[tuple[str, Value]]:
        """The variables of the running call, and those of the functions around it."""
        ref: Ref | None = self.stack[-1]
        while ref is not None:
            frame = self.get(ref)
            yield from frame.names
            ref = frame.parent

    def store(self, name: str, value: Value) -> None:
        """Give a variable of the running call a value."""
        self.put(self.stack[-1], self.get(self.stack[-1]).with_names({name: value}))

    def load(self, name: str) -> Value:
        """The value of a variable, or what the name means outside the function."""
        for known, value in self.variables():
            if known == name and value == LOST:
                hint = f"give `{name}` a value before the `if` or loop"
                raise self.refuse(f"`{name}` has no value on some path to here", hint)
            if known == name:
                return self.now(value)
        if name in assigned_in(self.text.node):
            raise self.refuse(f"`{name}` has no value here yet", "assign it first")
        if name in self.sizes:
            raise self.refuse(f"the size `{name}` in another function", "hand it over as an argument")
        return self.outside.meaning(self, name)

    def is_unknown(self, name: str) -> bool:
        """Does a name mean nothing here?"""
        inside = any(name == known for known, _ in self.variables())
        return not inside and self.text.outside(name) is ABSENT

    def stored(self, name: str, value: Value) -> None:
        """An assignment: an expression gets a variable of the program, which keeps expressions short."""
        self.store(name, self.kept(self.sample(value) if isinstance(value, Ref) else value, name))

    # --- statements ------------------------------------------------------------------------------

    def block(self, nodes: Sequence[ast.stmt]) -> None:
        """Statements in sequence; after each the paths meet."""
        for node in nodes:
            self.joined(lambda node=node: self.statement(node))  # type: ignore[misc]

    def statement(self, node: ast.stmt) -> None:
        """One statement."""
        self.place = self.text.headline(node)
        match node:
            case ast.Assign([ast.Name(name)]) | ast.AugAssign(ast.Name(name)):
                self.stem = name
            case _:
                self.stem = ""
        match node:
            case ast.Pass() | ast.Expr(ast.Constant()) | ast.AnnAssign(value=None):
                pass
            case ast.Assign([ast.Tuple() | ast.List() as several], value):
                self.assign_to(several, self.read_iterable(value))
            case ast.Assign(targets, value):
                found = self.read(value)
                for target in targets:
                    self.assign_to(target, found)
            case ast.AnnAssign(target, _, value) if value is not None:
                self.assign_to(target, self.read(value))
            case ast.AugAssign():
                self.augmented(node)
            case ast.If(test, body, orelse):
                self.block(body if self.test(test) else orelse)
            case ast.For():
                self.repeat(node)
            case ast.While():
                self.repeat_while(node)
            case ast.Return():
                self.returns(node)
            case ast.Break():
                raise Signal("break")
            case ast.Continue():
                raise Signal("continue")
            case ast.FunctionDef():
                self.define(node)
            case ast.Import() | ast.ImportFrom():
                self.imported(node)
            case ast.Assert(test):
                if self.now(self.condition(self.read(test))) is not True:
                    raise self.unread(node, UNREAD[ast.Assert])
            case ast.Raise() if self.state.known:
                raise self.stop("`raise`")
            case ast.Expr(ast.Call(ast.Name("print"))):
                raise InputError(
                    "`print` is not allowed in a mechanism", self.place, "remove it: only outputs count"
                )
            case ast.Expr(value):
                self.effect(value)
            case _:
                other = ("this statement", "write it with assignments, `if` and loops")
                what, hint = UNREAD.get(type(node), other)
                raise InputError(f"{what} is not allowed in a mechanism", self.place, hint)

    def effect(self, node: ast.expr) -> None:
        """An expression on its own line: only calls of methods and of the user's functions do something."""
        function = self.read(node.func) if isinstance(node, ast.Call) else None
        result = self.read(node)
        if result is not None and not isinstance(function, Method | Closure):
            raise self.refuse("this line has no effect", "assign its value, or remove it")

    def assign_to(self, target: ast.expr, value: Value) -> None:
        """An assignment to a variable, a cell, or several of them."""
        match target:
            case ast.Name(name):
                self.stored(name, value)
            case ast.Tuple(parts) | ast.List(parts):
                values = self.items(value)
                starred = [i for i, part in enumerate(parts) if isinstance(part, ast.Starred)]
                if starred:
                    i, rest = starred[0], len(values) - len(parts) + 1
                    middle = self.new(Items(tuple(values[i : i + rest])))
                    values = [*values[:i], middle, *values[i + rest :]] if rest >= 0 else values
                    parts = [part.value if isinstance(part, ast.Starred) else part for part in parts]
                if len(values) != len(parts):
                    raise self.stop(f"{len(values)} values for {len(parts)} variables")
                for part, each in zip(parts, values, strict=True):
                    self.assign_to(part, each)
            case ast.Subscript(ast.Name(name) as owner) if self.is_unknown(name):
                hint = f"create it first: `{name} = [0] * N`"
                raise InputError(f"`{name}` is not a list of this function", self.text.span(owner), hint)
            case ast.Subscript(owner, index):
                self.assign_cell(self.read(owner), self.read_index(index), value)
            case ast.Attribute(owner, name) if isinstance(self.get(ref := self.read(owner)), Named):
                self.assign_field(ref, name, value)
            case _:
                raise self.unread(target, UNASSIGNED)

    def assign_field(self, ref: Value, name: str, value: Value) -> None:
        """``record.name = value``, of a dataclass."""
        record = self.get(ref)
        changes = isinstance(ref, Ref) and not record.of.__dataclass_params__.frozen
        if not changes or name not in record.fields:
            raise self.refuse("this field cannot be assigned", f"make a new one: `replace(x, {name}=...)`")
        fields = {**record.fields, name: self.kept(self.sample(value))}
        self.put(ref, Named.made(record.of, fields.values()))

    def assign_cell(self, owner: Value, index: Value, value: Value) -> None:
        """``a[i] = value``."""
        if isinstance(owner, Array):
            loops.write_cell(self, owner, index, self.sample(value))
            return
        value = self.kept(self.sample(value))
        match thing := self.get(owner):
            case Items(_, "array") if self.is_table(owner):
                row, column = self.row_and_column(thing, index)
                self.assign_cell(row, column, value)
            case Table(entries):
                key = self.key(index)
                self.put(owner, replace(thing, entries=tuple({**dict(entries), key: value}.items())))
            case Items(_, "array") if isinstance(self.get(index), Items):
                places = self.places(self.get(index), len(thing.values))
                given = self.items(value) if isinstance(value, Ref) else [value] * len(places)
                if len(given) != len(places):
                    raise self.stop(f"{len(given)} values for {len(places)} cells")
                for place, each in zip(places, given, strict=True):
                    self.assign_cell(owner, place, each)
            case Items(values, "array", dtype) if index == slice(None):
                copied = self.broadcast(lambda v: self.converted(dtype, v), value, size=len(values))
                self.put(owner, replace(thing, values=self.get(copied).values))
            case Items(values, kind, dtype) if kind != "view" and not isinstance(index, slice):
                place = self.position(index, len(values), kind)
                if kind == "array":
                    value = self.converted(dtype, value)
                self.put(owner, Items((*values[:place], value, *values[place + 1 :]), kind, dtype))
            case _:
                raise self.refuse("this cannot be assigned", "assign single cells of lists: `a[i] = 0`")

    def converted(self, dtype: str, value: Value) -> Value:
        """A value put into an array of this type."""
        kind = self.dtype([value])
        if kind == dtype:
            return value
        if dtype == "float" and kind in ("int", "float", "bool"):
            return self.as_number(value)
        if dtype == "int" and kind == "bool":
            return self.as_number(value)
        hint = "make it with `np.zeros(N)` or a list, which keeps every number"
        raise self.refuse(f"an array of type `{dtype or 'str'}` would change this value", hint)

    def augmented(self, node: ast.AugAssign) -> None:
        """``x += y``: in place for lists."""
        owner = index = None
        match node.target:
            case ast.Subscript(inside, place):
                owner, index = self.read(inside), self.read_index(place)
                old = self.subscript(owner, index)
            case ast.Name(name) as target:
                old = self.read(ast.copy_location(ast.Name(name, ast.Load()), target))
            case ast.Attribute(ast.Name()) as target:
                old = self.read(target)
            case target:
                raise self.unread(target, UNASSIGNED)
        new = self.operate(node, node.op, old, self.read(node.value))
        if isinstance(self.get(old), Items) and not isinstance(index, Ref):
            self.change(old, new)
        elif owner is not None:
            self.assign_cell(owner, index, new)
        else:
            self.assign_to(node.target, new)

    def change(self, old: Ref, new: Ref) -> None:
        """The cells of a list become those of another, in place; so do the rows of a table."""
        before, after = self.get(old), self.get(new)
        if before.kind in ("input", "view"):
            raise self.refuse("this changes the list in place", "write `x = x + y`")
        if before.kind == "array" and self.is_table(old):
            for row, cells in zip(before.values, after.values, strict=True):
                self.change(row, cells)
        else:
            kept = (lambda v: v) if before.kind == "list" else partial(self.converted, before.dtype)
            self.put(old, replace(before, values=tuple(map(kept, after.values))))

    def test(self, node: ast.expr) -> bool:
        """The condition of an ``if``, decided once."""
        return self.truth(self.joined(lambda: self.condition(self.read(node))))

    def repeat(self, node: ast.For) -> None:
        """``for``: every round in turn."""
        iterable = self.read_iterable(node.iter)
        if (row := loops.row_of(self, iterable)) is not None:
            loops.repeat(self, node, row)
            return
        values, sources = self.items(iterable), self.sources(node.iter, iterable)
        place = 0
        while place < len(values):
            self.assign_to_loop(node.target, values[place])
            if self.left(node.body):
                return
            place += 1
            values = self.as_changed(node, iterable, values, sources)
        self.block(node.orelse)

    def as_changed(
        self, node: ast.For, iterable: Value, values: list[Value], sources: Mapping[str, Value]
    ) -> list[Value]:
        """What a loop goes through, after a round that may have changed it: Python reads each cell late."""
        match self.get(iterable):
            case Items():
                return self.items(iterable)
            case Once(_, again):
                now = values if again is None else list(again().values)
                if len(now) == len(values) and sources == self.sources(node.iter, iterable):
                    return now
                self.place = self.text.span(node.iter)
                hint = "go through a list: `for x in list(...)`"
                raise self.refuse("a loop whose rounds change what it goes through", hint)
        return values

    def sources(self, node: ast.expr, iterable: Value) -> dict[Any, Any]:
        """What a generator, or a call of ``map``, reads in each round: its variables and what they hold."""
        if not isinstance(iterable, Once) or iterable.again is not None:
            return {}
        found: dict[Any, Any] = {}
        code: list[tuple[ast.AST, Ref | None]] = [(node, self.stack[-1])]
        held: list[Value] = []
        while code or held:
            if code:
                read = self.read_in(*code.pop())
                held += [value for place, value in read.items() if place not in found]
                found |= read
                continue
            match held.pop():
                case Ref() as ref if ref not in found:
                    found[ref] = contents(self.get(ref))
                    held += found[ref] or ()
                case Closure(_, body, parent, defaults):
                    held += [value for _, value in defaults]
                    code += [(body, parent)] if (body, parent) not in found else []
                    found[body, parent] = None
                case value if isinstance(value, COMPOUND):
                    held += parts(value)
        return found

    def read_in(self, node: ast.AST, frame: Ref | None) -> dict[Any, Value]:
        """The variables that code of a call reads, by the calls that they belong to, with their values."""
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        left = {part.id for part in names} - names_among(names).keys()
        found: dict[Any, Value] = {}
        while frame is not None:
            call = self.get(frame)
            found |= {(frame, name): value for name, value in call.names if name in left}
            left -= dict(call.names).keys()
            frame = call.parent
        return found

    def holdings(self) -> dict[Ref, Any]:
        """What lists, dictionaries, records and calls hold now."""
        return {ref: contents(thing) for ref, thing in self.state.heap.items()}

    def refuse_effects(self, before: Mapping[Ref, Any]) -> None:
        """What Python evaluates value by value, and is evaluated here at once, must not change anything."""
        now = self.holdings()
        if any(now.get(ref) != thing for ref, thing in before.items()):
            raise self.refuse("values that change a list or dictionary when they are made", "write a loop")

    def assign_to_loop(self, target: ast.expr, value: Value) -> None:
        """The variable of a loop names its value: no assignment of the program is needed."""
        if isinstance(target, ast.Name):
            self.store(target.id, value)
        else:
            self.assign_to(target, value)

    def left(self, body: Sequence[ast.stmt]) -> bool:
        """One round of a loop: does it end with ``break``?"""
        self.loops += 1
        if self.loops > MOST_ROUNDS * 100:
            raise self.refuse("too many rounds of loops to read this function", "use fewer inputs")
        try:
            self.block(body)
        except Signal as signal:
            if signal.what in ("return", "stop"):
                raise
            return signal.what == "break"
        return False

    def repeat_while(self, node: ast.While) -> None:
        """``while``: a loop of the program, or unrolled as long as its condition may hold."""
        if self.keeps:
            loops.repeat_while(self, node)
            return
        self.deciding |= deciding(node)
        decisions = 0
        while True:
            condition = self.now(self.joined(lambda: self.condition(self.read(node.test))))
            decisions += 1
            if decisions > MOST_ROUNDS or (isinstance(condition, Sym) and decisions > 64):
                raise InputError("this loop has no bound on its rounds", self.text.headline(node), UNBOUNDED)
            if not self.truth(condition):
                self.block(node.orelse)
                return
            if self.left(node.body):
                return

    def define(self, node: ast.FunctionDef) -> None:
        """A nested function."""
        if node.decorator_list:
            raise self.unread(node.decorator_list[0], ("a decorator", "remove it"))
        self.store(node.name, self.closure(node, self.stack[-1], self.text))

    def closure(self, node: ast.FunctionDef | ast.Lambda, parent: Ref | None, text: FunctionText) -> Closure:
        """A function with the values of its defaults."""
        arguments = node.args
        places = [*arguments.posonlyargs, *arguments.args]
        names = [*places[len(places) - len(arguments.defaults) :], *arguments.kwonlyargs]
        defaults = [*arguments.defaults, *arguments.kw_defaults]
        pairs = [(name.arg, value) for name, value in zip(names, defaults, strict=True) if value is not None]
        for _, default in pairs:
            if isinstance(default, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp):
                raise self.unread(default, ("a default that can change", "write `None`, and make it inside"))
        return Closure(text, node, parent, tuple((name, self.read(default)) for name, default in pairs))

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        """``import`` inside a function."""
        for alias in node.names:
            if isinstance(node, ast.Import):
                path = alias.name if alias.asname else alias.name.partition(".")[0]
                self.store(alias.asname or path, library.canonical(path))
            else:
                self.store(alias.asname or alias.name, library.canonical(f"{node.module}.{alias.name}"))

    # --- expressions -----------------------------------------------------------------------------

    def read(self, node: ast.expr) -> Value:
        """The value of an expression that may be kept; errors are shown at its place."""
        value = self.read_iterable(node)
        if isinstance(value, Once) or (isinstance(value, Row) and value.once):
            hint = "use it where it is made, or write `list(...)`"
            raise InputError("this can be gone through only once", self.text.span(node), hint)
        return value

    def read_iterable(self, node: ast.expr) -> Value:
        """The value of an expression that is gone through at once."""
        outer, self.place = self.place, self.text.span(node)
        value = self.now(self.expression(node))
        self.place = outer
        return value

    def expression(self, node: ast.expr) -> Value:
        """The value of an expression."""
        match node:
            case ast.Constant():
                return self.constant(node)
            case ast.Name(name):
                return self.load(name)
            case ast.BinOp(left, op, right):
                return self.operate(node, op, self.read(left), self.read(right))
            case ast.UnaryOp(op, operand):
                return self.unary(node, op, self.read(operand))
            case ast.BoolOp():
                return self.connective(node)
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp(test, first, second):
                return self.joined(lambda: self.read(first if self.test(test) else second))
            case ast.Tuple(values):
                return tuple(self.elements(values))
            case ast.List(values):
                return self.new(Items(tuple(map(self.kept, self.elements(values)))))
            case ast.Set(values):
                return Members(tuple(self.elements(values)))
            case ast.Dict(keys, values):
                return self.dictionary(node, keys, values)
            case (
                ast.ListComp(element, generators)
                | ast.GeneratorExp(element, generators)
                | ast.SetComp(element, generators)
            ):
                source = self.read_iterable(generators[0].iter)
                row = loops.row_of(self, source)
                if row is not None and not isinstance(node, ast.SetComp):
                    return loops.listed(self, node, row)
                before = self.holdings()
                found = tuple(self.comprehend(source, generators, lambda: self.kept(self.read(element))))
                if isinstance(node, ast.ListComp):
                    return self.new(Items(found))
                if isinstance(node, ast.SetComp):
                    return Members(found)
                self.refuse_effects(before)
                return Once(found)
            case ast.DictComp(key, value, generators):
                entry = lambda: (self.key(self.read(key)), self.kept(self.read(value)))  # noqa: E731
                pairs = [*self.comprehend(self.read_iterable(generators[0].iter), generators, entry)]
                return self.new(Table(tuple(dict(pairs).items())))
            case ast.Subscript(owner, index):
                return self.subscript(self.read(owner), self.read_index(index))
            case ast.Attribute(owner, name):
                return self.attribute(node, owner, name)
            case ast.Call():
                return self.call(node)
            case ast.Lambda():
                return self.closure(node, self.stack[-1], self.text)
            case ast.JoinedStr(parts):
                return "".join(map(self.formatted, parts))
            case ast.NamedExpr(ast.Name(name), value) if not self.in_comprehension(node):
                self.stored(name, self.read(value))
                return self.load(name)
        raise self.unread(node, UNREAD.get(type(node), ("this expression", "write it with operators")))

    def formatted(self, part: ast.expr) -> str:
        """A part of an f-string; a private value is settled."""
        match part:
            case ast.Constant(str() as text):
                return text
            case ast.FormattedValue(inside, -1, spec):
                value = self.settled(self.plain(self.read(inside)))
                form = None if spec is None else self.read(spec)
                if is_known(value) and not isinstance(value, Fraction):
                    with suppress(TypeError, ValueError):  # no such format
                        return format(value, form or "")
        raise self.unread(part, ("this in an f-string", "use integers and strings in it"))

    def in_comprehension(self, node: ast.expr) -> bool:
        """Is this inside a comprehension, whose variables are others?"""
        around = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Lambda
        loops = [part for part in ast.walk(self.text.node) if isinstance(part, around)]
        return any(part is node for loop in loops for part in ast.walk(loop))

    def kept(self, value: Value, stem: str = "cell") -> Value:
        """A value put into a list or variable: an expression of samples gets a variable of the program."""
        if (
            isinstance(value, Sym)
            and value.kind not in ("eps", "bool")
            and not isinstance(value.expr, Name | Index)
        ):
            return self.assign(stem, value.expr, value.kind, value.possible)
        return value

    def constant(self, node: ast.Constant) -> Value:
        """A number, truth value, string or None."""
        match node.value:
            case float():
                number = rational(self.text.written(node).replace("_", ""), self.text.span(node))
                exact = Fraction(int(number.p), int(number.q))
                self.note(decimal_note(self.text.written(node), exact))
                return exact
            case bool() | int() | str() | None:
                return node.value
        raise self.unread(node, (f"`{node.value!r}`", "values are numbers, True, False, None and strings"))

    def operate(self, node: Located, op: ast.operator, left: Value, right: Value) -> Value:
        """A binary operator."""
        kinds = [thing.kind for thing in map(self.get, (left, right)) if isinstance(thing, Items)]
        if type(op) not in BINARY and {*kinds} & {"array", "view"}:
            return self.broadcast(lambda a, b: self.operate(node, op, a, b), left, right)
        types = {self.dtype([self.now(v)]) for v in (left, right)}
        if type(op) in BITS and types == {"bool"}:
            return BITS[type(op)](self, left, right)
        if type(op) in WHOLE and types <= {"bool", "int"}:
            return self.bitwise(WHOLE[type(op)], left, right)
        if type(op) is ast.BitXor and types <= {"bool", "int"}:
            return self.exclusive(left, right)
        if type(op) not in BINARY:
            raise self.unread(node, UNREAD[type(op)])
        match self.get(left), op, self.get(right):
            case (Items((cell,), "list"), ast.Mult(), Sym(_, "num", None) as times) | (
                Sym(_, "num", None) as times,
                ast.Mult(),
                Items((cell,), "list"),
            ) if isinstance(node, ast.BinOp):
                return loops.repeated(self, node, cell, times)
        return self.binary(BINARY[type(op)], left, right)

    def bitwise(self, function: Callable[[Any, Any], int], left: Value, right: Value) -> Value:
        """A bit operator of integers."""
        a, b = self.number(left), self.settled(self.number(right))
        if isinstance(a, Sym) and (a.kind != "num" or a.possible is None):
            raise self.refuse("bits of this number", "use integers of a finite set")
        if b < 0 and function in (operator.lshift, operator.rshift):
            raise self.stop("a negative shift")
        return self.mapped("bits", lambda v: function(v, b), a) if isinstance(a, Sym) else function(a, b)

    def exclusive(self, left: Value, right: Value) -> Value:
        """``^`` of truth values and bits."""
        given = self.now(left), self.now(right)
        bits = [possible_values(v) or {2} for v in given if kind_of(v) != "bool"]
        if not all(each <= {0, 1} for each in bits):
            return self.bitwise(operator.xor, left, right)
        differ = self.compare("!=", left, right)
        return self.as_number(differ) if bits else differ

    def unary(self, node: ast.UnaryOp, op: ast.unaryop, value: Value) -> Value:
        """``-x``, ``+x``, ``not x``."""
        if isinstance(op, ast.Not):
            return self.negated(self.condition(value))
        if isinstance(op, ast.Invert):
            mask = self.get(value)
            if isinstance(mask, Items) and mask.kind != "list" and mask.dtype == "bool":
                return self.broadcast(self.negated, value)
            raise self.unread(node, UNREAD[ast.Invert])
        thing = self.get(value)
        if isinstance(thing, str | tuple) or (isinstance(thing, Items) and thing.kind == "list"):
            raise self.refuse(f"{self.what(value)} is not a number", "compute with numbers only")
        if isinstance(value, float):  # an infinity
            return -value if isinstance(op, ast.USub) else value
        return self.binary("*", -1, value) if isinstance(op, ast.USub) else self.binary("*", value, 1)

    def connective(self, node: ast.BoolOp) -> Value:
        """``and``, ``or``: a formula where every part is a truth value without draws, else step by step."""
        is_and = isinstance(node.op, ast.And)
        parts: list[Value] = []
        for position, value in enumerate(node.values):
            before = dict(self.state.heap)

            def accepted(state: State, part: Value) -> bool:
                return kind_of(part) == "bool" and not (parts and changed(before, state))  # noqa: B023

            part = self.single(lambda: self.read(value), accepted)  # noqa: B023
            if part is UNDONE:
                return self.joined(lambda at=position: self.stepwise(is_and, parts, node.values[at:]))  # type: ignore[misc]
            parts.append(part)
            if isinstance(part, bool) and part is not is_and:
                break
        return reduce(self.both if is_and else self.either, parts)

    def stepwise(self, is_and: bool, parts: Sequence[Value], rest: Sequence[ast.expr]) -> Value:
        """``and``, ``or`` as Python evaluates them: the first value that settles the answer."""
        value: Value = is_and
        for value in chain(parts, map(self.read, rest)):
            if self.truth(self.condition(value)) is not is_and:
                break
        return value

    def comparison(self, node: ast.Compare) -> Value:
        """A chain of comparisons."""
        left = self.read(node.left)
        found: list[Value] = []
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            before = dict(self.state.heap)
            right = (
                self.read_iterable(comparator)
                if isinstance(op, ast.In | ast.NotIn)
                else self.read(comparator)
            )
            if found:
                self.refuse_changes(before)
            found.append(self.link(op, left, right))
            left = right
        return found[0] if len(found) == 1 else reduce(self.both, found)

    def link(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        """One comparison."""
        match op:
            case ast.In():
                return self.member(left, right)
            case ast.NotIn():
                return self.negated(self.member(left, right))
            case ast.Is() | ast.IsNot():
                if left is not None and right is not None:
                    what, hint = UNREAD[type(op)]
                    raise self.refuse(f"{what} is not allowed here in a mechanism", hint)
                scalar = self.scalar(left) and self.scalar(right)
                same = self.compare("==", left, right) if scalar else left is right
                return same if isinstance(op, ast.Is) else self.negated(same)
        sign = COMPARE[type(op)]
        for one in (left, right):
            if isinstance(self.get(one), Items):
                return self.compare_lists(sign, left, right)
        return self.compare(sign, left, right)

    def scalar(self, value: Value) -> bool:
        """Is this a single value?"""
        return is_known(value) or isinstance(value, Sym | Stepped)

    def compare_lists(self, sign: str, left: Value, right: Value) -> Value:
        """Comparisons with lists: as a whole, or cell by cell for arrays."""
        one, other = self.get(left), self.get(right)
        kinds = {thing.kind for thing in (one, other) if isinstance(thing, Items)}
        both = isinstance(one, Items) and isinstance(other, Items)
        if kinds & {"array", "view"} or (
            "input" in kinds and not (isinstance(left, Ref) and isinstance(right, Ref))
        ):
            return self.broadcast(lambda a, b: self.compare(sign, a, b), left, right)
        if kinds == {"list"} and sign in ("==", "!="):
            return self.same_tuples(sign, one.values, other.values) if both else sign == "!="
        raise self.refuse(f"`{sign}` of these lists", "compare their cells")

    def member(self, value: Value, where: Value) -> Value:
        """``x in values``."""
        if isinstance(table := self.get(where), Table):
            return self.key(value) in dict(table.entries)
        return reduce(self.either, (self.compare("==", value, each) for each in self.items(where)), False)

    # --- lists and dictionaries ------------------------------------------------------------------

    def elements(self, nodes: Sequence[ast.expr], iterated: bool = False) -> Iterator[Value]:
        """The values of expressions, each perhaps gone through at once; ``*a`` stands for all of ``a``."""
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from self.items(self.read_iterable(node.value))
            else:
                yield self.read_iterable(node) if iterated else self.read(node)

    def items(self, value: Value) -> list[Value]:
        """What a loop over a value goes through."""
        match self.get(value):
            case Once(values) | Items(values) | (tuple() | range() | str() as values):
                return list(values)
            case Array() | Row():
                raise self.refuse("this goes through an array or range whose length is a symbol", loops.KEEP)
            case Members(values):
                if not all(map(is_known, values)):
                    raise self.refuse("the order of this set is not known", "use a list")
                return list(dict.fromkeys(values))
            case Table(entries):
                return [key for key, _ in entries]
        hint = "write `for i in range(N)` or `for x in q`"
        raise self.refuse("a loop runs over a `range`, a list or a dictionary", hint)

    def key(self, value: Value) -> Value:
        """A key of a dictionary: a finite value is settled."""
        value = self.plain(value)
        if isinstance(value, tuple):
            return tuple(map(self.key, value))
        value = self.settled(value)
        if not is_known(value):
            raise self.refuse("this cannot be a key", "use numbers and strings")
        return value

    def dictionary(
        self, node: ast.Dict, keys: Sequence[ast.expr | None], values: Sequence[ast.expr]
    ) -> Value:
        """``{key: value}``."""
        found: dict[Value, Value] = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                raise self.unread(node, ("`**`", "write the entries out"))
            found[self.key(self.read(key))] = self.kept(self.read(value))
        return self.new(Table(tuple(found.items())))

    def comprehend(
        self,
        source: Value,
        generators: Sequence[ast.comprehension],
        element: Callable[[], Value],
        word: str = "",
    ) -> Iterator[Value]:
        """The elements of a comprehension that goes through a source first, one after the other.

        Those of ``sum``, ``any`` or ``all`` (the ``word``) are joined in each round, where the paths meet.
        """
        before, held, fixed = dict(self.state.heap), self.holdings(), True
        self.stack.append(self.new(Frame((), self.stack[-1])))

        def through(iterable: Value) -> list[Value]:
            nonlocal fixed
            fixed = fixed and isinstance(iterable, tuple | range | str | Members)
            return self.items(iterable)

        def rounds(depth: int, values: Sequence[Value]) -> Iterator[Value]:
            for value in values:
                self.assign_to_loop(generators[depth].target, value)
                if word:
                    yield self.joined(lambda: self.total(word, [*inside(depth)]))
                else:
                    yield from inside(depth)

        def inside(depth: int) -> Iterator[Value]:
            if not all(map(self.test, generators[depth].ifs)):
                return
            if depth + 1 < len(generators):
                yield from rounds(depth + 1, through(self.read_iterable(generators[depth + 1].iter)))
            else:
                yield element()

        yield from rounds(0, through(source))
        self.stack.pop()
        if word in ("any", "all"):
            self.refuse_changes(before)
        if not fixed:
            self.refuse_effects(held)

    def following(self, node: ast.GeneratorExp, default: Sequence[Value]) -> Value:
        """``next(x for x in q if c)``: the first element, or the default."""
        depth = len(self.stack)
        source = self.read_iterable(node.generators[0].iter)
        for value in self.comprehend(source, node.generators, lambda: self.kept(self.read(node.elt))):
            del self.stack[depth:]
            return value
        if not default:
            raise self.stop("`next` of nothing")
        return default[0]

    def read_index(self, node: ast.expr) -> Value:
        """An index, a slice with known bounds, or several of them."""
        if isinstance(node, ast.Tuple):
            return tuple(map(self.read_index, node.elts))
        if not isinstance(node, ast.Slice):
            return self.read(node)
        parts = [
            None if part is None else self.settled(self.read(part))
            for part in (node.lower, node.upper, node.step)
        ]
        if not all(part is None or isinstance(part, int) for part in parts) or parts[2] == 0:
            raise self.refuse("the parts of a slice are integers, and its step is not 0", "write `a[i:j]`")
        return slice(*parts)

    def position(self, index: Value, length: int, kind: str = "list") -> int:
        """The place of a cell, counted from 0."""
        index = self.settled(self.plain(index))
        if isinstance(index, bool) and kind in ("array", "view"):
            raise self.refuse("a truth value as the index of an array", "write `a[int(b)]`")
        if not isinstance(index, int):
            raise self.refuse("this index is not an integer", "use an integer, or `//` to divide")
        if not -length <= index < length:
            raise self.stop(f"there is no cell {index}: the list has {length} cells, counted from 0")
        return index % length

    def subscript(self, owner: Value, index: Value) -> Value:
        """``a[i]``, ``a[i:j]``, ``d[key]``."""
        thing = self.get(owner)
        if isinstance(thing, Array):
            return loops.read_cell(self, thing, index)
        if isinstance(thing, Table):
            key, entries = self.key(index), dict(thing.entries)
            if key not in entries and thing.default is not None:
                if is_number(thing.default):
                    return thing.default
                self.assign_cell(owner, key, self.invoke(thing.default, [], {}))
                entries = dict(self.get(owner).entries)
            if key not in entries:
                raise self.stop(f"the dictionary has no key {key!r} here")
            return entries[key]
        if isinstance(thing, Items):
            return self.list_cell(owner, thing, index)
        if isinstance(thing, tuple | str | range):
            return thing[index] if isinstance(index, slice) else thing[self.position(index, len(thing))]
        raise self.refuse("this is not a list", "remove the index")

    def list_cell(self, owner: Ref, thing: Items, index: Value) -> Value:
        """A cell, a slice, or what a mask of known truth values picks."""
        if thing.kind == "array" and self.is_table(owner):
            row, column = self.row_and_column(thing, index)
            return row if column == slice(None) else self.subscript(row, column)
        if isinstance(index, slice):
            if thing.kind == "array":
                self.put(owner, Items(thing.values, "view", thing.dtype))
            kind = "view" if thing.kind == "array" else thing.kind
            return self.new(Items(thing.values[index], kind, thing.dtype))
        if isinstance(mask := self.get(index), Items) and thing.kind != "list":
            places = self.places(mask, len(thing.values))
            return self.array([thing.values[place] for place in places], thing.dtype)
        return thing.values[self.position(index, len(thing.values), thing.kind)]

    def row_and_column(self, table: Items, index: Value) -> tuple[Ref, Value]:
        """The row that an index of a table means, which is a part of it as in numpy, and where in it."""
        place, column = index if isinstance(index, tuple) and len(index) == 2 else (index, slice(None))
        if isinstance(place, slice | tuple) or self.cells(place) is not None:
            hint = "write `P[i]` or `P[i, j]`; rows or a column are `np.array([row[j] for row in P])`"
            raise self.refuse("this part of a table", hint)
        return table.values[self.position(place, len(table.values), table.kind)], column

    def places(self, index: Items, length: int) -> list[int]:
        """The cells that an array picks: where it is true, or those it numbers."""
        if index.dtype != "bool":
            return [self.position(place, length) for place in index.values]
        if len(index.values) != length:
            raise self.stop(f"{len(index.values)} truth values for {length} cells")
        return [place for place, keep in enumerate(index.values) if self.truth(keep)]

    def attribute(self, node: ast.Attribute, owner: ast.expr, name: str) -> Value:
        """``np.pi``, ``a.size``, ``a.append``."""
        value = self.read(owner)
        if isinstance(value, Word):
            return library.member(value, name)
        if isinstance(value, Constants):
            if (found := getattr(value.of, name, ABSENT)) is ABSENT:
                raise self.refuse(f"`{value.name}` has no `{name}`", "define it in the class")
            return self.outside.value(self, name, found)
        if isinstance(record := self.get(value), Named) and name != "_replace":
            if name not in record.fields:
                raise self.refuse(f"`{record.of.__name__}` has no field `{name}`", "use fields only")
            return record.fields[name]
        if name in ("size", "shape") and isinstance(thing := self.get(value), Items):
            shape = (
                len(thing.values),
                *(len(self.items(row)) for row in thing.values[: self.is_table(value)]),
            )
            return prod(shape) if name == "size" else shape
        return Method(value, name)

    # --- calls -----------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> Value:
        """A call of the user's function, of a word of dipc, or of a library."""
        self.calling = node
        function = self.read(node.func)
        match node.args:
            case [ast.GeneratorExp() as generator] if isinstance(function, Word) and function.path in (
                "sum",
                "any",
                "all",
            ):
                word = function.path
                source = self.read_iterable(generator.generators[0].iter)
                if (row := loops.row_of(self, source)) is not None:
                    return loops.fold(self, word, generator, row)
                element = self.number if word == "sum" else self.condition
                each = lambda: element(self.read(generator.elt))  # noqa: E731
                return self.total(word, [*self.comprehend(source, generator.generators, each, word)])
            case [ast.Dict(keys, values)] if function == Word("choose") and None not in keys:
                pairs = [(self.read(key), self.read(p)) for key, p in zip(keys, values, strict=True) if key]
                self.place = self.text.span(node)
                return library.one_of(self, *zip(*pairs, strict=True))  # equal values stay apart
            case [ast.GeneratorExp() as generator, *default] if function == Word("next") and len(default) < 2:
                given = [*self.elements(default)]
                return self.joined(lambda: self.following(generator, given))
        positional = list(self.elements(node.args, library.goes_through(function)))
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.unread(keyword, ("`**`", "write the arguments out"))
            named[keyword.arg] = self.read(keyword.value)
        self.place, self.calling = self.text.span(node), node
        return self.invoke(function, positional, named, node)

    def first_argument(self) -> Span:
        """The place of the first argument of the call being made."""
        return self.text.span(self.calling.args[0]) if self.calling and self.calling.args else self.place

    def invoke(
        self,
        function: Value,
        positional: list[Value],
        named: Mapping[str, Value],
        node: ast.Call | None = None,
    ) -> Value:
        """A call with these arguments."""
        match function:
            case Closure():
                return self.joined(lambda: self.run(function, positional, named))
            case Constants(_, type() as kind):
                return record_of(self, kind, positional, named)
            case Word(path) if not named and (made := loops.over_row(self, path, positional)) is not None:
                return made
            case Word(path):
                before = self.holdings() if any(isinstance(v, Closure) for v in positional) else {}
                found = library.call(self, path, positional, named, node)
                if isinstance(found, Once):
                    self.refuse_effects(before)
            case Method(owner, name):
                found = library.method(self, owner, name, positional, named, node)
            case _:
                written = "this" if node is None else f"`{self.text.written(node.func)}`"
                hint = "call functions of the module, and words of dipc"
                raise self.refuse(f"{written} cannot be called here", hint)
        return self.renewable(found, function, positional, named)

    def renewable(
        self, found: Value, function: Word | Method, positional: Sequence[Value], named: Mapping[str, Value]
    ) -> Value:
        """The result of a call; what goes through lists cell by cell can be made anew."""
        made = [value for value in positional if isinstance(value, Once)]
        if not isinstance(found, Once) or any(value.again is None for value in made):
            return found
        if isinstance(function, Word) and function.path not in ("enumerate", "reversed", "zip"):
            return found

        def again() -> Once:
            now = [v.again() if isinstance(v, Once) and v.again else v for v in positional]
            made: Once = self.invoke(function, now, named)
            return made

        return replace(found, again=again)

    def run(self, function: Closure, positional: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """A function of the user, run in place of its call; an error shows both places."""
        call, text = self.place, self.text
        bound = self.bind(function, positional, named)
        if len(self.stack) > DEEPEST_CALL:
            raise self.refuse("functions are called too deep here", "write recursion as a loop")
        self.stack.append(self.new(Frame((), function.parent)))
        self.text = function.text
        try:
            for name, value in bound.items():
                self.store(name, value)
            if isinstance(function.node, ast.Lambda):
                return self.read(function.node.body)
            self.block(function.node.body)
        except Signal as signal:
            if signal.what == "stop":
                raise
            return signal.value
        except InputError as error:
            raise called_from(error, call) from None
        finally:
            self.text, self.place = text, call
            self.stack.pop()
        return None

    def bind(
        self, function: Closure, positional: Sequence[Value], named: Mapping[str, Value]
    ) -> dict[str, Value]:
        """The arguments of a call by their names."""
        arguments = function.node.args
        if arguments.vararg or arguments.kwarg:
            raise self.refuse("the function has `*` arguments", "name each argument")
        places = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        names = [*places, *(a.arg for a in arguments.kwonlyargs)]
        given = dict(zip(places, positional, strict=False))
        bound = {**dict(function.defaults), **given, **named}
        if len(positional) > len(places) or named.keys() & given.keys() or bound.keys() != set(names):
            raise self.refuse("these arguments do not fit the function", f"it takes ({', '.join(names)})")
        return bound

    def refuse_changes(self, before: Mapping[Ref, Any]) -> None:
        """What Python may not evaluate, and is evaluated here, must not change anything."""
        if changed(before, self.state):
            raise self.refuse(
                "this may stop before it changes a list or dictionary", "write a loop with `if`"
            )

    def total(self, word: str, values: Iterable[Value]) -> Value:
        """The sum, disjunction or conjunction of values."""
        if word == "sum":
            return reduce(lambda a, b: self.binary("+", a, b), values, 0)
        neutral = word == "all"
        return reduce(self.both if word == "all" else self.either, map(self.condition, values), neutral)


def deciding(loop: ast.While) -> frozenset[str]:
    """The variables that a loop changes and tests, itself or in an ``if``."""
    inside = [*ast.walk(loop)]
    tests = [node.test for node in inside if isinstance(node, ast.While | ast.If)]
    read = {part.id for test in tests for part in ast.walk(test) if isinstance(part, ast.Name)}
    return frozenset(read & names_among(inside).keys())


def called_from(error: InputError, call: Span) -> InputError:
    """The error inside a function, with the place of the call."""
    written = call.source.text[call.start : call.end].partition("\n")[0]
    place = f"called in line {call.line}: `{written}`"
    return (
        error
        if "called in line" in error.hint
        else type(error)(error.message, error.span, f"{error.hint}\n          {place}")
    )
