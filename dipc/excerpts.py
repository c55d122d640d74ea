"""Windows of texts that may be long: what a message quotes.

A message is for a reader: it shows the place, what is around it, and at most :data:`MOST` characters in all,
whatever the text is that it is about.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from itertools import accumulate

MOST = 2000
"""How many characters an error has at most, with its place, its lines and its help."""

MOST_SAID = 600
"""How many characters of a message, and of a hint, are shown."""

MOST_QUOTED = 120
"""How many characters of what a message quotes, and of one word, are shown."""

MOST_ANSWERED = 1800
"""How many characters of a text are shown on a line of an answer, beside its heading."""

WINDOW = 120
"""How many columns of a line are shown."""

MARK = "…"
"""What stands for the text left out."""

QUOTED = re.compile(rf"`[^`]{{{MOST_QUOTED - 1},}}`")
WORD = re.compile(rf"[^\s`]{{{MOST_QUOTED + 1},}}")


def clipped(text: str, most: int = MOST_SAID) -> str:
    """A text of at most so many characters: long quotations and words lose their middle, the whole its end.

    >>> clipped(f"`{'x' * 5000}` is not a parameter", 40), len(clipped(f"`{'x' * 5000}` is not a parameter"))
    ('`xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…', 139)
    >>> clipped("known names: `a`, `b`, `c`", 23)
    'known names: `a`, `b`,…'
    """
    if len(text) <= min(most, MOST_QUOTED):
        return text
    text = WORD.sub(lambda found: shortened(found[0], MOST_QUOTED), text)
    text = QUOTED.sub(lambda found: f"`{shortened(found[0][1:-1], MOST_QUOTED - 2)}`", text)
    return text if len(text) <= most else text[: most - 1].rstrip() + MARK


def listed(names: Iterable[str], most: int = MOST_SAID // 2) -> str:
    """Names as a list; of a long one the beginning, and how many more there are.

    >>> listed(["a", "b"]), listed((f"x{i}" for i in range(5000)), 20)
    ('`a`, `b`', '`x0`, `x1`, `x2` and 4997 more')
    """
    quoted = [f"`{shortened(name, MOST_QUOTED // 2)}`" for name in names]
    ends = accumulate(len(name) + 2 for name in quoted)
    fit = max(1, sum(end <= most + 2 for end in ends))
    more = f" and {len(quoted) - fit} more" * (len(quoted) > fit)
    return ", ".join(quoted[:fit]) + more


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters without its middle.

    >>> shortened("abcdefghij", 7), shortened("abc", 7)
    ('abc…hij', 'abc')
    """
    tail = (most - 1) // 2
    return text if len(text) <= most else text[: most - 1 - tail] + MARK + text[len(text) - tail :]


def width(character: str) -> int:
    """How many columns of a terminal a character takes; a tab is not counted here.

    >>> width("a"), width("数"), width("\\u0301")
    (1, 2, 0)
    """
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def excerpt(line: str, start: int, end: int) -> tuple[str, str]:
    """A window of a line, and the line of carets below the characters ``start`` to ``end`` (exclusive).

    There is at least one caret, also behind the end of the line.

    >>> print(*excerpt("x <- y + 1", 5, 6), sep="\\n")
    x <- y + 1
         ^
    >>> excerpt("\\x1b\\ty", 2, 3)
    ('�\\ty', ' \\t^')
    >>> line, carets = excerpt("1 + " * 1000 + "y" + " + 1" * 1000, 4000, 4001)
    >>> line[carets.index("^")], len(line), line[:9]
    ('y', 122, '… + 1 + 1')
    """
    start, end = min(start, len(line)), min(max(end, start), len(line))
    around = (WINDOW - min(end - start, WINDOW * 7 // 10)) // 2
    first = max(0, min(start - around, len(line) - WINDOW))
    last = min(first + WINDOW, len(line))
    # what would steer the terminal becomes a blank, but for tabs
    safe = ("\ufffd" if unicodedata.category(c) == "Cc" and c != "\t" else c for c in line[first:last])
    shown = [*MARK * (first > 0), *safe, *MARK * (last < len(line))]
    before = len(MARK) * (first > 0) + start - first
    # A tab in the line must stay a tab in the caret line, or the carets point elsewhere.
    lead = "".join("\t" if c == "\t" else " " * width(c) for c in shown[:before])
    marked = line[start : min(end, last)].expandtabs(1)
    return "".join(shown), lead + "^" * max(1, sum(map(width, marked)))


def article(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def plural(count: int, noun: str) -> str:
    """``1 argument``, ``2 arguments``."""
    return f"{count} {noun}{'s' * (count != 1)}"


def count_text(number: int) -> str:
    """A number of things, rounded if it is long.

    >>> count_text(12345), count_text(3**84)
    ('12345', '1.2*10^40')
    """
    return str(number) if number < 10**12 else f"{Decimal(number):.1e}".replace("e+", "*10^")
