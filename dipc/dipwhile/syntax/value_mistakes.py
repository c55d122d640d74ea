"""Mistakes in values on the command line: `--pair 'q=0,0'`."""

from __future__ import annotations

import re

from dipc.dipwhile.syntax.situation import Situation, span_of
from dipc.errors import InputError

EXAMPLE = "write for example `q=[0,1]`, or `q=[0,1], x=top` for several"

VALUE = r"-?\d+(?:\.\d+)?(?:/\d+)?|[^\W\d]\w*"
NEXT = r"[,;\s]\s*[^\W\d]\w*\s*=|$"


def wrong_value(s: Situation) -> InputError:
    """What was found, with the same values in the right form."""
    if not s.seen and s.found.type == "$END":
        return s.error("no values are given", EXAMPLE)
    return s.error(f"expected {s.expected()}, found {s.found_text}", rewritten(s) or EXAMPLE)


def rewritten(s: Situation) -> str:
    """The hint that writes the values out, if it is clear what they are."""
    if s.found.type == "NAME" and "COMMA" in s.accepts and s.rest_of_line(s.span.end)[:1] == "=":
        before, after = s.source.text[: s.span.start].strip(), s.source.text[s.span.start :].strip()
        return f"separate the inputs by a comma: `{before}, {after}`"
    equals = [i for i, token in enumerate(s.seen) if token.type == "EQ"]
    name = s.seen[equals[-1] - 1] if equals else "q"
    text = s.source.text[span_of(s.source, s.seen[equals[-1]]).end if equals else 0 :]
    if not equals and s.found.type not in ("LSQB", "LPAR", "LBRACE", "NUMBER", "MINUS", "COLON"):
        return ""
    if not equals and s.seen:
        name, text = s.seen[0], s.source.text[s.span.end :] if s.found.type == "COLON" else ""
    text = re.split(NEXT, text.lstrip("= "), maxsplit=1)[0]
    values = re.findall(VALUE, text)
    if (
        not values
        or s.found.type in ("EPS", "INF")
        or not re.fullmatch(rf"(?:{VALUE}|[\s,;()\[\]{{}}])*", text)
    ):
        return ""
    several = len(values) > 1 or re.search(r"[\[({]", text)
    shown = f"{name}=[{','.join(values)}]" if several else f"{name}={values[0]}"
    return f"write `{shown}`" + ("" if equals or s.seen else ", with the name of the input")
