"""The command that writes docs/benchmarks.md still runs: a small part of each section, whatever it takes."""

from __future__ import annotations

import doctest

import pytest
from bench import growth, page, table


@pytest.mark.parametrize("name", ["papers", "beyond", "tightest", "growth", "hidden"])
def test_a_small_part(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    table.main(["--quick", "--only", name])
    assert " s |" in capsys.readouterr().out


def test_a_section_is_put_in_its_place() -> None:
    titles = [title for title, _ in table.SECTIONS.values()]
    before = page.PAGE.read_text(encoding="utf-8")
    places = [before.index(title) for title in titles if title in before]
    assert places == sorted(places) and len(places) >= len(titles) - 1
    for title in titles:
        after = page.put_in(before, f"{title}new", [*titles, table.FOOT.partition("\n\n")[0]])
        assert after.count(f"{title}new\n## ") == 1
        assert all(other in after for other in titles if other in before)


def test_fits() -> None:
    assert not doctest.testmod(growth).failed and not doctest.testmod(page).failed
