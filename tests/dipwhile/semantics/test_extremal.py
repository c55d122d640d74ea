"""Extremal pairs against all pairs: verdicts, least t, losses and regions are the same, for random programs.

Half of the programs have the structure, their outputs are monotone in the cells; the others almost have it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import campaigns
import pytest
from flint import fmpq

import dipc
import dipc.dipwhile.semantics.extremal as extremal
from dipc.claims.tightness.least import Least
from dipc.cli.main import status
from dipc.dipwhile.certify.privacy import certificate
from dipc.dipwhile.convert import to_pair
from dipc.dipwhile.semantics.adjacency import adjacent
from dipc.kernel.schema import write
from dipc.kernel.statements import checked
from dipc.signs.tables import End, RootCluster

Interval = tuple[fmpq | None, fmpq | None]

PROGRAMS = campaigns.many(6, 600)
DOMAINS = ("{0, 1}", "{-1, 0, 1}", "{0, 1, 2}", "{2, 0, 1}", "{0, 1/2, 1}", "{-1, 0, 2}", "{0, 1, 2, 3}")
RANGES = ("", "", "", "for eps in (0, 1]", "for eps in [1, 3]", "for eps in [2, inf)", "for eps in (1/2, 1)")
EPSILONS = ("eps/2", "eps", "3/2*eps", "2*eps", "3*eps", "eps/2 + ln(2)", "eps + 1/10", "ln(1 + exp(eps))")
MONOTONE = (
    "{a} + {b}",
    "max({a}, {b})",
    "{a} - {b}",
    "min({a}, 1) + {b}",
    "2*{a}",
    "min({a}, {b})",
    "{b} - {a}",
)
ALMOST = (
    "abs({a} - 1) + {b}",
    "abs({a} - {b})",
    "abs({a}) - {b}",
    "max({a}, 1 - {a}) + {b}",
    "min({a}, 1 - {a})",
)
COINS = ("1/2", "1/3", "1/4", "exp(-eps)", "exp(-2*eps)", "exp(eps)/(1 + exp(eps))", "1/(1 + eps)")


class Maker:
    """Random programs; ``structured``: monotone in each cell."""

    def __init__(self, seed: int, structured: bool) -> None:
        self.random, self.structured = random.Random(seed), structured
        self.size = self.random.choice((1, 2, 2) if campaigns.CAMPAIGN else (1, 2))

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def mean(self) -> str:
        """An expression over two cells."""
        a, b = (f"q[{self.random.randint(1, self.size)}]" for _ in range(2))
        almost = not self.structured and self.random.random() < 0.7
        return self.pick(*(ALMOST if almost else MONOTONE)).format(a=a, b=b)

    def noise(self) -> str:
        return f"Lap({self.pick('eps', 'eps/2', '2*eps')}, {self.mean()})"

    def rounded(self) -> str:
        """Sums with noise, rounded."""
        values = self.pick("0, 1", "0, 1") if self.structured else self.pick("0, 1", "-1, 0, 1")
        lines = [f"x <- {self.noise()}\no[{i}] <- disc(x, {values})" for i in range(1, self.size + 1)]
        return f"output o[{self.size}] in {{{values}}} = 0\n|" + "\n".join(lines)

    def threshold(self) -> str:
        """The sparse vector technique, with an exit or without."""
        end = self.pick("; exit", "")
        lines = [
            f"r <- {self.noise()}\nif r >= t then o[{i}] <- 1{end} else o[{i}] <- 0 end"
            for i in range(1, self.size + 1)
        ]
        return f"output o[{self.size}] in {{0, 1}} = 0\n|t <- Lap(eps/2, 0)\n" + "\n".join(lines)

    def largest(self) -> str:
        """Report noisy max."""
        lines = [f"x[{i}] <- {self.noise()}" for i in (1, 2)]
        return "output o in {1, 2}\n|" + "\n".join(lines) + "\no <- argmax(x)"

    def coin(self) -> str:
        """Coins whose order depends on eps."""
        test = "q[1] > 0" if self.structured else f"q[1] = {self.pick('0', '1')}"
        one, other = self.pick(*COINS), self.pick(*COINS)
        body = f"if {test} then x <- flip({one}) else x <- flip({other}) end\no <- x"
        return f"output o in {{true, false}}\n|{body}"

    def program(self) -> str:
        made: Callable[[], str] = self.random.choice((self.rounded, self.threshold, self.largest, self.coin))
        output, body = made().split("|")
        near = self.pick("linf 1", "linf 2", "linf 1/2", "l1 1", "l1 2", "hamming 1", "hamming 2", "all")
        if not self.structured and self.random.random() < 0.1:
            near = f"forall i in 1..{self.size}: abs(q[i] - q'[i]) <= 1"
        claim = f"private {self.pick(*EPSILONS)} {self.pick(*RANGES)}"
        domain = self.pick(*DOMAINS[: 12 - 3 * self.size])
        return f"input q[{self.size}] in {domain}\n{output}adjacent {near}\n{claim}\n{body}\n"


@dataclass(frozen=True)
class Answers:
    status: str
    least: Least
    regions: tuple[tuple[Interval, Interval], ...]

    def agree(self, other: Answers) -> bool:
        one, two = self.least, other.least
        infinite = one.high is None or two.high is None
        near = one.high == two.high if infinite else one.low <= two.high and two.low <= one.high
        known = one.exact is None or two.exact is None or one.exact == two.exact
        ends = zip(chain(*self.regions), chain(*other.regions), strict=True)
        return near and known and self.status == other.status and all(overlap(*two) for two in ends)


def interval(end: End) -> Interval:
    """What encloses the end of a region."""
    if isinstance(end, RootCluster):
        return end.roots[0].low, end.roots[-1].high
    return end, end


def overlap(one: Interval, two: Interval) -> bool:
    if None in (*one, *two):
        return one == two
    return one[0] <= two[1] and two[0] <= one[1]


def answers(program: str) -> Answers:
    """Everything that must not depend on the pairs that are compared."""
    m = dipc.load(program)
    verdict = m.check()
    again = dipc.load(program).check()
    assert str(again) == str(verdict)
    if found := verdict.counterexample:
        u, v = to_pair(m.program, (dict(found.input), dict(found.neighbour)))
        assert adjacent(m.explored.space, u, v, m.program.adjacency)
        assert found.excess.sign_at(found.epsilon) > 0
        assert m.check(pair=(dict(found.input), dict(found.neighbour))).status == "violated"
    regions = m.violating_budgets().regions
    return Answers(
        verdict.status, m.budget().least, tuple((interval(r.low), interval(r.high)) for r in regions)
    )


def reduced(program: str) -> int:
    return dipc.load(program).check().counts.reduced


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Extremal pairs wherever an order is proved, or nowhere."""
    monkeypatch.setattr(extremal, "GAIN", 0)
    return lambda on: monkeypatch.setattr(extremal, "FEW", 0 if on else 10**9)


@pytest.mark.parametrize("structured", [True, False])
def test_random_programs(structured: bool, eager: Callable[[bool], None]) -> None:
    used = 0
    for seed in range(PROGRAMS):
        program = Maker(seed, structured).program()
        eager(False)
        slow = answers(program)
        eager(True)
        assert answers(program).agree(slow), program
        used += dipc.load(program).check().counts.reduced > 0
    assert used > PROGRAMS / 2


TRAPS = {
    "the middle value is the extreme one": (
        "input q[2] in {0, 1, 2}; output o in {0, 1} = 0; adjacent linf 2;"
        "x <- Lap(eps, abs(q[1] - 1) + q[2]); o <- disc(x, 0, 1)",
        3,
    ),
    "two cells move by half of the distance each": (
        "input q[2] in {0, 1/2, 1}; output o[2] in {0, 1} = 0; adjacent l1 1;"
        "for i in 1..2 do x <- Lap(eps, min(q[i], 1/2)); o[i] <- disc(x, 0, 1) end",
        1,
    ),
    "the function does not grow any more": (
        "input q in {0, 1, 2}; output o in {0, 1} = 0; adjacent all;"
        "x <- Lap(2*eps, min(q, 1)); o <- disc(x, 0, 1)",
        2,
    ),
    "the last cell makes better use of the distance": (
        "input q[2] in {0, 1}; output o in {0, 1} = 0; adjacent l1 1;"
        "x <- Lap(eps, q[1] + 2*q[2]); o <- disc(x, 0, 1)",
        2,
    ),
    "a cell that is read twice": (
        "input q[2] in {0, 1}; output o[2] in {0, 1} = 0; adjacent l1 1;"
        "for i in 1..2 do x <- Lap(eps, q[1]); o[i] <- disc(x, 0, 1) end",
        2,
    ),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_traps(trap: str, eager: Callable[[bool], None]) -> None:
    eager(True)
    program, least = TRAPS[trap]
    assert dipc.load(program).budget().t == least


CROSSING = """input q in {0, 1}; output o in {0, 1}; adjacent all; private eps for eps in (0, 2)
if q = 0 then o <- choose {0: 1/3, 1: 2/3} else o <- choose {0: 1/(1 + eps), 1: eps/(1 + eps)} end
"""


@pytest.mark.parametrize(
    ("budgets", "compared"), [("(1, 2]", 2), ("(1, 3)", 8), ("[2, 9]", 2), ("[3, 3]", 2)]
)
def test_orders_are_proved_on_the_range_of_the_claim(
    budgets: str, compared: int, eager: Callable[[bool], None]
) -> None:
    """The two probabilities are equal at eps = 2."""
    eager(True)
    verdict = dipc.load(CROSSING).check(f"10*eps for eps in {budgets}")
    assert (verdict.status, verdict.counts.inequalities) == ("private", compared)


def test_which_shortcut_was_taken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("dipc.dipwhile.pipeline.FEW", 3**6)  # no pairs of the hub
    assert status(["check", "svt1", "-D", "N=6", "--verbose"]) == 0
    shown = capsys.readouterr()
    assert "7 outputs (4 by extremal pairs)" in shown.out
    assert shown.err.splitlines() == [
        "shortcut: the laws by one integral over a hub each",
        "shortcut: extremal pairs for 4 of 7 outputs",
    ]
    assert status(["check", "svt1", "-D", "N=6"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("claim", ["eps, 1/100", "range 4*eps", "renyi 2, 4*eps"])
def test_whole_laws_are_compared_for_other_claims(claim: str, eager: Callable[[bool], None]) -> None:
    eager(True)
    text = "input q in {0, 1, 2}; output o in {0, 1} = 0; adjacent all; x <- Lap(eps, q); o <- disc(x, 0, 1)"
    assert dipc.load(text).check(claim).counts.reduced == 0
    assert dipc.load(text).check("2*eps").counts.reduced == 2


def test_certificates_list_all_pairs(eager: Callable[[bool], None]) -> None:
    """Of a claim that extremal pairs have proved, too."""
    eager(True)
    accepted = 0
    for seed in range(2 * PROGRAMS):
        mechanism = dipc.load(Maker(seed, structured=seed % 2 == 0).program())
        verdict = mechanism.check()
        if verdict.status == "private" and verdict.claim.t is not None and verdict.counts.reduced:
            found = checked(write(certificate(mechanism.program, verdict)))
            assert (found.status, found.pairs) == ("private", verdict.counts.pairs)
            accepted += 1
    assert accepted
