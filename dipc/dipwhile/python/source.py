"""The text of a function: its place in its file, and the place of each part of its syntax tree.

The file is found through Python's ``linecache``, as ``inspect.getsource`` does, so that notebook cells
and doctests work too.  Only the lines of the function are parsed: a cell may hold magic commands elsewhere.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from types import FunctionType

from flint import fmpq

from dipc.dipwhile.syntax.ast import Binary, Expr, Number, Op, Unary
from dipc.errors import InputError, Source, Span
from dipc.models.arithmetic import check_spelling

ABSENT = object()
"""The value of a name that has none."""

Located = ast.expr | ast.stmt | ast.arg | ast.keyword
"""The nodes that have a place in the text."""


@dataclass(frozen=True)
class FunctionText:
    """A function with its place in a file; ``node`` has the line numbers of the file."""

    function: FunctionType
    source: Source
    node: ast.FunctionDef

    @cached_property
    def _lines(self) -> list[tuple[int, str]]:
        """The lines of the file, each with its position."""
        lines = [line + "\n" for line in self.source.text.split("\n")]
        return list(zip(accumulate(map(len, lines), initial=0), lines, strict=False))

    def _offset(self, line: int, column: int) -> int:
        """The position of a column, which Python counts in bytes."""
        start, text = self._lines[line - 1]
        return start + len(text.encode()[:column].decode(errors="ignore"))

    def span(self, node: Located) -> Span:
        """The characters of a node."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = self._offset(node.lineno, node.col_offset)
        return Span(self.source, start, self._offset(node.end_lineno, node.end_col_offset))

    def written(self, node: Located) -> str:
        """The text of a node."""
        span = self.span(node)
        return span.source.text[span.start : span.end]

    def start_of(self, node: Located, length: int) -> Span:
        """The first characters of a node."""
        start = self.span(node).start
        return Span(self.source, start, start + length)

    def headline(self, statement: ast.stmt) -> Span:
        """The first line of a statement."""
        return self.start_of(statement, len(self.written(statement).partition("\n")[0].rstrip()))

    @property
    def arguments(self) -> tuple[ast.arg, ...]:
        """The arguments with names."""
        arguments = self.node.args
        return (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)

    def outside(self, name: str) -> object:
        """The Python object with this name outside the function."""
        function = self.function
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        if name not in cells:
            return function.__globals__.get(name, getattr(builtins, name, ABSENT))
        try:
            return cells[name].cell_contents
        except ValueError:  # not assigned yet
            return ABSENT

    @property
    def own(self) -> Source:
        """The text of the function and its decorators alone, with empty lines before it."""
        first = min([self.node.lineno, *(decorator.lineno for decorator in self.node.decorator_list)])
        before = "\n" * (first - 1)
        return Source(self.source.name, before + self.until_end.text[self._offset(first, 0) :])

    @property
    def place(self) -> Span:
        """The name of the function."""
        span = self.span(self.node)
        start = span.source.text.index(self.node.name, span.source.text.index("def", span.start) + 3)
        return Span(span.source, start, start + len(self.node.name))

    @property
    def words(self) -> set[str]:
        """The words in the function and its decorators."""
        return set(re.findall(r"\w+", self.own.text))

    @property
    def until_end(self) -> Source:
        """The file up to the end of the function: errors at the end of the program are shown there."""
        return Source(self.source.name, self.source.text[: self.span(self.node).end])

    def mistake(self, node: Located, message: str, hint: str) -> InputError:
        """The error at a node."""
        return InputError(message, self.span(node), hint)


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


def python_number(value: fmpq | Fraction) -> int | Fraction:
    """An exact number as Python's: an integer, if it is one."""
    exact = Fraction(int(value.numerator), int(value.denominator))
    return exact.numerator if exact.denominator == 1 else exact


NUMBER = r"(?<![\w.])(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?"


def written_number(source: Source, name: str, value: float) -> Fraction | None:
    """The decimal number that a float is, if the file has it in an assignment to this name.

    >>> written_number(Source("a.py", "T: float = 0.1  # or 0.2"), "T", 0.1)
    Fraction(1, 10)
    """
    lines = rf"^\s*{re.escape(name)}\b[^=\n]*=(.*(?:\n[ \t\]}})].*)*)"  # those that go on are indented
    for text in re.findall(lines, source.text, re.MULTILINE):
        for written in re.findall(NUMBER, re.sub("#.*", "", text)):
            if abs(value) == float(written):
                return Fraction(written.replace("_", "")) * (1 if value >= 0 else -1)
    return None


def decimal_note(written: str, exact: Fraction) -> str | None:
    """The note about a decimal number that no float is equal to."""
    if not exact.denominator & (exact.denominator - 1):
        return None
    return f"decimal numbers are exact: {written} is {exact}, not the nearest float"


def line_span(source: Source, number: int) -> Span:
    """A line of a text, without its indentation."""
    lines = source.text.split("\n")
    start, text = sum(len(line) + 1 for line in lines[: number - 1]), lines[number - 1]
    return Span(source, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))


def text_of(function: object) -> FunctionText:
    """The text of a function.  Raises :class:`InputError` if it cannot be a mechanism."""
    function = checked_function(function)
    code = function.__code__
    lines = lines_of(function)
    block = inspect.getblock(lines[code.co_firstlineno - 1 :])
    indented = block[0][:1].isspace()
    try:
        module = ast.parse("if 1:\n" * indented + "".join(block))
    except SyntaxError as error:
        raise changed(function) from error
    statement = module.body[0]
    node = statement.body[0] if isinstance(statement, ast.If) else statement
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        raise changed(function)
    ast.increment_lineno(node, code.co_firstlineno - 1 - indented)
    return FunctionText(function, Source(file_name(code.co_filename), "".join(lines)), node)


def checked_function(function: object) -> FunctionType:
    """A plain function that is not a lambda, coroutine or generator."""
    if not isinstance(function, FunctionType):
        hint = "put the decorator right above a `def`"
        raise InputError(f"a mechanism is a function, not {described(function)}", hint=hint)
    if function.__name__ == "<lambda>":
        raise InputError("a `lambda` cannot be a mechanism", hint="write a function with `def`")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        message = f"`{function.__name__}` is a coroutine or generator, which cannot be a mechanism"
        hint = "write a plain function that returns its outputs"
        raise InputError(message, hint=hint)
    return function


def lines_of(function: FunctionType) -> Sequence[str]:
    """The lines of the file or cell that contains a function."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if len(lines) < code.co_firstlineno:
        message = f"the source of `{function.__name__}` is not available: it is not in a file"
        hint = "write the function in a file or a notebook cell; Python keeps no source for code typed "
        hint += "at its prompt, passed to `python -c` or run by `exec`"
        raise InputError(f"{message} ({code.co_filename})", hint=hint)
    return lines


def described(value: object) -> str:
    """What a Python object is, in a few words: ``the float 0.5`` or ``a list``."""
    if isinstance(value, int | float | complex | Fraction):
        return f"the {type(value).__name__} {value}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def changed(function: FunctionType) -> InputError:
    """The error for a file that was edited after it was loaded."""
    message = f"{file_name(function.__code__.co_filename)} has changed since `{function.__name__}` was loaded"
    return InputError(message, hint="load it again")


def file_name(path: str) -> str:
    """How messages name a file: relative if it is below the working directory; a notebook cell is ``<cell>``.

    >>> file_name("/tmp/ipykernel_12/34.py"), file_name(str(Path.cwd() / "a.py"))
    ('<cell>', 'a.py')
    """
    if "ipykernel_" in path or path.startswith("<ipython"):
        return "<cell>"
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path


def number(value: fmpq, span: Span) -> Expr:
    """The number as the parser would read it: a sign and a quotient are operations (-1/3, but 0.25)."""
    decimal = pow(10, int(value.q).bit_length(), int(value.q)) == 0
    top: Expr = Number(abs(value) if decimal else abs(fmpq(value.p)), span=span)
    if value < 0:
        top = Unary(Op.NEG, top, span=span)
    return top if decimal else Binary(Op.DIV, top, Number(fmpq(value.q), span=span), span=span)


def check_spellings(text: FunctionText, line: int | None = None) -> None:
    """Refuse the names that are not in ASCII, in one line or all."""
    for node in chain.from_iterable(map(ast.walk, (text.node.args, *text.node.body))):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) if name != "ε" and line in (None, node.lineno):
                check_spelling(name, text.span(node))


def names_among(nodes: Iterable[ast.AST]) -> dict[str, ast.Name]:
    """The names that are assigned by some of the nodes."""
    return {node.id: node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
