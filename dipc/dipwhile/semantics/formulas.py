"""A formula as adjacency, read cell by cell: an automaton whose states are what is left of the formula.

A formula speaks about the cells of two inputs.  When the values of a cell in u and in u' are put into it
and constants are folded, a formula about the later cells remains; pairs of prefixes with the same rest are
one state.  So ``count(i in 1..N: q[i] != q'[i]) <= 1`` has three states after each cell, and the pairs are
found by the walk of :mod:`dipc.dipwhile.semantics.pairs`, not one by one.  The relation is made symmetric:
a state is the rest of the formula, and that of the formula with u and u' exchanged.

Rests are terms in a normal form: sums without equal summands, connectives without constants; comparisons of
a sum with 0 that hold or fail for all values of its cells are decided.  Terms are made only of operations
that always have a value, so that neither their order nor leaving one out changes anything; for other
formulas (:class:`Unsuitable`), or if there are too many states, the pairs are listed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from flint import fmpq

from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.dipwhile.semantics.evaluate import spelled
from dipc.dipwhile.syntax import ast
from dipc.models.values import FALSE, TRUE, Atom, Value, truth

MOST_STATES = 10_000  # after a cell
NUMBER, TRUTH, ATOM = "number", "truth", "atom"

COMPARED: dict[ast.Op, tuple[str, int]] = {  # `left op right` compares this times (left - right) with 0
    ast.Op.EQ: ("= 0", 1),
    ast.Op.LT: ("> 0", -1),
    ast.Op.LE: (">= 0", -1),
    ast.Op.GT: ("> 0", 1),
    ast.Op.GE: (">= 0", 1),
}
WITH_ZERO: dict[str, Callable[[Any, int], bool]] = {
    "= 0": operator.eq,
    "> 0": operator.gt,
    ">= 0": operator.ge,
}
ON_NUMBERS: dict[str, Callable[[Sequence[fmpq]], fmpq]] = {
    "abs": lambda values: abs(values[0]),
    "min": min,
    "max": max,
    "*": lambda values: values[0] * values[1],
}

State = tuple[int, int]  # terms of the formula and of the one with u and u' exchanged


class Unsuitable(Exception):
    """The formula has an operation that may have no value, or too many states."""


class Term(NamedTuple):
    """An operation on terms; ``value`` is that of a constant, the place of a cell, the factors of a sum.

    ``low`` and ``high`` are bounds on a number.
    """

    name: str
    parts: tuple[int, ...]
    value: Any
    kind: str
    low: Any = None
    high: Any = None


class Terms:
    """A store of terms: equal ones are one number."""

    def __init__(self, space: InputSpace) -> None:
        self._space = space
        self._sizes = {v.name: v.size for v in space.program.inputs}
        self._terms: list[Term] = []
        self._numbers: dict[Term, int] = {}
        self._known: dict[tuple[int, tuple[int, bool], int], int] = {}
        self.false, self.true = self._constant(FALSE), self._constant(TRUE)

    # --- from a formula ---

    def read(self, expr: ast.Expr, swapped: bool) -> int:
        """The term of an expression, ``swapped``: with u and u' exchanged.  Raises :class:`Unsuitable`."""
        if isinstance(expr, ast.Binary):
            first, links = expr.spine()
            result = self.read(first, swapped)
            for node in links:
                result = self._binary(node.op, result, self.read(node.right, swapped))
            return result
        match expr:
            case ast.Number(value):
                return self._constant(value)
            case ast.Name(name, primed):
                if name not in self._sizes:
                    return self._constant(Atom(spelled(name, primed)))
                return self._cell((name, 0), primed != swapped)
            case ast.Index(array, index, primed):
                place = self._terms[self.read(index, swapped)]
                return self._cell((array, place.value), primed != swapped)
            case ast.Unary(ast.Op.NOT, operand):
                return self._made("not", (self._of(TRUTH, self.read(operand, swapped)),))
            case ast.Unary(_, operand):
                return self._sum(fmpq(0), [(fmpq(-1), self.read(operand, swapped))])
            case ast.Call(function, arguments):
                return self._call(function, [t for a in arguments for t in self._argument(a, swapped)])
            case _:
                raise Unsuitable

    def _argument(self, expr: ast.Expr, swapped: bool) -> list[int]:
        """An array stands for all its cells."""
        if isinstance(expr, ast.Name) and (size := self._sizes.get(expr.name)) is not None:
            return [self._cell((expr.name, i), expr.primed != swapped) for i in range(1, size + 1)]
        return [self.read(expr, swapped)]

    def _cell(self, cell: tuple[str, Any], primed: bool) -> int:
        place = self._space.place.get(cell)
        if place is None:
            raise Unsuitable
        domain = self._space.domains[place]
        numbers = [value for value in domain if isinstance(value, fmpq)]
        kinds = {_kind(value) for value in domain}
        if len(kinds) > 1:
            raise Unsuitable
        low, high = (min(numbers), max(numbers)) if numbers else (None, None)
        return self._stored(Term("cell", (), (place, primed), kinds.pop(), low, high))

    def _binary(self, op: ast.Op, left: int, right: int) -> int:
        a, b = self._terms[left], self._terms[right]
        match op:
            case ast.Op.AND | ast.Op.OR:
                return self._made(op.value, (self._of(TRUTH, left), self._of(TRUTH, right)))
            case ast.Op.ADD | ast.Op.SUB:
                return self._sum(fmpq(0), [(fmpq(1), left), (fmpq(1 if op is ast.Op.ADD else -1), right)])
            case ast.Op.MUL:
                return self._made("*", (left, right))
            case ast.Op.DIV if b.name == "value" and b.kind == NUMBER and b.value:
                return self._sum(fmpq(0), [(1 / b.value, left)])
            case ast.Op.NE:
                return self._made("not", (self._binary(ast.Op.EQ, left, right),))
            case ast.Op.EQ if a.kind == b.kind != NUMBER:
                return self._made("same", (left, right))
        if op not in COMPARED:
            raise Unsuitable
        name, sign = COMPARED[op]
        return self._made(name, (self._sum(fmpq(0), [(fmpq(sign), left), (fmpq(-sign), right)]),))

    def _call(self, function: str, arguments: list[int]) -> int:
        if function == "sum":
            return self._sum(fmpq(0), [(fmpq(1), t) for t in arguments])
        if function == "count":
            ones = [self._made("one", (self._of(TRUTH, t),)) for t in arguments]
            return self._sum(fmpq(0), [(fmpq(1), t) for t in ones])
        if function not in ("abs", "min", "max"):
            raise Unsuitable
        return self._made(function, tuple(arguments))

    # --- normal forms ---

    def put(self, number: int, cell: tuple[int, bool], k: int) -> int:
        """The term where a cell of u, or of u' (True), has its k-th value."""
        known = self._known.get((number, cell, k))
        if known is None:
            known = self._known[number, cell, k] = self._put(number, cell, k)
        return known

    def _put(self, number: int, cell: tuple[int, bool], k: int) -> int:
        term = self._terms[number]
        if term.name == "cell" and term.value == cell:
            return self._constant(self._space.domains[cell[0]][k])
        parts = tuple(self.put(part, cell, k) for part in term.parts)
        if parts == term.parts:
            return number
        if term.name == "sum":
            constant, factors = term.value
            return self._sum(constant, zip(factors, parts, strict=True))
        return self._made(term.name, parts)

    def _made(self, name: str, parts: tuple[int, ...]) -> int:
        """An operation on terms, but for sums."""
        terms = [self._terms[part] for part in parts]
        known = [term.value for term in terms if term.name == "value"]
        match name:
            case "and" | "or":
                return self._connected(name, parts)
            case "not" if terms[0].name == "not":
                return terms[0].parts[0]
            case "not" | "one" if known:
                flag = known[0] == TRUE
                return self._constant(truth(not flag) if name == "not" else fmpq(flag))
            case "not" | "same":
                if name == "same" and (len(known) == 2 or parts[0] == parts[1]):
                    return self._constant(truth(parts[0] == parts[1]))
                return self._stored(Term(name, tuple(sorted(parts)), None, TRUTH))
            case "one":
                return self._stored(Term(name, parts, None, NUMBER, fmpq(0), fmpq(1)))
        for part in parts:
            self._of(NUMBER, part)
        if name in WITH_ZERO:
            return self._compared(name, parts[0])
        if len(known) == len(parts):
            return self._constant(ON_NUMBERS[name](known))
        if name == "*" and known:
            (other,) = (part for part, term in zip(parts, terms, strict=True) if term.name != "value")
            return self._sum(fmpq(0), [(known[0], other)])
        return self._stored(Term(name, parts, None, NUMBER, *_bounds(name, terms)))

    def _sum(self, constant: fmpq, summands: Iterable[tuple[fmpq, int]]) -> int:
        """The constant plus the sum of factors times terms."""
        factors: dict[int, fmpq] = {}
        for factor, number in summands:
            term = self._terms[self._of(NUMBER, number)]
            inner = [(fmpq(1), number)]
            if term.name == "value":
                constant, inner = constant + factor * term.value, []
            elif term.name == "sum":
                constant += factor * term.value[0]
                inner = list(zip(term.value[1], term.parts, strict=True))
            for more, part in inner:
                factors[part] = factors.get(part, fmpq(0)) + factor * more
        parts = tuple(sorted(part for part, factor in factors.items() if factor))
        chosen = tuple(factors[part] for part in parts)
        if not parts or (not constant and chosen == (fmpq(1),)):
            return parts[0] if parts else self._constant(constant)
        ends = [_times(factor, self._terms[part]) for factor, part in zip(chosen, parts, strict=True)]
        low, high = (sum(column, constant) for column in zip(*ends, strict=True))
        return self._stored(Term("sum", parts, (constant, chosen), NUMBER, low, high))

    def _compared(self, name: str, part: int) -> int:
        """A comparison with 0, decided if all numbers between the bounds have the same answer."""
        low, high = self._terms[part].low, self._terms[part].high
        at_low, at_high = WITH_ZERO[name](low, 0), WITH_ZERO[name](high, 0)
        if at_low == at_high and (name != "= 0" or low == high or low > 0 or high < 0):
            return self._constant(truth(at_low))
        return self._stored(Term(name, (part,), None, TRUTH))

    def _connected(self, name: str, parts: Iterable[int]) -> int:
        neutral, absorbing = (self.true, self.false) if name == "and" else (self.false, self.true)
        found: set[int] = set()
        for part in parts:
            term = self._terms[part]
            found.update(term.parts if term.name == name else {part} - {neutral})
        if absorbing in found:
            return absorbing
        if len(found) < 2:
            return found.pop() if found else neutral
        return self._stored(Term(name, tuple(sorted(found)), None, TRUTH))

    def _constant(self, value: Value) -> int:
        low = value if isinstance(value, fmpq) else None
        return self._stored(Term("value", (), value, _kind(value), low, low))

    def _of(self, kind: str, number: int) -> int:
        if self._terms[number].kind != kind:
            raise Unsuitable
        return number

    def _stored(self, term: Term) -> int:
        number = self._numbers.setdefault(term, len(self._terms))
        if number == len(self._terms):
            self._terms.append(term)
        return number


def _kind(value: Value) -> str:
    return NUMBER if isinstance(value, fmpq) else TRUTH if value in (TRUE, FALSE) else ATOM


def _times(factor: fmpq, term: Term) -> tuple[fmpq, fmpq]:
    """The bounds of a multiple of a number."""
    ends = factor * term.low, factor * term.high
    return min(ends), max(ends)


def _bounds(name: str, terms: list[Term]) -> tuple[fmpq, fmpq]:
    """The bounds of an operation on numbers."""
    lows, highs = [term.low for term in terms], [term.high for term in terms]
    if name == "abs":
        return max(lows[0], -highs[0], fmpq(0)), max(-lows[0], highs[0])
    if name == "*":
        corners = [a * b for a in (lows[0], highs[0]) for b in (lows[1], highs[1])]
        return min(corners), max(corners)
    return ON_NUMBERS[name](lows), ON_NUMBERS[name](highs)


class Related:
    """The pairs for which a formula holds, or holds the other way round, as an automaton over cells.

    ``symmetric`` says whether the formula is, ``different`` whether it holds of two different inputs.
    Raises :class:`Unsuitable`.
    """

    def __init__(self, space: InputSpace, formula: ast.Expr) -> None:
        self._space, self._terms = space, Terms(space)
        self.start = self._terms.read(formula, swapped=False), self._terms.read(formula, swapped=True)
        self._known: dict[tuple[int, State], list[tuple[int, int, State]]] = {}
        ends = self._ends()
        self.symmetric = all(one == other for (one, other), _ in ends)
        self.different = any(differ for _, differ in ends)

    def moves(self, place: int, state: State) -> list[tuple[int, int, State]]:
        """Those after which one of the two can still hold."""
        known = self._known.get((place, state))
        if known is None:
            known = self._known[place, state] = self._moves(place, state)
        return known

    def _moves(self, place: int, state: State) -> list[tuple[int, int, State]]:
        put, found = self._terms.put, []
        values, never = range(len(self._space.domains[place])), (self._terms.false, self._terms.false)
        for a in values:
            one, other = (put(term, (place, False), a) for term in state)
            after = ((put(one, (place, True), b), put(other, (place, True), b)) for b in values)
            found += [(a, b, rest) for b, rest in enumerate(after) if rest != never]
        return found

    def accepts(self, state: State) -> bool:
        """Whether one of the two holds."""
        return self._terms.true in state

    def _ends(self) -> set[tuple[State, bool]]:
        """The accepting states that are reached, each with whether the two inputs differ."""
        reached = {(self.start, False)}
        for place in range(len(self._space.cells)):
            reached = {
                (after, differ or a != b)
                for state, differ in reached
                for a, b, after in self.moves(place, state)
            }
            if len(reached) > MOST_STATES:
                raise Unsuitable
        return {(state, differ) for state, differ in reached if self.accepts(state)}
