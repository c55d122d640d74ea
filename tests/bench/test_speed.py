"""Performance is measured, never asserted.

    python -m pytest -o addopts=--import-mode=importlib tests/bench

``tests/bench/table.py`` writes docs/benchmarks.md from the same cases.
"""

from __future__ import annotations

from typing import Any

import pytest

from bench.cases import BEYOND, TABLE_1, Case

SVT1 = [Case(f"SVT1, N = {n}", "svt/svt1", n=n) for n in (3, 4)]


@pytest.mark.parametrize("case", [*SVT1, *BEYOND], ids=lambda case: case.name)
def test_case(benchmark: Any, case: Case) -> None:
    benchmark.pedantic(case.run, rounds=3, iterations=1, warmup_rounds=1)


def test_table_1(benchmark: Any) -> None:
    def whole() -> None:
        for case in TABLE_1:
            case.run()

    benchmark.pedantic(whole, rounds=3, iterations=1)
