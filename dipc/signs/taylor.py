"""The proof that cuts the range into pieces: Taylor's theorem on each, and dominant terms in the tails.

The pieces are found by bisection, between the two tails.  An irreducible f that is not negative has no root
inside the range, except rational ones if there are constants exp(k), or both exp(a*eps) and exp(b/eps).
There the range is cut, and Taylor's theorem begins with the first derivative that is not 0.  Away from the
roots bounds become as good as needed: that is why bisection ends.  Very small or very many pieces are given
up.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from flint import fmpq

from dipc.numbers.exppoly import ExpPoly
from dipc.signs.bounds import bounds_on, greatest_term, rootless_up_to
from dipc.signs.eps_range import EpsRange, middle_of, simplest_between
from dipc.signs.limits import LEAST_WIDTH, NoProof, negative
from dipc.signs.proofs import End, Pieces, Tail, Taylor
from dipc.signs.tables import decimal

MAX_PIECES = 5000
MAX_EXPONENT = 100_000  # of exp, as in the kernel
ORDERS = 3  # tried on a piece, beyond those in which f is 0
NARROW = fmpq(1, 2**10)  # below it rational roots are guessed


def by_pieces(f: ExpPoly, eps_range: EpsRange, strict: bool) -> Pieces:
    """Pieces from end to end of the range that prove f >= 0 (f > 0 inside, if strict), f in normal form.

    Raises :class:`NoProof`.
    """
    low, high = eps_range.low, eps_range.high
    left = right = None
    if not low and f.has_inverse:
        left = rootless_up_to(f) if high is None else min(rootless_up_to(f), high)
    start = low if left is None else left
    if high is None:
        right = max(start, 1 / rootless_up_to(f.at_inverse()))
    stop = right if high is None else high
    assert stop is not None
    _check_exponents(f, start, stop)
    for end in (left, right):
        if end is not None and f.sign_at(end) <= 0:
            raise negative(eps_range)
    pieces: list[tuple[End, Taylor | Tail]] = []  # each with its upper end
    pieces += [] if left is None else [(left, Tail())]
    pieces += _bisected(f, start, stop, eps_range, strict)
    pieces += [] if right is None else [(None, Tail())]
    return Pieces((low, *(end for end, _ in pieces)), tuple(piece for _, piece in pieces))


def _check_exponents(f: ExpPoly, low: fmpq, high: fmpq) -> None:
    """Refuse exponents, at the ends of the bisection, which the kernel would refuse."""
    for _, _, a, k, b in f.terms():
        if a * high + k + (b / low if b else 0) > MAX_EXPONENT:
            raise NoProof("no certificate: a function is positive only for very large or very small eps")


def _bisected(
    f: ExpPoly, low: fmpq, high: fmpq, eps_range: EpsRange, strict: bool
) -> Iterator[tuple[fmpq, Taylor]]:
    """The ends of the pieces between two points, with the proof on each."""
    pending = [(low, high)] if low < high else []
    found = 0
    while pending:
        a, b = pending.pop()
        piece = _taylor(f, a, b)
        if piece is not None:
            found += 1
            yield b, piece
        elif b - a < b * LEAST_WIDTH or found + len(pending) > MAX_PIECES:
            raise NoProof(f"no certificate: an inequality is too close to 0 at eps = {decimal(a, 10)}")
        else:
            guess = simplest_between(a, b) if b - a < NARROW else None
            middle = guess if guess is not None and f.sign_at(guess) == 0 else middle_of(a, b)
            if f.sign_at(middle) < strict:
                raise negative(eps_range)
            pending += [(middle, b), (a, middle)]


def _taylor(f: ExpPoly, a: fmpq, b: fmpq) -> Taylor | None:
    """The proof on [a, b] by Taylor's theorem, if one of a few orders will do."""
    times = ExpPoly.of(1)
    if a:
        _, n, x, y, z = greatest_term(list(f.terms()), (a + b) / 2)
        times = ExpPoly.of(1, -n, -x, -y, -z)
    g = f * times
    from_low = from_high = True  # whether the derivatives below the order have the right signs at that end
    zero_at_low = zero_at_high = True
    zeros = 0  # how many of them are 0 at one end
    for order in count():
        least, greatest = bounds_on(g, a, b)
        if from_low and least > 0:
            return Taylor("low", order, times)
        if from_high and (greatest < 0 if order % 2 else least > 0):
            return Taylor("high", order, times)
        at_low, at_high = g.sign_at(a), g.sign_at(b)
        from_low = from_low and at_low >= 0
        from_high = from_high and at_high * (-1) ** order >= 0
        zero_at_low, zero_at_high = zero_at_low and not at_low, zero_at_high and not at_high
        if zero_at_low or zero_at_high:
            zeros = order + 1
        if order >= zeros + ORDERS or not (from_low or from_high):
            return None
        g = g.derivative()
    return None
