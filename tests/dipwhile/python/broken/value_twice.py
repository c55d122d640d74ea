from dipc.python import uniform


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def f(q):
    return uniform([0, 0, 1])
