"""Bernstein coefficients against their definition, values on grids, and sympy."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise, product
from math import comb, prod

import pytest
import sympy
from campaigns import some
from flint import fmpq, fmpq_mpoly

from dipc.numbers.parametric import Ring
from dipc.signs.boxes import Fails, Holds, Tree, Unclear, isolated_roots, nonnegative_on_box

GRID = [fmpq(i, 12) for i in range(13)]


def some_polynomial(rng: random.Random, names: str, degree: int) -> fmpq_mpoly:
    context = Ring(tuple(names)).of(1).numerator.context()
    powers = list(product(range(degree + 1), repeat=len(names)))
    chosen = rng.sample(powers, rng.randint(1, min(6, len(powers))))
    return context.from_dict({p: fmpq(rng.randint(-6, 6), rng.randint(1, 3)) for p in chosen})


def bernstein_by_definition(f: fmpq_mpoly, box: list[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """Coefficients on a box: substitute, expand, and sum binomial quotients."""
    expanded: dict[tuple[int, ...], Fraction] = {}
    for powers, c in f.to_dict().items():
        for lower in product(*(range(int(n) + 1) for n in powers)):
            value = Fraction(int(c.p), int(c.q))
            for (low, high), n, k in zip(box, powers, lower, strict=True):
                value *= comb(int(n), k) * low ** (int(n) - k) * (high - low) ** k
            expanded[lower] = expanded.get(lower, Fraction(0)) + value
    degrees = [max((p[i] for p in expanded), default=0) for i in range(len(box))]
    indices = product(*(range(d + 1) for d in degrees))
    return [
        sum(
            c * prod(Fraction(comb(i, k), comb(d, k)) for i, k, d in zip(index, lower, degrees, strict=True))
            for lower, c in expanded.items()
        )
        for index in indices
    ]


def assert_proves(tree: Tree, f: fmpq_mpoly, conditions: list[fmpq_mpoly]) -> None:
    """Walk the boxes of a proof and check every leaf by the definition."""
    pending = [[(Fraction(0), Fraction(1))] * f.context().nvars()]
    for label in tree.boxes:
        box = pending.pop()
        if label >= 0:
            low, high = box[label]
            middle = (low + high) / 2
            halves = [(low, middle), (middle, high)]
            pending += [[*box[:label], half, *box[label + 1 :]] for half in reversed(halves)]
        elif label == -1:
            assert min(bernstein_by_definition(f, box)) >= 0
        else:
            assert max(bernstein_by_definition(conditions[-2 - label], box)) < 0
    assert not pending


@pytest.mark.parametrize("seed", some(range(150), 25))
def test_answers_agree_with_a_grid_and_proofs_with_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    names = "pqr"[: rng.randint(1, 3)]
    f = some_polynomial(rng, names, 2)
    conditions = [some_polynomial(rng, names, 1) for _ in range(rng.choice((0, 0, 1, 2)))]
    grid = list(product(GRID if len(names) < 3 else GRID[::3], repeat=len(names)))
    inside = [u for u in grid if all(g(*u) >= 0 for g in conditions)]
    match nonnegative_on_box(f, conditions):
        case Holds(tree):
            assert all(f(*u) >= 0 for u in inside)
            assert tree is not None
            assert_proves(tree, f, conditions)
        case Fails(point):
            assert f(*point) < 0 and all(g(*point) >= 0 for g in conditions)
        case Unclear():
            assert all(f(*u) >= 0 for u in inside)


def test_most_random_polynomials_are_settled() -> None:
    answers = [nonnegative_on_box(some_polynomial(random.Random(seed), "pq", 3)) for seed in range(100)]
    assert sum(isinstance(answer, Unclear) for answer in answers) <= 5
    assert sum(isinstance(answer, Holds) for answer in answers) >= 10


@pytest.mark.parametrize("seed", some(range(60), 10))
def test_strict_answers(seed: int) -> None:
    """f > 0 on the class: with open ends, zeros on these do not count."""
    rng = random.Random(seed)
    f = some_polynomial(rng, "pq", 2)
    open_ends = [(rng.random() < 0.5, rng.random() < 0.5) for _ in range(2)]

    def belongs(u: tuple[fmpq, ...]) -> bool:
        both = zip(u, open_ends, strict=True)
        return not any((low and x == 0) or (high and x == 1) for x, (low, high) in both)

    grid = [u for u in product(GRID, repeat=2) if belongs(u)]
    match nonnegative_on_box(f, (), lambda u: u if belongs(u) else None, open_ends):
        case Holds():
            assert all(f(*u) > 0 for u in grid)
        case Fails(point):
            assert f(*point) <= 0 and belongs(point)


def test_a_zero_on_an_open_end_does_not_count() -> None:
    (p, q) = (g.numerator for g in Ring(("p", "q")).gens)
    assert isinstance(nonnegative_on_box(p + p * q, open_ends=[(True, False), (False, False)]), Holds)
    assert isinstance(nonnegative_on_box(p + p * q, open_ends=[(False, True), (True, True)]), Fails)


@pytest.mark.parametrize("seed", some(range(80), 13))
def test_roots_agree_with_sympy(seed: int) -> None:
    rng = random.Random(seed)
    f = some_polynomial(rng, "p", 7)
    if rng.random() < 0.5:
        p = Ring(("p",)).gens[0].numerator
        f = f * (rng.randint(1, 4) * p - rng.randint(0, 4)) * (p - fmpq(rng.randint(0, 8), 8))
    core = prod((g for g, _ in f.factor()[1]), start=Ring(("p",)).of(1).numerator) if f else f
    if not core or core.is_constant():
        return
    x = sympy.Symbol("x")
    expression = sum(sympy.Rational(int(c.p), int(c.q)) * x ** int(n) for (n,), c in core.to_dict().items())
    polynomial = sympy.Poly(expression, x)
    found = isolated_roots(core)
    assert len(found) == polynomial.count_roots(0, 1)
    for low, high in found:
        ends = [sympy.Rational(int(end.p), int(end.q)) for end in (low, high)]
        assert polynomial.count_roots(*ends) == 1
    assert all(a[1] <= b[0] for a, b in pairwise(found))


def test_too_many_coefficients_or_boxes_are_unclear(monkeypatch: pytest.MonkeyPatch) -> None:
    p, q = (g.numerator for g in Ring(("p", "q")).gens)
    assert isinstance(nonnegative_on_box(1 - p**600 * q**600), Unclear)
    monkeypatch.setattr("dipc.signs.boxes.Search.most", 4)
    assert isinstance(nonnegative_on_box((p - q) ** 2 + fmpq(1, 8)), Unclear)
