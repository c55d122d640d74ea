"""Which name the user may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """A hint: the nearest known name, else ``otherwise``, by default all known names.

    >>> did_you_mean("cuont", ["count", "r"])
    'did you mean `count`?'
    >>> did_you_mean("zzz", ["count", "r"])
    'known names: `count`, `r`'
    """
    from difflib import get_close_matches  # needed only when something is wrong

    known = sorted(set(known))
    folded = [other for other in known if other.lower() == name.lower()]
    near = folded or get_close_matches(name, known, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    if otherwise is not None:
        return otherwise
    return "known names: " + ", ".join(f"`{other}`" for other in known) if known else ""
