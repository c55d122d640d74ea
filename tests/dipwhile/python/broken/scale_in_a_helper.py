import math

import dipc


def noisy(x):
    return x + Lap(1 / eps)


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q, eps):
    return 1 if noisy(q[0]) > 0 else 0
