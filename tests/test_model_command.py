"""``dipc model``: the outputs as people and scripts read them, exit statuses, misuse without a traceback."""

from __future__ import annotations

import io
import re
import signal
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from answers import contents
from click.shell_completion import ShellComplete
from patience import worn_by_dipc
from processes import GUESS

import dipc.shipped as shipped
from dipc.cli.main import cli, status
from dipc.clock import Clock, limits
from dipc.dpctl.model import load_model
from dipc.errors import LimitReached

SURVEY = """\
# survey.dpm: have you been diagnosed? (dpCTL*, Figure 1)
chain
plus  -> {yes: 3/4, no: 1/4}
minus -> {yes: 1/4, no: 3/4}
final yes, no
label out_1 = {yes}
label out_0 = {no}
neighbours plus ~ minus
start plus, minus
"""
GEOMETRIC = (
    "chain; let z = exp(-eps); s -> {g: z, h: 1 - z}; t -> {g: 1/2, h: 1/2}; final g, h; neighbours s ~ t"
)
TIGHT, LOOSE = "D[ln 3, 0](X out_1)", "D[1, 0](X out_1)"
LAWS = f"tight: {TIGHT}   # expect: holds\n# expect: fails\nloose: {LOOSE}\n"

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files above, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("survey.dpm", SURVEY), ("geometric.dpm", GEOMETRIC), ("laws.txt", LAWS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Exit status, stdout with all times set to 0.01 s, stderr; never a traceback."""
    code = status(["model", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "internal error" not in err
    return code, re.sub(r"\d+\.\d\d s", "0.01 s", out), err


# --- outputs; docs/model-checking.md shows others ----------------------------------------------------


def test_an_eps_that_is_no_rational_number(capsys: Capture) -> None:
    """The formula fails at ln 2 only: shown rounded, and with an interval around it for machines."""
    question = ("check", "geometric.dpm", "!P=1/2 (X g)", "--from", "s")
    assert run(capsys, *question)[:2] == (1, """\
model         geometric.dpm  (Markov chain, 5 states, 1 pair of neighbours)
formula       !P=1/2 (X g)   for ε in (0, inf)
asked         s
verdict       FAILS at s
because       P=1/2 (X g)
state         s
budget        ε ≈ 0.6931471806
P(s)          0.5000000000  =  exp(-ε)
bound         0.5000000000  =  1/2
excess        0  =  exp(-ε) - 1/2
violated for  ε ≈ 0.6931471806
time          0.01 s
""")  # fmt: skip
    witness = contents(run(capsys, *question, "--json")[1])["witness"]
    assert witness["epsilon"] == "0.6931471806"
    low, high = (int(p) / int(q) for p, q in (end.split("/") for end in witness["isolated"]))
    assert low <= 0.6931471805599453 <= high < low + 1e-9
    assert witness["violated_for"] == [["0.6931471806", "0.6931471806", True, True]]


def test_regions_of_what_always_or_never_holds(capsys: Capture) -> None:
    said = run(capsys, "regions", "survey.dpm", "P>=1/2 (X out_1)")[1]
    assert "plus     holds for every ε\nminus    holds for no ε\n" in said
    said = run(capsys, "regions", "geometric.dpm", "P in [1/2, 1) (X g) for eps in (0, 1]")[1]
    assert (
        "s        holds for  0 < ε ≤ 0.6931471805 (rounded inwards)\nt        holds for  0 < ε ≤ 1\n" in said
    )


def test_values_with_eps(capsys: Capture) -> None:
    assert run(capsys, "value", "geometric.dpm", "D[?, 0](X g)")[1] == """\
least ε    ln(2*exp(-ε))   for 0 < ε < 0.6931471805 (rounded inwards)
state      s
neighbour  t
least ε    0   for ε ≈ 0.6931471806
least ε    ln(1/2*exp(ε))   for 0.6931471806 < ε < inf (rounded inwards)
state      t
neighbour  s
"""  # fmt: skip
    assert run(capsys, "value", "geometric.dpm", "P=? (X g)", "--at", "1")[1] == (
        "s  0.3678794412  =  exp(-ε)   for ε = 1\nt  0.5000000000  =  1/2   for ε = 1\n"
    )
    nested = run(capsys, "value", "survey.dpm", "P=? (P>=exp(-eps) (X out_1))", "--from", "minus")[1]
    assert nested == (
        "minus  0   for 0 < ε < 1.3862943611 (rounded inwards)\n"
        "       1.000000000  =  1   for 1.3862943612 ≤ ε < inf (rounded inwards)\n"
    )
    code, out, err = run(capsys, "value", "survey.dpm", "Pmax=? (X out_1)")
    assert (code, out) == (0, "plus   0.7500000000  =  3/4\nminus  0.2500000000  =  1/4\n")
    assert "this is the same as `P=?`" in err


# --- for machines ------------------------------------------------------------------------------------


def test_json_of_a_check(capsys: Capture) -> None:
    code, out, _ = run(capsys, "check", "survey.dpm", LOOSE, "--json")
    record = contents(out)
    assert (code, record["verdict"], record["from"]) == (1, "fails", ["plus", "minus"])
    assert (record["states"], record["neighbours"], record["regions"]) == (5, 1, {"plus": [], "minus": []})
    witness = record["witness"]
    assert (witness["state"], witness["neighbour"], witness["violated_for"]) == ("plus", "minus", [])
    assert witness["excess"] == {"exact": "3/4 - 1/4*exp(1)", "decimal": "0.07042954289"}
    assert contents(run(capsys, "check", "survey.dpm", TIGHT, "--json")[1])["witness"] is None


def test_json_of_values_and_regions(capsys: Capture) -> None:
    values = contents(run(capsys, "value", "survey.dpm", "P=? (X out_1)", "--json")[1])["values"]
    assert values["minus"] == {"exact": "1/4", "decimal": "0.2500000000"}
    least = contents(run(capsys, "value", "survey.dpm", "D[?, 0](X out_1)", "--json")[1])["least"]
    assert least == {"exact": "ln(3)", "decimal": "1.098612289", "state": "plus", "neighbour": "minus"}
    pieces = contents(run(capsys, "value", "survey.dpm", "D[eps, ?](X out_1)", "--json")[1])["least"]
    assert [(each["exact"], each["for"], each["state"]) for each in pieces] == [
        ("3/4 - 1/4*exp(eps)", ["0", "1.0986122886", False, False], "plus"),
        ("0", ["1.0986122887", "inf", True, False], None),
    ]
    regions = contents(run(capsys, "regions", "survey.dpm", "D[eps, 0](X out_1)", "--json")[1])["regions"]
    assert regions["minus"] == [["1.0986122887", "inf", True, False]]


# --- several formulas --------------------------------------------------------------------------------


def test_the_worst_status_counts(capsys: Capture) -> None:
    assert run(capsys, "check", "survey.dpm", "true", "false")[0] == 1
    assert run(capsys, "check", "survey.dpm", "false", "foo &", "true")[0] == 2


def test_property_lines_and_what_they_expect(capsys: Capture, folder: Path) -> None:
    lines = f"property tight: {TIGHT}  # expect: holds\nproperty half: D[1/2, 0](X out_1)  # expect: holds\n"
    (folder / "survey.dpm").write_text(SURVEY + lines, encoding="utf-8")
    code, out, _ = run(capsys, "check", "survey.dpm")
    assert (code, re.findall(r"^(\w+) +D.* +(holds|fails) ", out, re.M)) == (
        1,
        [("tight", "holds"), ("half", "fails")],
    )
    code, out, _ = run(capsys, "check", "survey.dpm", "--expect", "--junit", "out.xml")
    assert code == 1
    assert "holds (as expected)" in out
    assert "fails (expected: holds)" in out
    assert out.endswith("2 formulas: 1 holds, 1 fails, 1 not as expected\n")
    suite = ElementTree.parse(folder / "out.xml").getroot()[0]
    assert (suite.attrib["name"], suite.attrib["failures"]) == ("dipc model check", "1")
    assert [(c.attrib["classname"], c.attrib["name"], c[0].tag) for c in suite] == [
        ("survey.dpm", "tight", "system-out"),
        ("survey.dpm", "half", "failure"),
    ]


def test_a_file_of_formulas(capsys: Capture, folder: Path) -> None:
    code, out, _ = run(capsys, "check", "survey.dpm", "--formulas", "laws.txt", "--expect")
    assert (code, out.splitlines()[-1]) == (0, "2 formulas: 1 holds, 1 fails, all as expected")
    assert run(capsys, "check", "survey.dpm", "--formulas", "laws.txt")[0] == 1
    (folder / "laws.txt").write_text("a: true\n\nb: F out_1\n", encoding="utf-8")
    assert "line 3: this is a path formula" in run(capsys, "check", "survey.dpm", "--formulas", "laws.txt")[1]
    (folder / "laws.txt").write_text("a: true\nF out_1\n", encoding="utf-8")
    code, _, err = run(capsys, "check", "survey.dpm", "--formulas", "laws.txt")
    assert (code, err.splitlines()[:2]) == (
        2,
        ["laws.txt:2:1: error: a line with a formula is NAME: FORMULA", "    F out_1"],
    )


# --- the model and what is asked about it ------------------------------------------------------------


def test_the_standard_input(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SURVEY.encode())))
    assert "model    <stdin>  (Markov chain" in run(capsys, "check", "-", "true")[1]


def test_numbers_are_set(capsys: Capture) -> None:
    question = ("value", "geometric.dpm", "P=? (X g)", "--from", "s")
    assert run(capsys, *question, "-D", "z=1/3")[1] == "s  0.3333333333  =  1/3\n"
    assert run(capsys, *question, "-D", "z=exp(-2*eps)")[1].startswith("s  exp(-2*ε)")
    code, _, err = run(capsys, *question, "-D", "y=2")
    assert (code, err) == (
        2,
        "error: geometric.dpm: there is no number `y`\n    help: declare it in the file: `let y = ...`\n",
    )
    assert "above 1" in run(capsys, *question, "-D", "z=2")[2]


def test_other_neighbours(capsys: Capture) -> None:
    question = ("check", "survey.dpm", "D[0, 0](X out_1)", "--quiet")
    assert run(capsys, *question)[1] == "fails\n"
    assert run(capsys, *question, "--neighbours", "yes ~ no")[1] == "holds\n"
    assert run(capsys, *question, "--neighbours", "{yes, no, plus}")[1] == "fails\n"
    code, _, err = run(capsys, *question, "--neighbours", "yes ~ nope")
    assert code == 2
    assert err.startswith(
        "<neighbours>:1:7: error: there is no state `nope`\n    yes ~ nope\n          ^^^^\n"
    )


def test_one_eps(capsys: Capture) -> None:
    question = ("check", "survey.dpm", "D[eps, 0](X out_1) for eps in (0, 2]", "--quiet")
    assert run(capsys, *question, "--at", "11/10")[:2] == (0, "holds\n")
    assert run(capsys, *question, "--at", "1")[:2] == (1, "fails\n")
    assert run(capsys, *question, "--at", "3")[::2] == (
        2,
        "error: eps = 3 is not in (0, 2]\n    help: ask about an eps of this range\n",
    )
    assert run(capsys, "check", "survey.dpm", "D[eps - 1, 0](X out_1)", "--at", "5/2")[0] == 0
    assert run(capsys, "check", "survey.dpm", "D[eps - 1, 0](X out_1)")[0] == 2


def test_start_states(capsys: Capture) -> None:
    assert "asked    no, plus\n" in run(capsys, "check", "survey.dpm", "true", "--from", 'no, "plus"')[1]
    code, _, err = run(capsys, "check", "survey.dpm", "true", "--from", "pluss")
    assert (code, err) == (2, "error: there is no state `pluss`\n    help: did you mean `plus`?\n")


# --- notes and errors --------------------------------------------------------------------------------

BROKEN = "chain; a -> {b: 1 - eps, c: eps}; final b, c"
POLE = "chain; a -> {b: 1/(eps - 1), c: (eps - 2)/(eps - 1)}; final b, c"


def test_probabilities_on_the_range(capsys: Capture, folder: Path) -> None:
    (folder / "broken.dpm").write_text(BROKEN, encoding="utf-8")
    code, _, err = run(capsys, "check", "broken.dpm", "P>=0 (F b)")
    assert (code, re.sub("= [0-9/]+$", "= e", err.splitlines()[0])) == (
        2,
        "error: the probability of `a -> b`, 1 - eps, is negative at eps = e",
    )
    assert run(capsys, "check", "broken.dpm", "P>=0 (F b) for eps in (0, 1]")[0] == 0
    assert run(capsys, "value", "broken.dpm", "P=? (F b)", "--at", "2")[0] == 2
    (folder / "pole.dpm").write_text(POLE, encoding="utf-8")
    assert "1)/(-1 + eps), has no value at eps = 1\n" in run(capsys, "check", "pole.dpm", "P>=0 (F b)")[2]
    assert "is negative at eps = 3/2\n" in run(capsys, "check", "pole.dpm", "P>=0 (F b)", "--at", "3/2")[2]
    assert run(capsys, "check", "pole.dpm", "P>=0 (F b) for eps in [2, 7)")[0] == 0


@pytest.mark.parametrize(
    ("formula", "note"),
    [
        ("D[0, 1/2](X out_1) & D[0, 1/2](X out_0)", "forall A subset"),
        ('forall a in "out_*": D[0, 1/2](X a)', "forall A subset"),
        ("P>=2 (X out_1)", "the bound 2 is never reached"),
        ("P in [-1, 1/2] (X out_1)", "the bound -1 is never reached"),
    ],
)
def test_notes(formula: str, note: str, capsys: Capture) -> None:
    assert note in run(capsys, "check", "survey.dpm", formula)[2]
    assert note in contents(run(capsys, "check", "survey.dpm", formula, "--json")[1])["notes"][0]


@pytest.mark.parametrize(
    "formula",
    [
        "D[1, 0](X out_1) & D[1, 0](X out_0)",
        "D[0, 1/2](X out_1) & D[0, 1/3](X out_0)",
        "forall A subset {out_1, out_0}: D[0, 1/2](X A)",
        "P in [0, 1] (X out_1)",
    ],
)
def test_no_notes(formula: str, capsys: Capture) -> None:
    assert run(capsys, "check", "survey.dpm", formula)[2] == ""


def test_no_neighbours(capsys: Capture, folder: Path) -> None:
    (folder / "alone.dpm").write_text(SURVEY.replace("neighbours", "# neighbours"), encoding="utf-8")
    assert (
        "no two different states are neighbours" in run(capsys, "check", "alone.dpm", "D[0, 0](X out_1)")[2]
    )
    assert run(capsys, "check", "alone.dpm", "P>=0 (X out_1)")[2] == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["check", "survey.dpm"],
            "there is no formula to check\n    help: give one: dipc model check survey.dpm",
        ),
        (["check", "survy.dpm", "true"], "no such file or model\n    help: did you mean `survey.dpm`?"),
        (["check", "laws.txt", "true"], "laws.txt: this is not a model\n    help: its name ends in .dpm, "),
        (
            ["check", "survey.dpm", "F out_1"],
            "    F out_1\n    ^^^^^^^\n    help: put it into P(...) or D(...)",
        ),
        (
            ["check", "survey.dpm", "P=? (X out_1)"],
            "a query has no truth value\n    help: ask it by `dipc model value`",
        ),
        (["value", "survey.dpm", "P>=1/2 (X out_1)"], "a formula has no value"),
        (["regions", "survey.dpm", "P=? (X out_1)"], "a query has no truth value"),
        (["check", "survey.dpm", "true", "--expect"], "leave out --expect"),
        (["check", "survey.dpm", "--expect", "--at", "1"], "leave out --expect"),
        (["check", "survey.dpm", "true", "--for", "(0, 1)"], "for eps in (0, 1]'"),
        (["check", "survey.dpm", "true", "--junit", "survey.dpm"], "this is the program itself"),
        (["check", "survey.dpm", "true", "-D", "z"], "not of the form NAME=VALUE"),
        (["check", "survey.dpm", "true", "--at", "0"], "eps = 0 is not in (0, inf)"),
        (["chekc"], "did you mean `check`?"),
    ],
)
def test_misuse(arguments: list[str], says: str, capsys: Capture) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert says in err


def test_a_model_without_a_command(capsys: Capture) -> None:
    assert status(["survey.dpm"]) == 2
    assert "did you mean `dipc model check survey.dpm`?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "arguments", "says"),
    [
        ("empty.dpm", ["empty.dpm", "true"], "empty.dpm: the file is empty"),
        ("empty.drn", ["empty.drn", "true"], "empty.drn"),
        ("empty.txt", ["survey.dpm", "--formulas", "empty.txt"], "there is no formula in this file"),
    ],
)
def test_empty_files(file: str, arguments: list[str], says: str, capsys: Capture, folder: Path) -> None:
    (folder / file).write_text("\n", encoding="utf-8")
    code, _, err = run(capsys, "check", *arguments)
    assert code == 2 and says in err.splitlines()[0]


def test_an_open_query(capsys: Capture, folder: Path) -> None:
    (folder / "guess.dpm").write_text(GUESS, encoding="utf-8")
    code, out, _ = run(capsys, "value", "guess.dpm", "D[?, 0](F won)", "--depth", "2")
    assert (code, out.splitlines()[0]) == (3, "least ε    undecided, in [0.6931471805, inf]")
    code, out, _ = run(capsys, "value", "guess.dpm", "D[0, ?](F won)", "--depth", "3", "--json")
    reason = "no proof and no counterexample up to words of 3 actions and 20000 pairs"
    open_value = {"exact": None, "decimal": None, "undecided": ["1/3", "1/2"], "reason": reason}
    assert contents(out)["least"] == open_value | {"state": "s", "neighbour": "u"}


def test_the_depth(capsys: Capture, folder: Path) -> None:
    (folder / "guess.dpm").write_text(GUESS, encoding="utf-8")
    assert run(capsys, "check", "guess.dpm", "D[0, 0.3334](F won)", "--depth", "-1")[0] == 2
    _, _, err = run(capsys, "check", "survey.dpm", TIGHT, "--depth", "3")
    assert err == "note: --depth is for decision processes\n"


# --- what ends early ---------------------------------------------------------------------------------


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is pressed when the states are first looked at."""
    tick = Clock.tick

    def pressing(self: Clock, stage: str, done: int = 0, total: int | None = None) -> None:
        tick(self, stage, done, total)
        if stage == "states":
            signal.raise_signal(signal.SIGINT)

    pressing.__name__ = "tick"  # found by its name where a result comes from another process
    monkeypatch.setattr(Clock, "tick", pressing)


@pytest.mark.usefixtures("interrupted")
def test_ctrl_c(capsys: Capture) -> None:
    code, out, _ = run(capsys, "check", "survey.dpm", LOOSE)
    assert code == 130
    assert "verdict  UNDECIDED at plus, minus\nreason   interrupted (states)\n" in out
    code, out, _ = run(capsys, "check", "survey.dpm", LOOSE, TIGHT)
    assert (code, out.splitlines()[-1]) == (130, "interrupted: 0 of 2 formulas were checked")
    assert run(capsys, "value", "survey.dpm", "P=? (X out_1)")[0] == 130


def clique(states: int) -> str:
    """Every two of the states are neighbours, and none is like another."""
    rows = [f"s{i} -> {{yes: exp(-eps)*{i + 1}/{states + 1}, no: 1 - exp(-eps)*{i + 1}/{states + 1}}}"
            for i in range(states)]  # fmt: skip
    pairs = ", ".join(f"s{i}" for i in range(states))
    return "\n".join(["chain", *rows, "final yes, no", f"neighbours {{{pairs}}}"])


def test_the_time_limit_holds_without_signals(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library looks at the clock itself: between pairs, and while it isolates roots."""
    (folder / "clique.dpm").write_text(clique(300), encoding="utf-8")
    model, watch = load_model("clique.dpm"), worn_by_dipc(0.01, monkeypatch)
    with limits(seconds=1):
        found = model.check("P>=0 (F D[eps, 1/100](X yes))")
    assert found.status == "undecided" and watch.now < 3
    start = watch.now
    with limits(seconds=1), pytest.raises(LimitReached):
        model.value("D[eps, ?](X yes)")
    assert watch.now < start + 3


@pytest.mark.usefixtures("between_steps")
def test_a_time_limit(capsys: Capture) -> None:
    code, out, _ = run(capsys, "regions", "geometric.dpm", "P>=1/2 (X g)", "--time-limit", "0")
    assert code == 3
    assert "s        undecided\nt        undecided\nreason   the time limit was reached (" in out
    code, _, err = run(capsys, "value", "geometric.dpm", "P=? (X g)", "--time-limit", "0")
    assert code == 3
    assert err.startswith("error: the time limit was reached")


# --- shipped models ----------------------------------------------------------------------------------


@pytest.fixture
def shipped_survey(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shipped model and a shipped program."""
    home = folder / "elsewhere" / "chains"
    home.mkdir(parents=True)
    (home / "diagnosis.dpm").write_text(SURVEY.replace("# survey.dpm: have", "# Have"), encoding="utf-8")
    head = "# A coin\n# expect: violated\n"
    program = f"{head}output out in {{0, 1}}; input q in {{0, 1}}; adjacent all; private eps; out <- q\n"
    (home / "coin.dip").write_text(program, encoding="utf-8")
    monkeypatch.setattr(shipped, "FOLDERS", (folder / "elsewhere",))
    shipped.catalogue.cache_clear()
    yield home
    monkeypatch.undo()
    shipped.catalogue.cache_clear()


@pytest.mark.usefixtures("shipped_survey")
def test_shipped_models(capsys: Capture) -> None:
    assert "model    diagnosis  (Markov chain" in run(capsys, "check", "diagnosis", TIGHT)[1]
    assert "did you mean `diagnosis`?" in run(capsys, "check", "diagnosi", TIGHT)[2]
    assert status(["programs"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^coin +violated +A coin$", out, re.M)
    assert out.endswith("model      title\ndiagnosis  Have you been diagnosed? (dpCTL*, Figure 1)\n")
    assert status(["programs", "diagnosis"]) == 0
    assert "plus  -> {yes: 3/4" in capsys.readouterr().out
    complete = ShellComplete(cli, {}, "dipc", "_DIPC_COMPLETE").get_completions
    assert [item.value for item in complete(["model", "check"], "dia")] == ["diagnosis"]
