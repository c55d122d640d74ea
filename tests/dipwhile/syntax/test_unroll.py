"""Unrolling against hand-written loop-free twins, and jump targets against a tiny interpreter."""

from __future__ import annotations

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from dipc.dipwhile.syntax.ast import Index, Name, Number
from dipc.dipwhile.syntax.compile import compile_claim, read
from dipc.dipwhile.syntax.core import CoreProgram, Put, Test
from dipc.dipwhile.syntax.parser import parse_claim, parse_expression
from dipc.dipwhile.syntax.printer import show_expr
from dipc.dipwhile.syntax.simplify import simplify
from dipc.dipwhile.syntax.unroll import substitute
from dipc.dipwhile.syntax.walk import bottom_up, nodes, with_children
from dipc.errors import InputError, LimitReached, Source
from dipc.models.values import Atom

HEAD = "input q[3] in {0, 1, 2}\noutput o in {0, 1, 2, 3, 4} = 0\n"


def core(text: str, **overrides: int) -> CoreProgram:
    return read(Source("p.dip", text), {name: fmpq(value) for name, value in overrides.items()})


def test_parameters_and_overrides() -> None:
    text = "param N = 2, M = N + 1\ninput q[M] in {0, 1}\noutput o in {0, 1}\no <- q[N]"
    assert core(text).parameters == (("N", 2), ("M", 3))
    assert core(text, N=4).arrays == (("q", 5),)
    assert core(text, M=7).parameters == (("N", 2), ("M", 7))
    with pytest.raises(InputError, match="no parameter `K`") as caught:
        core(text, K=1)
    assert caught.value.span is None
    assert caught.value.hint == "known names: `M`, `N`"


def test_declarations() -> None:
    compiled = core(
        "param m = 1/2\ninput x in -1..1, y in {m, bot}\noutput o[2] in {true, false} = true\no[1] <- false"
    )
    x, y = compiled.inputs
    assert x.domain == (fmpq(-1), fmpq(0), fmpq(1))
    assert y.domain == (fmpq(1, 2), Atom("bot"))
    assert compiled.outputs[0].start == Atom("true")
    assert compiled.variables == {"x", "y", "o"}


def test_local_arrays_are_as_large_as_what_is_assigned() -> None:
    compiled = core(HEAD + "for i in 1..3 do a[i] <- q[i] end; x <- q[1]; o <- max(a)")
    assert dict(compiled.arrays) == {"q": 3, "a": 3}


def test_spans_survive() -> None:
    text = HEAD + "for i in 1..2 do\n  x <- q[i] + 1\nend"
    put = core(text).code[1]
    assert isinstance(put, Put)
    assert put.span.place == "p.dip:4:3"
    assert put.value.span.place == "p.dip:4:8"


def test_long_folds_are_shallow() -> None:
    compiled = core(
        "input q[3000] in {0, 1}\noutput o in {0, 1} = 0\nif forall i in 1..3000: q[i] = 0 then o <- 1 end"
    )
    test = compiled.code[0]
    assert isinstance(test, Test)
    assert depth(test) < 20
    assert hash(test.condition)


def depth(test: Test) -> int:
    return bottom_up(test.condition, lambda _, parts: 1 + max(parts, default=0))


@pytest.mark.parametrize(
    "body",
    ["for i in 1..3000 do o <- 1 end", "for i in 1..100 do for j in 1..100 do end end"],
)
def test_limits(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dipc.dipwhile.syntax.unroll.LIMIT", 2_000)
    with pytest.raises(LimitReached, match="gives more than 2000 statements"):
        core(HEAD + body)


# --- folding is arithmetic -------------------------------------------------------------------

NUMBERS = st.fractions(min_value=-5, max_value=5, max_denominator=4)


@settings(deadline=None)
@given(NUMBERS, NUMBERS, st.sampled_from(["+", "-", "*", "/", "<", "<=", "=", "!=", ">", ">="]))
def test_folding_agrees_with_python(left: object, right: object, op: str) -> None:
    folded = bottom_up(
        parse_expression(f"({left}) {op} ({right})"), lambda node, parts: simplify(with_children(node, parts))
    )
    if op == "/" and right == 0:
        assert not isinstance(folded, Number)
        return
    expected = eval(f"a {'==' if op == '=' else op} b", {"a": left, "b": right})
    if isinstance(expected, bool):
        assert folded == Name(str(expected).lower())
    else:
        assert folded == Number(fmpq(expected.numerator, expected.denominator))


def test_substitution_spares_primed_names() -> None:
    assert show_expr(substitute(parse_expression("q' + q"), {"q": fmpq(1)})) == "q' + 1"


# --- claims and adjacency --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "eps^2", "1/eps", "-eps", "exp(eps)", "x*eps", "eps + x", "eps, x", "eps, 1/0", "eps, -1/2",
        "eps for eps in [0, 1]", "eps for eps in (1, 1)", "eps for eps in (0, inf]",
        "eps for eps in (-1, 1)", "eps for eps in (0, eps)", "eps for eps in (2, 1)", "eps, eps < 1",
        "eps, 2^eps", "eps, max(1, 2, eps)", "eps, sum(i in 1..2: i)", "q[1]*eps", "q'*eps",
        "eps, exp(1, 2)", "eps, foo(1)",
    ],
)  # fmt: skip
def test_broken_claims(text: str) -> None:
    with pytest.raises(InputError):
        compile_claim(parse_claim(text), {})


def test_point_interval() -> None:
    claim = compile_claim(parse_claim("eps, exp(-2*eps)/N + (1 - eps)^2 for eps in [1, 1]"), {"N": fmpq(3)})
    assert (claim.budgets.low, claim.budgets.high) == (1, 1)


def test_formula_adjacency() -> None:
    compiled = core(
        "param N = 2, d = 1\ninput q[N] in {0, 1}\noutput o in {0, 1}\n"
        "adjacent forall i in 1..N: abs(q[i] - q'[i]) <= d\no <- 0"
    )
    assert compiled.adjacency is not None
    assert compiled.adjacency.formula is not None
    primed = [node for node in nodes(compiled.adjacency.formula) if isinstance(node, Index) and node.primed]
    assert len(primed) == 2
    assert show_expr(compiled.adjacency.formula) == "abs(q[1] - q'[1]) <= 1 and abs(q[2] - q'[2]) <= 1"
