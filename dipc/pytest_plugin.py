"""The hooks by which pytest finds dipc: .dip, .hmm and .dpm files as tests.

pytest imports this module at every start, even in projects that merely have dipc installed: it must not
import anything else of dipc before a program is found.  Nothing is collected unless it is asked for: by
``--dipc``, by ``dipc = true`` in the ini file, or by naming a file on the command line.  Mechanisms in files
of tests are none: such a file says itself what it tests of them.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

KINDS = {".py": "PythonFile"} | dict.fromkeys((".dip", ".hmm", ".dpm"), "DipFile")
"""What collects files with these endings."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options ``--dipc`` and ``--dipc-time-limit``, and those of the ini file."""
    group = parser.getgroup("dipc", "differential privacy")
    group.addoption("--dipc", action="store_true", help="collect programs: each tests its own claim")
    group.addoption(
        "--dipc-time-limit", metavar="SECONDS", help="give up on a file after this time (undecided)"
    )
    parser.addini(
        "dipc",
        "collect programs, models and Python mechanisms (true or false)",
        type="bool",
        default=False,
    )
    parser.addini("dipc_time_limit", "seconds for each program", default="")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file that is named on the command line, or any if all are wanted.

    Of Markov models only those are wanted that have properties.
    """
    config, named = parent.config, parent.session.isinitpath(file_path)
    if file_path.suffix not in KINDS or not (named or config.getoption("dipc") or config.getini("dipc")):
        return None
    if file_path.suffix == ".dpm" and not named and b"property" not in file_path.read_bytes():
        return None
    if file_path.suffix == ".py" and (is_test(file_path, config) or not has_mechanisms(file_path)):
        return None
    items = import_module("dipc.pytest_items")  # only now: see above
    collector: pytest.Collector = getattr(items, KINDS[file_path.suffix]).from_parent(parent, path=file_path)
    return collector


def is_test(path: Path, config: pytest.Config) -> bool:
    """Whether pytest takes a Python file for tests."""
    return path.name == "conftest.py" or any(map(path.match, config.getini("python_files")))


def has_mechanisms(path: Path) -> bool:
    """Whether a Python file may hold mechanisms; others do not make pytest import dipc."""
    return b"mechanism(" in path.read_bytes()
