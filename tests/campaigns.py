"""Which tests are longer in a campaign: with DIPC_CAMPAIGN=1, everything is tried that a test can try.

By default a part of it is, so that the gate ends in minutes.  Cases that are left out are skipped, not lost:
``python -m pytest -rs`` lists them.  With DIPC_LAW_EXAMPLES=1000, laws draw so many fresh examples.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Sequence
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
    return listed if CAMPAIGN or number >= len(listed) else [listed[i] for i in _spread(listed, number)]


def spared(cases: Iterable[T], slow: Container[T]) -> list[T | ParameterSet]:
    """Cases for ``pytest.mark.parametrize``: the slow ones are tried in a campaign only."""
    return [_left_out(case) if case in slow else case for case in cases]


def spread(cases: Iterable[T], number: int) -> list[T | ParameterSet]:
    """Cases for ``pytest.mark.parametrize``: all but so many, spread evenly, are tried in a campaign only."""
    listed = list(cases)
    tried = _spread(listed, number)
    return [case if i in tried else _left_out(case) for i, case in enumerate(listed)]


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


def _spread(cases: Sequence[object], number: int) -> list[int]:
    return [i * len(cases) // number for i in range(number)]
