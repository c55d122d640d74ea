from typing import NamedTuple

import dipc


class State(NamedTuple):
    count: int = 0


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in 0..3", adjacent="all", private="eps")
def f(x, eps):
    return State(x).total
