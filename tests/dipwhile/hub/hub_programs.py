"""Random programs whose samples are compared with one common sample, and programs that almost are."""

from __future__ import annotations

import re
from random import Random

DOMAINS = ("{0, 1}", "{-1, 0, 1}", "{0, 1/2, 1}", "{0, 1, 3}", "0..2")
DISTANCES = ("linf 1", "linf 2", "l1 1", "l1 1/2", "l1 2", "hamming 1", "hamming 2", "all")
RATES = ("eps", "eps/2", "eps/3", "eps/4", "2*eps", "3*eps/2")
SHIFTS = ("{0}", "2*{0}", "{0} - 1/2", "{0}/3")
MEANS = (
    "{0}",
    "{0}",
    "{0}",
    "-{0}",
    "2*{0}",
    "{0} + 1/2",
    "abs({0} - 1)",
    "min({0}, 1/2)",
    "max({0}, 0) - {0}/2",
)


def mean(random: Random, cell: str) -> str:
    """A mean that depends on a cell."""
    return random.choice(MEANS).format(cell)


def heading(random: Random, cells: int, output: str) -> list[str]:
    """The declarations of a program."""
    return [
        f"input  q[{cells}] in {random.choice(DOMAINS)}",
        f"output {output}",
        f"adjacent {random.choice(DISTANCES)}",
        "private eps",
    ]


def thresholds(random: Random, most: int) -> list[str]:
    """Noisy answers compared with a noisy threshold, which may be drawn again; a cell may be its mean."""
    cells = random.randint(2, most)
    own = random.random() < 0.2
    hub = f"Lap({random.choice(RATES)}, {mean(random, 'q[1]') if own else random.choice(('0', '1', '-1/2'))})"
    again, stops, above = (
        random.random() < 0.4,
        random.random() < 0.5,
        random.choice(("r >= h", "r < h", "h - r > 1/2")),
    )
    tells = random.choice(("each", "each", "each", "count", "any"))
    output = {
        "each": f"o[{cells}] in {{0, 1}} = 0",
        "count": f"o in 0..{cells} = 0",
        "any": "o in {0, 1} = 0",
    }[tells]
    lines = [*heading(random, cells, output), "count <- 0", f"h <- {hub}"]
    rate = random.choice(RATES)
    for i in range(1 + own, cells + 1):
        rate = random.choice((rate, random.choice(RATES)))
        lines += [f"r <- Lap({rate}, {mean(random, f'q[{i}]')})", f"if {above} then"]
        if random.random() < 0.3:
            shifted = above.replace(
                "r", f"r + {random.choice(SHIFTS).format(f'q[{i}]')}" if above[0] == "r" else f"(r + q[{i}])"
            )
            lines[-2:] = [f"r <- Lap({rate}, 0)", f"if {shifted} then"]
        lines += ["count <- count + 1"]
        lines += {"each": [f"o[{i}] <- 1"], "count": ["o <- count"], "any": ["o <- 1"]}[tells]
        lines += [f"h <- {hub}"] * (again and not own) + ["exit"] * (
            stops and (not again or count_of(random))
        )
        lines += ["end"]
    return lines


def count_of(random: Random) -> bool:
    """A coin."""
    return random.random() < 0.5


def extremes(random: Random, most: int) -> list[str]:
    """Which of several noisy answers is the greatest or the least one."""
    cells = random.randint(2, most)
    word = random.choice(("argmax", "argmin"))
    same = random.choice(RATES) if count_of(random) else None
    lines = heading(random, cells, f"o in 1..{cells}")
    for i in range(1, cells + 1):
        lines.append(f"a[{i}] <- Lap({same or random.choice(RATES)}, {mean(random, f'q[{i}]')})")
    for i in range(1, cells + 1) if random.random() < 0.3 else ():
        lines += [f"a[{i}] <- a[{i}] + {random.choice(SHIFTS).format(f'q[{i}]')}"]
    return [*lines, f"o <- {word}(a)"]


def running(random: Random, most: int) -> list[str]:
    """The greatest so far, kept in a variable."""
    cells = random.randint(2, most)
    sign, rate = random.choice("<>"), random.choice(RATES)
    lines = [
        *heading(random, cells, f"o in 1..{cells}"),
        f"best <- Lap({rate}, {mean(random, 'q[1]')})",
        "o <- 1",
    ]
    for i in range(2, cells + 1):
        lines += [f"r <- Lap({random.choice(RATES)}, {mean(random, f'q[{i}]')})"]
        lines += [f"if r {sign} best then", f"o <- {i}", "best <- r", "end"]
    return lines


def ties(random: Random, most: int) -> list[str]:
    """The greatest or least so far, by its index; among equals each is as likely."""
    cells = random.randint(2, most)
    sign, rate = random.choice("<>"), random.choice(RATES)
    lines = heading(random, cells, f"o in 1..{cells}")
    for i in range(1, cells + 1):
        rate = random.choice((rate, rate, random.choice(RATES)))
        lines.append(f"a[{i}] <- Lap({rate}, {mean(random, f'q[{i}]')})")
    again = random.choice(
        ("tied <- tied + 1; swap <- flip(1/tied)", "swap <- flip(1/3)", "swap <- flip(exp(-eps))")
    )
    lines += ["best <- 1; tied <- 1", f"for i in 2..{cells} do"]
    lines += [f"if a[i] {sign} a[best] then best <- i; tied <- 1", "elif a[i] = a[best] then", again]
    return [*lines, "if swap then best <- i end", "end", "end", "o <- best"]


def rounded(random: Random, most: int) -> list[str]:
    """Noisy answers compared with constants, and perhaps with a noisy threshold, which may be, too."""
    cells = random.randint(1, most)
    own = random.random() < 0.3
    lines = [
        *heading(random, cells, f"o[{cells}] in {{0, 1, 2}} = 0"),
        f"h <- Lap({random.choice(RATES)}, 0)",
    ]
    lines += ["if h > 1 then o[1] <- 2; exit end"] * own
    for i in range(1, cells + 1):
        drawn = f"r <- Lap({random.choice(RATES)}, {mean(random, f'q[{i}]')})"
        again = drawn.replace("r <-", "s <-", 1)
        told = random.choice(
            (
                f"o[{i}] <- disc(r, 0, 1, 2)",
                f"if abs(r) <= 1 then o[{i}] <- 1 end",
                f"if r + q[{i}] > 1/2 then o[{i}] <- 1; exit end",
                f"if r > h then {again}; o[{i}] <- disc(s, 0, 1) end",
                f"if r > h then o[{i}] <- disc(r, 0, 1) end",
                f"if r < h then if r > 0 then o[{i}] <- 1 end elif r < 1 then o[{i}] <- 2 end",
                f"if r = 1 then o[{i}] <- 1 elif r > 1 then o[{i}] <- 2 end",
            )
        )
        lines += [drawn, told]
    return lines


def of_the_class(seed: int, most: int) -> str:
    """A program with at most so many cells whose runs are products of stars."""
    random = Random(seed)
    lines = random.choice((thresholds, thresholds, extremes, running, ties, rounded, rounded))(random, most)
    if random.random() < 0.3:
        lines = mixed(random, lines)
    text = "\n".join(lines)
    if random.random() < 0.4:
        return integers(text)
    constants = "h > 1" in text or "disc" in text or "abs(r)" in text or "r = 1" in text or "> 1/2" in text
    return one_sided(random, text) if random.random() < 0.3 and not constants else text


def integers(text: str) -> str:
    """The program with integer noise and integer means."""
    text = re.sub(r"(q\[\d+\])/[23]", r"\1", text.replace("{0, 1/2, 1}", "{0, 2}"))
    return text.replace("1/2", "1").replace("Lap(", "DLap(")


def mixed(random: Random, lines: list[str]) -> list[str]:
    """The program with a coin: which hub is drawn, or whether an output is replaced."""
    hub = next((line for line in lines if line.startswith("h <- ")), None)
    coin = f"coin <- flip({random.choice(('1/3', '1/2', 'exp(-eps)', '1/(1 + exp(eps))'))})"
    if hub is not None and "q" not in hub and random.random() < 0.7:
        at = lines.index(hub)
        other = f"h <- Lap({random.choice(RATES)}, {random.choice(('0', '1'))})"
        return [*lines[:at], coin, f"if coin then {hub} else {other} end", *lines[at + 1 :]]
    cell = "o[1]" if "o[" in lines[1] else "o"
    return [*lines, coin, f"if coin then {cell} <- 1 end"]


def one_sided(random: Random, text: str) -> str:
    """The program with one-sided noise in some places."""
    return re.sub(r"Lap\(", lambda _: random.choice(("Lap(", "LapPlus(")), text)


ALMOST = (
    ("o <- disc(r, 0, 1)", "published"),
    ("if r > 1/2 then o <- 1 end", "compared with a constant"),
    ("if r > h then o <- 1 end; if r > h + 1 then o <- 2 end", "compared twice"),
    ("if r > h then o <- 1 end; if r > g then o <- 2 end; if h > g then o <- 0 end", "a triangle"),
    ("if r > h then o <- 1 end; if h > g then o <- 2 end; if g > t then o <- 0 end", "a chain of four"),
    ("if r > h then o <- 1 end; if h > 0 then o <- 2 end", "a hub compared with a constant"),
    ("if q[1] > 0 then if r > h then o <- 1 end else if r > g then o <- 1 end end", "a cell in a branch"),
    ("if r > h + q[2] then o <- 1 end", "a cell beside the other sample"),
    ("if q[1] = 1 then if r > h then o <- 1 end end", "a cell in an equality"),
    ("x <- q[1]; if x = 1 then if r > h then o <- 1 end end", "a cell in an equality, by another name"),
    ("x <- q[1]; if (h > g) = (x != 0) then o <- 1 end", "a cell beside a comparison"),
    ("x <- q[2]; s <- Lap(eps, x + 1); if s > h then o <- 1 end", "a cell by another name"),
    ("v <- h + q[2]; if r > v then o <- 1 end", "a cell beside a sample, by another name"),
    ("v <- h + q[2]; if r > v then o <- 1 end; if g > h then o <- 2 end", "a sample with and without a cell"),
    ("v <- h + q[2]; if h > v then o <- 1 end", "a sample and itself"),
    ("if r + g > h then o <- 1 end", "three samples"),
    ("if 2*r > h then o <- 1 end", "a multiple of a sample"),
    ("s <- Lap((abs(q[1]) + 1)*eps, 0); if s > h then o <- 1 end", "a cell in a rate"),
    ("s <- Lap(eps, q[1] + q[2]); if s > h then o <- 1 end", "two cells in a mean"),
    ("s <- DLap(eps, 0); w <- DLap(eps, 1); if s > w then o <- 1 end", "integer noise"),
    ("b <- flip(1/3); if b then if r > h then o <- 1 end end", "a coin"),
    ("b <- flip((1 + q[1]^2)/12); if b then if r > h then o <- 1 end end", "a coin that reads a cell"),
    ("s <- DLap(eps, 0); w <- DLap(eps, q[1]); if s = w then o <- 1 end", "a tie"),
    ("s <- DLap(eps, 0); w <- DLap(eps, q[1]/5); if s = w then o <- 1 end", "a mean that is no integer"),
    ("if abs(r - h) > 1 then o <- 1 end", "a distance"),
    ("v[1] <- r; v[2] <- h; v[3] <- g; o <- 3 - argmax(v)", "an extreme in an expression"),
    ("v[1] <- r; v[2] <- h; x <- max(v); if x > g then o <- 1 end", "an extreme compared with another one"),
    ("v[1] <- r; v[2] <- h; if max(v) > g then o <- 1 end", "an extreme in a condition"),
    ("v[1] <- r; v[2] <- h; x <- max(v) - min(v); if x > g then o <- 1 end", "two extremes"),
    ("if r > h then o <- 1 end; if g < h then o <- o + 1 end", "an output that is read"),
    ("if r > h then o <- 1 end; if r > g then o <- 2 end", "the other sample is the hub"),
    ("if r > h then o <- 1 end; if t > g then o <- 2 end", "a cell in two stars"),
    ("if r > h then o <- 1 end; if t > h then o <- 2 end", "a cell in two spokes"),
    ("if r > h then o <- 1 end; if r > 0 then o <- 2 end", "a spoke compared with a constant"),
    ("if r > h then o <- 1 end; if r > 0 then if h > 0 then o <- 2 end end", "both compared with a constant"),
    ("s <- LapPlus(eps, q[1]); if s > 2 then o <- 1 end", "one-sided noise and a constant"),
    (
        "s <- LapPlus(eps, q[1]); if s > h then if h < 1 then o <- 1 end end",
        "one-sided noise below it",
    ),
    (
        "s <- DLap(eps, 0); w <- DLap(eps, 1); if s = 1 then if s > w then o <- 1 end end",
        "a sample that is 1",
    ),
    ("s <- DLap(eps, 0); if 2*s > 3 then o <- 1 end", "a multiple of a sample and a constant"),
    ("if r > 0 then if r < 1 then if r > h then o <- 1 end end end", "a sample within bounds"),
    ("if r > 0 then if r < h then if h < 1/2 then o <- 1 end end end", "samples between constants"),
    ("if r > 1 then if r < h then if h < 1 then o <- 1 end end end", "nothing is between the constants"),
    ("if r > 0 then if r < h then if r > g then o <- 1 end end end", "a hub within bounds"),
)
"""What is done with the samples h, g and r, and what is wrong with it."""


def almost(seed: int) -> str:
    """A program that almost is of the class: something is done with a sample that must not be."""
    random = Random(seed)
    text, _ = ALMOST[seed % len(ALMOST)]
    lines = [
        *heading(random, 2, "o in {0, 1, 2} = 0"),
        f"h <- Lap({random.choice(RATES)}, 0)",
        f"g <- Lap({random.choice(RATES)}, {mean(random, 'q[2]')})",
        f"r <- Lap({random.choice(RATES)}, {mean(random, 'q[1]')})",
        f"t <- Lap({random.choice(RATES)}, {mean(random, 'q[1]')})",
    ]
    return "\n".join([*lines, *text.split("; ")])
