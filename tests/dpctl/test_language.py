"""Equality under every infinite word, against words that are tried one by one, with fractions.

The tests know nothing of spans or calm sets: probabilities under a word are those of a chain whose states
know their place in the word.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from campaigns import many
from dpctl.test_words import asked, privacy
from flint import fmpq
from processes import Rows, fractions_of, often_in_chain
from rationals import fraction

from dipc.dpctl.formula import And, Formula, Not, Or, Proposition, Truth, Until
from dipc.dpctl.model import MDP
from dipc.models.chain import Mdp

Word = tuple[int, ...]
GOAL, PIT, BOTH, LATER = 4, 5, 6, 7
F_GOAL, F_MARK = Until(Truth(True), Proposition("goal")), Until(Truth(True), Proposition("mark"))
FORMULAS: tuple[Formula, ...] = (
    F_GOAL,
    Not(F_GOAL),
    Until(Not(Proposition("mark")), Proposition("goal")),
    And((F_GOAL, Not(F_MARK))),
    Or((F_GOAL, Not(F_MARK))),
)


def small_mdp(random: Random) -> Mdp[fmpq]:
    """Two states to compare, four more, of which one is like two others at once, and a goal and a pit.

    Half of the time the two states are equivalent: the choice between u and v is made before or after the
    first action, and the goal or the pit are reached now or later.
    """
    half, one = fmpq(1, 2), fmpq(1)
    Row = dict[int, fmpq]

    def mixed(first: Row, second: Row) -> Row:
        return {t: (first.get(t, fmpq(0)) + second.get(t, fmpq(0))) / 2 for t in {*first, *second}}

    def row() -> Row:
        targets = [random.choice([2, 3, 2, 3, GOAL, PIT, LATER]) for _ in range(2)]
        return mixed({targets[0]: one}, {targets[random.random() < 0.3]: one})

    u, v, after, end = [row(), row()], [row(), row()], [row(), row()], {random.choice([GOAL, PIT]): one}
    both = [mixed(u[a], v[a]) for a in range(2)]
    s = [{2: half, 3: half}, after[1]]
    t = [{BOTH: one}, {GOAL if x == LATER and end == {GOAL: one} else x: p for x, p in after[1].items()}]
    if random.random() < 0.5:
        random.choice([both, t, u])[random.randrange(2)] = row()
    rows = [s, t, u, v, [{GOAL: one}] * 2, [{PIT: one}] * 2, both, [end] * 2]
    pair = random.choice([(0, 1), (0, 1), (2, GOAL), (3, PIT), (2, 3), (1, 2)])
    labels = {"goal": frozenset([GOAL]), "mark": frozenset([random.choice([0, 2, 3, PIT, BOTH])])}
    made = tuple(tuple(tuple(sorted(each.items())) for each in rows) for rows in rows)
    return Mdp(tuple("stuvgpml"), labels, (pair,), pair, ("a", "b"), made)


def under(mdp: Mdp[fmpq], formula: Formula, prefix: Word, cycle: Word) -> list[Fraction]:
    """The probabilities of one of the formulas under ``prefix cycle cycle ...``, from every state.

    A state knows its place in the word, and whether the goal and the mark were met, in this order.
    """
    rows: Rows = fractions_of(mdp)
    word, back = (*prefix, *cycle), len(prefix)
    number: dict[tuple[int, int, str], int] = {}
    chain: list[dict[int, Fraction]] = []
    todo = []

    def place(s: int, i: int, met: str) -> int:
        for label in ("mark", "goal"):  # in the same state the goal is met first only for U
            if s in mdp.labels[label] and label[0] not in met:
                met += label[0]
        key = s, i, met
        if key not in number:
            number[key] = len(chain)
            chain.append({})
            todo.append(key)
        return number[key]

    start = [place(s, 0, "") for s in range(8)]
    for s, i, met in todo:
        following = i + 1 if i + 1 < len(word) else back
        for t, p in rows[s][word[i]].items():
            target = place(t, following, met)
            chain[number[s, i, met]][target] = chain[number[s, i, met]].get(target, Fraction(0)) + p

    def good(met: str) -> bool:
        marked, reached = "m" in met, "g" in met
        before = reached and (not marked or met.index("g") < met.index("m"))
        return (reached, not reached, before, reached and not marked, reached or not marked)[
            FORMULAS.index(formula)
        ]

    fine = {n for (_, _, met), n in number.items() if good(met)}
    values = often_in_chain(chain, fine)
    return [values[n] for n in start]


def words(length: int) -> list[tuple[Word, Word]]:
    """Words with prefixes and cycles up to some lengths."""
    prefixes = [w for n in range(length) for w in product(range(2), repeat=n)]
    cycles = [w for n in range(1, 3) for w in product(range(2), repeat=n) if n == 1 or w[0] != w[1]]
    return [(u, v) for u in prefixes for v in cycles]


@pytest.mark.parametrize("first", range(0, many(40, 1200), 40))
def test_equality_is_decided(first: int) -> None:
    """What holds is so under all short words, what fails fails under the word named; D[0, 0] is decided."""
    equal = 0
    for seed in range(first, first + 40):
        random = Random(seed)
        mdp, formula = small_mdp(random), random.choice(FORMULAS)
        wanted, delta = random.choice([(1, 0), (1, 0), (2, 0), (1, 1)]), Fraction(random.randint(1, 4), 8)
        factor, delta = Fraction(wanted[0]), wanted[1] * delta
        verdict = asked(mdp, privacy(formula, factor, delta), depth=4)
        assert verdict.status != "undecided" or (factor, delta) != (1, 0)
        if (witness := verdict.witness) is None:
            equal += verdict.status == "holds"
            for prefix, cycle in words(many(3, 4)):
                values = under(mdp, formula, prefix, cycle)
                p, q = (values[s] for s in mdp.start)
                assert max(p - factor * q, q - factor * p) <= delta
            continue
        prefix = tuple(map(mdp.actions.index, witness.prefix))
        cycle = tuple(map(mdp.actions.index, witness.cycle)) or (0,)
        values = under(mdp, formula, prefix, cycle)
        p, q = (values[mdp.names.index(name)] for name in (witness.state, witness.neighbour or ""))
        assert p > factor * q + delta
        assert (p, q) == (fraction(witness.probability), fraction(witness.neighbour_probability))
    assert 4 <= equal <= 36


def test_a_side_that_settles_a_letter_early() -> None:
    """The choice is made before or after the action a: neither bisimilar, nor equal letter by letter."""
    rows: dict[tuple[str, str], object] = {
        ("s", "a"): {"x": "1/2", "y": "1/2"}, ("s", "b"): {"s": "1/2", "dead": "1/2"},
        ("t", "a"): "z", ("t", "b"): {"t": "1/2", "dead": "1/2"},
        ("x", "a"): "acc", ("x", "b"): "dead", ("y", "a"): "dead", ("y", "b"): "acc",
        ("z", "a"): {"acc": "1/2", "dead": "1/2"}, ("z", "b"): {"acc": "1/2", "dead": "1/2"},
        **{(s, a): s for s in ("acc", "dead") for a in "ab"},
    }  # fmt: skip
    model = MDP(rows, neighbours=[("s", "t")])  # type: ignore[arg-type]
    for path in "F acc", "G !acc", "X X acc", "G F acc":
        assert model.check(f"D[0, 0]({path}) & D[1/3, 0]({path})", depth=0).status == "holds"
    witness = model.check("D[0, 0](F x)").witness
    assert witness is not None and (witness.state, witness.prefix, witness.cycle) == ("s", ("a",), ())


def test_copies_are_equal_for_every_formula() -> None:
    """s and t are copies that never settle: the sequences of marks have the same distribution."""
    rows: dict[tuple[str, str], object] = {}
    for s, other in (("s", "t"), ("t", "s")):
        rows[s, "a"] = {s: "1/2", f"{s}2": "1/2"}
        rows[s, "b"] = {f"{s}2": "1/3", other: "2/3"}
        rows[f"{s}2", "a"] = {s: "1"}
        rows[f"{s}2", "b"] = {f"{s}2": "1/2", f"{other}2": "1/2"}
    model = MDP(rows, labels={"m": ["s2", "t2"]}, neighbours=[("s", "t")])  # type: ignore[arg-type]
    for path in "G F m", "G (m -> F !m)", "(F G m) | (G F !m)":
        assert model.check(f"D[0, 0]({path})", depth=1).status == "holds"
    other = MDP(rows, labels={"m": ["s2"]}, neighbours=[("s", "t")])  # type: ignore[arg-type]
    assert other.check("D[0, 0](G F m)").status == "fails"


def test_a_cycle_of_several_actions() -> None:
    """From s the word a b a b ... meets m infinitely often; no word that ends in one action does."""
    steps = {"s": "ns", "n": "nm", "m": "ns", "t": "tt"}
    rows = {(s, a): targets[a == "b"] for s, targets in steps.items() for a in "ab"}
    model = MDP(rows, neighbours=[("s", "t")])  # type: ignore[arg-type]
    for delta in "0", "1/2":
        witness = model.check(f"D[0, {delta}](G F m)").witness
        assert witness is not None and set(witness.cycle) == {"a", "b"}


def test_pairs_that_come_again() -> None:
    """Only a b a b ... never leads from u to the goal, though no pair is closed and all are known."""
    rows = {("u", "a"): "v", ("u", "b"): "goal", ("v", "a"): "goal", ("v", "b"): "u"}
    rows |= {(s, a): "goal" for s in ("t", "goal") for a in "ab"}
    model = MDP(rows, neighbours=[("u", "t")])  # type: ignore[arg-type]
    for numbers in "0, 1/2", "1, 0", "0, 0":
        witness = model.check(f"D[{numbers}](F goal)").witness
        assert witness is not None and (witness.state, witness.cycle) == ("t", ("a", "b"))
    assert model.check("D[eps, 1/2](F goal)").status == "fails"
    (segment,) = model.value("D[0, ?](F goal)").values[""]
    assert segment.found is not None and segment.found.value == 1
    assert model.value("D[?, 1/2](F goal)").values[""][0].found.value is None  # type: ignore[union-attr]
