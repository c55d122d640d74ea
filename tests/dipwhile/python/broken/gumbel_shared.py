import numpy as np


@dipc.mechanism(inputs="q[3] in {0, 1}", outputs="out in 0..2", adjacent="linf 1", private="eps")
def f(q, eps):
    noise = np.random.gumbel(scale=2 / eps)
    return np.argmax([x + noise for x in q])
