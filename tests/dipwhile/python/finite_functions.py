"""Functions as engineers write them whose choices are finite: run by `test_as_python_runs.py`, too.

Each has its inputs and outputs in a comment above it; dipc reads the same text.
"""

# ruff: noqa
import math
import random
import secrets
from collections import Counter, defaultdict, namedtuple
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate, chain, product
from typing import NamedTuple

import numpy as np

rng = np.random.default_rng()
LEVELS = [0, 1, 3]
Pair = namedtuple("Pair", "low high", defaults=[2])


class State(NamedTuple):
    count: int
    done: bool = False


@dataclass
class Tally:
    seen: int = 0
    share: float = 0.25


@dataclass(frozen=True)
class Fixed:
    share: float = 0.25
    bound: int = 3


def coin(bit, p):
    return bit if flip(p) else 1 - bit


def clamp(v, lo=0, hi=2):
    if v < lo:
        return lo
    if v > hi:
        return hi
    return v


# x in {0, 1} | reports[T] in {0, 1}
def memo(x, eps, T=2):
    seen = {}
    reports = []
    for t in range(T):
        if x not in seen:
            seen[x] = coin(x, math.exp(eps) / (1 + math.exp(eps)))
        reports.append(coin(seen[x], 3 / 4))
    return reports


# x in 0..2 | out in 0..2
def one_number_twice(x, eps):
    u = rng.random()
    low = u < 1 / 3
    high = u >= 2 / 3
    if low and high:
        return 2
    return int(low) if not high else x


# x in -3..3 | out in -20..20
def rounding(x, eps):
    a = round(x / 2)
    b = int(x / 2)
    c = x // 2
    d = x % 3
    e = math.floor(x / 2) + math.ceil(x / 2)
    return a + 2 * b + 3 * c + d + e


# x in {0, 1} | out in 0..30
def bounds_of_integers(x, eps):
    return rng.integers(2) + 2 * random.randint(0, 1) + 4 * random.randrange(2) + 8 * secrets.randbelow(2) + x


# q[N] in {0, 1, 2} | out in 0..2
def weighted_numpy(q, eps, N=2):
    scores = np.array([sum(v == c for v in q) for c in range(3)])
    p = np.exp(eps * scores / 2)
    return rng.choice(3, p=p / np.sum(p))


# q[N] in {0, 1, 2} | a[M] in 0..8
def orders(q, eps, N=3, M=4):
    s = sorted(q)
    m = np.median(q)
    first, second = s[:2]
    largest = max(v for v in q if v >= first)
    return [s[-1], m, second + sum(s[1:]), max(range(len(q)), key=lambda i: q[i]) + largest]


# x in 0..3 | out in 0..6
def from_outside(x, eps):
    return LEVELS[clamp(x)] + (x in LEVELS) + min(max(x, 1), 2)


# q[N] in {-1, 0, 2} | out[N] in -4..4
def arrays(q, eps, N=3):
    a = np.array(q)
    b = np.where(a > 0, a, -a)
    c = np.clip(a, 0, 1) + np.zeros(N, dtype=int)
    return list(b + c * (a != 0))


# x in {0, 1} | out in 0..1
def truth_values(x, eps):
    b = flip(1 / 3)
    c = x or b
    d = b and flip(1 / 2)
    return int(bool(c) ^ d)


# x in 0..2 | out in 0..4
def binomial(x, eps):
    kept = [flip(1 / 2) for _ in range(x)]
    return sum(kept) + rng.binomial(2, 1 / 4)


# q[N] in {0, 1, 2} | h[K] in 0..9
def counters(q, eps, N=2, K=3):
    found = Counter(q)
    made = defaultdict(int)
    for v in q:
        made[v] += 2
    sizes = len(found) + len(made) + (found[5] if 5 not in found else 9)
    return [found[0] + made[1], sizes, made[2] + len(made)]


# x in 0..2 | h[K] in 0..9
def aliases_in_branches(x, eps, K=3):
    a, b = [0], [1, 2]
    table = {"left": a, "right": b}
    if flip(1 / 3):
        a = b
    a[0] = 5
    if x > 0:
        table["left"], table["right"] = table["right"], table["left"]
    table["left"].append(x)
    return [b[0], len(a) + len(b), table["right"][-1]]


# x in 0..3 | out in 0..9
def narrowed_and_met_again(x, eps):
    y = 0
    if x != 2:
        if x > 0:
            y = x + 1
        z = x == 3
    else:
        z = flip(1 / 2)
        y = x
    return y + (4 if z else 0) + (1 if x == 2 else 0)


# q[N] in {0, 1} | out[K] in 0..9
def ones_for_true(q, eps, N=2, K=3):
    above = list(q)
    above.sort(reverse=1)
    highest = int(rng.integers(0, 1, endpoint=1))
    cell = np.array(q)[0].astype("int")
    return [sorted(q, reverse=1)[0] + above[1], highest, cell + len(list(zip(q, [1, 2], strict=True)))]


# q[N] in {0, 1} | out[K] in 0..9
def gone_through_at_once(q, eps, N=2, K=3):
    seen = {}
    for place, (x, weight) in enumerate(zip(q, [1, 2])):
        seen[place] = x * weight
    found = list(reversed(sorted(seen.values())))
    found.extend(x + 1 for x in q)
    low, high = map(lambda v: v if flip(1 / 4) else 1 - v, q)
    known = (1 if 1 in seen.keys() else 0) + 2 * high - low
    return [
        found[0] + found[3],
        known + 1 + max(map(lambda v: v + 1, q)),
        sum(k for k, v in seen.items() if v),
    ]


# x in 0..2 | out in 0..2
def roulette(x, eps):
    weights = [math.exp(eps) if v == x else 1 for v in range(3)]
    r = random.random() * sum(weights)
    for v, w in enumerate(weights):
        r -= w
        if r <= 0:
            return v
    return 2


# x in {0, 1} | out in {0, 1}
def scaled_by_the_input(x, eps):
    drawn = random.random()
    if x:
        drawn = 3 * drawn
    else:
        drawn = 1 - 2 * drawn
    return drawn < 1 / 2


# x in {0, 1} | out in 0..9
def shifted_and_rounded(x, eps):
    fair = int(3 * random.random()) + int(rng.random() * 2 + 1)
    return fair + (1 - random.random() < 1 / 3) + (rng.uniform(-1, 1) > 0.5 * x) + x


# x in {0, 1} | out in 0..9
def defaults_on_paths(x, eps):
    f, i = None, 0
    while i < 2:
        if flip(1 / 2) or i == 1:
            f = lambda k=i: k + 1
            i = 2
        i += 1
    return f() + x


# x in {0, 1} | out in 0..3
def infinities(x, eps):
    best = float("-inf")
    if x > 0:
        best = 2
    if best == -math.inf and best <= -math.inf and best != math.inf:
        return 0
    return 1 if best >= math.inf else best


# q[N] in {0, 1} | out[N] in {True, False, None}
def three_answers(q, eps, N=3):
    out = [None] * N
    for i, v in enumerate(q):
        out[i] = v == 1 if flip(3 / 4) else None
        if out[i]:
            break
    return out


# x in 0..2 | out in 0..9
def states_in_no_set(x, eps):
    state, mood = "idle", None
    for _ in range(2):
        if state == "idle" and x > 0:
            state = "busy" if flip(1 / 3) else random.choices(["late", "gone"], [1, 2])[0]
        elif state != "busy":
            mood = state
    return (state == "busy") + 2 * (mood is None) + 4 * (mood == "gone")


# q[N] in {0, 1} | out in 0..9
def output_is_a_variable(q, eps, N=3):
    out = 50 * sum(q) + 5
    out = out // 10
    return min(9, out + below(q[0]))


def below(v):
    return 2 * v if flip(1 / 2) else 0


# q[N] in {0, 1} | out in 0..9
def compared_with_private_bounds(q, eps, N=2):
    u = random.random() - 0.5
    return 2 * (q[0] + u > 0.25) + (q[0] + u > q[1])


# x in {0, 1} | out in 0..9
def parts_of_other_shapes(x, eps):
    y = x and ([1] if flip(1 / 4) else [1, 2])
    z = [3] if flip(1 / 3) else "no"
    return (len(y) if y else 0) + 3 * (x == 0 or z != "no" and z[0] == 3)


# x in 0..5 | out[K] in 0..99
def bits_and_digits(x, eps, K=4):
    bits = [(x >> i) & 1 for i in range(3)]
    digits = [int(c) for c in f"{x:03b}"]
    if (top := max(digits)) and flip(1 / 3):
        top += 4
    total = reduce(lambda a, b: 2 * a + b, digits, 1)
    return [x << 1 | 1, 10 * sum(bits) + top, total, list(accumulate([x, 1, 2]))[-1] + len(f"a{x}{None}")]


# q[N] in {0, 1} | out[N] in 0..99
def masks(q, eps, N=3):
    a, b = np.array(q), np.array([1, 0, 2])
    b[a == 1] = 7
    a[a == 0] = 5 - a[a == 0]
    b[[0, -1]] += 10
    return list(a + b)


# q[N] in {0, 1} | out in 0..19
def pairs_of_cells(q, eps, N=2):
    return sum(a * b for a, b in product(q, [1, 2])) + len(list(chain(q, [1], product("ab", repeat=1))))


# x in 0..2 | out in 0..99
def words_of_dipc(x, eps):
    a = [uniform({0, x}), choose({0: 1 / 4, 1: 3 / 4}), 1]
    b = [0] * 3
    b[uniform(range(3))] += 1
    return 10 * argmax(a) + argmin(a) + 30 * disc(x - 1, -1, 0) + 3 * b[0] + 30


# x in 0..2 | out in 0..99
def targets_from_left_to_right(x, eps):
    a, i = [0] * 3, 1
    i, a[i] = x, 5
    b, j = [0] * 3, 0
    j = b[j] = x
    return a[0] + 2 * a[1] + i + 10 * b[0] + 20 * (b[2] + j)


# x in 0..2 | out in 0..99
def table_of_probabilities(x, eps):
    e = math.exp(eps)
    P = np.array([[e, 1, 1], [1, e, 1], [1, 1, e]]) / (e + 2)
    y = np.random.choice(3, p=P[x])
    z = 1 if rng.random() < P[y, x] else 0
    w = 1 if rng.random() < P[-1][y] else 0
    return y + 3 * z + 6 * w


# x in 0..2 | out in 0..99
def table_made_of_parts(x, eps):
    P = np.full((3, 3), 1 / 4)
    np.fill_diagonal(P, 1 / 2)
    Q = np.eye(3) / 3 + (1 - np.eye(3)) / 3
    R = np.zeros((2, 3), dtype=int) + np.ones((2, 3)) * 2
    return (
        10 * rng.choice(3, p=P[x, :])
        + rng.choice([0, 1, 2], p=Q[x])
        + int(R[1, x])
        + R.shape[1]
        + len(R)
        + P.size
    )


# x in 0..2 | out[M] in -99..99
def views_of_rows(x, eps, M=9):
    P = np.array([[1, 2, 3], [4, 5, 6]])
    row = P[1]
    row[x] = 7
    copied = P.copy()
    P[0] = P[1]
    P[0, x] += 10
    row[0] = 8 + x
    P *= 2
    row += 1
    for r in P:
        r[2] = r[0] + r[1]
    listed = P.tolist()
    listed[0][0] = 50
    P[1, :] -= 1
    P[0] = 3 - P[0]
    return [*P[0], *row, *copied[1]]


# x in 0..2 | out[M] in -99..99
def tables_cell_by_cell(x, eps, M=6):
    P = np.array([[1, -2, 3], [0, x, -x]])
    Q = np.where(P > x, np.abs(P), np.maximum(-P, 1)) * (P != 1)
    rows = np.array([row * row.sum() for row in Q])
    more = np.concatenate([rows, [[x, 1, 2]]])
    more[2][0] += 5
    return [int(v) for v in np.clip(more[x], -9, 9)] + list(np.zeros_like(more)[0] + np.array((1, 2, 3)))


# x in 0..1 | out in 0..9
def transitions(x, eps):
    P = np.array([[3 / 4, 1 / 4], [1 / 3, 2 / 3]])
    state, visits = x, np.zeros(2)
    for _ in range(3):
        state = rng.choice(2, p=P[state])
        visits += np.array([1 - state, state])
    a, b = P
    return state + 4 * (visits[0] > visits[1]) + 2 * (rng.random() < a[x] * b[state])


# q[N] in {0, 1} | out in 0..99
def named_tuples(q, eps, N=3):
    s = State(0)
    for v in q:
        if s.done or flip(1 / 4):
            s = s._replace(done=v == 1)
        else:
            s = State(count=s.count + v, done=False) if v else s
    count, done = s
    p = Pair(count)
    return count + 4 * done + 8 * (s == State(1, True)) + 16 * (s == (2, False)) + 10 * p.high + p[0] + len(s)


# q[N] in {0, 1} | out in 0..99
def dataclasses_change(q, eps, N=3):
    t = Tally()
    same, other = t, replace(t, seen=5)
    for v in q:
        if flip(t.share):
            t.seen += v
        elif v:
            same.share = 1 / 2
            t = Tally(t.seen)
    fixed = replace(Fixed(), bound=same.seen)
    return (
        t.seen
        + 4 * same.seen
        + 20 * (same.share == 1 / 2)
        + other.seen
        + fixed.bound
        + (fixed.share < t.share)
    )


# q[N] in {0, 1} | out in 0..9
def instances_in_lists(q, eps, N=2):
    tallies = [Tally(seen=v) for v in q]
    chosen = rng.choice(2)
    t = tallies[chosen]
    t.seen += 1
    states = {t.seen: State(t.seen, flip(1 / 2)) for t in tallies}
    best = max(tallies, key=lambda t: t.seen)
    return best.seen + 3 * sum(s.done for s in states.values())
