"""The command that writes docs/benchmarks.md still runs: a small part of each section, whatever it takes."""

from __future__ import annotations

import doctest

import pytest
from bench import page, processes, table


@pytest.mark.parametrize("name", ["papers", "beyond", "tightest", "growth", "hidden"])
def test_a_small_part_has_its_place(name: str) -> None:
    heading, measure = table.SECTIONS[name]
    text = page.PAGE.read_text(encoding="utf-8")
    for title, rows in measure(few=True).items():
        after = page.put(text, title, rows)
        assert "".join(rows) in after and rows[0].count("|") == rows[-1].count("|")
    assert page.stamped(text, heading).count("Measured on") == text.count("Measured on")


def test_fits() -> None:
    assert not doctest.testmod(processes).failed and not doctest.testmod(page).failed
