"""The functions an expression may call: one table.

To add a function: a row here, its value on constants in :mod:`dipc.dipwhile.syntax.simplify`, its
meaning in :mod:`dipc.dipwhile.semantics`, a line in docs/language.md.
"""

from __future__ import annotations

from dipc.dipwhile.syntax.ast import Call
from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS, NOISE, OTHER_NOISE
from dipc.dipwhile.syntax.fragment import violation
from dipc.dipwhile.syntax.kinds import Kinds
from dipc.errors import InputError
from dipc.excerpts import plural
from dipc.frozen import frozen
from dipc.suggest import did_you_mean


@frozen
class Function:
    """How a function may be called."""

    usage: str
    least: int  # arguments
    most: int | None
    takes: Kinds
    gives: Kinds | None  # None: the kinds of its arguments
    arrays: bool = False  # may its argument be a whole array?
    scalars: bool = True  # may its arguments be scalars?


FUNCTIONS: dict[str, Function] = {
    "abs": Function("abs(x)", 1, 1, Kinds.NUMERIC, None),
    "max": Function("max(a) or max(x, y, ...)", 1, None, Kinds.NUMERIC, None, arrays=True),
    "min": Function("min(a) or min(x, y, ...)", 1, None, Kinds.NUMERIC, None, arrays=True),
    "sum": Function("sum(a) or sum(x, y, ...)", 1, None, Kinds.NUMERIC, None, arrays=True),
    "count": Function("count(b1, b2, ...)", 1, None, Kinds.BOOLEAN, Kinds.NUMBER, arrays=True),
    "argmax": Function("argmax(a)", 1, 1, Kinds.NUMERIC, Kinds.NUMBER, arrays=True, scalars=False),
    "argmin": Function("argmin(a)", 1, 1, Kinds.NUMERIC, Kinds.NUMBER, arrays=True, scalars=False),
    "disc": Function("disc(r, -1, 0, 1)", 2, None, Kinds.NUMERIC, Kinds.NUMBER),
    "exp": Function("exp(-eps)", 1, 1, Kinds.NUMBER, Kinds.NUMBER),
    "floor": Function("floor(x)", 1, 1, Kinds.NUMBER, Kinds.NUMBER),
    "ceil": Function("ceil(x)", 1, 1, Kinds.NUMBER, Kinds.NUMBER),
    "mod": Function("mod(a, b)", 2, 2, Kinds.NUMBER, Kinds.NUMBER),
}

OTHER_NAMES = {
    **{other: f"here it is called `{kind.name}`" for kind in NOISE.values() for other in kind.called},
    **dict.fromkeys(("Bernoulli", "bernoulli", "Flip"), "here it is called `flip`"),
    **dict.fromkeys(("Uniform", "Choose"), "here it is called `uniform`"),
    **dict.fromkeys(("log", "ln"), "values are exact rational numbers: write the number itself"),
    **dict.fromkeys(("pow", "power"), "write `x^2`"),
    **dict.fromkeys(
        ("round", "Round", "rint", "int", "trunc"),
        "round a random variable by `disc(r, -1, 0, 1)`, and a finite value `x` by `floor(x)` or `ceil(x)`",
    ),
}
"""What other languages call a distribution or function of ours."""

NO_ROOT = "a smaller delta without roots, such as `1/100` or `exp(-2*eps)`, makes a stronger claim"


FOLDS = ("forall", "exists", "count", "sum")


def check_call(call: Call) -> None:
    """Refuse an unknown function or a wrong number of arguments."""
    name = call.function
    if name in OTHER_NOISE:
        raise violation(1, f"{OTHER_NOISE[name]} (`{name}`) is not supported", call.span)
    if name == "sqrt":
        raise InputError("square roots are not supported", call.span, NO_ROOT)
    if name not in FUNCTIONS:
        hint = OTHER_NAMES.get(name) or did_you_mean(name, (*FUNCTIONS, *DISTRIBUTIONS, *FOLDS))
        raise InputError(f"unknown function `{name}`", call.span, hint)
    function = FUNCTIONS[name]
    if not function.least <= len(call.arguments) <= (function.most or len(call.arguments)):
        hint = f"usage: `{function.usage}`"
        raise InputError(f"`{name}` does not take {plural(len(call.arguments), 'argument')}", call.span, hint)
