"""Sentences about eps: ``forall eps > 0: 2 - exp(-eps) >= eps/(1 + eps)``.

Their grammar is that of programs with three more rules, and two changes: an implication is allowed
inside parentheses, and its arrow has a second spelling.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from flint import fmpq
from lark import Lark, Token, v_args
from lark.tree import Meta

from dipc.dipwhile.syntax.ast import Binary, Expr, Interval, Number, Op, Unary
from dipc.dipwhile.syntax.build import Builder
from dipc.dipwhile.syntax.layout import layout
from dipc.dipwhile.syntax.parser import check_depth, run
from dipc.dipwhile.syntax.tables import GRAMMAR
from dipc.errors import Source, Span
from dipc.models.arithmetic import lexed

CHANGES = {'"(" expression ")"': '"(" formula ")"', 'TO: "->"': 'TO: "->" | "→"'}
RULES = """
sentence: (FORALL | EXISTS) budgets ":" formula
budgets: EPS | EPS "in" interval | EPS (LT | LE | GT | GE | EQ) arith
?formula: expression | expression TO formula -> implies
"""


@dataclass(frozen=True, slots=True)
class SentenceTree:
    """A sentence as written; an implication ``a -> b`` has become ``not a or b``."""

    quantifier: str  # "forall" | "exists"
    interval: Interval | None
    body: Expr
    span: Span


def parse_sentence(text: str) -> SentenceTree:
    """The syntax tree of a sentence.

    >>> tree = parse_sentence("exists eps in (0, 1]: exp(eps) = 2 -> eps < 1/2")
    >>> tree.quantifier, tree.interval.high_closed, tree.body.op
    ('exists', True, <Op.OR: 'or'>)
    """
    source = Source("<sentence>", text)

    found = layout(lexed(_lark(), text))
    tokens = (token for token in found if token.type != "_SEP" or token == ";")  # lines do not count
    sentence: SentenceTree = run(_lark(), "sentence", tokens, _SentenceBuilder(source))
    check_depth(sentence.body)
    return sentence


@v_args(meta=True, inline=True)
class _SentenceBuilder(Builder):
    """The rules that programs do not have."""

    def sentence(self, meta: Meta, quantifier: Token, interval: Interval | None, body: Expr) -> SentenceTree:
        """The whole sentence."""
        return SentenceTree(str(quantifier), interval, body, self._at(meta))

    def budgets(self, meta: Meta, _eps: Token, *rest: Any) -> Interval | None:
        """``eps < 1`` is ``eps in (0, 1)``: eps is positive."""
        span = self._at(meta)
        zero = Number(fmpq(0), span=span)
        if len(rest) < 2:
            return rest[0] if rest else None
        sign, bound = rest
        match sign.type:
            case "GT" | "GE":
                return Interval(bound, None, sign.type == "GE", False, span=span)
            case "EQ":
                return Interval(bound, bound, True, True, span=span)
            case _:
                return Interval(zero, bound, False, sign.type == "LE", span=span)

    def implies(self, meta: Meta, left: Expr, _arrow: Token, right: Expr) -> Expr:
        """``a -> b`` as ``not a or b``."""
        return Binary(Op.OR, Unary(Op.NOT, left, span=left.span), right, span=self._at(meta))


@cache
def _lark() -> Lark:
    grammar = GRAMMAR.read_text(encoding="utf-8")
    for old, new in CHANGES.items():
        assert grammar.count(old) == 1
        grammar = grammar.replace(old, new)
    return Lark(grammar + RULES, parser="lalr", lexer="basic", start=["sentence"], propagate_positions=True)
