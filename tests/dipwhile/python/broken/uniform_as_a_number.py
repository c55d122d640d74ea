import random

import dipc


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q, eps):
    u = random.random() ** 2
    return 1 if q[0] + u > 0.5 else 0
