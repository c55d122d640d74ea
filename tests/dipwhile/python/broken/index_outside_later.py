@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q):
    i = 1
    if q[0] == 1:
        i = 3
    return disc(Lap(eps, q[i]), 0, 1)
