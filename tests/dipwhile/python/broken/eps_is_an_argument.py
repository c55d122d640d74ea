@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps")
def f(q, N=3, eps=1):
    if Lap(eps, q[0]) > 0:
        return 1
    return 0
