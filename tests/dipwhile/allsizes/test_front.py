"""What `dipc prove` is asked: errors as `check` reports them, sizes, constants and the claim."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from flint import fmpq

from dipc.dipwhile.allsizes.question import finite_version, question
from dipc.dipwhile.pipeline import goal_of
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.parser import parse
from dipc.errors import FragmentError, InputError, Source, Unsupported
from dipc.models.values import Atom
from dipc.shipped import paths
from dipc.signs.eps_range import EpsRange

BROKEN = sorted((Path(__file__).parents[1] / "syntax" / "broken").glob("*.dip"))
ONLY_PROVE = {
    "reals_checked",
    "integers_checked",
    "interval_checked",
    "set_in_square_brackets",
    "output_reals_checked",
    "claim_all_sizes",
    "real_in_while",
}
"""Programs that `check` refuses only because they are for `prove`."""


def asked(text: str, overrides: Mapping[str, int] = {}) -> CoreProgram:
    source = Source("a.dip", text)
    return finite_version(parse(source), source, {name: fmpq(value) for name, value in overrides.items()})


def refused(text: str, overrides: Mapping[str, int] = {}) -> InputError:
    with pytest.raises(InputError) as caught:
        asked(text, overrides)
    return caught.value


def program(
    params: str = "N = 3",
    inputs: str = "q[N] in reals",
    outputs: str = "o in {0, 1}",
    claim: str = "eps",
    body: str = "o <- 0",
) -> str:
    return (
        f"param {params}\ninput {inputs}\noutput {outputs}\nadjacent linf 1\nprivate {claim}\n{body}\n"
    ).replace("private \n", "")


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_every_mistake_is_reported_as_check_does(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if path.stem in ONLY_PROVE:
        front_accepts = text if "adjacent" in text else f"adjacent hamming 1; {text}"
        assert asked(front_accepts).code
        return
    with pytest.raises(InputError) as ours:
        asked_file(path.name, text)
    with pytest.raises(InputError) as theirs:
        read(Source(path.name, text))
    assert str(ours.value) == str(theirs.value)


def asked_file(name: str, text: str) -> CoreProgram:
    source = Source(name, text)
    return finite_version(parse(source), source)


CHECKED = sorted(
    name
    for name, path in paths().items()
    if path.parent.name != "hidden_markov" and "expect: private" in path.read_text("utf-8")
)


def test_there_are_programs_for_check() -> None:
    assert len(CHECKED) >= 20


@pytest.mark.parametrize("name", CHECKED)
def test_the_finite_version_of_a_finite_program_is_that_of_check(name: str) -> None:
    source = Source(name, paths()[name].read_text(encoding="utf-8"))
    assert finite_version(parse(source), source) == read(source)


def test_a_program_must_say_which_inputs_are_neighbours() -> None:
    error = refused(program().replace("adjacent linf 1\n", ""))
    assert error.message == "a.dip: the program does not say which inputs are neighbours"
    assert error.hint == "add a line such as: adjacent linf 1"


@pytest.mark.parametrize(
    ("outputs", "body", "message"),
    [
        ("o in reals", "o <- true", "the output `o` is assigned a Boolean"),
        ("o in reals = bot", "o <- true", "the output `o` is assigned a Boolean"),
        ("o in reals", "o <- bot", "unknown name `bot`"),
        ("o in integers", "o <- Lap(eps, 0)", "the output `o` is assigned a real random variable"),
        ("o in {0, 1}", "o <- Lap(eps, 0)", "the output `o` is assigned a real random variable"),
        ("o in {0, 1}", "o <- 2", "the output `o` is assigned `2`, which is not in its set"),
        ("o in [0, 0]", "o <- 0", "the interval `[0, 0]` has no two values"),
    ],
)
def test_outputs(outputs: str, body: str, message: str) -> None:
    assert refused(program(outputs=outputs, body=body)).message == message


@pytest.mark.parametrize(
    ("outputs", "body"),
    [
        ("o in reals", "o <- Lap(eps, q[1])"),
        ("o in reals = bot", "if q[1] >= 0 then o <- 17 else o <- bot end"),
        ("o in reals", "x <- Lap(eps, 0); o <- 2*x - 1"),
        ("o in integers", "o <- DLap(eps, 0)"),
        ("o in [0, 1]", "o <- Lap(eps, 0)"),
        ("o in {0, 1} = 0", "b <- true; while b do r <- Lap(eps, q[1]); b <- r >= 0 end"),
    ],
)
def test_what_only_prove_takes(outputs: str, body: str) -> None:
    text = program(outputs=outputs, body=body)
    assert asked(text).code
    with pytest.raises(FragmentError, match="dipc prove"):
        read(Source("a.dip", text.replace("q[N] in reals", "q[N] in {0, 1}")))


def test_a_start_value_outside_of_the_numbers() -> None:
    (output,) = asked(program(outputs="o in reals = bot")).outputs
    assert output.start == Atom("bot")
    assert Atom("bot") in output.domain


# --- the finite version --------------------------------------------------------------------------


def domain(program: CoreProgram) -> tuple[object, ...]:
    return program.inputs[0].domain


def test_the_ends_of_an_interval_are_in_the_finite_version() -> None:
    found = asked(program(params="N = 2, H = 5/2", inputs="q[N] in [-1/2, H]"))
    assert domain(found) == (fmpq(-1, 2), fmpq(5, 2))
    assert len({*domain(asked(program()))}) > 1
    assert all(value.q == 1 for value in domain(asked(program(inputs="q[N] in integers"))))  # type: ignore[attr-defined]


# --- sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "overrides", "sizes", "constants"),
    [
        (program(), {}, ("N",), {}),
        (program(), {"N": 4}, (), {"N": 4}),
        (program(params="c = 2, N = 3"), {}, ("N",), {"c": 2}),
        (program(params="c = 2, N = 3*c"), {}, ("N",), {"c": 2}),
        (program(params="N = 3, M = N - 1"), {}, ("N",), {}),
        (program(params="N = 3, M = N - 1, K = M + 1, c = 1"), {}, ("N",), {"c": 1}),
        (program(params="N = 3, M = N - 1"), {"N": 5}, (), {"N": 5, "M": 4}),
        (program(params="N = 3, M = N - 1"), {"M": 7}, ("N",), {"M": 7}),
        (program(params="N = 3, M = N - 1", inputs="q[N] in reals, p[M] in reals"), {}, ("N",), {}),
        (program(params="N = 3, M = 2", inputs="q[N] in reals, p[M] in reals"), {}, ("N", "M"), {}),
        (
            program(params="N = 3, M = 2", inputs="q[N] in reals, p[M] in reals", claim="eps for all M"),
            {},
            ("M",),
            {"N": 3},
        ),
        (program(inputs="q[2*N] in reals"), {}, (), {"N": 3}),
        (program(inputs="q in reals", outputs="o[N] in {0, 1} = 0", body="o[1] <- 0"), {}, (), {"N": 3}),
        (program(inputs="q[N] in {0, 1}"), {}, ("N",), {}),
        (program(claim="eps for all N"), {}, ("N",), {}),
        (program(claim="eps for all N"), {"N": 4}, (), {"N": 4}),
        (program(claim=""), {}, ("N",), {}),
    ],
)
def test_sizes(
    text: str, overrides: dict[str, int], sizes: tuple[str, ...], constants: dict[str, int]
) -> None:
    numbers = {name: fmpq(value) for name, value in overrides.items()}
    found = question(Source("a.dip", text), numbers, needs_claim=False)
    assert found.sizes == sizes
    assert found.constants == constants


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (program(claim="eps for all n"), "`n` is not the size of an input array", "did you mean `N`?"),
        (program(claim="eps for all M"), "`M` is not the size of an input array", "write `for all N`"),
        (
            program(params="N = 3, M = N", claim="eps for all M"),
            "`M` is computed from other parameters",
            "write `for all N`",
        ),
        (
            program(inputs="q in reals", claim="eps for all N"),
            "`N` is not the size of an input array",
            "declare an array with a parameter for its size: `param N = 3; input q[N] in reals`",
        ),
    ],
)
def test_a_claim_for_all_of_something_else(text: str, message: str, hint: str) -> None:
    error = refused(text)
    assert (error.message, error.hint) == (message, hint)
    assert error.span is not None
    assert error.span.line == 5


# --- the claim -----------------------------------------------------------------------------------


def test_the_claim() -> None:
    claim = asked(program(params="N = 3, c = 2", claim="3*eps/c, 1/10 for eps in (0, 1] for all N")).claim
    assert claim is not None
    goal = goal_of(claim)
    assert (goal.t, str(goal.delta)) == (fmpq(3, 2), "1/10")
    assert goal.budgets == EpsRange(fmpq(0), fmpq(1), False, True)
    assert asked(program(claim="")).claim is None


def test_a_claim_that_is_a_number() -> None:
    with pytest.raises(InputError, match=r"`dipc prove` follows claims whose epsilon is a multiple of eps"):
        question(Source("a.dip", program(claim="ln(2)")), {})


@pytest.mark.parametrize("claim", ["N*eps", "eps, 1/N", "eps for eps in (0, N)", "N*eps for all N", "M*eps"])
def test_a_claim_that_changes_with_the_size(claim: str) -> None:
    text = program(params="N = 3, M = N", claim=claim)
    assert isinstance(refused(text), Unsupported)
    assert asked(text, {"N": 3, "M": 3}).claim is not None


def test_the_sizes_of_another_claim_are_those_of_the_program() -> None:
    """Unless it names some itself."""
    text = "param N = 2, M = 2; input q[N] in {0, 1}, p[M] in {0, 1}; output o in {0}; adjacent all"
    source = Source("a.dip", f"{text}; private eps for all N, M; o <- 0")
    for claim, sizes in (("2*eps", ("N", "M")), ("2*eps for all N", ("N",))):
        made = question(source, {}, claim).program.claim
        assert made is not None and tuple(size.name for size in made.sizes) == sizes
