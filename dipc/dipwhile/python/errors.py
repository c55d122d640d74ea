"""Messages about Python: what cannot be part of a mechanism, and dipc's own notation translated to Python's.

Messages about a Python function come from the same code as those about a .dip file. What they quote is
Python already, because it is taken from the file; their hints are translated by the table
:data:`NOTATION`.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

from dipc.dipwhile.python.source import FunctionText
from dipc.errors import InputError

# Python that cannot be part of a mechanism, and what to write instead.
UNREAD: dict[type[ast.AST], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("a nested function", "write what it does in its place"),
    ast.ClassDef: ("a nested class", "use plain variables and lists"),
    ast.Delete: ("`del`", "remove it: a variable that is not read again costs nothing"),
    ast.AsyncFor: ("`async for`", "use `for i in range(...)`"),
    ast.With: ("`with`", "remove it: a mechanism touches nothing but its variables"),
    ast.AsyncWith: ("`async with`", "remove it: a mechanism touches nothing but its variables"),
    ast.Match: ("`match`", "use `if` and `elif`"),
    ast.Raise: ("`raise`", "a mechanism always gives an output: return one that says so, such as 'failed'"),
    ast.Try: ("`try`", "nothing raises an exception in a mechanism: remove it"),
    ast.TryStar: ("`try`", "nothing raises an exception in a mechanism: remove it"),
    ast.Assert: ("`assert`", "the sets of the inputs say what holds for them"),
    ast.Global: ("`global`", "a mechanism changes nothing outside itself: use a local variable"),
    ast.Nonlocal: ("`nonlocal`", "a mechanism changes nothing outside itself: use a local variable"),
    ast.NamedExpr: ("`:=`", "assign the variable on a line of its own"),
    ast.Await: ("`await`", "nothing is awaited in a mechanism"),
    ast.Yield: ("`yield`", "`return` the outputs"),
    ast.YieldFrom: ("`yield`", "`return` the outputs"),
    ast.MatMult: ("`@`", "write the sum out"),
    ast.LShift: ("`<<`", "write `x * 2**k`"),
    ast.RShift: ("`>>`", "write `floor(x / 2**k)`"),
    ast.BitOr: ("`|`", "write `or`"),
    ast.BitAnd: ("`&`", "write `and`"),
    ast.BitXor: ("`^`", "write `!=` for truth values, `**` for a power"),
    ast.Invert: ("`~`", "write `not`"),
    ast.Is: ("`is`", "write `==`"),
    ast.IsNot: ("`is not`", "write `!=`"),
}


def less(match: re.Match[str]) -> str:
    """The match with its last number, an index, one less."""
    last = match.lastindex or 1
    text, start = match[0], match.start(last) - match.start()
    return f"{text[:start]}{int(match[last]) - 1}{text[match.end(last) - match.start() :]}"


NOTATION: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"`\w+\[(-?\d+)\]` does not exist", less),
    (r"are numbered from 1 to (\d+)", less),
    (r"numbered from 1 to", "numbered from 0 to"),
    (r"^arrays are indexed from 1$", "lists are counted from 0"),
    (r"^the index (-?\d+)(?= is outside)", less),
    (r"(?<=is outside )(\w+)\[1\.\.(\d+)\]", r"\1, which has \2 cells"),
    (r"\b(\w+\[(\d+)\])(?=` is read before|` on every path)", less),
    (r" <- ", " = "),
    (r"`if b then x = 1 else x = 0 end`", "`x = 1 if b else 0`"),
    (r"`x >= 1`, `x = bot`", "`x >= 1`, `x == 'bot'`"),
    (r"with `=` (and|or) `!=`", r"with `==` \1 `!=`"),
    (r"\bneeds an index here", "is a list and needs an index here"),
    (r"is an array and is a list", "is a list"),
    (r"\[1\]`, or use", "[0]`, or use"),
    (r"is not an array", "is not a list"),
    (r"takes a whole array", "takes a whole list"),
    (r"`x\^2`", "`x**2`"),
    (r"^use a parameter(?=, or write the loop with `while`$)", "use a constant"),
    (r"(?<=the bounds of a )`for`(?= must be constants)", "`range`"),
    (r"^add a line such as: adjacent linf 1$", 'add to the decorator, for example: adjacent="linf 1"'),
    (r"^add a .* private eps .*$", 'add to the decorator: private="eps"    (or give a claim: check("eps"))'),
    (
        r"a `for` loop with constant bounds, which is unrolled(; or ask `dipc prove`)?",
        "a `for` loop over a constant `range`",
    ),
)
"""Patterns in messages and hints, with their replacements in Python's notation."""

MISSING = re.compile(r"the output `(?P<output>\w+)(\[\d+\])?` has no value when the program ends")


def no_value(output: str, error: InputError, function: FunctionText) -> InputError:
    """An output without a value: usually a ``return`` is missing."""
    body = function.node.body
    returns = [node for node in ast.walk(function.node) if isinstance(node, ast.Return)]
    if not returns or ends(body) or any(ast.unparse(node) in ("return", "return None") for node in returns):
        hint = f"assign `{output}` on every path, or return its value: `return {output}`"
        return type(error)(pythonic(error.message), error.span, hint)
    open_one = without_else(body)
    return type(error)(
        f"a path through the function ends without `return`: the output `{output}` has no value there",
        function.place if open_one is None else function.headline(open_one),
        f"add a `return` at the end{'' if open_one is None else ', or an `else` that returns'}",
    )


def ends(block: Sequence[ast.stmt]) -> bool:
    """Does every path through the statements certainly reach a ``return``?"""
    return any(
        isinstance(node, ast.Return) or (isinstance(node, ast.If) and ends(node.body) and ends(node.orelse))
        for node in block
    )


def without_else(block: Sequence[ast.stmt]) -> ast.If | None:
    """The last ``if`` that returns on one side only, where that is because it has no ``else``."""
    for node in reversed(block):
        if isinstance(node, ast.If) and any(isinstance(part, ast.Return) for part in ast.walk(node)):
            side = next((side for side in (node.body, node.orelse) if side and not ends(side)), None)
            return (without_else(side) if side else None) or (None if node.orelse else node)
    return None


def pythonic(text: str) -> str:
    """The text in Python's notation.

    >>> pythonic("`q[4]` does not exist"), pythonic("copy it first: `x <- N`")
    ('`q[3]` does not exist', 'copy it first: `x = N`')
    """
    for pattern, replacement in NOTATION:
        text = re.sub(pattern, replacement, text)
    return text


def in_python(error: InputError, function: FunctionText) -> InputError:
    """The error in Python's notation, if it is about this Python file or about no place at all."""
    source = function.source
    if error.span is not None and error.span.source.name != source.name:
        return error
    if error.message == "division by zero" and error.span is not None:
        written = source.text[error.span.start : error.span.end]
        if error.span == function.place:
            hint = "add a `return` at the end, or None to the set of the output"
            return type(error)("a path through the function ends without `return`", error.span, hint)
        if re.match(r"return\b", written):
            message = "None or a string that is not in the set of the output is returned here on some path"
            return type(error)(message, error.span, 'add it: `outputs="out in {None, ...}"`')
        if not re.fullmatch(r".*(/|%|\*\*|mod|floor).*", written, re.DOTALL) or set(written) & set("[{"):
            hint = "make sure beforehand that it cannot: an index outside, a missing key or an empty list"
            return type(error)("the function stops here with an error on some path", error.span, hint)
    if missing := MISSING.fullmatch(error.message):
        return no_value(missing["output"], error, function)
    return type(error)(pythonic(error.message), error.span, pythonic(error.hint))


def speaking_python(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a mechanism, with its errors in Python's notation."""

    @functools.wraps(method)
    def spoken(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except InputError as error:
            raise in_python(error, self.text) from None

    return spoken
