"""What exported texts say, without the tools that read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import shipped_programs
from campaigns import some
from export_tools import ROOT, asked, drawn, load, smallest_input

import dipc
from dipc.cli.main import status
from dipc.dipwhile.export.formats import CHAINS, QUESTIONS
from dipc.dipwhile.export.latex import MOST_TERMS, escaped, formula, latex
from dipc.dipwhile.export.smtlib import smtlib
from dipc.errors import InputError
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.sentence import decide

PROGRAMS = [path.relative_to(ROOT / "programs") for path in shipped_programs.PROGRAMS]
SMALL = {"N": 2}


def small(name: Path) -> dict[str, int]:
    """Few cells, where the program has a parameter for that."""
    has_n = re.search(r"^param.*\bN = ", (ROOT / "programs" / name).read_text(), re.MULTILINE)
    return SMALL if has_n and name.parts[0] != "sums" else {}


@pytest.mark.parametrize("name", some(PROGRAMS, 12), ids=str)
def test_every_program_can_be_exported_to_every_language(name: Path) -> None:
    mechanism = load(str(name), **small(name))
    question = asked(mechanism)
    for write in QUESTIONS.values():
        assert write(question).count("\n") > 5
    picture = drawn(mechanism, **smallest_input(mechanism))
    for write in CHAINS.values():
        assert len(write(picture)) > 100


@pytest.mark.parametrize("name", ["svt/svt1.dip", "svt/svt4.dip", "svt/sparse.dip", "histogram/hist2.dip"])
def test_the_claim_is_a_sentence_with_the_truth_value_of_the_verdict(name: str) -> None:
    mechanism = load(name, N=2)
    assert decide(mechanism.sentence()).truth is (mechanism.check().status == "private")


def test_a_query_for_every_different_inequality() -> None:
    question = asked(load("svt/svt4.dip", N=2))
    text = smtlib(question)
    assert text.count("(check-sat)") == len(question.requirements)
    assert text.count("(push 1)") == text.count("(pop 1)")
    assert "; dipc: sat" in text
    code = re.sub("^;.*$", "", text, flags=re.MULTILINE)
    assert code.count("(") == code.count(")")


@pytest.mark.parametrize("name", some(PROGRAMS, 12), ids=str)
def test_latex_is_balanced(name: Path) -> None:
    text = latex(asked(load(str(name), **small(name))))
    bare = re.sub(r"\\[{}]|(?<!\\)%.*", "", text)
    assert bare.count("{") == bare.count("}")
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right") - text.count(
        r"\rightarrow"
    )


COMPILED: list[tuple[str, dict[str, int]]] = [
    ("svt/svt1.dip", {}),  # a long proof
    ("svt/svt4.dip", {}),  # a counterexample
    ("svt/sparse.dip", {}),  # delta
    ("svt/svt_numeric.dip", {"N": 2}),  # long sums
    ("noisy_max/nmax2.dip", {}),
    ("histogram/hist2.dip", {"N": 2}),  # exp(b/eps)
    ("randomized_response/kary.dip", {}),  # quotients
    ("discrete/noisy_max_random.dip", {"N": 2}),  # long quotients
    ("discrete/truncated_geometric_table.dip", {}),  # choose, and equal sides
    ("sums/prefix_sums.dip", {"N": 2}),
    ("exponential/exponential.dip", {}),
    ("sums/partial_sum.dip", {}),
    ("loops/persistent_sample.dip", {}),
]


@pytest.mark.export
@pytest.mark.parametrize(("name", "parameters"), COMPILED)
def test_latex_compiles_and_nothing_juts_out(name: str, parameters: dict[str, int], tmp_path: Path) -> None:
    program = shutil.which("pdflatex") or shutil.which("tectonic")
    if program is None:
        pytest.skip("no TeX (pdflatex or tectonic) is installed")
    options = (
        ["-interaction=nonstopmode", "-halt-on-error"] if program.endswith("pdflatex") else ["--keep-logs"]
    )
    (tmp_path / "x.tex").write_text(latex(asked(load(name, **parameters))), encoding="utf-8")
    run = subprocess.run([program, *options, "x.tex"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:]
    log = (tmp_path / "x.log").read_text(encoding="utf-8", errors="replace")
    assert "Overfull" not in log
    assert "Missing character" not in log


def test_exponents_are_small_and_sums_have_no_common_denominator() -> None:
    text = latex(asked(load("svt/svt1.dip", N=1)))
    law = r"1 - \tfrac{2}{3} \, e^{-\varepsilon/4} + \tfrac{1}{6} \, e^{-\varepsilon/2}$"
    assert rf"\Pr[\mathit{{out}} = [\bot]] = {law}" in text
    assert r"r_{T} \leftarrow \mathrm{Lap}" in text
    assert r"\Delta = 1" in text


def test_long_quotients_can_be_broken() -> None:
    def powers(count: int) -> Quotient:
        return Quotient(sum((ExpPoly.exp(k) for k in range(count)), ExpPoly()))

    assert formula(1 / powers(2)) == r"\dfrac{1}{e^{\varepsilon} + 1}"
    assert r"\dfrac" in formula(1 / powers(MOST_TERMS))
    assert formula(1 / powers(MOST_TERMS + 1)).startswith(r"(1) \,\big/\, (e^{8 \, \varepsilon} + ")


def test_an_inequality_whose_sides_are_equal() -> None:
    assert "Both sides are equal." in latex(asked(load("discrete/truncated_geometric_table.dip")))


def test_a_proof_is_written_out() -> None:
    text = latex(asked(load("svt/svt1.dip", N=1)))
    assert r"\textbf{Proof}" in text
    assert text.count(r"\ge 0$, \quad $a_") > 3
    violated = latex(asked(load("svt/svt4.dip", N=2)))
    assert "It is false: at" in violated
    assert "3 of them fail: the claim is violated.\n" in violated
    assert "All of them hold.\n" in text
    assert "is $" not in violated[: violated.index("Output distributions")]  # a claim is no fact


def test_latex_of_two_inputs_claims_nothing_of_others() -> None:
    mechanism = load("svt/svt4.dip", N=2)
    text = mechanism.export("latex", pair=("q=[0,0]", "q=[0,1]"))
    assert "Between the two inputs that were chosen, $" in text and "All of them hold." in text


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "x.drn"
    program = str(ROOT / "programs" / "svt" / "svt1.dip")
    assert status(["export", program, "-D", "N=2", "--to", "drn", "--input", "q=[0,1]", "-o", str(out)]) == 0
    assert "@type: DTMC" in out.read_text()
    assert capsys.readouterr().out == ""
    assert status(["export", program, "-D", "N=1", "--to", "smtlib", "--claim", "eps for eps in (0, 1]"]) == 0
    assert "(check-sat)" in capsys.readouterr().out
    pair = ["--pair", "q=[0]", "q=[1]"]
    assert status(["export", program, "-D", "N=1", "--to", "mathematica", *pair]) == 0
    assert "u': q = [1]" in capsys.readouterr().out


def test_what_is_missing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    program = str(ROOT / "programs" / "svt" / "svt1.dip")
    assert status(["export", program, "--to", "drn"]) == 2
    assert "no value is given for the input `q`" in capsys.readouterr().err
    assert status(["export", program, "--to", "maple"]) == 2
    with pytest.raises(InputError, match="no export to `maple`"):
        load("svt/svt1.dip").export("maple")


def test_an_epsilon_of_each_pair() -> None:
    """All different inequalities of all pairs, each with the factor of its pair."""
    text = "input q in 0..2; output b in {0, 1}; adjacent linf 2; private CLAIM; r <- Lap(eps, q)\n"
    text += "if r >= 1 then b <- 1 else b <- 0 end"
    for claim, broken in (("eps*distance", 0), ("eps*abs(q - q')/2", 3)):
        mechanism = dipc.load(text.replace("CLAIM", claim))
        script = mechanism.export("smtlib")
        assert script.count("; dipc: sat") == broken and script.count("; dipc: unsat") > 3
        assert escaped(claim) in mechanism.export("latex")
    with pytest.raises(dipc.Unsupported, match="written for Coq"):
        mechanism.export("coq")
