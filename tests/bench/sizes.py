"""Proofs for every N: a section of docs/benchmarks.md."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "docs" / "site"), str(ROOT)]  # as pytest does

from gallery import every_size  # noqa: E402

from bench.page import generated, load, logged  # noqa: E402
from dipc.shipped import hidden_programs, paths  # noqa: E402

TITLE = "\n## Every size\n"
ROUNDS = 5
TIME_LIMIT = 60  # seconds
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
FAMILIES = ("svt", "noisy_max", "discrete", "sums", "histogram", "exponential", "every_size")
"""The folders that come first, in this order."""

HEAD = """{generated}
CPU time (user and system) of whole processes, the least of {rounds} runs. "Process" is `dipc prove FILE`, for
a proof with `--certificate`; starting dipc alone (`dipc --version`) takes {startup}. "Certificate" is the
size of the file (1 KB is 1,000 bytes), "Kernel" is `python -I dipc/kernel FILE`. No test asserts a time.

| Program | For every N | Process | Certificate | Kernel |
|---|---|---:|---:|---:|
"""


def programs() -> list[str]:
    """The programs, families in the order above, then the others."""
    order = {family: n for n, family in enumerate(FAMILIES)}
    folders = {name: path.parent.name for name, path in paths().items() if name not in hidden_programs()}
    return sorted(folders, key=lambda name: (order.get(folders[name], len(order)), folders[name], name))


def least_time(command: list[str], allowed: tuple[int, ...] = (0,)) -> str:
    """The least CPU time of some runs of a process: other work on the machine hardly adds to it."""
    times: list[float] = []
    for _ in range(ROUNDS):
        start = used()
        run = subprocess.run(command, env=ENVIRONMENT, capture_output=True, check=False, cwd=ROOT)
        times.append(used() - start)
        assert run.returncode in allowed, run.stderr.decode()
    return f"{min(times):.2f} s"


def used() -> float:
    """The CPU time of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def row(name: str) -> str:
    """A program with its answer and its times; without times if it is not asked."""
    found = every_size(paths()[name])
    if found.status == "not asked":
        return logged(f"| {name} | {found.cell} | | | |\n")
    with TemporaryDirectory() as folder:
        file = Path(folder, "proof.json")
        prove = [sys.executable, "-m", "dipc", "prove", name, "--time-limit", str(TIME_LIMIT)]
        proved = found.status == "private"
        process = least_time([*prove, "--certificate", str(file)] if proved else prove, (0, 1, 3))
        kilobytes = f"{file.stat().st_size / 1000:.1f} KB" if proved else ""
        kernel = least_time([sys.executable, "-I", "dipc/kernel", str(file)]) if proved else ""
    return logged(f"| {name} | {found.cell} | {process} | {kilobytes} | {kernel} |\n")


def section(measured: Callable[[str], str] = row) -> str:
    """The section of docs/benchmarks.md."""
    before = load()
    startup = least_time([sys.executable, "-m", "dipc", "--version"])
    rows = [measured(name) for name in programs()]
    head = HEAD.format(
        generated=generated("sizes", before),
        startup=startup,
        rounds=ROUNDS,
    )
    return "".join([TITLE, head, *rows])
