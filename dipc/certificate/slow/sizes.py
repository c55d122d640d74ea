"""How much the front end has to unroll, estimated before it does."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dipc.certificate.slow.functions import NotCovered
from dipc.certificate.slow.paths import Run
from dipc.certificate.slow.programs import Known, parameters
from dipc.certificate.slow.values import as_index
from dipc.dipwhile.syntax import ast
from dipc.kernel.reading import spend

PER_NODE = 10
"""Steps for one node of the unrolled program."""
PER_CHARACTER = 20
"""Steps for one character of the text."""


def spend_on_text(text: str) -> None:
    """Count the work of reading a program."""
    spend(PER_CHARACTER * len(text))


def spend_on_front_end(program: ast.Program, overrides: Mapping[str, Fraction]) -> None:
    """Count the work of checking and unrolling a program with these parameters."""
    try:
        known = parameters(program, overrides)
    except NotCovered:  # the front end says what is wrong
        known = dict(overrides)
    spend(PER_NODE * size(program, known))


def size(node: object, known: Known) -> int:
    """About how many nodes a part of a syntax tree has when it is unrolled.

    >>> from dipc.errors import Source
    >>> from dipc.dipwhile.syntax.parser import parse
    >>> body = parse(Source("a.dip", "output o in {0, 1}; for i in 1..N do o <- i end")).body
    >>> size(body, {"N": Fraction(3)}), size(body, {"N": Fraction(1000)})
    (9, 3000)
    """
    match node:
        case ast.For() | ast.Fold():
            return repeated(node, known)
        case ast.Node():
            spend(4)
            names: tuple[str, ...] = node.__match_args__
            return 1 + sum(size(getattr(node, name), known) for name in names)
        case tuple():
            return sum(size(part, known) for part in node)
        case _:
            return 0


def repeated(loop: ast.For | ast.Fold, known: Known) -> int:
    """The size of all instances of the body: the larger one of the first and the last, for each of them."""
    spend(4)
    try:
        run = Run(scalars=dict(known))
        low, high = as_index(run.value(loop.low)), as_index(run.value(loop.high))
    except NotCovered:  # bounds that are no constants are refused by the front end, or stay as they are
        return 1 + size(loop.body, known)
    ends = (size(loop.body, {**known, loop.variable: Fraction(end)}) for end in {low, high})
    return max(0, high - low + 1) * max(ends)
