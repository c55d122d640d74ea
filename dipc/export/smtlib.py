"""SMT-LIB 2 with the exponential function.

``exp`` is not part of a standard logic; cvc5 and dReal know it (MetiTarski too, in its own syntax).
"""

from __future__ import annotations

from collections.abc import Callable

from flint import fmpq

from dipc.errors import LimitReached
from dipc.export.operators import LEAF, Dialect


def number(value: fmpq) -> tuple[str, int]:
    """Integers, quotients and minus signs are applications too."""
    size = abs(value)
    text = str(size.p) if size.q == 1 else f"(/ {size.p} {size.q})"
    return (f"(- {text})" if value < 0 else text), LEAF


def prefix(operator: str) -> Callable[..., str]:
    """``(operator arguments)``."""
    return lambda *arguments: f"({operator} {' '.join(arguments)})"


LARGEST = 20_000  # power that is written out


def _power(base: str, exponent: str) -> str:
    """A product: the logics have no powers."""
    if len(exponent) > 9 or int(exponent) > LARGEST:
        raise LimitReached(f"SMT-LIB has no powers, and a product of {exponent} factors is not written out")
    return prefix("*")(*[base] * int(exponent))


STRICT = "(set-option :error-behavior immediate-exit)"
"""At the top: a solver that does not know `exp` stops; z3 would answer without the assertion."""

SMTLIB = Dialect(
    {operator: prefix(operator) for operator in ["+", "*", "/", "exp", "<", "<=", ">=", ">", "and"]}
    | {"neg": prefix("-"), "^": _power},
    number,
)
