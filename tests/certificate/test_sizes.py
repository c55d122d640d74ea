"""Certificates for every size: accepted, altered, forged, hostile; the automata are made by hand."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from campaigns import some
from certificate import altered
from certificate.altered import Where, at, changed, checker, declared, mutants, survivors
from flint import fmpq
from patience import quickest

from dipc.certificate.format import dumps
from dipc.claims.exponent import Exponent
from dipc.claims.privacy import Goal
from dipc.cli.main import status as exit_status
from dipc.dipwhile.allsizes.automaton import (
    Automaton,
    Choice,
    Draw,
    Edge,
    Exponential,
    Form,
    Guard,
    Place,
    Sample,
    Step,
    Symbol,
)
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.dipwhile.allsizes.question import Question
from dipc.dipwhile.allsizes.verdict import LeastT, ProvedForAll
from dipc.dipwhile.certify.every_size import BUILT, compared, sizes_certificate
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import LimitReached, Source, Span
from dipc.kernel import sizes
from dipc.kernel.reading import Refused
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange
from dipc.signs.limits import NoProof

ROOT = Path(__file__).parent.parent.parent
Json = dict[str, Any]
NOWHERE = Span(Source("", ""), 0, 0)
START, END = Place("start"), Place("end")


def q(text: str | int) -> fmpq:
    number = Fraction(text)
    return fmpq(number.numerator, number.denominator)


def form(terms: dict[Symbol, int | str] | None = None, constant: int | str = 0) -> Form:
    return Form(tuple((symbol, q(x)) for symbol, x in (terms or {}).items()), q(constant))


def noise(rate: str, mean: Form | None = None, kind: str = "Lap") -> Sample:
    return Sample(kind, q(rate), mean or Form())


def label(change: int | str, cell: str = "q[i]") -> Step:
    return Step("label", cell, NOWHERE, str(change))


@dataclass(frozen=True)
class Proof:
    """A proof that the program of a text is t*eps-private for every eps > 0."""

    source: Source
    proved: ProvedForAll
    t: fmpq

    @property
    def certificate(self) -> sizes.Listed:
        goal = Goal(EpsRange.positive(), Exponent(self.t), Quotient.of(0))
        return sizes_certificate(Question(parse(self.source), self.source, {}, goal), self.proved)


def proof(text: str, edges: list[Edge], places: list[Place], strategies: list[Strategy], t: int = 1) -> Proof:
    source = Source("mine.dip", text)
    automaton = Automaton(tuple(places), tuple(edges), 0, ("N",), "q: reals")
    least = LeastT(q(t), q(t))
    return Proof(source, ProvedForAll(automaton, tuple(strategies), least), q(t))


def svt1(change: int = 1) -> Proof:
    """rT moves by 1; r moves with its query, and by 1 on the way to top."""
    head = Place("line 12: for i", values=(("count", q(0)),), live=("rT",))
    edges = [Edge(0, 1, (noise("1/2"),), (), (("rT", form({0: 1})),), q(0))]
    shifts: list[tuple[fmpq, ...]] = [(q(1),)]
    for d in (change, -change):
        r = (noise("1/4", form({}, d)),)
        stays = ("rT", form({"rT": 1}))
        bot, top = form({0: -1, "rT": 1}), form({0: 1, "rT": -1})
        path = (label(d), Step("sample", "r", NOWHERE), Step("test", "r >= rT", NOWHERE, "false"))
        edges.append(Edge(1, 1, r, (Guard(bot),), (stays,), q(0), decisions=("bot",), path=path))
        edges.append(Edge(1, 2, r, (Guard(top),), (), q(0), decisions=("top",), path=path))
        shifts += [(q(d),), (q(1),)]
    edges.append(Edge(1, 2, (), (), (), q(0), decisions=("done",)))
    shifts.append(())
    phi = {0: q(1), 1: q("1/2"), 2: q(0)}
    strategy = Strategy((0, 1, 2, 3, 4, 5), phi, {0: {}, 1: {"rT": q(1)}, 2: {}}, tuple(shifts))
    text = (ROOT / "programs" / "svt" / "svt1.dip").read_text(encoding="utf-8")
    return proof(text, edges, [START, head, END], [strategy])


TEXT = """param N = 3
input q[N] in {-1, 0, 1}
output out[N] in {bot, top} = bot
adjacent ADJACENT
private eps
for i in 1..N do x <- Lap(eps, q[i]) end
"""


def one_of(name: str) -> Proof:
    """A program of one edge for each label, with one strategy for all of them."""
    changes, shift = {"LapPlus": ((1, -1), 1), "DLap": ((1, 0, -1), 0)}[name]
    edges = [noisy(name, d) for d in changes]
    shifts = ((q(shift),),) * len(edges)
    strategy = Strategy(tuple(range(len(edges))), {0: q(2), 1: q(0)}, {0: {}, 1: {}}, shifts)
    about = proof(TEXT.replace("ADJACENT", "linf 1"), edges, [START, END], [strategy], 2)
    automaton = replace(about.proved.automaton, integers=name == "DLap")
    return replace(about, proved=replace(about.proved, automaton=automaton))


def noisy(kind: str, d: int) -> Edge:
    return Edge(0, 1, (noise("1", form({}, d), kind),), (), (), q(0), path=(label(d),))


def phases(kind: str) -> Proof:
    """The noisy cells one after the other: one of them changes by 1, and no other one after that."""
    rows = [(1, 1, 0), (1, 2, 1), (1, 2, -1), (2, 2, 0), (1, 3, None), (2, 3, None), (0, 1, None)]
    edges, shifts = [], []
    for source, target, d in rows:
        drawn = () if d is None else (noise("1", form({}, d)),)
        path = () if d is None else (label(d),)
        decisions = ("done",) if d is None else ("round",)
        edges.append(Edge(source, target, drawn, (), (), q(0), decisions=decisions, path=path))
        shifts.append((q(0),) * len(drawn))
    places = [START, Place("line 6"), Place("line 6"), END]
    phi = {0: q(1), 1: q(1), 2: q(0), 3: q(0)}
    strategy = Strategy(tuple(range(len(edges))), phi, {p: {} for p in phi}, tuple(shifts))
    return proof(TEXT.replace("ADJACENT", f"{kind} 1"), edges, places, [strategy])


def response(rate: fmpq, values: int, cost: fmpq) -> tuple[Choice, Choice]:
    """One of some values, the true one with a weight of exp(rate*eps): for it and for another one."""
    z = Quotient(ExpPoly.exp(rate))
    likely, rare = z / (z + values - 1), 1 / (z + values - 1)
    return Choice(likely, rare, cost), Choice(rare, likely, q(0))


def choice(finite: tuple[Choice, Choice] = response(q(1), 2, q(1))) -> Proof:
    """Randomised response, and a choice by scores."""
    drawn: list[Draw] = [*finite, Exponential(q("1/2"), q(2))]
    edges = [Edge(0, 1, (), (), (), draw.cost, (draw,), (str(i),)) for i, draw in enumerate(drawn)]
    strategy = Strategy((0, 1, 2), {0: q(1), 1: q(0)}, {0: {}, 1: {}}, ((), (), ()))
    return proof(TEXT.replace("ADJACENT", "all"), edges, [START, END], [strategy])


def two_strategies() -> Proof:
    """After a first step, which no strategy pays for twice, a path goes left or right: x moves by 1 or -1."""
    x = ("x", form({0: 1}))
    middle = Place("line 6", live=("x",))
    edges = [
        Edge(0, 1, (noise("1"),), (), (x,), q(0)),
        Edge(1, 2, (), (Guard(form({"x": 1}, -1)),), (), q(0), decisions=("left",)),
        Edge(1, 2, (), (Guard(form({"x": -1}, -1)),), (), q(0), decisions=("right",)),
    ]
    phi = {0: q(1), 1: q(0), 2: q(0)}
    strategies = [
        Strategy((0, n), phi, {0: {}, 1: {"x": q(s)}, 2: {}}, ((q(s),), ())) for n, s in ((1, 1), (2, -1))
    ]
    return proof(TEXT.replace("ADJACENT", "linf 1"), edges, [START, middle, END], strategies)


EXAMPLES: dict[str, Callable[[], Proof]] = {
    "svt1": svt1,
    "LapPlus": lambda: one_of("LapPlus"),
    "DLap": lambda: one_of("DLap"),
    "l1": lambda: phases("l1"),
    "hamming": lambda: phases("hamming"),
    "choice": choice,
    "two": two_strategies,
}


def written(about: Proof) -> Json:
    data: Json = json.loads(dumps(about.certificate))
    return data


checked = checker(sizes.Certificate)


# --- accepted -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_accepted(name: str) -> None:
    data = written(EXAMPLES[name]())
    certificate = checked(data)
    assert quickest(lambda: checked(data)) < 0.1
    assert certificate.status == "private" and certificate.labels is (name != "choice")
    assert "every N >= 1" in certificate.statement() and "IF the listed automaton" in certificate.summary()[0]
    assert len(dumps(data)) < 20_000


def test_svt1_in_words() -> None:
    data = written(svt1())
    assert (data["start"], data["t"], data["sizes"], data["adjacency"]["distance"]) == (0, "1", ["N"], "1")
    assert data["parameters"] == {"c": "1", "T": "0", "Delta": "1"}
    assert data["edges"][2]["samples"] == [{"kind": "Lap", "rate": "1/4", "mean": {"": "1"}}]
    assert data["edges"][2]["guards"] == [{"form": {"0": "1", "rT": "-1"}, "equal": False}]
    assert data["strategies"][0]["phi"] == {"0": "1", "1": "1/2", "2": "0"}
    assert checked(data).statement() == (
        "program 'mine.dip' with c = 1, T = 0, Delta = 1 is (1*eps, 0)-private for every N >= 1, all "
        "adjacent inputs (q: reals; linf 1) and every eps in (0, inf): t = 1, 6 edges, 1 strategy"
    )


# --- the slow judge: all runs of a few edges, sample by sample, without delta and phi ---------------------


class Judge:
    """Whether every run of at most ``length`` edges has a strategy that keeps its guards and pays for it."""

    def __init__(self, data: Json, length: int = 4) -> None:
        self.data, self.length = data, length
        self.t = min(Fraction(data["t"]), Fraction(data["claim"]["t"]))

    def is_true(self) -> bool:
        return all(
            any(self.pays(strategy, run) for strategy in self.data["strategies"])
            for run in self.runs(self.data["start"], self.length)
        )

    def runs(self, place: int, length: int) -> list[list[int]]:
        found: list[list[int]] = [[]]
        for i, edge in enumerate(self.data["edges"] if length else []):
            if edge["source"] == place:
                found += [[i, *rest] for rest in self.runs(edge["target"], length - 1)]
        return found

    def pays(self, strategy: Json, run: list[int]) -> bool:
        spent, state = Fraction(0), dict[str, Fraction]()
        for i in run:
            if i not in strategy["edges"]:
                return False
            edge, shifts = self.data["edges"][i], strategy["shift"][strategy["edges"].index(i)]
            known = {**state, "": Fraction(1), **{str(j): Fraction(s) for j, s in enumerate(shifts)}}

            def at(form: dict[str, str], known: dict[str, Fraction] = known) -> Fraction:
                return sum((Fraction(x) * known[symbol] for symbol, x in form.items()), Fraction(0))

            for sample, shift in zip(edge["samples"], shifts, strict=True):
                away = Fraction(shift) - at(sample["mean"])
                if (sample["kind"] == "LapPlus" and away < 0) or Fraction(sample["rate"]) <= 0:
                    return False
                if sample["kind"] == "DLap" and (away.denominator, Fraction(shift).denominator) != (1, 1):
                    return False
                spent += abs(away) * Fraction(sample["rate"])
            spent += Fraction(edge["cost"])
            moved = [(at(guard["form"]), guard["equal"]) for guard in edge["guards"]]
            if any(x < 0 or (equal and x != 0) for x, equal in moved):
                return False
            state = {name: at(form) for name, form in edge["sets"].items()}
        return spent <= self.t


MATHEMATICS = ("start", "t", "edges", "strategies")


def others(value: Any) -> Iterator[Any]:
    """Other values for a value; a form may have one more term."""
    yield from altered.others(value, ("DLap", "LapPlus"))
    if isinstance(value, dict):
        yield from ({**value, symbol: "1"} for symbol in ("", "0"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_mutant_is_refused_or_still_a_proof(name: str) -> None:
    data = written(EXAMPLES[name]())
    assert Judge(data).is_true()
    tried, accepted = some(mutants({field: data[field] for field in MATHEMATICS}, others), 110), 0
    for where, mutant, _ in survivors(((where, data | part) for where, part in tried), checked):
        accepted += 1
        assert Judge(mutant).is_true(), (where, at(mutant, where))
    assert len(tried) > 100 and accepted < len(tried) / 3


# --- forged -----------------------------------------------------------------------------------------------


def without(data: Json, *gone: int) -> Json:
    """The certificate without some edges, the others numbered anew, also in the strategies."""
    kept = [i for i in range(len(data["edges"])) if i not in gone]
    strategies = []
    for strategy in data["strategies"]:
        rows = [(i, row) for i, row in zip(strategy["edges"], strategy["shift"], strict=True) if i in kept]
        numbers = [kept.index(i) for i, _ in rows]
        strategies.append({**strategy, "edges": numbers, "shift": [row for _, row in rows]})
    return {**data, "edges": [data["edges"][i] for i in kept], "strategies": strategies}


def unplayed(data: Json, gone: int) -> Json:
    """The certificate whose strategies leave out one edge that the automaton has."""
    data = copy.deepcopy(data)
    for strategy in data["strategies"]:
        if gone in strategy["edges"]:
            strategy["shift"].pop(strategy["edges"].index(gone))
            strategy["edges"].remove(gone)
    return data


@pytest.mark.parametrize("gone", [2, 3, 4])
def test_every_path_needs_a_strategy(gone: int) -> None:
    with pytest.raises(Refused, match=f"edge {gone}: no strategy contains"):
        checked(unplayed(written(svt1()), gone))


def test_one_strategy_has_to_contain_the_whole_run() -> None:
    """Each edge is in some strategy, but no strategy has both: choosing anew on the way is not allowed."""
    data = written(two_strategies())
    first = data["edges"][0]
    data["edges"].append({**first, "path": [], "decisions": ["other"]})
    for strategy, number in zip(data["strategies"], (0, 3), strict=True):
        strategy["edges"] = sorted([number, strategy["edges"][1]])
        strategy["shift"].sort(key=len, reverse=number == 0)
    with pytest.raises(Refused, match="no strategy contains some run"):
        checked(data)


@pytest.mark.parametrize("gone", [1, 2, 3, 4])
def test_a_missing_label_is_refused(gone: int) -> None:
    with pytest.raises(Refused, match=r"place 1: an edge with the labels \(-?1\) is missing"):
        checked(without(written(svt1()), gone))


def test_a_missing_label_of_the_integers_is_refused() -> None:
    with pytest.raises(Refused, match=r"the labels \(0\) is missing"):
        checked(without(written(one_of("DLap")), 1))
    with pytest.raises(Refused, match=r"place 0: an edge with the labels \(-2\) is missing"):
        checked(written(one_of("DLap")) | {"adjacency": {"text": "linf 2", "kind": "linf", "distance": "2"}})


@pytest.mark.parametrize("kind", ["l1", "hamming"])
@pytest.mark.parametrize("gone", [0, 1, 2, 3])
def test_a_missing_label_of_a_phase_is_refused(kind: str, gone: int) -> None:
    """Also where nothing is left to change: then only 0 is a label, and it must be there."""
    if gone == 3:
        with pytest.raises(Refused, match=r"labels \(0\) is missing"):
            data = without(written(phases(kind)), 3)
            data["edges"].append({**copy.deepcopy(data["edges"][1]), "source": 2, "target": 2})
            data["strategies"][0]["edges"].append(len(data["edges"]) - 1)
            data["strategies"][0]["shift"].append(["1"])
            checked(data)
    else:
        with pytest.raises(Refused, match="is missing"):
            checked(without(written(phases(kind)), gone))


@pytest.mark.parametrize(
    ("words", "value", "compared"),
    [
        ("q[i]", "1", True),
        ("q[i] changes by 1", "1", True),
        ("q[p[i]] changes by 1", "1", True),
        ("q", "1", True),
        ("q[i]", "true to false", False),
        ("sum(q)", "1", False),
        ("every cell", "up", False),
    ],
)
def test_labels_that_are_not_changes_of_a_cell_are_not_compared(
    words: str, value: str, compared: bool
) -> None:
    data = written(svt1())
    for step in data["steps"]:
        if step[0] == "label":
            step[1:] = [words, value if value != "1" else step[2]]
    certificate = checked(data)
    assert certificate.labels is compared
    assert ("were not compared" in certificate.summary()[1]) is not compared


def test_cells_that_never_change_are_refused() -> None:
    with pytest.raises(Refused, match="some input never changes"):
        checked(without(written(phases("hamming")), 1, 2))


def test_a_run_may_begin_in_a_loop_but_nowhere_else() -> None:
    data = written(one_of("LapPlus"))
    data["places"][0]["cut"] = "line 6: for i"
    checked(data)
    for strategy in data["strategies"]:
        strategy |= {"edges": [], "shift": [], "phi": {"1": "0"}, "delta": {"1": {}}}
    with pytest.raises(Refused, match=r"^place 1: .*a run ends where it begins"):
        checked(data | {"start": 1})


def test_a_parameter_computed_from_a_size_has_no_value() -> None:
    about = svt1()
    text = about.source.text.replace("N = 3,", "N = 3, M = N + 1, K = M*M,")
    source, automaton = Source("mine.dip", text), replace(about.proved.automaton, sizes=("K", "M", "N"))
    proved = replace(about.proved, automaton=automaton)
    data = written(replace(about, source=source, proved=proved))
    assert data["sizes"] == ["N"] and set(data["parameters"]) == {"c", "T", "Delta"}
    assert compared(checked(data), {}, None).differences == []
    fixed = checked(data | {"parameters": data["parameters"] | {"M": "4"}})
    assert compared(fixed, {}, None).differences == ["M = 4 (the program computes it from N)"]
    assert compared(fixed, {"M": Fraction(4)}, None).differences == []


def test_edges_that_only_the_program_shows_are_left_to_the_deep_check() -> None:
    """All labels of a decision left out: the kernel cannot know that the program takes it, and says so."""
    for gone in ((2, 4), (5,), (1, 3)):
        certificate = checked(without(written(svt1()), *gone))
        assert certificate.conditional().startswith("IF the listed automaton is that of the program")
    with pytest.raises(Refused, match="place 1: a run goes on from every place but the end"):
        checked(without(written(svt1()), 1, 2, 3, 4, 5))


FORGED: dict[str, tuple[str, Where, Any, str]] = {
    "t lowered": ("svt1", ("t",), "7/8", "strategy 0, phi"),
    "t raised": ("svt1", ("t",), "9/8", "t"),
    "t negative": ("svt1", ("t",), "-1", "t"),
    "t as 2/2": ("svt1", ("t",), "2/2", "t"),
    "the claim lowered": ("svt1", ("claim", "t"), "7/8", "t"),
    "phi of the start": ("svt1", ("strategies", 0, "phi", "0"), "7/8", "strategy 0, edge 0"),
    "phi of the loop": ("svt1", ("strategies", 0, "phi", "1"), "3/8", "strategy 0, edge 4"),
    "phi raised": ("svt1", ("strategies", 0, "phi", "1"), "5/8", "strategy 0, edge 0"),
    "phi negative": ("svt1", ("strategies", 0, "phi", "2"), "-1/2", "strategy 0, phi 2"),
    "no phi": ("svt1", ("strategies", 0, "phi"), {"0": "1", "1": "1/2"}, "strategy 0, phi"),
    "delta": ("svt1", ("strategies", 0, "delta", "1", "rT"), "2", "strategy 0, edge 0, sets"),
    "no delta": ("svt1", ("strategies", 0, "delta", "1"), {}, "strategy 0, delta 1"),
    "the shift of rT": ("svt1", ("strategies", 0, "shift", 0, 0), "7/8", "strategy 0, edge 0, sets"),
    "the shift of bot": ("svt1", ("strategies", 0, "shift", 1, 0), "9/8", "strategy 0, edge 1, guard 0"),
    "a shift that costs": ("svt1", ("strategies", 0, "shift", 3, 0), "0", "strategy 0, edge 3"),
    "a shift too many": ("svt1", ("strategies", 0, "shift", 5), ["0"], "strategy 0, edge 5, shift"),
    "no shift": ("svt1", ("strategies", 0, "shift", 4), [], "strategy 0, edge 4, shift"),
    "shifts of an edge": ("svt1", ("strategies", 0, "shift"), [], "strategy 0"),
    "an edge twice": ("svt1", ("strategies", 0, "edges"), [0, 1, 2, 3, 4, 4], "strategy 0"),
    "edges out of order": ("svt1", ("strategies", 0, "edges"), [0, 2, 1, 3, 4, 5], "strategy 0"),
    "no such edge": ("svt1", ("strategies", 0, "edges", 5), 6, "strategy 0"),
    "no strategy": ("svt1", ("strategies",), [], "strategies"),
    "a cost without a choice": ("svt1", ("edges", 1, "cost"), "1/8", "edge 1"),
    "a negative cost": ("svt1", ("edges", 1, "cost"), "-1/8", "edge 1"),
    "a greater rate": ("svt1", ("edges", 4, "samples", 0, "rate"), "3/4", "strategy 0, edge 4"),
    "no rate": ("svt1", ("edges", 4, "samples", 0, "rate"), "0", "edge 4, sample 0"),
    "another noise": ("svt1", ("edges", 4, "samples", 0, "kind"), "Gauss", "edge 4, sample 0"),
    "a later sample": ("svt1", ("edges", 1, "samples", 0, "mean"), {"0": "1"}, "edge 1, sample 0"),
    "a sample that is not there": ("svt1", ("edges", 1, "guards", 0, "form"), {"1": "1"}, "edge 1, guard 0"),
    "a sample in other words": ("svt1", ("edges", 1, "guards", 0, "form"), {"00": "1"}, "edge 1, guard 0"),
    "no such variable": ("svt1", ("edges", 1, "guards", 0, "form"), {"r": "1"}, "edge 1, guard 0"),
    "a variable too early": ("svt1", ("edges", 0, "sets", "rT"), {"rT": "1"}, "edge 0, sets"),
    "a live variable not set": ("svt1", ("edges", 1, "sets"), {}, "edge 1, sets"),
    "a dead variable set": ("svt1", ("edges", 2, "sets"), {"rT": {"0": "1"}}, "edge 2, sets"),
    "a term of 0": ("svt1", ("edges", 1, "sets", "rT"), {"rT": "1", "": "0"}, "edge 1, sets"),
    "a changed label": ("svt1", ("steps", 3, 2), "-2", "place 1"),
    "a label of another cell": ("svt1", ("steps", 3, 1), "p[i]", "place 1"),
    "two labels": ("svt1", ("edges", 3, "path"), [3, 3], "place 1"),
    "no such step": ("svt1", ("edges", 3, "path", 0), 4, "edge 3"),
    "an unknown step": ("svt1", ("steps", 0, 0), "labels", "step 0"),
    "a step of two": ("svt1", ("steps", 0), ["label", "q[i]"], "step 0"),
    "a wider adjacency": ("svt1", ("adjacency", "distance"), "2", "place 1"),
    "no distance": ("svt1", ("adjacency", "distance"), None, "adjacency"),
    "no such adjacency": ("svt1", ("adjacency", "kind"), "l2", "adjacency"),
    "integer inputs": ("svt1", ("inputs", "integers"), True, "place 1"),
    "places the other way round": ("svt1", ("places",), "reversed", "place 0"),
    "another start": ("svt1", ("start",), 1, "place 0"),
    "no such start": ("svt1", ("start",), 3, "start"),
    "something is drawn at the start": ("svt1", ("places", 0, "live"), ["rT"], "place 0"),
    "a variable twice": ("svt1", ("places", 1, "live"), ["rT", "rT"], "place 1"),
    "a variable like a sample": ("svt1", ("places", 1, "live"), ["0"], "place 1"),
    "a constant like a variable": ("svt1", ("places", 1, "live"), [""], "place 1"),
    "an edge from the end": ("svt1", ("edges", 5, "source"), 2, "place 2"),
    "an edge to nowhere": ("svt1", ("edges", 5, "target"), 3, "edge 5"),
    "a size with a value": ("svt1", ("sizes",), ["c"], "sizes"),
    "a size twice": ("svt1", ("sizes",), ["N", "N"], "sizes"),
    "a delta": ("svt1", ("claim", "delta"), [[["1/2"]], 0], "claim"),
    "another text": ("svt1", ("program", "text"), "private eps", "program"),
    "a new field": ("svt1", ("note",), "", "format"),
    "another version": ("svt1", ("version",), 2, "format"),
    "below the support": ("LapPlus", ("strategies", 0, "shift", 0, 0), "7/8", "strategy 0, edge 0, sample 0"),
    "no integer": ("DLap", ("strategies", 0, "shift", 1, 0), "1/2", "strategy 0, edge 1, sample 0"),
    "half a mean": ("DLap", ("edges", 1, "samples", 0, "mean"), {"": "1/2"}, "strategy 0, edge 1, sample 0"),
    "integer noise, reals": ("DLap", ("inputs", "integers"), False, "edge 0, sample 0"),
    "an unproved choice": ("choice", ("choices", 0, "cost"), "7/8", "choice 0"),
    "a choice of another": ("choice", ("choices", 1, "left"), 0, "choice 1"),
    "no proof": ("choice", ("choices", 0, "proof"), {"kind": "point"}, "choice 0"),
    "a sensitivity": ("choice", ("choices", 2, "sensitivity"), "1", "edge 2"),
    "a negative sensitivity": ("choice", ("choices", 2, "sensitivity"), "-2", "choice 2"),
    "another mechanism": ("choice", ("choices", 2, "mechanism"), "exp", "choice 2"),
    "a choice forgotten": ("choice", ("edges", 0, "choices"), [], "edge 0"),
    "a choice not paid for": ("choice", ("strategies", 0, "phi", "0"), "7/8", "strategy 0, edge 0"),
    "no such choice": ("choice", ("edges", 0, "choices"), [3], "edge 0"),
    "a denominator": ("choice", ("denominators", 0, "function"), [["1"], ["-1", 0, "1"]], "denominator 1"),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_is_forged_is_refused_with_its_step(name: str) -> None:
    example, where, value, step = FORGED[name]
    data = written(EXAMPLES[example]())
    checked(data)
    mutant = changed(data, where, data["places"][::-1] if value == "reversed" else value)
    with pytest.raises(Refused, match=rf"^({step}|{declared(step)})(:|,)"):
        checked(mutant)


@pytest.mark.parametrize("values", [2, 3, 7])
@pytest.mark.parametrize("rate", ["1/3", "1", "5/2"])
def test_a_finite_draw_costs_its_rate_and_no_less(rate: str, values: int) -> None:
    about = choice(response(q(rate), values, q(rate)))
    strategy = replace(about.proved.strategies[0], potentials={0: q(rate) + 1, 1: q(0)})
    about = replace(about, t=q(rate) + 1, proved=replace(about.proved, strategies=(strategy,)))
    data = written(about)
    checked(data)
    for less in ("1/1000", rate):
        smaller = choice(response(q(rate), values, q(rate) - q(less)))
        with pytest.raises(NoProof):
            _ = smaller.certificate
    mutant = changed(data, ("choices", 0, "cost"), str(Fraction(rate) - Fraction(1, 1000)))
    with pytest.raises(Refused, match=r"^choice 0"):
        checked(mutant)


def test_the_writer_says_what_the_kernel_would_refuse() -> None:
    about = svt1()
    with pytest.raises(LimitReached, match="it would be refused: t: it is negative, or more than is claimed"):
        _ = replace(about, t=q("1/2")).certificate


# --- hostile ----------------------------------------------------------------------------------------------


def test_more_labels_than_any_file_has_are_refused() -> None:
    data = written(svt1())
    for edge in data["edges"][1:5]:
        edge["path"] = edge["path"][:1] * 40
    begin = time.process_time()
    with pytest.raises(Refused, match=r"^place 1"):
        checked(data)
    wide = written(one_of("DLap")) | {"adjacency": {"text": "l", "kind": "linf", "distance": "9" * 3000}}
    with pytest.raises(Refused, match=r"^adjacency: a cell has more changes than a file lists"):
        checked(wide)
    assert time.process_time() - begin < 20


def test_names_cannot_forge_the_statement() -> None:
    data = written(svt1())
    data["inputs"]["text"] = "q: reals)\naccepted: \x1b[2K" + "n" * 1000
    data["program"]["name"] = "'; accepted\n" + "m" * 1000
    statement = checked(data).statement()
    assert len(statement) < 1300 and "\n" not in statement and "\x1b" not in statement


# --- the commands -----------------------------------------------------------------------------------------


def test_verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "c.json")
    assert exit_status(["prove", "svt1", "--quiet", "--certificate", file]) == 0
    for arguments, expected, words in (
        ([], 0, "accepted: program 'svt1' with c = 1, T = 0, Delta = 1 is (1*eps, 0)-private"),
        ([], 0, f"\n{BUILT}; confirmed exactly for N = 1, 2, 3\n"),
        (["--program", "svt1"], 0, "program text: svt1, SHA-256"),
        (["--program", "svt2"], 1, "the given program is not the one in the certificate"),
        (["--no-deep"], 3, "IF the listed automaton is that of the program THEN program 'svt1'"),
        (["--no-deep"], 3, "not checked: whether these are those of the program text: claim, parameters"),
        (["-D", "N=7"], 0, "accepted: program"),
        (["-D", "N=1/2"], 1, "every integer N >= 1 (-D says 1/2)"),
        (["-D", "c=2"], 1, "c = 1 (-D says 2)"),
        (["-D", "M=2"], 2, "the program has no parameter `M`"),
        (["--claim", "2*eps"], 1, "(1*eps, 0) for every eps in (0, inf) (--claim says '2*eps')"),
        (["--expect", "violated"], 1, "the claim is private (expected: violated)"),
        (["--model", "weather"], 2, "are about Markov chains"),
    ):
        assert exit_status(["verify", file, *arguments]) == expected, arguments
        out, err = capsys.readouterr()
        assert words in out + err, (arguments, out, err)
