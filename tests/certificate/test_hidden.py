"""Certificates of hidden Markov models: accepted, altered, forged, hostile; judged by all sequences."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import pytest
from campaigns import some, spared
from certificate.altered import Where, at, changed, mutants, survivors
from certificate.pufferfish_judge import FOLDER, Judge, checked, others, shipped, verify_each, written
from flint import fmpq
from patience import PATIENCE
from pufferfish.brute_force import least
from pufferfish.small_models import (
    both,
    geometric,
    mixing_chain,
    noisy_chain,
    question,
    random_question,
)

import dipc.pufferfish.certify as produced
from dipc.certificate.format import dumps
from dipc.clock import Clock, Limits
from dipc.errors import InputError, LimitReached, Source, Unsupported
from dipc.kernel.reading import Refused
from dipc.models.mixtures import Claim
from dipc.pufferfish import pipeline
from dipc.pufferfish.certify import other_question, question_certificate
from dipc.pufferfish.question import Question
from dipc.pufferfish.reading import read_question
from dipc.pufferfish.verdict import Undecided


def claiming(asked: Question, c: object, horizon: int | None) -> Question:
    return replace(asked, claim=Claim("ln c", fmpq(c)), horizon=horizon)


# --- accepted ---------------------------------------------------------------------------------------------

SHIPPED = {
    "ex2": ({}, "private"),
    "ex2 too strict": ({"claim": "ln(2) - ln(1001/1000)"}, "violated"),
    "ex2 for ever": ({"horizon": "any"}, "private"),
    "ex2-repeated": ({}, "violated"),
    "ex2-repeated briefly": ({"horizon": "3", "claim": "ln(8)"}, "private"),
    "above": ({}, "violated"),
    "above at 9": ({"horizon": "9"}, "private"),
    "above for ever": ({"horizon": "any"}, "violated"),
    "weather": ({}, "private"),
    "weather at 40": ({"horizon": "40"}, "private"),
    "weather too strict": ({"claim": "ln(4)"}, "violated"),
}


@pytest.mark.parametrize("case", spared(SHIPPED, {"above for ever"}))
def test_shipped_models(case: str) -> None:
    texts, status = SHIPPED[case]
    asked = shipped(case.split()[0], **texts)
    data = written(asked)
    certificate = checked(data)
    assert certificate.status == data["verdict"] == status
    assert other_question(certificate, asked) == []
    assert (status == "violated") is ("is not ln(" in certificate.statement())
    if len(data["states"]) < 10 or status == "violated":
        assert Judge(data).is_true()


def test_every_horizon_of_a_chain_with_three_states() -> None:
    """Its least c is 4.20999 (a cone); the proof needs no cone."""
    for c, status in ((fmpq(421, 100), "private"), (fmpq(4), "violated")):
        data = written(claiming(mixing_chain(None), c, None))
        assert checked(data).status == status and len(data["proof"].get("items", [])) < 50
        assert Judge(data).is_true()


@pytest.mark.parametrize("seed", some(range(40), 15))
def test_random_models_agree_with_all_sequences(seed: int) -> None:
    random = Random(seed)
    asked = random_question(random, random.randint(1, 4), random.randint(1, 3))
    asked = replace(asked, horizon=min(asked.horizon or 1, 3))
    worst = max(1, *least(asked, asked.horizon).values())
    tight = worst if worst < inf else Fraction(random.randint(1, 9))
    for c in (tight, max(Fraction(1), tight * Fraction(99, 100))):
        data = written(claiming(asked, fmpq(c.numerator, c.denominator), asked.horizon))
        certificate = checked(data)
        assert certificate.status == ("violated" if worst > c else "private")
        assert Judge(data).is_true()


def test_only_vectors_with_a_positive_number_have_items() -> None:
    """At the horizon only the sums count; without one the four vectors after the first two are settled."""
    assert written(geometric())["proof"]["items"] == [KEPT] * 4
    assert written(SUBJECTS["noisy for ever"]())["proof"]["items"] == [KEPT] * 2


def test_secrets_of_priors_are_named() -> None:
    text = (FOLDER / "ex3.hmm").read_text(encoding="utf-8")
    fixed = read_question(Source("ex3.hmm", text), {"p": "1/2"})
    data = written(fixed)
    assert (
        '"sick" under "contagious" shows "2" with 2/3, "healthy" under "contagious" with 1/6'
        in checked(data).statement()
    )
    assert other_question(checked(data), read_question(Source("ex3.hmm", text), {"p": "1/3"})) == []
    free = read_question(Source("ex3.hmm", text))
    assert other_question(checked(data), free) == ["the parameters (the file has others)"]


# --- what is not covered is named -------------------------------------------------------------------------


def test_what_is_not_covered_is_named() -> None:
    for claim, words in (
        (Claim("ln(2), 1/10", fmpq(2), delta=fmpq(1, 10)), "delta > 0"),
        (Claim("1.372", fmpq(1), fmpq(343, 250)), r"the claim 1\.372: c = exp"),
    ):
        asked = replace(geometric(), claim=claim)
        with pytest.raises(Unsupported, match=words):
            question_certificate(asked, pipeline.check(asked, Clock()))
    undecided = Undecided(question=geometric(), pairs=4, reason="time")
    with pytest.raises(InputError, match="nothing was decided"):
        question_certificate(geometric(), undecided)
    verdict = pipeline.check(geometric(), Clock())
    with pytest.raises(InputError, match="nothing is claimed"):
        question_certificate(replace(geometric(), claim=None), verdict)
    with pytest.raises(InputError, match="nothing was compared"):
        question_certificate(replace(geometric(), pairs=()), verdict)


def test_a_false_verdict_is_not_certified() -> None:
    asked = claiming(geometric(), fmpq(199, 100), 1)
    private = pipeline.check(geometric(), Clock())
    with pytest.raises(LimitReached, match="refused: level 1: a sequence"):
        question_certificate(asked, private)
    violated = pipeline.check(asked, Clock())
    with pytest.raises(LimitReached, match="refused: proof: the sequence does not break"):
        question_certificate(geometric(), violated)


# --- mutants ----------------------------------------------------------------------------------------------


def loop_and_stop() -> Question:
    rows = {
        "a": ({"x": "3/4", "y": "1/4"}, {"a": "2/3", "b": "1/3"}),
        "b": ({"x": "1/4", "y": "3/4"}, {}),
    }
    sides = {"d": {"a": "1/2", "b": "1/2"}, "e": {"b": 1}}
    return question(rows, "xy", sides, both(("d", "e")), 3, Claim("ln(9)", fmpq(2)))


SUBJECTS = {
    "geometric": lambda: geometric(),
    "too strict": lambda: claiming(geometric(), fmpq(3, 2), 1),
    "noisy": lambda: claiming(noisy_chain(3), fmpq(9, 2), 3),
    "noisy for ever": lambda: claiming(noisy_chain(None), fmpq(8), None),
    "violated": lambda: claiming(noisy_chain(4), fmpq(3), 4),
    "loop and stop": loop_and_stop,
    "repeated": lambda: shipped("ex2-repeated", horizon="2", claim="ln(4)"),
    "pump": lambda: pumped(),
    "cone": lambda: claiming(noisy_chain(None), fmpq(8), None),
}


def pumped() -> Question:
    """The left side stays in its loop, the right one leaves it: the loop x is a pump, of period 2."""
    rows = {
        "a": ({"x": 1}, {"b": 1}),
        "b": ({"x": "2/3", "y": "1/3"}, {"a": 1}),
        "c": ({"x": "1/2", "y": "1/2"}, {"c": "2/3", "d": "1/3"}),
        "d": ({"y": 1}, {"d": 1}),
    }
    return question(rows, "xy", {"e": {"a": 1}, "f": {"c": 1}}, [("e", "f")], None, Claim("ln(9)", fmpq(9)))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_mutant_is_refused_or_still_true(subject: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = SUBJECTS[subject]()
    if subject == "cone":
        monkeypatch.setattr(produced, "BRIEFLY", 0)  # a proof without a cone is too long
    data = written(asked)
    assert bool(data["proof"].get("cone")) is (subject == "cone")
    assert bool(data["proof"].get("pump")) is (subject == "pump")
    tried, accepted = some(mutants(data, others), 60), 0
    for where, mutant, certificate in survivors(tried, checked):
        accepted += 1
        assert Judge(mutant).is_true(), (where, mutant)
        assert bool(other_question(certificate, asked)) is (where[0] not in ("model", "proof")), where
    assert len(tried) > 50 and 0 < accepted < len(tried) / 3


def by(*terms: Any) -> Any:
    return {"by": [*terms], "rest": []}


KEPT: Any = {"kept": None}
ALIKE, NOTHING = by([0, "1", None]), by()


def listing(*items: Any) -> dict[str, Any]:
    return {"point": [], "signs": [], "cone": [], "closed": [], "items": [*items]}


@pytest.mark.parametrize("seed", some(range(30), 4))
def test_a_smaller_claim_or_a_longer_horizon_is_not_proved_by_the_old_proof(seed: int) -> None:
    """The certificate of the least c, with a c that is too small: refused, whatever else is listed."""
    random = Random(seed)
    worst: Fraction | float = inf
    while worst in (1, inf):
        asked = random_question(random, random.randint(2, 3), random.randint(2, 3))
        worst = max(1, *least(asked, asked.horizon).values())
    data = written(claiming(asked, fmpq(worst.numerator, worst.denominator), asked.horizon))
    items = data["proof"]["items"]
    proofs = [items, [KEPT] * len(items), [KEPT] * 1000, [], [ALIKE] * len(items)]
    proofs += [[KEPT if random.random() < 0.5 else item for item in items] for _ in range(5)]
    smaller = str(worst * Fraction(999, 1000) if worst * 999 > 1000 else Fraction(1))
    for proof in proofs:
        with pytest.raises(Refused):
            checked({**data, "c": smaller, "proof": data["proof"] | {"items": proof}})


CONE: dict[str, tuple[Where, Any, str]] = {
    "a dropped pair": (("cone",), lambda cone: cone[1:], "closed"),
    "no cone": (("cone",), lambda cone: [], "closed|level"),
    "a smaller bound": (
        ("cone", 0, 2),
        lambda d: str(Fraction(d) * Fraction(9, 10)),
        "closed|level",
    ),
    "below 1": (("cone", 0, 2), lambda d: "1/2", "cone"),
    "itself": (("cone", 0, 0), lambda u: 1, "cone"),
    "a state before the first": (("cone", 0, 1), lambda v: -1, "cone"),
    "a state behind the silent one": (("cone", 0, 1), lambda v: 99, "cone"),
    "a dropped proof": (("closed",), lambda closed: closed[:-1], "closed"),
    "a dropped observation": (("closed", 0, "cone"), lambda rows: rows[:-1], "closed 0"),
    "dropped multipliers": (("closed", 0, "cone"), lambda rows: [NOTHING for _ in rows], "closed 0"),
    "a negative one": (
        ("closed", 0, "cone", 0, "by"),
        lambda terms: [[0, "-1", None], *terms],
        "closed 0",
    ),
    "no items": (("items",), lambda items: [], "proof"),
    "settled by nothing": (("items",), lambda items: [{"cone": [NOTHING] * 2} for _ in items], "level 0"),
}


@cache
def with_a_cone() -> str:
    data = written(claiming(mixing_chain(None), fmpq(421, 100), None))
    assert checked(data).status == "private" and any("cone" in x for x in data["proof"]["items"])
    return json.dumps(data)


@pytest.mark.parametrize("case", CONE)
def test_a_broken_cone_is_refused(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, change, step = CONE[case]
    monkeypatch.setattr(produced, "BRIEFLY", 0)
    data, place = json.loads(with_a_cone()), ("proof", *where)
    with pytest.raises(Refused, match=rf"^(proof, )?({step})"):
        checked(changed(data, place, change(at(data, place))))


def test_a_cone_does_not_prove_a_smaller_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(produced, "BRIEFLY", 0)
    data = written(claiming(mixing_chain(None), fmpq(421, 100), None))
    for proof in (data["proof"], data["proof"] | {"items": [KEPT] * 500}):
        with pytest.raises(Refused):
            checked(data | {"c": "21/5", "proof": proof})


def test_items_over_a_cone_need_one() -> None:
    data = written(claiming(noisy_chain(None), fmpq(8), None))
    items = [{"cone": [ALIKE] * 2} for _ in data["proof"]["items"]]
    with pytest.raises(Refused, match="level 0: there is no such vector"):
        checked(data | {"proof": listing(*items)})


@pytest.mark.parametrize(
    ("seed", "states"),
    [*((seed, 2) for seed in some(range(15), 3)), *((seed, 3) for seed in some(range(20), 2))],
)
def test_random_models_at_every_horizon(seed: int, states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pump is what the search says; without other proofs the cone is enough where there is one."""
    random = Random(seed)
    if states == 3:
        monkeypatch.setattr(produced, "BRIEFLY", 0)
        asked = claiming(random_question(random, 3, 2, stops=0.1), fmpq(random.randint(2, 30)), None)
    else:
        asked = claiming(random_question(random, 2, 2), fmpq(random.randint(2, 12)), None)
    verdict = pipeline.check(asked, Clock(Limits(PATIENCE)))
    try:
        data = json.loads(dumps(question_certificate(asked, verdict, Clock(Limits(PATIENCE)))))
    except (InputError, LimitReached) as none:  # undecided, or no proof was found in time
        assert verdict.status == "undecided" or isinstance(none, LimitReached)
        return
    shown = verdict.counterexample
    assert checked(data).status == verdict.status and Judge(data).is_true(longest=9 - states)
    assert bool(data["proof"].get("pump")) is (shown is not None and shown.pump is not None)


def test_forged_verdicts_are_refused() -> None:
    private, violated = written(geometric()), written(claiming(geometric(), fmpq(3, 2), 1))
    for data, other in ((private, violated), (violated, private)):
        for proof in (data["proof"], other["proof"], [], {}, listing(*[KEPT] * 4)):
            with pytest.raises(Refused, match=r"^(proof|verdict|level 1)"):
                checked({**data, "verdict": other["verdict"], "proof": proof})


def test_every_horizon_needs_an_end() -> None:
    """A finite proof does not become one of every horizon: the pump would break it."""
    data = written(shipped("ex2-repeated", horizon="3", claim="ln(8)"))
    items = data["proof"]["items"]
    for proof in (listing(*items, *more) for more in ([], [KEPT] * 500, [ALIKE] * 500)):
        for horizon in (4, 40, None):
            with pytest.raises(Refused):
                checked({**data, "horizon": horizon, "proof": proof})


def test_a_difference_cannot_dominate_itself() -> None:
    """Only kept differences dominate, and those are explored."""
    data = written(claiming(noisy_chain(None), fmpq(2), 3))
    assert data["verdict"] == "violated"
    second, none = by([1, "1", None]), by([0, "0", None])
    for items in ([ALIKE, second], [KEPT, ALIKE], [NOTHING, NOTHING], [KEPT, KEPT, none]):
        with pytest.raises(Refused, match=r"^(proof|level)"):
            checked({**data, "verdict": "private", "proof": listing(*items)})


# --- hostile input ----------------------------------------------------------------------------------------

ROW = [[0, "1"]]
BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "version 1": ({"version": 1}, "format"),
    "another statement": ({"statement": "hiden"}, "statement"),
    "a new field": ({"note": 1}, "format"),
    "no states": ({"states": []}, "states"),
    "a state twice": ({"states": ["a", "a", "b"]}, "states"),
    "silence": ({"observations": ["0", "1", "-"]}, "observations"),
    "a row is missing": ({"emissions": [ROW]}, "emissions"),
    "no observation": ({"emissions": [[], ROW, ROW]}, "emissions 0"),
    "a row of 7/8": ({"emissions": [[[0, "7/8"]], ROW, ROW]}, "emissions 0"),
    "a negative probability": ({"emissions": [[[0, "-1"], [1, "2"]], ROW, ROW]}, "point"),
    "a probability of 0": ({"emissions": [[[0, "1"], [1, "0"]], ROW, ROW]}, "emissions 0"),
    "silence is shown": ({"emissions": [[[3, "1"]], ROW, ROW]}, "emissions 0"),
    "an observation twice": ({"emissions": [[[0, "1/2"], [0, "1/2"]], ROW, ROW]}, "emissions 0"),
    "a state outside": ({"transitions": [[[3, "1"]], [], []]}, "transitions 0"),
    "too few sides": ({"sides": [{"name": "a", "prior": None, "start": [[0, "1/2"]]}]}, "pairs"),
    "no pairs": ({"pairs": []}, "pairs"),
    "a side in no pair": ({"pairs": [[0, 1]]}, "pairs"),
    "a pair outside": ({"pairs": [[0, 1], [1, 3]]}, "pairs"),
    "horizon 0": ({"horizon": 0}, "horizon"),
    "horizon any": ({"horizon": "any"}, "horizon"),
    "horizon 10^7": ({"horizon": 10**7}, "horizon"),
    "c < 1": ({"c": "1/2"}, "c"),
    "undecided": ({"verdict": "undecided"}, "verdict"),
    "a proof too short": ({"proof": listing(*[KEPT] * 3)}, "proof"),
    "a proof too long": ({"proof": listing(*[KEPT] * 5)}, "proof"),
    "a forward reference": ({"proof": listing(by([1, "1", None]), KEPT, KEPT, KEPT)}, "level 0"),
    "a negative multiplier": ({"proof": listing(KEPT, KEPT, KEPT, by([0, "-1", None]))}, "level 0"),
    "a kept vector before the first": ({"proof": listing(KEPT, KEPT, KEPT, by([-1, "1", None]))}, "level 0"),
    "no kept difference": ({"proof": listing(*[ALIKE] * 4)}, "level 0"),
    "not enough": ({"proof": listing(KEPT, KEPT, KEPT, by([0, "1/2", None]))}, "level 0"),
    "two kinds of item": ({"proof": listing(KEPT, KEPT, KEPT, KEPT | ALIKE)}, "proof, items, 3"),
    "a sign that nothing needs": ({"proof": listing(*[KEPT] * 4) | {"signs": [None]}}, "proof, signs"),
    "an object": ({"proof": {"pair": 0, "sequence": [0]}}, "proof"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refused_with_its_step(name: str) -> None:
    changed, step = BROKEN[name]
    data = written(geometric())
    checked(data)
    with pytest.raises(Refused, match=rf"^(: )?{step}(:|,|$)"):
        checked(data | changed)


@pytest.mark.parametrize("statement", ["hidden", "class", "pufferfish"])
def test_version_2_is_refused_with_what_writes_a_new_one(statement: str) -> None:
    words = (
        "version 2 is no longer read: write a new one with dipc pufferfish check FILE --certificate c.json"
    )
    with pytest.raises(Refused, match=f"^format: {words}"):
        checked(written(geometric()) | {"version": 2, "statement": statement})


def test_weights_of_a_side_are_divided_by_their_sum() -> None:
    data = written(claiming(noisy_chain(4), fmpq(3), 4))
    certificate = checked(data)
    for side, factor in ((0, Fraction(2)), (1, Fraction(3, 7))):
        scaled = [[s, str(Fraction(p) * factor)] for s, p in data["sides"][side]["start"]]
        other = checked(changed(data, ("sides", side, "start"), scaled))
        assert other.statement() == certificate.statement() and other.sha256 != certificate.sha256
    with pytest.raises(Refused, match=r"^point: a side is impossible there"):
        checked(changed(data, ("sides", 0, "start"), []))


@pytest.mark.parametrize(
    ("changed", "step"),
    [
        ({"pair": 4}, "proof"),
        ({"pair": -1}, "proof"),
        ({"sequence": []}, "proof"),
        ({"sequence": [0, 0]}, "proof"),  # longer than the horizon
        ({"sequence": [4]}, "proof"),
        ({"sequence": [-1]}, "proof"),
        ({"sequence": [True]}, "proof"),
        ({"sequence": "0"}, "proof"),
        ({"sequence": [3]}, "proof"),  # 0 on both sides
        ({"extra": 1}, "proof"),
    ],
)
def test_a_broken_violation_is_refused(changed: dict[str, Any], step: str) -> None:
    data = written(claiming(geometric(), fmpq(3, 2), 1))
    with pytest.raises(Refused, match=rf"^{step}(:|,)"):
        checked(data | {"proof": data["proof"] | changed})


PUMP: list[tuple[dict[str, Any], str]] = [
    ({"word": []}, "pump: something is empty"),
    ({"word": [-1]}, "proof: there is no such observation"),
    ({"prefix": [9]}, "proof: there is no such observation"),
    ({"left": []}, "pump: something is empty"),
    ({"left": [[0, "1"], [0, "1"]]}, "pump: a state is listed twice"),
    ({"left": [[-1, "1"]]}, "pump: an entry is not positive, or there is no such state"),
    ({"right": [[0, "-1"]]}, "pump: an entry is not positive"),
    ({"right": []}, "pump: a state that the right side reaches"),
    ({"left": [[2, "1"]]}, "pump: a state of the left vector is not reached"),
    ({"growth": "10"}, "pump: the left vector does not grow so fast"),
    ({"growth": "1/100", "other_growth": "1/200"}, "pump: the right vector grows faster"),
    ({"other_growth": "-1"}, "pump: something is empty, or the growth"),
]


@pytest.mark.parametrize(("change", "reason"), PUMP)
def test_a_broken_pump_is_refused(change: dict[str, Any], reason: str) -> None:
    data = written(pumped())
    checked(data)
    with pytest.raises(Refused, match=f"^{reason}"):
        checked(changed(data, ("proof", "pump"), data["proof"]["pump"] | change))


def test_a_pump_says_nothing_about_a_horizon() -> None:
    data = written(pumped())
    with pytest.raises(Refused, match=r"^pump: it says nothing about a horizon"):
        checked(data | {"horizon": 100})


def test_a_sequence_is_not_longer_than_the_horizon() -> None:
    data = written(claiming(noisy_chain(4), fmpq(4), 4))
    length = len(data["proof"]["sequence"])
    assert length > 1 and checked(data | {"horizon": length}).status == "violated"
    with pytest.raises(Refused, match="longer than the horizon"):
        checked(data | {"horizon": length - 1})


def test_a_long_list_of_levels_is_refused() -> None:
    data = written(shipped("ex2-repeated"))
    with pytest.raises(Refused, match=r"^(proof|level)"):
        checked(
            data | {"verdict": "private", "c": "9" * 300, "horizon": 10**6, "proof": listing(*[KEPT] * 10**4)}
        )


def test_names_cannot_forge_the_statement() -> None:
    data = written(claiming(geometric(), fmpq(3, 2), 1))
    data["sides"][0]["name"] = 'x" shows\nnothing; accepted\x1b[2K' + "n" * 1000
    data["observations"][0] = "0\naccepted" + "o" * 1000
    data["model"] = "'; accepted\n" + "m" * 1000
    statement = checked(data).statement()
    assert len(statement) < 600 and "\n" not in statement and "\x1b" not in statement


# --- the commands -----------------------------------------------------------------------------------------


def test_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((FOLDER / "ex2.hmm").read_bytes())))
    for name in ("ex2", "ex2-repeated"):
        asked = shipped(name)
        text = dumps(question_certificate(asked, pipeline.check(asked, Clock())))
        (tmp_path / f"{name}.json").write_text(text)
    private, violated = (str(tmp_path / f"{name}.json") for name in ("ex2", "ex2-repeated"))
    file = str(FOLDER / "ex2.hmm")
    cases = (
        ([private], 0, "accepted: model 'ex2.hmm'"),
        ([private, "--model", file], 0, "is ln(2)-Pufferfish private up to horizon 1"),
        ([private, "--model", "ex2"], 0, "model: ex2, SHA-256"),
        ([private, "--model", "-"], 0, "model: <stdin>, SHA-256"),
        ([private, "--model", file, "--claim", "ln(3)"], 1, "the c (the file has others)"),
        ([private, "--model", str(FOLDER / "ex2-repeated.hmm")], 1, "the transitions (the file has others)"),
        ([private, "--expect", "violated"], 1, "the claim is private (expected: violated)"),
        ([private, "--no-deep"], 3, "IF the listed model and pairs"),
        ([private, "--claim", "ln(3)"], 2, "name its file with --model"),
        ([private, "--formula", "X a"], 2, "are about Markov chains"),
        ([private, "--program", "svt1"], 1, "about a hidden Markov model, not about a program"),
        ([violated], 1, "the claim is violated (expected: private)"),
        ([violated, "--expect", "violated"], 0, '"n(0)" shows "0 0" with 4/9, "n(1)" with 1/9'),
    )
    verify_each(capsys, cases)
