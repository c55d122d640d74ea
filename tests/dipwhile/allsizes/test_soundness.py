"""A proof for every size against the exact engine: no finite instance needs more than the t that was proved.

The engine enumerates inputs, computes output laws and decides inequalities; it shares the parser with the
method for every size, and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from flint import fmpq
from patience import worn_by_dipc

from dipc.claims.tightness.least import Least
from dipc.dipwhile.syntax.compile import read
from dipc.errors import InputError, LimitReached, Source
from tests.dipwhile.allsizes import asking
from tests.dipwhile.allsizes.asking import proved_t
from tests.dipwhile.allsizes.random_programs import program

GROUPS = int(os.environ.get("DIPC_LAW_EXAMPLES", 4))
"""Groups of ten programs; docs/contributing.md names the variable."""


def needed(text: str, size: int) -> Least | None:
    """What the exact engine needs at one size; None if it takes too long."""
    try:
        return asking.needed(text, size, 2)
    except (InputError, LimitReached):
        return None


def valid(text: str) -> bool:
    try:
        read(Source("random.dip", text), {"N": fmpq(2)})
    except InputError:
        return False
    return True


def instances(group: int) -> Iterator[tuple[str, fmpq, int, Least]]:
    """Proved programs with what their instances need."""
    for seed in range(10 * group, 10 * group + 10):
        text = program(seed)
        t = proved_t(text, 5) if valid(text) else None
        for size in (1, 2) if t is not None else ():
            least = needed(text, size)
            if least is not None and t is not None:
                yield text, t, size, least


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_instance_needs_more_than_the_proof(group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    worn_by_dipc(
        0.004, monkeypatch
    )  # some programs are never finished: 5 seconds are 1,250 looks at the clock
    found = list(instances(group))
    for text, t, size, least in found:
        assert not least.infinite and least.low <= t, f"proved {t}, N = {size} needs {least}\n{text}"
    assert len(found) >= 4


def test_the_comparison_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program without privacy: the engine refuses every t that a broken prover would offer."""
    text = program(0).split("private eps")[0] + "private eps\nout[1] <- c\nlast <- a\nn <- 0\n"
    text += "if q[1] > 0 then last <- b end\n"
    worn_by_dipc(0.004, monkeypatch)
    least = needed(text, 1)
    assert least is not None and least.infinite
    assert proved_t(text) is None
