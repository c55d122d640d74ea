"""How the inputs of a program of any size may differ: the changes ("labels") of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from dipc.certificate.slow.functions import NotCovered
from dipc.certificate.slow.programs import Known, domain_of, value_of
from dipc.certificate.slow.sizes_text import Domain, all_nodes, is_one, names_of
from dipc.certificate.slow.values import Plain, as_number
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO


def domain(declared: ast.Declaration, known: Known, symbolic: frozenset[str], integers: bool) -> Domain:
    """The values of a cell; ``integers``: all inputs are to be integers, ``symbolic``: names of sizes."""
    if names_of(declared.domain) & symbolic:
        raise NotCovered(f"{declared.name}, whose set depends on a size")
    match declared.domain:
        case ast.Reals() | ast.Between() if integers:
            raise NotCovered(f"integer noise on {declared.name}, which is not always an integer")
        case ast.Reals():
            return Domain(None)
        case ast.Integers():
            return Domain(None, True)
        case ast.Between(low, high):
            ends = [as_number(value_of(end, known)) for end in (low, high)]
            values: list[Plain] = [*ends]
        case _:
            values = domain_of(declared, known)
    numbers = [value for value in values if isinstance(value, Fraction)]
    if len(numbers) < len(values):
        return Domain(atoms=tuple(values))
    if integers and any(value.denominator != 1 for value in numbers):
        raise NotCovered(f"integer noise on {declared.name}, which is not always an integer")
    return Domain(max(numbers) - min(numbers), integers)


@dataclass(frozen=True)
class Neighbours:
    """How inputs differ: ``linf``, ``l1``, ``hamming``, ``all``, or ``monotone``: all up or all down.

    ``reach`` is the greatest change of a cell of each input, ``total`` what may change in all.
    """

    kind: str
    reach: dict[str, Fraction]
    total: Fraction | None
    mixed: bool = False  # some inputs are integers, others are reals

    def width(self, name: str, domain: Domain) -> Fraction:
        """How far one cell may move."""
        if self.kind not in ("hamming", "all"):
            return self.reach[name]
        if domain.width is None:
            raise NotCovered(f"a changed cell of {name}, which is not bounded")
        return domain.width

    def changes(self, name: str, domain: Domain, left: Fraction | None, sign: int) -> list[Fraction]:
        """The labels of a cell: for integers all changes, for reals the corners."""
        most = self.width(name, domain)
        if left is not None:
            most = left if self.kind == "l1" else min(left, Fraction(1)) * most
        if domain.integers:
            ends = [Fraction(d) for d in range(-int(most), int(most) + 1)]
        elif self.kind == "l1" and self.mixed:
            rests = {most - k for k in range(int(most) + 1)}  # what integer cells leave over
            ends = sorted({ZERO} | rests | {-rest for rest in rests})
        else:
            ends = sorted({-most, most} if self.kind == "linf" else {-most, ZERO, most})
        return [end for end in ends if end * sign >= 0]

    def pairs(self, domain: Domain, left: Fraction | None) -> list[tuple[Plain, Plain]]:
        """The labels of a cell that is not a number."""
        if self.kind not in ("hamming", "all"):
            raise NotCovered(f"{self.kind} of values that are not numbers")
        both = [(a, b) for a in domain.atoms for b in domain.atoms]
        return [(a, b) for a, b in both if left != 0 or a == b]

    def spread(self, name: str, domain: Domain) -> Fraction:
        """The greatest difference of the changes of two cells."""
        one = self.kind in ("l1", "monotone") or (self.kind == "hamming" and self.total == 1)
        return self.width(name, domain) * (1 if one else 2)


def neighbours(program: ast.Program, known: Known, domains: Mapping[str, Domain]) -> Neighbours:
    """The neighbours of a program, whose inputs have these domains."""
    match program.adjacency:
        case ast.NamedAdjacency(kind, distance):
            d = ZERO if distance is None else as_number(value_of(distance, known))
            reach = {declared.name: d for declared in program.inputs}
            mixed = len({values.integers for values in domains.values() if not values.atoms}) == 2
            return Neighbours(kind, reach, d if kind in ("l1", "hamming") else None, mixed)
        case ast.FormulaAdjacency(formula):
            return by_formula(formula, program, known)
    raise NotCovered("a program that does not say which inputs are neighbours")


Ends = dict[str, tuple[Fraction, Fraction]]


def by_formula(formula: ast.Expr, program: ast.Program, known: Known) -> Neighbours:
    """Bounds for the change of every cell, symmetric or of one sign; or these and their mirror image."""
    sizes = {d.name: d.size for d in program.inputs}
    first, *others = [ends_of(part, sizes, known) for part in operands(formula, ast.Op.OR)]
    mirrored = {name: (-high, -low) for name, (low, high) in first.items()}
    if first.keys() == sizes.keys() and all(other in (first, mirrored) for other in others):
        reach = {name: max(-low, high) for name, (low, high) in first.items()}
        for ends, kind in ((first, "monotone"), (mirrored, "monotone")):
            if all(low == 0 <= high for low, high in ends.values()):
                return Neighbours(kind, reach, None)
        if first == mirrored and all(d >= 0 for d in reach.values()):
            return Neighbours("linf", reach, None)
    raise NotCovered("an adjacency formula that does not bound the change of every cell")


def operands(formula: ast.Expr, op: ast.Op) -> list[ast.Expr]:
    """What ``and`` or ``or`` joins."""
    found = [formula]
    while isinstance(last := found[-1], ast.Binary) and last.op is op:  # the last one is the leftmost
        found[-1:] = [*reversed(operands(last.right, op)), last.left]
    return found[::-1]


Bound = tuple[str, Fraction | None, Fraction | None]


def ends_of(formula: ast.Expr, sizes: dict[str, ast.Expr | None], known: Known) -> Ends:
    """The bounds that a conjunction puts on u'(x) - u(x) for every cell of every input x."""
    lows, highs = dict[str, Fraction](), dict[str, Fraction]()
    for part in operands(formula, ast.Op.AND):
        for bound in operands(part.body, ast.Op.AND) if isinstance(part, ast.Fold) else [part]:
            name, low, high = bound_of(bound, known)
            if not is_everywhere(part, sizes.get(name)):
                raise NotCovered("an adjacency formula about some cells")
            if low is not None:
                lows[name] = max(low, lows.get(name, low))
            if high is not None:
                highs[name] = min(high, highs.get(name, high))
    return {name: (lows[name], highs[name]) for name in lows if name in highs}


def is_everywhere(part: ast.Expr, size: ast.Expr | None) -> bool:
    """Is it about a scalar, or about all cells of an array of this size?"""
    if size is None or not isinstance(part, ast.Fold):
        return size is None and not isinstance(part, ast.Fold)
    cells = [node for node in all_nodes(part.body) if isinstance(node, ast.Index)]
    whole = part.kind == "forall" and is_one(part.low) and part.high == size
    return whole and all(cell.index == ast.Name(part.variable) for cell in cells)


def bound_of(bound: ast.Expr, known: Known) -> Bound:
    """The input in a bound on its change, and the ends."""
    match bound:
        case ast.Binary(ast.Op.LE, ast.Call("abs", (inner,)), right):
            name, slope, at_zero = change_in(inner, known)
            end = as_number(value_of(right, known)) / abs(slope)
            if not at_zero:
                return name, -end, end
        case ast.Binary(ast.Op.LE | ast.Op.GE | ast.Op.EQ as op, left, right):
            name, slope, constant = change_in(ast.Binary(ast.Op.SUB, left, right), known)
            end = -constant / slope
            above = op is ast.Op.EQ or (op is ast.Op.LE) == (slope > 0)
            return name, end if op is ast.Op.EQ or not above else None, end if above else None
    raise NotCovered("an adjacency formula that is not made of bounds")


def change_in(expr: ast.Expr, known: Known) -> tuple[str, Fraction, Fraction]:
    """The expression as slope * (x' - x) + constant, with the input x."""
    factors = linear_in(expr, known)
    constant = factors.pop(("", False), ZERO)
    names = {name for name, _ in factors}
    slope = factors.get((min(names, default=""), True), ZERO)
    if len(names) != 1 or not slope or factors.get((min(names), False)) != -slope:
        raise NotCovered("an adjacency formula that is not about changes of single inputs")
    return min(names), slope, constant


Factors = dict[tuple[str, bool], Fraction]


def linear_in(expr: ast.Expr, known: Known) -> Factors:
    """The factors of inputs, with or without a prime, and the constant."""
    match expr:
        case ast.Name(name, primed) if primed or name not in known:
            return {(name, primed): Fraction(1)}
        case ast.Index(name, _, primed):
            return {(name, primed): Fraction(1)}
        case ast.Unary(ast.Op.NEG, operand):
            return {key: -c for key, c in linear_in(operand, known).items()}
        case ast.Binary(ast.Op.ADD | ast.Op.SUB):
            total: Factors = {}
            while isinstance(expr, ast.Binary) and expr.op in (ast.Op.ADD, ast.Op.SUB):
                merge(total, linear_in(expr.right, known), 1 if expr.op is ast.Op.ADD else -1)
                expr = expr.left
            return merge(total, linear_in(expr, known), 1)
    return {("", False): as_number(value_of(expr, known))}


def merge(total: Factors, part: Factors, sign: int) -> Factors:
    """Add a multiple of a linear expression to another one."""
    for key, c in part.items():
        total[key] = total.get(key, ZERO) + sign * c
    return total
