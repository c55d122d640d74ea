"""Distributions, sets and choices written as in another language: the same thing in the right form."""

from __future__ import annotations

import re

from dipc.dipwhile.syntax.situation import SAMPLING, Situation, span_of
from dipc.errors import InputError

INTEGER = r"-?\d+"


def bracketed(s: Situation, position: int) -> str:
    """The text inside the brackets that open at a position, as far as its line goes.

    >>> from lark import Token
    >>> from dipc.errors import Source
    >>> source = Source("", "Exp(eps, {1, 2}, 0) + 1")
    >>> bracketed(Situation(source, [], Token("$END", ""), frozenset()), 3)
    'eps, {1, 2}, 0'
    """
    depth = 0
    for length, sign in enumerate(s.source.text[position:].partition("\n")[0]):
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            return s.source.text[position + 1 : position + length].strip()
    return ""


def split_arguments(text: str) -> list[str]:
    """The arguments of a call.

    >>> split_arguments("eps/2, {lo, hi}, 1")
    ['eps/2', '{lo, hi}', '1']
    """
    arguments, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] += sign
    return [argument.strip() for argument in arguments]


def range_in_braces(s: Situation) -> InputError | None:
    """``{0..3}``."""
    if s.found.type != "DOTS" or not s.brackets or s.brackets[-1].type != "LBRACE":
        return None
    inside = bracketed(s, span_of(s.source, s.brackets[-1]).start)
    if not inside or "," in inside:
        return InputError("a range cannot stand inside a set", s.span, "list the values: `{0, 1, 2}`")
    before = s.seen[next(i for i, token in enumerate(s.seen) if token is s.brackets[-1]) - 1]
    return InputError(
        "a range is written without braces", span_of(s.source, s.brackets[-1]), f"write `{before} {inside}`"
    )


def set_in_brackets(s: Situation) -> InputError | None:
    """``uniform(0, 1)``, ``uniform[0, 1]``, ``in [0, 1]``."""
    if s.found.type == "LSQB":
        before, start = s.previous, s.span.start
    elif s.found.type == "COMMA" and len(s.brackets) == 1 and s.brackets[0].type == "LPAR":
        start = span_of(s.source, s.brackets[0]).start
        before = s.seen[next(i for i, token in enumerate(s.seen) if token is s.brackets[0]) - 1]
    else:
        return None
    declared = bool(s.statement) and s.statement[0].type in ("INPUT", "OUTPUT")
    if before is None or not (before.type == "UNIFORM" or (declared and before.type == "IN")):
        return None
    inside = bracketed(s, start) or "0, 1"
    word = "uniform " if before.type == "UNIFORM" else "in "
    hint = f"write `{word}{{{inside}}}`"
    if ends := re.fullmatch(rf"({INTEGER})\s*,\s*({INTEGER})", inside):
        hint += f", or `{word}{ends[1]}..{ends[2]}` for all integers between them"
    return InputError("a set is written in braces", s.span, hint)


def exponential_mechanism(s: Situation) -> InputError | None:
    """``Exp(eps/2, {lo, hi}, 1)``: the variable is missing."""
    places = [i for i, token in enumerate(s.statement) if token.type == "EXP"]
    if not places or s.statement[places[-1] + 1 :][:1] == [] or len(s.brackets) != 1:
        return None
    inside = s.statement[places[-1] + 2 :]
    if "IN" in [token.type for token in inside]:
        return None
    if not s.accepts & {"IN", "COMMA"} and s.accepts != {"NAME"}:
        return None
    arguments = split_arguments(bracketed(s, span_of(s.source, s.statement[places[-1] + 1]).start))
    rate = arguments[0] or "eps/2"
    sets = [argument for argument in arguments[1:] if re.match(r"\{|.*\.\.", argument)]
    score = arguments[2] if len(arguments) == 3 and sets == [arguments[1]] else "v"
    chosen = sets[0] if sets else "{0, 1}"
    return InputError(
        f"`Exp` takes a rate, a variable with its set, and a score; found {s.found_text}",
        s.span,
        f"write `Exp({rate}, v in {chosen}, {score})`",
    )


def conditional_value(s: Situation) -> InputError | None:
    """``x <- a if c else b`` and ``x <- if c then a else b end``."""
    types = [token.type for token in s.statement]
    if s.found.type != "IF" or "ARROW" not in types or s.brackets:
        return None
    arrow = s.statement[types.index("ARROW")]
    target = "".join(s.statement[: types.index("ARROW")])
    value = s.rest_of_line(span_of(s.source, arrow).end)
    parts = re.fullmatch(r"(?P<yes>.+?)\s+if\s+(?P<c>.+?)\s+else\s+(?P<no>.+)", value) or re.fullmatch(
        r"if\s+(?P<c>.+?)\s+then\s+(?P<yes>.+?)\s+else\s+(?P<no>.+?)(?:\s+end)?", value
    )
    if s.statement[-1] is not arrow and (parts is None or " then " in value):
        return None  # two statements on a line
    c, yes, no = (parts["c"], parts["yes"], parts["no"]) if parts else ("c", "1", "0")
    return InputError(
        "`if` cannot stand inside an expression",
        s.span,
        f"write `if {c} then {target} <- {yes} else {target} <- {no} end`",
    )


def lonely_distribution(s: Situation) -> InputError | None:
    """``r <- Lap``."""
    if (
        s.previous is None
        or s.previous.type not in SAMPLING - {"UNIFORM", "CHOOSE"}
        or "LPAR" not in s.accepts
    ):
        return None
    forms = {"EXP": "Exp(eps/2, v in {0, 1}, v)", "FLIP": "flip(1/2)"}
    form = forms.get(s.previous.type, f"{s.previous}(eps/2, 0)")
    return InputError(f"expected `(` after `{s.previous}`, found {s.found_text}", s.span, f"write `{form}`")


SHAPE_MISTAKES = (
    range_in_braces,
    set_in_brackets,
    exponential_mechanism,
    conditional_value,
    lonely_distribution,
)
