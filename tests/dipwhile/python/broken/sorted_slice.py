import numpy as np


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def f(x, eps):
    a = np.array([1, x, 0])
    b = a[1:]
    b.sort()
    return a[1]
