"""Classical mistakes in claims, in a program after `private` or on the command line after `--claim`."""

from __future__ import annotations

import re

from lark import Token

from dipc.dipwhile.syntax.situation import Situation, span_of
from dipc.errors import InputError

BUDGET = "eps/2"
PAIR = "eps/2, 1/100"


def claim_hint(s: Situation) -> str:
    """What a claim looks like."""
    return f"for example {quoted(s, BUDGET)} or {quoted(s, 'eps, 1/100 for eps in (0, 1]')}"


def quoted(s: Situation, claim: str) -> str:
    """A claim as one would write it here."""
    return f"`{claim}`" if s.start == "claim" else f"`private {claim}`"


def written(s: Situation) -> str:
    """The text of the claim, as far as its line goes."""
    if s.start == "claim":
        return s.source.text.strip()
    return s.rest_of_line(span_of(s.source, s.statement[0]).end)


def private_twice(s: Situation) -> InputError | None:
    if s.claim is None or s.found.type != "PRIVATE" or s.claim:
        return None
    return InputError(
        "the claim begins with the budget, not with `private`",
        s.span,
        f"leave out the word: write {quoted(s, s.rest_of_line(s.span.end) or BUDGET)}",
    )


def empty_claim(s: Situation) -> InputError | None:
    if s.claim is None or any(token.type != "LPAR" for token in s.claim):
        return None
    if s.found.type not in ("$END", "_SEP", "RPAR", "COMMA", "FOR"):
        return None
    return InputError("the claim lacks its budget", s.span, f"it is a multiple of eps, {claim_hint(s)}")


def missing_delta(s: Situation) -> InputError | None:
    """A comma at the end: the program's next line is read as delta."""
    if not s.claim or s.brackets:
        return None
    tokens = [*s.claim, s.found]
    commas = [i for i, token in enumerate(s.claim) if token.type == "COMMA"]
    if not commas:
        return None
    comma, after = tokens[commas[-1]], tokens[commas[-1] + 1]
    if after.type not in ("$END", "_SEP", "FOR") and line_of(after) == line_of(comma):
        return None
    return InputError(
        "delta is missing after the comma",
        span_of(s.source, comma),
        f"write for example {quoted(s, PAIR)}, or leave the comma out",
    )


def line_of(token: Token) -> int:
    return token.line or 0


def pair_in_brackets(s: Situation) -> InputError | None:
    if not s.claim or s.found.type != "COMMA" or s.claim[0].type != "LPAR" or len(s.brackets) != 1:
        return None
    whole = re.fullmatch(r"\((?P<pair>.*?,[^,]*?)\)?(?P<interval>\s*for\b.*)?", written(s))
    pair = whole["pair"] + (whole["interval"] or "") if whole else ""
    complete = pair if all(part.strip() for part in pair.split(",")[:2]) else ""
    return InputError(
        "a claim is written without brackets",
        span_of(s.source, s.brackets[-1]),
        f"write {quoted(s, complete or PAIR)}",
    )


def named_part(s: Situation) -> InputError | None:
    """``delta = 1/20``: the parts of a claim have no names."""
    if not s.claim or s.found.type != "EQ" or any(token.type == "FOR" for token in s.claim):
        return None
    name = s.claim[-1]
    plain = re.sub(r"[^\W\d]\w*\s*=\s*", "", written(s))
    return InputError(
        f"epsilon and delta have no names in a claim, but here is `{name} =`",
        span_of(s.source, name),
        f"write {quoted(s, plain)}",
    )


def missing_comma(s: Situation) -> InputError | None:
    if not s.claim or s.brackets or s.previous is None or {"COMMA", "FOR"} & {t.type for t in s.claim}:
        return None
    end = span_of(s.source, s.previous).end
    if s.found.type == "EPS" and s.previous.type == "NUMBER":
        product = f"{s.previous}*{s.found}"
        return InputError(f"expected `*` before `{s.found}`", s.span, f"for a product write `{product}`")
    separated = s.found.type == "_SEP" and s.start == "claim"
    value = s.found.type in ("NUMBER", "LPAR") or s.found == "exp"
    if not separated and (not value or s.span.start == end):
        return None
    before = s.source.text[span_of(s.source, s.claim[0]).start : end]
    after = s.rest_of_line(s.span.end if separated else s.span.start)
    return InputError(
        f"expected `,` between epsilon and delta, found {s.found_text}",
        s.span,
        f"write {quoted(s, f'{before}, {after}')}",
    )


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
"""What one writes instead of an interval (after ``for eps``), and the interval."""


def no_interval(s: Situation) -> InputError | None:
    if s.claim is None or s.brackets:
        return None
    start = next((token for token in s.claim if token.type == "FOR"), None)
    if start is None or any(token.type in ("LPAR", "LSQB") for token in s.claim[s.claim.index(start) :]):
        return None
    said = re.sub(r"^(eps|ε)\s*", "", s.rest_of_line(span_of(s.source, start).end))
    found = [form.format(*m.groups()) for pattern, form in INTERVALS if (m := re.match(pattern, said))]
    return InputError(
        f"expected an interval of eps, found {s.found_text}",
        s.span,
        f"write `for eps in {found[0].replace('[0,', '(0,') if found else '(0, inf)'}`",
    )


CLAIM_MISTAKES = (
    private_twice,
    empty_claim,
    missing_delta,
    pair_in_brackets,
    named_part,
    no_interval,
    missing_comma,
)
