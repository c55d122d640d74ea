"""Explaining claims that do not parse: after ``private``, or on the command line after ``--claim``."""

from __future__ import annotations

import re
from itertools import pairwise

from dipc.dipwhile.syntax.situation import Errors, Situation

PAIR = "eps/2, 1/100"


def claim_hint(s: Situation) -> str:
    """What a claim looks like."""
    return f"for example `{s.private}eps/2` or `{s.private}eps, 1/100 for eps in (0, 1]`"


def written(s: Situation) -> str:
    """The text of the claim, up to the end of its line."""
    return s.rest_of_line(s.span_of(s.statement[0]).start).removeprefix("private").strip()


def no_epsilon(s: Situation) -> Errors:
    """``private`` alone, and `private` in a claim on the command line."""
    if s.fits("^PRIVATE # PRIVATE"):
        right = s.rest.removeprefix("private").strip() or "eps/2"
        hint = f"leave out the word: write `{s.private}{right}`"
        yield s.error("the claim begins with epsilon, not with `private`", hint)
    if s.fits(r"^PRIVATE( LPAR)* # (\$END|_SEP|RPAR|COMMA|FOR\b)"):
        yield s.error("the claim has no epsilon", f"it is a multiple of eps, {claim_hint(s)}")


def missing_delta(s: Situation) -> Errors:
    """A comma at the end: the program's next line is read as delta."""
    pairs = [(one, after) for one, after in pairwise([*s.statement, s.found]) if one == ","]
    if pairs and not s.brackets and s.fits(r"^PRIVATE \w"):
        comma, after = pairs[-1]
        if after.type in ("$END", "_SEP", "FOR") or after.line != comma.line:
            hint = f"write for example `{s.private}{PAIR}`, or leave the comma out"
            yield s.error("delta is missing after the comma", hint, comma)


def pair_in_brackets(s: Situation) -> Errors:
    """``private (eps, 1/10)``."""
    if len(s.brackets) == 1 and s.fits("^PRIVATE LPAR.* # COMMA"):
        whole = re.fullmatch(r"\((?P<pair>.*?,[^,]*?)\)?(?P<interval>\s*for\b.*)?", written(s))
        pair = whole["pair"] + (whole["interval"] or "") if whole else ""
        complete = pair if all(part.strip() for part in pair.split(",")[:2]) else ""
        hint = f"write `{s.private}{complete or PAIR}`"
        yield s.error("a claim is written without brackets", hint, s.brackets[-1])


def named_part(s: Situation) -> Errors:
    """``delta = 1/20``: the parts of a claim have no names."""
    if s.fits(r"^(?!.* FOR\b.*#)PRIVATE .* # EQ"):
        plain = re.sub(r"[^\W\d]\w*\s*=\s*", "", written(s))
        message = f"epsilon and delta have no names in a claim: leave out `{s.previous} =`"
        yield s.error(message, f"write `{s.private}{plain}`", s.previous)


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


def all_sizes(s: Situation) -> Errors:
    """``for N``, ``for all N for eps in (0, 1)``, ``for all N >= 1``, ``forall N``."""
    if not s.fits(r"^PRIVATE \w"):
        return
    if s.found.type == "FORALL" and not s.brackets:
        size = re.match(r"forall\s+([^\W\d]\w*)", s.rest)
        yield s.error("`forall` is for formulas", f"write `for all {size[1] if size else 'N'}`")
    words = [token for token in s.statement if token.type in ("FOR", "NAME", "EPS")]
    places = [k for k, token in enumerate(words, 1) if token.type == "FOR"]
    every = words[places[-1] :] if places else []
    if not every or every[0].type == "EPS" or s.found.type == "EPS":
        return
    names = [str(name) for name in every[(len(every) > 1 or every[0] == "all") :]] or ["N"]
    right = f"for all {', '.join(names)}"
    if s.found.type == "FOR":
        yield s.error("the interval of eps comes before the sizes", f"write `{s.rest} {right}`")
    message = f"a claim for all sizes ends in the names of parameters, found {s.found_text}"
    yield s.error(message, f"write `{right}`, which means every integer from 1 on")


def no_interval(s: Situation) -> Errors:
    """``for eps > 0``, ``for all eps``."""
    if s.brackets or not s.fits(r"^PRIVATE .*\bFOR\b.*#"):
        return
    place = s.types.index("FOR")
    if {"LPAR", "LSQB"} & {*s.types[place:]}:
        return
    text = re.sub(r"^(eps|ε)\s*", "", s.rest_of_line(s.span_of(s.statement[place]).end))
    found = [form.format(*m.groups()) for pattern, form in INTERVALS if (m := re.match(pattern, text))]
    interval = found[0].replace("[0,", "(0,") if found else "(0, inf)"
    every = next((token for token in s.statement[place + 1 :] if token.type == "NAME"), None)
    found_text = s.found_text if every is None else f"`{every}`"
    yield s.error(f"expected an interval of eps, found {found_text}", f"write `for eps in {interval}`", every)


def missing_comma(s: Situation) -> Errors:
    """``private eps 1/20``, ``private 2 eps``, and ``private ln 3``, as formulas of models have it."""
    if s.brackets or not s.fits(r"^(?!.*(COMMA|FOR\b).*#)PRIVATE \w"):
        return
    if s.previous == "ln" and (s.found.type == "NUMBER" or s.found == "exp"):
        number = re.match(NUMBER, s.rest)
        hint = f"write `ln({number[1]})`" if number else "for example `ln(2)`"
        yield s.error(f"expected `(` after `ln`, found {s.found_text}", hint)
    if s.fits("NUMBER # EPS"):
        yield s.error(f"expected `*` before `{s.found}`", f"for a product write `{s.previous}*{s.found}`")
    end = s.span_of(s.previous).end
    separated = s.found.type == "_SEP" and s.start == "claim"
    value = s.found.type in ("NUMBER", "LPAR") or s.found == "exp"
    if separated or (value and s.span.start != end):
        first = s.statement[s.start != "claim"]
        before = s.source.text[first.start_pos : end]
        after = s.rest_of_line(s.span.end if separated else s.span.start)
        message = f"expected `,` between epsilon and delta, found {s.found_text}"
        yield s.error(message, f"write `{s.private}{before}, {after}`")


CLAIM_MISTAKES = (
    no_epsilon,
    missing_delta,
    pair_in_brackets,
    named_part,
    all_sizes,
    no_interval,
    missing_comma,
)
"""The mistakes in claims, in the order in which they are tried."""
