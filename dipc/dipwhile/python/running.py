"""Calling a mechanism: the user's own code is run, with the numbers that dipc read in it.

The code is that of the file, with its line numbers, but for four things: a decimal such as ``0.1`` is the
number 1/10, ``/`` and ``**`` of exact numbers are exact, the entries of a ``choose`` stay apart where
their values are equal, and numpy, which knows no fractions, gets floats.  The names of words that are not
imported are found, and ``eps`` is the number of the call.  Functions of the same module that it calls run in
the same way.
"""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from inspect import signature
from traceback import extract_tb
from types import CellType, CodeType, FunctionType
from typing import Any

from flint import fmpq

from dipc.dipwhile.convert import to_eps
from dipc.dipwhile.python import words
from dipc.dipwhile.python.samplers import coins
from dipc.dipwhile.python.source import FunctionText, line_span, python_number, text_of
from dipc.dipwhile.python.words import MEANINGS, RUN, Run
from dipc.errors import InputError

MEANT, FITTED = "dipc.meant", "dipc.fitted"
"""Global names of the code that no program can contain."""

OPERATORS: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Div: ("dipc.divided", words.divided),
    ast.Pow: ("dipc.power", words.power),
    ast.Add: ("dipc.add", operator.add),
    ast.Sub: ("dipc.sub", operator.sub),
    ast.Mult: ("dipc.mul", operator.mul),
}
BUDGET = ("eps", "ε", "epsilon")
"""What the privacy parameter may be called in a call."""

Functions = dict[FunctionType, FunctionType]
WORDS = {name: meanings[0] for name, meanings in MEANINGS.items()}
SAME = {id(each): meanings[0] for word, meanings in MEANINGS.items() for each in meanings if word != "exp"}
"""The words by the objects that mean them: ``math.floor`` is ``floor``.  ``math.exp`` stays a float, which
numpy and ``random`` can take; dipc's own ``exp`` is exact."""


def meant(value: Any) -> Any:
    """The word that an object means; a function of numpy with floats for fractions; another object itself."""
    owner = value if isinstance(value, type) else type(getattr(value, "__self__", value))
    homes = (owner.__module__, getattr(value, "__module__", None))
    numpys = any(str(home).startswith("numpy") for home in homes)
    if callable(value) and owner is not value and numpys and value.__name__ != "shuffle":  # that is in place
        return lambda *given, **named: value(*as_floats(given), **as_floats(named))
    return SAME.get(id(value), value)


def as_floats(value: Any) -> Any:
    """An argument of numpy: fractions become floats, in lists and arrays too."""
    match value:
        case Fraction():
            return float(value)
        case list() | tuple() if type(value) in (list, tuple):
            return type(value)(map(as_floats, value))
        case dict():
            return {key: as_floats(each) for key, each in value.items()}
    return value


def fitted(value: Any, other: Any) -> Any:
    """A number that is combined with an array of numpy is a float there."""
    return float(value) if isinstance(value, Fraction) and type(other).__module__ == "numpy" else value


def fitting(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator that also takes a fraction with an array of numpy."""
    return lambda a, b: function(fitted(a, b), fitted(b, a))


class ExactNumbers(ast.NodeTransformer):
    """The syntax of a function whose numbers are exact; ``constants`` collects its decimals, by name."""

    def __init__(self, text: FunctionText) -> None:
        self.text = text
        self.constants: dict[str, Fraction] = {}

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """``0.1``: a global name whose value is 1/10."""
        if not isinstance(node.value, float):
            return node
        written = self.text.written(node).replace("_", "")
        self.constants[f"dipc.{written}"] = Fraction(written)
        return ast.copy_location(ast.Name(f"dipc.{written}", ast.Load()), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """``a / b`` and the like: calls."""
        self.generic_visit(node)
        word = OPERATORS.get(type(node.op))
        return node if word is None else called(word[0], [node.left, node.right], node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        """``a /= b``: ``a = a / b``; ``a += b`` changes a list in place."""
        self.generic_visit(node)
        before = copy.deepcopy(node.target)
        before.ctx = ast.Load()
        if isinstance(node.op, ast.Div | ast.Pow):
            value = called(OPERATORS[type(node.op)][0], [before, node.value], node)
            return ast.copy_location(ast.Assign([node.target], value), node)
        if type(node.op) in OPERATORS and isinstance(node.target, ast.Name):
            node.value = called(FITTED, [node.value, before], node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """``math.floor``: the word that it means."""
        self.generic_visit(node)
        return node if not isinstance(node.ctx, ast.Load) else called(MEANT, [node], node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """``choose({v: p, w: p})``: a list of pairs, which may have v = w."""
        match node:
            case ast.Call(ast.Name("choose"), [ast.Dict(keys, values) as table], []) if None not in keys:
                pairs = [ast.Tuple([k, p], ast.Load()) for k, p in zip(keys, values, strict=True) if k]
                node.args = [ast.copy_location(ast.List([*pairs], ast.Load()), table)]
        self.generic_visit(node)
        return node


def called(word: str, arguments: list[ast.expr], place: ast.AST) -> ast.Call:
    """A call of a global name."""
    return ast.copy_location(ast.Call(ast.Name(word, ast.Load()), arguments, []), place)


@dataclass(frozen=True, slots=True)
class Call:
    """What one call fixes: eps, and constants of the module with other values."""

    eps: Fraction | None
    changed: Mapping[str, Any]


class Runnable:
    """A function, ready to be run."""

    def __init__(self, text: FunctionText) -> None:
        exact = ExactNumbers(text)
        node = exact.visit(copy.deepcopy(text.node))
        node.decorator_list, node.returns = [], None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        module = ast.fix_missing_locations(ast.Module([node], []))
        self.text, self.function = text, text.function
        self.code: CodeType = compile(module, text.function.__code__.co_filename, "exec", dont_inherit=True)
        self.names = {part.id for part in ast.walk(text.node) if isinstance(part, ast.Name)}
        self.fixed: dict[str, Any] = {
            **exact.constants,
            **{name: fitting(function) for name, function in OPERATORS.values()},
            MEANT: meant,
            FITTED: fitted,
        }

    def made(self, call: Call, constants: Mapping[str, Any], known: Functions) -> FunctionType:
        """The function for one call, with more global names; ``known`` are the functions made for it."""
        function = self.function
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        namespace = {**WORDS, **function.__globals__, **dict(opened(cells)), **constants, **self.fixed}
        exec(self.code, namespace)
        made: FunctionType = namespace[function.__name__]
        made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
        known[function] = made
        for name in self.names & namespace.keys():
            value = namespace[name]
            if isinstance(value, FunctionType) and value.__globals__ is function.__globals__:
                namespace[name] = known.get(value) or runnable(value).made(call, call.changed, known)
            elif value is words.eps and call.eps is not None:
                namespace[name] = call.eps
            else:
                namespace[name] = meant(value)
        return made


@cache
def runnable(function: FunctionType) -> Runnable:
    """A function that a mechanism calls, ready to be run."""
    return Runnable(text_of(function))


def opened(cells: Iterable[tuple[str, CellType]]) -> Iterator[tuple[str, Any]]:
    """The variables of the enclosing functions that have a value."""
    for name, cell in cells:
        with suppress(ValueError):  # not assigned yet
            yield name, cell.cell_contents


def run(
    ready: Runnable,
    constants: Mapping[str, fmpq],
    changed: Mapping[str, fmpq],
    given: tuple[Any, ...],
    named: dict[str, Any],
    rng: Any,
) -> Any:
    """What the function returns: ``named`` may have an eps, ``changed`` are constants with other values."""
    parameters = signature(ready.function, follow_wrapped=False).parameters
    before = RUN.get()
    eps = before.eps if before is not None else None
    for name in [name for name in BUDGET if name in named]:
        eps = words.exactly(to_eps(named[name]), name)
        del named[name]
    if eps is not None:
        named |= {name: eps for name in BUDGET if name in parameters}
    call = Call(eps, as_python(changed))
    own = as_python({**constants, **changed})
    bound = signature(ready.function, follow_wrapped=False).bind_partial(*given, **named).arguments
    named |= {name: value for name, value in own.items() if name in parameters and name not in bound}
    made = ready.made(call, own, {})
    token = RUN.set(Run(eps, before.coins if before is not None and rng is None else coins(rng)))
    try:
        return made(*given, **named)
    except InputError as error:
        raise at_its_line(error, ready) from None
    finally:
        RUN.reset(token)


def as_python(constants: Mapping[str, fmpq]) -> dict[str, Any]:
    """Constants as integers and fractions."""
    return {name: python_number(value) for name, value in constants.items()}


def at_its_line(error: InputError, ready: Runnable) -> InputError:
    """The error at the line of the user's code from which it comes."""
    frames = extract_tb(error.__traceback__)
    file = ready.function.__code__.co_filename
    line = next((frame.lineno for frame in reversed(frames) if frame.filename == file), None)
    if error.span is not None or line is None:
        return error
    return type(error)(error.message, line_span(ready.text.source, line), error.hint)
