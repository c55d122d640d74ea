"""Classical mistakes in claims, in a program after `private` or on the command line after `--claim`."""

from __future__ import annotations

import re

from dipc.dipwhile.syntax.situation import Situation, span_of
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
    return s.rest_of_line(span_of(s.source, s.statement[0]).end)


def private_twice(s: Situation) -> InputError | None:
    """``private private eps``."""
    if s.claim is None or s.found.type != "PRIVATE" or s.claim:
        return None
    hint = f"leave out the word: write {quoted(s, s.rest_of_line(s.span.end) or EPSILON)}"
    return s.error("the claim begins with epsilon, not with `private`", hint)


def empty_claim(s: Situation) -> InputError | None:
    """``private`` alone, and ``private ()``."""
    if s.claim is None or any(token.type != "LPAR" for token in s.claim):
        return None
    if s.found.type not in ("$END", "_SEP", "RPAR", "COMMA", "FOR"):
        return None
    return s.error("the claim has no epsilon", f"it is a multiple of eps, {claim_hint(s)}")


def missing_delta(s: Situation) -> InputError | None:
    """A comma at the end: the program's next line is read as delta."""
    if not s.claim or s.brackets:
        return None
    tokens = [*s.claim, s.found]
    commas = [i for i, token in enumerate(s.claim) if token.type == "COMMA"]
    if not commas:
        return None
    comma, after = tokens[commas[-1]], tokens[commas[-1] + 1]
    if after.type not in ("$END", "_SEP", "FOR") and after.line == comma.line:
        return None
    hint = f"write for example {quoted(s, PAIR)}, or leave the comma out"
    return s.error("delta is missing after the comma", hint, comma)


def pair_in_brackets(s: Situation) -> InputError | None:
    """``private (eps, 1/10)``."""
    if not s.claim or s.found.type != "COMMA" or s.claim[0].type != "LPAR" or len(s.brackets) != 1:
        return None
    whole = re.fullmatch(r"\((?P<pair>.*?,[^,]*?)\)?(?P<interval>\s*for\b.*)?", written(s))
    pair = whole["pair"] + (whole["interval"] or "") if whole else ""
    complete = pair if all(part.strip() for part in pair.split(",")[:2]) else ""
    hint = f"write {quoted(s, complete or PAIR)}"
    return s.error("a claim is written without brackets", hint, s.brackets[-1])


def named_part(s: Situation) -> InputError | None:
    """``delta = 1/20``: the parts of a claim have no names."""
    if not s.claim or s.found.type != "EQ" or any(token.type == "FOR" for token in s.claim):
        return None
    name = s.claim[-1]
    plain = re.sub(r"[^\W\d]\w*\s*=\s*", "", written(s))
    message = f"epsilon and delta have no names in a claim: leave out `{name} =`"
    return s.error(message, f"write {quoted(s, plain)}", name)


def missing_comma(s: Situation) -> InputError | None:
    """``private eps 1/20``, and ``private 2 eps``."""
    if not s.claim or s.brackets or s.previous is None or {"COMMA", "FOR"} & {t.type for t in s.claim}:
        return None
    end = span_of(s.source, s.previous).end
    if s.found.type == "EPS" and s.previous.type == "NUMBER":
        return s.error(f"expected `*` before `{s.found}`", f"for a product write `{s.previous}*{s.found}`")
    separated = s.found.type == "_SEP" and s.start == "claim"
    value = s.found.type in ("NUMBER", "LPAR") or s.found == "exp"
    if not separated and (not value or s.span.start == end):
        return None
    before = s.source.text[span_of(s.source, s.claim[0]).start : end]
    after = s.rest_of_line(s.span.end if separated else s.span.start)
    message = f"expected `,` between epsilon and delta, found {s.found_text}"
    return s.error(message, f"write {quoted(s, f'{before}, {after}')}")


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


def no_interval(s: Situation) -> InputError | None:
    """``for eps > 0``, ``for all eps``."""
    if s.claim is None or s.brackets:
        return None
    start = next((token for token in s.claim if token.type == "FOR"), None)
    if start is None or any(token.type in ("LPAR", "LSQB") for token in s.claim[s.claim.index(start) :]):
        return None
    said = re.sub(r"^(eps|ε)\s*", "", s.rest_of_line(span_of(s.source, start).end))
    found = [form.format(*m.groups()) for pattern, form in INTERVALS if (m := re.match(pattern, said))]
    interval = found[0].replace("[0,", "(0,") if found else "(0, inf)"
    return s.error(f"expected an interval of eps, found {s.found_text}", f"write `for eps in {interval}`")


CLAIM_MISTAKES = (
    private_twice,
    empty_claim,
    missing_delta,
    pair_in_brackets,
    named_part,
    no_interval,
    missing_comma,
)
