"""The two places where the order or the names of parts are checked here, not by the grammar.

A program is a sequence of declarations, then statements; noise takes its rate and mean by
position or by keyword.  The grammar accepts any order so that the error can say what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq

from dipc.dipwhile.syntax.ast import (
    Adjacency,
    Binary,
    Claim,
    Expr,
    FormulaAdjacency,
    NamedAdjacency,
    Number,
    Op,
    Program,
    Statement,
)
from dipc.dipwhile.syntax.suggest import did_you_mean
from dipc.errors import InputError, Span


@dataclass(frozen=True, slots=True)
class Item:
    """A line of ``param``, ``input`` or ``output`` declarations."""

    kind: str
    members: tuple[Any, ...]
    span: Span


def assemble(items: Sequence[Item | Adjacency | Claim | Statement], span: Span) -> Program:
    """The program made of these lines, in the order of the text."""
    lists: dict[str, list[Any]] = {"param": [], "input": [], "output": []}
    adjacency: Adjacency | None = None
    claim: Claim | None = None
    body: list[Statement] = []
    for item in items:
        match item:
            case Item(kind, members):
                check_before_statements(kind, item.span, body)
                lists[kind] += members
            case NamedAdjacency() | FormulaAdjacency():
                check_before_statements("adjacent", item.span, body)
                check_only_one("adjacent", item.span, adjacency)
                adjacency = item
            case Claim():
                check_before_statements("private", item.span, body)
                check_only_one("private", item.span, claim)
                claim = item
            case _:
                body.append(item)
    return Program(
        tuple(lists["param"]),
        tuple(lists["input"]),
        tuple(lists["output"]),
        adjacency,
        claim,
        tuple(body),
        span=span,
    )


def check_before_statements(kind: str, span: Span, body: Sequence[Statement]) -> None:
    """Refuse a declaration below the first statement."""
    if body:
        raise InputError(
            f"the declaration `{kind}` comes after a statement",
            span,
            f"declarations come first: move it above line {body[0].span.line}",
        )


def check_only_one(kind: str, span: Span, earlier: Adjacency | Claim | None) -> None:
    """Refuse a second adjacency or claim."""
    if earlier is not None:
        raise InputError(
            f"a second `{kind}`", span, f"the first is on line {earlier.span.line}: keep one of them"
        )


KEYWORDS = ("rate", "scale", "mean")
ELSEWHERE = {
    **dict.fromkeys(("loc", "location", "center", "centre", "mu", "value"), "mean"),
    **dict.fromkeys(("b", "sigma", "width"), "scale"),
}
"""What the arguments of noise are called elsewhere."""


Argument = tuple[str | None, Span, Expr]
"""A keyword, or None, with its place, and the value."""


def noise_parameters(kind: str, place: Span, arguments: Sequence[Argument]) -> tuple[Expr, Expr]:
    """Rate and mean of ``Lap(rate, mean)``, ``Lap(scale = s, mean = m)`` and all their mixtures."""
    form = f"write `{kind}(eps/2, 0)` or `{kind}(scale = 2/eps, mean = 0)`"
    given: dict[str, Expr] = {}
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
    return Binary(Op.DIV, Number(fmpq(1), span=scale.span), scale, span=scale.span), given["mean"]
