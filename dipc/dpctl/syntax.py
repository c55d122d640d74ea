"""Text to formulas of dpCTL*.

The grammar is ``formula.lark``.  Here derived operators and ``forall`` are expanded, state formulas are told
from path formulas, and texts that other tools read differently (``F a & b``) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from pathlib import Path
from typing import Any, cast

from flint import fmpq
from lark import Token

from dipc.claims.exponent import Exponent, exponent_text
from dipc.dpctl.formula import (
    EPS,
    And,
    EachNext,
    Formula,
    Interval,
    Next,
    Not,
    Or,
    Privacy,
    Probability,
    Property,
    Proposition,
    Query,
    Truth,
    Until,
    is_state_formula,
    parts,
)
from dipc.dpctl.ranges import check_delta, check_epsilon, check_value
from dipc.errors import InputError, LimitReached, Source, Span, Unsupported
from dipc.models.arithmetic import Amount, Arithmetic, Grammar, Node, linear_part, span_of
from dipc.models.chain import DEAD, Model
from dipc.models.names import FORMULA_WORDS, RESERVED, unquoted
from dipc.models.parameters import NONE, Parameters, uses_eps
from dipc.numbers.exact import rational
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.suggest import did_you_mean

PLAIN = re.compile(r"[^\W\d]\w*")
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
VARIABLE = re.compile(r"\{(\w+)\}")
NAMES = {
    "NAME": "a label", "STRING": "", "COLON": "`:`", "LBRACE": "`{`", "RBRACE": "`}`", "AND": "`&`",
    "OR": "`|`", "IMPLIES": "`->`", "IFF": "`<->`", "$END": "the end", "QUERY": "`?`",
}  # fmt: skip
GRAMMAR = Grammar(Path(__file__).with_name("formula.lark"), ("property",), FORMULA_WORDS, NAMES)

MOST_NODES = 100_000
HIGHEST_LOGARITHM = 1000  # of coefficients in the exponent
ROOTS = "for `1/2*ln 9` write `ln 3`; else choose a rational number near it"
MOST_IN_SUBSETS = 12
EVERY = "k in N"  # the value of the variable of a `forall k in N`
TEMPORAL = ("next", "eventually", "always")
BOOLEAN = ("conjunction", "disjunction", "implies", "iff")
QUERIES = ("probability_query", "least_epsilon", "least_delta")


def parse_property(
    source: Source,
    model: Model | None = None,
    numbers: Mapping[str, Amount] | None = None,
    defined: Callable[[str, Span], bool] = lambda name, span: False,
    name: str | None = None,
    at: fmpq | None = None,
    parameters: Parameters = NONE,
) -> Property:
    """The formula or query in a text.

    ``model`` has the labels: without one, names are not checked.  ``numbers`` are names of numbers;
    ``defined`` is asked whether a proposition that the model does not have is defined elsewhere; ``at`` is
    the only eps asked about.  The only one of the ``parameters`` of a model takes the place of eps if eps
    occurs neither in the model nor in the text.  Raises :class:`InputError` with the place and a hint,
    :class:`LimitReached` for a formula that is too large.

    >>> found = parse_property(Source("f", "P>=1/2 (F goal) from a for eps in (0, 1]"))
    >>> found.states, str(found.eps_range), show(found.formula)
    (('a',), '(0, 1]', 'P>=1/2 (F goal)')
    """
    tree, numbers, line = GRAMMAR.parse(source, "property", MOST_NODES), numbers or {}, None
    if at is None and model and parameters.is_line(model) and not _mentions_eps(tree, numbers):
        (line,) = parameters.ranges.items()
        numbers = {key: amount.mapped(parameters.on_line) for key, amount in numbers.items()}
    builder = _Builder(source, model, numbers, defined, line)
    body, states, limits = cast("list[Any]", tree.children)
    every = EpsRange.positive() if line is None else line[1]
    wanted = every if limits is None else builder.limits(limits)
    builder.eps_range = wanted if at is None else wanted.only(at)
    formula = builder.question(body)
    text = source.text[body.meta.start_pos : body.meta.end_pos]
    variable = EPS if line is None else line[0]
    return Property(formula, text, builder.start(states), builder.eps_range, name, variable)


def _mentions_eps(tree: Node, numbers: Mapping[str, Amount]) -> bool:
    """Whether eps occurs in a text, or in a number that it names."""
    named = (numbers.get(str(node.children[0])) for node in tree.find_data("name"))
    written: Any = tree.scan_values(lambda token: isinstance(token, Token) and token.type == "EPS")
    return any(written) or any(amount is not None and uses_eps(amount.value) for amount in named)


@dataclass(slots=True)
class _Builder:
    """Formulas from trees; ``bound`` holds the values of variables of ``forall`` around them."""

    source: Source
    model: Model | None
    numbers: Mapping[str, Amount]
    defined: Callable[[str, Span], bool]
    line: tuple[str, EpsRange] | None = None
    bound: dict[str, str | Formula] = field(default_factory=dict)
    eps_range: EpsRange = field(default_factory=EpsRange.positive)
    nodes: int = 0  # of the formula so far

    def question(self, node: Node) -> Formula | Query:
        match node.data:
            case "probability_query":
                return Query(str(node.children[0]), self.visit(node.children[-1]))
            case "least_epsilon":
                return Query("epsilon", self.visit(node.children[-1]), delta=self._delta(node.children[2]))
            case "least_delta":
                return Query("delta", self.visit(node.children[-1]), epsilon=self._exponent(node.children[1]))
        formula = self.visit(node)
        if not is_state_formula(formula):
            message = "this is a path formula, but a state formula is needed here"
            raise self._fail(node, message, "put it into P(...) or D(...), for example P>=1/2 (F goal)")
        return formula

    def start(self, node: Any) -> tuple[str, ...] | None:
        """The states after ``from``."""
        if node is None:
            return None
        for token in node.children:
            if self.model is not None and (name := unquoted(token)) not in self.model.names:
                raise self._fail(token, f"there is no state `{name}`", did_you_mean(name, self._states()))
        return tuple(map(unquoted, node.children))

    def _states(self) -> list[str]:
        """The first states of the model, for hints."""
        return [name for name in self.model.names[:1000] if name != DEAD] if self.model is not None else []

    def limits(self, node: Node) -> EpsRange:
        """The interval after ``for eps in``, or after a parameter in its place."""
        interval, token = cast(Node, node.children[-1]), cast(Token, node.children[0])
        if token.type != "EPS" and (self.line is None or token != self.line[0]):
            raise self._fail(token, f"`{token}` is not eps", "write `for eps in`; -D sets parameters")
        left, low, high, right = interval.children
        top = None if isinstance(high, Token) else self._end(high)
        found = EpsRange(self._end(low), top, left == "[", right == "]")
        if _is_within(found, EpsRange.positive() if self.line is None else self.line[1]):
            return found
        if self.line is not None:
            raise self._fail(interval, f"the range of `{token}` is {self.line[1]}")
        message = "the range of eps must be a nonempty interval within (0, inf)"
        raise self._fail(interval, message, "for example: for eps in (0, 1]")

    def _end(self, node: Any) -> fmpq:
        if (value := self._arithmetic.number_of(node).as_rational()) is None:
            raise self._fail(node, "the ends of the range of eps must be rational numbers")
        return value

    def _fail(self, node: Any, message: str, hint: str = "") -> InputError:
        return InputError(message, span_of(node, self.source), hint)

    def visit(self, node: Any) -> Formula:
        self._count_nodes(1)
        if node.data in QUERIES:
            raise self._fail(node, "a query cannot be a part of a formula", "ask it by `dipc model value`")
        formula: Formula = getattr(self, node.data)(node)
        return formula

    def _count_nodes(self, more: int) -> None:
        self.nodes += more
        if self.nodes > MOST_NODES:
            raise LimitReached(f"{self.source.name}: the formula has more than {MOST_NODES} parts")

    def _twice(self, node: Any) -> Formula:
        """A formula that the expansion repeats: it counts twice."""
        before, formula = self.nodes, self.visit(node)
        self._count_nodes(self.nodes - before)
        return formula

    @property
    def _arithmetic(self) -> Arithmetic:
        """Arithmetic with the numbers of the model and of ``forall``."""
        known = dict(self.numbers)
        for name, value in self.bound.items():
            if isinstance(value, str) and NUMBER.fullmatch(value):
                known[name] = Amount(Quotient.of(rational(value, "a number")))
        return Arithmetic(self.source, known)

    def _number(self, node: Any) -> Quotient:
        value = self._plain(node, self._arithmetic.number_of(node))
        check_value(value, span_of(node, self.source), self.eps_range)
        return value

    def _delta(self, node: Any) -> Quotient:
        value = self._number(node)
        check_delta(value, span_of(node, self.source), self.eps_range)
        return value

    def _exponent(self, node: Any) -> Exponent:
        amount = self._arithmetic.amount(node)
        self._plain(node, amount.value)
        if (linear := linear_part(amount.value)) is None:
            hint = "for example D[eps, 0], D[2*eps + ln 2, 0] or D[1/2, 0]"
            raise self._fail(node, "the first parameter of D must be linear in eps", hint)
        epsilon = Exponent(linear[0], linear[1], amount.logarithms)
        if any(power.q != 1 for _, power in epsilon.logarithms):
            raise self._fail(node, "the coefficients of ln must be whole numbers", ROOTS)
        if any(abs(power) > HIGHEST_LOGARITHM for _, power in epsilon.logarithms):
            raise self._fail(node, f"the coefficients of ln go beyond {HIGHEST_LOGARITHM}")
        check_epsilon(epsilon, exponent_text(epsilon), span_of(node, self.source), self.eps_range)
        return epsilon

    def _plain(self, node: Any, value: Quotient | Parametric) -> Quotient:
        """A number in which no parameter occurs."""
        if isinstance(value, Parametric):
            hint = "numbers of formulas may use the only parameter of a model without eps"
            raise Unsupported("a parameter in a number of this formula", span_of(node, self.source), hint)
        return value

    def _bound(self, node: Any) -> int | None:
        """The number in an optional count."""
        if node is None:
            return None
        (token,) = node.children
        text = self.bound.get(str(token), str(token))
        if not (isinstance(text, str) and text.isascii() and text.isdigit()):
            raise self._fail(node, f"`{token}` is not a number of steps", "a count is an integer such as 3")
        if len(text) > 9:
            raise self._fail(node, f"{text} steps are too many")
        return int(text)

    def proposition(self, node: Node) -> Formula:
        token = cast(Token, node.children[0])
        value = self.bound.get(str(token)) if token.type == "NAME" else None
        if value is None or isinstance(value, str):
            return self._known(self._name(token), node)
        self._count_nodes(len(value.operands) if isinstance(value, Or) else 1)
        return value

    def _name(self, token: Token) -> str:
        """What a name or a quoted name stands for inside ``forall``."""
        values = {name: value for name, value in self.bound.items() if isinstance(value, str)}
        if token.type != "STRING":
            return values.get(str(token), str(token))
        return VARIABLE.sub(lambda found: values.get(found[1], found[0]), unquoted(token))

    def _known(self, name: str, node: Node) -> Proposition:
        span = span_of(node, self.source)
        if self.model is not None and self.model.states_of(name) is None and not self.defined(name, span):
            known = [*self.model.labels, *self._states()]
            labels = ", ".join(self.model.labels)
            hint = did_you_mean(name, known, f"labels: {labels}" if labels else "the model has no labels")
            raise InputError(f"there is no label or state `{name}`", span, hint)
        return Proposition(name, span)

    def _boolean(self, node: Node) -> Formula:
        """The formula of a constant, parentheses, or an operator of propositional logic."""
        match node.data:
            case "true" | "false":
                return Truth(node.data == "true")
            case "group" | "negation":
                inside = self.visit(node.children[-1])
                return inside if node.data == "group" else Not(inside)
            case "iff":
                left, right = self._operands(node, self._twice)
                return Or((And((left, right)), And((Not(left), Not(right)))))
        operands = self._operands(node)
        if node.data == "implies":
            return Or((Not(operands[0]), operands[1]))
        return And(operands) if node.data == "conjunction" else Or(operands)

    true = false = group = negation = conjunction = disjunction = implies = iff = _boolean

    def _operands(self, node: Node, visit: Callable[[Node], Formula] | None = None) -> tuple[Formula, ...]:
        """The operands, unless they can be read in two ways."""
        operands = cast("list[Node]", node.children[::2])
        for operand in operands:
            if operand.data in ("until", "untils"):
                raise self._two_readings(node, operand, operand.children[0], operand.children[-1])
            if operand is not operands[-1] and (last := _open_end(operand)) is not None:
                raise self._two_readings(node, last, None, last.children[-1])
        return tuple(map(visit or self.visit, operands))

    def _two_readings(self, whole: Node, inner: Any, left: Any, right: Any) -> InputError:
        """An operator without parentheses: its operands are what stands next to it, or all up to the end."""
        start, end = whole.meta.start_pos, whole.meta.end_pos
        first = self._parenthesised(whole, (inner.meta.start_pos, inner.meta.end_pos))
        ends = [(start, left.meta.end_pos)] if left is not None and left.meta.start_pos > start else []
        ends += [(right.meta.start_pos, end)] if right.meta.end_pos < end else []
        message = f"`{self.source.text[start:end]}` is read differently by different tools"
        return self._fail(whole, message, f"write `{first}` or `{self._parenthesised(whole, *ends)}`")

    def _parenthesised(self, node: Any, *spans: tuple[int, int]) -> str:
        """The text of a node with parentheses around some parts of it."""
        text, at, found = self.source.text, node.meta.start_pos, ""
        for start, end in spans:
            found, at = f"{found}{text[at:start]}({text[start:end]})", end
        return found + text[at : node.meta.end_pos]

    def next(self, node: Node) -> Formula:
        inside = self.visit(node.children[-1])
        written: Any = node.children[2]
        if written is not None and self.bound.get(str(written.children[0])) == EVERY:
            return EachNext(inside)
        count = self._bound(written)
        return inside if count == 0 else Next(inside, count or 1)

    def eventually(self, node: Node) -> Formula:
        return Until(Truth(True), self.visit(node.children[-1]), self._bound(node.children[2]))

    def always(self, node: Node) -> Formula:
        return Not(Until(Truth(True), Not(self.visit(node.children[-1])), self._bound(node.children[2])))

    def until(self, node: Node) -> Formula:
        left, operator, right = cast("list[Any]", node.children)
        if (last := _open_end(left)) is not None:
            raise self._two_readings(node, last, None, last.children[-1])
        kind, _, count = operator.children
        g = self._twice(right) if kind.type == "WEAK" else self.visit(right)
        f, bound = self.visit(left), self._bound(count)
        if kind.type == "UNTIL":
            return Until(f, g, bound)
        neither = And((Not(f), Not(g)))
        return Not(Until(Not(g), neither, bound) if kind.type == "WEAK" else Until(Not(f), Not(g), bound))

    def untils(self, node: Node) -> Formula:
        middle = cast("list[Any]", node.children)[2].meta
        left = self._parenthesised(node, (node.meta.start_pos, middle.end_pos))
        right = self._parenthesised(node, (middle.start_pos, node.meta.end_pos))
        raise self._fail(node, "U, W and R are not associative", f"write `{left}` or `{right}`")

    def compare(self, node: Node) -> Formula:
        _, operator, arith, body = cast("list[Any]", node.children)
        value = self._number(arith)
        low = Quotient.of(0) if operator.type in ("LE", "LT") else value
        high = Quotient.of(1) if operator.type in ("GE", "GT") else value
        interval = Interval(low, high, operator.type != "GT", operator.type != "LT")
        return Probability(interval, self.visit(body), span_of(node, self.source))

    def within(self, node: Node) -> Formula:
        interval = cast(Node, node.children[-2])
        left, low, high, right = interval.children
        if isinstance(high, Token):
            raise self._fail(high, "a probability is at most 1: write 1 instead of inf")
        ends = Interval(self._number(low), self._number(high), left == "[", right == "]")
        return Probability(ends, self.visit(node.children[-1]), span_of(node, self.source))

    def privacy(self, node: Node) -> Formula:
        _, epsilon, delta, body = node.children
        numbers = self._exponent(epsilon), self._delta(delta)
        return Privacy(*numbers, self.visit(body), span_of(node, self.source))

    def forall(self, node: Node) -> Formula:
        *variables, _, domain, body = cast("list[Any]", node.children[1:])
        if domain.data == "naturals":
            return self._for_all_numbers(variables, domain, body)
        chosen = product(self._domain(domain), repeat=len(variables))
        bodies = (self._with(dict(zip(map(str, variables), each, strict=True)), body) for each in chosen)
        return _joined(And, bodies)

    def _for_all_numbers(self, variables: list[Token], domain: Node, body: Any) -> Formula:
        if domain.children[0] not in ("N", "ℕ") or len(variables) > 1:
            raise self._fail(
                domain, "this domain is N, with one variable", "for example `forall k in N: ...`"
            )
        formula = self._with({str(variables[0]): EVERY}, body)
        conjuncts = formula.operands if isinstance(formula, And) else (formula,)
        for each in conjuncts:
            within = isinstance(each, Privacy) and isinstance(each.path, EachNext)
            inside = (
                each.path.operand if isinstance(each, Privacy) and isinstance(each.path, EachNext) else each
            )
            if not is_state_formula(inside) or (
                not within and any(isinstance(p, EachNext) for p in parts(each))
            ):
                hint = "k in N occurs in D[...](X^k f) with a state formula f, and in conjunctions of these"
                raise self._fail(body, "for all k in N, this formula is not supported", hint)
        return formula

    def forall_subsets(self, node: Node) -> Formula:
        _, name, _, domain, body = cast("list[Any]", node.children)
        members = self._domain(domain)
        if len(members) > MOST_IN_SUBSETS:
            place = span_of(domain, self.source).place
            message = f"{len(members)} labels have too many subsets: the limit is {MOST_IN_SUBSETS} labels"
            raise LimitReached(f"{place}: {message}")
        known = [self._known(member, domain) for member in members]
        sets = (each for size in range(1, len(known) + 1) for each in combinations(known, size))
        return _joined(And, (self._with({str(name): _joined(Or, each)}, body) for each in sets))

    def _with(self, values: Mapping[str, str | Formula], body: Any) -> Formula:
        inner = replace(self, bound={**self.bound, **values})
        formula = inner.visit(body)
        self.nodes = inner.nodes
        return formula

    def _domain(self, node: Node) -> list[str]:
        """The values of a variable."""
        match node.data:
            case "listed":
                found = [self._name(cast(Token, token)) for token in node.children]
            case "glob":
                pattern, labels = self._name(cast(Token, node.children[0])), self.model and self.model.labels
                if not pattern.endswith("*"):
                    hint = 'a domain is a list {a, b}, a range 0..5, or labels such as "out_*"'
                    raise self._fail(node, hint)
                found = [label for label in labels or () if label.startswith(pattern[:-1])]
            case _:
                low, high = (self._bound(child) or 0 for child in node.children)
                self._count_nodes(max(0, high - low))
                found = [str(number) for number in range(low, high + 1)]
        if not found:
            raise self._fail(node, "the domain is empty")
        return list(dict.fromkeys(found))


def _joined(operator: type[And] | type[Or], formulas: Iterable[Formula]) -> Formula:
    first, *rest = formulas
    return operator((first, *rest)) if rest else first


def _open_end(node: Any) -> Node | None:
    """The temporal operator without parentheses at the right end of an operand."""
    while node.data in ("negation", *BOOLEAN):
        node = node.children[-1]
    return node if node.data in TEMPORAL else None


def show(formula: Formula | Query) -> str:
    """A formula as text, in core operators with F and G.

    >>> show(parse_property(Source("f", "!(a -> P<1 (G !b))")).formula)
    '!(!a | P<1 (G !b))'
    """
    match formula:
        case Truth(value):
            return "true" if value else "false"
        case Proposition(name):
            return name if PLAIN.fullmatch(name) and name not in RESERVED else f'"{name}"'
        case Not(Until(Truth(True), Not(inside), bound)):
            return f"G{_at_most(bound)} {_operand(inside)}"
        case Not(operand):
            return f"!{_operand(operand)}"
        case And(operands):
            return " & ".join(map(_operand, operands))
        case Or(operands):
            return " | ".join(map(_operand, operands))
        case Next(operand, count):
            return f"X{f'^{count}' if count > 1 else ''} {_operand(operand)}"
        case Until(Truth(True), right, bound):
            return f"F{_at_most(bound)} {_operand(right)}"
        case Until(left, right, bound):
            return f"{_operand(left)} U{_at_most(bound)} {_operand(right)}"
        case Probability(interval, path):
            return f"P{_interval(interval)} ({show(path)})"
        case EachNext(operand):
            return f"X^k {_operand(operand)}"
        case Privacy(epsilon, delta, EachNext() as path):
            return f"forall k in N: D[{exponent_text(epsilon)}, {delta}]({show(path)})"
        case Privacy(epsilon, delta, path):
            return f"D[{exponent_text(epsilon)}, {delta}]({show(path)})"
        case Query("epsilon", path, _, delta):
            return f"D[?, {delta}]({show(path)})"
        case Query("delta", path, epsilon):
            return f"D[{exponent_text(epsilon)}, ?]({show(path)})" if epsilon else ""
        case Query(kind, path):
            return f"{kind}=? ({show(path)})"


def _operand(formula: Formula) -> str:
    text = show(formula)
    simple = isinstance(formula, Truth | Proposition | Probability | Privacy) or (
        isinstance(formula, Not) and text.startswith("!")
    )
    simple = simple and not text.startswith("forall")
    return text if simple else f"({text})"


def _at_most(bound: int | None) -> str:
    return "" if bound is None else f"<={bound}"


def _is_within(part: EpsRange, whole: EpsRange) -> bool:
    """Whether a range is not empty, and a part of another."""
    if part.high is None:
        bounded = whole.high is None and not part.high_closed
    else:
        bounded = part.inside in part and (whole.high is None or part.high <= whole.high)
    ends = (*part.closed_ends, part.inside)
    return bounded and part.low >= whole.low and all(end in whole for end in ends)


def _interval(interval: Interval) -> str:
    low, high = interval.low, interval.high
    if high == 1 and interval.high_closed:
        return f">{'=' * interval.low_closed}{low}"
    if low == 0 and interval.low_closed:
        return f"<{'=' * interval.high_closed}{high}"
    if low == high and interval.low_closed and interval.high_closed:
        return f"={low}"
    return f" in {'[' if interval.low_closed else '('}{low}, {high}{']' if interval.high_closed else ')'}"
