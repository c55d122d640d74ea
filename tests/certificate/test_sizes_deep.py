"""The second derivation of automata for every size: it agrees with the builder, and refuses what was altered.

Alterations are given to the deep check alone: the kernel, which would refuse most of them, is not asked.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from campaigns import some, spared
from flint import fmpq
from patience import PATIENCE

from dipc.certificate.format import dumps
from dipc.certificate.sizes import Draws, Proof, _edge, _place, _question, rederive, sizes_certificate
from dipc.certificate.slow.functions import NotCovered
from dipc.certificate.slow.sizes_neighbours import Neighbours, domain
from dipc.certificate.slow.sizes_text import Domain
from dipc.cli.main import status as exit_status
from dipc.clock import Clock, Limits
from dipc.dipwhile.allsizes.automaton import Automaton
from dipc.dipwhile.allsizes.build import build
from dipc.dipwhile.allsizes.front import free_sizes, front, symbolic
from dipc.dipwhile.allsizes.labels import Adjacency as Labels
from dipc.dipwhile.allsizes.labels import Domain as LabelDomain
from dipc.dipwhile.allsizes.strategies import Solved, strategies
from dipc.dipwhile.allsizes.verdict import LeastT, ProvedForAll
from dipc.dipwhile.pipeline import goal_of
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import InputError, LimitReached, Source, Span
from dipc.kernel import laws
from dipc.kernel.automata import read_adjacency
from dipc.kernel.privacy import ProgramText, read_claim
from dipc.kernel.reading import Refused
from dipc.kernel.sizes import Certificate
from dipc.kernel.statements import check
from dipc.shipped import source_of
from tests.dipwhile.allsizes.asking import GAP, RANGE, SMART_SUM
from tests.dipwhile.allsizes.random_programs import program

Json = dict[str, Any]

SHIPPED = (
    *("svt1", "svt2", "svt_bottoms", "svt_numeric", "nmax1", "nmax2", "noisy_max_first", "hist1"),
    *("prefix_sums", "partial_sum", "rand1", "warner", "exponential", "exponential_full"),
    *("persistent_sample", "truncated_geometric", "mbi_65_fixed", "nvflare_343_fixed", "wicg_1329_fixed"),
)
"""All shipped programs that are proved for every N; none of them is outside of what is derived."""

HEAD = """param N = 3
input q[N] in {0, 1}
output out in {0, 1, 2, 3} = 0
adjacent linf 1
private 9*eps
"""
BEST = """best <- {}; arg <- 0
for i in 1..N do
  r <- Lap(eps, q[i])
  if {} then best <- r; arg <- i end
end
"""
MONOTONE = "forall i in 1..N: 0 <= q'[i] - q[i] and q'[i] - q[i] <= 1"
MIXED = """param N = 3
input q[N] in reals, n in integers
output o[N] in reals, p in reals
adjacent l1 2
private 9*eps
for i in 1..N do o[i] <- Lap(eps, q[i]) end
p <- Lap(3*eps, n)
"""
OTHERS = {
    "the maximum as a loop": HEAD + BEST.format("0", "i = 1 or r > best") + "out <- arg",
    "the minimum as a loop": HEAD + BEST.format("Lap(eps, q[1])", "best >= r") + "out <- arg",
    "running sums": HEAD.replace("linf", "l1")
    + "for i in 1..N do\n  r <- Lap(eps, sum(j in 1..i: q[j]))\n  out <- disc(r, 0, 1)\n  exit\nend",
    "the noisy minimum": HEAD + "for i in 1..N do n[i] <- Lap(eps/2, -q[i]) end\nout <- argmin(n)",
    "a monotone adjacency": HEAD.replace("linf 1", MONOTONE)
    + "for i in 1..N do n[i] <- Lap(eps/2, q[i]) end\nout <- argmax(n)",
    "integers": HEAD.replace("linf 1", "linf 2") + "x <- DLap(eps/2, q[1])\nif x = 1 then out <- 1 end",
    "all inputs": HEAD.replace("linf 1", "all") + "x <- DLap(eps, q[1]); out <- disc(x, 0, 1)",
    "while": HEAD + "x <- Lap(eps, q[1]); n <- 0\nwhile n < 2 do n <- n + 1 end\nif x >= n then out <- 1 end",
    "reals beside integers": MIXED,
    "a start value computed from a size": HEAD.replace("{0, 1, 2, 3} = 0", "1..N + 1 = N + 1")
    + "t <- Lap(eps, 0)\nfor i in 1..N do\n  r <- Lap(eps, q[i])\n  if r > t then out <- i; exit end\nend",
    "finite sets": HEAD.replace("{0, 1}", "{yes, no, perhaps}", 1).replace("linf", "hamming")
    + "for i in 1..N do\n  c <- choose {q[i]: (exp(eps) - 1)/(2 + exp(eps)), yes: 1/(2 + exp(eps)), "
    "no: 1/(2 + exp(eps)), perhaps: 1/(2 + exp(eps))}\n  if c = yes then out <- 1 end\nend",
}


def automaton(text: str, overrides: Mapping[str, fmpq]) -> Proof:
    """What the builder makes of a program, without a proof."""
    source = Source("program.dip", text)
    asked = front(parse(source), source, overrides)
    names = symbolic(asked.program, free_sizes(asked.program), {})
    assert asked.claim is not None
    on = goal_of(asked.claim).budgets
    built = build(asked.program, source, dict(asked.constants), names, on, Clock(Limits(PATIENCE)))
    proved = ProvedForAll(built, (), LeastT(fmpq(0), fmpq(9)))
    return Proof(asked.program, source, proved, fmpq(9), on, overrides)


@cache
def certified(text: str, **overrides: int) -> Certificate:
    """A certificate that the kernel accepts."""
    about = automaton(text, {name: fmpq(value) for name, value in overrides.items()})
    solved = strategies(about.proved.automaton, None, Clock(Limits(PATIENCE)))
    assert isinstance(solved, Solved)
    proved = ProvedForAll(about.proved.automaton, solved.strategies, about.proved.least)
    found = check(dumps(sizes_certificate(Proof(*vars_of(about, proved)))).encode())
    assert isinstance(found, Certificate)
    return found


def vars_of(about: Proof, proved: ProvedForAll) -> tuple[Any, ...]:
    return about.program, about.source, proved, about.t, about.on, about.overrides


def text_of(name: str) -> str:
    return source_of(name).text


def test_changes_that_are_left_out_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reals beside integers whose corners are those of reals alone."""
    monkeypatch.setattr(Labels, "_beside_integers", lambda _, most: [fmpq(0), most, -most])
    with pytest.raises(LimitReached, match="an edge with the labels"):
        certified(MIXED + "# all but some")


def test_a_fractional_distance_of_reals_beside_integers_has_no_certificate() -> None:
    with pytest.raises(LimitReached, match="no certificate for reals beside integers under `l1 5/2`"):
        certified(MIXED.replace("l1 2", "l1 5/2"))


@pytest.mark.parametrize("most", ["0", "1/2", "1", "4/3", "5/2", "3"])
def test_what_integers_leave_over_is_the_same_to_both(most: str) -> None:
    distance = fmpq(*map(int, most.split("/")))
    labels = Labels("l1", {"a": distance}, distance, Span(Source("", ""), 0, 0), mixed=True).labels
    twin = Neighbours("l1", {"a": Fraction(most)}, Fraction(most), mixed=True)
    found = {str(change) for change, _ in labels("a", LabelDomain(), distance, "")}
    assert found == {str(change) for change in twin.changes("a", Domain(None), Fraction(most), 0) or [0]}


def test_a_set_that_changes_with_a_size_has_no_values() -> None:
    known: dict[str, Any] = {}
    (declared,) = parse(Source("", "param N = 2; input s in {N}; output o in {0}")).inputs
    with pytest.raises(NotCovered, match="depends on a size"):
        domain(declared, known, frozenset({"N"}), integers=False)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_programs_are_derived(name: str) -> None:
    assert "were derived from the program text" in rederive(certified(text_of(name)))


@pytest.mark.parametrize("text", [GAP, SMART_SUM, RANGE, *OTHERS.values()])
def test_other_programs_are_derived(text: str) -> None:
    assert "were derived from the program text" in rederive(certified(text))


def test_a_size_may_be_a_number() -> None:
    assert "were derived" in rederive(certified(text_of("svt1"), N=3))


def test_what_is_not_covered_is_said() -> None:
    """An array of noise that is used later on."""
    text = HEAD + "for i in 1..N do n[i] <- Lap(eps/2, q[i]) end\nx <- Lap(eps, 0)\nout <- argmax(n)"
    with pytest.raises(NotCovered, match="an array of noise that is not used at once"):
        rederive(certified(text))


# --- alterations ----------------------------------------------------------------------------------------


def negated(form: Json) -> Json:
    return {name: str(-Fraction(c)) for name, c in form.items()}


def moved(form: Json) -> Json:
    return {**form, "": str(Fraction(form.get("", 0)) + 7)}


def replaced(items: list[Json], place: int, *new: Json) -> list[Json]:
    return [*items[:place], *new, *items[place + 1 :]]


def altered_edges(e: Json) -> Iterator[tuple[str, Json]]:
    """Edges that differ from this one in one thing."""
    for j, s in enumerate(e["samples"]):
        kind = "DLap" if s["kind"] == "Lap" else "Lap"
        for what in ({"rate": "7"}, {"mean": moved(s["mean"])}, {"kind": kind}):
            yield f"sample {j}: {what}", {**e, "samples": replaced(e["samples"], j, {**s, **what})}
        yield f"without sample {j}", {**e, "samples": replaced(e["samples"], j)}
    for j, g in enumerate(e["guards"]):
        other: Json
        for other in ({"form": negated(moved(g["form"]))}, {"equal": not g["equal"]}):
            yield f"guard {j}: {other}", {**e, "guards": replaced(e["guards"], j, {**g, **other})}
        yield f"without guard {j}", {**e, "guards": replaced(e["guards"], j)}
    for name, form in e["sets"].items():
        yield f"sets {name}", {**e, "sets": {**e["sets"], name: moved(form)}}
    if e["choices"]:
        yield "without a choice", {**e, "choices": e["choices"][1:]}


def alterations(data: Json) -> Iterator[tuple[str, Json]]:
    """Altered certificates."""
    for n, edge in enumerate(data["edges"]):
        yield f"edge {n} dropped", with_edges(data, [e for e in data["edges"] if e is not edge])
        for what, other in altered_edges(edge):
            yield f"edge {n}, {what}", with_edges(data, replaced(data["edges"], n, other))
    for decisions in {(e["from"], *e["decisions"]) for e in data["edges"]}:
        kept = [e for e in data["edges"] if (e["from"], *e["decisions"]) != decisions]
        yield f"decision {decisions} dropped", with_edges(data, kept)
    for n, (kind, _, value) in enumerate(data["steps"]):
        if kind == "label" and value:
            steps = copy.deepcopy(data["steps"])
            steps[n][2] = "7"
            yield f"label {n}", {**data, "steps": steps}


def with_edges(data: Json, edges: list[Json]) -> Json:
    return {**data, "edges": edges}


ALTERED = ["svt1", "nmax1", "hist1", "rand1", "exponential", "noisy_max_first", "svt_numeric", "partial_sum"]


@pytest.mark.parametrize("text", [*ALTERED, GAP, SMART_SUM, RANGE, OTHERS["all inputs"]])
def test_alterations_are_refused(text: str) -> None:
    original = certified(text if "\n" in text else text_of(text))
    count = 0
    for what, data in some(alterations(original.data), 15):
        count += 1
        with pytest.raises(Refused, match=r"^deep: "):
            rederive(original._replace(data=data))
            pytest.fail(f"accepted: {what}")
    assert count >= 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("r >= rT", "r > rT + 1 or r >= rT"),
        ("Lap(eps/(4*c*Delta), q[i])", "Lap(eps/(4*c*Delta), 2*q[i])"),
        ("Lap(eps/(4*c*Delta), q[i])", "LapPlus(eps/(4*c*Delta), q[i])"),
        ("linf 1", "linf 2"),
        ("linf 1", "l1 1"),
        ("out[i] <- top", "out[i] <- disc(r, 0, 1)"),
        ("then exit end", "then out[1] <- bot end"),
        ("1..N", "1..c"),
        ("1..N do", "1..N do\n  v <- Lap(eps, q[i])\n  if v >= 0 then exit end"),
    ],
)
def test_another_program_is_refused(old: str, new: str) -> None:
    text = text_of("svt1")
    assert old in text
    other = {
        **certified(text).data,
        "program": {"name": "svt1", "text": text.replace(old, new), "sha256": ""},
    }
    with pytest.raises((Refused, NotCovered)):
        rederive(certified(text)._replace(data=other))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("inputs", {"text": "q: integers", "integers": True}),
        ("inputs", {"text": "q: reals", "integers": True}),
        ("adjacency", {"text": "linf 2", "kind": "linf", "distance": "1"}),
        ("adjacency", {"text": "linf 1", "kind": "linf", "distance": "2"}),
        ("adjacency", {"text": "linf 1", "kind": "l1", "distance": "1"}),
    ],
)
def test_another_question_is_refused(part: str, value: Json) -> None:
    original = certified(text_of("svt1"))
    with pytest.raises(Refused, match=f"^deep: {part}"):
        rederive(original._replace(data={**original.data, part: value}))


def test_a_fact_that_does_not_follow_is_refused() -> None:
    """With it, the decision that both comparisons hold would contradict it."""
    original = certified(RANGE)
    for place in original.data["places"]:
        if place["live"]:
            wrong = {**place, "facts": [f"1*{place['live'][0]} + 0 >= 0"]}
            places = [wrong if p is place else p for p in original.data["places"]]
            with pytest.raises(Refused, match=r"^deep: "):
                rederive(original._replace(data={**original.data, "places": places}))
            return
    pytest.fail("nothing is live")


def test_what_a_place_forgets_is_not_read() -> None:
    """A place without the live variable that its edges read."""
    original = certified(text_of("svt1"))
    data = json.loads(json.dumps(original.data))
    data["places"][1]["live"] = []
    for edge in data["edges"]:
        edge["sets"] = {}
    with pytest.raises((Refused, NotCovered)):
        rederive(original._replace(data=data))


# --- random programs ------------------------------------------------------------------------------------


def unproved(about: Proof) -> Certificate:
    """An automaton as a certificate lists it, without strategies."""
    built: Automaton = about.proved.automaton
    draws, steps = Draws(about.on), dict[Any, int]()
    edges = [_edge(edge, draws, steps) for edge in built.edges]
    listed = [[step.kind, step.text, step.value] for step in steps]
    places = [_place(place) for place in built.places]
    data: Json = {**_question(about), "start": 0, **draws.as_json()}
    data |= {"places": places, "steps": listed, "edges": edges, "t": "9"}
    claim = read_claim(data)
    table, adjacency = laws.read_table(data, claim.on, claim.sample), read_adjacency(data)
    text = ProgramText("program.dip", "", {})
    return Certificate(data, text, claim, table, ["N"], adjacency, False)


def decides_on_inputs(certificate: Certificate) -> bool:
    """Has it an edge that no shift allows?"""
    return any({"form": {"": "-1"}, "equal": False} in edge["guards"] for edge in certificate.data["edges"])


def alike(a: Json, b: Json) -> bool:
    """Are two edges equal but for their labels?"""
    return {**a, "path": 0} == {**b, "path": 0}


@pytest.mark.parametrize("group", spared(range(6), {0, 2}))
def test_random_programs_are_derived(group: int) -> None:
    """Every automaton of the builder is accepted, and not without one of its edges."""
    count = 0
    for seed in range(6 * group, 6 * group + 6):
        try:
            about = automaton(program(seed).replace("private eps", "private 9*eps"), {})
        except (InputError, LimitReached):
            continue
        certificate = unproved(about)
        if decides_on_inputs(certificate) or len(certificate.data["edges"]) > 400:
            continue
        rederive(certificate)
        edges = certificate.data["edges"]
        gone = edges[seed % len(edges)]
        if any(alike(gone, e) for e in edges if e is not gone):
            continue  # all cells go up, or down, where no input is read any more
        shorter = with_edges(certificate.data, [e for e in edges if e is not gone])
        with pytest.raises(Refused, match=r"^deep: automaton"):
            rederive(certificate._replace(data=shorter))
        count += 1
    assert count >= 2


# --- on the command line --------------------------------------------------------------------------------


def test_verify_is_unconditional(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "svt1.json"
    file.write_text(dumps(certified(text_of("svt1").replace("private eps", "private 9*eps")).data))
    assert exit_status(["verify", str(file)]) == 0
    assert "derived: the 6 edges were derived from the program text" in capsys.readouterr().out
    assert exit_status(["verify", str(file), "--no-deep"]) == 3
