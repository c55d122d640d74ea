"""A pump: a word that, repeated after a prefix, shows that no c is enough for every horizon.

Listed are a prefix v and a word w, vectors x, y > 0 on some states each, and numbers a > b >= 0.  Let
M_o(s, t) = p(s, t) e(t, o), A the product of the M_o along w, and alpha, beta the vectors of both sides after
v (by the state that showed its last observation), so that P(v w^n | left) = alpha A^n 1.  Checked:
x A >= a x; the states of x are reached from those of alpha by repeating w; the states of y contain those of
beta and are left by no step of A; A y <= b y on them.

*This is a proof*: with n states, d x <= the sum of alpha A^j over j < n for some d > 0, so that for each k
one P(v w^(k+j) | left), j < n, is at least a^k times a constant > 0; and P(v w^(k+j) | right) =
beta A^(k+j) 1 is at most b^(k+j) (beta . y)/(least entry of y).  So some quotient is at least a constant
times (a/b)^k; if b = 0 the right side is 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .chains import numbers
from .facts import ZERO
from .models import SILENCE, Model, Vector, brief, total, words
from .reading import Refused, array, integer, pair_of, rational, record


class Pump(NamedTuple):
    """A word that, repeated after a prefix, makes a quotient grow beyond all bounds."""

    model: Model
    prefix: list[int]
    word: list[int]
    x: Vector
    y: Vector
    growth: Fraction
    other: Fraction

    def shown_by(self, start: Vector) -> set[int]:
        """The states that may show the last observation of the prefix."""
        first, *rest = self.prefix
        begin = {s for s in start if self.shows(s, first)}
        return self.following(begin, rest)

    def shows(self, s: int, o: int) -> bool:
        """Whether a state may show an observation."""
        return any(shown == o for shown, _ in self.model.emissions[s])

    def following(self, states: set[int], word: Sequence[int]) -> set[int]:
        """The states that may show the last observation of a word, after these."""
        for o in word:
            after = {t for s in states for t, _ in self.model.transitions[s]}
            states = {t for t in after if self.shows(t, o)}
        return states

    def times(self, x: Vector) -> Vector:
        """x A."""
        for o in self.word:
            x = self.model.seen(self.model.moved(x)).get(o, {})
        return x

    def applied(self, y: Vector) -> Vector:
        """A y."""
        states = range(len(self.model.transitions))
        for o in reversed(self.word):
            shown: Vector = {}
            for t, value in y.items():
                shown[t] = dict(self.model.emissions[t]).get(o, ZERO) * value
            rows = (((t, p * shown[t]) for t, p in self.model.transitions[s] if t in shown) for s in states)
            y = {s: total(dict(row)) for s, row in zip(states, rows, strict=True)}
        return y

    def check(self, left: Vector, right: Vector) -> None:
        """All that the proof needs."""
        if not self.prefix or not self.word or not self.x or not self.growth > self.other >= 0:
            raise Refused("pump", "something is empty, or the growth is not greater than the other one")
        found = reached = self.shown_by(left)
        while found:
            found = self.following(found, self.word) - reached
            reached = reached | found
        if not reached.issuperset(self.x):
            raise Refused("pump", "a state of the left vector is not reached")
        states = set(self.y)
        if not states >= self.shown_by(right) | self.following(states, self.word):
            raise Refused("pump", "a state that the right side reaches is not in its vector")
        after, image = self.times(self.x), self.applied(self.y)
        if any(after.get(s, ZERO) < self.growth * value for s, value in self.x.items()):
            raise Refused("pump", "the left vector does not grow so fast")
        if any(image[s] > self.other * value for s, value in self.y.items()):
            raise Refused("pump", "the right vector grows faster")

    def text(self) -> str:
        """What it shows."""
        names = [*self.model.observations, SILENCE]
        prefix, word = (json.dumps(words(names, part)) for part in (self.prefix, self.word))
        rate = f"by {brief(self.growth / self.other)} or more" if self.other else "beyond every bound"
        return (
            f"no c is enough, as every {word} after {prefix} multiplies the quotient {rate} in the long run"
        )


def read_pump(model: Model, value: Any) -> Pump:
    """A pump, not yet checked."""
    listed = record(value, "pump", "prefix", "word", "left", "right", "growth", "other_growth")
    prefix, word = (
        [integer(o, "pump", 0, len(model.observations)) for o in array(listed[part], "pump")]
        for part in ("prefix", "word")
    )
    x, y = (positive(listed[part], len(model.states), "pump") for part in ("left", "right"))
    growth, other = (rational(listed[name], "pump") for name in ("growth", "other_growth"))
    return Pump(model, prefix, word, x, y, growth, other)


def positive(value: Any, last: int, step: str) -> Vector:
    """A vector of positive entries."""
    cells = [pair_of(cell, step) for cell in array(value, step)]
    places = numbers([s for s, _ in cells], last, step)
    found = {s: rational(x, step) for s, (_, x) in zip(places, cells, strict=True)}
    if any(x <= 0 for x in found.values()):
        raise Refused(step, "an entry is not positive")
    return found
