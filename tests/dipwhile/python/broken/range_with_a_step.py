@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q):
    n = 0
    for i in range(0, N, 2):
        n += i
    return n
