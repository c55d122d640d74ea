"""A fourth system, for tests: a loaded die, and how well one roll tells it from a fair one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dipc.errors import InputError
from dipc.kernel.reading import digest
from dipc.shipped import source_of


@dataclass(frozen=True)
class Verdict:
    """Whether the probabilities of every face differ at most by the factor ``c``, both ways."""

    die: Die
    worst: Fraction
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        return "private" if self.worst <= self.die.c else "violated"


@dataclass(frozen=True)
class Die:
    """The weights of the faces, and the factor that is claimed."""

    name: str
    weights: tuple[Fraction, ...]
    c: Fraction

    @staticmethod
    def load(file: str | Path) -> Die:
        """A file with two lines: ``weights 1 1 2`` and ``within 3/2``."""
        lines = source_of(file, Path).text.split("\n")
        found = dict(line.split(" ", 1) for line in lines if " " in line)
        if missing := {"weights", "within"} - found.keys():
            raise InputError(f"{file}: there is no line `{min(missing)}`")
        weights = tuple(map(Fraction, found["weights"].split()))
        return Die(str(file), tuple(w / sum(weights) for w in weights), Fraction(found["within"]))

    def check(self) -> Verdict:
        fair = Fraction(1, len(self.weights))
        return Verdict(self, max(max(w / fair, fair / w) for w in self.weights))


def certificate(verdict: Verdict) -> dict[str, Any]:
    """The two dice as a hidden Markov model whose state is seen once."""
    die, faces = verdict.die, len(verdict.die.weights)
    rows = [[[i, str(w)] for i, w in enumerate(row)] for row in (die.weights, [Fraction(1, faces)] * faces)]
    listed: dict[str, Any] = {
        "format": "dipc certificate",
        "version": 3,
        "statement": "pufferfish",
        "model": die.name,
        "states": ["loaded", "fair"],
        "observations": [str(i) for i in range(1, faces + 1)],
        "parameters": [],
        "conditions": [],
        "eps": None,
        "divisors": [],
        "emissions": rows,
        "transitions": [[], []],
        "sides": [
            {"name": name, "prior": None, "start": [[i, "1"]]} for i, name in enumerate(("loaded", "fair"))
        ],
        "pairs": [[0, 1], [1, 0]],
        "horizon": 1,
        "c": str(die.c),
        "verdict": "private",
        "proof": {"point": [], "signs": [], "cone": [], "closed": [], "items": [{"kept": None}] * 2},
    }
    return {**listed, "digest": digest(listed)}
