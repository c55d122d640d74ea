"""Claims whose epsilon depends on the pair of inputs, such as ``eps*distance`` or ``eps*abs(q - q')``.

Each part of epsilon that speaks of the two inputs, and not of eps, becomes a name: for one pair it is a
number, and epsilon with this number in its place is the epsilon of that pair.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.certain import compile_about
from dipc.dipwhile.syntax.core import CoreAdjacency, Variable
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.unroll import Constants
from dipc.dipwhile.syntax.walk import children, nodes, with_children
from dipc.errors import InputError

DISTANCE = "distance"
"""What a claim calls the distance of the two inputs in the metric of the line ``adjacent``."""

METRICS = ("linf", "l1", "hamming")
"""The adjacencies that have a distance."""

Parts = tuple[tuple[str, ast.Expr], ...]
"""Numbers that depend on the pair, by the names that stand for them in epsilon."""


def speaks_of_pair(epsilon: ast.Expr, inputs: Iterable[str], constants: Collection[str]) -> bool:
    """Whether a part of an epsilon reads the two inputs, by their names, or their distance."""
    about = {*inputs} | ({DISTANCE} - {*constants})
    return any(isinstance(n, ast.Name | ast.Index) and target_name(n) in about for n in nodes(epsilon))


def of_pairs(
    epsilon: ast.Expr, inputs: Sequence[Variable], adjacency: CoreAdjacency | None, constants: Constants
) -> tuple[ast.Expr, Parts]:
    """Epsilon with names for its parts that depend on the pair, and these parts; none for most claims."""
    names = [variable.name for variable in inputs]
    parts: dict[str, ast.Expr] = {}

    def named(node: ast.Expr) -> ast.Expr:
        if not speaks_of_pair(node, names, constants.keys()):
            return node
        if any(
            isinstance(n, ast.Eps) or (isinstance(n, ast.Call) and n.function == "ln") for n in nodes(node)
        ):
            return with_children(node, tuple(map(named, children(node))))
        parts[as_written(node)] = _checked(node, inputs, adjacency, constants)
        return ast.Name(as_written(node), span=node.span)

    return named(epsilon), tuple(parts.items())


def _checked(
    part: ast.Expr, inputs: Sequence[Variable], adjacency: CoreAdjacency | None, constants: Constants
) -> ast.Expr:
    names = frozenset(variable.name for variable in inputs)
    variables = list(inputs)
    for node in nodes(part):
        if isinstance(node, ast.Name) and node.name == DISTANCE and DISTANCE not in names:
            if adjacency is None or adjacency.kind not in METRICS:
                message = "`distance` is that of the metric after `adjacent`, and there is none"
                raise InputError(message, node.span, "write it out, for example `eps*abs(q - q')`")
            variables.append(Variable(DISTANCE, None, (fmpq(0),), None, node.span))
    return compile_about(part, variables, constants, "the epsilon of a claim", Kinds.NUMBER, primes=True)
