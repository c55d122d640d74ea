import math

import dipc


def collect(x, found=[]):
    found.append(x)
    return len(found)


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q, eps):
    return collect(q[0])
