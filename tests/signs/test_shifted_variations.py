"""The quick bound on the roots of a large polynomial in exp(eps) against the derivative chain."""

from __future__ import annotations

import random

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly, Term
from dipc.signs.derivatives import chain_values, derivative_chain, variations, variations_from
from dipc.signs.roots import positive_roots


def polynomial(source: random.Random, size: int) -> ExpPoly:
    """A dense polynomial in exp(eps/2) with random small coefficients, none of them 0."""
    signs = [source.choice((-3, -1, 1, 2)) for _ in range(size)]
    return sum((ExpPoly.exp(fmpq(a, 2)) * c for a, c in enumerate(signs)), ExpPoly())


def test_it_is_the_variation_of_the_chain() -> None:
    source = random.Random(12)
    for _ in range(12):
        f = polynomial(source, source.randint(66, 80))
        assert variations_from(f, fmpq(0)) == variations(derivative_chain(f), fmpq(0))
        assert variations_from(f, fmpq(1, 3)) == variations(derivative_chain(f), fmpq(1, 3))


def test_the_only_root_is_found_where_the_sign_changes() -> None:
    source = random.Random(13)
    for _ in range(8):
        root, size = fmpq(source.randint(2, 9)), source.randint(66, 75)
        positive = sum((ExpPoly.exp(a) * source.randint(1, 5) for a in range(size)), ExpPoly())
        f = positive * (ExpPoly.exp(1) - root)
        (found,) = positive_roots(f, fmpq(0), None)
        assert f.sign_at(found.low) <= 0 <= f.sign_at(found.high) and found.high - found.low < fmpq(1, 100)
        assert not positive_roots(f, fmpq(0), found.low) and not positive_roots(f, found.high, None)


def test_without_a_change_there_is_no_root() -> None:
    positive = sum((ExpPoly.exp(a) for a in range(80)), ExpPoly())
    assert positive_roots(positive * (ExpPoly.exp(1) - 1), fmpq(0), None) == []


def test_against_the_chain_of_functions() -> None:
    """With gaps between the exponents, with powers of eps, and with fractions as exponents."""
    rng = random.Random(2)
    for case in range(60):
        powers = 3 * (case % 2)
        terms = [
            Term(fmpq(rng.randint(-9, 9), rng.randint(1, 3)), rng.randint(0, powers), fmpq(a, 7), fmpq(0))
            for a in rng.sample(range(10 ** (1 + case % 6) + 8), rng.randint(2, 8))
        ]
        f = ExpPoly.from_terms(terms)
        f = f - f.at(0)  # a root at 0
        if f:
            assert variations_from(f, fmpq(0)) == variations(derivative_chain(f), fmpq(0))
            values = [link.sign_at(fmpq(0)) for link in derivative_chain(f)]
            assert [(v > 0) - (v < 0) for _, v in chain_values(f)] == values
