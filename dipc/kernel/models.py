"""Hidden Markov models of fractions, and what is said about their sequences."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from .chains import MAX_STATES, Row, read_row
from .facts import ZERO
from .privacy import MAX_NAME
from .reading import Refused, array, spend, text, weight

SILENCE = "-"
MAX_SHOWN = 40  # observations in a statement

Vector = dict[int, Fraction]


class Model(NamedTuple):
    """The model, with the silent state behind the last one, and its silence behind the last observation."""

    states: list[str]
    observations: list[str]
    emissions: list[Row]
    transitions: list[Row]

    def seen(self, x: Vector) -> dict[int, Vector]:
        """The parts of a vector, by the observation that its states may show."""
        found: dict[int, Vector] = {}
        for s, value in x.items():
            for o, p in self.emissions[s]:
                part = found.setdefault(o, {})
                part[s] = value * p
                spend(weight(value, p, part[s]))
        return dict(sorted(found.items()))

    def moved(self, x: Vector) -> Vector:
        """The vector after a transition."""
        found: Vector = {}
        for s, value in x.items():
            for t, q in self.transitions[s]:
                found[t] = found.get(t, ZERO) + value * q
                spend(weight(value, q, found[t]))
        return found

    def after(self, x: Vector) -> dict[int, Vector]:
        """The vector after each observation that some state of it may show, and a transition."""
        return {o: self.moved(part) for o, part in self.seen(x).items()}

    def probability(self, start: Vector, sequence: Sequence[int]) -> Fraction:
        """Of a sequence of observations."""
        for o in sequence:
            start = self.after(start).get(o, {})
        return total(start)


def total(x: Vector) -> Fraction:
    """The sum of the entries."""
    found = ZERO
    for value in x.values():
        found += value
        spend(weight(value, found))
    return found


def read_names(value: Any, step: str) -> list[str]:
    """Different names; silence is not one."""
    names = [text(name, step) for name in array(value, step)]
    if not 0 < len(names) <= MAX_STATES or len(set(names)) < len(names) or SILENCE in names:
        raise Refused(step, "there are none, too many, one is listed twice or stands for silence")
    return names


def read_rows(value: Any, count: int, last: int, step: str, stop: Row | None = None) -> list[Row]:
    """A distribution for each state; ``stop`` is what an empty one means, if it is allowed."""
    if len(array(value, step)) != count:
        raise Refused(step, "there is not one row for every state")
    return [stop if stop and row == [] else read_row(row, last, f"{step} {s}") for s, row in enumerate(value)]


def read_model(data: dict[str, Any]) -> Model:
    """The model, if every row sums to 1."""
    states, observations = (read_names(data[field], field) for field in ("states", "observations"))
    n, m = len(states), len(observations)
    stays: Row = [(n, Fraction(1))]
    emissions = read_rows(data["emissions"], n, m - 1, "emissions")
    transitions = read_rows(data["transitions"], n, n - 1, "transitions", stays)
    return Model(states, observations, [*emissions, [(m, Fraction(1))]], [*transitions, stays])


def words(names: Sequence[str], sequence: Sequence[int]) -> str:
    """The beginning of a sequence."""
    return " ".join(names[o][:MAX_NAME] for o in sequence[:MAX_SHOWN])


def told(
    sides: Sequence[str], probabilities: Sequence[Fraction], names: Sequence[str], sequence: Sequence[int]
) -> str:
    """What both sides show, in words."""
    more = f" ... ({len(sequence)} observations)" if len(sequence) > MAX_SHOWN else ""
    shows = json.dumps(words(names, sequence)) + more
    left, right = map(brief, probabilities)
    return f"{sides[0]} shows {shows} with {left}, {sides[1]} with {right}"


def brief(p: Fraction) -> str:
    """A number, exactly if it is short."""
    bits = max(p.numerator.bit_length(), p.denominator.bit_length())
    return str(p) if bits <= 256 else f"a number of {bits} bits"
