"""Certificates of accuracy, bounded range and Renyi divergences: written, verified, and judged by floats."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from pathlib import Path

import pytest

import dipc
from dipc.certificate.format import dumps
from dipc.cli.main import status
from dipc.dipwhile.certify.compared import rederive
from dipc.dipwhile.rederive.functions import NotCovered
from dipc.kernel import facts
from dipc.kernel.formulas import Curve
from dipc.kernel.measures import Measure
from dipc.kernel.reading import Refused
from dipc.kernel.statements import check

GAPS = """input q[2] in {0, 1, 2}; output out in {1, 2} = 1; adjacent l1 1
x <- flip(exp(eps)/(1 + exp(eps)))
if x then out <- argmax(q) else out <- 3 - argmax(q) end
"""
CLAIMS = [
    ("nmax1", {"N": 2}, "range eps", "private"),
    ("nmax2", {"N": 2}, "range eps", "violated"),
    ("nmax2", {"N": 2}, "range 2*eps", "private"),
    ("nmax1", {"N": 2}, "renyi 3, eps", "private"),
    ("rand1", {"N": 1}, "renyi 2, eps/4", "violated"),
    ("rand1", {"N": 1}, "renyi 2, ln(2) for eps in (0, 1/2]", "private"),
    ("truncated_geometric", {"N": 3}, "accurate abs(out - q) <= 1, exp(-eps)/(1 + exp(eps))", "holds"),
    ("truncated_geometric", {"N": 3}, "accurate abs(out - q) <= 1, 1/20", "fails"),
    (GAPS, {}, "accurate q[out] = max(q), 1/2 when gap(argmax(q)) > 1", "holds"),
    (GAPS, {}, "accurate q[out] = max(q), 1/3 when gap(argmax(q)) > 1", "fails"),
    (GAPS, {}, "accurate (out = 1) = (q[1] >= q[2]), 1/2", "holds"),
    (GAPS.replace("l1 1", "q[1] < q'[1]"), {}, "range 2*eps", "private"),
    (GAPS.replace("l1 1", "q[1] < q'[1]"), {}, "range eps", "violated"),
]


@pytest.mark.parametrize(("program", "parameters", "claim", "word"), CLAIMS)
def test_every_claim_is_derived_from_the_program_text(
    program: str, parameters: dict[str, int], claim: str, word: str, tmp_path: Path
) -> None:
    source, file = tmp_path / "a.dip", tmp_path / "c.json"
    if "\n" in program:
        source.write_text(program, encoding="utf-8")
        program = str(source)
    defined = [word for name, value in parameters.items() for word in ("-D", f"{name}={value}")]
    asked = ["--claim", claim, *defined]
    checked = status(["check", program, *asked, "--certificate", str(file)])
    assert checked == (0 if word in ("private", "holds") else 1)
    wanted = ["--expect", word] if word in ("violated", "fails") else []
    assert status(["verify", str(file), "--program", program, *asked, *wanted]) == 0
    other = "accurate out = 1, 1" if claim.startswith("acc") else "renyi 9, eps"
    assert status(["verify", str(file), "--program", program, "--claim", other, *defined, *wanted]) == 1


def test_an_infinite_gap_is_not_derived() -> None:
    """No input has another value: the statement stays conditional."""
    mechanism = dipc.load(GAPS)
    made = mechanism.certificate(mechanism.check("accurate out = 1, 1 when gap(0*q[1]) > 1"))
    with pytest.raises(NotCovered, match="an infinite gap"):
        rederive(check(json.dumps(made).encode()))  # type: ignore[arg-type]


def test_no_outcomes_break_no_claim() -> None:
    mechanism = dipc.load("nmax2", N=2)
    made = json.loads(dumps(mechanism.certificate(mechanism.check("range eps"))))
    del made["digest"]
    made["violation"]["others"] = []
    with pytest.raises(Refused, match="there are no outcomes"):
        check(dumps(made).encode())


# --- judged by floats --------------------------------------------------------------------------------------


def random_function(rng: random.Random) -> facts.Function:
    """Positive for every eps."""
    zero = Fraction(0)
    return {
        (rng.choice((0, 0, 1)), Fraction(rng.randint(-2, 2), 2), zero, zero): Fraction(rng.randint(1, 5), 6)
        for _ in range(rng.choice((1, 1, 2)))
    }


def value(f: facts.Function, eps: float) -> float:
    return sum(float(c) * eps**n * math.exp(a * eps + k + b / eps) for (n, a, k, b), c in f.items())


def right(x: float, f: facts.Function, eps: Fraction) -> bool:
    """Whether a function has the sign of a number that is not close to 0."""
    return abs(x) < 1e-9 or facts.sign_at(f, eps) == (1 if x > 0 else -1)


@pytest.mark.parametrize("order", [None, 2, 3])
def test_slacks_have_the_signs_of_the_definitions(order: int | None) -> None:
    """For laws that need not sum to 1: sums of quotients, compared as the definitions say."""
    rng = random.Random(order or 1)
    for _ in range(60):
        functions = [random_function(rng) for _ in range(4)]
        below = [facts.ONE, facts.normal({**random_function(rng), facts.UNIT: Fraction(1)})]
        curves = [Curve(f, rng.choice(below)) for f in functions]
        factor, eps = Curve(random_function(rng)), Fraction(rng.randint(1, 12), 4)
        x = float(eps)
        numbers = [value(f.above, x) / value(f.below, x) for f in curves]
        bound, pairs = value(factor.above, x), ((0, 1), (2, 3), (1, 1))
        measure = Measure(curves, factor, order, frozenset(range(4)))
        slacks = list(measure.slacks(pairs))
        if order is None:
            both = [(numbers[i], numbers[j]) for i, j in pairs]
            expected = [bound * r * q - p * s for p, q in both for r, s in both]
        else:
            sums = sum(numbers[i] ** order * numbers[j] ** (1 - order) for i, j in pairs)
            expected = [bound ** (order - 1) - sums]
        assert all(right(y, f, eps) for y, f in zip(expected, slacks, strict=True))
        assert right(bound - numbers[0] - numbers[3], measure.error([0, 1, 2, 3], [0, 3], "here"), eps)
