"""The tables of docs/gallery.md are up to date: every shipped file has its row; some are computed anew."""

from __future__ import annotations

import re

import gallery
import pytest
from campaigns import spared

import dipc
from dipc.shipped import describe, every_size_programs, header, models

PROGRAMS, SIZED, MODELS, HIDDEN = gallery.rows(gallery.PAGE.read_text(encoding="utf-8"))
SLOW = {"ex6", "noisy-max-4", "noisy-max-5"}
AGAIN = "run `python docs/site/gallery.py`"
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


def cells(line: str) -> list[str]:
    """The cells of a row, without its borders."""
    return line.strip("|\n ").split(" | ")


def test_every_shipped_file_has_a_row() -> None:
    found = [list(table) for table in (PROGRAMS, SIZED, MODELS, HIDDEN)]
    assert found == [names() for names, _ in gallery.TABLES], AGAIN


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_row_is_that_of_its_file(name: str) -> None:
    program = describe(name)
    start, (*_, status, tightest, _) = PROGRAMS[name], cells(PROGRAMS[name])
    assert start.startswith(gallery.row(name).removesuffix("\n")), AGAIN
    assert status == program.expect, AGAIN
    announced = header(program.path.read_text(encoding="utf-8")).get("tightest", "").split(" ")[0]
    if announced:
        wanted = {"1": "ε", "infinite": "infinite"}.get(announced, f"{announced}·ε")
        assert tightest.split(" ")[0] == wanted, AGAIN


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_for_every_size(name: str) -> None:
    cell = cells(PROGRAMS[name])[-1]
    assert cell == FOR_EVERY_N.get(name, cell), AGAIN
    if name in BROKEN_FROM:
        start = re.escape(f"violated from N = {BROKEN_FROM[name]} on")
        assert re.fullmatch(rf"{start} \((infinite|at least [^ ]*)\)", cell), AGAIN
    if describe(name).expect == "violated":  # then it is violated for some size and inputs, too
        assert not cell.startswith("private")


@pytest.mark.parametrize("name", models())
def test_a_row_counts_the_verdicts_of_the_file(name: str) -> None:
    expected = [line.expected or "" for line in dipc.load_model(models()[name]).properties]
    counted = gallery.counted([gallery.Answer("", verdict, "") for verdict in expected])
    assert cells(MODELS[name])[-1] == counted, AGAIN


@pytest.mark.parametrize("name", HIDDEN)
def test_a_row_has_the_verdict_of_the_file(name: str) -> None:
    assert cells(HIDDEN[name])[-2] == describe(name).expect, AGAIN


@pytest.mark.parametrize("name", ["rand1", "nmax4", "partial_sum_wrong"])
def test_a_program_computed_anew(name: str) -> None:
    assert gallery.program_row(name) == PROGRAMS[name], AGAIN


@pytest.mark.parametrize("name", sorted(every_size_programs()))
def test_a_program_for_every_size_computed_anew(name: str) -> None:
    assert gallery.sized_row(name) == SIZED[name], AGAIN
    assert cells(SIZED[name])[-1].split(" ")[0] == describe(name).expect


@pytest.mark.parametrize("name", ["survey", "vanishing"])
def test_a_model_computed_anew(name: str) -> None:
    assert gallery.model_row(name) == MODELS[name], AGAIN


@pytest.mark.parametrize("name", spared(sorted(HIDDEN), SLOW))
def test_a_hidden_model_computed_anew(name: str) -> None:
    assert gallery.hidden_row(name) == HIDDEN[name], AGAIN


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (
            "nmax4",
            ["- verdict: violated\n", "- counterexample: `q = [-1, -1, -1] against q = [-1, -1, 0]: out = 0"],
        ),
        ("gap", ["- for every N: private (ε)\n", "- for every N, proof: "]),
        ("survey", ["| least | `D[eps, 0](X out_1) for eps in [11/10, inf)` | **holds** |\n"]),
        (
            "ex3",
            [
                "- verdict: violated\n",
                "- counterexample: `sick against healthy (prior contagious), p = 1/2: 2, ",
            ],
        ),
    ],
)
def test_the_page_of_a_file_on_the_site(name: str, shown: list[str]) -> None:
    path = describe(name).path
    short, whole = (gallery.page_of(path, everything) for everything in (False, True))
    for page in (short, whole):
        assert f"```{path.suffix[1:]}\n{path.read_text(encoding='utf-8').rstrip()}\n```" in page
    assert [text for text in shown if text not in whole] == []
    assert len(short) < len(whole)
