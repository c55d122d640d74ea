@dipc.mechanism(inputs=["q in {0, 1}", "r in {0 1}"], outputs="out in 0..1")
def f(q, r):
    return 0
