"""Questions for other tools: queries evaluated word by word and by z3, and a chain with the same laws."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import inf, log
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import mpmath
import pytest
from campaigns import some
from click.testing import CliRunner
from flint import fmpq
from patience import PATIENCE
from rationals import fraction

import dipc
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Source
from dipc.models.chain import DEAD
from dipc.models.drn import read_drn
from dipc.models.mixtures import Claim
from dipc.pufferfish.commands import files as commands
from dipc.pufferfish.export.hmm import FORMATS, chain_of, export, side_name, smtlib
from dipc.pufferfish.export.queries import bracket
from dipc.pufferfish.hmm import HiddenMarkovModel
from dipc.pufferfish.laws import Law
from dipc.pufferfish.panels import by_horizon, fixed, places, plot_question, subject_of
from dipc.pufferfish.pipeline import check
from dipc.pufferfish.question import Question
from dipc.shipped import hidden_models
from tests.pufferfish.brute_force import least
from tests.pufferfish.parametric_examples import example3, example4, example4_events
from tests.pufferfish.small_models import (
    RING,
    above_threshold,
    geometric,
    mixing_chain,
    noisy_chain,
    random_question,
)

TEXTS = {
    "eps": """
        observe yes, no
        state does(a) for a in 0..1
          emits {yes: exp(a*eps)/(1 + exp(eps)), no: exp((1 - a)*eps)/(1 + exp(eps))} next does(a)
        compare does(0), does(1)
        horizon 2
    """,
    "ratio": """
        param p in (0, 1), q in (0, 1/(1 + p))
        where p <= 1/2
        observe a, b
        state s emits {a: p/(1 + p), b: 1/(1 + p)} next {s: 1 - q, t: q}
        state t emits {a: 1/2, b: 1/2} next stop
        start d {s: 1/(2 - q), t: (1 - q)/(2 - q)}
        compare d, t
        horizon 2
    """,
}


CLAIMED = [name for name in hidden_models() if HiddenMarkovModel.load(name).question().question.claim]
"""The shipped models with a claim."""


def read(text: str, claim: str) -> Question:
    model = HiddenMarkovModel(Source("a.hmm", f"{text}\nprivate {claim}"))
    return model.question().question


# --- SMT-LIB, read back ------------------------------------------------------------------------------


def solved(text: str) -> list[str]:
    """The answers of z3."""
    z3 = pytest.importorskip("z3")
    head, *queries = text.split("(push 1)")
    answers = []
    for query in queries:
        solver = z3.Solver()
        solver.set("timeout", int(1000 * PATIENCE))
        solver.from_string(head + query.split("(check-sat)")[0])
        answers.append(str(solver.check()))
    return answers


def claims(question: Question, random: Random) -> Iterator[tuple[Question, list[bool]]]:
    """The question with claims at and near the least c of its pairs, and which pairs violate each."""
    assert question.horizon is not None
    best = least(question, question.horizon)
    exact = [c for c in best.values() if c != inf and c > 1] or [Fraction(2)]
    for c in (random.choice(exact), max(Fraction(1), random.choice(exact) - Fraction(1, 1000))):
        claimed = replace(question, claim=Claim("c", fmpq(c.numerator, c.denominator)))
        yield claimed, [best.get(i, 0) > c for i in range(len(question.pairs))]


@pytest.mark.parametrize("seed", some(range(25), 8))
def test_z3_agrees_on_random_models(seed):
    random = Random(1000 + seed)
    for question, expected in claims(random_question(random), random):
        assert solved(smtlib(question, Clock())) == ["sat" if wrong else "unsat" for wrong in expected]


@pytest.mark.parametrize(
    "question",
    [
        geometric(),
        above_threshold(5),
        replace(above_threshold(5), claim=Claim("ln(3)", fmpq(3))),
        replace(noisy_chain(4), claim=Claim("ln(3)", fmpq(3))),
        replace(mixing_chain(3), claim=Claim("ln(5)", fmpq(5))),
        *(
            make(c)
            for make in (example3, example4, example4_events)
            for c in (fmpq(19, 10), fmpq(2), fmpq(4))
        ),
        *(HiddenMarkovModel.load(name).question(horizon=2).question for name in CLAIMED),
        *(read(TEXTS["eps"], claim) for claim in ("eps", "2*eps", "5/2*eps", "3/2*eps")),
        *(
            replace(read(TEXTS["eps"], "eps"), claim=Claim(f"{rate}*eps", fmpq(1), rate=rate))
            for rate in (fmpq(3, 2), fmpq(5, 2))  # odd powers of the square root of exp(-eps)
        ),
        *(read(TEXTS["ratio"], claim) for claim in ("ln(2)", "ln(3)", "ln(9)")),
    ],
)
def test_z3_agrees_on_examples(question):
    found = solved(smtlib(question, Clock()))
    assert ("sat" if "sat" in found else "unsat") == {"violated": "sat", "private": "unsat"}[
        check(question, Clock()).status
    ]


RUN_Z3 = """
import sys, z3
context = z3.Context()
print(z3.Z3_eval_smtlib2_string(context.ref(), sys.stdin.read()))
"""


def by_z3(text: str) -> list[str]:
    """What z3 answers to a whole script, in a process of its own, which an error ends."""
    pytest.importorskip("z3")
    run = subprocess.run(
        [sys.executable, "-c", RUN_Z3], input=text, capture_output=True, text=True, check=False
    )
    return run.stdout.split()


def by_cvc5(text: str) -> list[str]:
    """The answers of cvc5, which ignores how to behave on errors and raises them."""
    cvc5 = pytest.importorskip("cvc5")
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers += command.invoke(solver, parser.getSymbolManager()).split()
    assert answers.pop(0) == "unsupported"
    return answers


def concluded(text: str, answers: list[str]) -> str:
    """The verdict, read off the answers as the comments in the text say."""
    assert len(answers) == text.count("(check-sat)") and set(answers) <= {"sat", "unsat"}
    twice = "every pair has two queries" in text
    if "sat" in (answers[::2] if twice else answers):
        return "violated"
    return "private" if set(answers[1::2] if twice else answers) == {"unsat"} else "open"


def asked(name: str, claim: str | None = None, horizon: int | None = None) -> Question:
    """The question of a shipped model, with this claim exp(k): its c is not rational."""
    question = HiddenMarkovModel.load(name).question(horizon=horizon).question
    return question if claim is None else replace(question, claim=Claim(claim, fmpq(1), fmpq(claim)))


ASKED = [
    *(asked(name) for name in ("ex2", "ex3", "ex4", "ex4-events")),
    *(asked(name, claim) for name in ("ex2", "ex4") for claim in ("69/100", "70/100")),  # around ln(2)
    asked("ex3", "3/2"),
    asked("weather", horizon=2),
    asked("weather", "3/2", horizon=2),
]


@pytest.mark.parametrize("run", [by_z3, by_cvc5])
@pytest.mark.parametrize("question", ASKED)
def test_scripts_are_run_as_they_are_written(question, run):
    text = smtlib(question, Clock())
    assert "exp" not in re.sub("epsilon|;.*", "", text)
    assert concluded(text, run(text)) == check(question, Clock()).status


@pytest.mark.parametrize("run", [by_z3, by_cvc5])
@pytest.mark.parametrize(("claim", "status"), [("1.233", "private"), ("1.2", "violated")])
def test_scripts_about_programs(claim, status, run):
    question = dipc.load("noisy-max-3").pufferfish()
    text = question.export("smtlib", claim=claim)
    assert concluded(text, run(text)) == question.check(claim).status == status


@pytest.mark.parametrize("claim", ["1/1000", "1/3", "343/250", "50", "9999"])
def test_rational_numbers_around_c(claim):
    question = replace(example4(), claim=Claim(claim, fmpq(3), fmpq(claim)))
    low, high = bracket(question.claim)
    with mpmath.workdps(10_000):
        c = 3 * mpmath.exp(mpmath.mpf(int(fmpq(claim).p)) / int(fmpq(claim).q))
        assert mpmath.mpf(int(low.p)) / int(low.q) < c < mpmath.mpf(int(high.p)) / int(high.q)
    assert high - low == fmpq(1, 10**20)


def test_a_constant_that_is_too_large_to_be_written_out():
    with pytest.raises(LimitReached, match="too many digits"):
        smtlib(replace(example4(), claim=Claim("10^9", fmpq(1), fmpq(10**9))), Clock())


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (noisy_chain(2), "nothing is claimed"),
        (replace(geometric(), horizon=None), "needs a number of observations"),
        (replace(geometric(), claim=Claim("0", fmpq(1), delta=fmpq(1, 2))), "delta"),
    ],
)
def test_what_smtlib_cannot_say(question, message):
    with pytest.raises(InputError, match=message):
        smtlib(question, Clock())


# --- the chain ---------------------------------------------------------------------------------------


def paths(chain, state: int, steps: int) -> dict[tuple[str, ...], Fraction]:
    """The probabilities of the labels on the next steps; silence is not shown."""
    seen = {s: (label,) for label, states in chain.labels.items() for s in states}
    laws: dict[tuple[int, tuple[str, ...]], Fraction] = {(state, ()): Fraction(1)}
    for _ in range(steps):
        following: dict[tuple[int, tuple[str, ...]], Fraction] = {}
        for (s, word), mass in laws.items():
            for t, p in chain.rows[s]:
                key = t, word + seen.get(t, ())
                following[key] = following.get(key, Fraction(0)) + mass * fraction(p)
        laws = following
    found: dict[tuple[str, ...], Fraction] = {}
    for (_, word), mass in laws.items():
        found[word] = found.get(word, Fraction(0)) + mass
    return found


@pytest.mark.parametrize(
    "question",
    [
        *(random_question(Random(seed)) for seed in range(25)),
        fixed(example3(), {"p": fmpq(1, 3)}),  # weights of secrets do not sum to 1
        fixed(example4_events(), {"p": fmpq(1, 3)}),
    ],
)
def test_the_chain_has_the_same_laws(question):
    chain = chain_of(question)
    assert all(sum(fraction(p) for _, p in row) == 1 for row in chain.rows)
    assert (DEAD in chain.names) == (chain.names[-1] == DEAD) and len(set(chain.names)) == len(chain.names)
    for side in {side for pair in question.pairs for side in pair}:
        law = Law(question, side).sequences(3, Clock())
        assert paths(chain, chain.names.index(side_name(side)), 3) == {w: fraction(p) for w, p in law}
    near = {frozenset(chain.names[s] for s in pair) for pair in chain.neighbours}
    assert near == {frozenset(side_name(side) for side in pair) for pair in question.pairs}


@pytest.mark.parametrize("question", [geometric(), above_threshold(3), read(TEXTS["eps"], "eps")])
def test_every_format(question):
    chain = chain_of(question)
    back = read_drn(Source("a.drn", export(question, "drn", Clock()))).model
    assert back.names == chain.names and back.neighbours == chain.neighbours and back.start == chain.start
    assert [sorted((t, str(p)) for t, p in row) for row in back.rows] == [
        sorted((t, str(p)) for t, p in row) for row in chain.rows
    ]
    assert ElementTree.fromstring(export(question, "svg", Clock())).tag.endswith("svg")
    assert export(question, "dot", Clock()).count(" -> ") > len(chain.names) // 2
    assert export(question, "prism", Clock()).count("  [] s=") == len(chain.names)


def test_a_chain_needs_numbers_for_parameters():
    with pytest.raises(InputError, match="needs numbers for p") as caught:
        export(example3(), "drn", Clock())
    assert "--fix p=1/2" in str(caught.value.hint)
    chain = chain_of(fixed(example3(), {"p": fmpq(1, 3)}))
    assert chain.start == (0, 1)


# --- figures -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", some(range(8), 3))
def test_points_are_least_constants(seed):
    question = random_question(Random(seed))
    subject = by_horizon(question, question.horizon, Clock())
    for k, values in enumerate(places(subject, question.horizon - 1), start=1):
        assert values == {"horizon": k}
        c = max([*least(question, k).values(), Fraction(1)])
        low, high = subject.least(values)
        assert low == high == pytest.approx(log(c) if c != inf else inf)


def test_what_is_drawn():
    pytest.importorskip("matplotlib")
    claim = Claim("ln(3)", fmpq(3))
    (axes,) = plot_question(replace(mixing_chain(3), claim=claim), Clock()).axes
    drawn, dashed = (line.get_ydata() for line in axes.lines)
    best = [max(least(mixing_chain(3), k).values()) for k in (1, 2, 3)]
    assert list(drawn) == pytest.approx(list(map(log, best))) and dashed[0] == pytest.approx(log(3))
    impossible = replace(geometric(loops=True), horizon=2)
    rows = (((0, RING.of(1)),), *impossible.model.emissions[1:])
    (axes,) = plot_question(
        replace(impossible, model=replace(impossible.model, emissions=rows)), Clock()
    ).axes
    assert list(axes.get_legend_handles_labels()[1]) == ["least ε", "infinite", "claim ln(2)"]


def test_a_figure_with_eps():
    """The two answers of randomized response have the loss 2*eps."""
    pytest.importorskip("matplotlib")
    (axes,) = plot_question(read(TEXTS["eps"], "eps"), Clock(), points=4).axes
    drawn, claimed = axes.lines
    assert list(drawn.get_ydata()) == pytest.approx([2 * eps for eps in drawn.get_xdata()])
    assert list(claimed.get_ydata()) == pytest.approx(list(drawn.get_xdata()))


def test_points_of_a_parameter():
    subject = subject_of(example4(), Clock())
    found = places(subject, 8)
    assert found == [{"p": fmpq(i, 8)} for i in range(1, 8)]  # the range is open
    lows = [subject.least(values).low for values in found]
    for values, low in zip(found, lows, strict=True):
        assert low == pytest.approx(log(max(least(fixed(example4(), values), 1).values())))
    assert lows[0] > lows[-1] > 0


# --- commands ----------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eps.hmm").write_text(TEXTS["eps"] + "private eps", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("to", FORMATS)
def test_the_command_writes_what_the_function_says(folder: Path, to: str):
    found = CliRunner().invoke(commands.export, ["eps.hmm", "--to", to])
    written = CliRunner().invoke(commands.export, ["eps.hmm", "--to", to, "-o", "out"])
    assert found.exit_code == written.exit_code == 0, found.exception or written.exception
    assert (folder / "out").read_text(encoding="utf-8").strip() == found.stdout.strip() != ""


def test_the_command_draws(folder: Path):
    pytest.importorskip("matplotlib")
    found = CliRunner().invoke(commands.plot, ["ex4", "-o", "ex4.svg"])
    assert found.exit_code == 0, found.exception
    assert ElementTree.parse(folder / "ex4.svg").getroot().tag.endswith("svg")
    wrong = CliRunner().invoke(commands.plot, ["ex4", "-o", "ex4.txt"])
    assert isinstance(wrong.exception, InputError) and not (folder / "ex4.txt").exists()
