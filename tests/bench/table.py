"""Write what is measured into docs/benchmarks.md: ``python tests/bench/table.py``, for hours.

``--only NAME`` measures one section again (or several: ``--only growth --only chains``).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "docs" / "site"), str(ROOT)]  # as pytest does

import dipc  # noqa: E402
from bench import cases, chains, hidden, processes  # noqa: E402
from bench.cases import decided, forget, seconds  # noqa: E402
from bench.page import PAGE, Tables, put, row, shown, stamped, timed  # noqa: E402
from dipc.models.values import show  # noqa: E402
from dipc.papers import Row, system  # noqa: E402
from dipc.report.tightness import enclosure, where  # noqa: E402


def verdicts(rows: list[Row], counterexamples: bool = False) -> list[str]:
    """The answers with the times of the paper, if it has any, and ours."""
    paper = any(seconds(case) is not None for case in rows)
    found, total = [], 0.0
    for case in rows:
        verdict, ours = timed(lambda case=case: decided(case), 3)
        answer, total = verdict.status, total + ours
        if verdict.counterexample is not None and counterexamples:
            shown_ = verdict.counterexample
            u, v, o = (
                ", ".join(show(value) for _, value in x)
                for x in (shown_.input, shown_.neighbour, shown_.outputs[0])
            )
            answer = f"{u} against {v}, output {o}"
        theirs = "" if (time := seconds(case)) is None else f"{time} s"
        found.append(row(case.what, answer, *[theirs] * paper, shown(ours)))
    theirs = f"{sum(seconds(case) or 0 for case in rows)} s"
    return [*found, row("total", "", *[theirs] * paper, shown(total))]


def papers(few: bool = False) -> Tables:
    """The tables of the DiPC paper, and ``dipc check`` as a process."""
    if few:
        return {"Table 1: every algorithm, N = 3": verdicts(cases.TABLE_1[5:6])}
    return {
        "Table 1: every algorithm, N = 3": verdicts(cases.TABLE_1),
        "Table 2: SVT1 at one eps": verdicts(cases.TABLE_2),
        "Table 3: smallest counterexamples": verdicts(cases.TABLE_3, counterexamples=True),
        "Table 4: SVT1, all eps": verdicts(cases.TABLE_4),
        "Table 5: SVT3, rate eps/(4c), seq 0 < 1": verdicts(cases.TABLE_5),
        "Table 6: Sparse, N = 3, (eps/2, delta)": verdicts(cases.TABLE_6),
    }


def beyond(few: bool = False) -> Tables:
    """Larger sizes and other claims."""
    return {"Beyond the paper": verdicts(cases.BEYOND[6:7] if few else cases.BEYOND)}


def tightest(few: bool = False) -> Tables:
    """The least multiples of eps, each proved from both sides, with the time that took."""
    rows = []
    for case in cases.BUDGETS[: 1 if few else None]:

        def work(case: Row = case) -> dipc.Budget:
            forget()
            return system(case).budget(budgets="(0, inf)")

        found, time = timed(work, 3)
        (spot, _), *_ = found.witnesses
        rows.append(row(case.what, enclosure(found.least), where(spot, found.least.attained), shown(time)))
    return {"Tightest bounds": rows}


SECTIONS: dict[str, tuple[str, Callable[..., Tables]]] = {
    "papers": ("Table 1: every algorithm, N = 3", papers),
    "beyond": ("Beyond the paper", beyond),
    "tightest": ("Tightest bounds", tightest),
    "growth": ("Growth, and a peer", processes.growth),
    "certificates": ("Certificates of SVT1", processes.certificates),
    "chains": ("Model checking", chains.section),
    "hidden": ("Pufferfish privacy", hidden.section),
    "sizes": ("Every size", processes.sizes),
}
"""The heading of each section, and what measures it."""


def main(arguments: list[str]) -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="measure this section only")
    for name in parser.parse_args(arguments).only or SECTIONS:
        heading, measure = SECTIONS[name]
        tables = measure()
        text = PAGE.read_text(encoding="utf-8")
        for title, rows in tables.items():
            text = put(text, title, rows)
        more = chains.storm_version() if name == "chains" else ""
        PAGE.write_text(stamped(text, heading, more), encoding="utf-8")  # at once: a run takes long


if __name__ == "__main__":
    main(sys.argv[1:])
