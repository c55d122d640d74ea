"""One path of a program between two cuts, executed for a pair of runs: the edges of the automaton.

A path is deterministic but for its choices (outcomes of comparisons, labels of cells, values of finite
draws), which are read off a script; a choice beyond the script takes the first possibility and notes the
others, so that the builder enumerates all paths by replaying scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from dipc.dipwhile.allsizes.automaton import Edge, Step
from dipc.dipwhile.allsizes.choosing import IMPOSSIBLE
from dipc.dipwhile.allsizes.draws import Drawing
from dipc.dipwhile.allsizes.feasible import Condition, consequences
from dipc.dipwhile.allsizes.flatten import Alike, Assume, Cut, Either, Enter, Filled, Fresh, Operation, Round
from dipc.dipwhile.allsizes.system import END, START, Alias, Kept, Moves, Point
from dipc.dipwhile.allsizes.values import (
    ONE,
    Datum,
    Linear,
    Pair,
    Symbol,
    Unknown,
    form,
    renamed,
    shown,
    unknown,
)
from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.core import Draw, Halt, Jump, Put, Test
from dipc.dipwhile.syntax.printer import show_expr
from dipc.errors import Unsupported

MOST_FACTS = 8
MOST_ORDERED = 6
"""Of how many live variables the order is followed."""


class Path(Drawing):
    """The execution of one path."""

    def run(self) -> tuple[Edge, Point]:
        """The edge (its places are not numbered yet) and where it ends."""
        pc = self.source.pc
        if len(self.system.adjacency.directions) > 1 and pc == START:
            self.direction = self.system.adjacency.directions[self.choose(2)]
            self.steps.append(Step("label", f"all cells go {self.direction}", self.system.adjacency.span))
        pc = 0 if pc == START else self.step(pc)
        while pc != END and not self.system.is_cut(pc):
            pc = self.step(pc)
        return self.arrive(pc)

    def step(self, pc: int) -> int:
        """Execute one operation; the next one."""
        operation: Operation = self.system.code[pc]
        match operation:
            case Put(target, value):
                self.assign(target, self.evaluate(value))
            case Draw(target, distribution, span):
                self.assign(target, self.draw(distribution, show_expr(target), span))
            case Test(condition, otherwise):
                return pc + 1 if self.condition(condition) else otherwise
            case Jump(to):
                return to
            case Halt():
                return END
            case Fresh(variable, site):
                self.fresh(variable, site)
            case Round(variable, site, _, _, otherwise, span):
                another = self.choose(2) == 0
                self.decide("test", "another round" if another else f"`for {variable}` ends", span)
                if not another:
                    return otherwise
                self.fresh(variable, site)
            case Either(otherwise, text, other, span):
                first = self.choose(2) == 0
                self.decide("test", text if first else other, span)
                return pc + 1 if first else otherwise
            case Assume(condition):
                margin = self.difference(condition.left, condition.right, condition.span)
                self.require(margin if condition.op is ast.Op.GE else margin.times(-ONE))
                self.steps.append(Step("test", show_expr(condition), condition.span))
            case Enter(site):
                self.enter(site)
            case Cut() | Alike() | Filled():
                pass
            case _:
                assert_never(operation)
        return pc + 1

    def fresh(self, variable: str, site: int) -> None:
        """A new round: its cells have not been read."""
        self.cells = {key: cell for key, cell in self.cells.items() if key[0] != site}  # type: ignore[index]
        self.values[variable] = unknown(Symbol("public", variable, site))

    def enter(self, site: int) -> None:
        """The loop reads its cells again: another phase."""
        for streams in self.system.streams.values():
            for stream, group in streams.items():
                if isinstance(stream, tuple) and stream[0] == site:
                    self.phases.pop(group, None)

    def assign(self, target: ast.Name | ast.Index, value: Datum) -> None:
        """Give a variable or a cell its value; what an output gets is published when the path ends."""
        text = show_expr(target)
        if isinstance(target, ast.Name):
            self.values[target.name] = value
            if target.name in self.system.scalars:
                self.outputs[target.name] = (text, value, target.span)
            return
        index = self.index(target)
        if target.array in self.system.scope.outputs:
            self.outputs[target.array, index] = (text, value, target.span)
        if index.number is not None:
            self.values[f"{target.array}[{index.number}]"] = value
            return
        if target.array not in self.system.scope.outputs and not self.is_public(value):
            hint = "only `max`, `min`, `argmax` and `argmin` of such an array are known"
            raise Unsupported(f"private or random values are kept in `{target.array}`", target.span, hint)
        self.forget(target)
        self.public.add(target.array)

    def forget(self, target: ast.Index) -> None:
        """A cell of an unknown index is overwritten: each of those that are known may be it."""
        array, output = target.array, target.array in self.system.scope.outputs
        if output:
            self.show(array)
        for name, value in self.values.items():
            if name.startswith(f"{array}["):
                if not output and not self.is_public(value):
                    raise Unsupported(f"`{show_expr(target)}` may be `{name}`, which is private", target.span)
                self.values[name] = self.unknown(name)

    # --- the end of the path -------------------------------------------------------------------

    def arrive(self, pc: int) -> tuple[Edge, Point]:
        """Publish the outputs; the edge, and the point where the path ends."""
        self.publish(pc)
        live = self.system.live[pc] if pc != END else frozenset()
        kept = {name: value for name, value in self.values.items() if self.lasts(name, value, live, pc)}
        names: dict[Linear, str] = {}
        for name, value in sorted(kept.items()):
            if isinstance(value, Linear) and value.random:
                names.setdefault(value, name)
        more = bool({name.partition("[")[0] for name in live} & self.system.scope.inputs)
        point = Point(
            pc,
            tuple((name, self._kept(name, value, names)) for name, value in sorted(kept.items())),
            tuple(sorted(self.phases.items())) if more else (),
            self.direction if more else "",
            self.facts(names),
        )
        sets = tuple(sorted((name, form(value, self.moves)) for value, name in names.items()))
        guards = (IMPOSSIBLE,) if IMPOSSIBLE in self.guards else tuple(self.guards)
        edge = Edge(
            0,
            0,
            tuple(self.samples),
            guards,
            sets,
            self.cost,
            tuple(self.choices),
            tuple(self.decisions),
            tuple(self.steps),
        )
        return edge, point

    def lasts(self, name: str, value: Datum, live: frozenset[str], pc: int) -> bool:
        """Whether a variable is needed after the cut: it is read, or an output that is not public yet."""
        if name in live or name.partition("[")[0] in live:
            return True
        return pc != END and name in self.system.scalars and not self.is_public(value)

    def _kept(self, name: str, value: Datum, names: Mapping[Linear, str]) -> Kept:
        match value:
            case Pair():
                return value
            case Unknown():
                return Unknown(name)
            case Linear():
                if value.random:
                    return Alias(names[value])
                return value if value.number is not None else Moves(form(value, self.moves).constant)
            case _:
                assert_never(value)

    def publish(self, pc: int) -> None:
        """What the outputs show must be the same in both runs."""
        if pc == END:
            for name in sorted(self.system.scalars & self.values.keys()):
                self.outputs.setdefault(name, (name, self.values[name], self.system.adjacency.span))
        for key, (text, value, span) in self.outputs.items():
            self.steps.append(Step("output", f"{text} = {shown(value)}", span))
            if not isinstance(key, str) or pc == END:
                self.same(value)

    def facts(self, names: Mapping[Linear, str]) -> tuple[Condition, ...]:
        """What the path says about the order of the live variables."""
        if not 0 < len(names) <= MOST_ORDERED or not self.conditions:
            return ()
        targets = {name: Symbol("target", name) for name in names.values()}
        defined = [
            Condition(value.plus(unknown(targets[name]), -ONE), equal=True) for value, name in names.items()
        ]
        found = consequences([*self.conditions, *defined], set(targets.values()), MOST_FACTS)
        back = {symbol: Symbol("live", name) for name, symbol in targets.items()}
        return tuple(Condition(renamed(fact.value, back), fact.strict, fact.equal) for fact in found)
