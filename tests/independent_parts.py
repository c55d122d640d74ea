"""Random programs with independent parts, and programs that almost have them."""

from __future__ import annotations

import random

DOMAINS = ("0, 1", "0, 1/2, 1", "-1, 0, 1", "0, 2")
ADJACENT = (
    *("hamming 1", "hamming 1", "l1 1", "l1 1", "l1 1/2", "l1 3/2"),
    *("l1 2", "hamming 2", "linf 1", "linf 1/2", "all"),
)
CLAIMS = (
    *("0", "1/2*eps", "eps", "eps", "2*eps", "eps + ln(2)"),
    *("eps, 1/10", "1/2*eps, 1/20", "range eps", "renyi 2, eps"),
)
RANGES = ("", "", " for eps in (0, 1]", " for eps in [1, 2]")
NOISE = ("Lap(eps, {x})", "Lap(eps/2, min({x}, 1/2))", "Lap(2*eps, 2*{x})")

PARTS = (
    "r{t} <- {n}; {o} <- disc(r{t}, 0, 1)",
    "r{t} <- {n}; if r{t} < 1/2 then {o} <- 0 else {o} <- 1 end",
    "i{t} <- DLap(eps, {x} + {x}); {o} <- min(max(i{t}, 0), 1)",
    "b{t} <- flip(exp(eps)/(1+exp(eps))); if b{t} = ({x} > 0) then {o} <- 0 else {o} <- 1 end",
    "{o} <- choose {{0: 1/2, 1: 1/2}}",
    "if {x} > 0 then {o} <- 1 else {o} <- 0 end",
    "b{t} <- flip(eps); if b{t} then {o} <- 1 else {o} <- 0 end",
    "c{t} <- 0; while c{t} = 0 do c{t} <- choose {{0: 1/2, 1: 1/4, 2: 1/4}} end;"
    " if c{t} + {x} > 3/2 then {o} <- 1 else {o} <- 0 end",
    "r{t} <- {n}; s{t} <- Lap(eps, 0); if r{t} < s{t} then {o} <- 0 else {o} <- 1 end",
    "if {x} > 0 then b{t} <- flip(1/(1+exp(eps))) else b{t} <- flip(1/2) end;"
    " if b{t} then {o} <- 1 else {o} <- 0 end",
    "{o} <- Exp(eps/2, v in {{0, 1}}, v*{x})",
)
ALMOST = (
    "if {a} > 0 then {x} <- 0 end",
    "if {x} = 0 then {y} <- 1 end",
    "{y} <- {x}",
    "if sum(q) > 1 then {y} <- 1 end",
    "if {x} = 1 then exit end",
    "o[{i} + 0*{x}] <- 1",
    "if {a} > 0 then w <- Lap(eps, {b}) else w <- 2 end; if w > 1 then {y} <- 1 else {y} <- 0 end",
    "{y} <- 1",
    "h <- Lap(eps, 0); if h < {a} then {x} <- 1 end; if h < 0 then {y} <- 1 end",
    "k <- choose {{{i}: 1/2, {j}: 1/2}}; if q[k] > 0 then {x} <- 1 end",
    "z <- 1; if {a} > 0 then z <- 2 end; if z > 1 then {x} <- 1 end",
    "z <- {x} + {y}",
    "if {a} <= 0 then z <- 1 end; if {a} < 0 then {x} <- z end",
    "z <- 3*{a}; if z > 2 then {x} <- 0 end",
    "m[1] <- {a}; m[2] <- {b}; if m[{i}] > 0 then {x} <- 1 end",
    "m[1] <- 0; m[2] <- {b}; l <- choose {{1: 1/2, 2: 1/2}}; if m[l] > 0 then {y} <- 1 end",
)


def random_program(seed: int, almost: bool) -> str:
    """A program with a part for each input cell; ``almost``: and a line that may join two of them."""
    r = random.Random(seed)
    n = r.choice([2, 2, 2, 3])
    domain = r.choice(DOMAINS if n == 2 else DOMAINS[:1])
    cells, outputs = ([f"{name}[{i}]" for i in range(1, n + 1)] for name in "qo")
    declared = [f"input q[{n}] in {{{domain}}}", f"output o[{n}] in {{0, 1}}{r.choice(['', ' = 0'])}"]
    if n == 2 and r.random() < 0.4:
        cells.append("s")
        outputs.append("p")
        declared += [f"input s in {{{r.choice(DOMAINS[:2])}}}", "output p in {0, 1} = 0"]
        r.shuffle(declared)
    r.shuffle(cells)
    shared = r.random() < 0.5  # names of local variables
    blocks = []
    for k, (x, o) in enumerate(zip(cells, outputs, strict=True)):
        part = r.choice(PARTS[:2] if r.random() < 0.4 else PARTS)
        text = part.format(n=r.choice(NOISE).format(x=x), x=x, o=o, t="" if shared else k)
        blocks.append(text.split("; "))
    lines = []
    while blocks:
        block = blocks[0] if shared else r.choice(blocks)  # one after the other, or interleaved
        lines.append(block.pop(0))
        blocks = [each for each in blocks if each]
    if almost:
        (a, b), (x, y), (i, j) = r.sample(cells, 2), r.sample(outputs, 2), r.sample(range(1, n + 1), 2)
        at = r.choice([len(lines), r.randrange(len(lines) + 1)])
        lines[at:at] = r.choice(ALMOST).format(a=a, b=b, x=x, y=y, i=i, j=j).split("; ")
    where = " for eps in (0, 1]" if any("flip(eps)" in line for line in lines) else r.choice(RANGES)
    return "\n".join(
        [*declared, f"adjacent {r.choice(ADJACENT)}", f"private {r.choice(CLAIMS)}{where}", *lines]
    )
