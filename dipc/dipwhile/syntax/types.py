"""Which kinds of values each variable may hold, and what can never work.

The analysis ignores the order of statements: a variable has the kinds of everything that is
ever assigned to it, a least fixed point.  An operation is refused only if *no* possible kind of
an operand fits; the rest is settled when the program is explored.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import assert_never

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.arrays import assignments, instruction_parts
from dipc.dipwhile.syntax.core import Draw, Instruction, Put, Test, Variable, value_of
from dipc.dipwhile.syntax.distributions import NOISE
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.functions import FUNCTIONS
from dipc.dipwhile.syntax.kinds import Kinds, describe, kinds_of_value, never, show_domain, surely, union
from dipc.dipwhile.syntax.names import target_name
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.printer import show as written
from dipc.dipwhile.syntax.simplify import DIVISION, why_no_value
from dipc.dipwhile.syntax.walk import bottom_up, children, expressions, nodes, parts, preorder, statements
from dipc.errors import InputError
from dipc.models.values import Atom

Kinding = Mapping[str, Kinds]
"""The kinds of every variable; of an array, those of all its cells."""


def infer(code: Iterable[Instruction], declared: Kinding, local: Iterable[str]) -> Kinding:
    """The kinds of all variables; ``declared`` are those of inputs and outputs, ``local`` the other names."""
    kinding = dict.fromkeys(local, Kinds.NOTHING) | dict(declared)
    assigned = [(target_name(one.target), value_of(one)) for one in assignments(code)]
    before: Kinding = {}
    while before != kinding:
        before = kinding.copy()
        for name, value in assigned:
            if name not in declared:
                kinding[name] |= assigned_kinds(value, kinding)
    return kinding


def names_in(value: ast.Node) -> set[str]:
    """The variables and atoms in a value or in what is drawn."""
    return {target_name(node) for node in preorder(value, parts) if isinstance(node, ast.Name | ast.Index)}


def free_names(value: ast.Node) -> set[str]:
    """The same without the variables of folds."""
    return names_in(value) - {node.variable for node in preorder(value, parts) if isinstance(node, ast.Fold)}


Unlisted = Mapping[str, ast.Unlisted]
"""The infinite sets of outputs, which may hold a random value."""


def declared_kinds(variables: Iterable[Variable], unlisted: Unlisted = MappingProxyType({})) -> Kinding:
    """The kinds of inputs and outputs: those of their sets."""
    own = {v.name: union(map(kinds_of_value, v.domain)) for v in variables}
    random = {
        name: Kinds.INTEGER if isinstance(numbers, ast.Integers) else Kinds.RANDOM
        for name, numbers in unlisted.items()
    }
    return {name: kinds | random.get(name, Kinds.NOTHING) for name, kinds in own.items()}


def assigned_kinds(value: ast.Expr | ast.Distribution, kinding: Kinding) -> Kinds:
    """The kinds of a value or sample."""
    if isinstance(value, ast.Expr):
        return kinds_of(value, kinding)
    match value:
        case ast.Noise(kind):
            return Kinds.INTEGER if NOISE[kind].integer else Kinds.REAL
        case ast.Flip():
            return Kinds.BOOLEAN
        case ast.Choose(options):
            return union(kinds_of(value, kinding) for value, _ in options)
        case ast.Uniform(support) | ast.ExpMechanism(_, _, support):
            return union(kinds_of(part, kinding) for part in expressions(support))
        case _:
            assert_never(value)


def kinds_of(expr: ast.Expr, kinding: Kinding) -> Kinds:
    """The kinds an expression may have."""
    return bottom_up(expr, lambda node, parts: result_kinds(node, parts, kinding))


def result_kinds(node: ast.Expr, parts: tuple[Kinds, ...], kinding: Kinding) -> Kinds:
    """The kinds of a node, given those of its parts."""
    match node:
        case ast.Number() | ast.Eps():
            return Kinds.NUMBER
        case ast.Name():
            return kinding[node.name] if node.name in kinding else kinds_of_value(Atom(node.name))
        case ast.Binary() if node.op in ast.ARITHMETIC:
            left, right = parts  # a random variable makes the whole random
            return ((left | right) & Kinds.RANDOM) | (left & right & Kinds.NUMBER)
        case ast.Index(array):
            return kinding.get(array, Kinds.NOTHING)
        case ast.Unary(ast.Op.NEG):
            return parts[0] & Kinds.NUMERIC
        case ast.Call(function):
            given = FUNCTIONS[function].gives
            return union(parts) & Kinds.NUMERIC if given is None else given
        case ast.Fold("sum"):
            return parts[-1] & Kinds.NUMERIC
        case ast.Fold("count"):
            return Kinds.NUMBER
        case ast.Unary() | ast.Binary() | ast.Fold():
            return Kinds.BOOLEAN
        case _:
            assert_never(node)


def check_types(code: Iterable[Instruction], kinding: Kinding) -> None:
    """Refuse operations that can never work."""
    for instruction in code:
        for expr, role in evaluated(instruction):
            kinds = check(expr, kinding)
            if role == CONDITION:
                require(expr, kinds, Kinds.BOOLEAN, role)
            elif role:
                check_settled(expr, kinds, role)
        if isinstance(instruction, Draw) and isinstance(instruction.distribution, ast.ExpMechanism):
            drawn = instruction.distribution  # a score is a number for every value that may be drawn
            inside = {**kinding, drawn.variable: assigned_kinds(drawn, kinding)}
            check_settled(drawn.score, check(drawn.score, inside), "a score")


CONDITION = "a condition"


def evaluated(instruction: Instruction) -> Iterator[tuple[ast.Expr, str]]:
    """What an instruction evaluates, but for scores; with a name what must be a number or a Boolean."""
    match instruction:
        case Put(target, value):
            yield from ((target, ""), (value, ""))
        case Draw(target, distribution):
            yield target, ""
            yield from roles(distribution)
        case Test(condition):
            yield condition, CONDITION


def roles(distribution: ast.Distribution) -> Iterator[tuple[ast.Expr, str]]:
    """What is evaluated before something is drawn; with a name what must not be random."""
    match distribution:
        case ast.Noise(_, rate, mean):
            yield from ((rate, "a rate"), (mean, "a mean"))
        case ast.Flip(probability):
            yield probability, "a probability"
        case ast.Choose(options):
            for chosen, probability in options:
                yield from ((chosen, ""), (probability, "a probability"))
        case ast.Uniform(support):
            yield from ((part, "") for part in expressions(support))
        case ast.ExpMechanism(rate, _, support):
            yield rate, "a rate"
            yield from ((part, "") for part in expressions(support))
        case _:
            assert_never(distribution)


def check_settled(expr: ast.Expr, kinds: Kinds, role: str) -> None:
    """An expression of these kinds must be a number that no random variable influences."""
    if surely(kinds, Kinds.RANDOM):
        raise violation(3, f"{role} must not depend on a random variable", expr.span)
    require(expr, kinds, Kinds.NUMBER, role)


def check(expr: ast.Expr, kinding: Kinding) -> Kinds:
    """Check every node of an expression; its kinds."""

    def visit(node: ast.Expr, parts: tuple[Kinds, ...]) -> Kinds:
        check_node(node, parts)
        return result_kinds(node, parts, kinding)

    return bottom_up(expr, visit)


def check_constants(code: Iterable[Instruction]) -> None:
    """Refuse constants without a value in unrolled code, and what must be constant and is not."""
    for part in (part for instruction in code for part, _ in evaluated(instruction)):
        for node in nodes(part):
            check_constant(node)


NO_VALUE_HINT = "dipc computes with exact rational numbers"


def check_constant(node: ast.Expr) -> None:
    """Is this no power without a value, and no fold, exponent or step that should have become constant?"""
    if (reason := why_no_value(node)) and reason != DIVISION:
        raise InputError(reason, node.span, NO_VALUE_HINT)
    match node:
        case ast.Fold(kind, _, low, high):
            bound = high if isinstance(low, ast.Number) else low
            raise InputError(f"the bounds of `{kind}` must be constants", bound.span, "use a parameter")
        case ast.Binary(ast.Op.POW, _, exponent) if not isinstance(exponent, ast.Number):
            raise InputError("an exponent must be a constant integer", exponent.span, NO_VALUE_HINT)
        case ast.Call("disc", (_, *steps)):
            check_ascending(steps)


def check_node(node: ast.Expr, parts: tuple[Kinds, ...]) -> None:
    """Can the operation work on parts of these kinds?"""
    match node:
        case ast.Number() | ast.Name() | ast.Eps():
            pass
        case ast.Fold(kind, body=body):
            wanted = Kinds.NUMERIC if kind == "sum" else Kinds.BOOLEAN
            require(body, parts[-1], wanted, f"`{kind}`")
        case ast.Index(_, index):
            check_settled(index, parts[0], "an index")
        case ast.Unary(op, operand):
            wanted, sign = (Kinds.BOOLEAN, "`not`") if op is ast.Op.NOT else (Kinds.NUMERIC, "`-`")
            require(operand, parts[0], wanted, sign)
        case ast.Binary(op):
            check_binary(node, op, parts)
        case ast.Call():
            check_call_kinds(node, parts)
        case _:
            assert_never(node)


def check_binary(node: ast.Binary, op: ast.Op, parts: tuple[Kinds, ...]) -> None:
    """Arithmetic, comparison or connective."""
    if op in ast.EQUALITY:
        check_comparable(node, parts)
    else:
        wanted = Kinds.BOOLEAN if op in ast.CONNECTIVES else Kinds.NUMERIC
        require(node.left, parts[0], wanted, f"`{op.value}`")
        require(node.right, parts[1], wanted, f"`{op.value}`")
    if op in ast.ARITHMETIC:
        check_linear(node, op, parts)
    if {*parts} == {Kinds.REAL, Kinds.INTEGER}:
        raise violation(5, f"`{as_written(node)}` mixes real and integer random variables", node.span)


def check_comparable(node: ast.Binary, parts: tuple[Kinds, ...]) -> None:
    """Values of different kinds are never equal: this cannot be intended."""
    left, right = parts
    if never(left, right | (Kinds.NUMERIC if right & Kinds.NUMERIC else Kinds.NOTHING)) and right:
        first = f"`{as_written(node.left)}` is {describe(left)}"
        second = f"`{as_written(node.right)}` is {describe(right)}"
        hint = "compare values of the same kind"
        raise InputError(f"{first} and {second}: they are never equal", node.span, hint)


def check_linear(node: ast.Binary, op: ast.Op, parts: tuple[Kinds, ...]) -> None:
    """No products of random expressions, no quotients by them, constant powers only."""
    match op, surely(parts[0], Kinds.RANDOM), surely(parts[1], Kinds.RANDOM):
        case ast.Op.MUL, True, True:
            raise violation(4, "a product of two random expressions", node.span)
        case ast.Op.DIV, _, True:
            raise violation(4, "a quotient by a random expression", node.span)
        case (ast.Op.POW, True, _) | (ast.Op.POW, _, True):
            raise violation(4, "a power of a random expression", node.span)


def check_call_kinds(call: ast.Call, parts: tuple[Kinds, ...]) -> None:
    """The arguments of a function."""
    function, arguments = call.function, call.arguments
    takes = FUNCTIONS[function].takes
    for argument, kinds in zip(arguments, parts, strict=True):
        if surely(kinds, Kinds.RANDOM) and not takes & Kinds.RANDOM:
            raise violation(4, f"`{function}` of a random variable", call.span, "use `disc` to round it")
        require(argument, kinds, takes, f"`{function}`")
    if function != "disc":
        return
    for step, kinds in zip(arguments[1:], parts[1:], strict=True):
        check_settled(step, kinds, "a step of `disc`")
    check_ascending(arguments[1:])


def check_ascending(steps: Iterable[ast.Expr]) -> None:
    """Are the constants among the steps of ``disc`` in ascending order?"""
    constants = [step for step in steps if isinstance(step, ast.Number)]
    for first, second in itertools.pairwise(constants):
        if first.value >= second.value:
            hint = "sort them: `disc(r, -1, 0, 1)`"
            raise InputError("the steps of `disc` must be in ascending order", second.span, hint)


def require(expr: ast.Expr, kinds: Kinds, wanted: Kinds, role: str) -> None:
    """Refuse an operand none of whose possible kinds fits."""
    if never(kinds, wanted):
        need = "a number" if wanted & Kinds.NUMERIC else describe(wanted)
        message = f"{role} needs {need}, but `{as_written(expr)}` is {describe(kinds)}"
        hint = "atoms can only be compared, with `=` and `!=`"
        if wanted == Kinds.BOOLEAN:
            hint = "compare it with something: `x >= 1`, `x = bot`"
        elif kinds == Kinds.BOOLEAN:
            hint = "turn it into a number: `if b then x <- 1 else x <- 0 end`"
        raise InputError(message, expr.span, hint)


# --- whole instructions ----------------------------------------------------------------------


def check_outputs(
    code: Iterable[Instruction], outputs: Mapping[str, Variable], kinding: Kinding, unlisted: Unlisted
) -> None:
    """Outputs are assigned values of their set, never raw noise (rule 6) unless the set is infinite."""
    for instruction in assignments(code):
        name, value = target_name(instruction.target), value_of(instruction)
        if name not in outputs:
            continue
        kinds = assigned_kinds(value, kinding)
        raw = surely(kinds, Kinds.REAL) and name not in unlisted
        # An integer random variable may be assigned where its values are finitely many: found in exploration.
        if raw or never(kinds | Kinds.NUMBER if kinds & Kinds.INTEGER else kinds, kinding[name]):
            message = f"the output `{name}` is assigned {describe(kinds)}"
            if raw:
                hint = f"round it first, for example `{name} <- disc(r, -1, 0, 1)`"
                raise violation(6, message, value.span, hint)
            shown = written(unlisted[name]) if name in unlisted else show_domain(outputs[name].domain)
            raise InputError(message, value.span, f"its set is `{shown}`")


def check_loops(body: ast.Block, kinding: Kinding) -> None:
    """No random variable is assigned between a ``while`` and its ``end`` (rule 2)."""
    loops = (loop for loop, _ in statements(body) if isinstance(loop, ast.While))
    for statement in (statement for loop in loops for statement, _ in statements(loop.body)):
        match statement:
            case ast.Assign(target, value) if surely(assigned_kinds(value, kinding), Kinds.RANDOM):
                name = target_name(target)
                message = f"the random variable `{name}` is assigned inside a `while`"
                hint = "use a `for` loop with constant bounds, which is unrolled; or ask `dipc prove`"
                raise violation(2, message, statement.span, hint)


# --- where eps is allowed --------------------------------------------------------------------
#
# eps stands for *every* value of the privacy parameter at once.  Rates and probabilities may depend on it;
# the values and the control flow of a program may not, or each eps would have a program of its own.


def check_budget(code: Iterable[Instruction]) -> None:
    """Refuse eps and exp outside rates and probabilities, and rates without eps."""
    for instruction in code:
        if isinstance(instruction, Draw) and isinstance(instruction.distribution, ast.Noise):
            check_rate(instruction.distribution)
        refuse_eps(settled_parts(instruction))


def settled_parts(instruction: Instruction) -> tuple[ast.Expr, ...]:
    """Everything that an instruction reads but rates and probabilities."""
    if not isinstance(instruction, Draw):
        return instruction_parts(instruction)
    drawn = instruction.distribution
    values = (expr for expr, role in roles(drawn) if role not in ("a rate", "a probability"))
    score = (drawn.score,) if isinstance(drawn, ast.ExpMechanism) else ()
    return (*children(instruction.target), *values, *score)


def mentions_eps(expr: ast.Expr) -> bool:
    """Does eps occur in the expression?"""
    return any(isinstance(node, ast.Eps) for node in nodes(expr))


NO_VALUE = "its value is not a rational number"

NOT_HERE = {
    "eps": ("what a program computes must not depend on eps", "rates, in probabilities and in the claim"),
    "exp": (NO_VALUE, "probabilities and in the claim"),
}
"""What a value must not contain: the reason, and where it is allowed."""


def refuse_eps(exprs: Iterable[ast.Expr]) -> None:
    """Values must not depend on eps."""
    for node in (node for expr in exprs for node in nodes(expr)):
        if not isinstance(node, ast.Eps | ast.Call):
            continue
        word = "eps" if isinstance(node, ast.Eps) else node.function
        if word in NOT_HERE:
            reason, places = NOT_HERE[word]
            message = f"`{word}` is not allowed here: {reason}"
            raise InputError(message, node.span, f"`{word}` is allowed in {places}")


def check_rate(noise: ast.Noise) -> None:
    """A rate without eps is almost always a scale, or the mean: ``Lap(q[1], eps)``."""
    if mentions_eps(noise.rate):
        return
    rate, mean = as_written(noise.rate), as_written(noise.mean)
    if mentions_eps(noise.mean):
        message = f"the mean `{mean}` depends on `eps`, and the rate `{rate}` does not"
        raise InputError(message, noise.mean.span, f"the rate comes first: `{noise.kind}({mean}, {rate})`")
    hint = f"the rate is 1/scale: `{noise.kind}(eps/2, 0)` is `{noise.kind}(scale = 2/eps, mean = 0)`"
    raise InputError(f"the rate `{rate}` does not mention `eps`", noise.rate.span, hint)
