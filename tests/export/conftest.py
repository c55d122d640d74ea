"""Fixtures that run scripts in the tools they are for."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from coq_tools import coq_library
from export_tools import Run, run, tool

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the library of Coq that ships with dipc, compiled."""
    return coq_library(tmp_path_factory)


@pytest.fixture
def mathics() -> Run:
    program = Path(tool("mathics")).with_name("mathics")
    return lambda script: run([str(program), "--quiet", "-f", str(script)])


@pytest.fixture
def sage() -> Run:
    """The minimal Sage: a small runner preparses the script and executes it."""
    python = tool("sage")
    return lambda script: run([python, str(HERE / "run_sage.py"), str(script)])


@pytest.fixture
def cvc5() -> Run:
    python = tool("cvc5")
    return lambda script: run([python, str(HERE / "run_cvc5.py"), str(script)])


@pytest.fixture
def storm() -> Callable[[Path, Path], subprocess.CompletedProcess[str]]:
    python = tool("stormpy")
    return lambda model, points: run([python, str(HERE / "run_storm.py"), str(model), str(points)])
