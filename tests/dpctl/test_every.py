"""``forall k in N: D[e, d](X^k f)``, against words and steps that are tried one by one, with fractions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest
from campaigns import many
from dpctl.test_words import asked, privacy
from flint import fmpq
from processes import random_mdp
from rationals import fraction

from dipc.dpctl.formula import EachNext, Proposition
from dipc.dpctl.model import MDP, MarkovChain, load_model
from dipc.dpctl.page import report_model_html
from dipc.errors import InputError, Unsupported
from dipc.models.chain import MarkovChain as Chain
from dipc.models.chain import Mdp

CHAINS = Path(__file__).parents[2] / "programs" / "chains"
EACH_A = EachNext(Proposition("a"))
Distribution = dict[int, Fraction]


def step(mdp: Mdp[fmpq], here: Distribution, action: int) -> Distribution:
    """The distribution after one more action."""
    found: Counter[int] = Counter()
    for s, weight in here.items():
        for t, p in mdp.rows[s][action]:
            found[t] += weight * fraction(p)  # type: ignore[assignment]
    return dict(found)  # type: ignore[arg-type]


def in_a(mdp: Mdp[fmpq], here: Distribution) -> Fraction:
    return sum((p for s, p in here.items() if s in mdp.labels["a"]), Fraction(0))


def after(mdp: Mdp[fmpq], s: int, word: tuple[int, ...]) -> Fraction:
    """The probability of the label a after a word."""
    here = {s: Fraction(1)}
    for action in word:
        here = step(mdp, here, action)
    return in_a(mdp, here)


def cyclic(random: Random, mdp: Mdp[fmpq]) -> Mdp[fmpq]:
    """The process with some cycles of certain steps: limits that depend on the residue of k."""
    size, one = len(mdp.names), fmpq(1)
    rows = [((((s + 1) % size, one),),) if random.random() < 0.7 else mdp.rows[s] for s in range(size)]
    return replace(mdp, rows=tuple(rows))  # type: ignore[arg-type]


@pytest.mark.parametrize("first", range(0, many(50, 2000), 50))
def test_chains_against_their_steps(first: int) -> None:
    """The least k that breaks D; undecided only near a tie of limits."""
    statuses: Counter[str] = Counter()
    for seed in range(first, first + 50):
        random = Random(seed)
        mdp = random_mdp(random, random.randint(2, 5), 1)
        mdp = cyclic(random, mdp) if random.random() < 0.4 else mdp
        mdp = replace(mdp, neighbours=((0, 1),), start=(0,))
        factor, delta = random.choice([Fraction(1), Fraction(2)]), Fraction(random.randint(0, 3), 8)
        chain = Chain(mdp.names, mdp.labels, mdp.neighbours, mdp.start, tuple(rows[0] for rows in mdp.rows))
        verdict = asked(chain, privacy(EACH_A, factor, delta))  # type: ignore[arg-type]
        left, right, rooms = {0: Fraction(1)}, {1: Fraction(1)}, []
        for _ in range(80):
            p, q = in_a(mdp, left), in_a(mdp, right)
            rooms.append(min(factor * q + delta - p, factor * p + delta - q))
            left, right = step(mdp, left, 0), step(mdp, right, 0)
        statuses[verdict.status] += 1
        broken = [k for k, room in enumerate(rooms) if room < 0]
        if broken:
            assert verdict.status == "fails" and verdict.witness is not None
            k, witness = broken[0], verdict.witness
            assert witness.subformula.endswith("(a)" if k == 0 else "(X a)" if k == 1 else f"(X^{k} a)")
            assert fraction(witness.excess) == -rooms[k]
        else:
            assert verdict.status != "fails"
            assert verdict.status == "holds" or min(rooms[-12:]) < Fraction(1, 10**6)
    assert min(statuses["holds"], statuses["fails"]) >= 10


@pytest.mark.parametrize("first", range(0, many(30, 1200), 30))
def test_processes_against_all_short_words(first: int) -> None:
    statuses: Counter[str] = Counter()
    for seed in range(first, first + 30):
        random = Random(seed)
        mdp = random_mdp(random, random.randint(2, 4), 2)
        mdp = replace(mdp, neighbours=((0, 1),), start=(0,))
        factor, delta = random.choice([Fraction(1), Fraction(2)]), Fraction(random.randint(0, 5), 8)
        verdict = asked(mdp, privacy(EACH_A, factor, delta), depth=5)
        statuses[verdict.status] += 1
        for length in range(6):
            words = list(product(range(2), repeat=length))
            pairs = [(after(mdp, 0, word), after(mdp, 1, word)) for word in words]
            if bad := [word for word, (p, q) in zip(words, pairs, strict=True)
                       if p > factor * q + delta or q > factor * p + delta]:  # fmt: skip
                assert verdict.witness is not None and len(verdict.witness.prefix) == length
                assert tuple(map(mdp.actions.index, verdict.witness.prefix)) in bad
                break
        else:
            assert verdict.status != "fails" or len(verdict.witness.prefix) > 5  # type: ignore[union-attr]
            if (factor, delta) == (1, 0):
                assert verdict.status == "holds"
    assert min(statuses["holds"], statuses["fails"]) >= 5


def test_above_threshold_for_every_length() -> None:
    """Section 8.1 claims this for all k; Proposition 2 alone would need infinitely many of them."""
    model = load_model(CHAINS / "above_threshold.dpm")
    assert model.check("forall k in N: D[1, 0.74](X^k top)").status == "holds"
    near = model.with_neighbours("t3r5 ~ u3r4")
    assert near.check("forall k in N: D[0, 0.17](X^k top) from t3r5").status == "holds"
    assert near.check("forall k in N: D[0, 1/20](X^k top) from t3r5").status == "fails"


def test_limits_that_depend_on_the_residue() -> None:
    """From d a and b take turns, from c each has probability 1/2: ties in both limits are closed."""
    rows = {"a": {"b": "1"}, "b": {"a": "1"}, "c": {"a": "1/2", "b": "1/2"}, "d": {"b": "1"}}
    model = MarkovChain(rows, neighbours=[("c", "d")])
    assert model.check("forall k in N: D[0, 1/2](X^k a) from c").status == "holds"  # a tie in both limits
    assert model.check("forall k in N: D[0, 49/100](X^k a) from c").status == "fails"
    assert model.check("forall k in N: D[ln 2, 0](X^k a) from c").status == "fails"


def test_every_residue_counts() -> None:
    """On a cycle of length 4, only k = 3 modulo 4 shows that one side is a step ahead."""
    rows = {
        "a": {"b": "1"},
        "b": {"c": "1"},
        "c": {"d": "1"},
        "d": {"a": "1"},
        "s": {"b": "1"},
        "t": {"c": "1"},
    }
    witness = MarkovChain(rows, neighbours=[("s", "t")]).check("forall k in N: D[0, 1/2](X^k a)").witness
    assert witness is not None and (witness.state, witness.subformula) == ("t", "D[0, 1/2](X^3 a)")


def test_a_tie_of_limits_is_undecided_unless_a_measure_is_signed() -> None:
    """Both probabilities tend to 0, at the same rate: three to one for ever; with a third state, open."""
    rows = {"s": {"m": "3/4", "end": "1/4"}, "t": {"m": "1/4", "end": "3/4"}, "m": {"m": "1/2", "end": "1/2"},
            "end": {"end": "1"}}  # fmt: skip
    model = MarkovChain(rows, neighbours=[("s", "t")])
    assert model.check("forall k in N: D[ln 3, 0](X^k m)").status == "holds"
    assert model.check("forall k in N: D[ln 2, 0](X^k m)").status == "fails"
    rows["t"], rows["n"] = {"n": "1/4", "end": "3/4"}, {"n": "1/2", "end": "1/2"}
    other = MarkovChain(rows, labels={"g": ["m", "n"]}, neighbours=[("s", "t")])
    assert other.check("forall k in N: D[ln 3, 0](X^k g)").status == "undecided"
    assert other.check("forall k in N: D[0, 1/2](X^k g)").status == "holds"


def test_a_page_has_no_curve_of_all_numbers_of_steps() -> None:
    model = MarkovChain({"s": {"t": "1"}, "t": {"t": "1"}}, neighbours=[("s", "t")])
    assert "forall k in N" in report_model_html(model, "forall k in N: D[0, 1](X^k s)")


def test_what_is_refused() -> None:
    model = MDP({("s", "x"): "s", ("t", "x"): "t"}, neighbours=[("s", "t")])
    for text in (
        "!D[0, 0](X^k s)",
        "D[0, 0](X^k F s)",
        "D[0, 0](F<=k s)",
        "P>=1 (X^k s)",
        "D[0, 0](F X^k s)",
    ):
        with pytest.raises(InputError):
            model.check(f"forall k in N: {text}")
    with pytest.raises(InputError, match="domain"):
        model.check("forall k, l in N: D[0, 0](X^k s)")
    with pytest.raises(Unsupported, match="for all k"):
        model.check("forall k in N: D[eps, 0](X^k s)")
    assert model.check("forall k in N: D[eps, 1](X^k s)", at=1).status == "holds"
