"""Which tests are longer in a campaign: with DIPC_CAMPAIGN=1, everything is tried that a test can try.

By default a part of it is: the gate has to end in minutes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
CAMPAIGN = bool(os.environ.get("DIPC_CAMPAIGN"))


def some(cases: Sequence[T], number: int) -> Sequence[T]:
    """So many of the cases, spread evenly, the first one included; in a campaign all of them."""
    if CAMPAIGN or number >= len(cases):
        return cases
    return [cases[i * len(cases) // number] for i in range(number)]


def many(number: int, campaign: int) -> int:
    """How many: the first number, or the second one in a campaign."""
    return campaign if CAMPAIGN else number
