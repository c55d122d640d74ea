"""DRN: what is written is read back as the same model, and Storm reads the same; messages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import many
from flint import fmpq
from hypothesis import given, settings
from patience import quickest

from dipc.dpctl.model import MDP, MarkovChain, MarkovModel, amounts, load_model
from dipc.errors import InputError, LimitReached, Source
from dipc.export.markov import drn, prism
from dipc.models.chain import MarkovChain as Chain
from dipc.models.chain import Mdp, Model
from dipc.models.drn import REWARDS, read_drn
from dipc.models.reading import ModelFile, number_from_text
from dipc.numbers.quotient import Quotient
from tests.export_tools import run, tool
from tests.models.random_models import models
from tests.models.test_dpm import with_sets

COIN = """// an unfair coin
@type: DTMC
@value_type: rational
@parameters

@reward_models

@nr_states
3
@nr_choices
3
@model
state 0 init start
	action 0
		1 : 1/3
		2 : 2/3
state 1 heads "the end"
	action 0
		1 : 1
state 2 tails "the end"
	action 0
		2 : 1
"""


def read(text: str, **parameters: str) -> ModelFile:
    return read_drn(Source("a.drn", text), amounts(parameters))


def ascending(model: Model) -> Model:
    """The start states in the order of the states: DRN has a set of them."""
    return replace(model, start=tuple(sorted(model.start)))


def test_a_chain() -> None:
    model = read(COIN).model
    assert isinstance(model, Chain)
    assert model.names == ("0", "1", "2") and model.start == (0,) and model.neighbours == ()
    assert model.rows == (((1, fmpq(1, 3)), (2, fmpq(2, 3))), ((1, fmpq(1)),), ((2, fmpq(1)),))
    assert model.labels == {
        "start": frozenset({0}),
        "heads": frozenset({1}),
        "tails": frozenset({2}),
        "the end": frozenset({1, 2}),
    }


@settings(max_examples=many(35, campaign=3000), deadline=None)
@given(models())
def test_the_round_trip_is_exact(model: MarkovModel) -> None:
    assert with_sets(read(drn(model.model)).model) == with_sets(ascending(model.model))


@settings(max_examples=many(20, campaign=1000), deadline=None)
@given(models())
def test_writing_what_was_read_gives_the_same_text(model: MarkovModel) -> None:
    text = drn(model.model)
    assert drn(read(text).model) == text


PARAMETRIC = """@type: DTMC
@value_type: parametric
@parameters
z
@placeholders
$0 : (z)/(z+1)
$half : 1/2
@nr_states
2
@model
state 0 [1, 2] init // two rewards
	action 0 [3]
		0 : $0
		1 : 1/(z+1)
state 1
	action 0
		0 : $half
		1 : 0.5
"""


def test_parameters_placeholders_and_rewards() -> None:
    found = read(PARAMETRIC, z="exp(eps)")
    p = number_from_text("exp(eps)/(1 + exp(eps))")
    assert found.model.rows == (
        ((0, p), (1, 1 - p)),
        ((0, Quotient.of(fmpq(1, 2))), (1, Quotient.of(fmpq(1, 2)))),
    )
    assert found.notes == (REWARDS,) and found.model.labels == {}
    assert read(f"// z = 3\n{PARAMETRIC}").model.rows[0] == ((0, fmpq(3, 4)), (1, fmpq(1, 4)))
    assert read(f"// z = 3\n{PARAMETRIC}", z="1").model.rows[0] == ((0, fmpq(1, 2)), (1, fmpq(1, 2)))
    assert read(PARAMETRIC.replace("\nz\n", "\nz eps\n").replace("0.5", "1/2 + eps - eps"), z="1").notes


def test_neighbours_are_comments() -> None:
    model = read(f"// neighbours 2 ~ 1 ~ 1\n//neighbors 0 ~ 2,1 ~ 2\n{COIN}").model
    assert model.neighbours == ((1, 2), (0, 2)) and model.start == (0,)
    assert read(f"// neighbours 2 ~ 1\n{COIN.replace(' init', '')}").model.start == (1, 2)
    assert read(COIN.replace(" init", "")).model.start == (0, 1, 2)


MOVES = """@type: MDP
@value_type: rational
@nr_states
2
@nr_choices
3
@model
state 0
	action L
		1 : 1
	action __NOLABEL__
		0 : 1
state 1
	action 1
		0 : 1/4
		1 : 3/4
"""


def test_actions_are_matched_by_name_and_missing_ones_lead_nowhere() -> None:
    model = read(MOVES).model
    assert isinstance(model, Mdp)
    assert (model.actions, model.names) == (("L", "1"), ("0", "1", "†"))
    assert model.rows[0] == (((1, fmpq(1)),), ((0, fmpq(1)),))
    assert model.rows[1] == (((2, fmpq(1)),), ((0, fmpq(1, 4)), (1, fmpq(3, 4))))
    assert model.rows[2] == (((2, fmpq(1)),),) * 2 and model.start == (0, 1)


OF_STORM = """// Exported by storm
// Original model type: MDP
@type: MDP
@value_type: parametric
@parameters
z\x20
@placeholders
$1 : (1)/(z+1)
$0 : (z)/(z+1)
@reward_models
cost\x20
@nr_states
3
@nr_choices
4
@model
state 0 [2] init
	action 0 [1]
		1 : $0
		2 : $1
	action 1 [0]
		0 : 1/3
		2 : 2/3
state 1 [0] end goal
	action 0 [0]
		1 : 1
state 2 [0] end
	action 0 [0]
		2 : 1

"""


def test_a_file_that_storm_wrote() -> None:
    found = read(OF_STORM, z="exp(eps)")
    p = number_from_text("exp(eps)/(1 + exp(eps))")
    assert isinstance(found.model, Mdp) and found.notes == (REWARDS,)
    assert found.model.labels == {"end": frozenset({1, 2}), "goal": frozenset({1})}
    assert found.model.rows[0][0] == ((1, p), (2, 1 - p)) and found.model.start == (0,)
    assert found.model.rows[1] == (((1, Quotient.one()),), ((3, Quotient.one()),))


@pytest.mark.parametrize(
    ("old", "new", "message", "under"),
    [
        ("DTMC", "CTMC", "models of the type CTMC are not supported", "CTMC"),
        ("rational", "double", "numbers of the type double are not exact", "double"),
        ("1/3", "1/4", "the probabilities of `0` sum to 11/12, not to 1", "action 0"),
        ("1/3", "-1/3", "the probability -1/3 of `0 -> 1` is negative", "1 : -1/3"),
        ("2 : 1\n", "2 : 3/2\n", "the probability 3/2 of `2 -> 2` is above 1", "2 : 3/2"),
        ("1/3", "z", "no number is called `z`", "z"),
        ("1/3", "1/", "the text ends too early", ""),
        ("1/3", "1/0", "division by zero", "1/0"),
        ("1/3", "$1", "there is no placeholder $1", "$1"),
        ("1 : 1/3", "7 : 1/3", "there is no state 7: @nr_states is 3", "7"),
        ("2 : 2/3", "1 : 2/3", "`1` is given twice as a target of `0`", "1 : 2/3"),
        ("@parameters\n", "@parameters\ny", "the parameter `y` has no value", "y"),
        ("@nr_choices\n3", "@nr_choices\n4", "the model has 3 choices, not 4", "4"),
        ("@nr_states\n3", "@nr_states\n2", "there is no state 2: @nr_states is 2", "2"),
        ("@nr_states\n3", "@nr_states\n4", "the file ends after 3 of 4 states", 'state 2 tails "the end"'),
        ("@nr_states\n3", "@nr_states\nthree", "`three` is not a number of states", "three"),
        ("@nr_states\n3", "@nr_states\n", "@nr_states is missing above @model", "@model"),
        ("@nr_states\n3", "@nr_states\n0", "the model has no states", "0"),
        ("@type: DTMC\n", "", "@type is missing above @model", "@model"),
        ("state 1", "state 2", "state 1 is expected here, not state 2", "2"),
        ("state 1", "state one", "this line is not expected here", None),
        ("\taction 0\n\t\t2 : 1", "", "state 2 has no action", 'state 2 tails "the end"'),
        (
            "\taction 0\n\t\t2 : 1",
            "\taction 0",
            "the probabilities of `2` sum to 0, not to 1",
            "action 0",
        ),
        ("\taction 0\n\t\t2 : 1", "\t\t2 : 1", "a transition belongs to an action of a state", "2 : 1"),
        (
            "\taction 0\n\t\t2",
            "\taction 0\n\t\t2 : 1\n\taction 0\n\t\t2",
            "state 2 has the action `0` twice",
            None,
        ),
        ("heads", "2", "`2` is a state, and a state is a proposition of its own", "2"),
        ("// an", "// neighbours 0 ~ 3\n// an", "there is no state 3: @nr_states is 3", "3"),
        ("// an", "// neighbours 0 - 1 //", "neighbours are written `0 ~ 1, 2 ~ 3`", None),
        ("// an unfair coin", "// names a, b", "3 states have 2 different names", "a, b"),
        ("// an unfair coin", "// names a, a, b", "3 states have 2 different names", "a, a, b"),
        ("// an unfair coin", "// names †, b, c", "the state † must be the last one, with a loop", "†, b, c"),
        ("// an unfair coin\n@type: DTMC", "plus -> {yes: 1}", "this is not a DRN file", "plus -> {yes: 1}"),
    ],
)
def test_messages(old: str, new: str, message: str, under: str | None) -> None:
    assert old in COIN
    with pytest.raises(InputError) as caught:
        read(COIN.replace(old, new, 1))
    assert caught.value.message == message
    span = caught.value.span
    assert span is not None and span.source.name == "a.drn"
    if under is not None:
        assert span.source.text[span.start : span.end] == under


def test_a_chain_has_one_action() -> None:
    with pytest.raises(InputError, match="state 0 of a chain has more than one action"):
        read(MOVES.replace("MDP", "DTMC"))


@pytest.mark.parametrize("lines", range(COIN.count("\n")))
def test_a_truncated_file_is_refused(lines: int) -> None:
    """Cut after any line; at the last state's row the sum is what is missing."""
    with pytest.raises(InputError):
        read("".join(COIN.splitlines(keepends=True)[:lines]))


def test_unknown_parameters_and_sizes() -> None:
    with pytest.raises(InputError, match="`y` is not a parameter of the model"):
        read(COIN, y="1")
    with pytest.raises(InputError, match="`eps` is not a parameter of the model"):
        read(PARAMETRIC.replace("\nz\n", "\nz eps\n"), z="1", eps="1")
    with pytest.raises(LimitReached, match="more than 1000000 states"):
        read(COIN.replace("@nr_states\n3", "@nr_states\n1000001"))
    with pytest.raises(InputError, match="`init` has a meaning of its own"):
        drn(MarkovChain({"a": "a"}, labels={"init": ["a"]}).model)


def test_reading_takes_linear_time() -> None:
    def seconds(length: int) -> float:
        rows = {f"s{s}": {f"s{(s + 1) % length}": "1/3", f"s{s // 2}": "2/3"} for s in range(2, length)}
        text = drn(MarkovChain({"s0": "s0", "s1": "s2"} | rows).model)
        assert len(read(text).model.names) == length
        return quickest(lambda: read(text))

    assert seconds(6_000) < 60 * seconds(300) + 1


def test_load_model_reads_drn(tmp_path: Path) -> None:
    file = tmp_path / "coin.drn"
    file.write_text(PARAMETRIC, encoding="utf-8")
    model = load_model(file, {"z": "exp(eps)"})
    assert model.notes == (REWARDS,)
    assert model.value("P=? (X 1)".replace("1", '"1"'))["0"] == number_from_text("1/(1 + exp(eps))")


# --- Storm ---------------------------------------------------------------------------------------

CHAINS = (
    MarkovChain(
        {
            "a": {"a": "exp(-eps)/2", "b": "1/2", "c": "(1 - exp(-eps))/2"},
            "b": {"a": "1/3", "c": "2/3"},
            "c": "c",
        },
        labels={"out = 1": ["b"], "goal": ["c"]},
        start=["a", "b"],
    ),
    MarkovChain({"a": {"a": "1/2", "b": "1/3", "d": "1/6"}}, labels={"goal": ["b"], "x": ["a", "d"]}),
)


@pytest.mark.export
@pytest.mark.parametrize("language", ["drn", "pm"])
@pytest.mark.parametrize("model", CHAINS)
def test_storm_reads_the_same_chain(model: MarkovModel, language: str, tmp_path: Path) -> None:
    python, file = tool("stormpy"), tmp_path / f"model.{language}"
    file.write_text((drn if language == "drn" else prism)(model.model), encoding="utf-8")
    (found,) = storm(python, file, 'P=? [F "goal"]')
    values = model.value("P=? (F goal)")
    wanted = [values[name] for name in values.values]
    numbers = [number_from_text(text.replace("z", "exp(eps)")) for text in found]
    if language == "pm":  # Storm has an order of its own for these
        wanted, numbers = sorted(wanted, key=str), sorted(numbers, key=str)
    assert numbers == wanted


@pytest.mark.export
@pytest.mark.parametrize("language", ["drn", "pm"])
def test_storm_reads_the_same_decision_process(language: str, tmp_path: Path) -> None:
    rows = {("a", "go on"): {"b": "1/3", "a": "2/3"}, ("a", "s"): {"c": "3/4", "b": "1/4"}, ("b", "s"): "b"}
    model = MDP(rows, labels={"goal": ["b"]}, start=["a"]).model
    python, file = tool("stormpy"), tmp_path / f"model.{language}"
    file.write_text((drn if language == "drn" else prism)(model), encoding="utf-8")
    assert storm(python, file, 'Pmax=? [F "goal"]', 'Pmin=? [F "goal"]') == [["1"], ["1/4"]]


def storm(python: str, file: Path, *formulas: str) -> list[list[str]]:
    done = run([python, str(Path(__file__).with_name("run_storm_values.py")), str(file), *formulas])
    assert done.returncode == 0, done.stderr
    answers: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
    return answers
