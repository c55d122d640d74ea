"""The least t of models with eps: `dipc budget` where both are defined, and all sequences at many points."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import exp, inf, log
from random import Random

import pytest
from campaigns import many, some, spared
from flint import arb, fmpq
from patience import worn_by_dipc
from pufferfish.prior_programs import EQUAL, INDEPENDENT, SVT
from pufferfish.test_mixtures import KEEPS, RESPONSE, SQUARE

import dipc
from dipc.clock import limits
from dipc.errors import InputError, Source
from dipc.pufferfish.hmm import HiddenMarkovModel, PufferfishQuestion

# Random models, as the texts that both the package and Python evaluate

SHARES = [
    "1/(1 + exp(eps))",
    "exp(-eps/2)/2",
    "1 - exp(-eps)/2",
    "1/2",
    "(p + exp(-eps)*(1 - p))/2",
    "p*(1 - p)*exp(-eps) + 1/2 - p*(1 - p)",
    "1/2 + q*(1 - exp(-eps/2))/2",
    "1/(1 + exp(-2*eps))",
]  # all are 1/2 at eps = 0: else the least t is infinite
OTHERS = [*SHARES[3:6], "1/(2 + eps)", "exp(-eps)*(1 + eps)/2", "exp(-1/2)", "1/2 + eps*exp(-eps)*p/4"]
WEIGHTS = ["p", "1/2", "p^2", "q", "p*q", "exp(-eps)"]


class Model:
    """Two or three states with two observations each; two starts, a horizon."""

    def __init__(self, seed: int, shares: list[str]) -> None:
        rng = Random(seed)
        size = rng.randint(2, 3)
        self.shown = [rng.choice(shares) for _ in range(size)]
        if seed % 8 == 0:
            self.shown[0] = "1/3"
        self.moves = [(rng.choice(SHARES), *rng.sample(range(size), 2)) for _ in range(size)]
        self.starts = [(rng.choice(WEIGHTS), *rng.sample(range(size), 2)) for _ in range(2)]
        self.horizon = rng.randint(1, 2)
        self.eps = rng.choice(["(0, inf)", "(0, 1]", "[0.5, 3)"])

    @property
    def text(self) -> str:
        lines = ["param p in (0, 1), q in [1/4, 1/2]", "observe a, b"]
        for i, (share, (move, s, t)) in enumerate(zip(self.shown, self.moves, strict=True)):
            lines.append(
                f"state s{i} emits {{a: {share}, b: 1 - ({share})}} next {{s{s}: {move}, s{t}: 1 - ({move})}}"
            )
        for name, (share, s, t) in zip("uv", self.starts, strict=True):
            lines.append(f"start {name} {{s{s}: {share}, s{t}: 1 - ({share})}}")
        return "\n".join([*lines, "compare u, v", f"horizon {self.horizon}"])

    @property
    def question(self) -> PufferfishQuestion:
        return HiddenMarkovModel(Source("m.hmm", self.text)).question()

    def quotients(self, p: float, q: float, eps: float, length: int = 0) -> Iterator[tuple[float, float]]:
        """P(w | u) and P(w | v), and the other way round, for all words, along all paths."""

        def number(text: str) -> float:
            return float(eval(text.replace("^", "**"), {"p": p, "q": q, "eps": eps, "exp": exp}))

        shown = [(x, 1 - x) for x in map(number, self.shown)]
        moves = [{s: number(x), t: 1 - number(x)} for x, s, t in self.moves]
        starts = [{s: number(x), t: 1 - number(x)} for x, s, t in self.starts]
        for word in product((0, 1), repeat=length or self.horizon):
            found = []
            for start in starts:
                mass = 0.0
                for path in product(range(len(shown)), repeat=len(word)):
                    term = start.get(path[0], 0.0)
                    for s, o in zip(path, word, strict=True):
                        term *= shown[s][o]
                    for k in range(1, len(path)):
                        term *= moves[path[k - 1]].get(path[k], 0.0)
                    mass += term
                found.append(mass)
            yield found[0], found[1]
            yield found[1], found[0]

    def least(self, low: float, high: float) -> float:
        """The greatest ln(quotient)/eps on a grid of points of the class."""
        best = 0.0
        budgets = [x for x in (1e-3, 0.05, 0.3, 0.5, 0.9, 1, 2, 2.9, 5, 9) if low <= x <= high]
        for p, q, eps in product((1e-4, 0.2, 0.5, 0.8, 1 - 1e-4), (0.25, 0.4, 0.5), budgets):
            for a, b in self.quotients(p, q, eps):
                if a > 1e-13:
                    best = max(best, inf if b < 1e-15 else log(a / b) / eps)
        return best


@pytest.mark.parametrize("seed", spared(range(40), {*range(40)} - {0, 6, 15, 21, 30, 39}))
def test_all_sequences_on_a_grid(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model(seed, SHARES)
    question = model.question
    worn_by_dipc(0.03, monkeypatch)  # four of the models have no answer in any time
    with limits(seconds=many(6, campaign=60)):
        found = question.budget()
    slow = model.least(0, inf)
    if found.infinite:
        assert question.check("20*eps").status == "violated"
        return
    assert found.low is not None
    low = found.low.as_rational()
    assert low is not None
    if found.high is not None:
        high = found.high.as_rational()
        assert high is not None and slow <= float(high) * (1 + 1e-7) + 1e-7
        assert high - low <= fmpq(1, 10**9) or found.reason
    if low >= fmpq(1, 10):
        # the other code decides: eps is one more coordinate of the class there
        below = question.check(f"{_near(low)}*eps")
        assert below.status == "violated"
        assert below.counterexample is not None
        point, eps = below.counterexample.parameters, below.counterexample.epsilon
        values = [float(fmpq(x).p) / float(fmpq(x).q) for x in (point["p"], point["q"], eps)]
        t = float(_near(low).p) / float(_near(low).q)
        assert any(a > exp(t * values[2]) * b * (1 - 1e-9) for a, b in model.quotients(*values))
    if found.exact and low.denominator < 9:
        assert question.check(f"{low}*eps").status != "violated"


def _near(low: object) -> fmpq:
    """A fraction with a small denominator below low."""
    number = fmpq(low.numerator, low.denominator)  # type: ignore[attr-defined]
    return fmpq(int((number * 8 - fmpq(1, 100)).floor()), 8)


@pytest.mark.parametrize("seed", some(range(40), 4))
@pytest.mark.parametrize("claim", ["eps", "2*eps + 1/3", "ln(3)"])
def test_functions_of_eps_against_all_sequences(seed: int, claim: str) -> None:
    """Powers of eps, constants exp(k) and intervals of eps, on a grid; a violation by its numbers."""
    model = Model(100 + seed, OTHERS)
    verdict = model.question.check(f"{claim} for eps in {model.eps}")
    text = claim.replace("ln", "log")
    if verdict.counterexample is None:
        low, high = (float(x) for x in model.eps.strip("()[]").split(", "))
        for p, q, eps in product((1e-3, 0.3, 0.5, 0.9), (0.25, 0.5), (0.01, 0.5, 0.8, 1, 2, 2.9, 6)):
            c = exp(eval(text, {"eps": eps, "log": log}))
            if verdict.status == "private" and low <= eps <= high:
                assert all(a <= c * b * (1 + 1e-9) + 1e-12 for a, b in model.quotients(p, q, eps))
        return
    found = verdict.counterexample
    assert found.epsilon is not None and 0 < found.parameters["p"] < 1
    values = [float(Fraction(str(x))) for x in (found.parameters["p"], found.parameters["q"], found.epsilon)]
    c = exp(eval(text, {"eps": values[2], "log": log}))
    numbers = [float(x.enclose(arb(1))) for x in (found.probability, found.other_probability)]
    assert numbers[0] > c * numbers[1]
    found_there = model.quotients(*values, len(found.sequence))
    assert any(a == pytest.approx(numbers[0]) and b == pytest.approx(numbers[1]) for a, b in found_there)


def test_a_probability_that_is_negative_for_some_eps() -> None:
    text = "observe a, b; state s emits {a: 1 - eps/2, b: eps/2} next stop; state t emits a next stop\n"
    text += "compare t, s; private eps"
    with pytest.raises(InputError, match="is negative at eps ="):
        HiddenMarkovModel(Source("m.hmm", text)).question().check()
    smaller = HiddenMarkovModel(Source("m.hmm", text + " for eps in (0, 1]")).question().check()
    assert smaller.status == "violated"  # b is impossible for t


@pytest.mark.parametrize(
    ("high", "p"), [("2", "p*eps"), ("1/2", "2*p*eps"), ("2", "p/(1 + eps)"), ("1/2", "p/(1 - p*eps)")]
)
def test_probabilities_are_checked_on_the_range_of_a_parameter(high: str, p: str) -> None:
    """In place of (0, 1): above 1 for p = 2 and eps = 1, but not for p = 1/2."""
    text = f"param p in (0, {high}); observe a, b; state s emits {{a: {p}, b: 1 - {p}}} next stop\n"
    text += "state t emits {a: 1/2, b: 1/2} next stop; compare s, t; private eps for eps in (0, 1]"
    question = HiddenMarkovModel(Source("m.hmm", text)).question()
    if high == "2":
        with pytest.raises(InputError, match=r"of b in state s is negative at p = [\d/]+, eps ="):
            question.check()
    else:
        assert question.check().status == "violated"


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("twist", range(3))
def test_independent_cells_have_the_least_t_of_differential_privacy(keep: str, twist: int) -> None:
    """Kifer and Machanavajjhala, Theorem 6.1."""
    mechanism = dipc.load(RESPONSE.format(keep=keep, ranges="(0, 1)", twist=twist))
    found, expected = mechanism.pufferfish().budget(), mechanism.budget().least
    assert found.infinite == expected.infinite
    if not found.infinite:
        assert found.low == expected.low and found.high == expected.high
        assert found.attained == expected.attained


@pytest.mark.parametrize("text", [INDEPENDENT, EQUAL])
def test_the_least_t_of_the_sparse_vector_technique(text: str) -> None:
    found = dipc.load(SVT.format(prior="param a in (0, 1), b in (0, 1)", lines=text)).pufferfish().budget()
    expected = dipc.load(SVT.format(prior="", lines="adjacent hamming 1")).budget().least
    assert found.low == found.high
    if text is INDEPENDENT:
        assert found.low == expected.exact
        assert found.approached == "b -> 0, eps -> inf"
    else:
        assert found.low == fmpq(1, 2)


def test_where_the_least_t_is_reached() -> None:
    found = dipc.load(SQUARE.format(claim=1)).pufferfish().budget()
    assert found.low == fmpq(1, 6) and not found.attained and found.approached == "eps -> 0"
    assert found.reached is not None and found.reached.sequence == ("out=0",)


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("0 for eps in [1, 1]", "private"),
        ("ln(3/2) for eps in [1/2, 1]", "violated"),
        ("0 for eps in [1, 2]", "violated"),
        ("ln(2) for eps in (0, 2)", "private"),
    ],
)
def test_a_factor_that_vanishes_at_an_end_of_the_range(claim: str, status: str) -> None:
    """At eps = 1 both sides are equal, and the sequence `a` is impossible."""
    text = "observe a, b; param p in (0, 1); let x = (eps - 1)^2/20*p; compare s, t"
    text += "\nstate s emits {a: x, b: 1 - x} next stop; state t emits {a: 2*x, b: 1 - 2*x} next stop"
    verdict = HiddenMarkovModel(Source("m.hmm", text)).question().check(claim)
    assert verdict.status == status


CONTAGIOUS = """
param t in (0, 1), p in (0, 1)
input john in {0, 1}, neighbour in {0, 1}
output out in 0..2
adjacent hamming 1
prior contagion
  john <- choose {1: p, 0: 1 - p}
  caught <- flip(t)
  if caught then neighbour <- john else neighbour <- choose {1: p, 0: 1 - p} end
end
secret john = 0 vs john = 1
r <- DLap(eps, john + neighbour)
if r <= 0 then out <- 0 elif r = 1 then out <- 1 else out <- 2 end
"""


def test_a_witness_where_a_secret_becomes_impossible() -> None:
    """The least t is approached as p -> 0: the probabilities are the limits, here those of counts 0 and 2."""
    found = dipc.load(CONTAGIOUS).pufferfish().budget()
    assert (found.c, found.attained, found.approached) == (2, False, "t -> 1, p -> 0")
    shown = found.reached
    assert shown is not None and (shown.secret, shown.against) == ("john = 0", "john = 1")
    assert (shown.prior, shown.sequence, shown.epsilon) == ("contagion", ("out=0",), 1)
    share = 1 / (1 + exp(-1))
    for value, expected in ((shown.probability, share), (shown.other_probability, share * exp(-2))):
        assert abs(float(value.enclose(arb(1))) - expected) < 1e-12


# --- delta > 0 with functions of eps -------------------------------------------------------------------

DELTAS = ("1/100", "1/20", "1/10", "1/4")


@pytest.mark.parametrize("seed", some(range(40), 12))
@pytest.mark.parametrize("shares", [SHARES, OTHERS])
def test_delta_against_all_sequences_on_a_grid(seed: int, shares: list[str]) -> None:
    """The sums of max(0, P - c P') in floats along all paths; at a counterexample it is above delta."""
    model, rng = Model(seed, shares), Random(seed)
    delta, rate = rng.choice(DELTAS), rng.choice([0, 1, 2])
    verdict = model.question.check(f"{rate}/4*eps, {delta} for eps in {model.eps}")

    def excess(p: float, q: float, eps: float) -> float:
        found, c = list(model.quotients(p, q, eps)), exp(rate * eps / 4)
        return max(sum(max(0.0, x - c * y) for x, y in found[way::2]) for way in (0, 1))

    most = float(Fraction(delta))
    if verdict.counterexample is not None:
        found = verdict.counterexample
        values = {name: float(Fraction(str(x))) for name, x in found.parameters.items()}
        eps = float(Fraction(str(found.epsilon)))
        assert eps > 0 and excess(values["p"], values["q"], eps) > most - 1e-12
        return
    low, high = (float(x) for x in model.eps.strip("(])[").replace("inf", "12").split(","))
    for p, q, step in product((0.01, 0.3, 0.5, 0.8, 0.99), (0.25, 0.4, 0.5), range(1, 12)):
        assert excess(p, q, low + (high - low) * step / 12) <= most + 1e-9 or verdict.status == "undecided"
