"""Random programs over arrays of any size: loops over the inputs, noise kept over rounds, sums, extrema."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

RATES = ("eps", "eps/2", "eps/3", "2*eps", "eps/4")
NOISE = (("Lap",), ("Lap",), ("Lap", "LapPlus"), ("DLap",))
ADJACENCIES = (
    "linf 1",
    "linf 1",
    "l1 1",
    "l1 2",
    "hamming 1",
    "hamming 2",
    "forall i in 1..N: 0 <= q'[i] - q[i] and q'[i] - q[i] <= 1",
)
HEAD = """param N = 2
input q[N] in {domain}
output out[N] in {{a, b, c}} = c, last in {{a, b, c, 0, 1}} = c, seen in 0..9 = 0
adjacent {adjacency}
private eps
"""


def program(seed: int) -> str:
    """A program; many are not valid."""
    random = Random(seed)
    head = HEAD.format(
        domain=random.choice(("{0, 1}", "{0, 1}", "{-1, 0, 1}")), adjacency=random.choice(ADJACENCIES)
    )
    writer = Writer(random, random.choice(NOISE))
    shape = random.random()
    body = writer.array() if shape < 0.15 else writer.streaming() if shape < 0.3 else writer.rounds()
    return head + "\n".join([*body, f"seen <- {random.choice(('0', 'n'))}"]) + "\n"


@dataclass
class Writer:
    """Writes parts of programs with these kinds of noise."""

    random: Random
    kinds: tuple[str, ...]

    def noise(self, mean: str) -> str:
        return f"{self.random.choice(self.kinds)}({self.random.choice(RATES)}, {mean})"

    def array(self) -> list[str]:
        """Noise for every cell, and an extremum."""
        choice = self.random.choice
        last = choice(
            (
                f"last <- disc({choice(('max', 'min'))}(noisy), 0, 1)",
                f"n <- {choice(('argmax', 'argmin'))}(noisy)",
            )
        )
        return ["n <- 0", "for i in 1..N do", f"  noisy[i] <- {self.noise('q[i]')}", "end", last]

    def streaming(self) -> list[str]:
        """The extremum of noisy cells, by a loop."""
        choice = self.random.choice
        condition = f"{choice(('', 'i = 1 or '))}r {choice(('>', '>=', '<'))} best"
        return [
            f"best <- {self.noise(choice(('0', 'q[1]')))}",
            "w <- 0",
            f"for i in {choice('12')}..N do",
            f"  r <- {self.noise('q[i]')}",
            f"  if {condition} then best <- r; w <- i end",
            "end",
            "n <- w",
        ]

    def rounds(self) -> list[str]:
        """A loop over the cells, sometimes two."""
        known = ["x"] if self.random.random() < 0.6 else []
        before = ["n <- 0", *(f"x <- {self.noise(self.random.choice('01'))}" for _ in known)]
        before += [f"{name} <- 0" for name in "xyz" if name not in known]
        loops = ["for i in 1..N do", *self.block(0, known, "out[i]"), "end"]
        if self.random.random() < 0.2:
            loops += ["for i in 1..N do", *self.block(1, ["x"], "last"), "end"]
        return before + loops

    def block(self, depth: int, known: list[str], output: str) -> list[str]:
        """Statements of a round; ``known`` are the variables that may be random."""
        random, known, lines = self.random, list(known), list[str]()
        for _ in range(random.randint(1, 3)):
            kind = random.random()
            name = random.choice("xyz")
            if kind < 0.45:
                lines.append(f"{name} <- {self.noise(self.mean(known))}")
                known = sorted({*known, name})
            elif kind < 0.55 and known:
                lines.append(f"{name} <- {random.choice(known)} + {random.choice(['1', 'q[i]', *known])}")
                known = sorted({*known, name})
            elif kind < 0.9 and depth < 2:
                lines += self.branch(depth, known, output)
            elif kind < 0.95 or not known:
                lines.append(random.choice((f"{output} <- {random.choice('ab')}", "n <- n + 1")))
            else:
                lines.append(f"n <- disc({random.choice(known)}, 0, 1)")
        return ["  " + line for line in lines]

    def branch(self, depth: int, known: list[str], output: str) -> list[str]:
        before, condition = self.condition(known)
        then = self.block(depth + 1, known, output)
        then += ["  exit"] if self.random.random() < 0.25 else []
        other = ["else", *self.block(depth + 1, known, output)] if self.random.random() < 0.6 else []
        return [*before, f"if {condition} then", *then, *other, "end"]

    def mean(self, known: list[str]) -> str:
        random = self.random
        means = ["q[i]", "q[i]", "0", "1", "q[i] + 1", "2*q[i]", "-q[i]"]
        means += 3 * known if random.random() < 0.25 else []
        means += ["sum(q)"] if random.random() < 0.15 else []
        means += ["sum(j in 1..i: q[j])"] if random.random() < 0.15 else []
        return random.choice(means)

    def condition(self, known: list[str]) -> tuple[list[str], str]:
        """A condition, and statements that it needs before it."""
        random = self.random
        if known and random.random() < 0.8:
            left, right = random.choice(known), random.choice([*known, "0", "1", "1"])
            equal = ("=", "!=") if self.kinds == ("DLap",) and random.random() < 0.5 else ()
            test = f"{left} {random.choice(('>', '>=', '<', '<=', *equal))} {right if right != left else '0'}"
            if random.random() < 0.15:
                test += f" {random.choice(('and', 'or'))} {random.choice(known)} > {random.choice('01')}"
            return [], test
        kind = random.random()
        if kind < 0.6:
            return [], f"n {random.choice(('=', '>', '<='))} {random.choice('012')}"
        if kind < 0.85:
            return [], random.choice(("i = 1", "i > 1", "mod(i, 2) = 0"))
        return (["f <- flip(1/3)"], "f") if kind < 0.97 else ([], "q[i] > 0")
