import random

import dipc


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def f(q, eps):
    random.seed(0)
    return q if random.random() < 3 / 4 else 1 - q
