"""Law: what dipc says a program outputs is what the oracle says, as an identity of functions of eps.

``DIPC_LAW_EXAMPLES=1000 pytest tests/laws`` draws that many fresh programs instead of the fixed few.
"""

from __future__ import annotations

from collections import Counter

import oracles
import pytest
from campaigns import drawn, many
from hypothesis import given, note
from strategies import discrete_programs, looping_programs, programs

import dipc
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import Source, Unsupported

INPUTS = 3
DECIDED = 0.8


PROGRAMS = {
    "real": (programs(), 40, 0.8),
    "integer": (discrete_programs(), 20, 0.9),
    "loops": (looping_programs(), 25, 1.0),
}
"""Random programs, how many of them, and the share that must be decided."""


@pytest.mark.parametrize("kind", PROGRAMS)
def test_distributions_are_those_of_the_oracle(kind: str) -> None:
    """For every outcome the two quotients are equal after cross-multiplication; most programs are decided."""
    source, examples, decided = PROGRAMS[kind]
    tally: Counter[str] = Counter()

    @drawn(many(examples // 2, campaign=examples))
    @given(source)
    def law(text: str) -> None:
        note(text)
        program = parse(Source("random.dip", text))
        try:
            mechanism = dipc.load(text)
            for inputs in oracles.all_inputs(program)[:INPUTS]:
                found = oracles.dipc_distribution(mechanism, inputs)
                wanted = oracles.oracle_distribution(program, inputs)
                wrong = oracles.different(found, wanted)
                assert not wrong, f"input {inputs}: {[(o, found.get(o), wanted.get(o)) for o in wrong]}"
        except Unsupported:
            tally["unsupported"] += 1
        else:
            tally["decided"] += 1

    law()
    assert tally["decided"] >= decided * tally.total(), tally
