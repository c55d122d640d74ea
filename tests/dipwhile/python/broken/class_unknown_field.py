from dataclasses import dataclass
from typing import NamedTuple

import dipc


class State(NamedTuple):
    count: int = 0


@dataclass
class Tally:
    seen: int = 0


@dataclass
class Doubled:
    seen: int

    def __post_init__(self):
        self.seen *= 2


@dataclass(frozen=True)
class Fixed:
    seen: int = 0


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in 0..3", adjacent="all", private="eps")
def f(x, eps):
    return State(x).total
