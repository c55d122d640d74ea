"""One path of a program of any size, for two runs on adjacent inputs that decide alike.

A path is deterministic but for its choices, which a script prescribes.  It ends where a round of a loop may
begin; what is known there is a :class:`~.sizes_expressions.Moment`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dipc.certificate.slow.functions import NotCovered
from dipc.certificate.slow.sizes_draws import Drawing
from dipc.certificate.slow.sizes_expressions import LOST, Broken
from dipc.certificate.slow.sizes_text import Assume, Cut, Do, Fork, Fresh, Item, Items, Round, listed
from dipc.certificate.slow.sizes_values import Number, multiple, plus
from dipc.dipwhile.syntax import ast


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
