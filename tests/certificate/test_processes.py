"""Certificates of formulas about decision processes: accepted, judged by slow twins; forged ones refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from campaigns import many, some
from certificate import altered
from certificate.altered import mutants, survivors
from certificate.test_chain_mutants import meaning
from chain_certificates import checked, only_ranks_may_change
from dpctl.random_chains import random_probability
from dpctl.test_language import FORMULAS, small_mdp, under, words
from dpctl.test_words import privacy
from flint import fmpq
from processes import GUESS, fractions_of, policies, random_mdp, until_in_chain
from rationals import fraction

from dipc.cli.main import status as exit_status
from dipc.clock import Clock
from dipc.dpctl import pipeline
from dipc.dpctl.certify import is_about, listed_model, model_certificate, other_model
from dipc.dpctl.formula import And, Formula, Next, Not, Or, Property, Proposition, Until
from dipc.dpctl.model import load_model
from dipc.dpctl.processes import Options
from dipc.dpctl.syntax import parse_property
from dipc.errors import Source, Unsupported
from dipc.kernel.reading import Refused
from dipc.kernel.schema import write
from dipc.models.chain import Mdp
from dipc.models.reading import read_model

ROOT = Path(__file__).parent.parent.parent
EQUAL = """mdp
s [a] -> {x: 1/2, y: 1/2}; s [b] -> {s: 1/2, lost: 1/2}
x [a] -> won; x [b] -> lost; y [a] -> lost; y [b] -> won
t [a] -> z; t [b] -> {t: 1/2, lost: 1/2}
z [*] -> {won: 1/2, lost: 1/2}; won [*] -> won; lost [*] -> lost
neighbours s ~ t
start s
"""


def written(mdp: Any, formula: Formula | str) -> dict[str, Any]:
    asked = parse_property(Source("f", formula), mdp) if isinstance(formula, str) else Property(formula, "")
    found = write(model_certificate(mdp, asked, "test.dpm"))
    assert isinstance(found, dict)
    return found


def model_of(text: str) -> Any:
    return read_model(Source("test.dpm", text)).model


# --- slow twins -------------------------------------------------------------------------------------------


def extremes(mdp: Mdp[fmpq], path: Formula, best: Callable[..., Fraction]) -> list[Fraction]:
    """The largest (best = max) or least probability from every state: all policies, step by step."""
    states, rows = range(len(mdp.names)), fractions_of(mdp)
    match path:
        case Proposition(name):
            return [Fraction(s in mdp.labels[name]) for s in states]
        case Not(inside):
            return [1 - p for p in extremes(mdp, inside, min if best is max else max)]
        case And((Proposition(name), inside)) | Or((Proposition(name), inside)):
            here, end = mdp.labels[name], Fraction(isinstance(path, Or))
            later = extremes(mdp, inside, best)
            return [end if (s in here) is isinstance(path, Or) else later[s] for s in states]
        case Next(inside, count):
            later = extremes(mdp, inside if count == 1 else Next(inside, count - 1), best)
            return [best(sum(p * later[t] for t, p in row.items()) for row in rows[s]) for s in states]
        case Until(Proposition(left), Proposition(right), None):
            sides = set(mdp.labels[left]), set(mdp.labels[right])
            return list(
                map(best, zip(*(until_in_chain(chain, *sides) for chain in policies(mdp)), strict=True))
            )
        case Until(_, Proposition(right), 0):
            return [Fraction(s in mdp.labels[right]) for s in states]
        case Until(Proposition(left), Proposition(right), int(bound)):
            later = extremes(mdp, Next(replace(path, bound=bound - 1)), best)
            inside = [p if s in mdp.labels[left] else Fraction(0) for s, p in enumerate(later)]
            return [Fraction(1) if s in mdp.labels[right] else inside[s] for s in states]
    raise AssertionError(path)


def random_simple(random: Random, depth: int) -> Formula:
    """A path formula that the kernel reads on decision processes."""
    a, b = (Proposition(name) for name in random.sample("ab", 2))
    if depth == 0:
        return random.choice([a, Until(a, b), Until(a, b), Until(a, b, random.randint(0, 3))])
    inside = random_simple(random, depth - 1)
    return random.choice([Not(inside), And((a, inside)), Or((a, inside)), Next(inside, random.randint(1, 2))])


@pytest.mark.parametrize("first", range(0, many(30, 990), 30))
def test_probabilities_against_all_policies(first: int) -> None:
    mixed = 0
    for seed in range(first, first + 30):
        random = Random(seed)
        mdp = random_mdp(random, random.randint(2, 4), random.randint(1, 3))
        formula = random_probability(random, random_simple(random, random.randint(0, 3)))
        low, high = (extremes(mdp, formula.path, best) for best in (min, max))
        ends, holds = formula.interval, []
        for ps in zip(low, high, strict=True):
            above = [ps[0] - fraction(ends.low), fraction(ends.high) - ps[1]]
            closed = ends.low_closed, ends.high_closed
            holds.append(all(gap > 0 or (gap == 0 and end) for gap, end in zip(above, closed, strict=True)))
        assert checked(written(mdp, formula)).holds == holds, seed
        mixed += len(set(holds)) > 1
    assert mixed > 3


@pytest.mark.parametrize("first", range(0, many(30, 990), 30))
def test_privacy_against_words(first: int) -> None:
    """No short word breaks what holds; the listed word breaks what fails."""
    accepted = {"holds": 0, "fails": 0}
    for seed in range(first, first + 30):
        random = Random(seed)
        mdp, path = small_mdp(random), random.choice(FORMULAS[:3])
        factor, delta = Fraction(random.randint(1, 2)), Fraction(random.choice([0, 0, 1, 2]), 8)
        try:
            data = written(mdp, privacy(path, factor, delta))
        except Unsupported:
            continue
        accepted[(status := checked(data).status)] += 1
        (word,) = data["words"]
        for prefix, cycle in words(2) if word is None else [map(tuple, word)]:
            p, q = (under(mdp, path, prefix, cycle)[s] for s in mdp.neighbours[0])
            assert (max(p - factor * q, q - factor * p) <= delta) == (status == "holds"), seed
    assert min(accepted.values()) > 6


# --- mutants and forgeries --------------------------------------------------------------------------------

SUBJECTS = [
    (GUESS, "P in [1/4, 1] (F won) | P<=1/2 (X (F<=2 won))"),
    (GUESS, "D[0, 1/4](F won) & D[1, 1/2](!(s U won))"),
    (EQUAL, "D[0, 0](F won) & P>0 (X^3 won)"),
    (EQUAL, "D[ln 2, 1/10](X !(F<=2 lost)) | P<=1/3 (G !won)"),
]
others = partial(altered.others, words=("won", "lost", "s", "holds", "fails", "and", "U"))


def listed(data: dict[str, Any]) -> Any:
    """The process of a certificate, without the order of what has none."""
    return data["actions"], meaning({**data, "rows": [row for rows in data["rows"] for row in rows]})


@pytest.mark.parametrize(("model", "formula"), SUBJECTS)
def test_a_mutant_is_refused_or_still_true(model: str, formula: str) -> None:
    original = model_of(model)
    data = written(original, formula)
    tried, accepted = some(mutants(data, others), many(120, 5000)), 0
    for where, mutant, certificate in survivors(tried, checked):
        accepted += 1
        process = listed_model(certificate)
        stated = parse_property(Source("f", certificate.formula), process).formula
        states = tuple(process.names[s] for s in certificate.chain.asked)
        verdict = pipeline.check(process, Property(stated, "", states=states), Clock(), Options(depth=3))
        answers = ["holds" if here else "fails" for here in certificate.holds]
        assert all(
            verdict.at[s] in (answer, "undecided") for s, answer in zip(states, answers, strict=True)
        ), where
        assert bool(other_model(certificate, original)) is (listed(mutant) != listed(data)), where
    assert len(tried) > 50 and 0 < accepted < len(tried) / 2


@pytest.mark.parametrize(("model", "formula"), SUBJECTS)
def test_no_listed_probability_can_be_changed(model: str, formula: str) -> None:
    data = written(model_of(model), formula)
    only_ranks_may_change(data, some(mutants({"untils": data["untils"]}, others), many(60, 5000)))


TRAP = "mdp; s [stay] -> s; s [go] -> {won: 1/2, lost: 1/2}; won [*] -> won; lost [*] -> lost; start s"


def test_every_other_solution_is_refused() -> None:
    """With an action that stays, any value from 1/2 up is a fixed point of the largest means, 0 to 1/2 of the
    least ones: only the ranks tell which is attained."""
    data = written(model_of(TRAP), "P in [0, 1/2] (F won)")
    least, most = data["untils"]
    assert (least["values"][0], most["values"][0]) == ("0", "1/2")
    for value in ("0", "1/4", "1/2", "3/4", "1"):
        for rank in (None, 0, 1, 2, -1):
            for place in range(2):
                item = {"values": [value, "1", "0"], "ranks": [rank, 0, None]}
                forged = [item if i == place else each for i, each in enumerate(data["untils"])]
                right = (value, rank) == (("0", None), ("1/2", rank))[place] and rank not in (0, -1)
                if right and (place == 0 or rank):
                    assert checked(data | {"untils": forged}).holds == [True]
                else:
                    with pytest.raises(Refused, match=f"^until {place}, state 0"):
                        checked(data | {"untils": forged})


def test_a_word_is_needed_where_d_fails_and_only_there() -> None:
    failing, holding = (
        written(model_of(GUESS), "D[0, 1/4](F won)"),
        written(model_of(EQUAL), "D[0, 0](F won)"),
    )
    for data, other, reason in (
        (failing, None, "until 0|no word is listed, and there is no proof"),
        (failing, [[], [0]], "until 0|the word breaks no inequality"),
        (holding, [[0], [1]], "until 0|the word breaks no inequality"),
        (failing, [[], []], "the word has no letters to repeat"),
        (failing, [[], [2]], "an integer from 0 to 1"),
    ):
        with pytest.raises(Refused, match=reason):
            checked(data | {"words": [other]})
    for broken in ([], [None, None]):
        with pytest.raises(Refused, match=r"^words"):
            checked(holding | {"words": broken})
    with pytest.raises(Refused, match=r"^words"):
        checked({**holding, "neighbours": [], "untils": []})


def test_a_chance_that_is_only_put_off_is_not_lost() -> None:
    """u may wait, and its action `go` wins in the end: waiting settles no difference."""
    waiting = "u [wait] -> u; u [go] -> won; v [*] -> v; won [*] -> won; s [*] -> u; t [*] -> v"
    data = written(model_of(f"mdp; {waiting}; neighbours s ~ t"), "D[0, 0](F won)")
    assert data["words"][0] is not None
    with pytest.raises(Refused, match=r"until 0|there is no proof"):
        checked(data | {"words": [None]})


def test_nothing_is_too_deep_for_the_stack() -> None:
    model = model_of(EQUAL)
    assert checked(written(model, "P>=0 (X^78 won)")).status == "holds"
    with pytest.raises(Unsupported, match="more than 80 operators"):
        written(model, "P>=0 (X^80 won)")


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "no actions": ({"actions": []}, "actions"),
    "an action twice": ({"actions": ["a", "a"]}, "actions"),
    "an action more": ({"actions": ["a", "b", "c"]}, "rows"),
    "a row of 1/2": ({"rows": [[[[0, "1"]], [[0, "1/2"]]], *[[[[0, "1"]]] * 2] * 6]}, "row 0"),
    "an unknown statement": ({"statement": "chain"}, "statement"),
    "a vector more": ({"untils": [{"values": [], "ranks": []}] * 9}, "until"),
    "another answer": ({"answers": ["holds"]}, "answers"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_refused_with_its_step(name: str) -> None:
    change, step = BROKEN[name]
    with pytest.raises(Refused, match=f"^{step}"):
        checked(written(model_of(EQUAL), "P<=1/2 (F won)") | change)


# --- shipped models, and the command line -----------------------------------------------------------------


def test_shipped_processes_have_certificates() -> None:
    found = 0
    for name in ("interactive", *many(0, 1) * ["above_threshold"]):
        model = load_model(ROOT / "programs" / "chains" / f"{name}.dpm")
        for line in model.properties:
            asked = parse_property(line.source, model.model, model.numbers)
            try:
                certificate = checked(write(model_certificate(model.model, asked)))
            except Unsupported as unsupported:
                assert "eps" in str(unsupported) or "for all k" in str(unsupported)
                continue
            assert certificate.status == line.expected
            assert not other_model(certificate, model.model) and is_about(certificate, model.model, asked)
            found += 1
    assert found > 1


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("P>=0 (F (x & X won))", "an operand of its U is a path formula"),
        ("P>=0 ((F won) & (F x))", "it combines path formulas"),
        ("D[0, 0](F won) & P>=exp(-eps) (F won)", "models with eps"),
    ],
)
def test_what_is_not_yet_supported_is_refused_by_name(formula: str, reason: str) -> None:
    with pytest.raises(Unsupported, match=f"certificates of .*{reason}"):
        written(model_of(EQUAL), formula)


def test_the_command_that_writes_and_the_one_that_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("equal.dpm").write_text(EQUAL)
    Path("other.dpm").write_text(EQUAL.replace("{s: 1/2, lost: 1/2}", "{s: 1/3, lost: 2/3}"))
    assert exit_status(["model", "check", "--certificate", "c.json", "equal.dpm", "D[0, 0](F won)"]) == 0
    verify = ["verify", "c.json", "--formula", "D[0, 0](F won)", "--model"]
    assert exit_status([*verify, "equal.dpm"]) == 0
    assert exit_status(["verify", "c.json", "--formula", "D[0, 0](F won)"]) == 0
    assert exit_status([*verify, "other.dpm"]) == 1
    assert "the rows (the model has others)" in capsys.readouterr().out
    Path("chain.dpm").write_text("chain; s -> s; t -> t; neighbours s ~ t; label won = {t}")
    assert exit_status([*verify, "chain.dpm"]) == 1
    assert "the model is a chain" in capsys.readouterr().out
