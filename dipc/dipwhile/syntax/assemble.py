"""The two places where the order or the names of parts are checked here, not by the grammar.

A program is a sequence of declarations, then statements; noise takes its rate and mean by
position or by keyword.  The grammar accepts any order so that the error can say what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.suggest import did_you_mean
from dipc.errors import InputError, Span


@dataclass(frozen=True, slots=True)
class Item:
    """A line of ``param``, ``input`` or ``output`` declarations."""

    kind: str
    members: tuple[Any, ...]
    span: Span


def assemble(items: Sequence[Item | ast.Adjacency | ast.Claim | ast.Statement], span: Span) -> ast.Program:
    """The program made of these lines, in the order of the text."""
    declared: dict[str, list[Any]] = {kind: [] for kind in ("param", "input", "output", *ONLY_ONE)}
    body: list[ast.Statement] = []
    for item in items:
        match item:
            case Item(kind, members):
                pass
            case ast.NamedAdjacency() | ast.FormulaAdjacency():
                kind, members = "adjacent", (item,)
            case ast.Claim():
                kind, members = "private", (item,)
            case _:
                body.append(item)
                continue
        check_place(kind, item.span, body, declared[kind])
        declared[kind] += members
    params, inputs, outputs = (tuple(declared[kind]) for kind in ("param", "input", "output"))
    adjacency, claim = (next(iter(declared[kind]), None) for kind in ONLY_ONE)
    return ast.Program(params, inputs, outputs, adjacency, claim, tuple(body), span=span)


ONLY_ONE = ("adjacent", "private")


def check_place(kind: str, span: Span, body: Sequence[ast.Statement], earlier: Sequence[ast.Node]) -> None:
    """Refuse a declaration below the first statement, and a second adjacency or claim."""
    if body:
        hint = f"declarations come first: move it above line {body[0].span.line}"
        raise InputError(f"the declaration `{kind}` comes after a statement", span, hint)
    if earlier and kind in ONLY_ONE:
        hint = f"the first is on line {earlier[0].span.line}: keep one of them"
        raise InputError(f"a second `{kind}`", span, hint)


KEYWORDS = ("rate", "scale", "mean")
ELSEWHERE = {
    **dict.fromkeys(("loc", "location", "center", "centre", "mu", "value"), "mean"),
    **dict.fromkeys(("b", "sigma", "width"), "scale"),
}
"""What the arguments of noise are called elsewhere."""


Argument = tuple[str | None, Span, ast.Expr]
"""A keyword, or None, with its place, and the value."""


def noise_parameters(kind: str, place: Span, arguments: Sequence[Argument]) -> tuple[ast.Expr, ast.Expr]:
    """Rate and mean of ``Lap(rate, mean)``, ``Lap(scale = s, mean = m)`` and all their mixtures."""
    form = f"write `{kind}(eps/2, 0)` or `{kind}(scale = 2/eps, mean = 0)`"
    given: dict[str, ast.Expr] = {}
    for position, (keyword, span, value) in enumerate(arguments):
        if keyword is None and position > 1:
            raise InputError(f"`{kind}` takes two arguments, the rate and the mean", span, form)
        name = ("rate", "mean")[position] if keyword is None else keyword
        if name not in KEYWORDS:
            hint = did_you_mean(ELSEWHERE.get(name, name), KEYWORDS)
            raise InputError(f"`{kind}` has no argument `{name}`", span, f"{hint}; {form}")
        if name in given or {name, *given} >= {"rate", "scale"}:
            raise InputError(f"`{kind}` is given its {name} twice", span, form)
        given[name] = value
    if not given.keys() & {"rate", "scale"}:
        raise InputError(f"`{kind}` is missing its rate", place, form)
    if "mean" not in given:
        raise InputError(f"`{kind}` is missing its mean", place, form)
    if "rate" in given:
        return given["rate"], given["mean"]
    scale = given["scale"]
    return ast.Binary(ast.Op.DIV, ast.Number(fmpq(1), span=scale.span), scale, span=scale.span), given["mean"]
