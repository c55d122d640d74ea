"""Text to formulas of dpCTL*.

The grammar is ``formula.lark``.  Here derived operators and ``forall`` are expanded, state formulas are told
from path formulas, and texts that other tools read differently (``F a & b``) are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, product
from pathlib import Path
from typing import Any, cast

from flint import fmpq
from lark import Token, Tree
from lark.visitors import Interpreter

from dipc.dpctl.formula import (
    And,
    Exponent,
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
)
from dipc.errors import InputError, LimitReached, Source, Span
from dipc.models.arithmetic import Amount, Arithmetic, Grammar, Node, linear_part, span_of
from dipc.models.chain import Model
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, nonnegative
from dipc.suggest import did_you_mean

WORDS = {
    "not": "NOT", "and": "AND", "or": "OR", "X": "NEXT", "F": "EVENTUALLY", "G": "ALWAYS", "U": "UNTIL",
    "W": "WEAK", "R": "RELEASE", "true": "TRUE", "false": "FALSE", "forall": "FORALL", "in": "IN",
    "subset": "SUBSET", "P": "P", "Pmax": "PMAX", "Pmin": "PMIN", "D": "D", "from": "_FROM", "for": "_FOR",
}  # fmt: skip
NAMES = {
    "NAME": "a label", "STRING": "", "NUMBER": "a number", "LPAR": "`(`", "RPAR": "`)`", "LSQB": "`[`",
    "RSQB": "`]`", "COMMA": "`,`", "COLON": "`:`", "LBRACE": "`{`", "RBRACE": "`}`", "AND": "`&`",
    "OR": "`|`", "UNTIL": "`U`", "IN": "`in`", "$END": "the end", "EPS": "`eps`", "QUERY": "`?`",
}  # fmt: skip
GRAMMAR = Grammar(Path(__file__).with_name("formula.lark"), ("property",), WORDS, NAMES)

MOST_NODES = 100_000
MOST_IN_SUBSETS = 12
TEMPORAL = ("next", "eventually", "always")
BOOLEAN = ("conjunction", "disjunction", "implies", "iff", "until")


def parse_property(
    source: Source,
    model: Model | None = None,
    numbers: Mapping[str, Amount] | None = None,
    defined: Callable[[str, Span], bool] = lambda name, span: False,
    name: str | None = None,
    at: fmpq | None = None,
) -> Property:
    """The formula or query in a text.

    ``model`` has the labels: without one, names are not checked.  ``numbers`` are names of numbers;
    ``defined`` is asked whether a proposition that the model does not have is defined elsewhere; ``at`` is
    the only eps asked about.  Raises :class:`InputError` with the place and a hint, :class:`LimitReached`
    for a formula that is too large.

    >>> found = parse_property(Source("f", "P>=1/2 (F goal) from a for eps in (0, 1]"))
    >>> found.states, str(found.eps_range), show(found.formula)
    (('a',), '(0, 1]', 'P>=1/2 (F goal)')
    """
    tree = GRAMMAR.parse(source, "property")
    builder = _Builder(source, model, numbers or {}, defined)
    body, states, eps_range = tree.children
    wanted = builder.eps_range(cast(Node, eps_range)) if eps_range is not None else EpsRange.positive()
    wanted = wanted if at is None else wanted.only(at)
    formula = builder.question(cast(Node, body))
    text = source.text[body.meta.start_pos : body.meta.end_pos] if isinstance(body, Tree) else source.text
    property = Property(formula, text, builder.start(cast("Node | None", states)), wanted, name)
    builder.check_ranges(wanted)
    return property


class _Builder(Interpreter[Token, Formula]):
    """Formulas from trees; ``bound`` holds the values of variables of ``forall`` around them."""

    def __init__(
        self,
        source: Source,
        model: Model | None,
        numbers: Mapping[str, Amount],
        defined: Callable[[str, Span], bool],
    ) -> None:
        self.source, self.model, self.numbers, self.defined = source, model, numbers, defined
        self.bound: dict[str, str | Formula] = {}
        self.nodes = 0
        self.signs: list[tuple[Quotient, Span, str]] = []  # what must be nonnegative on the range of eps

    # --- the whole -------------------------------------------------------------------------------

    def question(self, node: Node) -> Formula | Query:
        """A query, or a state formula."""
        match node.data:
            case "probability_query":
                return Query(str(node.children[0]), self.path(node.children[-1]))
            case "least_epsilon":
                return Query("epsilon", self.path(node.children[-1]), delta=self._delta(node.children[2]))
            case "least_delta":
                return Query("delta", self.path(node.children[-1]), epsilon=self._exponent(node.children[1]))
        formula = self.visit(node)
        if not is_state_formula(formula):
            message = "this is a path formula, but a state formula is needed here"
            raise self._fail(node, message, "put it into P(...) or D(...), for example P>=1/2 (F goal)")
        return formula

    def start(self, node: Node | None) -> tuple[str, ...] | None:
        """The states after ``from``."""
        if node is None:
            return None
        names = tuple(_unquoted(token) for token in node.children)
        for name, token in zip(names, node.children, strict=True):
            if self.model is not None and name not in self.model.names:
                raise self._fail(
                    token, f"there is no state `{name}`", did_you_mean(name, self.model.names[:1000])
                )
        return names

    def eps_range(self, node: Node) -> EpsRange:
        """The interval after ``for eps in``."""
        interval = cast(Node, node.children[-1])
        left, low, high, right = interval.children
        ends = [self._end(low), None if isinstance(high, Token) else self._end(high)]
        found = EpsRange(ends[0] or fmpq(0), ends[1], left == "[", right == "]")
        empty = found.high is not None and (
            found.low > found.high or (found.is_point and not (found.low_closed and found.high_closed))
        )
        if empty or found.low < 0 or fmpq(0) in found or (found.high is None and found.high_closed):
            hint = "for example: for eps in (0, 1]"
            raise self._fail(interval, "the range of eps must be a nonempty interval within (0, inf)", hint)
        return found

    def _end(self, node: Any) -> fmpq:
        value = self._number(node).as_rational()
        if value is None:
            raise self._fail(node, "the ends of the range of eps must be rational numbers")
        return fmpq(value.numerator, value.denominator)

    def check_ranges(self, eps_range: EpsRange) -> None:
        """Refuse parameters of D that are negative somewhere on the range."""
        for value, span, what in self.signs:
            answer = nonnegative(value.numerator * value.denominator, eps_range)
            if isinstance(answer, Fails):
                raise InputError(f"{what} is negative at eps = {answer.sample}", span)
            if not isinstance(answer, Holds):
                raise LimitReached(f"{span.place}: the sign of {what} could not be settled")

    # --- parts -----------------------------------------------------------------------------------

    def _fail(self, node: Any, message: str, hint: str = "") -> InputError:
        return InputError(message, span_of(node, self.source), hint)

    def path(self, node: Any) -> Formula:
        """The body of P or D."""
        return self.visit(node)

    def visit(self, tree: Any) -> Formula:
        """The formula of a tree."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise LimitReached(f"{self.source.name}: the formula has more than {MOST_NODES} parts")
        if str(tree.data).endswith("_query") or tree.data in ("least_epsilon", "least_delta"):
            raise self._fail(tree, "a query cannot be a part of a formula", "ask it by `dipc model value`")
        formula: Formula = super().visit(tree)
        return formula

    def _amount(self, node: Any) -> Amount:
        known = dict(self.numbers)
        for name, value in self.bound.items():
            if isinstance(value, str) and value.isdigit():
                known[name] = Amount(Quotient.of(fmpq(int(value))))
        return Arithmetic(self.source, known).amount(node)

    def _number(self, node: Any) -> Quotient:
        amount = self._amount(node)
        if amount.logarithms:
            raise self._fail(node, "a logarithm is allowed in the first parameter of D only")
        return amount.value

    def _delta(self, node: Any) -> Quotient:
        value = self._number(node)
        self.signs.append((value, span_of(node, self.source), f"delta = {value}"))
        return value

    def _exponent(self, node: Any) -> Exponent:
        amount = self._amount(node)
        if (linear := linear_part(amount.value)) is None:
            hint = "for example D[eps, 0], D[2*eps + ln 2, 0] or D[1/2, 0]"
            raise self._fail(node, "the first parameter of D must be linear in eps", hint)
        if not amount.logarithms:
            self.signs.append((amount.value, span_of(node, self.source), f"epsilon = {amount.value}"))
        return Exponent(linear[0], linear[1], amount.logarithms)

    def _count(self, node: Any) -> int:
        (token,) = node.children
        text = self.bound.get(str(token), str(token))
        if not (isinstance(text, str) and text.isascii() and text.isdigit()):
            raise self._fail(node, f"`{token}` is not a number of steps", "a count is an integer such as 3")
        if len(text) > 9:
            raise self._fail(node, f"{text} steps are too many")
        return int(text)

    def _optional_count(self, node: Any) -> int | None:
        return None if node is None else self._count(node)

    # --- propositions and Boolean operators --------------------------------------------------------

    def true(self, node: Node) -> Formula:
        return Truth(True)

    def false(self, node: Node) -> Formula:
        return Truth(False)

    def group(self, node: Node) -> Formula:
        return self.visit(node.children[0])

    def proposition(self, node: Node) -> Formula:
        token = cast(Token, node.children[0])
        text = _unquoted(token)
        if token.type == "NAME" and (value := self.bound.get(text)) is not None:
            return self._known(value, node) if isinstance(value, str) else value
        for name, value in self.bound.items() if token.type == "STRING" else ():
            text = text.replace("{" + name + "}", value if isinstance(value, str) else "{" + name + "}")
        return self._known(text, node)

    def _known(self, name: str, node: Node) -> Proposition:
        span = span_of(node, self.source)
        if self.model is not None and self.model.states_of(name) is None and not self.defined(name, span):
            known = [*self.model.labels, *self.model.names[:1000]]
            labels = (
                f"labels: {', '.join(self.model.labels)}" if self.model.labels else "the model has no labels"
            )
            raise InputError(f"there is no label or state `{name}`", span, did_you_mean(name, known, labels))
        return Proposition(name, span)

    def negation(self, node: Node) -> Formula:
        return Not(self.visit(node.children[1]))

    def conjunction(self, node: Node) -> Formula:
        return And(self._operands(node))

    def disjunction(self, node: Node) -> Formula:
        return Or(self._operands(node))

    def implies(self, node: Node) -> Formula:
        left, right = self._operands(node)
        return Or((Not(left), right))

    def iff(self, node: Node) -> Formula:
        left, right = self._operands(node)
        return Or((And((left, right)), And((Not(left), Not(right)))))

    def _operands(self, node: Node) -> tuple[Formula, ...]:
        """The operands, unless they can be read in two ways."""
        operands = cast("list[Node]", node.children[::2])
        for operand in operands:
            if operand.data == "until":
                self._ambiguous(node, operand, f"({self._text(operand)})")
        for operand in operands[:-1]:
            if (last := _open_end(operand)) is not None:
                inside = self._text(last)
                self._ambiguous(node, operand, self._text(operand).replace(inside, f"({inside} ...)"))
        return tuple(self.visit(operand) for operand in operands)

    def _ambiguous(self, node: Node, operand: Node, other: str) -> None:
        text = self._text(operand)
        message = f"`{self._text(node)}` is read differently by different tools"
        raise self._fail(node, message, f"write `({text})` or `{other}`, with parentheses, as you mean it")

    def _text(self, node: Node) -> str:
        return self.source.text[node.meta.start_pos : node.meta.end_pos]

    # --- paths -----------------------------------------------------------------------------------

    def next(self, node: Node) -> Formula:
        count = self._optional_count(node.children[2])
        inside = self.visit(node.children[-1])
        return inside if count == 0 else Next(inside, count or 1)

    def eventually(self, node: Node) -> Formula:
        return Until(Truth(True), self.visit(node.children[-1]), self._optional_count(node.children[2]))

    def always(self, node: Node) -> Formula:
        inside = self.visit(node.children[-1])
        return Not(Until(Truth(True), Not(inside), self._optional_count(node.children[2])))

    def until(self, node: Node) -> Formula:
        left, operator, _, count, right = node.children
        for side in (left, right):
            if _open_end(cast(Node, side)) is not None and side is left:
                inside = self._text(cast(Node, side))
                self._ambiguous(node, cast(Node, side), f"{inside[0]} ({inside[1:].strip()} {operator} ...)")
        f, g, bound = self.visit(left), self.visit(right), self._optional_count(count)
        match cast(Token, operator).type:
            case "UNTIL":
                return Until(f, g, bound)
            case "WEAK":
                return Not(Until(Not(g), And((Not(f), Not(g))), bound))
            case _:
                return Not(Until(Not(f), Not(g), bound))

    # --- probabilities and privacy -----------------------------------------------------------------

    def compare(self, node: Node) -> Formula:
        _, operator, arith, body = node.children
        value = self._number(arith)
        zero, one = Quotient.of(0), Quotient.of(1)
        intervals = {
            "GE": Interval(value, one),
            "GT": Interval(value, one, low_closed=False),
            "LE": Interval(zero, value),
            "LT": Interval(zero, value, high_closed=False),
            "EQ": Interval(value, value),
        }
        interval = intervals[cast(Token, operator).type]
        return Probability(interval, self.path(body), span_of(node, self.source))

    def within(self, node: Node) -> Formula:
        interval = cast(Node, node.children[-2])
        left, low, high, right = interval.children
        if isinstance(high, Token):
            raise self._fail(high, "a probability is at most 1: write 1 instead of inf")
        ends = Interval(self._number(low), self._number(high), left == "[", right == "]")
        return Probability(ends, self.path(node.children[-1]), span_of(node, self.source))

    def privacy(self, node: Node) -> Formula:
        _, epsilon, delta, body = node.children
        return Privacy(
            self._exponent(epsilon), self._delta(delta), self.path(body), span_of(node, self.source)
        )

    # --- for all -----------------------------------------------------------------------------------

    def forall(self, node: Node) -> Formula:
        names = [str(token) for token in node.children[1:-3]]
        values = list(self._domain(cast(Node, node.children[-2])))
        chosen = product(values, repeat=len(names))
        return And(
            tuple(self._with(dict(zip(names, each, strict=True)), node.children[-1]) for each in chosen)
        )

    def forall_subsets(self, node: Node) -> Formula:
        _, name, _, domain, body = node.children
        members = list(self._domain(cast(Node, domain)))
        if len(members) > MOST_IN_SUBSETS:
            message = (
                f"{len(members)} labels have too many subsets: at most {MOST_IN_SUBSETS} labels are allowed"
            )
            raise LimitReached(f"{span_of(cast(Node, domain), self.source).place}: {message}")
        known: list[Formula] = [self._known(member, cast(Node, domain)) for member in members]
        sets = (each for size in range(1, len(known) + 1) for each in combinations(known, size))
        return And(
            tuple(self._with({str(name): Or(each) if len(each) > 1 else each[0]}, body) for each in sets)
        )

    def _with(self, values: Mapping[str, str | Formula], body: Any) -> Formula:
        before = self.bound
        self.bound = {**before, **values}
        try:
            return self.visit(body)
        finally:
            self.bound = before

    def _domain(self, node: Node) -> Iterator[str]:
        match node.data:
            case "listed":
                found = [_unquoted(token) for token in node.children]
            case "glob":
                pattern = _unquoted(node.children[0])
                if not pattern.endswith("*"):
                    raise self._fail(
                        node, 'a domain is a list {a, b}, a range 0..5, or labels such as "out_*"'
                    )
                labels = self.model.labels if self.model is not None else ()
                found = [label for label in labels if label.startswith(pattern[:-1])]
            case _:
                low, high = (self._count(child) for child in node.children)
                if high - low > MOST_NODES:
                    raise LimitReached(f"{self.source.name}: the formula has more than {MOST_NODES} parts")
                found = [str(number) for number in range(low, high + 1)]
        if not found:
            raise self._fail(node, "the domain is empty")
        return iter(found)


def _unquoted(token: Any) -> str:
    return str(token)[1:-1] if token.type == "STRING" else str(token)


def _open_end(node: Node) -> Node | None:
    """The temporal operator without parentheses at the right end of an operand."""
    while node.data == "negation":
        node = cast(Node, node.children[1])
    return node if node.data in TEMPORAL else None


# --- formulas as text --------------------------------------------------------------------------------


def show(formula: Formula | Query) -> str:
    """A formula as text, in core operators with F and G.

    >>> show(parse_property(Source("f", "!(a -> P<1 (G !b))")).formula)
    '!(!a | P<1 (G !b))'
    """
    match formula:
        case Truth(value):
            return "true" if value else "false"
        case Proposition(name):
            return name if name.isidentifier() and name not in WORDS else f'"{name}"'
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
        case Privacy(epsilon, delta, path):
            return f"D[{show_exponent(epsilon)}, {delta}]({show(path)})"
        case Query("epsilon", path, _, delta):
            return f"D[?, {delta}]({show(path)})"
        case Query("delta", path, epsilon):
            return f"D[{show_exponent(epsilon)}, ?]({show(path)})" if epsilon else ""
        case Query(kind, path):
            return f"{kind}=? ({show(path)})"


def _operand(formula: Formula) -> str:
    text = show(formula)
    simple = isinstance(formula, Truth | Proposition | Probability | Privacy) or (
        isinstance(formula, Not) and text.startswith("!")
    )
    return text if simple else f"({text})"


def _at_most(bound: int | None) -> str:
    return "" if bound is None else f"<={bound}"


def _interval(interval: Interval) -> str:
    low, high = interval.low, interval.high
    if high == 1 and interval.high_closed:
        return f">{'=' * interval.low_closed}{low}"
    if low == 0 and interval.low_closed:
        return f"<{'=' * interval.high_closed}{high}"
    if low == high:
        return f"={low}"
    return f" in {'[' if interval.low_closed else '('}{low}, {high}{']' if interval.high_closed else ')'}"


def show_exponent(epsilon: Exponent) -> str:
    """The first parameter of D.

    >>> show_exponent(Exponent(fmpq(2), fmpq(0), ((fmpq(2), fmpq(1)),)))
    '2*eps + ln 2'
    """
    parts = [f"{'' if epsilon.rate == 1 else f'{epsilon.rate}*'}eps"] if epsilon.rate else []
    parts += [str(epsilon.constant)] if epsilon.constant else []
    for base, power in epsilon.logarithms:
        number = f"ln {base}" if base.q == 1 else f"ln({base})"
        parts.append(number if power == 1 else f"{power}*{number}")
    return " + ".join(parts).replace("+ -", "- ") or "0"
