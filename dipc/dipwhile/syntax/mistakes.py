"""Explaining text that does not parse: a table of classical mistakes.

Each mistake is a function from the situation to an :class:`InputError`, or None if it was not
this one.  They are tried in the order of :data:`MISTAKES`; if none fits, the message says what
was found and what was expected there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from lark import Token

from dipc.dipwhile.syntax.claim_mistakes import CLAIM_MISTAKES, claim_hint
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.layout import CLOSING, METRICS, OPENING
from dipc.dipwhile.syntax.shape_mistakes import SHAPE_MISTAKES
from dipc.dipwhile.syntax.situation import (
    DECLARING,
    OPERATORS,
    SAMPLING,
    Situation,
    is_closed,
    span_of,
    word_for,
)
from dipc.dipwhile.syntax.suggest import did_you_mean
from dipc.dipwhile.syntax.value_mistakes import wrong_value
from dipc.errors import InputError, Source, Span

# --- characters ------------------------------------------------------------------------------

CHARACTERS = {
    "&": "write `and`",
    "|": "write `or`; for the absolute value write `abs(x)`",
    "!": "write `not`; `!=` means different",
    '"': "atoms are written without quotes: `bot`",
    "'": "atoms are written without quotes; only an input can be primed, as in `q'`",
    "%": "write `mod(a, b)`",
    ".": "write decimals with a digit before the point (`0.5`) and ranges with two points (`1..3`)",
    "\\": "a statement goes on in the next line after an operator, after a comma and inside brackets",
    "~": "a sample is assigned with `<-`: `x <- Lap(eps, 0)`",
    "?": "write `if c then x <- a else x <- b end`",
    "$": "names are made of letters, digits and `_`",
    "@": "names are made of letters, digits and `_`",
    "\N{MINUS SIGN}": "this is a typographic minus sign: write `-`",
    "\N{EN DASH}": "this is a dash: write `-`",
    "\N{MULTIPLICATION SIGN}": "write `*`",
    "\N{DOT OPERATOR}": "write `*`",
    "\N{MIDDLE DOT}": "write `*`",
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
    """The error for a character that begins no token.

    >>> explain_character(Source("a.dip", "a && b"), 2).hint
    'write `and`'
    """
    character = source.text[position]
    doubled = source.text[position : position + 2] in ("&&", "||")
    shown = character * 2 if doubled else character
    name = f"`{shown}`" if shown.isprintable() else f"the character U+{ord(character):04X}"
    return InputError(
        f"{name} means nothing here",
        Span(source, position, position + len(shown)),
        CHARACTERS.get(character, ""),
    )


# --- brackets --------------------------------------------------------------------------------


def unclosed_bracket(s: Situation) -> InputError | None:
    open_ones = [bracket for bracket in s.brackets if not is_closed(s.source, bracket)]
    if not open_ones:
        return None
    bracket = open_ones[-1]
    partner = word_for(OPENING[bracket.type])
    return InputError(
        f"`{bracket}` is never closed", span_of(s.source, bracket), f"add {partner} before {s.found_text}"
    )


def wrong_bracket(s: Situation) -> InputError | None:
    if s.found.type not in CLOSING or s.found.type in s.accepts:
        return None
    if not s.brackets:
        return InputError(f"`{s.found}` closes nothing", s.span, "remove it, or add the opening bracket")
    partner = OPENING[s.brackets[-1].type]
    if partner == s.found.type or partner not in s.accepts:
        return None
    return InputError(
        f"`{s.brackets[-1]}` is closed by `{s.found}`", s.span, f"write {word_for(partner)} instead"
    )


def empty_index(s: Situation) -> InputError | None:
    if s.found.type == "RSQB" and s.previous is not None and s.previous.type == "LSQB":
        declared = s.statement[0].type in ("INPUT", "OUTPUT")
        what = "the size of the array" if declared else "the index"
        return InputError(f"{what} is missing", s.span, "write a number or a parameter: `[3]`, `[N]`")
    return None


# --- assignment and comparison ---------------------------------------------------------------


def single_equal(s: Situation) -> InputError | None:
    if s.found.type != "EQ" or "ARROW" not in s.accepts:
        return None
    target = "".join(s.statement)
    if len(s.statement) == 1 and not any(token.type in ("OUTPUT", "ARROW") for token in s.seen):
        value = s.rest_of_line(s.span.end).lstrip("= ") or "3"
        hint = f"a constant is declared like this: `param {target} = {value}`"
        return InputError("`=` compares two values, it does not assign", s.span, hint)
    return InputError("`=` compares two values, it does not assign", s.span, f"write `{target} <- ...`")


def double_sign(s: Situation) -> InputError | None:
    text, start = s.source.text, s.span.start
    for first in (start - 1, start):
        if first >= 0 and text[first : first + 2] in PAIRS:
            pair = text[first : first + 2]
            return InputError(
                f"`{pair}` is no sign of the language", Span(s.source, first, first + 2), PAIRS[pair]
            )
    return None


PAIRS = {
    "==": "write `=` to compare",
    "**": "powers are written `2^3`",
    "//": "comments begin with `#`; division is written `/`",
    "->": "write `<-` to assign",
    "=>": "write `>=` to compare",
    "=<": "write `<=` to compare",
    "<>": "write `!=`",
}


def compound_assignment(s: Situation) -> InputError | None:
    after = s.source.text[s.span.start + 1 : s.span.start + 2]
    if "ARROW" in s.accepts and s.found in ("+", "-", "*", "/") and after in ("=", "+", "-"):
        name = "".join(s.statement)
        span = Span(s.source, s.span.start, s.span.start + 2)
        return InputError(
            f"`{s.found}{after}` means nothing here", span, f"write `{name} <- {name} {s.found} 1`"
        )
    return None


def arrow_in_expression(s: Situation) -> InputError | None:
    if s.found.type != "ARROW" or "ARROW" in s.accepts:
        return None
    after = s.source.text[s.span.end : s.span.end + 1]
    spaced = s.found == "<-" and after.isalnum()
    return InputError(
        f"`{s.found}` assigns and cannot stand inside an expression",
        s.span,
        "put a space between `<` and `-`: `x < -1`" if spaced else "write `=` to compare",
    )


def param_without_value(s: Situation) -> InputError | None:
    if [token.type for token in s.statement] != ["PARAM", "NAME"] or "EQ" not in s.accepts:
        return None
    value = s.rest_of_line(s.span.end) if s.found.type == "ARROW" else ""
    return InputError(
        f"expected `=` and a number, found {s.found_text}",
        s.span,
        f"write `param {s.statement[1]} = {value or 3}`",
    )


# --- distributions ---------------------------------------------------------------------------


def sample_in_expression(s: Situation) -> InputError | None:
    if s.found.type in SAMPLING and s.found.type not in s.accepts:
        return sampled(str(s.found), s.span)
    words = [token.type for token in s.statement]
    if s.found.type in OPERATORS and "ARROW" in words and not s.brackets:
        first = words.index("ARROW") + 1
        if words[first:] and words[first] in SAMPLING:
            return sampled(str(s.statement[first]), span_of(s.source, s.statement[first]))
    return None


def sampled(word: str, span: Span) -> InputError:
    return InputError(
        f"`{word}` cannot stand inside an expression",
        span,
        f"first sample into a variable, `x <- {word}{DRAWS.get(word, '(...)')}`, then use `x`",
    )


DRAWS = {"choose": " {...}", "uniform": " {...}"}


# --- blocks ----------------------------------------------------------------------------------


def missing_block_word(s: Situation) -> InputError | None:
    for terminal, before in (("THEN", "condition"), ("DO", "head of the loop")):
        if terminal in s.accepts:
            word = terminal.lower()
            if s.found.type == "COLON":
                return InputError(f"a block begins with `{word}`, not with `:`", s.span, f"write `{word}`")
            if s.found.type == "LBRACE":
                return braces(s)
            if s.found.type in (
                "_SEP",
                "$END",
                "NAME",
                "IF",
                "FOR",
                "WHILE",
                "EXIT",
                "END",
                "ELSE",
                "DO",
                "THEN",
            ):
                return InputError(f"`{word}` is missing after the {before}", s.span, f"write `{word}` here")
    return None


INSTEAD = frozenset({"_SEP", "$END", "NAME", "IF", "FOR", "WHILE", "EXIT", "END", "ELSE", "DO", "THEN"})
"""What one finds where ``then`` or ``do`` was forgotten."""


def braces(s: Situation) -> InputError | None:
    if s.found.type == "LBRACE" and "LBRACE" not in s.accepts:
        return InputError(
            "`{` cannot stand here",
            s.span,
            "blocks are written `then ... end` and `do ... end`; sets stand after `in`, `uniform`, `choose`",
        )
    return None


def missing_end(s: Situation) -> InputError | None:
    if s.found.type != "$END" or not s.blocks or "END" not in s.accepts:
        return None
    word = s.blocks[-1]
    before = s.seen[next(i for i, token in enumerate(s.seen) if token is word) - 1]
    if word.type == "IF" and before.type == "ELSE":
        return InputError(
            "this `if` is never closed",
            span_of(s.source, word),
            "`else if` opens a second `if` with an `end` of its own: write `elif`",
        )
    if any(pair_is_else_if(s.seen, position) for position in range(1, len(s.seen))):
        return InputError(
            f"this `{word}` is never closed",
            span_of(s.source, word),
            "add `end`; note that each `else if` needs an `end` of its own: write `elif`",
        )
    return InputError(f"this `{word}` is never closed", span_of(s.source, word), "add `end`")


def pair_is_else_if(tokens: Sequence[Token], position: int) -> bool:
    return tokens[position].type == "IF" and tokens[position - 1].type == "ELSE"


def stray_block_word(s: Situation) -> InputError | None:
    if (
        s.found.type in ("END", "ELSE", "ELIF")
        and not s.blocks
        and not s.brackets
        and s.accepts & {"_SEP", "$END"}
    ):
        return InputError(
            f"`{s.found}` belongs to no block", s.span, "remove it, or look for an `end` too many above"
        )
    return None


def declaration_in_block(s: Situation) -> InputError | None:
    if s.found.type in DECLARING and s.blocks and not s.brackets:
        return InputError(
            f"the declaration `{s.found}` cannot stand inside a block",
            s.span,
            "move it to the top of the program",
        )
    return None


# --- names and words -------------------------------------------------------------------------

FOREIGN = {
    "return": "assign the output variable, then `exit`",
    "print": "what a program tells the world is its output variables: assign one",
    "let": "variables need no declaration: write `x <- 1`",
    "var": "variables need no declaration: write `x <- 1`",
    "const": "constants are declared at the top: `param x = 1`",
    "def": "there are no functions of one's own: write the statements out",
    "function": "there are no functions of one's own: write the statements out",
    "import": "there is nothing to import",
    "break": "leave a loop by its condition, or the program with `exit`",
    "continue": "put the rest of the body into an `if`",
    "pass": "an empty block needs no word: `if c then end`",
    "skip": "an empty block needs no word: `if c then end`",
    "repeat": "write `while c do ... end`",
    "elseif": "write `elif`",
    "elsif": "write `elif`",
    "begin": "blocks are written `then ... end` and `do ... end`",
    "define": "constants are declared at the top: `param x = 1`",
    "params": "write `param`",
    "inputs": "write `input`",
    "outputs": "write `output`",
    "privacy": "write `private`",
    "adjacency": "write `adjacent`",
    "neighbours": "write `adjacent`",
    "neighbors": "write `adjacent`",
}
"""Words of other languages at the beginning of a statement."""


BEGINNINGS = ("param", "input", "output", "adjacent", "private", "while", "exit")
"""Words that a statement or declaration begins with, long enough to recognise when misspelt."""


WORDS = frozenset((*BEGINNINGS, "if", "then", "elif", "else", "for", "in", "do", "end", "and", "or", "not"))
"""Words of the language that are met in capital letters."""


def capital_word(s: Situation) -> InputError | None:
    """``For i in 1..3 do``, and ``THEN`` where ``then`` is expected."""
    begun = s.statement[0] if len(s.statement) == 1 else None
    for token, fits in ((begun, True), (s.found, s.found.upper() in s.accepts)):
        if token is not None and fits and token.type == "NAME" and token.lower() in WORDS:
            hint = f"the words of the language are lower case: write `{token.lower()}`"
            return InputError(f"`{token}` is no word of the language", span_of(s.source, token), hint)
    return None


TYPES = frozenset(
    ("int", "float", "double", "real", "number", "bool", "boolean", "string", "auto", "let", "var")
)
"""What other languages declare variables with."""


def declared_type(s: Situation) -> InputError | None:
    """``int r = 0``."""
    if len(s.statement) != 1 or s.statement[0] not in TYPES or s.found.type != "NAME":
        return None
    value = re.match(r"(?:=|:=|<-)\s*(\S.*)", s.rest_of_line(s.span.end))
    return InputError(
        f"there is no statement `{s.statement[0]}`",
        span_of(s.source, s.statement[0]),
        f"variables need no declaration: `{s.found} <- {value[1] if value else 0}`",
    )


def foreign_word(s: Situation) -> InputError | None:
    if len(s.statement) == 1 and s.statement[0] in FOREIGN and s.found.type not in s.accepts:
        word = s.statement[0]
        return InputError(f"there is no statement `{word}`", span_of(s.source, word), FOREIGN[word])
    return None


def lonely_expression(s: Situation) -> InputError | None:
    if "ARROW" not in s.accepts or not s.statement:
        return None
    name = "".join(s.statement)
    if s.found.type == "LPAR":
        return InputError(
            f"a call of `{name}` is no statement",
            span_of(s.source, s.statement[0]),
            f"assign it: `x <- {name}(...)`",
        )
    near = did_you_mean(name, BEGINNINGS)
    hint = near if near.startswith("did") else f"a statement assigns: `{name} <- ...`"
    return InputError(f"expected `<-` after `{name}`, found {s.found_text}", s.span, hint)


def word_as_name(s: Situation) -> InputError | None:
    if "NAME" not in s.accepts or "NUMBER" in s.accepts or not s.found[:1].isalpha():
        return None
    if s.found.type == "EPS":
        return InputError(
            "`eps` is the privacy budget and cannot name anything else", s.span, "choose another name"
        )
    if s.found.type in ("END", "ELSE", "ELIF", "THEN", "DO", "AND", "OR") and "IF" in s.accepts:
        return None
    return InputError(
        f"`{s.found}` is a word of the language and cannot be a name here", s.span, "choose another name"
    )


def missing_in(s: Situation) -> InputError | None:
    if "IN" not in s.accepts:
        return None
    name = next((token for token in reversed(s.statement) if token.type == "NAME"), "x")
    declared = bool(s.statement) and s.statement[0].type in ("INPUT", "OUTPUT")
    form = f"{declared_part(s)} in {{0, 1}}" if declared else f"{name} in 1..3"
    return InputError(f"expected `in`, found {s.found_text}", s.span, f"write `{form}`")


def declared_part(s: Situation) -> str:
    """The name with its size that is being declared: `q[N]`."""
    commas = [i for i, token in enumerate(s.statement) if token.type == "COMMA"]
    return "".join(s.statement[commas[-1] + 1 if commas else 1 :])


INFINITE_SETS = frozenset(
    ("int", "integer", "integers", "real", "reals", "float", "number", "nat", "natural", "N", "Z", "Q", "R")
)


def infinite_set(s: Situation) -> InputError | None:
    """``in int``, ``in 0..inf``: rule 8."""
    if not s.statement or s.statement[0].type not in ("INPUT", "OUTPUT"):
        return None
    endless = s.found.type == "INF" and s.previous is not None and s.previous.type == "DOTS"
    place = s.found if endless else s.previous
    named = "DOTS" in s.accepts and place is not None and place.type == "NAME" and place in INFINITE_SETS
    if not (endless or named) or place is None:
        return None
    hint = "choose a finite set that shows the behaviour, for example `in -1..1` or `in {0, 1/2, 1}`"
    return violation(8, "an infinite set", span_of(s.source, place), hint)


def misplaced_infinity(s: Situation) -> InputError | None:
    if s.found.type == "INF" and "INF" not in s.accepts:
        return InputError(
            "`inf` is no number", s.span, "it may stand only as the upper end of an interval of eps"
        )
    return None


def unknown_metric(s: Situation) -> InputError | None:
    if [token.type for token in s.statement] == ["ADJACENT", "NAME"] and s.found.type == "NUMBER":
        name = s.statement[1]
        return InputError(f"unknown adjacency `{name}`", span_of(s.source, name), did_you_mean(name, METRICS))
    return None


# --- missing signs ---------------------------------------------------------------------------

ENDS_VALUE = frozenset({"NUMBER", "NAME", "PRIMED", "EPS", "RPAR", "RSQB"})
BEGINS_VALUE = frozenset({"NUMBER", "NAME", "PRIMED", "EPS", "LPAR"})


def missing_sign(s: Situation) -> InputError | None:
    if s.previous is None or s.found.type not in BEGINS_VALUE or s.previous.type not in ENDS_VALUE:
        return None
    if "STAR" in s.accepts and s.previous.end_pos == s.found.start_pos:
        text = f"{s.previous}*{s.found}" if s.previous.type not in CLOSING else f"*{s.found}"
        return InputError(f"expected an operator before `{s.found}`", s.span, f"for a product write `{text}`")
    return None


def missing_separator(s: Situation) -> InputError | None:
    if "_SEP" in s.accepts and s.found.type in ("NAME", "IF", "FOR", "WHILE", "EXIT", *DECLARING):
        return InputError(
            f"expected the end of the statement, found `{s.found}`",
            s.span,
            "separate statements by a new line or `;`",
        )
    return None


HINTS = {
    "": "a program is a list of declarations, then statements such as `x <- 1`",
    "PARAM": "a parameter is declared like this: `param N = 3`",
    "INPUT": "an input is declared like this: `input q[3] in {0, 1}`",
    "OUTPUT": "an output is declared like this: `output b in {true, false}`",
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


def choose_option(s: Situation) -> InputError | None:
    if "COLON" in s.accepts and any(token.type == "CHOOSE" for token in s.statement):
        return InputError(
            f"expected `:` and a probability, found {s.found_text}", s.span, "write `choose {0: 1/3, 1: 2/3}`"
        )
    return None


def unexpected(s: Situation) -> InputError:
    first = s.statement[0].type if s.statement else ""
    hint = claim_hint(s) if s.claim is not None else HINTS.get(first, "")
    if len(s.statement) != 1 and s.accepts.isdisjoint({"_SEP", "$END"}) and s.found.type in ("$END", "_SEP"):
        hint = "the text stops in the middle of something: complete it"
    if s.brackets and OPENING[s.brackets[-1].type] in s.accepts:
        bracket = s.brackets[-1]
        hint = f"`{bracket}` was opened in line {bracket.line}, column {bracket.column}"
    return InputError(f"expected {s.expected()}, found {s.found_text}", s.span, hint)


MISTAKES: tuple[Callable[[Situation], InputError | None], ...] = (
    single_equal,
    double_sign,
    compound_assignment,
    capital_word,
    declared_type,
    foreign_word,
    empty_index,
    sample_in_expression,
    *CLAIM_MISTAKES,
    unclosed_bracket,
    wrong_bracket,
    *SHAPE_MISTAKES,
    param_without_value,
    arrow_in_expression,
    infinite_set,
    misplaced_infinity,
    missing_block_word,
    missing_end,
    stray_block_word,
    declaration_in_block,
    missing_in,
    unknown_metric,
    lonely_expression,
    word_as_name,
    braces,
    missing_sign,
    missing_separator,
    choose_option,
)


VALUE_MISTAKES = (unclosed_bracket, wrong_bracket, wrong_value)


def explain_token(
    source: Source, seen: Sequence[Token], found: Token, accepts: set[str], start: str = "program"
) -> InputError:
    """The error for a token that does not fit after the tokens ``seen``; ``start`` is what is being read."""
    situation = Situation(source, seen, found, frozenset(accepts), start)
    table = VALUE_MISTAKES if start == "valuation" else MISTAKES
    errors = (mistake(situation) for mistake in table)
    return next((error for error in errors if error is not None), None) or unexpected(situation)
