"""Explaining text that does not parse: the classical mistakes.

Each function yields the error for every mistake of its kind that it recognises in the situation.  The first
error counts; the last function, :func:`unexpected`, says what was found and what was expected there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from lark import Token

from dipc.dipwhile.syntax.build import FINITE
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.layout import CLOSING, METRICS, OPENING
from dipc.dipwhile.syntax.situation import DECLARING, OPERATORS, SAMPLING, Situation, depths, word_for
from dipc.errors import InputError, Source, Span
from dipc.models.arithmetic import ASCII
from dipc.suggest import did_you_mean

Errors = Iterator[InputError]

# --- characters ------------------------------------------------------------------------------

CHARACTERS = {
    "&": "write `and`",
    "|": "write `or`; for the absolute value write `abs(x)`",
    "!": "write `not`; `!=` means not equal",
    '"': "atoms are written without quotes: `bot`",
    "'": "atoms are written without quotes; only an input can be primed, as in `q'`",
    "%": "write `mod(a, b)`",
    ".": "write decimals with a digit before the point (`0.5`) and ranges with two points (`1..3`)",
    "\\": "a statement continues on the next line after an operator, after a comma and inside brackets",
    "~": "a sample is assigned with `<-`: `x <- Lap(eps, 0)`",
    "?": "write `if c then x <- a else x <- b end`",
    **dict.fromkeys("$@", "names are made of letters, digits and `_`"),
    "\N{MINUS SIGN}": "this is a typographic minus sign: write `-`",
    "\N{EN DASH}": "this is a dash: write `-`",
    **dict.fromkeys("\N{MULTIPLICATION SIGN}\N{DOT OPERATOR}\N{MIDDLE DOT}", "write `*`"),
    "\N{DIVISION SIGN}": "write `/`",
    "\N{LOGICAL AND}": "write `and`",
    "\N{LOGICAL OR}": "write `or`",
    "\N{NOT SIGN}": "write `not`",
    "\N{ELEMENT OF}": "write `in`",
    "\N{INFINITY}": "write `inf`",
    "\N{HORIZONTAL ELLIPSIS}": "write two points: `1..3`",
    "\N{NO-BREAK SPACE}": "this is a no-break space: write an ordinary one",
}


def explain_character(source: Source, position: int) -> InputError:
    """The error for a character that begins no token."""
    character = source.text[position]
    doubled = source.text[position : position + 2] in ("&&", "||")
    shown = character * 2 if doubled else character
    name = f"`{shown}`" if shown.isprintable() else f"the character U+{ord(character):04X}"
    message = f"{name} has no meaning here"
    hint = CHARACTERS.get(character, "" if character.isascii() else ASCII)
    return InputError(message, Span(source, position, position + len(shown)), hint)


# --- brackets and signs -----------------------------------------------------------------------


def brackets(s: Situation) -> Errors:
    """A bracket without a partner, or with one of another kind."""
    code = re.sub(r"#[^\n]*", lambda comment: " " * len(comment[0]), s.source.text)
    depth = list(depths(code))
    lowest = list(accumulate(reversed(depth), min))[::-1]  # from each character on
    unclosed = [
        bracket for bracket in s.brackets if lowest[bracket.start_pos or 0] >= depth[bracket.start_pos or 0]
    ]
    if unclosed:
        hint = f"add {word_for(OPENING[unclosed[-1].type])} before {s.found_text}"
        yield s.error(f"`{unclosed[-1]}` is never closed", hint, unclosed[-1])
    if s.found.type not in CLOSING or s.found.type in s.accepts:
        return
    if not s.brackets:
        yield s.error(f"`{s.found}` has no opening bracket", "remove it, or add the opening bracket")
        return
    partner = OPENING[s.brackets[-1].type]
    if partner != s.found.type and partner in s.accepts:
        hint = f"write {word_for(partner)} instead"
        yield s.error(f"`{s.brackets[-1]}` is closed by `{s.found}`", hint)


def empty_index(s: Situation) -> Errors:
    """``q[]``."""
    if s.found.type == "RSQB" and s.follows == "LSQB":
        what = "the size of the array" if s.declares else "the index"
        yield s.error(f"{what} is missing", "write a number or a parameter: `[3]`, `[N]`")


PAIRS = {
    "==": "write `=` to compare",
    "**": "powers are written `2^3`",
    "//": "comments begin with `#`; division is written `/`",
    "->": "write `<-` to assign",
    "=>": "write `>=` to compare",
    "=<": "write `<=` to compare",
    "<>": "write `!=`",
}


def foreign_sign(s: Situation) -> Errors:
    """An operator of another language: ``x = 1``, ``N = 3``, ``==``, ``x += 1``, ``x++``."""
    if s.found.type == "EQ" and "ARROW" in s.accepts:
        hint = f"write `{s.name} <- ...`"
        if len(s.statement) == 1 and not any(token.type in ("OUTPUT", "ARROW") for token in s.seen):
            value = s.rest_of_line(s.span.end).lstrip("= ") or "3"
            hint = f"a constant is declared like this: `param {s.name} = {value}`"
        yield s.error("`=` compares two values, it does not assign", hint)
    text, start = s.source.text, s.span.start
    for first in (start - 1, start):
        pair = text[max(first, 0) : first + 2]
        if pair in PAIRS:
            message = f"`{pair}` is not part of the language"
            yield s.error(message, PAIRS[pair], Span(s.source, first, first + 2))
    after = text[start + 1 : start + 2]
    if "ARROW" in s.accepts and s.found in ("+", "-", "*", "/") and after in ("=", "+", "-"):
        hint = f"write `{s.name} <- {s.name} {s.found} 1`"
        span = Span(s.source, start, start + 2)
        yield s.error(f"`{s.found}{after}` is not part of the language", hint, span)


def arrow_in_expression(s: Situation) -> Errors:
    """``if x <-1 then``."""
    if s.found.type == "ARROW" and "ARROW" not in s.accepts:
        comparison = s.found == "<-" and s.source.text[s.span.end :][:1].isalnum()
        hint = "put a space between `<` and `-`: `x < -1`" if comparison else "write `=` to compare"
        yield s.error(f"`{s.found}` assigns; it is not allowed inside an expression", hint)


def sample_in_expression(s: Situation) -> Errors:
    """``1 + Lap(eps, 0)`` and ``Lap(eps, 0) + 1``."""
    word: Token | None = None
    if s.found.type in SAMPLING and s.found.type not in s.accepts:
        word = s.found
    elif s.found.type in OPERATORS and "ARROW" in s.types and not s.brackets:
        value = s.statement[s.types.index("ARROW") + 1 :]
        word = value[0] if value and value[0].type in SAMPLING else None
    if word is not None:
        form = " {...}" if word in ("choose", "uniform") else "(...)"
        hint = f"first sample into a variable, `x <- {word}{form}`, then use `x`"
        yield s.error(f"`{word}` is not allowed inside an expression", hint, word)


# --- blocks ----------------------------------------------------------------------------------

NO_BLOCK = frozenset({"_SEP", "$END", "NAME", "IF", "FOR", "WHILE", "EXIT", "END", "ELSE", "DO", "THEN"})
"""What is found where ``then`` or ``do`` was forgotten."""

BLOCK_HINT = "blocks are written `then ... end` and `do ... end`; sets follow `in`, `uniform` and `choose`"


def missing_block_word(s: Situation) -> Errors:
    """``if c`` and ``for i in 1..3`` without ``then`` and ``do``."""
    for terminal, before in (("THEN", "the condition"), ("DO", "the loop header")):
        if terminal in s.accepts:
            word = terminal.lower()
            if s.found.type == "COLON":
                yield s.error(f"a block begins with `{word}`, not with `:`", f"write `{word}`")
            if s.found.type == "LBRACE":
                yield s.error("`{` is not allowed here", BLOCK_HINT)
            if s.found.type in NO_BLOCK:
                yield s.error(f"`{word}` is missing after {before}", f"write `{word}` here")


def missing_end(s: Situation) -> Errors:
    """A block that the text ends in; ``else if`` opens one of its own."""
    if s.found.type == "$END" and s.blocks and "END" in s.accepts:
        word = s.blocks[-1]
        else_ifs = [b for a, b in pairwise(s.seen) if a.type == "ELSE" and b.type == "IF"]
        hint = "add `end`"
        if any(word is token for token in else_ifs):
            hint = "`else if` opens a second `if` with an `end` of its own: write `elif`"
        elif else_ifs:
            hint = "add `end`; note that each `else if` needs an `end` of its own: write `elif`"
        yield s.error(f"this `{word}` is never closed", hint, word)


def wrong_block(s: Situation) -> Errors:
    """An ``end`` outside a block, a declaration inside one."""
    outside = not s.blocks and not s.brackets and s.accepts & {"_SEP", "$END"}
    if s.found.type in ("END", "ELSE", "ELIF") and outside:
        hint = "remove it, or look for an extra `end` above"
        yield s.error(f"`{s.found}` does not belong to any block", hint)
    if s.found.type in DECLARING and s.blocks and not s.brackets:
        hint = "move it to the top of the program"
        yield s.error(f"the declaration `{s.found}` is not allowed inside a block", hint)


# --- names and words -------------------------------------------------------------------------

FOREIGN = {
    "return": "assign the output variable, then `exit`",
    "print": "a program reports only its output variables: assign one",
    **dict.fromkeys(("let", "var"), "variables need no declaration: write `x <- 1`"),
    **dict.fromkeys(("const", "define"), "constants are declared at the top: `param x = 1`"),
    **dict.fromkeys(("def", "function"), "there are no user-defined functions: write the statements out"),
    "import": "there is nothing to import",
    "break": "leave a loop by its condition, or the program with `exit`",
    "continue": "put the rest of the body into an `if`",
    **dict.fromkeys(("pass", "skip"), "an empty block needs no keyword: `if c then end`"),
    "repeat": "write `while c do ... end`",
    **dict.fromkeys(("elseif", "elsif"), "write `elif`"),
    "begin": "blocks are written `then ... end` and `do ... end`",
    "params": "write `param`",
    "inputs": "write `input`",
    "outputs": "write `output`",
    "privacy": "write `private`",
    **dict.fromkeys(("adjacency", "neighbours", "neighbors"), "write `adjacent`"),
}
"""Words of other languages at the beginning of a statement."""


BEGINNINGS = ("param", "input", "output", "adjacent", "private", "prior", "secret", "while", "exit")
"""Words that a statement or declaration begins with, long enough to recognise when misspelt."""


WORDS = frozenset((*BEGINNINGS, "if", "then", "elif", "else", "for", "in", "do", "end", "and", "or", "not"))
"""Keywords that people write in capital letters."""


TYPES = frozenset(
    ("int", "float", "double", "real", "number", "bool", "boolean", "string", "auto", "let", "var")
)
"""What other languages declare variables with."""


def foreign_word(s: Situation) -> Errors:
    """``For i in 1..3 do``, ``int r = 0``, ``return x``."""
    begun = s.statement[0] if len(s.statement) == 1 else None
    for token, fits in ((begun, True), (s.found, s.found.upper() in s.accepts)):
        if token is not None and fits and token.type == "NAME" and token.lower() in WORDS:
            hint = f"keywords are lower case: write `{token.lower()}`"
            yield s.error(f"`{token}` is not a keyword", hint, token)
    if begun in TYPES and s.found.type == "NAME":
        value = re.match(r"(?:=|:=|<-)\s*(\S.*)", s.rest_of_line(s.span.end))
        hint = f"variables need no declaration: `{s.found} <- {value[1] if value else 0}`"
        yield s.error(f"there is no statement `{begun}`", hint, begun)
    if begun in FOREIGN and s.found.type not in s.accepts:
        yield s.error(f"there is no statement `{begun}`", FOREIGN[str(begun)], begun)


def lonely_expression(s: Situation) -> Errors:
    """A call, or a name without ``<-``, perhaps a misspelt keyword."""
    if "ARROW" in s.accepts and s.statement:
        if s.found.type == "LPAR":
            hint = f"assign it: `x <- {s.name}(...)`"
            yield s.error(f"a call of `{s.name}` is not a statement", hint, s.statement[0])
        hint = did_you_mean(s.name, BEGINNINGS, f"a statement assigns: `{s.name} <- ...`")
        yield s.error(f"expected `<-` after `{s.name}`, found {s.found_text}", hint)


def word_as_name(s: Situation) -> Errors:
    """A keyword or a brace for a name; not a word that closes a block where a statement is expected."""
    closes = s.found.type in ("END", "ELSE", "ELIF", "THEN", "DO", "AND", "OR") and "IF" in s.accepts
    if "NAME" in s.accepts and "NUMBER" not in s.accepts and s.found[:1].isalpha() and not closes:
        message = {
            "EPS": "`eps` is the privacy parameter and cannot name anything else",
            "PRIMED": f"`{s.found}` is allowed only in an adjacency formula",
        }.get(s.found.type, f"`{s.found}` is a keyword and cannot be a name here")
        yield s.error(message, "choose another name")
    if s.found.type == "LBRACE" and "LBRACE" not in s.accepts:
        yield s.error("`{` is not allowed here", BLOCK_HINT)


def wrong_declaration(s: Situation) -> Errors:
    """``input q {0, 1}``, ``for i = 1..3``, ``adjacent lnif 1``."""
    if "IN" in s.accepts:
        if s.declares:
            commas = [i for i, kind in enumerate(s.types) if kind == "COMMA"]
            form = "".join(s.statement[commas[-1] + 1 if commas else 1 :]) + " in {0, 1}"
        else:
            form = next((str(t) for t in reversed(s.statement) if t.type == "NAME"), "x") + " in 1..3"
        yield s.error(f"expected `in`, found {s.found_text}", f"write `{form}`")
    if s.types == ["ADJACENT", "NAME"] and s.found.type == "NUMBER":
        name = s.statement[1]
        yield s.error(f"unknown adjacency `{name}`", did_you_mean(name, METRICS), name)


def infinite_set(s: Situation) -> Errors:
    """``in 0..inf``: rule 8; and ``inf`` anywhere but in a claim."""
    if s.declares and s.found.type == "INF" and s.follows == "DOTS":
        yield violation(8, "an infinite set", s.span, FINITE)
    if s.found.type == "INF" and "INF" not in s.accepts:
        hint = "it is allowed only as the upper end of an interval of eps"
        yield s.error("`inf` is not a number", hint)


ENDS_VALUE = frozenset({"NUMBER", "NAME", "PRIMED", "EPS", "RPAR", "RSQB"})
BEGINS_VALUE = frozenset({"NUMBER", "NAME", "PRIMED", "EPS", "LPAR"})


def missing_sign(s: Situation) -> Errors:
    """``2eps``, two statements on a line, an option of ``choose`` without its probability."""
    touching = s.previous is not None and s.previous.end_pos == s.found.start_pos and "STAR" in s.accepts
    if touching and s.found.type in BEGINS_VALUE and s.follows in ENDS_VALUE:
        left = "" if s.follows in CLOSING else s.previous
        yield s.error(f"expected an operator before `{s.found}`", f"for a product write `{left}*{s.found}`")
    if "_SEP" in s.accepts and s.found.type in ("NAME", "IF", "FOR", "WHILE", "EXIT", *DECLARING):
        message = f"expected the end of the statement, found `{s.found}`"
        yield s.error(message, "separate statements by a new line or `;`")
    if "COLON" in s.accepts and "CHOOSE" in s.types:
        message = f"expected `:` and a probability, found {s.found_text}"
        yield s.error(message, "write `choose {0: 1/3, 1: 2/3}`")


def no_quantifier(s: Situation) -> Errors:
    """A sentence about eps that does not say for which."""
    if s.start == "sentence" and s.begins not in ("FORALL", "EXISTS") and len(s.seen) < 2:
        hint = "for example: forall eps > 0: exp(eps) >= 1 + eps    or: exists eps in (0, 1]: exp(eps) = 2"
        yield s.error("a sentence begins with `forall` or `exists`", hint)


# --- distributions, sets and choices written as in another language ----------------------------


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


def range_in_braces(s: Situation) -> Errors:
    """``{0..3}``, ``in [0..3]``."""
    kind = s.brackets[-1].type if s.brackets else ""
    before = s.before(s.brackets[-1]) if kind == "LSQB" else None
    if s.found.type == "DOTS" and (kind == "LBRACE" or (before is not None and before.type == "IN")):
        inside = bracketed(s, s.span_of(s.brackets[-1]).start)
        if not inside or "," in inside:
            yield s.error("a range is not allowed inside a set", "list the values: `{0, 1, 2}`")
        hint = f"write `{s.before(s.brackets[-1])} {inside}`"
        brackets = "braces" if kind == "LBRACE" else "brackets"
        yield s.error(f"a range is written without {brackets}", hint, s.brackets[-1])


def set_in_brackets(s: Situation) -> Errors:
    """``uniform(0, 1)``, ``uniform[0, 1]``, ``in [0, 1, 2]``, ``in [0]``."""
    before, start = None, 0
    if s.found.type == "LSQB":
        before, start = s.previous, s.span.start
    elif s.found.type in ("COMMA", "RSQB") and len(s.brackets) == 1 and s.brackets[0].type != "LBRACE":
        before, start = s.before(s.brackets[0]), s.span_of(s.brackets[0]).start
    if before is not None and (before.type == "UNIFORM" or (s.declares and before.type == "IN")):
        inside = bracketed(s, start) or "0, 1"
        word = "uniform " if before.type == "UNIFORM" else "in "
        hint = f"write `{word}{{{inside}}}`"
        if ends := re.fullmatch(r"(-?\d+)\s*,\s*(-?\d+)", inside):
            hint += f", or `{word}{ends[1]}..{ends[2]}` for all integers between them"
        yield s.error("a set is written in braces", hint)


def exponential_mechanism(s: Situation) -> Errors:
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


def conditional_value(s: Situation) -> Errors:
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


def unfinished(s: Situation) -> Errors:
    """``r <- Lap``, ``param N``, ``param N <- 3``, ``prior q <- flip(1/2) end``."""
    if s.follows in FORMS and "LPAR" in s.accepts:
        hint = f"write `{FORMS[s.follows].format(word=s.previous)}`"
        yield s.error(f"expected `(` after `{s.previous}`, found {s.found_text}", hint)
    if s.types == ["PARAM", "NAME"] and "EQ" in s.accepts:
        value = s.rest_of_line(s.span.end) if s.found.type == "ARROW" else ""
        hint = f"write `param {s.statement[1]} = {value or 3}`"
        yield s.error(f"expected `=` and a number, found {s.found_text}", hint)
    if s.begins == "PRIOR" and s.found.type not in ("_SEP", "$END"):
        message = f"expected the end of the line after `prior` and its name, found {s.found_text}"
        yield s.error(message, HINTS["PRIOR"])


# --- claims: after `private`, or on the command line after `--claim` ---------------------------

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


def claim_mistakes(s: Situation) -> Errors:
    """The mistakes in a claim, if it is a claim that is being read."""
    if s.claim is None:
        return
    if s.found.type == "PRIVATE" and not s.claim:
        hint = f"leave out the word: write {quoted(s, s.rest_of_line(s.span.end) or EPSILON)}"
        yield s.error("the claim begins with epsilon, not with `private`", hint)
    empty = all(token.type == "LPAR" for token in s.claim)
    if empty and s.found.type in ("$END", "_SEP", "RPAR", "COMMA", "FOR"):
        yield s.error("the claim has no epsilon", f"it is a multiple of eps, {claim_hint(s)}")
    for mistake in (missing_delta, pair_in_brackets, named_part, all_sizes, no_interval, missing_comma):
        if s.claim:
            yield from mistake(s, s.claim)


def missing_delta(s: Situation, claim: Sequence[Token]) -> Errors:
    """A comma at the end: the program's next line is read as delta."""
    commas = [i for i, token in enumerate(claim) if token.type == "COMMA"]
    if commas and not s.brackets:
        comma, after = [*claim, s.found][commas[-1] :][:2]
        if after.type in ("$END", "_SEP", "FOR") or after.line != comma.line:
            hint = f"write for example {quoted(s, PAIR)}, or leave the comma out"
            yield s.error("delta is missing after the comma", hint, comma)


def pair_in_brackets(s: Situation, claim: Sequence[Token]) -> Errors:
    """``private (eps, 1/10)``."""
    if s.found.type == "COMMA" and claim[0].type == "LPAR" and len(s.brackets) == 1:
        whole = re.fullmatch(r"\((?P<pair>.*?,[^,]*?)\)?(?P<interval>\s*for\b.*)?", written(s))
        pair = whole["pair"] + (whole["interval"] or "") if whole else ""
        complete = pair if all(part.strip() for part in pair.split(",")[:2]) else ""
        hint = f"write {quoted(s, complete or PAIR)}"
        yield s.error("a claim is written without brackets", hint, s.brackets[-1])


def named_part(s: Situation, claim: Sequence[Token]) -> Errors:
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


def all_sizes(s: Situation, claim: Sequence[Token]) -> Errors:
    """``for N``, ``for all N for eps in (0, 1)``, ``for all N >= 1``, ``forall N``."""
    words = [token for token in claim if token.type in ("FOR", "NAME", "EPS")]
    places = [k for k, token in enumerate(words) if token.type == "FOR"]
    if s.found.type == "FORALL" and not s.brackets:
        size = re.match(r"[^\W\d]\w*", s.rest_of_line(s.span.end))
        yield s.error("`forall` is for formulas", f"write `for all {size[0] if size else 'N'}`")
    every = words[places[-1] + 1 :] if places else []
    if not every or every[0].type == "EPS" or s.found.type == "EPS":
        return
    names = [str(name) for name in every[(len(every) > 1 or every[0] == "all") :]] or ["N"]
    right = f"for all {', '.join(names)}"
    if s.found.type == "FOR":
        interval = s.rest_of_line(s.span.start)
        yield s.error("the interval of eps comes before the sizes", f"write `{interval} {right}`")
    message = f"a claim for all sizes ends in the names of parameters, found {s.found_text}"
    yield s.error(message, f"write `{right}`, which means every integer from 1 on")


def no_interval(s: Situation, claim: Sequence[Token]) -> Errors:
    """``for eps > 0``, ``for all eps``."""
    types = [token.type for token in claim]
    if s.brackets or "FOR" not in types or {"LPAR", "LSQB"} & {*types[types.index("FOR") :]}:
        return
    said = re.sub(r"^(eps|ε)\s*", "", s.rest_of_line(s.span_of(claim[types.index("FOR")]).end))
    found = [form.format(*m.groups()) for pattern, form in INTERVALS if (m := re.match(pattern, said))]
    interval = found[0].replace("[0,", "(0,") if found else "(0, inf)"
    every = next((token for token in claim[types.index("FOR") + 1 :] if token.type == "NAME"), None)
    found_text = s.found_text if every is None else f"`{every}`"
    yield s.error(f"expected an interval of eps, found {found_text}", f"write `for eps in {interval}`", every)


def missing_comma(s: Situation, claim: Sequence[Token]) -> Errors:
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


# --- any other mistake -----------------------------------------------------------------------

HINTS = {
    "": "a program is a list of declarations, then statements such as `x <- 1`",
    "PARAM": "a parameter is declared like this: `param N = 3`",
    "INPUT": "an input is declared like this: `input q[3] in {0, 1}`",
    "OUTPUT": "an output is declared like this: `output b in {true, false}`",
    "PRIOR": "a prior is written `prior NAME`, statements that draw the inputs, `end`, each on a line",
    "SECRET": "two secrets are compared like this: `secret q[1] = 0 vs q[1] = 1`",
    "ADJACENT": "one of `adjacent linf 1`, `adjacent l1 1`, `adjacent hamming 1`, `adjacent all`, "
    "or a formula such as `adjacent abs(q - q') <= 1`",
    "IF": "a choice is written `if c then ... elif d then ... else ... end`",
    "FOR": "a loop is written `for i in 1..3 do ... end`",
    "WHILE": "a loop is written `while c do ... end`",
    "NAME": "an assignment is written `x <- 1` or `x <- Lap(eps/2, 0)`",
    "END": "after `end` comes a new line or `;`",
    "EXIT": "after `exit` comes a new line or `;`",
}
"""What the statement looks like, by its first token."""


def unexpected(s: Situation) -> Errors:
    """What was found and what was expected, for any other mistake."""
    hint = claim_hint(s) if s.claim is not None else HINTS.get(s.begins, "")
    if len(s.statement) != 1 and s.accepts.isdisjoint({"_SEP", "$END"}) and s.found.type in ("$END", "_SEP"):
        hint = "the text stops in the middle of something: complete it"
    if s.brackets and OPENING[s.brackets[-1].type] in s.accepts:
        bracket = s.brackets[-1]
        hint = f"`{bracket}` was opened in line {bracket.line}, column {bracket.column}"
    yield s.error(f"expected {s.expected()}, found {s.found_text}", hint)


# --- values on the command line: `--pair 'q=0,0'` ---------------------------------------------

EXAMPLE = "write for example `q=[0,1]`, or `q=[0,1], x=top` for several"

VALUE = r"-?\d+(?:\.\d+)?(?:/\d+)?|[^\W\d]\w*"
NEXT = r"[,;\s]\s*[^\W\d]\w*\s*=|$"


def wrong_value(s: Situation) -> Errors:
    """What was found, with the same values in the right form."""
    if not s.seen and s.found.type == "$END":
        yield s.error("no values are given", EXAMPLE)
    yield s.error(f"expected {s.expected()}, found {s.found_text}", rewritten(s) or EXAMPLE)


def rewritten(s: Situation) -> str:
    """The hint that writes the values out, if it is clear what they are."""
    if s.found.type == "NAME" and "COMMA" in s.accepts and s.rest_of_line(s.span.end)[:1] == "=":
        before, after = s.source.text[: s.span.start].strip(), s.source.text[s.span.start :].strip()
        return f"separate the inputs by a comma: `{before}, {after}`"
    equals = [i for i, token in enumerate(s.seen) if token.type == "EQ"]
    name = s.seen[equals[-1] - 1] if equals else "q"
    text = s.source.text[s.span_of(s.seen[equals[-1]]).end if equals else 0 :]
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


# --- all of them -----------------------------------------------------------------------------

MISTAKES = (
    no_quantifier,
    foreign_sign,
    foreign_word,
    empty_index,
    sample_in_expression,
    claim_mistakes,
    brackets,
    range_in_braces,
    set_in_brackets,
    exponential_mechanism,
    conditional_value,
    unfinished,
    arrow_in_expression,
    infinite_set,
    missing_block_word,
    missing_end,
    wrong_block,
    wrong_declaration,
    lonely_expression,
    word_as_name,
    missing_sign,
    unexpected,
)
"""The mistakes in programs, claims and expressions, in the order in which they are tried."""


def explain_token(
    source: Source, seen: Sequence[Token], found: Token, accepts: set[str], start: str = "program"
) -> InputError:
    """The error for a token that does not fit after the tokens ``seen``; ``start`` is what is being read."""
    situation = Situation(source, seen, found, frozenset(accepts), start)
    mistakes = (brackets, wrong_value) if start == "valuation" else MISTAKES
    return next(error for mistake in mistakes for error in mistake(situation))
