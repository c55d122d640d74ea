"""Which name the user may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def did_you_mean(name: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """A hint: the nearest known name, else ``otherwise``, by default all known names.

    >>> did_you_mean("cuont", ["count", "r"])
    'did you mean `count`?'
    >>> did_you_mean("zzz", ["count", "r"])
    'known names: `count`, `r`'
    """
    known = sorted(set(known))
    if near := nearest(name, known):
        return f"did you mean `{near}`?"
    if otherwise is not None:
        return otherwise
    return "known names: " + ", ".join(f"`{other}`" for other in known) if known else ""


def nearest(name: str, known: Sequence[str]) -> str:
    """The known name that is most like this one; "" if none is."""
    from difflib import get_close_matches  # needed only when something is wrong

    folded = [other for other in known if other.lower() == name.lower()]
    return next(iter(folded or get_close_matches(name, known, n=1, cutoff=0.6)), "")
