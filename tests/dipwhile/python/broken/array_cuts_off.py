import numpy as np

import dipc


rng = np.random.default_rng(1)


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q, eps):
    a = np.zeros(2, dtype=int)
    a[0] = q[0] + rng.laplace(0, 1 / eps)
    return int(a[0] > 0)
