"""docs/gallery.md is up to date: it has every shipped file verbatim; a few entries are recomputed."""

from __future__ import annotations

import re

import gallery
import pytest
from campaigns import spared

import dipc
from dipc.errors import Source
from dipc.shipped import (
    describe,
    every_size_programs,
    expected_verdict,
    header,
    hidden_programs,
    models,
    paths,
)

PAGE, _, REST = gallery.PAGE.read_text(encoding="utf-8").partition("\n## Markov models\n")
PAGE, _, SIZED = PAGE.partition("\n## For every size only\n")
MODELS, _, HIDDEN = REST.partition("\n## Hidden Markov models\n")
ROWS = {
    row[1]: [cell.strip() for cell in row[2].split(" | ")]
    for row in re.finditer(r"^\| \[(\w+)\]\(#\w+\) \| (.*) \|$", PAGE, re.MULTILINE)
}
PROGRAMS = sorted(paths().keys() - hidden_programs().keys() - every_size_programs().keys())
SLOW = ("ex6", "noisy-max-5")  # seconds each; tests/pufferfish/test_shipped_programs.py decides them
AGAIN = "run `python tests/gallery.py`"
UNBOUNDED = ("svt3", "svt3_quarter", "svt5", "svt6", "nmax3", "nmax4", "prefix_sums_wrong")
FOR_EVERY_N = {
    **dict.fromkeys(("svt1", "svt2", "svt_bottoms", "svt_numeric"), "private (ε)"),
    **dict.fromkeys(("nmax1", "nmax2", "noisy_max_first", "hist1", "prefix_sums"), "private (ε)"),
    **dict.fromkeys(("partial_sum", "rand1", "exponential"), "private (ε)"),
    "exponential_full": "private (2·ε)",
    "svt4": "violated from N = 2 on (7/4·ε)",
    "partial_sum_wrong": "violated from N = 1 on (2·ε)",
    "noisy_max_random": "undecided",
    **dict.fromkeys(("hist2", "rand2"), "violated from N = 1 on (infinite)"),
}
"""By hand: the least t over all sizes and reals, and the least size at which the claim is broken."""
BROKEN_FROM = dict(zip(UNBOUNDED, (3, 5, 2, 3, 3, 1, 2), strict=True))
"""The same where no t is enough; dipc may only know a lower bound."""


def section(name: str, page: str = PAGE) -> str:
    """What the page says about a program or a model."""
    found = re.search(rf"^### {name}\n.*?^</details>$", page, re.MULTILINE | re.DOTALL)
    assert found, f"no section for {name}: {AGAIN}"
    return found[0]


def test_every_program_has_a_row() -> None:
    assert sorted(ROWS) == PROGRAMS, AGAIN


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_entry_is_that_of_its_file(name: str) -> None:
    program = describe(name)
    text = program.path.read_text(encoding="utf-8")
    shown = section(name)
    assert f"```dip\n{text.rstrip()}\n```" in shown, AGAIN
    assert f"- verdict: **{program.expect}**" in shown, AGAIN
    assert ROWS[name][-3] == program.expect, AGAIN
    assert ("- counterexample:" in shown) == (program.expect == "violated"), AGAIN
    announced = header(text).get("tightest", "").split(" ")[0]
    if announced:
        wanted = {"1": "ε", "infinite": "infinite"}.get(announced, f"{announced}·ε")
        assert ROWS[name][-2].split(" ")[0] == wanted, AGAIN


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_for_every_size(name: str) -> None:
    cell = ROWS[name][-1]
    assert cell == FOR_EVERY_N.get(name, cell), AGAIN
    if name in BROKEN_FROM:
        start = re.escape(f"violated from N = {BROKEN_FROM[name]} on")
        assert re.fullmatch(rf"{start} \((infinite|at least [^ ]*)\)", cell), AGAIN
    assert f"- for every N: **{cell.split(' (')[0]}**" in section(name), AGAIN
    if describe(name).expect == "violated":  # then it is violated for some size and inputs, too
        assert not cell.startswith("private")


@pytest.mark.parametrize("name", sorted(every_size_programs()))
def test_a_program_for_every_size_computed_anew(name: str) -> None:
    found = gallery.sized_entry(name)
    assert found.found.status == found.program.expect
    assert "\n".join(gallery.sized_section(found)) == section(name, SIZED), AGAIN
    assert f"| {found.found.claim} | {found.found.cell} |\n" in SIZED, AGAIN


@pytest.mark.parametrize("name", ["rand1", "nmax4", "partial_sum_wrong"])
def test_an_entry_computed_anew(name: str) -> None:
    assert "\n".join(gallery.section(gallery.entry(name))) == section(name), AGAIN


def test_every_model_has_a_row() -> None:
    rows = re.findall(r"^\| \[(\w+)\]\(#\1\) \|", MODELS, re.MULTILINE)
    assert rows == sorted(models()), AGAIN


@pytest.mark.parametrize("name", sorted(models()))
def test_a_model_is_that_of_its_file(name: str) -> None:
    path = models()[name]
    shown = section(name, MODELS)
    assert f"```dpm\n{path.read_text(encoding='utf-8').rstrip()}\n```" in shown, AGAIN
    rows = re.findall(r"^\| (\S+) \| .* \| \*\*(\w+)\*\*(.*) \|$", shown, re.MULTILINE)
    expected = [(gallery.linked(line.name), line.expected) for line in dipc.load_model(path).properties]
    assert [(name, verdict) for name, verdict, _ in rows] == expected, AGAIN
    assert all((verdict == "fails") == bool(witness) for _, verdict, witness in rows), AGAIN


@pytest.mark.parametrize("name", ["survey", "vanishing"])
def test_a_model_computed_anew(name: str) -> None:
    assert "\n".join(gallery.model_section(gallery.model_entry(name))) == section(name, MODELS), AGAIN


def test_every_hidden_model_has_a_row() -> None:
    rows = re.findall(r"^\| \[([\w-]+)\]\(#\1\) \|", HIDDEN, re.MULTILINE)
    assert rows == sorted(gallery.hidden_models()), AGAIN


@pytest.mark.parametrize("name", sorted(gallery.hidden_models()))
def test_a_hidden_model_is_that_of_its_file(name: str) -> None:
    path = gallery.hidden_models()[name]
    text, shown = path.read_text(encoding="utf-8"), section(name, HIDDEN)
    expected = expected_verdict(Source(path.name, text))
    assert f"```{path.suffix[1:]}\n{text.rstrip()}\n```" in shown, AGAIN
    assert f"- verdict: **{expected}**" in shown, AGAIN
    assert ("- counterexample:" in shown) == (expected == "violated"), AGAIN


@pytest.mark.parametrize("name", spared(sorted(set(gallery.hidden_models()) - {*SLOW}), {"noisy-max-4"}))
def test_a_hidden_model_computed_anew(name: str) -> None:
    entry = gallery.hidden_entry(gallery.hidden_models()[name])
    assert "\n".join(gallery.hidden_section(entry)) == section(name, HIDDEN), AGAIN
