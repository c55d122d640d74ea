@dipc.mechanism(inputs="q in {0, 1, 2}", outputs="h in 0..2", adjacent="all", privat="eps")
def f(q):
    return q
