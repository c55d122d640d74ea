import numpy as np

import dipc


@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="best in {a, b}", adjacent="linf 1", private="eps", N=2)
def f(q, eps):
    best, most = None, 0
    for name, x in zip("ab", q):
        noisy = x + np.random.laplace(scale=2 / eps)
        if noisy > most:
            best, most = name, noisy
    return best
