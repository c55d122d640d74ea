import dipc


@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in 0..9", adjacent="hamming 1", private="eps", N=2)
def f(q, eps):
    left = [1, 2]
    found = any(left.pop() > x for x in q)
    return len(left) + int(found)
