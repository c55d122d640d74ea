"""Which outputs surely have a value when a program ends, for every size: definite assignment.

A scalar has one if it is assigned on all ways to an end.  An array has one if all its cells are assigned: one
by one, or ``out[i]`` on all ways through the rounds of a loop over ``1..N``, N being its size.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from flint import fmpq

from dipc.dipwhile.syntax import ast

ONE = ast.Number(fmpq(1))
Done = frozenset[str]
"""The names of outputs, and cells as in ``out[i]``, that have a value."""


def unassigned(program: ast.Program) -> list[ast.Declaration]:
    """The outputs without a start value that may have none at an end, if all sizes are integers >= 1."""
    sizes = {d.size for d in (*program.inputs, *program.outputs) if d.size is not None}
    search = Search({d.name: d for d in program.outputs}, frozenset(sizes))
    end = search.block(program.body, frozenset())
    ends = search.ends if end is None else [*search.ends, end]
    return [d for d in program.outputs if d.start is None and not all(search.has(d, e) for e in ends)]


@dataclass
class Search:
    """The ends found so far, each with what has a value there."""

    outputs: dict[str, ast.Declaration]
    sizes: frozenset[ast.Expr]
    ends: list[Done] = field(default_factory=list)

    def has(self, output: ast.Declaration, done: Done) -> bool:
        """Whether an output has a value."""
        if isinstance(output.size, ast.Number) and output.size.value.q == 1:
            cells = {f"{output.name}[{k}]" for k in range(1, int(output.size.value.p) + 1)}
            return output.name in done or cells <= done
        return output.name in done

    def block(self, block: ast.Block, done: Done) -> Done | None:
        """What has a value after a block; None if nothing follows it."""
        for statement in block:
            after = self.statement(statement, done)
            if after is None:
                return None
            done = after
        return done

    def statement(self, statement: ast.Statement, done: Done) -> Done | None:
        """What has a value after a statement."""
        match statement:
            case ast.Assign(ast.Name(name)):
                return done | {name}
            case ast.Assign(ast.Index(array, ast.Name(index) | ast.Number(index))):
                return done | {f"{array}[{index}]"}
            case ast.If(branches, otherwise):
                blocks = [*(block for _, block in branches), otherwise]
                after = [found for block in blocks if (found := self.block(block, done)) is not None]
                return frozenset.intersection(*after) if after else None
            case ast.For():
                return self.rounds(statement, done)
            case ast.While(_, body):
                self.block(body, done)
            case ast.Exit():
                self.ends.append(done)
                return None
        return done

    def rounds(self, loop: ast.For, done: Done) -> Done:
        """What has a value after a loop, which may have no round unless it is over ``1..N``."""
        cells = {name for name in done if name.endswith(f"[{loop.variable}]")}
        after = self.block(loop.body, done - cells)
        if after is None or not self.surely_runs(loop):
            return done
        whole = {d.name for d in self.outputs.values() if (loop.low, loop.high) == (ONE, d.size)}
        return after | {name for name in whole if f"{name}[{loop.variable}]" in after}

    def surely_runs(self, loop: ast.For) -> bool:
        """Whether the loop has a round."""
        match loop.low, loop.high:
            case ast.Number(low), ast.Number(high):
                return bool(low <= high)
            case ast.Number(low), high:
                return bool(low <= 1) and high in self.sizes
        return False
