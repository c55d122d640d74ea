"""The parametrized Markov chain: probabilities of edges sum to 1, and flows are conserved."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import oracles
import pytest
from hypothesis import assume, given
from numeric import fixed
from shipped_programs import FINITE
from strategies import discrete_programs, programs

import dipc
from dipc.dipwhile.semantics.chain import Chain
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source, Unsupported
from dipc.numbers.quotient import Quotient

ZERO, ONE = Quotient.of(0), Quotient.one()


def assert_consistent(chain: Chain) -> None:
    """Every node passes on exactly what arrives; what arrives at final nodes is everything."""
    flows: dict[int, Quotient] = defaultdict(lambda: ZERO)
    flows[id(chain.nodes[0])] = ONE
    for node in chain:
        assert node.mass == flows[id(node)]
        if node.outcome is None:
            assert sum((p for _, p in node.edges), ZERO) == ONE
        else:
            assert not node.edges
        for target, p in node.edges:
            flows[id(target)] = flows[id(target)] + node.mass * p
    assert sum((node.mass for node in chain if node.outcome is not None), ZERO) == ONE


def test_a_state_names_its_place_and_the_values_of_its_variables() -> None:
    chain = dipc.load("output o in {0, 1}\nx <- Lap(eps, 0)\ny <- 2*x - 1\no <- disc(y, 0, 1)").chain()
    assert [*map(str, chain)] == ["0: ", "1: x=s0", "2: y=2*s0 + -1", "3: o=0", "3: o=1"]


def law_of(chain: Chain) -> dict[object, Quotient]:
    law: dict[object, Quotient] = defaultdict(lambda: ZERO)
    for node in chain:
        if node.outcome is not None:
            law[node.outcome] = law[node.outcome] + node.mass
    return dict(law)


@pytest.mark.parametrize("path", FINITE, ids=lambda path: path.stem)
def test_shipped_programs(path: Path) -> None:
    mechanism = dipc.load(path)
    program = parse(Source(path.name, path.read_text()))
    inputs = oracles.all_inputs(program)
    u = {name: oracles.to_dipc(value) for name, value in inputs[len(inputs) // 2].items()}
    chain = mechanism.chain(**u)
    assert_consistent(chain)
    assert sorted(map(str, law_of(chain).values())) == sorted(map(str, mechanism.distribution(**u).values()))


@fixed(25)
@given(programs())
def test_random_programs(text: str) -> None:
    check(text)


@fixed(15)
@given(discrete_programs())
def test_random_programs_with_integer_noise(text: str) -> None:
    check(text)


def check(text: str) -> None:
    inputs = oracles.all_inputs(parse(Source("random.dip", text)))[-1]
    u = {name: oracles.to_dipc(value) for name, value in inputs.items()}
    try:
        assert_consistent(dipc.load(text).chain(**u))
    except Unsupported:
        assume(False)
