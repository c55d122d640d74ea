from collections import Counter


@dipc.mechanism(inputs="x[2] in {0, 1}", outputs="out in 0..2", adjacent="all", private="eps")
def f(x):
    return dict(Counter(x))[1]
