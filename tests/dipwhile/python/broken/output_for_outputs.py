@dipc.mechanism(inputs="q in {0, 1, 2}", output="h in 0..2", adjacent="all", private="eps")
def f(q):
    return q
