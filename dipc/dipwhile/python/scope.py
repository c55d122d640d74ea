"""What the names of a function mean: variables, parameters, words of dipc, constants from outside."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain

from flint import fmpq

from dipc.dipwhile.python.errors import UnknownCall
from dipc.dipwhile.python.source import FunctionText, described
from dipc.dipwhile.python.words import BUDGETS, MEANINGS, RESERVED
from dipc.dipwhile.syntax.ast import Binary, Eps, Expr, Name, Number, Op, Program, Unary
from dipc.dipwhile.syntax.distributions import OTHER_NOISE
from dipc.dipwhile.syntax.functions import OTHER_NAMES
from dipc.errors import InputError, Span
from dipc.models.arithmetic import check_spelling
from dipc.models.values import Atom
from dipc.suggest import did_you_mean

ABSENT = object()
BUILT_IN = ("round", "int", "pow")  # words of Python


def number(value: fmpq, span: Span) -> Expr:
    """The number as the parser would read it: a sign and a quotient are operations (-1/3, but 0.25)."""
    decimal = pow(10, int(value.q).bit_length(), int(value.q)) == 0
    top: Expr = Number(abs(value) if decimal else abs(fmpq(value.p)), span=span)
    if value < 0:
        top = Unary(Op.NEG, top, span=span)
    return top if decimal else Binary(Op.DIV, top, Number(fmpq(value.q), span=span), span=span)


class Scope:
    """The names of one function.  ``constants`` grows: a number from outside is added when it is used."""

    def __init__(
        self, text: FunctionText, parts: Program, constants: dict[str, fmpq], changed: Mapping[str, fmpq]
    ) -> None:
        self.text, self.constants, self.changed = text, constants, changed
        arguments = text.node.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        self.budgets = frozenset(argument.arg for argument in every) & frozenset(BUDGETS)
        self.inputs, self.outputs = (frozenset(d.name for d in ds) for ds in (parts.inputs, parts.outputs))
        self.binders: list[dict[str, Expr]] = []
        self.atoms: set[str] = set()
        for node in chain.from_iterable(map(ast.walk, (self.text.node.args, *self.text.node.body))):
            match node:
                case ast.Name(id=name) | ast.arg(arg=name) if name != "ε":
                    check_spelling(name, self.text.span(node))
        stored = names_among(own_nodes(self.text.node))
        loops: dict[str, ast.Name] = {}
        for loop in ast.walk(self.text.node):
            if isinstance(loop, ast.For):
                kept = loops if counts(loop.iter, self.inputs) else stored
                kept |= names_among(ast.walk(loop.target))
        for name, node in (stored | loops).items():
            self.check_name(name, self.text.span(node))
        self.locals = frozenset(stored) - self.inputs - self.outputs
        self.loops = frozenset(loops) - stored.keys()
        self.taken = {*self.text.words, *self.inputs, *self.outputs, *self.constants}

    @property
    def variables(self) -> frozenset[str]:
        """The names that a statement may give a value, and the inputs."""
        return self.locals | self.inputs | self.outputs

    def check_name(self, name: str, span: Span) -> None:
        """Refuse a keyword as a name."""
        if name in RESERVED:
            hint = "choose another name"
            raise InputError(f"`{name}` is a keyword of dipc and cannot be used as a name", span, hint)

    def fresh(self, stem: str) -> str:
        """A variable name that does not occur in the function."""
        names = (f"{stem}{number}" for number in itertools.count(1))
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        return name

    @property
    def bound(self) -> ChainMap[str, Expr]:
        """The variables of the enclosing comprehensions, loops and scores, with their meanings."""
        return ChainMap(*reversed(self.binders))

    def knows(self, name: str) -> bool:
        """Whether the function uses this name already."""
        return any(name in used for used in (self.variables, self.constants, self.loops, self.bound))

    # --- what a name means -------------------------------------------------------------------

    def read(self, node: ast.Name) -> Expr:
        """The meaning of a name in an expression."""
        span = self.text.span(node)
        if node.id in self.bound:
            return self.bound[node.id]
        if node.id in self.variables or node.id in self.constants:
            return Name(node.id, span=span)
        if node.id in self.loops:
            hint = f"keep it: `last = {node.id}` in the loop"
            raise InputError(f"`{node.id}` has a value only inside its loop", span, hint)
        if node.id in self.budgets:
            return Eps(span=span)
        if node.id in ("eps", "ε"):
            self.check_word(node, "eps")
            return Eps(span=span)
        return self.constant(node.id, self.outside(node.id), span)

    def constant(self, name: str, value: object, span: Span) -> Expr:
        """A constant from outside: a number becomes a parameter, a string an atom."""
        if value is ABSENT and name in ("e", "pi"):
            raise InputError(f"unknown name `{name}`", span, "write `exp(x)` for the power of e")
        if value is ABSENT:
            known = {*self.variables, *self.constants, *self.bound, "eps"}
            hint = "assign it first, or define a constant outside; strings are quoted"
            raise InputError(f"unknown name `{name}`", span, did_you_mean(name, known, hint))
        exact = exact_number(value)
        if exact is not None:
            self.check_name(name, span)
            if name in self.atoms:
                raise self.both(name, span)
            self.constants[name] = self.changed.get(name, exact)
            return Name(name, span=span)
        symbol = self.symbol(value, span)
        if symbol is not None:
            return symbol
        if isinstance(value, float):
            message = f"`{name}` is the float {value!r}, which is rarely the exact number that was meant"
            hint = f'make it exact where it is defined: `{name} = Fraction("{value!r}")`'
            raise InputError(message, span, hint)
        hint = "only numbers (int, Fraction), Booleans and strings can be taken from outside the function"
        raise InputError(f"`{name}` is {described(value)}, not a number", span, hint)

    def symbol(self, value: object, span: Span) -> Name | None:
        """A truth value or atom for a Python value; None for other values."""
        match value:
            case bool():
                return Name(str(value).lower(), span=span)
            case str() | Atom():
                return self.atom(str(value), span)
        return None

    def adopt(self, name: str) -> None:
        """A name in a declaration: if it is a number outside the function, it is a parameter."""
        if name in self.variables or name in self.constants or name in RESERVED:
            return
        exact = exact_number(self.outside(name))
        if exact is not None:
            self.constants[name] = self.changed.get(name, exact)

    def atom(self, text: str, span: Span) -> Name:
        """A string as an atom."""
        if not text.isidentifier() or not text.isascii() or text in RESERVED:
            hint = "use one word of ASCII letters, digits and _ that has no other meaning, such as 'top'"
            raise InputError(f"the string {text!r} cannot be a value of dipc", span, hint)
        if self.knows(text):
            raise self.both(text, span)
        self.atoms.add(text)
        self.taken.add(text)
        return Name(text, span=span)

    def both(self, text: str, span: Span) -> InputError:
        """The error for a string that is also a name."""
        hint = "rename one of them: dipc writes both without quotes"
        return InputError(f"{text!r} is a string, but `{text}` is a name of this function", span, hint)

    def check_word(self, node: ast.Name, word: str) -> None:
        """Refuse a word of dipc that has another meaning where the function is defined."""
        if self.knows(node.id):
            message = f"`{node.id}` is a variable of this function and not {dipcs(word)}"
            raise self.text.mistake(node, message, "rename the variable")
        value = self.outside(node.id)
        if value is ABSENT or any(value is meaning for meaning in MEANINGS[word]):
            return
        every = "a mechanism covers every eps at once: give that value another name"
        hint = every if word == "eps" else "rename the other one"
        raise self.text.mistake(node, f"`{node.id}` is {described(value)} here and not {dipcs(word)}", hint)

    def outside(self, name: str) -> object:
        """The Python object with this name outside the function."""
        function = self.text.function
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        if name not in cells:
            return function.__globals__.get(name, getattr(builtins, name, ABSENT))
        try:
            return cells[name].cell_contents
        except ValueError:  # not assigned yet
            return ABSENT

    def check_called(self, node: ast.Name) -> None:
        """Refuse to call anything that is not a word of dipc."""
        if node.id in MEANINGS:
            return self.check_word(node, node.id)
        if node.id in OTHER_NOISE or (node.id in OTHER_NAMES and node.id not in BUILT_IN):
            return None  # refused by name later
        hint = "dipc does not read your own functions: write out what it does"
        if self.outside(node.id) is ABSENT:
            hint = did_you_mean(node.id, MEANINGS, hint)
        raise UnknownCall(f"`{node.id}` cannot be called here", self.text.span(node), hint)


def dipcs(word: str) -> str:
    """How messages name a word of dipc."""
    return "the privacy parameter" if word == "eps" else f"dipc's `{word}`"


def exact_number(value: object) -> fmpq | None:
    """The rational number that a Python object is; None for other objects."""
    match value:
        case bool() | float():
            return None
        case fmpq():
            return value
        case int() | Fraction():
            return fmpq(value.numerator, value.denominator)
    return None


def counts(iterable: ast.expr, inputs: frozenset[str]) -> bool:
    """Does a loop over this only count?  The cells of an input never change, those of another list may."""
    match iterable:
        case ast.Call(ast.Name("enumerate"), [listed], []):
            return counts(listed, inputs)
        case ast.Call():
            return True
        case ast.Name(name):
            return name in inputs
    return False


def names_among(nodes: Iterable[ast.AST]) -> dict[str, ast.Name]:
    """The names that are assigned by some of the nodes."""
    return {node.id: node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, but not what binds the variable of a loop, a comprehension or a lambda."""
    todo: list[ast.AST] = [node]
    while todo:
        current = todo.pop()
        yield current
        match current:
            case ast.For(_, iterable, body, orelse):
                todo += [iterable, *body, *orelse]
            case ast.comprehension(_, iterable, ifs):
                todo += [iterable, *ifs]
            case ast.Lambda(_, body):
                todo.append(body)
            case _:
                todo += ast.iter_child_nodes(current)
