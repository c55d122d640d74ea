"""Numbers, lists and functions of eps as Coq text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from dipc.kernel.facts import Function, Interval
from dipc.kernel.privacy import shown

LINES = ";\n    "
"""Between the items of a long list."""
CLOSING = ("  vm_compute. reflexivity.", "Qed.")
"""The end of a proof by computation."""
SEARCH = "Search"
"""What finds a proof of a sign on an interval."""
PRINT = "Print Assumptions claim."
"""The end of a file."""


def comment(text: str) -> str:
    """A text, as one line of ASCII, that cannot end the comment it stands in, nor begin a string in it.

    >>> comment('a *) "(*)')
    "a * ) '( * )"
    """
    return shown(text).replace("*)", "* )").replace("(*", "( *").replace('"', "'")


def computed(applied: str) -> Iterator[str]:
    """A proof by computation."""
    yield from (f"  apply ({applied}).", *CLOSING)


def first_that(applied: str) -> Iterator[str]:
    """The same with the first number ``n`` of terms of the series of exp that does.

    >>> print(*first_that("violated_check_sound listed _ None _ n (1 # 1) [0]%nat"), sep="\\n")
      apply (by_first precisions (fun n => violated_check_sound listed _ None _ n (1 # 1) [0]%nat)).
      vm_compute. reflexivity.
    Qed.
    """
    yield from computed(f"by_first precisions (fun n => {applied})")


def listed(items: Iterable[object], separator: str = "; ") -> str:
    """``[a; b; c]``."""
    return f"[{separator.join(map(str, items))}]"


def integer(number: int) -> str:
    """A number of Z.

    >>> integer(-3), integer(4)
    ('(-3)', '4')
    """
    return f"({number})" if number < 0 else str(number)


def rational(number: Fraction) -> str:
    """A number of Q.

    >>> rational(Fraction(-1, 2))
    '(-1 # 2)'
    """
    return f"({number.numerator} # {number.denominator})"


def number(value: Fraction) -> str:
    """A number of Q, where only such can be.

    >>> number(Fraction(-3)), number(Fraction(1, 2))
    ('(-3)', '(1 # 2)')
    """
    return integer(value.numerator) if value.denominator == 1 else rational(value)


def interval(on: Interval) -> str:
    """An interval of eps.

    >>> interval(Interval(Fraction(0), None, False, False))
    'always'
    >>> interval(Interval(Fraction(1, 2), Fraction(3), True, False))
    '(Interval (1 # 2) true (Some (3 # 1)) false)'
    """
    if on == Interval(Fraction(0), None, False, False):
        return "always"
    high = "None" if on.high is None else f"(Some {rational(on.high)})"
    low_closed, high_closed = (str(flag).lower() for flag in (on.low_closed, on.high_closed))
    return f"(Interval {rational(on.low)} {low_closed} {high} {high_closed})"


def function(f: Function, unit: int, scale: int) -> str:
    """``scale * f``, whose rates are multiples of 1/unit: pairs of a rate and a polynomial in eps.

    >>> function({(0, Fraction(1, 2), Fraction(0), Fraction(0)): Fraction(-1, 3)}, 2, 3)
    '[(1, [(-1)])]%Z'
    """
    columns: dict[int, dict[int, int]] = {}
    for (n, a, _, _), c in f.items():
        columns.setdefault(int(a * unit), {})[n] = int(c * scale)
    rows = (
        f"({integer(a)}, {listed(integer(p.get(n, 0)) for n in range(max(p) + 1))})"
        for a, p in sorted(columns.items())
    )
    return f"{listed(rows)}%Z"
