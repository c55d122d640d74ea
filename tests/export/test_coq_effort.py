"""What is computed before a file is written, against balls of flint, and against Coq itself."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from coq_tools import coq_library, coqc
from flint import arb, ctx

from dipc.errors import Unsupported
from dipc.export.coq.constants import bound
from dipc.export.coq.effort import Effort, exp_low, low_at, terms_needed
from dipc.export.coq.terms import function, listed, rational
from dipc.kernel.facts import Function

ZERO = Fraction(0)
POINTS = [Fraction(i, 12) for i in (1, 2, 4, 7, 12, 17, 25, 40, 80)]


def number(x: Fraction) -> arb:
    return arb(x.numerator) / x.denominator


def value(f: Function, x: Fraction) -> arb:
    """f(x) in a ball."""
    with ctx.workprec(300):
        parts = (number(c) * number(x) ** n * (number(a) * number(x)).exp() for (n, a, _, _), c in f.items())
        return sum(parts, arb(0))


def random_functions(seed: int, count: int) -> list[tuple[Function, Fraction]]:
    """Functions with a point; half of them are made 0 or nearly so at 0."""
    random = Random(seed)
    found: list[tuple[Function, Fraction]] = []
    while len(found) < count:
        keys = {(random.choice((0, 0, 0, 1, 2)), Fraction(random.randint(-4, 4), 2)) for _ in range(4)}
        f = {(n, a, ZERO, ZERO): Fraction(random.choice((-3, -2, -1, 1, 2, 5)), 2) for n, a in keys}
        if random.random() < 0.5:
            constant = (0, Fraction(random.randint(-3, 3)), ZERO, ZERO)
            f[constant] = f.get(constant, ZERO) - sum(c for (n, *_), c in f.items() if n == 0)
            f[constant] += random.choice((0, 0, 1))
        if f := {key: c for key, c in f.items() if c}:
            found.append((f, Fraction(random.randint(1, 30), random.randint(5, 20))))
    return found


def test_lower_bounds_of_exp() -> None:
    random = Random(1)
    for _ in range(400):
        x, n = Fraction(random.randint(-40, 40), random.randint(1, 15)), random.randint(1, 20)
        with ctx.workprec(300):
            assert not number(exp_low(n, x)) > number(x).exp(), (x, n)
    assert exp_low(12, Fraction(1)) > Fraction(271828, 100000) and exp_low(1, ZERO) == 1


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


def test_what_a_chain_proves_is_true() -> None:
    counts = {"everywhere": 0, "from": 0, "not": 0}
    for f, low in random_functions(4, 600):
        everywhere, from_low = Effort(ZERO).proves(f), Effort(low).proves(f)
        assert from_low or not everywhere
        counts["everywhere" if everywhere else "from" if from_low else "not"] += 1
        for x in POINTS:
            if everywhere or (from_low and x >= low):
                assert not value(f, x) < 0, (f, low, x)
                assert value(f, x) > 0 or not Effort(low).proves(f, strict=True)
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
    effort = Effort(x)
    holds, bound = effort.proves(f), low_at(n, {key: 2 * c for key, c in f.items()}, x)
    strictly = Effort(x)
    positive = strictly.proves(f, strict=True)
    everywhere = Effort(ZERO).proves(f)
    shown = "None" if bound is None else f"(Some {rational(bound)})"
    known = f"(Effort {max(effort.terms, strictly.terms, 1)} {max(effort.fuel, strictly.fuel)})"
    flags = (str(flag).lower() for flag in (holds, positive, everywhere))
    return f"Case {text} {rational(x)} {n} {shown} {known} {' '.join(flags)}"


COQ = """From Coq Require Import ZArith QArith List Bool FMapPositive.
From Dipc Require Import Chain Bounds Privacy.
Import ListNotations.
Record case := Case {{ f : fn; x : Q; n : nat; bound : option Q; e : effort;
  from : bool; positive_from : bool; everywhere : bool }}.
Definition empty : model := Model 2 (PositiveMap.empty _) (PositiveMap.empty _) [] [] Everything.
Definition on (c : case) := Interval (x c) true None false.
Definition same_bound (a b : option Q) : bool :=
  match a, b with Some a, Some b => Qeq_bool a b | None, None => true | _, _ => false end.
Definition right (c : case) : bool :=
  let g := scaled 2 (f c) in
  same_bound (low_at (n c) g (x c * (1 # 2))) (bound c) &&
  eqb (nonnegative_on empty (on c) (e c) g) (from c) &&
  eqb (positive_on empty (on c) (e c) g) (positive_from c) &&
  eqb (nonneg (fuel (e c)) g) (everywhere c).
Definition cases : list case := {}.
Goal forallb right cases = true.
Proof. vm_compute. reflexivity. Qed.
"""


@pytest.mark.export
def test_coq_computes_the_same(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    """The bounds are equal, and Coq proves exactly what is said to be proved, with that effort."""
    library = coq_library(tmp_path_factory)
    items = [mirrored(f, x, n) for n in (2, 8) for f, x in random_functions(5 + n, 60)]
    file = tmp_path / "mirror.v"
    file.write_text(COQ.format(listed(items, ";\n  ")), encoding="utf-8")
    found = coqc(file, "-R", str(library), "Dipc")
    assert found.returncode == 0, found.stderr[-500:]
