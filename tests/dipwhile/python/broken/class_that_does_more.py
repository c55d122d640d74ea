from dataclasses import dataclass

import dipc


@dataclass
class Doubled:
    seen: int

    def __post_init__(self):
        self.seen *= 2


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in 0..3", adjacent="all", private="eps")
def f(x, eps):
    return Doubled(x).seen
