import numpy as np

import dipc


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q, eps):
    x = np.random.geometric(0.5)
    return 1 if x > 2 else 0
