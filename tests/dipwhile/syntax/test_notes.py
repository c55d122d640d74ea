"""Notes say what is surely not meant, and nothing about programs that are as they should be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from shipped_programs import FINITE

from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.notes import (
    impossible_equalities,
    unassigned_outputs,
    unread_variables,
)
from dipc.errors import Source
from dipc.suggest import nearest

HEAD = "input q[2] in {0, 1}; output out in {true, false} = false; r <- Lap(eps, q[1]); s <- Lap(eps, q[2]);"


def core(text: str) -> CoreProgram:
    return read(Source("p.dip", text))


@pytest.mark.parametrize("path", FINITE, ids=lambda path: path.stem)
def test_no_shipped_program_deserves_a_note(path: Path) -> None:
    program = read(Source(path.name, path.read_text(encoding="utf-8-sig")))
    assert unread_variables(program) == []
    assert unassigned_outputs(program) == []
    assert impossible_equalities(program) == []


def test_there_are_shipped_programs() -> None:
    assert len(FINITE) > 20


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("otu <- true", [("otu", "out")]),
        ("Out <- true", [("Out", "out")]),
        ("count <- 1; cuont <- 2; out <- count = 1", [("cuont", "count")]),
        ("x1 <- 1; x2 <- 2; out <- x1 = 1", []),
        ("zebra <- 1; out <- true", []),
        ("otu <- 1; out <- otu = 1", []),
        ("otu[2] <- 1; out <- otu[1] = 1", []),
        ("otu <- 1; a[2] <- 1; if a[otu] = 1 then out <- true end", []),
        ("otu <- 1; a[2] <- 1; a[otu] <- 2; out <- a[1] = 1", []),
        ("otu <- 1; y <- choose {otu: 1}; out <- y = 1", []),
    ],
)
def test_unread_variables(code: str, expected: list[tuple[str, str]]) -> None:
    assert [(name, near) for name, _, near in unread_variables(core(HEAD + code))] == expected


def test_the_first_assignment_is_the_place() -> None:
    program = core("output out in {0, 1} = 0\nx <- 1\nouput <- x\nouput <- 2")
    assert [span.place for _, span, _ in unread_variables(program)] == ["p.dip:3:1"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [("otu <- true", ["out"]), ("out <- true", []), ("if r < s then out <- true end", [])],
)
def test_unassigned_outputs(code: str, expected: list[str]) -> None:
    assert [name for name, _ in unassigned_outputs(core(HEAD + code))] == expected


@pytest.mark.parametrize(
    "condition",
    ["r = 1", "1 = r", "r != 0", "r = s", "2*r - s = r", "r + q[1] = q[2]", "-r/2 = 1", "r = 1 or r < 0"],
)
def test_continuous_noise_is_never_equal(condition: str) -> None:
    (note,) = impossible_equalities(core(f"{HEAD} out <- {condition}"))
    assert "with probability 0" in note[1]


@pytest.mark.parametrize(
    "code",
    [
        "out <- r = r",
        "out <- r - s = r - s",
        "t <- r; out <- t = r",
        "m <- max(r, s); out <- m = r",
        "m <- max(r, 0); out <- m = 0",
        "z <- DLap(eps, 0); out <- z = 0",
        "out <- q[1] = q[2]",
        "t <- Lap(eps, 0); t <- 1; out <- t = 1",
        "out <- disc(r, -1, 0, 1) = 1",
        "d <- disc(r, -1, 0, 1); d <- 2; out <- d = 2",
        "d <- disc(r, 0, q[1] + 1); out <- d = 2",
        "out <- argmax(q) = 3",
    ],
)
def test_equalities_that_may_hold(code: str) -> None:
    assert impossible_equalities(core(HEAD + code)) == []


@pytest.mark.parametrize("code", ["out <- disc(r, -1, 0, 1) = 2", "d <- disc(r, -1, 0, 1); out <- 1/2 != d"])
def test_disc_has_constant_levels(code: str) -> None:
    (note,) = impossible_equalities(core(HEAD + code))
    assert note[1].endswith("its values are `-1, 0, 1`")


def test_an_unrolled_comparison_is_noted_once() -> None:
    code = "for i in 1..3 do t <- Lap(eps, i); if t = 0 then out <- true end end"
    assert len(impossible_equalities(core(HEAD + code))) == 1


def test_only_some_of_many_unread_variables_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counting(name: str, known: Sequence[str]) -> str:
        compared.append(name)
        return nearest(name, known)

    monkeypatch.setattr("dipc.dipwhile.syntax.notes.nearest", counting)
    many = "".join(f"v{i} <- {i}; " for i in range(400))
    assert unread_variables(core(f"{HEAD}{many}o <- 0")) == []
    assert 50 <= len(compared) <= 200


def test_a_misspelt_name_among_many() -> None:
    many = "".join(f"v{i} <- {i}; " for i in range(10_500))
    assert [(name, near) for name, _, near in unread_variables(core(f"{HEAD}otu <- 1; {many}"))] == [
        ("otu", "out")
    ]
