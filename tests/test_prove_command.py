"""``dipc prove``, ``budget --all-sizes`` and ``prove()``: what users see of an answer for every size.

The answers are made by hand here: what decides them has tests of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from answers import contents
from flint import fmpq

import dipc
import dipc.dipwhile.allsizes.pipeline as pipeline
from dipc.claims.privacy import Violated
from dipc.cli.main import status
from dipc.clock import Clock
from dipc.dipwhile.allsizes.question import Question, question
from dipc.dipwhile.allsizes.verdict import AllSizesVerdict, BrokenFrom, LeastT, Open, ProvedForAll
from dipc.dipwhile.records.every_size import least_text
from dipc.errors import InputError, InternalError, Source, Span
from tests.dipwhile.allsizes.by_hand import ONE, SVT1, SVT1_PROOF

Capture = pytest.CaptureFixture[str]
PROVED = ProvedForAll(SVT1, (SVT1_PROOF,), LeastT(ONE, ONE, 4))
UNBOUNDED = LeastT(ONE, None, None, unbounded=True)


def broken(asked: Question) -> AllSizesVerdict:
    found = dipc.load(asked.source.name)
    verdict = found.check()
    assert isinstance(verdict, Violated)
    cycle = "every `bot` costs 1/4 or moves rT"
    return BrokenFrom(3, verdict, UNBOUNDED, cycle, True, True, "q: reals", found.program)


def undecided(asked: Question) -> AllSizesVerdict:
    place = asked.source.text.index("for i")
    why = "the second largest hides the winner"
    return Open(why, Span(asked.source, place, place + 5), None, "private for N = 1, 2, 3 over q in {0, 1}")


ANSWERS: dict[str, Callable[[Question], AllSizesVerdict]] = {
    "svt1": lambda _: PROVED,
    "svt3": broken,
    "nmax1": undecided,
    "rand2": lambda _: Open("the claim has a delta"),
}


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """The questions; each is answered by the name of its program."""
    questions: list[Question] = []

    def prove(question: Question, clock: Clock, find_least: bool) -> AllSizesVerdict:
        questions.append(question)
        clock.tick("places")
        return ANSWERS.get(question.source.name, lambda _: PROVED)(question)

    monkeypatch.setattr(pipeline, "prove", prove)
    monkeypatch.setattr("dipc.child._inside", True)  # all in this process, which notes the questions
    return questions


def run(capsys: Capture, *words: str) -> tuple[int, str]:
    code = status([*words])
    return code, capsys.readouterr().out


# --- the three answers ---------------------------------------------------------------------------


def test_a_violation(capsys: Capture) -> None:
    assert status(["prove", "svt3"]) == 1
    out = capsys.readouterr().out
    assert "\nverdict     VIOLATED from N = 3 on\ninput       u  : q = [-1, -1, -1]\n" in out
    assert "\nleast t     none: no t is enough for every size: every `bot` costs 1/4 or moves rT\n" in out
    assert "\ndeclared    the inputs that the program declares are private at N = 3\n" in out
    status(["check", "svt3"])
    checked = capsys.readouterr().out
    numbers = out[out.index("input ") : out.index("declared")]
    assert numbers in checked


def test_undecided(capsys: Capture) -> None:
    code, out = run(capsys, "prove", "nmax1")
    assert code == 3
    assert out.splitlines()[2:-1] == [
        "verdict  UNDECIDED",
        "reason   line 11: the second largest hides the winner",
        "             for i in 1..N do",
        "             ^^^^^",
        "checked  private for N = 1, 2, 3 over q in {0, 1}",
    ]


# --- JSON ----------------------------------------------------------------------------------------


def test_json_of_a_proof(capsys: Capture) -> None:
    code, out = run(capsys, "prove", "svt1", "--json")
    record = contents(out)
    assert code == 0
    assert (record["verdict"], record["least_t"], record["attained_at"]) == ("private", "1", 4)
    assert record["first_broken_N"] is record["counterexample"] is record["reason"] is None
    assert record["claim"] == {"epsilon": "eps", "delta": "0", "for": "(0, inf)"}
    assert record["sizes"] == ["N"]
    assert record["parameters"] == {"c": "1", "T": "0", "Delta": "1"}
    (strategy,) = record["strategies"]
    assert strategy["edges"] == [0, 1, 2, 3, 4, 5]
    assert strategy["phi"] == {"0": "1", "1": "1/2", "2": "0"}
    assert strategy["delta"] == {"1": {"rT": "1"}}
    assert strategy["shift"] == [["1"], [], ["1"], ["-1"], ["1"], ["1"]]
    assert len(strategy["moves"]) == 4


# --- other forms of the answer -------------------------------------------------------------------


def test_latex(capsys: Capture) -> None:
    code, out = run(capsys, "prove", "svt1", "--to", "latex")
    assert code == 0
    assert r"differentially private for all $\varepsilon > 0, N \ge 1$." in out
    assert r"r $\ge$ rT, out[i] = top & q[i] changes by $-1$ & r & 1 & $\tfrac{1}{2}$ &" in out
    assert out.startswith(r"\documentclass")
    assert out.count("{") == out.count("}")
    assert out.count("$") % 2 == 0


def test_a_certificate_of_a_violation(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "svt3.json"
    assert status(["prove", "svt3", "--certificate", str(file)]) == 1
    assert status(["verify", str(file), "--expect", "violated"]) == 0


def test_several_programs(tmp_path: Path, capsys: Capture) -> None:
    report = tmp_path / "report.xml"
    code, out = run(capsys, "prove", "svt1", "svt3", "nmax1", "--junit", str(report))
    assert code == 1
    assert "N = 3: q = [-1, -1, -1] against q = [0, 0, 0]" in out
    assert "line 11: the second largest hides the winner" in out
    assert out.endswith("3 programs: 1 private, 1 violated, 1 undecided\n")
    root = ElementTree.parse(report).getroot()
    assert (root.get("name"), root.get("failures"), root.get("errors")) == (None, "1", "1")
    assert [suite.get("name") for suite in root] == ["dipc prove"]


@pytest.mark.parametrize(
    "words",
    [
        ["svt1", "svt3", "--details"],
        ["svt1", "svt3", "--to", "latex"],
        ["svt1", "--to", "latex", "--json"],
        ["svt1", "--expect", "-D", "N=2"],
    ],
)
def test_contradictions(words: list[str], capsys: Capture) -> None:
    assert status(["prove", *words]) == 2
    assert "leave out" in (err := capsys.readouterr().err) or "give one file" in err


# --- the claim -----------------------------------------------------------------------------------


def test_a_claim_about_the_size_is_not_one_claim(capsys: Capture, asked: list[Question]) -> None:
    """The value of N in the text must not be taken for every N."""
    code, out = run(capsys, "prove", "svt1", "--claim", "N*eps")
    assert code == 3
    assert "the claim changes with the size" in out
    assert not asked
    assert run(capsys, "prove", "svt1", "--claim", "N*eps", "-D", "N=2", "--quiet") == (0, "private\n")


@pytest.mark.parametrize("claim", ["eps, -1/10", "eps, 1 - eps", "2*eps, exp(-eps) - 1"])
def test_a_negative_delta_is_refused(claim: str, capsys: Capture, asked: list[Question]) -> None:
    assert status(["prove", "svt1", "--claim", claim]) == 2
    assert "delta" in capsys.readouterr().err
    assert not asked
    assert status(["prove", "svt1", "--claim", "eps, exp(-eps)"]) == 0


def test_parameters_computed_from_a_size_are_symbolic() -> None:
    text = "param N = 3, M = N + 1, c = 2; input q[N] in {0, 1}; output o in {0}; private M*eps; o <- 0"
    found = question(Source("a.dip", text), {})
    assert (found.sizes, found.symbolic, found.goal) == (("N",), {"N", "M"}, None)
    assert [*found.settings] == ["every N >= 1", "M = N + 1", "c = 2"]
    fixed = question(Source("a.dip", text), {"N": fmpq(5)})
    assert fixed.goal is not None
    assert (fixed.sizes, fixed.symbolic, fixed.goal.t) == ((), set(), 6)


def test_a_proof_of_less_is_no_proof(capsys: Capture) -> None:
    """A defect of the pipeline must not become a verdict."""
    assert status(["prove", "svt1", "--claim", "eps/2"]) == 3
    assert "internal error" in capsys.readouterr().err
    with pytest.raises(InternalError):
        dipc.load("svt1").prove("eps/2")


def test_a_counterexample_to_another_claim_is_none(capsys: Capture) -> None:
    assert status(["prove", "svt3", "--claim", "7/8*eps"]) == 3
    assert "is none to (7/8*eps)-private" in capsys.readouterr().err
    assert status(["budget", "svt3", "--all-sizes"]) == 3


def test_no_claim(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "a.dip"
    file.write_text("input q in {0, 1}; output o in {0}; adjacent all; o <- 0\n")
    assert status(["prove", str(file)]) == 2
    assert "makes no claim" in capsys.readouterr().err
    assert status(["budget", str(file), "--all-sizes"]) == 0


# --- the least t ---------------------------------------------------------------------------------


def test_the_least_t_alone(capsys: Capture, asked: list[Question]) -> None:
    line = "least t  1: (ε)-private, and not for a smaller t (reached with N = 4)\n"
    assert run(capsys, "budget", "svt1", "--all-sizes") == (0, line)
    assert asked[0].goal is None
    code, out = run(capsys, "budget", "svt1", "--all-sizes", "--json")
    record = contents(out)
    assert (code, record["least_t"], record["attained_at"], record["sizes"]) == (0, "1", 4, ["N"])


def test_no_least_t(capsys: Capture) -> None:
    line = "least t  not known: line 11: the second largest hides the winner\n"
    assert run(capsys, "budget", "nmax1", "--all-sizes") == (3, line)
    assert status(["budget", "svt1", "--all-sizes", "--at", "1"]) == 2


@pytest.mark.parametrize(
    ("least", "said"),
    [
        (LeastT(fmpq(7, 4), fmpq(7, 4), 3),
         "7/4: (7/4*eps)-private, and not for a smaller t (reached with N = 3)"),
        (LeastT(fmpq(0), fmpq(0)), "0: (0)-private"),
        (LeastT(ONE, fmpq(2)), "from 1 to 2: (2*eps)-private for 2"),
        (LeastT(fmpq(0), fmpq(2)), "at most 2: (2*eps)-private"),
        (LeastT(ONE, None), "at least 1; no t is proved"),
        (UNBOUNDED, "none: no t is enough for every size"),
    ],
)  # fmt: skip
def test_the_least_t_in_words(least: LeastT, said: str) -> None:
    assert least_text(least, ("N",)) == said


# --- Python --------------------------------------------------------------------------------------


def test_prove() -> None:
    found = dipc.load("svt1").prove()
    assert (found.status, found.least_t, found.attained_at, found.counterexample) == ("private", 1, 4, None)
    assert isinstance(found, dipc.AllSizesAnswer)
    assert str(found).splitlines()[-1] == "verdict  PRIVATE for every N"
    assert repr(found) == "<private for every N: (eps)-private for every eps in (0, inf)>"
    assert "and by 1 on the way to top" in found._repr_html_()
    assert "How the samples move" in found._repr_html_()


REALS = """param N = 3
input q[N] in reals
output out[N] in {bot, top} = bot
adjacent linf 1
private eps for all N
for i in 1..N do out[i] <- top end
"""


def test_a_program_that_only_prove_takes(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "reals.dip"
    file.write_text(REALS)
    found = dipc.load(file)
    assert found.prove().status == "private"
    assert found.prove("2*eps").question.goal == dipc.load(REALS).prove("2*eps").question.goal
    assert dipc.assert_private(REALS, all_sizes=True).least_t == 1
    assert repr(found).endswith("reals.dip (N = 3)>")
    assert "reals" in found._repr_html_()
    refusals = []
    for ask in (found.check, found.budget, found.explain, found.sentence, lambda: found.program):
        with pytest.raises(InputError, match="ranges over all reals") as refusal:
            ask()
        refusals.append(str(refusal.value))
    assert status(["check", str(file)]) == 2
    assert capsys.readouterr().err == f"{refusals[0]}\n"
    assert len({*refusals}) == 1


@pytest.mark.parametrize("broken", ["out[i] <- topp[1]", "out[i] <-", "x <- y", "out[i] <- q"])
def test_other_errors_are_raised_at_once(broken: str) -> None:
    with pytest.raises(InputError):
        dipc.load(REALS.replace("out[i] <- top", broken))


# --- what check can say --------------------------------------------------------------------------


def last(capsys: Capture, *words: str) -> str:
    return run(capsys, "check", *words)[1].splitlines()[-1]


def test_check_names_the_command_for_every_size(capsys: Capture) -> None:
    assert last(capsys, "svt1") == "for every N: dipc prove svt1"
    asked = ["svt1", "-D", "c=2", "--claim", "2*eps"]
    assert last(capsys, *asked) == "for every N: dipc prove svt1 -D c=2 --claim '2*eps'"


@pytest.mark.parametrize(
    "words",
    [
        ["svt1", "--json"],
        ["svt1", "--quiet"],
        ["svt1", "rand1"],
        ["svt1", "--at", "1"],
        ["svt1", "-D", "N=2"],  # its only size has a number
        ["svt1", "--claim", "eps/2"],  # violated
        ["svt4", "-D", "N=2"],  # violated
    ],
)
def test_check_names_no_other_command(words: list[str], capsys: Capture) -> None:
    assert "dipc prove" not in last(capsys, *words)
