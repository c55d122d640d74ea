"""The words of a mechanism written in Python, as names that an editor, mypy or a linter can find.

    from dipc.words import Lap, eps

Importing them is optional: a function under ``@dipc.mechanism`` is read without them, and when it is called
they are there.  Those that draw do so only within such a call.

>>> Lap(eps, 0)
Traceback (most recent call last):
dipc.errors.InputError: error: `eps` has no value here
    help: call a function under `@dipc.mechanism(...)` with one: `f(q, eps=1)`
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any, TypeVar

from flint import fmpq

from dipc.dipwhile.python.samplers import Coins, Exact, enclosure, simple
from dipc.dipwhile.python.source import python_number
from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS
from dipc.dipwhile.syntax.layout import CONTROL, DECLARATIONS, WORDS
from dipc.errors import InputError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

V = TypeVar("V")
N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True)
class Run:
    """One call of a mechanism: its eps, if one is given, and its random bits."""

    eps: Fraction | None
    coins: Coins


RUN: ContextVar[Run | None] = ContextVar("run", default=None)
"""The call of a mechanism that is under way."""


def drawing(word: str) -> Coins:
    """The random bits for a word that draws."""
    run = RUN.get()
    if run is None:
        hint = "call a function under `@dipc.mechanism(...)` that uses it"
        raise InputError(f"`{word}` draws only while a mechanism runs", hint=hint)
    return run.coins


def budget() -> Fraction:
    """The eps of the call that is under way."""
    run = RUN.get()
    if run is None or run.eps is None:
        hint = "call a function under `@dipc.mechanism(...)` with one: `f(q, eps=1)`"
        raise InputError("`eps` has no value here", hint=hint)
    return run.eps


def exactly(value: Any, what: str) -> Fraction:
    """A rational number; a float is the binary fraction that it is."""
    if isinstance(value, Budget):
        return budget()
    value = value.as_rational() if isinstance(value, Quotient) else value
    if isinstance(value, Rational | fmpq):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Real) and math.isfinite(value):
        return Fraction(float(value))
    raise InputError(f"{what} must be a rational number, not `{value}`")


def probability(value: Any) -> Exact:
    """A probability as it is: a rational number, or one with powers of e."""
    exact = simple(value) if isinstance(value, Quotient) else exactly(value, "a probability")
    place: Any = exact if isinstance(exact, Fraction) else enclosure(exact, 64)
    if place < 0 or place > 1:
        raise InputError(f"the probability {value} is not between 0 and 1")
    return exact


def divided(a: Any, b: Any) -> Any:
    """``a / b``, which is exact for exact numbers: ``1/3`` is not a float."""
    if isinstance(a, Rational) and isinstance(b, Rational):
        return python_number(exactly(a, "a number") / exactly(b, "a number"))
    return a / b


def power(a: Any, b: Any) -> Any:
    """``a ** b``, which is exact for exact numbers: ``2 ** -1`` is not a float."""
    if isinstance(a, Rational) and isinstance(b, Integral):
        return python_number(exactly(a, "a number") ** int(b))
    return a**b


class Budget:
    """The privacy parameter, for every value at once; while a mechanism runs, the value of that call."""

    def __repr__(self) -> str:
        return "eps"

    def __float__(self) -> float:
        return float(budget())


def _computed(function: Callable[..., Any], reflected: bool) -> Callable[..., Any]:
    def method(self: Budget, *others: Any) -> Any:
        return function(*others, budget()) if reflected else function(budget(), *others)

    return method


for _function in (operator.lt, operator.le, operator.gt, operator.ge, operator.neg, operator.pos):
    setattr(Budget, f"__{_function.__name__}__", _computed(_function, reflected=False))
for _name, _function in {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": divided,
    "pow": power,
}.items():
    setattr(Budget, f"__{_name}__", _computed(_function, reflected=False))
    setattr(Budget, f"__r{_name}__", _computed(_function, reflected=True))

eps: Any = Budget()


def _noise(word: str, rate: Any, mean: Any, scale: Any) -> tuple[Coins, Fraction, Any]:
    """The bits for noise, its rate and its mean."""
    if (rate is None) == (scale is None):
        form = f"write `{word}(eps/2, 0)` or `{word}(scale=2/eps, mean=0)`"
        raise InputError(f"`{word}` needs a rate or a scale", hint=form)
    positive = exactly(rate if scale is None else scale, f"the {'rate' if scale is None else 'scale'}")
    if positive <= 0:
        raise InputError(f"the rate of `{word}` must be positive, not {positive}")
    return drawing(word), positive if scale is None else 1 / positive, mean


def Lap(rate: Any = None, mean: Any = 0, *, scale: Any = None) -> float:
    """Laplace noise of a rate, the inverse of the scale: ``Lap(eps/2, q[i])``.

    What is drawn is a float, by inversion from 53 bits, and not a real number.  The proof is about real
    numbers: the last bits of a float can reveal what the noise was added to (Mironov 2012).
    """
    coins, exact, around = _noise("Lap", rate, mean, scale)
    noise = coins.exponential() / float(exact)
    return float(around) + (noise if coins.bits(1) else -noise)


def LapPlus(rate: Any = None, mean: Any = 0, *, scale: Any = None) -> float:
    """Exponential noise from ``mean`` upwards; a float, with the same gap to real numbers as :func:`Lap`."""
    coins, exact, around = _noise("LapPlus", rate, mean, scale)
    return float(around) + coins.exponential() / float(exact)


def DLap(rate: Any = None, mean: Any = 0, *, scale: Any = None) -> int:
    """Discrete Laplace noise around an integer, drawn exactly."""
    coins, exact, around = _noise("DLap", rate, mean, scale)
    centre = exactly(around, "the mean")
    if centre.denominator != 1:
        raise InputError(f"the mean of `DLap` must be an integer, not {centre}")
    return centre.numerator + coins.two_sided(exact)


def Exp(rate: Any, values: Iterable[V], score: Callable[[V], Any]) -> V:
    """The exponential mechanism, drawn exactly: ``Exp(eps/2, range(N), lambda v: q[v])``."""
    coins, exact = drawing("Exp"), exactly(rate, "the rate")
    members = _members(values)
    return members[coins.by_weight([exact * exactly(score(member), "a score") for member in members])]


def choose(options: Mapping[V, Any]) -> V:
    """A finite choice, values to probabilities, drawn exactly: ``choose({q: 3/4, not q: 1/4})``."""
    pairs = options.items() if isinstance(options, Mapping) else options  # pairs: as a mechanism writes them
    values, chances = [value for value, _ in pairs], [probability(p) for _, p in pairs]
    total = simple(sum(chances, start=Fraction(0)))
    if total != 1:
        raise InputError(f"the probabilities of `choose` add up to {total}, not to 1")
    return values[drawing("choose").one_of(chances)]


def flip(probability_of_true: Any) -> bool:
    """True with a probability, exactly."""
    return drawing("flip").flip(probability(probability_of_true))


def uniform(values: Iterable[V]) -> V:
    """Each of some values with the same probability, exactly: ``uniform(range(1, k))``."""
    members = _members(values)
    return members[drawing("uniform").below(len(members))]


def _members(values: Iterable[V]) -> Sequence[V]:
    """The values, in an order that a given ``rng`` finds again."""
    members = sorted(values, key=repr) if isinstance(values, set | frozenset) else list(values)
    if not members:
        raise InputError("there is no value to draw")
    return members


def disc(x: Any, *levels: V) -> V:
    """The first level that is at least ``x``, else the last: ``disc(r, -1, 0, 1)``."""
    exact: tuple[Any, ...] = levels
    found: V = next((level for level in exact[:-1] if x <= level), exact[-1])
    return found


def argmax(values: Iterable[Any]) -> int:
    """The first index, counted from 0, of the largest value."""
    listed = list(values)
    return listed.index(max(listed))


def argmin(values: Iterable[Any]) -> int:
    """The first index, counted from 0, of the smallest value."""
    listed = list(values)
    return listed.index(min(listed))


def count(*conditions: Any) -> int:
    """How many conditions hold."""
    listed = conditions[0] if len(conditions) == 1 and isinstance(conditions[0], Iterable) else conditions
    return sum(map(bool, listed))


def mod(a: N, b: N) -> N:
    """``a % b``."""
    return a % b


def exp(x: Any) -> Any:
    """A power of e, an exact number in a probability."""
    exact = exactly(x, "an exponent")
    return Quotient(ExpPoly.exp(0, fmpq(exact.numerator, exact.denominator)))


def floor(x: Any) -> int:
    """The largest integer that is at most ``x``."""
    whole: int = math.floor(x)
    return whole


def ceil(x: Any) -> int:
    """The smallest integer that is at least ``x``."""
    whole: int = math.ceil(x)
    return whole


def scale_or_rate(kind: str, written: str) -> tuple[str, str]:
    """The message and the hint for ``Lap(2/eps)``: every library takes a scale first."""
    message = f"is `{written}` a scale or a rate? Libraries take a scale first, dipc a rate"
    return (
        message,
        f"write `{kind}(scale={written})`, or `{kind}(rate={written})` if noise is to grow with eps",
    )


DRAWS = (Lap, LapPlus, DLap, Exp, choose, flip, uniform)
_OURS = (*DRAWS, disc, argmax, argmin, count, mod, exp, floor, ceil)
_PYTHON = ("abs", "all", "any", "len", "max", "min", "range", "sum")

BUDGETS = ("eps", "epsilon", "ε")
"""An argument with one of these names is the privacy parameter."""

MEANINGS: dict[str, tuple[object, ...]] = {
    "eps": (eps,),
    **{word.__name__: (word,) for word in _OURS},
    **{name: (getattr(builtins, name),) for name in _PYTHON},
    **{word.__name__: (word, getattr(math, word.__name__)) for word in (exp, floor, ceil)},
}
"""What each word may refer to where a function is defined; anything else would change its meaning."""

RESERVED = frozenset({*DECLARATIONS, *CONTROL, "true", "false", *DISTRIBUTIONS, *WORDS})
"""The keywords of a .dip program, which cannot be used as names."""
