"""Mechanisms by many hands, with the verdict above each; all are accepted, and run, as they stand."""

# ruff: noqa
import itertools
import math
import random
import secrets
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from typing import Dict, List, Optional

import numpy as np
from numpy.random import default_rng

import dipc

SENSITIVITY = 1.0
Q = dict(inputs="queries[N] in {-1, 0, 1}", adjacent="linf 1", private="eps")
S = dict(inputs="scores[K] in 0..2", adjacent="linf 1", private="eps")
B = dict(inputs="bits[N] in {0, 1}", adjacent="hamming 1", private="eps")


# private
@dipc.mechanism(
    inputs="records[N] in 0..2", outputs="hist[K] in 0..N", adjacent="hamming 1", private="2*eps", N=3
)
def thresholded_histogram(records, epsilon, K=3, tau=2):
    hist = {}
    for r in records:
        hist[r] = hist.get(r, 0) + 1
    released = []
    for k in range(K):
        noisy = hist.get(k, 0) + np.random.laplace(0, 1 / epsilon)
        if noisy < tau:
            released.append(0)
        else:
            released.append(int(np.clip(round(noisy), 0, len(records))))
    return released


# private
def _bernoulli_half():
    return secrets.randbelow(2) == 1


@dipc.mechanism(inputs="truth in {yes, no}", outputs="answer in {yes, no}", adjacent="all", private="ln(3)")
def warner_coin(truth):
    """Flip a coin: heads say the truth; tails flip again."""
    if _bernoulli_half():
        return truth
    return "yes" if _bernoulli_half() else "no"


# violated
@dipc.mechanism(outputs="ans[N] in {True, False}", **Q)
def wrong_threshold(queries, epsilon=1.0, N=3, T=0):
    ans = []
    for q in queries:
        ans.append(q + np.random.laplace(0, 2 / epsilon) >= T)
    return ans


# private
@dipc.mechanism(inputs="data[N] in 0..2", outputs="top in 0..2", adjacent="hamming 1", private="eps", N=3)
def noisy_histogram_mode(data, epsilon: float = 0.1) -> int:
    counts = np.bincount(data, minlength=3)
    noisy = counts + np.random.laplace(0, 2.0 / epsilon, size=counts.shape)
    return np.argmax(noisy)


# private
@dipc.mechanism(inputs="x[N] in {0, 1}", outputs="out in 0..3", adjacent="hamming 1", private="eps", N=3)
def sub_array(x, epsilon):
    x = np.asarray(x, dtype=float)
    s = x.sum() + np.random.default_rng().laplace(loc=0, scale=SENSITIVITY / epsilon)
    return int(np.round(s).clip(0, 3))


# private
@dipc.mechanism(
    inputs="db[N] in {0, 1}", outputs="ans in {True, False}", adjacent="hamming 1", private="eps", N=3
)
def with_math_inf(db, epsilon):
    if epsilon == math.inf:
        return sum(db) > 1
    if not epsilon > 0:
        raise ValueError("bad epsilon")
    assert epsilon > 0, "positive"
    return sum(db) + np.random.laplace(0, 1 / epsilon) > 1


# violated
@dipc.mechanism(
    inputs="bits[N] in {0, 1}", outputs="h[K] in 0..3", adjacent="hamming 1", private="eps", N=3, K=2
)
def wrong_hist(bits, epsilon, K=2):
    noise = rng_noise(epsilon)
    return [max(0, min(3, sum(b == k for b in bits) + noise)) for k in range(K)]


def rng_noise(e):
    g = np.random.default_rng()
    return g.geometric(1 - np.exp(-e)) - g.geometric(1 - np.exp(-e))


# private
@dipc.mechanism(
    outputs="top[M] in 0..K-1", inputs="scores[K] in {0, 1}", adjacent="linf 1", private="2*eps", K=3, M=2
)
def top_k_argsort(scores, epsilon, M=2):
    noisy = np.array(scores) + np.random.laplace(0, 2 / epsilon, len(scores))
    return np.argsort(-noisy)[:M].tolist()


# private
@dipc.mechanism(inputs="x in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def e_power(x, epsilon):
    p = math.e**epsilon / (math.e**epsilon + 1)
    return x ^ (random.random() > p)


# private
@dipc.mechanism(
    inputs="x in {0, 1, 2, 3}", outputs="out in {None, 0, 1, 2, 3}", adjacent="all", private="eps"
)
def subset_or_none(x, epsilon, k=4):
    keep = math.exp(epsilon) / (math.exp(epsilon) + k)
    r = random.random()
    if r < keep:
        return x
    candidates: list = [None] + [v for v in range(k) if v != x]
    return candidates[random.randrange(len(candidates))]


# private
@dipc.mechanism(outputs="c in 0..3", **B)
def sum_map_reduce(bits, epsilon, N=3):
    total = reduce(lambda a, b: a + b, bits, 0)
    noise = random.expovariate(epsilon) - random.expovariate(epsilon)
    value = math.floor(total + noise + 0.5)
    return sorted([0, value, 3])[1]


# private
@dipc.mechanism(
    inputs="xs[N] in {0, 1}", outputs="out[N] in {0, 1}", adjacent="hamming 1", private="eps", N=3
)
def vectorised(xs, epsilon):
    xs = np.array(xs)
    mask = np.random.uniform(0, 1, size=xs.shape) < 1 / (1 + np.exp(epsilon))
    xs[mask] = 1 - xs[mask]
    return xs.tolist()


# private
@dipc.mechanism(inputs="xs[N] in {0, 1}", outputs="out in 0..3", adjacent="hamming 1", private="eps", N=3)
def rng_arg(xs, epsilon, rng=None):
    rng = rng or np.random.default_rng()
    return int(np.clip(np.floor(sum(xs) + rng.laplace(0, 1 / epsilon)), 0, 3))


# private
@dipc.mechanism(outputs="best in 0..K-1", K=3, **S)
def gumbel_max(scores: np.ndarray, eps: float = 1.0) -> int:
    """The exponential mechanism by the Gumbel trick (utility of sensitivity 1)."""
    noise = np.random.default_rng().gumbel(size=len(scores))
    return int(np.argmax(eps * np.asarray(scores) / 2 + noise))


# violated
@dipc.mechanism(outputs="best in 0..K-1", K=3, **S)
def gumbel_of_half_the_scale(scores, eps):
    noisy = np.array([s + np.random.gumbel(scale=1 / eps) for s in scores])
    return int(np.argmax(noisy))


# private
@dipc.mechanism(outputs="best in 0..K-1", K=3, **S)
def softmax(scores, eps):
    logits = eps * np.array(scores) / 2
    logits = logits - np.max(logits)
    probs = np.exp(logits)
    probs /= np.sum(probs)
    return int(np.random.default_rng().choice(len(scores), p=probs))


# private
@dipc.mechanism(inputs="v in 0..2", outputs="bits[3] in {0, 1}", adjacent="all", private="eps")
def unary_encoding(v, eps, d=3):
    """Optimised unary encoding: one bit is kept half of the time."""
    p, q = 0.5, 1 / (np.exp(eps) + 1)
    one_hot = np.zeros(d, dtype=int)
    one_hot[v] = 1
    u = np.random.rand(d)
    return np.where(one_hot == 1, u < p, u < q).astype(int)


# private
@dipc.mechanism(inputs="q[N] in {0, 1}", outputs="out in -1..N-1", adjacent="linf 1", private="eps", N=3)
def above_while(q, eps):
    bar = 1 + np.random.laplace(0, 2 / eps)
    i = 0
    found = False
    while i < len(q) and not found:
        if q[i] + np.random.laplace(0, 4 / eps) >= bar:
            found = True
        else:
            i += 1
    return i if found else -1


# private
@dipc.mechanism(outputs="out[N] in {0, 1}", N=2, **B)
def masks(bits, eps):
    b = np.array(bits) == 1
    keep = np.random.random(len(bits)) < np.exp(eps) / (1 + np.exp(eps))
    return ((b & keep) | (~b & ~keep)).astype(int)


# violated
@dipc.mechanism(outputs="count in 0..N, majority in {True, False}", N=3, **B)
def budget_not_split(bits, eps):
    n = int(np.sum(bits))
    count = int(np.clip(np.rint(n + np.random.laplace(0, 1 / eps)), 0, 3))
    noisy = n + np.random.laplace(0, 1 / eps)
    return {"majority": bool(noisy > len(bits) / 2), "count": count}


# violated
@dipc.mechanism(outputs="label in {None, 0, 1}", N=3, **B)
def confident_vote(bits, eps, threshold=3):
    """The check of the threshold is not noised."""
    counts = np.bincount(bits, minlength=2)
    if np.max(counts) < threshold:
        return None
    return int(np.argmax(counts + np.random.laplace(0, 2 / eps, size=2)))


# private
@dipc.mechanism(outputs="out[N] in 0..2", N=2, **B)
def tree_with_memo(bits, eps):
    noise = {}

    def node(low, high):
        if (low, high) not in noise:
            noise[(low, high)] = np.random.laplace(0, 2 / eps)
        return sum(bits[low:high]) + noise[low, high]

    return [int(max(0, min(2, round(node(0, k + 1))))) for k in range(2)]


HASHES = [(0, 1, 0), (0, 1, 1), (1, 0, 0), (0, 0, 1)]


# private
@dipc.mechanism(inputs="v in 0..2", outputs="seed in 0..3, bit in {0, 1}", adjacent="all", private="eps")
def local_hashing(v, eps):
    seed = secrets.randbelow(len(HASHES))
    h = HASHES[seed][v]
    if np.random.random() > 1 / (1 + np.exp(-eps)):
        h = 1 - h
    return seed, h


# private
@dipc.mechanism(inputs="x in 0..2", outputs="y in 0..2", adjacent="all", private="eps")
def table_of_responses(x, eps, k=3):
    P = np.full((k, k), 1 / (np.exp(eps) + k - 1))
    np.fill_diagonal(P, np.exp(eps) * P[0, 1])
    for row in P:
        row /= row.sum()
    return np.random.choice(k, p=P[x, :])


# violated
@dipc.mechanism(inputs="x in 0..2", outputs="y in 0..2", adjacent="all", private="eps")
def table_changed_by_its_row(x, eps):
    """The rows are views: the first response is more likely from 0 than it looks."""
    e = np.exp(eps)
    P = np.array([[e, 1, 1], [1, e, 1], [1, 1, e]])
    row = P[0]
    row[0] *= e
    return np.random.choice(3, p=P[x] / sum(P[x]))


@dataclass
class Budget:
    left: float = 1.0


# private
@dipc.mechanism(
    inputs="q[N] in {0, 1}", outputs="out[N] in {True, False}", adjacent="linf 1", private="eps", N=2
)
def spends_a_budget(q, eps):
    budget, out = Budget(), []
    for v in q:
        share = budget.left / 2 if len(out) == 0 else budget.left
        out.append(v + np.random.laplace(scale=1 / (share * eps)) > 1 / 2)
        budget.left -= share
    return out


# violated
@dipc.mechanism(
    inputs="q[N] in {0, 1}", outputs="out[N] in {True, False}", adjacent="linf 1", private="eps", N=2
)
def spends_it_twice(q, eps):
    """Both names mean one budget, which has all of eps again."""
    budget, out = Budget(), []
    fresh = budget
    for v in q:
        share = budget.left / 2
        out.append(v + np.random.laplace(scale=1 / (share * eps)) > 1 / 2)
        budget.left -= share
        fresh.left = 2.0
    return out


# private
@dipc.mechanism(inputs="x in 0..3", outputs="y in 0..3", adjacent="l1 1", private="2*eps")
def drawn_until_it_is_there(x, eps):
    return random.choices(range(4), weights=[np.exp(-eps * abs(v - x)) for v in range(4)])[0]
