import dipc


@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in 0..9", adjacent="hamming 1", private="eps", N=2)
def f(q, eps):
    pairs = zip(q, [1, 2])
    return sum(a for a, b in pairs) + sum(b for a, b in pairs)
