"""The check of automata, judged by the truth of formulas on lassos: paths that repeat a part for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from campaigns import many, some

import dipc
from dipc.clock import unlimited
from dipc.dpctl import processes
from dipc.dpctl.automata import Automaton, automaton_of, of_spot
from dipc.dpctl.equivalence import accepts_the_same
from dipc.dpctl.formula import And, Formula, Next, Not, Or, Proposition, Query, Truth, Until
from dipc.dpctl.paths import known_sets
from dipc.dpctl.progression import Marks, Progression, progression
from dipc.dpctl.syntax import parse_property
from dipc.errors import InputError, Source

LETTERS = range(8)
SETS = {f"p{i}": frozenset(s for s in LETTERS if s >> i & 1) for i in range(3)}
EVERYWHERE = [set(LETTERS)] * 8
Word = list[int]

WRONG = [  # of Spot 2.13 with "generic", "deterministic", "complete"
    "((p2) R ((p2) U (p1))) <-> ((p2) <-> ((p0) | (p0)))",
    "(F ((p1) W (p2))) <-> ((p2) <-> (p0))",
    "((X p1) <-> ((p2) <-> (p0))) <-> (F ((p1) R (p2)))",
    "((F p2) W (p2)) <-> ((X p1) <-> ((p1) | (p0)))",
    "(((p1) <-> (p2)) <-> (p2)) <-> (((p0) <-> (p1)) U ((p1) W (p2)))",
]


def parsed(text: str) -> Formula:
    query = parse_property(Source("f", f"P=? ({text})")).formula
    assert isinstance(query, Query)
    return query.path


def truths(formula: Formula, word: Word, back: int) -> list[bool]:
    """The truth at every place of the path that repeats ``word[back:]`` for ever."""
    places = range(len(word))

    def after(i: int) -> int:
        return i + 1 if i + 1 < len(word) else back

    match formula:
        case Truth(value):
            return [value] * len(word)
        case Proposition(name):
            return [s in SETS[name] for s in word]
        case Not(inside):
            return [not x for x in truths(inside, word, back)]
        case And(parts) | Or(parts):
            columns = zip(*(truths(part, word, back) for part in parts), strict=True)
            return [(all if isinstance(formula, And) else any)(column) for column in columns]
        case Next(inside, count):
            found = truths(inside, word, back)
            for _ in range(count):
                found = [found[after(i)] for i in places]
            return found
        case Until(left, right, bound):
            a, b = truths(left, word, back), truths(right, word, back)
            found = b
            for _ in range(len(word) + 1 if bound is None else bound):
                found = [b[i] or (a[i] and found[after(i)]) for i in places]
            return found
    raise AssertionError(formula)


def accepts(automaton: Automaton | Progression, word: Word, back: int) -> bool:
    """Whether the run on the path meets the condition, and not the one for the other paths."""
    memory: Any = None
    seen, place, met = dict[tuple[int, object], int](), 0, list[frozenset[int]]()
    while True:
        memory = automaton.read(memory, word[place])
        met.append(automaton.marks(memory))
        place = place + 1 if place + 1 < len(word) else back
        if (place, memory) in seen:
            break
        seen[place, memory] = len(met)
    often = frozenset().union(*met[seen[place, memory] :])
    found, opposite = (
        any(not fin & often and inf <= often for fin, inf in condition)
        for condition in (automaton.accepted, automaton.rejected)
    )
    assert found is not opposite
    return found


def lassos(random: Random, number: int) -> Iterator[tuple[Word, int]]:
    for _ in range(number):
        word = [random.choice(LETTERS) for _ in range(random.randint(1, 6))]
        yield word, random.randrange(len(word))


def random_text(random: Random, depth: int) -> str:
    if not depth or random.random() < 0.15:
        return f"p{random.randrange(3)}"
    sign = random.choice(
        ["!", "X", "F", "G", "X^2", "F<=2", "&", "|", "->", "<->", "<->", "U", "W", "R", "U<=2"]
    )
    inside = random_text(random, depth - 1)
    return (
        f"{sign} ({inside})" if sign[0] in "!XFG" else f"({inside}) {sign} ({random_text(random, depth - 1)})"
    )


def checked(automaton: Automaton, formula: Formula) -> bool:
    return accepts_the_same(automaton, formula, known(formula), EVERYWHERE, unlimited)


def known(formula: Formula) -> dict[Formula, frozenset[int]]:
    return known_sets(formula, lambda part: frozenset(s for s in LETTERS if truths(part, [s], 0)[0]))


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_the_automaton_of_spot_is_that_of_the_formula_and_of_no_other(seed: int) -> None:
    pytest.importorskip("spot")
    random = Random(seed)
    formula, other = (parsed(random_text(random, 3)) for _ in range(2))
    automaton = automaton_of(formula, known(formula))
    words = list(lassos(random, 100))
    assert all(accepts(automaton, *word) == truths(formula, *word)[0] for word in words)
    assert checked(automaton, formula)
    if any(truths(formula, *word)[0] != truths(other, *word)[0] for word in words):
        assert not checked(automaton, other)


@pytest.mark.parametrize("text", WRONG)
def test_wrong_automata_are_found_out(text: str) -> None:
    spot = pytest.importorskip("spot")
    formula = parsed(text)
    right = automaton_of(formula, known(formula))
    made = spot.translate(text, "generic", "deterministic", "complete")  # as it was before
    before = of_spot(made, list(SETS.values()))
    words = list(lassos(Random(text), 300))
    assert all(accepts(right, *word) == truths(formula, *word)[0] for word in words) and checked(
        right, formula
    )
    agrees = all(accepts(before, *word) == truths(formula, *word)[0] for word in words)
    assert checked(before, formula) is agrees  # other versions of Spot may be right


def often(marks: Marks) -> Automaton:
    """G F p0 where the edge of p0 has the mark 0."""
    nothing, zero = frozenset[int](), frozenset([0])
    edges = {0: [(((nothing, zero),), (0, marks)), (((zero, nothing),), (0, nothing))]}
    return Automaton(edges, 0, (SETS["p0"],), ((nothing, zero),), ((zero, nothing),))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("G F p0", True), ("G F (p0 & (p1 | !p1))", True), ("F G p0", False), ("F p0", False),
        ("!(F G !p0)", True), ("G F p1", False), ("(G F p0) & (X true)", True), ("G X F p0", True),
        ("true U (G F p0)", True),
        ("G (p0 | X (p1 U p0))", False), ("(F p1) U (G F p0)", True), ("G F<=3 p0", False),
    ],
)  # fmt: skip
def test_again_and_again(text: str, right: bool) -> None:
    assert checked(often(frozenset([0])), parsed(text)) is right


def test_without_the_mark_nothing_is_accepted() -> None:
    formula = parsed("G F p0")
    assert not checked(often(frozenset()), formula)
    assert checked(often(frozenset()), And((formula, Not(formula))))


@pytest.mark.parametrize("value", [dipc.MDP.value, dipc.MDP.check])
def test_an_automaton_of_another_formula_is_refused(
    value: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    mdp = dipc.MDP({("s", "a"): {"p0": 1}, ("p0", "a"): {"s": "1/2", "p0": "1/2"}})
    made = replace(often(frozenset([0])), letters=(mdp.model.states_of("p0"),))
    monkeypatch.setattr(processes, "automaton_of", lambda path, known: made)
    begin = "Pmax=?" if value is dipc.MDP.value else "P>=1"
    value(mdp, f"{begin} (F G F p0)")
    value(mdp, f"{begin} (F G F (p0 & X (s | p0)))")  # the same on the paths of the model
    for text in ("G F G p0", "F G F s", "F G F (p0 & X p0)"):
        with pytest.raises(InputError, match=r"does not accept what `.*` says"):
            value(mdp, f"{begin} ({text})")


OWN = (
    "G F p0", "F G p0", "(G F p0) & (F G p1)", "(G F p0) -> (G F p1)", "G (p0 -> F p1)", "G F (p0 & X p1)",
    "F G (p0 -> X p1)", "p0 U (G p1)", "(X G F p0) | (G p2)", "G (p0 -> X (p1 U p2))", "F (p0 & G (F<=2 p1))",
    "F ((G p0) | (G p1))",
    "(F G p0) <-> (G F p1)", "(F p0) & ((G F p1) | G p2)", "G F F p0", "!((G F p0) & F G p1) | (p2 U p1)",
)  # fmt: skip


@pytest.mark.parametrize("text", OWN)
def test_automata_of_our_own(text: str) -> None:
    """Safety, co-safety, G F, F G, responses and their Boolean combinations need no other tool."""
    formula, random = parsed(text), Random(text)
    automaton = progression(formula, known(formula))
    assert automaton is not None and not automaton.is_weak
    for word, back in lassos(random, many(150, 5000)):
        assert accepts(automaton, word, back) is truths(formula, word, back)[0]


@pytest.mark.parametrize("first", range(0, many(200, 5000), 200))
def test_random_automata_of_our_own(first: int) -> None:
    """Whatever formula has an automaton of ours."""
    recurrent = 0
    for seed in range(first, first + 200):
        random = Random(seed)
        formula = parsed(random_text(random, 3))
        automaton = progression(formula, known(formula))
        recurrent += automaton is not None and not automaton.is_weak
        for word, back in lassos(random, many(20, 100)):
            assert automaton is None or accepts(automaton, word, back) is truths(formula, word, back)[0]
    assert recurrent >= 5
