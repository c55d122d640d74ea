"""Programs as pytest tests: what the hooks of ``dipc.pytest_plugin`` collect.

Each file is one test, and so is each mechanism of a Python file: its own claim is private (its properties
hold), or the verdict is that of its comment ``# expect: ...``.
The hooks are in another module, so that pytest starts without importing all of dipc.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from dipc.clock import limits
from dipc.errors import DipcError
from dipc.shipped import decorated
from dipc.testing import UnexpectedVerdict, check_file


class DipFile(pytest.File):
    """A .dip, .hmm or .dpm file, with one test."""

    def collect(self) -> Iterable[pytest.Item]:
        """The one test of the file."""
        yield DipItem.from_parent(self, name="claim")


class PythonFile(pytest.File):
    """A Python file, with a test for each mechanism in it."""

    def collect(self) -> Iterable[pytest.Item]:
        """The tests of the file."""
        for name in decorated(self.path):
            yield DipItem.from_parent(self, name=name)


class DipItem(pytest.Item):
    """The claim of a file, or of a mechanism in Python, by its name."""

    def runtest(self) -> None:
        """Decide the claim and compare it with what the file expects."""
        here = Path.cwd()
        path = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path
        with limits(seconds=time_limit(self.config)):
            check_file(f"{path}:{self.name}" if isinstance(self.parent, PythonFile) else path)

    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None
    ) -> object:
        """What ``dipc check`` would print; a defect of dipc keeps its traceback."""
        if isinstance(excinfo.value, DipcError | UnexpectedVerdict | OSError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """How pytest names the test."""
        return self.path, None, f"{self.path.name}: {self.name}"


def time_limit(config: pytest.Config) -> float | None:
    """Seconds for each program: the option, or else the ini file."""
    given = config.getoption("dipc_time_limit") or config.getini("dipc_time_limit")
    if not given:
        return None
    try:
        seconds = float(given)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise pytest.UsageError(f"dipc_time_limit: `{given}` is not a number of seconds")
    return seconds
