"""The deep check: distributions derived anew agree with those of dipc, and differences are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dipc
from dipc.certificate import kernel
from dipc.certificate.format import dumps
from dipc.certificate.produce import certificate
from dipc.certificate.rederive import rederive
from dipc.certificate.slow.functions import NotCovered
from dipc.cli.main import status

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = sorted((ROOT / "programs").rglob("*.dip"))
NOT_COVERED = {"discrete Laplace noise", "a loop of 64 rounds or more"}


def written(path: Path, claim: str | None = None, **parameters: Any) -> dict[str, Any]:
    mechanism = dipc.load(path, **parameters)
    data = json.loads(dumps(certificate(mechanism.program, mechanism.check(claim))))
    assert isinstance(data, dict)
    return data


def checked(data: dict[str, Any]) -> kernel.Certificate:
    return kernel.check(json.dumps({**data, "digest": kernel.digest(data)}).encode())


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_shipped_programs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    try:
        said = rederive(checked(written(path)))
    except NotCovered as limit:
        assert str(limit) in NOT_COVERED
        assert "DLap" in text or "while" in text
    else:
        assert "derived from the program text" in said
        assert "not the one" not in said


SVT1 = ROOT / "programs" / "svt" / "svt1.dip"


def test_another_claim_is_named() -> None:
    assert "not the one that the program makes" in rederive(checked(written(SVT1, "2*eps", N=1)))


def test_a_formula_that_relates_more_pairs(tmp_path: Path) -> None:
    path = tmp_path / "a.dip"
    text = SVT1.read_text(encoding="utf-8").replace(
        "adjacent linf 1", "adjacent forall i in 1..N: abs(q[i] - q'[i]) <= 1"
    )
    path.write_text(text, encoding="utf-8")
    data = written(path, N=1)
    rederive(checked(data))
    data["adjacency"]["pairs"].pop(1)
    with pytest.raises(kernel.Refused, match=r"^deep: adjacency: "):
        rederive(checked(data))


def test_other_probabilities() -> None:
    """Two mechanisms with the same outcomes: the distributions of one with the text of the other."""
    kary = ROOT / "programs" / "randomized_response" / "kary.dip"
    ours, other = written(kary, k=2), written(kary, k=2)
    text = ours["program"]["text"].replace("exp(eps)", "exp(eps/2)")
    assert text != ours["program"]["text"]
    other["program"] = {
        **ours["program"],
        "text": text,
        "sha256": kernel.hashlib.sha256(text.encode()).hexdigest(),
    }
    with pytest.raises(kernel.Refused, match=r"^deep: laws: "):
        rederive(checked(other))


def test_exit_status_when_not_covered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.json"
    path = ROOT / "programs" / "loops" / "retry.dip"
    assert status(["check", str(path), "--quiet", "--certificate", str(file)]) == 0
    assert status(["verify", str(file), "--deep"]) == 3
    written_lines = capsys.readouterr().out.splitlines()
    assert written_lines[-1] == "not derived: the slow route does not cover a loop of 64 rounds or more"
    assert written_lines[-3].startswith("accepted: ")


def test_certificate_of_one_pair_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(SVT1), "-D", "N=1", "--pair", "q=[0]", "q=[1]"]
    assert status([*arguments, "--certificate", str(tmp_path / "out.json")]) == 2
    assert "about all neighbours" in capsys.readouterr().err
