"""What the sections of docs/benchmarks.md share: times, and places on the page.

The words stand on the page.  What is measured takes the place of the rows of the table below a heading, and
of the line that begins with "Measured" in its section.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TypeVar

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
ROUNDS = 5
LONG = 5.0
"""Seconds: what takes longer is measured once."""

Tables = dict[str, list[str]]
"""The rows of the table below each heading."""
R = TypeVar("R")


def row(*cells: object) -> str:
    """A row of a table, shown while the others are measured."""
    text = f"| {' | '.join(map(str, cells))} |\n"
    print(text, end="", file=sys.stderr, flush=True)
    return text


def timed(action: Callable[[], R], median_of: int = 0) -> tuple[R, float]:
    """The result, and the least time of some runs: other work can only add to it; or a median."""
    times: list[float] = []
    fewest, most = (median_of, median_of) if median_of else (ROUNDS, 100)
    while len(times) < most and max(times, default=0.0) < LONG and (len(times) < fewest or sum(times) < 1):
        start = perf_counter()
        result = action()
        times.append(perf_counter() - start)
    return result, median(times) if median_of else min(times)


def shown(seconds: float) -> str:
    return f"{seconds:.{1 if seconds >= 1 else 3 if seconds >= 0.01 else 4}f} s"


def cpu(*command: str | Path, allowed: Sequence[int] = (0, 1), system: bool = False) -> tuple[float, str]:
    """The least CPU time of a process in some runs, perhaps with that of the system, and what it printed."""
    times: list[float] = []
    while len(times) < ROUNDS and max(times, default=0.0) < LONG:
        before = used(system)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        times.append(used(system) - before)
        assert run.returncode in allowed, run.stderr
    return min(times), run.stdout


def used(system: bool) -> float:
    """The CPU time of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime * system


def dipc(*arguments: str | Path) -> tuple[float, str]:
    """The least user CPU time of a command of dipc, and what it printed."""
    return cpu(sys.executable, "-m", "dipc", *arguments)


def put(text: str, heading: str, rows: Sequence[str]) -> str:
    r"""The page with other rows in the table below a heading.

    >>> put("## A\n\n| n |\n|---|\n| 1 |\n| 2 |\n\n## B\n", "A", ["| 3 |\n"])
    '## A\n\n| n |\n|---|\n| 3 |\n\n## B\n'
    """
    pattern = rf"(^##+ {re.escape(heading)}\n(?:(?!^##)(?!^\|).*\n)*^\|.*\n^\|-.*\n)((?:^\|.*\n)*)"
    text, found = re.subn(pattern, lambda m: m[1] + "".join(rows), text, flags=re.MULTILINE)
    assert found == 1, heading
    return text


def stamped(text: str, heading: str, more: str = "") -> str:
    """The page with today and this machine in a section; ``more`` names another tool."""
    machine = f"{platform.system()}, {os.cpu_count()} shared cores, load average {os.getloadavg()[0]:.1f}"
    python = f"CPython {platform.python_version()}, python-flint {version('python-flint')}"
    line = f"Measured on {datetime.now(UTC).date()}: {machine}, {python}{more}."
    pattern = rf"(^## {re.escape(heading)}\n(?:(?!^## ).*\n)*?)^Measured on .*$"
    return re.sub(pattern, lambda m: m[1] + line, text, count=1, flags=re.MULTILINE)
