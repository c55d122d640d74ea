from dataclasses import dataclass

import dipc


@dataclass
class Tally:
    seen: int = 0


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in 0..3", adjacent="all", private="eps")
def f(x, eps):
    return int(Tally(x) == Tally(1))
