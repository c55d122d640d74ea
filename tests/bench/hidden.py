"""Pufferfish privacy: verdicts and least constants."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

from flint import fmpq
from gallery import least_constant
from pufferfish.parametric_examples import example5, example6, noisy_argmax, one_shot, side

from bench.page import ROOT, Tables, row, shown, timed
from dipc.clock import Clock, Limits
from dipc.errors import Source
from dipc.models.mixtures import Claim, Pair
from dipc.numbers.parametric import Ring
from dipc.pufferfish import pipeline
from dipc.pufferfish.question import Parameters, Question
from dipc.pufferfish.reading import Replaced, read_question

LIMITS = Limits(seconds=120)
Make = Callable[[], Question]


def shipped(name: str, horizon: str | None = None) -> Question:
    """The question of a file in programs/hidden_markov, perhaps for another horizon."""
    path = ROOT / "programs" / "hidden_markov" / f"{name}.hmm"
    return read_question(Source(path.name, path.read_text(encoding="utf-8")), asked=Replaced(horizon=horizon))


def noisy_max(n: int, epsilon: fmpq) -> Question:
    """The index of the greatest of n noisy counts; in neighbours every count may differ by 1."""
    ring = Ring(())
    counts = list(product(range(3), repeat=n))
    model = one_shot(ring, [noisy_argmax(count) for count in counts])
    sides = [side(str(count), {place: ring.of(1)}) for place, count in enumerate(counts)]
    pairs = tuple(
        Pair(left, right)
        for left, u in zip(sides, counts, strict=True)
        for right, v in zip(sides, counts, strict=True)
        if u != v and all(abs(x - y) <= 1 for x, y in zip(u, v, strict=True))
    )
    return Question(model, Parameters(ring), pairs, 1, Claim(str(epsilon), fmpq(1), epsilon))


def answered(make: Make, *before: object, paper: tuple[str, ...] = ()) -> str:
    """A row: what is asked, the verdict, what the paper says of it, and the least c, with times.

    They count from the text, or from the matrices.
    """
    verdict, seconds = timed(lambda: pipeline.check(make(), Clock(LIMITS)), 3)
    found, more = timed(lambda: pipeline.budget(make(), Clock(LIMITS)), 3)
    exact = len(str(found.low)) > 40 and found.exact and found.low
    least = exact.decimal("1", 10) if exact else least_constant(found)
    return row(*before, verdict.status, *paper, shown(seconds), least, shown(more))


SHORT = "< 1 s + < 2 s"
TABLE_2: tuple[tuple[str, str, str, Make], ...] = (
    ("Example 2", "ln(2)", SHORT, partial(shipped, "ex2")),
    ("Example 3, unknown p", "ln(2)", SHORT, partial(shipped, "ex3")),
    ("Example 4, unknown p", "ln(2)", SHORT, partial(shipped, "ex4")),
    ("Example 5, unknown pA, pB, pC", "ln(2)", "Z3: none in 60 min; Redlog: no time given", example5),
    ("Example 6, unknown p2", "ln(2)", SHORT, example6),
    ("Above Threshold, five queries", "4\\*ln(2)", SHORT, partial(shipped, "above")),
)
HORIZONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Above Threshold (`above.hmm`)", "above", ("9", "11", "31", "any")),
    ("Example 2, asked again and again (`ex2-repeated.hmm`)", "ex2-repeated", ("40", "any")),
    ("two states, noisy readings (`weather.hmm`)", "weather", ("40", "any")),
)
NOISY_MAX = (
    (3, fmpq(1233, 1000), ""),
    (4, fmpq(1342, 1000), ""),
    (5, fmpq(1372, 1000), "234 s"),
    (5, fmpq(1373, 1000), "523 s"),
)


def section(few: bool = False) -> Tables:
    most = 1 if few else None
    tables: Tables = {"Table 2 of the paper": [], "Horizons": [], "Noisy max of n counts": []}
    table_2, horizons, noisy = tables.values()
    for name, claim, paper, make in TABLE_2[:most]:
        table_2.append(answered(make, name, claim, paper=(paper,)))
    for title, name, many in HORIZONS[:most]:
        states = len(shipped(name).model.states)
        horizons += [
            answered(partial(shipped, name, horizon), title, states, horizon) for horizon in many[:most]
        ]
    for n, epsilon, paper in NOISY_MAX[:most]:
        make = partial(noisy_max, n, epsilon)
        claim = f"{int(epsilon * 1000) / 1000:.3f}"
        noisy.append(answered(make, n, f"{len(make().pairs):,}", claim, paper=(paper,)))
    return tables
