"""The deep check: distributions derived anew agree with those of dipc, and differences are found."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from campaigns import some
from certificates import SMALLER, data_of, path_of, sealed, with_text
from shipped_programs import PROGRAMS

from dipc.cli.main import status
from dipc.dipwhile.certify.compared import compared, rederive
from dipc.kernel import privacy, reading, statements


def checked(data: dict[str, Any]) -> privacy.Certificate:
    return statements.check(sealed(data).encode())


@pytest.mark.parametrize("path", some(PROGRAMS, 12), ids=lambda path: path.stem)
def test_shipped_programs(path: Path) -> None:
    smaller = SMALLER.get(path.stem, {})
    certificate = checked(data_of(path, **smaller))
    assert "derived from the program text" in rederive(certificate)
    given = {name: Fraction(value) for name, value in smaller.items()}
    assert compared(certificate, given, None).differences == []


SVT1 = path_of("svt/svt1")


def edited(data: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """The same distributions with the text of another program."""
    text = data["program"]["text"]
    assert old in text
    return with_text(data, text.replace(old, new))


OTHERS = [
    ("randomized_response/kary", {"k": 2}, "exp(eps)", "exp(eps/2)"),
    ("loops/retry", {}, "(1 + exp(eps))", "(2*exp(eps))"),
    ("loops/leaky_retry", {}, "flip(1/2)", "flip(1/3)"),
    ("loops/persistent_sample", {}, "r > T + 1", "r > T"),
    ("loops/persistent_sample", {}, "flip(1/3)", "flip(2/3)"),
    ("discrete/truncated_geometric", {}, "DLap(eps,", "DLap(2*eps,"),
    ("discrete/truncated_geometric", {}, "DLap(eps, q)", "DLap(eps, 3 - q)"),
    ("discrete/noisy_max_first", {"N": 2}, "argmax(noisy)", "3 - argmin(noisy)"),
    ("discrete/noisy_max_random", {"N": 2}, "flip(1/tied)", "flip(1/3)"),
    ("real_bugs/opendp_2922", {}, "noisy >= T", "noisy > T"),
]


@pytest.mark.parametrize(("name", "parameters", "old", "new"), OTHERS)
def test_other_probabilities_are_refused(
    name: str,
    parameters: dict[str, int],
    old: str,
    new: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A certificate that the kernel accepts, with the text of a program that does something else."""
    data = edited(data_of(path_of(name), **parameters), old, new)
    file = tmp_path / "out.json"
    file.write_text(sealed(data), encoding="utf-8")
    wanted = ["--expect", "violated" if "violation" in data else "private"]
    assert status(["verify", str(file), *wanted, "--no-deep"]) == 3
    capsys.readouterr()
    given = [word for name, value in parameters.items() for word in ("-D", f"{name}={value}")]
    assert status(["verify", str(file), *wanted, *given]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"refused: deep: laws: another probability of \[.*\] is derived from .*", line)


ENDS_SLOWLY = """input  q in {true, false}
output out in {true, false}
adjacent all
private eps for eps in (0, 1/2]

go <- true
while go do
  out <- flip(1/2)
  stop <- flip(1 - eps)
  if stop then go <- false end
end
"""


def test_exit_status_when_not_covered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The probability to leave, 1 - eps, is positive in the interval of the claim but not for every eps."""
    path, file = tmp_path / "slow.dip", tmp_path / "out.json"
    path.write_text(ENDS_SLOWLY, encoding="utf-8")
    assert status(["check", str(path), "--quiet", "--certificate", str(file)]) == 0
    assert status(["verify", str(file), "--deep"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("not derived: the deep check does not cover a loop of which it is not shown")
    assert lines[-4].startswith("IF the listed distributions are those of the program THEN ")


def test_certificate_of_one_pair_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(SVT1), "-D", "N=1", "--pair", "q=[0]", "q=[1]"]
    assert status([*arguments, "--certificate", str(tmp_path / "out.json")]) == 2
    assert "about all neighbours" in capsys.readouterr().err


CONSTANT = """
input q in {0, 1}
output o in {0, 1}
adjacent all
private 0 for eps in (0, 1]
"""

NO_PROBABILITIES = [
    "b <- flip(1 - eps); if b then o <- 0 else o <- 1 end",
    "o <- choose({0: 1/4 + eps/2, 1: 3/4 - eps/2})",
    "o <- choose({0: exp(eps - 3), 1: 1 - exp(eps - 3)})",
]


@pytest.mark.parametrize("draw", NO_PROBABILITIES)
def test_draws_from_what_is_no_probability_are_refused(draw: str, tmp_path: Path) -> None:
    """The inequalities of a law that ignores its input hold whatever its numbers are."""
    path = tmp_path / "constant.dip"
    path.write_text(CONSTANT + draw, encoding="utf-8")
    data = data_of(path)
    assert "derived from the program text" in rederive(checked(data))
    data["claim"]["interval"] |= {"high": None, "high_closed": False}
    longer = checked(data)
    with pytest.raises(reading.Refused, match=r"^deep: draws: a probability is n"):
        rederive(longer)


MEANINGLESS = [
    "if eps = 1 then o <- q else o <- 0 end",
    "o <- floor(0, q)",
    "if q = q' then o <- 0 end",
    "for q in 1..2 do o <- 0 end",
    "o <- 0; o[2] <- q",
    "o <- min(clamp(q, 0, 1), 0)",
    "a[1] <- DLap(eps, q); b[1] <- DLap(eps, q); if a = b then o <- q end",
]


@pytest.mark.parametrize("body", MEANINGLESS)
def test_a_program_that_check_refuses_is_refused(body: str, tmp_path: Path) -> None:
    """The certificate is true for the program ``o <- 0``, which the texts may seem to be."""
    path = tmp_path / "a.dip"
    path.write_text(
        "input q in {0, 1}; output o in {0, 1} = 0; adjacent all; private eps\no <- 0\n", encoding="utf-8"
    )
    data = data_of(path)
    rederive(checked(data))
    with pytest.raises(reading.Refused, match=r"^deep: program: "):
        rederive(checked(edited(data, "o <- 0", body)))


def test_an_adjacency_that_check_refuses_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.dip"
    path.write_text(
        "input q in {0, 1}; output o in {0, 1}; adjacent q = q'; private eps\no <- q\n", encoding="utf-8"
    )
    data = data_of(path)
    with pytest.raises(reading.Refused, match=r"^deep: program: "):
        rederive(checked(edited(data, "adjacent q = q'", "adjacent q = q' or eps = 1")))
