"""Mechanisms by many hands, with the verdict above each; all are accepted, and run, as they stand."""

# ruff: noqa
import itertools
import math
import random
import secrets
from collections import Counter
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
@dipc.mechanism(outputs="best in 0..N-1", **Q)
def report_noisy_max(queries, epsilon=1.0, N=3):
    rng = np.random.default_rng()
    sensitivity = 1
    noisy = np.asarray(queries) + rng.laplace(loc=0.0, scale=2 * sensitivity / epsilon, size=len(queries))
    return int(np.argmax(noisy))


# private
@dipc.mechanism(outputs="best in 0..N-1", **Q)
def noisy_argmax_loop(queries, epsilon=1.0, N=3):
    best_idx, best_val = -1, float("-inf")
    for i, c in enumerate(queries):
        val = c + np.random.exponential(scale=2 / epsilon)
        if val > best_val:
            best_val = val
            best_idx = i
    return best_idx


# private
@dipc.mechanism(outputs="ans[N] in {top, bot, None}", **Q)
def above_threshold(queries, threshold=0, epsilon=1.0, N=3):
    eps1 = epsilon / 2
    eps2 = epsilon - eps1
    rho = np.random.laplace(0, 1 / eps1)
    answers = []
    for q in queries:
        nu = np.random.laplace(0, 2 / eps2)
        if q + nu >= threshold + rho:
            answers.append("top")
            break
        answers.append("bot")
    answers += [None] * (len(queries) - len(answers))
    return answers


# private
@dipc.mechanism(outputs="ans[N] in {True, False, None}", **Q)
def sparse(queries, epsilon=1.0, N=3, c=2, T=0):
    eps1, eps2 = epsilon / 2, epsilon / 2
    noisy_T = T + np.random.laplace(scale=1 / eps1)
    out = [None] * N
    count = 0
    i = 0
    while i < N and count < c:
        noisy_q = queries[i] + np.random.laplace(scale=2 * c / eps2)
        if noisy_q >= noisy_T:
            out[i] = True
            count += 1
        else:
            out[i] = False
        i += 1
    return out


# private
@dipc.mechanism(inputs="value in 0..K-1", outputs="out in 0..K-1", adjacent="all", private="eps")
def k_rr(value, epsilon, K=4):
    p = math.exp(epsilon) / (math.exp(epsilon) + K - 1)
    if random.random() < p:
        return value
    others = [v for v in range(K) if v != value]
    return random.choice(others)


# private
@dipc.mechanism(inputs="value in 0..K-1", outputs="report[K] in {0, 1}", adjacent="all", private="eps")
def rappor(value, epsilon, K=3):
    q = 1 / (1 + math.exp(epsilon / 2))
    onehot = [0] * K
    onehot[value] = 1
    return [1 - b if random.random() < q else b for b in onehot]


# private
@dipc.mechanism(inputs="value in 0..K-1", outputs="report[K] in {0, 1}", adjacent="all", private="eps")
def unary_encoding(value, epsilon, K=3):
    vec = np.zeros(K, dtype=int)
    vec[value] = 1
    p = np.exp(epsilon / 2) / (np.exp(epsilon / 2) + 1)
    keep = np.random.random(K) < p
    return np.where(keep, vec, 1 - vec)


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
@dipc.mechanism(outputs="c in 0..N", **B)
def geometric_mechanism(bits, epsilon, N=3):
    alpha = math.exp(-epsilon)
    rng = np.random.default_rng()
    noise = rng.geometric(1 - alpha) - rng.geometric(1 - alpha)
    return min(max(int(np.sum(bits)) + noise, 0), N)


# private
@dipc.mechanism(inputs="xs[N] in -3..3", outputs="s in -2..4", adjacent="hamming 1", private="eps", N=2)
def clamped_sum(xs, epsilon, lower=0, upper=2):
    clamped = np.clip(xs, lower, upper)
    sensitivity = max(abs(lower), abs(upper))
    noisy = clamped.sum() + np.random.laplace(0, sensitivity / epsilon)
    return int(max(-2, min(4, round(noisy))))


# private
@dipc.mechanism(inputs="xs[N] in 0..3", outputs="m in 0..3", adjacent="hamming 1", private="eps", N=3)
def dp_median(xs, epsilon):
    candidates = list(range(4))
    utilities = []
    for c in candidates:
        rank = sum(x < c for x in xs)
        utilities.append(-abs(rank - len(xs) / 2))
    weights = [math.exp(epsilon * u / 2) for u in utilities]
    return random.choices(candidates, weights=weights, k=1)[0]


# private
@dipc.mechanism(
    inputs="xs[N] in {a, b, c}", outputs="m in {a, b, c}", adjacent="hamming 1", private="eps", N=3
)
def private_mode(xs, epsilon):
    labels = ["a", "b", "c"]
    scores = np.array([list(xs).count(l) for l in labels])
    logits = epsilon * scores / 2
    logits = logits - np.max(scores) * epsilon / 2
    probs = np.exp(logits)
    probs = probs / probs.sum()
    return np.random.choice(labels, p=probs)


# private
def _bernoulli_half():
    return secrets.randbelow(2) == 1


@dipc.mechanism(inputs="truth in {yes, no}", outputs="answer in {yes, no}", adjacent="all", private="ln(3)")
def warner_coin(truth):
    """Flip a coin: heads say the truth; tails flip again."""
    if _bernoulli_half():
        return truth
    return "yes" if _bernoulli_half() else "no"


# private
@dipc.mechanism(outputs="r in {None, 0, 1, 2, 3}", **{**B, "private": "2*eps"})
def optional_count(bits, epsilon, N=3) -> Optional[int]:
    noisy = sum(bits) + np.random.laplace(0, 1 / epsilon)
    result = None
    if noisy > 1:
        second = sum(bits) + np.random.laplace(0, 1 / epsilon)
        result = int(np.clip(np.rint(second), 0, 3))
    return result


# private
@dipc.mechanism(outputs="level in {low, medium, high}", **B)
def bucketed(bits, epsilon, N=3):
    score = float(np.mean(bits)) + np.random.laplace(loc=0, scale=1 / (len(bits) * epsilon))
    if score < 1 / 3:
        label = "low"
    elif score < 2 / 3:
        label = "medium"
    else:
        label = "high"
    return label


# private
@dipc.mechanism(outputs="over in {True, False}", **B)
def random_state(bits, epsilon, N=3):
    prng = np.random.RandomState()
    return bool(np.sum(bits) + prng.laplace(0.0, 1.0 / epsilon) > N / 2)


# private
@dipc.mechanism(
    inputs="bits[N] in {0, 1}", outputs="r in {None, 0, 1}", adjacent="hamming 1", private="ln(2)", N=2
)
def nothing_often(bits):
    r = None
    if random.random() < 0.5:
        r = 1 if random.random() < 1 / 3 + bits[0] / 3 else 0
    return r


# private
@dipc.mechanism(outputs="c in 0..N, any_ in {True, False}", **{**B, "private": "2*eps"})
def composed(bits, epsilon, N=3):
    def noisy_count(values, eps_):
        return sum(values) + np.random.laplace(0, 1 / eps_)

    count = noisy_count(bits, epsilon)
    flag = noisy_count(bits, epsilon) > 0.5
    return max(0, min(N, round(count))), flag


# private
@dipc.mechanism(
    inputs="age[N] in {young, old}",
    outputs="yes_[K] in 0..N",
    adjacent="hamming 1",
    private="2*eps",
    N=2,
    K=2,
)
def per_group(age, epsilon):
    groups = {"young": 0, "old": 0}
    for a in age:
        groups[a] += 1
    return [max(0, min(len(age), g + DLap(epsilon))) for g in groups.values()]


# private
@dipc.mechanism(
    inputs="scores[K] in {0, 1}", outputs="best in 0..K-1", adjacent="linf 1", private="2*eps", K=2
)
def permute_and_flip(scores, epsilon):
    top = max(scores)
    order = [0, 1] if random.random() < 0.5 else [1, 0]
    for i in order:
        if random.random() < math.exp(epsilon * (scores[i] - top)):
            return i
    return order[-1]


# violated
@dipc.mechanism(outputs="ans[N] in {True, False}", **Q)
def wrong_threshold(queries, epsilon=1.0, N=3, T=0):
    ans = []
    for q in queries:
        ans.append(q + np.random.laplace(0, 2 / epsilon) >= T)
    return ans


# violated
@dipc.mechanism(outputs="a in 0..N, b in 0..N", **B)
def wrong_split(bits, epsilon, N=2):
    a = sum(bits) + DLap(epsilon)
    b = sum(bits) + DLap(epsilon)
    return max(0, min(N, a)), max(0, min(N, b))


# violated
@dipc.mechanism(outputs="r in {None, 0, 1, 2, 3}", **B)
def wrong_early(bits, epsilon, N=3):
    if sum(bits) == 0:
        return None
    return max(0, min(N, sum(bits) + DLap(epsilon)))


# violated
@dipc.mechanism(
    inputs="xs[N] in 0..3", outputs="big in {True, False}", adjacent="hamming 1", private="eps", N=2
)
def wrong_sensitivity(xs, epsilon):
    return sum(xs) + np.random.laplace(0, 1 / epsilon) > 3


# violated
@dipc.mechanism(outputs="out[N] in {True, False}", **Q)
def wrong_reuse(queries, epsilon, N=2):
    noise = np.random.laplace(scale=1 / epsilon)
    return [q + noise > 0 for q in queries]


# private
@dipc.mechanism(outputs="out in 0..N", **B)
def same_name(bits, epsilon, N=3):
    out = sum(bits) + DLap(epsilon)
    return max(0, min(N, out))


# private
@dipc.mechanism(outputs="out in {None, 0, 1, 2, 3}", **B)
def gen_pcg(bits, epsilon, N=3):
    rng = np.random.Generator(np.random.PCG64())
    noisy = round(sum(bits) + rng.laplace(0, 1 / epsilon))
    if noisy < 1:
        return None
    if noisy > 3:
        return None
    return noisy


# private
@dipc.mechanism(
    inputs="value in {red, green, blue}", outputs="out in {red, green, blue}", adjacent="all", private="eps"
)
def rr_dict(value, epsilon):
    domain = ("red", "green", "blue")
    k = len(domain)
    e = np.exp(epsilon)
    probs = {}
    for d in domain:
        probs[d] = e / (e + k - 1) if d == value else 1 / (e + k - 1)
    return random.choices(list(probs.keys()), weights=list(probs.values()))[0]


# private
@dipc.mechanism(
    inputs="value in {red, green, blue}", outputs="out in {red, green, blue}", adjacent="all", private="eps"
)
def rr_cumulative(value, epsilon):
    domain = ["red", "green", "blue"]
    e = math.exp(epsilon)
    u = random.random()
    acc = 0.0
    for d in domain:
        acc += (e if d == value else 1) / (e + 2)
        if u < acc:
            return d
    return domain[-1]


# private
@dipc.mechanism(inputs="data[N] in 0..2", outputs="top in 0..2", adjacent="hamming 1", private="eps", N=3)
def noisy_histogram_mode(data, epsilon: float = 0.1) -> int:
    counts = np.bincount(data, minlength=3)
    noisy = counts + np.random.laplace(0, 2.0 / epsilon, size=counts.shape)
    return np.argmax(noisy)


# private
@dipc.mechanism(inputs="x[N] in {0, 1}", outputs="out in 0..3", adjacent="hamming 1", private="eps", N=3)
def laplace_from_exponentials(x, epsilon):
    noise = np.random.exponential(1 / epsilon) - np.random.exponential(1 / epsilon)
    y = sum(x) + noise
    return min(3, max(0, math.floor(y)))


# private
@dipc.mechanism(inputs="x in 0..4", outputs="out in {lt, gt}", adjacent="l1 1", private="eps")
def staircase(x, epsilon):
    b = secrets.choice([0, 1])
    y = x + (1 if b else -1) * np.random.exponential(1 / epsilon)
    return "lt" if y < 2 else "gt"


# private
@dipc.mechanism(
    inputs="xs[N] in 0..2", outputs="lo in 0..2, hi in 0..2", adjacent="hamming 1", private="2*eps", N=3
)
def range_finder(xs, epsilon):
    def em(score, candidates, eps):
        ws = [math.exp(eps * score(c) / 2) for c in candidates]
        total = sum(ws)
        r = random.random() * total
        for c, w in zip(candidates, ws):
            r -= w
            if r <= 0:
                return c
        return candidates[-1]

    lo = em(lambda c: -abs(sum(x < c for x in xs) - 1), [0, 1, 2], epsilon)
    hi = em(lambda c: -abs(sum(x <= c for x in xs) - 2), [0, 1, 2], epsilon)
    return lo, hi


# private
@dipc.mechanism(inputs="xs[N] in {0, 1}", outputs="n in 0..N", adjacent="hamming 1", private="eps")
def binary_randomized_count(xs, epsilon, N=3):
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    flips = np.random.binomial(1, p, size=N)
    reports = [x if f else 1 - x for x, f in zip(xs, flips)]
    return sum(reports)


# private
@dipc.mechanism(inputs="q[N] in {-1,0,1}", outputs="idx in {-1, 0, 1, 2}", adjacent="linf 1", private="eps")
def first_above_enumerate(q, epsilon, N=3, threshold=0.0):
    noisy_threshold = threshold + np.random.laplace(scale=2.0 / epsilon)
    return next(
        (i for i, v in enumerate(q) if v + np.random.laplace(scale=4.0 / epsilon) > noisy_threshold), -1
    )


# private
@dipc.mechanism(
    inputs="q[N] in {-1,0,1}", outputs="res in {below, above}", adjacent="linf 1", private="eps", N=2
)
def max_above(q, epsilon):
    noisy = [v + default_rng().laplace(0, 2 / epsilon) for v in q]
    if max(noisy) > 0:
        return "above"
    return "below"


# private
@dipc.mechanism(inputs="x[N] in {0, 1}", outputs="out in 0..3", adjacent="hamming 1", private="eps", N=3)
def sub_array(x, epsilon):
    x = np.asarray(x, dtype=float)
    s = x.sum() + np.random.default_rng().laplace(loc=0, scale=SENSITIVITY / epsilon)
    return int(np.round(s).clip(0, 3))


# violated
@dipc.mechanism(
    inputs="db[N] in {0, 1}", outputs="ans in {True, False}", adjacent="hamming 1", private="eps", N=3
)
def majority(db, epsilon):
    yes = no = 0
    for v in db:
        if v:
            yes += 1
        else:
            no += 1
    yes += np.random.laplace(0, 1 / epsilon)
    no += np.random.laplace(0, 1 / epsilon)
    return yes > no


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


# private
@dipc.mechanism(inputs="x in {0, 1, 2}", outputs="out in {0, 1, 2}", adjacent="all", private="eps")
def choices_weights(x, epsilon):
    weights = [1, 1, 1]
    weights[x] = math.exp(epsilon)
    (out,) = random.choices([0, 1, 2], weights=weights)
    return out


# private
@dipc.mechanism(inputs="x in {0, 1, 2}", outputs="out in {0, 1, 2}", adjacent="all", private="eps")
def np_choice_softmax(x, epsilon):
    logits = np.zeros(3)
    logits[x] = epsilon
    probs = np.exp(logits) / np.sum(np.exp(logits))
    return np.random.choice(np.arange(3), p=probs)


# violated
@dipc.mechanism(inputs="x in {0, 1, 2}", outputs="out in {0, 1, 2}", adjacent="all", private="eps")
def wrong_softmax(x, epsilon):
    logits = np.zeros(3)
    logits[x] = 2 * epsilon
    probs = np.exp(logits) / np.sum(np.exp(logits))
    return np.random.choice(np.arange(3), p=probs)


# violated
@dipc.mechanism(outputs="ans[N] in {True, False, None}", **Q)
def wrong_svt_same_noise(queries, epsilon=1.0, N=3, c=1):
    t = np.random.laplace(scale=2 / epsilon)
    count = 0
    out: List[Optional[bool]] = []
    for q in queries:
        if count >= c:
            out.append(None)
            continue
        if q + np.random.laplace(scale=2 / epsilon) >= t:
            out.append(True)
            count += 1
        else:
            out.append(False)
    return out


# violated
@dipc.mechanism(inputs="xs[N] in 0..3", outputs="m in 0..3", adjacent="hamming 1", private="eps", N=2)
def wrong_mean(xs, epsilon):
    mean = np.mean(xs)
    return int(np.clip(np.round(mean + np.random.laplace(0, 1 / (len(xs) * epsilon))), 0, 3))


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
@dipc.mechanism(
    inputs="scores[K] in {0, 1}", outputs="best in 0..K-1", adjacent="linf 1", private="2*eps", K=3
)
def shuffled_and_flipped(scores, epsilon):
    best = max(scores)
    order = list(range(len(scores)))
    random.shuffle(order)
    for i in order:
        if random.random() <= math.exp(epsilon * (scores[i] - best)):
            return i


# private
@dipc.mechanism(outputs="r in {True, False}", **B)
def sigmoid_rr_count(bits, epsilon, N=3):
    p = 1 / (1 + math.exp(-epsilon))
    kept = [b if random.random() < p else not b for b in bits]
    return sum(kept) * 2 > len(kept)


# private
@dipc.mechanism(inputs="x in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def e_power(x, epsilon):
    p = math.e**epsilon / (math.e**epsilon + 1)
    return x ^ (random.random() > p)


# private
@dipc.mechanism(
    inputs="xs[N] in {a, b}", outputs="winner in {a, b, tie}", adjacent="hamming 1", private="2*eps", N=2
)
def counter_winner(xs, epsilon):
    counts = Counter(xs)
    a = counts["a"] + DLap(epsilon)
    b = counts["b"] + DLap(epsilon)
    if a == b:
        return "tie"
    return "a" if a > b else "b"


# private
@dipc.mechanism(inputs="xs[N] in 0..2", outputs="mean in 0..2", adjacent="hamming 1", private="eps", N=2)
def noisy_mean(xs, epsilon):
    lo, hi = 0, 2
    n = len(xs)
    sensitivity = (hi - lo) / n
    clipped = [min(max(v, lo), hi) for v in xs]
    avg = sum(clipped) / n
    noisy = avg + np.random.laplace(0.0, sensitivity / epsilon)
    return round(min(hi, max(lo, noisy)))


# private
@dipc.mechanism(
    inputs="votes[N] in {yes, no}",
    outputs="passed in {True, False}",
    adjacent="hamming 1",
    private="eps",
    N=3,
)
def voting(votes, epsilon):
    yes = len([v for v in votes if v == "yes"])
    no = len(votes) - yes
    margin = yes - no
    return bool(margin + np.random.laplace(scale=2 / epsilon) > 0)


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
@dipc.mechanism(
    outputs="ans[N] in {above, below}", inputs="queries[N] in {0, 1}", adjacent="linf 1", private="eps", N=2
)
def svt_while(queries, epsilon, T=1):
    scale = 1.0 / epsilon
    T_hat = T + np.random.laplace(0, 2 * scale)
    answers = ["below" for _ in queries]
    i = 0
    while True:
        if i == len(queries):
            break
        v = np.random.laplace(0, 4 * scale)
        if queries[i] + v >= T_hat:
            answers[i] = "above"
            break
        i += 1
    return answers


# private
@dipc.mechanism(outputs="c in 0..3", **B)
def sum_map_reduce(bits, epsilon, N=3):
    total = reduce(lambda a, b: a + b, bits, 0)
    noise = random.expovariate(epsilon) - random.expovariate(epsilon)
    value = math.floor(total + noise + 0.5)
    return sorted([0, value, 3])[1]


# private
@dipc.mechanism(inputs="x in 0..3", outputs="code[L] in {0, 1}", adjacent="all", private="2*eps", L=2)
def bits_of(x, epsilon, L=2):
    p = 1 / (1 + np.exp(epsilon))
    bits = [(x >> i) & 1 for i in range(L)]
    flips = np.random.rand(L) < p
    return [int(b) ^ int(f) for b, f in zip(bits, flips)]


# private
@dipc.mechanism(inputs="x in 0..3", outputs="code[L] in {0, 1}", adjacent="all", private="2*eps", L=2)
def bits_of2(x, epsilon, L=2):
    p = 1 / (1 + np.exp(epsilon))
    bits = [int(c) for c in f"{x:02b}"]
    return [1 - b if random.random() < p else b for b in bits]


# private
@dipc.mechanism(inputs="xs[N] in 0..1", outputs="r in {low, high}", adjacent="hamming 1", private="eps", N=3)
def match_it(xs, epsilon):
    noisy = sum(xs) + np.random.laplace(scale=1 / epsilon)
    if (gap := noisy - 1) > 0:
        return "high"
    return "low"


# private
@dipc.mechanism(
    inputs="xs[N] in 0..1", outputs="r in {low, mid, high}", adjacent="hamming 1", private="eps", N=3
)
def buckets(xs, epsilon):
    noisy = sum(xs) + np.random.laplace(scale=1 / epsilon)
    for bound, name in [(1, "low"), (2, "mid"), (math.inf, "high")]:
        if noisy < bound:
            return name


# private
@dipc.mechanism(inputs="xs[N] in 0..1", outputs="r in 0..7", adjacent="hamming 1", private="3*eps", N=2)
def prefix_sums(xs, epsilon):
    total = 0
    out = 0
    for i, prefix in enumerate(itertools.accumulate(xs)):
        noisy = prefix + np.random.laplace(scale=1 / epsilon)
        out |= (noisy > 0.5) << i
    return out


# private
@dipc.mechanism(
    inputs="q[N] in {0, 1}", outputs="idx in {-1, 0, 1, 2}", adjacent="linf 1", private="eps", N=2
)
def two_counts(q, epsilon):
    t = np.random.laplace(scale=2 / epsilon)
    answers = [x + np.random.laplace(scale=4 / epsilon) >= t for x in q]
    return answers.index(True) if True in answers else -1


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
@dipc.mechanism(inputs="xs[N] in {0, 1}", outputs="out in 0..3", adjacent="hamming 1", private="eps", N=3)
def rng_arg2(xs, epsilon, rng=None):
    if rng is None:
        rng = np.random.default_rng()
    scale = 1 / epsilon
    noisy = np.sum(xs) + rng.laplace(scale=scale)
    noisy = np.rint(noisy)
    return int(np.minimum(np.maximum(noisy, 0), 3))
