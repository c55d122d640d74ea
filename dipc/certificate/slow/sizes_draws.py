"""Random values on a path of a program of any size: noise, finite draws and the exponential mechanism."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dipc.certificate.slow.functions import EPS, NotCovered, Pair, constant, same
from dipc.certificate.slow.programs import Known, value_of
from dipc.certificate.slow.sizes_expressions import Broken, Chosen, Evaluation, Mechanism
from dipc.certificate.slow.sizes_values import Both, Number, Value, number, plain, plus, symbol
from dipc.certificate.slow.values import Plain, as_pair, combine, quotient
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO


@dataclass
class Drawing(Evaluation):
    """A path on which values are drawn."""

    def drawn(self, source: ast.Distribution | ast.Expr) -> Value:
        """A random value."""
        match source:
            case ast.Noise(kind, rate, mean):
                return self.noise(kind, self.rate(rate), self.number(mean))
            case ast.Flip(p):
                q = combine(ast.Op.SUB, Fraction(1), value_of(p, self.numbers()))
                return self.finite([(plain("true"), self.chance(p)), (plain("false"), as_pair(q))])
            case ast.Choose(options):
                return self.finite([(self.value(v), self.chance(p)) for v, p in options])
            case ast.Uniform(support):
                values = self.members(support)
                return self.finite([(v, (constant(Fraction(1, len(values))), constant(1))) for v in values])
            case ast.ExpMechanism():
                return self.mechanism(source)
        raise NotCovered("a draw")

    def noise(self, kind: str, rate: Fraction, mean: Number) -> Value:
        form = self.form(mean)
        if kind == "DLap":
            factors = [c for _, c in mean.terms] + [mean.constant, *dict(form).values()]
            if any(c.denominator != 1 for c in factors):
                raise NotCovered("integer noise whose mean is not an integer")
        self.samples.append((kind, rate, form))
        drawn = symbol("sample", len(self.samples) - 1)
        if kind == "LapPlus":
            self.rows.append((plus(drawn, mean, -1), ">="))
        return drawn

    def numbers(self) -> Known:
        """The scalars that are known numbers."""
        stored = {n: v.constant for n, v in self.values.items() if isinstance(v, Number) and v.known}
        return {**self.text.known, **stored, **self.constants}

    def chance(self, expr: ast.Expr) -> Pair:
        """A function of eps."""
        return as_pair(value_of(expr, self.numbers()))

    def rate(self, expr: ast.Expr) -> Fraction:
        """The a of a rate a*eps."""
        top, bottom = self.chance(expr)
        if set(top) != {EPS} or bottom != constant(1) or top[EPS] <= 0:
            raise NotCovered("a rate that is not a number times eps")
        return top[EPS]

    def members(self, support: ast.FiniteSet) -> list[Value]:
        """The members of a set."""
        if isinstance(support, ast.SetOf):
            return [self.value(member) for member in support.members]
        low, high = self.number(support.low), self.number(support.high)
        if not (low.known and high.known):
            raise NotCovered("a draw from a set of any size")
        return [number(i) for i in range(math.ceil(low.constant), math.floor(high.constant) + 1)]

    def finite(self, options: Sequence[tuple[Value, Pair]]) -> Value:
        """A draw from finitely many values."""
        chances = tuple(p for _, p in options)
        self.shared.draws.setdefault(repr(chances), chances)
        if all(self.is_public(value) for value, _ in options):
            values = list(dict.fromkeys(value for value, _ in options))
            return values[self.choose(len(values))]
        left, right = dict[Plain, Pair](), dict[Plain, Pair]()
        for value, p in options:
            if not isinstance(value, Both):
                raise NotCovered("a choice of a private number")
            left[value.left] = together(left.get(value.left), p)
            right[value.right] = together(right.get(value.right), p)
        possible = [value for value, p in left.items() if p[0]]
        picked = possible[self.choose(len(possible))]
        if picked not in right or not right[picked][0]:
            raise Broken
        if not same(left[picked], right[picked]):
            self.draws.append(Chosen(left[picked], right[picked]))
        return plain(picked)

    def mechanism(self, draw: ast.ExpMechanism) -> Value:
        """The exponential mechanism (McSherry and Talwar, FOCS 2007, Theorem 6)."""
        rate, support = self.rate(draw.rate), draw.support
        if isinstance(support, ast.Range) and not self.number(support.high).known:
            value: Value = self.new("public", "drawn")
            sensitivity = self.sensitivity(draw)
        else:
            members = self.members(support)
            scores = [self.score(draw, member) for member in members]
            picked = self.choose(len(members))
            value, sensitivity = members[picked], max(scores) - scores[picked]
        if sensitivity:
            self.draws.append(Mechanism(rate, sensitivity))
        return value

    def score(self, draw: ast.ExpMechanism, member: Value) -> Fraction:
        """How much the score of a member changes."""
        self.values[draw.variable] = member
        change = dict(self.form(self.number(draw.score)))
        del self.values[draw.variable]
        if any(change):
            raise NotCovered("a score that is random")
        return change.get("", ZERO)

    def sensitivity(self, draw: ast.ExpMechanism) -> Fraction:
        """How far the changes of two scores can be apart, each over one cell of each input."""
        index = self.values[draw.variable] = self.new("public", "any")
        arrays = {array: ("cell", f"any {array}") for array in self.text.domains if array in self.text.bounds}
        cells, moves = self.cells, self.moves
        self.cells = {(array, index): symbol(*cell) for array, cell in arrays.items()}
        self.moves = {**moves, **dict.fromkeys(arrays.values(), ZERO)}
        score, found = dict(self.number(draw.score).terms), len(self.cells)
        if len(self.cells) > found or any(
            s[0] in ("sample", "live") or (s not in arrays.values() and moves.get(s)) for s in score
        ):
            raise NotCovered("a score that is not a sum of multiples of one cell of each input")
        self.cells, self.moves = cells, moves
        del self.values[draw.variable]
        spread, domains = self.shared.neighbours.spread, self.text.domains
        read = (array for array, s in arrays.items() if s in score)
        return sum((abs(score[arrays[array]]) * spread(array, domains[array]) for array in read), ZERO)


def together(a: Pair | None, b: Pair) -> Pair:
    """The sum of two functions."""
    if a is None:
        return b
    return as_pair(combine(ast.Op.ADD, quotient(*a), quotient(*b)))
