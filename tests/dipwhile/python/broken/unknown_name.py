@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q):
    noisy = Lap(eps/2, q[0])
    return 1 if nosy > 0 else 0
