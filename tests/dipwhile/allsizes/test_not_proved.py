"""Programs that violate their claims at some size, of which wrong proofs were once found.

Each has to stay without a proof, and the exact engine has to confirm the violation: the test cannot pass
because the program is harmless.
"""

from __future__ import annotations

import pytest
from flint import fmpq
from patience import PATIENCE

from dipc.clock import Clock, Limits
from dipc.dipwhile.allsizes.build import build
from dipc.dipwhile.allsizes.front import front, symbolic
from dipc.dipwhile.allsizes.strategies import Solved, strategies
from dipc.dipwhile.mechanisms import Mechanism
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import InputError, LimitReached, Source
from dipc.signs.eps_range import EpsRange

HEAD = """param N = 2, M = 1
input q[N] in {0, 1}
output out in {0, 1, 2, 3} = 3, seen[N] in {0, 1} = 0
adjacent linf 1
private eps
"""
WRONG = {
    "the terms of a running sum change with the round": HEAD.replace("linf", "l1")
    + """for i in 1..N do
  if mod(i, 2) = 0 then
    r <- Lap(eps, sum(j in 1..i: q[i]))
    out <- disc(r, 0, 1)
    exit
  end
end""",
    "a variable changes between an array of noise and its use in a later round": HEAD
    + """for k in 1..2 do
  x <- 100 - 99*(k - 1)
  if k = 2 then out <- argmax(noisy) end
  for i in 1..N do noisy[i] <- Lap(eps/2, x*q[i]) end
end""",
    "the number of the round changes between an array of noise and its use": HEAD
    + """for k in 1..2 do
  if k = 2 then out <- argmax(noisy) end
  for i in 1..N do noisy[i] <- Lap(eps/2, (100 - 99*(k - 1))*q[i]) end
end""",
    "an output is read before another value is published": HEAD
    + """for i in 1..N do
  seen[i] <- q[i]
  x <- seen[i]
  seen[i] <- 0
  out <- x
end""",
    "an output may be overwritten, is read, and is overwritten": HEAD
    + """for i in 1..N do
  seen[1] <- q[1]
  seen[i] <- 0
  x <- seen[1]
  seen[1] <- 0
  out <- x
end""",
    "a loop that keeps the best value has no round": HEAD.replace("N = 2", "N = 1")
    + """best <- q[1]
w <- 1
for i in 2..N do
  r <- Lap(eps/2, q[i])
  if i = 2 or r > best then best <- r; w <- 2 end
end
if w = 1 then out <- disc(best, 0, 1, 3) end""",
    "every cell of an array of noise reads all inputs": HEAD.replace("linf", "l1")
    .replace("N = 2", "N = 3")
    .replace("private eps", "private 2*eps")
    + "for i in 1..N do noisy[i] <- Lap(eps, sum(q)) end\nout <- disc(max(noisy), 0, 1)",
    "the adjacency bounds some cells only": HEAD.replace(
        "linf 1", "forall i in 1..M: abs(q'[i] - q[i]) <= 1"
    ).replace("{0, 1}", "{0, 10}", 1)
    + "x <- Lap(eps, q[2])\nout <- disc(x, 0, 1)\nseen[1] <- 0",
    "the declared inputs are no integers": HEAD.replace("linf 1", "linf 1/2").replace("{0, 1}", "{0, 1/2}", 1)
    + "x <- DLap(2*eps, 2*q[1])\nout <- disc(x, 0, 1)",
}


def proved(text: str) -> fmpq | None:
    source = Source("wrong.dip", text)
    asked = front(parse(source), source)
    names = symbolic(asked.program, asked.sizes, {})
    try:
        found = build(
            asked.program, source, dict(asked.constants), names, EpsRange.positive(), Clock(Limits(PATIENCE))
        )
    except (InputError, LimitReached):
        return None
    solved = strategies(found, None, Clock(Limits(PATIENCE)))
    return solved.t if isinstance(solved, Solved) else None


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_a_violated_claim_is_not_proved(text: str) -> None:
    assert Mechanism.load(text).check().status == "violated"
    t = proved(text)
    assert t is None or t > (2 if "2*eps\nfor" in text else 1)


def test_proofs_are_looked_for() -> None:
    """Without the trap, the program is proved."""
    assert proved(HEAD + "for i in 1..N do noisy[i] <- Lap(eps/2, q[i]) end\nout <- argmax(noisy)") == 1
