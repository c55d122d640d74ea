"""Explaining text that does not parse: the classical mistakes.

Each function yields the error for every mistake of its kind that it recognises, most of them by a pattern of
terminals: :meth:`Situation.fits`.  The first error counts; the last function, :func:`unexpected`, says what
was found and what was expected there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lark import Token

from dipc.dipwhile.syntax.build import FINITE
from dipc.dipwhile.syntax.claim_mistakes import CLAIM_MISTAKES, claim_hint
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.layout import CLOSING, CONTROL, DECLARATIONS, DECLARING, METRICS, OPENING
from dipc.dipwhile.syntax.situation import OPERATORS, SAMPLING, STATEMENT, Errors, Situation, depths, word_for
from dipc.errors import InputError, Source, Span
from dipc.models.arithmetic import ASCII
from dipc.suggest import did_you_mean

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
    "\N{RIGHTWARDS ARROW}": "write `->`",
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
    for bracket in reversed(s.brackets):
        if 0 not in depths(code[bracket.start_pos :]):
            hint = f"add {word_for(OPENING[bracket.type])} before {s.found_text}"
            yield s.error(f"`{bracket}` is never closed", hint, bracket)
    if s.found.type not in CLOSING or s.found.type in s.accepts:
        return
    if not s.brackets:
        yield s.error(f"`{s.found}` has no opening bracket", "remove it, or add the opening bracket")
    elif (partner := OPENING[s.brackets[-1].type]) in s.accepts:
        hint = f"write {word_for(partner)} instead"
        yield s.error(f"`{s.brackets[-1]}` is closed by `{s.found}`", hint)


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
    if s.fits("# EQ", "ARROW"):
        hint = f"write `{s.name} <- ...`"
        if len(s.statement) == 1 and not any(token.type in ("OUTPUT", "ARROW") for token in s.seen):
            hint = f"a constant is declared like this: `param {s.name} = {s.rest.lstrip('= ') or 3}`"
        yield s.error("`=` compares two values, it does not assign", hint)
    text, start = s.source.text, s.span.start
    for first in (start - 1, start):
        pair = text[max(first, 0) : first + 2]
        if pair in PAIRS:
            place = Span(s.source, first, first + 2)
            yield s.error(f"`{pair}` is not part of the language", PAIRS[pair], place)
    if sign := s.fits(r"# \w+ ([-+*/])[-=+]", "ARROW"):
        place = Span(s.source, start, start + 2)
        hint = f"write `{s.name} <- {s.name} {sign[1]} 1`"
        yield s.error(f"`{sign[0][-2:]}` is not part of the language", hint, place)


def empty_index(s: Situation) -> Errors:
    """``q[]``."""
    if s.fits("LSQB # RSQB"):
        what = "the size of the array" if s.fits("^(INPUT|OUTPUT)") else "the index"
        yield s.error(f"{what} is missing", "write a number or a parameter: `[3]`, `[N]`")


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

BLOCK_HINT = "blocks are written `then ... end` and `do ... end`; sets follow `in`, `uniform` and `choose`"


def wrong_block(s: Situation) -> Errors:
    """A block without its word, or that the text ends in; an ``end`` outside one, a declaration inside."""
    for word, before in (("then", "the condition"), ("do", "the loop header")):
        if s.fits("# COLON", word.upper()):
            yield s.error(f"a block begins with `{word}`, not with `:`", f"write `{word}`")
        if s.fits(r"# (_SEP|\$END|NAME|IF|FOR|WHILE|EXIT|END|ELSE|DO|THEN)\b", word.upper()):
            yield s.error(f"`{word}` is missing after {before}", f"write `{word}` here")
    if s.blocks and s.fits(r"# \$END", "END"):
        else_ifs = [b for a, b in pairwise(s.seen) if a.type == "ELSE" and b.type == "IF"]
        hint = "add `end`" + "; note that each `else if` needs an `end` of its own: write `elif`" * any(
            else_ifs
        )
        if any(s.blocks[-1] is token for token in else_ifs):
            hint = "`else if` opens a second `if` with an `end` of its own: write `elif`"
        yield s.error(f"this `{s.blocks[-1]}` is never closed", hint, s.blocks[-1])
    if not s.blocks and s.fits(r"# (END|ELSE|ELIF)\b", "_SEP", "$END"):
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


BEGINNINGS = (*DECLARATIONS, "while", "exit")
"""Words that a statement or declaration begins with, long enough to recognise when misspelt."""


WORDS = frozenset((*DECLARATIONS, *CONTROL, "and", "or", "not"))
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
        value = re.match(r"\w+\s*(?:=|:=|<-)\s*(\S.*)", s.rest)
        hint = f"variables need no declaration: `{s.found} <- {value[1] if value else 0}`"
        yield s.error(f"there is no statement `{begun}`", hint, begun)
    if begun in FOREIGN and s.found.type not in s.accepts:
        yield s.error(f"there is no statement `{begun}`", FOREIGN[str(begun)], begun)


def wrong_declaration(s: Situation) -> Errors:
    """``input q {0, 1}``, ``for i = 1..3``, ``adjacent lnif 1``; ``in 0..inf``: rule 8."""
    if "IN" in s.accepts:
        form = next((str(t) for t in reversed(s.statement) if t.type == "NAME"), "x") + " in 1..3"
        if s.fits("^(INPUT|OUTPUT)"):
            commas = [0, *(i for i, kind in enumerate(s.types) if kind == "COMMA")]
            form = "".join(s.statement[commas[-1] + 1 :]) + " in {0, 1}"
        yield s.error(f"expected `in`, found {s.found_text}", f"write `{form}`")
    if s.fits("^ADJACENT NAME # NUMBER"):
        name = s.statement[1]
        yield s.error(f"unknown adjacency `{name}`", did_you_mean(name, METRICS), name)


def infinite_set(s: Situation) -> Errors:
    """``in 0..inf``: rule 8; and ``inf`` anywhere but in a claim."""
    if s.fits(r"^(INPUT|OUTPUT).* DOTS # INF\b"):
        yield violation(8, "an infinite set", s.span, FINITE)
    if s.fits(r"# INF\b") and "INF" not in s.accepts:
        hint = "it is allowed only as the upper end of an interval of eps"
        yield s.error("`inf` is not a number", hint)


def wrong_name(s: Situation) -> Errors:
    """A call or a name without ``<-``, perhaps a misspelt keyword; a keyword or a brace for a name."""
    if s.fits("# LPAR", "ARROW"):
        yield s.error(
            f"a call of `{s.name}` is not a statement", f"assign it: `x <- {s.name}(...)`", s.statement[0]
        )
    if "ARROW" in s.accepts:
        hint = did_you_mean(s.name, BEGINNINGS, f"a statement assigns: `{s.name} <- ...`")
        yield s.error(f"expected `<-` after `{s.name}`, found {s.found_text}", hint)
    # A word that closes a block where a statement is expected is none of them.
    closes = s.fits(r"# (END|ELSE|ELIF|THEN|DO|AND|OR)\b", "IF")
    if s.fits(r"# \S+ [^\W\d_]", "NAME") and "NUMBER" not in s.accepts and not closes:
        message = {
            "EPS": "`eps` is the privacy parameter and cannot name anything else",
            "PRIMED": f"`{s.found}` is allowed only in an adjacency formula",
        }.get(s.found.type, f"`{s.found}` is a keyword and cannot be a name here")
        yield s.error(message, "choose another name")
    if s.fits("# LBRACE"):
        yield s.error("`{` is not allowed here", BLOCK_HINT)


def missing_sign(s: Situation) -> Errors:
    """``2eps``, two statements on a line, an option of ``choose`` without its probability."""
    values = r"(NUMBER|NAME|PRIMED|EPS|RPAR|RSQB) # (NUMBER|NAME|PRIMED|EPS|LPAR)\b"
    if (sides := s.fits(values, "STAR")) and s.span_of(s.previous).end == s.span.start:
        left = "" if sides[1] in CLOSING else s.previous
        yield s.error(f"expected an operator before `{s.found}`", f"for a product write `{left}*{s.found}`")
    if s.found.type in STATEMENT | DECLARING and "_SEP" in s.accepts:
        message = f"expected the end of the statement, found `{s.found}`"
        yield s.error(message, "separate statements by a new line or `;`")
    if s.fits("CHOOSE.* #", "COLON"):
        message = f"expected `:` and a probability, found {s.found_text}"
        yield s.error(message, "write `choose {0: 1/3, 1: 2/3}`")


def no_quantifier(s: Situation) -> Errors:
    """A sentence about eps that does not say for which."""
    if s.start == "sentence" and not s.seen:
        hint = "for example: forall eps > 0: exp(eps) >= 1 + eps    or: exists eps in (0, 1]: exp(eps) = 2"
        yield s.error("a sentence begins with `forall` or `exists`", hint)


# --- distributions, sets and choices written as in another language ----------------------------


def split_arguments(text: str) -> list[str]:
    """The arguments of a call.

    >>> split_arguments("eps/2, {lo, hi}, 1")
    ['eps/2', '{lo, hi}', '1']
    """
    commas = [k for k, depth in enumerate(depths(text)) if depth == 0 and text[k] == ","]
    return [text[start + 1 : end].strip() for start, end in pairwise((-1, *commas, len(text)))]


def range_in_braces(s: Situation) -> Errors:
    """``{0..3}``, ``in [0..3]``."""
    opening = s.brackets[-1] if s.found.type == "DOTS" and s.brackets else Token("", "")
    before = s.before(opening)
    if opening == "{" or (opening == "[" and before == "in"):
        inside = s.inside(opening)
        if not inside or "," in inside:
            yield s.error("a range is not allowed inside a set", "list the values: `{0, 1, 2}`")
        kind = "braces" if opening == "{" else "brackets"
        yield s.error(f"a range is written without {kind}", f"write `{before} {inside}`", opening)


def set_in_brackets(s: Situation) -> Errors:
    """``uniform(0, 1)``, ``uniform[0, 1]``, ``in [0, 1, 2]``, ``in [0]``."""
    only = s.brackets[0] if len(s.brackets) == 1 and s.brackets[0] != "{" else Token("", "")
    opening = {"[": s.found, ",": only, "]": only}.get(s.found, Token("", ""))
    word = s.before(opening)
    if word == "uniform" or (word == "in" and s.fits("^(INPUT|OUTPUT)")):
        inside = s.inside(opening) or "0, 1"
        hint = f"write `{word} {{{inside}}}`"
        if ends := re.fullmatch(r"(-?\d+)\s*,\s*(-?\d+)", inside):
            hint += f", or `{word} {ends[1]}..{ends[2]}` for all integers between them"
        yield s.error("a set is written in braces", hint)


def exponential_mechanism(s: Situation) -> Errors:
    """``Exp(eps/2, {lo, hi}, 1)``: the variable is missing."""
    complete = not s.accepts & {"IN", "COMMA"} and s.accepts != {"NAME"}
    if complete or len(s.brackets) != 1 or not s.fits(r"EXP LPAR (?!.*\bIN .*#|.*\bEXP .*#)"):
        return
    rate, *others = split_arguments(s.inside(s.brackets[0]))
    sets = [argument for argument in others if re.match(r"\{|.*\.\.", argument)]
    score = others[1] if len(others) == 2 and sets == [others[0]] else "v"
    chosen = sets[0] if sets else "{0, 1}"
    message = f"`Exp` takes a rate, a variable with its set, and a score; found {s.found_text}"
    yield s.error(message, f"write `Exp({rate or 'eps/2'}, v in {chosen}, {score})`")


VALUES_BY_IF = (
    r"(?P<yes>.+?)\s+if\s+(?P<c>.+?)\s+else\s+(?P<no>.+)",
    r"if\s+(?P<c>.+?)\s+then\s+(?P<yes>.+?)\s+else\s+(?P<no>.+?)(?:\s+end)?",
)


def conditional_value(s: Situation) -> Errors:
    """``x <- a if c else b`` and ``x <- if c then a else b end``."""
    if s.brackets or not (arrow := s.fits(r"ARROW( .+)? # IF")):
        return
    place = s.types.index("ARROW")
    target = "".join(s.statement[:place])
    value = s.rest_of_line(s.span_of(s.statement[place]).end)
    parts = next(filter(None, (re.fullmatch(form, value) for form in VALUES_BY_IF)), None)
    two_statements = arrow[1] and (parts is None or " then " in value)
    if not two_statements:
        c, yes, no = parts.group("c", "yes", "no") if parts else ("c", "1", "0")
        hint = f"write `if {c} then {target} <- {yes} else {target} <- {no} end`"
        yield s.error("`if` is not allowed inside an expression", hint)


FORMS = {"EXP": "Exp(eps/2, v in {{0, 1}}, v)", "FLIP": "flip(1/2)", "NOISE": "{word}(eps/2, 0)"}


def unfinished(s: Situation) -> Errors:
    """``r <- Lap``, ``param N``, ``param N <- 3``, ``prior q <- flip(1/2) end``."""
    if word := s.fits("(EXP|FLIP|NOISE) #", "LPAR"):
        hint = f"write `{FORMS[word[1]].format(word=s.previous)}`"
        yield s.error(f"expected `(` after `{s.previous}`, found {s.found_text}", hint)
    if param := s.fits(r"^PARAM NAME #(?: ARROW (?:<-|:=|←) *(.+))?", "EQ"):
        hint = f"write `param {s.previous} = {param[1] or 3}`"
        yield s.error(f"expected `=` and a number, found {s.found_text}", hint)
    if s.fits(r"^PRIOR.*# (?!_SEP|\$END)"):
        message = f"expected the end of the line after `prior` and its name, found {s.found_text}"
        yield s.error(message, HINTS["PRIOR"])


def arrow_in_expression(s: Situation) -> Errors:
    """``if x <-1 then``."""
    if s.fits("# ARROW") and "ARROW" not in s.accepts:
        comparison = re.match(r"<-[^\W_]", s.rest)
        hint = "put a space between `<` and `-`: `x < -1`" if comparison else "write `=` to compare"
        yield s.error(f"`{s.found}` assigns; it is not allowed inside an expression", hint)


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
    hint = claim_hint(s) if s.fits("^PRIVATE") else HINTS.get(next(iter(s.types), ""), "")
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
    if s.fits(r"^ # \$END"):
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
    only_values = re.fullmatch(rf"(?:{VALUE}|[\s,;()\[\]{{}}])+", text)
    if not values or s.found.type in ("EPS", "INF") or not only_values:
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
    *CLAIM_MISTAKES,
    brackets,
    range_in_braces,
    set_in_brackets,
    exponential_mechanism,
    conditional_value,
    unfinished,
    arrow_in_expression,
    infinite_set,
    wrong_block,
    wrong_declaration,
    wrong_name,
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
