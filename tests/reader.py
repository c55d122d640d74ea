"""A second reader of programs, the judge of the parser: recursive descent, by hand, from the text to tuples.

All that dipc says about a program rests on its parser (lark, its grammar, its tables, its layout), so a bug
there would affect every route.  This reader shares nothing with it: it follows docs/language.md, uses the
standard library only and keeps no state between runs.  :func:`plain` turns a syntax tree of dipc into the
same tuples.

A node is a tuple ``(kind, part, ...)``, named and ordered as in :mod:`dipc.dipwhile.syntax.ast`; numbers are
fractions, sequences are tuples, absent parts are None.

    >>> read("output b in {0, 1}; b <- flip(p)")[6]
    (('Assign', ('Name', 'b', False), ('Flip', ('Name', 'p', False))),)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from dipc.dipwhile.syntax import ast

Tree = Any  # nested tuples
Item = Callable[[], Tree]


class Refused(Exception):
    """The text is not a program."""


DEEPEST = 250
LONGEST_NUMBER = 1000

RESERVED = frozenset(
    {"param", "input", "output", "in", "adjacent", "private", "for", "if", "then", "elif", "else", "end"}
    | {"while", "do", "exit", "and", "or", "not", "forall", "exists", "inf", "eps", "Lap", "LapPlus", "DLap"}
    | {"Exp", "choose", "flip", "uniform", "prior", "secret", "vs"}
)
METRICS = ("linf", "l1", "hamming", "all")
NUMBERS = ("reals", "integers")
NOISE = ("Lap", "LapPlus", "DLap")
FOLDS = ("count", "sum")
SAME = {":=": "<-", "←": "<-", "≠": "!=", "≤": "<=", "≥": ">=", "ε": "eps"}
STRENGTH = {"or": 0, "and": 1, "+": 2, "-": 2, "*": 3, "/": 3}
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")

# A statement continues on the next line after one of these words and signs, or before one of those below.
GOES_ON = frozenset({*COMPARISONS, *"+-*/^,:", "<-", "->", ".."})
GOES_ON |= {"and", "or", "not", "in", "then", "do", "else", "vs"}
GOES_ON_BEFORE = frozenset({"end", "elif", "else", "and", "or", "then", "do"})

TOKEN = re.compile(
    r"""(?P<gap> [ \t\f]+ | \r(?!\n) | \#[^\n]*)
      | (?P<break> \r?\n | ;)
      | (?P<number> [0-9]+ (?:\.[0-9]+)? (?:[eE][+-]?[0-9]+)?)
      | (?P<primed> [^\W\d]\w*')
      | (?P<word> [^\W\d]\w*)
      | (?P<sign> <- | -> | := | ← | != | <= | >= | \.\. | [≠≤≥=<>+\-*/^()\[\]{},:])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """``kind`` is number, primed, name, word (a reserved one), sign, break or end."""

    kind: str
    text: str
    line: int


def refuse(line: int, reason: str) -> NoReturn:
    """Refuse the program."""
    raise Refused(f"line {line}: {reason}")


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
            word = SAME.get(written, written)
            token = Token("name" if kind == "word" and word not in RESERVED else kind, word, line)
            if pending and found and found[-1].text not in GOES_ON and token.text not in GOES_ON_BEFORE:
                found.append(pending)
            pending = None
            depth = max(0, depth + (written in "([{") - (written in ")]}"))
            found.append(token)
        position, line = match.end(), line + written.count("\n")
    return [*found, Token("end", "the end of the program", line)]


@dataclass
class Reader:
    """A position in a list of tokens, and a method for each construct."""

    tokens: Sequence[Token]
    place: int = 0
    depth: int = 0

    # --- single tokens

    @property
    def next(self) -> Token:
        """The token to read next."""
        return self.tokens[self.place]

    def at(self, *texts: str) -> bool:
        """Is the next token one of these words or signs?"""
        return self.next.kind in ("word", "sign", "break") and self.next.text in texts

    def take(self) -> Token:
        """The next token, which is then read."""
        self.place += 1
        return self.tokens[self.place - 1]

    def skip(self, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        found = self.at(*texts)
        self.place += found
        return found

    def expected(self, what: str) -> NoReturn:
        """Refuse the next token."""
        refuse(self.next.line, f"{what} is expected, not {self.next.text[:40]!a}")

    def expect(self, text: str) -> None:
        """Take this word or sign."""
        if not self.skip(text):
            self.expected(repr(text))

    def name(self) -> str:
        """A name that is not reserved."""
        return self.take().text if self.next.kind == "name" else self.expected("a name")

    # --- sequences

    def parts(self, *pattern: str | Item) -> tuple[Tree, ...]:
        """The trees of several constructs in a row, with these words and signs around them."""
        found = []
        for part in pattern:
            if isinstance(part, str):
                self.expect(part)
            else:
                found.append(part())
        return tuple(found)

    def after(self, text: str, item: Item) -> Tree:
        """The item if this word or sign comes first, else None."""
        return item() if self.skip(text) else None

    def listed(self, item: Item, between: str = ",", end: str = "") -> tuple[Tree, ...]:
        """One or more, with commas between them; the last one may have a comma before the end."""
        found = [item()]
        while self.skip(between) and not self.at(end):
            found.append(item())
        return tuple(found)

    def braces(self, item: Item) -> Tree:
        """One or more in braces; a comma may follow the last one."""
        return self.parts("{", partial(self.listed, item, ",", "}"), "}")[0]

    def in_parentheses(self, item: Item) -> Tree:
        """The item in parentheses."""
        return self.parts("(", item, ")")[0]

    def deeper(self, item: Item) -> Tree:
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
        asked: dict[str, list[Tree]] = {"unknown": [], "prior": [], "secret": []}
        once: dict[str, Tree] = {"adjacent": None, "private": None}
        reading = {"param": self.param, "input": self.declaration, "output": self.declaration}
        body: list[Tree] = []
        accurate: Tree = None
        while self.next.kind != "end":
            line, word = self.next.line, self.next.text
            if body and (self.at(*lists, *once, *asked) or self.at_secret()):
                refuse(line, "a declaration comes after a statement")
            if self.skip(*lists):
                for tree in self.listed(reading[word]):
                    (asked["unknown"] if tree[0] == "Unknown" else lists[word]).append(tree)
            elif self.skip("prior"):
                asked[word].append(self.prior())
            elif self.at_secret():
                asked["secret"].append(self.secret())
            elif self.at_accurate():
                if body or accurate is not None:
                    refuse(line, "a claim of accuracy in a wrong place")
                accurate = self.accurate()
            elif self.skip(*once):
                if once[word] is not None:
                    refuse(line, f"a second {word!r}")
                once[word] = self.adjacency() if word == "adjacent" else self.claim()
            else:
                body.append(self.statement())
            if self.next.kind != "end":
                self.expect("line")
        declared, questions = (tuple(map(tuple, found.values())) for found in (lists, asked))
        if not (body or any(declared) or any(questions)):
            refuse(self.next.line, "the program is empty")
        return ("Program", *declared, *once.values(), tuple(body), *questions, accurate)

    def at_accurate(self) -> bool:
        """Is the next line a claim of accuracy, and no assignment?"""
        return self.next.text == "accurate" and self.tokens[self.place + 1].text not in ("<-", ":=", "←", "[")

    def accurate(self) -> Tree:
        """``accurate good, beta when condition for eps in (low, high]``."""
        self.name()
        good, _, beta = self.expression(), self.parts(","), self.sum()
        word = self.name() if self.next.text == "when" else None  # a word only here
        condition = word and self.expression()
        return "AccurateClaim", good, beta, condition, self.after("for", self.interval)

    def param(self) -> Tree:
        """``name = value`` or ``name in (low, high)``."""
        name = self.name()
        if self.skip("in"):
            return "Unknown", name, self.ends()
        return "Param", name, *self.parts("=", self.sum)

    def prior(self) -> Tree:
        """All of ``prior`` but the word itself."""
        name = self.name() if self.next.kind == "name" else None
        if not self.at("end"):
            self.expect("line")
        return "Prior", name, *self.parts(self.block, "end")

    def at_secret(self) -> bool:
        """Is the next line a secret, or a loop of secrets?"""
        place = self.place
        while self.tokens[place][:2] == ("word", "for"):
            while self.tokens[place][:2] != ("word", "do"):
                if self.tokens[place].kind in ("break", "end"):
                    return False
                place += 1
            place += 1
        return self.tokens[place][:2] == ("word", "secret")

    def secret(self) -> Tree:
        """``secret left vs right``, or a loop of secrets."""
        if self.skip("for"):
            head = self.parts(self.name, "in", self.sum, "..", self.sum, "do")
            inside = partial(self.listed, partial(self.deeper, self.secret), "line")
            return "SecretFor", *head, *self.parts(inside, "end")
        (left,) = self.parts("secret", self.expression)
        one_way = self.skip("->")
        if not one_way:
            self.expect("vs")
        return "Secret", left, self.expression(), one_way

    def declaration(self) -> Tree:
        """``name[size] in set = start``, without a size for a scalar."""
        name = self.name()
        (size,) = self.parts("[", self.sum, "]") if self.at("[") else (None,)
        return "Declaration", name, size, *self.parts("in", self.domain), self.after("=", self.sum)

    def domain(self) -> Tree:
        """A finite set, ``reals``, ``integers`` or ``[low, high]``."""
        if self.at("["):
            return "Between", *self.parts("[", self.sum, ",", self.sum, "]")
        following = self.tokens[self.place + 1 : self.place + 2]
        ends = any(token.kind in ("break", "end") or token.text in ("=", ",") for token in following)
        return (self.name().title(),) if ends and self.next.text in NUMBERS else self.finite_set()

    def finite_set(self) -> Tree:
        """``{a, b}`` or ``low..high``."""
        if self.at("{"):
            return "SetOf", self.braces(self.sum)
        return "Range", *self.parts(self.sum, "..", self.sum)

    def adjacency(self) -> Tree:
        """A metric and a distance, or a formula."""
        if self.next.text not in METRICS or self.next.kind != "name":
            return "FormulaAdjacency", self.expression()
        kind = self.name()
        return "NamedAdjacency", kind, None if self.at("line") or self.next.kind == "end" else self.sum()

    def claim(self) -> Tree:
        """``epsilon, delta for eps in (low, high] for all N``; all but epsilon may be absent."""
        after = self.tokens[self.place + 1]
        expression = (
            after.kind in ("name", "number") and after.text not in ("for", "inf")
        ) or after.text in ("(", "eps")
        measure = order = None
        if self.next.text in ("range", "renyi") and expression:
            measure = self.name()
        if measure == "renyi":
            order = self.sum()
            self.parts(",")
        epsilon = self.sum()
        delta = None if measure else self.after(",", self.sum)
        every = self.next.text == "for" and self.tokens[self.place + 1].text != "eps"
        interval = None if every else self.after("for", self.interval)
        return "Claim", epsilon, delta, interval, self.after("for", self.sizes) or (), measure, order

    def sizes(self) -> Tree:
        """``all N, M``."""
        if self.name() != "all":
            refuse(self.next.line, "'all' is expected")
        return tuple(("Name", name, False) for name in self.listed(self.name))

    def interval(self) -> Tree:
        """``eps in (low, high]``."""
        self.parts("eps", "in")
        return self.ends()

    def ends(self) -> Tree:
        """``(low, high]``."""
        closed = self.closed("[", "(")
        (low,) = self.parts(self.sum, ",")
        high = None if self.skip("inf") else self.sum()
        return "Interval", low, high, closed, self.closed("]", ")")

    def closed(self, bracket: str, parenthesis: str) -> bool:
        """Whether an interval has its end: whether a bracket comes next, not a parenthesis."""
        found = self.skip(bracket)
        if not found:
            self.expect(parenthesis)
        return found

    # --- statements

    def block(self) -> tuple[Tree, ...]:
        """Statements up to a word that ends them, which is left."""
        body: list[Tree] = []
        while not self.at("elif", "else", "end"):
            if body:
                self.expect("line")
            body.append(self.deeper(self.statement))
        return tuple(body)

    def statement(self) -> Tree:
        """A conditional, a loop, ``exit`` or an assignment."""
        loop = "do", self.block, "end"
        if self.skip("if"):
            return self.conditional()
        if self.skip("for"):
            return "For", *self.parts(self.name, "in", self.sum, "..", self.sum, *loop)
        if self.skip("while"):
            return "While", *self.parts(self.expression, *loop)
        if self.skip("exit"):
            return ("Exit",)
        return "Assign", self.indexed(self.name(), False), *self.parts("<-", self.value)

    def conditional(self) -> Tree:
        """All of ``if`` but the word itself."""
        branches = self.listed(partial(self.parts, self.expression, "then", self.block), "elif")
        otherwise = self.after("else", self.block) or ()
        self.expect("end")
        return "If", branches, otherwise

    # --- distributions

    def value(self) -> Tree:
        """What is assigned: a distribution or an expression."""
        if not self.at(*NOISE, "Exp", "choose", "flip", "uniform"):
            return self.expression()
        kind = self.take().text
        around = self.in_parentheses if self.at("(") else lambda item: item()
        match kind:
            case "Exp":
                support = self.name, "in", self.finite_set
                return "ExpMechanism", *self.parts("(", self.sum, ",", *support, ",", self.sum, ")")
            case "choose":
                return "Choose", around(partial(self.braces, partial(self.parts, self.sum, ":", self.sum)))
            case "flip":
                return "Flip", self.in_parentheses(self.sum)
            case "uniform":
                return "Uniform", around(self.finite_set)
        return "Noise", kind, *self.in_parentheses(self.noise)

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
            given["rate"] = chain([("Number", Fraction(1)), "/", given.pop("scale")])
        if set(given) != {"rate", "mean"}:
            refuse(line, "noise takes a rate or a scale, and a mean")
        return given["rate"], given["mean"]

    def argument(self) -> Tree:
        """The keyword, None if there is none, and the value."""
        if self.next.kind == "name" and self.tokens[self.place + 1].text == "=":
            return self.parts(self.name, "=", self.sum)
        return None, self.sum()

    # --- expressions, loosest first

    def expression(self) -> Tree:
        """Operators of every strength."""
        return self.deeper(partial(self.chained, partial(self.chained, self.negation, "and"), "or"))

    def chained(self, operand: Item, *operators: str) -> Tree:
        """Operators of one strength, from the left to the right."""
        found = [operand()]
        while self.at(*operators):
            found += self.take().text, operand()
        return found[0] if len(found) == 1 else chain(found)

    def negation(self) -> Tree:
        """``not``, a quantifier or a comparison."""
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
        first, *links = [
            ("Binary", op, *pair) for op, pair in zip(operators, pairwise(operands), strict=True)
        ]
        return chain([first, *(part for link in links for part in ("and", link))]) if links else first

    def sum(self) -> Tree:
        """Arithmetic."""
        return self.chained(partial(self.chained, self.factor, "*", "/"), "+", "-")

    def factor(self) -> Tree:
        """A power, which binds closer than a minus before it."""
        if self.skip("-"):
            return "Unary", "neg", self.deeper(self.factor)
        base = self.primary()
        return ("Binary", "^", base, self.deeper(self.factor)) if self.skip("^") else base

    def primary(self) -> Tree:
        """A number, a variable, a call, or an expression in parentheses."""
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
        if not self.at("["):
            return "Name", name, primed
        return "Index", name, *self.parts("[", partial(self.deeper, self.sum), "]"), primed

    def call(self, function: Token) -> Tree:
        """A function, or ``count`` and ``sum`` over a range."""
        following = self.tokens[self.place + 1 : self.place + 3]
        if [token.kind for token in following] == ["name", "word"] and following[1].text == "in":
            if function.text not in FOLDS:
                refuse(function.line, f"{function.text[:40]!a} does not run over a range")
            return "Fold", function.text, *self.in_parentheses(self.binder)
        return "Call", function.text, self.in_parentheses(partial(self.listed, self.expression))

    def binder(self) -> tuple[Tree, ...]:
        """``i in low..high: body``."""
        return self.parts(self.name, "in", self.sum, "..", self.sum, ":", self.expression)


def chain(found: Sequence[Tree]) -> Tree:
    """A first operand, then operators of one strength and operands; brackets around a beginning are no part.

    So a sum of thousands of terms is one node, and not nested.

    >>> read("(a - b) + c", Reader.sum) == read("a - b + c", Reader.sum) != read("a - (b + c)", Reader.sum)
    True
    """
    first, *rest = found
    if first[0] == "Chain" and STRENGTH[first[2]] == STRENGTH[rest[0]]:
        return *first, *rest
    return "Chain", *found


def number(token: Token) -> Fraction:
    """The exact value of a decimal number."""
    mantissa, _, exponent = token.text.lower().partition("e")
    if len(exponent) > 5 or len(mantissa) + abs(int(exponent or 0)) > LONGEST_NUMBER:
        refuse(token.line, f"a number of more than {LONGEST_NUMBER} digits")
    return Fraction(token.text)


def read(text: str, method: Callable[[Reader], Tree] = Reader.program) -> Tree:
    """The tree of a program, or of what a method of the reader reads.  Raises :class:`Refused`."""
    reader = Reader(tokens(text))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 40 * DEEPEST))
    try:
        tree = method(reader)
    finally:
        sys.setrecursionlimit(limit)
    if reader.next.kind != "end":
        reader.expected("the end")
    return tree


def plain(node: object) -> Tree:
    """A syntax tree of dipc as tuples."""
    match node:
        case ast.Number(value=value):
            return "Number", Fraction(int(value.p), int(value.q))
        case ast.Binary(op=ast.Op() as op) if op.value in STRENGTH:
            return plain_chain(node)
        case ast.Node():
            names: tuple[str, ...] = node.__match_args__  # all but the span
            return type(node).__name__, *(plain(getattr(node, name)) for name in names)
        case tuple():
            return tuple(map(plain, node))
        case Enum():
            return node.value
    return node


def plain_chain(node: ast.Binary) -> Tree:
    """A chain of operators as tuples, flat."""
    strength, part = STRENGTH[node.op.value], node
    rest: list[Tree] = []
    while True:
        rest += plain(part.right), part.op.value
        left = part.left
        if not isinstance(left, ast.Binary) or STRENGTH.get(left.op.value) != strength:
            return "Chain", plain(left), *reversed(rest)
        part = left
