"""Which name the user may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dipc.excerpts import MOST_QUOTED, listed

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
