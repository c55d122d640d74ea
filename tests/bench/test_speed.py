"""Performance is measured, never asserted.

    python -m pytest -o addopts=--import-mode=importlib tests/bench

``tests/bench/table.py`` writes docs/benchmarks.md from the same cases.
"""

from __future__ import annotations

from typing import Any

import pytest

from bench.cases import BEYOND, TABLE_1, case, decided
from dipc.papers import Row

SVT1 = [case(f"SVT1, N = {n}", "svt1", n) for n in (3, 4)]


@pytest.mark.parametrize("asked", [*SVT1, *BEYOND], ids=lambda asked: asked.what)
def test_case(benchmark: Any, asked: Row) -> None:
    benchmark.pedantic(decided, (asked,), rounds=3, iterations=1, warmup_rounds=1)


def test_table_1(benchmark: Any) -> None:
    def whole() -> None:
        for asked in TABLE_1:
            decided(asked)

    benchmark.pedantic(whole, rounds=3, iterations=1)
