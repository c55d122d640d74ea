"""Verdicts as theorems: what the files say, that Coq accepts them, and that it refuses altered ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from coq_tools import (
    AXIOMS,
    LIBRARY,
    Case,
    accepted,
    alone,
    altered,
    code,
    hold,
    judged,
    refusals,
    written,
)
from export_tools import ROOT, load
from hypothesis import given
from hypothesis import strategies as st

from dipc.claims.verdict import Undecided
from dipc.cli.main import status
from dipc.clock import limits
from dipc.dipwhile.export.coq.theorems import coq
from dipc.dipwhile.mechanisms import Mechanism
from dipc.errors import InputError, LimitReached
from dipc.export.coq.library import FOLDER, MODULES, MORE, inlined
from dipc.export.coq.terms import comment

# Programs with their verdicts: all adjacencies, delta = 0 and > 0, whole half-lines and intervals.
PROVED: tuple[Case, ...] = (
    ("svt/svt1.dip", {"N": 2}, None),
    ("noisy_max/nmax1.dip", {"N": 2}, None),
    ("svt/svt3_quarter.dip", {"N": 2}, None),
    ("histogram/hist1.dip", {"N": 1}, None),
    ("randomized_response/kary.dip", {}, None),
    ("randomized_response/warner.dip", {}, None),
    ("exponential/exponential.dip", {}, None),
    ("discrete/truncated_geometric.dip", {}, None),
    ("loops/retry.dip", {}, None),
    ("real_bugs/opendp_2922_fixed.dip", {}, None),  # delta > 0
    ("real_bugs/opendp_480_fixed.dip", {}, None),
    ("real_bugs/mbi_65_fixed.dip", {}, None),
    ("real_bugs/datasynthesizer_34_fixed.dip", {}, None),
    ("svt/svt1.dip", {"N": 1}, "3/4*eps for eps in [1/2, 2)"),
    ("svt/svt1.dip", {"N": 1}, "eps/2, 1/2"),
    ("randomized_response/warner.dip", {}, "eps/2, eps/(1 + eps)"),
)
BROKEN: tuple[Case, ...] = (
    ("svt/svt4.dip", {"N": 2}, None),
    ("svt/svt3.dip", {"N": 2}, None),
    ("noisy_max/nmax4.dip", {"N": 2}, None),
    ("randomized_response/kary_wrong.dip", {}, None),
    ("loops/leaky_retry.dip", {}, None),
    ("real_bugs/opendp_2922.dip", {}, None),  # delta > 0
    ("real_bugs/opendp_480.dip", {}, None),
    ("real_bugs/mbi_65.dip", {}, None),
    ("svt/svt1.dip", {"N": 1}, "eps/8 for eps in (3, 4]"),
)


# --- without Coq --------------------------------------------------------------------------------------

HOLES = re.compile(r"\b(Axioms?|Admitted|admit|give_up|Parameters?|Conjecture|Abort|bypass_check|Unset)\b")


def read_well(text: str) -> None:
    """That a file has no holes, and ends with what Coq has to say of its theorem."""
    assert not HOLES.search(code(text))
    assert "Theorem claim :" in text
    assert text.rstrip().endswith(("Print Assumptions claim.", "Print Assumptions proved."))


@pytest.mark.parametrize("case", [*PROVED, *BROKEN], ids=str)
def test_the_files_are_well_formed(case: Case) -> None:
    read_well(written(case, library=True))


def test_all_modules_are_compiled() -> None:
    assert {f"{module}.v" for module in LIBRARY} == {file.name for file in FOLDER.glob("*.v")}


def test_the_library_comes_whole_but_for_its_imports() -> None:
    text = "\n".join(inlined((*MODULES, *MORE)))
    assert "From Dipc" not in text
    heads = re.findall(r"^From Co\w+ Require (.*)\.$", text, re.MULTILINE)
    required = {name for line in heads for name in line.split()}
    for module in (*MODULES, *MORE):
        (inside,) = re.findall(rf"^Module {module}\.\n(.*)^End {module}\.$", text, re.MULTILINE | re.DOTALL)
        original = (FOLDER / f"{module}.v").read_text(encoding="utf-8")
        assert inside == re.sub(r"^From \w+ Require Import", "Import", original, flags=re.MULTILINE)
        for needed in re.findall(r"^From Co\w+ Require Import (.*)\.$", original, re.MULTILINE):
            assert set(needed.split()) <= required


@given(st.text(st.sampled_from("(*)\"'\n.a é\u202e\x1b"), max_size=12))
def test_no_text_breaks_out_of_a_comment(text: str) -> None:
    shown = comment(text)
    assert shown.isascii() and shown.isprintable()
    assert code(f"Qed. (* {shown} *) Qed.").split() == ["Qed.", "Qed."]
    assert code(f"Qed. (* {shown}\n   {shown} *) Qed.").split() == ["Qed.", "Qed."]


def test_names_of_programs_cannot_break_out(tmp_path: Path) -> None:
    text = "input q in {0, 1}; output o in {a, b}; adjacent all; private eps; o <- a"
    file = tmp_path / '*) Axiom x : False. (* " é.dip'
    file.write_text(text.replace(";", "\n"), encoding="utf-8")
    found = Mechanism.load(str(file)).export("coq")
    read_well(found)
    assert "Axiom" not in code(found)


def test_it_is_a_question_about_all_adjacent_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mechanism = load("svt/svt1.dip", N=1)
    with pytest.raises(InputError, match="leave out `pair`"):
        mechanism.export("coq", pair=({"q": [0]}, {"q": [1]}))
    with pytest.raises(InputError, match="leave out"):
        mechanism.export("coq", input={"q": [0]})
    assert status(["export", "svt1", "-D", "N=1", "--to", "coq", "--pair", "q=[0]", "q=[1]"]) == 2
    assert "leave out --pair" in capsys.readouterr().err
    assert status(["export", "svt1", "-D", "N=1", "--to", "coq", "-o", str(tmp_path / "svt-1.v")]) == 2
    assert "Coq does not take a file of this name" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_claims_and_files(tmp_path: Path) -> None:
    target, claim = tmp_path / "claim.v", "eps/8 for eps in (3, 4]"
    order = ["export", "svt1", "-D", "N=1", "--to", "coq", "--claim", claim, "-o", str(target)]
    assert status(order) == 0
    text = target.read_text()
    on = "(Interval (3 # 1) false (Some (4 # 1)) true)"
    assert f"Theorem claim : violated listed (1 # 8) (delta_of listed None) {on}." in text
    own = text.split("Import ListNotations.\n")[-1]
    assert load("svt/svt1.dip", N=1).export("coq", claim=claim).endswith(own)


def test_what_is_undecided_is_no_theorem() -> None:
    mechanism = load("svt/svt1.dip", N=2)
    with limits(seconds=0):
        verdict = mechanism.check()
    assert isinstance(verdict, Undecided)
    with pytest.raises(LimitReached, match="the claim is undecided"):
        coq(mechanism.program, verdict)


def test_the_document_shows_the_definitions_as_they_are() -> None:
    document = (ROOT / "docs/certificates.md").read_text(encoding="utf-8")
    library = "\n".join(module.read_text(encoding="utf-8") for module in sorted(FOLDER.glob("*.v")))
    shown = re.findall(r"^```coq\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    assert len(shown) > 3 and all(block in library for block in shown)
    axioms = set(re.findall(r"^(\w+\.\w+) *:?", document.split("Axioms:")[1].split("```")[0], re.MULTILINE))
    assert axioms == AXIOMS
    assert f"in {len(ALTERED) + len(ALTERED_LAWS)} ways" in document


HIDDEN_SIGN = """input q in {0, 1}
output out in {0, 1}
adjacent all
private 4*eps

out <- choose {q: (2 - eps + eps^2)/(4 + eps^2), (1 - q): (2 + eps)/(4 + eps^2)}
"""
"""Private, with a probability > 0 that no chain of derivatives shows to be positive: pieces do."""


def test_what_the_library_does_not_have_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="of 1/eps"):
        load("histogram/hist2.dip", N=1).export("coq", claim="eps for eps in [1, inf)")
    with pytest.raises(InputError, match=r"exp\(-2\)(?s:.*)dipc verify"):
        load("svt/sparse.dip", N=1).export("coq")


# --- in Coq -------------------------------------------------------------------------------------------


@pytest.mark.export
def test_coq_accepts_the_theorems(library: Path, tmp_path: Path) -> None:
    texts = [written(case) for case in (*PROVED, *BROKEN, (HIDDEN_SIGN, {}, None))]
    hold(texts, library, tmp_path)


@pytest.mark.export
def test_an_altered_file_is_refused(library: Path, tmp_path: Path) -> None:
    text = written(WARNER)
    found = judged(text.replace("[3])]%Z", "[4])]%Z"), library, tmp_path)
    assert found.returncode and "Unable to unify" in found.stderr


WARNER: Case = ("randomized_response/warner.dip", {}, None)
TOO_STRONG: Case = ("randomized_response/warner.dip", {}, "eps for eps in (0, 2]")
APPROXIMATE: Case = ("real_bugs/opendp_2922_fixed.dip", {}, None)
VECTORS: Case = ("svt/svt1.dip", {"N": 2}, None)
ALTERED = (
    ("a probability", WARNER, "Ratio [(0, [3])]", "Ratio [(0, [4])]"),
    ("a denominator", WARNER, "table_of [(1%positive, [(0, [4])]", "table_of [(1%positive, [(0, [(-4)])]"),
    ("a denominator that is not there", WARNER, "[(0, [3])]%Z 1", "[(0, [3])]%Z 2"),
    ("a missing input", WARNER, ";\n    ([(0 # 1)]%Q, [1; 2]%positive)", ""),
    ("an input twice", WARNER, "([(0 # 1)]%Q, [1;", "([(1 # 1)]%Q, [1;"),
    ("a missing outcome", WARNER, "[1; 2]%positive)]", "[1]%positive)]"),
    ("epsilon", WARNER, "private listed (1 # 1)", "private listed (0 # 1)"),
    ("an epsilon that is no multiple of the unit", WARNER, "listed (1 # 1)", "listed (3 # 2)"),
    ("the interval", WARNER, "Interval (11 # 10)", "Interval (1 # 1)"),
    ("a missing inequality", WARNER, r"\(1, 2, Minus\);\s+", ""),
    ("too few derivatives", VECTORS, "Search", "(Effort 8 1)"),
    ("the adjacency", VECTORS, "Each (1 # 1)", "Each (2 # 1)"),
    ("another adjacency", VECTORS, "Each (1 # 1)", "Everything"),
    ("no delta", APPROXIMATE, r"\(Some \(.*?\)\]%Z 2\)\)", "None"),
    ("less delta", APPROXIMATE, "Some (Ratio [((-4), [1])]", "Some (Ratio [((-5), [1])]"),
    ("a wrong sign", APPROXIMATE, "(2, 1, Open)", "(2, 1, Minus)"),
    ("the other wrong sign", APPROXIMATE, "(3, 4, Plus)", "(3, 4, Minus)"),
    ("a violation at another eps", TOO_STRONG, "n (1 # 1) [", "n (2 # 1) ["),
    ("a violation outside", TOO_STRONG, "Interval (0 # 1)", "Interval (1 # 1)"),
    ("a violation by other outcomes", TOO_STRONG, r"n \(1 # 1\) \[\d\]", "n (1 # 1) [0; 1]"),
    ("a violation of a weaker claim", TOO_STRONG, "listed (1 # 1)", "listed (2 # 1)"),
)
QUARTERS = "Ratio [(0, [1])]%Z 1);\n    (2%positive, Ratio [(0, [3])]"
NEGATIVE = "Ratio [(0, [(-1)])]%Z 1);\n    (2%positive, Ratio [(0, [5])]"
HALVES: Case = ("randomized_response/rand2.dip", {"N": 1}, None)
ALTERED_LAWS = (
    ("a sum that is not 1", WARNER, "[(0, [3])]%Z 1", "[(0, [2])]%Z 1"),
    ("a law with one function twice", WARNER, "[1; 2]%positive)]", "[2; 2]%positive)]"),
    ("a missing probability", WARNER, "[1; 2]%positive)]", "[1]%positive)]"),
    ("a negative probability", WARNER, QUARTERS, NEGATIVE),
    ("a sum that is 1 at one eps only", VECTORS, "Ratio [(0, [24])]", "Ratio [(0, [23; 1])]"),
    ("a denominator that is not positive", WARNER, "[(1%positive, [(0, [4])]", "[(1%positive, [(0, [0; 4])]"),
    ("too few derivatives for the laws", VECTORS, "Search", "(Effort 8 1)"),
    ("an eps with negative probabilities", HALVES, "only (1 # 2)", "only (2 # 1)"),
    ("another sum at the eps of a violation", HALVES, "[(0, [1; 1])]%Z", "[(0, [1; 2])]%Z"),
)


@pytest.mark.export
def test_coq_refuses_every_altered_file(library: Path, tmp_path: Path) -> None:
    """The checker computes ``false``; all the rest is accepted, the statement as well."""
    texts = [altered(name, alone(written(case))[0], *rest) for name, case, *rest in ALTERED]
    texts += [altered(name, alone(written(case))[1], *rest) for name, case, *rest in ALTERED_LAWS]
    accepted(refusals(texts), library, tmp_path)
