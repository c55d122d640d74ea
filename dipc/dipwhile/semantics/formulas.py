"""A formula as adjacency, read cell by cell: an automaton whose states are what is left of the formula.

A formula is a function of the cells of two inputs, q[1], q'[1], q[2], q'[2], ... in this order, and so is
every part of it: each is a decision diagram (:mod:`dipc.dipwhile.semantics.diagrams`), made from those of its
parts.  The function that remains when the cells read so far have values is a node, and equal functions are
one.  So ``count(i in 1..N: q[i] != q'[i]) <= 1`` has three states after each cell, and the pairs are found by
the walk of :mod:`dipc.dipwhile.semantics.pairs`, not one by one.  The relation is made symmetric: it is the
formula or the one with u and u' exchanged.

All parts are evaluated for all values of their cells.  Where one of them has no value, be it behind an ``or``
that hides it, and where a diagram is too large, the formula is tried on all pairs instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, product

from dipc.dipwhile.semantics.adjacency import INSTEAD, InputSpace, relation
from dipc.dipwhile.semantics.diagrams import Diagrams
from dipc.dipwhile.semantics.evaluate import NOTHING, evaluate, never
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Cell
from dipc.dipwhile.syntax.simplify import constant
from dipc.dipwhile.syntax.walk import bottom_up, with_children
from dipc.errors import InputError, LimitReached
from dipc.excerpts import count_text
from dipc.models.values import FALSE, TRUE, Value, truth

MOST_STEPS = 1_000_000  # of the making of all diagrams
MOST_TRIED = 10**7  # pairs
ONE_BY_ONE = ("sum", "min", "max")
"""Functions of many arguments that are those of two, again and again."""


class Unsuitable(Exception):
    """A part of the formula may have no value, or a diagram is too large."""


class Related:
    """The pairs for which a formula holds, or holds the other way round, as an automaton over cells.

    ``symmetric`` says whether the formula is, ``different`` whether it holds of two different inputs.
    Raises :class:`InputError` and :class:`LimitReached`.
    """

    def __init__(self, space: InputSpace, formula: ast.Expr, tick: Callable[[int, int], None]) -> None:
        self._space, self._steps = space, 0
        self._sizes = [len(domain) for domain in space.domains]
        self._cells = {variable.name: variable.cells for variable in space.program.inputs}
        self._store = Diagrams([size for size in self._sizes for _ in range(2)])
        self._false, self._true = map(self._store.leaf, (FALSE, TRUE))
        try:
            one, other = (self._read(formula, swapped=swapped) for swapped in (False, True))
        except Unsuitable:
            one, other = (self._tried(formula, tick, swapped=swapped) for swapped in (False, True))
        self.symmetric = one == other
        self.start = self._store.applied((one, other), self._either)
        reached = {(self.start, False)}
        for place in range(len(self._sizes)):
            reached = {
                (after, differ or a != b) for s, differ in reached for a, b, after in self.moves(place, s)
            }
        self.different = any(differ for _, differ in reached)

    def moves(self, place: int, state: int) -> list[tuple[int, int, int]]:
        """Those after which the pair can still be in the relation."""
        if state == self._false:
            return []
        branch, values = self._store.branch, range(self._sizes[place])
        after = (
            (a, b, branch(branch(state, 2 * place, a), 2 * place + 1, b)) for a in values for b in values
        )
        return [(a, b, rest) for a, b, rest in after if rest != self._false]

    def accepts(self, state: int) -> bool:
        """Whether the pair is in the relation."""
        return state == self._true

    # --- diagrams ---

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Unsuitable

    def _either(self, leaves: tuple[int, ...]) -> int:
        return self._store.leaf(truth(self._true in leaves))

    def _tried(self, formula: ast.Expr, tick: Callable[[int, int], None], *, swapped: bool) -> int:
        """The diagram of a formula from its values for all pairs."""
        space, holds, leaves = self._space, relation(self._space, formula), list[int]()
        if (pairs := space.size**2) > MOST_TRIED:
            raise LimitReached(f"{count_text(space.size)} inputs, one by one, are too many ({INSTEAD})")
        for values in product(*(domain for domain in space.domains for _ in range(2))):
            tick(len(leaves), pairs)
            u, v = (dict(zip(space.cells, values[side::2], strict=True)) for side in (swapped, not swapped))
            leaves.append(self._true if holds(u, v) else self._false)
        return self._store.table(leaves)

    def _read(self, formula: ast.Expr, *, swapped: bool) -> int:
        """The diagram of a formula, ``swapped``: with u and u' exchanged."""

        def visit(node: ast.Expr, parts: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
            """The diagram; for an array those of all its cells."""
            match node:
                case ast.Name(name, primed) if name in self._cells:
                    return tuple(self._cell(cell, primed != swapped) for cell in self._cells[name])
                case ast.Index(array, ast.Number(k), primed):
                    return (self._cell((array, int(k.p)), primed != swapped),)
                case ast.Index():
                    raise Unsuitable
                case ast.Call("count"):
                    each = [self._made(node, [one]) for one in chain(*parts)]
                    total = replace(node, function="sum")
                    return (reduce(lambda x, y: self._made(total, [x, y]), each),)
                case ast.Call(function) if function in ONE_BY_ONE:
                    return (reduce(lambda x, y: self._made(node, [x, y]), chain(*parts)),)
            return (self._made(node, [*chain(*parts)]),)

        (found,) = bottom_up(formula, visit)
        return found

    def _cell(self, cell: Cell, primed: bool) -> int:
        place = self._space.place.get(cell)
        if place is None:
            raise Unsuitable
        leaves = [self._store.leaf(value) for value in self._space.domains[place]]
        return self._store.choice(2 * place + primed, leaves)

    def _made(self, node: ast.Expr, parts: Sequence[int]) -> int:
        """The diagram of an operation on functions."""

        def at_leaves(leaves: tuple[int, ...]) -> int:
            values = tuple(constant(node, self._value(leaf)) for leaf in leaves)
            known = (
                replace(node, arguments=values) if isinstance(node, ast.Call) else with_children(node, values)
            )
            try:
                value = evaluate(known, NOTHING, never)
            except InputError:
                raise Unsuitable from None
            return self._store.leaf(value)

        return self._store.applied(tuple(parts), at_leaves, self._step)

    def _value(self, leaf: int) -> Value:
        value = self._store.value(leaf)
        assert isinstance(value, Value)
        return value
