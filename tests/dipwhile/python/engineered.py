"""Mechanisms as engineers write them, with their programs in the language and the right verdicts.

The docstring of each is the body of the same mechanism in the language; the last word is the verdict.
"""

# ruff: noqa
import math
import random

import numpy as np

import dipc
from dipc.python import DLap, Lap

rng = np.random.default_rng()
QUERIES = {"inputs": "q[N] in {0, 1}", "adjacent": "linf 1", "private": "eps", "N": 3}
COUNTS = {"inputs": "q[N] in {0, 1}", "adjacent": "hamming 1", "private": "eps", "N": 3}


@dipc.mechanism(outputs="out[N] in {True, False}", **QUERIES)
def sparse_vector(q, eps=1.0, threshold=0.5, c=1):
    """bar <- Lap(eps/2, 1/2); count <- 0
    for i in 1..N do out[i] <- false end
    for i in 1..N do if count < 1 then
      r <- Lap(eps/4, q[i]); if r >= bar then out[i] <- true; count <- count + 1 end
    end end | private"""
    bar = threshold + np.random.laplace(0, 2 * c / eps)
    found = []
    for x in q:
        if sum(found) >= c:
            found.append(False)
        else:
            found.append(x + np.random.laplace(scale=4 * c / eps) >= bar)
    return found


@dipc.mechanism(outputs="best in 0..N-1", **QUERIES)
def report_noisy_max(q, epsilon):
    """for i in 1..N do r[i] <- Lap(eps/2, q[i]) end
    best <- argmax(r) - 1 | private"""
    noisy = np.array(q) + rng.laplace(scale=2 / epsilon, size=len(q))
    return int(np.argmax(noisy))


@dipc.mechanism(outputs="best in 0..N-1, gap in 0..2", **{**QUERIES, "N": 2})
def noisy_max_gap(q, eps, N=2):
    """r[1] <- Lap(eps/2, q[1]); r[2] <- Lap(eps/2, q[2])
    if r[1] >= r[2] then best <- 0; d <- r[1] - r[2] else best <- 1; d <- r[2] - r[1] end
    gap <- disc(d + 1, 1, 2, 3) - 1
    if d < 1 then gap <- 0 elif d < 2 then gap <- 1 else gap <- 2 end | private"""
    noisy = [c + Lap(scale=2 / eps) for c in q]
    best = np.argmax(noisy)
    runner_up = max(noisy[j] for j in range(N) if j != best)
    gap = noisy[best] - runner_up
    if gap < 1:
        return best, 0
    elif gap < 2:
        return best, 1
    return best, 2


@dipc.mechanism(inputs="bit in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def randomized_response(bit, eps):
    """c <- flip(exp(eps)/(1 + exp(eps))); if c then out <- bit else out <- 1 - bit end | private"""
    p = math.exp(eps) / (1 + math.exp(eps))
    return bit if random.random() < p else 1 - bit


@dipc.mechanism(inputs="x in 0..2", outputs="report[K] in {0, 1}", adjacent="all", private="eps", K=3)
def rappor(x, eps):
    """for i in 1..3 do
      c <- flip(1/(1 + exp(eps/2))); if c = (x = i - 1) then report[i] <- 0 else report[i] <- 1 end
    end | private"""
    p = 1 / (1 + math.exp(eps / 2))
    bits = {i: int(i == x) for i in range(3)}
    for i, b in bits.items():
        u = random.random()
        bits[i] = 1 - b if u < p else b
    return [bits[i] for i in range(3)]


@dipc.mechanism(outputs="winner in {0, 1}", **COUNTS)
def exponential(q, eps):
    """winner <- Exp(eps/2, v in {0, 1}, count(i in 1..N: q[i] = v)) | private"""
    scores = [sum(1 for v in q if v == c) for c in range(2)]
    weights = np.array([math.exp(eps * s / 2) for s in scores])
    return rng.choice(2, p=weights / weights.sum())


@dipc.mechanism(outputs="h[K] in 0..3", **{**COUNTS, "private": "2*eps", "K": 2})
def histogram(q, eps, K=2):
    """for k in 1..2 do r <- DLap(eps, count(i in 1..N: q[i] = k - 1)); h[k] <- disc(r, 0, 1, 2, 3) end | private"""
    counts = [sum(1 for v in q if v == k) for k in range(K)]
    return [max(0, min(3, c + DLap(eps))) for c in counts]


def clip(v, low, high):
    return max(low, min(v, high))


@dipc.mechanism(inputs="x[N] in -2..2", outputs="s in 0..2", adjacent="hamming 1", private="eps", N=2)
def clipped_sum(x, eps):
    """r <- DLap(eps, max(0, min(1, x[1])) + max(0, min(1, x[2]))); s <- disc(r, 0, 1, 2) | private"""
    total = 0
    for v in x:
        total += clip(v, 0, 1)
    noisy = total + rng.geometric(1 - np.exp(-eps)) - rng.geometric(1 - np.exp(-eps))
    return clip(noisy, 0, 2)


@dipc.mechanism(inputs="x[N] in 0..2", outputs="m in 0..2", adjacent="hamming 1", private="eps", N=3)
def median(x, eps):
    """m <- Exp(eps/4, v in 0..2, -abs(count(i in 1..N: x[i] < v) - count(i in 1..N: x[i] > v))) | private"""

    def score(c):
        below = sum(1 for v in x if v < c)
        above = sum(1 for v in x if v > c)
        return -abs(below - above)

    candidates = range(3)
    w = [math.exp(eps * score(c) / 4) for c in candidates]
    return random.choices(candidates, weights=w)[0]


@dipc.mechanism(outputs="a in {yes, no, unsure}", **COUNTS)
def noisy_threshold(q, eps, t=2):
    """r <- Lap(eps, sum(q)); if r > 3 then a <- yes elif r < 1 then a <- no else a <- unsure end | private"""
    n = sum(q) + Lap(scale=1 / eps)
    if n > t + 1:
        return "yes"
    if n < t - 1:
        return "no"
    return "unsure"


@dipc.mechanism(outputs="m in 0..3", **COUNTS)
def rounded_mean(q, eps):
    """r <- Lap(eps, sum(q))
    if r <= 1/2 then m <- 0 elif r < 3/2 then m <- 1 elif r <= 5/2 then m <- 2 else m <- 3 end | private"""
    return int(np.clip(np.round(np.sum(q) + rng.laplace(0, 1 / eps)), 0, 3))


@dipc.mechanism(outputs="out[N] in {True, False}", **{**QUERIES, "N": 2})
def noise_reused(q, eps):
    """z <- Lap(eps, 0); for i in 1..N do out[i] <- q[i] + z > 1/2 end | violated"""
    z = np.random.laplace(0, 1 / eps)
    return [bool(v + z > 0.5) for v in q]


@dipc.mechanism(outputs="r in {0, 1}", **COUNTS)
def wrong_scale(q, eps):
    """z <- Lap(scale = eps, mean = sum(q)); if z > 1 then r <- 1 else r <- 0 end | violated"""
    n = sum(q) + np.random.laplace(0, eps)
    return 1 if n > 1 else 0


@dipc.mechanism(outputs="r in {None, 0, 1, 2, 3}", **COUNTS)
def leak(q, eps):
    """z <- Lap(eps, sum(q)); if z > 3/2 then r <- sum(q) else r <- None end | violated"""
    total = sum(q)
    if total + Lap(scale=1 / eps) > 1.5:
        return total
    return None


@dipc.mechanism(outputs="out[N] in {True, False}", **QUERIES)
def one_answer_too_many(q, eps, c=1):
    """bar <- Lap(eps/2, 0); count <- 0
    for i in 1..N do out[i] <- false end
    for i in 1..N do
      r <- Lap(eps/2, q[i]); if r >= bar then out[i] <- true; count <- count + 1 end
      if count > 1 then exit end
    end | violated"""
    bar, count = rng.laplace(0, 2 * c / eps), 0
    answers = [False] * len(q)
    for i, x in enumerate(q):
        if x + rng.laplace(0, 2 * c / eps) >= bar:
            answers[i] = True
            count += 1
        if count > c:
            break
    return answers


@dipc.mechanism(outputs="r in 0..3", **COUNTS)
def half_of_the_noise(q, eps):
    """z <- DLap(2*eps, sum(q)); r <- disc(z, 0, 1, 2, 3) | violated"""
    return max(0, min(len(q), sum(q) + DLap(scale=1 / (2 * eps))))


@dipc.mechanism(outputs="r in 0..3", **COUNTS)
def returns_early(q: list[int], epsilon: float = 1.0, *, bound: int = 3) -> int:
    """r1 <- Lap(eps, sum(q))
    if r1 <= 1/2 then r <- 0 elif r1 < 3/2 then r <- 1 elif r1 <= 5/2 then r <- 2 else r <- 3 end | private"""
    if epsilon <= 0:
        raise ValueError("epsilon must be positive")
    value = sum(q) + np.random.laplace(0, 1 / epsilon)
    if value < 0:
        return 0
    elif value > bound:
        return bound
    return round(value)
