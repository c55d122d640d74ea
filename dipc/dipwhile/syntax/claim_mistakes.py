"""Classical mistakes in claims, in a program after `private` or on the command line after `--claim`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lark import Token

from dipc.dipwhile.syntax.situation import Situation
from dipc.errors import InputError

EPSILON = "eps/2"
PAIR = "eps/2, 1/100"


def claim_hint(s: Situation) -> str:
    """What a claim looks like."""
    return f"for example {quoted(s, EPSILON)} or {quoted(s, 'eps, 1/100 for eps in (0, 1]')}"


def quoted(s: Situation, claim: str) -> str:
    """A claim as it would be written here."""
    return f"`{claim}`" if s.start == "claim" else f"`private {claim}`"


def written(s: Situation) -> str:
    """The text of the claim, up to the end of its line."""
    if s.start == "claim":
        return s.source.text.strip()
    return s.rest_of_line(s.span_of(s.statement[0]).end)


def claim_mistakes(s: Situation) -> Iterator[InputError]:
    """The mistakes in a claim, if it is a claim that is being read."""
    if s.claim is None:
        return
    if s.found.type == "PRIVATE" and not s.claim:
        hint = f"leave out the word: write {quoted(s, s.rest_of_line(s.span.end) or EPSILON)}"
        yield s.error("the claim begins with epsilon, not with `private`", hint)
    empty = all(token.type == "LPAR" for token in s.claim)
    if empty and s.found.type in ("$END", "_SEP", "RPAR", "COMMA", "FOR"):
        yield s.error("the claim has no epsilon", f"it is a multiple of eps, {claim_hint(s)}")
    for mistake in (missing_delta, pair_in_brackets, named_part, no_interval, missing_comma):
        if s.claim:
            yield from mistake(s, s.claim)


def missing_delta(s: Situation, claim: Sequence[Token]) -> Iterator[InputError]:
    """A comma at the end: the program's next line is read as delta."""
    commas = [i for i, token in enumerate(claim) if token.type == "COMMA"]
    if commas and not s.brackets:
        comma, after = [*claim, s.found][commas[-1] :][:2]
        if after.type in ("$END", "_SEP", "FOR") or after.line != comma.line:
            hint = f"write for example {quoted(s, PAIR)}, or leave the comma out"
            yield s.error("delta is missing after the comma", hint, comma)


def pair_in_brackets(s: Situation, claim: Sequence[Token]) -> Iterator[InputError]:
    """``private (eps, 1/10)``."""
    if s.found.type == "COMMA" and claim[0].type == "LPAR" and len(s.brackets) == 1:
        whole = re.fullmatch(r"\((?P<pair>.*?,[^,]*?)\)?(?P<interval>\s*for\b.*)?", written(s))
        pair = whole["pair"] + (whole["interval"] or "") if whole else ""
        complete = pair if all(part.strip() for part in pair.split(",")[:2]) else ""
        hint = f"write {quoted(s, complete or PAIR)}"
        yield s.error("a claim is written without brackets", hint, s.brackets[-1])


def named_part(s: Situation, claim: Sequence[Token]) -> Iterator[InputError]:
    """``delta = 1/20``: the parts of a claim have no names."""
    if s.found.type == "EQ" and all(token.type != "FOR" for token in claim):
        plain = re.sub(r"[^\W\d]\w*\s*=\s*", "", written(s))
        message = f"epsilon and delta have no names in a claim: leave out `{claim[-1]} =`"
        yield s.error(message, f"write {quoted(s, plain)}", claim[-1])


NUMBER = r"(\d+(?:\.\d+)?(?:/\d+)?)"

INTERVALS = (
    (rf"> *{NUMBER}$", "({}, inf)"),
    (rf">= *{NUMBER}$", "[{}, inf)"),
    (rf"< *{NUMBER}$", "(0, {})"),
    (rf"<= *{NUMBER}$", "(0, {}]"),
    (rf"= *{NUMBER}$", "[{0}, {0}]"),
    (rf"in *\{{ *{NUMBER} *, *{NUMBER} *\}}$", "[{}, {}]"),
    (rf"in *{NUMBER} *\.\. *{NUMBER}$", "[{}, {}]"),
)
"""What people write instead of an interval (after ``for eps``), and the interval."""


def no_interval(s: Situation, claim: Sequence[Token]) -> Iterator[InputError]:
    """``for eps > 0``, ``for all eps``."""
    types = [token.type for token in claim]
    if s.brackets or "FOR" not in types or {"LPAR", "LSQB"} & {*types[types.index("FOR") :]}:
        return
    said = re.sub(r"^(eps|ε)\s*", "", s.rest_of_line(s.span_of(claim[types.index("FOR")]).end))
    found = [form.format(*m.groups()) for pattern, form in INTERVALS if (m := re.match(pattern, said))]
    interval = found[0].replace("[0,", "(0,") if found else "(0, inf)"
    yield s.error(f"expected an interval of eps, found {s.found_text}", f"write `for eps in {interval}`")


def missing_comma(s: Situation, claim: Sequence[Token]) -> Iterator[InputError]:
    """``private eps 1/20``, and ``private 2 eps``."""
    last = claim[-1]
    if s.brackets or {"COMMA", "FOR"} & {token.type for token in claim}:
        return
    if s.found.type == "EPS" and last.type == "NUMBER":
        yield s.error(f"expected `*` before `{s.found}`", f"for a product write `{last}*{s.found}`")
    end = s.span_of(last).end
    separated = s.found.type == "_SEP" and s.start == "claim"
    value = s.found.type in ("NUMBER", "LPAR") or s.found == "exp"
    if separated or (value and s.span.start != end):
        before = s.source.text[s.span_of(claim[0]).start : end]
        after = s.rest_of_line(s.span.end if separated else s.span.start)
        message = f"expected `,` between epsilon and delta, found {s.found_text}"
        yield s.error(message, f"write {quoted(s, f'{before}, {after}')}")
