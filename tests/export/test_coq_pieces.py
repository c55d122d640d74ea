"""Claims that no chain of derivatives proves: pieces of the interval, in Coq."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from campaigns import many, some
from coq_tools import Case, accepted, alone, altered, hold, holds_alone, mechanism, refusals, written
from eps_functions import grid, number, random_functions, value
from export_tools import ROOT

from dipc.export.coq.terms import function, listed, rational
from dipc.kernel.facts import Function, Interval

ZERO = Fraction(0)
COIN = """input q in {{0, 1}}
output o in {{0, 1}}
adjacent all
private eps
o <- choose {{q: ({odds})/(1 + {odds}), (1 - q): 1/(1 + {odds})}}
"""
# The slack exp(eps) - odds is 0 at 0, with two derivatives; one of 1 + odds is negative there.
THRICE = COIN.format(odds="1 + eps + eps^2/2 - eps^3 + eps^4/4")
TWICE = COIN.format(odds="1 + eps + eps^4")

KARY: Case = ("randomized_response/kary.dip", {}, "eps/2, eps/4")
SHORT: Case = ("histogram/hist1.dip", {"N": 1}, "eps/2, 1/10 for eps in (0, 1/3]")
BETWEEN: Case = ("svt/svt1.dip", {"N": 2}, "eps/3, 1/4 for eps in (0, 1]")
LISTED: tuple[Case, ...] = (
    KARY,
    SHORT,
    BETWEEN,
    ("noisy_max/nmax1.dip", {"N": 2}, "eps/4, 3/10 for eps in (1/2, 1]"),
    ("exponential/exponential.dip", {}, "eps/3, 1/4 for eps in (0, 1)"),
    ("svt/sparse.dip", {"N": 1}, "eps/8, exp(-2) for eps in (0, 1/4]"),
    (TWICE, {}, "eps for eps in (0, 3/4]"),
)
PROGRAMS: tuple[Case, ...] = (
    KARY,
    ("real_bugs/mbi_65_fixed.dip", {}, "eps/3, 1/4 for eps in (0, 1]"),
    (THRICE, {}, None),
    (TWICE, {}, "eps for eps in (0, 3/4]"),
)


INTERVALS = (
    Interval(ZERO, None, False, False),
    Interval(Fraction(1, 3), None, True, False),
    Interval(ZERO, Fraction(1), False, True),
    Interval(Fraction(1, 2), Fraction(5, 2), True, False),
)


# --- in Coq ---------------------------------------------------------------------------------------------


@pytest.mark.export
def test_coq_accepts_the_theorems(library: Path, tmp_path: Path) -> None:
    """Those with listed distributions, and those about programs."""
    texts = [
        written(case, program) for program in (False, True) for case in some((LISTED, PROGRAMS)[program], 1)
    ]
    hold(texts, library, tmp_path)


@pytest.mark.export
def test_one_file_and_one_command_are_enough(library: Path, tmp_path: Path) -> None:
    """Nothing of dipc is in reach but the file, whatever it is called, and Coq has no warnings."""
    holds_alone(mechanism(KARY[0], None).export("coq", claim=KARY[2]), tmp_path / "List.v")


ALTERED = (
    ("a stronger claim", KARY, "listed (1 # 2)", "listed (2 # 5)"),
    ("less delta", KARY, "Some (Ratio [(0, [0; 1])]", "Some (Ratio [((-4), [0; 1])]"),
    ("too few halvings", KARY, "Search", "(First [Chains; Pieces 16 12 1])"),
    ("too few derivatives on a piece", KARY, "Search", "(First [Chains; Pieces 16 0 12])"),
    ("too rough bounds of exp", KARY, "Search", "(First [Chains; Pieces 1 12 12])"),
    ("no pieces", KARY, "Search", "Chains"),
    ("a longer interval", SHORT, r"\(Some \(1 # 3\)\)", "(Some (1 # 2))"),
    ("an interval without end", SHORT, r"\(Some \(1 # 3\)\)", "None"),
    ("too few halvings up to the end", BETWEEN, "Search", "(First [Chains; Pieces 16 12 2])"),
    ("a wrong sign", BETWEEN, "Plus", "Minus"),
)


@pytest.mark.export
def test_coq_refuses_every_altered_file(library: Path, tmp_path: Path) -> None:
    """The checker computes ``false``; all the rest is accepted, the statement as well."""
    assert f"in {len(ALTERED)} more those with pieces" in (ROOT / "docs/certificates.md").read_text(
        encoding="utf-8"
    )
    texts = [altered(name, alone(written(case))[0], *rest) for name, case, *rest in ALTERED]
    accepted(refusals(texts), library, tmp_path)


COQ = """From Coq Require Import ZArith QArith List Bool.
From Dipc Require Import Chain Bounds Pieces.
Import ListNotations.
Definition on (h : option Q) (l : Q) : interval := Interval l false h false.
Goal forallb (fun b => b) {} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
"""


def clear(f: Function, on: Interval) -> bool | None:
    """Whether f is more than 1/100 on a grid, or less than -1/100 at some point of it."""
    values = [value(f, x) for x in grid(on)]
    if any(y < number(Fraction(-1, 100)) for y in values):
        return False
    return True if all(y > number(Fraction(1, 100)) for y in values) else None


@pytest.mark.export
def test_coq_finds_what_is_clear(library: Path, tmp_path: Path) -> None:
    """Positive functions are proved on intervals with an end, and no others, in units of 1/2."""
    items, counts = [], {True: 0, False: 0}
    for i, (f, _) in enumerate(random_functions(14, many(14, campaign=160))):
        on, strict = INTERVALS[2 + i % 2], i % 3 == 0
        if (wanted := clear(f, on)) is not None:
            counts[wanted] += 1
            how = "positive_on" if strict else "nonnegative_on"
            text = f"({how} Search 2 (on (Some {rational(on.high or ZERO)}) {rational(on.low)})"
            items.append(f"eqb {text} (scaled 2 {function(f, 2, 2)})) {str(wanted).lower()}")
    assert min(counts.values()) > 4, counts
    accepted(COQ.format(listed(items, ";\n  ")), library, tmp_path)
