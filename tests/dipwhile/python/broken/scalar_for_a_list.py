@dipc.mechanism(inputs="q[2] in {0, 1}", outputs="out[2] in {0, 1}", adjacent="linf 1", private="eps")
def f(q):
    return 1
