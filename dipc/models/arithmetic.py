"""Text to exact numbers: functions of eps, and sums of such with logarithms of rational numbers.

The rules are ``arithmetic.lark``, to which model files and formulas append their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from math import comb
from pathlib import Path
from typing import Any, ClassVar, cast

from flint import fmpq
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken
from lark.parsers.lalr_interactive_parser import InteractiveParser

from dipc.errors import InputError, LimitReached, Source, Span
from dipc.frozen import frozen
from dipc.numbers.exact import rational
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.suggest import did_you_mean

RULES = Path(__file__).with_name("arithmetic.lark")
WORDS = {"eps": "EPS", "ε": "EPS", "epsilon": "EPS", "inf": "INF", "exp": "EXP", "ln": "LN"}
"""Names with a meaning of their own in arithmetic."""
SIGNS = {
    "PLUS": "`+`", "MINUS": "`-`", "STAR": "`*`", "SLASH": "`/`", "POWER": "`^`", "NUMBER": "a number",
    "LPAR": "`(`", "RPAR": "`)`", "LSQB": "`[`", "RSQB": "`]`", "COMMA": "`,`", "EQ": "`=`", "NE": "`!=`",
    "LT": "`<`", "LE": "`<=`", "GT": "`>`", "GE": "`>=`", "__ANON_0": "`..`",
}  # fmt: skip
"""What messages call the signs of arithmetic, and those that its texts have in common."""

DEEPEST = 100  # levels of a tree
HIGHEST_POWER = 1000
HIGHEST_POWER_OF_SUM = 100
MOST_TERMS = 10**4  # of a power of a sum with parameters
LARGEST_POWER = 10**6  # the exponent times the bits of the base

Node = Tree[Token]


@frozen
class Grammar:
    """A grammar that includes arithmetic: its file, its rules for whole texts, its words (names that are a
    terminal of their own), and what messages call the terminals that are neither words nor SIGNS."""

    file: Path
    starts: tuple[str, ...]
    words: Mapping[str, str]
    names: Mapping[str, str]

    def parse(self, source: Source, start: str, most: int | None = None) -> Node:
        """The tree of a text.

        Raises :class:`InputError`, and :class:`LimitReached` for a tree that is too deep or a text of more
        than ``most`` words.
        """
        parser = _parser(self.file, self.starts, tuple(sorted({**WORDS, **self.words}.items())))
        seen: list[Token] = []
        machine = parser.parse_interactive(start=start)
        try:
            for token in lexed(parser, source.text):
                if token.type == "NAME" and not token.isascii():
                    quoted = "; or put it in double quotes" if "STRING" in accepted(machine) else ""
                    raise misspelt(token, span_of(token, source), quoted)
                machine.feed_token(token)
                seen.append(token)
                if most is not None and len(seen) > most:
                    raise LimitReached(f"{source.name}: the text has more than {most} words")
            tree: Node = machine.feed_eof(seen[-1] if seen else None)  # type: ignore[no-untyped-call]
        except UnexpectedCharacters as error:
            at = error.pos_in_stream or 0
            message = f"unexpected character `{source.text[at]}`"
            hint = "" if source.text[at].isascii() else ASCII
            raise InputError(message, Span(source, at, at + 1), hint) from None
        except UnexpectedToken as error:
            raise self._unexpected(source, error.token, accepted(machine)) from None
        check_depth(tree, source)
        return tree

    def _unexpected(self, source: Source, token: Token, accepts: set[str]) -> InputError:
        words = {kind: f"`{word}`" for word, kind in reversed([*WORDS.items(), *self.words.items()])}
        known = {**SIGNS, **words, **self.names}
        expected = sorted({known.get(name, name.lower()) for name in accepts} - {""})
        hint = f"expected {' or '.join(expected)}" if 0 < len(expected) <= 6 else ""
        if "NAME" in accepts and token.type in {**WORDS, **self.words}.values():
            quoted = f'`{token}` has a meaning of its own: as a name it is written "{token}"'
            other = f"`{token}` is a word of the language: choose another name"
            hint = quoted if "STRING" in accepts else other
        if token.type == "$END":
            end = len(source.text.rstrip())
            return InputError("the text ends too early", Span(source, end, end), hint)
        shown = "the end of the line" if token.strip() == "" else f"`{token}`"
        return InputError(f"{shown} is not expected here", span_of(token, source), hint)


@lru_cache
def _parser(file: Path, starts: tuple[str, ...], words: tuple[tuple[str, str], ...]) -> Lark:
    """The parser of a grammar; a name that is a word becomes a terminal of its own."""
    table, text = dict(words), "\n".join(path.read_text(encoding="utf-8") for path in (RULES, file))

    def keyword(token: Token) -> Token:
        return token.update(type=table.get(token.value, token.type))

    options: Any = {"propagate_positions": True, "lexer_callbacks": {"NAME": keyword}}
    return Lark(text, parser="lalr", lexer="basic", start=list(starts), **options)


def lexed(lark: Lark, text: str) -> Iterator[Token]:
    """The tokens of a text: ``lark.lex`` alone builds a lexer for each, which takes longer than the text."""
    if not hasattr(lark, "lexer"):
        lark.lexer = lark._build_lexer()
    return lark.lex(text)


def accepted(machine: InteractiveParser) -> set[str]:
    """The terminals that could follow."""
    found: set[str] = machine.accepts()  # type: ignore[no-untyped-call]
    return found


ASCII = "write names and numbers with a to z, A to Z, 0 to 9 and `_`; only `ε` is allowed besides, for `eps`"


def check_spelling(name: str, span: Span) -> None:
    """Refuse a name with a letter or digit that is not in ASCII."""
    if not name.isascii():
        raise misspelt(name, span)


def misspelt(name: str, span: Span, more: str = "") -> InputError:
    """The error for such a name."""
    return InputError(f"the name `{name}` is not in ASCII", span, ASCII + more)


@contextmanager
def placed(part: Source, whole: Source, offset: int) -> Iterator[None]:
    """Errors about a part of a text, reported at their place in the whole text."""
    try:
        yield
    except InputError as error:
        if error.span is None or error.span.source is not part:
            raise
        span = Span(whole, error.span.start + offset, error.span.end + offset)
        raise InputError(error.message, span, error.hint) from None


def check_depth(tree: Node, source: Source) -> None:
    """Refuse a tree that is too deep: whoever walks it recurses."""
    level: list[Node] = [tree]
    for _ in range(DEEPEST):
        level = [child for node in level for child in node.children if isinstance(child, Tree)]
        if not level:
            return
    raise LimitReached(f"{span_of(level[0], source).place}: nested more than {DEEPEST} levels deep")


def span_of(node: Node | Token, source: Source) -> Span:
    """The place of a part of a tree."""
    meta: Any = node if isinstance(node, Token) else node.meta
    if isinstance(node, Tree) and node.meta.empty:
        return Span(source, 0, 0)
    start = meta.start_pos or 0
    return Span(source, start, meta.end_pos or start + 1)


Logarithms = tuple[tuple[fmpq, fmpq], ...]


@frozen
class Amount:
    """``value + sum of power * ln(base)`` over the pairs (base, power) of ``logarithms``."""

    value: Quotient
    logarithms: Logarithms = ()

    def scaled(self, factor: fmpq) -> Amount:
        return Amount(self.value * factor, tuple((b, p * factor) for b, p in self.logarithms if factor))

    def mapped(self, function: Callable[[Any], Quotient]) -> Amount:
        return Amount(function(self.value), self.logarithms)

    def plus(self, other: Amount) -> Amount:
        powers = dict(self.logarithms)
        for base, power in other.logarithms:
            powers[base] = powers.get(base, fmpq(0)) + power
        return Amount(self.value + other.value, tuple((b, p) for b, p in sorted(powers.items()) if p))


class Arithmetic:
    """The exact value of a tree of arithmetic, a method for each rule.

    ``names`` are the numbers that have names.  A number without logarithms comes from :meth:`number_of`.
    """

    logarithms: ClassVar[str] = "the first parameter of D"
    """Where logarithms are allowed."""

    def __init__(self, source: Source, names: Mapping[str, Amount]) -> None:
        self.source, self.names = source, names

    def number_of(self, node: Node) -> Quotient:
        """The value of a tree without logarithms."""
        amount = self.amount(node)
        if amount.logarithms:
            raise self.fail(node, f"a logarithm is allowed in {self.logarithms} only")
        return amount.value

    def amount(self, node: Any) -> Amount:
        return cast(Amount, getattr(self, node.data)(node))

    def fail(self, node: Node | Token, message: str, hint: str = "") -> InputError:
        """The error about what is written there."""
        return InputError(message, span_of(node, self.source), hint)

    def number(self, node: Node) -> Amount:
        (token,) = node.children
        return Amount(Quotient.of(rational(str(token), "a number")))

    def eps(self, node: Node) -> Amount:
        return Amount(Quotient(ExpPoly.of(1, 1)))

    def name(self, node: Node) -> Amount:
        (token,) = node.children
        if (found := self.names.get(str(token))) is None:
            raise self.fail(node, f"no number is called `{token}`", self.hint_for(str(token)))
        return found

    def hint_for(self, name: str) -> str:
        """What to do about a name that no number has."""
        return did_you_mean(name, self.names)

    def sum(self, node: Node) -> Amount:
        result = self.amount(node.children[0])
        for sign, term in zip(node.children[1::2], node.children[2::2], strict=True):
            result = result.plus(self.amount(term).scaled(fmpq(1 if str(sign) == "+" else -1)))
        return result

    def negative(self, node: Node) -> Amount:
        return self.amount(node.children[1]).scaled(fmpq(-1))

    def product(self, node: Node) -> Amount:
        first, *rest = cast("list[Any]", node.children)
        result = self.amount(first)
        for before, sign, factor in zip([first, *rest[1::2]], rest[::2], rest[1::2], strict=False):
            number = before.children[-1]
            if before.data == "ln_number" and not self.source.text[number.end_pos : sign.start_pos].strip():
                hint = f"write `ln({number}{sign}...)` or `(ln {number}){sign}...`"
                raise self.fail(node, f"`ln {number}{sign}...` can be read in two ways", hint)
            result = self._times(node, result, self.amount(factor), str(sign) == "/")
        return result

    def _times(self, node: Node, left: Amount, right: Amount, inverse: bool) -> Amount:
        if inverse and (right.logarithms or not right.value):
            raise self.fail(node, f"division by {'a logarithm' if right.logarithms else 'zero'}")
        right = Amount(1 / right.value) if inverse else right
        left, right = (right, left) if right.logarithms else (left, right)
        if not left.logarithms:
            return Amount(left.value * right.value)
        factor = constant(right.value)
        if right.logarithms or factor is None:
            raise self.fail(node, "a logarithm may only be multiplied or divided by a number")
        return left.scaled(factor)

    def power(self, node: Node) -> Amount:
        base, exponent = map(self.amount, node.children[::2])
        count = constant(exponent.value)
        if base.logarithms or exponent.logarithms or count is None or count.q != 1:
            raise self.fail(node, "a power needs an integer exponent and a base without logarithms")
        if abs(count) > (most := highest_power(base.value)):
            raise self.fail(node, f"a power beyond {most} is too large")
        if abs(count) * _size(base.value) > LARGEST_POWER:
            raise self.fail(node, "the value of this power is too long")
        if not base.value and count < 0:
            raise self.fail(node, "division by zero")
        return Amount(base.value ** int(count.p))

    def exp(self, node: Node) -> Amount:
        inside = self.amount(node.children[1])
        if any(power.q != 1 or abs(power) > HIGHEST_POWER for _, power in inside.logarithms):
            message = "exp of a fractional multiple of a logarithm is a root, not a rational number"
            raise self.fail(node, message)
        if (linear := linear_part(inside.value, inverse=True)) is None:
            hint = "for example exp(eps/2), exp(-1) or exp(1/eps)"
            raise self.fail(node, "the argument of exp must be linear in eps", hint)
        factor = fmpq(1)
        for base, power in inside.logarithms:
            factor *= base ** int(power.p)
        return Amount(Quotient(ExpPoly.exp(*linear) * factor))

    def ln(self, node: Node) -> Amount:
        argument: Any = node.children[1]
        of_token = isinstance(argument, Token)
        value = self.number(Tree("number", [argument])) if of_token else self.amount(argument)
        base = constant(value.value)
        if base is None or value.logarithms:
            raise self.fail(argument, "the argument of ln must be a rational number")
        if base <= 0:
            raise self.fail(argument, f"ln {base} does not exist: the argument of ln must be positive")
        return Amount(Quotient.of(0), () if base == 1 else ((base, fmpq(1)),))

    ln_number = ln


def constant(value: Any) -> fmpq | None:
    """The rational number that a value is, or None."""
    return value if isinstance(value, fmpq) else value.as_rational()


def highest_power(base: fmpq | Quotient | Parametric) -> int:
    """The highest power that is taken: the result of a sum of parameters has not too many terms."""
    if isinstance(base, fmpq) or (len(base.numerator) <= 1 and len(base.denominator) == 1):
        return HIGHEST_POWER
    if isinstance(base, Quotient):
        return HIGHEST_POWER_OF_SUM
    terms = max(len(base.numerator), len(base.denominator))
    powers = (HIGHEST_POWER, HIGHEST_POWER_OF_SUM, 30, 10)
    return next((power for power in powers if comb(power + terms - 1, power) <= MOST_TERMS), 2)


def _size(value: fmpq | Quotient | Parametric) -> int:
    """About the number of bits of the coefficients."""
    if isinstance(value, fmpq):
        return int(value.p).bit_length() + int(value.q).bit_length()
    if isinstance(value, Parametric):
        numbers = [c for f in (value.numerator, value.denominator) for c in f.coeffs()]
        return sum(int(n).bit_length() for c in numbers for n in (c.p, c.q))
    terms = [term for f in (value.numerator, value.denominator) for term in f.terms()]
    return sum(int(n).bit_length() for c, *_ in terms for n in (c.p, c.q))


def linear_part(value: fmpq | Quotient | Parametric, inverse: bool = False) -> tuple[fmpq, fmpq, fmpq] | None:
    """(rate, constant, inverse) of ``rate*eps + constant + inverse/eps``; None if it has another form.

    >>> linear_part(Quotient(ExpPoly.of(2, 1) + 3))
    (2, 3, 0)
    """
    parts = {1: fmpq(0), 0: fmpq(0), -1: fmpq(0)}
    if isinstance(value, fmpq):
        return parts[1], value, parts[-1]
    if isinstance(value, Parametric):
        return None
    if value.denominator.as_rational() is None:
        return None
    for term in value.numerator.terms():
        if term.rate or term.constant or term.inverse or term.power not in parts:
            return None
        parts[term.power] = term.coefficient
    return None if parts[-1] and not inverse else (parts[1], parts[0], parts[-1])
