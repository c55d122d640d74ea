"""Certificates for every size: accepted, altered, forged, hostile; the automata are made by hand."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq

from dipc.certificate.format import dumps
from dipc.certificate.sizes import Proof, sizes_certificate
from dipc.dipwhile.allsizes.automaton import (
    Automaton,
    Choice,
    Edge,
    Exponential,
    Form,
    Guard,
    Place,
    Sample,
    Step,
    Symbol,
)
from dipc.dipwhile.allsizes.strategies import Strategy
from dipc.dipwhile.allsizes.verdict import LeastT, ProvedForAll
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source, Span
from dipc.kernel import sizes
from dipc.kernel.statements import check
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient

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


def proof(text: str, edges: list[Edge], places: list[Place], strategies: list[Strategy], t: int = 1) -> Proof:
    source = Source("mine.dip", text)
    automaton = Automaton(tuple(places), tuple(edges), 0, ("N",), "q: reals")
    least = LeastT(q(t), q(t))
    return Proof(parse(source), source, ProvedForAll(automaton, tuple(strategies), least), q(t))


def svt1(change: int = 1) -> Proof:
    """rT moves by 1; r moves with its query, and by 1 on the way to top."""
    head = Place("line 12: for i", live=("rT",))
    edges = [Edge(0, 1, (noise("1/2"),), (), (("rT", form({0: 1})),), q(0))]
    shifts = [(q(1),)]
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
    rest: dict[str, tuple[str, list[tuple[str, Edge, tuple[fmpq, ...]]]]] = {
        "LapPlus": ("linf 1", [(str(d), noisy("LapPlus", d), (q(1),)) for d in (1, -1)]),
        "DLap": ("linf 1", [(str(d), noisy("DLap", d), (q(0),)) for d in (1, 0, -1)]),
    }
    adjacency, listed = rest[name]
    edges = [edge for _, edge, _ in listed]
    shifts = tuple(row for _, _, row in listed)
    strategy = Strategy(tuple(range(len(edges))), {0: q(2), 1: q(0)}, {0: {}, 1: {}}, shifts)
    about = proof(TEXT.replace("ADJACENT", adjacency), edges, [START, END], [strategy], 2)
    automaton = replace(about.proved.automaton, integers=name == "DLap")
    return replace(about, proved=replace(about.proved, automaton=automaton))


def noisy(kind: str, d: int) -> Edge:
    return Edge(0, 1, (noise("1", form({}, d), kind),), (), (), q(0), path=(label(d),))


def phases(kind: str, spent: bool = True) -> Proof:
    """The noisy cells one after the other: one of them changes by 1, and no other one after that."""
    rows = [(1, 1, 0), (1, 2, 1), (1, 2, -1), (2, 2, 0), (1, 3, None), (2, 3, None), (0, 1, None)]
    if not spent:
        rows = [row for row in rows if row != (2, 2, 0)]
    edges, shifts = [], []
    for source, target, d in rows:
        drawn = () if d is None else (noise("1", form({}, d)),)
        path = () if d is None else (label(d),)
        decisions = ("done",) if d is None else ("round",)
        edges.append(Edge(source, target, drawn, (), (), q(0), decisions=decisions, path=path))
        shifts.append((q(0),) * len(drawn))
    places = [START, Place("line 6", phase=(("left", "1"),)), Place("line 6", phase=(("left", "0"),)), END]
    phi = {0: q(1), 1: q(1), 2: q(0), 3: q(0)}
    strategy = Strategy(tuple(range(len(edges))), phi, {p: {} for p in phi}, tuple(shifts))
    return proof(TEXT.replace("ADJACENT", f"{kind} 1"), edges, places, [strategy])


def choice() -> Proof:
    """Randomised response: true with exp(eps)/(1 + exp(eps)) or 1/(1 + exp(eps)); and a choice by scores."""
    z = Quotient(ExpPoly.exp(1))
    likely, rare = z / (z + 1), 1 / (z + 1)
    drawn = [Choice(likely, rare, q(1)), Choice(rare, likely, q(0)), Exponential(q("1/2"), q(2))]
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
    data: Json = json.loads(dumps(sizes_certificate(about)))
    return data


def checked(data: Json) -> sizes.Certificate:
    found = check(dumps({k: v for k, v in data.items() if k != "digest"}).encode())
    assert isinstance(found, sizes.Certificate)
    return found


# --- accepted -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_accepted(name: str) -> None:
    data = written(EXAMPLES[name]())
    begin = time.process_time()
    certificate = checked(data)
    assert time.process_time() - begin < 0.1
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
