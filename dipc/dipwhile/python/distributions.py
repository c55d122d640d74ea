"""From calls of ``Lap``, ``choose`` and the like to distributions of the syntax tree."""

from __future__ import annotations

import ast

from dipc.dipwhile.python.expressions import Expressions
from dipc.dipwhile.python.scope import ABSENT, exact_number, number
from dipc.dipwhile.syntax.ast import (
    Choose,
    Distribution,
    ExpMechanism,
    Expr,
    FiniteSet,
    Flip,
    Name,
    Noise,
    Range,
    SetOf,
    Uniform,
)
from dipc.dipwhile.syntax.build import Argument, noise_parameters
from dipc.errors import Span

USAGE = {
    "Exp": "Exp(eps/2, range(N), lambda v: q[v])",
    "choose": "choose({0: 1/2, 1: 1/2})",
    "flip": "flip(1/2)",
    "uniform": "uniform(range(1, 4))",
}


class Distributions(Expressions):
    """Reads distributions."""

    def distribution(self, node: ast.Call) -> Distribution:
        """The distribution that a call draws from."""
        assert isinstance(node.func, ast.Name)
        self.scope.check_called(node.func)
        word, span = node.func.id, self.text.span(node)
        match word, node.args:
            case "flip", [probability] if not node.keywords:
                return Flip(self.read(probability), span=span)
            case "choose", [ast.Dict([_, *_] as keys, values)] if None not in keys and not node.keywords:
                pairs = zip(keys, values, strict=True)
                options = tuple((self.read(value), self.read(p)) for value, p in pairs if value is not None)
                return Choose(options, span=span)
            case "uniform", [support] if not node.keywords:
                return Uniform(self.finite_set(support), span=span)
            case "Exp", [rate, values, ast.Lambda(ast.arguments([], [v], None, [], [], None, []), score)]:
                if not node.keywords:
                    return self.exp_mechanism(span, rate, values, v, score)
        if word in USAGE:
            raise self.error(node, f"`{word}` does not take these arguments", f"usage: `{USAGE[word]}`")
        return self.noise(node, word)

    def noise(self, node: ast.Call, word: str) -> Noise:
        """``Lap(rate, mean)``, ``Lap(scale=s, mean=m)`` ..."""
        given: list[Argument] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self.error(argument, "`*` is not allowed here in a mechanism", "write both arguments")
            given.append((None, self.text.span(argument), self.read(argument)))
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.error(keyword, "`**` is not allowed here in a mechanism", "write both arguments")
            place = self.text.start_of(keyword, len(keyword.arg))
            given.append((keyword.arg, place, self.read(keyword.value)))
        rate, mean = noise_parameters(word, self.text.span(node.func), given)
        return Noise(word, rate, mean, span=self.text.span(node))

    def exp_mechanism(
        self, span: Span, rate: ast.expr, values: ast.expr, argument: ast.arg, score: ast.expr
    ) -> ExpMechanism:
        """``Exp(rate, values, lambda v: score)``."""
        name, place = argument.arg, self.text.span(argument)
        self.scope.check_name(name, place)
        variable = self.scope.fresh(name) if self.scope.knows(name) else name
        read_rate, support = self.read(rate), self.finite_set(values)
        with self.binding({name: Name(variable, span=place)}), self.collected() as prelude:
            read_score = self.read(score)
        if prelude:
            raise self.error(score, "a score must not draw or choose anything", "do so on an earlier line")
        return ExpMechanism(read_rate, variable, support, read_score, span=span)

    def finite_set(self, node: ast.expr) -> FiniteSet:
        """A range, or values written out, or a collection of constants from outside."""
        span = self.text.span(node)
        bounds = self.bounds(node)
        if bounds is not None:
            return Range(*bounds, span=span)
        match node:
            case ast.Set(values) if values:
                return SetOf(tuple(self.read(value) for value in values), span=span)
            case ast.List(values) | ast.Tuple(values) if values:
                return SetOf(self.once(tuple(self.read(value) for value in values), node), span=span)
            case ast.Name(name) if name not in self.sizes:
                return SetOf(self.once(self.constants(node), node), span=span)
        raise self.error(node, "this is not a finite set", "write `range(N)` or the values: `{0, 1}`")

    def once(self, members: tuple[Expr, ...], node: ast.expr) -> tuple[Expr, ...]:
        """The members of a list, each listed once: a set would ignore the repetitions."""
        if len(set(members)) < len(members):
            hint = "list every value once; if some are more likely, use `choose`: `choose({0: 2/3, 1: 1/3})`"
            raise self.error(node, "a value appears here twice", hint)
        return members

    def constants(self, node: ast.Name) -> tuple[Expr, ...]:
        """The values of a list, tuple or range from outside the function."""
        span, scope = self.text.span(node), self.scope
        value = ABSENT if node.id in scope.variables | scope.loops else scope.outside(node.id)
        if not isinstance(value, list | tuple | range) or not value:
            raise self.error(node, f"`{node.id}` is not a finite set", "write the values: `{0, 1}`")
        found: list[Expr] = []
        for member in value:
            exact = exact_number(member)
            read = scope.symbol(member, span) if exact is None else number(exact, span)
            if read is None:
                hint = "use exact numbers, True, False and strings"
                raise self.error(node, f"`{node.id}` holds {member!r}", hint)
            found.append(read)
        return tuple(found)
