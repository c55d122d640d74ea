@dipc.mechanism(inputs="q in {0, 1, 2}", outputs="h in 0..2", adjacent="all", private="eps")
def f(q):
    for i in range(2):
        if q == i:
            return i
