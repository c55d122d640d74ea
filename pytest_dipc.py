"""The hooks by which pytest finds dipc: .dip files as tests.

A module of its own, outside of the package: pytest imports it at every start, also in projects that only
happen to have dipc installed, and must not import all of dipc for that. Nothing is collected unless it
is asked for: by ``--dipc``, by ``dipc = true`` in the ini file, or by naming a .dip file on the command line.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dipc", "differential privacy")
    group.addoption("--dipc", action="store_true", help="collect .dip files: each is a test of its own claim")
    group.addoption(
        "--dipc-time-limit", metavar="SECONDS", help="stop each .dip file undecided after this time"
    )
    parser.addini("dipc", "collect .dip files (true or false)", type="bool", default=False)
    parser.addini("dipc_time_limit", "seconds for each .dip file", default="")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".dip" or not wanted(file_path, parent):
        return None
    from dipc.pytest_plugin import DipFile  # only now: see above

    return DipFile.from_parent(parent, path=file_path)


def wanted(path: Path, parent: pytest.Collector) -> bool:
    """Is this file named on the command line, or are all wanted?"""
    config = parent.config
    return parent.session.isinitpath(path) or config.getoption("dipc") or bool(config.getini("dipc"))
