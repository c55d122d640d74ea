@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q):
    m = 2
    if q[0] == 1:
        m = 1
    for i in range(m):
        pass
    return 0
