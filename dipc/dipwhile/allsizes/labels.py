"""How the cells of the inputs may differ: the labels of a cell, and what is left to change then.

Every private cell gets a label when it is read: its change for numbers (the vertices of the adjacency suffice
for reals, by convexity; every integer is a label for integers, and under ``l1`` the vertices for reals are
those that the integers beside them leave), a pair of values for atoms.
Under ``l1`` and ``hamming`` a *phase* says what is left to change.  A cell may be read more than once, in
different loops or at different offsets; each such *stream* reads each cell once.  The first streams of all
arrays share a phase, the second ones another, and so on: this allows for more than the adjacency does, never
for less.  An index of which nothing is known is a stream without a phase.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.allsizes.declared import Declared
from dipc.dipwhile.allsizes.values import ONE, ZERO, Pair
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.simplify import linear
from dipc.dipwhile.syntax.unroll import Constants, substitute
from dipc.dipwhile.syntax.walk import joined, nodes
from dipc.errors import Span, Unsupported
from dipc.models.values import Value

Label = fmpq | Pair
UP, DOWN = "up", "down"
MOST_CHANGE = 1_000
"""How far a cell of integers may move: each integer on the way is a label."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of a cell: all integers, or reals, between two ends if it has any; or finitely many."""

    ends: tuple[fmpq, fmpq] | None = None
    integers: bool = False
    atoms: tuple[Value, ...] = ()

    @property
    def width(self) -> fmpq | None:
        """How far a cell may move."""
        return None if self.ends is None else self.ends[1] - self.ends[0]


@dataclass(frozen=True, slots=True)
class Adjacency:
    """How inputs may differ: ``linf``, ``l1``, ``hamming``, ``all``, or ``monotone``: all up or all down."""

    kind: str
    reach: Mapping[str, fmpq]  # how far a cell of each input may move
    distance: fmpq
    span: Span
    mixed: bool = False  # integers among the inputs beside reals

    @property
    def directions(self) -> tuple[str, ...]:
        """What a run of the automaton chooses first."""
        return (UP, DOWN) if self.kind == "monotone" else ("",)

    @property
    def full(self) -> fmpq | None:
        """What may change in all, where a phase is needed."""
        return self.distance if self.kind in ("l1", "hamming") else None

    def spread(self, name: str, domain: Domain, span: Span) -> fmpq:
        """The greatest difference of the changes of two cells of an input."""
        reach = self._most(name, domain, None)
        together = self.kind in ("l1", "monotone") or (self.kind == "hamming" and self.distance == 1)
        return reach if together else 2 * reach

    def labels(
        self, name: str, domain: Domain, left: fmpq | None, direction: str
    ) -> list[tuple[Label, fmpq | None]]:
        """The labels of a cell of an input, each with what is left then; ``left`` None: there is no phase."""
        if domain.atoms:
            return self._pairs(domain.atoms, left)
        most = self._most(name, domain, left)
        if domain.integers and most > MOST_CHANGE:
            text = f"every integer up to {most} is a change of a cell of `{name}`, too many to look at"
            raise Unsupported(text, self.span)
        if self.kind == "l1" and self.mixed and not domain.integers:
            changes = self._beside_integers(most)
        else:
            changes = _changes(most, domain.integers, direction, weak=self.kind != "linf")
        return [(change, self._after(left, change)) for change in changes]

    def _beside_integers(self, most: fmpq) -> list[fmpq]:
        """The changes of a real cell: all that the changes of integer cells leave over.

        For fixed changes of the integer cells, the vertices of ``l1`` give all the rest to one real cell.
        """
        if most > MOST_CHANGE:
            raise Unsupported(f"an integer cell may change by each integer up to {most}", self.span)
        left = [most - k for k in range(int(most.floor()) + 1)]
        return list(dict.fromkeys([ZERO, *(change for rest in left for change in (rest, -rest))]))

    def _after(self, left: fmpq | None, change: fmpq) -> fmpq | None:
        if left is None or self.full is None:
            return None
        return left - (abs(change) if self.kind == "l1" else fmpq(1 if change else 0))

    def _most(self, name: str, domain: Domain, left: fmpq | None) -> fmpq:
        """How far one cell may move."""
        if self.kind in ("hamming", "all"):
            if domain.width is None:
                text = "a changed cell of an unbounded set moves without bound"
                hint = "declare the set of the input, for example `in [0, 1]`, or use `adjacent linf 1`"
                raise Unsupported(text, self.span, hint)
            return ZERO if left == 0 and self.kind == "hamming" else domain.width
        return self.reach[name] if left is None else left

    def _pairs(self, values: tuple[Value, ...], left: fmpq | None) -> list[tuple[Label, fmpq | None]]:
        if self.kind not in ("hamming", "all"):
            raise Unsupported(f"`{self.kind}` is about numbers", self.span)
        if self.full is None:
            left = None
        same: list[tuple[Label, fmpq | None]] = [(Pair(v, v), left) for v in values]
        others = [Pair(v, w) for v in values for w in values if v != w]
        return (
            same if left == 0 else [*same, *((pair, None if left is None else left - 1) for pair in others)]
        )


def _changes(most: fmpq, integers: bool, direction: str, weak: bool) -> list[fmpq]:
    if integers:
        reach = [fmpq(k) for k in range(-int(most.floor()), int(most.floor()) + 1)]
        found = sorted(reach, key=lambda change: (abs(change), -change))
    elif direction:
        found = [ZERO, most, -most]
    else:
        found = [*([ZERO] if weak or not most else []), *([most, -most] if most else [])]
    sign = {UP: 1, DOWN: -1}.get(direction, 0)
    return [change for change in dict.fromkeys(found) if change * sign >= 0]


NO_INTEGER = "the program draws integer noise, and `{}` is not always an integer"
IN_INTEGERS = "declare the input `in integers`"


def domain_of(input: ast.Declaration, declared: Declared, integers: bool) -> Domain:
    """The values of the cells of an input; ``integers``: only integers, as the program draws integer noise.

    Between integers the least cost is not convex: reals need more than their vertices then.
    Raises :class:`Unsupported` if some of the values of the input are not integers.
    """
    what = f"the set of `{input.name}`"
    match input.domain:
        case ast.SetOf() | ast.Range():
            values = declared.members(input.domain, what)
            numbers = [value for value in values if isinstance(value, fmpq)]
            if len(numbers) < len(values):
                return Domain(atoms=values)
            if integers and any(number.q != 1 for number in numbers):
                raise Unsupported(NO_INTEGER.format(input.name), input.span, IN_INTEGERS)
            return Domain((min(numbers), max(numbers)), integers)
        case ast.Integers():
            return Domain(None, True)
        case ast.Reals() | ast.Between() if integers:
            raise Unsupported(NO_INTEGER.format(input.name), input.span, IN_INTEGERS)
        case ast.Between():
            return Domain(declared.interval(input.domain, what))
        case ast.Reals():
            return Domain()
        case _:
            assert_never(input.domain)


def adjacency_of(
    adjacency: ast.Adjacency, inputs: Mapping[str, ast.Declaration], declared: Declared, mixed: bool
) -> Adjacency:
    """The adjacency of a program; ``mixed``: some of its numeric inputs are integers, and some are not.

    Raises :class:`Unsupported` for a formula other than bounds on the change of every cell, all of one sign
    or symmetric.
    """
    match adjacency:
        case ast.NamedAdjacency(kind, distance):
            value = ZERO if distance is None else declared.number(distance, "the distance")
            return Adjacency(kind, dict.fromkeys(inputs, value), value, adjacency.span, mixed)
        case ast.FormulaAdjacency(formula):
            found = [_bounds(part, declared.constants, inputs) for part in joined(formula, ast.Op.OR)]
            first = found[0] or {}
            exchanged = {name: (-high, -low) for name, (low, high) in first.items()}  # it is symmetric
            if first.keys() != inputs.keys() or any(bounds not in (first, exchanged) for bounds in found):
                raise Unsupported("this adjacency is not a distance", adjacency.span, FORMULA_HINT)
            ends = first.values()
            reach = {name: max(-low, high) for name, (low, high) in first.items()}
            if all(low == -high for low, high in ends):
                return Adjacency("linf", reach, ZERO, adjacency.span)
            if all(low == 0 for low, _ in ends) or all(high == 0 for _, high in ends):
                return Adjacency("monotone", reach, ZERO, adjacency.span)
            raise Unsupported("this adjacency is not a distance", adjacency.span, FORMULA_HINT)


FORMULA_HINT = (
    "use `linf`, `l1` or `hamming`, or bound the change of every cell: by `abs(q'[i] - q[i]) <= 1`, or, all "
    "up, by `0 <= q'[i] - q[i] <= 1`"
)
Bounds = Mapping[str, tuple[fmpq, fmpq]]


def _bounds(formula: ast.Expr, constants: Constants, inputs: Mapping[str, ast.Declaration]) -> Bounds | None:
    """The bounds ``[low, high]`` on ``q' - q`` for each input of a conjunction of such bounds.

    Inside a ``forall`` over all cells they may be about cells, else about scalars only.
    """
    lows: dict[str, fmpq] = {}
    highs: dict[str, fmpq] = {}
    parts = [(part, False) for part in joined(formula, ast.Op.AND)]
    for part, inside in parts:
        if isinstance(part, ast.Fold) and _whole(part, inputs):
            parts += ((each, True) for each in joined(part.body, ast.Op.AND))
        elif (any(isinstance(node, ast.Index) for node in nodes(part)) and not inside) or not _bound(
            part, constants, lows, highs
        ):
            return None  # it bounds some cells, or something else
    if lows.keys() != highs.keys() or any(lows[name] > highs[name] for name in lows):
        return None  # some change is not bounded, or no change is allowed
    return {name: (lows[name], highs[name]) for name in lows}


def _whole(fold: ast.Fold, inputs: Mapping[str, ast.Declaration]) -> bool:
    """Whether it is ``forall i in 1..N`` over cells ``q[i]``, N their number: then every cell is bounded."""
    cells = [node for node in nodes(fold.body) if isinstance(node, ast.Index)]
    return (
        fold.kind == "forall"
        and fold.low == ast.Number(ONE)
        and all(cell.index == ast.Name(fold.variable) for cell in cells)
        and all(fold.high == inputs[cell.array].size for cell in cells)
    )


def _bound(part: ast.Expr, constants: Constants, lows: dict[str, fmpq], highs: dict[str, fmpq]) -> bool:
    """Note a bound such as ``q' - q <= 1``, ``abs(q - q') <= 1`` or ``q = q'``; False for anything else."""
    match part:
        case ast.Binary(ast.Op.LE, ast.Call("abs", (inner,)), right):  # inner <= right and -inner <= right
            sides = (inner, ast.Unary(ast.Op.NEG, inner))
            return all(_bound(ast.Binary(ast.Op.LE, s, right), constants, lows, highs) for s in sides)
        case ast.Binary(ast.Op.LE | ast.Op.GE | ast.Op.EQ as op, left, right):
            form = linear(substitute(ast.Binary(ast.Op.SUB, left, right), constants), _leaf) or {}
        case _:
            return False
    names = {key[0] for key in form if key is not None}
    if len(names) != 1:
        return False
    (name,) = names
    slope = form.get((name, True), ZERO)
    if not slope or form.keys() - {None, (name, True), (name, False)} or form.get((name, False)) != -slope:
        return False
    end = -form.get(None, ZERO) / slope
    upper = op is ast.Op.EQ or (op is ast.Op.LE) == (slope > 0)
    if upper:
        highs[name] = min(highs.get(name, end), end)
    if op is ast.Op.EQ or not upper:
        lows[name] = max(lows.get(name, end), end)
    return True


def _leaf(node: ast.Expr) -> dict[tuple[str, bool], fmpq] | None:
    match node:
        case ast.Name(name, primed) | ast.Index(name, _, primed):
            return {(name, primed): ONE}
    return None
