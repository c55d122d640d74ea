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


CHOSEN = [
    *(
        f"output o in {{true, false}}; x <- Lap(eps, 0); y <- {kind}({rate}, 0); o <- x - y > 1"
        for kind in ("Lap", "LapPlus")
        for rate in ("eps", "3*eps", "2*eps/3")
    ),
    "output o in {true, false}; x <- LapPlus(2*eps, 0); o <- x <= 0",
    """output o in {true, false}
    x <- LapPlus(eps, 0); y <- LapPlus(eps, 0); z <- LapPlus(eps, 0); o <- x + y + z >= 2""",
    """output o in {true, false}
    w <- Lap(eps, 0); x <- Lap(eps, 0); y <- Lap(eps, 0); z <- Lap(eps, 0)
    o <- w > x and x > y and y > z""",
    """output o in {true, false}
    x <- Lap(eps, 0); y <- Lap(eps, 0); z <- Lap(eps, 0)
    o <- abs(x - y) <= 1 and abs(y - z) <= 1 and abs(z - x) <= 1""",
    "output o in -1..2; x <- DLap(eps, 1); y <- DLap(eps/2, 0); o <- min(max(x - y, -1), 2)",
    """output o in {true, false}
    b <- flip(1/2)
    if b then o <- flip(1/(1 + exp(eps))) else o <- flip(1/(2 + exp(eps))) end""",
    """output o in {0, 1}
    o <- 0
    go <- true
    while go do
      done <- flip(1/2)
      if done then exit end
      go <- flip(1/2)
    end
    o <- 1""",
    "output o in {0, 1, 2}; o <- Exp(eps/2, v in {0, 1, 2}, v - 1)",
    "output o in {0, 1} = 0; x <- Lap(1/eps, 1); if x > 0 then o <- 1 end",
]
"""Noise of every kind, choices and a loop."""


@pytest.mark.parametrize("text", CHOSEN)
def test_chosen_programs(text: str) -> None:
    found = oracles.dipc_distribution(dipc.load(text), {})
    assert not oracles.different(found, oracles.oracle_distribution(parse(Source("test.dip", text)), {}))
