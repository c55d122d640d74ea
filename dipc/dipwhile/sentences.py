"""A sentence from its text: ``forall eps > 0: 2 - exp(-eps) >= eps/(1 + eps)``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import dipc.signs.sentence as logic
from dipc.child import held
from dipc.clock import Clock
from dipc.dipwhile.semantics.evaluate import NOTHING, function_of_eps, never
from dipc.dipwhile.syntax.ast import Binary, Call, Eps, Expr, Fold, Index, Name, Number, Op, Unary
from dipc.dipwhile.syntax.compile import compile_interval
from dipc.dipwhile.syntax.parser import parse_sentence
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.walk import joined, nodes
from dipc.errors import InputError, check_type
from dipc.numbers.quotient import Quotient
from dipc.signs.inequality import sign_if_constant
from dipc.signs.sentence import Decision, Sentence
from dipc.suggest import options_only

CONSTANTS: dict[str, logic.Formula] = {"true": logic.And(()), "false": logic.Or(())}
ARITHMETIC = frozenset({Op.NEG, Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.POW})


@options_only
def decide(sentence: str | Sentence) -> Decision:
    """Decide a sentence, or the text of one.

    Beyond a limit (:func:`dipc.limits`) :class:`~dipc.errors.LimitReached` is raised.

    >>> answer = decide("exists eps: exp(eps) = 1 + 3*eps and eps < 1")
    >>> answer.truth, answer.holds_for
    (False, ())
    """
    check_type(sentence, (str, Sentence), "a sentence is a text", '"forall eps > 0: exp(eps) > 1"')
    return held(
        Clock(), lambda: logic.decide(read_sentence(sentence) if isinstance(sentence, str) else sentence)
    )


def read_sentence(text: str) -> Sentence:
    """The sentence in a text.

    Raises :class:`InputError`, also for a divisor that is 0 at some eps of the interval.

    >>> print(read_sentence("forall eps > 0: eps < 1 -> exp(eps) <= 1 + 2*eps"))
    forall eps in (0, inf): (not eps < 1 or exp(eps) <= 1 + 2*eps)
    """
    tree = parse_sentence(text)
    budgets = compile_interval(tree.interval, {})
    for divisor in _divisors(tree.body):
        if not sign_if_constant(_function(divisor).numerator, budgets):
            message = f"the divisor `{as_written(divisor)}` is 0 for some eps in {budgets}"
            raise InputError(message, divisor.span, logic.NARROW)
    return Sentence(logic.Quantifier(tree.quantifier), budgets, _formula(tree.body))


def _divisors(body: Expr) -> Iterator[Expr]:
    for node in nodes(body):
        match node:
            case Binary(Op.DIV, _, divisor) | Binary(Op.POW, divisor, Unary(Op.NEG)):
                yield divisor
            case Binary(Op.POW, divisor, Number(exponent)) if exponent < 0:
                yield divisor


def _formula(expr: Expr) -> logic.Formula:
    match expr:
        case Binary(Op.AND):
            return _joined(logic.And, joined(expr, Op.AND))
        case Binary(Op.OR):
            return _joined(logic.Or, joined(expr, Op.OR))
        case Unary(Op.NOT, operand):
            return logic.Not(_formula(operand))
        case Binary(op, left, right) if op not in ARITHMETIC:
            return logic.Comparison(_function(left), logic.Relation(op.value), _function(right))
        case Name(name) if name in CONSTANTS:
            return CONSTANTS[name]
        case _:
            hint = "compare it: `... >= 0`"
            raise InputError(f"`{as_written(expr)}` is neither true nor false", expr.span, hint)


def _joined(kind: type[logic.And] | type[logic.Or], operands: Iterable[Expr]) -> logic.Formula:
    """A conjunction or disjunction, those of the same kind inside it taken apart."""
    parts: list[logic.Formula] = []
    for formula in map(_formula, operands):
        parts += formula.parts if isinstance(formula, kind) else (formula,)
    return parts[0] if len(parts) == 1 else kind(tuple(parts))


def _function(expr: Expr) -> Quotient:
    for node in nodes(expr):
        match node:
            case Number() | Eps() | Call("exp") | Unary(Op.NEG):
                continue
            case Binary(op) if op in ARITHMETIC:
                continue
            case Name(name) | Index(name) if name not in CONSTANTS:
                raise InputError(f"a sentence refers to eps only, not to `{name}`", node.span)
            case Fold() | Call() | Name() | Index() | Unary() | Binary():
                hint = "functions are built from numbers, eps and exp with + - * / ^"
                raise InputError(f"`{as_written(node)}` is not allowed in a function of eps", node.span, hint)
    return function_of_eps(expr, NOTHING, never)
