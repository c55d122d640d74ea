import numpy as np

import dipc


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def f(q, eps):
    rng = np.random.default_rng(42)
    return int(q + rng.laplace(0, 1 / eps) > 1)
