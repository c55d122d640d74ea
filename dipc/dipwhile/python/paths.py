"""All paths of a computation with symbols, as statements of the language.

A computation runs as if everything were known.  Where it depends on a symbol it calls :meth:`Paths.decide`,
which ends the run; it is then run again for each answer, with the answers so far as a script.  The statements
that it emits become an ``if`` whose branches are what the runs emit after the decision.

After each statement of Python the paths meet again (:meth:`Paths.joined`): those that end in states of the
same shape (lists of the same lengths, dictionaries with the same keys) become one state, in which whatever
differs is a variable that each path assigns.  States of different shapes stay apart, and the rest is run for
each of them.  Every variable made here is assigned once on each path, so that expressions keep their values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, repeat
from typing import Any

from flint import fmpq

from dipc.dipwhile.python.source import number
from dipc.dipwhile.python.values import (
    COMPOUND,
    FINITE,
    LOST,
    RANDOM,
    Closure,
    Frame,
    Named,
    Ref,
    Sym,
    Table,
    Unit,
    Value,
    is_known,
    is_number,
    kind_of,
    one_possible,
    parts,
    with_parts,
)
from dipc.dipwhile.python.words import RESERVED
from dipc.dipwhile.syntax import ast as dip
from dipc.dipwhile.syntax.ast import Assign, Binary, Block, Distribution, Expr, Index, Name, Op, Statement
from dipc.errors import InputError, Span

MOST_PATHS = 3_000
UNDONE = object()
"""The answer of :meth:`Paths.single` that nothing was done."""


class Fork(Exception):
    """A decision for which the script has no answer."""

    def __init__(self, options: Sequence[Expr | None]) -> None:
        self.options = options


class Signal(Exception):
    """``break``, ``continue`` or ``return`` on its way out; "exit" and "stop" end the program."""

    def __init__(self, what: str, value: Value = None) -> None:
        self.what, self.value = what, value


@dataclass
class Branches:
    """An ``if`` whose blocks still grow; the condition of the last branch is None."""

    branches: list[tuple[Expr | None, Growing]]
    span: Span


Growing = list[Any]
"""Statements and :class:`Branches`."""


def frozen(block: Growing) -> Block:
    """The finished statements; an ``if`` without any is left out."""
    found: list[Statement] = []
    for part in block:
        if not isinstance(part, Branches):
            found.append(part)
            continue
        branches = [(condition, frozen(inside)) for condition, inside in part.branches]
        if len(branches) == 1:
            found += branches[0][1]
        elif any(inside for _, inside in branches):
            tests = tuple((condition, inside) for condition, inside in branches if condition is not None)
            found.append(dip.If(tests, branches[-1][1], span=part.span))
    return tuple(found)


@dataclass(frozen=True)
class State:
    """Everything that a run may change."""

    heap: dict[Ref, Any]
    known: dict[Expr, frozenset[Value]]  # values that are possible on this path

    def copied(self) -> State:
        """The same state, to be changed."""
        return State(dict(self.heap), dict(self.known))


def changed(before: Mapping[Ref, Any], state: State) -> bool:
    """Has an object changed that was there before?"""
    return any(state.heap.get(ref) != thing for ref, thing in before.items())


@dataclass
class Leaf:
    """The end of one run: its state, its result or how it left, and where its statements go on."""

    state: State
    result: Value
    signal: str
    block: Growing


@dataclass
class End:
    """Where paths have become one: their state and result, how they left, where their statements go on.

    With other ends beside it, ``test`` says whether a path came here.
    """

    state: State
    result: Value
    signal: str
    blocks: list[Growing]
    test: Expr | None = None


@dataclass
class Paths:
    """Runs computations; ``taken`` are names that variables must not get."""

    taken: set[str]
    place: Span  # of the statement being run
    state: State = field(default_factory=lambda: State({}, {}))
    stack: list[Ref] = field(default_factory=list)  # the frames of the calls that are running
    out: Growing = field(default_factory=list)
    stem: str = ""  # of the variables made for it: the name that is assigned
    count: int = 0  # of names and places in the heap
    paths: int = 0
    declared: frozenset[str] = frozenset()  # the words in the sets of inputs and outputs
    apart: frozenset[str] = frozenset()  # variables whose known values keep paths apart
    finite: dict[Expr, Sym] = field(default_factory=dict)  # variables and cells with known possible values
    drawn: set[Expr] = field(default_factory=set)  # variables that are a sample of continuous noise each
    _target: Growing = field(default_factory=list)
    _script: list[tuple[int, int]] = field(default_factory=list)
    _cursor: int = 0
    _step: int = 0  # how many actions have been joined since the last decision
    _done: dict[Any, tuple[list[End], int]] = field(
        default_factory=dict
    )  # and what came out, for each script

    # --- the heap and the emitted statements ---------------------------------------------------

    def new(self, thing: Any) -> Ref:
        """A new object."""
        self.count += 1
        ref = Ref(self.count)
        self.state.heap[ref] = thing
        return ref

    def get(self, value: Value) -> Any:
        """The object at a place; every other value is itself."""
        return self.state.heap[value] if isinstance(value, Ref) else value

    def put(self, ref: Ref, thing: Any) -> None:
        """Change an object."""
        if isinstance(before := self.state.heap.get(ref), Table) and before.outside:
            raise self.refuse("this dictionary is from outside the function", "copy it first: `dict(d)`")
        self.state.heap[ref] = thing

    def fresh(self, stem: str) -> str:
        """The name of a new variable."""
        stem = (stem.rstrip("0123456789_") or "value") if stem.isascii() else "value"
        while True:
            self.count += 1
            if (name := f"{stem}{self.count}") not in self.taken:
                return name

    def assign(self, stem: str, value: Expr | Distribution, kind: str, possible: Any = None) -> Sym:
        """A new variable with this value."""
        name = Name(self.fresh(self.stem or stem), span=self.place)
        self.out.append(Assign(name, value, span=self.place))
        return self.variable(name, kind, possible)

    def assign_to_target(self, target: Name | Index, value: Value, last: bool) -> None:
        """An assignment; a variable just assigned that nothing else needs (``last``) is not made for it."""
        expr = self.lift(value)
        match self.out:
            case [*_, Assign(Name() as name, made)] if last and name == expr:
                self.out[-1] = Assign(target, made, span=self.place)
            case _:
                self.out.append(Assign(target, expr, span=self.place))

    def variable(self, expr: Expr, kind: str, possible: frozenset[Value] | None) -> Sym:
        """The symbol of a variable or cell."""
        made = Sym(expr, kind, possible)
        if possible is not None:
            self.finite[expr] = made
        return made

    def by_cases(
        self, stem: str, cases: Sequence[tuple[Expr | None, Value]], kind: str, possible: Any
    ) -> Sym:
        """A new variable with the value of the first case that holds; the last has no condition."""
        name = Name(self.fresh(stem), span=self.place)
        found = [(test, [Assign(name, self.lift(value), span=self.place)]) for test, value in cases]
        self.out.append(Branches(found, self.place) if len(found) > 1 else found[0][1][0])
        return self.variable(name, kind, possible)

    def lift(self, value: Value) -> Expr:
        """The expression for a scalar."""
        match value:
            case Sym(expr):
                return expr
            case bool():
                return Name(str(value).lower(), span=self.place)
            case int() | Fraction():
                return number(fmpq(value.numerator, value.denominator), self.place)
            case str() | None:
                return Name(self.atom(str(value)), span=self.place)
        raise self.refuse("this is not a single value", "use numbers, truth values and strings here")

    def equal(self, value: Sym, known: Value) -> Expr:
        """Whether a finite value is this one."""
        return Binary(Op.EQ, value.expr, self.lift(known), span=self.place)

    def atom(self, text: str) -> str:
        """A string as a value of the language."""
        if not text.isidentifier() or not text.isascii() or text in RESERVED:
            hint = "use one word of ASCII letters, digits and _ that has no other meaning, such as 'top'"
            raise self.refuse(f"the string {text!r} cannot be a value of dipc", hint)
        return text

    def refuse(self, message: str, hint: str) -> InputError:
        """An error at the statement being run."""
        return InputError(message, self.place, hint)

    def too_many(self) -> InputError:
        """The error for a function with more paths or statements than are read."""
        return self.refuse("too many cases to read this function", "use fewer inputs, or fewer branches")

    def stop(self, message: str, hint: str = "the function would stop here with an error") -> Exception:
        """The end of a path on which Python stops with an error: refused by dipc if it can be reached."""
        if not self.state.known:
            return self.refuse(message, hint)
        nothing = Binary(Op.DIV, self.lift(1), self.lift(0), span=self.place)
        self.out.append(Assign(Name(self.fresh("stop")), nothing, span=self.place))
        return Signal("stop")

    # --- decisions -----------------------------------------------------------------------------

    def decide(self, options: Sequence[Expr | None]) -> int:
        """The position of the first option that holds on this path; the last may be None, for "else"."""
        if self._cursor == len(self._script):
            raise Fork(options)
        choice, self.count = self._script[self._cursor]
        self._cursor, self._step = self._cursor + 1, 0
        self.out = self._target if self._cursor == len(self._script) else []
        return choice

    def truth(self, condition: Value) -> bool:
        """A truth value as ``True`` or ``False``."""
        condition = self.now(condition)
        if not isinstance(condition, Sym):
            return bool(condition)
        holds = self.decide([condition.expr, None]) == 0
        self.state.known[condition.expr] = frozenset([holds])
        if condition.source is not None:
            base, yes = condition.source
            left = self.values_of(base)
            self.state.known[base.expr] = left & yes if holds else left - yes
        return holds

    def settled(self, value: Value) -> Value:
        """A finite value as a known one."""
        value = self.now(value)
        if not isinstance(value, Sym):
            return value
        if value.kind == "bool":
            return self.truth(value)
        if value.possible is None:
            hint = "clamp it to a finite set first: `max(0, min(N, round(x)))`"
            raise self.refuse("this value is not one of finitely many", hint)
        values = sorted(value.possible, key=order)
        chosen = values[self.decide([*(self.equal(value, v) for v in values[:-1]), None])]
        self.state.known[value.expr] = frozenset([chosen])
        return chosen

    def values_of(self, value: Sym) -> frozenset[Value]:
        """The values of a finite symbol that are possible on this path."""
        return self.state.known.get(value.expr, value.possible or frozenset())

    def now(self, value: Value) -> Value:
        """A value with what is known about it on this path."""
        if not isinstance(value, Sym):
            return value
        if value.source is not None:
            base, yes = value.source
            left = self.values_of(base)
            if left <= yes or not left & yes:
                return left <= yes
        known = self.state.known.get(value.expr)
        if known is None:
            return value
        return next(iter(known)) if len(known) == 1 else replace(value, possible=known)

    # --- runs ----------------------------------------------------------------------------------

    def explore(self, action: Callable[[], Value]) -> tuple[Growing, list[Leaf]]:
        """Every run of the action, from the current state: the statements, and where they end."""
        start, begin, place, depth = self.state, self.count, self.place, len(self.stack)
        kept = self.out, self._target, self._script, self._cursor, self._step, self._done
        self._done = {}
        leaves: list[Leaf] = []
        top = begin

        def run(script: list[tuple[int, int]], block: Growing) -> None:
            nonlocal top
            self.state = start.copied()
            self.count, self.place = begin, place
            del self.stack[depth:]
            self._script, self._cursor, self._step, self._target = script, 0, 0, block
            self.out = [] if script else block
            self.paths += 1
            if self.paths > MOST_PATHS * 20:
                raise self.too_many()
            result, signal = None, ""
            try:
                result = action()
            except Signal as left:
                result, signal = left.value, left.what
            except Fork as fork:
                top = max(top, self.count)
                where = self.place
                branches: list[tuple[Expr | None, Growing]] = []
                block.append(Branches(branches, where))
                for choice, condition in enumerate(fork.options):
                    last = choice == len(fork.options) - 1
                    branches.append((None if last else condition, []))
                    run([*script, (choice, top)], branches[-1][1])
                return
            top = max(top, self.count)
            leaves.append(Leaf(self.state, result, signal, block))
            if len(leaves) > MOST_PATHS:
                raise self.too_many()

        block: Growing = []
        try:
            run([], block)
        finally:
            self.out, self._target, self._script, self._cursor, self._step, self._done = kept
            self.state, self.count, self.place = start, top, place
            del self.stack[depth:]
        return block, leaves

    def joined(self, action: Callable[[], Value]) -> Value:
        """The result of the action; its paths meet where their states have the same shape."""
        ends = self._once(lambda: self._joined(action))
        chosen = self.decide([end.test for end in ends]) if len(ends) > 1 else 0
        self.state = ends[chosen].state.copied()
        if ends[chosen].signal:
            raise Signal(ends[chosen].signal, ends[chosen].result)
        return ends[chosen].result

    def single(self, action: Callable[[], Value], accepted: Callable[[State, Value], bool]) -> Value:
        """The result of an action whose paths become one that is accepted; else UNDONE, without effect."""

        def tried() -> list[End]:
            try:
                block, leaves = self.explore(action)
            except InputError:
                return []
            ends = self._met(leaves)
            if len(ends) != 1 or ends[0].signal or not accepted(ends[0].state, ends[0].result):
                return []
            self.out += block
            return ends

        ends = self._once(tried)
        if not ends:
            return UNDONE
        self.state = ends[0].state.copied()
        return ends[0].result

    def _once(self, work: Callable[[], list[End]]) -> list[End]:
        """The ends of a piece of work; a run that repeats the beginning of another takes them from there."""
        key = tuple(choice for choice, _ in self._script[: self._cursor]), self._step
        self._step += 1
        if key not in self._done:
            self._done[key] = work(), self.count
        ends, self.count = self._done[key]
        return ends

    def _joined(self, action: Callable[[], Value]) -> list[End]:
        block, leaves = self.explore(action)
        self.out += block
        ends = self._met(leaves)
        if len(ends) > 1:
            where = Name(self.fresh("path"), span=self.place)
            for position, end in enumerate(ends):
                for inside in end.blocks:
                    inside.append(Assign(where, self.lift(position), span=self.place))
                end.test = self.equal(Sym(where, "num"), position) if end is not ends[-1] else None
        return ends

    def _met(self, leaves: Sequence[Leaf]) -> list[End]:
        """The ends of an action: one for each shape of its leaves."""
        leaves = [leaf for leaf in leaves if leaf.signal != "exit"] or leaves[:1]
        if len(leaves) == 1:
            return [End(leaf.state, leaf.result, leaf.signal, [leaf.block]) for leaf in leaves]
        for signal in {leaf.signal for leaf in leaves}:
            self._drop([leaf for leaf in leaves if leaf.signal == signal])
        groups: dict[Any, list[Leaf]] = {}
        for leaf in leaves:
            shape = Shapes(leaf.state, self.declared, self.apart).of(self._roots(leaf))
            groups.setdefault((leaf.signal, shape), []).append(leaf)
        return [
            End(*self._merged(group), group[0].signal, [leaf.block for leaf in group])
            for group in groups.values()
        ]

    def _roots(self, leaf: Leaf) -> tuple[Value, ...]:
        return (*self.stack, leaf.result)

    def _drop(self, leaves: Sequence[Leaf]) -> None:
        """Mark the variables of running calls that some path leaves without a value."""
        for ref in self.stack:
            frames = [dict(leaf.state.heap[ref].names) for leaf in leaves]
            lost = {name for one in frames for name in one if any(f.get(name, LOST) == LOST for f in frames)}
            for leaf in leaves:
                leaf.state.heap[ref] = leaf.state.heap[ref].with_names(dict.fromkeys(lost, LOST))

    def _merged(self, group: Sequence[Leaf]) -> tuple[State, Value]:
        """One state for several of the same shape."""
        one_leaf, *others = group
        if not others:
            return one_leaf.state, one_leaf.result
        heap = {ref: thing for leaf in reversed(group) for ref, thing in leaf.state.heap.items()}
        known = {
            expr: frozenset().union(*(leaf.state.known[expr] for leaf in group))
            for expr in one_leaf.state.known
            if all(expr in leaf.state.known for leaf in others)
        }
        done: set[Ref] = set()

        def merge(stem: str, values: Sequence[Value]) -> Value:
            one = values[0]
            match one:
                case Ref():
                    if one not in done:
                        done.add(one)
                        things = [leaf.state.heap[ref] for leaf, ref in zip(group, values, strict=True)]
                        heap[one] = merge(stem, things)
                    return one
                case Unit() if any(value != one for value in values):
                    return replace(one, high=one.low, asked=None)
            if isinstance(one, COMPOUND):
                stems = [name for name, _ in one.names] if isinstance(one, Frame) else []
                columns = zip(*map(parts, values), strict=True)
                return with_parts(one, [*map(merge, chain(stems, repeat(stem)), columns)])
            return one if all(same(one, value) for value in values[1:]) else self._meet(stem, group, values)

        roots = zip(*map(self._roots, group), strict=True)
        *_, result = [merge("value", list(column)) for column in roots]
        return State(heap, known), result

    def _meet(self, stem: str, group: Sequence[Leaf], values: Sequence[Value]) -> Value:
        """A variable that each path gives its own value."""
        kinds = {kind_of(value) for value in values}
        kind = kinds.pop() if len(kinds) == 1 else next((k for k in RANDOM if k in kinds), "dom")
        name = Name(self.fresh(stem), span=self.place)
        for leaf, value in zip(group, values, strict=True):
            leaf.block.append(Assign(name, self.lift(value), span=self.place))
        return self.variable(name, kind, one_possible(values) if kind in FINITE else None)

    def as_number(self, value: Value) -> Value:
        """A truth value as the number that Python takes it for."""
        value = self.now(value)
        if isinstance(value, bool):
            return int(value)
        if not isinstance(value, Sym) or value.kind != "bool":
            return value
        return self.by_cases("bit", [(value.expr, 1), (None, 0)], "num", frozenset([0, 1]))


def order(value: Value) -> tuple[int, Any]:
    """Numbers by size, then strings."""
    return (0, value) if is_number(value) else (1, str(value))


def same(left: Value, right: Value) -> bool:
    """The same value: True is not 1 here."""
    return type(left) is type(right) and bool(left == right)


class Shapes:
    """The shape of a state: equal for states that can become one."""

    def __init__(self, state: State, declared: frozenset[str], apart: frozenset[str]) -> None:
        self.state, self.declared, self.apart = state, declared, apart
        self.places: dict[Ref, int] = {}

    def of(self, value: Value) -> Any:
        """The shape of a value, with everything that can be reached from it."""
        match value:
            case Sym(_, "bool") | bool():  # arithmetic of numpy is another one for these than for 0 and 1
                return "truth"
            case Sym(_, kind) if kind in FINITE:
                return "scalar"
            case Sym(_, kind) if kind in RANDOM:
                return "real" if kind == "real" else "integer"
            case Ref():
                if value in self.places:
                    return self.places[value]
                self.places[value] = len(self.places)
                return self.of(self.state.heap[value])
            case str() | None if str(value) not in self.declared:
                return "word", value  # no variable of the program can have this value
            case Unit():
                return "unit"
            case _ if is_known(value):
                return "scalar"
        if not isinstance(value, COMPOUND):
            return value
        inside = tuple(map(self.of, parts(value)))
        match value:
            case Table(entries, default, outside):  # True is not 1 here
                return Table, default, outside, tuple((type(key), key) for key, _ in entries), inside
            case Named(of=kind):
                return kind, inside
            case Closure(_, node, _, defaults):
                return id(node), tuple(name for name, _ in defaults), inside
            case Frame(names):
                known = [(name, type(v), v) for name, v in names if name in self.apart and is_known(v)]
                return with_parts(value, inside), tuple(known)
        return type(value), with_parts(value, inside)
