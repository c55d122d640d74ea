from fractions import Fraction

import dipc


@dipc.mechanism(inputs="q in {0, 1}")
def f(q):
    return 0
