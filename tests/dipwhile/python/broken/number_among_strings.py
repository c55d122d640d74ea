import numpy as np

import dipc


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in 1..2", adjacent="all", private="eps")
def f(x, eps):
    words = np.array(["low", "high"])
    words[0] = x
    return 1 if words[0] == 1 else 2
