import numpy as np

import dipc


@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in 0..3", adjacent="hamming 1", private="eps", N=2)
def f(q, eps):
    return int(np.argmax(q, 0))
