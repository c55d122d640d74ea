"""Certificates about classes of parameters: accepted, altered, forged; judged at points, by all sequences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from campaigns import some, spared
from certificate.altered import Where, at, changed, mutants, survivors
from certificate.pufferfish_judge import (
    FOLDER,
    Judge,
    asked_in,
    checked,
    others,
    shipped,
    verify_each,
    written,
)
from flint import fmpq
from patience import PATIENCE
from pufferfish import parametric_examples, prior_programs

from dipc.certificate.format import dumps
from dipc.cli.main import status as exit_status
from dipc.clock import Clock, Limits
from dipc.errors import InputError, LimitReached, Unsupported
from dipc.kernel import pufferfish
from dipc.kernel.polynomials import added, number
from dipc.kernel.reading import Refused
from dipc.kernel.schema import read
from dipc.models.mixtures import Claim
from dipc.pufferfish import pipeline
from dipc.pufferfish.certify import other_question, question_certificate
from dipc.pufferfish.question import Question
from dipc.pufferfish.verdict import PufferfishVerdict

# --- questions --------------------------------------------------------------------------------------------

TRIANGLE = """
observe 0..1
param p in (0, 1); param q in (0, 1 - p)
state a emits {0: 1/2 + p/4, 1: 1/2 - p/4} next {a: 1 - q, b: q}
state b emits {0: 1/2 - q/4, 1: 1/2 + q/4} next {a: p, b: 1 - p}
compare a, b
horizon HORIZON
private CLAIM
"""

WHERE = """
observe 0..1
param p in [0, 1]; param q in [0, 1]
where p + q <= 3/2, p >= 1/4
state a emits {0: 1/2 + p/4, 1: 1/2 - p/4} next stop
state b emits {0: 1/2 - q/4, 1: 1/2 + q/4} next stop
compare a, b
private CLAIM
"""

RESPONSE = """
observe 0..1
param p in (0, 1)
state a emits {0: 1/(1 + exp(-eps)), 1: exp(-eps)/(1 + exp(-eps))} next stop
state b emits {1: 1/(1 + exp(-eps)), 0: exp(-eps)/(1 + exp(-eps))} next stop
start y {a: 1 - p, b: p}
start z {a: p, b: 1 - p}
compare a, b; compare y, z
private CLAIM
"""

OPPOSITE = """
observe 0..1
param p in (0, 1)
state a emits {0: 1/2 + p/4, 1: 1/2 - p/4} next stop
state b emits {0: 1/2, 1: 1/2} next stop
compare a -> b
private ln(3/2)
"""

LOOPS = """
observe 0..1
param p in [1/4, 3/4]
state a emits {0: p, 1: 1 - p} next a
state b emits {0: p, 1: 1 - p} next b
compare a -> b
horizon any
private ln(1)
"""

SUBJECTS = {
    "ex3": lambda: shipped("ex3"),
    "ex3 at ln(4)": lambda: shipped("ex3", claim="ln(4)"),
    "ex4": lambda: shipped("ex4"),
    "ex4 for ever": lambda: shipped("ex4", horizon="any"),
    "ex4-events": lambda: shipped("ex4-events"),
    "triangle": lambda: asked_in(TRIANGLE.replace("HORIZON", "2").replace("CLAIM", "ln(9)")),
    "triangle too strict": lambda: asked_in(TRIANGLE.replace("HORIZON", "2").replace("CLAIM", "ln(3/2)")),
    "where": lambda: asked_in(WHERE.replace("CLAIM", "ln(13/5)")),
    "where too strict": lambda: asked_in(WHERE.replace("CLAIM", "ln(2)")),
    "response": lambda: asked_in(RESPONSE.replace("CLAIM", "eps")),
    "response finer": lambda: asked_in(RESPONSE.replace("CLAIM", "3/2*eps")),
    "response too strict": lambda: asked_in(RESPONSE.replace("CLAIM", "2/3*eps")),
    "loops": lambda: asked_in(LOOPS),
    "one against the other": lambda: asked_in(OPPOSITE),
}


class Certified(NamedTuple):
    asked: Question
    verdict: PufferfishVerdict
    text: str


@cache
def certified(subject: str) -> Certified:
    asked = SUBJECTS[subject]()
    verdict = pipeline.check(asked, Clock())
    return Certified(asked, verdict, dumps(question_certificate(asked, verdict)))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_verdicts_have_certificates(subject: str) -> None:
    asked, verdict, text = certified(subject)
    data = json.loads(text)
    certificate = checked(data)
    assert certificate.status == data["verdict"] == verdict.status
    assert other_question(certificate, asked) == [] and Judge(data).is_true()
    assert (verdict.status == "violated") is ("is not " in certificate.statement())
    assert "listed model, class and pairs" in certificate.summary()[0]


@pytest.mark.parametrize(
    ("name", "c", "status"),
    spared(
        [
            ("example3", 2, "violated"),
            ("example4", 2, "private"),
            ("example5", 2, "private"),
            ("example5", "40/21", "private"),  # the least c, which no point of the class has
            ("example5", "19/10", "violated"),
            ("example6", 2, "violated"),
            ("example6", 4, "private"),
        ],
        {("example6", 4, "private")},
    ),
)
def test_the_examples_of_the_paper(name: str, c: str | int, status: str) -> None:
    asked = getattr(parametric_examples, name)(fmpq(*map(int, str(c).split("/"))))
    data = written(asked)
    assert checked(data).status == status and Judge(data).is_true(count=4)


def test_statements() -> None:
    ends = {
        "ex3": 'shows "2" with 2/3, "healthy" under "contagious" with 1/6',
        "triangle": "ln(9)-Pufferfish private for every p in (0, 1), q in (0, 1 - p) and horizon 2",
        "where": "every p in [0, 1], q in [0, 1] where 3/2 - q - p >= 0, -1/4 + p >= 0 and horizon 1",
        "response finer": "private for every x = exp(-eps/2) in (0, 1), p in (0, 1) and horizon 1",
        "loops": "ln(1)-Pufferfish private for every p in [1/4, 3/4] and every horizon",
    }
    for subject, end in ends.items():
        assert checked(json.loads(certified(subject).text)).statement().endswith(end), subject


@pytest.mark.parametrize("seed", some(range(25), 10))
def test_random_classes(seed: int) -> None:
    """Random models with random rational functions; the claim is near the least c of some points."""
    random = Random(seed)

    def law(names: tuple[str, ...]) -> str:
        base = [random.randint(1, 3) for _ in names]
        k, v = random.randrange(len(names)), random.choice(("p", "q", "p*q", "p/(1 + q)", "1 - p"))
        each = enumerate(zip(names, base, strict=True))
        return (
            "{"
            + ", ".join(f"{s}: ({n} + {v if i == k else 0})/({sum(base)} + {v})" for i, (s, n) in each)
            + "}"
        )

    states = ("a", "b", "c")[: random.randint(2, 3)]
    text = "observe x, y; param p in (0, 1); param q in [0, p]\n"
    for s in states:
        text += f"state {s} emits {law(('x', 'y'))} next {random.choice(('stop', law(states)))}\n"
    text += f"compare a, b\nhorizon {random.randint(1, 2)}\n"
    text += f"private ln({random.choice(('9/8', '3/2', '2', '4', '9'))})\n"
    asked = asked_in(text)
    verdict = pipeline.check(asked, Clock(Limits(PATIENCE)))
    try:
        data = json.loads(dumps(question_certificate(asked, verdict, Clock(Limits(PATIENCE)))))
    except (InputError, LimitReached) as none:  # undecided, or not by boxes
        assert verdict.status == "undecided" or "no certificate" in str(none)
        return
    assert checked(data).status == verdict.status and Judge(data).is_true(count=15)


# --- mutants ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_mutant_is_refused_or_still_true(subject: str) -> None:
    (asked, _, text), random = certified(subject), Random(subject)
    data = json.loads(text)
    tried, accepted = some(mutants(data, others, lambda: random.random() < 0.3), 50), 0
    for where, mutant, certificate in survivors(tried, checked):
        accepted += 1
        assert Judge(mutant).is_true(count=12, longest=2), (where, mutant)
        assert bool(other_question(certificate, asked)) is (where[0] not in ("model", "proof")), where
    assert len(tried) > 40 and accepted < len(tried) / 3


@pytest.mark.parametrize("subject", [name for name in SUBJECTS if "too strict" not in name and name != "ex3"])
def test_a_lower_c_is_refused(subject: str) -> None:
    """c just below the greatest quotient at some points of the class, whatever the rest of the proof."""
    data = json.loads(certified(subject).text)
    judge = Judge(data)
    smaller = data | ({"c": "999/1000"} if data["eps"] is None else {"eps": data["eps"] | {"rate": "1/2"}})
    with pytest.raises(Refused):
        checked(smaller)
    worst = 1
    for point in judge.points(Random(2), 60):
        for word in product(range(judge.sizes[1]), repeat=min(data["horizon"] or 1, 2)):
            for pair in data["pairs"]:
                left, right = (judge.probability(side, word, point) for side in pair)
                worst = max(worst, left / right) if left is not None and right else worst
    if data["eps"] is None and worst > 1:
        with pytest.raises(Refused, match=r"^(level|proof|sign|c)"):
            checked(data | {"c": str((worst + 999 * max(1, worst - Fraction(1, 1000))) / 1000)})


BROKEN: dict[str, tuple[str, Where, Any, str]] = {
    "a sign less": ("ex4", ("proof", "signs"), lambda signs: signs[1:], "proof, signs"),
    "no sign": ("ex4", ("proof", "signs", 0), lambda sign: [], "sign 0"),
    "an item less": ("ex4", ("proof", "items"), lambda items: items[:-1], "proof"),
    "an item more": ("ex4", ("proof", "items"), lambda items: [*items, items[-1]], "proof"),
    "a dropped pair": ("ex4", ("pairs",), lambda pairs: pairs[1:], "proof|level"),
    "a sign of an entry less": ("loops", ("proof", "items", -1, "rest"), lambda rest: [[-1]], "level"),
    "another class": ("where", ("parameters", 1, "high"), lambda high: [[[0, 0], "2"]], "sign|level"),
    "no conditions": ("where", ("conditions",), lambda conditions: [], "level|sign"),
    "a later parameter": ("triangle", ("parameters", 0, "high"), lambda high: [[[0, 1], "1"]], "parameters"),
    "its own parameter": ("triangle", ("parameters", 0, "high"), lambda high: [[[1, 0], "1"]], "parameters"),
    "a name twice": ("triangle", ("parameters", 1, "name"), lambda name: "p", "parameters"),
    "a divisor 0": ("ex4", ("divisors", 0), lambda divisor: [], "divisors"),
    "a divisor that is negative": (
        "ex4",
        ("divisors", 0),
        lambda d: [[p, str(-Fraction(c))] for p, c in d],
        "point",
    ),
    "a row of 2": ("triangle", ("emissions", 0, 0, 1, 0), lambda f: [[[0, 0], "2"]], "emissions 0"),
    "a power too great": ("triangle", ("emissions", 0, 0, 1, 0), lambda f: [[[0, 256], "2"]], "emissions 0"),
    "powers not ascending": ("triangle", ("emissions", 0, 0, 1, 0), lambda f: f[::-1], "emissions 0"),
    "a negative weight": ("ex4", ("sides", 0, "start", 0, 1, 0), lambda f: [[[0], "-2"]], "point"),
    "the range of eps": ("response", ("parameters", 0, "high_closed"), lambda closed: True, "eps"),
    "a negative rate": ("response", ("eps", "rate"), lambda rate: "-1", "eps"),
    "eps is no parameter": ("response", ("eps", "parameter"), lambda place: 2, "eps"),
    "eps is before the first": ("response", ("eps", "parameter"), lambda place: -2, "eps"),
    "a unit of 0": ("response", ("eps", "unit"), lambda unit: 0, "eps"),
    "an unknown divisor": ("response", ("emissions", 0, 0, 1, 1), lambda divisor: 1, "emissions 0"),
    "a divisor before the first": ("response", ("emissions", 0, 0, 1, 1), lambda divisor: -1, "emissions 0"),
    "eps forgotten": ("response", ("eps",), lambda eps: None, "level|proof"),
    "a point outside": ("where too strict", ("proof", "point"), lambda point: ["0", "1"], "point"),
    "a point on an open end": ("ex3", ("proof", "point"), lambda point: ["1"], "point"),
    "a point of two numbers": ("ex3", ("proof", "point"), lambda point: point * 2, "point: there is not"),
    "a root of eps below 0": ("response finer", ("proof", "point", 0), lambda u: "-1/2", "point: exp"),
    "eps at infinity": ("response too strict", ("proof", "point", 0), lambda u: "0", "point"),
    "a longer sequence": ("ex3", ("proof", "sequence"), lambda word: word * 2, "proof"),
    "another sequence": ("ex3", ("proof", "sequence"), lambda word: [1], "proof"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refused_with_its_step(name: str) -> None:
    subject, where, change, step = BROKEN[name]
    data = written(SUBJECTS[subject]())
    checked(data)
    with pytest.raises(Refused, match=rf"^({step})"):
        checked(changed(data, where, change(at(data, where))))


def test_multiples_are_nonnegative() -> None:
    """One observation is likelier on the left, the other on the right by as much: not a multiple of it."""
    data = written(SUBJECTS["one against the other"]())
    one, pair = [[[0], "1"]], data["pairs"][0]
    kept = {"kept": [-1]}
    for factor, words in (([[[0], "-1"]], "a coefficient is negative"), (one, "a coefficient is negative")):
        items = [kept, {"by": [[1, factor, [-1]]], "rest": [[-1]]}, kept]
        with pytest.raises(Refused, match=f"^level 1: .*{words}"):
            checked(data | {"c": "1", "pairs": [pair], "proof": {**data["proof"], "items": items}})
    with pytest.raises(Refused, match=r"^level 1: a coefficient is negative"):
        checked(data | {"c": "1", "pairs": [pair], "proof": {**data["proof"], "items": [kept] * 3}})


def test_a_violation_is_at_a_point_where_all_is_defined() -> None:
    """The weight 1/(1 - p) is no number at p = 1, although it is the only one of its side."""
    data = written(asked_in(OPPOSITE.replace("(0, 1)", "[0, 1]").replace("3/2", "1")))
    data["divisors"] = [[[[0], "1"], [[1], "-1"]]]
    data["sides"][0]["start"] = [[0, [[[[0], "1"]], 0]]]
    for point in ("1/2", "99/100"):
        assert checked(changed(data, ("proof", "point"), [point])).status == "violated"
    with pytest.raises(Refused, match=r"^point: a divisor is 0 there"):
        checked(changed(data, ("proof", "point"), ["1"]))


def test_all_rows_are_multiplied_by_the_same_divisors() -> None:
    """That of the silent state, too: a cone compares it with others."""
    data = json.loads(certified("response").text)
    del data["digest"]
    listed = read(pufferfish.Listed, data)
    assert isinstance(listed.proof, pufferfish.Private) and listed.divisors
    levels = pufferfish.Levels(pufferfish.Question(listed), pufferfish.Reading(listed.proof))
    for rows in levels.model:
        assert len({frozenset(added(row.values()).items()) for row in rows}) == 1
    assert number(added(levels.model.emissions[-1].values())) is None


def trees(value: Any) -> Iterator[list[int]]:
    """The trees of more than one box in a proof."""
    if isinstance(value, list) and len(value) > 1 and all(type(x) is int for x in value):
        yield value
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[1], str):
        return  # powers and a coefficient
    elif isinstance(value, list | dict):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from trees(inner)


def test_every_box_is_needed() -> None:
    """Dropped boxes, boxes dropped by a condition that holds, and boxes that are not bisected are refused."""
    data = written(SUBJECTS["where"]())
    found = list(trees(data["proof"]["items"]))
    assert any(-2 in tree for tree in found)
    for tree in found:
        old = tree.copy()
        parts = [
            old[:i] + new + old[i + 1 :] for i in range(len(old)) for new in ([], [2], [-4], [0, -1], [-1])
        ]
        for other in (*parts, [-1], [-2], [-3]):
            if other != old:
                tree[:] = other
                with pytest.raises(Refused, match=r"^level \d"):
                    checked(data)
        tree[:] = old
    checked(data)


def test_many_boxes_are_refused() -> None:
    data = written(SUBJECTS["triangle"]())
    deep = data | {"proof": data["proof"] | {"signs": [[0] * 10**4] * len(data["proof"]["signs"])}}
    with pytest.raises(Refused):
        checked(deep)


def test_a_long_number_is_shown_by_its_length() -> None:
    assert (
        pufferfish.brief(Fraction(2**300)) == pufferfish.brief(Fraction(1, 2**300)) == "a number of 301 bits"
    )
    assert pufferfish.brief(Fraction(1, 3)) == "1/3"


# --- what is not covered is named -------------------------------------------------------------------------


def test_what_is_not_covered_is_named() -> None:
    text = TRIANGLE.replace("HORIZON", "1").replace("CLAIM", "ln(5)")
    for asked, words in (
        (asked_in(text.replace("(0, 1 - p)", "(0, (1 - p)/(1 + p))")), "a range with a divisor"),
        (asked_in(text, claim="1.6"), r"the claim 1\.6: c = exp"),
    ):
        verdict = pipeline.check(asked, Clock(Limits(PATIENCE)))
        assert verdict.status == "private"
        with pytest.raises(Unsupported, match=words):
            question_certificate(asked, verdict)
    delta = replace(shipped("ex3"), claim=Claim("", fmpq(2), delta=fmpq(1, 2)))
    with pytest.raises(Unsupported, match="delta > 0"):
        question_certificate(delta, pipeline.check(shipped("ex3"), Clock()))


def test_answers_of_root_isolation_have_no_certificate() -> None:
    """p^2 - 1/2 is 0 at an irrational end of the class: boxes do not end there."""
    asked = asked_in("""
        observe 0..1
        param p in [0, 1]
        where p^2 >= 1/2
        state a emits {0: p^2/2, 1: 1 - p^2/2} next stop
        state b emits {0: 1/2, 1: 1/2} next stop
        compare b -> a
        private ln(2)
    """)
    verdict = pipeline.check(asked, Clock())
    assert verdict.status == "private"
    with pytest.raises(LimitReached, match="answers of root isolation have none"):
        question_certificate(asked, verdict)


def test_a_square_inside_the_class_is_certified() -> None:
    """f = (2 p - 1)^2 / 4 is 0 in the middle, and c is the least one."""
    asked = asked_in("""
        observe 0..1
        param p in (0, 1)
        state a emits {0: 1/4 + (p - 1/2)^2/2, 1: 3/4 - (p - 1/2)^2/2} next stop
        state b emits {0: 1/2, 1: 1/2} next stop
        compare b -> a
        private ln(2)
    """)
    data = written(asked)
    assert checked(data).status == "private" and Judge(data).is_true()
    assert any(
        power == 2 and tree is None for item in data["proof"]["items"][1:] for _, power, tree in factors(item)
    )


def factors(item: Any) -> list[Any]:
    sign = item.get("kept")
    return sign["factors"] if isinstance(sign, dict) else []


def test_a_false_verdict_is_not_certified() -> None:
    private, violated = (SUBJECTS[name]() for name in ("where", "where too strict"))
    verdict = pipeline.check(private, Clock())
    with pytest.raises(LimitReached, match="boxes do not show"):
        question_certificate(violated, verdict)
    other = pipeline.check(violated, Clock())
    with pytest.raises(LimitReached, match="refused: proof: the sequence does not break"):
        question_certificate(private, other)


# --- programs with priors ---------------------------------------------------------------------------------

SVT = """
param  p in (0, 1)
input  q[2] in {0, 1};  output out[2] in {bot, top} = bot
prior
  q[1] <- choose {1: p, 0: 1 - p}; q[2] <- q[1]
end
secret q[1] = 0 vs q[1] = 1;  private eps
t <- Lap(eps/2, 0)
for i in 1..2 do
  r <- Lap(eps/4, q[i])
  if r >= t then out[i] <- top; exit end
end
"""

FLIP = """
param  p in (0, 1)
input  b in {0, 1};  output o in {0, 1} = 0
prior
  b <- choose {1: p, 0: 1 - p}
end
secret b = 0 vs b = 1;  private eps
keep <- flip(exp(eps)/(1 + exp(eps)))
if keep then o <- b else o <- 1 - b end
"""


def program_verdict(text: str) -> Any:
    return prior_programs.decided(prior_programs.program(text))


@pytest.mark.parametrize(
    "text", spared([prior_programs.EXAMPLE_5, prior_programs.EXAMPLE_6, FLIP], {prior_programs.EXAMPLE_6})
)
def test_programs_with_priors(text: str) -> None:
    verdict = program_verdict(text)
    data = json.loads(dumps(question_certificate(verdict.question, verdict)))
    assert checked(data).status == verdict.status and Judge(data).is_true(count=4)


def test_programs_with_other_functions_of_eps_are_refused_by_name() -> None:
    verdict = program_verdict(SVT)
    assert verdict.status == "private"
    with pytest.raises(Unsupported, match="eps outside of exp"):
        question_certificate(verdict.question, verdict)


# --- the commands -----------------------------------------------------------------------------------------


def test_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ex3", "ex4"):
        asked = shipped(name)
        text = dumps(question_certificate(asked, pipeline.check(asked, Clock())))
        (tmp_path / f"{name}.json").write_text(text)
    violated, private = (str(tmp_path / f"{name}.json") for name in ("ex3", "ex4"))
    file, other = str(FOLDER / "ex4.hmm"), tmp_path / "other.hmm"
    other.write_text((FOLDER / "ex4.hmm").read_text(encoding="utf-8").replace("(0, 1)", "(0, 1/2)"))
    cases = (
        ([private], 0, "is ln(2)-Pufferfish private for every p in (0, 1) and horizon 1"),
        ([private, "--model", file], 0, "accepted: model 'ex4.hmm'"),
        ([private, "--model", str(other)], 1, "the parameters (the file has others)"),
        ([private, "--model", file, "--claim", "ln(3)"], 1, "the c (the file has others)"),
        ([private, "--model", "ex2"], 1, "the parameters (the file has others)"),
        ([private, "--no-deep"], 3, "IF the listed model, class and pairs"),
        ([private, "--program", "svt1"], 1, "about a hidden Markov model, not about a program"),
        ([violated], 1, "the claim is violated (expected: private)"),
        ([violated, "--expect", "violated", "--model", "ex3"], 0, "at p = 1/2"),
    )
    verify_each(capsys, cases)


def test_verify_compares_with_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, other, certificate = (tmp_path / name for name in ("flip.dip", "other.dip", "c.json"))
    file.write_text(FLIP)
    other.write_text(FLIP.replace("exp(eps)/(1 + exp(eps))", "1/2"))
    assert exit_status(["pufferfish", "check", str(file), "--certificate", str(certificate)]) == 0
    cases = (
        (
            ["--model", str(file)],
            0,
            "is 1*eps-Pufferfish private for every x = exp(-eps) in (0, 1), p in (0, 1)",
        ),
        (["--model", str(file), "--claim", "2*eps"], 1, "the eps (the file has others)"),
        (["--model", str(file), "--claim", "eps/2"], 1, "the eps (the file has others); the divisors"),
        (["--model", str(other)], 2, "with the claim eps: c = exp(...)"),
        (["--model", str(other), "--claim", "ln(2)"], 1, "another statement"),
        (["--program", str(file)], 1, "about a hidden Markov model, not about a program"),
    )
    verify_each(capsys, cases, str(certificate))
