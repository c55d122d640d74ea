"""Mechanisms and distributions as Python objects: conversions, messages, short representations."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from flint import fmpq

import dipc
from dipc.clock import Clock, how_far
from dipc.dipwhile.sentences import read_sentence
from dipc.errors import InputError, WrongType

SVT4 = Path(__file__).parent.parent / "programs" / "svt" / "svt4.dip"
COIN = """
    input  q in {true, false}
    output out in {true, false}
    adjacent all
    private eps
    b <- flip(exp(eps)/(1 + exp(eps)))
    if b then out <- q else out <- not q end
"""


@pytest.fixture(scope="module")
def svt() -> dipc.Mechanism:
    return dipc.load(SVT4, N=2)


@pytest.fixture(scope="module")
def coin() -> dipc.Mechanism:
    return dipc.load(COIN)


@pytest.fixture(scope="module")
def broken(svt: dipc.Mechanism) -> dipc.Violated:
    verdict = svt.check()
    assert isinstance(verdict, dipc.Violated)
    return verdict


# --- what goes in ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pair",
    [
        ({"q": [-1, 0]}, {"q": (0, -1)}),
        ["q=[-1,0]", "q = [0, -1]"],
        ({"q": np.array([-1, 0])}, {"q": [np.int64(0), Fraction(-1)]}),
        ("q=[-1,0]", {"q": ["0", "-1"]}),
    ],
)
def test_pairs_in_every_form(svt: dipc.Mechanism, broken: dipc.Violated, pair: Any) -> None:
    verdict = svt.check(pair=pair)
    assert verdict.counterexample is not None and broken.counterexample is not None
    assert verdict.counterexample.input == broken.counterexample.input


@pytest.mark.parametrize(
    ("keywords", "kind", "message"),
    [
        ({"claim": 0.5}, WrongType, r"a claim is a text, not the float 0\.5\n.*\"0\.5\*eps\""),
        ({"claim": 1}, WrongType, r"not the int 1\n.*\"1\*eps\""),
        ({"claim": ""}, InputError, r"the claim is an empty text"),
        ({"claim": "x*eps"}, InputError, r"^the claim:1:1: error"),
        ({"at": 0.5}, WrongType, r"eps must be an exact number, not the float 0\.5"),
        ({"at": "a"}, InputError, r"eps must be a rational number, not `a`"),
        ({"pair": ({"q": (0, 0)},)}, WrongType, r"a pair is two inputs, not 1"),
        ({"pair": "q=[0,1]"}, WrongType, r"a pair is two inputs"),
        (
            {"pair": ((0, 0), (1, 1))},
            WrongType,
            r"the first input must name the inputs .* \(0, 0\)\n.*\"q\":",
        ),
        ({"pair": ("q=[0,0]", None)}, WrongType, r"the second input must name the inputs"),
        ({"pair": ("q=[0,0]", "q=[0")}, InputError, r"<second input>:1:3"),
        ({"pair": ("q=[0,0]", "q=[0,7]")}, InputError, r"7 is not a value of the input `q`\n.*\{-1, 0, 1\}"),
        ({"pair": ("q=[0,0]", "")}, InputError, r"no value is given for the input `q`"),
    ],
)
def test_what_check_refuses(
    svt: dipc.Mechanism, keywords: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        svt.check(**keywords)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, r"no value is given for the input `q`\n.*for example q=\[-1, -1\]"),
        ({"p": 1}, r"no input `p`\n.*its inputs: q"),
        ({"q": (0,)}, r"the input `q` has 2 cells, not 1"),
        ({"q": 1}, r"the input `q` is an array of 2 values, not `1`"),
        ({"q": "[0,1]"}, r"the input `q` is an array of 2 values"),
        ({"q": (0, 0.5)}, r"the input `q` must be an exact number, not the float 0\.5"),
    ],
)
def test_what_distribution_refuses(svt: dipc.Mechanism, inputs: Mapping[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        svt.distribution(**inputs)


def test_a_second_question_about_other_budgets() -> None:
    """What is known of a program from the first question must not answer what depends on the budgets."""
    drawn = dipc.load("""
        input q in {0, 1}; output o in {0, 1}
        adjacent all
        private eps for eps in (0, 1]
        b <- flip(1 - eps)
        o <- 0
    """)
    assert drawn.check().status == "private"
    with pytest.raises(dipc.InputError, match="is negative at eps = "):
        drawn.check("eps")
    assert drawn.check("eps for eps in (0, 1/2)").status == "private"
    with pytest.raises(dipc.InputError, match="is negative at eps = "):
        drawn.budget(budgets="(0, 2]")


def test_what_is_known_of_a_program_stays_as_it_is() -> None:
    """A question adds nodes to diagrams; if it is interrupted there, the next one must not see them."""
    svt1 = dipc.load("svt1", N=3)
    svt1.check()
    assert svt1.program.adjacency is not None
    walked, _ = svt1.explored.neighbours(svt1.program.adjacency, Clock())
    nodes = len(walked._diagrams)
    svt1.check("eps/2, 1/10")
    svt1.profile("eps/2")
    assert len(walked._diagrams) == nodes


def test_a_limit_of_one_question_is_not_that_of_the_next() -> None:
    svt1 = dipc.load("svt1", N=4)
    with dipc.limits(seconds=0):
        assert svt1.check().status == "undecided"
    first = svt1.check()
    with dipc.limits(seconds=0):
        assert svt1.check().status == "undecided"
    assert (svt1.check().status, svt1.check().counts) == ("private", first.counts)


def test_the_same_question_twice_has_the_same_answer() -> None:
    """Roots are remembered: that a first answer had to refine them must not move the budget of the second.

    Another program would do as well, so the numbers here occur in no other test.
    """
    text = """
        input q in {0, 1}; output o in {true, false}
        adjacent all
        private eps for eps in (0, 1/2]
        if q = 0 then o <- flip(1/2)
        else o <- flip(exp(-eps)/2*(1 + (eps - 33331/100000)*(eps - 33375/100000))) end
    """
    first, second = (dipc.load(text).check().counterexample for _ in range(2))
    assert first.violated_for == (("0", "0.04170051926"), ("33331/100000", "267/800"))
    assert first.epsilon == second.epsilon


@pytest.mark.parametrize("n", [2, np.int32(2), Fraction(2), "2", fmpq(2)])
def test_parameters_in_every_form(n: Any) -> None:
    assert dipc.load(SVT4, N=n).parameters["N"] == "2"


def test_parameters_that_are_refused() -> None:
    with pytest.raises(WrongType, match="the parameter `N` must be an exact number, not the float 2"):
        dipc.load(SVT4, N=2.0)
    with pytest.raises(InputError, match="no parameter `M`"):
        dipc.load(SVT4, M=2)


def test_a_program_without_claim_says_how_to_give_one() -> None:
    with pytest.raises(InputError, match=r'check\("eps"\)'):
        dipc.load("output o in {0, 1}; o <- 1").check()


# --- distributions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        (("top",), {}, "the output `out` is an array of 2 values"),
        ((["top", "middle"],), {}, "middle is not a value of the output `out`"),
        ((), {"o": 1}, "no output `o`\n.*its outputs: out"),
        ((["top", "bot"],), {"out": ["top", "bot"]}, "give each output by its name"),
    ],
)
def test_what_of_refuses(
    svt: dipc.Mechanism, arguments: tuple[Any, ...], keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        svt.distribution(q=(0, 1)).of(*arguments, **keywords)


def test_a_missing_key_points_to_of(svt: dipc.Mechanism) -> None:
    law = svt.distribution(q=(0, 1))
    with pytest.raises(KeyError, match=r"d\.of\(out=\['bot', 'bot'\]\)"):
        law["top"]  # type: ignore[index]
    assert law.get("top") is None  # type: ignore[call-overload]


def test_numbers_of_a_distribution(svt: dipc.Mechanism) -> None:
    law = svt.distribution(q=(0, 1))
    at_zero = law.at(0)
    assert [p.as_rational() for p in at_zero.values()] == [fmpq(23, 56), fmpq(5, 56), fmpq(1, 2)]
    assert at_zero.of(["top", "bot"]) == Fraction(1, 2) and at_zero.total() == 1
    assert law.decimals(1, 4) == law.at(1).decimals(digits=4)
    assert law.decimals(1, 4)["out=[bot, top]"] == "0.1420"
    assert law == svt.distribution(q=(0, 1)) != svt.distribution(q=(1, 0))
    assert pickle.loads(pickle.dumps(law)) == law == copy.deepcopy(law)


def test_sympy_of_a_distribution(svt: dipc.Mechanism) -> None:
    parts = svt.distribution(q=(0, 1)).to_sympy()
    assert sympy.simplify(sum(parts.values())) == 1


# --- verdicts --------------------------------------------------------------------------------


def test_the_budget_of_a_counterexample_is_an_ordinary_number(broken: dipc.Violated) -> None:
    epsilon = broken.counterexample.epsilon
    assert Fraction(epsilon) == 1 and epsilon == fmpq(1) and repr(epsilon) == "1"
    again = pickle.loads(pickle.dumps(broken))
    assert again == broken and Fraction(again.counterexample.epsilon) == 1


def test_sympy_of_a_claim(coin: dipc.Mechanism) -> None:
    claim = coin.sentence().to_sympy()
    assert all(bool(claim.subs(sympy.Symbol("eps", positive=True), x)) for x in (sympy.Rational(1, 3), 2))
    mixed = read_sentence("exists eps: not (eps < 1 or exp(eps) != 2) and eps >= 1")
    assert mixed.to_sympy().subs(sympy.Symbol("eps", positive=True), 2) == sympy.false
    with pytest.raises(InputError, match=r"the verdict is private\n.*sentence\(\)\.to_sympy"):
        coin.check().to_sympy()


QUESTIONS = ("check", "budget", "loss_curve", "profile", "violating_budgets", "explain")


@pytest.mark.parametrize("method", QUESTIONS)
def test_a_parameter_is_no_option(svt: dipc.Mechanism, method: str) -> None:
    with pytest.raises(WrongType, match=f"`N` is a parameter .* not an option of `{method}`") as caught:
        getattr(svt, method)(N=3)
    assert caught.value.hint == f'parameters are set when a program is loaded: dipc.load("{SVT4}", N=3)'


def test_an_option_that_is_misspelt(svt: dipc.Mechanism) -> None:
    with pytest.raises(WrongType, match="`check` has no option `claims`") as caught:
        svt.check(claims=3)  # type: ignore[call-arg]
    assert caught.value.hint == "did you mean `claim`?"


@pytest.mark.parametrize("program", [3, None, b"svt1", ["svt1"]])
def test_what_is_no_program(program: Any) -> None:
    with pytest.raises(WrongType, match="is the name of a file or a text, not") as caught:
        dipc.load(program)
    assert "dipc.load(" in caught.value.hint


def test_a_file_is_no_budget(svt: dipc.Mechanism) -> None:
    law = svt.distribution(q=(0, 1))
    for draw in (law.plot, law.of(["bot", "top"]).plot, svt.plot, svt.check().plot):
        for file in ("d.png", Path("d.svg")):
            with pytest.raises(InputError, match="draws a figure and does not write the file") as caught:
                draw(file)  # type: ignore[operator]
            assert caught.value.hint.endswith(f'.savefig("{file}")')


def test_progress_in_words() -> None:
    assert how_far("inequalities", 12, 300) == "inequalities: 12 of 300"
    assert how_far("neighbours", 7, None) == "neighbours: 7"
