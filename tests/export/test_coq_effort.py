"""What is computed before a file is written, against balls of flint, and against Coq itself."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from coq_tools import accepted
from eps_functions import number, random_functions, value
from flint import ctx

from dipc.errors import Unsupported
from dipc.export.coq.bounds import exp_high, exp_low, low_at, terms_needed
from dipc.export.coq.constants import bound
from dipc.export.coq.effort import Effort
from dipc.export.coq.terms import function, listed, rational
from dipc.kernel.facts import Function, Interval

ZERO = Fraction(0)
POINTS = [Fraction(i, 12) for i in (1, 2, 4, 7, 12, 17, 25, 40, 80)]


def test_bounds_of_exp() -> None:
    random = Random(1)
    for _ in range(400):
        x, n = Fraction(random.randint(-40, 40), random.randint(1, 15)), random.randint(1, 20)
        low, high = exp_low(n, x), exp_high(n, x)
        with ctx.workprec(300):
            assert not number(low) > number(x).exp(), (x, n)
            assert high is None or not number(high) < number(x).exp(), (x, n)
    assert exp_low(8, Fraction(1)) > Fraction(27182818, 10**7) and exp_low(1, ZERO) == exp_high(1, ZERO) == 1


@pytest.mark.parametrize(
    "x", [Fraction(-50), Fraction(-1, 1000), Fraction(1, 3), Fraction(1, 2), Fraction(200)]
)
def test_more_terms_bound_exp_as_closely_as_one_likes(x: Fraction) -> None:
    low, high = exp_low(64, x), exp_high(64, x)
    assert high is not None and 0 < high - low < high / 2**100


def test_lower_bounds_at_points() -> None:
    enough = 0
    for f, x in random_functions(2, 400):
        for n in (1, 2, 5, 12):
            bound = low_at(n, f, x)
            assert bound is None or not number(bound) > value(f, x)
        enough += bound is not None and number(bound) > value(f, x) - number(Fraction(1, 1000))
    assert enough > 300


def test_the_terms_that_are_needed_decide_the_sign() -> None:
    signs = {True: 0, False: 0}
    for f, x in random_functions(3, 400):
        exact = value(f, x)
        try:
            bound = low_at(terms_needed(f, x, strict=True), f, x)
            assert bound is not None and bound > 0 and exact > 0
            signs[True] += 1
        except Unsupported:
            assert not exact > number(Fraction(1, 10**6))
            signs[False] += 1
    assert min(signs.values()) > 100


def chains(low: Fraction) -> Effort:
    """Chains of derivatives only, from a point on."""
    return Effort(Interval(low, None, True, False), pieces=False)


def test_what_a_chain_proves_is_true() -> None:
    counts = {"everywhere": 0, "from": 0, "not": 0}
    for f, low in random_functions(4, 600):
        everywhere, from_low = chains(ZERO).proves(f), chains(low).proves(f)
        assert from_low or not everywhere
        counts["everywhere" if everywhere else "from" if from_low else "not"] += 1
        for x in POINTS:
            if everywhere or (from_low and x >= low):
                assert not value(f, x) < 0, (f, low, x)
                assert value(f, x) > 0 or not chains(low).proves(f, strict=True)
    assert min(counts.values()) > 30, counts


def test_a_delta_with_constants_is_between_two_numbers() -> None:
    random = Random(6)
    for _ in range(100):
        f = {
            (0, Fraction(random.randint(-60, 8), 4), ZERO, ZERO): Fraction(random.randint(-9, 9), 4)
            for _ in "ab"
        }
        f = {key: c for key, c in f.items() if c}
        exact = value(f, Fraction(1))
        if exact > 0:
            low, high = bound(f, above=False)[0], bound(f, above=True)[0]
            assert 0 < number(low) < exact < number(high) or f.keys() == {(0, ZERO, ZERO, ZERO)}
            assert number(high) < exact * (1 + number(Fraction(1, 2**29)))


def mirrored(f: Function, x: Fraction, n: int) -> str:
    """A statement that Coq computes what was computed here, in units of 1/2."""
    text = function(f, 2, 2)
    effort = chains(x)
    holds, bound = effort.proves(f), low_at(n, {key: 2 * c for key, c in f.items()}, x)
    strictly = chains(x)
    positive = strictly.proves(f, strict=True)
    everywhere = chains(ZERO).proves(f)
    shown = "None" if bound is None else f"(Some {rational(bound)})"
    known = f"{max(effort.terms, strictly.terms, 1)} {max(effort.fuel, strictly.fuel)}"
    flags = (str(flag).lower() for flag in (holds, positive, everywhere))
    return f"Case {text} {rational(x)} {n} {shown} {known} {' '.join(flags)}"


COQ = """From Coq Require Import ZArith QArith List Bool FMapPositive.
From Dipc Require Import Chain Bounds.
Import ListNotations.
Record case := Case {{ f : fn; x : Q; n : nat; bound : option Q; terms : nat; fuel : nat;
  from : bool; positive_from : bool; everywhere : bool }}.
Definition on (c : case) := Interval (x c) true None false.
Definition same_bound (a b : option Q) : bool :=
  match a, b with Some a, Some b => Qeq_bool a b | None, None => true | _, _ => false end.
Definition right (c : case) : bool :=
  let g := scaled 2 (f c) in
  same_bound (low_at (n c) g (x c * (1 # 2))) (bound c) &&
  eqb (nonnegative_on (Effort (terms c) (fuel c)) 2 (on c) g) (from c) &&
  eqb (positive_on (Effort (terms c) (fuel c)) 2 (on c) g) (positive_from c) &&
  eqb (nonneg (fuel c) g) (everywhere c).
Definition cases : list case := {}.
Goal forallb right cases = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
"""


@pytest.mark.export
def test_coq_computes_the_same(library: Path, tmp_path: Path) -> None:
    """The bounds are equal, and Coq proves exactly what is said to be proved, with that effort."""
    items = [mirrored(f, x, n) for n in (2, 8) for f, x in random_functions(5 + n, 60)]
    accepted(COQ.format(listed(items, ";\n  ")), library, tmp_path)
