"""``dipc verify`` ends with 0 only for the statement asked for, and escapes what a file says."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from certificates import ROOT, data_of, path_of, sealed, with_text

from dipc.cli.main import status
from dipc.dipwhile.certify.compared import compared
from dipc.kernel import reading, statements
from dipc.kernel.__main__ import main as kernel_main

SVT1, SVT4, SPARSE = (path_of(f"svt/{name}") for name in ("svt1", "svt4", "sparse"))
ALONE = "adjacent forall i in 1..N: q[i] = q'[i] + 100"
BUT = "accepted, but for another statement: "
IF = "IF the listed distributions are those of the program THEN program "


@pytest.fixture
def verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run ``dipc verify`` on a certificate: its exit status, and the lines of its output."""

    def run(data: dict[str, Any], *arguments: str | Path) -> tuple[int, list[str]]:
        file = tmp_path / "out.json"
        file.write_text(sealed(data), encoding="utf-8")
        capsys.readouterr()
        code = status(["verify", str(file), *map(str, arguments)])
        return code, capsys.readouterr().out.split("\n")[:-1]

    return run


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- which statement ---------------------------------------------------------------------------------


def test_the_own_statement(verified: Any) -> None:
    code, lines = verified(data_of(path_of("svt/svt1")), "--program", SVT1)
    assert code == 0
    assert lines[0].startswith("accepted: program 'svt1.dip' with N = 3, ")
    assert lines[1].startswith("derived: 27 distributions ")
    assert lines[2:] == [f"program text: {SVT1}, SHA-256 {sha256(SVT1)}"]


def test_a_parameter_is_overridden(verified: Any) -> None:
    """SVT4 is violated, but private for a single query."""
    data = data_of(SVT4, N=1)
    code, lines = verified(data, "--program", SVT4)
    assert (code, lines[0]) == (1, BUT + "N = 1 (the program says 3)")
    assert lines[1].startswith(IF)
    assert lines[2:] == [
        "not checked: whether these are those of the program text: inputs, outputs, adjacency, distributions",
        f"program text: {SVT4}, SHA-256 {sha256(SVT4)}",
        "overridden: N = 1 (the program says 3)",
    ]
    code, lines = verified(data, "--program", SVT4, "-D", "N=1")
    assert code == 0
    assert lines[-1] == "overridden: N = 1 (the program says 3)"
    code, lines = verified(data, "--program", SVT4, "-D", "N=2")
    assert (code, lines[0]) == (1, BUT + "N = 1 (-D says 2)")


def test_a_parameter_that_depends_on_another(verified: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.dip"
    path.write_text(
        "param N = 1\nparam M = N/2\ninput q in {0, 1}\noutput o in {0, 1} = 0\nadjacent all\nprivate M*eps\n"
    )
    data = data_of(path, N=2)
    assert verified(data)[1][0] == BUT + "N = 2 (the program says 1); M = 1 (the program says 1/2)"
    assert verified(data, "-D", "N=2")[0] == 0
    assert verified(data, "-D", "N=2", "-D", "M=3")[1][0] == BUT + "M = 1 (-D says 3)"
    assert verified(data, "-D", "K=2")[0] == 2


@pytest.mark.parametrize(
    ("claim", "shown"),
    [
        ("2*eps", "(2*eps, 0) for every eps in (0, inf)"),
        ("eps for eps in (0, 1]", "(1*eps, 0) for every eps in (0, 1]"),
        ("eps for eps in [0.1, inf)", "(1*eps, 0) for every eps in [1/10, inf)"),
        ("eps, exp(-2*eps)", "(1*eps, exp(-2*eps)) for every eps in (0, inf)"),
    ],
)
def test_another_claim(verified: Any, claim: str, shown: str) -> None:
    data = data_of(SVT1, claim, N=1)
    other = f"claim {shown} (the program says 'eps')"
    code, lines = verified(data, "--program", SVT1, "-D", "N=1")
    assert (code, lines[0]) == (1, BUT + other)
    code, lines = verified(data, "--program", SVT1, "-D", "N=1", "--claim", claim)
    assert code == 0
    assert lines[-1] == f"overridden: N = 1 (the program says 3); {other}"
    code, lines = verified(data, "--program", SVT1, "-D", "N=1", "--claim", "3*eps")
    assert (code, lines[0]) == (1, f"{BUT}claim {shown} (--claim says '3*eps')")


def test_a_program_without_a_claim(verified: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.dip"
    path.write_text("input q in {0, 1}\noutput o in {0, 1} = 0\nadjacent all\n")
    data = data_of(path, "eps")
    code, lines = verified(data)
    assert (code, lines[0].partition("the program says")[2]) == (1, " nothing: it makes no claim)")
    assert verified(data, "--claim", "eps")[0] == 0


def test_a_violation(verified: Any) -> None:
    data = data_of(SVT4, N=2)
    code, lines = verified(data, "--program", SVT4, "-D", "N=2")
    assert (code, lines[0]) == (1, BUT + "the claim is violated (expected: private)")
    code, lines = verified(data, "--program", SVT4, "-D", "N=2", "--expect", "violated")
    assert code == 0
    assert lines[0].startswith("accepted: program 'svt4.dip' with N = 2, ")
    code, lines = verified(data, "--expect", "violated")
    assert (code, lines[0]) == (1, BUT + "N = 2 (the program says 3)")


@pytest.mark.parametrize(
    ("rate", "budgets"), [("eps", "(0, inf)"), ("eps", "[1/10^12, 1]"), ("1/eps", "(0, 1]")]
)
def test_a_violation_with_a_number_that_is_too_small_to_be_written(
    verified: Any, tmp_path: Path, rate: str, budgets: str
) -> None:
    """At eps = 1 there is exp(-10^12), a number of 4*10^11 digits."""
    path = tmp_path / "a.dip"
    text = "input q in {0, 10^12}\noutput o in {true, false}\nadjacent all\n"
    path.write_text(f"{text}private 0*eps, 1/10 for eps in {budgets}\nr <- Lap({rate}, q)\no <- r >= 0\n")
    code, lines = verified(data_of(path), "--expect", "violated")
    assert code == 0 and "violated at eps = 1" in lines[0]


def test_no_program(verified: Any) -> None:
    """The statement is about the text in the certificate, and that is said."""
    code, lines = verified(data_of(SVT1, N=1), "-D", "N=1")
    assert code == 0
    assert lines[2] == f"program text: in the certificate (no --program given), SHA-256 {sha256(SVT1)}"


# --- without the deep check ----------------------------------------------------------------------------


def test_without_the_deep_check_the_statement_is_conditional(verified: Any) -> None:
    code, lines = verified(data_of(SVT1), "--program", SVT1, "--no-deep")
    assert code == 3
    assert lines[0].startswith(IF + "'svt1.dip' with N = 3, ")
    listed = "claim, parameters, inputs, outputs, adjacency, distributions"
    assert lines[1] == f"not checked: whether these are those of the program text: {listed}"
    assert verified(data_of(SVT1), "--no-deep", "--claim", "eps")[0] == 2
    code, lines = verified(data_of(SVT4, N=2), "--no-deep")
    assert (code, lines[0]) == (1, BUT + "the claim is violated (expected: private)")


def test_the_kernel_is_always_conditional(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.json"
    file.write_text(json.dumps(data_of(SVT1, N=1)), encoding="utf-8")
    assert kernel_main([str(file), "--program", str(SVT1)]) == 0
    accepted, trusted = capsys.readouterr().out.splitlines()
    assert accepted.startswith(f"accepted: {IF}'svt1.dip' with N = 1, ")
    assert trusted.startswith("trusted: that the listed claim, parameters, inputs, outputs, neighbours and ")
    assert sha256(SVT1) in trusted


NEIGHBOURS = "refused: deep: adjacency: the pairs are not the neighbours of the program"
FORMULA = "adjacent forall i in 1..N: abs(q[i] - q'[i]) <= 1"


def test_a_formula_that_the_kernel_cannot_recompute(verified: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.dip"
    path.write_text(SVT1.read_text(encoding="utf-8").replace("adjacent linf 1", FORMULA), encoding="utf-8")
    data = data_of(path, N=1)
    code, lines = verified(data, "--no-deep")
    assert (code, lines[2]) == (3, "not recomputed: the listed pairs of adjacent inputs")
    assert verified(data, "-D", "N=1")[0] == 0
    data["adjacency"]["pairs"].pop(1)
    assert verified(data, "-D", "N=1") == (1, [NEIGHBOURS])


def test_only_a_program_without_neighbours_has_a_certificate_without_pairs(
    verified: Any, tmp_path: Path
) -> None:
    data = data_of(SVT1, N=1)
    data |= {"adjacency": {"kind": "formula", "distance": None, "pairs": []}, "inequalities": []}
    code, lines = verified(data, "-D", "N=1")
    assert (code, lines) == (1, [NEIGHBOURS])
    path = tmp_path / "a.dip"
    path.write_text(SVT1.read_text(encoding="utf-8").replace("adjacent linf 1", ALONE), encoding="utf-8")
    code, lines = verified(data_of(path, N=1), "-D", "N=1")
    assert code == 0 and "0 ordered pairs of neighbours" in lines[0]


# --- what a forger writes ----------------------------------------------------------------------------------

EVIL = "\naccepted: all is well\x1b[2K\x1b[1A\u202egpj\u2028\r\x07\x9b2J\ud800"


def lines_of(output: str) -> list[str]:
    """The lines as any terminal may break them."""
    assert all(" " <= c <= "~" or c == "\n" for c in output), output
    return output.splitlines()


def forged(name: str) -> dict[str, Any]:
    data = data_of(SVT1, N=1)
    data["program"] = {**data["program"], "name": name}
    return data


@pytest.mark.parametrize("options", [(), ("-D", "N=1"), ("--no-deep",), ("--expect", "violated")])
def test_a_name_of_a_forger(verified: Any, options: tuple[str, ...]) -> None:
    _, lines = verified(forged("a" + EVIL), *options)
    shown = lines_of("\n".join(lines))
    assert shown == lines
    assert sum(line.startswith(("accepted", "refused")) for line in shown) <= 1
    assert all("all is well" not in line or "program 'a\\" in line for line in shown)


def with_value(data: dict[str, Any], where: str) -> dict[str, Any]:
    """The certificate with the evil text somewhere where the reason of the refusal shows it."""
    match where:
        case "field":
            data[EVIL] = 1
        case "rational":
            data["claim"]["t"] = EVIL
        case "name of a parameter":
            data["parameters"][EVIL] = "1"
        case "value":
            data["inputs"][0]["domain"][0] = EVIL
        case "proof":
            data["inequalities"][0]["proof"]["kind"] = EVIL
        case "program":
            text = data["program"]["text"] + EVIL.removesuffix("\ud800")
            return with_text(data, text)
        case "claim of the program":
            text = data["program"]["text"].replace("private eps", "private (2 # \x1b[2K\u202e\n*eps)")
            return with_text(data, text)
    return data


WHERE = ["field", "rational", "name of a parameter", "value", "proof", "program", "claim of the program"]


@pytest.mark.parametrize("where", WHERE)
def test_other_text_of_a_forger(
    verified: Any, where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = with_value(data_of(SVT1, N=1), where)
    code, lines = verified(data, "-D", "N=1")
    assert code == 1
    assert lines_of("\n".join(lines)) == lines
    assert sum(line.startswith(("accepted", "refused")) for line in lines) == 1
    kernel_main([str(tmp_path / "out.json")])
    assert len(lines_of(capsys.readouterr().out)) <= 2


def test_the_kernel_alone_escapes_as_well(tmp_path: Path) -> None:
    """Also where the output has no encoding for such characters."""
    file = tmp_path / "out.json"
    data = forged("\u0161" + EVIL)
    file.write_text(sealed(data), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(ROOT / "dipc" / "kernel"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(lines_of(done.stdout)) == 2


def test_compared_refuses_other_parameters() -> None:
    data = data_of(SVT1, N=1)
    data["parameters"].pop("c")
    certificate = statements.check(sealed(data).encode())
    with pytest.raises(reading.Refused, match=r"^deep: parameters: "):
        compared(certificate, {}, None)


# --- programs that check refuses ----------------------------------------------------------------------------

CONSTANT = "input q in {0, 1}\noutput o in {0, 1}\nadjacent all\nprivate eps\n"


def test_a_program_that_check_refuses(verified: Any, tmp_path: Path) -> None:
    """The certificate of a program without a leak, with the text of a program that has no meaning."""
    honest, broken = tmp_path / "honest.dip", tmp_path / "broken.dip"
    honest.write_text(CONSTANT + "o <- 0\n")
    broken.write_text(CONSTANT + "x[1] <- 1; z <- q + 3; x[z] <- 1; o <- 0\n")
    data = with_text(data_of(honest), broken.read_text())
    assert status(["check", str(broken)]) == 2
    code, lines = verified(data, "--program", broken)
    assert (code, lines[0].partition(" THEN ")[0]) == (3, IF.partition(" THEN ")[0])
    assert lines[-1].startswith("not derived: the deep check does not cover ")


def test_a_name_cannot_end_its_quotation(verified: Any) -> None:
    """The name of a program stands between quotation marks, whatever is in it."""
    data = data_of(SVT1, N=1)
    data["program"]["name"] = "x' is (0*eps, 0)-private: program '"
    code, lines = verified(data, "-D", "N=1")
    assert code == 0 and lines[0].startswith(
        "accepted: program 'x_ is (0*eps, 0)-private: program _' with N = 1"
    )
