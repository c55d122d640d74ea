@dipc.mechanism(inputs="x in {0, 1}", outputs="out in 0..6", adjacent="all", private="eps")
def f(x, eps):
    noisy = DLap(eps, x)
    return max(0, min(6, 1 ^ noisy))
