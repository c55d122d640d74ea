"""Files with hidden Markov models: what they mean, what is refused and where, and how fast they are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from time import process_time

import pytest
from campaigns import many, some
from flint import fmpq
from pufferfish.small_models import above_threshold
from rationals import fraction

import dipc
from dipc.clock import Clock
from dipc.errors import InputError, LimitReached, Source, Unsupported
from dipc.models.arithmetic import ASCII
from dipc.models.hmm import Weights
from dipc.models.mixtures import Pair
from dipc.numbers.exppoly import ExpPoly
from dipc.numbers.parametric import Parametric
from dipc.numbers.quotient import Quotient
from dipc.pufferfish import expressions
from dipc.pufferfish.classes import check_class
from dipc.pufferfish.question import Question
from dipc.pufferfish.reading import COMPARED, DECLARATIONS, GRAMMAR, MISUSED, Replaced, read_question
from dipc.shipped import expected_verdict, header
from dipc.signs.eps_range import EpsRange

MODELS = Path(__file__).parents[2] / "programs" / "hidden_markov"
G = {
    (i, j): Fraction(p, 6)
    for i, row in enumerate(((4, 1, 1), (2, 2, 2), (1, 1, 4)))
    for j, p in enumerate(row)
}


def question(text: str, asked: Replaced | None = None, **overrides: str) -> Question:
    return read_question(Source("m.hmm", text), overrides, asked)


def shipped(name: str) -> Question:
    return read_question(Source(name, (MODELS / f"{name}.hmm").read_text(encoding="utf-8")))


def rows(found: Question, part: int) -> dict[str, dict[str, Fraction]]:
    """The rows of emissions (0) or transitions (1), by names."""
    model = found.model
    table, names = ((model.emissions, model.observations), (model.transitions, model.states))[part]
    return {s: {names[i]: fraction(p) for i, p in row} for s, row in zip(model.states, table, strict=True)}


def at(weights: Weights[Parametric], **point: str) -> dict[int, Fraction]:
    """Weights at values of the parameters."""
    values = {name: fmpq(*map(int, value.split("/"))) for name, value in point.items()}
    return {i: fraction(p.at(values)) for i, p in weights}


def names(pairs: Iterable[Pair]) -> list[tuple[str, str, str | None]]:
    return [(pair.left.name, pair.right.name, pair.left.prior) for pair in pairs]


# --- the models of the paper -------------------------------------------------------------------------


def test_truncated_geometric() -> None:
    found = shipped("ex2")
    assert found.model.states == ("n(0)", "n(1)", "n(2)")
    assert found.model.observations == ("0", "1", "2")
    assert rows(found, 0) == {f"n({i})": {str(j): G[i, j] for j in range(3)} for i in range(3)}
    assert found.model.transitions == ((), (), ())
    both = [("n(0)", "n(1)"), ("n(1)", "n(0)"), ("n(1)", "n(2)"), ("n(2)", "n(1)")]
    assert names(found.pairs) == [(*pair, None) for pair in both]
    assert [at(pair.left.weights) for pair in found.pairs] == [{0: 1}, {1: 1}, {1: 1}, {2: 1}]
    assert found.claim is not None
    assert (found.horizon, found.claim.text, found.claim.factor, found.claim.delta) == (1, "ln(2)", 2, 0)
    assert (found.claim.constant, found.claim.rate, found.notes) == (0, 0, ())


def test_above_threshold() -> None:
    """All of it, as small_models builds it from Algorithm 3 of the paper."""
    found, built = shipped("above"), above_threshold(11)
    for part in (0, 1):
        listed = {
            s.replace(" ", ""): {t.replace(" ", ""): p for t, p in row.items()}
            for s, row in rows(found, part).items()
        }
        assert listed == rows(built, part)
    assert (len(found.model.states), len(found.model.observations)) == (66, 10)
    assert names(found.pairs) == [
        (f"init({s}, {t})", f"init({3 - s}, {t})", None) for t in range(3) for s in (1, 2)
    ]
    assert found.claim is not None and (found.horizon, found.claim.factor) == (11, 16)


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.hmm")), ids=lambda path: path.stem)
def test_shipped_models_say_where_they_are_from(path: Path) -> None:
    source = Source(path.stem, path.read_text(encoding="utf-8"))
    assert header(source.text).keys() == {"title", "source"}
    assert expected_verdict(source) in ("private", "violated")
    for row in (*(found := read_question(source)).model.emissions, *filter(None, found.model.transitions)):
        assert sum((p for _, p in row), found.parameters.ring.of(0)) == 1


# --- what lines mean ---------------------------------------------------------------------------------

AB = "observe a, b\n"
ST = AB + "state s emits {a: 1/3, b: 2/3} next stop; state t emits {a: 2/3, b: 1/3} next stop\n"
C = "compare s, t\n"


def emitted(weights: str, before: str = "") -> dict[str, Fraction]:
    """What a state emits with these weights."""
    text = f"{before}\nobserve 0..9\nstate s emits {weights} next stop; start t s\n{C}"
    return rows(question(text), 0)["s"]


def test_equal_values_add() -> None:
    half = Fraction(1, 2)
    assert emitted("{1: 1/4, 2: 1/4, 1: 1/4, 3 - 1: 1/8, 2: 1/8}") == {"1": half, "2": half}
    assert emitted("{mod(i, 2) + 1: 1/4 for i in 1..4}") == {"1": Fraction(1, 2), "2": Fraction(1, 2)}
    assert emitted("{min(i, 2): 1/4 for i in 1..4}") == {"1": Fraction(1, 4), "2": Fraction(3, 4)}
    assert emitted("{1, 2: 0}") == emitted("1") == {"1": Fraction(1)}


def test_comparisons_count_as_one_or_zero() -> None:
    assert emitted("{i: (i = 1)/4 + (2 <= i < 4)*3/8 for i in 0..9}") == {
        "1": Fraction(1, 4), "2": Fraction(3, 8), "3": Fraction(3, 8)
    }  # fmt: skip
    assert emitted("{1: (1 < 2 and not 2 != 2), 2: (1 > 2 or 3 >= 4)}") == {"1": Fraction(1)}


def test_families() -> None:
    weights = "{10*i + j: 1/4 for i in 0..k, j in 0..i if i + j = 2 or not (i > 0 and j > 0), 1: 1/4}"
    found = emitted(weights.replace("10*i", "3*i"), "let k = 1")
    assert found == {"0": Fraction(1, 4), "3": Fraction(1, 4), "1": Fraction(1, 4), "4": Fraction(1, 4)}
    listed = question(AB + "state s(i) for i in {1/2, 3, 3} emits a next stop; compare s(1/2), s(3)")
    assert listed.model.states == ("s(1/2)", "s(3)")
    shadowing = "let j = 2\nstate s(i, j) for i in 0..1, j in 0..j emits a next stop"
    assert len(question(f"{AB}{shadowing}; compare s(0, 0), s(1, 2)").model.states) == 6
    family = "state s(i, j) for i in 0..2, j in 0..i emits a next stop"
    dependent = question(f"{AB}{family}; compare s(0, 0), s(1, 1)")
    assert len(dependent.model.states) == 6


def test_tables() -> None:
    table = "table T[{2, 5}, 0..1] = ((1/2, 1/3), (1/6, 1 - 1/3)); table U[0..1] = (T[5, 0], T[2, 0]/3)"
    assert emitted("{1: T[2, 1] + U[1], 2: T[2, 0]}", table) == {"1": Fraction(1, 2), "2": Fraction(1, 2)}


def test_lines_continue_until_the_word_of_a_declaration() -> None:
    one = "observe a, b; state s emits a next stop; state t emits b next stop; compare s, t; horizon 1;"
    many = "observe a,# x in\n b\nstate s\n  emits\n a # ; state s\n next\n\nstop\n\n"
    many += " state t emits {\nb} next stop\ncompare s\n,t"
    assert question(one).model == question(many).model
    assert names(question(one).pairs) == names(question(many).pairs)


def test_numbers_are_overridden() -> None:
    text = "let a1 = 1/3\nparam k = 2, p in [0, a1], q in (0, 1 - p)\n" + ST
    text += "start u {s: a1*k*p, t: 1 - a1*k*p}\ncompare s, u"
    free, fixed = question(text), question(text, p="1/4", k="3")
    assert free.parameters.names == ("p", "q")
    assert fixed.parameters.names == ("q",)
    assert at(free.pairs[0].right.weights, p="1/4") == {0: Fraction(1, 6), 1: Fraction(5, 6)}
    assert at(fixed.pairs[0].right.weights) == {0: Fraction(1, 4), 1: Fraction(3, 4)}
    assert free.parameters.ranges[1].high == 1 - free.parameters.ring.gens[0]
    assert fixed.parameters.ranges == ((0, fmpq(3, 4), False, False),)
    inside = question(text, q="1/4").parameters
    assert inside.conditions == (fmpq(3, 4) - inside.ring.gens[0],)


def test_conditions() -> None:
    found = question("param p in (0, 1), q in (0, 1)\nwhere p <= q <= 2*p, p + q >= 1, 1 <= 2\n" + ST + C)
    p, q = found.parameters.ring.gens
    assert found.parameters.conditions == (q - p, 2 * p - q, p + q - 1)


def test_eps_is_a_parameter() -> None:
    text = "let e = eps\nobserve a, b; state s(i) for i in 1..2\n"
    text += "emits {a: exp(-i*e/2)/2, b: 1 - exp(-i*eps/2)/2} next stop\n"
    found = question(text + "compare s(1), s(2); private eps/3")
    x = found.parameters.ring.gens[0]
    assert (found.parameters.eps_name, found.parameters.eps_unit) == ("x", 6)
    assert found.parameters.ranges == ((0, 1, False, False),)
    assert found.model.emissions[1] == ((0, x**6 / 2), (1, 1 - x**6 / 2))
    assert found.claim is not None and (found.claim.rate, found.claim.factor) == (fmpq(1, 3), 1)
    other = question("param x in (0, 1), q in (0, x^2)\n" + text + "compare s(1), s(2)").parameters
    assert (other.names, other.eps_name, other.eps_unit) == (("x_", "x", "q"), "x_", 2)
    assert other.ranges[2].high == other.ring.gens[1] ** 2


def test_priors_and_secrets() -> None:
    text = ST + "param p in (0, 1)\nprior one {s: p, t: 1 - p}; prior two {s: 0*p, t}\n"
    text += "secret A {s}; secret B {t}\n"
    found = question(text + "compare A -> B")
    assert names(found.pairs) == [("A", "B", "one")]
    assert found.notes == ("under the prior two, A has probability 0 for all parameters: not compared",)
    mixed = question(text + "start u t\ncompare A, u; compare u, t; compare A, u")
    assert names(mixed.pairs) == [("A", "u", "one"), ("u", "A", None), ("u", "t", None), ("t", "u", None)]
    nothing = question(ST + "prior two {s: 0, t}; secret A {s}; secret B {t}; compare A, B")
    assert (nothing.pairs, nothing.notes[1:]) == ((), ("nothing was compared",))


def test_horizons() -> None:
    chain = AB + "state s(i) for i in 0..2 emits a next s(i + 1); state s(3) emits b next stop\n"
    chain += "compare s(0), s(1)\n"
    assert question(ST + C).horizon == 1
    assert question(chain).horizon == 4
    assert question(chain + "horizon any").horizon is None
    assert question(chain + "let k = 3; horizon 2*k - 1").horizon == 5
    assert question(chain + "horizon 5", Replaced(horizon="any")).horizon is None
    assert question(chain + "horizon any", Replaced(horizon="7")).horizon == 7


@pytest.mark.parametrize(
    ("text", "factor", "constant"),
    [("ln(2)", 2, 0), ("1.372", 1, fmpq(343, 250)), ("1/2*ln(4) + 1", 2, 1), ("1 - ln(2)", fmpq(1, 2), 1),
     ("ln 3 - 2*ln(2)/2", fmpq(3, 2), 0), ("(ln(4) + ln(16))/2", 8, 0), ("0", 1, 0),
     ("k*ln(k) - T[1]", 4, -1), ("2/3*ln(27/8) + max(k, 1)", fmpq(9, 4), 2)],
)  # fmt: skip
def test_claims(text: str, factor: fmpq | int, constant: fmpq | int) -> None:
    found = question("let k = 2; table T[0..1] = (5, 1)\n" + ST + C + f"private {text}, 1/10").claim
    assert found is not None
    assert (found.text, found.factor, found.constant, found.delta) == (text, factor, constant, fmpq(1, 10))


def test_what_is_asked_takes_the_place_of_lines() -> None:
    text = ST + C + "private ln(2)"
    found = question(text, Replaced(["t -> s"], "3", "2*eps", fmpq(1, 2)))
    assert (names(found.pairs), found.horizon) == ([("t", "s", None)], 3)
    assert found.claim is not None and (found.claim.constant, found.claim.rate) == (1, 0)
    (pair,) = question(ST, Replaced(given="t")).pairs
    assert pair.left == pair.right and pair.left.name == "t"
    with pytest.raises(InputError, match=r"the comparison:1:4: error: there is no secret.*`u`"):
        question(text, Replaced(["s, u"]))
    with pytest.raises(InputError, match="the claim:1:1: error: epsilon is negative"):
        question(text, Replaced(claim="-1"))


# --- twins -------------------------------------------------------------------------------------------


def random_expression(random: Random, depth: int) -> str:
    if not depth:
        return random.choice(["1", "2", "0.5", "k", "p", "3/7"])
    left, right = (random_expression(random, depth - 1) for _ in range(2))
    if (kind := random.randrange(7)) == 0:
        return f"({left})^{random.randrange(-2, 4)}"
    if kind == 1:
        return f"-{left}*({right})"
    if kind == 2:
        return f"{random.choice(['min', 'max'])}({random_number(random)}, {random_number(random)})*({left})"
    if kind == 3:
        relation = random.choice(["<", "<=", "=", "!="])
        return f"({random_number(random)} {relation} {random_number(random)}) - ({left})"
    return f"({left}) {random.choice('+-*/')} ({right})"


def random_number(random: Random) -> str:
    return f"{random.randrange(4)}*k - {random.randrange(5)}/3"


def python_value(text: str, names: Mapping[str, Fraction]) -> Fraction:
    """An expression by the arithmetic of Python."""
    text = text.replace("^", "**").replace(" = ", " == ")
    text = re.sub(r"(?<![\w.])\d+(\.\d+)?", lambda n: f"F('{n[0]}')", text)
    text = re.sub(r"\*\*(-?)F\('(\d+)'\)", r"**\1\2", text)
    return Fraction(eval(text, {"F": Fraction, **names}))


@pytest.mark.parametrize("seed", some(range(60), 20))
def test_expressions_agree_with_python(seed: int) -> None:
    random = Random(seed)
    text = random_expression(random, 3)
    file = f"param p in (0, 1)\nlet k = 5/3\nlet value = {text}\n" + ST
    file += "start u {s: value - 100*p, t: 1 - value + 100*p}\ncompare s, u"  # no constant may be above 1
    try:
        expected = python_value(text, {"k": Fraction(5, 3), "p": Fraction(2, 7)})
        weights = at(question(file).pairs[0].right.weights, p="2/7")
    except ZeroDivisionError:
        return  # at 2/7
    except InputError as error:
        assert error.message == "division by zero"
        with pytest.raises(ZeroDivisionError):
            python_value(text, {"k": Fraction(5, 3), "p": Fraction(3, 11)})
        return
    assert weights.get(0, 0) == expected - 100 * Fraction(2, 7)


# --- what is refused ---------------------------------------------------------------------------------

P = "param p in (0, 1); prior i {s: p, t: 1 - p}\n"
MISTAKES = {
    # rows that do not sum to 1
    "observe a, b; state n(i) for i in 1..2 emits {a: 1/3, b: 1/6 + i/3} next stop":
        ("the probabilities of state n(1) sum to 5/6, not 1", "{a: 1/3, b: 1/6 + i/3}", ""),
    AB + "state s emits a next {s: 1/2, s: 1/3}":
        ("the probabilities of state s sum to 5/6, not 1", "{s: 1/2, s: 1/3}", ""),
    ST + "param p in (0, 1); prior i {s: p, t: p}":
        ("the probabilities of prior i sum to 2*p, not 1", "{s: p, t: p}", ""),
    ST + "start u {s: 1/2}": ("the probabilities of start u sum to 1/2, not 1", "{s: 1/2}", ""),
    AB + "state s emits {a: exp(-eps/2), b: exp(-eps)} next stop":
        ("the probabilities of state s sum to exp(-1/2*eps)^2 + exp(-1/2*eps), not 1",
         "{a: exp(-eps/2), b: exp(-eps)}", ""),
    # numbers that are not probabilities
    AB + "state s emits {a: -1/3, b: 4/3} next stop":
        ("the probability -1/3 of `a` in state s is negative", "{a: -1/3, b: 4/3}", ""),
    AB + "state s emits {a: 5/3} next stop":
        ("the probability 5/3 of `a` in state s is above 1", "{a: 5/3}", ""),
    AB + "state s emits {a: 1/0} next stop": ("division by zero", "1/0", ""),
    AB + "state s(i) for i in 0..1 emits {a: i < 1, b: (i = 1)} next stop":
        ("`<` is not expected here", "<", COMPARED),
    AB + "state s emits {a: 30%, b: 7/10} next stop": ("unexpected character `%`", "%", MISUSED["%"]),
    ST + P + "compare s, t; private ln(2), p":
        ("the claim is about every `p`: it must not depend on it", "p",
         "write numbers, for example `ln(2), 1/100`"),
    ST + P + "table G[0..1] = (p - p, p); compare s, t; private G[0] + G[1]":
        ("the claim is about every `p`: it must not depend on it", "G[0] + G[1]",
         "write numbers, for example `ln(2), 1/100`"),
    AB + "state s emits {a: ln(2)} next stop": ("a logarithm is allowed in claims only", "ln(2)", ""),
    # horizons
    ST + C + "horizon 0": ("a horizon is at least 1, not 0", "0", "it counts observations"),
    ST + C + "horizon 3/2": ("a horizon must be an integer, not 3/2", "3/2", ""),
    ST + C + "horizon 1; horizon 2": ("`horizon` is given twice", "horizon 2", "first in line 4"),
    AB + "state s emits a next t; state t emits b next s; compare s, t":
        ("there is no `horizon`, and s -> t -> s is a cycle", "t",
         "write `horizon K` for K observations, or `horizon any` for every number of them"),
    # unknown names
    "observe yes, no; state s emits yess next stop":
        ("there is no observation `yess`", "yess", "did you mean `yes`?"),
    AB + "state s(1) emits a next s(2)": ("there is no state `s(2)`", "s(2)", "did you mean `s(1)`?"),
    ST + P + "secret x {z}": ("there is no state `z`", "z", "declare it: `state z`"),
    ST + P + "secret sick {s}; compare s, sic":
        ("there is no secret, distribution or state `sic`", "sic", "did you mean `sick`?"),
    ST + P + "compare s, i": ("there is no secret, distribution or state `i`", "i",
                              "`i` is a prior: compare secrets, or declare it by `start`"),
    "let count = 2; let l = cuont": ("no number is called `cuont`", "cuont", "did you mean `count`?"),
    "table G[0..1] = (1, 2); let k = G[2]": ("there is no entry G[2]", "G[2]", "it is G[0..1]"),
    "table G[0..1] = (1, 2); let k = G": ("no number is called `G`", "G", "it is a table: write G[...]"),
    "table G[0..1] = (1, 2, 3)": ("3 entries for the 2 indices 0..1", "(1, 2, 3)", ""),
    "let k = T[1]": ("there is no table `T`", "T", ""),
    "let k = mix(1)": ("there is no function `mix`", "mix(1)", "did you mean `min`?"),
    "let k = abs(1, 2)": ("abs has 1 argument, not 2", "abs(1, 2)", ""),
    "let k = mod(1)": ("mod has 2 arguments, not 1", "mod(1)", ""),
    "let k = mod(1, 0)": ("division by zero", "mod(1, 0)", ""),
    "let k = disc(1)": ("disc has a number and one or more levels", "disc(1)", ""),
    "let k = count(2)": ("a condition is true or false, not 2", "2", "compare it: `x > 0`"),
    AB + "state floor(i) for i in 1..2 emits a next stop":
        ("`floor` is a function: choose another name for the family", "floor(i)", ""),
    # repeated names
    "observe a, b, a": ("the observation `a` is declared twice", "a", "first in line 1"),
    ST + "state s emits a next stop": ("the state `s` is declared twice", "s", "first in line 2"),
    AB + "state s for i in 0..1 emits a next stop": ("the state `s` is declared twice", "s",
        "the family gives this name twice: put all its variables into the name"),
    ST + P + "secret x {s}\nsecret x {t}": ("the name `x` is declared twice", "x", "first in line 4"),
    ST + P + "prior i s": ("the name `i` is declared twice", "i", "first in line 3"),
    ST + "start u s; start u t": ("the name `u` is declared twice", "u", "first in line 3"),
    ST + "start s t": ("the name `s` is declared twice", "s", "first in line 2"),
    "let k = 1; param k in (0, 1)": ("the number `k` is declared twice", "k", "first in line 1"),
    ST + "let p = 1; secret p {s}": ("`p` is a number already", "p", ""),
    "param p in (0, 1); observe a\nstate p emits a next stop":
        ("this depends on parameters: it cannot be the name of anything", "p", ""),
    # states without emits or next
    AB + "state s next stop": ("the state `s` has no `emits`", "s", "add `emits {...}`"),
    AB + "state s emits a": ("the state `s` has no `next`", "s", "add `next {...}` or `next stop`"),
    # secrets and comparisons
    ST + P + "secret x {}": ("the secret `x` is empty", "x", "name the first states it consists of"),
    ST + "prior i s; secret x {t}": ("no prior has a state of the secret `x`", "x",
                                     "it consists of first states: name some that a prior lists"),
    ST + "secret x {t}": ("the secret `x` needs a prior", "x",
        "write `prior NAME {...}`, or `start x {...}` for a distribution given outright"),
    ST + "compare s, s": ("`s` is compared with itself", "s", ""),
    # ranges and conditions
    "param p in (1, 0)": ("the range of `p` is empty", "(1, 0)", ""),
    "param p in (1, 1]": ("the range of `p` is empty", "(1, 1]", ""),
    "param p in [1, 1]":
        ("the range of `p` is one point", "[1, 1]", "for a single number write `param p = 1`"),
    "param p in (0, inf)": ("the range of a parameter must be finite", "inf", ""),
    "param p in (0, q), q in (0, 1)": ("no number is called `q`", "q",
        "it is declared further below; a number may use earlier ones only"),
    "param p in (0, 1); where p < 1/2": ("a condition in `where` is written with <= or >=", "<",
        "all functions are continuous: with <= the answer is the same as with <"),
    "param p in (0, 1); where p = 1/2": ("a condition in `where` is written with <= or >=", "=",
        "all functions are continuous: with <= the answer is the same as with <"),
    "param p in (0, 1); where 1 >= 2": ("no parameters satisfy this condition", "1 >= 2", ""),
    "param p in (0, 1); where 1/p >= 2": ("a condition must be a polynomial in the parameters", "1/p >= 2",
                                          "multiply both sides by the divisor"),
    "param p in (0, 1); let k = (p < 1)":
        ("a compared value must be a number: it must not depend on parameters or eps", "p", ""),
    "let k = (2 and 1 < 2)": ("a condition is true or false, not 2", "2", "compare it: `x > 0`"),
    # claims
    ST + C + "private ln(1/2)":
        ("epsilon is negative", "ln(1/2)", "claims have epsilon >= 0, that is c = exp(epsilon) >= 1"),
    ST + C + "private 1/2 - ln(2)": ("epsilon is negative", "1/2 - ln(2)",
        "claims have epsilon >= 0, that is c = exp(epsilon) >= 1"),
    ST + C + "private ln(0)": ("ln 0 does not exist: the argument of ln must be positive", "0", ""),
    ST + C + "private 1/2*ln(2)":
        ("exp(epsilon) is irrational: a root", "1/2*ln(2)", "write ln of a rational number"),
    ST + C + "private 10000*ln(2)":
        ("exp(epsilon) has too many digits", "10000*ln(2)", "write ln of a rational number"),
    ST + C + "private 2*eps": ("no number of the model depends on eps", "2*eps",
        "write a number such as ln(2), or choose a single eps with `--at`"),
    ST + C + "private 1 for eps in (0, inf)":
        ("no number of the model depends on eps", "(0, inf)", "leave out `for eps in`"),
    ST + C + "private exp(1)": ("this is not an epsilon", "exp(1)",
        "a sum of t*eps, numbers and q*ln(r), for example ln(2) or 1/2*eps"),
    ST + C + "private ln(2), 2": ("delta must be a rational number from 0 to 1", "2", ""),
    ST + C + "private ln(2), ln(2)": ("delta must be a rational number from 0 to 1", "ln(2)", ""),
    ST + C + "horizon eps":
        ("a horizon must be a number: it must not depend on parameters or eps", "eps", ""),
    "param p in (0, 1); " + ST + "compare s(eps), t":
        ("an index must be a number: it must not depend on parameters or eps", "eps", ""),
    "param p in (0, exp(-eps))":
        ("the end of a range must not depend on eps, or on exp(1)", "exp(-eps)", ""),
    # variables end with their family
    "observe 0..1; state s emits {j: 1/2 for j in 0..1} next {j: 1}; horizon 1":
        ("there is no state `j`", "j", "declare it: `state j`"),
    "observe 0..1; state s(0) emits {j: 1/2 for j in 0..1} next s(j)":
        ("no number is called `j`", "j",
         "declare it: `let j = 1/2`, or `param j in (0, 1)`"),
    # the grammar
    ST + C + "hroizon 3": ("`hroizon` is not expected here", "hroizon", "did you mean `horizon`?"),
    "observe a, next":
        ("`next` is not expected here", "next", "`next` is a word of the language: choose another name"),
    "observe a$": ("unexpected character `$`", "$", ""),
    "let k = 3^100000": ("a power beyond 1000 is too large", "3^100000", ""),
    "let k = (3^1000)^1000": ("the value of this power is too long", "(3^1000)^1000", ""),
    "param é in (0, 1)": ("the name `é` is not in ASCII", "é", ASCII),
}  # fmt: skip


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text: str) -> None:
    message, marked, hint = MISTAKES[text]
    with pytest.raises(InputError) as caught:
        question(text)
    error = caught.value
    assert error.span is not None and error.span.source.name == "m.hmm"
    found = (error.message, text[error.span.start : error.span.end], error.hint)
    assert found == (message, marked, hint)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "param p in (0, 2); state u emits {a: 1 - p, b: p} next stop; compare s, u",
            "m.hmm:4:26: the probability",
        ),
        ("param p in (0, 2); start u {s: 1 - p, t: p}; compare s, u", "m.hmm:4:26: the probability"),
        ("param p in (0, 1), q in (1 - p, 1/2)\ncompare s, t", "m.hmm:4:20: the range of q is empty"),
    ],
)
def test_what_is_wrong_for_some_parameters_has_a_place(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_class(question(ST + "\n" + line), Clock())
    assert caught.value.message.startswith(message)


def test_an_unclosed_brace_ends_at_the_next_declaration() -> None:
    for following in ("state s emits a next stop", "state s(1 + 1) emits a next stop"):
        with pytest.raises(InputError) as caught:
            question(f"observe a(1,\n{following}")
        assert str(caught.value).startswith("m.hmm:1:13: error: the end of the line is not expected here")


def test_missing_lines() -> None:
    with pytest.raises(InputError, match="the model has no states"):
        question("# nothing\n")
    with pytest.raises(InputError, match="there is no `compare`"):
        question(ST + "private 1")
    assert question(ST + C).claim is None


def test_overrides_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="the model has no parameter `q`"):
        question(P + ST + C, q="1")
    for value in ("0", "1", "2"):
        with pytest.raises(InputError, match=f"p = {value} is outside the range of `p`"):
            question(P + ST + C, p=value)


CALLS = ("mod(-7, 3)", "mod(7, -2/3)", "floor(-3/2)", "ceil(7/3)", "sum(1, 2, 3)", "max(1, 2)", "abs(-3)",
         "count(1 < 2, 2 < 1, not 1 > 3)", "disc(1/2, 0, 1, 2)", "disc(5, 0, 1)", "disc(-1, 0)")  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_functions_mean_what_they_mean_in_programs(call: str) -> None:
    found = question(f"observe a\nstate s({call}) emits a next stop; start t s({call})\ncompare s({call}), t")
    (state,) = found.model.states
    value = state.removeprefix("s(").removesuffix(")")
    program = f"input q in {{0}}; output x in {{{value}, 99}}; adjacent all; private eps; x <- {call}"
    assert str(next(iter(dipc.load(program).distribution(q=0).items()))[1]) == "1"


@pytest.mark.parametrize("argument", ["-p", "-p*eps", "-eps^2"])
def test_arguments_of_exp_that_are_not_supported(argument: str) -> None:
    with pytest.raises(InputError) as caught:
        question(f"param p in (0, 1)\n{AB}state s emits {{a: exp({argument})}} next stop")
    assert caught.value.message == "the argument of exp must be linear in eps"
    assert caught.value.span is not None


def test_budgets() -> None:
    text = AB + "state s emits {a: exp(-eps), b: 1 - exp(-eps)} next stop; state t emits a next stop\n" + C
    assert question(text + "private eps for eps in (0, inf)").claim == question(text + "private eps").claim
    assert question(text + "private eps").parameters.budgets == EpsRange.positive()
    for interval, high in (("(0, 1)", fmpq(1)), ("(0, 2/3]", fmpq(2, 3)), ("[1/2, inf)", None)):
        budgets = question(text + f"private eps for eps in {interval}").parameters.budgets
        assert str(budgets) == interval and budgets.high == high
    for interval in ("[0, inf)", "(-1, 1)", "(1, 1)", "[2, 1]"):
        with pytest.raises(InputError, match=r"a budget is positive|the range of eps is empty"):
            question(text + f"private eps for eps in {interval}")
    with pytest.raises(Unsupported, match="a single eps"):
        question(text + "private eps", Replaced(at=fmpq(1)))


def test_functions_of_eps() -> None:
    """eps itself and a root of exp(1) are generators of the ring if they occur."""
    emits = "{a: exp(-1/2 - eps)/(1 + eps), b: 1 - exp(-1/2 - eps)/(1 + eps)}"
    found = question(
        f"param p in (0, 1)\n{AB}state s emits {emits} next stop; state t emits a next stop\n{C}"
    )
    parameters = found.parameters
    assert parameters.names == ("x", "p") and len(parameters.functions) == 2
    p = found.model.emissions[0][0][1]
    expected = Quotient(ExpPoly.exp(-1, fmpq(-1, 2)), ExpPoly.of(1) + ExpPoly.of(1, 1))
    assert parameters.function_of_eps(p) == expected
    assert parameters.of_function(expected) == p
    emits = "{a: exp(-2/eps), b: 1 - exp(-2/eps)}"
    inverse = question(f"{AB}state s emits {emits} next stop; state t emits a next stop\n{C}")
    shown = inverse.parameters.function_of_eps(inverse.model.emissions[0][0][1])
    assert shown == Quotient(ExpPoly.exp(0, 0, -2)) and inverse.parameters.functions[0].inverse == 2
    emits = "{a: exp(-2/3), b: 1 - exp(-2/3)}"
    number = question(f"{AB}state s emits {emits} next stop; state t emits a next stop\n{C}")
    assert number.parameters.eps_name is None and number.parameters.functions[0].constant == fmpq(2, 3)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "MOST_VALUES", many(3 * 10**5, campaign=10**6))
    texts = (
        "observe n(i) for i in 1..10^9",
        "observe 0..10^9",
        AB + "state s(i) for i in 0..200000 emits a next stop",
        AB + "state s(i) for i in 1..2000, j in 1..2000 if j = 1 emits a next stop",
        f"let k = {'-' * 200}1",
    )
    for text in texts:
        with pytest.raises(LimitReached):
            question(text)
    assert question(f"let k = {'(' * 2000}1{')' * 2000}\n" + ST + C).model.states == ("s", "t")


@pytest.mark.parametrize("family", [True, False])
def test_thousands_of_states(family: bool) -> None:
    last = many(2_999, campaign=9_999)
    line = "state s({}) emits {{a: 1/3, b: 2/3}} next {{s({}): 1/3, s({}): 1/3, s({}): 1/3}}"
    following = [(i, i, min(last, 7 * i), max(0, i - 3)) for i in range(last + 1)]
    lines = [line.format(*numbers) for numbers in following]
    if family:
        names = ("i", "i", f"min({last}, 7*i)", "max(0, i - 3)")
        lines = [line.format(*names).replace(" emits", f" for i in 0..{last} emits")]
    start = process_time()
    found = question("\n".join([AB, *lines, "compare s(0), s(1); horizon any"]))
    assert process_time() - start < 30
    expected = Counter(following[5][1:])
    assert {i: fraction(p) * 3 for i, p in found.model.transitions[5]} == expected
    assert len(found.model.states) == last + 1


def test_words_separate_declarations() -> None:
    """The words of the separator in the grammar are those of the declarations."""
    text = GRAMMAR.file.read_text(encoding="utf-8")
    separator = next(line for line in text.splitlines() if line.startswith("_SEP"))
    words = set(separator.partition("\\s*(")[2].partition(")")[0].split("|"))
    assert words == set(DECLARATIONS)
