@dipc.mechanism(inputs="q in {0, 1}; private eps", outputs="out in 0..1")
def f(q):
    return 0
