import math

import dipc


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q, eps):
    seen = {0: 1, 1: 2}
    return seen[q[0]]
