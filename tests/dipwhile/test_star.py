"""Programs as Markov models: the star agrees with what `dipc check` decides by another way."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from campaigns import CAMPAIGN
from flint import fmpq
from hypothesis import given, settings

import dipc
from dipc.clock import Clock, limits
from dipc.dipwhile.star import BOTH_WAYS, NO_ADJACENCY, star_of
from dipc.dipwhile.syntax.compile import read
from dipc.dipwhile.syntax.core import CoreProgram
from dipc.dipwhile.syntax.parser import parse
from dipc.dpctl.model import ProgramModel, load_model
from dipc.errors import InputError, LimitReached, Source, Unsupported
from dipc.models.chain import MarkovChain
from dipc.models.values import Valuation, show, show_valuation
from dipc.numbers.quotient import Quotient
from tests import oracles
from tests.strategies import discrete_programs

SHIPPED = {
    "rand1": {}, "rand2": {}, "kary": {}, "kary_wrong": {}, "warner": {}, "retry": {}, "svt1": {"N": "1"},
    "svt4": {"N": "2"}, "nmax1": {"N": "2"}, "truncated_geometric": {},
}  # fmt: skip


def load(name: str) -> ProgramModel:
    found = load_model(name, SHIPPED[name])
    assert isinstance(found, ProgramModel)
    return found


def model_of(text: str) -> ProgramModel:
    return ProgramModel(star_of(read(Source("a.dip", text)), Clock()), "a.dip")


def said(output: Valuation) -> str:
    """The output as a Boolean expression over cells."""
    cells = (
        [f"{name}[{i}] = {show(v)}" for i, v in enumerate(value, 1)]
        if isinstance(value, tuple)
        else [f"{name} = {show(value)}"]
        for name, value in output
    )
    return " and ".join(cell for each in cells for cell in each)


def outcomes(program: CoreProgram) -> list[Valuation]:
    """Everything that the sets of the outputs allow, whether it has a probability or not."""
    shapes = [
        [tuple(values) if x.size is not None else values[0] for values in product(*[x.domain] * len(x.cells))]
        for x in program.outputs
    ]
    return [tuple(zip([x.name for x in program.outputs], each, strict=True)) for each in product(*shapes)]


def holds(model: ProgramModel, sets: list[tuple[Valuation, ...]], slope: str, delta: str, where: str) -> bool:
    """Whether D holds for every one of these sets of outputs."""
    parts = [" or ".join(f"({said(output)})" for output in each) for each in sets]
    bodies = [f'D[{slope}*eps, {delta}](X "{part}") for eps in {where}' for part in parts]
    return all(model.check(body).status == "holds" for body in bodies)


def agree(model: ProgramModel, program: dipc.Mechanism, slope: str, delta: str, where: str) -> bool:
    """Decide one claim by the model, for every output or set of outputs, and by the decision for programs."""
    outputs = outcomes(program.program)
    most = len(outputs) if delta != "0" else 1
    sets = [each for size in range(1, most + 1) for each in combinations(outputs, size)]
    found = holds(model, sets, slope, delta, where)
    assert found is (program.check(f"{slope}*eps, {delta} for eps in {where}").status == "private")
    return found


@pytest.mark.parametrize("slope", ["1/2", "1", "2"])
@pytest.mark.parametrize("name", SHIPPED)
def test_every_output_of_a_shipped_program_agrees_with_check(name: str, slope: str) -> None:
    agree(load(name), dipc.load(name, **SHIPPED[name]), slope, "0", "(0, 1)")


def test_every_set_of_outputs_agrees_with_check() -> None:
    found = {
        (name, delta): agree(load(name), dipc.load(name, **SHIPPED[name]), "1/2", delta, "(0, 1)")
        for name in ("rand1", "warner", "nmax1", "svt4")
        for delta in ("1/10", "1/2")
        if (name, delta) != ("rand1", "1/2") or CAMPAIGN
    }
    assert set(found.values()) == {True, False}


@settings(max_examples=25, deadline=None)
@given(discrete_programs())
def test_the_star_of_a_random_program(text: str) -> None:
    source = Source("a.dip", text)
    try:
        program, star = dipc.load(text), star_of(read(source), Clock())
    except Unsupported:
        return
    tree, model = parse(source), star.model
    assert isinstance(model, MarkovChain)
    inputs = oracles.all_inputs(tree)
    assert [dict(model.labels), len(model.start)] == [{}, len(inputs)]
    for place, values in enumerate(inputs):
        law = program.distribution(**values)
        row = {model.names[t]: Quotient.of(p) if isinstance(p, fmpq) else p for t, p in model.rows[place]}
        assert row == {show_valuation(output): p for output, p in law.items()}
    wanted = {
        (u, v) for u, v in combinations(range(len(inputs)), 2) if oracles.adjacent(tree, inputs[u], inputs[v])
    }
    assert set(model.neighbours) == wanted and len(model.neighbours) == len(wanted)
    assert all(model.rows[s] == ((s, 1),) for s in range(len(inputs), len(model.names)))


@pytest.mark.parametrize(
    "adjacency",
    ["linf 1", "linf 2", "l1 1", "l1 2", "hamming 1", "hamming 2", "all", "q[1] < q'[1] and q[2] = q'[2]"],
)
def test_neighbours_are_the_adjacent_inputs(adjacency: str) -> None:
    """The slow twin tries all pairs by the reading of the checker of certificates."""
    text = f"input q[3] in {{-1, 0, 1}}; output o in {{0, 1}}; adjacent {adjacency}; o <- 1"
    tree, star = parse(Source("a.dip", text)), star_of(read(Source("a.dip", text)), Clock())
    inputs = oracles.all_inputs(tree)
    pairs = combinations(range(len(inputs)), 2)
    wanted = {(u, v) for u, v in pairs if oracles.adjacent(tree, inputs[u], inputs[v])}
    assert set(star.model.neighbours) == wanted and len(star.model.neighbours) == len(wanted) > 0


SMALL = """param N = 2
input q[N] in {-1, 0, 1};  input flag in {true, false}
output out[N] in {bot, top};  output n in {0, 1}
adjacent (exists i in 1..N: q[i] < q'[i]) and flag = flag'
for i in 1..N do if q[i] > 0 then out[i] <- choose {bot: 1/3, top: 2/3} else out[i] <- bot end end
n <- 0; if flag then n <- 1 end
"""


def test_states_and_notes() -> None:
    model = model_of(SMALL)
    names = model.model.names
    assert names[0] == "q=[-1, -1], flag=true" and names[-1] == "out=[top, top], n=1"
    assert model.check("P=1 (X true)").notes == (BOTH_WAYS,)
    assert model.model.start == tuple(range(18))
    silent = model_of("output o in {0, 1}; c <- flip(1/2); if c then o <- 1 else o <- 0 end")
    assert silent.notes == (NO_ADJACENCY,) and silent.model.names == ("start", "o=0", "o=1")
    assert silent.value('P=? (X "o = 1")')["start"] == Quotient.of(fmpq(1, 2))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("out[1] = top", {"top, bot", "top, top"}),
        ("out[N] != top and n >= 0", {"bot, bot", "top, bot"}),
        ("out = [bot, top]", {"bot, top"}),
        ("out != [bot, top]", {"bot, bot", "top, bot", "top, top"}),
        ("not out=[ top ,top ] or n = 7", {"bot, bot", "bot, top", "top, bot"}),
        ("exists i in 1..N: out[i] = top", {"bot, top", "top, bot", "top, top"}),
        ("false", set()),
        ("2*n + 1 < n", set()),
    ],
)
def test_propositions(text: str, wanted: set[str]) -> None:
    model = model_of(SMALL)
    assert model.property(f'P>0 (F "{text}")')
    found = model.model.states_of(text)
    assert found is not None
    assert {model.model.names[s] for s in found} == {f"out=[{o}], n={n}" for o in wanted for n in (0, 1)}


@pytest.mark.parametrize(
    ("text", "message", "under"),
    [
        ("q[1] = 0", "`q` is not an output", "q[1]"),
        ("flag", "`flag` is not an output", "flag"),
        ("out[1] = topp", "unknown name `topp`", "topp"),
        ("out[3] = top", "`out[3]` does not exist", "out[3]"),
        ("out[1] = ", "expected a number or a name, found the end of the text", ""),
        ("n", "a proposition needs a Boolean, but `n` is a number", "n"),
        ("out = top", "`out` is an array: its cells are compared one by one", "out = top"),
        ("out = [top]", "`out` has 2 cells, but it is compared with 1 values", '"out = [top]"'),
        ("n = [1]", "`n` is not an array of the outputs", '"n = [1]"'),
        ("out = [top, q]", "`q` is not an output", '"out = [top, q]"'),
        ("n = eps", "`eps` is not allowed here: what a program computes must not depend on eps", "eps"),
    ],
)
def test_messages_point_into_the_formula(text: str, message: str, under: str) -> None:
    with pytest.raises(InputError) as caught:
        model_of(SMALL).check(f'true & P>0 (F "{text}")')
    error = caught.value
    assert error.message == message
    assert error.span is not None
    assert error.span.source.text[error.span.start : error.span.end] == under
    if not under.startswith('"'):
        assert error.span.start >= 14  # inside the quotes


def test_a_proposition_with_a_variable_of_forall() -> None:
    assert load("svt4").check('forall i in 1..2: P<1 (F "out[{i}] = top")').status == "holds"
    with pytest.raises(InputError, match=r"out\[3\]"):
        load("svt4").check('forall i in 1..3: P<1 (F "out[{i}] = top")')


def test_the_range_of_eps_is_that_of_the_formula() -> None:
    rand2 = load_model("rand2", {"N": "1"})  # with the probability (1 - eps)/2
    assert rand2.check('P>0 (X "out[1] = true") for eps in (0, 1)').status == "holds"
    assert rand2.check('P>0 (X "out[1] = true") for eps in (0, 1]').status == "fails"
    with pytest.raises(InputError, match=r"negative|exceeds 1"):
        rand2.check('P>0 (X "out[1] = true")')


def test_too_many_inputs_are_a_limit() -> None:
    with pytest.raises(LimitReached, match="1048576 inputs, but at most 1000000 states"):
        load_model("rand1", {"N": "20"})


def test_a_time_limit_ends_the_construction() -> None:
    with limits(seconds=0), pytest.raises(LimitReached, match="time limit"):
        load_model("svt1", {"N": "8"})
