"""The hooks by which pytest finds dipc: .dip files as tests.

pytest imports this module at every start, even in projects that merely have dipc installed: it must not
import anything else of dipc before a program is found.  Nothing is collected unless it is asked for: by
``--dipc``, by ``dipc = true`` in the ini file, or by naming a .dip file on the command line.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options ``--dipc`` and ``--dipc-time-limit``, and those of the ini file."""
    group = parser.getgroup("dipc", "differential privacy")
    group.addoption("--dipc", action="store_true", help="collect .dip files: each tests its own claim")
    group.addoption(
        "--dipc-time-limit", metavar="SECONDS", help="give up on a file after this time (undecided)"
    )
    parser.addini("dipc", "collect .dip files (true or false)", type="bool", default=False)
    parser.addini("dipc_time_limit", "seconds for each .dip file", default="")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a .dip file that is named on the command line, or any if all are wanted."""
    config, named = parent.config, parent.session.isinitpath(file_path)
    if file_path.suffix != ".dip" or not (named or config.getoption("dipc") or config.getini("dipc")):
        return None
    items = import_module("dipc.pytest_items")  # only now: see above
    collector: pytest.Collector = items.DipFile.from_parent(parent, path=file_path)
    return collector
