import dipc


@dipc.mechanism(inputs="x in 0..3", outputs="out in 0..3", adjacent="l1 1", private="eps")
def f(x, eps):
    while True:
        z = x + DLap(eps)
        if 0 <= z <= 3:
            return z
