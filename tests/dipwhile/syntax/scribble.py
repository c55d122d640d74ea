"""A program written in strange style: spaces, lines, comments and spellings at random."""

from __future__ import annotations

from random import Random

from dipc.dipwhile.syntax.ast import Program
from dipc.dipwhile.syntax.layout import CLOSING, CONTINUES, OPENING, classify
from dipc.dipwhile.syntax.parser import raw_tokens
from dipc.dipwhile.syntax.printer import show_program

COMMENTS = ["#", "# a", "#b", "# if x then end ;", "# ε ≤ 'q'", "## <- # {", "#\tc  d"]
SPACES = ["", "", " ", "   ", "\t"]
OTHER_SPELLINGS = {"<-": ["<-", ":=", "←"], "eps": ["eps", "ε"], "<=": ["<=", "≤"], "!=": ["!=", "≠"]}


def line_ends(random: Random, separates: bool) -> str:
    """A line end with comments and empty lines; or perhaps nothing, where none is needed."""
    pieces = [random.choice(SPACES)]
    for _ in range(random.randint(1 if separates else 0, 3)):
        pieces += [random.choice(["", "", ";"]) if separates else "", random.choice(SPACES)]
        pieces += [random.choice(["", *COMMENTS]), "\n", random.choice(SPACES)]
    return "".join(pieces)


def scribbled(program: Program, random: Random) -> str:
    """A text for the program in strange style."""
    shown = show_program(program)
    pieces, depth, end, previous = [line_ends(random, False)], 0, 0, None
    for token in raw_tokens(shown):
        gap = shown[end : token.start_pos]
        end = token.end_pos or 0
        if token.type == "_SEP":
            pieces.append(random.choice([line_ends(random, True), "; ", ";;", " ;\n", "\r\n"]))
            continue
        token = classify(token, previous)
        free = depth > 0 or (previous is not None and previous.type in CONTINUES)
        more = line_ends(random, False) if free and random.random() < 0.3 else random.choice(SPACES)
        pieces += [gap, more, random.choice(OTHER_SPELLINGS.get(token, [str(token)]))]
        depth += (token.type in OPENING) - (token.type in CLOSING)
        previous = token
    return "".join([*pieces, line_ends(random, False), random.choice(["", *COMMENTS])])
