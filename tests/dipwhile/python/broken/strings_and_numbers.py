import numpy as np

import dipc


@dipc.mechanism(inputs="x in {0, 1}", outputs="out in 1..2", adjacent="all", private="eps")
def f(x, eps):
    mixed = np.array(["low", x])
    return 1 if mixed[1] == 1 else 2
