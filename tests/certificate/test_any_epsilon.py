"""Certificates of claims whose epsilon is no multiple of eps, and of an epsilon for each pair of inputs.

A plain loop over inputs and outputs judges them at a few budgets, in floating point with a margin.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

import pytest
from certificates import sealed
from flint import arb

import dipc
from dipc.certificate.format import dumps
from dipc.cli.main import status
from dipc.dipwhile.certify.compared import compared, rederive
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.rederive.functions import NotCovered
from dipc.kernel.privacy import Certificate
from dipc.kernel.reading import Refused
from dipc.kernel.statements import check

SAMPLED = """\
input q in {0, 1}
output b in {false, true}
adjacent all
private ln(1 + (exp(eps) - 1)/4)

k <- flip(1/4)
if k and q = 1 then b <- flip(exp(eps)/(1 + exp(eps))) else b <- flip(1/(1 + exp(eps))) end
"""
PLACE = """\
input q in 0..2
output b in {false, true}
adjacent linf 2
private eps*distance

r <- Lap(eps, q)
b <- r >= 1
"""
FIXED = """\
input q in {0, 1}
output b in {false, true}
adjacent all
private 1/2

r <- Lap(scale = 2, mean = q)
b <- r >= 1/2
"""
TEXTS = {"sampled": SAMPLED, "place": PLACE, "fixed": FIXED}
CLAIMS = [
    ("sampled", "ln(1 + (exp(eps) - 1)/4)"),
    ("sampled", "ln(1 + (exp(eps) - 1)/5)"),
    ("sampled", "ln(1 + (exp(eps) - 1)/8), 1/4"),
    ("sampled", "ln(1 + (exp(eps) - 1)/8), 1/100"),
    ("sampled", "2*ln(2/(1 + exp(-eps))) + 1/10 for eps in (0, 1]"),
    ("place", "eps*distance"),
    ("place", "eps*abs(q - q')/2"),
    ("place", "eps*distance/2, 1/4"),
    ("place", "eps*q"),
    ("place", "eps*q + ln(4)/2 for eps in (0, 1/2]"),
    ("place", "2*eps + 1/10"),
    ("fixed", "1/2"),
    ("fixed", "ln(8/5)"),
    ("fixed", "1/10, 1/4"),
    ("fixed", "ln(9)/2 - 1/2"),
]


def made(name: str, claim: str) -> tuple[dipc.Verdict, dict[str, Any]]:
    mechanism = dipc.load(TEXTS[name])
    verdict = mechanism.check(claim)
    found: dict[str, Any] = json.loads(dumps(certificate(mechanism.program, verdict)))
    return verdict, found


@pytest.mark.parametrize(("name", "claim"), CLAIMS)
def test_a_claim_and_its_certificate(name: str, claim: str) -> None:
    """The kernel and the deep check accept what ``check`` said, about this claim only."""
    verdict, data = made(name, claim)
    found = check(json.dumps(data).encode())
    assert isinstance(found, Certificate) and found.status == verdict.status
    assert "distributions" in rederive(found)
    own = claim == TEXTS[name].split("private ")[1].split("\n")[0]
    assert len(compared(found, {}, None).differences) == (not own)
    others = ["3*eps", "ln(7)", f"{claim} for eps in (0, 1/3]" if "for" not in claim else "1"]
    others += ["7*eps*distance"] if name == "place" else []
    for asked in (claim, *others):
        assert len(compared(found, {}, asked).differences) == (asked != claim), asked


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, program = str(tmp_path / "c.json"), tmp_path / "p.dip"
    program.write_text(PLACE, encoding="utf-8")
    assert status(["check", str(program), "--certificate", file]) == 0
    assert status(["verify", file, "--program", str(program)]) == 0
    assert "(0 or 1*eps or 2*eps by pair of inputs, 0)-private" in capsys.readouterr().out


# --- the plain judge ----------------------------------------------------------------------------------


def epsilons(rng: Random) -> Iterator[tuple[str, Any]]:
    """Random claims as texts, each with its meaning as a function of eps and two inputs."""
    n, d = rng.randint(1, 6), rng.randint(1, 6)
    yield f"ln(1 + (exp(eps) - 1)*{n}/{n + d})", lambda e, u, v: log(1 + (exp(e) - 1) * n / (n + d))
    yield (
        f"eps*abs(q - q')*{n}/{d} + ln({n + d}/{d})",
        lambda e, u, v: e * abs(u - v) * n / d + log(1 + n / d),
    )
    yield f"eps*{n}/{d} + 1/{n}", lambda e, u, v: e * n / d + 1 / n
    yield f"ln(({n} + exp(eps))/({n} + exp(-eps)))", lambda e, u, v: log((n + exp(e)) / (n + exp(-e)))


def excess(mechanism: dipc.Mechanism, epsilon: Any, delta: float, eps: float) -> float:
    """By how much the claim is broken at eps, at most 0 if it is not: one pair after the other."""
    laws = {int(q): mechanism.distribution(q=q) for q in mechanism.program.inputs[0].domain}
    at = {q: {o: float(p.enclose(arb(eps)).mid()) for o, p in law.items()} for q, law in laws.items()}
    return max(
        sum(max(0.0, p - exp(epsilon(eps, u, v)) * at[v].get(o, 0.0)) for o, p in at[u].items()) - delta
        for u, v in product(at, repeat=2)
    )


@pytest.mark.parametrize("seed", range(int(os.environ.get("DIPC_CAMPAIGN", 0)) * 200 or 2))
def test_the_plain_judge_agrees(seed: int) -> None:
    """Where a certificate says private nothing breaks the claim; where it says violated its eps does."""
    rng = Random(seed)
    for (text, epsilon), delta, name in product(epsilons(rng), (0.0, 0.125), ("sampled", "place")):
        if "abs" in text and name == "sampled":
            continue
        claim = f"{text}, {Fraction(delta)}" if delta else text
        verdict, data = made(name, claim)
        assert check(json.dumps(data).encode()).status == verdict.status, claim
        mechanism = dipc.load(TEXTS[name])
        if verdict.status == "violated":
            eps = float(Fraction(data["violation"]["eps"]))
            assert excess(mechanism, epsilon, delta, eps) > -1e-12, claim
        else:
            budgets = (0.01, 0.3, 1.0, 2.7, 9.0)
            assert max(excess(mechanism, epsilon, delta, eps) for eps in budgets) < 1e-12, claim


# --- forged ones --------------------------------------------------------------------------------------


def refused(data: dict[str, Any]) -> str:
    """Why the kernel refuses it."""
    with pytest.raises(Refused) as error:
        check(sealed(data).encode())
    return str(error.value)


SMALLER = [["22/25"], ["3/25", 0, "1"]]  # 22/25 + 3/25 exp(eps) for 3/4 + 1/4 exp(eps)
NEGATIVE = [["-3/4"], ["-1/4", 0, "1"]]


@pytest.mark.parametrize("factor", [SMALLER, NEGATIVE, [["3/4"]], [], [["3/4"], ["1/4", 0, "1/2"]]])
def test_another_factor_is_refused(factor: Any) -> None:
    _, data = made("sampled", "ln(1 + (exp(eps) - 1)/4)")
    data["claim"]["factors"][0][0] = factor
    assert refused(data)


def test_factors_of_pairs_cannot_be_exchanged() -> None:
    """Pairs in a distance of 0, 1 and 2 have the factors 1, exp(eps) and exp(2 eps)."""
    _, data = made("place", "eps*distance")
    pairs, of = data["adjacency"]["pairs"], data["claim"]["of"]
    assert [of[pairs.index(pair)] for pair in ([0, 0], [0, 1], [0, 2])] == [0, 1, 2]
    for i, number in enumerate(of):
        if number:
            forged = made("place", "eps*distance")[1]
            forged["claim"]["of"][i] = number - 1
            assert refused(forged)
    for change in (
        {"of": None},
        {"of": of[1:]},
        {"of": [*of[1:], 3]},
        {"factors": data["claim"]["factors"][:2]},
    ):
        forged = made("place", "eps*distance")[1]
        forged["claim"] |= change
        assert refused(forged)


def test_a_pair_that_is_left_out_is_missed() -> None:
    """The kernel does not know the pairs; the deep check does."""
    _, data = made("place", "2*eps*distance")
    del data["adjacency"]["pairs"][1], data["claim"]["of"][1]
    with contextlib.suppress(Refused):  # an inequality that is not needed now
        fewer = check(sealed(data).encode())
        assert isinstance(fewer, Certificate)
        with pytest.raises(Refused, match="neighbours of the program"):
            rederive(fewer)


def test_a_logarithm_without_a_value_is_not_covered() -> None:
    """ln(x)*2 is not ln(x^2) where x may be negative: the deep check does not take one for the other."""
    mechanism = dipc.load(SAMPLED)
    data = json.loads(dumps(certificate(mechanism.program, mechanism.check("ln((1 - 2*exp(eps))^2)"))))
    found = check(json.dumps(data).encode())
    assert isinstance(found, Certificate)
    assert not compared(found, {}, "ln((1 - 2*exp(eps))^2)").differences[1:]
    with pytest.raises(NotCovered, match="a logarithm"):
        compared(found, {}, "2*ln(1 - 2*exp(eps))")
