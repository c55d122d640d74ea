"""The words of a mechanism written in Python, as names that an editor or a linter can find.

    from dipc.python import Lap, eps

A function under ``@dipc.mechanism`` is read and never run, so importing them is optional and only helps
tools. Called anywhere else, they raise an error.

>>> Lap(eps, 0)
Traceback (most recent call last):
dipc.errors.InputError: error: `Lap` is read by dipc and cannot be called
    help: use it inside a function under `@dipc.mechanism(...)`
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Never

from dipc.dipwhile.syntax.distributions import DISTRIBUTIONS
from dipc.dipwhile.syntax.layout import CONTROL, DECLARATIONS, WORDS
from dipc.errors import InputError


def read_only(word: str, what: str = "called") -> Never:
    """Refuse to run a word."""
    hint = "use it inside a function under `@dipc.mechanism(...)`"
    raise InputError(f"`{word}` is read by dipc and cannot be {what}", hint=hint)


class Budget:
    """The privacy parameter, for every value at once: nothing can be computed with it."""

    def __repr__(self) -> str:
        return "eps"

    def _refuse(self, *_: object) -> Any:
        return read_only("eps", "computed with")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __pos__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __float__ = __bool__ = _refuse


eps: Any = Budget()


def Lap(rate: Any = ..., mean: Any = ..., *, scale: Any = ...) -> Any:
    """Laplace noise of a rate, the inverse of the scale: ``Lap(eps/2, q[i])``."""
    return read_only("Lap")


def LapPlus(rate: Any = ..., mean: Any = ..., *, scale: Any = ...) -> Any:
    """Exponential noise from ``mean`` upwards."""
    return read_only("LapPlus")


def DLap(rate: Any = ..., mean: Any = ..., *, scale: Any = ...) -> Any:
    """Discrete Laplace noise around an integer."""
    return read_only("DLap")


def Exp(rate: Any, values: Iterable[Any], score: Callable[[Any], Any]) -> Any:
    """The exponential mechanism: ``Exp(eps/2, range(N), lambda v: q[v])``."""
    return read_only("Exp")


def choose(options: Mapping[Any, Any]) -> Any:
    """A finite choice, values to probabilities: ``choose({q: 3/4, not q: 1/4})``."""
    return read_only("choose")


def flip(probability: Any) -> Any:
    """True with a probability."""
    return read_only("flip")


def uniform(values: Iterable[Any]) -> Any:
    """Each of some values with the same probability: ``uniform(range(1, k))``."""
    return read_only("uniform")


def disc(x: Any, *levels: Any) -> Any:
    """The first level that is at least ``x``, else the last: ``disc(r, -1, 0, 1)``."""
    return read_only("disc")


def argmax(values: Any) -> Any:
    """The first index, counted from 0, of the largest value."""
    return read_only("argmax")


def argmin(values: Any) -> Any:
    """The first index, counted from 0, of the smallest value."""
    return read_only("argmin")


def count(*conditions: Any) -> Any:
    """How many conditions hold."""
    return read_only("count")


def mod(a: Any, b: Any) -> Any:
    """``a % b``."""
    return read_only("mod")


def exp(x: Any) -> Any:
    """A power of e, in a probability."""
    return read_only("exp")


def floor(x: Any) -> Any:
    """The largest integer that is at most ``x``."""
    return read_only("floor")


def ceil(x: Any) -> Any:
    """The smallest integer that is at least ``x``."""
    return read_only("ceil")


_DRAWS = (Lap, LapPlus, DLap, Exp, choose, flip, uniform)
_OURS = (*_DRAWS, disc, argmax, argmin, count, mod, exp, floor, ceil)
_PYTHON = ("abs", "all", "any", "len", "max", "min", "range", "sum")

MEANINGS: dict[str, tuple[object, ...]] = {
    "eps": (eps,),
    **{word.__name__: (word,) for word in _OURS},
    **{name: (getattr(builtins, name),) for name in _PYTHON},
    **{word.__name__: (word, getattr(math, word.__name__)) for word in (exp, floor, ceil)},
}
"""What each word may refer to where a function is defined; anything else would change its meaning."""

RESERVED = frozenset({*DECLARATIONS, *CONTROL, "true", "false", *DISTRIBUTIONS, *WORDS})
"""The keywords of a .dip program, which cannot be used as names."""
