"""The programs that only ``dipc prove`` takes, those in ``programs/every_size``, under all commands."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from answers import contents
from campaigns import spared

import dipc
from dipc.cli.main import status
from dipc.dipwhile.commands.options import command_of
from dipc.dipwhile.syntax.compile import asks
from dipc.errors import Source
from dipc.shipped import describe, every_size_programs, expected_verdict, paths

Capture = pytest.CaptureFixture[str]
NAMES = sorted(every_size_programs())
T = {"gap": "1", "noisy_max_loop": "1", "range": "1", "smart_sum": "2"}
HEAD = "param N = 3; input q[N] in {0, 1}; output o in {0, 1} = 0; adjacent linf 1;"


def test_there_are_some() -> None:
    assert set(NAMES) == set(T)


@pytest.mark.parametrize("name", NAMES)
def test_what_they_say_of_themselves(name: str) -> None:
    shipped = describe(name)
    assert shipped.is_for_every_size
    assert shipped.title
    assert shipped.source
    assert shipped.expect in ("private", "violated")
    assert expected_verdict(Source(name, shipped.path.read_text(encoding="utf-8"))) is None


@cache
def proved(name: str) -> dipc.ProveVerdict:
    return dipc.load(name).prove()


@pytest.mark.parametrize("name", spared(NAMES, {"range"}))
def test_less_noise_is_not_proved(name: str) -> None:
    """With half of the rates everywhere, half of t is enough; below that nothing is proved."""
    t = proved(name).least.high  # type: ignore[union-attr]
    assert t is not None
    assert dipc.load(name).prove(f"{t * 99 / 100}*eps").status != "private"
    text = re.sub(r"\beps(?=[/,])", "eps/2", every_size_programs()[name].read_text(encoding="utf-8"))
    assert dipc.load(text).prove(f"{t / 2}*eps").status == "private"


def test_a_folder_is_proved(capsys: Capture) -> None:
    folder = next(iter(every_size_programs().values())).parent
    assert status(["prove", str(folder), "--expect", "--json"]) == 0
    found = contents(capsys.readouterr().out)
    assert {Path(each["program"]).stem: each["as_expected"] for each in found} == dict.fromkeys(T, True)


@pytest.mark.parametrize("names", [["gap"], ["gap", "range"]])
def test_a_folder_is_checked_without_them(names: list[str], tmp_path: Path, capsys: Capture) -> None:
    for name in ("rand1", *names):
        (tmp_path / f"{name}.dip").write_bytes(paths()[name].read_bytes())
    assert status(["check", str(tmp_path), "--expect"]) == 0
    shown, said = capsys.readouterr()
    assert "rand1.dip" in shown
    assert "gap.dip" not in shown
    count = "1 program is" if len(names) == 1 else "2 programs are"
    assert f"{count} for every size, for `dipc prove`: " in said
    assert status(["pufferfish", "check", str(tmp_path)]) == 2
    assert "there is no model" in capsys.readouterr().err
    (tmp_path / "rand1.dip").unlink()
    assert status(["check", str(tmp_path)]) == 2
    assert "for every size: dipc prove" in capsys.readouterr().err


def test_one_is_refused_by_name(capsys: Capture) -> None:
    for name in NAMES:
        assert status(["check", name]) == 2
        assert "`dipc prove` decides" in capsys.readouterr().err
    assert status(["gap"]) == 2
    assert "did you mean `dipc prove gap`?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "every_size"),
    [
        (f"{HEAD} private eps; o <- 1", False),
        (f"{HEAD} private eps for all N; o <- 1", True),
        (HEAD.replace("{0, 1};", "reals;", 1) + "private eps; o <- 1", True),
        (HEAD.replace("o in {0, 1}", "o in [0, 1]") + "private eps; o <- 1", True),
        (f"{HEAD} private eps; c <- 0; while c < 2 do c <- c + 1; r <- Lap(eps, 0) end", True),
        (f"{HEAD} private eps; c <- 0; while c < 2 do c <- choose {{1: 1/2, 2: 1/2}} end", False),
        (f"{HEAD} private eps for all", False),  # broken
    ],
)
def test_which_are_for_every_size(text: str, every_size: bool) -> None:
    assert asks(Source("p.dip", text)).every_size is every_size


def test_the_pytest_plugin_proves_them(tmp_path: Path) -> None:
    file = tmp_path / "gap.dip"
    file.write_bytes(every_size_programs()["gap"].read_bytes())
    assert command_of(str(file)) == "prove"
    assert status(["prove", str(file), "--expect"]) == 0
    file.write_text(file.read_text(encoding="utf-8").replace("<- r - rT", "<- r"), encoding="utf-8")
    assert status(["prove", str(file), "--expect"]) == 1
