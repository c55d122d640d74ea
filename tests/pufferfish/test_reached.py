"""Where the least c or t is reached, or approached: the sentence is true, on open and closed ranges.

The twin evaluates the texts of random models with fractions, at points of a grid and on the way to an end.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from campaigns import some
from rationals import fraction

from dipc.claims.rows import lines
from dipc.clock import Clock
from dipc.errors import Source
from dipc.pufferfish.pipeline import budget
from dipc.pufferfish.reading import read_question
from dipc.pufferfish.records import budget_rows
from dipc.pufferfish.verdict import Budget

CHANCES = ("p", "1 - p", "p*q", "1/3", "(p + q)/2", "q", "1 - q/2", "1/2", "p*(1 - p)", "(1 + p)/3")
ENDS = (("0", "1"), ("1/4", "3/4"), ("1/2", "1"), ("0", "2/3"))
Point = dict[str, Fraction]


class Model:
    """Two states that show a or b; they stay, or go to the other one, with a chance of their own."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.horizon = random.choice((1, 1, 2))
        self.shows = [random.choice(CHANCES) for _ in range(2)]
        self.stays = [random.choice(CHANCES) for _ in range(2)]
        self.weight = random.choice(("p", "q", "1/2", None))
        self.ranges = {x: (random.choice(ENDS), random.choice("(["), random.choice(")]")) for x in "pq"}

    @property
    def text(self) -> str:
        lines = [
            f"param {x} in {left}{low}, {high}{right}"
            for x, ((low, high), left, right) in self.ranges.items()
        ]
        lines.append("observe a, b")
        for i, (shown, stays) in enumerate(zip(self.shows, self.stays, strict=True)):
            emits, moves = (
                f"{{a: {shown}, b: 1 - ({shown})}}",
                f"{{s({i}): {stays}, s({1 - i}): 1 - ({stays})}}",
            )
            lines.append(f"state s({i}) emits {emits} next {moves}")
        if self.weight is None:
            lines.append("compare s(0), s(1)")
        else:
            lines.append(f"prior P {{s(0): {self.weight}, s(1): 1 - ({self.weight})}}")
            lines.append("secret A {s(0)}; secret B {s(0), s(1)}; compare A, B")
        return "\n".join([*lines, f"horizon {self.horizon}"])

    def contains(self, at: Point) -> bool:
        """Whether a point is in the ranges, with their ends as they are written."""
        for x, ((low, high), left, right) in self.ranges.items():
            low_ok = at[x] > Fraction(low) or (left == "[" and at[x] == Fraction(low))
            high_ok = at[x] < Fraction(high) or (right == "]" and at[x] == Fraction(high))
            if not (low_ok and high_ok):
                return False
        return True

    def quotients(self, at: Point) -> dict[tuple[str, str], dict[str, Fraction | None]]:
        """The quotients of all words, None where x/0; nothing if a side is impossible."""

        def value(text: str) -> Fraction:
            return Fraction(eval(text.replace("1/", "one/"), {"one": Fraction(1), **at}))

        shows, stays = ([value(x) for x in part] for part in (self.shows, self.stays))
        weight = None if self.weight is None else value(self.weight)
        sides = (
            {"s(0)": (1, 0), "s(1)": (0, 1)}
            if weight is None
            else {"A": (weight, 0), "B": (weight, 1 - weight)}
        )

        def probability(start, word: str) -> Fraction:
            alpha = [Fraction(x) / sum(start) for x in start]
            for i, letter in enumerate(word):
                if i:
                    alpha = [alpha[j] * stays[j] + alpha[1 - j] * (1 - stays[1 - j]) for j in (0, 1)]
                alpha = [x * (p if letter == "a" else 1 - p) for x, p in zip(alpha, shows, strict=True)]
            return sum(alpha)

        found = {}
        for s, t in product(sides, sides):
            if s != t and sum(sides[s]) and sum(sides[t]):
                words = ("".join(word) for n in range(self.horizon) for word in product("ab", repeat=n + 1))
                both = {w: (probability(sides[s], w), probability(sides[t], w)) for w in words}
                found[s, t] = {w: (x / y if y else None) for w, (x, y) in both.items() if x or y}
        return found

    def middle(self, name: str, share: Fraction = Fraction(1, 2)) -> Fraction:
        """A number in a range."""
        (low, high), *_ = self.ranges[name]
        return Fraction(low) + share * (Fraction(high) - Fraction(low))

    def points(self, steps: int = 6):
        axes = [[self.middle(x, Fraction(i, steps)) for i in range(steps + 1)] for x in self.ranges]
        return (dict(zip("pq", both, strict=True)) for both in product(*axes))


def sentence(found: Budget) -> str:
    """The row `reached`."""
    return dict(reversed(list(lines(budget_rows(found))))).get("reached", "")


def goals_of(text: str) -> Point:
    """``p -> 0, q -> 1/2`` or ``p, q -> 0`` or ``p = 1, q = 1/2``."""
    goals, names = {}, []
    for part in text.split(", "):
        name, *value = re.split(" -> | = ", part)
        names.append(name)
        if value:
            goals |= dict.fromkeys(names, Fraction(value[0]))
            names = []
    return goals


@pytest.mark.parametrize("seed", some(range(400), 16))
def test_the_sentence_is_true(seed: int) -> None:
    model = Model(seed)
    found = budget(read_question(Source("m.hmm", model.text)), Clock())
    inside = [model.quotients(at) for at in model.points() if model.contains(at)]
    every = [x for pairs in inside for words in pairs.values() for x in words.values()]
    if found.high is not None:
        assert all(x is not None and x <= fraction(found.high) for x in every)
    low = None if found.low is None else fraction(found.low)
    text, reached = sentence(found), found.reached
    if reached is None:
        assert not text
        return
    key, word = (reached.secret, reached.against), "".join(reached.sequence)
    assert text.startswith("up to the lower end ") is not found.exact
    text = text.removeprefix("up to the lower end ").removeprefix("approached ")
    kind, _, rest = text.partition(" ")
    match kind:
        case "for":
            assert rest == "every p, q"
            assert all(pairs[key].get(word, low) == low for pairs in inside if key in pairs)
        case "at":
            assert model.contains(at := goals_of(rest)) and model.quotients(at)[key][word] == low
        case "as":
            assert low not in every or not found.exact
            goals = goals_of(rest)
            for i in range(3):  # whatever the others are
                at = {x: goals.get(x, model.middle(x, Fraction(1 + i, 5))) for x in "pq"}
                near = {x: at[x] + (model.middle(x) - at[x]) / 10**9 * (x in goals) for x in at}
                x = model.quotients(near)[key][word]
                assert (x is None or x > 10**6) if low is None else abs(x - low) < Fraction(1, 10**6)
        case _:
            raise AssertionError(text)
