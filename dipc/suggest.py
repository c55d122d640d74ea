"""Which name the user may have meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from types import FunctionType
from typing import Any, TypeVar, cast

from dipc.errors import WrongType
from dipc.excerpts import MOST_QUOTED, listed

Function = TypeVar("Function", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

OPEN = 0x08  # a flag of functions that take any keyword

MOST_COMPARED = 10_000
"""With how many names a name is compared letter by letter."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """A hint: the nearest known name, else ``otherwise``, by default all known names.

    >>> did_you_mean("cuont", ["count", "r"])
    'did you mean `count`?'
    >>> did_you_mean("zzz", ["count", "r"])
    'known names: `count`, `r`'
    >>> did_you_mean("zzz", (f"name_{i}" for i in range(10**5)))[-14:]
    'and 99978 more'
    """
    known = sorted(set(known))
    if near := nearest(name, known):
        return f"did you mean `{near}`?"
    if otherwise is not None:
        return otherwise
    return f"known names: {listed(known)}" if known else ""


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name that is most like this one; "" if none is."""
    from difflib import get_close_matches  # needed only when something is wrong

    folded = [other for other in known if other.lower() == name.lower()]
    if folded or len(name) > MOST_QUOTED:  # nobody misspells a name that is as long
        return next(iter(folded), "")
    some = [other for other in known[:MOST_COMPARED] if len(other) <= 3 * len(name)]
    return next(iter(get_close_matches(name, some, n=1, cutoff=0.6)), "")


def options_only(function: Function) -> Function:
    """The function, or method, which refuses unknown options with what may have been meant.

    If it is a method, ``refuse_option(method, name, value)`` of its object has the first word.

    >>> options_only(nearest)("a", knwon=[])
    Traceback (most recent call last):
    dipc.errors.WrongType: error: `nearest` has no option `knwon`
        help: did you mean `known`?
    """
    code = function.__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @wraps(function)
    def careful(*given: Any, **options: Any) -> Any:
        for name in [name for name in options if name not in known]:
            if given and hasattr(given[0], "refuse_option"):
                given[0].refuse_option(function.__name__, name, options[name])
            hint = did_you_mean(name, [each for each in known if each != "self"])
            raise WrongType(f"`{function.__name__}` has no option `{name}`", hint=hint)
        return function(*given, **options)

    return cast(Function, careful)


def methods_with_options_only(kind: Class) -> Class:
    """The class, whose public methods with options do so."""
    for name, found in list(vars(kind).items()):
        if isinstance(found, FunctionType) and not name.startswith("_"):
            code = found.__code__
            if code.co_kwonlyargcount and not code.co_flags & OPEN:
                setattr(kind, name, options_only(found))
    return kind
