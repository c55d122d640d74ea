"""Claims and values on the command line: what is wrong, where it is from, and how it is written."""

from __future__ import annotations

import pytest

from dipc.dipwhile.syntax.compile import compile_claim
from dipc.dipwhile.syntax.parser import parse_claim, parse_valuation
from dipc.errors import InputError


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "the claim has no epsilon", "for example `eps/2`"),
        ("()", "the claim has no epsilon", "for example `eps/2`"),
        ("(,)", "the claim has no epsilon", "for example `eps/2`"),
        (", 1/20", "the claim has no epsilon", "for example `eps/2`"),
        ("(eps, 1/20)", "a claim is written without brackets", "write `eps, 1/20`"),
        ("(2*eps, 1/20", "a claim is written without brackets", "write `2*eps, 1/20`"),
        ("(eps, )", "a claim is written without brackets", "write `eps/2, 1/100`"),
        (
            "(eps, 1/20) for eps in (0, 1]",
            "a claim is written without brackets",
            "write `eps, 1/20 for eps in (0, 1]`",
        ),
        ("eps 1/20", "expected `,` between epsilon and delta, found `1`", "write `eps, 1/20`"),
        ("eps exp(-2)", "expected `,` between epsilon and delta, found `exp`", "write `eps, exp(-2)`"),
        ("eps; 1/20", "expected `,` between epsilon and delta, found `;`", "write `eps, 1/20`"),
        ("4*ln 3/2, 1/20", "expected `(` after `ln`, found `3`", "write `ln(3/2)`"),
        ("ln exp(eps)", "expected `(` after `ln`, found `exp`", "for example `ln(2)`"),
        ("2 eps", "expected `*` before `eps`", "for a product write `2*eps`"),
        ("2eps", "expected `*` before `eps`", "for a product write `2*eps`"),
        ("private eps", "the claim begins with epsilon", "leave out the word: write `eps`"),
        ("private", "the claim begins with epsilon", "leave out the word: write `eps/2`"),
        ("eps,", "delta is missing after the comma", "write for example `eps/2, 1/100`"),
        ("epsilon = eps/2, delta = 1/20", "epsilon and delta have no names", "write `eps/2, 1/20`"),
        ("eps for eps >= 1/2", "expected an interval of eps", "write `for eps in [1/2, inf)`"),
        ("eps for eps <= 1", "expected an interval of eps", "write `for eps in (0, 1]`"),
        ("eps for eps < 0.5", "expected an interval of eps", "write `for eps in (0, 0.5)`"),
        ("eps for eps = 2", "expected an interval of eps", "write `for eps in [2, 2]`"),
        ("eps for eps in {1, 2}", "expected an interval of eps", "write `for eps in [1, 2]`"),
        ("epsilon/2", "the claim must not depend on `epsilon`", "did you mean `eps`?"),
        ("eps, 1/20)", "`)` has no opening bracket", "remove it"),
        ("eps extra", "found `extra`", "for example `eps/2`"),
    ],
)
def test_claims(text: str, message: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        compile_claim(parse_claim(text, "--claim"), {})
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert str(caught.value).startswith("--claim:1:")


def test_one_part_may_stand_in_brackets() -> None:
    assert parse_claim("(eps), (1/20)").delta is not None


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "write for example `q=[0,1]`"),
        ("q", "write for example `q=[0,1]`"),
        ("q=", "write for example `q=[0,1]`"),
        ("q=[]", "write for example `q=[0,1]`"),
        ("q=0,0", "write `q=[0,0]`"),
        ("q=-1 1/2", "write `q=[-1,1/2]`"),
        ("x=1, q=0,0", "write `q=[0,0]`"),
        ("q=0,0, x=1", "write `q=[0,0]`"),
        ("q=[0 0]", "write `q=[0,0]`"),
        ("q={0,1}", "write `q=[0,1]`"),
        ("q:[0,1]", "write `q=[0,1]`"),
        ("q=[0,]", "write `q=[0]`"),
        ("q==[0]", "write `q=[0]`"),
        ("[0,0]", "write `q=[0,0]`, with the name of the input"),
        ("0,0", "write `q=[0,0]`, with the name of the input"),
        ("q=[0,0] r=1", "separate the inputs by a comma: `q=[0,0], r=1`"),
        ("q=[0,0", "add `]` before the end of the text"),
        ("q=(0,0]", "write `)` instead"),
        ("q=eps", "write for example `q=[0,1]`"),
    ],
)
def test_values(text: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_valuation(text, "--pair (second)")
    assert hint in caught.value.hint
    assert str(caught.value).startswith("--pair (second):1:")
