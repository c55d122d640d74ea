"""The tools that run exported scripts.

Each is looked up in the environment of this Python and in those whose interpreters are listed in the
variable DIPC_EXPORT_PYTHONS (separated as in PATH), so heavy tools may live elsewhere.  If a tool is not
found, its tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from patience import PATIENCE

from dipc.dipwhile.convert import to_input
from dipc.dipwhile.export.questions import ClaimExport, Picture, picture, question
from dipc.dipwhile.mechanisms import Mechanism

ROOT = Path(__file__).parent.parent

Run = Callable[[Path], "subprocess.CompletedProcess[str]"]


@cache
def interpreter_with(module: str) -> str | None:
    """The first of the interpreters that can import a module."""
    others = os.environ.get("DIPC_EXPORT_PYTHONS", "")
    for python in [sys.executable, *filter(None, others.split(os.pathsep))]:
        code = f"import importlib.util as u, sys; sys.exit(u.find_spec('{module.split('.')[0]}') is None)"
        if subprocess.run([python, "-c", code], capture_output=True).returncode == 0:
            return python
    return None


def tool(module: str) -> str:
    python = interpreter_with(module)
    if python is None:
        pytest.skip(f"the Python package `{module}` is not installed (see docs/exports.md)")
    return python


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    # Without the path of this project, so that a tool sees its own environment only; its bytecode is that of
    # its own environment and may be written there, or every run would compile the tool again.
    ours = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment,
    )


def load(name: str, **parameters: int) -> Mechanism:
    return Mechanism.load(ROOT / "programs" / name, **parameters)


def asked(mechanism: Mechanism, claim: str | None = None) -> ClaimExport:
    """The question behind an export."""
    return question(mechanism.explored, mechanism._claim(claim))


def drawn(mechanism: Mechanism, **inputs: object) -> Picture:
    """The chain behind an export."""
    return picture(mechanism.program, to_input(mechanism.program, inputs))


def smallest_input(mechanism: Mechanism) -> dict[str, object]:
    """The first value of its set for every input cell."""
    return {
        v.name: v.domain[0] if v.size is None else (v.domain[0],) * v.size for v in mechanism.program.inputs
    }
