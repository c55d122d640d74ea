"""Calls of ``Lap``, ``choose`` and the like to distributions of the syntax tree: one method each."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lark import Token

from dipc.dipwhile.python.expressions import Expressions
from dipc.dipwhile.python.scope import ABSENT, exact_number, number
from dipc.dipwhile.syntax.assemble import noise_parameters
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
from dipc.errors import Span
from dipc.models.values import Atom

USAGE = {
    "Exp": "Exp(eps/2, range(N), lambda v: q[v])",
    "choose": "choose({0: 1/2, 1: 1/2})",
    "flip": "flip(1/2)",
    "uniform": "uniform(range(1, 4))",
}


class Distributions(Expressions):
    """Reads distributions."""

    def distribution(self, node: ast.Call) -> Distribution:
        assert isinstance(node.func, ast.Name)
        self.scope.check_called(node.func)
        word = node.func.id
        readers: dict[str, Callable[[ast.Call], Distribution | None]] = {
            "Exp": self.exp_mechanism,
            "choose": self.choose,
            "flip": self.flip,
            "uniform": self.uniform,
        }
        if word not in readers:
            return self.noise(node, word)
        result = readers[word](node)
        if result is None:
            raise self.text.mistake(
                node, f"`{word}` does not take these arguments", f"usage: `{USAGE[word]}`"
            )
        return result

    def noise(self, node: ast.Call, word: str) -> Noise:
        """``Lap(rate, mean)``, ``Lap(scale=s, mean=m)`` ..."""
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self.text.mistake(
                    argument, "`*` is not allowed here in a mechanism", "write both arguments"
                )
        given: list[tuple[Token | None, Expr]] = [(None, self.read(argument)) for argument in node.args]
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.text.mistake(
                    keyword, "`**` is not allowed here in a mechanism", "write both arguments"
                )
            given.append((self.token(keyword.arg, self.text.span(keyword)), self.read(keyword.value)))
        name = self.token(word, self.text.span(node.func))
        rate, mean = noise_parameters(name, given, lambda token: self.place(token))
        return Noise(word, rate, mean, span=self.text.span(node))

    def token(self, text: str, span: Span) -> Token:
        return Token("NAME", text, start_pos=span.start, end_pos=span.start + len(text))

    def place(self, token: Token) -> Span:
        assert token.start_pos is not None
        assert token.end_pos is not None
        return Span(self.text.source, token.start_pos, token.end_pos)

    def flip(self, node: ast.Call) -> Flip | None:
        match node:
            case ast.Call(_, [probability], []):
                return Flip(self.read(probability), span=self.text.span(node))
        return None

    def choose(self, node: ast.Call) -> Choose | None:
        match node:
            case ast.Call(_, [ast.Dict(keys, values)], []) if keys and None not in keys:
                pairs = zip(keys, values, strict=True)
                options = tuple((self.read(value), self.read(p)) for value, p in pairs if value is not None)
                return Choose(options, span=self.text.span(node))
        return None

    def uniform(self, node: ast.Call) -> Uniform | None:
        match node:
            case ast.Call(_, [support], []):
                return Uniform(self.finite_set(support), span=self.text.span(node))
        return None

    def exp_mechanism(self, node: ast.Call) -> ExpMechanism | None:
        """``Exp(rate, values, lambda v: score)``."""
        match node:
            case ast.Call(
                _,
                [rate, values, ast.Lambda(ast.arguments([], [argument], None, [], [], None, []), score)],
                [],
            ):
                pass
            case _:
                return None
        name = argument.arg
        self.scope.check_name(name, self.text.span(argument))
        used = self.scope.variables | self.scope.constants.keys() | self.scope.loops | {*self.scope.bound()}
        variable = self.scope.fresh(name) if name in used else name
        read_rate, support = self.read(rate), self.finite_set(values)
        with self.binding({name: Name(variable, span=self.text.span(argument))}), self.collected() as prelude:
            read_score = self.read(score)
        if prelude:
            raise self.text.mistake(
                score, "a score must not draw or choose anything", "do so on an earlier line"
            )
        return ExpMechanism(read_rate, variable, support, read_score, span=self.text.span(node))

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
        raise self.text.mistake(node, "this is not a finite set", "write `range(N)` or the values: `{0, 1}`")

    def once(self, members: tuple[Expr, ...], node: ast.expr) -> tuple[Expr, ...]:
        """The members of a list; one that stands there twice would count once only, as in a set."""
        if len(set(members)) < len(members):
            hint = "list every value once; if some are more likely, use `choose`: `choose({0: 2/3, 1: 1/3})`"
            raise self.text.mistake(node, "a value appears here twice", hint)
        return members

    def constants(self, node: ast.Name) -> tuple[Expr, ...]:
        """The values of a list, tuple or range from outside of the function."""
        span, scope = self.text.span(node), self.scope
        value = ABSENT if node.id in scope.variables | scope.loops else scope.outside(node.id)
        if not isinstance(value, list | tuple | range) or not value:
            raise self.text.mistake(node, f"`{node.id}` is not a finite set", "write the values: `{0, 1}`")
        found: list[Expr] = []
        for member in value:
            exact = exact_number(member)
            if exact is not None:
                found.append(number(exact, span))
            elif isinstance(member, str | Atom):
                found.append(scope.atom(str(member), span))
            elif isinstance(member, bool):
                found.append(Name(str(member).lower(), span=span))
            else:
                raise self.text.mistake(
                    node, f"`{node.id}` holds {member!r}", "use exact numbers, True, False and strings"
                )
        return tuple(found)
