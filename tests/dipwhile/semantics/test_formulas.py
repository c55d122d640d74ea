"""Formulas read cell by cell, against the list of all pairs of inputs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product

import campaigns
import pytest

import dipc
from dipc.clock import Clock
from dipc.dipwhile.hub.explored import Explored
from dipc.dipwhile.semantics.adjacency import InputSpace, relation
from dipc.dipwhile.semantics.formulas import Related, Unsuitable
from dipc.dipwhile.semantics.neighbours import ProductNeighbours
from dipc.dipwhile.syntax.compile import read
from dipc.errors import Source
from dipc.kernel.statements import check

INPUTS = "input q[2] in {-1, 0, 1/2}; input r in {0, 2}; input b in {true, false}; input s in {bot, top};"


class Maker:
    """Random formulas about these inputs."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def number(self, depth: int) -> str:
        if not depth or self.random.random() < 0.3:
            return self.pick("q[1]", "q[2]", "r", "q'[1]", "q'[2]", "r'", "1/2", "2")
        x, y = self.number(depth - 1), self.number(depth - 1)
        shape = self.pick(
            "({x}) + ({y})", "({x}) - ({y})", "({x}) * ({y})", "-({x})", "abs({x})", "max({x}, {y})",
            "min({x}, {y})", "({x})/2", "sum(q)", "sum(q')", "max(q')", "count({c}, {d})",
        )  # fmt: skip
        return shape.format(x=x, y=y, c=self.truth(depth - 1), d=self.truth(depth - 1))

    def truth(self, depth: int) -> str:
        if not depth or self.random.random() < 0.2:
            return self.pick(
                "b", "b'", "s = s'", "s != top", "q[1] = q'[1]", "r < r'", "b = b'", "q[2] != q'[2]"
            )
        x, y = self.number(depth - 1), self.number(depth - 1)
        c, d = self.truth(depth - 1), self.truth(depth - 1)
        comparison = f"({{x}}) {self.pick('=', '!=', '<', '<=', '>', '>=')} ({{y}})"
        shape = self.pick(comparison, comparison, "({c}) and ({d})", "({c}) or ({d})", "not ({c})")
        return shape.format(x=x, y=y, c=c, d=d)


def explored(formula: str, inputs: str = INPUTS) -> Explored:
    text = f"{inputs} output o in {{0}}; adjacent {formula}; private eps; o <- 0"
    return Explored(read(Source("<text>", text)))


def by_list(found: Explored) -> tuple[list[tuple[int, int]], bool]:
    adjacency = found.program.adjacency
    assert adjacency is not None and adjacency.formula is not None
    holds, inputs = relation(found.space, adjacency.formula), list(enumerate(found.space))
    pairs = {(i, j) for (i, u), (j, v) in product(inputs, repeat=2) if holds(u, v)}
    mirrored = {(j, i) for i, j in pairs}
    return sorted(pairs | mirrored, key=lambda pair: (changed(found.space, pair), pair)), pairs == mirrored


def changed(space: InputSpace, pair: tuple[int, int]) -> int:
    return sum(a != b for a, b in zip(*map(space.digits, pair), strict=True))


def in_order(walked: ProductNeighbours) -> Iterator[tuple[int, int]]:
    """The pairs in the order of their numbers of changed cells, and then of their places."""
    return iter(walked.positions())


@pytest.mark.parametrize("seed", range(campaigns.many(12, 1500)))
def test_random_formulas(seed: int) -> None:
    made = Maker(seed)
    both = made.pick("and", "or", "and not"), made.pick("r <= r'", "s = s'", "b = b' or q[1] < q'[2]")
    found = explored(f"({made.truth(3)}) {both[0]} ({both[1]})")
    adjacency = found.program.adjacency
    assert adjacency is not None
    walked, _ = found.neighbours(adjacency, Clock())
    pairs, symmetric = by_list(found)
    assert (list(in_order(walked)), walked.symmetric) == (pairs, symmetric)
    assert walked.count() == len(pairs)
    assert walked.different == any(i != j for i, j in pairs)


@pytest.mark.parametrize("formula", ["q[3 - r'] = 0", "mod(r, r') = 0", "q[2/r'] = 0"])
def test_operations_that_may_have_no_value_are_left_to_the_list(formula: str) -> None:
    """There `or` may hide a division by zero."""
    relation = explored(f"r' = 0 or {formula}").program.adjacency
    assert relation is not None and relation.formula is not None
    found = explored(f"r' = 0 or {formula}")
    tried: list[int] = []
    Related(found.space, relation.formula, lambda done, total: tried.append(done))
    assert len(tried) == 2 * found.space.size**2


def test_a_state_is_what_is_left_of_the_formula() -> None:
    """At most one cell differs: none did so far, or one, and the inputs exchanged are the same."""
    found = explored("count(i in 1..9: q[i] != q'[i]) <= 1", "input q[9] in {0, 1};")
    adjacency = found.program.adjacency
    assert adjacency is not None and adjacency.formula is not None
    relation = Related(found.space, adjacency.formula, lambda done, total: None)
    states = {relation.start}
    for place in range(8):
        states = {after for state in states for _, _, after in relation.moves(place, state)}
        assert len(states) == 2


@pytest.mark.parametrize(
    ("formula", "claim"),
    [
        ("sum(i in 1..2: abs(q[i] - q'[i])) <= 1 and q[1] <= q'[1]", "2*eps"),
        ("q[1] = q'[2] and q[2] = q'[1]", "eps"),
        ("q[1] > q'[1]", "eps/2, 1/10"),
        ("q[1] > 2 or q'[2] > 2", "eps"),
    ],
)
def test_verdicts_and_certificates_are_those_of_the_list(
    formula: str, claim: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"input q[2] in {{0, 1, 2}}; output o in {{0, 1}}; adjacent {formula}; private {claim};"
    text += "x <- Lap(eps, q[1] + q[2]); o <- disc(x, 0, 1)"

    def found() -> tuple[object, ...]:
        m = dipc.load(text)
        given = m.certificate()
        accepted = check(json.dumps(given).encode()).statement()
        return str(m.check()), m.check().counts, given["adjacency"], accepted

    def refused(*given: object, swapped: bool) -> None:
        raise Unsuitable

    walked = found()
    monkeypatch.setattr(Related, "_read", refused)
    assert found() == walked


def test_many_inputs() -> None:
    """2,048 inputs, of which the pairs are not tried one by one."""
    text = "param N = 11; input q[N] in {0, 1}; output o in {0, 1}; adjacent %s; private eps/2;"
    text += "if q[N] = 1 then o <- choose {0: 1/3, 1: 2/3} else o <- choose {0: 2/3, 1: 1/3} end"
    with dipc.limits(seconds=60):
        formula = dipc.load(text % "count(i in 1..N: q[i] != q'[i]) <= 1").check()
    assert str(formula) == str(dipc.load(text % "hamming 1").check())
    assert formula.counts.pairs > 2048 and formula.status == "violated"
