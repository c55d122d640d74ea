"""``dipc model show`` and ``dipc model export``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from answers import contents
from click.testing import CliRunner

from dipc.dpctl.commands.files import export, show
from dipc.dpctl.commands.pages import plot, report
from dipc.errors import InputError, LimitReached, Source
from dipc.models.drn import read_drn
from dipc.models.reading import read_model
from tests.models.test_dpm import with_sets

SURVEY = """chain
plus  -> {yes: 3/4, no: 1/4}
minus -> {yes: exp(-eps)/4, no: 1 - exp(-eps)/4}
final yes, no
label out_1 = {yes}; label never = {}
neighbours plus ~ minus
"""


@pytest.fixture
def survey(tmp_path: Path) -> str:
    file = tmp_path / "survey.dpm"
    file.write_text(SURVEY, encoding="utf-8")
    return str(file)


def output(command: click.Command, *arguments: str) -> str:
    result = CliRunner().invoke(command, list(arguments), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert result.return_value == 0
    return result.stdout


def test_show(survey: str) -> None:
    assert output(show, survey).splitlines() == [
        f"model        {survey}  (Markov chain, 5 states, 1 pair of neighbours)",
        "start        plus, minus",
        "label out_1  yes",
        "label never  no state",
        "neighbours   plus ~ minus",
        "plus         -> yes: 3/4, no: 1/4",
        "minus        -> yes: exp(-ε)/4, no: (4 - exp(-ε))/4",
        "yes          final",
        "no           final",
    ]


def test_show_as_json(survey: str) -> None:
    found: dict[str, Any] = contents(output(show, survey, "--json"))
    states = found.pop("states")
    assert found == {
        "model": survey,
        "kind": "chain",
        "start": ["plus", "minus"],
        "labels": {"out_1": ["yes"], "never": []},
        "neighbours": [["plus", "minus"]],
    }
    assert states[0] == {"state": "plus", "labels": [], "transitions": {"yes": "3/4", "no": "1/4"}}
    assert states[2] == {"state": "yes", "labels": ["out_1"], "transitions": {"†": "1"}}
    assert [state["state"] for state in states] == ["plus", "minus", "yes", "no", "†"]


@pytest.mark.parametrize(("to", "read"), [("dpm", read_model), ("drn", read_drn)])
def test_export_is_read_back(survey: str, to: str, read: Any, tmp_path: Path) -> None:
    target = tmp_path / f"out.{to}"
    assert output(export, survey, "--to", to, "-o", str(target)) == ""
    text = target.read_text(encoding="utf-8")
    assert with_sets(read(Source("a", text)).model) == with_sets(read_model(Source("a", SURVEY)).model)
    assert output(export, str(target), "--to", to) == text


def test_neighbours_and_numbers(tmp_path: Path) -> None:
    file = tmp_path / "a.drn"
    text = "@type: DTMC\n@value_type: parametric\n@parameters\nz\n@nr_states\n2\n@model\n"
    file.write_text(
        text + "state 0 [1]\naction 0\n0 : 1/z\n1 : 1-1/z\nstate 1\naction 0\n1 : 1\n", encoding="utf-8"
    )
    found = CliRunner().invoke(
        show, [str(file), "-D", "z=exp(eps)", "--neighbours", '"0" ~ "1"'], standalone_mode=False
    )
    assert "neighbours  0 ~ 1" in found.stdout and "0           -> 0: exp(-ε), 1: 1 - exp(-ε)" in found.stdout
    assert found.stderr.endswith("note: rewards were skipped: formulas do not speak of them\n")
    with pytest.raises(InputError, match="the parameter `z` has no value"):
        output(show, str(file))


def test_the_model_is_not_overwritten(survey: str) -> None:
    with pytest.raises(InputError, match="this is the program itself"):
        output(export, survey, "--to", "drn", "-o", survey)
    assert Path(survey).read_text(encoding="utf-8") == SURVEY


def test_plot_and_report_take_a_model_and_a_formula(survey: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure, page = tmp_path / "a.svg", tmp_path / "a.html"
    question = ("--formula", "D[eps, 0](X out_1)")
    assert output(plot, survey, *question, "-o", str(figure), "--to", "3") == f"wrote {figure}\n"
    assert "<svg" in figure.read_text(encoding="utf-8")
    assert output(report, survey, *question, "-o", str(page), "--title", "Survey") == f"wrote {page}\n"
    assert "<title>Survey: fails</title>" in page.read_text(encoding="utf-8")
    output(report, survey, "--formula", "P>=3/4 (X out_1) from plus", "-o", str(page), "--at", "5")
    assert ": holds</title>" in page.read_text(encoding="utf-8")
    with pytest.raises(click.UsageError, match="--claim"):
        output(report, survey, *question, "--claim", "eps")
    with pytest.raises(click.UsageError, match="--what"):
        output(plot, survey, *question, "--what", "loss")
    with pytest.raises(InputError, match="no label or state `out_2`"):
        output(plot, survey, "--formula", "P>0 (X out_2)", "-o", str(figure))
    with pytest.raises(LimitReached):
        output(plot, "svt1", "-D", "N=7", *question, "-o", str(figure), "--time-limit", "0")
