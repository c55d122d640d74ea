"""The arguments of the decorator: inputs, outputs, adjacency and claim, as the language writes them.

``inputs="q[N] in {-1, 0, 1}"`` is what may follow ``input`` in a .dip file, and so on. If such a text
is a plain literal in the Python file, its mistakes are shown there: the parser reads the file with
everything else blanked out, so that the positions are right.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from dipc.dipwhile.python.source import FunctionText
from dipc.dipwhile.syntax.ast import Adjacency, Claim, Declaration, Program
from dipc.dipwhile.syntax.parser import parse
from dipc.dipwhile.syntax.walk import AnyNode, rebuilt
from dipc.errors import InputError, Source, Span
from dipc.models.values import Atom

PythonValues = Iterable[int | bool | str | Fraction | fmpq | Atom]
Declarations = str | Sequence[str] | Mapping[str, str | PythonValues]
"""``"q[N] in {0, 1}"``, several of them, or ``{"q[N]": {0, 1}}``."""

EXAMPLES = {
    "inputs": 'inputs="q[N] in {0, 1}"',
    "outputs": 'outputs="out in {True, False}"',
    "adjacent": 'adjacent="linf 1"',
    "private": 'private="eps"',
}


@dataclass(frozen=True, slots=True)
class Told:
    """The arguments of the decorator."""

    inputs: object
    outputs: object
    adjacent: object
    private: object


@dataclass(frozen=True, slots=True)
class Declared:
    """The declarations of a mechanism, as syntax."""

    inputs: tuple[Declaration, ...]
    outputs: tuple[Declaration, ...]
    adjacency: Adjacency | None
    claim: Claim | None


def declared(told: Told, text: FunctionText) -> Declared:
    """The declarations; a mistake is shown in the Python file."""
    places = keywords(text)
    inputs = declarations("inputs", told.inputs, text, places)
    outputs = declarations("outputs", told.outputs, text, places)
    if not outputs:
        raise InputError("the mechanism has no output", text.place, f"declare one: `{EXAMPLES['outputs']}`")
    adjacency = claim = None
    if told.adjacent is not None:
        adjacency = line("adjacent", told.adjacent, text, places.get("adjacent")).adjacency
    if told.private is not None:
        claim = line("private", told.private, text, places.get("private")).claim
    return Declared(inputs, outputs, adjacency, claim)


def keywords(text: FunctionText) -> dict[str, ast.expr]:
    """The arguments of the decorator that are found in the file, by name."""
    for decorator in text.node.decorator_list:
        if isinstance(decorator, ast.Call):
            found = {keyword.arg: keyword.value for keyword in decorator.keywords if keyword.arg is not None}
            if "outputs" in found or "inputs" in found:
                return found
    return {}


def declarations(
    what: str, told: object, text: FunctionText, places: Mapping[str, ast.expr]
) -> tuple[Declaration, ...]:
    """The declarations of inputs or of outputs."""
    return tuple(
        declaration
        for written, place in each(what, told, text, places.get(what))
        for declaration in getattr(line(what, written, text, place), what)
    )


def each(
    what: str, told: object, text: FunctionText, place: ast.expr | None
) -> Iterator[tuple[str, ast.expr | None]]:
    """The single texts, each with its place in the file."""
    span = text.place if place is None else text.span(place)
    match told:
        case str():
            yield told, place
        case Mapping():
            for name, values in told.items():
                yield (
                    (
                        f"{name} in {values}"
                        if isinstance(values, str)
                        else f"{name} in {shown(values, what, span)}"
                    ),
                    place,
                )
        case list() | tuple():
            parts = place.elts if isinstance(place, ast.List | ast.Tuple) else []
            for position, written in enumerate(told):
                yield written, parts[position] if len(parts) == len(told) else place
        case _:
            raise InputError(
                f"`{what}` is missing" if told is None else f"`{what}` is not a declaration",
                span,
                f"for example `{EXAMPLES[what]}`",
            )


def shown(values: Any, what: str, span: Span) -> str:
    """A Python collection as a set of the language; a Python set is sorted, because it has no order."""
    members = sorted(values, key=in_order) if isinstance(values, Set) else list(values)
    return "{" + ", ".join(member(value, what, span) for value in members) + "}"


def in_order(value: object) -> tuple[bool, Any]:
    """Numbers first, by size; then texts."""
    if isinstance(value, str | Atom):
        return True, str(value)
    return False, value


def member(value: object, what: str, span: Span) -> str:
    """A Python value as a member of a set in the language."""
    match value:
        case bool():
            return str(value).lower()
        case int() | Fraction() | fmpq():
            return str(value)
        case str() | Atom() if str(value).isidentifier():
            return str(value)
    hint = "use integers, fractions, True, False and strings of one word"
    raise InputError(f"{value!r} cannot be in the set of an {what.removesuffix('s')}", span, hint)


WORDS = {"inputs": "input", "outputs": "output", "adjacent": "adjacent", "private": "private"}


def line(what: str, written: object, text: FunctionText, place: ast.expr | None) -> Program:
    """One line of declarations, read by the parser of the language."""
    if not isinstance(written, str):
        span = text.place if place is None else text.span(place)
        raise InputError(f"`{what}` must be a string", span, f"for example `{EXAMPLES[what]}`")
    written = re.sub(r"\b(True|False)\b", lambda found: found[0].lower(), written)
    span = text.place if place is None else text.span(place)
    before = f"param x = 0;{WORDS[what]} "
    start = literal(written, place, text)
    if start is None or start < len(before):
        start = len(before)
        real, shift = Source(f"{span.place} ({what})", written), start
    else:
        real, shift = text.source, 0
    blank = " " * (start - len(before))
    masked = Source(real.name, f"param x = 0;{blank}{WORDS[what]} {written.replace(chr(10), ' ')}")
    try:
        program = parse(masked)
    except InputError as error:
        raise moved_error(error, real, shift) from None
    check_alone(what, program, span)
    return moved(program, real, shift)


def check_alone(what: str, program: Program, span: Span) -> None:
    """Refuse ``inputs="q in {0, 1}; private eps"``."""
    parts: dict[str, object] = {
        "inputs": program.inputs,
        "outputs": program.outputs,
        "adjacent": program.adjacency,
        "private": program.claim,
    }
    others = [part for name, part in parts.items() if part and name != what]
    if others or program.body or len(program.params) > 1 or not parts[what]:
        raise InputError(f"`{what}` contains more than it should", span, f"for example `{EXAMPLES[what]}`")


def literal(written: str, place: ast.expr | None, text: FunctionText) -> int | None:
    """Where the characters of a literal begin in the file; None if they differ there (escapes)."""
    if not isinstance(place, ast.Constant) or not isinstance(place.value, str):
        return None
    span = text.span(place)
    quoted = text.source.text[span.start : span.end]
    opening = re.match(r"[rR]?(\"\"\"|'''|\"|')", quoted)
    if opening is None:
        return None
    inside = quoted[opening.end() : len(quoted) - len(opening[1])]
    lowered = re.sub(r"\b(True|False)\b", lambda found: found[0].lower(), inside)
    return span.start + opening.end() if lowered == written else None


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
