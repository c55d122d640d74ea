"""D on decision processes, against all words times all paths, chains, and the examples of the paper."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest
from campaigns import some, spared
from dpctl.test_regions import inside
from flint import fmpq
from processes import by_word, fractions_of, horizon, random_mdp, random_path, until_in_chain, with_coins
from rationals import flint, fraction

from dipc.claims.exponent import Exponent
from dipc.clock import Clock
from dipc.dpctl.bounds import Bound
from dipc.dpctl.formula import Formula, Not, Privacy, Property, Proposition, Query, Truth, Until
from dipc.dpctl.model import MDP, load_model
from dipc.dpctl.pipeline import check, value
from dipc.dpctl.processes import Options
from dipc.dpctl.progression import progression
from dipc.dpctl.schedulers import Product, sign_of
from dipc.dpctl.verdict import ModelVerdict, Witness
from dipc.dpctl.words import Tree
from dipc.errors import Unsupported
from dipc.models.chain import MarkovChain as Chain
from dipc.models.chain import Mdp
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

ABOVE_THRESHOLD = Path(__file__).parents[2] / "programs" / "chains" / "above_threshold.dpm"
EVENTUALLY_A = Until(Truth(True), Proposition("a"))
FACTORS = (Fraction(1), Fraction(3, 2), Fraction(3))


def privacy(path: Formula, factor: Fraction, delta: Fraction) -> Privacy:
    """D[ln factor, delta](path)."""
    epsilon = Exponent(fmpq(0), fmpq(0), () if factor == 1 else ((flint(factor), fmpq(1)),))
    return Privacy(epsilon, Quotient.of(flint(delta)), path)


def asked(mdp: Mdp[fmpq], formula: Formula, **options: int) -> ModelVerdict:
    """The verdict at all states."""
    return check(mdp, Property(formula, ""), Clock(), Options(**options))  # type: ignore[arg-type]


def word_of(mdp: Mdp[fmpq], witness: Witness, length: int) -> list[int]:
    """The word of a witness, repeated or prolonged to a length."""
    rest = witness.cycle or (mdp.actions[0],)
    actions = [*witness.prefix, *(rest * length)][: max(length, len(witness.prefix))]
    return [mdp.actions.index(name) for name in actions]


@pytest.mark.parametrize("seed", some(range(80), 16))
def test_bounded_formulas_against_all_words(seed: int) -> None:
    random = Random(seed)
    mdp = random_mdp(random, 3, random.randint(1, 3))
    path = random_path(random, 2, bounded=True)
    factor, delta = random.choice(FACTORS), Fraction(random.randint(0, 4), 8)
    words = list(product(range(len(mdp.actions)), repeat=horizon(path)))
    table = {word: [by_word(mdp, path, s, word) for s in range(3)] for word in words}

    def broken(s: int) -> bool:
        return any(
            p[s] > factor * p[t] + delta or p[t] > factor * p[s] + delta
            for p in table.values()
            for t in range(3)
        )

    verdict = asked(mdp, privacy(path, factor, delta))
    assert verdict.at == {f"s{s}": "fails" if broken(s) else "holds" for s in range(3)}
    if (witness := verdict.witness) is not None:
        s, t = mdp.names.index(witness.state), mdp.names.index(witness.neighbour or "")
        word = word_of(mdp, witness, horizon(path))
        p, q = by_word(mdp, path, s, word), by_word(mdp, path, t, word)
        assert (fraction(witness.probability), fraction(witness.neighbour_probability)) == (p, q)
        assert p > factor * q + delta and fraction(witness.excess) == p - factor * q - delta

    query = Query("delta", path, epsilon=privacy(path, factor, delta).epsilon)
    (segment,) = value(mdp, Property(query, ""), Clock()).values[""]
    needed = [p[s] - factor * p[t] for p in table.values() for s in range(3) for t in range(3)]
    assert segment.found is not None and fraction(segment.found.value) == max(0, *needed)
    query = Query("epsilon", path, delta=Quotient.of(flint(delta)))
    (segment,) = value(mdp, Property(query, ""), Clock()).values[""]
    assert segment.found is not None
    pairs = [(p[s] - delta, p[t]) for p in table.values() for s in range(3) for t in range(3)]
    if any(p > 0 and q == 0 for p, q in pairs):
        assert segment.found.value is None
    else:
        assert fraction(segment.found.value) == max([Fraction(1), *(p / q for p, q in pairs if q)])


@pytest.mark.parametrize("seed", some(range(50), 10))
def test_until_never_contradicts_a_word(seed: int) -> None:
    """Words (prefix)(a)^w by hand: none breaks what holds, all stay within what is undecided."""
    random = Random(seed)
    mdp = random_mdp(random, random.randint(2, 4), 2)
    factor, delta = random.choice(FACTORS), Fraction(random.choice([0, 0, 1, 2]), 8)
    verdict = asked(mdp, privacy(EVENTUALLY_A, factor, delta), depth=5)
    states, goal, rows = range(len(mdp.names)), set(mdp.labels["a"]), fractions_of(mdp)
    worst: dict[tuple[int, int], Fraction] = {(s, t): Fraction(0) for s in states for t in states}
    for length in range(6):
        for word in product(range(2), repeat=length):
            for a in range(2):
                values = until_in_chain([row[a] for row in rows], set(states), goal)
                for b in reversed(word):
                    values = [
                        Fraction(1)
                        if s in goal
                        else sum((p * values[t] for t, p in rows[s][b].items()), Fraction(0))
                        for s in states
                    ]
                for s, t in worst:
                    worst[s, t] = max(worst[s, t], values[s] - factor * values[t])
    for s in states:
        needed = max(max(worst[s, t], worst[t, s]) for t in states)
        status = verdict.at[mdp.names[s]]
        if needed > delta:
            assert status == "fails"  # these words are short enough to be found
        elif status == "fails":
            pytest.fail("a word was found that does not exist, or is longer than the depth")
    for each in verdict.undecided:
        s, t = mdp.names.index(each.state), mdp.names.index(each.neighbour)
        assert fraction(each.low) <= fraction(each.high) and fraction(each.high) > delta >= fraction(each.low)
        assert max(worst[s, t], worst[t, s]) <= fraction(each.high)


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_one_action_is_a_chain(seed: int) -> None:
    """Also if it has several names."""
    random = Random(seed)
    mdp = random_mdp(random, 4, 1)
    path = random_path(random, 3, bounded=False, unbounded_sign=True)
    chain = Chain(mdp.names, mdp.labels, mdp.neighbours, mdp.start, tuple(rows[0] for rows in mdp.rows))
    doubled = replace(mdp, actions=("x", "y"), rows=tuple(rows * 2 for rows in mdp.rows))
    for delta in (Fraction(0), Fraction(1, 4)):
        formula = privacy(path, Fraction(3, 2), delta)
        expected = check(chain, Property(formula, ""), Clock()).at
        assert asked(mdp, formula).at == expected
        assert asked(doubled, formula).at == expected


@pytest.mark.parametrize("seed", some(range(40), 8))
def test_nested_formulas_are_evaluated_afresh(seed: int) -> None:
    random = Random(seed)
    mdp = random_mdp(random, 3, 2)
    inner = privacy(random_path(random, 1, bounded=True), Fraction(1), Fraction(1, 4))
    states = frozenset(s for s in range(3) if asked(mdp, inner).at[f"s{s}"] == "holds")
    labelled = replace(mdp, labels={**mdp.labels, "inner": states})
    for path in (lambda f: Until(Truth(True), f, 2), lambda f: Not(Until(Proposition("a"), f, 2))):
        nested = asked(mdp, privacy(path(inner), Fraction(1), Fraction(1, 8)))
        flat = asked(labelled, privacy(path(Proposition("inner")), Fraction(1), Fraction(1, 8)))
        assert nested.at == flat.at


SAMPLES = (fmpq(1, 16), fmpq(1, 3), fmpq(1), fmpq(5, 2))


Z = Quotient(ExpPoly.exp(1))
SQUARE = (Quotient(ExpPoly.of(1, 1)) - fmpq(1, 3)) ** 2
COINS = (1 / (1 + Z), Z / (1 + Z), SQUARE / (1 + SQUARE), Quotient.of(fmpq(1, 2)))
"""Of bias 1/(1 + e^eps), and one that vanishes at eps = 1/3."""


@pytest.mark.parametrize("seed", some(range(30), 10))
def test_every_eps_is_each_eps(seed: int) -> None:
    """What holds on a range, at single eps: another algorithm, on numbers."""
    random = Random(seed)
    mdp = random_mdp(random, 3, 2)
    model: Mdp[fmpq] | Mdp[Quotient] = with_coins(random, mdp, COINS) if seed % 2 else mdp
    path = random_path(random, 2, bounded=True)
    epsilon = Exponent(fmpq(random.choice([0, 1, 2])), fmpq(random.choice([0, 1]), 4))
    formula = Privacy(epsilon, Quotient.of(fmpq(random.randint(0, 3), 8)), path)
    nested = Privacy(epsilon, formula.delta, Until(Truth(True), formula, 1))
    query = Query("delta", path, epsilon=epsilon)
    segments = value(model, Property(query, ""), Clock()).values[""]
    for asked in (formula, Not(formula), nested):
        ranges = check(model, Property(asked, ""), Clock()).regions
        for eps in SAMPLES:
            point = check(model, Property(asked, "", eps_range=EpsRange.point(eps)), Clock())
            for state, status in point.at.items():
                assert (status == "holds") is inside(eps, ranges[state])
    for eps in SAMPLES:
        (segment,) = [segment for segment in segments if inside(eps, (segment.region,))]
        (here,) = value(model, Property(query, "", eps_range=EpsRange.point(eps)), Clock()).values[""]
        assert segment.found is not None and here.found is not None
        assert segment.found.value is not None and segment.found.value.at(eps) == here.found.value


SURVEY = {
    ("plus", "L"): {"yes": "3/4", "no": "1/4"},
    ("plus", "H"): {"yes": "4/5", "no": "1/5"},
    ("minus", "L"): {"yes": "1/4", "no": "3/4"},
    ("minus", "H"): {"yes": "1/5", "no": "4/5"},
}


def survey() -> MDP:
    """Figure 5 of the paper."""
    return MDP(SURVEY, labels={"out_1": ["yes"], "out_0": ["no"]}, neighbours=[("plus", "minus")])


def test_for_every_eps() -> None:
    """Which word is worst may depend on eps: L gives 3, H gives e^eps."""
    rows = {
        ("plus", "L"): {"yes": "3/4", "no": "1/4"},
        ("minus", "L"): {"yes": "1/4", "no": "3/4"},
        ("plus", "H"): {"yes": "exp(eps)/(1 + exp(eps))", "no": "1/(1 + exp(eps))"},
        ("minus", "H"): {"yes": "1/(1 + exp(eps))", "no": "exp(eps)/(1 + exp(eps))"},
    }
    model = MDP(rows, neighbours=[("plus", "minus")])
    verdict = model.check("D[eps, 0](X yes)")
    assert verdict.status == "fails"
    (region,) = verdict.regions["plus"]
    assert region.low_closed and not region.high_closed and region.high is None
    assert region.low.low < fmpq(10986122887, 10**10) < region.low.high + fmpq(1, 10**9)  # type: ignore[union-attr]
    witness = verdict.witness
    assert witness is not None and witness.prefix == ("L",) and witness.epsilon == fmpq(1)
    assert model.check("D[eps + ln 3, 0](X yes) for eps in (0, inf)").status == "holds"
    assert model.check("D[eps, 0](X yes) for eps in [2, 3]").status == "holds"
    assert model.check("D[eps, 0](F yes)", at=2).status == "holds"
    assert model.check("D[eps, 0](F yes)", at=1).status == "fails"
    segments = model.value("D[?, 0](X yes)").values[""]
    assert [str(s.found.value) for s in segments if s.found] == ["3", "exp(eps)"]
    (again,) = model.check("D[eps, 0](F yes)").regions["plus"]
    assert (again.low.low, again.high) == (region.low.low, None)  # type: ignore[union-attr]


def test_what_does_not_depend_on_eps_is_decided_for_all_of_it() -> None:
    text = "D[eps, 0](X out_1) & P>=1/5 (F out_1) & D[ln 4, 0](F out_0)"
    verdict = survey().check(text + " for eps in [3/2, inf)")
    assert verdict.status == "holds"
    assert survey().check(text + " for eps in [1, inf)").status == "fails"
    verdict = survey().check("D[eps, 0](X out_1) | P>=3/4 (X out_1) for eps in (0, 1)")
    assert verdict.at == {"plus": "holds", "minus": "fails"}
    verdict = survey().check("P>=3/4 (X out_1) & D[eps, 0](X out_1) from minus")
    assert verdict.witness is not None and verdict.witness.subformula == "P>=3/4 (X out_1)"
    assert survey().check("D[eps, 0](F out_1) for eps in [3/2, inf)").status == "holds"
    assert survey().check("D[eps, 0](F out_1) for eps in [1, inf)").status == "fails"
    with pytest.raises(Unsupported, match="unbounded"):
        survey().value("D[eps, ?](F out_1)")


def test_words_are_blind() -> None:
    """One word never separates s and t, a scheduler that sees the states does (Proposition 2: delta 1)."""
    rows = {
        ("s", "a"): {"l": "1/2", "r": "1/2"}, ("s", "b"): {"l": "1/2", "r": "1/2"},
        ("t", "a"): {"l": "1/2", "r": "1/2"}, ("t", "b"): {"r": "1/2", "l": "1/2"},
        ("l", "a"): "yes", ("l", "b"): "no", ("r", "a"): "no", ("r", "b"): "yes",
    }  # fmt: skip
    model = MDP(rows, neighbours=[("s", "t")])
    assert (str(model.value("Pmin=? (F yes)")["s"]), str(model.value("Pmax=? (F yes)")["t"])) == ("0", "1")
    assert model.check("D[0, 0](F yes)").status == "holds"
    path = Until(Truth(True), Proposition("yes"))
    names = model.model.names
    everywhere, goal = frozenset(range(len(names))), frozenset([names.index("yes")])
    monitor = progression(path, {path.left: everywhere, path.right: goal})
    assert monitor is not None
    for depth, proved in ((1, False), (2, True)):
        tree = Tree(Product.of(model.model, monitor), lambda: None, depth)
        tree.language.difference = lambda root: None  # type: ignore[method-assign,union-attr]
        found = tree.search(names.index("s"), names.index("t"), Bound(fmpq(1), fmpq(0), sign_of))
        assert found.breach is None and (found.low is None) is proved
        assert proved or (found.low, found.high) == (0, 1)


def test_equal_on_all_words_though_the_tree_never_closes() -> None:
    """s and t are copies, and no word makes anything certain: only the basis of differences proves it."""
    rows = {}
    for s, other in (("s", "t"), ("t", "s")):
        rows[s, "a"] = {s: "1/2", f"{s}2": "1/2"}
        rows[s, "b"] = {f"{s}2": "1/3", other: "1/3", "no": "1/3"}
        rows[f"{s}2", "a"] = {s: "1/2", "no": "1/4", "yes": "1/4"}
        rows[f"{s}2", "b"] = {f"{s}2": "1"}
    model = MDP(rows, neighbours=[("s", "t")])
    assert model.check("D[0, 0](F yes)").status == "holds"
    assert model.check("D[0, 0](G !yes)").status == "holds"
    rows["t2", "a"] = {"t": "1/2", "no": "1/3", "yes": "1/6"}
    assert MDP(rows, neighbours=[("s", "t")]).check("D[0, 0](F yes)").status == "fails"


def test_a_difference_of_one_step_does_not_matter() -> None:
    """s -> b, t -> u -> b: the word of length 1 tells them apart, infinite words do not."""
    rows = {(s, a): t for s, t in (("s", "b"), ("t", "u"), ("u", "b"), ("b", "b")) for a in ("x", "y")}
    model = MDP(rows, neighbours=[("s", "t")])
    assert model.check("D[0, 0](F b)").status == "holds"
    assert model.check("D[0, 0](X b)").status == "fails"


@pytest.mark.parametrize("reachable", [True, False])
def test_the_shape_of_appendix_a(reachable: bool) -> None:
    """D[1, 0](F at_B) fails if and only if B can be reached, after however long a word."""
    rows: dict[tuple[str, str], dict[str, str] | str] = {("t", "x"): "t", ("t", "y"): "t", ("B", "x"): "B"}
    for i in range(12):  # only the word x y x y ... leads on, further than the depth
        goal = f"q{i + 1}" if i < 11 else ("B" if reachable else "q0")
        rows[f"q{i}", "xy"[i % 2]] = {goal: "1/2", "t": "1/2"}
        rows[f"q{i}", "yx"[i % 2]] = "t"
    model = MDP(rows, labels={"at_B": ["B"]}, neighbours=[("q0", "t")])
    verdict = model.check("D[1, 0](F at_B)")
    assert verdict.status == ("fails" if reachable else "holds")
    if reachable:
        assert verdict.witness is not None
        assert verdict.witness.prefix == tuple("xy" * 6) and str(verdict.witness.probability) == "1/4096"
        assert verdict.witness.cycle == ()


def undecided_model() -> MDP:
    """Two states that are mixed by a, and asked by b."""
    rows = {
        ("s", "a"): {"s": "1/2", "r": "1/2"}, ("s", "b"): {"yes": "1/2", "no": "1/2"},
        ("r", "a"): {"r": "2/3", "s": "1/3"}, ("r", "b"): {"no": "1/3", "yes": "2/3"},
        ("t", "a"): {"t": "1/3", "u": "2/3"}, ("t", "b"): {"yes": "1/2", "no": "1/2"},
        ("u", "a"): {"u": "2/3", "t": "1/3"}, ("u", "b"): {"no": "1/3", "yes": "2/3"},
    }  # fmt: skip
    return MDP(rows, neighbours=[("s", "t")])


def test_an_action_matters_if_it_does_so_on_one_side() -> None:
    """The first action is the same from s, but not from t: only b a is bad."""
    rows = {
        ("s", "a"): "m", ("s", "b"): "m", ("m", "a"): {"yes": "1/4", "no": "3/4"}, ("m", "b"): "no",
        ("t", "a"): "no", ("t", "b"): "u", ("u", "a"): "yes", ("u", "b"): "no",
    }  # fmt: skip
    model = MDP(rows, neighbours=[("s", "t")])
    for path in ("F yes", "X X yes"):
        witness = model.check(f"D[0, 1/2]({path}) from s").witness
        assert witness is not None
        assert (witness.state, witness.prefix, str(witness.probability)) == ("t", ("b", "a"), "1")
        assert model.check(f"D[eps, 1/2]({path}) from s", at="1/8").status == "fails"
    assert model.check("D[eps, 1/2](X X yes) for eps in (0, 1/8)").status == "fails"


def test_undecided_says_what_is_known() -> None:
    model = undecided_model()
    low = Fraction(1, 36)  # of the word a b
    verdict = model.check("D[0, 1/30](F yes)")
    assert verdict.status == "undecided" and verdict.at == {"s": "undecided", "t": "undecided"}
    first = verdict.undecided[0]
    assert (first.state, first.neighbour) == ("s", "t")
    assert fraction(first.low) >= low and low <= fraction(first.high) <= 1
    assert model.check("D[0, 1/40](F yes)").status == "fails"
    (segment,) = model.value("D[0, ?](F yes)").values[""]
    assert segment.found is None and segment.enclosed is not None and segment.enclosed.high is not None
    assert (
        low <= fraction(segment.enclosed.low) <= fraction(first.high) == fraction(segment.enclosed.high) <= 1
    )
    # Kleene: what is undecided does not matter where the rest decides.
    assert model.check("D[0, 1/30](F yes) & D[0, 1/40](F yes)").status == "fails"
    assert model.check("D[0, 1/30](F yes) | P>=0 (F yes)").status == "holds"
    assert model.check("!D[0, 1/30](F yes)").status == "undecided"
    assert model.check("D[0, 0](X D[0, 1/30](F yes)) from s").status == "undecided"
    assert model.check("P>=0 (X D[0, 1/30](F yes)) from s").status == "undecided"
    assert model.check("P>=1 (X D[0, 1/30](F yes)) from yes").status == "holds"
    assert model.check("D[ln(11/10), 0](F yes)").status == "undecided"
    verdict = model.check("D[eps, 0](X D[0, 1/30](F yes)) from s")
    assert verdict.status == "undecided" and "inside" in verdict.reason
    # A safe formula is as private as its negation if epsilon is 0.
    assert model.check("D[0, 1/30](G !yes)").status == "undecided"
    assert model.check("D[0, 1/40](G !yes)").status == "fails"


def test_the_best_schedulers_towards_an_undecided_formula_are_undecided() -> None:
    """Wherever the formula cannot be met the probability is known, and it may be met from s and t only."""
    model = undecided_model()
    for query in "Pmax=? (X D[0, 1/30](F yes))", "Pmin=? (F !D[0, 1/30](F yes))":
        found = model.value(query, start=["s", "yes"]).values
        assert found["yes"][0].found is not None
        (segment,) = found["s"]
        assert segment.found is None and segment.enclosed is not None
        assert (segment.enclosed.low, segment.enclosed.high) == (0, 1)
        assert segment.enclosed.reason == "a state formula inside is undecided"


def test_the_interval_of_an_open_query() -> None:
    """Both ends are proved, and never worse at a greater depth; a pair that needs more settles it."""
    model = undecided_model()
    ends = []
    for depth in (1, 4, 9):
        (segment,) = model.value("D[0, ?](F yes)", depth=depth).values[""]
        assert segment.enclosed is not None and segment.enclosed.high is not None
        ends.append((fraction(segment.enclosed.low), fraction(segment.enclosed.high)))
        assert f"words of {depth} actions" in segment.enclosed.reason
    lows, highs = zip(*ends, strict=True)
    assert list(lows) == sorted(lows) and list(highs) == sorted(highs, reverse=True)
    assert model.check(f"D[0, {highs[2]}](F yes)", depth=9).status == "holds"
    assert model.check(f"D[0, {lows[2] - Fraction(1, 10**6)}](F yes)", depth=9).status == "fails"
    (segment,) = model.value("D[?, 0](F yes)").values[""]
    assert segment.enclosed is not None and segment.enclosed.high is None
    (segment,) = model.value("D[?, 0](G !yes)").values[""]
    assert segment.enclosed is not None and segment.enclosed.high is not None
    low, high = (fraction(end) for end in (segment.enclosed.low, segment.enclosed.high))
    assert 1 < low < high
    assert model.check(f"D[ln({high}), 0](G !yes)").status == "holds"
    assert model.check(f"D[ln({low - Fraction(1, 10**6)}), 0](G !yes)").status == "fails"
    more = model.with_neighbours([("s", "t"), ("yes", "no")])
    (segment,) = more.value("D[0, ?](F yes)", start=["s", "no"]).values[""]
    assert segment.found is not None and segment.found.value == 1


def test_general_path_formulas_need_an_automaton(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {
        ("s", "a"): {"s": "1/2", "g": "1/2"}, ("s", "b"): "s", ("t", "a"): "g", ("t", "b"): "t",
        ("g", "a"): "s", ("g", "b"): "g",
    }  # fmt: skip
    model = MDP(rows, neighbours=[("s", "t")])
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "spot", None)
        with pytest.raises(Unsupported, match="automaton") as error:
            model.check("D[0, 1/4](F G F g) from s")
        assert "dipc[ltl]" in str(error.value.hint)
    assert model.check("P in [0, 1] (G F g)").status == "holds"
    assert model.check("P>=1/2 (G F g)").status == "fails"
    verdict = model.check("D[0, 1/4](G F g) from s")  # the word a b b b ...: from t at once, from s with 1/2
    assert verdict.status == "fails" and verdict.witness is not None
    assert (verdict.witness.prefix, verdict.witness.cycle) == (("a",), ("b",))
    assert (str(verdict.witness.probability), str(verdict.witness.neighbour_probability)) == ("1", "1/2")


def test_a_state_without_neighbours_is_private() -> None:
    model = MDP(SURVEY)
    assert model.check("D[0, 0](X yes)").status == "holds"
    assert "neighbours" in " ".join(model.check("D[0, 0](X yes)").notes)


def test_a_missing_action_is_noted_and_leads_nowhere() -> None:
    rows = {("s", "a"): "s", ("t", "a"): "s", ("t", "b"): "t"}
    model = MDP(rows, neighbours=[("s", "t")])
    verdict = model.check("D[0, 1/2](G (s | t))")  # b at s
    assert verdict.status == "fails" and "`s` has no action `b`" in verdict.notes[0]
    assert verdict.witness is not None and verdict.witness.cycle == ("b",)
    assert not survey().check("D[ln 4, 0](X out_1)").notes


@pytest.mark.parametrize(
    ("k", "least"),
    spared(
        [(0, "18139/61440"), (1, "9947/30720"), (2, "710333/2211840"), (3, "234587/737280")],
        {(0, "18139/61440"), (2, "710333/2211840"), (3, "234587/737280")},
    ),
)
def test_least_deltas_of_above_threshold(k: int, least: str) -> None:
    model = load_model(ABOVE_THRESHOLD)
    (segment,) = model.value(f"D[0, ?](X^{2 * k + 2} top)").values[""]
    assert segment.found is not None and str(segment.found.value) == least


@pytest.mark.parametrize(
    ("k", "bound"),
    spared(
        [(0, "18139/61440"), (1, "1873/2560"), (2, "100279/138240"), (3, "511309/737280")],
        {(1, "1873/2560"), (2, "100279/138240"), (3, "511309/737280")},
    ),
)
def test_proposition_two_on_above_threshold(k: int, bound: str) -> None:
    model = load_model(ABOVE_THRESHOLD)
    most, least = (model.value(f"{kind}=? (X^{2 * k + 2} top)") for kind in ("Pmax", "Pmin"))
    names, pairs = model.model.names, model.model.neighbours
    both = [(names[s], names[t]) for s, t in (*pairs, *(pair[::-1] for pair in pairs))]
    assert max(fraction(most[s]) - fraction(least[t]) for s, t in both) == Fraction(bound)
