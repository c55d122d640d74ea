"""Proofs for every size as theorems: Coq accepts those of the kernel, and refuses what the kernel refuses."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from coq_tools import accepted, accepted_alone, hold, judged, refusals

from dipc.certificate.format import dumps
from dipc.cli.main import status
from dipc.clock import Clock
from dipc.dipwhile.allsizes.answer import AllSizesAnswer, answered
from dipc.dipwhile.allsizes.question import question
from dipc.dipwhile.allsizes.verdict import ProvedForAll
from dipc.dipwhile.certify.every_size import sizes_certificate
from dipc.dipwhile.export.coq.every_size import MODULES, OPENING, REQUIRED, Listing, coq, number, theorem
from dipc.kernel import statements
from dipc.kernel.reading import Refused
from dipc.kernel.schema import read, write
from dipc.kernel.sizes import Certificate, Listed, checked
from dipc.shipped import source_of

BEGIN = (REQUIRED, f"From Dipc Require Import {' '.join(MODULES)}.", *OPENING)
PROVED = (
    "svt1",
    "svt2",
    "svt_numeric",  # publishes random values
    "gap",
    "range",  # two strategies
    "smart_sum",  # l1
    "prefix_sums",  # hamming
    "nmax1",
    "nmax2",  # one-sided noise
    "noisy_max_first",  # integer noise
    "noisy_max_loop",
    "rand1",  # finite draws
    "warner",  # for eps >= 11/10 only
    "exponential_full",  # the exponential mechanism
)


def answer(name: str) -> AllSizesAnswer:
    return answered(question(source_of(name), {}), Clock())


@cache
def certified(name: str) -> Certificate:
    found = answer(name)
    assert isinstance(found.verdict, ProvedForAll) and found.question.goal is not None
    read = statements.check(dumps(sizes_certificate(found.question, found.verdict)).encode())
    assert isinstance(read, Certificate)
    return read


# --- what is written ----------------------------------------------------------------------------------


def test_an_edge_as_it_is_written() -> None:
    text = theorem(certified("svt1"), library=False)
    assert "program 'svt1' with c = 1, T = 0, Delta = 1 is (1*eps, 0)-private for every N >= 1" in text
    assert (
        "    (* 4: another round, q[i] changes by -1, r, r < rT, out[i] = bot *)\n"
        "    Edge 1 1 [Draw Lap (1 # 4) (Form (-1) []); Guard (Form 0 [(0%nat, (-1)); (1%nat, 1)]) false; "
        "Keep [(Form 0 [(1%nat, 1)])]];\n"
    ) in text
    assert "Definition reached : list (nat * list nat) := [(0, [0]); (1, [0]); (2, [0])]%nat." in text
    assert text.endswith("  vm_compute. reflexivity.\nQed.\nPrint Assumptions claim.\n")


@pytest.mark.parametrize("name", PROVED)
def test_files_are_well_formed(name: str) -> None:
    text = theorem(certified(name))
    code = re.sub(r"\(\*.*?\*\)", " ", text, flags=re.DOTALL)
    assert "(*" not in code and "*)" not in code
    for opening, closing in ("()", "[]", "{}"):
        assert code.count(opening) == code.count(closing)
    assert not re.search(r"\b(Axioms?|Admitted|admit|Parameters?|Conjecture|Abort)\b", code)
    assert text.count("Theorem claim : private program") == 1


def test_comments_cannot_be_left() -> None:
    certificate = certified("svt1")
    steps = [(kind, f'*) Qed. "{words}', value) for kind, words, value in certificate.listed.steps]
    other = replace(certificate, listed=replace(certificate.listed, steps=steps))
    text = theorem(other, library=False)
    assert "*) Qed" not in text and '"' not in text


def test_no_theorem_without_a_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "claim.v"
    assert status(["prove", "svt3", "--to", "coq", "-o", str(out)]) == 1
    assert "VIOLATED" in capsys.readouterr().out and not out.exists()


def test_the_theorem_is_about_the_interval_of_the_claim() -> None:
    """In `warner` one answer is 3 times as likely as the other, which is at most exp(eps) from ln 3 on."""
    text = theorem(certified("warner"), library=False)
    assert "Theorem claim : private program 1 (Interval (11 # 10) true None false)." in text


def test_what_is_outside_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, text = tmp_path / "inverse.dip", source_of("warner").text
    file.write_text(text.replace("3/4", "exp(1/eps)/(1 + exp(1/eps))").replace("1/4", "1/(1 + exp(1/eps))"))
    assert status(["prove", str(file), "--to", "coq"]) == 2
    assert "powers of 1/eps" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["-o", "claim.v"],
        ["--to", "coq", "-o", "1.v"],
        ["--to", "coq", "-o", "claim.txt"],
        ["--to", "coq", "--json"],
        ["svt2", "--to", "coq"],
    ],
)
def test_options_that_contradict_each_other(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["prove", "svt1", *arguments]) == 2
    assert not list(tmp_path.iterdir())


def test_the_command_writes_what_python_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer("svt1")
    assert isinstance(found.verdict, ProvedForAll)
    text = coq(found.question, found.verdict)
    assert status(["prove", "svt1", "--to", "coq"]) == 0
    assert capsys.readouterr().out == text
    assert status(["prove", "svt1", "--to", "coq", "-o", str(tmp_path / "svt1.v")]) == 0
    assert (tmp_path / "svt1.v").read_text(encoding="utf-8") == text
    assert capsys.readouterr().out == ""


# --- Coq ----------------------------------------------------------------------------------------------


def test_coq_accepts_proofs(library: Path, tmp_path: Path) -> None:
    texts = [theorem(certified(name), library=False) for name in PROVED]
    hold(texts, library, tmp_path)


USED = """
From Coq Require Import Reals Lra.
Open Scope R_scope.

Definition one_round (q : R) : path :=
  [Drawn Lap (1 # 2) (Form 0 []); Kept [Form 0 [(0%nat, 1%Q)]];
   Drawn Lap (1 # 4) (Form q []); AtLeast (Form 0 [(0%nat, 1%Q); (1%nat, (-1)%Q)]); Kept []].

Lemma whole eps : 0 < eps -> inside always eps.
Proof. intros He. split; cbn; [unfold Q2R; cbn; lra | exact I]. Qed.

Theorem used eps : 0 < eps -> forall v', probability eps [(one_round (1 / 3), fun _ => True)] v' ->
  exists v, probability eps [(one_round 0, fun _ => True)] v /\\ v <= exp (Q2R 1 * eps) * v'.
Proof.
  intros He. apply (claim eps He (whole eps He) [((one_round 0, one_round (1 / 3)), fun _ => True)]).
  constructor; [|constructor]. eexists. split.
  - apply (in_between program (2 / 3) (differences program [0%nat; 1%nat])
      (differences program [0%nat; 3%nat])).
    + apply along_run. repeat split.
    + apply along_run. repeat split.
    + lra.
    + cbn. repeat (constructor; try discriminate; try reflexivity).
  - cbn. unfold one_round, mix. repeat constructor; cbn; unfold Q2R; cbn; lra.
Qed.
"""


def test_the_theorem_speaks_of_paths(library: Path, tmp_path: Path) -> None:
    """SVT1 with N = 1 and the output top, on q = [0] and on [1/3], which lies between the labels -1 and 1."""
    accepted(theorem(certified("svt1"), library=False) + USED, library, tmp_path)


def test_a_file_needs_nothing_else_of_dipc(tmp_path: Path, library: Path) -> None:
    accepted_alone(theorem(certified("gap")), tmp_path / "claim.v")


ALTERED = (
    ("svt1", "private program 1 always", "private program (7 # 8) always"),
    ("svt1", "Strategy [1; (1 # 2); 0]", "Strategy [1; (1 # 4); 0]"),  # phi
    ("svt1", "[[]; [1]; []]", "[[]; [2]; []]"),  # delta
    ("svt1", "[Some [1]; Some [1];", "[Some [1]; Some [0];"),  # a shift
    ("svt1", "[Some [1]; Some [1];", "[Some [1]; None;"),  # an edge is in no strategy
    ("svt1", "(1, [0]);", ""),  # a place is not reached
    ("svt1", "Draw Lap (1 # 2)", "Draw Lap (2 # 3)"),
    ("svt1", "[(0%nat, (-1)); (1%nat, 1)]", "[(0%nat, 1); (1%nat, (-1))]"),  # a guard
    ("svt1", "[(0%nat, 1)])]]", "[(0%nat, 2)])]]"),  # what is kept
    ("rand1", "Choose 1 1", "Choose 0 1"),  # the cost of a finite draw
    ("rand1", "Choose 0 1 ([(0, [1])]", "Choose 0 1 ([(0, [2])]"),  # its probability
    ("warner", "(Interval (11 # 10) true", "(Interval (12 # 11) true"),  # ln 3 is more
    ("warner", "(Interval (11 # 10) true None false)", "always"),
    ("warner", "Search", "(Effort 2 3)"),  # too few terms of exp
    ("warner", "Search", "(Effort 8 1)"),  # too few derivatives
    ("exponential_full", "Score", "Score (3 # 2) 2; Score"),
    ("noisy_max_first", "Some [1", "Some [(3 # 2)"),  # integers move by integers
    ("nmax2", "Some [1", "Some [(-1)"),  # the support of one-sided noise
)


def changed(name: str, old: str, new: str) -> str:
    text = theorem(certified(name), library=False)
    assert old in text
    return text.replace(old, new, 1)


def test_coq_refuses_an_altered_proof(library: Path, tmp_path: Path) -> None:
    run = judged(changed(*ALTERED[0]), library, tmp_path)
    assert run.returncode == 1 and "Unable to unify" in run.stderr, run.stderr


def test_the_checker_refuses_all_altered_proofs(library: Path, tmp_path: Path) -> None:
    accepted(refusals([changed(*each) for each in ALTERED]), library, tmp_path)


STEPS = (Fraction(1), Fraction(-1), Fraction(1, 2), Fraction(1, 4), Fraction(-1, 8))


def numbers_of(strategy: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """The numbers of a strategy: where they are, and under which key."""
    yield from ((strategy["phi"], place) for place in strategy["phi"])
    yield from ((changes, name) for changes in strategy["delta"].values() for name in changes)
    yield from ((row, j) for row in strategy["shift"] for j in range(len(row)))


def without_edge(strategy: dict[str, Any], i: int, data: dict[str, Any]) -> None:
    del strategy["edges"][i], strategy["shift"][i]
    left = [data["edges"][n] for n in strategy["edges"]]
    places = {str(data["start"]), *(str(edge[end]) for edge in left for end in ("source", "target"))}
    for part in ("phi", "delta"):
        strategy[part] = {place: x for place, x in strategy[part].items() if place in places}


def altered(certificate: Certificate, choose: random.Random) -> Certificate:
    """Some numbers of a strategy are others, or an edge is missing there."""
    data = write(certificate.listed)
    strategy = choose.choice(data["strategies"])
    if choose.random() < 0.2:
        without_edge(strategy, choose.randrange(len(strategy["edges"])), data)
    for where, key in choose.sample(list(numbers_of(strategy)), choose.choice((0, 1, 1, 2))):
        where[key] = str(Fraction(where[key]) + choose.choice(STEPS))
    return replace(certificate, listed=read(Listed, data))


def proved(certificate: Certificate) -> bool:
    """What the kernel says, which shares no code with Coq."""
    try:
        checked(certificate.listed)
    except Refused:
        return False
    return True


def test_coq_and_the_kernel_agree_on_altered_strategies(library: Path, tmp_path: Path) -> None:
    choose, lines = random.Random(16), [*BEGIN]
    answers = []
    for name in ("svt1", "range", "nmax2", "noisy_max_first", "svt_numeric", "noisy_max_loop"):
        for _ in range(12):
            certificate = altered(certified(name), choose)
            if any(x < 0 for s in certificate.listed.strategies for x in s.phi.values()):
                continue  # the kernel does not even read it
            answers.append(proved(certificate))
            listing, t = Listing(certificate), number(certificate.listed.t)
            check = f"sizes_check always Chains program {t} strategies reached"
            lines += [f"Module M{len(answers)}.", *listing.definitions()]
            said = str(answers[-1]).lower()
            lines.append(f"Goal {check} = {said}.")
            lines += [f"vm_cast_no_check (eq_refl {said}). Qed.", f"End M{len(answers)}."]
    assert answers.count(True) >= 8 and answers.count(False) >= 30
    accepted("\n".join([*lines, ""]), library, tmp_path)
