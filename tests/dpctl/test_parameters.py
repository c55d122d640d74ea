"""Models with parameters: every answer is compared with the model at numbers, which is evaluated slowly."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from campaigns import many
from dpctl import evaluator
from dpctl.evaluator import Example, Family, shown
from flint import fmpq
from rationals import fraction

from dipc.clock import Clock
from dipc.dpctl.model import READERS, MarkovModel, load_model
from dipc.dpctl.records import rows_of
from dipc.dpctl.verdict import Box, Region
from dipc.errors import InputError, LimitReached, Source, Unsupported
from dipc.report.document import plain_document, text
from dipc.signs.tables import End, RootCluster

LINE = Family(
    "param x in [0, 1]",
    "[0, 1]",
    ("1/2", "1/3", "1", "x", "x^2", "(2*x - 1)^2", "x*(1 - x)", "1/(1 + x)", "1 - x/2", "(1 - x)/3"),
    ("0", "1", "1/2", "1/3", "2/3", "1/4"),
    (("0", "1"), ("ln 2", "2"), ("ln 3", "3"), ("ln(3/2)", "3/2")),
    ("0", "1/10", "1/4", "1/3"),
    tuple(Fraction(i, 12) for i in range(13)),
)
PLANE = Family(
    "param x in (0, 1), y in (0, 1/2]",
    "",
    ("1/2", "1/3", "1", "x", "x*y", "1 - x*y", "x + (1 - x)*y", "1/(1 + x)", "1 - y/2", "(1 - x)/3", "y"),
    LINE.bounds,
    LINE.exponents,
    LINE.deltas,
    (),
)
BESIDE = Family(
    "param x in (0, 1); let y = exp(eps)",
    "",
    ("1/2", "1/3", "1", "x", "y/(1 + y)", "x*y/(1 + y) + (1 - x)/2", "x/y", "1 - x/2", "1/(1 + y)"),
    ("0", "1", "1/2", "1/3", "y/(1 + y)", "1/y"),
    (("0", "1"), ("eps", "y"), ("2*eps", "y*y"), ("ln 2", "2"), ("eps + ln(3/2)", "y*3/2")),
    ("0", "1/10", "1/y - 1/y^2"),
    (),
)
HALVES = tuple(Fraction(i, 32) for i in (1, 5, 16, 27, 31))
OTHERS = {
    PLANE: (Fraction(1, 64), Fraction(1, 4), Fraction(1, 2)),
    BESIDE: (Fraction(9, 8), Fraction(3), Fraction(40)),
}
SURVEY = """chain
param p in {}
plus -> {{yes: p, no: 1 - p}}; minus -> {{yes: 1 - p, no: p}}
final yes, no; label out = {{yes}}; neighbours plus ~ minus
"""


@pytest.fixture
def survey() -> MarkovModel:
    return model_of(SURVEY.format("(0, 1)"))


def model_of(text: str) -> MarkovModel:
    return READERS[".dpm"](Source("family.dpm", text), {}, Clock())


def inside(x: Fraction, regions: tuple[Region, ...]) -> bool:
    """Whether a number is in one of the regions."""
    point = fmpq(x.numerator, x.denominator)
    for each in regions:
        (low, low_high), (high_low, high) = near(each.low), near(each.high)
        if (low_high < point or (each.low_closed and low == low_high == point)) and (
            point < high_low or (each.high_closed and high == high_low == point)
        ):
            return True
    return False


def near(end: End) -> tuple[fmpq, fmpq]:
    """Two numbers around an end: twice the same if it is rational."""
    if not isinstance(end, RootCluster):
        assert end is not None
        return end, end
    (root,) = end.roots
    root.refine_to(fmpq(1, 2**60))
    return root.low, root.high


@pytest.mark.parametrize("seed", range(5))
def test_one_parameter_has_the_regions_that_numbers_have(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(many(4, campaign=100)):
        chain, f = evaluator.example(rng, LINE), evaluator.formula(rng, LINE, 2, ("P", "D", "and", "not"))
        found = model_of(chain.text()).check(shown(f), start=[f"s{s}" for s in range(len(chain.rows))])
        for x in LINE.points:
            slow = {f"s{s}" for s in evaluator.holding(chain, f, x)}
            assert {s for s, regions in found.regions.items() if inside(x, regions)} == slow, (
                chain.text(), shown(f), x,
            )  # fmt: skip
        if found.witness is not None and isinstance(found.witness.epsilon, fmpq):
            x = Fraction(str(found.witness.epsilon))
            assert found.at[found.witness.state] == "fails" or "D" in shown(f)
            failing = {s for s, status in found.at.items() if status == "fails"}
            slow = {f"s{s}" for s in evaluator.holding(chain, f, x)}
            assert failing - slow, (chain.text(), shown(f), x)


def with_y(thing: object, y: Fraction) -> object:
    """A chain or a formula in which y is a number."""
    match thing:
        case str():
            return thing.replace("y", f"({y})")
        case tuple():
            return tuple(with_y(each, y) for each in thing)
        case dict():
            return {key: with_y(each, y) for key, each in thing.items()}
        case Example():
            return replace(thing, rows=with_y(thing.rows, y))
        case _:
            return thing


@pytest.mark.parametrize("family", [PLANE, BESIDE], ids=["two", "eps"])
@pytest.mark.parametrize("seed", range(2))
def test_several_parameters_are_decided_as_numbers_are(
    family: Family, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boxes are said to hold or to fail as all their points do, and a witness fails."""
    monkeypatch.setattr("dipc.dpctl.boxes.MOST_BOXES", many(40, campaign=400))
    rng, settled = random.Random(seed), 0
    for _ in range(many(3, campaign=150)):
        chain, f = evaluator.example(rng, family), evaluator.formula(rng, family, 2, ("P", "D", "and", "not"))
        start = [f"s{s}" for s in range(len(chain.rows))]
        try:
            found = model_of(chain.text()).check(shown(f), start=start, everything=rng.random() < 0.5)
        except LimitReached:
            continue
        for x in HALVES:
            for y in OTHERS[family]:
                slow = {f"s{s}" for s in evaluator.holding(with_y(chain, y), with_y(f, y), x)}
                for s, boxes in found.boxes.items():
                    for box in boxes:
                        if around(box, x, y) and box.status != "undecided":
                            settled += 1
                            assert (box.status == "holds") == (s in slow), (chain.text(), shown(f), x, y)
                    assert found.at[s] != "holds" or s in slow, (chain.text(), shown(f), x, y)
        if (witness := found.witness) is not None and "x" in witness.parameters:
            x = fraction(witness.parameters["x"])
            if family is PLANE:
                y = fraction(witness.parameters["y"])
                slow = {f"s{s}" for s in evaluator.holding(with_y(chain, y), with_y(f, y), x)}
                assert set(start) - slow, (chain.text(), shown(f), x, y)
    assert settled > 20


def around(box: Box, x: Fraction, y: Fraction) -> bool:
    """Whether the parameters belong to a box."""
    point = {"x": x, "y": y}
    return all(fmpq(*point[name].as_integer_ratio()) in wanted for name, wanted in box.ranges.items())


TWO = """chain
param p in {}, q in {}
plus -> {{yes: p + (1 - p)*q, no: (1 - p)*(1 - q)}}; minus -> {{yes: (1 - p)*q, no: p + (1 - p)*(1 - q)}}
final yes, no; label out = {{yes}}; neighbours plus ~ minus
"""
MIXED = """chain
param q in (0, 1)
let p = 1/2 + q*(exp(eps) - 1)/(2*(1 + exp(eps)))
plus -> {yes: p, no: 1 - p}; minus -> {yes: 1 - p, no: p}
final yes, no; label out = {yes}; neighbours plus ~ minus
"""


def test_two_parameters() -> None:
    """The ratios are 1 + p/((1 - p) q) and 1 + p/((1 - p)(1 - q))."""
    tight = model_of(TWO.format("(0, 1/4]", "[1/6, 5/6]"))
    assert tight.check("forall A subset {yes, no}: D[ln 3, 0](X A)").status == "holds"
    assert tight.check("D[ln(29/10), 0](X out)").status == "fails"
    loose = model_of(TWO.format("(0, 1/4]", "[4/25, 5/6]"))
    found = loose.check("D[ln 3, 0](X out)")
    assert found.witness is not None
    p, q = found.witness.parameters["p"], found.witness.parameters["q"]
    assert found.status == "fails" and p / ((1 - p) * q) > 2 and 0 < p <= fmpq(1, 4)


def test_a_parameter_beside_eps() -> None:
    mixed = model_of(MIXED)
    assert mixed.check("D[eps, 0](X out)").status == "holds"
    assert mixed.check("D[eps, 0](X out) for eps in [1/2, 3]").status == "holds"
    assert mixed.check("D[1, 0](X out)", at=1).status == "holds"
    found = mixed.check("D[9/10*eps, 0](X out)")
    assert found.status == "fails" and found.witness is not None
    number = load_number(found.witness.parameters["q"]).check("D[9/10*eps, 0](X out)")
    assert number.status == "fails"
    assert mixed.check("P>1/2 (X out)", start=["plus"]).status == "holds"
    assert mixed.check("P>1/2 (X out)", start=["minus"]).status == "fails"


def load_number(q: fmpq) -> MarkovModel:
    return model_of(MIXED.replace("param q in (0, 1)", f"let q = {q}"))


def test_a_tie_on_the_border_of_boxes_is_no_strict_inequality() -> None:
    row = "s -> {t: 1/2 + (2*x - 1)^2*y/4, u: 1/2 - (2*x - 1)^2*y/4}"
    tie = model_of(f"chain; param x in (0, 1), y in (0, 1); let z = 1/2; {row}; final t, u; start s")
    boxes = tie.check("P>1/2 (X t)", everything=True).boxes["s"]
    assert boxes and not [b for b in boxes if b.status == "holds" and fmpq(1, 2) in b.ranges["x"]]
    assert {b.status for b in tie.check("P>=1/2 (X t)", everything=True).boxes["s"]} == {"holds"}


def test_the_signs_of_denominators_count() -> None:
    """P(F goal) is (1 - p) q/(1 - p q)."""
    row = "s -> {s: p*q, goal: (1 - p)*q, stop: 1 - q}"
    loop = model_of(f"chain; param p in (0, 1/2], q in [1/2, 1); {row}; goal -> goal; stop -> stop; start s")
    assert loop.check("P>=1/3 (F goal)").status == "holds"
    assert loop.check("P>1/3 (F goal)").status == "fails"
    assert loop.check("P<1 (F goal)").status == "holds"


def test_what_may_vanish_is_refused() -> None:
    row = "s -> {s: 1 - (p - q)^2, goal: (p - q)^2}"
    line = f"chain; param p in (0, 1), q in (0, 1); {row}; goal -> goal; start s"
    found = model_of(line).check("P>=1 (F goal)")
    assert found.status == "undecided" and "was not proved to be positive" in found.reason
    negative = TWO.format("(0, 1)", "(0, 2)")
    with pytest.raises(InputError, match=r"is negative near p = .*, q = 2"):
        model_of(negative).check("P>=0 (X out)")
    closed = "chain; param p in [0, 1], q in (0, 1); s -> {s: 1 - p*q, goal: p*q}; goal -> goal; start s"
    found = model_of(closed).check("P>=1 (F goal)")
    assert found.status == "fails" and found.witness is not None and found.witness.parameters["p"] == 0
    assert model_of(closed.replace("[0, 1]", "(0, 1]")).check("P>=1 (F goal)").status == "holds"


def test_crowds_has_its_closed_form() -> None:
    """Reiter and Rubin, Theorem 5.2: probable innocence if and only if n >= p/(p - 1/2) (c + 1)."""
    crowds = load_model("crowds")
    (region,) = crowds.regions("D[ln 3, 0](F seen1)")["s1"]
    assert near(region.low) == (fmpq(5, 6), fmpq(5, 6))
    assert (region.high, region.low_closed, region.high_closed) == (1, True, False)
    (segment,) = crowds.budget("D[0, 0](F seen1)").values[""]
    assert segment.found is not None and segment.found.value is not None
    for p in (fmpq(1, 7), fmpq(1, 2), fmpq(9, 10)):
        n, c = 5, 1
        assert segment.found.value.at(p) == 1 + n / p - (n - c)
        at_number = load_model("crowds", {"forward": p}).budget("D[0, 0](F seen1)").values[""][0]
        assert at_number.found is not None and at_number.found.value == 1 + n / p - (n - c)


def test_the_parameter_is_shown_by_its_name(survey: MarkovModel) -> None:
    found = text(plain_document(rows_of(survey.check("D[ln 3, 0](X out)"))))
    assert "parameter     p = 1/5" in found and "violated for  0 < p < 1/4" in found
    assert "eps" not in found and "ε" not in found
    assert "for 1/2 < p < 1" in text(plain_document(rows_of(survey.value("D[?, 0](X out)"))))
    value = text(plain_document(rows_of(survey.value("P=? (X out)"))))
    assert value.splitlines()[0].endswith("p   for 0 < p < 1")


def test_formulas_may_use_the_parameter(survey: MarkovModel) -> None:
    assert survey.check("P<=p (X out)", start=["plus"]).status == "holds"
    assert survey.check("P<p (X out)", start=["plus"]).status == "fails"
    assert survey.check("D[ln 3, 0](X out) for p in [1/4, 3/4]").status == "holds"


def test_numbers_with_eps_are_no_functions_of_the_parameter() -> None:
    text = "chain; param p in (0, 1); let e = exp(-eps); let q = p*p; a -> {y: p, n: 1-p}; final y, n"
    model = READERS[".dpm"](Source("a.dpm", text), {}, Clock())
    verdict = model.check("P>=e (X y)")
    assert verdict.status == "fails" and verdict.witness is not None
    assert verdict.property.variable == "eps" and isinstance(verdict.witness.epsilon, fmpq)
    assert model.check("P>=q (X y) from a").status == "holds"


def test_closed_ends_are_models_of_their_own() -> None:
    closed = model_of(SURVEY.format("[0, 1]"))
    assert closed.check("P>0 (X out)", start=["plus"]).status == "fails"
    assert closed.check("P<1 (X out)", start=["plus"]).status == "fails"
    (region,) = closed.regions("P>0 (X out)", start=["plus"])["plus"]
    assert (region.low, region.low_closed, region.high, region.high_closed) == (0, False, 1, True)
    (region,) = closed.regions("P<1 (X out)", start=["plus"])["plus"]
    assert (region.low, region.low_closed, region.high, region.high_closed) == (0, True, 1, False)
    assert closed.value("P=? (X out)", start=["plus"]).values["plus"][0].found.value == 0  # type: ignore[union-attr]
    leaving = "chain; param p in [0, 1]; s -> {s: 1 - p, goal: p}; goal -> goal; start s"
    assert model_of(leaving).check("P>=1 (F goal)").status == "fails"
    (region,) = model_of(leaving).regions("P>=1 (F goal)")["s"]
    assert (region.low, region.low_closed) == (0, False)


@pytest.mark.parametrize(
    ("text", "formula", "message"),
    [
        (SURVEY.format("(1, 0)"), "", "the range of a parameter has rational ends"),
        (SURVEY.format("[-1, 1]"), "", "the range of a parameter has rational ends"),
        (SURVEY.format("(0, ln 3)"), "", "a logarithm is allowed"),
        (SURVEY.format("(0, 1), p in (0, 1)"), "", "the parameter `p` is given twice"),
        (SURVEY.format("(0, 1)").replace("1 - p}", "p}", 1), "", r"the probabilities of `plus` sum to 2\*p"),
        (SURVEY.format("(0, 2)"), "P>0 (X out)", r"1 - p, is negative at p = "),
        (SURVEY.format("(0, 1)"), "P>0 (X out) for p in (0, 2)", r"the range of `p` is \(0, 1\)"),
        (SURVEY.format("(0, 1)"), "P>0 (X out) for q in (0, 2)", "`q` is not eps"),
        (SURVEY.format("[0, 1]"), "D[p, 0](X out)", "a number of the formula with p, which may be 0"),
        (TWO.format("(0, 1)", "(0, 1)"), "P>=p (X out)", "a parameter in a number of this formula"),
        (TWO.format("(0, inf)", "(0, 1)"), "P>=0 (X out)", "an infinite range of one of several parameters"),
        (TWO.format("(0, 1)", "(0, 1)"), "forall k in N: D[1, 0](X^k out)", "a formula for all k in N with"),
        (
            TWO.format("(0, 1)", "(0, 1)").replace("chain", "mdp").replace(" ->", " [a] ->"),
            "P>=0 (X out)",
            "decision processes with several parameters",
        ),
        ("chain; s -> s; param p in (0, 1)", "", "parameters are declared once, above all other numbers"),
        ("chain; param p in (0, 1); s -> {s: exp(p), t: 1 - exp(p)}", "", "the argument of exp must be"),
    ],
)
def test_what_is_refused(text: str, formula: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model_of(text).check(formula)


def test_a_number_of_the_range_is_required() -> None:
    with pytest.raises(InputError, match="`forward` must be a number of its range, not 1"):
        load_model("crowds", {"forward": 1})


def test_a_value_that_is_proposed_for_a_parameter_is_in_its_range() -> None:
    text = "chain; param p in (0, 1/2), q in [1/4, 1/3]; s -> {a: p, b: q, c: 1 - p - q}; final a, b, c"
    with pytest.raises(Unsupported) as caught:
        _ = READERS[".dpm"](Source("m.dpm", text), {}, Clock()).model
    assert caught.value.hint == "set them, for example -D p=1/4 -D q=7/24"
    assert len(READERS[".dpm"](Source("m.dpm", text), {"p": "1/4", "q": "7/24"}, Clock()).states) == 4
