import types

np = types.SimpleNamespace()

@dipc.mechanism(inputs="q[N] in {-1, 0, 1}", outputs="out in 0..N", adjacent="linf 1", private="eps", N=3)
def f(q):
    noisy = [Lap(eps/2, x) for x in q]
    return np.argmax(noisy)
