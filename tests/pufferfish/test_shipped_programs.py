"""The programs of ``programs/hidden_markov``: what is said of them, by brute force, and who finds them.

tests/test_gallery.py decides them and finds their least constants.
"""

from __future__ import annotations

import re
from itertools import product
from math import comb
from pathlib import Path

import pytest
from answers import contents
from flint import fmpq
from pufferfish.parametric_examples import noisy_argmax

import dipc
from dipc.cli.main import status
from dipc.dipwhile.commands.options import command_of
from dipc.shipped import describe, hidden_programs

LEAST = {
    "ex5": fmpq(40, 21),
    "ex5-events": fmpq(40, 21),
    "ex6": fmpq(26213471, 7193368),
    "noisy-max-3": fmpq(24, 7),
    "noisy-max-4": fmpq(432, 113),
    "noisy-max-5": fmpq(288, 73),
}
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", LEAST)
def test_the_header(name: str) -> None:
    shipped = describe(name)
    assert shipped.is_hidden
    assert shipped.title
    assert "FAIER" in shipped.source
    text = shipped.path.read_text(encoding="utf-8")
    assert re.findall(r"^# least c: (\S+)$", text, re.MULTILINE) == [str(LEAST[name])]


@pytest.mark.parametrize("name", ["noisy-max-3", "noisy-max-4"])
def test_noisy_maximum_by_brute_force(name: str) -> None:
    n = int(name[-1])
    laws = {counts: noisy_argmax(counts) for counts in product(range(3), repeat=n)}
    near = ((u, v) for u in laws for v in laws if all(abs(x - y) <= 1 for x, y in zip(u, v, strict=True)))
    assert max(a / b for u, v in near for a, b in zip(laws[u], laws[v], strict=True)) == LEAST[name]


@pytest.mark.parametrize("name", ["ex5", "ex5-events"])
def test_probabilities_at_a_point_by_brute_force(name: str) -> None:
    """Given "the count is not 0", or "John is sick": sums over all data sets."""
    p = (fmpq(1, 3), fmpq(1, 5), fmpq(3, 7))
    given = 2 if name == "ex5" else 1
    first = [comb(given, k) * p[0] ** k * (1 - p[0]) ** (given - k) for k in range(given + 1)]
    law = first[1:] if name == "ex5" else first  # counts 1 and 2
    weights = [fmpq(0), *(w / sum(law) for w in law)]
    rest = [[comb(2, k) * x**k * (1 - x) ** (2 - k) for k in range(3)] for x in p[1:]]
    expected = [fmpq(0)] * 3
    for counts in product(range(3), repeat=3):
        weight = weights[counts[0]] * rest[0][counts[1]] * rest[1][counts[2]]
        expected = [e + weight * q for e, q in zip(expected, noisy_argmax(counts), strict=True)]
    reached = dipc.load(name).pufferfish(pA="1/3", pB="1/5", pC="3/7").budget().reached
    assert reached is not None
    place = int(reached.sequence[0][-1]) - 1
    sides = {reached.secret: reached.probability, reached.against: reached.other_probability}
    wanted = "count[1] != 0" if name == "ex5" else "john[1] = 1"
    assert sides[wanted].as_rational() == expected[place]


# --- batches of programs -------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ex5", "noisy-max-3"):
        (tmp_path / f"{name}.dip").write_bytes(hidden_programs()[name].read_bytes())
    (tmp_path / "svt1.dip").write_bytes(describe("svt1").path.read_bytes())
    (tmp_path / "ex3.hmm").write_bytes(describe("ex3").path.read_bytes())
    return tmp_path


def test_a_folder_is_checked_without_claims_of_numbers(folder: Path, capsys: Capture) -> None:
    assert status(["check", str(folder), "--expect"]) == 0
    shown, said = capsys.readouterr()
    assert "svt1.dip" in shown
    assert "ex5.dip" not in shown
    assert "1 program claims something about secrets, for `dipc pufferfish check`" in said
    assert status(["check", str(folder / "ex5.dip")]) == 2
    assert "`dipc pufferfish check` decides it" in capsys.readouterr().err
    (folder / "svt1.dip").unlink()
    assert status(["check", str(folder)]) == 0
    assert "dipc pufferfish check" in capsys.readouterr().err


def test_a_folder_of_questions(folder: Path, capsys: Capture) -> None:
    assert status(["pufferfish", "check", str(folder), "--expect", "--json"]) == 0
    found = {Path(each["model"]).name: each["verdict"] for each in contents(capsys.readouterr().out)}
    assert found == {"ex3.hmm": "violated", "ex5.dip": "private", "noisy-max-3.dip": "private"}


def test_the_pytest_plugin_asks_about_secrets(folder: Path, capsys: Capture) -> None:
    file = folder / "ex5.dip"
    assert command_of(str(file)) == "pufferfish check"
    assert status([*command_of(str(file)).split(), str(file), "--expect"]) == 0
    file.write_text(file.read_text(encoding="utf-8").replace("private ln(2)", "private ln(3/2)"))
    assert status([*command_of(str(file)).split(), str(file), "--expect"]) == 1
    assert "count[1] != 0" in capsys.readouterr().out


def test_assert_pufferfish_private() -> None:
    assert dipc.assert_pufferfish_private("noisy-max-3").status == "private"
    with pytest.raises(AssertionError, match="this question is not private"):
        dipc.assert_pufferfish_private(dipc.load("noisy-max-3").pufferfish(), "ln(11/10)")
