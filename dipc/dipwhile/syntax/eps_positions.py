"""Where eps is allowed, and the form ``t*eps`` of a claim.

eps stands for *every* value of the privacy parameter at once.  Rates and probabilities may depend on it; the
values and the control flow of a program may not, or each eps would have a program of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from flint import fmpq

from dipc.dipwhile.syntax import ast
from dipc.dipwhile.syntax.arrays import instruction_parts
from dipc.dipwhile.syntax.core import Draw, Instruction
from dipc.dipwhile.syntax.printer import as_written
from dipc.dipwhile.syntax.simplify import linear
from dipc.dipwhile.syntax.walk import children, expressions, nodes
from dipc.errors import InputError


def check_budget(code: Iterable[Instruction]) -> None:
    """Refuse eps and exp outside rates and probabilities, and rates without eps."""
    for instruction in code:
        if isinstance(instruction, Draw):
            if isinstance(instruction.distribution, ast.Noise):
                check_rate(instruction.distribution)
            refuse_eps((*children(instruction.target), *finite_parts(instruction.distribution)))
        else:
            refuse_eps(instruction_parts(instruction))


def finite_parts(distribution: ast.Distribution) -> tuple[ast.Expr, ...]:
    """The expressions of a distribution that are values, not rates or probabilities."""
    match distribution:
        case ast.Noise(_, _, mean):
            return (mean,)
        case ast.Choose(options):
            return tuple(value for value, _ in options)
        case ast.Flip():
            return ()
        case ast.Uniform(support):
            return tuple(expressions(support))
        case ast.ExpMechanism(_, _, support, score):
            return (*expressions(support), score)
        case _:
            assert_never(distribution)


def mentions_eps(expr: ast.Expr) -> bool:
    """Does eps occur in the expression?"""
    return any(isinstance(node, ast.Eps) for node in nodes(expr))


NO_VALUE = "its value is not a rational number"

NOT_HERE = {
    "eps": ("what a program computes must not depend on eps", "rates, in probabilities and in the claim"),
    "exp": (NO_VALUE, "probabilities and in the claim"),
    "sqrt": (NO_VALUE, "the delta of a claim"),
}
"""What a value must not contain: the reason, and where it is allowed."""


def refuse_eps(exprs: Iterable[ast.Expr]) -> None:
    """Values must not depend on eps."""
    for node in (node for expr in exprs for node in nodes(expr)):
        word = "eps" if isinstance(node, ast.Eps) else node.function if isinstance(node, ast.Call) else ""
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


def slope(expr: ast.Expr) -> fmpq | None:
    """The t of an expression equal to ``t*eps``; None for other forms."""
    form = linear(expr, lambda node: {"eps": fmpq(1)} if isinstance(node, ast.Eps) else None)
    return form.get("eps", fmpq(0)) if form is not None and None not in form else None
