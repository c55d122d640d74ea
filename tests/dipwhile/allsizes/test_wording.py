"""A proof in words is true of every edge, and the table has every number."""

from __future__ import annotations

import re
from dataclasses import astuple, replace

import pytest
from campaigns import many
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

import dipc
from dipc.dipwhile.allsizes.automaton import Automaton, Edge, Form, Place, Sample, Step
from dipc.dipwhile.allsizes.linear import Strategy
from dipc.dipwhile.allsizes.verdict import LeastT, ProvedForAll
from dipc.dipwhile.allsizes.wording import Move, in_words, motion_in_words, moves, table
from dipc.dipwhile.records.every_size import proof_document
from dipc.report.document import text
from tests.dipwhile.allsizes.by_hand import ONE, SVT1, SVT1_PROOF, ZERO, number, step

HALF = fmpq(1, 2)


def test_the_table_is_printed_in_80_columns() -> None:
    proved = ProvedForAll(SVT1, (SVT1_PROOF,), LeastT(ZERO, ONE))
    assert text(proof_document(proved)).splitlines()[1:8] == [
        "          sample  moves by  cost  budget  left",
        "    start",
        "          rT      1         1/2   1       1/2",
        "    line 12: for i",
        "      r < rT, out[i] = bot",
        "        when q[i] changes by 1 | q[i] changes by -1",
        "          r       1, -1     0     1/2     1/2",
    ]
    long = replace(SVT1, places=tuple(replace(place, cut="a place " * 30) for place in SVT1.places))
    lines = text(proof_document(replace(proved, automaton=long))).splitlines()
    assert max(map(len, lines)) <= 80


def test_the_costs_of_the_table_are_paid_from_the_budget() -> None:
    """Along every edge the budget falls at least by what its rows cost."""
    spent: dict[int, fmpq] = {}
    for move in moves(SVT1, SVT1_PROOF):
        spent[move.number] = spent.get(move.number, ZERO) + move.cost
    for n, cost in spent.items():
        edge, phi = SVT1.edges[n], SVT1_PROOF.potentials
        assert phi[edge.source] >= cost + phi[edge.target]


def one_edge(*samples: tuple[str, int, Form, fmpq], cost: fmpq = ZERO) -> tuple[Automaton, Strategy]:
    """An automaton with one edge that draws these: a name, a line, the change of the mean, the shift."""
    path = tuple(step("sample", name, line) for name, line, _, _ in samples)
    drawn = tuple(Sample("Lap", ONE, mean) for _, _, mean, _ in samples)
    edge = Edge(0, 1, drawn, (), (), cost, (), (), path)
    shifts = tuple(shift for *_, shift in samples)
    proof = Strategy((0,), {0: fmpq(9), 1: ZERO}, {}, (shifts,))
    return Automaton((Place("start"), Place("end")), (edge,), 0, ("N",), "q: reals"), proof


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([("a", 1, number(ZERO), ONE), ("b", 2, number(ZERO), ONE)], "a and b move by 1"),
        ([("a", 1, number(ZERO), ONE), ("b", 2, number(ZERO), ZERO)], "a moves by 1; b stays"),
        ([("a", 1, number(ZERO), ONE), ("a", 2, number(ZERO), HALF)],
         "a (line 1) moves by 1; a (line 2) moves by 1/2"),
        ([("a", 1, number(ZERO), ONE), ("b", 2, Form(((0, fmpq(2)),)), fmpq(2))],
         "a moves by 1; b moves by 2"),
    ],
)  # fmt: skip
def test_names(samples: list[tuple[str, int, Form, fmpq]], said: str) -> None:
    assert in_words(*one_edge(*samples)) == said


def test_a_mean_may_depend_on_an_earlier_sample_and_on_a_live_variable() -> None:
    automaton, proof = one_edge(("a", 1, number(ZERO), ONE), ("b", 2, Form(((0, fmpq(2)), ("x", ONE))), ONE))
    known = replace(proof, deltas={0: {"x": HALF}})
    assert [(move.mean, move.cost) for move in moves(automaton, known)] == [
        (ZERO, ONE),
        (fmpq(5, 2), fmpq(3, 2)),
    ]


def test_choices_and_nothing() -> None:
    assert in_words(*one_edge(cost=HALF)) == "a random choice costs 1/2*eps"
    assert in_words(*one_edge()) == "nothing moves, and nothing costs"
    assert [astuple(line)[3:6] for line in table(*one_edge(cost=HALF))] == [("(choice)", "", "1/2")]


# --- the words are true: a second reader ---------------------------------------------------------

OUTPUTS, TESTS, LABELS = ("out[i] = a", "out[i] = b", "flag = a"), ("r >= s", "r < s"), (-1, 1)


@st.composite
def edges_of_a_sample(draw: st.DrawFn) -> list[Move]:
    """Edges that all draw ``r``, whose shifts mostly depend on what they publish or test."""
    found = []
    rules = draw(st.dictionaries(st.sampled_from([*OUTPUTS, *TESTS]), st.sampled_from(["mean", "0", "1"])))
    for n in range(draw(st.integers(1, 7))):
        outputs = draw(st.sets(st.sampled_from(OUTPUTS), max_size=2))
        test, label = draw(st.sampled_from(TESTS)), fmpq(draw(st.sampled_from(LABELS)))
        rule = next((rules[text] for text in (*sorted(outputs), test) if text in rules), "1")
        noise = draw(st.sampled_from([ZERO] * 6 + [HALF]))
        shift = (label if rule == "mean" else fmpq(int(rule))) + noise
        path: list[Step] = [step("label", f"q[i] changes by {label}", 1), step("test", test, 2)]
        path += [step("output", text, 3) for text in sorted(outputs)]
        edge = Edge(0, 1, (), (), (), ZERO, (), (), tuple(path))
        found.append(Move(n, edge, "r", label, shift, ZERO, True))
    return found


def read(said: str, move: Move) -> bool:
    """Whether a sentence is true of an edge, read word by word."""
    if match := re.fullmatch(r"moves by (\S+) to (\S+) \(see --details\)", said):
        low, high = (fmpq(*map(int, text.split("/"))) for text in match.groups())
        return bool(low <= move.shift <= high)
    clauses = [
        re.split(r" (?=(?:on the way to|if|where|while) )", clause, maxsplit=1)
        for clause in said.split(", and ")
    ]
    for motion, where in (clause for clause in clauses if len(clause) == 2):
        if all(applies(condition, move.edge) for condition in where.split(" and ")):
            return moved(motion, move)
    (usual,) = [clause[0] for clause in clauses if len(clause) == 1] or [""]
    return moved(usual, move)


def applies(condition: str, edge: Edge) -> bool:
    texts = {(one.kind, one.text) for one in edge.path}
    if found := re.fullmatch(r"on the way to (.*)", condition):
        return any(kind == "output" and text in (found[1], *(f"{x} = {found[1]}" for x in ("out[i]", "flag")))
                   for kind, text in texts)  # fmt: skip
    _, _, text = condition.partition(" ")
    return any(text == own and kind in ("test", "label") for kind, own in texts)


def moved(motion: str, move: Move) -> bool:
    motion = motion.removeprefix("moves ")
    if motion == "stays":
        return not move.shift
    if motion == "with its query":
        return bool(move.shift == move.mean)
    amount, _, more = motion.removeprefix("by ").partition(" more than its query")
    by = fmpq(*map(int, amount.split("/")))
    return bool(move.shift == by + (move.mean if "more than" in motion else 0)) and not more


@settings(max_examples=many(45, campaign=3000), deadline=None)
@given(edges_of_a_sample())
def test_every_sentence_is_true_of_every_edge(found: list[Move]) -> None:
    said = motion_in_words(found, (Place("start"), Place("end")))
    assert all(read(said, move) for move in found), said


@settings(max_examples=many(45, campaign=3000), deadline=None)
@given(edges_of_a_sample(), st.data())
def test_the_reader_notices_a_wrong_edge(found: list[Move], data: st.DataObject) -> None:
    said = motion_in_words(found, (Place("start"), Place("end")))
    if "see --details" not in said:
        moved_on = replace(data.draw(st.sampled_from(found)), shift=fmpq(7))
        assert not read(said, moved_on)


@pytest.mark.parametrize("probability", ["1/(2 + sum(q))", "1/(2 + q[1])"])
def test_what_a_probability_may_depend_on(probability: str) -> None:
    lines = (
        "param N = 2",
        "input q[N] in {0, 1}",
        "output o in {0, 1}",
        "adjacent linf 1",
        "private 2*eps for eps in [1, 2]",
    )
    program = "\n".join((*lines, f"o <- choose {{1: {probability}, 0: 1 - {probability}}}"))
    assert "numbers and their sums may not" in str(dipc.load(program).prove().verdict)
