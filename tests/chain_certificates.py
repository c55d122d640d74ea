"""Small Markov chains, and certificates of formulas about them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from dipc.certificate.format import dumps
from dipc.dpctl.certify import model_certificate
from dipc.dpctl.formula import Property
from dipc.dpctl.syntax import parse_property
from dipc.errors import Source
from dipc.kernel import chains
from dipc.kernel.reading import Refused
from dipc.kernel.schema import write
from dipc.kernel.statements import check
from dipc.models.chain import MarkovChain
from dipc.models.reading import read_model
from dipc.numbers.quotient import Quotient

SURVEY = """chain
plus  -> {yes: 3/4, no: 1/4}; minus -> {yes: 1/4, no: 3/4}
final yes, no
label out_1 = {yes}; label out_0 = {no}
neighbours plus ~ minus
start plus, minus
"""
TWICE = """chain
s -> {a: 3/4, b: 1/4}; t -> {a: 1/4, b: 3/4}
a -> {s: 1/2, t: 1/4, end: 1/4}; b -> {t: 1/2, b: 1/2}
end -> end
label out = {a}; label low = {b}; label stop = {end}
neighbours s ~ t, a ~ b
start s, t
"""
ROUNDS = """chain
q0 -> {bot0: 2/3, top: 1/3}; q1 -> {bot1: 1/2, top: 1/2}
bot0 -> q0; bot1 -> {q1: 9/10, q0: 1/10}; top -> halt; final halt
label bot = {bot0, bot1}
neighbours q0 ~ q1
"""


def model_of(text: str) -> MarkovChain[Quotient]:
    found = read_model(Source("test.dpm", text)).model
    assert isinstance(found, MarkovChain)
    return found


def written(chain: Any, formula: str | Property) -> dict[str, Any]:
    """The certificate, as it is read back."""
    asked = parse_property(Source("f", formula), chain) if isinstance(formula, str) else formula
    found = json.loads(dumps(model_certificate(chain, asked, "test.dpm")))
    assert isinstance(found, dict)
    return found


def checked(data: Any) -> chains.Certificate:
    """What the kernel finds in a certificate, or in the JSON of one."""
    found = check(dumps({k: v for k, v in write(data).items() if k != "digest"}).encode())
    assert isinstance(found, chains.Certificate)
    return found


def only_ranks_may_change(data: dict[str, Any], tried: Iterable[tuple[Any, dict[str, Any]]]) -> None:
    """Not one number of a listed vector; a rank only to another one that proves the same."""
    for where, mutant in tried:
        try:
            certificate = checked(data | mutant)
        except Refused as refused:
            assert str(refused).startswith("until"), (where, refused)
            continue
        assert "ranks" in where and certificate.holds == checked(data).holds
