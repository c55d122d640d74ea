"""Proofs about runs that may fail, against exact laws: to fail is an outcome, with the outputs so far.

Statements that fail for some values are put into random programs.  For what is proved, the laws of all inputs
at N = 1, 2 are those of :mod:`reference`, which shares no code with dipc.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest
from agreement import world
from campaigns import many
from exact_integrals import NONE, NotCovered, exponential, sign
from flint import fmpq
from rationals import fraction
from reference import law_of

from dipc.dipwhile.allsizes.finite import program_at
from dipc.dipwhile.allsizes.question import question
from dipc.dipwhile.semantics.adjacency import InputSpace
from dipc.errors import InputError, Source
from tests.dipwhile.allsizes.asking import proved_t
from tests.dipwhile.allsizes.random_programs import program

FAILING = """
seen <- n + 9; last <- x; last <- q[1]; last <- n; out[1] <- a; out[n] <- a; out[n + 1] <- b
last <- q[1]; last <- q[1] + 1; seen <- q[1]; last <- disc(q[1], 0, 1)
n <- 1/(3 - n); n <- 1/n; y <- q[1 + n]; z <- DLap(eps, q[1]/2); z <- DLap(eps, n/2); f <- flip(n)
f <- flip((n + 1)/3); n <- mod(2, n); n <- n^(-1); if x >= 0 then out[n + 1] <- a end; seen <- n/2
if x >= 1 then seen <- n/(n - 1) end; if q[1] >= 1 then seen <- 1/n end; if x > 0 then u <- 1 end
last <- u; seen <- disc(x, 0, 12); for j in 1..3 do out[j] <- a end; n <- disc(x, 0, 1)
if y = x then seen <- 12 end; if x > 1 then exit end; for j in 2..N do y <- q[j - n] end; n <- argmax(q)
""".replace("\n", ";")
STATEMENTS = [s.strip() for s in FAILING.split(";") if s.strip()]


def failing(seed: int) -> str:
    """A random program with one to three of these statements."""
    random, lines = Random(seed), program(seed).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("private")) + 1
    for _ in range(random.randint(1, 3)):
        place = random.randint(first, len(lines) - 1)
        line = lines[place]
        indent = len(line) - len(line.lstrip()) + 2 * line.strip().startswith(("end", "else", "elif"))
        lines.insert(place, " " * indent + random.choice(STATEMENTS))
    return "\n".join(lines) + "\n"


def adjacent(text: str, u: Sequence[Fraction], v: Sequence[Fraction]) -> bool:
    """Whether two inputs are neighbours."""
    moves = [b - a for a, b in zip(u, v, strict=True)]
    match next(line for line in text.splitlines() if line.startswith("adjacent")).split()[1:]:
        case ["linf", d]:
            return max(map(abs, moves)) <= int(d)
        case ["l1", d]:
            return sum(map(abs, moves)) <= int(d)
        case ["hamming", k]:
            return sum(map(bool, moves)) <= int(k)
    return all(0 <= move <= 1 for move in moves) or all(-1 <= move <= 0 for move in moves)


def broken(text: str, t: fmpq, size: int, eps: fmpq) -> str:
    """Neighbours whose laws differ by more than exp(t*eps), and "failing" if a run fails; "" if neither."""
    values = [fmpq(0), fmpq(1), fmpq(2)] if "DLap" in text else [fmpq(0), fmpq(1, 2), fmpq(1)]
    of_cells = {} if "hamming" in text else {"q": values}  # some cells are outside the sets of outputs
    at = program_at(question(Source("a.dip", text), {}).checked(), {"N": size}, of_cells)
    space, factor = InputSpace(at), exponential(fraction(t * eps))
    inputs = [space.at(k) for k in range(space.size)]
    laws = {tuple(map(fraction, u.values())): law_of(world(at, eps), u) for u in inputs}
    for (u, left), (v, right) in permutations(laws.items(), 2):
        for outcome, p in left.items() if adjacent(text, u, v) else ():
            if sign(factor * right.get(outcome, NONE) - p) < 0:
                return f"{u} ~ {v}: {outcome}"
    return "failing" if any(kind == "failed" for law in laws.values() for kind, _ in law) else ""


@pytest.mark.parametrize("part", range(1, many(2, 60)))
def test_what_is_proved_holds_of_runs_that_fail(part: int) -> None:
    found = Counter[str]()
    for seed in range(30 * part, 30 * part + 30):
        text = failing(seed)
        if (t := proved_t(text, 5)) is None:
            continue
        for size, eps in ((1, fmpq(1)), (2, fmpq(4))):
            try:
                wrong = broken(text, t, size, eps)
            except (InputError, NotCovered):
                continue
            assert wrong in ("", "failing"), text
            found[wrong] += 1
    assert found["failing"]
