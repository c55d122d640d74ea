"""Model files: what they mean, what is refused and where, and how fast large ones are read."""

from __future__ import annotations

import pytest
from flint import fmpq
from patience import quickest

from dipc.dpctl.syntax import parse_property
from dipc.errors import InputError, LimitReached, Source, Span
from dipc.models.arithmetic import Amount
from dipc.models.chain import MarkovChain, Mdp
from dipc.models.reading import declarations, number_from_text, read_formulas, read_model, read_neighbours

SURVEY = """# the survey
chain
plus  -> {yes: 3/4,     # comments and line ends
          no: 1/4,}     # inside braces
minus -> {yes: 1/4, no: 0.75}
final yes, no; label out_1 = {yes}
label "out 0" = {no}; label none = {}
neighbours plus ~ minus
start minus, plus, minus
property one: D[ln 3, 0](X out_1)   # expect: holds
# expect: fails
property two: D[1, 0](X "out 0")
property three: P>0 (X none)
"""


def test_a_chain() -> None:
    model, properties, *_ = read_model(Source("survey.dpm", SURVEY))
    assert isinstance(model, MarkovChain)
    assert model.names == ("plus", "minus", "yes", "no", "†")
    assert model.rows[:2] == (((2, fmpq(3, 4)), (3, fmpq(1, 4))), ((2, fmpq(1, 4)), (3, fmpq(3, 4))))
    assert model.rows[2:] == (((4, fmpq(1)),),) * 3
    assert model.labels == {"out_1": {2}, "out 0": {3}, "none": frozenset()}
    assert (model.neighbours, model.start) == (((0, 1),), (1, 0))
    assert [[*model.neighbours_of(s)] for s in range(3)] == [[1], [0], []]
    assert [(p.name, p.expected) for p in properties] == [("one", "holds"), ("two", "fails"), ("three", None)]


def test_the_formula_of_a_property_keeps_its_place() -> None:
    text = "\n" + SURVEY.replace("property three", "\tproperty x: P>0 (X zzz)\nproperty three")
    model, properties, *_ = read_model(Source("survey.dpm", text))
    line = next(p for p in properties if p.name == "x")
    with pytest.raises(InputError) as caught:
        parse_property(line.source, model)
    span = caught.value.span
    assert span is not None
    assert (span.line, text.splitlines()[span.line - 1][span.column - 1 :][:3]) == (14, "zzz")
    assert str(caught.value).startswith("survey.dpm:14:21: error: there is no label or state `zzz`")


def test_a_line_that_is_no_formula_is_shown_from_its_first_character() -> None:
    with pytest.raises(InputError, match=r"^laws:2:3: error: a line with a formula is NAME"):
        read_formulas(Source("laws", "a: true\n  F b\n"))


def test_as_many_states_as_the_limit_says_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dipc.models.draft.MOST_STATES", 3)
    text = "chain; a -> b; b -> c; c -> a"
    assert len(read_model(Source("m", text)).model.names) == 3
    with pytest.raises(LimitReached, match="more than 3 states"):
        read_model(Source("m", f"{text}; d -> a"))


def test_a_decision_process() -> None:
    text = """mdp; actions L, H
    s [L] -> {a: 1/2, s: 1/2}; s [*] -> s
    a [H] -> a
    neighbours {s, a, b}; final b"""
    model = read_model(Source("m.dpm", text)).model
    assert isinstance(model, Mdp)
    assert (model.names, model.actions) == (("s", "a", "b", "†"), ("L", "H"))
    s, a, b, dead = model.rows
    assert s == (((0, fmpq(1, 2)), (1, fmpq(1, 2))), ((0, fmpq(1)),))
    assert a == (((3, fmpq(1)),), ((1, fmpq(1)),))
    assert b == dead == (((3, fmpq(1)),),) * 2
    assert model.neighbours == ((0, 1), (0, 2), (1, 2))


def test_numbers_with_names_and_functions_of_eps() -> None:
    text = "chain; let z = exp(eps); let p = z/(1 + z)\ns -> {s: p, a: 1 - p}; a -> {s: 1/(1 + z), a: p}"
    source = Source("m.dpm", text)
    model, _, numbers, *_ = read_model(source)
    z = numbers["z"].value
    assert z == number_from_text("exp(eps)")
    assert model.rows == (((0, z / (1 + z)), (1, 1 / (1 + z))), ((0, 1 / (1 + z)), (1, z / (1 + z))))
    two = read_model(source, {"z": Amount(number_from_text("2"))}).model
    assert two.rows == (((0, fmpq(2, 3)), (1, fmpq(1, 3))), ((0, fmpq(1, 3)), (1, fmpq(2, 3))))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", "1/10"), ("1e-2", "1/100"), ("2^-3", "1/8"), ("-2^2 + 5", "1"), ("1 - 1/2 - 1/4", "1/4"),
        ("8/2/2", "2"), ("2*(1 + 3)/4^2", "1/2"), ("exp(ln 3)", "3"), ("exp(2*ln 3 - ln(9/2))", "2"),
        ("exp(0)", "1"), ("exp(eps)*exp(-eps)", "1"), ("(1 - eps^2)/(1 + eps) + eps", "1"),
        ("exp(eps + ln 2)", "2*exp(eps)"), ("1/(exp(eps) + 1)", "exp(-eps)/(1 + exp(-eps))"),
    ],
)  # fmt: skip
def test_numbers_are_exact(text: str, value: str) -> None:
    assert number_from_text(text) == number_from_text(value)


def test_neighbours_from_elsewhere() -> None:
    model = read_model(Source("m", SURVEY)).model
    assert read_neighbours("plus ~ minus ~ yes, no ~ no", model).neighbours == ((0, 1), (1, 2))
    assert read_neighbours("{no, yes, plus}", model).neighbours == ((2, 3), (0, 3), (0, 2))
    with pytest.raises(InputError, match="there is no state `maybe`"):
        read_neighbours("plus ~ maybe", model)


REFUSALS = [
    ("chain\ns -> {a: 1/2, b: 3/8}\nfinal a, b", "s", "the probabilities of `s` sum to 7/8, not to 1", ""),
    ("chain\ns -> {a: eps, b: eps}\nfinal a, b", "s", "the probabilities of `s` sum to 2*eps, not to 1", ""),
    ("chain\ns -> {a: -1/2, b: 3/2}\nfinal a, b", "a", "the probability -1/2 of `s -> a` is negative", ""),
    ("chain\ns -> {b: 3/2, a: -1/2}\nfinal a, b", "b", "the probability 3/2 of `s -> b` is above 1", ""),
    ("chain\nstate -> {goal: 1}\nfinal gaol", "goal", "there is no state `goal`", "did you mean `gaol`?"),
    ("chain\ns -> {zzz: 1}", "zzz", "there is no state `zzz`", "declare it: `final NAME`"),
    ('chain\ns -> "†"', '"†"', "there is no state `†`", "final"),
    ("chain\ns -> s; final s", "s", "`s` is final, but it has transitions", ""),
    ("chain\ns -> s\nlabel s = {s}", "s", "`s` is a state, and a state is a proposition", "rename the label"),
    ("chain\ns -> s\nlabel a = {s}; label a = {}", "a", "the label `a` is given twice", ""),
    ("chain\ns -> s\nlabel a = {t}", "t", "there is no state `t`", ""),
    ("chain\ns -> s\ns -> s", "s", "the transitions of `s` are given twice", "first in line 2"),
    ("chain\ns -> {s: 1/2, s: 1/2}", "s", "`s` is given twice as a target of `s`", "add the probabilities"),
    ("mdp\ns [a] -> s; s [a] -> s", "s", "the transitions of `s` under `a` are given twice", "line 2"),
    ("chain\ns [a] -> s", "s", "a state of a chain has no actions", ""),
    ("mdp\ns -> s", "s", "a state of a decision process needs an action", ""),
    ("chain\ns -> s\nneighbours s ~ t", "t", "there is no state `t`", ""),
    ("chain\ns -> s\nstart t", "t", "there is no state `t`", ""),
    ("s -> s", "s", "a model begins with a line `chain` or `mdp`", ""),
    ("chain\nmdp\ns -> s", "mdp", "is the first line of a model, once", ""),
    ("chain\ns -> s\nchain", "chain", "is the first line of a model, once", ""),
    ("chain", "c", "the model has no states", ""),
    ("chain; let p = 1/2; let p = 1/3; s -> s", "p", "the number `p` is given twice", ""),
    ("chain; let p = 1/0; s -> s", "1/0", "division by zero", ""),
    ("chain; let p = ln 2; s -> {s: p}", "p", "in the first parameter of D only", ""),
    ("chain; let prob = 1/2; s -> {s: prop, a: prop}; final a", "prop",
     "no number is called `prop`", "did you mean `prob`?"),
    ("chain\ns -> {s: exp(eps^2)}", "exp(eps^2)", "the argument of exp must be linear in eps", "exp(eps/2)"),
    ("chain\ns -> {s: exp(1/2*ln 2)}", "exp(1/2*ln 2)", "is a root, not a rational number", ""),
    ("chain\ns -> {s: 2^1001}", "2^1001", "a power beyond 1000 is too large", ""),
    ("chain\ns -> {s 1}", "1", "`1` is not expected here", "expected `:`"),
    ("chain\ns -> {s: 1", "", "the text ends too early", "`}`"),
    ("chain\ns => s", "=", "`=` is not expected here", ""),
    ("chain\ns -> s\nlabel final = {s}", "final", "`final` is not expected here", 'it is written "final"'),
    ("chain\ns -> s\nproperty p: P>0 (X s) # expect: perhaps", "p",
     "there is no answer `perhaps`", "write holds, fails, undecided"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "message", "hint"), REFUSALS, ids=[r[0] for r in REFUSALS])
def test_what_a_refusal_says_and_points_at(text: str, place: str, message: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        read_model(Source("m.dpm", text))
    error = caught.value
    assert message in error.message
    assert hint in error.hint
    assert error.span is not None
    assert text[error.span.start : error.span.end] == place


def test_the_second_of_two_equal_names_is_pointed_at() -> None:
    text = "chain\ns -> {a: 1/2, a: 1/2}\nfinal a"
    with pytest.raises(InputError) as caught:
        read_model(Source("m", text))
    assert caught.value.span == Span(Source("m", text), text.index("a: 1/2}"), text.index("a: 1/2}") + 1)


@pytest.mark.parametrize("number", ["-" * 10**5 + "1", "2^" * 10**4 + "1"])
def test_deep_numbers_reach_a_limit(number: str) -> None:
    with pytest.raises(LimitReached, match="levels deep"):
        read_model(Source("m", f"chain\ns -> {{s: {number}}}"))


def test_long_sums_are_read() -> None:
    parts = " + ".join(["1/5000"] * 5000)
    assert read_model(Source("m", f"chain\ns -> {{s: {parts}}}")).model.rows == (((0, fmpq(1)),),)


def test_declarations_are_cut_at_line_ends_outside_of_braces_comments_and_quotes() -> None:
    text = 'a -> {b: 1, # ; } {\n c: 0}; "x;{" -> b; # d\n\n; e }'
    assert [text[a:b] for a, b in declarations(text)] == [
        "a -> {b: 1, # ; } {\n c: 0}",
        ' "x;{" -> b',
        " e }",
    ]


def test_plain_rows_mean_what_the_grammar_says() -> None:
    """Rows of rational numbers are read without the grammar; a ``+ 0`` forces the long way."""
    rows = [
        "s -> {s: 1/2, t: 1/4, u: 0.25}",
        '"t" -> {"u": 1 }',
        "u -> {s:0.0, t : 1,}",
        "v->{ s:2/4,v:1/2 }",
    ]
    quick = "chain\n" + "\n".join(rows)
    slow = "chain\n" + "\n".join(row.replace(": ", ": 0 + ").replace(":0.0", ": 0 + 0.0") for row in rows)
    assert read_model(Source("m", quick)).model == read_model(Source("m", slow)).model


def quickest_of(n: int) -> float:
    rows = "\n".join(f"s{i} -> {{s{(i + 1) % n}: 1/2, s{(i + 7) % n}: 1/4, t{i % 7}: 1/4}}" for i in range(n))
    rest = "\n".join(f"t{i} -> t{i}\nproperty p{i}: P>0 (F a)  # expect: holds" for i in range(7))
    label = ", ".join(f"s{i}" for i in range(0, n, 2))
    source = Source("m", f"chain\n{rows}\n{rest}\nlabel a = {{{label}}}")
    assert len(read_model(source).model.names) == n + 7
    return quickest(lambda: read_model(source))


def test_reading_takes_linear_time() -> None:
    assert quickest_of(8_000) < 16 * max(quickest_of(1_000), 0.005) * 2
