"""Programs as pytest tests: what the hooks of ``dipc.pytest_plugin`` collect.

Each file is one test, and so is each mechanism of a Python file: that ``dipc check FILE --expect``, or the
command for its kind, ends with 0.
The hooks are in another module, so that pytest starts without importing all of dipc.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from dipc.cli.failures import INTERRUPTED
from dipc.cli.main import status
from dipc.dipwhile.commands.options import command_of
from dipc.shipped import decorated


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


class NotAsExpected(AssertionError):
    """The verdict is not the announced one; the message is what the command prints."""


class DipItem(pytest.Item):
    """The claim of a file, or of a mechanism in Python, by its name."""

    def runtest(self) -> None:
        """Decide the claim and compare it with what the file expects, as ``dipc check --expect`` does."""
        here = Path.cwd()
        path = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path
        file = f"{path}:{self.name}" if isinstance(self.parent, PythonFile) else str(path)
        seconds = self.config.getoption("dipc_time_limit") or self.config.getini("dipc_time_limit")
        limit = ["--time-limit", seconds] if seconds else []
        said = TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)
        with redirect_stdout(said), redirect_stderr(said):
            code = status([*command_of(file).split(), file, "--expect", *limit])
        if code == INTERRUPTED:
            raise KeyboardInterrupt
        if code:
            said.seek(0)
            raise NotAsExpected(said.read())

    def repr_failure(  # type: ignore[override]
        self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None
    ) -> object:
        """What the command printed."""
        if isinstance(excinfo.value, NotAsExpected):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """How pytest names the test."""
        return self.path, None, f"{self.path.name}: {self.name}"
