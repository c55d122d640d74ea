@dipc.mechanism(inputs="q in {0, 1}")
def f(q):
    return 0
