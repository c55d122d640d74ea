"""What exported texts say, without the tools that read them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from export_tools import ROOT, asked, drawn, load

from dipc.cli.main import status
from dipc.decision.sentence import decide
from dipc.errors import InputError
from dipc.export.dot import dot, svg
from dipc.export.formats import CHAINS, QUESTIONS
from dipc.export.latex import latex
from dipc.export.smtlib import smtlib

PROGRAMS = sorted(path.relative_to(ROOT / "programs") for path in (ROOT / "programs").rglob("*.dip"))
SMALL = {"N": 2}


def small(name: Path) -> dict[str, int]:
    """Few cells, where the program has a parameter for that."""
    has_n = re.search(r"^param.*\bN = ", (ROOT / "programs" / name).read_text(), re.MULTILINE)
    return SMALL if has_n and name.parts[0] != "sums" else {}


@pytest.mark.parametrize("name", PROGRAMS, ids=str)
def test_every_program_can_be_exported_to_every_language(name: Path) -> None:
    mechanism = load(str(name), **small(name))
    question = asked(mechanism)
    for write in QUESTIONS.values():
        assert write(question).count("\n") > 5
    first = {
        v.name: v.domain[0] if v.size is None else (v.domain[0],) * v.size for v in mechanism.program.inputs
    }
    picture = drawn(mechanism, **first)
    for language, write in CHAINS.items():
        if language != "svg":
            assert write(picture).count("\n") > 5


@pytest.mark.parametrize("name", ["svt/svt1.dip", "svt/svt4.dip", "svt/sparse.dip", "histogram/hist2.dip"])
def test_the_claim_is_a_sentence_with_the_truth_value_of_the_verdict(name: str) -> None:
    mechanism = load(name, N=2)
    assert decide(mechanism.sentence()).truth is (mechanism.check().status == "private")


def test_a_query_for_every_different_inequality() -> None:
    question = asked(load("svt/svt4.dip", N=2))
    text = smtlib(question)
    assert text.count("(check-sat)") == len(question.requirements)
    assert text.count("(push 1)") == text.count("(pop 1)")
    assert smtlib(question, 3).count("(check-sat)") == 1
    assert "; dipc: sat" in text
    code = re.sub("^;.*$", "", text, flags=re.MULTILINE)
    assert code.count("(") == code.count(")")


def test_a_chain_is_drawn_like_figure_2_of_the_paper() -> None:
    """Randomized response for two cells: a binary tree of depth 2 with p and q on its edges."""
    text = dot(drawn(load("randomized_response/rand1.dip", N=2), q=("true", "false")))
    assert "rankdir=TB" in text
    assert len(re.findall(r"->.*p1", text)) == len(re.findall(r"->.*p2", text)) == 3
    assert "p1 = exp(eps)/(exp(eps) + 1)" in text
    assert "out = [true, false]" in text


def test_random_variables_are_shown_like_in_figure_4() -> None:
    text = dot(drawn(load("svt/svt1.dip", N=2), q=(0, 1)))
    assert re.search(r"count=0 out\[2\]=bot\\nr=s0 rT=s1", text)


@pytest.mark.export
def test_graphviz_draws_the_chain() -> None:
    picture = drawn(load("svt/svt1.dip", N=2), q=(0, 1))
    if shutil.which("dot") is None:
        with pytest.raises(InputError, match="Graphviz"):
            svg(picture)
        pytest.skip("Graphviz (its program `dot`) is not installed")
    assert "<svg" in svg(picture)


@pytest.mark.parametrize("name", PROGRAMS, ids=str)
def test_latex_is_balanced(name: Path) -> None:
    text = latex(asked(load(str(name), **small(name))))
    bare = re.sub(r"\\[{}]|(?<!\\)%.*", "", text)
    assert bare.count("{") == bare.count("}")
    assert len(re.findall(r"(?<!\\)\$", text)) % 2 == 0
    assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right") - text.count(
        r"\rightarrow"
    )


@pytest.mark.export
@pytest.mark.parametrize("name", ["svt/svt1.dip", "svt/svt4.dip", "randomized_response/kary.dip"])
def test_latex_compiles(name: str, tmp_path: Path) -> None:
    program = shutil.which("pdflatex") or shutil.which("tectonic")
    if program is None:
        pytest.skip("no TeX (pdflatex or tectonic) is installed")
    options = ["-interaction=nonstopmode", "-halt-on-error"] if program.endswith("pdflatex") else []
    (tmp_path / "x.tex").write_text(latex(asked(load(name))), encoding="utf-8")
    run = subprocess.run([program, *options, "x.tex"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-2000:]


def test_a_proof_is_written_out() -> None:
    text = latex(asked(load("svt/svt1.dip", N=1)))
    assert r"\textbf{Proof}" in text
    assert text.count(r"\ge 0$, \quad $a_") > 3
    assert "It is false: at" in latex(asked(load("svt/svt4.dip", N=2)))


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
