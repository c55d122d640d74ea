"""P and D on decision processes for a range of eps, against all policies at single eps, with fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest
from campaigns import many
from dpctl.test_regions import inside
from dpctl.test_words import privacy
from flint import fmpq
from processes import by_histories, policies, random_mdp, random_path, until_in_chain, with_coins
from rationals import flint, fraction

from dipc.clock import Clock
from dipc.dpctl.formula import Formula, Property, Proposition, Query, Until
from dipc.dpctl.model import MDP
from dipc.dpctl.pipeline import check, value
from dipc.dpctl.processes import Options
from dipc.errors import Unsupported
from dipc.models.chain import Mdp
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.quotient import Quotient
from dipc.signs.eps_range import EpsRange

SAMPLES = (Fraction(1, 3), Fraction(1), Fraction(5, 2))
A_UNTIL_B = Until(Proposition("a"), Proposition("b"))
EPS = Quotient(ExpPoly.of(1, 1))
SQUARE = (EPS - 1) ** 2
# The bias is rational at a rational eps; some vanish at eps = 1.
COINS = (EPS / (1 + EPS), 1 / (1 + EPS), SQUARE / (1 + SQUARE), Quotient.of(fmpq(1, 2)))


def at(model: Mdp[Quotient], eps: Fraction) -> Mdp[fmpq]:
    """The process at one eps."""
    numbers = {p: p.at(flint(eps)).as_rational() for rows in model.rows for row in rows for _, p in row}
    rows: object = [[[(t, numbers[p]) for t, p in row if numbers[p]] for row in rows] for rows in model.rows]
    return Mdp(model.names, model.labels, model.neighbours, model.start, model.actions, rows)  # type: ignore[arg-type]


def extremes(mdp: Mdp[fmpq]) -> list[tuple[Fraction, Fraction]]:
    """The least and the largest probability of a U b, over all memoryless policies."""
    left, right = set(mdp.labels["a"]), set(mdp.labels["b"])
    values = [until_in_chain(rows, left, right) for rows in policies(mdp)]
    return [(min(column), max(column)) for column in zip(*values, strict=True)]


def drawn(seed: int) -> tuple[Random, Mdp[Quotient]]:
    random = Random(seed)
    return random, with_coins(random, random_mdp(random, 3, 2), COINS)


@pytest.mark.parametrize("seed", range(many(12, 400)))
def test_the_best_policies_for_every_eps(seed: int) -> None:
    random, model = drawn(seed)
    bounded = random_path(random, 2, bounded=True)
    numeric = {eps: at(model, eps) for eps in SAMPLES}
    for kind, best in (("Pmin", min), ("Pmax", max)):
        for path in (A_UNTIL_B, bounded):
            segments = value(model, Property(Query(kind, path), ""), Clock()).values
            for s, name in enumerate(model.names):
                for eps, mdp in numeric.items():
                    (here,) = [each for each in segments[name] if inside(flint(eps), (each.region,))]
                    assert here.found is not None and here.found.value is not None
                    if path is bounded:
                        expected = by_histories(mdp, bounded, s, best)  # type: ignore[arg-type]
                    else:
                        expected = extremes(mdp)[s][kind == "Pmax"]
                    assert fraction(here.found.value.at(flint(eps))) == expected


@pytest.mark.parametrize("seed", range(many(12, 400)))
def test_d_over_all_schedulers_is_the_criterion_of_proposition_2(seed: int) -> None:
    random, model = drawn(seed)
    factor, delta = random.choice([Fraction(1), Fraction(2)]), Fraction(random.randint(0, 6), 8)
    formula = privacy(A_UNTIL_B, factor, delta)
    regions = check(model, Property(formula, ""), Clock(), Options(all_schedulers=True)).regions
    blind = check(model, Property(formula, ""), Clock())
    for eps in SAMPLES:
        bounds = extremes(at(model, eps))
        for s, name in enumerate(model.names):
            pairs = [pair for t in range(3) if t != s for pair in ((s, t), (t, s))]
            apart = max(bounds[a][1] - factor * bounds[b][0] for a, b in pairs)
            assert inside(flint(eps), regions[name]) is (apart <= delta)
            if apart <= delta:
                assert inside(flint(eps), blind.regions[name])
    point = EpsRange.point(fmpq(1))
    found = check(model, Property(formula, "", eps_range=point), Clock(), Options(all_schedulers=True))
    for name in model.names:
        assert (found.at[name] == "holds") is inside(fmpq(1), regions[name])


def under(mdp: Mdp[fmpq], path: Formula, prefix: tuple[int, ...], cycle: tuple[int, ...]) -> list[Fraction]:
    """The probabilities of a U b under a word that ends in one action for ever."""
    rows = [[{t: fraction(p) for t, p in row} for row in rows] for rows in mdp.rows]
    left, right = set(mdp.labels["a"]), set(mdp.labels["b"])
    values = until_in_chain([row[cycle[0]] for row in rows], left, right)
    for action in reversed(prefix):
        values = [
            Fraction(1)
            if s in right
            else sum((p * values[t] for t, p in rows[s][action].items()), Fraction(0)) * (s in left)
            for s in range(len(rows))
        ]
    return values


@pytest.mark.parametrize("seed", range(many(10, 400)))
def test_no_word_breaks_an_unbounded_d_that_holds(seed: int) -> None:
    random, model = drawn(seed)
    factor, delta = random.choice([Fraction(1), Fraction(2)]), Fraction(random.randint(0, 6), 8)
    verdict = check(model, Property(privacy(A_UNTIL_B, factor, delta), ""), Clock())
    words = [(u, (a,)) for n in range(4) for u in product(range(2), repeat=n) for a in range(2)]
    for eps in SAMPLES:
        values = [under(at(model, eps), A_UNTIL_B, *word) for word in words]
        for s, name in enumerate(model.names):
            if inside(flint(eps), verdict.regions[name]):
                assert all(
                    max(p[s] - factor * p[t], p[t] - factor * p[s]) <= delta for p in values for t in range(3)
                )
    witness = verdict.witness
    if witness is not None and isinstance(eps := witness.epsilon or fmpq(1), fmpq):
        prefix = tuple(map(model.actions.index, witness.prefix))
        cycle = tuple(map(model.actions.index, witness.cycle)) or (0,)
        found = under(at(model, fraction(eps)), A_UNTIL_B, prefix, cycle)
        p, q = (found[model.names.index(name)] for name in (witness.state, witness.neighbour or ""))
        assert p > factor * q + delta
        assert witness.probability is not None
        assert fraction(witness.probability.at(eps)) == p


def test_where_one_policy_overtakes_another() -> None:
    """a wins with probability exp(-eps), b at last with 2/3: they meet at ln(3/2)."""
    rows = {
        ("s", "a"): {"g": "exp(-eps)", "d": "1 - exp(-eps)"},
        ("s", "b"): {"g": "1/2", "s": "1/4", "d": "1/4"},
        **{(s, a): s for s in "gd" for a in "ab"},
    }
    model = MDP(rows, neighbours=[("s", "d")])
    for query, texts in (("Pmax=? (F g)", ["exp(-eps)", "2/3"]), ("Pmin=? (F g)", ["2/3", "exp(-eps)"])):
        assert [str(each.found.value) for each in model.value(query).values["s"] if each.found] == texts
    assert model.check("P>=2/3 (F g)").status == "fails"
    assert model.check("P<=2/3 (F g) for eps in [1/2, inf)").status == "holds"
    assert model.check("D[eps, 3/5](F g)").status == "fails"
    verdict = model.check("D[eps, 2/3](F g) for eps in [1/2, 1]", all_schedulers=True)
    assert verdict.status == "holds" and "stronger than D" in verdict.notes[0]
    with pytest.raises(Unsupported, match="unbounded"):
        model.value("D[?, 0](F g)")
