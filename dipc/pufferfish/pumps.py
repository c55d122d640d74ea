"""Pumps: a word that, repeated, makes a quotient grow beyond all bounds.

Of a word w let A be the product of its matrices M_o (see cone).  If x A >= lambda x for some x >= 0 on states
that the left side reaches by repeating w after a prefix v, and A y <= mu y for some y > 0 on all states that
the right side reaches so, then P(v w^n | left) grows at least like lambda^n (for infinitely many n), and
P(v w^n | right) at most like mu^n.  With lambda > mu no c is enough.  Vectors x and y are found by rounded
power iteration; what they prove is computed from them exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from flint import fmpq, fmpq_mat

from dipc.clock import Clock
from dipc.models.graph import components, reachable
from dipc.pufferfish.beliefs import ONE, ZERO, Sides, Sparse, Steps, Word
from dipc.pufferfish.cone import matrices

LONGEST = 3
"""The longest prefix, and the longest word that is repeated."""

MANY = 20_000
"""So many words are tried at most."""

ITERATIONS = 60
SMALL = fmpq(1, 10**6)
SIMPLE = 1000

Matrix = list[Sparse]


class Growth(NamedTuple):
    """A pump for the compared pair with this number, and the vectors x and y that prove it."""

    pair: int
    prefix: Word
    word: Word
    growth: fmpq
    other_growth: fmpq
    x: Sparse
    y: Sparse


class _Start(NamedTuple):
    pair: int
    prefix: Word
    left: frozenset[int]
    right: frozenset[int]


def find(steps: Steps, pairs: Sequence[Sides], clock: Clock) -> Growth | None:
    """A pump with a shortest word, of these one with the greatest lambda/mu."""
    maps = matrices(steps)
    starts = _starts(steps, pairs, clock)
    words: list[tuple[Word, Matrix]] = [((), [{s: ONE} for s in range(steps.size)])]
    for _ in range(LONGEST):
        before, words = words, []
        for word, matrix in before:
            clock.tick("pumps")
            for o, other in enumerate(maps):
                product = [_row_times(row, other) for row in matrix]
                if any(product):
                    words.append(((*word, o), product))
        found = [pump for word, matrix in words for pump in _pumps(matrix, word, starts, clock)]
        if found:
            return max(found, key=lambda pump: (pump.growth / pump.other_growth, -len(pump.prefix)))
        if len(words) * len(maps) > MANY:
            break
    return None


def is_exact(steps: Steps, sides: Sides, growth: Growth) -> bool:
    """Whether each repetition multiplies the quotient by lambda/mu, from the prefix on.

    P(v w^n | left) and (lambda/mu)^n P(v w^n | right) follow linear recurrences of the order of the number of
    states; so does their difference, up to a factor, of twice that order: it is 0 if so many terms are.
    """
    if not growth.other_growth:
        return False
    left, right = (_masses(steps, side, growth) for side in sides)
    first = next(left), next(right)
    if not all(first):
        return False
    pairs = zip(islice(left, 2 * steps.size + 2), right, strict=False)
    times, scale = growth.growth / growth.other_growth, ONE
    for above, below in pairs:
        scale *= times
        if above * first[1] != scale * first[0] * below:
            return False
    return True


def _masses(steps: Steps, start: Sparse, growth: Growth) -> Iterator[fmpq]:
    """P(v w^n) for n = 0, 1, ..."""
    belief = steps.after(start, growth.prefix)
    while True:
        yield sum(belief.values(), ZERO)
        belief = steps.after(belief, growth.word)


def _row_times(row: Sparse, matrix: Matrix) -> Sparse:
    found: Sparse = {}
    for s, x in row.items():
        for t, y in matrix[s].items():
            found[t] = found.get(t, ZERO) + x * y
    return found


def _starts(steps: Steps, pairs: Sequence[Sides], clock: Clock) -> list[_Start]:
    """The states of both sides after short prefixes, each combination once."""
    found: dict[object, _Start] = {}
    level: list[tuple[int, Word, Sparse, Sparse]] = [
        (number, (), *sides) for number, sides in enumerate(pairs)
    ]
    for _ in range(LONGEST):
        after = []
        for number, prefix, a, b in level:
            clock.tick("pumps")
            right = steps.filtered(b)
            for o, left in steps.filtered(a).items():
                other = right.get(o, {})
                start = _Start(number, (*prefix, o), frozenset(left), frozenset(other))
                found.setdefault((number, start.left, start.right), start)
                after.append((number, start.prefix, steps.moved(left), steps.moved(other)))
        level = after[:MANY]
    return list(found.values())


def _pumps(matrix: Matrix, word: Word, starts: list[_Start], clock: Clock) -> Iterator[Growth]:
    edges = [tuple(row.items()) for row in matrix]
    loops = [(loop[0], *_lower(matrix, loop)) for loop in components(edges, range(len(matrix)))]
    loops = [loop for loop in loops if loop[1]]
    known: dict[frozenset[int], tuple[fmpq, Sparse]] = {}
    for start in starts if loops else []:
        clock.tick("pumps")
        left, right = (frozenset(reachable(edges, part)) for part in (start.left, start.right))
        inside = (loop for loop in loops if loop[0] in left)
        _, growth, x = max(inside, key=itemgetter(1), default=(0, ZERO, {}))
        if not growth or not right:
            continue
        if right not in known:
            known[right] = _upper(matrix, right)
        other, y = known[right]
        if other >= growth:
            other, y = _between(matrix, right, growth)
        if other < growth:
            yield Growth(start.pair, start.prefix, word, growth, other, x, y)


def _lower(matrix: Matrix, loop: Collection[int]) -> tuple[fmpq, Sparse]:
    """Some lambda with x A >= lambda x for an x on the states of a strongly connected part, and this x."""
    inside = {s: {t: p for t, p in matrix[s].items() if t in loop} for s in loop}
    columns: dict[int, Sparse] = {t: {} for t in loop}
    for s, row in inside.items():
        for t, p in row.items():
            columns[t][s] = p
    found = [(min(_dot(columns[s], x) / x[s] for s in loop), x) for x in _powers(columns)]
    return max(found, key=itemgetter(0))


def _upper(matrix: Matrix, states: Collection[int]) -> tuple[fmpq, Sparse]:
    """Some mu with A y <= mu y for a y > 0 on states that are closed under A, and this y."""
    rows = {s: matrix[s] for s in states}
    found = [(max(_dot(rows[s], y) / y[s] for s in states), y) for y in _powers(rows)]
    mu, y = min(found, key=itemgetter(0))
    return max(SMALL, mu), y


def _between(matrix: Matrix, states: Collection[int], growth: fmpq) -> tuple[fmpq, Sparse]:
    """Some mu < growth as above, if (mu - A) y = 1 has a solution y > 0 for mu close to growth."""
    order = sorted(states)
    mu = growth * fmpq(999, 1000)
    cells = [[(mu if s == t else ZERO) - matrix[s].get(t, ZERO) for t in order] for s in order]
    try:
        y = fmpq_mat(cells).solve(fmpq_mat([[ONE]] * len(order)))
    except ZeroDivisionError:
        return growth, {}
    found = {s: y[i, 0] for i, s in enumerate(order)}
    return (mu, found) if all(value > 0 for value in found.values()) else (growth, {})


def _powers(rows: dict[int, Sparse]) -> Iterator[Sparse]:
    """An approximate positive eigenvector for the greatest eigenvalue, and a simpler one."""
    y = dict.fromkeys(rows, ONE)
    for _ in range(ITERATIONS):
        image = {s: _dot(row, y) for s, row in rows.items()}
        top = max(image.values())
        if not top:
            break
        y = {s: _rounded((x / top + y[s]) / 2, 10**12) for s, x in image.items()}
        most = max(y.values())
        y = {s: max(x / most, SMALL) for s, x in y.items()}
    yield y
    yield {s: max(_rounded(x, SIMPLE), SMALL) for s, x in y.items()}


def _rounded(x: fmpq, largest: int) -> fmpq:
    near = Fraction(int(x.p), int(x.q)).limit_denominator(largest)
    return fmpq(near.numerator, near.denominator)


def _dot(row: Sparse, vector: Sparse) -> fmpq:
    return sum((p * vector[t] for t, p in row.items()), ZERO)
