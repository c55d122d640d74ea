"""Where the least c is reached, or approached: the sentence is true, on open and closed ranges.

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

CHANCES = ("p", "1 - p", "p*q", "1/3", "(p + q)/2", "q", "1 - q/2", "1/2", "p*(1 - p)", "(1 + p)/3")
ENDS = (("0", "1"), ("1/4", "3/4"), ("1/2", "1"), ("0", "2/3"))
Point = dict[str, Fraction]


class Model:
    """Two states that show a or b, perhaps under a prior; p and q are in ranges."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.shows, self.weight = random.choices(CHANCES, k=2), random.choice(("p", "q", "1/2", None))
        self.ranges = {x: (random.choice(ENDS), random.choice("(["), random.choice(")]")) for x in "pq"}
        asked = "compare s(0), s(1)"
        if self.weight is not None:
            asked = f"prior P {{s(0): {self.weight}, s(1): 1 - ({self.weight})}}\n"
            asked += "secret A {s(0)}; secret B {s(0), s(1)}; compare A, B"
        ranges = (f"param {x} in {left}{low}, {high}{r}" for x, ((low, high), left, r) in self.ranges.items())
        states = (f"state s({i}) emits {{a: {p}, b: 1 - ({p})}} next stop" for i, p in enumerate(self.shows))
        self.text = "\n".join([*ranges, "observe a, b", *states, asked])

    def share(self, name: str, share: Fraction) -> Fraction:
        """A number in a range: 0 is its lower end, 1 its upper one."""
        low, high = map(Fraction, self.ranges[name][0])
        return low + share * (high - low)

    def contains(self, at: Point) -> bool:
        """Whether a point is in the ranges, with their ends as they are written."""
        ends = ((at[x], self.share(x, 0), self.share(x, 1), *self.ranges[x][1:]) for x in at)
        return all((low < x or (low == x and i == "[")) and (x < high or (x == high and j == "]"))
                   for x, low, high, i, j in ends)  # fmt: skip

    def quotients(self, at: Point) -> dict[tuple[str, str], dict[str, Fraction | None]]:
        """The quotients of a and b, None where x/0; nothing where a side is impossible."""

        def value(text: str) -> Fraction:
            return Fraction(eval(text.replace("1/", "one/"), {"one": Fraction(1), **at}))

        a = [value(p) for p in self.shows]
        sides = {"s(0)": a[0], "s(1)": a[1]}
        if self.weight is not None:
            w = value(self.weight)
            sides = {"A": a[0], "B": w * a[0] + (1 - w) * a[1]} if w else {}
        found = {}
        for s, t in product(sides, sides):
            both = {"a": (sides[s], sides[t]), "b": (1 - sides[s], 1 - sides[t])}
            found[s, t] = {o: x / y if y else None for o, (x, y) in both.items() if x or y}
        return found


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
    steps = [Fraction(i, 6) for i in range(7)]
    grid = [{"p": model.share("p", x), "q": model.share("q", y)} for x, y in product(steps, steps)]
    inside = [model.quotients(at) for at in grid if model.contains(at)]
    every = [x for pairs in inside for words in pairs.values() for x in words.values()]
    if found.high is not None:
        assert all(x is not None and x <= fraction(found.high) for x in every)
    low, reached = None if found.low is None else fraction(found.low), found.reached
    text = dict(reversed(list(lines(budget_rows(found))))).get("reached", "")
    if reached is None:
        assert not text
        return
    key, (word,) = (reached.secret, reached.against), reached.sequence
    assert text.startswith("up to the lower end ") is not found.exact
    text = text.removeprefix("up to the lower end ").removeprefix("approached ")
    kind, _, rest = text.partition(" ")
    match kind:
        case "for":
            assert rest == "every p, q"
            assert all(pairs[key].get(word, low) == low for pairs in inside if key in pairs)
        case "at":
            assert model.contains(at := goals_of(rest)) and model.quotients(at)[key][word] == low
        case _:
            assert kind == "as" and (low not in every or not found.exact)
            goals = goals_of(rest)
            for i in range(3):  # whatever the others are
                at = {x: goals.get(x, model.share(x, Fraction(1 + i, 5))) for x in "pq"}
                near = {
                    x: at[x] + (model.share(x, Fraction(1, 2)) - at[x]) / 10**9 * (x in goals) for x in at
                }
                x = model.quotients(near)[key][word]
                assert (x is None or x > 10**6) if low is None else abs(x - low) < Fraction(1, 10**6)


@pytest.mark.parametrize(("end", "how"), [(")", "as s -> 2/3"), ("]", "at s = 2/3")])
def test_a_lower_end_of_every_horizon(end: str, how: str) -> None:
    text = f"""
    param s in (1/2, 2/3{end}; observe a, b; horizon any; compare x -> y
    state x emits {{a: s, b: 1 - s}} next x; state y emits {{a: 1/2, b: 1/2}} next y
    """
    found = budget(read_question(Source("m.hmm", text)), Clock())
    assert fraction(found.low) == Fraction(4, 3) ** 8 and not found.exact and not found.attained
    assert ("reached", f"up to the lower end {how}") in lines(budget_rows(found))
