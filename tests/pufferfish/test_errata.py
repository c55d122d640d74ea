"""What docs/errata.md says about *Verifying Pufferfish Privacy in Hidden Markov Models*, by computation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from pathlib import Path

import pytest
from pufferfish.brute_force import Matrices
from pufferfish.parametric_examples import (
    example6,
    noisy_argmax,
)
from sympy import Poly, Rational, Symbol, together
from sympy.abc import p

from dipc.clock import Clock
from dipc.errors import Source
from dipc.pufferfish.pipeline import check
from dipc.pufferfish.question import Question
from dipc.pufferfish.reading import Replaced, read_question

ROOT = Path(__file__).parent.parent.parent / "programs" / "hidden_markov"
GEOMETRIC = ((4, 1, 1), (2, 2, 2), (1, 1, 4))


@cache
def shipped(name: str, **asked: str) -> Question:
    path = ROOT / f"{name}.hmm"
    return read_question(Source(path.name, path.read_text(encoding="utf-8")), asked=Replaced(**asked))


def read(text: str) -> Question:
    return read_question(Source("text.hmm", text))


# --- 1. Conditioning -----------------------------------------------------------------------------


def records(chance: Fraction | Symbol) -> dict[tuple[int, int], object]:
    """The probabilities of the records (John, the other one)."""
    return {(a, b): prod(chance if x else 1 - chance for x in (a, b)) for a, b in product((0, 1), repeat=2)}


def given(event: Callable[[int, int], bool]) -> list[object]:
    """The law of the count, given an event."""
    kept = {pair: weight for pair, weight in records(p).items() if event(*pair)}
    total = sum(kept.values())
    return [together(sum(w for pair, w in kept.items() if sum(pair) == n) / total) for n in range(3)]


def observed(law: list[object]) -> list[object]:
    return [sum(w * Rational(GEOMETRIC[n][o], 6) for n, w in enumerate(law)) for o in range(3)]


def equal(left: list[object], right: list[object]) -> bool:
    return all((x - y).simplify() == 0 for x, y in zip(left, right, strict=True))


def test_the_paper_conditions_on_the_count_and_not_on_the_record_of_john() -> None:
    at_least_one = given(lambda john, other: john + other > 0)
    assert equal(at_least_one, [0 * p, (2 - 2 * p) / (2 - p), p / (2 - p)])  # as printed
    sick = given(lambda john, other: john == 1)
    assert equal(sick, [0 * p, 1 - p, p])
    printed = [(4 - 3 * p) / (12 - 6 * p), (4 - 3 * p) / (12 - 6 * p), 2 / (6 - 3 * p)]
    assert equal(observed(at_least_one), printed)  # Table 1
    assert equal(observed(sick), [(2 - p) / 6, (2 - p) / 6, (1 + p) / 3])


# --- 2. Example 6 --------------------------------------------------------------------------------


def weights(factor: int) -> dict[tuple[int, ...], object]:
    """The weights of the counts of diseases 2 to 5; a count of 1 has this factor, once for each."""
    chances = [p, *(Rational(k, 10) for k in (3, 4, 5))]
    return {
        counts: prod(
            q**n * (1 - q) ** (2 - n) * (factor if n == 1 else 1)
            for q, n in zip(chances, counts, strict=True)
        )
        for counts in product(range(3), repeat=4)
    }


def test_the_weight_of_21110_lacks_a_factor_for_each_count_of_one() -> None:
    assert sum(weights(2).values()).expand() == 1
    assert sum(weights(1).values()).expand() != 1
    assert weights(2)[1, 1, 1, 0] == 8 * weights(1)[1, 1, 1, 0]


def test_example_6_is_violated_for_every_p2() -> None:
    """P(1 | sick) - 2 P(1 | healthy) has no root in [0, 1] and is positive there."""
    assert check(example6(), Clock()).status == "violated"

    def first(count: int) -> object:
        laws = {counts: noisy_argmax([count, *counts])[0] for counts in weights(2)}
        return sum(w * Rational(int(laws[c].p), int(laws[c].q)) for c, w in weights(2).items())

    excess = Poly((first(2) - 2 * first(0)).expand(), p)
    assert excess.eval(Rational(1, 2)) == Rational(155016529, 1036800000)
    assert excess.count_roots(0, 1) == 0


# --- 3. Definition 2, and < or <= ----------------------------------------------------------------


IMPOSSIBLE = """
observe a, b; state s emits a next stop; state t emits b next stop
prior only_s {s: 1}; prior only_t {t: 1}; secret S {s}; secret T {t}
compare S -> T; private ln(2)
"""


def test_a_pair_with_an_impossible_secret_is_not_compared() -> None:
    """P(T) = 0 under the first prior: P(w | T) is not defined there, although P(S) is not 0."""
    found = check(read(IMPOSSIBLE), Clock())
    assert found.status == "private" and found.pairs == 0 and found.notes
    both = check(read(IMPOSSIBLE + "prior both {s: 1/2, t: 1/2}"), Clock())
    assert both.status == "violated" and both.counterexample.prior == "both"


# --- 4. Witnesses --------------------------------------------------------------------------------


WITNESS = ["blank", "ask(0, 1)", "bot", *["ask(1, 2)", "bot"] * 3, "ask(2, 1)", "top"]
"""As Table 2 prints it."""


def quotients(word: list[str]) -> list[Fraction]:
    """The quotient of a word for each threshold."""
    model = shipped("above").model
    laws = Matrices(model)

    def of(s: int, t: int) -> Fraction:
        return laws.probability(laws.vector([(model.states.index(f"init({s}, {t})"), 1)]), word)

    return [of(1, t) / of(2, t) for t in range(3)]


def test_the_witness_of_above_threshold_has_quotient_20() -> None:
    assert quotients(WITNESS) == [20, 20, 20]


# --- 5. The big-O problem ------------------------------------------------------------------------

REDUCTION = """
observe a, yes, no
state q(i) for i in 0..1 emits a next {{{row}, end(i): 1/2}}
state end(i) for i in 0..1 emits {{yes: 1/3 + 2*i/3, no: 2/3 - 2*i/3}} next stop
state u emits a next {{u: 1/2, v: 1/2}}
state v emits {{yes: 1/2, no: 1/2}} next stop
start automaton {{q(0): 1/2, q(1): 1/2}}
compare automaton, u
horizon {horizon}
private ln(3/2)
"""
"""A hidden Markov model of a probabilistic automaton with the letter a; q(1) is accepting."""


@pytest.mark.parametrize(
    ("row", "expected"),
    [("q(0): 1/4, q(1): 1/4", "private"), ("q(0): (i = 0)/4, q(1): 1/4 + (i = 1)/4", "violated")],
)
def test_private_if_and_only_if_no_word_is_accepted_with_more_than_one_half(row: str, expected: str) -> None:
    """The first automaton accepts every word with 1/2, the second one a^n with 1 - 2^-n."""
    asked = read(REDUCTION.format(row=row, horizon=6))
    found = check(asked, Clock())
    assert found.status == expected
    assert check(replace(asked, horizon=None), Clock()).status == expected
    if expected == "violated":
        shown = found.counterexample
        assert shown.sequence == ("a", "a", "no")  # (1 - h)/(1/2) = 1/3, as g = 3/4 and h = 1/3 + 2/3*g
        assert shown.secret == "u" and shown.probability == 3 * shown.other_probability
