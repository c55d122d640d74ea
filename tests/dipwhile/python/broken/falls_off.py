import random

import dipc


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def f(x, eps):
    if random.random() < 0.5:
        return x
