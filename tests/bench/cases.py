"""What is measured: the tables of the DiPC paper with its times, and the sizes beyond them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import dipc

PROGRAMS = Path(__file__).parent.parent.parent / "programs"


def forget() -> None:
    """Empty the caches of results, so that a second run is no faster than the first.

    The parser's table stays: it is built once in a process, whatever is checked.
    """
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "dipc" and name != "dipc.dipwhile.syntax.parser":
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@dataclass(frozen=True)
class Case:
    """One check. ``paper`` is the paper's time in seconds, T1 + T2; None if it has none."""

    name: str
    program: str
    paper: int | None = None
    claim: str | None = None
    n: int = 3
    c: int | None = None
    at: str | None = None
    pair: tuple[int, int] | None = None  # all queries are the first value, against the second
    sequence: str = "-1, 0, 1"  # for disc

    def run(self) -> dipc.Verdict:
        """From text to verdict, with nothing kept from earlier runs."""
        forget()
        text = (PROGRAMS / f"{self.program}.dip").read_text(encoding="utf-8")
        if self.sequence != "-1, 0, 1":
            text = re.sub(r"disc\((.*?), -1, 0, 1\)", rf"disc(\1, {self.sequence})", text)
            text = text.replace("{bot, -1, 0, 1}", f"{{bot, {self.sequence}}}")
        parameters = {"N": self.n} | ({} if self.c is None else {"c": self.c})
        pair = None if self.pair is None else tuple({"q": (value,) * self.n} for value in self.pair)
        return dipc.load(text, **parameters).check(self.claim, at=self.at, pair=pair)


TABLE_1 = [
    Case("SVT1", "svt/svt1", 825),
    Case("SVT2", "svt/svt2", 768),
    Case("SVT3, rate eps/(4c) (as in the paper's tables)", "svt/svt3_quarter", 3816),
    Case("SVT3, rate eps/(2c) (as printed)", "svt/svt3"),
    Case("SVT4", "svt/svt4", 269),
    Case("SVT5", "svt/svt5", 2),
    Case("SVT6", "svt/svt6", 661),
    Case("NMax1", "noisy_max/nmax1", 197),
    Case("NMax2", "noisy_max/nmax2", 59),
    Case("NMax3", "noisy_max/nmax3", 310),
    Case("NMax4", "noisy_max/nmax4", 59),
    Case("Hist1", "histogram/hist1", 1450),
    Case("Hist2", "histogram/hist2", 55),
    Case("Rand1", "randomized_response/rand1", 0),
    Case("Rand2", "randomized_response/rand2", 0),
]

TABLE_2 = [
    Case(f"N = {n}, c = {c}, eps = {at}", "svt/svt1", paper, n=n, c=c, at=at)
    for n, c, at, paper in (
        (1, 1, "1", 7),
        (1, 1, "1/2", 8),
        (2, 1, "1", 43),
        (2, 1, "1/2", 46),
        (2, 2, "1", 95),
        (2, 2, "1/2", 113),
        (3, 1, "1", 307),
        (3, 1, "1/2", 265),
        (3, 2, "1", 541),
        (3, 2, "1/2", 572),
        (4, 1, "1", 1772),
        (4, 1, "1/2", 1832),
        (4, 2, "1", 2905),
        (4, 2, "1/2", 3296),
    )
]

TABLE_3 = [
    Case("SVT3, rate eps/(4c), seq 0 < 1", "svt/svt3_quarter", 5060, n=5, sequence="0, 1"),
    Case("SVT4", "svt/svt4", 81, n=2),
    Case("SVT5", "svt/svt5", 2, n=2),
    Case("SVT6", "svt/svt6", 661, n=3),
    Case("NMax3", "noisy_max/nmax3", 310, n=3),
    Case("NMax4", "noisy_max/nmax4", 2, n=1),
    Case("Rand2", "randomized_response/rand2", 0, n=1),
]

TABLE_4 = [
    Case(f"N = {n}, c = {c}", "svt/svt1", paper, n=n, c=c)
    for n, c, paper in (
        (1, 1, 16),
        (2, 1, 113),
        (2, 2, 155),
        (3, 1, 825),
        (3, 2, 1202),
        (4, 1, 4727),
        (4, 2, 6715),
    )
]

TABLE_5 = [
    Case(
        f"N = {n}, {'one pair' if pair else 'all pairs'}",
        "svt/svt3_quarter",
        paper,
        n=n,
        pair=pair,
        sequence="0, 1",
    )
    for n, one, general in ((1, 15, 25), (2, 40, 192), (3, 100, 1562), (4, 199, 10516), (5, 141, 5060))
    for pair, paper in (((0, 1), one), (None, general))
]

TABLE_6 = [
    Case(f"c = {c}, delta = {delta}", "svt/sparse", paper, f"eps/2, {delta}", c=c)
    for c, delta, paper in (
        (1, "0", 48),
        (1, "exp(-3)", 142),
        (1, "exp(-2.125)", 146),
        (1, "exp(-2)", 161),
        (2, "0", 72),
        (2, "exp(-3)", 187),
        (2, "exp(-2.5)", 182),
        (2, "exp(-2)", 288),
    )
]

BEYOND = [
    Case("SVT1, N = 5", "svt/svt1", n=5),
    Case("SVT1, N = 6 (117,649 pairs)", "svt/svt1", n=6),
    Case("SVT1, N = 8 (5,764,801 pairs)", "svt/svt1", n=8),
    Case("NMax1, N = 5", "noisy_max/nmax1", n=5),
    Case("Hist1, N = 4", "histogram/hist1", n=4),
    Case("SVT1, N = 40, one pair [0 ...] ~ [1 ...]", "svt/svt1", n=40, pair=(0, 1)),
    Case("SVT1, N = 3, 3/4*eps", "svt/svt1", claim="3/4*eps"),
    Case("SVT1, N = 3, 37/50*eps", "svt/svt1", claim="37/50*eps"),
    Case("SVT4, N = 3, 7/4*eps", "svt/svt4", claim="7/4*eps"),
    Case("SVT6, N = 3, 3/2*eps", "svt/svt6", claim="3/2*eps"),
    Case("SVT3, rate eps/(4c), N = 4, eps", "svt/svt3_quarter", n=4),
    Case("NMax1, N = 3, 99/100*eps", "noisy_max/nmax1", claim="99/100*eps"),
    Case("Sparse, c = 1, (eps/2, 31/240)", "svt/sparse", claim="eps/2, 31/240"),
    Case("Sparse, c = 1, (eps/2, 129/1000)", "svt/sparse", claim="eps/2, 129/1000"),
]

BUDGETS: list[tuple[str, str, dict[str, int]]] = [
    *((f"SVT1, N = {n}", "svt/svt1", {"N": n}) for n in (1, 2, 3, 4)),
    ("SVT2, N = 3", "svt/svt2", {"N": 3}),
    ("SVT3, rate eps/(4c), N = 3", "svt/svt3_quarter", {"N": 3}),
    ("SVT3, rate eps/(2c), N = 3", "svt/svt3", {"N": 3}),
    *((f"SVT4, N = {n}", "svt/svt4", {"N": n}) for n in (1, 2, 3)),
    ("SVT5, N = 3", "svt/svt5", {"N": 3}),
    *((f"SVT6, N = {n}", "svt/svt6", {"N": n}) for n in (1, 2, 3)),
    ("Sparse, N = 3", "svt/sparse", {"N": 3}),
    *((f"NMax{k}, N = 3", f"noisy_max/nmax{k}", {"N": 3}) for k in (1, 2, 3, 4)),
    ("Hist1, N = 3", "histogram/hist1", {"N": 3}),
    ("Hist2, N = 3", "histogram/hist2", {"N": 3}),
    ("Rand1, N = 3", "randomized_response/rand1", {"N": 3}),
]
"""Name, program, parameters: whose least budget is measured."""
