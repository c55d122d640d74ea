"""The pytest plugin: which files it collects, what a failure shows, and that it keeps out of the way."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import dipc.dipwhile.commands.check
import dipc.dipwhile.modules
import dipc.pytest_items
import dipc.testing  # noqa: F401 (pytester forgets what is first imported in one of its runs)

ROOT = Path(__file__).parents[3]
INSTALLED = bool(entry_points(group="pytest11", name="dipc"))
LOADED = () if INSTALLED else ("-p", "dipc.pytest_plugin")

COIN = """{header}
input  q in {{true, false}}
output out in {{true, false}}
adjacent all
private {claim}
out <- choose {{q: exp(eps)/(1 + exp(eps)), (not q): 1/(1 + exp(eps))}}
"""
GOOD = COIN.format(header="# source: none", claim="eps")
BAD = COIN.format(header="# source: none", claim="eps/2")
KNOWN_BAD = COIN.format(header="# expect: violated", claim="eps/2")

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project of somebody else, in which dipc can be imported."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(test_other="def test_other():\n    pass\n")
    return pytester


def write(project: pytest.Pytester, **files: str) -> None:
    for name, text in files.items():
        (project.path / f"{name}.dip").write_text(text, encoding="utf-8")


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_inprocess(*LOADED, *arguments)


def test_nothing_is_collected_unasked(project: pytest.Pytester) -> None:
    write(project, bad=BAD)
    run(project).assert_outcomes(passed=1)


def test_a_file_named_on_the_command_line_is_a_test(project: pytest.Pytester) -> None:
    write(project, good=GOOD, bad=BAD)
    run(project, "good.dip").assert_outcomes(passed=1)
    run(project, "bad.dip").assert_outcomes(failed=1)


@pytest.mark.parametrize("how", ["option", "ini"])
def test_all_files_where_they_are_wanted(project: pytest.Pytester, how: str) -> None:
    write(project, good=GOOD, bad=BAD, known=KNOWN_BAD)
    if how == "ini":
        project.makeini("[pytest]\ndipc = true\n")
    run(project, *(["--dipc"] if how == "option" else [])).assert_outcomes(passed=3, failed=1)


FUNCTIONS = """
import dipc

@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps")
def good(q):
    return q if flip(exp(eps)/(1 + exp(eps))) else 1 - q

@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps/2")
def bad(q):
    return q if flip(exp(eps)/(1 + exp(eps))) else 1 - q

@dipc.mechanism(inputs="q in {0, 1}", outputs="out in {0, 1}", adjacent="all", private="eps/2")
def known(q):
    # expect: violated
    return q if flip(exp(eps)/(1 + exp(eps))) else 1 - q
"""


@pytest.mark.parametrize("arguments", [("--dipc",), ("mine.py",)])
def test_mechanisms_in_python(project: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    """Each is a test; files of tests and other files are left alone."""
    project.makepyfile(
        mine=FUNCTIONS, setup="raise SystemExit", test_mine="def test_it(): pass\n" + FUNCTIONS
    )
    result = run(project, *arguments)
    others = 2 if arguments == ("--dipc",) else 0
    result.assert_outcomes(passed=2 + others, failed=1)
    shown = result.stdout.str()
    assert "FAILED mine.py::bad" in shown
    assert "\nverdict     VIOLATED\n" in shown
    assert "Traceback" not in shown


def test_a_python_file_with_a_mistake(project: pytest.Pytester) -> None:
    project.makepyfile(mine=FUNCTIONS.replace("exp(eps)/(1 + exp(eps))", "1/0", 1))
    result = run(project, "--dipc")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["mine.py:5:22: error: division by zero"])
    assert "Traceback" not in result.stdout.str()


def test_testpaths_are_respected(project: pytest.Pytester) -> None:
    project.mkdir("mechanisms")
    (project.path / "mechanisms" / "good.dip").write_text(GOOD, encoding="utf-8")
    write(project, bad=BAD)
    project.makeini("[pytest]\ndipc = true\ntestpaths = mechanisms\n")
    run(project).assert_outcomes(passed=1)


def test_a_failure_shows_the_counterexample_and_no_traceback(project: pytest.Pytester) -> None:
    write(project, bad=BAD)
    shown = run(project, "bad.dip").stdout.str()
    for line in (
        "program     bad.dip",
        "verdict     VIOLATED",
        "input       u  : q = true",
        "neighbour   u' : q = false",
        "output      out = true",
        "budget      ε = 1",
        "broken for  0 < ε < inf   by these two inputs",
    ):
        assert f"\n{line}\n" in shown, line
    assert "FAILED bad.dip::claim" in shown
    assert "Traceback" not in shown
    assert ".py:" not in shown.partition("warnings summary")[0]


def test_a_known_violation_that_is_none(project: pytest.Pytester) -> None:
    write(project, fixed=COIN.format(header="# expect: violated", claim="eps"))
    result = run(project, "fixed.dip")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["verdict   PRIVATE", "expected  violated, but it is not so"])


def test_broken_input_fails_with_the_place(project: pytest.Pytester) -> None:
    write(
        project,
        broken=GOOD.replace("not q", "not p"),
        odd=COIN.format(header="# expect: prvate", claim="eps"),
        silent=GOOD.replace("private eps\n", ""),
    )
    result = run(project, "broken.dip", "odd.dip", "silent.dip")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        [
            "*broken.dip:6:*: error: unknown name `p`*",
            "*odd.dip:1:11: error: there is no verdict *",
            "*silent.dip: the program makes no claim",
        ]
    )
    assert "Traceback" not in result.stdout.str()


@pytest.mark.parametrize("how", ["option", "ini"])
def test_the_time_limit_ends_undecided(project: pytest.Pytester, how: str) -> None:
    text = (ROOT / "programs" / "svt" / "svt1.dip").read_text(encoding="utf-8")
    write(project, slow=text)
    if how == "ini":
        project.makeini("[pytest]\ndipc_time_limit = 0\n")
    result = run(project, "slow.dip", *(["--dipc-time-limit=0"] if how == "option" else []))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the time limit was reached*"])


def test_a_time_limit_that_is_none(project: pytest.Pytester) -> None:
    write(project, good=GOOD)
    result = run(project, "good.dip", "--dipc-time-limit=soon")
    assert result.ret != 0
    assert "`soon` is not a valid number of seconds" in result.stdout.str()


def test_it_can_be_switched_off(project: pytest.Pytester) -> None:
    write(project, good=GOOD)
    name = "dipc" if INSTALLED else "dipc.pytest_plugin"
    result = project.runpytest_subprocess("-p", f"no:{name}", "test_other.py")
    result.assert_outcomes(passed=1)
    result = project.runpytest_subprocess("-p", f"no:{name}", "--dipc")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_pytest_starts_without_dipc(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_other="import sys\n\ndef test_other():\n    assert 'dipc.pytest_plugin' in sys.modules\n"
        "    assert 'dipc.errors' not in sys.modules and 'flint' not in sys.modules\n"
    )
    project.runpytest_subprocess(*LOADED).assert_outcomes(passed=1)


def test_the_entry_point_is_declared() -> None:
    assert 'dipc = "dipc.pytest_plugin"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    code = "import sys, dipc.pytest_plugin; print('dipc.dipwhile.mechanisms' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "False\n"
