import numpy as np


@dipc.mechanism(inputs="q[3] in {0, 1}", outputs="first in 0..2, second in 0..2", adjacent="linf 1", private="eps")
def f(q, eps):
    noisy = q + np.random.gumbel(scale=2 / eps, size=3)
    return np.argmax(noisy), np.argmax(noisy + q)
