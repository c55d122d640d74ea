import numpy as np

import dipc


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in 0..3", adjacent="all", private="eps")
def f(x, eps):
    P = np.array([[1, 2], [3, 0]])
    P[x] = [1 / 2, 1]
    return P[x, 1]
