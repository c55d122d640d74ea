"""The arguments of the decorator: inputs, outputs, adjacency and claim, as the language writes them.

``inputs="q[N] in {-1, 0, 1}"`` is what may follow ``input`` in a .dip file, and so on. If such a text
is a plain literal in the Python file, its mistakes are shown there: the parser reads the file with
everything else blanked out, so that the positions are right.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from dipc.dipwhile.python.source import FunctionText, described
from dipc.dipwhile.syntax.ast import Program
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.walk import AnyNode, rebuilt
from dipc.errors import InputError, Source, Span

Declarations = str | Sequence[str]
"""``"q[N] in {0, 1}"``, or several of them."""

PARTS = {"inputs": "inputs", "outputs": "outputs", "adjacent": "adjacency", "private": "claim"}
"""The part of a program that each argument of the decorator makes."""

EXAMPLES = {
    "inputs": 'inputs="q[N] in {0, 1}"',
    "outputs": 'outputs="out in {True, False}"',
    "adjacent": 'adjacent="linf 1"',
    "private": 'private="eps"',
}


def declared(told: Mapping[str, object], text: FunctionText) -> Program:
    """The decorator's arguments as a program without statements; mistakes are shown in the Python file."""
    places = {name: keyword.value for name, keyword in keywords(text).items()}
    parts: dict[str, Any] = {"adjacency": None, "claim": None}
    for what, value in told.items():
        place, part = places.get(what), PARTS[what]
        if what in ("inputs", "outputs"):
            lines = (line(what, written, where, text) for written, where in each(what, value, text, place))
            parts[part] = tuple(chain.from_iterable(getattr(program, part) for program in lines))
        elif value is not None:
            parts[part] = getattr(line(what, value, place, text), part)
    if not parts["outputs"]:
        raise InputError("the mechanism has no output", text.place, f"declare one: `{EXAMPLES['outputs']}`")
    return Program((), body=(), **parts)


def keywords(text: FunctionText) -> dict[str, ast.keyword]:
    """The arguments of the decorator that are found in the file, by name."""
    calls = [call for call in text.node.decorator_list if isinstance(call, ast.Call)]
    return {keyword.arg: keyword for call in calls for keyword in call.keywords if keyword.arg is not None}


def each(
    what: str, told: object, text: FunctionText, place: ast.expr | None
) -> Iterator[tuple[str, ast.expr | None]]:
    """The single texts, each with its place in the file."""
    span = text.place if place is None else text.span(place)
    match told:
        case str():
            yield told, place
        case list() | tuple():
            parts = place.elts if isinstance(place, ast.List | ast.Tuple) else []
            for position, written in enumerate(told):
                yield written, parts[position] if len(parts) == len(told) else place
        case _:
            wrong = "is missing" if told is None else f"must be a string, not {described(told)}"
            raise InputError(f"`{what}` {wrong}", span, f"for example `{EXAMPLES[what]}`")


def line(what: str, written: object, place: ast.expr | None, text: FunctionText) -> Program:
    """One line of declarations, read by the parser of the language."""
    span = text.place if place is None else text.span(place)
    if not isinstance(written, str):
        raise InputError(f"`{what}` must be a string", span, f"for example `{EXAMPLES[what]}`")
    written = lowered(written)
    word = what.removesuffix("s")
    before = f"param x = 0;{word} "
    start = literal(written, place, text)
    if start is None or start < len(before):
        start = len(before)
        real, shift = Source(f"{span.place} ({what})", written), start
    else:
        real, shift = text.source, 0
    blank = " " * (start - len(before))
    masked = Source(real.name, f"param x = 0;{blank}{word} {written.replace(chr(10), ' ')}")
    try:
        program = parse(masked)
    except InputError as error:
        raise moved_error(error, real, shift) from None
    found = [name for name, part in PARTS.items() if getattr(program, part)]
    if (
        found != [what] or program.body or len(program.params) > 1
    ):  # such as inputs="q in {0, 1}; private eps"
        raise InputError(f"`{what}` contains more than it should", span, f"for example `{EXAMPLES[what]}`")
    return moved(program, real, shift)


def lowered(written: str) -> str:
    """``True``, ``False`` and the words of strings as the language writes them, each in its place.

    >>> lowered("o in {None, 'yes', True}")
    'o in {None,  yes , true}'
    """
    words = re.sub(r"(?<!\w)(['\"])([A-Za-z_]\w*)\1", r" \2 ", written)
    return re.sub(r"\b(True|False)\b", lambda found: found[0].lower(), words)


def literal(written: str, place: ast.expr | None, text: FunctionText) -> int | None:
    """Where the characters of a literal begin in the file; None if they differ there (escapes)."""
    if not isinstance(place, ast.Constant) or not isinstance(place.value, str):
        return None
    quoted = text.written(place)
    opening = re.match(r"[rR]?(\"\"\"|'''|\"|')", quoted)
    if opening is None:
        return None
    inside = lowered(quoted[opening.end() : len(quoted) - len(opening[1])])
    return text.span(place).start + opening.end() if inside == written else None


def moved(node: AnyNode, source: Source, shift: int) -> AnyNode:
    """The same syntax with its places in another source, ``shift`` characters to the left."""
    inside = rebuilt(node, lambda part: moved(part, source, shift))
    return replace(inside, span=shifted(node.span, source, shift))


def moved_error(error: InputError, source: Source, shift: int) -> InputError:
    """The same error with its places in another source."""

    def elsewhere(found: re.Match[str]) -> str:
        place = Span(source, int(found[1]) - 1 - shift, int(found[1]) - shift)
        return f"line {place.line}, column {place.column}"

    span = None if error.span is None else shifted(error.span, source, shift)
    return type(error)(error.message, span, re.sub(r"line 1, column (\d+)", elsewhere, error.hint))


def shifted(span: Span, source: Source, shift: int) -> Span:
    """The same place in another source."""
    return Span(source, max(0, span.start - shift), max(0, span.end - shift))
