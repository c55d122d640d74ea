"""What docs/errata.md says of the description of ``dipc prove``."""

from __future__ import annotations

import pytest
from flint import fmpq

import dipc

TEXT = """
param N = {n}
input q[N] in {{0, 1}}
output out in 1..N
adjacent {adjacent}
private {t}*eps
out <- Exp(eps, v in 1..N, q[v])
"""


@pytest.mark.parametrize(
    ("k", "least"), [(1, fmpq(1)), (2, fmpq(1)), (3, fmpq(4, 3)), (4, fmpq(3, 2)), (5, fmpq(8, 5))]
)
def test_the_exponential_mechanism_under_hamming(k: int, least: fmpq) -> None:
    """It costs its rate times the width 1 for k <= 2 only; 2 - 2/k of that for k changed cells of k."""
    mechanism = dipc.load(TEXT.format(n=k if k > 1 else 2, adjacent=f"hamming {k}", t=1))
    assert mechanism.budget().least.exact == least
    assert mechanism.check().status == ("private" if k <= 2 else "violated")
    assert least == max(1, 2 - fmpq(2, k))


@pytest.mark.parametrize(("adjacent", "t"), [("hamming 1", 1), ("l1 1", 1), ("hamming 3", 2), ("linf 1", 2)])
def test_what_is_proved_of_it(adjacent: str, t: int) -> None:
    text = TEXT.format(n=3, adjacent=adjacent, t=t)
    assert dipc.load(text).prove().status == "private"
    assert dipc.load(text).prove(f"{t}*99/100*eps").status != "private"
