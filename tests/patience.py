"""How tests wait: for an event, never for time to pass, so that a busy machine changes nothing."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

import pytest

PATIENCE = 600.0
"""Seconds after which a test gives up on what never takes that long, on the busiest machine."""


class Watch:
    """A clock that goes on by ``step`` seconds whenever somebody looks at it, and at no other time."""

    def __init__(self, step: float) -> None:
        self.step, self.now = step, 0.0

    def __call__(self) -> float:
        """The time, in seconds."""
        self.now += self.step
        return self.now


def worn_by_dipc(step: float, patch: pytest.MonkeyPatch) -> Watch:
    """The watch that all of dipc looks at from now on: a limit is so many looks at it."""
    watch = Watch(step)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "dipc":
            for clock in ("monotonic", "process_time"):
                if getattr(module, clock, None) is getattr(time, clock):
                    patch.setattr(module, clock, watch)
    return watch


def quickest(work: Callable[[], object], times: int = 3) -> float:
    """The least time of the processor that the work takes, in seconds.

    What other processes do adds little to it, and what earlier tests left behind is not swept meanwhile.
    """

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    gc.collect()
    gc.disable()
    try:
        return min(once() for _ in range(times))
    finally:
        gc.enable()
