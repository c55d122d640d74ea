"""Distributions, sets and choices written as in another language: the same thing in the right form."""

from __future__ import annotations

import re

from dipc.dipwhile.syntax.situation import Situation, span_of
from dipc.errors import InputError


def bracketed(s: Situation, position: int) -> str:
    """The text inside the brackets that open at a position, up to the end of its line."""
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
        return s.error("a range is not allowed inside a set", "list the values: `{0, 1, 2}`")
    hint = f"write `{s.before(s.brackets[-1])} {inside}`"
    return s.error("a range is written without braces", hint, s.brackets[-1])


def set_in_brackets(s: Situation) -> InputError | None:
    """``uniform(0, 1)``, ``uniform[0, 1]``, ``in [0, 1]``."""
    if s.found.type == "LSQB":
        before, start = s.previous, s.span.start
    elif s.found.type == "COMMA" and len(s.brackets) == 1 and s.brackets[0].type == "LPAR":
        before, start = s.before(s.brackets[0]), span_of(s.source, s.brackets[0]).start
    else:
        return None
    if before is None or not (before.type == "UNIFORM" or (s.declares and before.type == "IN")):
        return None
    inside = bracketed(s, start) or "0, 1"
    word = "uniform " if before.type == "UNIFORM" else "in "
    hint = f"write `{word}{{{inside}}}`"
    if ends := re.fullmatch(r"(-?\d+)\s*,\s*(-?\d+)", inside):
        hint += f", or `{word}{ends[1]}..{ends[2]}` for all integers between them"
    return s.error("a set is written in braces", hint)


def exponential_mechanism(s: Situation) -> InputError | None:
    """``Exp(eps/2, {lo, hi}, 1)``: the variable is missing."""
    if "EXP" not in s.types[:-1] or len(s.brackets) != 1:
        return None
    place = len(s.types) - 1 - s.types[::-1].index("EXP")
    if "IN" in s.types[place + 2 :] or s.types[place + 1 :] == []:
        return None
    if not s.accepts & {"IN", "COMMA"} and s.accepts != {"NAME"}:
        return None
    arguments = split_arguments(bracketed(s, span_of(s.source, s.statement[place + 1]).start))
    rate = arguments[0] or "eps/2"
    sets = [argument for argument in arguments[1:] if re.match(r"\{|.*\.\.", argument)]
    score = arguments[2] if len(arguments) == 3 and sets == [arguments[1]] else "v"
    chosen = sets[0] if sets else "{0, 1}"
    message = f"`Exp` takes a rate, a variable with its set, and a score; found {s.found_text}"
    return s.error(message, f"write `Exp({rate}, v in {chosen}, {score})`")


def conditional_value(s: Situation) -> InputError | None:
    """``x <- a if c else b`` and ``x <- if c then a else b end``."""
    if s.found.type != "IF" or "ARROW" not in s.types or s.brackets:
        return None
    place = s.types.index("ARROW")
    target = "".join(s.statement[:place])
    value = s.rest_of_line(span_of(s.source, s.statement[place]).end)
    parts = re.fullmatch(r"(?P<yes>.+?)\s+if\s+(?P<c>.+?)\s+else\s+(?P<no>.+)", value) or re.fullmatch(
        r"if\s+(?P<c>.+?)\s+then\s+(?P<yes>.+?)\s+else\s+(?P<no>.+?)(?:\s+end)?", value
    )
    if s.types[place + 1 :] and (parts is None or " then " in value):
        return None  # two statements on a line
    c, yes, no = (parts["c"], parts["yes"], parts["no"]) if parts else ("c", "1", "0")
    hint = f"write `if {c} then {target} <- {yes} else {target} <- {no} end`"
    return s.error("`if` is not allowed inside an expression", hint)


FORMS = {"EXP": "Exp(eps/2, v in {{0, 1}}, v)", "FLIP": "flip(1/2)", "NOISE": "{word}(eps/2, 0)"}


def lonely_distribution(s: Situation) -> InputError | None:
    """``r <- Lap``."""
    if s.follows not in FORMS or "LPAR" not in s.accepts:
        return None
    hint = f"write `{FORMS[s.follows].format(word=s.previous)}`"
    return s.error(f"expected `(` after `{s.previous}`, found {s.found_text}", hint)


SHAPE_MISTAKES = (
    range_in_braces,
    set_in_brackets,
    exponential_mechanism,
    conditional_value,
    lonely_distribution,
)
