"""Models for the tests: those of the note, built by code, and random ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from random import Random

from flint import fmpq

from dipc.models.hmm import HiddenMarkovModel
from dipc.models.mixtures import Claim, Pair, Side
from dipc.numbers.parametric import Parametric, Ring
from dipc.pufferfish.question import Parameters, Question

RING = Ring(())
Row = Mapping[str, object]


def number(x: object):
    if isinstance(x, Parametric):
        return x
    return RING.of(fmpq(*map(int, x.split("/"))) if isinstance(x, str) else fmpq(x))


def question(
    rows: Mapping[str, tuple[Row, Row]],
    observations: Sequence[str],
    sides: Mapping[str, Row],
    pairs: Sequence[tuple[str, str]],
    horizon: int | None,
    claim: Claim | None = None,
) -> Question:
    """``rows``: state to (emissions, transitions, empty: stop); each of the pairs is directed."""
    states = tuple(rows)

    def weights(row: Row, names: Sequence[str]):
        return tuple((names.index(name), number(p)) for name, p in row.items())

    model = HiddenMarkovModel(
        states,
        tuple(observations),
        tuple(weights(emits, observations) for emits, _ in rows.values()),
        tuple(weights(moves, states) for _, moves in rows.values()),
    )
    made = {name: Side(name, None, weights(row, states)) for name, row in sides.items()}
    compared = tuple(Pair(made[s], made[t]) for s, t in pairs)
    return Question(model, Parameters(RING), compared, horizon, claim)


def both(*pairs: tuple[str, str]) -> list[tuple[str, str]]:
    return [way for s, t in pairs for way in ((s, t), (t, s))]


G = (("2/3", "1/6", "1/6"), ("1/3", "1/3", "1/3"), ("1/6", "1/6", "2/3"))


def geometric(loops: bool = False) -> Question:
    """Example 2 of the note."""
    rows = {f"n{i}": ({str(j): G[i][j] for j in range(3)}, {f"n{i}": 1} if loops else {}) for i in range(3)}
    sides = {f"n{i}": {f"n{i}": 1} for i in range(3)}
    pairs = both(("n0", "n1"), ("n1", "n2"))
    return question(rows, "012", sides, pairs, None if loops else 1, Claim("ln(2)", fmpq(2)))


def above_threshold(horizon: int | None) -> Question:
    """66 states: section 2 of the note."""
    spread = (("4/5", "3/20", "1/20"), ("1/5", "3/5", "1/5"), ("1/20", "3/20", "4/5"))
    asked = [(m, n) for m in range(3) for n in range(3) if abs(m - n) <= 1]
    rows: dict[str, tuple[Row, Row]] = {}
    for s, t in product((1, 2), range(3)):
        after = {
            f"query({s},{x},{m},{n})": RING.of(fmpq(1, 7)) * number(spread[t][x])
            for x in range(3)
            for m, n in asked
        }
        rows[f"init({s},{t})"] = {"blank": 1}, after
    for s, x, (m, n) in product((1, 2), range(3), asked):
        law = G[m if s == 1 else n]
        rows[f"query({s},{x},{m},{n})"] = (
            {f"ask({m},{n})": 1},
            {f"answer({s},{x},{y})": law[y] for y in range(3)},
        )
    for s, x, y in product((1, 2), range(3), range(3)):
        again = {f"query({s},{x},{m},{n})": "1/7" for m, n in asked}
        rows[f"answer({s},{x},{y})"] = ({"bot": 1}, again) if y < x else ({"top": 1}, {})
    sides = {f"init({s},{t})": {f"init({s},{t})": 1} for s in (1, 2) for t in range(3)}
    observations = ["blank", "bot", "top", *(f"ask({m},{n})" for m, n in asked)]
    pairs = both(*((f"init(1,{t})", f"init(2,{t})") for t in range(3)))
    return question(rows, observations, sides, pairs, horizon, Claim("4*ln(2)", fmpq(16)))


def noisy_chain(horizon: int | None) -> Question:
    """Two states, noisy readings."""
    rows = {
        "a": ({"x": "3/4", "y": "1/4"}, {"a": "2/3", "b": "1/3"}),
        "b": ({"x": "1/4", "y": "3/4"}, {"a": "1/4", "b": "3/4"}),
    }
    return question(rows, "xy", {"a": {"a": 1}, "b": {"b": 1}}, both(("a", "b")), horizon)


def distribution(random: Random, names: Sequence[str], sparse: float) -> dict[str, fmpq]:
    """A random distribution, biased to zeros and to equal numbers."""
    weights = {name: random.choice((1, 1, 2, 3, 7)) for name in names if random.random() > sparse}
    weights = weights or {random.choice(names): 1}
    total = sum(weights.values())
    return {name: fmpq(w, total) for name, w in weights.items()}


def random_question(random: Random, states: int = 3, observations: int = 2, stops: float = 0.2) -> Question:
    names, shown = [f"s{i}" for i in range(states)], [f"o{i}" for i in range(observations)]
    sparse = random.choice((0.0, 0.3))
    rows = {
        name: (
            distribution(random, shown, sparse),
            {} if random.random() < stops else distribution(random, names, sparse),
        )
        for name in names
    }
    sides = {name: distribution(random, names, 0.3) for name in ("d", "e", "f")}
    return question(rows, shown, sides, both(("d", "e"), ("e", "f"), ("d", "f")), random.randint(1, 4))


def mixing_chain(horizon: int | None) -> Question:
    """Three states, three observations, and nothing is impossible."""
    rows = {
        "a": ({"x": "1/2", "y": "1/3", "z": "1/6"}, {"a": "1/2", "b": "1/4", "c": "1/4"}),
        "b": ({"x": "1/4", "y": "1/2", "z": "1/4"}, {"a": "1/3", "b": "1/3", "c": "1/3"}),
        "c": ({"x": "1/6", "y": "1/3", "z": "1/2"}, {"a": "1/4", "b": "1/4", "c": "1/2"}),
    }
    return question(rows, "xyz", {s: {s: 1} for s in "abc"}, both(("a", "b"), ("a", "c")), horizon)
