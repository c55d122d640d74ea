"""The values of declarations: the only place where a set, a start value or a distance is evaluated.

A size without a number stands for every integer >= 1.  Its name is never an atom, and what mentions it has
no value: it is refused here, whoever asks.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.constants import evaluate, evaluate_set, evaluate_value, sample
from dipc.dipwhile.syntax.unroll import Constants
from dipc.dipwhile.syntax.walk import expressions, nodes
from dipc.errors import Unsupported
from dipc.models.values import Value


@dataclass(frozen=True, slots=True)
class Declared:
    """Evaluates declarations: ``constants`` are the parameters with a number, ``parameters`` all names.

    Every method raises :class:`Unsupported` for what mentions a parameter without a number, and
    :class:`InputError` for what is wrong at the given numbers.

    >>> from dipc.dipwhile.syntax.parser import parse_expression
    >>> Declared({"c": fmpq(2)}, {"c", "N"}).value(parse_expression("c + 1"), "it")
    3
    >>> Declared({"c": fmpq(2)}, {"c", "N"}).value(parse_expression("N"), "it")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    dipc.errors.Unsupported: <expression>:1:1: not yet supported: it changes with the size `N`...
    """

    constants: Constants
    parameters: Set[str]

    def number(self, expr: ast.Expr, what: str) -> fmpq:
        """A number."""
        self._fixed(expr, what)
        return evaluate(expr, self.constants, what)

    def value(self, expr: ast.Expr, what: str) -> Value:
        """A number or an atom."""
        self._fixed(expr, what)
        return evaluate_value(expr, self.constants)

    def members(self, domain: ast.FiniteSet, what: str) -> tuple[Value, ...]:
        """The values of a finite set."""
        self._fixed(domain, what)
        return evaluate_set(domain, self.constants)

    def interval(self, domain: ast.Between, what: str) -> tuple[fmpq, fmpq]:
        """The ends of an interval."""
        self._fixed(domain, what)
        low, high = sample(domain, self.constants)
        return low, high

    def fixed(self, node: ast.Node) -> bool:
        """Whether it has the same value for every size."""
        return self._varying(node) is None

    def _varying(self, node: ast.Node) -> ast.Name | None:
        parts = (part for expr in expressions(node) for part in nodes(expr))
        names = (part for part in parts if isinstance(part, ast.Name))
        return next((n for n in names if n.name in self.parameters and n.name not in self.constants), None)

    def _fixed(self, node: ast.Node, what: str) -> None:
        name = self._varying(node)
        if name is not None:
            hint = f"give it a number: `-D {name.name}=3`"
            raise Unsupported(f"{what} changes with the size `{name.name}`", name.span, hint)
