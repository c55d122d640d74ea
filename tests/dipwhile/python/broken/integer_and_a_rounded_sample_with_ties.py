@dipc.mechanism(inputs="q in {0, 1}", outputs="out in 0..4", adjacent="all", private="eps")
def f(q):
    y = max(0.5, Lap(eps)) * q
    return min(4, max(0, 1 + round(y)))
