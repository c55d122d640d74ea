import numpy as np

import dipc


@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q, eps):
    rounds = []
    while np.random.random() < 0.5:
        rounds.append(1)
    return min(len(rounds), 3)
