"""Text to syntax tree.

The grammar is ``grammar.lark``; :mod:`dipc.dipwhile.syntax.layout` decides which newlines count;
:mod:`dipc.dipwhile.syntax.build` turns lark's tree into ours; :mod:`dipc.dipwhile.syntax.mistakes` explains
what the parser does not accept; :mod:`dipc.dipwhile.syntax.tables` has the parser tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from lark import Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken, VisitError

from dipc.dipwhile.syntax.ast import AccurateClaim, Claim, Expr, Node, Program, Sentence
from dipc.dipwhile.syntax.build import Builder, Valuation
from dipc.dipwhile.syntax.layout import ACCURATE, claims, implications, layout, logarithms
from dipc.dipwhile.syntax.tables import parser
from dipc.dipwhile.syntax.walk import expressions, inner_statements, operands
from dipc.errors import InputError, Source, Span
from dipc.lazily import lazily
from dipc.models.arithmetic import accepted, check_spelling, lexed

if TYPE_CHECKING:
    import dipc.dipwhile.syntax.mistakes as mistakes
else:
    mistakes = lazily("dipc.dipwhile.syntax.mistakes")


def parse(source: Source) -> Program:
    """The syntax tree of a program.

    >>> parse(Source("a.dip", "output b in {0, 1}; b <- 1")).outputs[0].name
    'b'
    >>> parse(Source("a.dip", "x = 1"))
    Traceback (most recent call last):
    dipc.errors.InputError: a.dip:1:3: error: `=` compares two values, it does not assign
        x = 1
          ^
        help: a constant is declared like this: `param x = 1`
    """
    program: Program = _parse(source, "program")
    declared = (program.params, program.inputs, program.outputs)
    if not any((program.body, *declared, program.unknowns, program.priors, program.secrets)):
        hint = "the smallest program is `output b in {true, false}; b <- flip(1/2)`"
        raise InputError("the program is empty", Span(source, 0, 0), hint)
    return program


def parse_claim(text: str, name: str = "<claim>") -> Claim:
    """The claim in a text, as after ``private``; messages call the text ``name``."""
    claim: Claim = _parse(Source(name, text), "claim")
    return claim


def is_accurate(text: object) -> bool:
    """Whether the text of a claim is one of accuracy."""
    return isinstance(text, str) and text.split()[:1] == [ACCURATE]


def parse_accurate(text: str, name: str) -> AccurateClaim:
    """The claim in a text that begins with ``accurate``; messages call the text ``name``."""
    before, rest = text.split(ACCURATE, 1)
    claim: AccurateClaim = _parse(Source(name, " " * len(before + ACCURATE) + rest), "accurate")
    return claim


def parse_expression(text: str, name: str = "<expression>") -> Expr:
    """An expression on its own; messages call the text ``name``."""
    expression: Expr = _parse(Source(name, text), "expression")
    return expression


def parse_valuation(text: str, name: str = "<values>") -> Valuation:
    """The values of variables, as written on a command line; messages call the text ``name``.

    >>> parse_valuation("q = [0, -1/2]; x = top")
    {'q': (0, -1/2), 'x': Atom(name='top')}
    """
    valuation: Valuation = _parse(Source(name, text), "valuation")
    return valuation


def parse_sentence(text: str) -> Sentence:
    """The syntax tree of a sentence.

    >>> tree = parse_sentence("exists eps in (0, 1]: exp(eps) = 2 -> eps < 1/2")
    >>> tree.quantifier, tree.interval.high_closed, tree.body.op
    ('exists', True, <Op.OR: 'or'>)
    """
    sentence: Sentence = _parse(Source("<sentence>", text), "sentence")
    return sentence


def raw_tokens(text: str) -> Iterator[Token]:
    """The tokens of a text that can be parsed, with every separator; comments are in the gaps."""
    return lexed(_lark(), text)


def _parse(source: Source, start: str) -> Any:
    """The tree of a text, by a rule of the grammar."""
    tokens = logarithms(layout(raw_tokens(source.text)))
    tree = _run(start, implications(tokens) if start == "sentence" else claims(tokens, start), source)
    if isinstance(tree, Node):
        check_depth(tree)
    return tree


def _run(start: str, tokens: Iterable[Token], source: Source) -> Any:
    """The tree of the tokens of a text.

    Raises :class:`InputError`: the first mistake in the grammar counts, then what the builder refuses.
    """
    machine = _lark().parse_interactive(start=start)
    seen: list[Token] = []
    try:
        for token in tokens:
            if token.type in ("NAME", "PRIMED"):
                check_spelling(token, Span(source, token.start_pos or 0, token.end_pos or 0))
            machine.feed_token(token)
            seen.append(token)
        return Builder(source).transform(machine.feed_eof(seen[-1] if seen else None))  # type: ignore[no-untyped-call]
    except UnexpectedCharacters as error:
        raise mistakes.explain_character(source, error.pos_in_stream or 0) from None
    except UnexpectedToken as error:
        raise mistakes.explain_token(source, seen, error.token, accepted(machine), start) from None
    except VisitError as error:
        raise error.orig_exc from None


_lark = cache(parser)


DEEPEST_EXPRESSION = (200, "this expression is", "split it: assign a part of it to a variable first")
DEEPEST_BLOCK = (100, "blocks are", "join conditions with `and`, or use `elif`")


def check_depth(tree: Node) -> None:
    """Refuse a tree that is nested too deep: hashing and comparing its nodes would recurse too deep.

    A chain of operators is one level, however long it is.

    >>> parse_expression("-" * 300 + "1")
    Traceback (most recent call last):
    dipc.errors.InputError: <expression>:1:201: error: this expression is nested more than 200 levels deep
    ...
    """
    if isinstance(tree, Program):
        for body in (tree.body, *(prior.body for prior in tree.priors)):
            refuse_deep(body, inner_statements, *DEEPEST_BLOCK)
        refuse_deep(tree.secrets, lambda line: getattr(line, "body", ()), *DEEPEST_BLOCK)
    for expr in expressions(tree):
        refuse_deep((expr,), operands, *DEEPEST_EXPRESSION)


def refuse_deep(
    level: tuple[Any, ...], inside: Callable[[Any], tuple[Any, ...]], most: int, what: str, hint: str
) -> None:
    """Refuse nodes with too many levels of nodes inside."""
    for _ in range(most):
        if not level:
            return
        level = tuple(part for node in level for part in inside(node))
    if level:
        raise InputError(f"{what} nested more than {most} levels deep", level[0].span, hint)
