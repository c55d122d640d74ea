"""Claims that no chain of derivatives proves: pieces of the interval, in Python, and in Coq."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random

import pytest
from campaigns import LEFT_OUT, many, some
from coq_tools import accepted, alone, altered, hold, holds_alone, refusals
from eps_functions import grid, number, random_functions, value
from export_tools import ROOT

from dipc.certificate.format import dumps
from dipc.certificate.produce import certificate
from dipc.errors import Unsupported
from dipc.export.coq.core import core_theorem
from dipc.export.coq.effort import Effort
from dipc.export.coq.pieces import Needed, levelled, low_between
from dipc.export.coq.terms import function, listed, rational
from dipc.export.coq.theorems import theorem
from dipc.kernel import privacy
from dipc.kernel.facts import Function, Interval
from dipc.mechanisms import Mechanism

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

Case = tuple[str, dict[str, int], str | None]
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


@cache
def mechanism(name: str, n: int | None) -> Mechanism:
    if "\n" in name:
        return Mechanism.load(name)
    return Mechanism.load(ROOT / "programs" / name, **({} if n is None else {"N": n}))


@cache
def checked(name: str, n: int | None, claim: str | None) -> privacy.Certificate:
    asked = mechanism(name, n)
    return privacy.check(dumps(certificate(asked.program, asked.check(claim))).encode())


def written(case: Case, about_program: bool = False, library: bool = False) -> str:
    name, parameters, claim = case
    n = parameters.get("N")
    if about_program:
        return core_theorem(mechanism(name, n).program, checked(name, n, claim), library)
    return theorem(checked(name, n, claim), library)


# --- in Python ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", LISTED, ids=str)
def test_chains_do_not_prove_them(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert re.search(r"Require Import .* Pieces", written(case))
    monkeypatch.setattr("dipc.export.coq.effort.needed", lambda *_: None)
    with pytest.raises(Unsupported, match="by a chain of derivatives or by pieces"):
        written(case)


def test_what_needs_no_pieces_does_not_include_them() -> None:
    for claim in (None, "eps/2, 1/2"):
        assert "Pieces" not in written(("svt/svt1.dip", {"N": 1}, claim), library=True)


INTERVALS = (
    Interval(ZERO, None, False, False),
    Interval(Fraction(1, 3), None, True, False),
    Interval(ZERO, Fraction(1), False, True),
    Interval(Fraction(1, 2), Fraction(5, 2), True, False),
)


def test_what_pieces_prove_is_true_and_nothing_clear_is_missed() -> None:
    counts = {"chain": 0, "pieces": 0, "not": 0}
    for i, (f, _) in enumerate(random_functions(11, many(300, campaign=900))):
        on, strict = INTERVALS[i % 4], i % 3 == 0
        effort = Effort(on)
        proved = effort.proves(f, strict)
        values = [value(f, x) for x in grid(on)]
        counts["not" if not proved else "chain" if effort.pieces is None else "pieces"] += 1
        if proved:
            assert not any(y <= 0 if strict else y < 0 for y in values), (f, on)
        elif on.high is not None:
            assert not all(y > number(Fraction(1, 100)) for y in values), (f, on)
    assert min(counts.values()) > 6, counts


def exponential(*rows: tuple[int, list[int]]) -> Function:
    """The sum of p(eps)*exp(a*eps) over (a, p)."""
    return {(n, Fraction(a), ZERO, ZERO): Fraction(c) for a, p in rows for n, c in enumerate(p) if c}


@pytest.mark.parametrize(
    ("f", "high", "proved"),
    [
        (exponential((0, [1, -2, 1]), (1, [1, -1])), Fraction(1), True),  # 0 at the upper end
        (exponential((0, [1, -2, 1]), (1, [1, -1])), Fraction(9, 8), False),
        (exponential((0, [-2, -2, -1, 2, -1]), (1, [2])), Fraction(2), True),  # 0 at 0, with two derivatives
        (exponential((0, [-2, -2, -1, -2]), (1, [2])), Fraction(2), False),
        (exponential((0, [1, -2, 1])), Fraction(2), True),  # 0 in the middle, where two pieces meet
        (exponential((0, [4, -12, 9])), Fraction(2), False),  # 0 at 2/3, where none do
    ],
)
def test_zeros(f: Function, high: Fraction, proved: bool) -> None:
    effort = Effort(Interval(ZERO, high, False, True))
    assert effort.proves(f) is proved and (effort.pieces is not None) is proved
    inside = not any(value(f, x).contains(0) for x in (high, Fraction(1)))
    assert effort.proves(f, strict=True) is (proved and inside)


def test_bounds_on_pieces() -> None:
    """Against values inside; on short pieces they are close."""
    random = Random(12)
    for f, a in random_functions(12, 200):
        b = a + Fraction(1, random.choice((1, 4, 1000)))
        bound = low_between(16, f, (a, b))
        least = min(value(f, a + (b - a) * i / 10).lower() for i in range(11))
        size = value({key: abs(c) for key, c in f.items()}, b)
        assert bound is not None and not number(bound) > least
        assert number(bound) > least - 20 * size * number(b - a), (f, a, b)


def test_rounding_does_not_matter_in_the_end() -> None:
    """All inequalities of a file are proved with the same numbers, whatever the order."""
    on, functions = INTERVALS[0], [f for f, _ in random_functions(13, 80)]
    for order in (functions, functions[::-1]):
        effort, other = Effort(on), Effort(on)
        proved = [(effort if i % 2 else other).proves(f) for i, f in enumerate(order)]
        effort.include(other)
        assert effort.pieces is not None and sum(proved) > 20
        known = Needed(effort.terms, effort.fuel, *effort.pieces)
        assert effort.bounded and all(known.proves(f, on, strict) for f, strict, _ in effort.bounded)


# --- in Coq ---------------------------------------------------------------------------------------------


@pytest.mark.export
def test_coq_accepts_the_theorems(library: Path, tmp_path: Path) -> None:
    """Those with listed distributions, and those about programs."""
    texts = [
        written(case, program) for program in (False, True) for case in some((LISTED, PROGRAMS)[program], 3)
    ]
    hold(texts, library, tmp_path)


@pytest.mark.export
@LEFT_OUT  # those of roots have the pieces too
def test_one_file_is_enough(library: Path, tmp_path: Path) -> None:
    holds_alone(mechanism(KARY[0], None).export("coq", claim=KARY[2]), tmp_path / "kary.v")


ALTERED = (
    ("a stronger claim", KARY, "listed (1 # 2)", "listed (2 # 5)"),
    ("less delta", KARY, "Some (Ratio [(0, [0; 1])]", "Some (Ratio [((-4), [0; 1])]"),
    ("where the chain begins", KARY, r"\(\d+ # 1\)\) (?=\d+ entries)", r"(1 # 4)) "),
    ("too few halvings", KARY, r"(Pieces \d+ \d+ \d+) \d+", r"\1 1"),
    ("too few derivatives on a piece", KARY, r"(Pieces \d+ \d+) \d+", r"\1 0"),
    ("too few derivatives in the chain", KARY, r"(Pieces \d+) \d+", r"\1 1"),
    ("too rough bounds of exp", KARY, r"Pieces \d+", "Pieces 1"),
    ("no pieces", KARY, r"\(Pieces (\d+ \d+) \d+ \d+ \(.*?\)\)", r"(Effort \1)"),
    ("a longer interval", SHORT, r"\(Some \(1 # 3\)\)", "(Some (1 # 2))"),
    ("an interval without end", SHORT, r"\(Some \(1 # 3\)\)", "None"),
    ("too few halvings up to the end", BETWEEN, r"(Pieces \d+ \d+ \d+) \d+", r"\1 2"),
    ("a wrong sign", BETWEEN, "Plus", "Minus"),
)


@pytest.mark.export
def test_coq_refuses_every_altered_file(library: Path, tmp_path: Path) -> None:
    """The checker computes ``false``; all the rest is accepted, the statement as well."""
    assert f"in {len(ALTERED)} more those with pieces" in (ROOT / "docs/coq.md").read_text(encoding="utf-8")
    texts = [altered(name, alone(written(case))[0], *rest) for name, case, *rest in ALTERED]
    accepted(refusals(texts), library, tmp_path)


COQ = """From Coq Require Import ZArith QArith List Bool.
From Dipc Require Import Chain Bounds Pieces.
Import ListNotations.
Definition same_bound (a b : option Q) : bool :=
  match a, b with Some a, Some b => Qeq_bool a b | None, None => true | _, _ => false end.
Goal forallb (fun b => b) {} = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
"""


def mirrored(f: Function, on: Interval, strict: bool, random: Random) -> tuple[bool, str]:
    """Whether it is proved with some numbers, and that Coq computes the same, in units of 1/2."""
    beyond = Fraction(random.randint(1, 12), random.randint(1, 3))
    known = Needed(
        random.choice((1, 2, 4, 8)), random.randint(2, 9), random.randint(0, 4), random.randint(0, 4), beyond
    )
    known = known._replace(fuel=known.fuel + 10)
    proved = known.proves(f, on, strict)
    high = "None" if on.high is None else f"(Some {rational(on.high)})"
    numbers = f"{known.terms} {known.fuel} {known.order} {known.depth} {rational(beyond)}"
    interval = f"(Interval {rational(on.low)} false {high} false)"
    text = f"(scaled 2 {function(f, 2, 2)})"
    check = f"eqb (by_pieces {numbers} {str(strict).lower()} 2 {interval} {text}) {str(proved).lower()}"
    a, b = sorted((beyond, beyond / 3))
    bound = low_between(known.terms, {key: 2 * c for key, c in levelled(f).items()}, (a, b))
    shown = "None" if bound is None else f"(Some {rational(bound)})"
    ends = f"(over_unit 2 {rational(a)}) (over_unit 2 {rational(b)})"
    return proved, f"({check} && same_bound (low_between {known.terms} {ends} (levelled {text})) {shown})"


@pytest.mark.export
def test_coq_computes_the_same(library: Path, tmp_path: Path) -> None:
    """Coq proves by pieces exactly what is said to be proved, with these numbers."""
    random, functions = Random(14), random_functions(14, many(60, campaign=160))
    items = [mirrored(f, INTERVALS[i % 4], i % 3 == 0, random) for i, (f, _) in enumerate(functions)]
    counts = [sum(proved is wanted for proved, _ in items) for wanted in (True, False)]
    assert min(counts) > 7, counts
    accepted(COQ.format(listed((text for _, text in items), ";\n  ")), library, tmp_path)
