SEEN = {"a": {}}


@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def f(q):
    memo = SEEN["a"]
    if q not in memo:
        memo[q] = q if flip(exp(eps)/(1 + exp(eps))) else 1 - q
    return memo[q]
