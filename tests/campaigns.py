"""Which tests are longer in a campaign: with DIPC_CAMPAIGN=1, everything is tried that a test can try.

By default a part of it is, so that the gate ends in minutes: fewer seeds and samples, and the slow cases are
skipped; ``python -m pytest -rs`` lists those.  With DIPC_LAW_EXAMPLES=1000, laws draw so many fresh examples.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, seed, settings

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

T = TypeVar("T")
EXAMPLES = int(os.environ.get("DIPC_LAW_EXAMPLES", 0))
CAMPAIGN = bool(os.environ.get("DIPC_CAMPAIGN"))
LEFT_OUT = pytest.mark.skipif(not CAMPAIGN, reason="a long campaign: DIPC_CAMPAIGN=1")


def many(number: int, campaign: int) -> int:
    """How many: the first number, or the second one in a campaign."""
    return campaign if CAMPAIGN else number


def some(cases: Iterable[T], number: int) -> list[T]:
    """So many of the cases, spread evenly; in a campaign all of them."""
    listed = list(cases)
    if CAMPAIGN or number >= len(listed):
        return listed
    return [listed[i * len(listed) // number] for i in range(number)]


def spared(cases: Iterable[T], slow: Container[T]) -> list[T | ParameterSet]:
    """Cases for ``pytest.mark.parametrize``: the slow ones are skipped, but in a campaign."""
    return [_left_out(case) if case in slow else case for case in cases]


def drawn(examples: int, campaign: int = 0) -> settings:
    """The same few examples in every run, more in a campaign, or as many fresh ones as asked for."""
    return settings(
        max_examples=EXAMPLES or many(examples, campaign or examples),
        derandomize=not EXAMPLES,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        print_blob=False,
    )


def sown(law: Callable[[], None], seeds: Iterable[int]) -> None:
    """Try a law with each seed: the first examples of one long run are all alike; fresh ones are one run."""
    for number in () if EXAMPLES else seeds:
        seed(number)(law)()
    if EXAMPLES:
        law()


def _left_out(case: object) -> ParameterSet:
    """A tuple has a value for each of several arguments, as in ``parametrize``."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=LEFT_OUT)
