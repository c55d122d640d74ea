"""One path of a program of any size, for two runs on adjacent inputs that decide alike.

A path is deterministic but for its choices, which a script prescribes.  It ends where a round of a loop may
begin; what is known there is a :class:`~.sizes_expressions.Moment`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dipc.certificate.slow.functions import EPS, NotCovered, Pair, constant, same
from dipc.certificate.slow.programs import Known, value_of
from dipc.certificate.slow.sizes_expressions import LOST, Broken, Chosen, Evaluation, Mechanism
from dipc.certificate.slow.sizes_text import Assume, Cut, Do, Fork, Fresh, Item, Items, Round, listed
from dipc.certificate.slow.sizes_values import Both, Number, Value, multiple, number, plain, plus, symbol
from dipc.certificate.slow.values import Plain, as_pair, combine, quotient
from dipc.dipwhile.syntax import ast
from dipc.kernel.facts import ZERO


@dataclass
class Drawing(Evaluation):
    """A path on which values are drawn: noise, finite draws and the exponential mechanism."""

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


@dataclass
class Path(Drawing):
    """A path that is being followed."""

    def run(self) -> None:
        """Follow the path to its end; ``todo`` is what comes next."""
        if self.shared.neighbours.kind == "monotone" and not self.sign:
            self.sign = (1, -1)[self.choose(2)]
        begun = self.begun
        while self.todo and not (begun and self.is_cut(self.todo[0])):
            item, self.todo = self.todo[0], self.todo[1:]
            begun = self.carry_out(item) or begun
        self.publish()

    def is_cut(self, item: Item) -> bool:
        return isinstance(item, Round | Cut) or (
            isinstance(item, Do) and isinstance(item.statement, ast.While)
        )

    def carry_out(self, item: Item) -> bool:
        """Carry out an item, or put others in its place; whether anything happened."""
        match item:
            case Do(statement, constants):
                self.constants = dict(constants)
                return self.statement(statement, item)
            case Fresh(variable, site):
                self.fresh(variable, site)
            case Round(variable, site, body) if self.choose(2) == 0:
                self.fresh(variable, site)
                self.todo = (*body, item, *self.todo)
            case Fork(options):
                self.todo = (*options[self.choose(len(options))], *self.todo)
            case Assume(condition, constants):
                self.constants = dict(constants)
                left, right = self.number(condition.left), self.number(condition.right)
                sign = 1 if condition.op is ast.Op.GE else -1
                margin = multiple(plus(left, right, -1), sign)
                if not margin.known or margin.constant < 0:
                    self.require(margin, ">=")
        return True

    def fresh(self, variable: str, site: object) -> None:
        self.values[variable] = self.new("public", "round", site)

    def statement(self, statement: ast.Statement, item: Do) -> bool:
        """Carry out a statement, or put others in its place."""
        match statement:
            case ast.Assign() | ast.If():
                return self.simple(statement, item)
            case ast.For():
                return self.loop(statement, item)
            case ast.While(condition, body):
                if self.holds(condition):
                    self.todo = (*listed(*body, constants=item.constants), item, *self.todo)
            case ast.Exit():
                self.todo = ()
        return True

    def simple(self, statement: ast.Assign | ast.If, item: Do) -> bool:
        """An assignment or a conditional; sums come first."""
        parts = statement if isinstance(statement, ast.Assign) else tuple(c for c, _ in statement.branches)
        before, rest = self.text.without_sums(parts, item.constants)
        if isinstance(statement, ast.If):
            blocks = (block for _, block in statement.branches)
            rest = ast.If(tuple(zip(rest, blocks, strict=True)), statement.otherwise, span=statement.span)
        if before:
            self.todo = (*before, Do(rest, item.constants), *self.todo)
        elif isinstance(statement, ast.Assign):
            self.assign(statement)
        else:
            taken = next((b for c, b in statement.branches if self.holds(c)), statement.otherwise)
            self.todo = (*listed(*taken, constants=item.constants), *self.todo)
        return not before

    def loop(self, loop: ast.For, item: Do) -> bool:
        """Unroll a loop, or go from round to round."""
        low, high = self.number(loop.low), self.number(loop.high)
        if any(isinstance(n, ast.Assign) and n.target == ast.Name(loop.variable) for n in loop.body):
            raise NotCovered(f"{loop.variable}, a variable of a loop that is assigned")
        if not (low.known and high.known):
            self.todo = (*self.rounds(loop, item), *self.todo)
            return False
        cut = self.text.is_size(loop.low, loop.high)
        if cut and self.text.streaming(loop, item.constants, None) is not None:
            raise NotCovered("the best value of a loop of so many rounds")
        before, loop = self.text.running_sums(loop) if cut else ([], loop)
        unrolled: list[Item] = [*listed(*before, constants=item.constants)]
        for i in range(math.ceil(low.constant), math.floor(high.constant) + 1):
            unrolled += [Cut(f": {loop.variable} = {i}")] if cut else []
            unrolled += listed(*loop.body, constants=(*item.constants, (loop.variable, Fraction(i))))
        self.todo = (*unrolled, *self.todo)
        return False

    def rounds(self, loop: ast.For, item: Do) -> Items:
        """A loop with any number of rounds; it reads its cells anew if it is entered again."""
        site, constants = (loop.span.start, item.constants), item.constants
        for streams in self.shared.streams.values():
            for key, group in streams.items():
                if isinstance(key, tuple) and key[0] == site and self.text.repeated(loop, constants):
                    self.phases.pop(group, None)
        if (items := self.text.streaming(loop, constants, site)) is not None:
            return items
        before, loop = self.text.running_sums(loop)
        if (found := self.text.family(loop, self.todo)) is not None:
            return self.text.winner(loop, *found, constants, site)
        body = listed(*loop.body, constants=constants)
        return (*listed(*before, constants=constants), Round(loop.variable, site, body))

    def publish(self) -> None:
        """The outputs are the same in both runs."""
        if not self.todo:
            starts = {d.name for d in self.text.program.outputs if d.size is None}
            self.written |= {name: self.stored(name) for name in starts & self.values.keys()}
        for value in self.written.values():
            if isinstance(value, Number):
                self.guard(value, True)
            elif not self.is_public(value):
                raise Broken

    def assign(self, statement: ast.Assign) -> None:
        value = self.drawn(statement.value) if not isinstance(statement.value, ast.Expr) else None
        value = self.value(statement.value) if value is None else value  # type: ignore[arg-type]
        target = statement.target
        if isinstance(target, ast.Name):
            self.values[target.name] = value
            return
        index, array = self.number(target.index), target.array
        if array in self.text.outputs:
            self.written[array, index] = value
        if index.known:
            self.values[f"{array}[{index.constant}]"] = value
            return
        if array not in self.text.outputs and not self.is_public(value):
            raise NotCovered(f"{array}, in which private or random values are kept")
        for name in self.cells_of(array):
            self.values[name] = self.new("public", "cell") if self.is_public(self.values[name]) else LOST
