"""From the syntax tree of a .dip program to the text of a Python function that means the same.

The opposite of dipc.python, and written without it: lists are counted from 0 there and from 1 here.
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from itertools import count
from typing import Any, assert_never

from flint import fmpq

import dipc
from dipc.dipwhile.syntax.ast import (
    Assign,
    Binary,
    Block,
    Call,
    Choose,
    Distribution,
    Eps,
    Exit,
    ExpMechanism,
    Expr,
    FiniteSet,
    Flip,
    Fold,
    For,
    If,
    Index,
    Name,
    Noise,
    Number,
    Op,
    Program,
    Range,
    SetOf,
    Statement,
    Unary,
    Uniform,
    While,
)
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.dipwhile.syntax.names import collect_names
from dipc.dipwhile.syntax.printer import show
from dipc.dipwhile.syntax.types import declared_kinds, infer
from dipc.errors import Source

SIGNS = {Op.EQ: "==", Op.POW: "**"}
FOLDS = {"forall": "all", "exists": "any", "sum": "sum", "count": "sum"}
_number = count()


def load_function(text: str, name: str, **known: Any) -> Any:
    """What a Python text defines under a name, as if it stood in a file."""
    file = f"<written {next(_number)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"dipc": dipc, "__name__": "written", **known}
    exec(compile(text, file, "exec"), scope)
    return scope[name]


def to_python(program: Program, source: Source, values: Mapping[str, int]) -> str:
    """The text of a function ``f`` under the decorator."""
    names = collect_names(program)
    core = read(source, {name: fmpq(value) for name, value in values.items()})
    declared = {declaration.name for declaration in (*program.inputs, *program.outputs)}
    kinding = infer(core.code, declared_kinds((*core.inputs, *core.outputs)), names.locals)
    lists = [
        f"    {name} = [{'False' if kinding[name] & Kinds.BOOLEAN else '0'}] * {size}"
        for name, size in core.arrays
        if name not in declared
    ]
    writer = Writer(frozenset(names.atoms), frozenset(name for name, _ in core.arrays))
    told = [
        f"inputs={', '.join(map(show, program.inputs))!r}",
        f"outputs={', '.join(map(show, program.outputs))!r}",
    ]
    told += [f"adjacent={show(program.adjacency)!r}"] if program.adjacency else []
    told += [f"private={show(program.claim)!r}"] if program.claim else []
    parameters = [f"{param.name}={values.get(param.name, param.value.value)}" for param in program.params]  # type: ignore[union-attr]
    arguments = ", ".join(
        [*(declaration.name for declaration in program.inputs), "*", *parameters][
            : None if parameters else -1
        ]
    )
    head = [f"@dipc.mechanism({', '.join(told)})", f"def f({arguments}):"]
    return "\n".join([*head, *lists, *writer.block(program.body, "    "), "    return"]) + "\n"


class Writer:
    def __init__(self, atoms: frozenset[str], arrays: frozenset[str]) -> None:
        self.atoms, self.arrays = atoms, arrays

    def expr(self, node: Expr) -> str:
        match node:
            case Number(value):
                return f"({value})"
            case Name("true" | "false" as name):
                return name.title()
            case Name(name):
                return repr(name) if name in self.atoms else name
            case Index(array, index):
                return f"{array}[{self.expr(index)} - 1]"
            case Eps():
                return "eps"
            case Unary(op, operand):
                return f"({'not' if op is Op.NOT else '-'} {self.expr(operand)})"
            case Binary(op, left, right):
                return f"({self.expr(left)} {SIGNS.get(op, op.value)} {self.expr(right)})"
            case Call("argmax" | "argmin" as function, arguments):
                return f"({function}({self.expr(arguments[0])}) + 1)"
            case Call("max" | "min" as function, (single,)) if getattr(single, "name", "") not in self.arrays:
                return f"{function}([{self.expr(single)}])"
            case Call(function, arguments):
                return f"{function}({', '.join(map(self.expr, arguments))})"
            case Fold(kind, variable, low, high, body):
                runs = f"for {variable} in range({self.expr(low)}, {self.expr(high)} + 1)"
                if kind == "count":
                    return f"sum(1 {runs} if {self.expr(body)})"
                return f"{FOLDS[kind]}({self.expr(body)} {runs})"
            case _:
                assert_never(node)

    def set(self, values: FiniteSet) -> str:
        match values:
            case SetOf(members):
                return "{" + ", ".join(map(self.expr, members)) + "}"
            case Range(low, high):
                return f"range({self.expr(low)}, {self.expr(high)} + 1)"
            case _:
                assert_never(values)

    def distribution(self, node: Distribution) -> str:
        match node:
            case Noise(kind, rate, mean):
                return f"{kind}(rate={self.expr(rate)}, mean={self.expr(mean)})"
            case Choose(options):
                return "choose({" + ", ".join(f"{self.expr(v)}: {self.expr(p)}" for v, p in options) + "})"
            case Flip(probability):
                return f"flip({self.expr(probability)})"
            case Uniform(support):
                return f"uniform({self.set(support)})"
            case ExpMechanism(rate, variable, support, score):
                return f"Exp({self.expr(rate)}, {self.set(support)}, lambda {variable}: {self.expr(score)})"
            case _:
                assert_never(node)

    def block(self, block: Block, indent: str) -> list[str]:
        return [line for statement in block for line in self.statement(statement, indent)] or [
            f"{indent}pass"
        ]

    def statement(self, node: Statement, indent: str) -> list[str]:
        inner = indent + "    "
        match node:
            case Assign(target, value):
                right = self.expr(value) if isinstance(value, Expr) else self.distribution(value)
                return [f"{indent}{self.expr(target)} = {right}"]
            case If(branches, otherwise):
                lines: list[str] = []
                for position, (condition, block) in enumerate(branches):
                    lines.append(f"{indent}{'elif' if position else 'if'} {self.expr(condition)}:")
                    lines += self.block(block, inner)
                return [*lines, f"{indent}else:", *self.block(otherwise, inner)] if otherwise else lines
            case For(variable, low, high, body):
                head = f"{indent}for {variable} in range({self.expr(low)}, {self.expr(high)} + 1):"
                return [head, *self.block(body, inner)]
            case While(condition, body):
                return [f"{indent}while {self.expr(condition)}:", *self.block(body, inner)]
            case Exit():
                return [f"{indent}return"]
            case _:
                assert_never(node)
