@dipc.mechanism(inputs={"q": {0, 1}}, outputs="out in 0..1")
def f(q):
    return 0
