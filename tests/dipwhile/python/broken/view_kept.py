import dipc


@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in 0..9", adjacent="hamming 1", private="eps", N=2)
def f(q, eps):
    seen = {0: q[0]}
    values = seen.values()
    seen[1] = q[1]
    return sum(values)
