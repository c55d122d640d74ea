"""docs/gallery.md is up to date: it has every shipped program verbatim; three entries are recomputed."""

from __future__ import annotations

import re

import gallery
import pytest

from dipc.shipped import describe, header, paths

PAGE = gallery.PAGE.read_text(encoding="utf-8")
ROWS = {
    row[1]: [cell.strip() for cell in row[2].split(" | ")]
    for row in re.finditer(r"^\| \[(\w+)\]\(#\w+\) \| (.*) \|$", PAGE, re.MULTILINE)
}
AGAIN = "run `python tests/gallery.py`"


def section(name: str) -> str:
    """What the page says about a program."""
    found = re.search(rf"^### {name}\n.*?^</details>$", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"no section for {name}: {AGAIN}"
    return found[0]


def test_every_program_has_a_row() -> None:
    assert set(ROWS) == set(paths()), AGAIN


@pytest.mark.parametrize("name", sorted(paths()))
def test_an_entry_is_that_of_its_file(name: str) -> None:
    program = describe(name)
    text = program.path.read_text(encoding="utf-8")
    shown = section(name)
    assert f"```dip\n{text.rstrip()}\n```" in shown, AGAIN
    assert f"- verdict: **{program.expect}**" in shown, AGAIN
    assert ROWS[name][-2] == program.expect, AGAIN
    assert ("- counterexample:" in shown) == (program.expect == "violated"), AGAIN
    announced = header(text).get("tightest", "").split(" ")[0]
    if announced:
        wanted = {"1": "ε", "infinite": "infinite"}.get(announced, f"{announced}·ε")
        assert ROWS[name][-1].split(" ")[0] == wanted, AGAIN


@pytest.mark.parametrize("name", ["rand1", "nmax4", "partial_sum_wrong"])
def test_an_entry_computed_anew(name: str) -> None:
    assert "\n".join(gallery.section(gallery.entry(name))) == section(name), AGAIN
