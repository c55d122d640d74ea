import math

import dipc


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q, eps):
    found = [x + Lap(scale=1/eps) > 0 for x in q if x != 0]
    return found[0] + found[-1]
