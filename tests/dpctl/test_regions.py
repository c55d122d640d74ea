"""For which eps a formula holds, compared with a slow evaluation at rational points and at every end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction

import pytest
from campaigns import many
from dpctl import evaluator
from dpctl.evaluator import EPS, EXP, Example, Family, Tree, shown
from flint import arb, ctx, fmpq

from dipc.clock import Clock
from dipc.dpctl.pipeline import check
from dipc.dpctl.syntax import parse_property
from dipc.dpctl.verdict import ModelVerdict, Region
from dipc.errors import Source
from dipc.models.reading import read_model
from dipc.signs.tables import RootCluster, end_as_text

TINY = fmpq(1, 10**40)


@pytest.fixture(autouse=True)
def _precise() -> Iterator[None]:
    with ctx.workprec(300):
        yield


def verdict(chain: Example, text: str, eps_range: str | None = None, let: str | None = None) -> ModelVerdict:
    model = read_model(Source("m", chain.text(let))).model
    every = ", ".join(f"s{s}" for s in range(len(chain.rows)))
    asked = f"({text}) from {every} for eps in {eps_range or chain.family.eps_range}"
    numbers = read_model(Source("m", chain.text(let))).numbers
    return check(model, parse_property(Source("f", asked), model, numbers), Clock())


def place(end: object) -> arb:
    """An end of a region as a narrow ball."""
    if isinstance(end, RootCluster):
        (root,) = end.roots
        if not root.is_rational:
            root.refine_to(TINY)
        return arb((root.low + root.high) / 2, arb(root.high - root.low))
    assert isinstance(end, fmpq)
    return arb(end)


def side(eps: arb | fmpq, end: object) -> int:
    """Where eps is: below, at, or above an end; closer than 10^-30 is at."""
    with ctx.workprec(300):
        gap = arb(eps) - place(end)
        if abs(gap) < fmpq(1, 10**30):
            return 0
        return 1 if gap > 0 else -1


def inside(eps: arb | fmpq, regions: tuple[Region, ...]) -> bool:
    for low, high, low_closed, high_closed in regions:
        if side(eps, low) >= (0 if low_closed else 1) and (
            high is None or side(eps, high) <= (0 if high_closed else -1)
        ):
            return True
    return False


def eps_of(family: Family, x: Fraction) -> arb:
    value = arb(fmpq(x.numerator, x.denominator))
    return value if family is EPS else value.log()


def ends_as_x(family: Family, regions: Mapping[str, tuple[Region, ...]]) -> list[Fraction]:
    """The ends of regions that are rational in x."""
    found = []
    for low, high, *_ in (region for several in regions.values() for region in several):
        for end in low, high:
            value = place(end) if family is EPS else place(end).exp()
            near = Fraction(int((value.mid() * 2**120).floor().unique_fmpz()), 2**120).limit_denominator(2000)
            if abs(value - fmpq(near.numerator, near.denominator)) < fmpq(1, 10**25):
                found.append(near)
    return found


def in_range(family: Family, x: Fraction) -> bool:
    return 0 < x <= 2 if family is EPS else 1 < x < Fraction(27182, 10000)


def compare(chain: Example, f: Tree) -> int:
    """Regions against slow values; returns the number of ends that were looked at."""
    family = chain.family
    found = verdict(chain, shown(f))
    ends = ends_as_x(family, found.regions)
    near = [end * (1 + Fraction(d, 10**9)) for end in ends for d in (-1, 0, 1)]
    for x in (*family.points, *(x for x in near if in_range(family, x))):
        slow = evaluator.holding(chain, f, x)
        fast = {s for s in range(len(chain.rows)) if inside(eps_of(family, x), found.regions[f"s{s}"])}
        assert fast == slow, (chain.text(), shown(f), x)
    whole = {
        name for name, regions in found.regions.items() if len(regions) == 1 and complete(regions, family)
    }
    assert {name for name, status in found.at.items() if status == "holds"} == whole
    return sum(in_range(family, end) and (family is EXP or end != 2) for end in ends)


def complete(regions: tuple[Region, ...], family: Family) -> bool:
    return regions == (Region(fmpq(0), fmpq(2 if family is EPS else 1), False, True),)


@pytest.mark.parametrize("family", [EPS, EXP], ids=["eps", "exp"])
@pytest.mark.parametrize("seed", range(6))
def test_random_formulas_on_random_chains(family: Family, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(many(2, campaign=50)):
        compare(evaluator.example(rng, family), evaluator.formula(rng, family, 2))


def touching(rng: random.Random, chain: Example) -> Tree | None:
    """A formula whose bound is attained at a rational point: a region ends there, open or closed."""
    family, path = chain.family, evaluator.path(rng, chain.family, 1)
    x = rng.choice([Fraction(1, 2), Fraction(1), Fraction(3, 2)])
    x = x if family is EPS else 1 + x
    p, later = (evaluator.values(chain, path, y) for y in (x, x + Fraction(1, 16)))
    s, t = rng.choice(chain.neighbours)
    if p[s] == later[s]:
        return None
    if rng.random() < 0.5:
        return ("P", rng.choice(evaluator.COMPARISONS), str(p[s]), path)
    epsilon, factor = rng.choice(family.exponents)
    delta = max(p[s] - evaluator.number(factor, x) * p[t], p[t] - evaluator.number(factor, x) * p[s])
    return ("D", epsilon, factor, str(delta), path) if delta >= 0 else None


@pytest.mark.parametrize("family", [EPS, EXP], ids=["eps", "exp"])
def test_ends_are_open_or_closed_as_they_should_be(family: Family) -> None:
    rng, ends, done = random.Random(8), 0, 0
    while done < many(5, campaign=200):
        chain = evaluator.example(rng, family)
        if (f := touching(rng, chain)) is not None:
            done += 1
            ends += compare(chain, f)
    assert ends >= done


def simple(family: Family, seed: int) -> Iterator[tuple[Example, Tree]]:
    rng = random.Random(seed)
    for _ in range(many(4, campaign=50)):
        yield evaluator.example(rng, family), evaluator.formula(rng, family, 2, ("P", "D", "and"))


def regions_of(chain: str, text: str) -> dict[str, list[str]]:
    model = read_model(Source("m", chain)).model
    found = check(model, parse_property(Source("f", text), model), Clock())
    return {name: [written(region) for region in regions] for name, regions in found.regions.items()}


def written(region: Region) -> str:
    low, high, low_closed, high_closed = region
    return f"{'[' if low_closed else '('}{end_as_text(low)}, {end_as_text(high)}{']' if high_closed else ')'}"


VANISHING = "chain; let p = ({f})^2/4; s -> {{s: 1 - p, g: p}}; g -> g; t -> g; neighbours s ~ t"


def test_a_vanishing_transition_is_seen_where_it_vanishes() -> None:
    """The example of the note: generically the goal is reached for certain, at one eps never."""
    chain = VANISHING.format(f="eps - 1")
    assert regions_of(chain, "P>=1 (F g) from s for eps in (0, 2)") == {"s": ["(0, 1)", "(1, 2)"]}
    assert regions_of(chain, "P<1 (F g) from s for eps in (0, 2)") == {"s": ["[1, 1]"]}
    assert regions_of(chain, "P=0 (F g) from s for eps in [1, 2)") == {"s": ["[1, 1]"]}
    assert regions_of(chain, "P>0 (G P>=1 (F g)) from s, t for eps in [1, 1]") == {"s": [], "t": ["[1, 1]"]}
    transcendental = VANISHING.format(f="exp(eps) - 2")
    expected = {"s": ["(0, 0.6931471806)", "(0.6931471806, 1]"]}
    assert regions_of(transcendental, "P>=1 (F g) from s for eps in (0, 1]") == expected
    assert regions_of(transcendental, "D[eps, 0](F g) from s for eps in (0, 1]") == expected


def test_two_transitions_that_vanish_together_and_apart() -> None:
    chain = "chain; let p = (eps - 1)^2/4; let q = eps*(eps - 1)^2*(eps - 2)^2/16\n"
    chain += "s -> {s: 1 - p - q, g: p, h: q}; g -> g; h -> h"
    assert regions_of(chain, "P=0 (F h) from s for eps in (0, 2]") == {"s": ["[1, 1]", "[2, 2]"]}
    assert regions_of(chain, "P=1 (F g) from s for eps in (0, 2]") == {"s": ["[2, 2]"]}
    assert regions_of(chain, "P=1 (G !(g | h)) from s for eps in (0, 2]") == {"s": ["[1, 1]"]}


def test_a_formula_with_eps_about_a_chain_without_and_the_other_way_round() -> None:
    chain = "chain; s -> {a: 1/2, b: 1/2}; t -> {a: 1/4, b: 3/4}; final a, b; neighbours s ~ t"
    assert regions_of(chain, "D[eps + ln 2, 0](X a) & P>=eps (X a) from s for eps in (0, 2]") == {
        "s": ["(0, 1/2]"]
    }
    assert regions_of(chain, "P>=eps (X D[ln 2, 0](X a)) from s for eps in (0, 2]") == {"s": ["(0, 1]"]}


BLURRED = "chain; let p = (exp(eps) - 1)/4; s -> {a: p, b: 1 - p}; final a, b"
NARROW = "exp(1)/4, exp(1)/4 + 1/10^60"


def blurred(text: str) -> ModelVerdict:
    model = read_model(Source("m", BLURRED)).model
    return check(
        model,
        parse_property(Source("f", f"{text} from s for eps in (0, 3/2]"), model),
        Clock(),
    )


def test_signs_that_cannot_be_told_apart_leave_one_place_undecided() -> None:
    """Two roots 10^-60 apart, with exp(1) in their functions: between them the formula fails."""
    found = blurred(f"!P in ({NARROW}) (X a)")
    assert found.status == "undecided"
    before, after = found.regions["s"]
    assert [written(part) for part in (before, after)] == ["(0, 1.3132616875)", "(1.3132616875, 3/2]"]
    assert before.high is after.low
    holds = blurred("!P=exp(1)/4 (X a) | P>0 (X a)")
    assert (holds.status, len(holds.regions["s"])) == ("holds", 1)


def test_what_fails_elsewhere_fails_whatever_happens_at_an_undecided_place() -> None:
    found = blurred(f"P in [{NARROW}] (X a)")
    assert (found.status, found.regions["s"]) == ("fails", ())
