"""How times grow with the size, and a peer on the same questions: a section of docs/benchmarks.md."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import linear_regression
from tempfile import TemporaryDirectory
from time import process_time

from export_tools import interpreter_with

from bench.page import generated, load, logged

ROOT = Path(__file__).parent.parent.parent
TITLE = "\n## Growth, and a peer\n"
ROUNDS = 3
TIME_LIMIT = 60  # seconds
CVC5 = ROOT / "tests" / "export" / "run_cvc5.py"


@dataclass(frozen=True)
class Series:
    """A question about a program for several sizes; up to ``peer`` a solver is asked, too."""

    question: str
    program: str
    sizes: Sequence[int]
    peer: int = 0


SERIES = (
    Series("check", "svt1", (2, 3, 4, 8, 12, 20, 40), peer=3),
    Series("check", "nmax1", (2, 3, 4, 5, 6, 10, 20), peer=3),
    Series("check", "hist1", (1, 2, 3, 5, 8, 20), peer=2),
    Series("check", "svt4", (2, 3, 4, 5, 6), peer=2),
    Series("budget", "svt1", (2, 3, 4, 8, 12, 20)),
)

HEAD = """{generated}
User CPU seconds of whole processes, the least of {rounds} runs. "Loops" is the time beyond that of
`dipc check rand1 -D N=1` ({startup:.2f} s), in units of a fixed loop of the same run ({loop:.3f} s), so that
machines compare. The last column is the time of the solver cvc5 for the inequalities that `dipc export --to
smtlib` writes, how many of them it decides, and its time divided by that of dipc. Storm is measured under
[model checking](#model-checking). Other tools that decide such claims cannot be had, or need Docker:
[Comparison](comparison.md). No test asserts a time.

| Question | N | Time | Loops | cvc5 |
|---|---:|---:|---:|---|
"""

FITTED = """
Fitted by least squares: the factor from one N to the next, and the exponent, were it a power of N.

| Question | Sizes | Factor | Exponent |
|---|---|---:|---:|
"""


def loop() -> float:
    """The time of a fixed loop."""
    start, total = process_time(), 0
    for number in range(1_000_000):
        total += number * number % 7
    return process_time() - start


def user_time(command: Sequence[str | Path], allowed: Sequence[int] = (0, 1)) -> tuple[float, str]:
    """The least user CPU time of a command, and what it printed; at most one run of what is long."""
    times: list[float] = []
    while len(times) < ROUNDS and max(times, default=0.0) < TIME_LIMIT / ROUNDS:
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run = subprocess.run([*map(str, command)], cwd=ROOT, capture_output=True, text=True, check=False)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        assert run.returncode in allowed, run.stderr
    return min(times), run.stdout


def dipc(*arguments: str | Path) -> tuple[float, str]:
    """The same of a command of dipc."""
    return user_time((sys.executable, "-m", "dipc", *arguments))


def solved(program: str, size: int, ours: float) -> str:
    """The time of cvc5 for the inequalities of a claim, with the number it decides."""
    python = interpreter_with("cvc5")
    if python is None:
        return "not installed"
    with TemporaryDirectory() as folder:
        file = Path(folder, "claim.smt2")
        dipc("export", program, "-D", f"N={size}", "--to", "smtlib", "-o", file)
        seconds, out = user_time((python, CVC5, file))
    answers = [line for line in out.split() if line in ("sat", "unsat", "unknown")]
    decided = sum(answer != "unknown" for answer in answers)
    return f"{seconds:.2f} s, {decided} of {len(answers)} ({seconds / ours:.1f})"


def fitted(sizes: Sequence[int], times: Sequence[float]) -> tuple[float, float]:
    """The factor per size and the exponent that fit best.

    >>> [round(x, 6) for x in fitted([1, 2, 4], [3.0, 6.0, 24.0])]
    [2.0, 1.5]
    """
    logs = [log(max(time, 1e-3)) for time in times]
    factor = linear_regression(sizes, logs).slope
    return exp(factor), linear_regression([log(size) for size in sizes], logs).slope


def section(series: Sequence[Series] = SERIES) -> str:
    """The section of docs/benchmarks.md."""
    before, unit = load(), min(loop() for _ in range(ROUNDS))
    startup, _ = dipc("check", "rand1", "-D", "N=1")
    rows, fits = [], []
    for each in series:
        name, times = f"`dipc {each.question} {each.program}`", []
        for size in each.sizes:
            seconds, _ = dipc(each.question, each.program, "-D", f"N={size}")
            times.append(seconds - startup)
            peer = solved(each.program, size, seconds) if size <= each.peer else ""
            rows.append(logged(f"| {name} | {size} | {seconds:.2f} s | {times[-1] / unit:.1f} | {peer} |\n"))
        factor, exponent = fitted(each.sizes, times)
        shown = ", ".join(map(str, each.sizes))
        fits.append(logged(f"| {name} | {shown} | {factor:.2f} | {exponent:.1f} |\n"))
    head = HEAD.format(generated=generated("growth", before), rounds=ROUNDS, startup=startup, loop=unit)
    return "".join([TITLE, head, *rows, FITTED, *fits])
