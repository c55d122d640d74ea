"""What tests of Pufferfish certificates share: writing, reading, altering, and a slow judge."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificate import altered
from certificate.altered import checker

from dipc.certificate.format import dumps
from dipc.cli.main import status
from dipc.clock import Clock
from dipc.errors import Source
from dipc.kernel import pufferfish
from dipc.pufferfish import pipeline
from dipc.pufferfish.certify import question_certificate
from dipc.pufferfish.question import Question
from dipc.pufferfish.reading import Replaced, read_question

FOLDER = Path(__file__).parent.parent.parent / "programs" / "hidden_markov"


def written(asked: Question) -> dict[str, Any]:
    """The certificate of dipc's verdict, as it is read back."""
    return json.loads(dumps(question_certificate(asked, pipeline.check(asked, Clock()))))


checked = checker(pufferfish.Certificate)
others = partial(altered.others, words=("private", "violated", "-"))


def shipped(name: str, **asked: str) -> Question:
    path = FOLDER / f"{name}.hmm"
    return read_question(Source(path.name, path.read_text(encoding="utf-8")), asked=Replaced(**asked))


def asked_in(text: str, **asked: str) -> Question:
    return read_question(Source("x.hmm", text), asked=Replaced(**asked))


def verify_each(
    capsys: pytest.CaptureFixture[str], cases: Iterable[tuple[list[str], int, str]], *file: str
) -> None:
    """``dipc verify`` with some arguments: the exit status, and words of its output."""
    capsys.readouterr()
    for arguments, expected, words in cases:
        assert status(["verify", *file, *arguments]) == expected, arguments
        out, err = capsys.readouterr()
        assert words in out + err, (arguments, out, err)


# --- the slow judge: numbers at points of the class, full matrices, all sequences -------------------------

Number = Fraction | float
GRID = [Fraction(n, 64) for n in (0, 1, 13, 32, 40, 63, 64)]


def value(terms: list[Any], point: Sequence[Fraction]) -> Fraction:
    return sum(
        (Fraction(c) * prod(x**n for x, n in zip(point, powers, strict=True)) for powers, c in terms),
        Fraction(0),
    )


class Judge:
    """A certificate, judged at some points; without parameters there is one."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data, self.eps = data, data["eps"]
        self.sizes = len(data["states"]) + 1, len(data["observations"]) + 1
        self.matrices = cache(self._matrices)

    def function(self, written: Any, point: Sequence[Fraction]) -> Fraction:
        if isinstance(written, str):
            return Fraction(written)
        above, divisor = written
        return value(above, point) / (1 if divisor is None else value(self.data["divisors"][divisor], point))

    def _matrices(self, *point: Fraction) -> tuple[Any, Any]:
        n, m = (size - 1 for size in self.sizes)
        emit, move = (
            [[Fraction(0)] * (m + 1) for _ in range(n + 1)],
            [[Fraction(0)] * (n + 1) for _ in range(n + 1)],
        )
        for s in range(n):
            for o, p in self.data["emissions"][s]:
                emit[s][o] = self.function(p, point)
            for t, p in self.data["transitions"][s]:
                move[s][t] = self.function(p, point)
            if not self.data["transitions"][s]:
                move[s][n] = Fraction(1)
        emit[n][m] = move[n][n] = Fraction(1)
        for row in (*emit, *move):
            assert sum(row) == 1 and min(row) >= 0
        return emit, move

    def probability(self, side: int, word: Any, point: list[Fraction]) -> Fraction | None:
        """None where the side is impossible."""
        (emit, move), n = self.matrices(*point), self.sizes[0]
        alpha = [Fraction(0)] * n
        for s, p in self.data["sides"][side]["start"]:
            alpha[s] = self.function(p, point)
        assert min(alpha) >= 0
        whole = sum(alpha)
        if not whole:
            return None
        for i, o in enumerate(word):
            if i:
                alpha = [sum(alpha[s] * move[s][t] for s in range(n)) for t in range(n)]
            alpha = [alpha[s] * emit[s][o] for s in range(n)]
        return sum(alpha, Fraction(0)) / whole

    def breaks(self, pair: Any, word: Any, point: list[Fraction]) -> bool:
        left, right = (self.probability(side, word, point) for side in pair)
        if left is None or right is None:
            return False
        c = Fraction(self.data["c"])
        if self.eps is None:
            return left > c * right
        rate = Fraction(self.eps["rate"]) * self.eps["unit"]  # exp(rate*eps) = x^-rate: compare powers
        x, power = point[self.eps["parameter"]], rate.denominator
        return left**power * x**rate.numerator > (c * right) ** power

    def belongs(self, point: list[Fraction]) -> bool:
        for x, each in zip(point, self.data["parameters"], strict=True):
            low, high = value(each["low"], point), value(each["high"], point)
            if not (low < x or (each["low_closed"] and low == x)):
                return False
            if not (x < high or (each["high_closed"] and x == high)):
                return False
        return all(value(g, point) >= 0 for g in self.data["conditions"])

    def points(self, random: Random, count: int) -> Iterator[list[Fraction]]:
        """Points of the class, the ends of ranges among them if they belong to it."""
        for _ in range(count):
            point: list[Fraction] = []
            rest = len(self.data["parameters"])
            for each in self.data["parameters"]:
                at = [*point, *[Fraction(0)] * (rest - len(point))]
                low, high = value(each["low"], at), value(each["high"], at)
                point.append(low + (high - low) * random.choice(GRID))
            if self.belongs(point):
                yield point

    def grows(self, pair: Any, pump: dict[str, Any]) -> bool:
        """Whether some quotient is large after 40 repetitions or a few more."""
        rate = Fraction(pump["growth"]) / (Fraction(pump["other_growth"]) or Fraction(1, 10))
        words = (pump["prefix"] + pump["word"] * more for more in range(40, 40 + self.sizes[0]))
        quotients = ([self.probability(side, word, []) for side in pair] for word in words)
        return any(left > right * rate**30 for left, right in quotients)

    def is_true(self, count: int = 40, longest: int | None = None) -> bool:
        horizon, parameters = self.data["horizon"], self.data["parameters"]
        longest = longest or (3 if parameters else 4)
        if self.data["verdict"] == "violated":
            proof = self.data["proof"]
            point = [Fraction(x) for x in proof["point"]]
            if self.eps is not None:
                power = (Fraction(self.eps["rate"]) * self.eps["unit"]).denominator
                point[self.eps["parameter"]] **= power
            pair, sequence, pump = self.data["pairs"][proof["pair"]], proof["sequence"], proof["pump"]
            grows = not pump or (horizon is None and self.grows(pair, pump))
            short = 0 < len(sequence) <= (horizon or 10**6)
            return short and grows and self.belongs(point) and self.breaks(pair, sequence, point)
        for point in self.points(Random(1), count if parameters else 1):
            for word in product(range(self.sizes[1]), repeat=min(horizon or longest, longest)):
                try:
                    if any(self.breaks(pair, word, point) for pair in self.data["pairs"]):
                        return False
                except ZeroDivisionError:  # nothing is defined there
                    continue
        return True
