"""Functions of eps as MathML, which browsers show without scripts.

Browsers do not break lines inside a formula, so a long sum is a row of formulas, one for each term.
"""

from __future__ import annotations

from flint import fmpq

from dipc.export import operators
from dipc.export.operators import EXACT, LEAF, POWER, PRODUCT, SUM, Apply, Dialect, Infix, Pattern, write
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.function import FunctionOfEps
from dipc.numbers.quotient import Quotient

MOST_TERMS = 6  # of a quotient that stands above and below a line
PLUS, MINUS = "<mo>+</mo>", "<mo>−</mo>"
SLASH = '<mo lspace="0" rspace="0">/</mo>'
LEFT, RIGHT = '<mo form="prefix" stretchy="false">(</mo>', '<mo form="postfix" stretchy="false">)</mo>'
FIRST = '<mo form="infix" lspace="0" rspace="0.2em">'
"""The sign before a term that is a formula of its own."""


def number(value: fmpq) -> tuple[str, int]:
    """A rational number and how tightly its notation binds."""
    sign, size = (MINUS if value < 0 else ""), abs(value)
    if size.q == 1:
        return f"{sign}<mn>{size.p}</mn>", SUM if sign else LEAF
    return f"{sign}<mfrac><mn>{size.p}</mn><mn>{size.q}</mn></mfrac>", SUM if sign else PRODUCT


MATHML = Dialect(
    {
        "+": Infix(PLUS, SUM, SUM, SUM),
        "-": Infix(MINUS, SUM, SUM, PRODUCT),
        "neg": Pattern(f"{MINUS}{{0}}", SUM, PRODUCT),
        "*": Infix('<mspace width="0.17em"/>', PRODUCT, PRODUCT, PRODUCT),
        "/": Pattern("<mfrac><mrow>{0}</mrow><mrow>{1}</mrow></mfrac>"),
        "slash": Infix(SLASH, PRODUCT, PRODUCT, POWER),
        "^": Pattern("<msup><mrow>{0}</mrow><mrow>{1}</mrow></msup>", POWER, LEAF),
        "exp": Pattern("<msup><mi>e</mi><mrow>{0}</mrow></msup>", POWER),
    },
    number,
    {"eps": "<mi>ε</mi>"},
)


def rational(value: fmpq) -> str:
    """A number as a formula."""
    return _math(number(value)[0])


def mathml(value: FunctionOfEps) -> str:
    """A function of eps.

    >>> mathml(ExpPoly.exp(1))
    '<math><msup><mi>e</mi><mrow><mi>ε</mi></mrow></msup></math>'
    """
    if isinstance(value, ExpPoly):
        return _sum(value)
    assert isinstance(value, Quotient)
    return _quotient(value)


def _quotient(value: Quotient) -> str:
    divisor = value.denominator.as_rational()
    if divisor is not None:
        return _sum(value.numerator * ExpPoly.of(1 / divisor))
    above, below = operators.cleared(value, only_powers=True)
    if max(len(list(f.terms())) for f in (above, below)) <= MOST_TERMS:
        return _math(_written(Apply("/", (EXACT.polynomial(above), EXACT.polynomial(below)))))
    left, right, slash = map(_math, (LEFT, RIGHT, SLASH))
    return f"{left}{_sum(above)}{right} {slash} {left}{_sum(below)}{right}"


def _sum(f: ExpPoly) -> str:
    """One formula for each term; the sign belongs to it."""
    shown: list[str] = []
    for term in reversed(list(f.terms())):
        text = _written(EXACT.term(term))
        if shown:
            sign, text = (MINUS, text.removeprefix(MINUS)) if text.startswith(MINUS) else (PLUS, text)
            text = FIRST + sign.removeprefix("<mo>") + text
        shown.append(_math(text))
    return " ".join(shown) or rational(fmpq(0))


def _written(tree: operators.Tree) -> str:
    text = write(operators.tidy(tree), MATHML)
    return text.replace("(", LEFT).replace(")", RIGHT).replace(f"{PLUS}{MINUS}", MINUS)


def _math(inside: str) -> str:
    return f"<math>{inside}</math>"
