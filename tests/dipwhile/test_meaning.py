"""What docs/language.md settles: each clause of "What a program means", in every engine that reads it."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import fmpq

import dipc
from dipc.cli.main import status
from dipc.dipwhile.rederive.functions import NotCovered
from dipc.dipwhile.rederive.programs import all_inputs
from dipc.dipwhile.rederive.programs import distribution as slow_distribution
from dipc.dipwhile.syntax.parser import parse
from dipc.dpctl.syntax import parse_property
from dipc.errors import Source
from dipc.models.reading import read_model
from dipc.numbers.exact import rational
from dipc.pufferfish.reading import read_question

HEAD = "input q in {0, 1}; output o in {0, 1, 2}; adjacent all; private eps; "


def loaded(body: str, head: str = HEAD) -> dipc.Mechanism:
    """A program with one input and one output."""
    return dipc.load(head + body)


def outcome(mechanism: dipc.Mechanism, **given: Any) -> str:
    """The value of the only output that an input leads to."""
    ((values, p),) = mechanism.distribution(**given).items()
    assert str(p) == "1"
    return str(values[0][1])


# --- names and numbers ---------------------------------------------------------------------------


NOT_ASCII = ["ϵ", "µ", "Ω", "q²", "x₁", "x१", "ﬁ", "ｘ", "größe", "Δq", "пример", "値", "é", "ε1"]
REFUSED = r"is not in ASCII(?s:.*)write names and numbers with a to z"


@pytest.mark.parametrize("name", NOT_ASCII)
def test_names_are_in_ascii(name: str) -> None:
    for text in (f"{name} <- 1; o <- 0", f"o <- max({name}, 0)", f"for {name} in 1..2 do o <- 0 end"):
        with pytest.raises(dipc.InputError, match=REFUSED):
            loaded(text)


@pytest.mark.parametrize("sign", ["٣", "1٣", "e\u0301", "½"])
def test_what_is_neither_a_name_nor_a_number(sign: str) -> None:
    with pytest.raises(dipc.InputError, match="write names and numbers with a to z"):
        loaded(f"x <- {sign}; o <- 0")


@pytest.mark.parametrize(
    "text", ["b <- flip(1/(1 + ε)); o <- 0", "x ← 1; if x ≤ 1 and x ≥ 1 and x ≠ 2 then o := 0 end"]
)
def test_signs_of_the_language(text: str) -> None:
    assert loaded(f"o <- 0; {text} # größe ٣").program


CHAIN = """chain
plus -> {{yes: 3/4, {0}: 1/4}}
final yes, {0}
label {1} = {{yes}}
property {2}: P>=1/2 (X yes)
"""
HIDDEN = """observe 0..1
state {0} emits {{0: 1/3, 1: 2/3}} next stop
state b emits {{0: 1/2, 1: 1/2}} next stop
start {1} {{{0}}}
start healthy {{b}}
compare {1}, healthy
horizon 1
private ln(2)
"""


@pytest.mark.parametrize("name", NOT_ASCII)
def test_names_in_models_and_formulas(name: str) -> None:
    names = ["a", "c", "d"]
    read_model(Source("a.dpm", CHAIN.format(*names)))
    for k in range(3):
        with pytest.raises(dipc.InputError, match=REFUSED) as caught:
            read_model(Source("a.dpm", CHAIN.format(*names[:k], name, *names[k + 1 :])))
        assert caught.value.hint.endswith("or put it in double quotes") == (k < 2)
    quoted = f'"{name}"'
    assert name in read_model(Source("a.dpm", CHAIN.format(quoted, "c", "d"))).model.names
    with pytest.raises(dipc.InputError, match=REFUSED):
        parse_property(Source("<formula>", f"P>=1/2 (X {name})"))
    assert parse_property(Source("<formula>", f"P>=1/2 (X {quoted})"))
    read_question(Source("a.hmm", HIDDEN.format("a", "sick")), {})
    for wrong in ((name, "sick"), ("a", name)):
        with pytest.raises(dipc.InputError, match=REFUSED):
            read_question(Source("a.hmm", HIDDEN.format(*wrong)), {})


@pytest.mark.parametrize("digit", ["١", "１", "１２"])
def test_other_digits_in_models_and_formulas(digit: str) -> None:
    refused = r"unexpected character(?s:.*)write names and numbers with a to z"
    with pytest.raises(dipc.InputError, match=refused):
        read_model(Source("a.dpm", f"chain\nplus -> {{yes: {digit}}}\nfinal yes\n"))
    with pytest.raises(dipc.InputError, match=refused):
        parse_property(Source("<formula>", f"P>={digit} (X yes)"))


def test_numbers_of_the_command_line() -> None:
    assert rational("1/10^13", "eps") == rational("1e-13", "eps") == rational("10^-13", "eps")
    assert rational("1/1e13", "eps") == rational("1e-13", "eps") and rational("2e1/10^2", "eps") == fmpq(1, 5)
    assert rational("-3/2^2", "eps") == rational(Fraction(-3, 4), "eps") == -rational("+3/4", "eps")
    long = " + ".join(["1/10"] * 1000)
    for wrong in ("١", "1/10^", "1^2^3", "2^100000", "^2", "1/2/3^1", "x^2", long, "x" * 5000):
        with pytest.raises(dipc.InputError, match="must be a rational number"):
            rational(wrong, "eps")
    for wrong in ("1/0^1", "1e13/0"):
        with pytest.raises(dipc.InputError, match="division by zero"):
            rational(wrong, "eps")
    for wrong in ("12^9000", "1e99^99", "1/1e5000", "1" * 5000):
        with pytest.raises(dipc.InputError, match="more than 1000 digits"):
            rational(wrong, "eps")


# --- the claim and the adjacency -----------------------------------------------------------------

EMPTY = "the claimed delta is 1 or more: every program is private then"


@pytest.mark.parametrize("delta", ["1", "2", "3/2", "exp(eps)", "2 + exp(-eps)", "1 + eps"])
def test_a_delta_that_is_nowhere_below_one_gets_a_note(delta: str) -> None:
    verdict = loaded("o <- q").check(f"eps, {delta}")
    assert isinstance(verdict, dipc.Private)
    assert EMPTY in verdict.notes


@pytest.mark.parametrize("delta", ["999/1000", "exp(-eps)", "2*exp(-eps)", "eps"])
def test_a_delta_that_is_somewhere_below_one_gets_none(delta: str) -> None:
    assert EMPTY not in loaded("o <- q").check(f"eps, {delta}").notes


@pytest.mark.parametrize("question", ["check", "prove", "budget"])
def test_hamming_counts(question: str) -> None:
    head = HEAD.replace("all", "hamming 3/2")
    with pytest.raises(dipc.InputError, match="`3/2` is not an integer"):
        getattr(loaded("o <- 0", head), question)()
    assert isinstance(loaded("o <- 0", HEAD.replace("all", "hamming 4/2")).check(), dipc.Private)
    assert isinstance(loaded("o <- 0", HEAD.replace("all", "l1 3/2")).check(), dipc.Private)


# --- what is evaluated ---------------------------------------------------------------------------

ARRAY = "input q in {0, 1}, a[2] in {0, 1}; output o in {0, 1, 2}; adjacent all; private eps; "

UNREACHED = [
    "if q != 0 and 1/q > 0 then o <- 1 else o <- 1 end",
    "if q = 0 or 1/q > 0 then o <- 1 else o <- 1 end",
    "if q >= 0 or 1/0 > 0 then o <- 1 else o <- 1 end",
    "if q >= 0 or mod(q, 0) > 0 then o <- 1 else o <- 1 end",
    "if q >= 1 and a[q] = 1 then o <- 1 else o <- 1 end",
    "if q > 1 and a[5] = 1 then o <- 0 else o <- 1 end",
    "if q > 1 and (q > 2 or a[5] = 1) then o <- 0 else o <- 1 end",
    "if q >= 0 or x > 0 then o <- 1 else x <- 1; o <- 1 end",
    "if forall i in 0..1: q > 5 and i/0 = 1 then o <- 0 else o <- 1 end",
    "if exists i in 1..3: q <= i or 1/0 = 1 then o <- 1 else o <- 0 end",
    "b <- q > 1 and 1/0 > 0; if b then o <- 0 else o <- 1 end",
    "if q = 2 then o <- 7 else o <- 1 end",
    "if q = 2 then o <- 7*q else o <- 1 end",
    "if 1 = 0 then o <- 7 else o <- 1 end",
    "if q = 2 then x <- a[5]; o <- 0 else o <- 1 end",
    "if 1 = 0 then x <- a[5]; o <- 0 else o <- 1 end",
    "if q = 2 then y[0] <- 1; o <- 0 else o <- 1 end",
    "if q = 2 then x <- 1/0; o <- 0 else o <- 1 end",
    "if 1 = 0 then x <- 1/0; o <- 0 else o <- 1 end",
    "if q = 2 then b <- flip(3); o <- 0 else o <- 1 end",
    "if q = 2 then r <- Lap(-eps, 0); o <- 0 else o <- 1 end",
    "b <- flip(0); if b then o <- 1/0 else o <- 1 end",
    "x <- choose {0: 0, 1: 1}; if x = 0 then o <- 1/x else o <- 1 end",
    "o <- choose {7: 0, 1: 1}",
    "r <- Lap(eps, q); if r > 1 and r < 0 then o <- 1/0 else o <- 1 end",
    "o <- 1; exit; o <- 1/0",
    "o <- 1; while q > 1 do x <- 1/0 end",
]


@pytest.mark.parametrize("body", UNREACHED)
def test_what_no_path_reaches_is_not_evaluated(body: str, tmp_path: Path) -> None:
    program, certificate = tmp_path / "a.dip", str(tmp_path / "a.json")
    program.write_text(ARRAY + body, encoding="utf-8")
    for q in (0, 1):
        assert outcome(loaded(body, ARRAY), q=q, a=[0, 0]) == "1"
    mechanism = loaded(body, ARRAY)
    assert mechanism.budget().t == 0
    assert mechanism.explain(pair=({"q": 0, "a": [0, 0]}, {"q": 1, "a": [0, 0]})) is not None
    assert status(["check", str(program), "--quiet", "--certificate", certificate]) == 0
    assert status(["verify", certificate, "--program", str(program)]) == 0  # a second, slow evaluation


REACHED = [
    ("if q = 0 and 1/q > 1 then o <- 1 else o <- 0 end", "division by zero"),
    ("if 1/q > 1 and q = 5 then o <- 1 else o <- 0 end", "division by zero"),
    ("if q < 1 or a[q + 2] = 1 then o <- 1 else o <- 0 end", "outside a"),
    ("if q = 1 or x > 0 then o <- 1 else x <- 1; o <- 1 end", "read before it has a value"),
    ("o <- 0; if q = 1 then o <- 1/0 end", "division by zero"),
    ("o <- 0; if q = 1 then o <- 7 end", "not in the set"),
    ("o <- 0; if q = 1 then x <- a[5] end", "is outside a"),
    ("o <- 0; if q = 1 then y[0] <- 1 end", "is outside y"),
    ("o <- 0; if q = 1 then b <- flip(3) end", "exceeds 1"),
    ("x <- choose {1/q: 0, 0: 1}; o <- x", "division by zero"),
    ("b <- flip(1/2); o <- 1; if b then x <- mod(1, 0) end", "division by zero"),
    ("b <- flip((1 - exp(1 - eps))^2/9); o <- 1; if b then x <- 1/0 end", "division by zero"),
]


@pytest.mark.parametrize(("body", "why"), REACHED)
def test_what_some_path_reaches_is_evaluated(body: str, why: str) -> None:
    with pytest.raises(dipc.InputError, match=why):
        loaded(body, ARRAY).check()
    syntax = parse(Source("a.dip", ARRAY + body))
    if "flip(3)" in body:
        return  # the second evaluation asks for probabilities in a step of its own
    with pytest.raises(NotCovered):
        for given in all_inputs(syntax, {}):
            slow_distribution(syntax, given, {})


@pytest.mark.parametrize(
    "body",
    [
        "o <- 7 + q - q",
        "b <- flip(3); o <- 0",
        "x <- 0; y <- mod(1, x); o <- 0",
        "r <- Lap(eps, q); o <- disc(r, 0, 5)",
    ],
)
def test_a_program_without_meaning_is_not_proved(body: str) -> None:
    with pytest.raises(dipc.InputError):
        loaded(body).check()
    with pytest.raises(dipc.InputError):
        loaded(body).prove()


@pytest.mark.parametrize("dead", ["1 = 0", "N > 3", "q = 5"])
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("x <- 1 + true", "needs a number"),
        ("o <- bot", "unknown name"),
        ("x <- q[1]", "is not an array"),
        ("x <- a + 1", "needs an index"),
        ("x <- eps", "must not depend on eps"),
        ("r <- Lap(eps, 0); x <- r*r", "rule 4"),
        ("r <- Lap(eps, 0); o <- r", "rule 6"),
        ("while o = 0 do r <- Lap(eps, 0) end", "rule 2"),
        ("if q then x <- 1 end", "needs a Boolean"),
        ("x <- sum(i in 1..2: i = 1)", "needs a number"),
        ("b <- forall i in 1..2: i", "needs a Boolean"),
        ("for i in 1..q do x <- 1 end", "must be constants"),
        ("o <- true", "assigned a Boolean"),
        ("x <- 1; x <- true", "assigned a Boolean here, and a number"),
    ],
)
def test_names_kinds_and_sizes_are_checked_everywhere(dead: str, wrong: str, why: str) -> None:
    with pytest.raises(dipc.InputError, match=why):
        dipc.load(f"param N = 2; {ARRAY} o <- 0; if {dead} then {wrong} end").check()


def test_dead_code_may_be_about_cells_that_are_not_there() -> None:
    body = "o <- 0; for i in 1..3 do if i > 1 then o <- a[i - 1]^i end end"
    assert isinstance(loaded(body, ARRAY).check(), dipc.Violated)


# --- one type for every variable -----------------------------------------------------------------


MIXED = "a variable holds Booleans or numbers"
TYPES = {
    "if q = 0 then x <- true else x <- 1 end; o <- 0": MIXED,
    "b <- flip(1/2); if b then x <- 1 else x <- true end; o <- 0": MIXED,
    "x <- true; x <- 1; o <- 0": MIXED,
    "x <- choose {true: 1/2, 1: 1/2}; o <- 0": MIXED,
    "x <- uniform {true, 1}; o <- 0": MIXED,
    "x[1] <- true; x[2] <- 1; o <- 0": MIXED,
    "if q = 0 then x <- Lap(eps, 0) else x <- q > 0 end; o <- 0": MIXED,
    "if 1 = 0 then x <- true else x <- 1 end; o <- 0": MIXED,
    "y <- q > 0; x <- 1; for i in 1..2 do if q = i then x <- y end end; o <- 0": MIXED,
    "if q = 1 then x <- true else x <- 1 end; o <- Exp(eps/2, v in {0, 1}, x)": MIXED,
    "r <- true; o <- 0; if q = 5 then o <- Exp(eps/2, v in {0, 1}, v + r) end": r"`\+` needs a number",
    "o <- 0; if 1 = 0 then o <- Exp(eps/2, v in {0, 1}, true) end": "a score needs a number",
    "r <- Lap(eps, 0); o <- 0; if q = 5 then o <- Exp(eps, v in {0, 1}, r) end": "a score must not",
}


@pytest.mark.parametrize("body", TYPES)
@pytest.mark.parametrize("question", ["check", "prove", "budget"])
def test_types_do_not_depend_on_the_path(body: str, question: str) -> None:
    """Variables and scores, also where no path leads."""
    with pytest.raises(dipc.DipcError, match=TYPES[body]):
        getattr(loaded(body), question)()


PRIOR = """
param p in (0, 1); param N = 1; input q in {{0, 1}}; output o in {{0, 1}}; private ln(2)
prior
  c <- choose {{1: p, 0: 1 - p}}
  {}
  q <- c
end
secret q = 0 vs q = 1
o <- choose {{q: 2/3, 1 - q: 1/3}}
"""


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("if c = 1 then x <- true else x <- 1 end", MIXED),
        ("x <- choose {true: p, 1: 1 - p}", MIXED),
        ("if N > 3 then x <- true else x <- 1 end", MIXED),
        ("for i in 1..N - 1 do x <- true end; x <- 1", MIXED),
        ("x <- true; if N > 3 then y <- x + 1 end", "`\\+` needs a number"),
    ],
)
def test_types_in_priors(line: str, says: str) -> None:
    with pytest.raises(dipc.InputError, match=says):
        dipc.load(PRIOR.format(line)).pufferfish().check()
    right = "if c = 1 then x <- 2 else x <- 1 end; for i in 1..N - 1 do x <- i end"
    assert dipc.load(PRIOR.format(right)).pufferfish().check().status == "private"


def test_a_set_has_one_type() -> None:
    for head in (HEAD.replace("q in {0, 1}", "q in {0, true}"), HEAD.replace("{0, 1, 2}", "{0, false}")):
        with pytest.raises(dipc.InputError, match="mixes Booleans and numbers"):
            loaded("o <- 0", head)


def test_atoms_go_with_both() -> None:
    head = HEAD.replace("{0, 1, 2}", "{0, 1, none}")
    assert isinstance(
        loaded("o <- none; if q > 5 then o <- 1 end; x <- none; x <- 1", head).check(), dipc.Private
    )
    head = HEAD.replace("{0, 1, 2}", "{true, false, none}")
    assert isinstance(loaded("o <- none; if q > 5 then o <- true end", head).check(), dipc.Private)


def test_types_in_python() -> None:
    """Python says that True and 1 are equal, and so does what is read."""

    @dipc.mechanism(inputs="q in {0, 1}", outputs="o in {0, 1}", adjacent="all", private="eps")
    def mixed(q):  # type: ignore[no-untyped-def]
        x = True
        if q == 1:
            x = 1  # type: ignore[assignment]
        return 1 if x == 1 else 0

    for q in (0, 1):
        assert mixed(q) == 1
        assert mixed.distribution(q=q).of(1) == 1


# --- empty ranges ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("o <- 0; for i in 3..1 do o <- 1 end", 0),
        ("o <- sum(i in 3..1: 1)", 0),
        ("o <- count(i in 3..1: q = q)", 0),
        ("if forall i in 3..1: q > 5 then o <- 1 else o <- 0 end", 1),
        ("if exists i in 3..1: q = q then o <- 1 else o <- 0 end", 0),
        ("o <- 0; for i in N..1 do o <- 1 end", 0),
    ],
)
def test_an_empty_range_gets_a_note(body: str, value: int) -> None:
    mechanism = dipc.load(f"param N = 3; {HEAD}{body}")
    assert any(": note: " in said and "is empty" in said for said in mechanism.warnings)
    assert not any("warning" in said for said in mechanism.warnings)
    assert any("is empty" in note for note in mechanism.prove().notes)
    assert outcome(mechanism, q=0) == str(value)


@pytest.mark.parametrize("bounds", ["1..N - 1", "2..N", "1..3", "N..N"])
def test_a_range_that_is_empty_for_one_size_gets_none(bounds: str) -> None:
    for size in (1, 3):
        mechanism = dipc.load(f"param N = {size}; {HEAD} o <- 0; for i in {bounds} do o <- 1 end")
        assert not any("empty" in warning for warning in mechanism.warnings)


# --- arithmetic ------------------------------------------------------------------------------------

NUMBERS = [
    ("mod(-7, 3)", 2),
    ("mod(7, -3)", -2),
    ("mod(-7, -3)", -1),
    ("mod(7/2, 1)", Fraction(1, 2)),
    ("mod(-1/2, 3/4)", Fraction(1, 4)),
    ("mod(6, 3)", 0),
    ("mod(-6, 3)", 0),
    ("0^0", 1),
    ("0^2", 0),
    ("2^(-1)", Fraction(1, 2)),
    ("-2^2", -4),
    ("2^3^2", 512),
    ("floor(-1/2)", -1),
    ("ceil(-1/2)", 0),
]


@pytest.mark.parametrize(("term", "value"), NUMBERS)
def test_numbers(term: str, value: Fraction, tmp_path: Path) -> None:
    """Folded as a constant, evaluated with a variable, and a second time by the slow evaluator."""
    later = re.sub(r"(?<=[a-z]\()|(?<!\S)0(?=\^)", lambda found: f"x + {found[0]}", term).replace(
        "x + 0", "(x + 0)"
    )
    head = f"input q in {{0, 1}}; output o in {{{value}, 77}}; adjacent all; private eps; "
    for body in (f"o <- {term}", f"x <- q - q; o <- {later}", f"x <- 0; o <- {later}"):
        program, certificate = tmp_path / "a.dip", str(tmp_path / "a.json")
        program.write_text(head + body, encoding="utf-8")
        for q in (0, 1):
            assert outcome(dipc.load(head + body), q=q) == str(value)
        assert status(["check", str(program), "--quiet", "--certificate", certificate]) == 0
        assert status(["verify", certificate, "--program", str(program)]) == 0


def test_powers_in_probabilities_and_claims() -> None:
    laws = loaded("b <- flip(eps^0/2 + 0^0/4); if b then o <- 1 else o <- 0 end").distribution(q=0)
    assert sorted(map(str, laws.values())) == ["1/4", "3/4"]
    assert str(loaded("o <- 0").check("0^0*eps, 0*eps^0").claim)


@pytest.mark.parametrize("term", ["0^(-1)", "mod(1, 0)", "1/0", "mod(q, q - q)", "1/(q - q)", "(q - q)^(-1)"])
def test_a_division_by_zero_is_refused(term: str) -> None:
    with pytest.raises(dipc.InputError, match="division by zero"):
        loaded(f"x <- {term}; o <- 0").check()
