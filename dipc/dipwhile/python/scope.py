"""What the names of a function mean: variables, parameters, words of dipc, constants from outside."""

from __future__ import annotations

import ast
import itertools
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping

from flint import fmpq

from dipc.dipwhile.python.source import ABSENT, FunctionText, exact_number
from dipc.dipwhile.python.words import BUDGETS, MEANINGS, RESERVED
from dipc.dipwhile.syntax.ast import Binary, Eps, Expr, Name, Number, Op, Program, Unary
from dipc.dipwhile.syntax.build import LONGEST_NUMBER
from dipc.errors import InputError, Span
from dipc.models.arithmetic import check_spelling
from dipc.models.values import Atom


def unread(span: Span, what: str = "this") -> InputError:
    """The error for what is not read with its loops."""
    hint = "write it with `if`, loops over a `range` or list, lists of a fixed length, and words of dipc"
    return InputError(f"{what} is not read where a claim is for all sizes", span, hint)


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
        self.budgets = frozenset(argument.arg for argument in text.arguments) & frozenset(BUDGETS)
        self.inputs, self.outputs = (frozenset(d.name for d in ds) for ds in (parts.inputs, parts.outputs))
        self.binders: list[dict[str, Expr]] = []
        self.atoms: set[str] = set()
        check_spellings(text)
        stored = names_among(own_nodes(text.node))
        loops: dict[str, ast.Name] = {}
        for loop in ast.walk(text.node):
            if isinstance(loop, ast.For):
                kept = loops if counts(loop.iter, self.inputs) else stored
                kept |= names_among(ast.walk(loop.target))
        for name, node in (stored | loops).items():
            self.check_name(name, text.span(node))
        self.locals = frozenset(stored) - self.inputs - self.outputs
        self.loops = frozenset(loops) - stored.keys()
        self.taken = {*text.words, *self.inputs, *self.outputs, *self.constants}

    @property
    def variables(self) -> frozenset[str]:
        """The names that a statement may give a value, and the inputs."""
        return self.locals | self.inputs | self.outputs

    def check_name(self, name: str, span: Span) -> None:
        """Refuse a keyword as a name."""
        if name in RESERVED:
            raise unread(span, f"a variable `{name}`, which is a word of dipc,")

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
        name, span = node.id, self.text.span(node)
        if name in self.bound:
            return self.bound[name]
        if name in self.variables or name in self.constants:
            return Name(name, span=span)
        if name in self.loops:
            raise unread(span, f"`{name}` after its loop")
        value = self.text.outside(name)
        if name in self.budgets or (name in ("eps", "ε") and self.means("eps", name)):
            return Eps(span=span)
        if (exact := exact_number(value)) is None:
            return self.constant(value, span)
        self.check_name(name, span)
        if name in ("eps", "ε") or name in self.atoms:
            raise unread(span, f"this meaning of `{name}`")
        self.constants[name] = self.changed.get(name, exact)
        return Name(name, span=span)

    def constant(self, value: object, span: Span) -> Expr:
        """A value that does not depend on anything."""
        match value:
            case bool():
                return Name(str(value).lower(), span=span)
            case int() if value.bit_length() <= 4 * LONGEST_NUMBER:
                return Number(fmpq(value), span=span)
            case str() | Atom() | None:
                return self.atom(str(value), span)
        raise unread(span)

    def atom(self, text: str, span: Span) -> Name:
        """A string as an atom."""
        if not text.isidentifier() or not text.isascii() or text in RESERVED or self.knows(text):
            raise unread(span, f"the string {text!r}")
        self.atoms.add(text)
        self.taken.add(text)
        return Name(text, span=span)

    def is_word(self, node: ast.Name) -> bool:
        """Is this name a word of dipc here?"""
        return node.id in MEANINGS and not self.knows(node.id) and self.means(node.id, node.id)

    def means(self, word: str, name: str) -> bool:
        """Does a name that the function does not assign mean this word where the function is defined?"""
        value = self.text.outside(name)
        return value is ABSENT or any(value is meaning for meaning in MEANINGS[word])


def check_spellings(text: FunctionText, line: int | None = None) -> None:
    """Refuse the names that are not in ASCII, in one line or all."""
    for node in itertools.chain.from_iterable(map(ast.walk, (text.node.args, *text.node.body))):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) if name != "ε" and line in (None, node.lineno):
                check_spelling(name, text.span(node))


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
