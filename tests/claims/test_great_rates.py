"""Claims and noise of very large and very small rates: decided at once, by the size of the text.

The twin isolates roots and decides signs for small degrees twice, once as if the degrees were too great.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from answers import contents
from flint import fmpq
from patience import quickest

import dipc
from dipc.cli.main import status
from dipc.kernel.facts import sign_of
from dipc.numbers import polynomial
from dipc.numbers.exppoly import ExpPoly
from dipc.signs import roots
from dipc.signs.eps_range import EpsRange
from dipc.signs.inequality import Fails, Holds, Unclear, nonnegative
from dipc.signs.roots import Unsettled, irreducible, positive_roots
from dipc.signs.tables import _remembered

FLIP = "choose {{{{{q}: exp({rate})/(1 + exp({rate})), (not {q}): 1/(1 + exp({rate}))}}}}"
TWO_FLIPS = f"""
input  q[2] in {{{{true, false}}}}
output out[2] in {{{{true, false}}}}
adjacent hamming 1
private {{claim}}

out[1] <- {FLIP.format(q="q[1]", rate="eps/1000000007")}
out[2] <- {FLIP.format(q="q[2]", rate="eps/998244353")}
"""
ABOVE = """
input  q in {{0, 1}}
output out in {{true, false}}
adjacent all
private {claim}

r <- {noise}
out <- r >= 0
"""


def timed(path: Path, text: str) -> tuple[int, float]:
    path.write_text(text)
    codes: set[int] = set()
    seconds = quickest(lambda: codes.add(status(["check", str(path), "--quiet"])))
    (code,) = codes
    return code, seconds


@pytest.mark.parametrize("rate", ["800", "10^9", "1e12", "1e19", "10^40"])
def test_a_flip_and_a_large_claim(rate: str, capsys: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        assert status(["check", "rand1", "-D", "N=1", "--claim", f"{rate}*eps", "--quiet"]) == 0
        assert status(["check", "rand1", "-D", "N=1", "--claim", f"eps/({rate})", "--quiet"]) == 1
        assert status(["check", "rand1", "-D", "N=1", "--claim", f"{rate}*eps, 1/10^9", "--quiet"]) == 0

    assert quickest(work) < 2


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("eps", 0),
        ("eps/998244353", 0),
        ("eps/998244353 - eps/10^30", 1),
        ("eps/1000000007", 1),
        ("10^15*eps, 1/10^20", 0),
        ("eps/10^10, 1/2", 1),
    ],
)
def test_two_flips(claim: str, code: int, tmp_path: Path) -> None:
    found, seconds = timed(tmp_path / "two.dip", TWO_FLIPS.format(claim=claim))
    assert found == code and seconds < 1


@pytest.mark.parametrize("noise", ["Lap(eps*10^20, q)", "DLap(eps*10^20, q)", "Lap(eps/10^20, q)"])
@pytest.mark.parametrize("change", [1, 0, -1])
def test_noise(noise: str, change: int, tmp_path: Path) -> None:
    rate = noise.removeprefix("D").removeprefix("Lap(").removesuffix(", q)")
    claim = f"{rate}*{fmpq(10 + change, 10)}"
    found, seconds = timed(tmp_path / "above.dip", ABOVE.format(claim=claim, noise=noise))
    assert found == (change < 0) and seconds < 1


@pytest.mark.parametrize(
    "text",
    [
        TWO_FLIPS.format(claim="eps/998244353"),
        TWO_FLIPS.format(claim="10^15*eps, 1/10^20"),
        TWO_FLIPS.format(claim="eps/10^10, 1/2"),
        ABOVE.format(claim="10^20*eps", noise="Lap(eps*10^20, q)"),
    ],
)
@pytest.mark.parametrize("how", ["--deep", "--no-deep"])
def test_the_kernel_accepts_what_is_written(
    text: str, how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program, file = tmp_path / "program.dip", tmp_path / "certificate.json"
    program.write_text(text)
    expected = "private" if status(["check", str(program), "--certificate", str(file)]) == 0 else "violated"
    code = status(["verify", str(file), "--program", str(program), "--expect", expected, how])
    assert code == (0 if how == "--deep" else 3), capsys.readouterr().out


def test_a_number_without_decimals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, file = tmp_path / "program.dip", tmp_path / "certificate.json"
    program.write_text(ABOVE.format(claim="eps", noise="Lap(eps*10^20, q)"))
    assert status(["check", str(program), "--certificate", str(file)]) == 1
    assert status(["verify", str(file), "--expect", "violated"]) == 0
    assert "violated at eps = 1\n" in capsys.readouterr().out
    assert status(["check", str(program), "--json"]) == 1
    record: dict[str, Any] = contents(capsys.readouterr().out)
    assert "3.855476965e-43429448190325182766" in json.dumps(record)  # exp(-10^20)/2, by mpmath


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("forall eps > 0: exp(10^9*eps) >= exp(eps)", True),
        ("forall eps > 0: (exp(10^12*eps) - 1)/(exp(eps) - 1) > 10^12", True),
        ("forall eps > 0: (exp(10^12*eps) - 1)/(exp(eps) - 1) > 10^12 + 1", False),
        ("exists eps > 0: exp(2*10^9*eps) - 2*exp((10^9+1)*eps) + exp(2*eps) < 0", False),
        ("exists eps > 0: exp(10^12*eps) = 2 and exp(eps) < 1 + 1/10^12", True),
        ("exists eps > 0: exp(10^30/eps) = 5*exp(eps)", True),
        ("exists eps > 0: exp(10^19*eps) = 2*exp(eps)", True),
        # ln(2)/10^20 and ln(2)/(10^20 + 1) are less than 10^-40 apart.
        ("exists eps > 0: exp(10^20*eps) = 2 and exp((10^20 + 1)*eps) <= 2", False),
        ("exists eps > 0: exp(10^20*eps) <= 2 and exp((10^20 + 1)*eps) = 2", True),
    ],
)
def test_sentences(sentence: str, truth: bool) -> None:
    assert dipc.decide(sentence).truth is truth


# --- the twin -----------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    yield
    forget()


def forget() -> None:
    for remembered in (roots._factors, _remembered):
        remembered.cache_clear()


def drawn(rng: random.Random) -> ExpPoly:
    terms = [
        ExpPoly.of(rng.choice([-4, -2, -1, 1, 2, 3]), rng.choice([0, 0, 0, 1]), fmpq(rng.randint(0, 8), 2))
        for _ in range(rng.randint(2, 4))
    ]
    return sum(terms, ExpPoly()) or ExpPoly.exp(1) - 2


@pytest.mark.parametrize("seed", range(80))
def test_roots_and_signs_as_if_the_degree_were_great(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    f = drawn(rng) * (drawn(rng) if seed % 2 else ExpPoly.of(1))
    answer = nonnegative(f, EpsRange.positive())
    exact = positive_roots(f, fmpq(0), None)
    monkeypatch.setattr(polynomial, "MODERATE", 0)
    monkeypatch.setattr(polynomial, "DENSE", 0)
    forget()
    product = ExpPoly.of(1)
    for factor, power in irreducible(f):
        product = product * factor**power
    assert len(product * f) and any(product * c == f * d for c, d in proportions(product, f))
    match nonnegative(f, EpsRange.positive()):
        case Holds():
            assert isinstance(answer, Holds)
        case Fails(sample):
            assert isinstance(answer, Fails) and f.sign_at(sample) < 0
        case Unclear():
            assert polynomial.grid_of(f) is None
    try:
        found = positive_roots(f, fmpq(0), None)
    except Unsettled:
        return
    assert len(found) == len(exact)
    for mine, other in zip(found, exact, strict=True):
        assert mine.low <= other.high and other.low <= mine.high


@pytest.mark.parametrize("seed", range(40))
def test_signs_of_the_kernel(seed: int) -> None:
    """The twin shares no code with the kernel."""
    rng = random.Random(seed)
    size = 10 ** rng.randint(0, 25)
    value = {Fraction(rng.randint(-size, size), 3): Fraction(rng.choice([-3, -1, 1, 2])) for _ in range(4)}
    f = sum((ExpPoly.of(int(c), 0, 0, fmpq(x.numerator, x.denominator)) for x, c in value.items()), ExpPoly())
    assert sign_of(value) == f.sign_at(fmpq(1))


def proportions(f: ExpPoly, g: ExpPoly) -> list[tuple[ExpPoly, ExpPoly]]:
    """The terms by which f and g differ, if they do by one term."""
    first, second = (max(h.terms(), key=lambda term: (term.rate, term.power)) for h in (f, g))
    return [(ExpPoly.from_terms([second]), ExpPoly.from_terms([first]))]


def fraction(above: str, below: str) -> dipc.Mechanism:
    """A program that takes a fraction as a probability."""
    return dipc.load(f"""
        input q in {{0, 1}};  output o in {{true, false}};  adjacent all;  private eps
        if q = 0 then o <- flip(({above})/({below})) else o <- flip(1/2) end
    """)


@pytest.mark.parametrize(
    ("above", "below"),
    [
        (f"exp(3001*eps) - {2**3001}", "(exp(eps) - 2)*10^950*exp(3000*eps)"),
        ("exp(eps/1000) - 2", f"exp(eps) - {2**1000}"),
        ("exp(eps) - exp(1)", "(eps - 1)*exp(eps)*3"),
    ],
    ids=["great", "finer", "constants"],
)
def test_removable_poles_are_no_reason_to_refuse(above: str, below: str) -> None:
    """Where numerator and denominator vanish together the function may have a value."""
    verdict = fraction(above, below).check()
    assert isinstance(verdict, dipc.Undecided)
    assert "it is not settled whether a fraction has a value where its denominator is 0" in verdict.reason


def test_poles_of_great_rates_are_found() -> None:
    with pytest.raises(dipc.InputError, match="is undefined for some eps"):
        fraction("exp(eps)", "2*exp(1000000007*eps) - 3*exp(eps)").check()
    refused = fraction("exp(eps) - exp(-10^9*eps)", "(exp(eps/1000) - 1)*(eps - 1)^2")
    with pytest.raises(dipc.InputError, match="is undefined for some eps"):
        refused.check(at=1)


@pytest.mark.parametrize(
    "sentence",
    [
        f"forall eps > 0: (exp(3001*eps) - {2**3001})*(exp(eps) - 2) >= 0",
        "exists eps > 0: (exp(10^12*eps) - 2)^2*(exp(eps) - 3) < 0 and exp(eps) > 3",
    ],
    ids=["shared", "multiple"],
)
def test_doubt_about_a_root_that_is_not_simple_unseen(sentence: str) -> None:
    """Both factors of the first one change their sign at ln(2), which is a double root of the product."""
    doubt = dipc.decide(sentence)
    assert doubt.truth is None and "or a great degree" in doubt.reason
