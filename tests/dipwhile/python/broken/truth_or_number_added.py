import numpy as np


@dipc.mechanism(inputs="q[2] in {0, 1}", outputs="o in 0..4", adjacent="all", private="eps")
def f(q, eps):
    a = np.array([q[0] == 1, q[1] == 1])
    b = a[1]
    if q[0] == 1:
        b = 1
    return b + b
