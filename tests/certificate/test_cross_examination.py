"""Proved and refuted inequalities, put to high-precision evaluation: any disagreement fails.

mpmath, 60 digits and more where terms cancel, on budgets from 1e-6 to 1e4.  Nothing of dipc's arithmetic
takes part: certificates are read as JSON.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from campaigns import spread
from certificates import PROGRAMS, SMALLER, certified, path_of

GRID = [Fraction(round(1000 * 10 ** (i / 4)), 10**9) for i in range(41)]
SAMPLE = 40  # inequalities of a certificate

CLAIMS = [
    ("svt/svt1", "37/50*eps for eps in (0, 47]"),
    ("svt/svt1", "37/50*eps"),
    ("svt/sparse", "eps/2, exp(-3)"),
    ("svt/sparse", "eps/2, exp(-2.125) for eps in (0, 13.0146]"),
    ("noisy_max/nmax1", "99/100*eps for eps in (0, 20]"),
    ("noisy_max/nmax1", "99/100*eps"),
]


def number(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def value(terms: list[list[Any]], eps: Fraction, correct: int = 20) -> mpmath.mpf:
    """The sum of c eps^n exp(a eps + k + b/eps) to some correct digits; 0 if 4000 digits show no other."""
    digits = 40 + correct
    while digits < 4000:
        with mpmath.workdps(digits):
            parts = []
            for c, n, a, k, b in ((*term, 0, 0, 0, 0)[:5] for term in terms):
                # Zeros at the end of a term are left out.
                exponent = Fraction(a) * eps + Fraction(k) + Fraction(b) / eps
                parts.append(number(Fraction(c) * eps**n) * mpmath.exp(number(exponent)))
            total, size = mpmath.fsum(parts), mpmath.fsum(parts, absolute=True)
            if abs(total) > size * mpmath.mpf(10) ** (correct - digits):
                return total
        digits *= 2
    return mpmath.mpf(0)


def inside(ends: list[str | None], eps: Fraction) -> bool:
    low, high = ends
    return Fraction(low or "0") < eps and (high is None or eps < Fraction(high))


def quotient(data: dict[str, Any], ratio: list[Any], eps: Fraction, digits: int = 300) -> mpmath.mpf:
    below = [["1"]] if ratio[1] == 0 else data["denominators"][ratio[1] - 1]["function"]
    return value(ratio[0], eps, digits) / value(below, eps, digits)


def examine(path: Path, claim: str | None = None, **parameters: int) -> str:
    verdict, text = certified(path, claim, **parameters)
    data = json.loads(text)
    found = verdict.counterexample
    if found is None:
        examine_proof(data)
    else:
        examine_violation(data, [(a, b) for a, b in found.violated_for])
    return verdict.status


def examine_proof(data: dict[str, Any]) -> None:
    """No proved inequality is negative anywhere on the grid."""
    interval = data["claim"]["interval"]
    whole = [interval["low"], interval["high"]]
    everything = [(item, name) for item in data["inequalities"] for name in item["of"]]
    for item, name in everything[:: max(1, len(everything) // SAMPLE)]:
        for eps in GRID:
            if inside(item["on"] or whole, eps):
                with mpmath.workdps(100):
                    slack, size = named(data, item["what"], name, eps)
                    assert slack >= -size * mpmath.mpf(10) ** -60, (item, name, eps)
    for item in data["denominators"]:
        for eps in GRID:
            if inside(whole, eps):
                assert value(item["function"], eps) > 0, (item, eps)


def named(data: dict[str, Any], what: str, name: list[int], eps: Fraction) -> tuple[mpmath.mpf, mpmath.mpf]:
    """A named inequality at one eps: exp(t eps) Q - P, with delta or a sign, and the size of its terms."""
    known: dict[tuple[int, Fraction], mpmath.mpf] = data.setdefault("known", {})
    for i in name:
        if (i, eps) not in known:
            known[i, eps] = quotient(data, data["functions"][i], eps, 80)
    p = mpmath.fsum(known[i, eps] for i in name[::2])
    q = mpmath.exp(number(Fraction(data["claim"]["t"]) * eps)) * mpmath.fsum(
        known[j, eps] for j in name[1::2]
    )
    if what != "slack":
        return (q - p if what == "-" else p - q), p + q
    delta = data["claim"]["delta"]
    d = quotient(data, delta, eps, 80) if isinstance(delta, list) and delta[0] else mpmath.mpf(0)
    return q - p + d, p + q + d


def examine_violation(data: dict[str, Any], regions: list[tuple[str, str]]) -> None:
    """The claim is broken at eps0 by the listed outcomes, and on the grid exactly where the verdict says."""
    t, delta = Fraction(data["claim"]["t"]), data["claim"]["delta"]
    ends = [data["claim"]["interval"]["low"], data["claim"]["interval"]["high"]]

    def gains(eps: Fraction) -> list[mpmath.mpf]:
        p, q = ([quotient(data, data["functions"][i], eps) for i in law] for law in data["laws"])
        return [x - mpmath.exp(number(t * eps)) * y for x, y in zip(p, q, strict=True)]

    eps0 = Fraction(data["violation"]["eps"])
    with mpmath.workdps(60):
        chosen = [gains(eps0)[o] for o in data["violation"]["outcomes"]]
        assert mpmath.fsum(chosen) > quotient(data, delta, eps0)
    borders = [Fraction(end) for region in regions for end in region if end != "inf"]
    for eps in GRID:
        if (
            not regions
            or eps > 100
            or not inside(ends, eps)
            or any(abs(eps - x) <= x / 10**6 for x in borders)
        ):
            continue
        with mpmath.workdps(300):
            slack = quotient(data, delta, eps)
            gain = mpmath.fsum(max(gain, 0) for gain in gains(eps))
            broken = any(inside([a, None if b == "inf" else b], eps) for a, b in regions)
            # Equal numbers differ in the last of the 300 digits, others much earlier.
            assert (gain - slack > mpmath.mpf(10) ** -250 * (gain + slack)) == broken, (eps, regions)


@pytest.mark.parametrize("path", spread(PROGRAMS, 12), ids=lambda path: path.stem)
def test_shipped_programs(path: Path) -> None:
    assert examine(path, **SMALLER.get(path.stem, {})) in ("private", "violated")


@pytest.mark.parametrize(("name", "claim"), spread(CLAIMS, len(CLAIMS) // 2))
def test_claims(name: str, claim: str) -> None:
    assert examine(path_of(name), claim) in ("private", "violated")


def test_the_examiner_sees_a_false_inequality() -> None:
    """exp(eps) >= 1 + 2 eps is false below 1.2564."""
    false = {"what": "slack", "of": [[1, 0]], "on": ["0", None], "proof": None}
    claim = {"t": "1", "delta": [[], 0], "interval": {"low": "0", "high": None}}
    functions = [[[["1"]], 0], [[["1"], ["2", 1]], 0]]
    data = {"claim": claim, "denominators": [], "functions": functions, "inequalities": [false]}
    with pytest.raises(AssertionError):
        examine_proof(data)
