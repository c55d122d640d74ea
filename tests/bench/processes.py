"""Times of whole processes: how they grow, beside a peer; certificates; proofs for every N."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import linear_regression
from tempfile import TemporaryDirectory
from time import process_time

from export_tools import interpreter_with
from gallery import every_size

from bench.page import ROOT, Tables, cpu, dipc, row
from dipc.shipped import hidden_programs, paths

# --- growth, and a peer --------------------------------------------------------------------------


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


def loop() -> float:
    """The time of a fixed loop, the unit of times on other machines."""
    start, total = process_time(), 0
    for number in range(1_000_000):
        total += number * number % 7
    return process_time() - start


def solved(program: str, size: int, ours: float) -> str:
    """The time of cvc5 for the inequalities of a claim, with the number it decides."""
    python = interpreter_with("cvc5")
    if python is None:
        return "not installed"
    with TemporaryDirectory() as folder:
        file = Path(folder, "claim.smt2")
        dipc("export", program, "-D", f"N={size}", "--to", "smtlib", "-o", file)
        seconds, out = cpu(python, ROOT / "tests" / "export" / "run_cvc5.py", file)
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


def growth(few: bool = False) -> Tables:
    unit = min(loop() for _ in range(3))
    startup, _ = dipc("check", "rand1", "-D", "N=1")
    rows, fits = [row("`dipc check rand1`", 1, f"{startup:.2f} s", "0.0", "")], []
    for each in [Series("check", "svt1", (1, 2), peer=1)] if few else SERIES:
        name, times = f"`dipc {each.question} {each.program}`", []
        for size in each.sizes:
            seconds, _ = dipc(each.question, each.program, "-D", f"N={size}")
            times.append(seconds - startup)
            peer = solved(each.program, size, seconds) if size <= each.peer else ""
            rows.append(row(name, size, f"{seconds:.2f} s", f"{times[-1] / unit:.1f}", peer))
        factor, exponent = fitted(each.sizes, times)
        fits.append(row(name, ", ".join(map(str, each.sizes)), f"{factor:.2f}", f"{exponent:.1f}"))
    return {"Growth, and a peer": rows, "Fitted": fits}


# --- certificates --------------------------------------------------------------------------------

DEEPEST = 5
"""The largest N of which all distributions are derived anew."""


def certificates(few: bool = False) -> Tables:
    """What it costs to write and to check those of SVT1, and their sizes."""
    rows = []
    for n in (2,) if few else (3, 4, 5, 8):
        with TemporaryDirectory() as folder:
            file, size = Path(folder, "svt1.json"), ("-D", f"N={n}")
            check, write = (
                dipc("check", "svt1", *size)[0],
                dipc("check", "svt1", *size, "--certificate", file)[0],
            )
            kernel, deep = dipc("verify", file, *size)[0], "-"
            if n <= DEEPEST:
                seconds, _ = dipc("verify", file, *size, "--program", "svt1", "--deep")
                deep = f"{seconds:.2f} s ({seconds / check:.1f})"
            data = file.read_bytes()
        kilobytes = (f"{len(text) / 1000:.1f}" for text in (data, gzip.compress(data)))
        rows.append(row(n, *(f"{time:.2f} s" for time in (check, write, kernel)), deep, *kilobytes))
    return {"Certificates of SVT1": rows}


# --- proofs for every N --------------------------------------------------------------------------

FAMILIES = ("svt", "noisy_max", "discrete", "sums", "histogram", "exponential", "every_size")
"""The folders that come first, in this order."""


def sizes(few: bool = False) -> Tables:
    """The programs that are proved, with their times."""
    order = {family: n for n, family in enumerate(FAMILIES)}
    folders = {name: path.parent.name for name, path in paths().items() if name not in hidden_programs()}
    names = sorted(folders, key=lambda name: (order.get(folders[name], len(order)), folders[name], name))
    return {"Every size": [text for name in (["svt1"] if few else names) for text in proof(name)]}


def proof(name: str) -> list[str]:
    """The row of a program that is proved."""
    found = every_size(paths()[name])
    if found.status != "private":
        return []
    with TemporaryDirectory() as folder:
        file = Path(folder, "proof.json")
        prove = (sys.executable, "-m", "dipc", "prove", name, "--time-limit", "60", "--certificate", file)
        process, kernel = (
            cpu(*command, system=True)[0] for command in (prove, (sys.executable, "-I", "dipc/kernel", file))
        )
        kilobytes = f"{file.stat().st_size / 1000:.1f} KB"
    return [row(name, found.cell, f"{process:.2f} s", kilobytes, f"{kernel:.2f} s")]
