"""The slow route: how draws are checked."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dipc.dipwhile.rederive.draws import check_draws, samples, surely
from dipc.dipwhile.rederive.functions import EPS, ONE, constant
from dipc.kernel.facts import ZERO, Interval, add
from dipc.kernel.reading import Refused

UNIT = constant(1)
LESS = add(UNIT, {EPS: Fraction(-1)})  # 1 - eps


def up_to(high: int) -> Interval:
    return Interval(ZERO, Fraction(high), False, True)


def test_draws() -> None:
    halves = (({EPS: ONE}, UNIT), (LESS, UNIT))
    check_draws([halves], up_to(1))
    with pytest.raises(Refused, match=r"^deep: draws: a probability is negative: \(1 \+ -1\*eps\) / \(1\)"):
        check_draws([halves], Interval(ZERO, None, False, False))
    assert surely(LESS, up_to(1), False)
    assert not surely(LESS, up_to(1), True)
    assert not surely(LESS, up_to(2), False)
    first = samples(Interval(ONE, Fraction(3, 2), True, False))[:3]
    assert first == [ONE, Fraction(129, 128), Fraction(65, 64)]
