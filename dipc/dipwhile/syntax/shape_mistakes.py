"""Distributions, sets and choices written as in another language: the same thing in the right form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from dipc.dipwhile.syntax.situation import Situation, depths
from dipc.errors import InputError


def bracketed(s: Situation, position: int) -> str:
    """The text inside the brackets that open at a position, up to the end of its line."""
    line = s.source.text[position:].partition("\n")[0]
    return line[1 : next((end for end, depth in enumerate(depths(line)) if depth == 0), 0)].strip()


def split_arguments(text: str) -> list[str]:
    """The arguments of a call.

    >>> split_arguments("eps/2, {lo, hi}, 1")
    ['eps/2', '{lo, hi}', '1']
    """
    commas = [k for k, depth in enumerate(depths(text)) if depth == 0 and text[k] == ","]
    return [text[start + 1 : end].strip() for start, end in pairwise((-1, *commas, len(text)))]


def range_in_braces(s: Situation) -> Iterator[InputError]:
    """``{0..3}``."""
    if s.found.type == "DOTS" and s.brackets and s.brackets[-1].type == "LBRACE":
        inside = bracketed(s, s.span_of(s.brackets[-1]).start)
        if not inside or "," in inside:
            yield s.error("a range is not allowed inside a set", "list the values: `{0, 1, 2}`")
        hint = f"write `{s.before(s.brackets[-1])} {inside}`"
        yield s.error("a range is written without braces", hint, s.brackets[-1])


def set_in_brackets(s: Situation) -> Iterator[InputError]:
    """``uniform(0, 1)``, ``uniform[0, 1]``, ``in [0, 1]``."""
    before, start = None, 0
    if s.found.type == "LSQB":
        before, start = s.previous, s.span.start
    elif s.found.type == "COMMA" and len(s.brackets) == 1 and s.brackets[0].type == "LPAR":
        before, start = s.before(s.brackets[0]), s.span_of(s.brackets[0]).start
    if before is not None and (before.type == "UNIFORM" or (s.declares and before.type == "IN")):
        inside = bracketed(s, start) or "0, 1"
        word = "uniform " if before.type == "UNIFORM" else "in "
        hint = f"write `{word}{{{inside}}}`"
        if ends := re.fullmatch(r"(-?\d+)\s*,\s*(-?\d+)", inside):
            hint += f", or `{word}{ends[1]}..{ends[2]}` for all integers between them"
        yield s.error("a set is written in braces", hint)


def exponential_mechanism(s: Situation) -> Iterator[InputError]:
    """``Exp(eps/2, {lo, hi}, 1)``: the variable is missing."""
    if "EXP" not in s.types[:-1] or len(s.brackets) != 1:
        return
    place = len(s.types) - 1 - s.types[::-1].index("EXP")
    if "IN" in s.types[place + 2 :] or not (s.accepts & {"IN", "COMMA"} or s.accepts == {"NAME"}):
        return
    arguments = split_arguments(bracketed(s, s.span_of(s.statement[place + 1]).start))
    rate = arguments[0] or "eps/2"
    sets = [argument for argument in arguments[1:] if re.match(r"\{|.*\.\.", argument)]
    score = arguments[2] if len(arguments) == 3 and sets == [arguments[1]] else "v"
    chosen = sets[0] if sets else "{0, 1}"
    message = f"`Exp` takes a rate, a variable with its set, and a score; found {s.found_text}"
    yield s.error(message, f"write `Exp({rate}, v in {chosen}, {score})`")


def conditional_value(s: Situation) -> Iterator[InputError]:
    """``x <- a if c else b`` and ``x <- if c then a else b end``."""
    if s.found.type != "IF" or "ARROW" not in s.types or s.brackets:
        return
    place = s.types.index("ARROW")
    target = "".join(s.statement[:place])
    value = s.rest_of_line(s.span_of(s.statement[place]).end)
    parts = re.fullmatch(r"(?P<yes>.+?)\s+if\s+(?P<c>.+?)\s+else\s+(?P<no>.+)", value) or re.fullmatch(
        r"if\s+(?P<c>.+?)\s+then\s+(?P<yes>.+?)\s+else\s+(?P<no>.+?)(?:\s+end)?", value
    )
    two_statements = s.types[place + 1 :] and (parts is None or " then " in value)
    if not two_statements:
        c, yes, no = (parts["c"], parts["yes"], parts["no"]) if parts else ("c", "1", "0")
        hint = f"write `if {c} then {target} <- {yes} else {target} <- {no} end`"
        yield s.error("`if` is not allowed inside an expression", hint)


FORMS = {"EXP": "Exp(eps/2, v in {{0, 1}}, v)", "FLIP": "flip(1/2)", "NOISE": "{word}(eps/2, 0)"}


def lonely_distribution(s: Situation) -> Iterator[InputError]:
    """``r <- Lap``."""
    if s.follows in FORMS and "LPAR" in s.accepts:
        hint = f"write `{FORMS[s.follows].format(word=s.previous)}`"
        yield s.error(f"expected `(` after `{s.previous}`, found {s.found_text}", hint)


SHAPE_MISTAKES = (
    range_in_braces,
    set_in_brackets,
    exponential_mechanism,
    conditional_value,
    lonely_distribution,
)
