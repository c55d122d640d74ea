"""What the benchmarks of a section of docs/benchmarks.md share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent.parent / "docs" / "benchmarks.md"


def logged(row: str) -> str:
    """A row of a table, shown while the others are measured."""
    print(row, end="", file=sys.stderr, flush=True)
    return row


def load() -> str:
    """The load average of the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def put_in(section: str, title: str, next_title: str) -> None:
    """Replace the section with this title, or insert it before the next one."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(title if title in text else next_title, 1)
    after = rest.split(next_title, 1)[1] if title in text else rest
    PAGE.write_text(before + section + next_title + after, encoding="utf-8")
