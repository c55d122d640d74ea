@dipc.mechanism(inputs="q in {0, 1, 2}", outputs="h in 0..2", adjacent="all", private="eps")
def f(q):
    if q == 1:
        return 1
