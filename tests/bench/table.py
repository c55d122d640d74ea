"""Writes docs/benchmarks.md: ``python tests/bench/table.py``, from the folder of the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent.parent.parent)]  # as pytest does

import dipc  # noqa: E402
from bench.cases import (  # noqa: E402
    BEYOND,
    BUDGETS,
    PROGRAMS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    Case,
    forget,
)
from dipc.models.values import show  # noqa: E402
from dipc.report.tightness import enclosure, where  # noqa: E402

ROOT = Path(__file__).parent.parent.parent
ROUNDS = 3

HEAD = """# Benchmarks

Written by `python tests/bench/table.py`. "Ours" is the median of {rounds} runs, from the text of the program
to the verdict, with caches of results emptied before each run; all pairs of neighbours and all eps > 0 unless
said otherwise. Machine: 2 shared cores, plain CPython 3.11, one process. "Paper" is T1 + T2 of the DiPC
paper (Intel Core i7-8550U, 1.8 GHz, with Mathematica). The machines differ; the numbers show orders of
magnitude. No test asserts a time. To measure the main cases with pytest-benchmark:

    python -m pytest -o addopts=--import-mode=importlib tests/bench

The whole process `dipc check programs/svt/svt1.dip`, start of the interpreter included: {process:.2f} s.
"""


NOTE = """
Table 1 of the paper prints a cross for Rand1 and has one SVT3, private: see [errata.md](errata.md).
"""


def measured(case: Case, show_counterexample: bool) -> tuple[str, float]:
    """The answer, and the median time."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        verdict = case.run()
        times.append(perf_counter() - start)
    answer = verdict.status
    if verdict.counterexample is not None and show_counterexample:
        found = verdict.counterexample
        u, v, o = (
            ", ".join(show(value) for _, value in x) for x in (found.input, found.neighbour, found.outputs[0])
        )
        answer = f"{u} against {v}, output {o}"
    return answer, median(times)


def table(title: str, cases: list[Case], column: str = "Verdict") -> str:
    """A Markdown table."""
    paper = any(case.paper is not None for case in cases)
    lines = [f"\n## {title}\n", f"| | {column} |" + (" Paper |" if paper else "") + " Ours |"]
    lines.append("|---|---|" + ("---:|" if paper else "") + "---:|")
    total = 0.0
    for case in cases:
        answer, seconds = measured(case, column == "Counterexample")
        total += seconds
        print(f"{title}: {case.name}: {answer}, {seconds:.3f} s", file=sys.stderr)
        theirs = "" if case.paper is None else f"{case.paper} s"
        lines.append(
            f"| {case.name} | {answer} |" + (f" {theirs} |" if paper else "") + f" {seconds:.3f} s |"
        )
    lines.append(
        "| together | |"
        + (f" {sum(case.paper or 0 for case in cases)} s |" if paper else "")
        + f" {total:.3f} s |"
    )
    return "\n".join(lines) + "\n"


def tightest() -> str:
    """The least budgets, each proved from both sides, with the time for it."""
    lines = [
        "\n## Tightest budgets\n",
        "The least t for which the program is (t·eps, 0)-private for all eps > 0, proved from both sides.\n",
        "| | Least t | Reached | Ours |",
        "|---|---:|---|---:|",
    ]
    for name, program, parameters in BUDGETS:
        times = []
        for _ in range(ROUNDS):
            forget()
            start = perf_counter()
            found = dipc.load(PROGRAMS / f"{program}.dip", **parameters).budget(budgets="(0, inf)")
            times.append(perf_counter() - start)
        (spot, _), *_ = found.witnesses
        how = where(spot, found.least.attained)
        print(f"{name}: {enclosure(found.least)}, {how}", file=sys.stderr)
        lines.append(f"| {name} | {enclosure(found.least)} | {how} | {median(times):.3f} s |")
    return "\n".join(lines) + "\n"


def whole_process() -> float:
    """``dipc check programs/svt/svt1.dip`` with the start of the interpreter."""
    command = [sys.executable, "-c", "from dipc.cli.main import run; run()", "check", "programs/svt/svt1.dip"]
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        times.append(perf_counter() - start)
    return median(times)


FOOT = """
## Where to go from here

- [Discrepancies with the paper](errata.md): where the answers of these tables differ
- [How it works](theory.md#cost-and-limits): what the times depend on
"""


def main() -> None:
    pages = [
        HEAD.format(rounds=ROUNDS, process=whole_process()),
        table("Table 1: every algorithm, N = 3", TABLE_1),
        NOTE,
        table("Table 2: SVT1 at one eps", TABLE_2),
        table("Table 3: smallest counterexamples", TABLE_3, "Counterexample"),
        table("Table 4: SVT1, all eps", TABLE_4),
        table("Table 5: SVT3, rate eps/(4c), seq 0 < 1", TABLE_5),
        table("Table 6: Sparse, N = 3, (eps/2, delta)", TABLE_6),
        table("Beyond the paper", BEYOND),
        tightest(),
        FOOT,
    ]
    (ROOT / "docs" / "benchmarks.md").write_text("".join(pages), encoding="utf-8")


if __name__ == "__main__":
    main()
