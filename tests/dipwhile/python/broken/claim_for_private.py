@dipc.mechanism(inputs="q in {0, 1}", outputs="o in {0, 1}", adjacent="all", claim="eps")
def survey(q):
    if flip(exp(eps) / (1 + exp(eps))):
        return q
    return 1 - q
