"""A second reader of programs: recursive descent, by hand, from the text to a tree of plain tuples.

The parser of dipc (lark, its grammar, its tables, its layout) is shared by everything that dipc says about a
program, so that one mistake in it would be a mistake of every route.  This reader shares nothing with it:
it is written from docs/language.md, uses the standard library only and keeps nothing between runs.
:func:`plain` turns a syntax tree of dipc into the same tuples, and :func:`check_reading` compares the two.

A node is a tuple ``(kind, part, ...)``, named and ordered as in :mod:`dipc.dipwhile.syntax.ast`; numbers are
fractions, sequences are tuples, absent parts are None.

    >>> read("output b in {0, 1}; b <- flip(1/2)")[-1]
    (('Assign', ('Name', 'b', False), ('Flip', ('Binary', '/', ('Number', Fraction(1, 1)), \
('Number', Fraction(2, 1))))),)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from dipc.dipwhile.syntax import ast
from dipc.kernel.reading import Refused

Tree = Any  # nested tuples

DEEPEST = 250
LONGEST_NUMBER = 1000

RESERVED = frozenset(
    {"param", "input", "output", "in", "adjacent", "private", "for", "if", "then", "elif", "else", "end"}
    | {"while", "do", "exit", "and", "or", "not", "forall", "exists", "inf", "eps", "Lap", "LapPlus", "DLap"}
    | {"Exp", "choose", "flip", "uniform"}
)
METRICS = ("linf", "l1", "hamming", "all")
NOISE = ("Lap", "LapPlus", "DLap")
FOLDS = ("count", "sum")
SAME = {":=": "<-", "←": "<-", "≠": "!=", "≤": "<=", "≥": ">=", "ε": "eps"}
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")

# After one of these a statement goes on in the next line, and before one of those it has not ended.
GOES_ON = frozenset({*COMPARISONS, *"+-*/^,:", "<-", "..", "and", "or", "not", "in", "then", "do", "else"})
GOES_ON_BEFORE = frozenset({"end", "elif", "else", "and", "or", "then", "do"})

TOKEN = re.compile(
    r"""(?P<gap> [ \t\f]+ | \r(?!\n) | \#[^\n]*)
      | (?P<break> \r?\n | ;)
      | (?P<number> \d+ (?:\.\d+)? (?:[eE][+-]?\d+)?)
      | (?P<primed> [^\W\d]\w*')
      | (?P<word> [^\W\d]\w*)
      | (?P<sign> <- | := | ← | != | <= | >= | \.\. | [≠≤≥=<>+\-*/^()\[\]{},:])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """``kind`` is number, primed, name, word (a reserved one), sign, break or end."""

    kind: str
    text: str
    line: int


def refuse(line: int, reason: str) -> NoReturn:
    """Refuse the program."""
    raise Refused("deep: reading", f"line {line}: {reason}")


def tokens(text: str) -> list[Token]:
    """The words and signs of a text, with the separators that count, and an end."""
    found: list[Token] = []
    position, line, depth = 0, 1, 0
    pending: Token | None = None
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            refuse(line, f"the character {text[position]!a} is not expected")
        kind, written = match.lastgroup or "", match.group()
        if kind == "break":
            if pending is None and (not depth or written == ";"):
                pending = Token("break", "line", line)
        elif kind != "gap":
            token = classified(kind, SAME.get(written, written), line)
            if pending and found and found[-1].text not in GOES_ON and token.text not in GOES_ON_BEFORE:
                found.append(pending)
            pending = None
            depth = max(0, depth + (written in "([{") - (written in ")]}"))
            found.append(token)
        position, line = match.end(), line + written.count("\n")
    return [*found, Token("end", "the end of the program", line)]


def classified(kind: str, text: str, line: int) -> Token:
    """A word is reserved or a name."""
    if kind == "word" and text not in RESERVED:
        kind = "name"
    return Token(kind, text, line)


class Reader:
    """A position in a list of tokens, and a method for each construct."""

    def __init__(self, given: Sequence[Token]) -> None:
        self.tokens = given
        self.place = 0
        self.depth = 0

    # --- single tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.place]

    def at(self, *texts: str) -> bool:
        """Is the next token one of these words or signs?"""
        return self.next.kind in ("word", "sign", "break") and self.next.text in texts

    def take(self) -> Token:
        token = self.next
        self.place += 1
        return token

    def skip(self, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        found = self.at(*texts)
        self.place += found
        return found

    def expect(self, text: str) -> None:
        if not self.skip(text):
            refuse(self.next.line, f"{text!r} is expected, not {self.next.text[:40]!a}")

    def name(self) -> str:
        if self.next.kind != "name":
            refuse(self.next.line, f"a name is expected, not {self.next.text[:40]!a}")
        return self.take().text

    # --- sequences

    def listed(self, item: Callable[[], Tree]) -> tuple[Tree, ...]:
        """One or more, with commas between them."""
        found = [item()]
        while self.skip(","):
            found.append(item())
        return tuple(found)

    def braces(self, item: Callable[[], Tree]) -> tuple[Tree, ...]:
        """One or more in braces; a comma may follow the last one."""
        self.expect("{")
        found = [item()]
        while self.skip(",") and not self.at("}"):
            found.append(item())
        self.expect("}")
        return tuple(found)

    def in_parentheses(self, item: Callable[[], Tree]) -> Tree:
        self.expect("(")
        found = item()
        self.expect(")")
        return found

    def deeper(self, item: Callable[[], Tree]) -> Tree:
        """The item, one level further down."""
        self.depth += 1
        if self.depth > DEEPEST:
            refuse(self.next.line, f"nested more than {DEEPEST} levels deep")
        found = item()
        self.depth -= 1
        return found

    # --- a program

    def program(self) -> Tree:
        """Declarations, then statements."""
        lists: dict[str, list[Tree]] = {"param": [], "input": [], "output": []}
        once: dict[str, Tree] = {"adjacent": None, "private": None}
        reading = {"param": self.param, "input": self.declaration, "output": self.declaration}
        body: list[Tree] = []
        while self.next.kind != "end":
            line, word = self.next.line, self.next.text
            if body and self.at(*lists, *once):
                refuse(line, "a declaration comes after a statement")
            if self.skip(*lists):
                lists[word] += self.listed(reading[word])
            elif self.skip(*once):
                if once[word] is not None:
                    refuse(line, f"a second {word!r}")
                once[word] = self.adjacency() if word == "adjacent" else self.claim()
            else:
                body.append(self.statement())
            if self.next.kind != "end":
                self.expect("line")
        if not (body or any(lists.values())):
            refuse(self.next.line, "the program is empty")
        return ("Program", *(tuple(found) for found in lists.values()), *once.values(), tuple(body))

    def param(self) -> Tree:
        name = self.name()
        self.expect("=")
        return "Param", name, self.sum()

    def declaration(self) -> Tree:
        name, size = self.name(), None
        if self.skip("["):
            size = self.sum()
            self.expect("]")
        self.expect("in")
        domain = self.finite_set()
        return "Declaration", name, size, domain, self.sum() if self.skip("=") else None

    def finite_set(self) -> Tree:
        if self.at("{"):
            return "SetOf", self.braces(self.sum)
        return ("Range", *self.range())

    def range(self) -> tuple[Tree, Tree]:
        low = self.sum()
        self.expect("..")
        return low, self.sum()

    def adjacency(self) -> Tree:
        if self.next.text not in METRICS or self.next.kind != "name":
            return "FormulaAdjacency", self.expression()
        kind = self.take().text
        distance = None if self.at("line") or self.next.kind == "end" else self.sum()
        return "NamedAdjacency", kind, distance

    def claim(self) -> Tree:
        epsilon = self.sum()
        delta = self.sum() if self.skip(",") else None
        interval = None
        if self.skip("for"):
            self.expect("eps")
            self.expect("in")
            interval = self.interval()
        return "Claim", epsilon, delta, interval

    def interval(self) -> Tree:
        closed = self.bracket("(", "[")
        low = self.sum()
        self.expect(",")
        high = None if self.skip("inf") else self.sum()
        return "Interval", low, high, closed, self.bracket(")", "]")

    def bracket(self, opened: str, closed: str) -> bool:
        """Whether it is the closed one."""
        if self.skip(closed):
            return True
        self.expect(opened)
        return False

    # --- statements

    def block(self, *ends: str) -> tuple[Tree, ...]:
        """Statements up to one of these words, which is left."""
        body: list[Tree] = []
        if not self.at(*ends):
            body.append(self.deeper(self.statement))
        while not self.at(*ends):
            self.expect("line")
            body.append(self.deeper(self.statement))
        return tuple(body)

    def statement(self) -> Tree:
        if self.skip("if"):
            return self.conditional()
        if self.skip("for"):
            variable = self.name()
            self.expect("in")
            return "For", variable, *self.range(), self.loop_body()
        if self.skip("while"):
            return "While", self.expression(), self.loop_body()
        if self.skip("exit"):
            return ("Exit",)
        target: Tree = self.indexed(self.name(), False)
        self.expect("<-")
        return "Assign", target, self.value()

    def loop_body(self) -> tuple[Tree, ...]:
        self.expect("do")
        body = self.block("end")
        self.expect("end")
        return body

    def conditional(self) -> Tree:
        branches = [self.branch()]
        while self.skip("elif"):
            branches.append(self.branch())
        otherwise = self.block("end") if self.skip("else") else ()
        self.expect("end")
        return "If", tuple(branches), otherwise

    def branch(self) -> tuple[Tree, Tree]:
        condition = self.expression()
        self.expect("then")
        return condition, self.block("elif", "else", "end")

    # --- distributions

    def value(self) -> Tree:
        """What is assigned: a distribution or an expression."""
        if not self.at(*NOISE, "Exp", "choose", "flip", "uniform"):
            return self.expression()
        match self.take().text:
            case "Exp":
                return self.in_parentheses(self.exponential)
            case "choose":
                return "Choose", self.in_parentheses(self.options) if self.at("(") else self.options()
            case "flip":
                return "Flip", self.in_parentheses(self.sum)
            case "uniform":
                return "Uniform", self.in_parentheses(self.finite_set) if self.at("(") else self.finite_set()
            case kind:
                return "Noise", kind, *self.in_parentheses(self.noise)

    def options(self) -> tuple[Tree, ...]:
        return self.braces(self.option)

    def option(self) -> tuple[Tree, Tree]:
        value = self.sum()
        self.expect(":")
        return value, self.sum()

    def exponential(self) -> Tree:
        rate = self.sum()
        self.expect(",")
        variable = self.name()
        self.expect("in")
        support = self.finite_set()
        self.expect(",")
        return "ExpMechanism", rate, variable, support, self.sum()

    def noise(self) -> tuple[Tree, Tree]:
        """Rate and mean, by position or by keyword; a scale is one over the rate."""
        line = self.next.line
        given: dict[str, Tree] = {}
        for place, (keyword, value) in enumerate(self.listed(self.argument)):
            name = keyword or ("rate", "mean", "a third argument")[min(place, 2)]
            if name in given or name not in ("rate", "scale", "mean"):
                refuse(line, f"noise takes a rate or a scale, and a mean, each once: {name[:40]!a}")
            given[name] = value
        if "scale" in given and "rate" not in given:
            given["rate"] = "Binary", "/", ("Number", Fraction(1)), given.pop("scale")
        if set(given) != {"rate", "mean"}:
            refuse(line, "noise takes a rate or a scale, and a mean")
        return given["rate"], given["mean"]

    def argument(self) -> tuple[str | None, Tree]:
        keyword = None
        if self.next.kind == "name" and self.tokens[self.place + 1].text == "=":
            keyword = self.name()
            self.expect("=")
        return keyword, self.sum()

    # --- expressions, loosest first

    def expression(self) -> Tree:
        return self.deeper(lambda: self.chained(self.conjunction, "or"))

    def conjunction(self) -> Tree:
        return self.chained(self.negation, "and")

    def chained(self, operand: Callable[[], Tree], *operators: str) -> Tree:
        """Operators of one strength, from the left to the right."""
        left = operand()
        while self.at(*operators):
            left = "Binary", self.take().text, left, operand()
        return left

    def negation(self) -> Tree:
        if self.skip("not"):
            return "Unary", "not", self.deeper(self.negation)
        if self.at("forall", "exists"):
            return "Fold", self.take().text, *self.binder()
        return self.comparison()

    def comparison(self) -> Tree:
        """``a < b < c`` is ``a < b and b < c``."""
        operands, operators = [self.sum()], []
        while self.at(*COMPARISONS):
            operators.append(self.take().text)
            operands.append(self.sum())
        if not operators:
            return operands[0]
        links = [("Binary", op, *pair) for op, pair in zip(operators, pairwise(operands), strict=True)]
        whole: Tree = links[0]
        for link in links[1:]:
            whole = "Binary", "and", whole, link
        return whole

    def sum(self) -> Tree:
        return self.chained(self.product, "+", "-")

    def product(self) -> Tree:
        return self.chained(self.factor, "*", "/")

    def factor(self) -> Tree:
        if self.skip("-"):
            return "Unary", "neg", self.deeper(self.factor)
        base = self.primary()
        return ("Binary", "^", base, self.deeper(self.factor)) if self.skip("^") else base

    def primary(self) -> Tree:
        token = self.next
        if self.at("("):
            return self.in_parentheses(self.expression)
        self.place += 1
        match token.kind:
            case "number":
                return "Number", number(token)
            case "primed":
                return self.indexed(token.text[:-1], True)
            case "name":
                return self.call(token) if self.at("(") else self.indexed(token.text, False)
            case "word" if token.text == "eps":
                return ("Eps",)
        refuse(token.line, f"an expression is expected, not {token.text[:40]!a}")

    def indexed(self, name: str, primed: bool) -> Tree:
        """A variable, or a cell of an array."""
        if not self.skip("["):
            return "Name", name, primed
        index = self.deeper(self.sum)
        self.expect("]")
        return "Index", name, index, primed

    def call(self, function: Token) -> Tree:
        """A function, or ``count`` and ``sum`` over a range."""
        following = self.tokens[self.place + 1 : self.place + 3]
        if [token.kind for token in following] == ["name", "word"] and following[1].text == "in":
            if function.text not in FOLDS:
                refuse(function.line, f"{function.text[:40]!a} does not run over a range")
            return "Fold", function.text, *self.in_parentheses(self.binder)
        return "Call", function.text, self.in_parentheses(lambda: self.listed(self.expression))

    def binder(self) -> tuple[Tree, ...]:
        variable = self.name()
        self.expect("in")
        low, high = self.range()
        self.expect(":")
        return variable, low, high, self.expression()


def number(token: Token) -> Fraction:
    """The exact value of a decimal number."""
    mantissa, _, exponent = token.text.lower().partition("e")
    if len(exponent) > 5 or len(mantissa) + abs(int(exponent or 0)) > LONGEST_NUMBER:
        refuse(token.line, f"a number of more than {LONGEST_NUMBER} digits")
    return Fraction(token.text)


def read(text: str) -> Tree:
    """The tree of a program.  Raises :class:`~dipc.kernel.reading.Refused`.

    >>> read("output b in {0, 1}; b <")
    Traceback (most recent call last):
    dipc.kernel.reading.Refused: deep: reading: line 1: '<-' is expected, not '<'
    """
    return whole(Reader(tokens(text)).program)


def read_claim(text: str) -> Tree:
    """The tree of a claim on its own, as after ``private``.

    >>> read_claim("eps for eps in (0, 1]")[1:3]
    (('Eps',), None)
    """
    reader = Reader(tokens(text))
    claim = whole(reader.claim)
    if reader.next.kind != "end":
        refuse(reader.next.line, f"the claim goes on with {reader.next.text[:40]!a}")
    return claim


def whole(item: Callable[[], Tree]) -> Tree:
    """What a method of a reader reads, however deep."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 40 * DEEPEST))
    try:
        return item()
    finally:
        sys.setrecursionlimit(limit)


def plain(node: object) -> Tree:
    """A syntax tree of dipc as tuples.

    >>> plain(ast.Name("q", True))
    ('Name', 'q', True)
    """
    if isinstance(node, ast.Number):
        return "Number", Fraction(int(node.value.p), int(node.value.q))
    if isinstance(node, ast.Node):
        names = [name for cls in type(node).__mro__[-3::-1] for name in getattr(cls, "__slots__", ())]
        return type(node).__name__, *(plain(getattr(node, name)) for name in names if name != "span")
    if isinstance(node, tuple):
        return tuple(map(plain, node))
    return node.value if isinstance(node, Enum) else node


def check_reading(text: str, program: ast.Program) -> None:
    """Refuse unless this reader reads the same program.

    >>> text = "output b in {0, 1}; b <- flip(1/2)"
    >>> check_reading(text, ast.Program((), (), (), None, None, ()))
    Traceback (most recent call last):
    dipc.kernel.reading.Refused: deep: reading: the second reader reads another program
    """
    if read(text) != plain(program):
        raise Refused("deep: reading", "the second reader reads another program")
