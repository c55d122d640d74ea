"""What is measured: the tables of the DiPC paper with its times, and the sizes beyond them."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import dipc
from dipc.papers import Row, rows_of, system


def forget() -> None:
    """Empty the caches of results, so that a second run is no faster than the first.

    The parser's table stays: it is built once in a process, whatever is checked.
    """
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "dipc" and name != "dipc.dipwhile.syntax.parser":
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def decided(case: Row) -> dipc.Verdict:
    """From text to verdict, with nothing kept from earlier runs."""
    forget()
    return system(case).check(case.claim or None, at=case.at, pair=case.inputs or None)


def seconds(case: Row) -> int | None:
    """The paper's time, T1 + T2."""
    return int(case.time.removesuffix(" s")) if case.time else None


def printed(place: str) -> list[Row]:
    """The rows of the paper with this place, as `dipc papers` asks them."""
    return [row for row in rows_of("dipc") if row.place.startswith(f"DiPC, {place}")]


def smallest(row: Row) -> Row:
    """The question for a counterexample at the least N that has one."""
    found = re.match(r"N = (\d+)", row.paper)
    assert found
    return replace(row, what=row.what.split(":")[0], D={"N": int(found[1])}, claim="", at=None, inputs=())


def case(what: str, system: str, n: int = 3, claim: str = "", alike: bool = False) -> Row:
    """A question that the paper does not have; ``alike``: all queries are 0, or all are 1."""
    inputs = [{"q": (value,) * n} for value in (0, 1)] if alike else []
    return Row(
        place="", what=what, kind="verdict", paper="", system=system, D={"N": n}, claim=claim, inputs=inputs
    )


TABLE_1 = [*printed("Table 1"), *printed("section 7.1")[:1]]
"""With SVT3 as the paper's figure prints it."""
TABLE_2, TABLE_4, TABLE_5 = (printed(f"Table {n}") for n in (2, 4, 5))
TABLE_3 = [smallest(row) for row in printed("Table 3")]
TABLE_6 = [row for row in printed("Table 6") if row.time]

BEYOND = [
    case("SVT1, N = 5", "svt1", 5),
    case("SVT1, N = 6 (117,649 pairs)", "svt1", 6),
    case("SVT1, N = 8 (5,764,801 pairs)", "svt1", 8),
    case("NMax1, N = 5", "nmax1", 5),
    case("Hist1, N = 4", "hist1", 4),
    case("SVT1, N = 40, one pair [0 ...] ~ [1 ...]", "svt1", 40, alike=True),
    case("SVT1, N = 3, 3/4*eps", "svt1", claim="3/4*eps"),
    case("SVT1, N = 3, 37/50*eps", "svt1", claim="37/50*eps"),
    case("SVT4, N = 3, 7/4*eps", "svt4", claim="7/4*eps"),
    case("SVT6, N = 3, 3/2*eps", "svt6", claim="3/2*eps"),
    case("SVT3, rate eps/(4c), N = 4, eps", "svt3_quarter", 4),
    case("NMax1, N = 3, 99/100*eps", "nmax1", claim="99/100*eps"),
    case("Sparse, c = 1, (eps/2, 31/240)", "sparse", claim="eps/2, 31/240"),
    case("Sparse, c = 1, (eps/2, 129/1000)", "sparse", claim="eps/2, 129/1000"),
]

BUDGETS = [
    *(case(f"SVT1, N = {n}", "svt1", n) for n in (1, 2, 3, 4)),
    case("SVT2, N = 3", "svt2"),
    case("SVT3, rate eps/(4c), N = 3", "svt3_quarter"),
    case("SVT3, rate eps/(2c), N = 3", "svt3"),
    *(case(f"SVT4, N = {n}", "svt4", n) for n in (1, 2, 3)),
    case("SVT5, N = 3", "svt5"),
    *(case(f"SVT6, N = {n}", "svt6", n) for n in (1, 2, 3)),
    case("Sparse, N = 3", "sparse"),
    *(case(f"NMax{k}, N = 3", f"nmax{k}") for k in (1, 2, 3, 4)),
    case("Hist1, N = 3", "hist1"),
    case("Hist2, N = 3", "hist2"),
    case("Rand1, N = 3", "rand1"),
]
"""Whose least budget is measured."""
