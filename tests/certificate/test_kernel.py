"""The kernel alone: every shipped program, claims of every kind, files that are no certificates."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from certificates import ROOT, SMALLER, certified, path_of, written
from patience import PATIENCE
from proving import prove
from shipped_programs import PROGRAMS

import dipc
from dipc.certificate.format import dumps
from dipc.cli.main import status
from dipc.kernel import facts, laws, reading, statements
from dipc.kernel.__main__ import main
from dipc.kernel.reading import Refused
from dipc.kernel.statements import check

KERNEL = ROOT / "dipc" / "kernel"
MIB = 2**20


def alone(*arguments: Path | str) -> subprocess.CompletedProcess[str]:
    """The kernel as a program of its own: no site packages, no environment, another folder."""
    command = [sys.executable, "-I", "-S", str(KERNEL), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=PATIENCE)


def here(capsys: pytest.CaptureFixture[str], *arguments: Path | str) -> tuple[int, str]:
    """The same program without a process of its own: its exit status and what it prints."""
    found = main(list(map(str, arguments)))
    printed = capsys.readouterr()
    assert printed.err == ""
    return found, printed.out


def refusal(data: bytes, program: bytes | None = None) -> str:
    with pytest.raises(reading.Refused) as refused:
        statements.check(data, program)
    return str(refused.value)


# --- shipped programs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_program_has_a_certificate_that_the_kernel_accepts(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "out.json"
    verdict, text = certified(path, **SMALLER.get(path.stem, {}))
    file.write_text(text, encoding="utf-8")
    found, printed = here(capsys, file, "--program", path)
    assert found == 0
    accepted, trusted = printed.splitlines()
    assert accepted.startswith("accepted: IF the listed distributions are those of the program THEN ")
    assert f" program '{path.name}'" in accepted
    assert ("not (" in accepted) == (verdict.status == "violated")
    assert trusted.startswith("trusted: ")
    assert file.stat().st_size < MIB


# --- claims of every kind ------------------------------------------------------------------------------

FORMULA = "forall i in 1..N: abs(q[i] - q'[i]) <= 1 and q[i] <= q'[i]"
CLAIMS = [
    # program, claim, the proofs that must occur, options
    ("svt/svt1", "37/50*eps for eps in (0, 47]", {"chain", "pieces"}, {}),
    ("svt/svt1", "37/50*eps for eps in [3, 47)", {"chain", "pieces"}, {}),
    ("svt/svt1", "eps", {"chain"}, {"N": 2, "adjacent": FORMULA}),
    ("svt/svt1", "3/4*eps", {"point"}, {"N": 2, "at": "7/3"}),
    ("svt/svt4", "1/2*eps", set(), {"N": 2, "at": "1/2"}),
    ("svt/svt4", "eps", set(), {"N": 2, "adjacent": FORMULA.replace(" and q[i] <= q'[i]", "")}),
    ("noisy_max/nmax1", "99/100*eps for eps in (0, 20]", {"chain", "pieces"}, {}),
    ("svt/sparse", "eps/2, exp(-2)", {"chain", "pieces"}, {"c": 2}),
    ("svt/sparse", "eps/2, exp(-3) for eps in (0, 3.6545]", {"chain", "pieces"}, {}),
    ("svt/sparse", "eps/4, 1/2", {"chain", "pieces"}, {}),
    ("svt/sparse", "eps/2, exp(-2)", {"point"}, {"at": "3"}),
    ("svt/sparse", "eps/2, exp(-2.125)", set(), {}),
    ("svt/sparse", "0*eps, 9/10", {"chain", "pieces"}, {}),
    ("svt/sparse", "eps/2, exp(-2)", {"chain"}, {"N": 2, "adjacent": FORMULA}),
    ("randomized_response/rand1", "eps", {"identity"}, {}),
    ("randomized_response/rand1", "eps", {"identity", "point"}, {"at": "1/3"}),
    ("histogram/hist2", "eps for eps in [1, inf)", {"binomial", "pieces", "inverse"}, {"N": 1}),
    ("histogram/hist2", "eps for eps in [1, inf)", {"binomial", "product"}, {}),
    ("histogram/hist2", "eps for eps in [1, 2]", {"binomial", "pieces"}, {"N": 2}),
    ("histogram/hist2", "eps/2 for eps in [3/2, inf)", {"binomial"}, {"N": 2}),
    ("histogram/hist2", "eps, 1/2", {"binomial", "pieces"}, {"N": 2}),
    ("histogram/hist2", "0*eps, (1 - exp(-1/eps))/2", {"inverse"}, {"N": 1}),
    ("histogram/hist2", "eps, 1/10 for eps in [1/2, inf)", set(), {"N": 1}),
    ("histogram/hist2", "eps", set(), {}),
]


@pytest.mark.parametrize(
    ("name", "claim", "kinds", "options"),
    CLAIMS,
    ids=lambda x: str(sorted(x)) if isinstance(x, set) else str(x),
)
def test_claims(
    name: str,
    claim: str,
    kinds: set[str],
    options: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = written(path_of(name), claim, **options)
    file = tmp_path / "out.json"
    file.write_text(text, encoding="utf-8")
    found, printed = here(capsys, file)
    assert found == 0, printed
    assert kinds <= set(re.findall(r'"kind": "(\w+)"', text))


def test_sizes() -> None:
    assert len(written(path_of("svt/svt1"), N=3)) < 100_000
    text = written(path_of("svt/svt1"), N=4)
    assert len(text) < MIB
    check(text.encode())


FORMULA_OF_ALL = """
input q[2] in {0, 1}; output o in {0, 1}
adjacent q[1] = q'[1] or q[1] != q'[1]
private eps
o <- 0
"""


def test_too_many_listed_pairs_is_an_honest_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(laws, "MAX_PAIRS", 15)
    path, file = tmp_path / "all.dip", tmp_path / "out.json"
    path.write_text(FORMULA_OF_ALL, encoding="utf-8")
    assert status(["check", str(path), "--quiet", "--certificate", str(file)]) == 3
    assert "16 pairs of inputs" in capsys.readouterr().err
    assert not file.exists()


def test_the_negated_proof_does_not_pass() -> None:
    """f = 1 - exp(eps) has no proof of any kind, whatever is written down."""
    f: facts.Function = {
        facts.UNIT: Fraction(1),
        (0, Fraction(1), *facts.UNIT[2:]): -Fraction(1),
    }
    on = facts.Interval(facts.ZERO, None, False, False)
    for proof in (
        {"kind": "identity"},
        {"kind": "point"},
        {"kind": "chain", "at": "0"},
        {"kind": "pieces", "points": ["0", None], "pieces": ["tail"]},
        {"kind": "pieces", "points": ["0", "1", None], "pieces": [["low", 1, [["1"]]], "tail"]},
        {"kind": "pieces", "points": ["0", "1", None], "pieces": [["high", 0, [["1"]]], "tail"]},
        {"kind": "inverse", "proof": {"kind": "identity"}},
    ):
        with pytest.raises(reading.Refused):
            prove(f, on, proof, "test")


# --- files that are no certificates ----------------------------------------------------------------------

BROKEN = [
    (b"", "reading"),
    (b"not JSON", "reading"),
    (bytes(range(256)) * 10, "reading"),
    (b"\xff\xfe\x00", "reading"),
    (b"\x1f\x8bbroken gzip", "reading"),
    (b"[]", "format"),
    (b"{}", "format"),
    (b'{"format": "another certificate", "version": 2}', "format"),
    (b"[" * 100_000 + b"]" * 100_000, "reading"),
    (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "reading"),
    (b'{"version": NaN}', "reading"),
    (b'{"version": 1.0}', "reading"),
    (b'{"version": ' + b"9" * 100_000 + b"}", "reading"),
    (b'{"version": 1, "version": 1}', "reading"),
    (b"[" + b"[]," * 10**6 + b"[]]", "reading"),
]


@pytest.mark.parametrize(("data", "step"), BROKEN, ids=lambda x: repr(x[:20]))
def test_broken_files(data: bytes, step: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "broken.json"
    file.write_bytes(data)
    found, printed = here(capsys, file)
    assert found == 1
    assert printed.startswith(f"refused: {step}: ")
    assert status(["verify", str(file)]) == 2
    said = rf"error: {re.escape(str(file))} is not a certificate \(.+\)\n +help: make one: dipc check"
    assert re.match(said, capsys.readouterr().err)


def test_truncated_anywhere() -> None:
    data = written(path_of("svt/svt4"), N=2).strip().encode()
    for length in range(0, len(data), 7):
        assert refusal(data[:length]).startswith(("reading", "format"))


def test_another_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    file.write_text(written(path_of("svt/svt1"), N=1), encoding="utf-8")
    other = ROOT / "programs" / "svt" / "svt2.dip"
    assert alone(file, "--program", other).stdout.startswith("refused: program: the given program is not")
    capsys.readouterr()
    assert status(["verify", str(file), "--program", str(other)]) == 1
    said = capsys.readouterr().out
    assert f"the one in the certificate, 'svt1.dip', but {other}" in said


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\r"])
def test_a_comment_that_swallows_a_line_is_another_program(end: str) -> None:
    """Python's ``splitlines`` ends a line there, dipc's reader does not: the comment goes on."""
    leaking = (
        "input q in {true, false}; output o in {true, false}; adjacent all; private eps\n"
        "o <- true\n# now\nif not q then o <- false end\n"
    )
    swallowed = dipc.load(leaking.replace("# now\n", f"# now{end}"))
    data = json.dumps(swallowed.certificate()).encode()
    assert dipc.load(leaking).check().status == "violated"
    assert check(data).summary()[0].startswith("accepted")
    with pytest.raises(Refused, match="the given program is not the one"):
        check(data, leaking.encode())


def test_an_input_is_no_neighbour_of_itself_with_another_distribution() -> None:
    program = dipc.load("input q in {0, 1}; output o in {0, 1}; adjacent all; private eps\no <- q")
    data = program.certificate()
    data["violation"]["neighbour"] = data["violation"]["input"]
    assert "one input has two distributions" in refusal(dumps(data).encode())


def test_ends_of_lines_of_windows_make_no_other_program() -> None:
    text = path_of("svt/svt1").read_text(encoding="utf-8")
    data = written(path_of("svt/svt1"), N=1).encode()
    for same in (text.replace("\n", "\r\n"), "\ufeff" + text):
        assert check(data, same.encode()).summary()[0].startswith("accepted")


# --- the file itself -------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(KERNEL.glob("*.py")), ids=lambda path: path.stem)
def test_the_kernel_uses_the_standard_library_only(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0)
        for name in ([a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    }
    assert names <= set(sys.stdlib_module_names)
    floats = [
        n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, float | complex)
    ]
    assert not floats


def test_the_core_knows_no_privacy() -> None:
    text = (KERNEL / "facts.py").read_text(encoding="utf-8")
    assert "privacy" not in text.replace("It knows no privacy", "").replace("privacy parameter", "")
    assert len(text.splitlines()) <= 700


STATEMENTS = {
    "program": ["check", "svt1", "-D", "N=1"],
    "every size": ["prove", "svt1"],
    "hidden": ["pufferfish", "check", "ex2"],
    "class": ["pufferfish", "check", "ex3"],
    "chain": ["model", "check", "survey", "D[ln 3, 0](X out_1)"],
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_copy_of_the_folder_runs(statement: str, tmp_path: Path) -> None:
    """Under another name, beside a folder that is called like a module of the standard library."""
    copy, file = tmp_path / "a copy", tmp_path / "out.json"
    shutil.copytree(KERNEL, copy)
    (tmp_path / "numbers").mkdir()
    (tmp_path / "numbers" / "__init__.py").write_text("raise ImportError", encoding="utf-8")
    assert status([*STATEMENTS[statement], "--quiet", "--certificate", str(file)]) in (0, 1)
    runs = [
        subprocess.run([sys.executable, *command, str(file)], capture_output=True, text=True, cwd=folder)
        for command, folder in ((["-I", "-S", str(copy)], "/"), (["-m", "dipc.kernel"], ROOT))
    ]
    assert [(run.returncode, run.stderr) for run in runs] == [(0, "")] * 2
    assert runs[0].stdout == runs[1].stdout and runs[0].stdout.startswith("accepted: IF the listed ")


DEEP = [
    KERNEL.parent / "dipwhile" / "certify" / "compared.py",
    *sorted((KERNEL.parent / "dipwhile" / "rederive").glob("*.py")),
]
SHARED = {
    "errors": "kinds of errors; nothing is computed there",
    "kernel.*": "the checker of proofs, standard library only: its rules are what everybody trusts",
    "dipwhile.syntax.ast": "the names of the nodes of a tree",
    "dipwhile.syntax.walk.statements": "lists the statements of a tree; nothing is computed there",
    "dipwhile.syntax.walk.nodes": "lists the nodes of an expression; nothing is computed there",
    "dipwhile.syntax.parser": "trusted: `tests/reader.py` reads the same from every program of the tests",
    "dipwhile.syntax.compile": "the checks of the front end: here they can only refuse",
    "dipwhile.convert": "a parameter as the front end takes it, for those checks",
}
"""The modules of dipc that both routes use, and why."""


@pytest.mark.parametrize("path", DEEP, ids=lambda path: path.stem)
def test_the_deep_check_shares_no_arithmetic(path: Path) -> None:
    """Of dipc only the kernel and what is listed above; otherwise the standard library alone."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        assert not isinstance(node, ast.Constant) or not isinstance(node.value, float | complex)
        if isinstance(node, ast.Import):
            assert {name.name for name in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [module, *(f"{module}.{name.name}" for name in node.names)]
            own = all(name.startswith(("dipc.dipwhile.rederive.", "dipc.kernel.")) for name in names[1:])
            known = any(name == f"dipc.{part}" for part in SHARED for name in names)
            assert own or known or module.split(".")[0] in sys.stdlib_module_names, module
