import numpy as np


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {True, False}", adjacent="all", private="eps")
def f(q, eps):
    return np.random.random() < min(1, eps)
