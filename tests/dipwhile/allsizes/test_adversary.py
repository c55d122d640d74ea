"""Programs written to fool the proof for every size; the exact engine says what an instance of each needs.

Of some of them wrong proofs were once found.
"""

from __future__ import annotations

import pytest

from tests.dipwhile.allsizes.asking import needed, proved_t

HEAD = "param N = 2; private eps; "
# Each with a size at which more is needed than a wrong rewriting or shortcut would prove.
FOOLED = {
    "an output is read and then overwritten": (
        1,
        """input q[N] in {0, 1}; output out[N] in {0, 1} = 0, o[N] in {0, 1} = 0; adjacent linf 1
for i in 1..N do
  out[i] <- q[i]
  x <- out[i]
  out[i] <- 0
  o[i] <- x
end
""",
    ),
    "a cell of an output is read after another write": (
        2,
        """input q[N] in {0, 1}; output out[2] in {0, 1} = 0, o[N] in {0, 1} = 0; adjacent linf 1
for i in 1..N do
  out[1] <- q[i]
  out[i] <- 0
  x <- out[1]
  out[1] <- 0
  o[i] <- x
end
""",
    ),
    "a public array hides a private cell": (
        2,
        """input q[N] in {0, 1}; output o[N] in {0, 1} = 0; adjacent linf 1
x[1] <- q[1]
for i in 2..N do
  x[i] <- 0
  o[i] <- x[1]
end
""",
    ),
    "a loop without a round keeps the old value": (
        1,
        """input q[N] in {0, 1}; output o in 0..3 = 0; adjacent linf 1
best <- 0
w <- q[1]
for i in 2..N do
  r <- Lap(eps, q[i])
  if i = 2 or r > best then best <- r; w <- i end
end
o <- w
""",
    ),
    "a part of an array is drawn again": (
        1,
        """input q[N] in {0, 1}; output o in {0, 1} = 0; adjacent linf 1
x <- 1
for k in 1..2 do
  if k = 2 then x <- 0 end
  for j in k..N do noisy[j] <- Lap(eps, x*q[j]) end
end
o <- disc(max(noisy), 0, 1)
""",
    ),
    "a winner of an earlier round": (
        3,
        """input q[N] in {0, 1}; output out[N] in 0..3 = 0; adjacent linf 1
n <- 0
for i in 1..N do
  for j in 1..N do noisy[j] <- Lap(eps/2, q[j]) end
  if n = 0 then n <- 1; out[i] <- argmax(noisy)
  else out[i] <- argmax(noisy) end
end
""",
    ),
    "the constants where the array is used": (
        2,
        """input q[N] in {0, 1}; output o in 0..3 = 0; adjacent linf 1
for k in 1..1 do for i in 1..N do noisy[i] <- Lap(eps, k*q[i]) end end
for k in 0..0 do o <- argmax(noisy) end
""",
    ),
    "real inputs beside integer noise": (
        1,
        """input q[N] in {0, 1}, p in {0, 3/2}; output o in {0, 1} = 1, z in {0,1} = 0; adjacent linf 3/2
x <- DLap(eps, q[1])
y <- Lap(eps, p)
o <- disc(x, 0, 1)
z <- disc(y, 0, 1)
""",
    ),
    "multiples that are integers": (
        1,
        """input q[N] in {0, 1/2}; output o in {0, 1} = 1; adjacent hamming 1
x <- DLap(eps, 2*q[1])
o <- disc(x, 0, 1)
""",
    ),
    "a maximum in a score": (
        2,
        """input q[N] in {0, 1}; output o in 0..5 = 1; adjacent linf 1
o <- Exp(eps, v in 1..N, max(0, q[v]))
""",
    ),
    "a count in a score": (
        2,
        """input q[N] in {0, 1}; output o in 0..5 = 1; adjacent linf 1
o <- Exp(eps, v in 1..N, count(q[v] >= 1))
""",
    ),
    "a cell of constant index in a score": (
        2,
        """input q[N] in {0, 1}; output o in 0..5 = 1; adjacent l1 1
o <- Exp(eps, v in 1..N, v*q[1])
""",
    ),
    "a scalar in a score": (
        2,
        """input q[N] in {0, 1}, s in {0, 1}; output o in 0..5 = 1; adjacent l1 1
o <- Exp(eps, v in 1..N, v*s)
""",
    ),
    "an absolute value with an offset": (
        1,
        """input q[N] in {0, 1, 2}; output o in {0, 1} = 0
adjacent forall i in 1..N: abs(q'[i] - q[i] + 1) <= 1
x <- Lap(eps, q[1])
o <- disc(x, 0, 1)
""",
    ),
    "an absolute value against an input": (
        1,
        """input s in {0, 1, 2}, q[N] in {0}; output o in {0, 1} = 0
adjacent abs(s') <= s and (forall i in 1..N: q'[i] = q[i])
x <- Lap(eps, s)
o <- disc(x, 0, 1)
""",
    ),
    "bounds of single cells": (
        1,
        """input q[2] in {0, 1, 2}, p[N] in {0}; output o in {0, 1} = 0
adjacent abs(q'[1] - q[1]) <= 1 and abs(q'[2] - q[2]) <= 0 and (forall i in 1..N: p'[i] = p[i])
x <- Lap(eps, q[1])
o <- disc(x, 0, 1)
""",
    ),
    "bounds of the first cells only": (
        2,
        """param K = 1; input q[N] in {0, 1, 2}; output o[N] in {0, 1} = 0
adjacent forall i in 1..K: abs(q'[i] - q[i]) <= 0
for i in 1..N do
x <- Lap(eps, q[i])
o[i] <- disc(x, 0, 1)
end
""",
    ),
    "a running sum with the cell of its round": (
        2,
        """input q[N] in {0, 1}; output o[N] in {0, 1} = 0; adjacent linf 1
for i in 1..N do
  r <- Lap(eps, sum(j in 1..i: q[j] - q[i]))
  o[i] <- disc(r, 0, 1)
end
""",
    ),
    "a real input compared with integer noise": (
        1,
        """input q[N] in {0, 1/2, 1}; output o in {0, 1} = 0; adjacent linf 1
x <- DLap(eps, 0)
if x >= q[1] and x <= q[1] then o <- 1 end
""",
    ),
    "cells of which only one is known": (
        2,
        """input q[N] in {0, 1}; output o in 0..5 = 0; adjacent linf 1
for i in 2..N do
  x[i] <- 1/2
end
x[1] <- Lap(eps, q[1])
o <- argmax(x)
""",
    ),
    "a private index of an output": (
        2,
        """input a[N] in {1, 2}; output o[2] in 0..1 = 0; adjacent linf 1
k <- a[1]
o[k] <- 1
""",
    ),
    "a private index of an array": (
        2,
        """input a[N] in {1, 2}; output o[2] in 0..1 = 0; adjacent l1 1
x[1] <- 0
x[2] <- 0
k <- a[1]
x[k] <- 1
o[1] <- x[1]
""",
    ),
    "a private index that is read": (
        2,
        """input a[N] in {1, 2}; output o[2] in 0..1 = 0, z[N] in 0..1 = 0; adjacent linf 1
o[1] <- 0
o[2] <- 1
k <- a[1]
y <- o[k]
z[1] <- y
""",
    ),
    "a private end of a range": (
        2,
        """input a[N] in {1, 2}; output o in 0..9 = 0; adjacent linf 1
o <- Exp(eps, v in 1..a[1], v)
""",
    ),
    "a square in a score": (
        2,
        """input q[N] in {0, 2}; output o in 0..9 = 0; adjacent linf 2
o <- Exp(eps, v in 1..N, q[v]*q[v])
""",
    ),
    "a rounded difference in a score": (
        2,
        """input q[N] in {0, 2}, p[N] in {0, 2}; output o in 0..9 = 0; adjacent linf 2
o <- Exp(eps, v in 1..N, floor((q[v] - p[v])/2))
""",
    ),
    "a comparison that depends on earlier winners": (
        3,
        """input q[N] in {0, 1}; output o in 0..3 = 0; adjacent linf 1
best <- Lap(eps/2, 0); w <- 0; x <- 0
for i in 1..N do
  r <- Lap(eps/2, q[i])
  if r + x > best then best <- r + x; w <- i; x <- -3 end
end
o <- w
""",
    ),
    "the terms of a running sum change with the round": (
        2,
        """input q[N] in {0, 1}; output out in {0, 1, 2, 3} = 3, seen[N] in {0, 1} = 0; adjacent l1 1
for i in 1..N do
  if mod(i, 2) = 0 then
    r <- Lap(eps, sum(j in 1..i: q[i]))
    out <- disc(r, 0, 1)
    exit
  end
end
""",
    ),
    "a variable changes between an array of noise and its use in a later round": (
        2,
        """input q[N] in {0, 1}; output out in {0, 1, 2, 3} = 3, seen[N] in {0, 1} = 0; adjacent linf 1
for k in 1..2 do
  x <- 100 - 99*(k - 1)
  if k = 2 then out <- argmax(noisy) end
  for i in 1..N do noisy[i] <- Lap(eps/2, x*q[i]) end
end
""",
    ),
    "every cell of an array of noise reads all inputs": (
        3,
        """input q[N] in {0, 1}; output out in {0, 1, 2, 3} = 3, seen[N] in {0, 1} = 0; adjacent l1 1
for i in 1..N do noisy[i] <- Lap(eps, sum(q)) end
out <- disc(max(noisy), 0, 1)
""",
    ),
}


@pytest.mark.parametrize("name", FOOLED)
def test_no_instance_needs_more(name: str) -> None:
    size, text = FOOLED[name]
    t, least = proved_t(HEAD + text), needed(HEAD + text, size)
    assert t is None or (not least.infinite and least.low <= t)
    assert least.infinite or least.low > 0  # otherwise the comparison could not fail


def test_proofs_are_looked_for() -> None:
    """Without a trap, the program is proved."""
    text = "input q[N] in {0, 1}; output o in 0..3 = 0; adjacent linf 1\n"
    text += "for i in 1..N do noisy[i] <- Lap(eps/2, q[i]) end\no <- argmax(noisy)"
    assert proved_t(HEAD + text) == 1


TWO_PHASES = """input a[N] in {0, 1}, b[N] in {0, 1}; output o[N] in {0, 1} = 0, z[N] in {0,1} = 0
adjacent l1 1
n <- 0
for i in 1..N do
  if n = 0 then
    x <- Lap(eps, a[i])
    o[i] <- disc(x, 0, 1)
    n <- 1
  else
    for j in 1..N do
      r <- Lap(eps, b[j])
      z[j] <- disc(r, 0, 1)
    end
    n <- 0
  end
end
"""


def test_a_loop_that_is_entered_again_reads_its_cells_again() -> None:
    """Every other round reads all of b: what that costs adds up (the engine would need N = 4)."""
    assert proved_t(HEAD + TWO_PHASES) is None
