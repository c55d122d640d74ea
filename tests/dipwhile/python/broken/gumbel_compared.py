import numpy as np


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {True, False}", adjacent="all", private="eps")
def f(q, eps):
    return q + np.random.gumbel(scale=1 / eps) > 0.5
