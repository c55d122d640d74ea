"""Neighbours against the oracle's, which looks at every pair."""

from __future__ import annotations

from collections import Counter
from itertools import product

import oracles
import pytest

import dipc
from dipc.dipwhile.semantics.adjacency import Distance, InputSpace, adjacent
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import InputError, Source

DECLARATIONS = {
    "array": "input q[2] in {-1, 0, 1}",
    "gaps": "input q[2] in {0, 1/2, 2}",
    "two": "input q in 0..2, r in {0, 1}",
    "mixed": "input q[2] in 0..1, t in {true, false}",
}
NAMED = ("linf 1", "linf 1/2", "linf 0", "l1 1", "l1 2", "l1 3/2", "hamming 1", "hamming 0", "all")
FORMULAS = {
    "array": (
        "forall i in 1..2: abs(q[i] - q'[i]) <= 1",
        "q[1] > q'[1]",
        "q[1] = q'[2] and q[2] = q'[1]",
        "sum(i in 1..2: abs(q[i] - q'[i])) <= 1 and q[1] <= q'[1]",
        "count(i in 1..2: q[i] != q'[i]) = 1",
    ),
    "two": ("q = q' + 1 or r = r'", "q < r' and q' >= r"),
    "mixed": ("t != t' and q[1] = q'[1]", "exists i in 1..2: q[i] < q'[i]"),
}
CASES = [
    (name, kind)
    for name in DECLARATIONS
    for kind in (*(k for k in NAMED if name != "mixed" or k[0] in "ha"), *FORMULAS.get(name, ()))
]


def text(name: str, kind: str) -> str:
    return f"{DECLARATIONS[name]}\noutput o in {{1}}\nadjacent {kind}\nprivate eps\no <- 1\n"


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_neighbours_are_those_of_the_oracle(name: str, kind: str) -> None:
    """As a relation on pairs, and as the number of pairs that a check of the claim goes through."""
    program, mechanism = parse(Source("test.dip", text(name, kind))), dipc.load(text(name, kind))
    space, relation = InputSpace(mechanism.program), mechanism.program.adjacency
    assert relation is not None
    theirs, ours = oracles.all_inputs(program), list(space)
    related = 0
    for (u, x), (v, y) in product(zip(theirs, ours, strict=True), repeat=2):
        wanted = oracles.adjacent(program, u, v)
        assert adjacent(space, x, y, relation) == wanted, (u, v)
        related += wanted
    assert mechanism.check().counts.pairs == related


@pytest.mark.parametrize(("name", "kind"), [case for case in CASES if case[1] in NAMED])
def test_the_automaton_of_a_distance_accepts_the_neighbours(name: str, kind: str) -> None:
    """Every way through the automaton is one ordered pair of neighbours."""
    program = dipc.load(text(name, kind)).program
    space = InputSpace(program)
    assert program.adjacency is not None
    distance = Distance(space, program.adjacency)
    ways: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()

    def walk(place: int, left: int, u: tuple[int, ...], v: tuple[int, ...]) -> None:
        if place == len(space.cells):
            ways[u, v] += distance.accepts(left)
            return
        for a, b, rest in distance.moves(place, left):
            walk(place + 1, rest, (*u, a), (*v, b))

    walk(0, distance.start, (), ())
    inputs = [(tuple(space.digits(i)), space.at(i)) for i in range(space.size)]
    for (u, x), (v, y) in product(inputs, repeat=2):
        assert ways[u, v] == adjacent(space, x, y, program.adjacency)


@pytest.mark.parametrize("name", DECLARATIONS)
def test_positions(name: str) -> None:
    space = InputSpace(dipc.load(text(name, "all")).program)
    assert [space.at(i) for i in range(space.size)] == list(space)
    assert len({tuple(space.digits(i)) for i in range(space.size)}) == space.size


def test_a_pair_must_be_neighbours() -> None:
    mechanism = dipc.load(text("array", "l1 1"))
    assert mechanism.check(pair=({"q": (0, 0)}, {"q": (0, 1)})).status == "private"
    with pytest.raises(InputError, match="not neighbours"):
        mechanism.check(pair=({"q": (0, 0)}, {"q": (1, 1)}))


@pytest.mark.parametrize("kind", ["q < q'", "q' < q"])
def test_a_formula_is_made_symmetric(kind: str) -> None:
    """Only one order of the pair breaks the claim, and it is found whichever way the formula is written."""
    mechanism = dipc.load(
        f"input q in {{0, 1}}; output o in {{0, 1}}\nadjacent {kind}\nprivate eps for eps in [1, inf)\n"
        "if q = 0 then o <- 0 else o <- choose {0: 1 - exp(-eps)/2, 1: exp(-eps)/2} end"
    )
    found = mechanism.check().counterexample
    assert found is not None
    assert found.infinite_loss
    assert dict(found.input) == {"q": 1}


def test_strides() -> None:
    """The stride of an input is the number of values of those after it."""
    text = "input p in 1..2; input q[2] in 1..3; input r in 1..5; output o in {0}; adjacent all; o <- 0"
    assert InputSpace(read(Source("<text>", text))).strides == [45, 15, 5, 1]
    assert InputSpace(read(Source("<text>", "output o in {0}; o <- 0"))).strides == []


def test_the_neighbours_of_a_counterexample_differ_in_few_cells() -> None:
    formula = "q[1] != q'[1] and (q[2] = 1 or q[2] != q'[2])"
    program = f"input q[2] in 0..1; output o in 0..1; adjacent {formula}; private eps; o <- q[1]"
    assert "u:  q=[0, 1]\nu': q=[1, 1]\n" in str(dipc.load(program).check())
